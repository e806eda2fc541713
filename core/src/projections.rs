//! What masks left of the pods that are served, kept for the next one who asks.
//!
//! Projections are kept by mask, and for each mask by pod. One is found only for the revision of
//! the pod that it was made of, so a change of one pod costs that pod alone, and nothing stale is
//! ever passed on. The mask in a key is what is left of the caller's and the peer's scope, and what
//! a projection holds is a copy, so no pod that went away is held by it.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::counters::Counters;
use crate::hash::{Map, Seed};
use crate::pod::Uid;
use crate::project::Projection;
use crate::served::Served;

/// Projected pods, bounded in masks and in bytes; the mask that was not used for longest goes first, and
/// those that are watched go for others that are watched only.
#[derive(Debug)]
pub(crate) struct Projections {
    masks: Map<Projection, Masked>,
    /// How many watches there are of each mask that is watched.
    watched: Map<Projection, u32>,
    /// The kept masks by their last use: those that nobody watches, then the others.
    order: [BTreeMap<u64, Projection>; 2],
    bytes: usize,
    max_masks: usize,
    max_bytes: usize,
    /// The number of uses so far, which dates them.
    uses: u64,
    hits: u64,
    misses: u64,
    evictions: u64,
    seed: Seed,
}

/// What one mask left of pods, by their identities.
pub(crate) type Seen = Map<Uid, Arc<Served>>;

/// What is kept of one mask; never of no pod.
#[derive(Debug)]
struct Masked {
    /// Shared with who makes a list of it.
    pods: Arc<Seen>,
    bytes: usize,
    used: u64,
}

/// What a kept pod takes beside its projected bytes: two reference counts, two byte strings with
/// their counts, the heads, and a place in a map that is half full.
const BYTES_A_POD: usize = 256;

impl Projections {
    pub(crate) fn new(max_masks: u32, max_bytes: u32, seed: Seed) -> Self {
        Self {
            masks: seed.map(),
            watched: seed.map(),
            order: [BTreeMap::new(), BTreeMap::new()],
            bytes: 0,
            max_masks: max_masks as usize,
            max_bytes: max_bytes as usize,
            uses: 0,
            hits: 0,
            misses: 0,
            evictions: 0,
            seed,
        }
    }

    /// Returns what is seen of a pod that is served now, and keeps it while there is room; through
    /// everything, that is the pod itself.
    pub(crate) fn keep(&mut self, mask: &Projection, pod: &Arc<Served>) -> Arc<Served> {
        if mask.is_all() {
            return pod.clone();
        }
        if let Some(kept) = self.find(mask, pod) {
            return kept;
        }
        self.misses += 1;
        let seen = project(mask, pod);
        self.insert(mask, seen.clone());
        seen
    }

    /// Returns what is seen of a pod that may not be served any more, without keeping it.
    pub(crate) fn look(&mut self, mask: &Projection, pod: &Arc<Served>) -> Arc<Served> {
        if mask.is_all() {
            return pod.clone();
        }
        if let Some(kept) = self.find(mask, pod) {
            return kept;
        }
        self.misses += 1;
        project(mask, pod)
    }

    /// Returns what is kept of a mask, for a list of many pods.
    pub(crate) fn kept(&mut self, mask: &Projection) -> Option<Arc<Seen>> {
        self.touch(mask);
        self.masks.get(mask).map(|masked| masked.pods.clone())
    }

    /// Returns an empty map of what a mask leaves.
    pub(crate) fn empty(&self) -> Seen {
        self.seed.map()
    }

    /// Takes what was made for a list, of pods that are all served now, while there is room.
    pub(crate) fn adopt(&mut self, mask: &Projection, made: Seen, hits: usize) {
        if mask.is_all() {
            return;
        }
        self.hits += hits as u64;
        self.misses += made.len() as u64;
        let bytes = made.values().map(|seen| cost(seen)).sum::<usize>();
        if self.masks.contains_key(mask) || !self.make_room(mask, bytes) {
            for seen in made.into_values() {
                self.insert(mask, seen);
            }
            return;
        }
        if made.is_empty() {
            return;
        }
        self.bytes += bytes;
        self.enter(mask, Arc::new(made), bytes);
    }

    /// Notes that so many projections of a mask, found together elsewhere, were of use again.
    pub(crate) fn use_again(&mut self, mask: &Projection, pods: usize) {
        if !mask.is_all() {
            self.touch(mask);
            self.hits += pods as u64;
        }
    }

    /// Notes that a mask is watched once more.
    pub(crate) fn watch(&mut self, mask: &Projection) {
        if mask.is_all() {
            return;
        }
        let watches = self.watched.entry_ref(mask).or_default();
        *watches += 1;
        if *watches == 1 {
            self.move_to(mask, false, true);
        }
    }

    /// Notes that a mask is watched once less.
    pub(crate) fn unwatch(&mut self, mask: &Projection) {
        let Some(watches) = self.watched.get_mut(mask) else {
            return;
        };
        *watches -= 1;
        if *watches == 0 {
            self.watched.remove(mask);
            self.move_to(mask, true, false);
        }
    }

    fn move_to(&mut self, mask: &Projection, from: bool, to: bool) {
        let Some(used) = self.masks.get(mask).map(|masked| masked.used) else {
            return;
        };
        if let Some(mask) = self.order_of(from).remove(&used) {
            self.order_of(to).insert(used, mask);
        }
    }

    /// Drops what is kept of a pod that is not served any more.
    pub(crate) fn forget(&mut self, pod: &Served) {
        let mut freed = 0;
        let mut empty = Vec::new();
        for (mask, masked) in &mut self.masks {
            let kept = masked.pods.get(pod.uid());
            if kept.is_some_and(|kept| kept.revision() <= pod.revision()) {
                freed += masked.remove(pod.uid());
                if masked.pods.is_empty() {
                    empty.push(mask.clone());
                }
            }
        }
        self.bytes -= freed;
        for mask in empty {
            self.drop_mask(&mask);
        }
    }

    /// Copies the numbers out.
    pub(crate) fn count(&self, counters: &mut Counters) {
        counters.projection_hits = self.hits;
        counters.projection_misses = self.misses;
        counters.projection_evictions = self.evictions;
        counters.projection_masks = self.masks.len() as u64;
        counters.projection_bytes = self.bytes as u64;
    }

    fn find(&mut self, mask: &Projection, pod: &Served) -> Option<Arc<Served>> {
        self.touch(mask);
        let kept = find(&self.masks.get(mask)?.pods, pod)?.clone();
        self.hits += 1;
        Some(kept)
    }

    fn insert(&mut self, mask: &Projection, seen: Arc<Served>) {
        let cost = cost(&seen);
        let freed = match self.masks.get_mut(mask) {
            Some(masked) => masked.remove(seen.uid()),
            None => 0,
        };
        self.bytes -= freed;
        if !self.make_room(mask, cost) {
            if self
                .masks
                .get(mask)
                .is_some_and(|masked| masked.pods.is_empty())
            {
                self.drop_mask(mask);
            }
            return;
        }
        self.bytes += cost;
        if let Some(masked) = self.masks.get_mut(mask) {
            masked.bytes += cost;
            Arc::make_mut(&mut masked.pods).insert(seen.uid().clone(), seen);
            return;
        }
        let mut pods = self.seed.map();
        pods.insert(seen.uid().clone(), seen);
        self.enter(mask, Arc::new(pods), cost);
    }

    fn enter(&mut self, mask: &Projection, pods: Arc<Seen>, bytes: usize) {
        let used = self.tick();
        let masked = Masked { pods, bytes, used };
        self.masks.insert(mask.clone(), masked);
        let watched = self.watched.contains_key(mask);
        self.order_of(watched).insert(used, mask.clone());
    }

    /// Makes room for so many bytes more of a mask; `false` where there can be none.
    fn make_room(&mut self, mask: &Projection, bytes: usize) -> bool {
        let own = self.masks.get(mask).map(|masked| masked.bytes);
        if own.unwrap_or_default().saturating_add(bytes) > self.max_bytes {
            return false;
        }
        let lacks_place = |this: &Self| own.is_none() && this.masks.len() >= this.max_masks;
        while lacks_place(self) || self.bytes.saturating_add(bytes) > self.max_bytes {
            if !self.evict(mask) {
                return false;
            }
        }
        true
    }

    /// Drops the mask that was not used for longest, to make room for another; `false` where there is
    /// none that may go for it.
    fn evict(&mut self, for_mask: &Projection) -> bool {
        let is_watched = self.watched.contains_key(for_mask);
        let [unwatched, watched] = &self.order;
        let oldest = |order: &BTreeMap<u64, Projection>| {
            order.values().find(|mask| *mask != for_mask).cloned()
        };
        let may_go = || oldest(watched).filter(|_| is_watched);
        let Some(mask) = oldest(unwatched).or_else(may_go) else {
            return false;
        };
        self.drop_mask(&mask);
        self.evictions += 1;
        true
    }

    fn drop_mask(&mut self, mask: &Projection) {
        if let Some(masked) = self.masks.remove(mask) {
            self.bytes -= masked.bytes;
            let watched = self.watched.contains_key(mask);
            self.order_of(watched).remove(&masked.used);
        }
    }

    /// Notes the use of a mask.
    fn touch(&mut self, mask: &Projection) {
        let used = self.tick();
        let Some(masked) = self.masks.get_mut(mask) else {
            return;
        };
        let former = core::mem::replace(&mut masked.used, used);
        let watched = self.watched.contains_key(mask);
        let order = self.order_of(watched);
        if let Some(mask) = order.remove(&former) {
            order.insert(used, mask);
        }
    }

    const fn order_of(&mut self, watched: bool) -> &mut BTreeMap<u64, Projection> {
        let [unwatched, others] = &mut self.order;
        if watched { others } else { unwatched }
    }

    const fn tick(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }
}

impl Masked {
    /// Removes a pod and returns what it took.
    fn remove(&mut self, uid: &Uid) -> usize {
        if !self.pods.contains_key(uid) {
            return 0;
        }
        let removed = Arc::make_mut(&mut self.pods).remove(uid);
        let freed = removed.map_or(0, |kept| cost(&kept));
        self.bytes -= freed;
        freed
    }
}

/// Returns what is left of this revision of a pod.
pub(crate) fn find<'a>(seen: &'a Seen, pod: &Served) -> Option<&'a Arc<Served>> {
    let kept = seen.get(pod.uid());
    kept.filter(|kept| kept.revision() == pod.revision())
}

/// Returns what a mask leaves of a pod.
pub(crate) fn project(mask: &Projection, pod: &Served) -> Arc<Served> {
    Arc::new(pod.with_bytes(mask.apply(pod.bytes())))
}

fn cost(seen: &Served) -> usize {
    seen.bytes().len().saturating_add(BYTES_A_POD)
}

#[cfg(test)]
mod tests;
