//! `watch`: pods and then their changes, through restarts of the server.

use std::io::Write;
use std::os::fd::AsFd;
use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use podsapi_client::{
    BackoffOptions, Change, ClientOptions, EventKind, Follow, FollowError, FollowEvent, MirroredPod,
};
use podsapi_tokio::TokioRuntime;
use tokio::io::Interest;
use tokio::net::unix::pipe;

use crate::args::{Format, ReadArgs};
use crate::columns::Columns;
use crate::failure::{Failure, interruption};
use crate::output::{self, Layout};
use crate::table::Table;
use crate::{say, selection};

/// How long a server may give no sign of life: as long as `--kubelet` gives it.
const VIGILANCE: Duration = Duration::from_secs(20);

/// What to do when there is no watch at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Fail, since a wrong path or a server that refuses is worth knowing at once.
    AtOnce,
    /// Try again, since the server is known to be coming up.
    Patient,
}

/// Prints events until the output closes, or the server refuses for good.
pub(crate) async fn watch(
    path: &Path,
    args: &ReadArgs,
    start: Start,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let options = ClientOptions {
        fields: selection::wanted(args)?,
        ..ClientOptions::default()
    };
    let mut follow =
        Follow::new(path, options, BackoffOptions::default()).with_vigilance(VIGILANCE);
    let mut printer = Printer::new(args);
    let mut reports = Reports::default();
    let mut connected = start == Start::Patient;
    let mut unread = pin!(nobody_reads());
    loop {
        // A quiet node gives nothing to write, so a write alone would not show that all have left.
        let event = tokio::select! {
            event = follow.next() => event,
            () = &mut unread => return Err(Failure::ClosedPipe),
        };
        match event {
            FollowEvent::Change(change) => {
                match printer.print(&change, TokioRuntime::wall_seconds()) {
                    Ok(text) => out.write_all(&text)?,
                    Err(error) => say(format_args!("left out: {error}")),
                }
                // Together, what a replay tells is written when it is whole.
                if follow.mirror().is_synced() {
                    out.flush()?;
                }
            }
            FollowEvent::Connected => {
                connected = true;
                reports.connected();
            }
            FollowEvent::Disconnected { cause, .. } => {
                out.flush()?;
                // One that hangs may go on, and its path is right.
                let hangs = matches!(cause, FollowError::Hung(_));
                if !(connected || hangs) || cause.is_final() {
                    return Err(Failure::of_watch(path, cause));
                }
                reports.disconnected(interruption(&cause), start);
            }
            FollowEvent::Unreadable(error) => say(format_args!("left out: {error}")),
        }
    }
}

/// Waits until nobody reads standard output any more; for ever when it is a file.
async fn nobody_reads() {
    // Unchecked, since a check would go on to switch standard output itself to non-blocking.
    let copy = std::io::stdout().as_fd().try_clone_to_owned();
    if let Ok(output) = copy.and_then(pipe::Sender::from_owned_fd_unchecked)
        && output.ready(Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// What was said about the connection, so that it is said once.
#[derive(Debug, Default)]
struct Reports {
    trouble: Option<String>,
    ever_connected: bool,
}

impl Reports {
    fn connected(&mut self) {
        self.ever_connected = true;
        if self.trouble.take().is_some() {
            say(format_args!("reconnected"));
        }
    }

    fn disconnected(&mut self, cause: String, start: Start) {
        // A server that is coming up is no news.
        let expected = start == Start::Patient && !self.ever_connected;
        if !expected && self.trouble.as_ref() != Some(&cause) {
            say(format_args!("{cause}; reconnecting"));
            self.trouble = Some(cause);
        }
    }
}

/// Turns changes into output.
#[derive(Debug)]
struct Printer {
    format: Format,
    namespace: Option<String>,
    layout: Layout,
    /// Rows that wait for the end of the first replay, when the widths are known.
    waiting: Option<Vec<Vec<String>>>,
    table: Table,
}

impl Printer {
    fn new(args: &ReadArgs) -> Self {
        let layout = args.layout();
        Self {
            format: args.output,
            namespace: args.namespace.clone(),
            layout,
            waiting: Some(Vec::new()),
            table: Table::new(&layout.headings()),
        }
    }

    /// Returns what `change` adds to the output, or why its pod cannot be printed.
    fn print(&mut self, change: &Change, now: i64) -> Result<Vec<u8>, String> {
        let (kind, pod) = match change {
            Change::Added(pod) => (EventKind::Added, Some(&**pod)),
            Change::Deleted(pod) => (EventKind::Deleted, Some(&**pod)),
            Change::Modified { new, .. } => (EventKind::Modified, Some(&**new)),
            Change::Synced => (EventKind::InitialSyncComplete, None),
        };
        let namespace = self.namespace.as_deref();
        let elsewhere = |pod: &MirroredPod| namespace.is_some_and(|only| only != pod.namespace());
        if pod.is_some_and(elsewhere) {
            return Ok(Vec::new());
        }
        match self.format {
            Format::Table | Format::Wide => Ok(self.rows(kind, pod, now).into_bytes()),
            Format::Json | Format::Yaml | Format::Name | Format::Protobuf => {
                output::event(kind, pod, self.format, self.layout.extent)
            }
        }
    }

    fn rows(&mut self, kind: EventKind, pod: Option<&MirroredPod>, now: i64) -> String {
        let Some(pod) = pod else {
            let rows = self.waiting.take();
            let headings = rows
                .iter()
                .map(|_| self.table.line(&self.layout.headings()));
            let lines = rows.iter().flatten().map(|row| self.table.line(row));
            return headings.chain(lines).collect();
        };
        let mut columns = Columns::read(pod, now);
        if kind == EventKind::Deleted {
            "Deleted".clone_into(&mut columns.status);
        }
        let row = self.layout.row(pod, columns);
        self.table.fit(&row);
        match &mut self.waiting {
            Some(waiting) => {
                waiting.push(row);
                String::new()
            }
            None => self.table.line(&row),
        }
    }
}
