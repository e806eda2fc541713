//! A server in front of the API server that knows no encoding but JSON.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use podsapi_proto::json::{self, Value};
use podsapi_proto::schema::Message as Schema;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use super::api::{Api, Question};
use super::node::{Node, current};
use super::plane::Plane;
use super::pods::{NOTHING, planned};

/// Serves without TLS until the value goes.
struct Front {
    port: u16,
    refused: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Front {
    async fn of(api: Api) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let refused = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&refused);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _peer)) = listener.accept().await {
                let (api, count) = (api.clone(), Arc::clone(&count));
                let service =
                    service_fn(move |request| answer(api.clone(), count.clone(), request));
                connections.spawn(async move {
                    let served =
                        http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                    // The client may leave when it likes.
                    let _ended = served.await;
                });
            }
        });
        Self {
            port,
            refused,
            _tasks: tasks,
        }
    }
}

type Body = BoxBody<Bytes, hyper::Error>;

async fn answer(
    api: Api,
    refused: Arc<AtomicUsize>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    let accept = request.headers().get("accept");
    let accept = accept.map_or("", |value| value.to_str().unwrap());
    if accept.starts_with("application/vnd.kubernetes.protobuf") {
        refused.fetch_add(1, Ordering::Relaxed);
        let empty = Full::new(Bytes::new()).map_err(|never| match never {});
        let response = Response::builder().status(406).body(empty.boxed());
        return Ok(response.unwrap());
    }
    let path = request.uri().path_and_query().unwrap().as_str();
    let answer = api.open(Question::get(path)).await.unwrap();
    Ok(answer.map(BodyExt::boxed))
}

#[tokio::test(flavor = "multi_thread")]
async fn where_only_json_is_to_be_had_the_same_pods_are_served() {
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "fallback", "node-of-fallback");
    api.namespace(space).await;
    api.create(space, &planned("before", name)).await;
    let front = Front::of(api.clone()).await;
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
         contexts: [{{name: test, context: {{cluster: test, user: test}}}}]\n\
         clusters: [{{name: test, cluster: {{server: 'http://127.0.0.1:{}'}}}}]\n\
         users: [{{name: test, user: {{}}}}]\n",
        front.port
    );
    std::fs::write(&kubeconfig, text).unwrap();
    let mut node = Node::start(name, &kubeconfig, NOTHING).await;
    assert!(
        front.refused.load(Ordering::Relaxed) > 0,
        "it was asked for protobuf first"
    );
    api.create(space, &planned("during", name)).await;
    let running = r#"{"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}}"#;
    api.patch(space, "before/status", running).await;
    api.create(space, &planned("gone", name)).await;
    api.delete(space, "gone", 0).await;

    let mut expected = BTreeMap::new();
    for pod in ["before", "during"] {
        let path = format!("/api/v1/namespaces/{space}/pods/{pod}");
        let text = api.done(Question::get(&path)).await;
        let mut value = json::parse_json(&text).unwrap();
        let Value::Map(map) = &mut value else {
            panic!("no pod: {value:?}");
        };
        // What it is: an encoded pod does not say that it is one.
        map.remove("apiVersion");
        map.remove("kind");
        let uid = value.get("metadata").and_then(|found| found.get("uid"));
        expected.insert(uid.unwrap().as_str().unwrap().to_owned(), value);
    }
    node.until("the pods in the server's own words", |told| {
        let read = |(uid, pod): (String, Bytes)| (uid, json::decode(Schema::POD, &pod).unwrap());
        current(told).into_iter().map(read).eq(expected.clone())
    })
    .await;
}
