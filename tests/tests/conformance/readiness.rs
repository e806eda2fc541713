//! What calls answer before every source has told all its pods, and after a restart.

use podsapi_client::{ClientError, Code, DEFAULT_SOCKET};
use podsapi_core::SourceKind;
use podsapi_tests::live::{Live, Socket, config, soon};

use crate::sample::{decoded, encoded, pod, serving};

/// Item 24. A list before the server is ready is refused.
#[tokio::test]
async fn a_list_before_the_server_is_ready_is_refused() {
    let socket = Socket::new();
    let live = silent(&socket);
    let refused = soon(live.client().await.list()).await.unwrap_err();
    assert_initializing(&refused);
}

/// Item 25. A get before the server is ready is refused.
#[tokio::test]
async fn a_get_before_the_server_is_ready_is_refused() {
    let socket = Socket::new();
    let live = silent(&socket);
    let refused = soon(live.client().await.get("a")).await.unwrap_err();
    assert_initializing(&refused);
}

/// Item 26. A watch before the server is ready is refused.
#[tokio::test]
async fn a_watch_before_the_server_is_ready_is_refused() {
    let socket = Socket::new();
    let live = silent(&socket);
    let client = live.client().await;
    let refused = match soon(client.watch()).await {
        Err(refused) => refused,
        Ok(mut watch) => soon(watch.next()).await.unwrap_err(),
    };
    assert_initializing(&refused);
}

/// The refusal names the sources that are waited for, and no others.
#[tokio::test]
async fn a_refusal_names_the_sources_that_are_waited_for() {
    let socket = Socket::new();
    let live = socket.start(config([
        ("first", SourceKind::Snapshot),
        ("second", SourceKind::Simulated),
        ("third", SourceKind::Manifests),
    ]));
    live.feed("second").list([encoded(&pod("a"))]);
    let refused = soon(live.client().await.list()).await.unwrap_err();
    let text = "FailedPrecondition: Kubelet is initializing: waiting for first, third";
    assert_eq!(refused.to_string(), text);
}

/// Item 28. The list succeeds on the default socket once the node is ready.
#[tokio::test]
async fn the_list_succeeds_on_the_usual_socket_once_the_node_is_ready() {
    assert_eq!(DEFAULT_SOCKET, "/var/lib/kubelet/pods-api/pods-api.sock");
    let socket = Socket::new();
    let live = silent(&socket);
    let client = live.client().await;
    soon(client.list()).await.unwrap_err();
    live.feed("node").list([encoded(&pod("a"))]);
    let listed = soon(client.list()).await.unwrap();
    assert_eq!(listed.iter().map(decoded).collect::<Vec<_>>(), [pod("a")]);
}

/// A node without pods is ready too, and its list is empty.
#[tokio::test]
async fn the_list_of_a_node_without_pods_is_empty() {
    let socket = Socket::new();
    let (live, _feed) = serving(&socket, &[]);
    let listed = soon(live.client().await.list()).await.unwrap();
    assert!(listed.is_empty());
}

/// Item 41. After a restart the server is not ready first, then serves true data, not the old.
#[tokio::test]
async fn a_restarted_server_is_not_ready_first_and_then_tells_the_truth() {
    let socket = Socket::new();
    let (first, _feed) = serving(&socket, &[pod("a"), pod("b")]);
    let listed = soon(first.client().await.list()).await.unwrap();
    assert_eq!(listed.len(), 2);
    first.stop().await;
    let second = silent(&socket);
    let client = second.client().await;
    let refused = soon(client.list()).await.unwrap_err();
    assert_initializing(&refused);
    second
        .feed("node")
        .list([encoded(&pod("b")), encoded(&pod("c"))]);
    let listed = soon(client.list()).await.unwrap();
    let listed: Vec<_> = listed.iter().map(decoded).collect();
    assert_eq!(listed, [pod("b"), pod("c")]);
}

fn silent(socket: &Socket) -> Live {
    socket.start(config([("node", SourceKind::Snapshot)]))
}

fn assert_initializing(refused: &ClientError) {
    assert_eq!(refused.code(), Code::FailedPrecondition);
    let text = refused.to_string();
    assert!(text.contains("Kubelet is initializing"), "{text}");
}
