//! What the driver counts, and the slots it gives out.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use podsapi_core::{Code, Dialect, Method};

use crate::{
    peer::Peer,
    reasons::{Bound, Ending, ReplyBound, Tally},
};

/// The driver's own numbers.
#[derive(Debug, Default)]
pub(crate) struct Meters {
    /// Bytes read from all connections.
    pub(crate) received: Counter,
    /// Bytes written to all connections.
    pub(crate) sent: Counter,
    /// Connections that were served.
    pub(crate) connections_accepted: Counter,
    /// Connections that were closed because there were too many.
    pub(crate) connections_refused: Counter,
    /// The same by the user of their peer.
    pub(crate) refused_peers: PeerMeter,
    /// Streams refused because too many were open on their connection.
    pub(crate) streams_refused: Counter,
    /// Connections that the server ended by itself.
    pub(crate) connections_ended: Tally<Ending>,
    /// Calls refused for a bound of the driver.
    pub(crate) calls_refused: Tally<Bound>,
    /// Calls refused because too many bytes of replies waited to be read.
    pub(crate) replies_refused: Tally<ReplyBound>,
    /// Calls that named no method, or were no gRPC.
    pub(crate) calls_unknown: Counter,
    /// Calls that a bug in the server ended.
    pub(crate) panics: Counter,
    /// How calls ended.
    requests: Mutex<Requests>,
    /// Connections that were served, by the user of their peer.
    pub(crate) served_peers: PeerMeter,
}

/// Counts connections by the user of their peer.
#[derive(Debug, Default)]
pub(crate) struct PeerMeter(Mutex<PeerCounts>);

/// Connections by the user of their peer.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerCounts {
    /// The first [`MAX_COUNTED_USERS`] users.
    pub(crate) by_user: BTreeMap<u32, u64>,
    /// All others, and those whose user the transport does not tell.
    pub(crate) others: u64,
}

/// Users that are counted each on its own.
///
/// 64: a node's agents run as a handful of users, and a page of metrics must not grow with those who
/// connect.
const MAX_COUNTED_USERS: usize = 64;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds to the number.
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Returns the number.
    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A bounded number of things that exist at one time.
#[derive(Debug, Default)]
pub(crate) struct Slots(AtomicUsize);

impl Slots {
    /// Takes `count` more slots, however many are taken.
    pub(crate) fn take_any(self: &Arc<Self>, count: usize) -> Lease {
        self.0.fetch_add(count, Ordering::Relaxed);
        Lease {
            slots: Arc::clone(self),
            count,
        }
    }

    /// Takes `count` more slots unless that would make more than `limit`.
    pub(crate) fn take(self: &Arc<Self>, count: usize, limit: usize) -> Option<Lease> {
        let mut lease = Lease {
            slots: Arc::clone(self),
            count: 0,
        };
        lease.grow(count, limit).then_some(lease)
    }

    /// Returns how many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Slots that are given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    slots: Arc<Slots>,
    count: usize,
}

impl Lease {
    /// Takes `count` slots more; false leaves everything as it was.
    pub(crate) fn grow(&mut self, count: usize, limit: usize) -> bool {
        let fits = |taken: usize| taken.checked_add(count).filter(|&sum| sum <= limit);
        let grown = self
            .slots
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .is_ok();
        if grown {
            self.count += count;
        }
        grown
    }

    /// Takes or gives back slots so that `count` are held; false leaves everything as it was.
    pub(crate) fn resize(&mut self, count: usize, limit: usize) -> bool {
        match self.count.checked_sub(count) {
            Some(less) => {
                self.slots.0.fetch_sub(less, Ordering::Relaxed);
                self.count = count;
                true
            }
            None => self.grow(count - self.count, limit),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.slots.0.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// How calls ended, and how long the unary ones took.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requests {
    ended: [[[u64; Code::ALL.len()]; Method::ALL.len()]; Dialect::ALL.len()],
    durations: [Durations; Method::ALL.len()],
}

/// A histogram of seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Durations {
    /// Calls in each bucket of [`BUCKETS_NANOS`], and those above the last.
    pub(crate) counts: [u64; BUCKETS_NANOS.len() + 1],
    /// All durations together.
    pub(crate) sum_nanos: u64,
}

/// Upper bounds of the buckets in nanoseconds, with the text that names them in seconds: from
/// what a small node's answer takes to what no client waits for.
pub(crate) const BUCKETS_NANOS: [(u64, &str); 9] = [
    (100_000, "0.0001"),
    (300_000, "0.0003"),
    (1_000_000, "0.001"),
    (3_000_000, "0.003"),
    (10_000_000, "0.01"),
    (30_000_000, "0.03"),
    (100_000_000, "0.1"),
    (1_000_000_000, "1"),
    (10_000_000_000, "10"),
];

impl Meters {
    /// Counts a call that ended; a watch's duration says nothing and is left out.
    pub(crate) fn count_end(&self, dialect: Dialect, method: Method, code: Code, nanos: u64) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let by_method = &mut requests.ended[position(&Dialect::ALL, dialect)];
        by_method[position(&Method::ALL, method)][usize::from(code.as_u8())] += 1;
        if method != Method::WatchPods {
            let durations = &mut requests.durations[position(&Method::ALL, method)];
            let bucket = BUCKETS_NANOS.partition_point(|&(bound, _)| bound < nanos);
            durations.counts[bucket] += 1;
            durations.sum_nanos = durations.sum_nanos.saturating_add(nanos);
        }
    }

    /// Returns a copy of how calls ended.
    pub(crate) fn requests(&self) -> Requests {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl PeerMeter {
    /// Counts a connection of this peer.
    pub(crate) fn count(&self, peer: Peer) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = counts.by_user.len() < MAX_COUNTED_USERS;
        match peer.uid {
            Some(user) if room || counts.by_user.contains_key(&user) => {
                *counts.by_user.entry(user).or_default() += 1;
            }
            Some(_) | None => counts.others += 1,
        }
    }

    /// Returns a copy of the counts.
    pub(crate) fn counts(&self) -> PeerCounts {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Requests {
    /// Returns how many calls ended so.
    pub(crate) fn ended(&self, dialect: Dialect, method: Method, code: Code) -> u64 {
        let by_method = &self.ended[position(&Dialect::ALL, dialect)];
        by_method[position(&Method::ALL, method)][usize::from(code.as_u8())]
    }

    /// Returns how long the calls of a method took.
    pub(crate) fn durations(&self, method: Method) -> &Durations {
        &self.durations[position(&Method::ALL, method)]
    }
}

/// Returns the place of a value in the list of all values.
fn position<T: PartialEq>(all: &[T], value: T) -> usize {
    all.iter().position(|one| *one == value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_bounded_and_come_back() {
        let slots = Arc::new(Slots::default());
        let mut first = slots.take(2, 3).unwrap();
        assert!(slots.take(2, 3).is_none());
        assert!(first.grow(1, 3));
        assert!(!first.grow(1, 3));
        assert_eq!(slots.taken(), 3);
        assert!(first.resize(1, 3) && slots.taken() == 1);
        assert!(!first.resize(4, 3) && slots.taken() == 1);
        assert!(first.resize(2, 3) && slots.taken() == 2);
        let beyond = slots.take_any(5);
        assert_eq!(slots.taken(), 7);
        assert!(slots.take(1, 3).is_none());
        drop(beyond);
        drop(first);
        assert_eq!(slots.taken(), 0);
    }

    #[test]
    fn a_lease_that_grew_and_shrank_gives_back_what_it_holds_and_no_more() {
        let slots = Arc::new(Slots::default());
        let other = slots.take(5, 100).unwrap();
        for _ in 0..3 {
            let mut lease = slots.take(7, 100).unwrap();
            assert!(lease.grow(4, 16), "just as many as there are");
            assert!(!lease.grow(1, 16));
            assert!(lease.resize(9, 16) && slots.taken() == 14);
            assert!(lease.resize(9, 0) && slots.taken() == 14);
            assert!(lease.resize(11, 16) && slots.taken() == 16);
            drop(lease);
            assert_eq!(slots.taken(), 5);
        }
        let any = slots.take_any(3);
        drop(other);
        assert_eq!(slots.taken(), 3);
        drop(any);
        assert_eq!(slots.taken(), 0);
    }

    #[test]
    fn counters_grow_by_what_is_added() {
        let counter = Counter::default();
        let values = [3, 0, 4].map(|count| {
            counter.add(count);
            counter.value()
        });
        assert_eq!(values, [3, 3, 7]);
    }

    #[test]
    fn so_many_users_are_counted_by_name_and_the_others_together() {
        let meter = PeerMeter::default();
        for uid in (0..100).chain([3, 99]) {
            meter.count(Peer {
                uid: Some(uid),
                pid: None,
            });
        }
        meter.count(Peer::default());
        let counts = meter.counts();
        assert_eq!(counts.by_user.len(), MAX_COUNTED_USERS);
        assert_eq!((counts.by_user[&3], counts.by_user[&4]), (2, 1));
        assert_eq!(counts.others, 100 - 64 + 1 + 1);
    }

    #[test]
    fn a_duration_falls_into_the_first_bucket_that_holds_it() {
        let meters = Meters::default();
        for nanos in [0, 100_000, 100_001, 10_000_000_000, u64::MAX] {
            meters.count_end(Dialect::V1alpha1, Method::ListPods, Code::Ok, nanos);
        }
        let requests = meters.requests();
        let durations = requests.durations(Method::ListPods);
        assert_eq!(durations.counts, [2, 1, 0, 0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(
            requests.ended(Dialect::V1alpha1, Method::ListPods, Code::Ok),
            5
        );
        assert_eq!(
            requests.ended(Dialect::Documented, Method::ListPods, Code::Ok),
            0
        );
    }
}
