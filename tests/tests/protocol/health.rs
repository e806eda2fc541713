//! The health service.

use core::time::Duration;

use podsapi_h2::Limits;
use podsapi_proto::health::{
    HealthCheckRequest, HealthCheckResponse, HealthListResponse,
    health_check_response::ServingStatus,
};
use podsapi_tests::frames::{code, flag, frame, kind, message, reset};
use podsapi_tests::raw_client::{RawClient, request};
use podsapi_tests::served::{Served, Setup};
use prost::Message;

use crate::LIST as LIST_PODS;

const CHECK: &str = "/grpc.health.v1.Health/Check";
const LIST: &str = "/grpc.health.v1.Health/List";
const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The services that serve pods, and the server as a whole.
const PODS: [&str; 3] = ["", "Pods", "v1alpha1.Pods"];
/// The services that answer at any time.
const OTHERS: [&str; 4] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "podsapi.v1.Diagnostics",
];

fn asked(service: &str) -> Vec<u8> {
    let service = service.to_owned();
    HealthCheckRequest { service }.encode_to_vec()
}

fn unready() -> Setup {
    Setup {
        ready: false,
        ..Setup::default()
    }
}

async fn check(client: &mut RawClient, service: &str) -> ServingStatus {
    let stream = client.next_stream();
    let reply = client.unary(stream, CHECK, &asked(service)).await;
    assert_eq!(reply.grpc_status(), "0", "{service}");
    let messages = reply.messages();
    assert_eq!(messages.len(), 1);
    status(&messages[0])
}

fn status(message: &[u8]) -> ServingStatus {
    let response = HealthCheckResponse::decode(message).expect("a response");
    response.status()
}

/// Reads until a watch has told so many states, and returns them.
async fn states(client: &mut RawClient, stream: u32, count: usize) -> Vec<ServingStatus> {
    let told = |client: &RawClient| match client.replies.get(&stream) {
        Some(reply) => reply.messages(),
        None => Vec::new(),
    };
    client
        .until("states of a watch", |client| told(client).len() >= count)
        .await;
    told(client).iter().map(|message| status(message)).collect()
}

/// Line 61.
#[tokio::test]
async fn pods_are_served_once_ready_and_the_other_services_before() {
    let served = Served::start_with(unready());
    let mut client = served.client().await;
    for (services, expected) in [
        (&PODS[..], ServingStatus::NotServing),
        (&OTHERS[..], ServingStatus::Serving),
    ] {
        for service in services {
            assert_eq!(check(&mut client, service).await, expected, "{service}");
        }
    }
    served.complete();
    for service in PODS.iter().chain(&OTHERS) {
        let found = check(&mut client, service).await;
        assert_eq!(found, ServingStatus::Serving, "{service}");
    }
}

/// Line 61.
#[tokio::test]
async fn a_check_of_an_unknown_service_is_not_found() {
    let served = Served::start();
    let mut client = served.client().await;
    for (stream, name) in [(1, "pods"), (3, "v1alpha1.Pods/ListPods"), (5, "Pods ")] {
        let reply = client.unary(stream, CHECK, &asked(name)).await;
        assert!(reply.is_trailers_only(), "{reply:?}");
        assert_eq!(reply.grpc_status(), "5", "{name}");
    }
    let reply = client.unary(7, CHECK, b"\x0a\x09").await;
    assert_eq!(reply.grpc_status(), "13");
}

/// Line 62.
#[tokio::test]
async fn a_watch_is_told_the_state_at_once_and_each_change_once() {
    let served = Served::start_with(unready());
    let mut client = served.client().await;
    client.call(1, WATCH, &asked("v1alpha1.Pods")).await;
    client
        .call(3, WATCH, &asked("podsapi.v1.Diagnostics"))
        .await;
    let first = states(&mut client, 1, 1).await;
    assert_eq!(first, [ServingStatus::NotServing]);
    assert_eq!(states(&mut client, 3, 1).await, [ServingStatus::Serving]);
    served.complete();
    let both = [ServingStatus::NotServing, ServingStatus::Serving];
    assert_eq!(states(&mut client, 1, 2).await, both);
    // Neither further lists nor changes of pods are news of health.
    served.put(1, 10);
    served.remove(2);
    assert_eq!(check(&mut client, "").await, ServingStatus::Serving);
    assert_eq!(states(&mut client, 1, 2).await, both);
    assert_eq!(states(&mut client, 3, 1).await, [ServingStatus::Serving]);
}

/// Line 62.
#[tokio::test]
async fn a_watch_of_an_unknown_service_says_so_and_stays_open() {
    let served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &asked("nobody")).await;
    let first = states(&mut client, 1, 1).await;
    assert_eq!(first, [ServingStatus::ServiceUnknown]);
    client.ping(b"still on").await;
    assert!(!client.replies[&1].is_over());
    client.send(&reset(1, code::CANCEL)).await;
    let good = client.unary(3, LIST_PODS, &[]).await;
    assert_eq!(good.grpc_status(), "0");
}

/// Line 63.
#[tokio::test]
async fn a_stopping_server_does_not_serve_whatever_its_sources_say() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &asked("")).await;
    client.call(3, WATCH, &asked("grpc.health.v1.Health")).await;
    assert_eq!(states(&mut client, 1, 1).await, [ServingStatus::Serving]);
    assert_eq!(states(&mut client, 3, 1).await, [ServingStatus::Serving]);

    served.server().announce_shutdown();
    let both = [ServingStatus::Serving, ServingStatus::NotServing];
    assert_eq!(states(&mut client, 1, 2).await, both);
    assert_eq!(states(&mut client, 3, 2).await, both);
    assert!(client.go_aways.is_empty(), "{:?}", client.go_aways);
    served.tell_again();
    assert_eq!(check(&mut client, "").await, ServingStatus::NotServing);

    served.ask_to_stop();
    for stream in [1, 3] {
        let reply = client.reply(stream).await;
        assert_eq!(reply.grpc_status(), "14");
        assert_eq!(reply.messages().len(), 2);
    }
    client.end().await;
    served.ended().await;
}

/// Line 63.
#[tokio::test]
async fn the_end_is_told_to_watches_before_they_end() {
    let mut served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &asked("Pods")).await;
    assert_eq!(states(&mut client, 1, 1).await, [ServingStatus::Serving]);
    served.ask_to_stop();
    let both = [ServingStatus::Serving, ServingStatus::NotServing];
    assert_eq!(states(&mut client, 1, 2).await, both);
    assert!(client.go_aways.is_empty(), "{:?}", client.go_aways);
    let reply = client.reply(1).await;
    assert_eq!(reply.grpc_status(), "14");
    assert_eq!(reply.messages().len(), 2);
    client.end().await;
    served.ended().await;
}

/// Line 64.
#[tokio::test]
async fn a_list_has_every_service() {
    let served = Served::start_with(unready());
    let mut client = served.client().await;
    let reply = client.unary(1, LIST, &[]).await;
    assert_eq!(reply.grpc_status(), "0");
    let list = HealthListResponse::decode(&*reply.messages()[0]).expect("a response");
    let mut expected: Vec<_> = PODS.iter().chain(&OTHERS).copied().collect();
    expected.sort_unstable();
    let names: Vec<_> = list.statuses.keys().map(String::as_str).collect();
    assert_eq!(names, expected);
    let status = |name: &str| list.statuses[name].status();
    assert_eq!(status("Pods"), ServingStatus::NotServing);
    assert_eq!(status("podsapi.v1.Diagnostics"), ServingStatus::Serving);
}

/// Lines 58 and 62: what waits for a window is told as it is when the window opens.
#[tokio::test]
async fn a_watch_without_a_window_is_told_the_state_that_holds_when_it_opens() {
    let served = Served::start_with(unready());
    let mut client = served.client().await;
    client.send_settings(&[(4, 0)]).await;
    client.ping(b"settings").await;
    client.call(1, WATCH, &asked("")).await;
    let open = |client: &RawClient| client.replies.contains_key(&1);
    client.until("the watch's headers", open).await;
    served.complete();
    served.server().announce_shutdown();
    client.ping(b"changes!").await;
    client.grant(1, 1000).await;
    let told = states(&mut client, 1, 1).await;
    assert_eq!(told, [ServingStatus::NotServing]);
    assert_eq!(check_with_window(&mut client).await, "0");
    assert_eq!(states(&mut client, 1, 1).await.len(), 1, "told twice");
}

async fn check_with_window(client: &mut RawClient) -> String {
    let stream = client.next_stream();
    client.call(stream, CHECK, &asked("")).await;
    client.grant(stream, 1000).await;
    client.reply(stream).await.grpc_status()
}

/// Line 56: a watch that takes nothing does not stay for ever.
#[tokio::test]
async fn a_watch_of_health_that_is_not_read_ends() {
    let served = Served::start_with(Setup {
        limits: Limits {
            stuck_stream_timeout: Duration::from_millis(50),
            ..Limits::default()
        },
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.send_settings(&[(4, 0)]).await;
    client.call(1, WATCH, &asked("")).await;
    let reply = client.reply(1).await;
    assert_eq!(reply.grpc_status(), "4");
    assert!(reply.data.is_empty());
}

/// Line 61: health is asked by those who wait for the server, so it costs no rate and waits for
/// nothing; two messages are as wrong as elsewhere.
#[tokio::test]
async fn a_check_takes_exactly_one_message() {
    let served = Served::start();
    let mut client = served.client().await;
    for (stream, bodies) in [(1, 0), (3, 2)] {
        client
            .headers(stream, &request(CHECK), flag::END_HEADERS)
            .await;
        let body = message(&[]).repeat(bodies);
        client
            .send(&frame(kind::DATA, flag::END_STREAM, stream, &body))
            .await;
        assert_eq!(client.reply(stream).await.grpc_status(), "12");
    }
}
