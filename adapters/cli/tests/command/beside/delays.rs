//! How many events each server told in each step, and how long after the kubelet.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_client::EventKind;

use super::pod::Pod;
use super::record::{KUBELET, Record, What};

/// What one step showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) name: String,
    /// ADDED, MODIFIED and DELETED by server.
    pub(super) events: BTreeMap<&'static str, [usize; 3]>,
    /// In milliseconds after the kubelet, of each new state of a pod.
    pub(super) delays: BTreeMap<&'static str, Vec<i64>>,
}

/// When each server showed a state first, and in which step.
type Firsts = BTreeMap<&'static str, (i64, usize)>;

/// Returns the steps of a record.
pub(super) fn steps(records: &[Record]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut ended = BTreeSet::new();
    let mut firsts: BTreeMap<_, Firsts> = BTreeMap::new();
    for record in records {
        match &record.what {
            What::Step(name) => steps.push(Step {
                name: name.clone(),
                ..Step::default()
            }),
            What::Told(server, kind, Some(pod)) => {
                let key = (*server, pod.uid.clone());
                // The kubelet says that a pod is gone when it has only ended: no state to wait for.
                let has_ended = ended.contains(&key) && *kind == EventKind::Deleted;
                if pod.has_ended() {
                    ended.insert(key);
                }
                let at = i64::try_from(record.at.as_millis()).unwrap_or(i64::MAX);
                for mark in marks(*kind, pod) {
                    if has_ended {
                        continue;
                    }
                    let seen = firsts.entry((pod.uid.clone(), mark)).or_default();
                    seen.entry(server).or_insert((at, steps.len()));
                }
                let kind = match kind {
                    EventKind::Added => 0,
                    EventKind::Modified => 1,
                    EventKind::Deleted => 2,
                    EventKind::InitialSyncComplete => continue,
                };
                let counts = steps
                    .last_mut()
                    .map(|step| step.events.entry(server).or_default());
                if let Some(count) = counts.and_then(|counts| counts.get_mut(kind)) {
                    *count += 1;
                }
            }
            What::Put(_)
            | What::Removed(_)
            | What::Did(_)
            | What::Opened(_)
            | What::Lost(..)
            | What::Told(..)
            | What::Listed(..) => {}
        }
    }
    for seen in firsts.values() {
        let Some((first, step)) = seen.get(KUBELET) else {
            continue;
        };
        let Some(step) = step.checked_sub(1).and_then(|index| steps.get_mut(index)) else {
            continue;
        };
        for (server, (at, _)) in seen.iter().filter(|(server, _)| **server != KUBELET) {
            step.delays.entry(server).or_default().push(at - first);
        }
    }
    steps
}

/// Returns the states that an event shows.
fn marks(kind: EventKind, pod: &Pod) -> Vec<String> {
    if kind == EventKind::Deleted {
        return vec!["DELETED".to_owned()];
    }
    pod.marks().into_iter().collect()
}

/// Returns the one in the middle, and the largest.
pub(super) fn middle_and_last(delays: &[i64]) -> Option<(i64, i64)> {
    let mut delays = delays.to_vec();
    delays.sort_unstable();
    Some((*delays.get(delays.len() / 2)?, *delays.last()?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use podsapi_proto::json::parse_json;

    use super::*;

    #[test]
    fn a_state_counts_where_the_kubelet_told_it_and_from_its_first_event_on() {
        let told = |at, server, phase: &str| {
            let text = format!(r#"{{"metadata":{{"uid":"a"}},"status":{{"phase":"{phase}"}}}}"#);
            let pod = Arc::new(Pod::of(parse_json(text.as_bytes()).unwrap()));
            Record {
                at: Duration::from_millis(at),
                what: What::Told(server, EventKind::Modified, Some(pod)),
            }
        };
        let step = |at, name: &str| Record {
            at: Duration::from_millis(at),
            what: What::Step(name.to_owned()),
        };
        let steps = steps(&[
            step(0, "first"),
            told(10, "K", "Pending"),
            told(30, "k", "Pending"),
            step(40, "second"),
            told(50, "m", "Running"),
            told(60, "K", "Running"),
            told(80, "k", "Running"),
            told(90, "k", "Running"),
        ]);
        let told: Vec<_> = steps
            .iter()
            .map(|step| (step.name.as_str(), &step.delays, &step.events))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "first",
                    &[("k", vec![20])].into(),
                    &[("K", [0, 1, 0]), ("k", [0, 1, 0])].into()
                ),
                (
                    "second",
                    &[("k", vec![20]), ("m", vec![-10])].into(),
                    &[("K", [0, 1, 0]), ("k", [0, 2, 0]), ("m", [0, 1, 0])].into()
                ),
            ]
        );
        assert_eq!(middle_and_last(&[3, 1, 2]), Some((2, 3)));
        assert_eq!(middle_and_last(&[]), None);
    }
}
