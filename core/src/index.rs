//! The served pods in the order of their identities, and what a moment of it is worth keeping.
//!
//! ```text
//!  Index ---> chunks: [ a..f ] [ g..m ] [ n..z ]     of at most 64 pods each
//!                         ^        ^
//!  Snapshot --------------+--------+                 shares every chunk that did not change since
//! ```
//!
//! A snapshot is one reference. The first change after one was taken copies the list of chunks and the
//! chunk that it changes, so that a new watch between any two changes costs neither a walk over all pods
//! nor a copy of all references.

use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::served::Served;

/// Served pods, ordered by identity.
#[derive(Debug, Default)]
pub(crate) struct Index {
    chunks: Arc<Vec<Chunk>>,
    len: usize,
}

/// Pods that follow each other; never empty.
type Chunk = Arc<Vec<Arc<Served>>>;

/// The served pods of one instant in the order of their identities; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    chunks: Arc<Vec<Chunk>>,
    len: usize,
}

/// How far somebody has read a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    chunk: u32,
    pod: u32,
}

/// Pods of one chunk, of which a change copies the references where a snapshot holds it: of 5,000 pods
/// 64, and the 80 references to chunks.
const CHUNK: usize = 64;

impl Index {
    /// Returns all pods as they are now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            chunks: self.chunks.clone(),
            len: self.len,
        }
    }

    /// Puts a pod in its place, or in that of the one with its identity.
    pub(crate) fn put(&mut self, pod: Arc<Served>) {
        let chunks = Arc::make_mut(&mut self.chunks);
        let at = chunk_of(chunks, pod.uid().as_str());
        let Some(chunk) = chunks.get_mut(at) else {
            chunks.push(Arc::new(alloc::vec![pod]));
            self.len += 1;
            return;
        };
        let pods = Arc::make_mut(chunk);
        match pods.binary_search_by(|other| other.uid().cmp(pod.uid())) {
            Ok(place) => {
                if let Some(former) = pods.get_mut(place) {
                    *former = pod;
                }
            }
            Err(place) => {
                pods.insert(place, pod);
                self.len += 1;
                if pods.len() > CHUNK {
                    // What comes in order fills chunks whole.
                    let half = if place + 1 == pods.len() {
                        CHUNK
                    } else {
                        CHUNK / 2
                    };
                    let rest = pods.split_off(half);
                    chunks.insert(at + 1, Arc::new(rest));
                }
            }
        }
    }

    /// Takes the pod of an identity out.
    pub(crate) fn remove(&mut self, uid: &str) {
        let chunks = Arc::make_mut(&mut self.chunks);
        let at = chunk_of(chunks, uid);
        let Some(chunk) = chunks.get_mut(at) else {
            return;
        };
        let Ok(place) = chunk.binary_search_by(|other| other.uid().as_str().cmp(uid)) else {
            return;
        };
        let pods = Arc::make_mut(chunk);
        pods.remove(place);
        self.len -= 1;
        let left = pods.len();
        let next = chunks.get(at + 1).map_or(CHUNK, |next| next.len());
        let former = at.checked_sub(1).and_then(|at| chunks.get(at));
        let former = former.map_or(CHUNK, |former| former.len());
        if left == 0 {
            chunks.remove(at);
        } else if left + former <= CHUNK / 2 {
            join(chunks, at - 1);
        } else if left + next <= CHUNK / 2 {
            join(chunks, at);
        }
    }
}

/// Makes one chunk of one and the next.
fn join(chunks: &mut Vec<Chunk>, at: usize) {
    let next = chunks.remove(at + 1);
    if let Some(chunk) = chunks.get_mut(at) {
        Arc::make_mut(chunk).extend(next.iter().cloned());
    }
}

/// Returns the chunk in which an identity lies or would lie; the last one for what comes after all.
fn chunk_of(chunks: &[Chunk], uid: &str) -> usize {
    let before = |chunk: &Chunk| chunk.last().is_some_and(|last| last.uid().as_str() < uid);
    let at = chunks.partition_point(before);
    at.min(chunks.len().saturating_sub(1))
}

impl Snapshot {
    /// Returns the number of pods.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the pod of an identity.
    pub(crate) fn get(&self, uid: &str) -> Option<&Arc<Served>> {
        let chunk = self.chunks.get(chunk_of(&self.chunks, uid))?;
        let place = chunk.binary_search_by(|pod| pod.uid().as_str().cmp(uid));
        chunk.get(place.ok()?)
    }

    /// Returns the pods in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Served>> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Returns the pod at a place and moves it on; nothing at the end.
    pub(crate) fn next(&self, place: &mut Place) -> Option<&Arc<Served>> {
        loop {
            let chunk = self.chunks.get(place.chunk as usize)?;
            if let Some(pod) = chunk.get(place.pod as usize) {
                place.pod += 1;
                return Some(pod);
            }
            *place = Place {
                chunk: place.chunk + 1,
                pod: 0,
            };
        }
    }

    /// Tells whether both are of one instant.
    #[cfg(test)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.chunks, &other.chunks)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::string::String;

    use proptest::prelude::*;

    use super::*;
    use crate::sample::pod;

    fn served(uid: &str, revision: u64) -> Arc<Served> {
        let pod = pod(uid);
        Arc::new(Served::new(&pod, revision, pod.bytes().clone()))
    }

    fn listed(snapshot: &Snapshot) -> Vec<(String, u64)> {
        let pods: Vec<(String, u64)> = snapshot
            .iter()
            .map(|pod| (pod.uid().as_str().into(), pod.revision()))
            .collect();
        let mut place = Place::default();
        let read = core::iter::from_fn(|| snapshot.next(&mut place));
        let read: Vec<(String, u64)> = read
            .map(|pod| (pod.uid().as_str().into(), pod.revision()))
            .collect();
        assert_eq!(read, pods);
        assert_eq!(pods.len(), snapshot.len());
        assert!(snapshot.next(&mut place).is_none());
        for (uid, revision) in &pods {
            assert_eq!(snapshot.get(uid).map(|pod| pod.revision()), Some(*revision));
            assert!(snapshot.get(&alloc::format!("{uid}x")).is_none());
        }
        pods
    }

    proptest! {
        #[test]
        fn an_index_is_an_ordered_map_and_its_snapshots_stay(
            steps in prop::collection::vec((0_u16..400, any::<bool>(), 0_u8..20), 0..900),
        ) {
            let mut index = Index::default();
            let mut model = BTreeMap::new();
            let mut kept: Vec<(Snapshot, Vec<(String, u64)>)> = Vec::new();
            for (revision, (number, put, keep)) in (1..).zip(steps) {
                let uid = alloc::format!("u{number}");
                if put {
                    index.put(served(&uid, revision));
                    model.insert(uid, revision);
                } else {
                    index.remove(&uid);
                    model.remove(&uid);
                }
                prop_assert_eq!(index.snapshot().len(), model.len());
                if keep == 0 {
                    let expected = model.clone().into_iter().collect();
                    kept.push((index.snapshot(), expected));
                }
                prop_assert!(index.chunks.iter().all(|chunk| (1..=CHUNK).contains(&chunk.len())));
            }
            let expected = model.into_iter().collect();
            kept.push((index.snapshot(), expected));
            for (snapshot, expected) in kept {
                prop_assert_eq!(listed(&snapshot), expected);
            }
        }
    }

    #[test]
    fn a_change_copies_one_chunk_of_what_a_snapshot_holds() {
        let mut index = Index::default();
        for number in 0..1_000 {
            index.put(served(&alloc::format!("{number:04}"), 1));
        }
        assert_eq!(index.chunks.len(), 1_000_usize.div_ceil(CHUNK));
        let before = index.snapshot();
        index.put(served("0500", 2));
        let shared = before.chunks.iter().zip(index.chunks.iter());
        let copied = shared
            .filter(|(one, other)| !Arc::ptr_eq(one, other))
            .count();
        assert_eq!(copied, 1);
    }

    #[test]
    fn what_is_taken_out_leaves_few_small_chunks() {
        let mut index = Index::default();
        for number in 0..6_400 {
            index.put(served(&alloc::format!("{number:04}"), 1));
        }
        for number in (0..6_400).filter(|number| number % 64 != 0) {
            index.remove(&alloc::format!("{number:04}"));
        }
        assert_eq!(index.snapshot().len(), 100);
        assert!(index.chunks.len() <= 100 / 8, "{}", index.chunks.len());
    }
}
