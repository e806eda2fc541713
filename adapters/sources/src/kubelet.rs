//! Pods from another server of the Pods API: a kubelet, or another podsapi in front of one.
//!
//! There is one watch on the upstream, whoever asks here and however often; its list and get calls,
//! which are limited by rate, are never used. Bytes are handed on as they came.
//!
//! ```text
//! connect ──▶ watch accepted: Begin ──▶ ADDED…: Put ──▶ INITIAL_SYNC_COMPLETE: Complete ──▶ Put, Remove…
//!    ▲              │                        │                                               │
//!    └── wait ◀── Lost ◀─────────────────────┴───────────────────────────────────────────────┘
//! ```
//!
//! So the source is not complete before the upstream says that it told all its pods, a broken replay
//! changes nothing, and a whole one shows as what changed meanwhile. Waits between attempts grow and
//! are spread; they start small again once a watch stayed up for as long as the longest wait.
//!
//! A pod that cannot be read hides no other: it is told as a problem, and as last read it stays
//! served. A deletion that does not say of which pod ends the watch, since only a new replay can
//! tell. An event of a kind that is not known counts as a change when it has a pod, and is passed
//! over when it has none.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use podsapi_client::{
    Backoff, BackoffOptions, Client, ClientError, ClientOptions, Code, ConnectError, Status,
};
use podsapi_core::SourceError;
use tokio::time::Instant;

use crate::sink::Sink;

use relay::{Relay, Step};

mod relay;
#[cfg(test)]
mod tests;

/// Which upstream to watch, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// The upstream's UNIX socket.
    pub socket: PathBuf,
    /// The waits between attempts.
    pub backoff: BackoffOptions,
    /// How long the upstream may be silent until its replay is over; then it is asked anew.
    pub patience: Duration,
    /// How long it may take until an upstream that hangs is noticed.
    ///
    /// It is asked for a sign of life after half of this, and answers within the other half. Below a
    /// second or so a busy one would be taken for one that hangs.
    pub vigilance: Duration,
}

impl Options {
    /// Watches the server at `socket`; waits of 0.1 to 10 seconds, a minute's patience, and 20
    /// seconds until a server that hangs is noticed.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            backoff: BackoffOptions::default(),
            patience: PATIENCE,
            vigilance: VIGILANCE,
        }
    }
}

/// Serves the upstream's pods until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let mut backoff = Backoff::new(options.backoff.clone(), fastrand::u64(..));
    let mut reloads = sink.reloads();
    let mut relay = Relay::new(sink, options.socket.display().to_string());
    loop {
        let mut synced = None;
        let broken = match watch(&options, &mut relay, &mut synced).await {
            Ok(never) => match never {},
            Err(Stop::Broken(broken)) => broken,
            Err(Stop::Sink(error)) => return Err(error),
        };
        if synced.is_some_and(|at: Instant| at.elapsed() >= options.backoff.max) {
            backoff.reset();
        }
        relay.lost(&broken)?;
        let wait = backoff.next_wait();
        tracing::debug!(source = SOURCE, ?wait, "the upstream is asked again");
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = reloads.next() => {}
        }
    }
}

/// Watches once; says in `synced` since when the replay is over.
async fn watch(
    options: &Options,
    relay: &mut Relay,
    synced: &mut Option<Instant>,
) -> Result<Infallible, Stop> {
    let client = Client::connect(&options.socket, ClientOptions::default())
        .await
        .map_err(Broken::Connect)?;
    tokio::select! {
        ended = follow(&client, options.patience, relay, synced) => ended,
        () = client.hung(options.vigilance) => {
            Err(Broken::Hung(options.vigilance).into())
        }
    }
}

/// Hands on what one watch tells, until it ends.
async fn follow(
    client: &Client,
    patience: Duration,
    relay: &mut Relay,
    synced: &mut Option<Instant>,
) -> Result<Infallible, Stop> {
    let silent = |_elapsed| Stop::Broken(Broken::Silent(patience));
    let started = tokio::time::timeout(patience, client.watch()).await;
    let mut watch = started.map_err(silent)?.map_err(Broken::Call)?;
    relay.begin()?;
    loop {
        let event = match synced {
            Some(_) => watch.next().await,
            None => tokio::time::timeout(patience, watch.next())
                .await
                .map_err(silent)?,
        };
        let event = event.map_err(Broken::Call)?.ok_or(Broken::Ended)?;
        match relay.handle_event(&event)? {
            Step::Synced => *synced = Some(Instant::now()),
            Step::Told => {}
        }
    }
}

/// Why a watch does not go on.
#[derive(Debug)]
enum Stop {
    Broken(Broken),
    /// The receiver of the pods does not accept the source.
    Sink(SourceError),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<SourceError> for Stop {
    fn from(error: SourceError) -> Self {
        Self::Sink(error)
    }
}

/// What is wrong with the upstream or the way to it.
#[derive(Debug)]
enum Broken {
    /// The watch was refused, or it ended.
    Call(ClientError),
    /// There was no connection.
    Connect(ConnectError),
    /// The upstream ended the watch with OK, which the API does not foresee.
    Ended,
    /// The upstream does not answer at all.
    Hung(Duration),
    /// The upstream accepted the call, and did not tell its pods.
    Silent(Duration),
    /// The upstream deleted a pod without saying which one.
    UnknownDeletion,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(ClientError::Refused(status)) => {
                write!(f, "{} ({})", meaning(status), plain(status))
            }
            Self::Call(ClientError::Transport(error)) => error.fmt(f),
            Self::Connect(error) => {
                f.write_str("cannot connect")?;
                if let Some(cause) = error.source() {
                    write!(f, ": {cause}")?;
                }
                write!(f, ": {}", error.advice())
            }
            Self::Ended => f.write_str("the upstream ended the watch"),
            Self::Hung(vigilance) => write!(
                f,
                "the upstream hangs: it gave no sign of life for {vigilance:?}; is its process \
                 stopped, or its machine overloaded?"
            ),
            Self::Silent(patience) => write!(
                f,
                "the upstream said nothing for {patience:?} before it had told all its pods"
            ),
            Self::UnknownDeletion => {
                f.write_str("the upstream deleted a pod without saying which one")
            }
        }
    }
}

/// Returns what a refused or ended watch means.
fn meaning(status: &Status) -> &'static str {
    match status.code() {
        Code::FailedPrecondition => "the upstream is not ready yet",
        Code::PermissionDenied | Code::Unauthenticated => "the upstream does not accept this user",
        Code::ResourceExhausted => {
            "the upstream has no room for the watch, or the watch was read too slowly"
        }
        Code::Unavailable => "the upstream is stopping",
        Code::Unimplemented => "the upstream does not serve the released Pods API (v1alpha1)",
        Code::Aborted
        | Code::AlreadyExists
        | Code::Cancelled
        | Code::DataLoss
        | Code::DeadlineExceeded
        | Code::Internal
        | Code::InvalidArgument
        | Code::NotFound
        | Code::Ok
        | Code::OutOfRange
        | Code::Unknown => "the upstream ended the watch",
    }
}

/// Returns the upstream's words, fit for one line of a log.
fn plain(status: &Status) -> String {
    let words = status.to_string();
    let words = words.chars().take(WORDS_LIMIT);
    words
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

const SOURCE: &str = "kubelet";

/// A kubelet answers from memory; a minute is long even for one that starts beside hundreds of
/// containers.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ten seconds between two questions cost nothing, and ten for an answer from memory are ample.
const VIGILANCE: Duration = Duration::from_secs(20);

/// Characters of an upstream's own words that are repeated.
const WORDS_LIMIT: usize = 300;
