//! A watch that survives restarts of the server: connects, watches, waits and connects again.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{Code, Dialect, Uid};
use tokio::task::JoinHandle;

use crate::backoff::{Backoff, BackoffOptions};
use crate::client::Client;
use crate::error::{ClientError, ConnectError};
use crate::fields::Fields;
use crate::mirror::{Change, Mirror, MirrorError};
use crate::options::ClientOptions;
use crate::watch::{Event, EventKind, WatchStream};

/// What a followed node did.
#[derive(Debug)]
pub enum FollowEvent {
    /// The node's pods changed.
    Change(Change),
    /// A watch began; its replay follows.
    Connected,
    /// There is no watch. The next call of [`Follow::next`] first waits as long as told here.
    Disconnected {
        /// Why.
        cause: FollowError,
        /// How long until the next attempt.
        wait: Duration,
    },
    /// The server sent a pod that cannot be read; the mirror is without it.
    Unreadable(MirrorError),
}

/// Why there is no watch.
#[derive(Debug)]
pub enum FollowError {
    /// The watch was refused, or it ended.
    Client(ClientError),
    /// There was no connection.
    Connect(ConnectError),
    /// The server ended the watch with OK, which the API does not foresee.
    Ended,
    /// The server gave no sign of life for this long.
    Hung(Duration),
}

impl FollowError {
    /// Returns whether asking again cannot help: the server knows no such method or does not
    /// accept this caller.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            Self::Client(ClientError::Refused(status)) => matches!(
                status.code(),
                Code::InvalidArgument
                    | Code::PermissionDenied
                    | Code::Unauthenticated
                    | Code::Unimplemented
            ),
            Self::Client(ClientError::Transport(_))
            | Self::Connect(_)
            | Self::Ended
            | Self::Hung(_) => false,
        }
    }
}

impl fmt::Display for FollowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(error) => error.fmt(f),
            Self::Connect(error) => error.fmt(f),
            Self::Ended => f.write_str("the server ended the watch"),
            Self::Hung(vigilance) => write!(
                f,
                "the server did not answer within {vigilance:?}: it hangs or is overloaded"
            ),
        }
    }
}

impl std::error::Error for FollowError {}

/// Keeps a [`Mirror`] equal to a node for as long as it is polled.
///
/// # Examples
///
/// ```no_run
/// use podsapi_client::{BackoffOptions, Change, ClientOptions, Follow, FollowEvent, DEFAULT_SOCKET};
///
/// # async fn example() {
/// let mut follow = Follow::new(DEFAULT_SOCKET, ClientOptions::default(), BackoffOptions::default());
/// loop {
///     match follow.next().await {
///         FollowEvent::Change(Change::Synced) => println!("{} pods", follow.mirror().pods().len()),
///         other => println!("{other:?}"),
///     }
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Follow {
    path: PathBuf,
    options: ClientOptions,
    vigilance: Option<Duration>,
    backoff: Backoff,
    mirror: Mirror,
    state: State,
    /// What the last event led to and was not handed out yet.
    pending: VecDeque<Change>,
    /// Told with the documented dialect only: UIDs whose event completes the sync that this dialect
    /// does not mark.
    awaited: Option<BTreeSet<Bytes>>,
}

#[derive(Debug)]
enum State {
    Waiting { until: tokio::time::Instant },
    Watching(WatchStream, Vigil),
}

/// Looks after the server of a watch, which is silent when the server hangs, and when nothing happens.
#[derive(Debug)]
struct Vigil(Option<(Duration, JoinHandle<()>)>);

impl Vigil {
    fn begin(client: &Client, vigilance: Option<Duration>) -> Self {
        Self(vigilance.map(|vigilance| {
            let client = client.clone();
            let hung = async move { client.hung(vigilance).await };
            (vigilance, tokio::spawn(hung))
        }))
    }

    /// Completes when the server hangs.
    async fn hung(&mut self) -> FollowError {
        if let Some((vigilance, hung)) = &mut self.0 {
            let (vigilance, ended) = (*vigilance, hung.await);
            // What has ended is not waited for again.
            self.0 = None;
            if ended.is_ok() {
                return FollowError::Hung(vigilance);
            }
        }
        std::future::pending().await
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        if let Some((_, hung)) = &self.0 {
            hung.abort();
        }
    }
}

impl Follow {
    /// Returns a follower of the server at `path`; nothing is done before [`Follow::next`].
    ///
    /// Of [`ClientOptions::fields`], name, namespace and UID are always asked for.
    #[must_use]
    pub fn new(path: impl AsRef<Path>, options: ClientOptions, backoff: BackoffOptions) -> Self {
        let fields = options.fields.with_identity();
        let options = ClientOptions { fields, ..options };
        Self {
            path: path.as_ref().to_owned(),
            options,
            vigilance: None,
            backoff: Backoff::new(backoff, fastrand::u64(..)),
            mirror: Mirror::new(),
            state: State::Waiting {
                until: tokio::time::Instant::now(),
            },
            pending: VecDeque::new(),
            awaited: None,
        }
    }

    /// Has the server asked for a sign of life: [`FollowError::Hung`] tells when there is none for
    /// `vigilance`. Without this a server that hangs looks like a node on which nothing happens.
    #[must_use]
    pub fn with_vigilance(self, vigilance: Duration) -> Self {
        Self {
            vigilance: Some(vigilance),
            ..self
        }
    }

    /// Returns the node's pods as far as they are known. They stay while there is no watch.
    #[must_use]
    pub fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    /// Waits for what comes next. Never ends by itself: the caller decides when to give up.
    ///
    /// The future may be dropped and asked for again; a dropped attempt to connect starts again.
    pub async fn next(&mut self) -> FollowEvent {
        loop {
            if let Some(change) = self.pending.pop_front() {
                return FollowEvent::Change(change);
            }
            match &mut self.state {
                State::Waiting { until } => {
                    tokio::time::sleep_until(*until).await;
                    match self.connect().await {
                        Ok((watch, vigil)) => {
                            self.state = State::Watching(watch, vigil);
                            self.finish_unmarked_sync();
                            return FollowEvent::Connected;
                        }
                        Err(cause) => return self.disconnected(cause),
                    }
                }
                State::Watching(watch, vigil) => {
                    let event = tokio::select! {
                        biased;
                        event = watch.next() => event,
                        hung = vigil.hung() => return self.disconnected(hung),
                    };
                    match event {
                        Ok(Some(event)) => {
                            self.backoff.reset();
                            if let Err(error) = self.take(event) {
                                return FollowEvent::Unreadable(error);
                            }
                        }
                        Ok(None) => return self.disconnected(FollowError::Ended),
                        Err(error) => return self.disconnected(FollowError::Client(error)),
                    }
                }
            }
        }
    }

    async fn connect(&mut self) -> Result<(WatchStream, Vigil), FollowError> {
        let client = Client::connect(&self.path, self.options.clone())
            .await
            .map_err(FollowError::Connect)?;
        let mut vigil = Vigil::begin(&client, self.vigilance);
        let beginning = async {
            let watch = client.watch().await?;
            let awaited = match self.options.dialect {
                Dialect::V1alpha1 => None,
                // Listed after the watch began, each pod is told by the watch too.
                Dialect::Documented => Some(listed(&client).await?),
            };
            Ok::<_, ClientError>((watch, awaited))
        };
        let begun = tokio::select! {
            biased;
            begun = beginning => begun,
            hung = vigil.hung() => return Err(hung),
        };
        let (watch, awaited) = begun.map_err(FollowError::Client)?;
        self.awaited = awaited;
        Ok((watch, vigil))
    }

    fn take(&mut self, event: Event) -> Result<(), MirrorError> {
        let taken = self.mirror.handle_event(&event);
        if let Ok(changes) = &taken {
            self.pending.extend(changes.iter().cloned());
        }
        if let Some(awaited) = &mut self.awaited
            && let Some(uid) = Uid::in_pod(&event.pod)
        {
            awaited.remove(uid.as_bytes());
        }
        self.finish_unmarked_sync();
        taken.map(|_changes| ())
    }

    /// Stands in for the marker that the documented dialect does not send.
    fn finish_unmarked_sync(&mut self) {
        if self.awaited.as_ref().is_some_and(BTreeSet::is_empty) {
            self.awaited = None;
            let marker = Event {
                kind: EventKind::InitialSyncComplete,
                pod: Bytes::new(),
            };
            self.pending
                .extend(self.mirror.handle_event(&marker).unwrap_or_default());
        }
    }

    fn disconnected(&mut self, cause: FollowError) -> FollowEvent {
        self.mirror.handle_disconnect();
        let asked = match &cause {
            FollowError::Client(error) => error.retry_after(),
            FollowError::Connect(_) | FollowError::Ended | FollowError::Hung(_) => None,
        };
        let wait = self
            .backoff
            .next_wait_of_at_least(asked.unwrap_or_default());
        self.state = State::Waiting {
            until: tokio::time::Instant::now() + wait,
        };
        FollowEvent::Disconnected { cause, wait }
    }
}

async fn listed(client: &Client) -> Result<BTreeSet<Bytes>, ClientError> {
    let mut uids = BTreeSet::new();
    for pod in client.with_fields(Fields::identity()).list().await? {
        // One without a UID is told by no event that could be awaited.
        if let Some(uid) = Uid::in_pod(&pod) {
            uids.insert(Bytes::copy_from_slice(uid.as_bytes()));
        }
    }
    Ok(uids)
}

#[cfg(test)]
mod tests;
