//! Replies that share much, little and nothing, beside a plain count of what they keep.

use std::collections::BTreeMap;

use podsapi_core::{
    Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig, SourceEvent,
    SourceId, SourceKind,
};
use podsapi_proto::{core_v1, meta_v1};
use proptest::prelude::*;
use prost::Message;

use super::*;

/// Pods that change, and lists of them.
struct Node {
    pods: Pods,
    source: SourceId,
}

impl Node {
    fn new(count: usize, filler: usize) -> Self {
        let sources = vec![SourceConfig::new("test", SourceKind::Simulated)];
        let config = Config {
            sources,
            qps: 0,
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let source = pods.source("test").unwrap();
        let mut node = Self { pods, source };
        node.say(SourceEvent::Begin);
        for pod in 0..count {
            node.put(pod, filler);
        }
        node.say(SourceEvent::Complete { at: 0 });
        node
    }

    fn say(&mut self, event: SourceEvent) {
        self.pods
            .handle_source(self.source, event, Moment::ORIGIN)
            .unwrap();
    }

    fn put(&mut self, pod: usize, filler: usize) {
        let pod = core_v1::Pod {
            metadata: Some(meta_v1::ObjectMeta {
                name: Some(format!("pod-{pod}")),
                namespace: Some("default".into()),
                uid: Some(format!("uid-{pod}")),
                generate_name: Some("x".repeat(filler)),
                ..Default::default()
            }),
            ..Default::default()
        };
        let pod = EncodedPod::parse(pod.encode_to_vec().into()).unwrap();
        self.say(SourceEvent::Put { pod, at: 0 });
    }

    fn call(&mut self, method: Method, message: &[u8]) -> Outgoing {
        let message = Bytes::copy_from_slice(message);
        let call = Call::new(Dialect::V1alpha1, method, message);
        let Reply::Answer(answer) = self.pods.handle_call(call, Moment::ORIGIN) else {
            panic!("no answer of {method:?}");
        };
        answer
    }

    fn list(&mut self) -> Outgoing {
        self.call(Method::ListPods, b"")
    }

    fn get(&mut self, pod: usize) -> Outgoing {
        let uid = format!("uid-{pod}");
        let message = [&[0x0a, uid.len() as u8], uid.as_bytes()].concat();
        self.call(Method::GetPod, &message)
    }
}

/// The bytes that these messages keep, each byte once.
fn kept<'a>(messages: impl IntoIterator<Item = &'a Outgoing>) -> usize {
    let mut strings = BTreeMap::new();
    for part in messages.into_iter().flat_map(Outgoing::segments) {
        strings.insert(part.as_ptr().addr(), part.len());
    }
    strings.into_values().sum()
}

#[test]
fn any_number_of_replies_with_the_same_pods_cost_as_one() {
    let mut node = Node::new(10, 1_000);
    let list = node.list();
    let unread = Unread::new(cost(&list));
    let lists: Vec<_> = (0..1_000)
        .map(|_| unread.take(&node.list()).expect("it is the same list"))
        .collect();
    assert_eq!(unread.bytes(), cost(&list));
    drop(lists);
    assert_eq!((unread.bytes(), unread.is_empty()), (0, true));

    let unread = Unread::new(1_500);
    let _gets: Vec<_> = (0..1_000)
        .map(|_| unread.take(&node.get(3)).expect("it is the same pod"))
        .collect();
    assert!(unread.take(&node.get(4)).is_none(), "another one");
}

#[test]
fn lists_of_different_states_share_what_did_not_change() {
    let mut node = Node::new(100, 1_000);
    let first = node.list();
    // Twice the list would not fit, nor would its fifth pod of another state.
    let unread = Unread::new(cost(&first) + 4 * (1_200 + table(&first)));
    let mut waiting = vec![unread.take(&first).unwrap()];
    for change in 1..=4 {
        node.put(change, 1_000 + change);
        let list = node.list();
        waiting.push(unread.take(&list).expect("one pod is another one"));
    }
    assert!(unread.bytes() <= unread.limit);
    for change in 5..10 {
        node.put(change, 1_000 + change);
    }
    assert!(unread.take(&node.list()).is_none(), "too many are others");
    // The first state is held by the replies alone, and comes back with them.
    drop(waiting);
    assert!(unread.take(&node.list()).is_some());
}

#[test]
fn a_reply_that_is_let_through_counts_for_those_that_follow() {
    let mut node = Node::new(10, 1_000);
    let unread = Unread::new(5_000);
    let alone = unread.take_any(&node.list());
    assert!(unread.bytes() > 10_000);
    assert!(unread.take(&node.list()).is_some(), "costs nothing more");
    node.put(0, 1_001);
    assert!(unread.take(&node.list()).is_none());
    drop(alone);
    assert_eq!(unread.bytes(), 0);
    assert!(unread.take(&node.get(0)).is_some());
}

/// What may happen.
#[derive(Clone, Debug)]
enum Step {
    Change(usize, usize),
    List,
    Get(usize),
    Read(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..8_usize, 0..4_000_usize).prop_map(|(pod, filler)| Step::Change(pod, filler)),
        3 => Just(Step::List),
        1 => (0..8_usize).prop_map(Step::Get),
        3 => any::<usize>().prop_map(Step::Read),
    ]
}

proptest! {
    /// However pods change underneath: what is kept is within the bound, what is refused would have
    /// been beyond it, and nothing is left at the end.
    #[test]
    fn the_bound_is_on_what_is_kept(
        steps in prop::collection::vec(step(), 1..80),
        limit in 1_000..40_000_usize,
    ) {
        let mut node = Node::new(8, 500);
        let unread = Unread::new(limit);
        let mut waiting: Vec<(Waiting, Outgoing)> = Vec::new();
        for step in steps {
            let message = match step {
                Step::Change(pod, filler) => {
                    node.put(pod, filler);
                    continue;
                }
                Step::Read(number) => {
                    if !waiting.is_empty() {
                        waiting.swap_remove(number % waiting.len());
                    }
                    continue;
                }
                Step::List => node.list(),
                Step::Get(pod) => node.get(pod),
            };
            let all = kept(waiting.iter().map(|(_, message)| message).chain([&message]));
            let tables: usize = waiting.iter().map(|(_, it)| table(it)).sum();
            match unread.take(&message) {
                Some(place) => waiting.push((place, message)),
                None => prop_assert!(all + tables + table(&message) > limit, "{all} fit"),
            }
            let held = kept(waiting.iter().map(|(_, message)| message));
            prop_assert!(held <= limit, "{held} of {limit} bytes");
            prop_assert!(held <= unread.bytes() && unread.bytes() <= 2 * limit);
        }
        drop(waiting);
        prop_assert_eq!((unread.bytes(), unread.is_empty()), (0, true));
        prop_assert!(unread.lock().together.is_none());
    }
}
