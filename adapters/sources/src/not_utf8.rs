//! Which pods of one source hold strings that are not UTF-8, each told once.

use std::collections::BTreeMap;

use podsapi_core::{EncodedPod, Uid};

use crate::problems::Problem;

/// The pods whose strings are not all UTF-8, as the receiver of the source has them.
///
/// They are served like all others. But whoever may write an annotation can do it, and readers may
/// stumble, so that somebody should know.
#[derive(Debug, Default)]
pub(crate) struct NotUtf8 {
    told: BTreeMap<Uid, Problem>,
    /// Those of the list under way.
    listing: Option<BTreeMap<Uid, Problem>>,
    /// How many appeared since the last time that somebody asked.
    appeared: u64,
}

impl NotUtf8 {
    /// Takes that a list begins.
    pub(crate) fn begin(&mut self) {
        self.listing = Some(BTreeMap::new());
    }

    /// Takes a pod; tells whether what there is to tell changed.
    pub(crate) fn put(&mut self, pod: &EncodedPod, source: &str) -> bool {
        let problem = pod.first_not_utf8().map(|place| problem(pod, &place));
        let Some(listing) = &mut self.listing else {
            let before = self.told.get(pod.uid());
            if before == problem.as_ref() {
                return false;
            }
            self.set(pod.uid(), problem, source);
            return true;
        };
        match problem {
            Some(problem) => drop(listing.insert(pod.uid().clone(), problem)),
            None => drop(listing.remove(pod.uid())),
        }
        false
    }

    /// Takes that a pod is gone; tells whether what there is to tell changed.
    pub(crate) fn remove(&mut self, uid: &Uid, source: &str) -> bool {
        if let Some(listing) = &mut self.listing {
            listing.remove(uid);
            return false;
        }
        let known = self.told.contains_key(uid);
        if known {
            self.set(uid, None, source);
        }
        known
    }

    /// Takes that the list is whole; tells whether what there is to tell changed.
    pub(crate) fn complete(&mut self, source: &str) -> bool {
        let Some(now) = self.listing.take().filter(|now| *now != self.told) else {
            return false;
        };
        let mut gone = self.told.clone();
        gone.retain(|uid, _| !now.contains_key(uid));
        for uid in gone.keys() {
            self.set(uid, None, source);
        }
        for (uid, problem) in now {
            if self.told.get(&uid) != Some(&problem) {
                self.set(&uid, Some(problem), source);
            }
        }
        true
    }

    /// Takes that a list under way is forgotten.
    pub(crate) fn lost(&mut self) {
        self.listing = None;
    }

    /// Returns the problems that there are, one for each pod.
    pub(crate) fn problems(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.told.values()
    }

    /// Returns how many appeared since this was asked last.
    pub(crate) fn take_appeared(&mut self) -> u64 {
        std::mem::take(&mut self.appeared)
    }

    /// Puts what is wrong with a pod now in the place of what was.
    fn set(&mut self, uid: &Uid, problem: Option<Problem>, source: &str) {
        if let Some(over) = self.told.remove(uid) {
            tracing::info!(source, "no longer: {}", over.line());
        }
        if let Some(problem) = problem {
            tracing::warn!(source, "{}", problem.line());
            self.appeared += 1;
            self.told.insert(uid.clone(), problem);
        }
    }
}

fn problem(pod: &EncodedPod, place: &str) -> Problem {
    let subject = format!("{}/{} ({})", pod.namespace(), pod.name(), pod.uid());
    let text = format!("{place} is not UTF-8 (served as it is; read as text it has U+FFFD there)");
    Problem::remark(subject, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn pod(uid: &str, message: &[u8]) -> EncodedPod {
        let mut bytes = vec![10, 2 + uid.len() as u8, 42, uid.len() as u8];
        bytes.extend_from_slice(uid.as_bytes());
        bytes.extend_from_slice(&[26, 2 + message.len() as u8, 26, message.len() as u8]);
        bytes.extend_from_slice(message);
        EncodedPod::parse(Bytes::from(bytes)).unwrap()
    }

    #[test]
    fn a_pod_is_told_when_it_comes_and_when_it_is_mended_and_not_between() {
        let mut found = NotUtf8::default();
        let broken = pod("a", b"\xff");
        assert!(found.put(&broken, "s") && !found.put(&broken, "s"));
        assert_eq!(found.problems().count(), 1);
        assert_eq!((found.take_appeared(), found.take_appeared()), (1, 0));
        assert!(!found.put(&pod("b", b"plain"), "s"));
        // A list that names it again says nothing new, one that was not finished says nothing.
        for _ in 0..2 {
            found.begin();
            assert!(!found.put(&broken, "s"));
            assert!(!found.complete("s"));
        }
        found.begin();
        found.lost();
        assert_eq!(found.problems().count(), 1);
        assert!(found.put(&pod("a", b"mended"), "s"));
        assert_eq!(found.problems().count(), 0);

        assert!(found.put(&broken, "s") && found.remove(broken.uid(), "s"));
        assert!(found.put(&broken, "s"));
        found.begin();
        assert!(found.complete("s"), "it is in no list any more");
        assert_eq!(
            (found.problems().count(), found.take_appeared()),
            (0, 3 - 1)
        );
    }
}
