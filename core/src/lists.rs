//! The answers of lists as they were made last, for the next one who asks before a change.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

use bytes::Bytes;

use crate::hash::{Map, Seed};
use crate::outgoing::Outgoing;
use crate::project::Projection;
use crate::served::Served;

/// Lists of all that is served, by mask; one change makes all of them void.
#[derive(Debug)]
pub(crate) struct Lists {
    made: Map<Projection, Outgoing>,
    bytes: usize,
    max_masks: usize,
}

/// What all lists together may take beside whole pods, which they share with the store.
///
/// 16 MiB: 64 masks that leave 500 bytes of each of 500 pods, or one that leaves all that such a node
/// has. What a mask left of a large pod is shared with the kept projections, but they may drop it at
/// any time, so that it counts. What does not fit is made anew for each caller.
const MAX_BYTES: usize = 16 << 20;

/// From how many bytes on what is left of a pod is shared: fewer are copied together, since each
/// part costs a driver about as much as copying so many.
const SHARED_BYTES: usize = 1 << 10;

impl Lists {
    pub(crate) fn new(max_masks: u32, seed: Seed) -> Self {
        Self {
            made: seed.map(),
            bytes: 0,
            max_masks: max_masks as usize,
        }
    }

    /// Returns the list through a mask, if it was made since the last change.
    pub(crate) fn find(&self, mask: &Projection) -> Option<Outgoing> {
        self.made.get(mask).cloned()
    }

    /// Keeps a list of all pods that are served while there is room.
    pub(crate) fn keep(&mut self, mask: &Projection, list: &Outgoing) {
        let table = list.segments().len() * size_of::<Bytes>();
        let cost = if mask.is_all() {
            table
        } else {
            table + list.len()
        };
        if cost > MAX_BYTES {
            return;
        }
        if self.made.len() >= self.max_masks || self.bytes + cost > MAX_BYTES {
            self.clear();
        }
        if self.made.insert(mask.clone(), list.clone()).is_none() {
            self.bytes += cost;
        }
    }

    /// Forgets all lists: something has changed.
    pub(crate) fn clear(&mut self) {
        self.made.clear();
        self.bytes = 0;
    }
}

/// Returns the list of pods that went through the mask before.
pub(crate) fn make(mask: &Projection, pods: &[Arc<Served>]) -> Outgoing {
    let parts = if mask.is_all() {
        whole(pods)
    } else {
        gathered(pods)
    };
    Outgoing::shared(parts.into())
}

/// Returns the pods as they are, none copied.
fn whole(pods: &[Arc<Served>]) -> Vec<Bytes> {
    let mut parts = Vec::with_capacity(pods.len() * 2);
    for pod in pods {
        parts.push(pod.head_as_first_field());
        if !pod.bytes().is_empty() {
            parts.push(pod.bytes().clone());
        }
    }
    parts
}

/// Returns the pods with small ones laid together.
fn gathered(pods: &[Arc<Served>]) -> Vec<Bytes> {
    let mut parts = Vec::new();
    let mut run = Vec::new();
    let close = |run: &mut Vec<u8>, parts: &mut Vec<Bytes>| {
        run.shrink_to_fit();
        parts.push(mem::take(run).into());
    };
    for pod in pods {
        run.extend_from_slice(&pod.head_as_first_field());
        if pod.bytes().len() < SHARED_BYTES {
            run.extend_from_slice(pod.bytes());
        } else {
            close(&mut run, &mut parts);
            parts.push(pod.bytes().clone());
        }
    }
    if !run.is_empty() {
        close(&mut run, &mut parts);
    }
    parts
}

#[cfg(test)]
mod tests {
    use podsapi_proto::schema::Message;

    use super::*;
    use crate::mask::FieldMask;
    use crate::sample::pod;

    impl Lists {
        /// Makes a list and keeps it.
        fn make(&mut self, mask: &Projection, pods: &[Arc<Served>]) -> Outgoing {
            let list = make(mask, pods);
            self.keep(mask, &list);
            list
        }
    }

    fn served(filler: usize) -> Arc<Served> {
        let pod = pod("u");
        Arc::new(Served::new(&pod, 1, alloc::vec![b'x'; filler].into()))
    }

    fn mask(text: &str) -> Projection {
        let mask = FieldMask::parse(text).unwrap();
        mask.compile(Message::POD).unwrap()
    }

    #[test]
    fn a_list_through_any_mask_is_the_same_bytes_as_pod_after_pod() {
        let pods: Vec<_> = [0, 1, 2_000, 5_000, 1_023, 1_024, 30].map(served).into();
        let expected = Outgoing::list(&pods).to_vec();
        for mask in [Projection::all(), mask("metadata")] {
            let mut lists = Lists::new(64, Seed::default());
            let list = lists.make(&mask, &pods);
            assert_eq!(
                (list.to_vec(), list.len()),
                (expected.clone(), expected.len())
            );
            assert!(list.segments().all(|part| !part.is_empty()));
            assert_eq!(lists.find(&mask).unwrap().to_vec(), expected);
        }
    }

    #[test]
    fn all_who_are_sent_a_list_share_it_and_no_other_list_has_its_address() {
        let pods = [served(10), served(5_000)];
        let mut lists = Lists::new(64, Seed::default());
        let all = Projection::all();
        let first = lists.make(&all, &pods);
        assert!(first.shared_list().is_some());
        assert_eq!(lists.find(&all).unwrap().shared_list(), first.shared_list());
        lists.clear();
        assert_ne!(lists.make(&all, &pods).shared_list(), first.shared_list());
        assert_eq!(Outgoing::list(&pods).shared_list(), None);
    }

    #[test]
    fn large_pods_are_shared_and_small_ones_lie_together() {
        let pods: Vec<_> = [10, 10, 5_000, 10, 10].map(served).into();
        let list = Lists::new(64, Seed::default()).make(&mask("metadata"), &pods);
        assert_eq!(list.segments().len(), 3);
        let shared = list.segments().nth(1).unwrap();
        assert_eq!(shared.as_ptr(), pods[2].bytes().as_ptr());
    }

    #[test]
    fn a_list_is_found_until_something_changes() {
        let mut lists = Lists::new(64, Seed::default());
        let all = Projection::all();
        assert!(lists.find(&all).is_none());
        lists.make(&all, &[served(10)]);
        assert!(lists.find(&all).is_some());
        assert!(lists.find(&mask("metadata")).is_none());
        lists.clear();
        assert!(lists.find(&all).is_none());
        assert_eq!(lists.bytes, 0);
    }

    #[test]
    fn large_pods_that_masks_left_count_since_nothing_else_may_hold_them() {
        let mut lists = Lists::new(64, Seed::default());
        for number in 0..64 {
            let pods: Vec<_> = (0..100).map(|_| served(5_000)).collect();
            let text = alloc::format!("metadata.labels.k{number}");
            lists.make(&mask(&text), &pods);
            let held: usize = lists.made.values().map(Outgoing::len).sum();
            assert!(held <= MAX_BYTES, "{held} bytes after {number}");
        }
    }

    #[test]
    fn a_list_that_has_no_room_at_all_drops_no_other() {
        let mut lists = Lists::new(64, Seed::default());
        lists.make(&Projection::all(), &[served(10)]);
        let pods: Vec<_> = (0..MAX_BYTES / 1_000 + 1).map(|_| served(1_000)).collect();
        lists.make(&mask("metadata"), &pods);
        assert!(lists.find(&mask("metadata")).is_none());
        assert!(lists.find(&Projection::all()).is_some());
    }

    #[test]
    fn masks_and_bytes_are_bounded() {
        let pods: Vec<_> = (0..5_000).map(|_| served(1_000)).collect();
        let mut lists = Lists::new(2, Seed::default());
        for number in 0..4 {
            let text = alloc::format!("metadata.labels.k{number}");
            lists.make(&mask(&text), &pods);
            assert!(lists.bytes <= MAX_BYTES && lists.made.len() <= 2);
            assert!(lists.find(&mask(&text)).is_some());
        }
        let pods: Vec<_> = (0..20_000).map(|_| served(1_000)).collect();
        lists.make(&mask("metadata"), &pods);
        assert!(lists.find(&mask("metadata")).is_none());
    }

    /// A part of its own that takes so much with the table of its list and what stands before it.
    fn list_of(bytes: usize) -> [Arc<Served>; 1] {
        let pod = served(bytes - 2 * size_of::<Bytes>() - 5);
        assert_eq!(pod.head_as_first_field().len(), 5);
        [pod]
    }

    #[test]
    fn a_list_of_just_the_bytes_there_are_is_kept_and_one_more_byte_is_not() {
        let mut lists = Lists::new(64, Seed::default());
        lists.make(&mask("spec"), &list_of(MAX_BYTES + 1));
        assert_eq!((lists.made.len(), lists.bytes), (0, 0));
        lists.make(&mask("spec"), &list_of(MAX_BYTES));
        assert_eq!((lists.made.len(), lists.bytes), (1, MAX_BYTES));
    }

    #[test]
    fn lists_fill_the_bytes_there_are_before_any_goes() {
        let half = MAX_BYTES / 2;
        let mut lists = Lists::new(64, Seed::default());
        lists.make(&mask("spec"), &list_of(half));
        lists.make(&mask("status"), &list_of(half));
        assert_eq!((lists.made.len(), lists.bytes), (2, MAX_BYTES));
        lists.clear();
        lists.make(&mask("spec"), &list_of(half));
        lists.make(&mask("status"), &list_of(half + 1));
        assert_eq!((lists.made.len(), lists.bytes), (1, half + 1));
    }

    #[test]
    fn as_many_masks_as_there_may_be_are_kept_before_any_goes() {
        let mut lists = Lists::new(2, Seed::default());
        let masks = ["spec", "status", "metadata"].map(mask);
        for mask in &masks {
            lists.make(mask, &[served(10)]);
        }
        let kept = masks.each_ref().map(|mask| lists.find(mask).is_some());
        assert_eq!(kept, [false, false, true]);
        lists.make(&masks[0], &[served(10)]);
        let kept = masks.each_ref().map(|mask| lists.find(mask).is_some());
        assert_eq!(kept, [true, false, true]);
    }

    #[test]
    fn whole_pods_cost_only_the_table_that_names_them() {
        let mut lists = Lists::new(64, Seed::default());
        let pods = [served(0), served(10), served(5_000)];
        let list = lists.make(&Projection::all(), &pods);
        assert_eq!(list.segments().len(), 5);
        assert_eq!(lists.bytes, 5 * size_of::<Bytes>());
        let list = lists.make(&mask("spec"), &pods);
        assert_eq!(list.segments().len(), 2);
        assert_eq!(lists.bytes, 7 * size_of::<Bytes>() + list.len());
    }

    #[test]
    fn parts_that_are_given_away_know_how_many_are_left() {
        let list =
            Lists::new(64, Seed::default()).make(&Projection::all(), &[served(10), served(20)]);
        for message in [list, Outgoing::list(&[served(10), served(20)])] {
            let (mut parts, mut left) = (message.clone().into_segments(), message.segments().len());
            assert!(left > 1);
            while left > 0 {
                assert_eq!((parts.len(), parts.size_hint()), (left, (left, Some(left))));
                assert!(parts.next().is_some());
                left -= 1;
            }
            assert_eq!((parts.len(), parts.next()), (0, None));
        }
    }

    #[test]
    fn what_is_smaller_than_a_part_is_copied_and_what_is_as_large_is_shared() {
        for (filler, parts) in [(SHARED_BYTES - 1, 1), (SHARED_BYTES, 2)] {
            let list = Lists::new(64, Seed::default()).make(&mask("spec"), &[served(filler)]);
            assert_eq!(list.segments().len(), parts, "{filler}");
        }
    }
}
