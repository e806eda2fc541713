//! The loop that accepts connections and survives everything that accepting can meet.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use nix::errno::Errno;
use podsapi_core::Moment;
use podsapi_h2::Runtime;

/// The first pause after an error; it doubles with every further error in a row.
const PAUSE_FIRST: Duration = Duration::from_millis(5);

/// The longest pause between two attempts.
const PAUSE_LONGEST: Duration = Duration::from_secs(1);

/// Attempts to accept before the connections that are open have their turn.
///
/// 16: what a storm of connections brings to do at one time is then less than a millisecond.
const ACCEPTED_A_TURN: u32 = 16;

/// So many attempts to accept within [`STORM_TIME`] are a storm.
const STORM: u32 = 16;

/// How long connections of a storm wait for each other.
///
/// To wake for each of them costs more than to accept it. The queue of a socket, thousands of
/// connections with the kernel's default, does not fill within so short a time.
const STORM_TIME: Duration = Duration::from_millis(1);

/// How many waiting connections one round closes while there is no descriptor to serve them with.
const SHED_AT_ONCE: u32 = 64;

/// What the accept loops met, for the operator.
#[derive(Debug, Default)]
pub struct AcceptCounts {
    /// Errors of accept other than a client that went away while it waited.
    pub errors: AtomicU64,
    /// Connections closed unserved because the process had no descriptor left for them.
    pub shed: AtomicU64,
}

/// Gives every connection that `poll_accept` yields to `each` until `stop`; no error ends it.
///
/// After an error it pauses, for longer with every further error in a row. Without a descriptor left
/// it closes what waits, with one that it keeps back for that. However many wait, it lets other tasks
/// run in between, and when they come faster than 16 in a millisecond, it takes them together.
pub async fn accept_loop<Io>(
    poll_accept: impl Fn(&mut Context<'_>) -> Poll<io::Result<Io>>,
    label: &str,
    runtime: &impl Runtime,
    stop: impl Future<Output = ()>,
    counts: &AcceptCounts,
    mut each: impl FnMut(Io),
) {
    let mut stop = pin!(stop);
    let mut spare = Spare::new();
    let mut pause = PAUSE_FIRST;
    let mut in_turn = 0;
    let mut storm = Storm::default();
    loop {
        if in_turn == ACCEPTED_A_TURN {
            in_turn = 0;
            let_others_run().await;
        }
        in_turn += 1;
        let next = poll_fn(|cx| match stop.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Next::Stop),
            Poll::Pending => match poll_accept(cx) {
                Poll::Ready(accepted) => Poll::Ready(Next::Accepted(accepted)),
                Poll::Pending if storm.is_on() => Poll::Ready(Next::Rest),
                Poll::Pending => Poll::Pending,
            },
        });
        let accepted = match next.await {
            Next::Accepted(accepted) => accepted,
            Next::Rest => {
                storm = Storm::default();
                if is_stopped_within(STORM_TIME, runtime, stop.as_mut()).await {
                    return;
                }
                continue;
            }
            Next::Stop => return,
        };
        storm.count(runtime.now());
        let error = match accepted {
            Ok(io) => {
                if pause != PAUSE_FIRST {
                    tracing::info!(socket = label, "accepting connections again");
                    pause = PAUSE_FIRST;
                }
                spare.refill();
                each(io);
                continue;
            }
            Err(error) => error,
        };
        let errno = error.raw_os_error().map(Errno::from_raw);
        if matches!(errno, Some(Errno::ECONNABORTED | Errno::EINTR)) {
            continue;
        }
        counts.errors.fetch_add(1, Ordering::Relaxed);
        let shed = match errno {
            Some(Errno::EMFILE | Errno::ENFILE) => spare.shed(&poll_accept).await,
            Some(_) | None => 0,
        };
        counts.shed.fetch_add(shed, Ordering::Relaxed);
        tracing::warn!(socket = label, %error, closed = shed, pause = ?pause, "cannot accept connections");
        if is_stopped_within(pause, runtime, stop.as_mut()).await {
            return;
        }
        pause = pause.saturating_mul(2).min(PAUSE_LONGEST);
    }
}

/// What the loop does next.
enum Next<Io> {
    Accepted(io::Result<Io>),
    /// Nothing waits at the moment, and much will in the next.
    Rest,
    Stop,
}

/// Tells when connections come faster than they are worth a turn each.
#[derive(Debug, Default)]
struct Storm {
    since: Option<Moment>,
    met: u32,
}

impl Storm {
    fn count(&mut self, now: Moment) {
        let lasts = |since| u128::from(now.nanos_since(since)) <= STORM_TIME.as_nanos();
        if !self.since.is_some_and(lasts) {
            *self = Self {
                since: Some(now),
                met: 0,
            };
        }
        self.met += 1;
    }

    fn is_on(&self) -> bool {
        self.met >= STORM
    }
}

/// Waits for so long, or shorter when the loop has to stop meanwhile, which it returns.
async fn is_stopped_within(
    time: Duration,
    runtime: &impl Runtime,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> bool {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let mut sleep = pin!(runtime.sleep_until(runtime.now().plus_nanos(nanos)));
    poll_fn(|cx| match stop.as_mut().poll(cx) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending => sleep.as_mut().poll(cx).map(|()| false),
    })
    .await
}

async fn let_others_run() {
    let mut again = false;
    poll_fn(|cx| match again {
        true => Poll::Ready(()),
        false => {
            again = true;
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

/// One descriptor kept back, so that a client can be told no even when there is none left.
#[derive(Debug)]
struct Spare {
    file: Option<File>,
}

impl Spare {
    fn new() -> Self {
        let mut spare = Self { file: None };
        spare.refill();
        spare
    }

    fn refill(&mut self) {
        if self.file.is_none() {
            self.file = File::open("/dev/null").ok();
        }
    }

    /// Accepts and closes what waits, with the descriptor kept back, and returns how many that were.
    ///
    /// Left in the queue, the clients would hang, and later ones would be refused without a word once the queue is full.
    async fn shed<Io>(
        &mut self,
        poll_accept: &impl Fn(&mut Context<'_>) -> Poll<io::Result<Io>>,
    ) -> u64 {
        if self.file.take().is_none() {
            self.refill();
            return 0;
        }
        let mut closed = 0;
        for _ in 0..SHED_AT_ONCE {
            let waiting = poll_fn(|cx| match poll_accept(cx) {
                Poll::Ready(Ok(io)) => Poll::Ready(Some(io)),
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Ready(None),
            });
            match waiting.await {
                Some(io) => drop(io),
                None => break,
            }
            closed += 1;
        }
        self.refill();
        closed
    }
}
