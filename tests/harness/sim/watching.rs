//! Clients that watch: prompt, slow, cancelling and reconnecting ones, each with a mirror.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Event, EventKind, Mirror};
use podsapi_core::{Dialect, Method, SlowWatch};
use podsapi_h2::Runtime;
use podsapi_proto::{core_v1, documented, v1alpha1};
use prost::Message;

use super::Site;
use super::client::{Answer, Client, Manner, Mask, Question, patiently};
use super::heads;
use super::node::Node;
use super::reach::Reach;
use super::verdict;
use super::world::{World, lock};

/// How a client reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Temper {
    /// At once.
    Prompt,
    /// With pauses, which end when the world is calm.
    Slow,
    /// At once, but it gives up and begins again for no reason.
    Fickle,
}

/// What a client has learned, for the end of the run.
#[derive(Debug)]
pub(super) struct Learned {
    pub(super) name: String,
    pub(super) mask: Mask,
    pub(super) dialect: Dialect,
    pub(super) mirror: Mirror,
    /// Which server told it.
    pub(super) node: Option<Arc<Node>>,
    /// How many watches it had.
    pub(super) watches: u32,
}

/// Watches until the run is over.
pub(super) async fn watch(site: Site, temper: Temper, learned: Arc<Mutex<Learned>>) {
    let world = site.world.clone();
    world.sleep(world.some_time(Duration::from_secs(1))).await;
    while !site.is_over() {
        let window = match temper {
            Temper::Slow => world.draw(|random| random.u32(200..5_000)),
            Temper::Prompt | Temper::Fickle => world.draw(|random| 1 << random.u32(10..23)),
        };
        if let Some(client) = Client::connect(&site.node(), window, Manner::Reads).await {
            let rounds = if temper == Temper::Fickle { 4 } else { 1 };
            for _ in 0..rounds {
                if client.may_be_lost() {
                    break;
                }
                once(&client, temper, &learned).await;
            }
        }
        world
            .sleep(world.some_time(Duration::from_millis(500)))
            .await;
    }
}

/// Watches once.
async fn once(client: &Client, temper: Temper, learned: &Mutex<Learned>) {
    let world = &client.node.world;
    let question = {
        let mut learned = lock(learned);
        learned.node = Some(Arc::clone(&client.node));
        learned.watches += 1;
        learned.mirror.handle_disconnect();
        if learned.dialect == Dialect::Documented {
            // It has no marker, so nothing could tell what went away meanwhile.
            learned.mirror = Mirror::new();
        }
        Question {
            dialect: learned.dialect,
            method: Method::WatchPods,
            uid: String::new(),
            mask: learned.mask.clone(),
            timeout: None,
            asked: world.now(),
        }
    };
    let asked_at = client.node.version();
    let mut answer = match client.ask(question.clone()).await {
        Ok(answer) => answer,
        Err(end) => return verdict::check(client, &question, asked_at, None, end),
    };
    let mut story = Story::default();
    loop {
        match temper {
            Temper::Slow if !world.is_calm() => {
                world
                    .sleep(world.some_time(Duration::from_millis(400)))
                    .await;
            }
            Temper::Prompt | Temper::Slow | Temper::Fickle => {}
        }
        let next = match temper {
            Temper::Fickle if !world.is_calm() => {
                let patience = world.some_time(Duration::from_secs(1));
                match patiently(world, patience, answer.next()).await {
                    Some(next) => next,
                    None if world.one_in(2) => continue,
                    None => {
                        world.tell(format_args!("connection {}: cancels", client.number()));
                        world.reached(Reach::WatchesCancelled, 1);
                        return;
                    }
                }
            }
            Temper::Prompt | Temper::Slow | Temper::Fickle => answer.next().await,
        };
        match next {
            Ok(message) => story.go_on(client, &question, &answer, message, learned),
            Err(end) => {
                let headed = Some(answer.headed);
                return verdict::check(client, &question, answer.since, headed, end);
            }
        }
    }
}

/// What one watch has told.
#[derive(Debug, Default)]
struct Story {
    told: BTreeMap<String, Bytes>,
    synced: bool,
}

impl Story {
    fn go_on(
        &mut self,
        client: &Client,
        question: &Question,
        answer: &Answer,
        message: Bytes,
        learned: &Mutex<Learned>,
    ) {
        let node = &client.node;
        let version = node.version();
        assert!(
            version.is_some(),
            "a watch tells something before the server is ready"
        );
        let since = answer.since.unwrap_or_default();
        let (uid, event) = read(question.dialect, message);
        node.world.tell(format_args!(
            "connection {}: {:?} of {} bytes",
            client.number(),
            event.kind,
            event.pod.len()
        ));
        match question.dialect {
            Dialect::V1alpha1 => self.hear(node, question, since, &uid, &event),
            Dialect::Documented => self.hear_documented(node, question, &uid, &event),
        }
        if node.has_single_steps() && matches!(event.kind, EventKind::Added | EventKind::Modified) {
            let mask = &question.mask.selects;
            assert!(
                node.pod_was_ever(since, mask, &uid, Some(&event.pod)),
                "pod {uid} was never served as it is told"
            );
        }
        let heard = lock(learned).mirror.handle_event(&event);
        heard.expect("a pod that is told can be read");
    }

    /// The released dialect: ADDED in order, one marker, then what changes.
    fn hear(&mut self, node: &Node, question: &Question, since: usize, uid: &str, event: &Event) {
        match event.kind {
            EventKind::InitialSyncComplete => {
                assert!(!self.synced, "a second marker");
                assert!(event.pod.is_empty(), "a marker has no pod");
                self.synced = true;
                let mask = &question.mask.selects;
                assert!(
                    node.was_ever(since, mask, &self.told),
                    "the first list was never what was served"
                );
            }
            EventKind::Added => {
                if !self.synced {
                    let last = self.told.keys().next_back();
                    assert!(
                        last.is_none_or(|last| &**last < uid),
                        "a first list out of order"
                    );
                }
                let former = self.told.insert(uid.to_owned(), event.pod.clone());
                assert!(former.is_none(), "pod {uid} is added twice");
            }
            EventKind::Modified => {
                assert!(self.synced, "a change of {uid} before the marker");
                let former = self.told.insert(uid.to_owned(), event.pod.clone());
                assert!(former.is_some(), "pod {uid} changes, which is not there");
                check_change(node, question, uid, former.as_ref(), event);
            }
            EventKind::Deleted => {
                assert!(self.synced, "the deletion of {uid} before the marker");
                let former = self.told.remove(uid);
                assert!(former.is_some(), "pod {uid} is deleted, which is not there");
                let pod = core_v1::Pod::decode(&*event.pod).expect("it was read before");
                let metadata = pod.metadata.expect("it has a UID");
                let bare = pod.spec.is_none()
                    && pod.status.is_none()
                    && metadata.name.is_some()
                    && metadata.namespace.is_some()
                    && metadata.labels.is_empty();
                assert!(
                    bare,
                    "a deletion tells more or less than the identity of {uid}"
                );
            }
        }
    }

    /// The documented dialect: pods and deletions.
    fn hear_documented(&mut self, node: &Node, question: &Question, uid: &str, event: &Event) {
        match event.kind {
            EventKind::Deleted => {
                let former = self.told.remove(uid);
                assert!(former.is_some(), "pod {uid} is deleted, which is not there");
            }
            EventKind::Modified | EventKind::Added => {
                let former = self.told.insert(uid.to_owned(), event.pod.clone());
                check_change(node, question, uid, former.as_ref(), event);
            }
            EventKind::InitialSyncComplete => panic!("this dialect has no marker"),
        }
    }
}

/// A change is told only where something differs; but pods that are not small, and that changed back
/// while they waited, are not always compared with what was told before.
fn check_change(
    node: &Node,
    question: &Question,
    uid: &str,
    former: Option<&Bytes>,
    event: &Event,
) {
    let large = super::masks::selects_ballast(question.mask.text);
    let folded = node.config.slow_watch == SlowWatch::Coalesce && large;
    assert!(
        folded || former != Some(&event.pod),
        "pod {uid} changes to what it was"
    );
}

impl Learned {
    /// Draws a client that has learned nothing.
    pub(super) fn nothing(world: &World, name: String) -> Self {
        let dialect = match world.one_in(3) {
            true => Dialect::Documented,
            false => Dialect::V1alpha1,
        };
        Self {
            name,
            dialect,
            mask: Mask::draw(world),
            mirror: Mirror::new(),
            node: None,
            watches: 0,
        }
    }

    /// Holds what was learned against what is served.
    ///
    /// # Panics
    ///
    /// When it differs.
    pub(super) fn check(&self, node: &Arc<Node>) {
        let name = &self.name;
        let watches = self.watches;
        let current = self.node.as_ref().is_some_and(|own| Arc::ptr_eq(own, node));
        assert!(
            current,
            "{name}: watches no server, or a former one ({watches} watches)"
        );
        assert!(
            self.mirror.is_synced() || self.dialect == Dialect::Documented,
            "{name}: not in sync ({watches} watches)"
        );
        let mirrored: BTreeMap<_, _> = self
            .mirror
            .pods()
            .map(|pod| (pod.uid().to_owned(), pod.bytes().clone()))
            .collect();
        let served = node.listing(&self.mask.selects);
        let uids = |pods: &BTreeMap<String, Bytes>| pods.keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            uids(&mirrored),
            uids(&served),
            "{name}: the pods that there are"
        );
        for (uid, pod) in &served {
            assert_eq!(mirrored.get(uid), Some(pod), "{name}: pod {uid}");
        }
    }
}

/// Returns an event and the UID of its pod, which a marker does not have.
fn read(dialect: Dialect, message: Bytes) -> (String, Event) {
    match dialect {
        Dialect::V1alpha1 => {
            let event = v1alpha1::WatchPodsEvent::decode(message).expect("an event decodes");
            let kind = match event.r#type() {
                v1alpha1::EventType::Added => EventKind::Added,
                v1alpha1::EventType::Deleted => EventKind::Deleted,
                v1alpha1::EventType::InitialSyncComplete => EventKind::InitialSyncComplete,
                v1alpha1::EventType::Modified => EventKind::Modified,
                v1alpha1::EventType::Unspecified => panic!("an event without a type"),
            };
            let uid = match kind {
                EventKind::InitialSyncComplete => String::new(),
                EventKind::Added | EventKind::Deleted | EventKind::Modified => {
                    heads::read(&event.pod).0
                }
            };
            let pod = event.pod;
            (uid, Event { kind, pod })
        }
        Dialect::Documented => {
            let event = documented::PodWatchResponse::decode(message).expect("an event decodes");
            let (uid, gone) = heads::read(&event.pod);
            let kind = match gone {
                true => EventKind::Deleted,
                false => EventKind::Modified,
            };
            let pod = event.pod;
            (uid, Event { kind, pod })
        }
    }
}
