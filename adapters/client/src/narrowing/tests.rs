//! What is selected here, beside what a server that applies masks tells of the same history.

use podsapi_core::{
    Call, Config, Dialect, EncodedPod, FieldMask, MaskRequest, Method, Moment, Pods, Reply,
    SourceConfig, SourceEvent, SourceKind, WatchId, WatchOutput,
};
use podsapi_proto::core_v1::{Pod, PodSpec, PodStatus};
use podsapi_proto::meta_v1::{ObjectMeta, Time};
use proptest::prelude::*;
use prost::Message;

use super::*;
use crate::fields::DELETION_MARKS;
use crate::watch::read_event;

/// One change of the node, of one of a few pods.
#[derive(Clone, Debug)]
enum Op {
    Put {
        uid: u8,
        phase: u8,
        ip: u8,
        ending: bool,
    },
    Remove {
        uid: u8,
    },
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let put = (0..3_u8, 0..2_u8, 0..3_u8, any::<bool>());
    let put = put.prop_map(|(uid, phase, ip, ending)| Op::Put {
        uid,
        phase,
        ip,
        ending,
    });
    let remove = (0..3_u8).prop_map(|uid| Op::Remove { uid });
    proptest::collection::vec(prop_oneof![4 => put, 1 => remove], 0..40)
}

impl Op {
    fn event(&self) -> SourceEvent {
        let (uid, phase, ip, ending) = match self {
            Self::Remove { uid } => {
                let uid = Uid::new(&format!("u{uid}"));
                return SourceEvent::Remove { uid, at: 1 };
            }
            Self::Put {
                uid,
                phase,
                ip,
                ending,
            } => (uid, phase, ip, *ending),
        };
        let pod = Pod {
            metadata: Some(ObjectMeta {
                uid: Some(format!("u{uid}")),
                name: Some(format!("n{uid}")),
                deletion_timestamp: ending.then(Time::default),
                deletion_grace_period_seconds: ending.then_some(0),
                ..ObjectMeta::default()
            }),
            spec: Some(PodSpec::default()),
            status: Some(PodStatus {
                phase: Some(format!("p{phase}")),
                pod_ip: Some(format!("10.0.0.{ip}")),
                ..PodStatus::default()
            }),
        };
        let pod = EncodedPod::parse(pod.encode_to_vec().into()).unwrap();
        SourceEvent::Put { pod, at: 1 }
    }
}

/// Starts a watch that asks for `mask`.
fn watch(pods: &mut Pods, dialect: Dialect, mask: &Projection) -> WatchId {
    let mut call = Call::new(dialect, Method::WatchPods, Bytes::new());
    if !mask.is_all() {
        call.mask = MaskRequest::new(FieldMask::parse(&mask.to_string()).unwrap());
    }
    match pods.handle_call(call, Moment::ORIGIN) {
        Reply::Watch(watch) => watch,
        other @ (Reply::Answer(_) | Reply::Refuse(_)) => panic!("{other:?}"),
    }
}

fn told(
    pods: &mut Pods,
    dialect: Dialect,
    watch: WatchId,
    narrowing: &mut Narrowing,
) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match pods.poll_watch(watch) {
            WatchOutput::Event(message) => {
                let event = read_event(dialect, message.to_vec().into()).unwrap();
                events.extend(narrowing.handle_event(event));
            }
            WatchOutput::Idle => return events,
            WatchOutput::End(status) => panic!("{status:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_client_that_selects_tells_what_a_server_that_selects_tells(
        ops in ops(),
        mask in prop::sample::select(vec!["status.phase", "status", "spec.nodeName,status.podIP", "metadata.name"]),
        anonymous in any::<bool>(),
    ) {
        let sources = vec![SourceConfig::new("snapshot", SourceKind::Snapshot)];
        let mut pods = Pods::new(Config { sources, ..Config::default() }, Moment::ORIGIN);
        let source = pods.source("snapshot").unwrap();
        for event in [SourceEvent::Begin, SourceEvent::Complete { at: 1 }] {
            pods.handle_source(source, event, Moment::ORIGIN).unwrap();
        }
        let fields = Fields::parse(mask).unwrap();
        let fields = if anonymous { fields.without_identity() } else { fields };
        let wanted = fields.projection().unwrap();
        let new = |mask: &Projection| Narrowing::new(mask.clone());

        let released = Dialect::V1alpha1;
        let mut of_server = (watch(&mut pods, released, &wanted), new(&Projection::all()));
        let mut of_client = (watch(&mut pods, released, &Projection::all()), new(&wanted));
        let documented = Dialect::Documented;
        let marked = wanted.union(&DELETION_MARKS);
        let mut of_both = (watch(&mut pods, documented, &marked), new(&wanted));
        let mut of_documented = (watch(&mut pods, documented, &Projection::all()), new(&wanted));

        for op in [None].into_iter().chain(ops.iter().map(Some)) {
            if let Some(op) = op {
                // To remove what is not there is refused or ignored, and tells nothing.
                let _unknown = pods.handle_source(source, op.event(), Moment::ORIGIN);
            }
            let mut tell = |dialect, (watch, narrowing): &mut (WatchId, Narrowing)| {
                told(&mut pods, dialect, *watch, narrowing)
            };
            let expected = tell(released, &mut of_server);
            prop_assert_eq!(&tell(released, &mut of_client), &expected);
            let expected = tell(documented, &mut of_both);
            prop_assert_eq!(&tell(documented, &mut of_documented), &expected);
        }
        // No more is remembered than the pods that are there.
        prop_assert_eq!(of_client.1.told.len(), pods.pod_count());
        prop_assert_eq!(of_documented.1.told.len(), pods.pod_count());
        prop_assert!(of_server.1.told.is_empty());
    }
}

#[test]
fn a_part_does_not_hold_the_whole_in_memory() {
    let mut pod = Pod::default();
    pod.status.get_or_insert_default().phase = Some("Running".to_owned());
    pod.status.get_or_insert_default().message = Some("x".repeat(1 << 20));
    let fields = Fields::parse("status.phase").unwrap().without_identity();
    let part = select(&fields.projection().unwrap(), pod.encode_to_vec().into());
    // Bytes that nobody shares turn back into the vector that they were made of.
    assert!(Vec::from(part).capacity() < 100);
}
