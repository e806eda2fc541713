//! Wanted fields, against servers that apply masks and servers that know none.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use podsapi_client::{
    BackoffOptions, Change, Client, ClientError, ClientOptions, Code, Dialect, Event, EventKind,
    Fields, Follow, FollowEvent,
};
use podsapi_core::FieldMask;
use podsapi_proto::core_v1::{Pod, PodSpec, PodStatus};
use podsapi_proto::schema::Message as Schema;
use podsapi_proto::{documented, meta_v1, v1alpha1};
use prost::Message;
use v1alpha1::EventType;

use crate::server::{Answer, Asked, Server, framed, pod, serve, socket, soon};

const MASK: &str = "x-kubernetes-fieldmask";

/// A client that wants `fields`, its server, and the values of the mask's header in its calls.
struct Setting {
    client: Client,
    masks: Arc<Mutex<Vec<Option<String>>>>,
    _server: (tempfile::TempDir, Server),
}

impl Setting {
    async fn new(
        fields: Fields,
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let options = ClientOptions {
            fields,
            ..ClientOptions::default()
        };
        Self::with(options, script).await
    }

    async fn with(
        options: ClientOptions,
        script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let masks = Arc::new(Mutex::new(Vec::new()));
        let (directory, path) = socket();
        let seen = Arc::clone(&masks);
        let server = serve(&path, move |asked| {
            let mask = asked.headers().get(MASK);
            let mask = mask.map(|value| value.to_str().unwrap().to_owned());
            seen.lock().unwrap().push(mask);
            script(asked)
        });
        Self {
            client: soon(Client::connect(&path, options)).await.unwrap(),
            masks,
            _server: (directory, server),
        }
    }

    fn masks(&self) -> Vec<Option<String>> {
        self.masks.lock().unwrap().clone()
    }
}

fn phase() -> Fields {
    Fields::parse("status.phase").unwrap()
}

/// A pod on a node, in a phase, with an address.
fn running(uid: &str, phase: &str, ip: &str) -> Pod {
    Pod {
        spec: Some(PodSpec {
            node_name: Some("node-1".to_owned()),
            ..PodSpec::default()
        }),
        status: Some(PodStatus {
            phase: Some(phase.to_owned()),
            pod_ip: Some(ip.to_owned()),
            ..PodStatus::default()
        }),
        ..pod(uid, uid)
    }
}

/// What of such a pod identity and phase are.
fn narrow(uid: &str, phase: &str) -> Bytes {
    let pod = Pod {
        status: Some(PodStatus {
            phase: Some(phase.to_owned()),
            ..PodStatus::default()
        }),
        ..pod(uid, uid)
    };
    pod.encode_to_vec().into()
}

fn list_of(pods: &[Bytes]) -> Bytes {
    framed(&v1alpha1::ListPodsResponse {
        pods: pods.to_vec(),
    })
}

fn told(kind: EventType, pod: &Pod) -> Bytes {
    framed(&v1alpha1::WatchPodsEvent {
        r#type: kind.into(),
        pod: pod.encode_to_vec().into(),
    })
}

fn refusal<T: std::fmt::Debug>(result: Result<T, ClientError>) -> podsapi_client::Status {
    match result {
        Err(ClientError::Refused(status)) => status,
        other => panic!("expected a status, found {other:?}"),
    }
}

#[tokio::test]
async fn fields_are_selected_here_when_the_server_knows_no_masks() {
    let whole = Bytes::from(running("a", "Running", "10.0.0.1").encode_to_vec());
    let broken = Bytes::from_static(b"\x0a\x05\x0a");
    let (all, one) = ([whole.clone(), broken.clone()], whole.clone());
    let setting = Setting::new(phase(), move |asked| match asked.uri().path() {
        "/v1alpha1.Pods/ListPods" => Answer::Messages(vec![list_of(&all)]),
        _ => Answer::Messages(vec![framed(&v1alpha1::GetPodResponse { pod: one.clone() })]),
    })
    .await;
    let narrow = narrow("a", "Running");
    let listed = soon(setting.client.list()).await.unwrap();
    assert_eq!(listed, [narrow.clone(), broken]);
    assert_eq!(soon(setting.client.get("a")).await.unwrap(), narrow);

    let everything = setting.client.with_fields(Fields::all());
    assert_eq!(soon(everything.get("a")).await.unwrap(), whole);
    let anonymous = setting.client.with_fields(phase().without_identity());
    assert_eq!(
        soon(anonymous.get("a")).await.unwrap(),
        &b"\x1a\x09\x0a\x07Running"[..]
    );
    let identity = "metadata.name,metadata.namespace,metadata.uid,status.phase";
    let asked = [Some(identity), Some(identity), None, Some("status.phase")];
    assert_eq!(setting.masks(), asked.map(|mask| mask.map(str::to_owned)));
}

#[tokio::test]
async fn a_server_that_applied_the_mask_is_believed() {
    // Bytes that no projection of ours would leave show that there was none.
    let odd = [narrow("a", "Running").as_ref(), b"\xf8\x7f\x01"].concat();
    let odd = Bytes::from(odd);
    let (listed, one) = (odd.clone(), odd.clone());
    let setting = Setting::new(phase(), move |asked| match asked.uri().path() {
        "/v1alpha1.Pods/ListPods" => {
            Answer::Masked(vec![list_of(std::slice::from_ref(&listed))], Some(0))
        }
        "/v1alpha1.Pods/GetPod" => {
            let response = v1alpha1::GetPodResponse { pod: one.clone() };
            Answer::Masked(vec![framed(&response)], Some(0))
        }
        _ => {
            let event = v1alpha1::WatchPodsEvent {
                r#type: EventType::Modified.into(),
                pod: one.clone(),
            };
            Answer::Masked(vec![framed(&event), framed(&event)], None)
        }
    })
    .await;
    let listed = soon(setting.client.list()).await.unwrap();
    assert_eq!(listed.as_slice(), std::slice::from_ref(&odd));
    assert_eq!(soon(setting.client.get("a")).await.unwrap(), odd);
    let mut watch = soon(setting.client.watch()).await.unwrap();
    for _ in 0..2 {
        assert_eq!(soon(watch.next()).await.unwrap().unwrap().pod, odd);
    }
}

#[tokio::test]
async fn a_watch_of_a_server_without_masks_tells_only_changes_of_the_wanted_fields() {
    use EventType::{Added, Deleted, InitialSyncComplete, Modified};
    let messages = vec![
        told(Added, &running("a", "Pending", "10.0.0.1")),
        told(InitialSyncComplete, &Pod::default()),
        told(Modified, &running("a", "Pending", "10.0.0.2")),
        told(Modified, &running("a", "Running", "10.0.0.2")),
        told(Modified, &running("a", "Running", "10.0.0.3")),
        told(Modified, &running("a", "Pending", "10.0.0.3")),
        told(Deleted, &pod("a", "a")),
        told(Added, &running("a", "Pending", "10.0.0.3")),
        told(Added, &running("a", "Pending", "10.0.0.4")),
        // Of a pod that was never told, the first word counts as new.
        told(Modified, &running("b", "Pending", "10.0.0.5")),
        told(Modified, &running("b", "Pending", "10.0.0.6")),
    ];
    for fields in [phase(), phase().without_identity()] {
        let (script, of) = (messages.clone(), fields.clone());
        let setting = Setting::new(fields, move |_| Answer::Then(script.clone(), 14)).await;
        let mut watch = soon(setting.client.watch()).await.unwrap();
        for (kind, uid, phase) in [
            (EventKind::Added, "a", "Pending"),
            (EventKind::InitialSyncComplete, "", ""),
            (EventKind::Modified, "a", "Running"),
            (EventKind::Modified, "a", "Pending"),
            (EventKind::Deleted, "a", ""),
            (EventKind::Added, "a", "Pending"),
            (EventKind::Added, "a", "Pending"),
            (EventKind::Modified, "b", "Pending"),
        ] {
            let event = soon(watch.next()).await.unwrap().unwrap();
            let found = Pod::decode(&*event.pod).unwrap();
            let status = found.status.unwrap_or_default();
            assert_eq!((event.kind, status.phase()), (kind, phase));
            assert_eq!(status.pod_ip, None);
            let named = of == self::phase() || kind == EventKind::Deleted;
            let expected = if named { uid } else { "" };
            assert_eq!(found.metadata.unwrap_or_default().uid(), expected);
        }
        assert_eq!(refusal(soon(watch.next()).await).code(), Code::Unavailable);
    }
}

/// Projects as a server would that applies the mask of the call.
fn applied(asked: &Asked, pod: &Pod) -> Bytes {
    let mut mask = FieldMask::default();
    for line in asked.headers().get_all(MASK) {
        mask.add_text(line.as_bytes());
    }
    let projection = mask.compile(Schema::POD).unwrap();
    let mut part = Vec::new();
    projection.project(&pod.encode_to_vec(), &mut part).unwrap();
    part.into()
}

#[tokio::test]
async fn a_masked_documented_watch_tells_deletions_and_only_the_wanted_fields() {
    let mut deleted = pod("a", "a");
    let metadata = deleted.metadata.as_mut().unwrap();
    metadata.deletion_timestamp = Some(meta_v1::Time::default());
    metadata.deletion_grace_period_seconds = Some(0);
    // A pod at its end differs from a deletion by its spec.
    let ending = Pod {
        metadata: deleted.metadata.clone(),
        ..running("a", "Running", "10.0.0.2")
    };
    for apply in [true, false] {
        let (ending, deleted) = (ending.clone(), deleted.clone());
        let options = ClientOptions {
            dialect: Dialect::Documented,
            fields: phase(),
            ..ClientOptions::default()
        };
        let setting = Setting::with(options, move |asked| {
            let event = |pod: Bytes| framed(&documented::PodWatchResponse { pod });
            let part = |pod: &Pod| match apply {
                true => applied(asked, pod),
                false => pod.encode_to_vec().into(),
            };
            let messages = vec![
                event(part(&running("a", "Running", "10.0.0.1"))),
                event(part(&ending)),
                event(deleted.encode_to_vec().into()),
            ];
            match apply {
                true => Answer::Masked(messages, None),
                false => Answer::Hang(messages),
            }
        })
        .await;
        let mut watch = soon(setting.client.watch()).await.unwrap();
        // That the pod is ending is told too, but nobody asked for it.
        for (kind, pod) in [
            (EventKind::Modified, narrow("a", "Running")),
            (EventKind::Deleted, pod("a", "a").encode_to_vec().into()),
        ] {
            let event = soon(watch.next()).await.unwrap();
            assert_eq!(event, Some(Event { kind, pod }), "applied: {apply}");
        }
    }
}

#[tokio::test]
async fn an_unchecked_mask_is_for_the_server_to_judge() {
    let newest = Fields::unchecked("spec.newest").without_identity();
    let pod = Bytes::from_static(b"\x12\x03\xa0\x06\x01");
    let sent = pod.clone();
    let response = move || framed(&v1alpha1::GetPodResponse { pod: sent.clone() });
    let knows = {
        let response = response.clone();
        Setting::new(newest.clone(), move |_| {
            Answer::Masked(vec![response()], Some(0))
        })
        .await
    };
    assert_eq!(soon(knows.client.get("a")).await.unwrap(), pod);
    assert_eq!(knows.masks(), [Some("spec.newest".to_owned())]);

    let refuses = Setting::new(newest.clone(), |_| Answer::Refuse(3, "no such", None)).await;
    assert_eq!(
        refusal(soon(refuses.client.get("a")).await).message(),
        "no such"
    );

    let ignores = Setting::new(newest, move |_| Answer::Messages(vec![response()])).await;
    let status = refusal(soon(ignores.client.get("a")).await);
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("applies no masks"), "{status:?}");
    assert_eq!(status.violations()[0].field, "spec.newest");
    let status = refusal(soon(ignores.client.watch()).await);
    assert_eq!(status.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn a_key_that_is_not_ascii_is_asked_for_in_the_encoded_header() {
    let fields = Fields::parse("metadata.labels.`größe`").unwrap();
    let setting = Setting::new(fields, |asked| {
        assert!(asked.headers().contains_key("x-kubernetes-fieldmask-bin"));
        Answer::Messages(vec![list_of(&[])])
    })
    .await;
    assert!(soon(setting.client.list()).await.unwrap().is_empty());
    assert_eq!(setting.masks(), [None]);
}

#[tokio::test]
async fn a_follower_of_some_fields_mirrors_them_and_always_the_identity() {
    for dialect in [Dialect::V1alpha1, Dialect::Documented] {
        let (_directory, path) = socket();
        let _server = serve(&path, move |asked| {
            let pod = running("a", "Running", "10.0.0.1");
            let bytes = Bytes::from(pod.encode_to_vec());
            match (dialect, asked.uri().path()) {
                (Dialect::V1alpha1, _) => Answer::Hang(vec![
                    told(EventType::Added, &pod),
                    told(EventType::InitialSyncComplete, &Pod::default()),
                ]),
                (Dialect::Documented, "/Pods/ListPods") => {
                    Answer::Masked(vec![list_of(&[applied(asked, &pod)])], Some(0))
                }
                (Dialect::Documented, _) => {
                    Answer::Hang(vec![framed(&documented::PodWatchResponse { pod: bytes })])
                }
            }
        });
        let options = ClientOptions {
            dialect,
            fields: phase().without_identity(),
            ..ClientOptions::default()
        };
        let mut follow = Follow::new(&path, options, BackoffOptions::default());
        while !matches!(
            soon(follow.next()).await,
            FollowEvent::Change(Change::Synced)
        ) {}
        let mirror = follow.mirror();
        let found = mirror.by_uid("a").unwrap();
        assert_eq!(found.bytes(), &narrow("a", "Running"));
        assert_eq!(mirror.by_name("", "a").unwrap(), found);
        // The address is there, but was not asked for.
        assert_eq!(mirror.by_ip("10.0.0.1".parse().unwrap()), None);
    }
}
