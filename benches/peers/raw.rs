//! The limit: the same bytes over a bare UNIX socket, with vectored writes and nothing else.
//!
//! A request is four bytes: the number of a pod of the corpus, or one of the words of
//! [`podsapi_bench::client`]. An answer is the gRPC message that the other servers send.

use std::error::Error;
use std::io::{self, IoSlice, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use podsapi_bench::client::{RAW_LIST, RAW_WATCH};
use podsapi_bench::control;
use podsapi_bench::corpus::{self, CorpusPod};
use podsapi_bench::message;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = control::Arguments::read()?;
    let pods = Arc::new(corpus::read(&arguments.corpus)?);
    let watches = Arc::new(Watches::default());
    let listener = UnixListener::bind(&arguments.socket)?;
    let served = (pods.clone(), watches.clone());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let (pods, watches) = served.clone();
            thread::spawn(move || serve(connection, &pods, &watches));
        }
    });
    let mut states = [false; control::CHANGING];
    control::answer(|number| {
        if let (Some(state), Some(pod)) = (states.get_mut(number), pods.get(number)) {
            *state = !*state;
            watches.send(if *state { &pod.changed } else { &pod.pod });
        }
    })?;
    Ok(())
}

/// The connections that watch, each with how many watches it has.
#[derive(Debug, Default)]
struct Watches {
    connections: Mutex<Vec<(UnixStream, usize)>>,
}

impl Watches {
    fn add(&self, connection: &UnixStream, watches: usize) -> io::Result<()> {
        let mut connections = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connections.push((connection.try_clone()?, watches));
        Ok(())
    }

    /// Sends one event to every watch, with one write for each connection.
    fn send(&self, pod: &Bytes) {
        let head = message::event_head(message::MODIFIED, pod.len());
        let mut connections = self
            .connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connections.retain_mut(|(connection, watches)| {
            let event = [head.as_slice(), pod];
            let parts: Vec<_> = event.into_iter().cycle().take(*watches * 2).collect();
            write_all(connection, &parts).is_ok()
        });
    }
}

/// Answers all requests that have come with one vectored write.
fn serve(mut connection: UnixStream, pods: &[CorpusPod], watches: &Watches) -> io::Result<()> {
    let list = List::new(pods);
    let singles: Vec<_> = pods
        .iter()
        .map(|pod| message::single_head(pod.pod.len()))
        .collect();
    let mut requests = [0; 4_096];
    let mut filled = 0;
    loop {
        let read = connection.read(&mut requests[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let (whole, _) = requests[..filled].as_chunks::<4>();
        let mut parts = Vec::new();
        let mut begun = 0;
        for request in whole {
            match u32::from_be_bytes(*request) {
                RAW_LIST => parts.extend(list.parts(pods)),
                RAW_WATCH => begun += 1,
                number => {
                    let number = usize::try_from(number).map_err(io::Error::other)?;
                    let pod = pods.get(number).ok_or(io::ErrorKind::InvalidInput)?;
                    let head = singles.get(number).ok_or(io::ErrorKind::InvalidInput)?;
                    parts.extend([head.as_slice(), &pod.pod]);
                }
            }
        }
        let done = whole.len() * 4;
        write_all(&mut connection, &parts)?;
        if begun > 0 {
            watches.add(&connection, begun)?;
            connection.write_all(&message::SYNC_COMPLETE.repeat(begun))?;
        }
        requests.copy_within(done..filled, 0);
        filled -= done;
    }
}

/// What is before the pods of a list.
#[derive(Debug)]
struct List {
    head: Vec<u8>,
    tags: Vec<Vec<u8>>,
}

impl List {
    fn new(pods: &[CorpusPod]) -> Self {
        let sizes = || pods.iter().map(|pod| pod.pod.len());
        Self {
            head: message::list_head(sizes()),
            tags: sizes().map(message::list_tag).collect(),
        }
    }

    fn parts<'a>(&'a self, pods: &'a [CorpusPod]) -> impl Iterator<Item = &'a [u8]> {
        let pods = self.tags.iter().zip(pods);
        let pods = pods.flat_map(|(tag, pod)| [tag.as_slice(), &pod.pod]);
        std::iter::once(self.head.as_slice()).chain(pods)
    }
}

/// Writes everything, as many parts at a time as the kernel takes.
fn write_all(connection: &mut UnixStream, parts: &[&[u8]]) -> io::Result<()> {
    const MOST: usize = 1_024;
    let mut slices: Vec<_> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut rest = slices.as_mut_slice();
    while !rest.is_empty() {
        let now = rest.len().min(MOST);
        match connection.write_vectored(&rest[..now])? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => IoSlice::advance_slices(&mut rest, written),
        }
    }
    Ok(())
}
