//! Watches on a few connections, to all of which each change goes before the next is made.

use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::client::{Ask, Connection, Part, Speech};
use crate::control::CHANGING;
use crate::corpus::CorpusPod;
use crate::message;
use crate::server::Server;

/// Connections that watch.
#[derive(Debug)]
pub(crate) struct Watches {
    connections: Vec<Watching>,
    /// How many watches there are in all.
    count: u64,
    /// The bytes of the event that a change of each pod makes.
    events: Vec<usize>,
    /// How many changes were made.
    changes: usize,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Watching {
    connection: Connection,
    /// The bytes that each watch still has to get.
    due: Vec<usize>,
    /// Their sum.
    due_in_all: usize,
}

impl Watches {
    /// Begins the watches, and reads the first list of each.
    pub(crate) fn begin(
        socket: &Path,
        speech: Speech,
        pods: &[CorpusPod],
        connections: usize,
        each: usize,
    ) -> io::Result<Self> {
        let event = |kind, pod: &CorpusPod| {
            let size = pod.pod.len();
            message::event_head(kind, size).len() + size
        };
        let listed = match speech {
            Speech::Bare => 0,
            Speech::Grpc => pods.iter().map(|pod| event(message::ADDED, pod)).sum(),
        };
        let first = listed + message::SYNC_COMPLETE.len();
        let events = pods.iter().take(CHANGING);
        let mut watches = Self {
            connections: Vec::new(),
            count: u64::try_from(connections * each).map_err(io::Error::other)?,
            events: events.map(|pod| event(message::MODIFIED, pod)).collect(),
            changes: 0,
            parts: Vec::new(),
        };
        for _ in 0..connections {
            let mut connection = Connection::open(socket, speech)?;
            connection.set_nonblocking()?;
            for _ in 0..each {
                connection.call(Ask::Watch);
            }
            connection.send()?;
            // Bare answers do not say which watch they are of.
            let told_apart = match speech {
                Speech::Bare => 1,
                Speech::Grpc => each,
            };
            watches.connections.push(Watching {
                connection,
                due: vec![0; told_apart],
                due_in_all: 0,
            });
        }
        watches.expect(first, each);
        watches.read()?;
        Ok(watches)
    }

    /// Has pods change until there are at least so many events, and returns how many there were.
    pub(crate) fn run(&mut self, server: &mut Server, events: u64) -> io::Result<u64> {
        let mut delivered = 0;
        while delivered < events {
            let number = self.changes % self.events.len();
            self.changes += 1;
            let bytes = self.events.get(number).copied().unwrap_or_default();
            let each = usize::try_from(self.count).map_err(io::Error::other)?;
            self.expect(bytes, each / self.connections.len().max(1));
            server.change(number)?;
            self.read()?;
            delivered += self.count;
        }
        Ok(delivered)
    }

    fn expect(&mut self, bytes: usize, each: usize) {
        for watching in &mut self.connections {
            let watches = watching.due.len();
            for due in &mut watching.due {
                *due += bytes * (each / watches);
            }
            watching.due_in_all += bytes * each;
        }
    }

    /// Reads until nothing is due.
    fn read(&mut self) -> io::Result<()> {
        loop {
            let waiting = || self.connections.iter().filter(|one| one.due_in_all > 0);
            let mut sockets: Vec<_> = waiting()
                .map(|one| PollFd::new(one.connection.socket().as_fd(), PollFlags::POLLIN))
                .collect();
            if sockets.is_empty() {
                return Ok(());
            }
            if poll(&mut sockets, PollTimeout::from(PATIENCE_MILLIS))? == 0 {
                return Err(io::Error::other("an event did not come"));
            }
            let ready: Vec<_> = sockets.iter().map(|one| one.any() == Some(true)).collect();
            let waiting = self.connections.iter_mut().filter(|one| one.due_in_all > 0);
            for (watching, _) in waiting.zip(ready).filter(|(_, ready)| *ready) {
                watching.read(&mut self.parts)?;
            }
        }
    }
}

impl Watching {
    fn read(&mut self, parts: &mut Vec<Part>) -> io::Result<()> {
        self.connection.receive(parts)?;
        for part in parts.drain(..) {
            let due = self.due.get_mut(part.call);
            let rest = due.and_then(|due| {
                *due = due.checked_sub(part.bytes)?;
                Some(())
            });
            if rest.is_none() || part.ended {
                return Err(io::Error::other("a watch got what it should not"));
            }
            self.due_in_all -= part.bytes;
        }
        Ok(())
    }
}

const PATIENCE_MILLIS: u16 = 20_000;
