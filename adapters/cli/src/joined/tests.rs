//! What the server is told of sources behind a join.

use std::num::NonZeroU32;

use bytes::Bytes;
use podsapi_core::{Config, EncodedPod, Pods, SourceKind};
use podsapi_h2::{Limits, Runtime};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::diagnostics::{Source, SourceState};
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_sources::view::RuntimeView;
use prost::Message;

use super::*;

fn joined(config: Config) -> (Server<TokioRuntime>, Joined) {
    let owner = SourceConfig::new("manifests", SourceKind::Manifests);
    let witness = SourceConfig::new("cri", SourceKind::Cri);
    let config = Config {
        sources: vec![owner.clone(), witness.clone()],
        ..config
    };
    let runtime = TokioRuntime::new();
    let server = Server::new(Pods::new(config, runtime.now()), Limits::default(), runtime);
    let joined = Joined::new(
        &server,
        &[owner],
        Some(&witness),
        NodeFacts::default(),
        ShownUids::default(),
    )
    .unwrap();
    (server, joined)
}

fn pod(uid: &str) -> EncodedPod {
    let metadata = ObjectMeta {
        uid: Some(uid.to_owned()),
        name: Some(format!("name-{uid}")),
        namespace: Some("default".to_owned()),
        ..ObjectMeta::default()
    };
    let pod = Pod {
        metadata: Some(metadata),
        ..Pod::default()
    };
    EncodedPod::parse(Bytes::from(pod.encode_to_vec())).unwrap()
}

fn list(sink: &Sink, uids: &[&str]) {
    sink.begin().unwrap();
    for uid in uids {
        sink.put(pod(uid)).unwrap();
    }
    sink.complete().unwrap();
}

fn source(server: &Server<TokioRuntime>, name: &str) -> Source {
    let sources = server.diagnostics().sources;
    let found = sources.into_iter().find(|source| source.name == name);
    found.unwrap()
}

#[tokio::test]
async fn the_gate_waits_for_the_first_view_of_the_runtime() {
    let (server, joined) = joined(Config::default());
    list(&joined.sink(0, "s", || {}), &["a", "b"]);
    assert_eq!(server.diagnostics().waiting_for, ["cri"]);
    joined.hear(Word::Runtime {
        name: "fake".to_owned(),
        version: "1".to_owned(),
    });
    joined.hear(Word::View(RuntimeView::default()));
    assert!(server.diagnostics().ready);
    assert_eq!(server.diagnostics().pods, 2);
    assert_eq!(source(&server, "cri").state(), SourceState::Live);

    joined.hear(Word::Problem(Some("out of reach".to_owned())));
    joined.hear(Word::Lost);
    assert_eq!(source(&server, "cri").state(), SourceState::Lost);
    assert_eq!(source(&server, "cri").last_error, "out of reach");
    assert_eq!(source(&server, "manifests").last_error, "");
    assert_eq!(server.diagnostics().pods, 2);
}

#[tokio::test]
async fn a_list_with_too_many_pods_is_told_as_a_trouble_and_ends_no_source() {
    let (server, joined) = joined(Config {
        max_pods_per_source: NonZeroU32::MIN,
        ..Config::default()
    });
    let sink = joined.sink(0, "s", || {});
    sink.problem(Some("half read".to_owned()));
    list(&sink, &["a", "b"]);
    let told = source(&server, "manifests").last_error;
    assert!(told.starts_with("half read; "), "{told}");
    assert!(told.ends_with("(not served)"), "{told}");
    sink.problem(None);
    list(&sink, &["a"]);
    assert_eq!(source(&server, "manifests").last_error, "");
}

#[tokio::test]
async fn a_source_that_speaks_out_of_turn_is_told_so() {
    let (_server, joined) = joined(Config::default());
    let refused = joined.sink(0, "s", || {}).complete();
    assert_eq!(refused, Err(SourceError::CompleteBeforeBegin));
}

#[tokio::test]
async fn without_a_runtime_the_gate_waits_for_the_owners_alone() {
    let owner = SourceConfig::new("apiserver", SourceKind::Apiserver);
    let config = Config {
        sources: vec![owner.clone()],
        ..Config::default()
    };
    let runtime = TokioRuntime::new();
    let server = Server::new(Pods::new(config, runtime.now()), Limits::default(), runtime);
    let joined = Joined::new(
        &server,
        &[owner],
        None,
        NodeFacts::default(),
        ShownUids::default(),
    )
    .unwrap();
    let sink = joined.sink(0, "s", || {});
    sink.stale(true);
    list(&sink, &["a"]);
    assert!(server.diagnostics().ready);
    assert_eq!(server.diagnostics().sources.len(), 1);
    assert!(source(&server, "apiserver").stale);
    sink.problem(Some("out of reach".to_owned()));
    assert_eq!(source(&server, "apiserver").last_error, "out of reach");
    sink.stale(false);
    assert!(!source(&server, "apiserver").stale);
}
