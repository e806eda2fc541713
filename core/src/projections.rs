//! What masks left of the pods that are served, kept for the next one who asks.
//!
//! Projections are kept by mask, and for each mask by pod. One is found only for the revision of
//! the pod that it was made of, so a change of one pod costs that pod alone, and nothing stale is
//! ever passed on. The mask in a key is what is left of the caller's and the peer's scope, and what
//! a projection holds is a copy, so no pod that went away is held by it.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use crate::counters::Counters;
use crate::pod::Uid;
use crate::project::Projection;
use crate::served::Served;

/// Projected pods, bounded in masks and in bytes; the mask that was not used for longest goes first.
#[derive(Debug)]
pub(crate) struct Projections {
    masks: BTreeMap<Projection, Masked>,
    bytes: usize,
    max_masks: usize,
    max_bytes: usize,
    /// The number of uses so far, which dates them.
    uses: u64,
    hits: u64,
    misses: u64,
    evictions: u64,
}

/// What one mask left of pods.
#[derive(Debug, Default)]
struct Masked {
    pods: BTreeMap<Uid, Arc<Served>>,
    bytes: usize,
    used: u64,
}

/// What a kept pod takes beside its projected bytes: two reference counts, two byte strings with
/// their counts, the heads, and a place in a map that is two thirds full.
const BYTES_A_POD: usize = 256;

impl Projections {
    pub(crate) fn new(max_masks: u32, max_bytes: u32) -> Self {
        Self {
            masks: BTreeMap::new(),
            bytes: 0,
            max_masks: max_masks as usize,
            max_bytes: max_bytes as usize,
            uses: 0,
            hits: 0,
            misses: 0,
            evictions: 0,
        }
    }

    /// Returns what is seen of a pod that is served now, and keeps it while there is room; through
    /// everything, that is the pod itself.
    pub(crate) fn keep(&mut self, mask: &Projection, pod: &Arc<Served>) -> Arc<Served> {
        if mask.is_all() {
            return pod.clone();
        }
        let mut masked = self.take(mask);
        let seen = self.keep_in(&mut masked, mask, pod);
        self.put_back(mask, masked);
        seen
    }

    /// Returns what is seen of pods that are served now, and keeps it while there is room.
    pub(crate) fn keep_all<'a>(
        &mut self,
        mask: &Projection,
        pods: &'a [Arc<Served>],
    ) -> Cow<'a, [Arc<Served>]> {
        if mask.is_all() {
            return Cow::Borrowed(pods);
        }
        let mut masked = self.take(mask);
        let seen = pods
            .iter()
            .map(|pod| self.keep_in(&mut masked, mask, pod))
            .collect();
        self.put_back(mask, masked);
        Cow::Owned(seen)
    }

    /// Returns what is seen of a pod that may not be served any more, without keeping it.
    pub(crate) fn look(&mut self, mask: &Projection, pod: &Arc<Served>) -> Arc<Served> {
        if mask.is_all() {
            return pod.clone();
        }
        let used = self.tick();
        let masked = self.masks.get_mut(mask);
        let kept = masked.and_then(|masked| {
            masked.used = used;
            masked.get(pod)
        });
        match kept {
            Some(kept) => {
                self.hits += 1;
                kept
            }
            None => self.project(mask, pod),
        }
    }

    /// Notes that so many projections of a mask, found together elsewhere, were of use again.
    pub(crate) fn use_again(&mut self, mask: &Projection, pods: usize) {
        if mask.is_all() {
            return;
        }
        let used = self.tick();
        if let Some(masked) = self.masks.get_mut(mask) {
            masked.used = used;
        }
        self.hits += pods as u64;
    }

    /// Drops what is kept of a pod that is not served any more.
    pub(crate) fn forget(&mut self, pod: &Served) {
        for masked in self.masks.values_mut() {
            let kept = masked.pods.get(pod.uid());
            if kept.is_some_and(|kept| kept.revision() <= pod.revision()) {
                self.bytes -= masked.remove(pod.uid());
            }
        }
        self.masks.retain(|_, masked| !masked.pods.is_empty());
    }

    /// Copies the numbers out.
    pub(crate) fn count(&self, counters: &mut Counters) {
        counters.projection_hits = self.hits;
        counters.projection_misses = self.misses;
        counters.projection_evictions = self.evictions;
        counters.projection_masks = self.masks.len() as u64;
        counters.projection_bytes = self.bytes as u64;
    }

    /// Takes what one mask left out of the map, so that making room never drops it.
    fn take(&mut self, mask: &Projection) -> Masked {
        let used = self.tick();
        let masked = self.masks.remove(mask).unwrap_or_default();
        Masked { used, ..masked }
    }

    fn put_back(&mut self, mask: &Projection, masked: Masked) {
        if masked.pods.is_empty() {
            return;
        }
        while self.masks.len() >= self.max_masks && self.evict() {}
        self.masks.insert(mask.clone(), masked);
    }

    fn keep_in(
        &mut self,
        masked: &mut Masked,
        mask: &Projection,
        pod: &Arc<Served>,
    ) -> Arc<Served> {
        if let Some(kept) = masked.get(pod) {
            self.hits += 1;
            return kept;
        }
        let seen = self.project(mask, pod);
        self.bytes -= masked.remove(pod.uid());
        let cost = cost(&seen);
        if masked.bytes.saturating_add(cost) <= self.max_bytes {
            // What is not of this mask can all be dropped, so this ends with room.
            while self.bytes.saturating_add(cost) > self.max_bytes && self.evict() {}
            masked.insert(seen.clone(), cost);
            self.bytes += cost;
        }
        seen
    }

    fn project(&mut self, mask: &Projection, pod: &Served) -> Arc<Served> {
        self.misses += 1;
        Arc::new(pod.with_bytes(mask.apply(pod.bytes())))
    }

    /// Drops the mask that was not used for longest; `false` when there is none.
    fn evict(&mut self) -> bool {
        let oldest = self.masks.iter().min_by_key(|(_, masked)| masked.used);
        let Some(masked) = oldest
            .map(|(mask, _)| mask.clone())
            .and_then(|mask| self.masks.remove(&mask))
        else {
            return false;
        };
        self.bytes -= masked.bytes;
        self.evictions += 1;
        true
    }

    fn tick(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }
}

impl Masked {
    /// Returns what is left of this revision of a pod.
    fn get(&self, pod: &Served) -> Option<Arc<Served>> {
        let kept = self.pods.get(pod.uid());
        kept.filter(|kept| kept.revision() == pod.revision())
            .cloned()
    }

    fn insert(&mut self, seen: Arc<Served>, cost: usize) {
        self.pods.insert(seen.uid().clone(), seen);
        self.bytes += cost;
    }

    /// Removes a pod and returns what it took.
    fn remove(&mut self, uid: &Uid) -> usize {
        let freed = self.pods.remove(uid).map_or(0, |kept| cost(&kept));
        self.bytes -= freed;
        freed
    }
}

fn cost(seen: &Served) -> usize {
    seen.bytes().len().saturating_add(BYTES_A_POD)
}

#[cfg(test)]
mod tests;
