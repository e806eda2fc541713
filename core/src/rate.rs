//! The rate limit: one bucket for all callers, or one for each peer.

use alloc::collections::BTreeMap;
use core::num::NonZeroU32;

use crate::bucket::{Empty, TokenBucket};
use crate::call::PeerKey;
use crate::time::Moment;

/// Who shares tokens with whom.
#[derive(Debug)]
pub(crate) struct RateLimit {
    /// For everybody, or where peers have their own, for those that found no room.
    shared: TokenBucket,
    /// A bucket as each new peer gets it.
    fresh: TokenBucket,
    by_peer: BTreeMap<PeerKey, TokenBucket>,
    /// Peers that may have a bucket of their own; none does at 0.
    max_peers: usize,
    /// Calls of peers that had to share a bucket, since as many others had their own.
    crowded: u64,
}

impl RateLimit {
    /// Returns full buckets; no `max_peers` is one bucket for all.
    pub(crate) fn new(
        qps: u32,
        burst: NonZeroU32,
        max_peers: Option<NonZeroU32>,
        now: Moment,
    ) -> Self {
        let fresh = TokenBucket::new(qps, burst, now);
        Self {
            shared: fresh.clone(),
            fresh,
            by_peer: BTreeMap::new(),
            max_peers: max_peers.map_or(0, |peers| peers.get() as usize),
            crowded: 0,
        }
    }

    /// Takes one token of a caller's bucket.
    pub(crate) fn take(&mut self, peer: Option<PeerKey>, now: Moment) -> Result<(), Empty> {
        match peer {
            Some(peer) if self.max_peers > 0 => match self.bucket_of(peer, now) {
                Some(bucket) => bucket.take(now),
                None => {
                    self.crowded += 1;
                    self.shared.take(now)
                }
            },
            Some(_) | None => self.shared.take(now),
        }
    }

    /// Returns the number of peers that have a bucket now, and of calls that found no room for one.
    pub(crate) fn peers(&self) -> (u64, u64) {
        (self.by_peer.len() as u64, self.crowded)
    }

    fn bucket_of(&mut self, peer: PeerKey, now: Moment) -> Option<&mut TokenBucket> {
        if !self.by_peer.contains_key(&peer) && self.by_peer.len() >= self.max_peers {
            // A full bucket is as good as a fresh one, so nobody loses or gains by this.
            self.by_peer.retain(|_, bucket| !bucket.is_full(now));
            if self.by_peer.len() >= self.max_peers {
                return None;
            }
        }
        let fresh = &self.fresh;
        Some(self.by_peer.entry(peer).or_insert_with(|| fresh.clone()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn limit(qps: u32, burst: u32, max_peers: u32) -> RateLimit {
        let burst = NonZeroU32::new(burst).unwrap();
        RateLimit::new(qps, burst, NonZeroU32::new(max_peers), Moment::ORIGIN)
    }

    fn key(peer: u64) -> Option<PeerKey> {
        Some(PeerKey::new(peer))
    }

    fn taken(limit: &mut RateLimit, peer: Option<PeerKey>, calls: usize, now: Moment) -> usize {
        (0..calls).filter(|_| limit.take(peer, now).is_ok()).count()
    }

    #[test]
    fn without_peers_all_share_one_bucket() {
        let mut limit = limit(1, 10, 0);
        assert_eq!(taken(&mut limit, key(1), 6, Moment::ORIGIN), 6);
        assert_eq!(taken(&mut limit, key(2), 6, Moment::ORIGIN), 4);
        assert_eq!(taken(&mut limit, None, 6, Moment::ORIGIN), 0);
        assert_eq!(limit.peers(), (0, 0));
    }

    #[test]
    fn a_peer_that_calls_without_end_takes_nothing_from_another() {
        let mut limit = limit(100, 10, 4);
        let mut served = 0;
        for millisecond in 0..10_000_u64 {
            let now = Moment::from_nanos(millisecond * 1_000_000);
            // One calls 1,000 times a second, the other 50 times.
            let _outcome = limit.take(key(1), now);
            if millisecond % 20 == 0 {
                served += usize::from(limit.take(key(2), now).is_ok());
            }
        }
        assert_eq!(served, 500);
    }

    #[test]
    fn one_peer_more_than_there_is_room_for_shares_a_bucket_until_another_is_full_again() {
        let mut limit = limit(1, 1, 2);
        for peer in [1, 2] {
            assert_eq!(taken(&mut limit, key(peer), 2, Moment::ORIGIN), 1);
        }
        assert_eq!(taken(&mut limit, key(3), 1, Moment::ORIGIN), 1);
        assert_eq!(taken(&mut limit, key(4), 1, Moment::ORIGIN), 0);
        assert_eq!(limit.peers(), (2, 2));
        let later = Moment::from_nanos(SECOND);
        assert_eq!(taken(&mut limit, key(3), 2, later), 1);
        assert_eq!(limit.peers(), (1, 2));
    }

    proptest! {
        /// Each peer gets what a bucket that nobody else touches would give it, as long as there is
        /// room for all.
        #[test]
        fn peers_do_not_feel_each_other(
            qps in 0_u32..5,
            burst in 1_u32..4,
            calls in vec((0_u64..4, 0_u64..SECOND), 1..200),
        ) {
            let mut limit = limit(qps, burst, 4);
            let burst = NonZeroU32::new(burst).unwrap();
            let alone = || TokenBucket::new(qps, burst, Moment::ORIGIN);
            let mut buckets = [alone(), alone(), alone(), alone()];
            let mut now = Moment::ORIGIN;
            for (peer, wait) in calls {
                now = now.plus_nanos(wait);
                let expected = buckets[usize::try_from(peer).unwrap()].take(now);
                prop_assert_eq!(limit.take(key(peer), now), expected);
            }
        }

        /// However many peers come, so many buckets are kept, and all together get no more than those
        /// and the shared one hold.
        #[test]
        fn the_number_of_buckets_is_bounded(
            peers in vec(any::<u64>(), 1..300),
            max_peers in 1_u32..8,
        ) {
            let mut limit = limit(1, 3, max_peers);
            let mut admitted = 0;
            for peer in peers {
                admitted += u32::from(limit.take(key(peer), Moment::ORIGIN).is_ok());
                prop_assert!(limit.peers().0 <= u64::from(max_peers));
            }
            prop_assert!(admitted <= 3 * (max_peers + 1));
        }
    }
}
