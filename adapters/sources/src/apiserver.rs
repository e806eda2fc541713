//! Pods from an API server: those that it bound to this node, listed and then watched.
//!
//! ```text
//! kubeconfig ──▶ access ── answers ──▶ ListWatch ── words ──▶ Sink
//!                                          │
//!                             keeper ◀── the pods ──▶ checkpoint file
//! ```
//!
//! What to ask, when, and what an answer means is [`listwatch`]'s; here is the way there and back.
//! A pod's bytes are those of the wire.
//!
//! A kubeconfig is read when the source starts, again after each failure, before a request that
//! comes a minute after the last, and when the file changes: one that is missing or wrong may come
//! right later; and at once, with a list, where the sink's [`Reload`](crate::Reload) wishes. One that
//! names another server, authority or user is that of another cluster: its pods are listed, and none
//! of the former ones stays. Credentials appear in no message.
//!
//! With a [`Checkpoint`] the pods survive a restart while the API server is away. They are of one
//! cluster and one node (`identity`), and are served for no other.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use podsapi_core::{Moment, SourceError};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::listwatch::{self, ListWatch};
use crate::sink::Sink;

use access::Access;
use call::Call;
use keeper::Keeper;
use lookout::Lookout;
use pods::Pods;

pub use access::Cluster;
pub use keeper::Checkpoint;

mod access;
mod call;
mod checkpoint;
mod identity;
mod keeper;
mod kept_file;
mod lookout;
mod plugin;
mod pods;
#[cfg(test)]
mod tests;
mod trouble;
mod user;

/// Which API server to ask, for which node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Where the API server is, and who asks.
    pub cluster: Cluster,
    /// The node whose pods are asked for.
    pub node_name: String,
    /// Over how long a first new attempt is spread, so that many nodes do not come back together.
    pub backoff: Duration,
    /// How often it is looked whether the kubeconfig has changed.
    pub lookout: Duration,
    /// The file that keeps the pods from run to run; none by default.
    pub checkpoint: Option<Checkpoint>,
}

impl Options {
    /// Asks for the pods of the node, and spreads its new attempts as [`listwatch`] does.
    pub fn new(cluster: Cluster, node_name: impl Into<String>) -> Self {
        let node_name = node_name.into();
        Self {
            cluster,
            backoff: listwatch::Options::new(node_name.as_str(), 0).backoff,
            lookout: LOOKOUT,
            node_name,
            checkpoint: None,
        }
    }
}

/// Serves the pods that the API server bound to the node until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    let (checkpoint, period) = (options.checkpoint.clone(), options.lookout);
    let keeper =
        checkpoint.map(|checkpoint| Keeper::new(checkpoint, &options.node_name, &options.cluster));
    let mut reloads = sink.reloads();
    let clock = Clock(Instant::now());
    let mut machine = ListWatch::new(
        listwatch::Options {
            backoff: options.backoff,
            ..listwatch::Options::new(options.node_name.clone(), fastrand::u64(..))
        },
        clock.now(),
    );
    let access = Arc::new(Mutex::new(Access::new(options.cluster.clone())));
    let mut kept = Kept {
        keeper,
        pods: Pods::new(sink, options),
    };
    let lookout = Lookout::begin(Arc::clone(&access), period);
    let mut call = Call::None;
    loop {
        if let Some(request) = machine.poll_request(clock.now()) {
            tracing::debug!(
                source = SOURCE,
                request = request.path_and_query(),
                "asking"
            );
            call = Call::start(Arc::clone(&access), request);
        }
        let Kept { keeper, pods } = &mut kept;
        while let Some(word) = machine.poll_word() {
            pods.take(word, keeper.as_mut())?;
        }
        pods.tell(machine.problems(), keeper.as_ref());
        if !machine.wants_answer() {
            call = Call::None;
        }
        tokio::select! {
            news = call.next() => {
                let (way, place) = (&mut pods.way, &mut pods.place);
                call = news.handle(call, &mut machine, way, place, clock.now());
            }
            () = until(machine.poll_timeout().map(|at| clock.instant(at))) => {}
            earlier = keep(keeper.as_mut(), pods) => {
                if let Some(earlier) = earlier {
                    pods.open(&earlier)?;
                }
            }
            () = lookout.replaced() => {
                call = Call::None;
                call::replaced(&mut machine, clock.now());
            }
            () = reloads.next() => {
                tracing::debug!(source = SOURCE, "the credentials are read anew, and the pods listed");
                // What is asked holds the client.
                call = Call::None;
                access.lock().await.forget();
                machine.handle_reload(clock.now());
            }
        }
    }
}

/// The pods and who writes them to a file, whose last changes are written with the end of the source.
#[derive(Debug)]
struct Kept {
    keeper: Option<Keeper>,
    pods: Pods,
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.finish(&self.pods.held, &self.pods.way, self.pods.now());
        }
    }
}

/// The machine's time, which begins when the source does.
#[derive(Clone, Copy, Debug)]
struct Clock(Instant);

impl Clock {
    fn now(self) -> Moment {
        let nanos = u64::try_from(self.0.elapsed().as_nanos());
        Moment::from_nanos(nanos.unwrap_or(u64::MAX))
    }

    fn instant(self, at: Moment) -> Instant {
        self.0 + Duration::from_nanos(at.as_nanos())
    }
}

async fn until(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn keep(keeper: Option<&mut Keeper>, pods: &Pods) -> Option<checkpoint::Earlier> {
    match keeper {
        Some(keeper) => keeper.next(&pods.held, &pods.way, pods.now()).await,
        None => std::future::pending().await,
    }
}

/// One look is a system call; a cluster is not replaced in a hurry.
const LOOKOUT: Duration = Duration::from_secs(10);

const SOURCE: &str = "apiserver";
