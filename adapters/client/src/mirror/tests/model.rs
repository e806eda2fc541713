//! A mirror without indexes, and any order of events on both.

use proptest::prelude::*;

use super::*;

/// One step of a story; small numbers, so that pods meet under names, containers and addresses.
#[derive(Clone, Debug)]
enum Op {
    Delete {
        uid: u8,
    },
    Disconnect,
    Marker,
    Put {
        uid: u8,
        name: u8,
        container: u8,
        ip: u8,
        created: u8,
        ended: bool,
    },
}

fn op() -> impl Strategy<Value = Op> {
    let put = (0..8u8, 0..3u8, 0..4u8, 0..4u8, 0..3u8, any::<bool>());
    prop_oneof![
        8 => put.prop_map(|(uid, name, container, ip, created, ended)| Op::Put {
            uid, name, container, ip, created, ended,
        }),
        3 => (0..8u8).prop_map(|uid| Op::Delete { uid }),
        2 => Just(Op::Marker),
        1 => Just(Op::Disconnect),
    ]
}

/// What the mirror should hold: pods as they were put, searched from end to end.
#[derive(Default)]
struct Model {
    pods: BTreeMap<String, Put>,
    replayed: BTreeSet<String>,
    synced: bool,
}

type Put = (u8, u8, u8, u8, bool);

impl Model {
    /// Returns what should be told, as `told` writes it.
    fn apply(&mut self, op: &Op) -> String {
        match *op {
            Op::Put {
                uid,
                name,
                container,
                ip,
                created,
                ended,
            } => {
                let uid = format!("u-{uid}");
                self.replayed.insert(uid.clone());
                let new = (name, container, ip, created, ended);
                match self.pods.insert(uid.clone(), new) {
                    None => format!("+{uid}"),
                    Some(old) if old != new => format!("~{uid}"),
                    Some(_) => String::new(),
                }
            }
            Op::Delete { uid } => {
                let uid = format!("u-{uid}");
                self.replayed.remove(&uid);
                self.pods
                    .remove(&uid)
                    .map_or_else(String::new, |_| format!("-{uid}"))
            }
            Op::Marker if self.synced => String::new(),
            Op::Marker => {
                let before: Vec<_> = self.pods.keys().cloned().collect();
                self.pods.retain(|uid, _| self.replayed.contains(uid));
                let gone = before
                    .into_iter()
                    .filter(|uid| !self.pods.contains_key(uid));
                let gone = gone.map(|uid| format!("-{uid} ")).collect::<String>();
                self.synced = true;
                gone + "="
            }
            Op::Disconnect => {
                self.synced = false;
                self.replayed.clear();
                String::new()
            }
        }
    }

    fn best(&self, matches: impl Fn(&Put) -> bool) -> Option<&str> {
        let found = self.pods.iter().filter(|(_, put)| matches(put));
        let best = found.max_by_key(|(uid, (.., created, ended))| (!*ended, *created, *uid));
        best.map(|(uid, _)| uid.as_str())
    }
}

fn build(uid: u8, (name, container, ip, seconds, ended): Put) -> Pod {
    let status = PodStatus {
        phase: Some(if ended { "Failed" } else { "Running" }.to_owned()),
        pod_ip: Some(format!("10.0.0.{ip}")),
        container_statuses: vec![ContainerStatus {
            container_id: Some(format!("containerd://c{container}")),
            ..ContainerStatus::default()
        }],
        ..PodStatus::default()
    };
    // A creation time of zero would mean none.
    let pod = created(
        pod(&format!("u-{uid}"), &format!("n{name}")),
        i64::from(seconds) + 1,
    );
    with_status(pod, status)
}

fn apply(mirror: &mut Mirror, op: &Op) -> Vec<Change> {
    let event = match *op {
        Op::Put {
            uid,
            name,
            container,
            ip,
            created,
            ended,
        } => event(
            EventKind::Added,
            &build(uid, (name, container, ip, created, ended)),
        ),
        Op::Delete { uid } => event(EventKind::Deleted, &pod(&format!("u-{uid}"), "")),
        Op::Marker => marker(),
        Op::Disconnect => {
            mirror.handle_disconnect();
            return Vec::new();
        }
    };
    mirror.handle_event(&event).unwrap()
}

proptest! {
    #[test]
    fn the_mirror_and_a_naive_model_agree_after_every_event(
        ops in prop::collection::vec(op(), 0..60),
    ) {
        let mut mirror = Mirror::new();
        let mut model = Model::default();
        for op in &ops {
            prop_assert_eq!(told(apply(&mut mirror, op)), model.apply(op), "{:?}", op);
            let uids: Vec<_> = mirror.pods().map(|pod| pod.uid().to_owned()).collect();
            prop_assert_eq!(uids, model.pods.keys().cloned().collect::<Vec<_>>());
            for key in 0..4u8 {
                let name = uid(mirror.by_name("ns", &format!("n{key}")));
                prop_assert_eq!(name, model.best(|put| put.0 == key));
                let container = uid(mirror.by_container_id(&format!("c{key}")));
                prop_assert_eq!(container, model.best(|put| put.1 == key));
                let address = uid(mirror.by_ip([10, 0, 0, key].into()));
                prop_assert_eq!(address, model.best(|put| put.2 == key));
                let spelled = uid(mirror.by_uid(&format!("u_{key}")));
                prop_assert_eq!(spelled.is_some(), model.pods.contains_key(&format!("u-{key}")));
            }
        }
        for key in 0..8u8 {
            apply(&mut mirror, &Op::Delete { uid: key });
        }
        prop_assert_eq!(mirror.index.len(), 0, "keys are left behind");
    }
}
