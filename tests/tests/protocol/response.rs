//! The form of answers.

use podsapi_proto::google_rpc;
use podsapi_proto::v1alpha1::{EventType, GetPodRequest, ListPodsResponse, WatchPodsEvent};
use podsapi_tests::frames::{flag, message};
use podsapi_tests::raw_client::{RawClient, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};
use prost::Message;

use crate::{GET, LIST, WATCH};

/// Most bytes of a header block, each field counted with 32 bytes more.
const MAX_BLOCK_BYTES: usize = 7 << 10;

/// Line 6. The client checks every frame that it reads, in all of these tests: no padding, no
/// informational response, no push, no connection headers or capitals, nothing over a window.
#[tokio::test]
async fn no_answer_has_what_breaks_clients() {
    let served = Served::start();
    let mut client = served.client().await;
    client.call(1, WATCH, &[]).await;
    for (stream, path) in [(3, LIST), (5, GET), (7, "/unknown/Call")] {
        client.unary(stream, path, &[]).await;
    }
    let fields = request_with(LIST, "content-type", b"text/html");
    client
        .headers(9, &fields, flag::END_HEADERS | flag::END_STREAM)
        .await;
    client.reply(9).await;
    assert_eq!(client.replies.len(), 5);
    for reply in client.replies.values() {
        let length = reply.field("content-length");
        assert!(length.is_none_or(|length| length == reply.data.len().to_string()));
        let names = [&reply.headers, &reply.trailers]
            .into_iter()
            .flatten()
            .flatten();
        let pseudo = names.filter(|(name, _)| name.starts_with(':') && name != ":status");
        assert_eq!(pseudo.count(), 0, "{reply:?}");
    }
}

/// Lines 22, 45 and 47.
#[tokio::test]
async fn a_good_answer_is_headers_one_message_and_trailers() {
    let served = Served::start();
    let mut client = served.client().await;
    let reply = client.unary(1, LIST, &[]).await;
    let headers = reply.headers.clone().unwrap();
    assert_eq!(headers[0], (":status".to_owned(), b"200".to_vec()));
    assert!(headers.contains(&("content-type".to_owned(), b"application/grpc".to_vec())));
    assert!(!headers.iter().any(|(name, _)| name == "grpc-status"));
    let statuses = reply
        .trailers
        .iter()
        .flatten()
        .filter(|(name, _)| name == "grpc-status");
    assert_eq!(
        statuses
            .map(|(_, value)| value.as_slice())
            .collect::<Vec<_>>(),
        [b"0"]
    );
    assert_eq!(reply.field("grpc-message"), None);
    assert!(matches!(reply.reset, None | Some(0)));
    let [message] = reply.messages().try_into().unwrap();
    assert_eq!(reply.data.len(), message.len() + 5);
    assert_eq!(
        ListPodsResponse::decode(message.as_slice())
            .unwrap()
            .pods
            .len(),
        3
    );
}

/// Line 46.
#[tokio::test]
async fn an_error_is_one_header_block() {
    let served = Served::start();
    let mut client = served.client().await;
    let reply = client.unary(1, GET, b"\x0a\x06absent").await;
    assert!(reply.is_trailers_only());
    assert_eq!(reply.http_status(), "200");
    assert_eq!(
        reply.field("content-type").as_deref(),
        Some("application/grpc")
    );
    assert_eq!(reply.grpc_status(), "5");
    assert_eq!(reply.grpc_message(), "pod with UID absent not found");
}

/// Line 48.
#[tokio::test]
async fn a_watch_without_pods_shows_its_headers_at_once() {
    let served = Served::start_with(Setup {
        pods: 0,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.call(1, WATCH, &[]).await;
    let marked = |client: &RawClient| {
        client
            .replies
            .get(&1)
            .is_some_and(|reply| !reply.messages().is_empty())
    };
    client.until("the marker", marked).await;
    let reply = &client.replies[&1];
    assert_eq!(
        reply.field("content-type").as_deref(),
        Some("application/grpc")
    );
    assert!(!reply.is_over());
    let event = WatchPodsEvent::decode(reply.messages()[0].as_slice()).unwrap();
    assert_eq!(event.r#type(), EventType::InitialSyncComplete);
}

/// Line 49.
#[tokio::test]
async fn odd_characters_of_a_message_are_percent_encoded_and_no_others() {
    let served = Served::start();
    let mut client = served.client().await;
    for uid in [
        "a/b?c#d:e",
        "100%",
        "tab\tcr\rlf\nnul\0",
        "☺😈",
        "é",
        "\u{7f}~",
    ] {
        let mut body = vec![0x0a, u8::try_from(uid.len()).unwrap()];
        body.extend_from_slice(uid.as_bytes());
        let stream = client.next_stream();
        let reply = client.unary(stream, GET, &body).await;
        assert_eq!(reply.grpc_status(), "5");
        let text = reply.grpc_message();
        let bytes = text.as_bytes();
        assert!(
            bytes.iter().all(|byte| (0x20..=0x7e).contains(byte)),
            "{text}"
        );
        let escapes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%');
        for (at, _) in escapes {
            let code = std::str::from_utf8(&bytes[at + 1..at + 3]).unwrap();
            let byte = u8::from_str_radix(code, 16).unwrap();
            assert!(byte == b'%' || !(0x20..=0x7e).contains(&byte), "{text}");
            assert_eq!(code, code.to_uppercase());
        }
    }
    let stream = client.next_stream();
    let reply = client.unary(stream, GET, b"\x0a\x09a/b?c#d:e").await;
    assert_eq!(reply.grpc_message(), "pod with UID a/b?c#d:e not found");
    let stream = client.next_stream();
    let reply = client.unary(stream, GET, b"\x0a\x04100%").await;
    assert_eq!(reply.grpc_message(), "pod with UID 100%25 not found");
}

/// Line 51.
#[tokio::test]
async fn no_header_block_is_larger_than_every_client_takes() {
    let served = Served::start();
    let mut client = served.client().await;
    // Each of these could be echoed, and three bytes for each byte of it at that.
    let long = "%".repeat(7_000);
    let uid = GetPodRequest {
        pod_uid: long.clone(),
    }
    .encode_to_vec();
    client.call(1, GET, &uid).await;
    let path = format!("/{long}/{long}");
    client.call(3, &path, &[]).await;
    let fields = request_with(LIST, "grpc-timeout", long.as_bytes());
    client.headers(5, &fields, flag::END_HEADERS).await;
    client.data(5, &message(&[]), flag::END_STREAM).await;
    for (stream, status) in [(1, "5"), (3, "12"), (5, "13")] {
        let reply = client.reply(stream).await;
        assert_eq!(reply.grpc_status(), status);
        for block in [reply.headers, reply.trailers].into_iter().flatten() {
            let size: usize = block
                .iter()
                .map(|(name, value)| name.len() + value.len() + 32)
                .sum();
            assert!(size <= MAX_BLOCK_BYTES, "{size} bytes");
        }
    }
}

/// Line 59.
#[tokio::test]
async fn waiting_events_share_data_frames() {
    let served = Served::start_with(Setup {
        pods: 200,
        ..Setup::default()
    });
    let mut client = served.client().await;
    client.call(1, WATCH, &[]).await;
    let all = |client: &RawClient| {
        client
            .replies
            .get(&1)
            .is_some_and(|reply| reply.messages().len() == 201)
    };
    client.until("200 pods and the marker", all).await;
    let frames = client.replies[&1].data_frames;
    assert!(frames <= 60, "{frames} frames for 201 small messages");
}

/// Line 50: clients believe the details over the headers, so the details are read by themselves, also
/// when there was no room for the whole message.
#[tokio::test]
async fn details_are_unpadded_and_say_what_the_headers_say() {
    let served = Served::start();
    let mut client = served.client().await;
    // Lengths of which each leaves another rest in base64.
    for uid in ["a", "ab", "abc"] {
        let stream = client.next_stream();
        let body = GetPodRequest {
            pod_uid: uid.to_owned(),
        };
        let reply = client.unary(stream, GET, &body.encode_to_vec()).await;
        assert_same_in_details(&reply, "POD_NOT_FOUND");
        let said = format!("pod with UID {uid} not found");
        assert_eq!(reply.status().message(), said);
    }
    // Many unknown paths: the message and the violations take more than there is room for.
    let paths: Vec<_> = (0..400).map(|n| format!("no.such.field{n}")).collect();
    let mask = paths.join(",");
    let fields = request_with(LIST, "x-kubernetes-fieldmask", mask.as_bytes());
    let stream = client.next_stream();
    client.headers(stream, &fields, flag::END_HEADERS).await;
    client.data(stream, &message(&[]), flag::END_STREAM).await;
    let reply = client.reply(stream).await;
    assert_eq!(reply.grpc_status(), "3");
    assert_same_in_details(&reply, "INVALID_FIELD_MASK");
    let told = reply.status().violations().len();
    assert!((1..400).contains(&told), "{told} violations");
}

/// Compares the details of an error, decoded from their own field, with its other fields.
fn assert_same_in_details(reply: &Reply, reason: &str) {
    let encoded = reply.field("grpc-status-details-bin").expect("details");
    let details = google_rpc::Status::decode(&*base64(&encoded)).expect("a status");
    assert_eq!(details.code.to_string(), reply.grpc_status());
    assert_eq!(details.message, reply.status().message());
    let info = &details.details[0];
    assert_eq!(info.type_url, "type.googleapis.com/google.rpc.ErrorInfo");
    let info = google_rpc::ErrorInfo::decode(&*info.value).expect("a reason");
    assert_eq!(info.reason, reason);
}

/// Decodes the standard alphabet without padding, and nothing else.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let sextet = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => panic!("{text} is not of the alphabet"),
    };
    let mut bytes = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes() {
        bits = bits << 6 | u32::from(sextet(letter));
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.extend(u8::try_from(bits >> held));
            bits &= (1 << held) - 1;
        }
    }
    assert!(bits == 0 && held < 6, "{text} ends in bits of nothing");
    bytes
}
