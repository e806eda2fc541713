//! Masks that are watched: what they select, and how many one peer may bring.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;

use crate::call::PeerKey;
use crate::hash::{Map, Seed};
use crate::log::MaskId;
use crate::project::Projection;
use crate::project::Selected;

/// Distinct masks of open watches, in all and by peer.
#[derive(Debug)]
pub(super) struct Masks {
    known: Map<Projection, Known>,
    /// How many watches a peer has of a mask; ordered, since those of one peer are counted.
    by_peer: BTreeMap<(PeerKey, MaskId), u32>,
    next: u64,
    max: usize,
    max_per_peer: usize,
}

#[derive(Debug)]
struct Known {
    id: MaskId,
    selected: Arc<Selected>,
    watches: u32,
}

/// Why a mask may not be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooManyMasks {
    InAll,
    OfPeer,
}

impl Masks {
    pub(super) fn new(max: u32, max_per_peer: u32, seed: Seed) -> Self {
        Self {
            known: seed.map(),
            by_peer: BTreeMap::new(),
            next: 1,
            max: max as usize,
            max_per_peer: max_per_peer as usize,
        }
    }

    /// Tells whether one more watch of a mask may be opened.
    pub(super) fn admit(
        &self,
        mask: &Projection,
        peer: Option<PeerKey>,
    ) -> Result<(), TooManyMasks> {
        if mask.is_all() {
            return Ok(());
        }
        let known = self.known.get(mask);
        if known.is_none() && self.known.len() >= self.max {
            return Err(TooManyMasks::InAll);
        }
        let Some(peer) = peer else {
            return Ok(());
        };
        let has_it = known.is_some_and(|known| self.by_peer.contains_key(&(peer, known.id)));
        if !has_it && self.of_peer(peer) >= self.max_per_peer {
            return Err(TooManyMasks::OfPeer);
        }
        Ok(())
    }

    fn of_peer(&self, peer: PeerKey) -> usize {
        let masks = (peer, MaskId(0))..=(peer, MaskId(u64::MAX));
        self.by_peer.range(masks).count()
    }

    /// Counts one more watch of a mask; everything is no mask.
    pub(super) fn enter(
        &mut self,
        mask: &Projection,
        peer: Option<PeerKey>,
    ) -> (MaskId, Option<Arc<Selected>>) {
        if mask.is_all() {
            return (MaskId(0), None);
        }
        let known = self.known.entry(mask.clone()).or_insert_with(|| {
            let id = MaskId(self.next);
            self.next += 1;
            Known {
                id,
                selected: Arc::new(Selected::of(mask)),
                watches: 0,
            }
        });
        known.watches += 1;
        if let Some(peer) = peer {
            *self.by_peer.entry((peer, known.id)).or_default() += 1;
        }
        (known.id, Some(known.selected.clone()))
    }

    /// Counts one watch of a mask less.
    pub(super) fn leave(&mut self, mask: &Projection, peer: Option<PeerKey>) {
        let Some(known) = self.known.get_mut(mask) else {
            return;
        };
        known.watches -= 1;
        let (id, is_last) = (known.id, known.watches == 0);
        if is_last {
            self.known.remove(mask);
        }
        if let Some(peer) = peer
            && let Some(watches) = self.by_peer.get_mut(&(peer, id))
        {
            *watches -= 1;
            if *watches == 0 {
                self.by_peer.remove(&(peer, id));
            }
        }
    }
}
