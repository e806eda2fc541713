//! Pods from another server of the Pods API: a kubelet, or another podsapi in front of one.
//!
//! There is one watch on the upstream, whoever asks here and however often. Bytes are handed on as
//! they came.
//!
//! ```text
//! connect ──▶ watch accepted: Begin ──▶ ADDED…: Put ──▶ INITIAL_SYNC_COMPLETE: Complete ──▶ Put, Remove…
//!    ▲              │                        │                                               │
//!    └── wait ◀── Lost ◀─────────────────────┴───────────────────────────────────────────────┘
//! ```
//!
//! So the source is not complete before the upstream says that it told all its pods, a broken
//! replay changes nothing, and a whole one shows as what changed meanwhile. Waits between attempts
//! grow and are spread; they start small again once a watch stayed up for as long as the longest
//! wait, and when there is a new socket, which is tried at once and often for a while.
//!
//! # The list beside the watch
//!
//! A kubelet's watch does not tell all that its list has. It says DELETED when a pod has *ended*,
//! while the pod is listed on; it says nothing when an ended pod is forgotten, and nothing of a
//! static pod that was replaced before the old one's containers have ended. What is served here is
//! what is listed there, so more is told here than by a kubelet: an ended pod stays, and is
//! deleted when the kubelet lists it no more. A running static pod whose manifest goes is listed
//! no more at once, while the watch tells it until its containers have ended: it goes here with
//! the first list without it.
//!
//! The list is asked for after each DELETED, when a pod takes the name of another, when something
//! changes in the kubelet's folders (where the socket's place shows them: `pods` beside its
//! folder), and every [`Options::resync`]; at most once a second, since a kubelet gives all its
//! callers a hundred calls together. A refusal is waited for, and loses nothing. A podsapi
//! upstream tells by its watch exactly what it lists, and is never asked for its list; nor is one
//! that has none, whose DELETED counts.
//!
//! A pod that cannot be read hides no other: it is told as a problem, and as last read it stays
//! served. A deletion that does not say of which pod ends the watch, since only a new replay can
//! tell. An event of a kind that is not known counts as a change when it has a pod, and is passed
//! over when it has none.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use podsapi_client::{
    Backoff, BackoffOptions, Client, ClientError, ClientOptions, Code, ConnectError, Status,
};
use podsapi_core::{Moment, SourceError};
use tokio::time::Instant;

use crate::reload::Reloads;
use crate::sink::Sink;

use place::Place;
use relay::{Relay, Step};
use resync::later;

mod listed;
mod names;
mod place;
mod relay;
mod resync;
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
    /// How often the upstream is asked for its list when nothing gives cause to; spread by a
    /// fifth.
    pub resync: Duration,
}

impl Options {
    /// Watches the server at `socket`; waits of 0.1 to 10 seconds, a minute's patience, 20 seconds
    /// until a server that hangs is noticed, and a list every 30 seconds.
    pub fn new(socket: impl Into<PathBuf>) -> Self {
        Self {
            socket: socket.into(),
            backoff: BackoffOptions::default(),
            patience: PATIENCE,
            vigilance: VIGILANCE,
            resync: RESYNC,
        }
    }
}

/// Serves the upstream's pods until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let upstream = options.socket.display().to_string();
    let mut backoff = Backoff::new(options.backoff.clone(), fastrand::u64(..));
    let mut source = Source {
        clock: Instant::now(),
        place: Place::new(&options.socket),
        reloads: sink.reloads(),
        relay: Relay::new(sink, upstream, options.resync, fastrand::u64(..)),
        synced: None,
        options,
    };
    // Until when a new socket is tried often.
    let mut eager_until = None;
    loop {
        let seen = source.place.identity();
        source.synced = None;
        let broken = match source.watch().await {
            Ok(never) => match never {},
            Err(Stop::Broken(broken)) => broken,
            Err(Stop::Sink(error)) => return Err(error),
        };
        let long = source.options.backoff.max;
        if source.synced.is_some_and(|at| at.elapsed() >= long) {
            backoff.reset();
        }
        source.relay.lost(&broken)?;
        let wait = match eager_until {
            Some(until) if source.synced.is_none() && Instant::now() < until => {
                EAGER_WAIT.min(source.options.backoff.max)
            }
            Some(_) | None => backoff.next_wait(),
        };
        tracing::debug!(source = SOURCE, ?wait, "the upstream is asked again");
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = source.reloads.next() => {}
            () = source.place.replaced(seen) => {
                tracing::debug!(source = SOURCE, "there is a new socket");
                backoff.reset();
                eager_until = Some(Instant::now() + EAGER);
            }
        }
    }
}

/// The source from watch to watch.
struct Source {
    options: Options,
    relay: Relay,
    place: Place,
    reloads: Reloads,
    /// The origin of all moments.
    clock: Instant,
    /// Since when the replay is over, of this watch.
    synced: Option<Instant>,
}

impl Source {
    /// Watches once.
    async fn watch(&mut self) -> Result<Infallible, Stop> {
        let options = ClientOptions {
            deadline: Some(self.options.patience),
            ..ClientOptions::default()
        };
        let client = Client::connect(&self.options.socket, options)
            .await
            .map_err(Broken::Connect)?;
        let vigilance = self.options.vigilance;
        tokio::select! {
            ended = self.follow(&client) => ended,
            () = client.hung(vigilance) => Err(Broken::Hung(vigilance).into()),
        }
    }

    /// Hands on what one watch tells, and lists beside it, until it ends.
    async fn follow(&mut self, client: &Client) -> Result<Infallible, Stop> {
        let patience = self.options.patience;
        let silent = |_elapsed| Stop::Broken(Broken::Silent(patience));
        let started = tokio::time::timeout(patience, client.watch()).await;
        let mut watch = started.map_err(silent)?.map_err(Broken::Call)?;
        // What was done in the folders until now is in the replay.
        self.place.arm();
        self.relay.begin()?;
        let mut heard = Instant::now();
        let mut listing = Call::default();
        let mut asking = Call::of(async { client.status().await.is_ok() });
        loop {
            self.relay.handle_timeout(self.now())?;
            if self.relay.poll_list(self.now()) {
                listing = Call::of(client.list());
            }
            let until_silent = (self.synced.is_none()).then(|| heard + patience);
            let until_due = self.relay.timeout().map(|at| self.instant(at));
            tokio::select! {
                event = watch.next() => {
                    heard = Instant::now();
                    let event = event.map_err(Broken::Call)?.ok_or(Broken::Ended)?;
                    match self.relay.handle_event(&event, self.now())? {
                        Step::Synced => self.synced = Some(heard),
                        Step::Told => {}
                    }
                }
                listed = listing.end() => self.relay.handle_list(listed, self.now())?,
                is_podsapi = asking.end() => if is_podsapi {
                    self.relay.trust_watch()?;
                },
                () = at(until_silent) => return Err(Broken::Silent(patience).into()),
                () = at(until_due) => {}
                () = self.place.stirred() => self.relay.want_list(self.now()),
                () = self.reloads.next() => self.relay.want_list(self.now()),
            }
        }
    }

    fn now(&self) -> Moment {
        later(Moment::ORIGIN, self.clock.elapsed())
    }

    fn instant(&self, moment: Moment) -> Instant {
        self.clock + Duration::from_nanos(moment.as_nanos())
    }
}

/// Waits until then, or for ever.
async fn at(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

/// A call under way, if there is one.
struct Call<'a, T>(Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>);

impl<'a, T> Call<'a, T> {
    fn of(call: impl Future<Output = T> + Send + 'a) -> Self {
        Self(Some(Box::pin(call)))
    }

    /// Returns what came of it, once; may be given up and asked for again.
    async fn end(&mut self) -> T {
        if let Some(call) = &mut self.0 {
            let came = call.await;
            self.0 = None;
            return came;
        }
        std::future::pending().await
    }
}

impl<T> Default for Call<'_, T> {
    fn default() -> Self {
        Self(None)
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

/// Returns why a call beside the watch failed.
fn described(error: &ClientError) -> String {
    match error {
        ClientError::Refused(status) => plain(status),
        ClientError::Transport(error) => error.to_string(),
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

/// A list is one of the hundred calls that a kubelet answers in a second, and takes it as long as
/// an answer of its HTTP server.
const RESYNC: Duration = Duration::from_secs(30);

/// How long a new socket is tried often: it may be there before somebody listens, and a kubelet
/// says at first that it is initializing.
const EAGER: Duration = Duration::from_secs(10);

/// How long to wait then between two attempts.
const EAGER_WAIT: Duration = Duration::from_millis(100);

/// Characters of an upstream's own words that are repeated.
const WORDS_LIMIT: usize = 300;
