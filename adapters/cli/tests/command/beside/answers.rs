//! The codes and texts with which calls are refused.

use std::path::Path;

use podsapi_client::{Client, ClientOptions};
use podsapi_tests::frames::{self, flag};
use podsapi_tests::raw_client::{RawClient, request_with};

use super::bed::Bed;
use super::fields::Difference;
use super::record::KUBELET;

/// A call that is unusual.
struct Case {
    name: &'static str,
    path: &'static str,
    header: Option<(&'static str, &'static [u8])>,
    body: &'static [u8],
}

const fn case(name: &'static str, path: &'static str, body: &'static [u8]) -> Case {
    Case {
        name,
        path,
        header: None,
        body,
    }
}

const GET: &str = "/v1alpha1.Pods/GetPod";
const LIST: &str = "/v1alpha1.Pods/ListPods";

const CASES: [Case; 11] = [
    case("a UID that nobody has", GET, b"\x0a\x04none"),
    case("an empty UID", GET, b""),
    case("a UID that is not UTF-8", GET, b"\x0a\x02\xff\xfe"),
    case("a request that does not decode", GET, b"\xff\xff\xff"),
    case("a field that nobody knows", LIST, b"\x7a\x01x"),
    case("a method that nobody has", "/v1alpha1.Pods/Nothing", b""),
    case("a service that nobody has", "/v1.Nothing/ListPods", b""),
    case("a path without a method", "/ListPods", b""),
    case("the documented path", "/Pods/ListPods", b""),
    Case {
        header: Some(("x-kubernetes-fieldmask", b"status.nothing")),
        ..case("a mask of no field", LIST, b"")
    },
    Case {
        header: Some(("grpc-encoding", b"zstd")),
        ..case("an encoding that is not the request's", LIST, b"")
    },
];

/// Asks all servers the same, and compares what they say.
pub(super) async fn compare(bed: &mut Bed) {
    let expected = answers(&bed.socket(KUBELET)).await;
    for server in bed.names() {
        let found = answers(&bed.socket(server)).await;
        for ((name, theirs), (_, ours)) in expected.iter().zip(&found) {
            if theirs != ours {
                bed.found.push(Difference {
                    server,
                    pod: "-".to_owned(),
                    path: format!("(answer) {name}"),
                    kubelet: theirs.clone(),
                    ours: ours.clone(),
                });
            }
        }
    }
}

/// Returns the code and the text of each case, in order.
async fn answers(socket: &Path) -> Vec<(&'static str, String)> {
    let mut answers = Vec::new();
    for case in &CASES {
        let mut client = RawClient::connect(socket).await;
        let (name, value) = case.header.unwrap_or(("te", b"trailers"));
        client
            .headers(1, &request_with(case.path, name, value), flag::END_HEADERS)
            .await;
        client
            .data(1, &frames::message(case.body), flag::END_STREAM)
            .await;
        answers.push((case.name, told(&client.reply(1).await)));
    }
    answers.push(("more calls than are allowed", refusal(socket).await));
    // So that a watch that ended is counted.
    let client = Client::connect(socket, ClientOptions::default()).await;
    drop(client.unwrap().watch().await.unwrap());
    answers
}

/// Calls until a call is refused; returns what is said then.
async fn refusal(socket: &Path) -> String {
    let mut client = RawClient::connect(socket).await;
    for _ in 0..500 {
        let stream = client.next_stream();
        let reply = client.unary(stream, LIST, b"").await;
        if reply.grpc_status() != "0" {
            return told(&reply);
        }
    }
    "none is refused".to_owned()
}

fn told(reply: &podsapi_tests::reply::Reply) -> String {
    let status = reply.status();
    format!("{:?}: {}", status.code(), status.message())
}
