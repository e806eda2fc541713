//! The reflection service.

use core::iter::repeat;
use core::time::Duration;
use std::collections::BTreeSet;

use podsapi_grpc::trailers::DETAIL_TYPES;
use podsapi_h2::Limits;
use podsapi_proto::google_rpc;
use podsapi_proto::reflection::{
    ErrorResponse, FileDescriptorResponse, ServerReflectionRequest, ServerReflectionResponse,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use podsapi_tests::frames::{code, flag, message, reset, setting};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};
use prost::Message;

use crate::LIST;
use crate::response::base64;

const V1: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const V1ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

fn question(question: MessageRequest) -> Vec<u8> {
    let request = ServerReflectionRequest {
        host: "here".to_owned(),
        message_request: Some(question),
    };
    message(&request.encode_to_vec())
}

fn services() -> Vec<u8> {
    question(MessageRequest::ListServices("*".to_owned()))
}

fn symbol(name: &str) -> Vec<u8> {
    question(MessageRequest::FileContainingSymbol(name.to_owned()))
}

async fn open(client: &mut RawClient, stream: u32, path: &str) {
    client
        .headers(stream, &request(path), flag::END_HEADERS)
        .await;
}

fn answers(reply: &Reply) -> Vec<MessageResponse> {
    let messages = reply.messages().into_iter();
    messages
        .map(|message| {
            let response = ServerReflectionResponse::decode(&*message).expect("a response");
            assert_eq!(response.valid_host, "here");
            assert!(response.original_request.is_some());
            response.message_response.expect("an answer")
        })
        .collect()
}

/// Reads until a stream has so many answers, and returns the last one.
async fn answer(client: &mut RawClient, stream: u32, count: usize) -> MessageResponse {
    let has = |client: &RawClient| match client.replies.get(&stream) {
        Some(reply) => reply.messages().len() >= count || reply.is_over(),
        None => false,
    };
    client.until("an answer", has).await;
    let mut answers = answers(&client.replies[&stream]);
    assert_eq!(answers.len(), count);
    answers.pop().expect("count is not 0")
}

/// Lines 67, 68, 69: both versions, each question answered while the client's side is open.
#[tokio::test]
async fn each_question_is_answered_before_the_client_ends_its_side() {
    let served = Served::start_with(Setup {
        ready: false,
        ..Setup::default()
    });
    let mut client = served.client().await;
    for (stream, path) in [(1, V1), (3, V1ALPHA)] {
        open(&mut client, stream, path).await;
        let headers = |client: &RawClient| client.replies.contains_key(&stream);
        client.until("headers before any question", headers).await;
        for count in 1..=3 {
            client.data(stream, &services(), 0).await;
            let answer = answer(&mut client, stream, count).await;
            let MessageResponse::ListServicesResponse(list) = answer else {
                panic!("{answer:?}")
            };
            let names: Vec<_> = list.service.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(
                names,
                [
                    "Pods",
                    "grpc.health.v1.Health",
                    "grpc.reflection.v1.ServerReflection",
                    "grpc.reflection.v1alpha.ServerReflection",
                    "podsapi.v1.Diagnostics",
                    "v1alpha1.Pods",
                ]
            );
        }
        client.data(stream, &[], flag::END_STREAM).await;
        let reply = client.reply(stream).await;
        assert_eq!(reply.grpc_status(), "0");
        assert_eq!(reply.reset, None);
    }
}

/// Lines 68 and 70 to 73: many questions in one frame, answered in their order.
#[tokio::test]
async fn many_questions_at_once_are_answered_in_their_order() {
    let served = Served::start();
    let mut client = served.client().await;
    open(&mut client, 1, V1).await;
    let file = MessageRequest::FileByFilename("v1alpha1/pods.proto".to_owned());
    let body = [
        symbol("v1alpha1.Pods.ListPods"),
        symbol("nothing"),
        question(file),
        symbol("Pods"),
    ]
    .concat();
    client.data(1, &body, flag::END_STREAM).await;
    let reply = client.reply(1).await;
    assert_eq!(reply.grpc_status(), "0");
    let found = answers(&reply);
    let counts: Vec<_> = found
        .iter()
        .map(|answer| match answer {
            MessageResponse::FileDescriptorResponse(FileDescriptorResponse {
                file_descriptor_proto,
            }) => Ok(file_descriptor_proto.len()),
            MessageResponse::ErrorResponse(ErrorResponse { error_code, .. }) => Err(*error_code),
            MessageResponse::AllExtensionNumbersResponse(_)
            | MessageResponse::ListServicesResponse(_) => panic!("{answer:?}"),
        })
        .collect();
    assert_eq!(counts, [Ok(1), Err(5), Ok(1), Ok(5)]);
    assert!(reply.data.len() < 4 << 20);
}

/// Whatever a status carries as details is defined here, so that a client can show it.
#[tokio::test]
async fn the_details_of_every_error_are_defined_by_both_versions() {
    let served = Served::start_with(Setup {
        qps: 1,
        ..Setup::default()
    });
    let mut client = served.client().await;
    let mask = request_with(LIST, "x-kubernetes-fieldmask", b"no.such");
    let mut types = BTreeSet::new();
    let mut status = String::new();
    for fields in [mask].into_iter().chain(repeat(request(LIST))) {
        let stream = client.next_stream();
        client.headers(stream, &fields, flag::END_HEADERS).await;
        client.data(stream, &message(&[]), flag::END_STREAM).await;
        let reply = client.reply(stream).await;
        if let Some(details) = reply.field("grpc-status-details-bin") {
            let details = google_rpc::Status::decode(&*base64(&details)).expect("a status");
            types.extend(details.details.into_iter().map(|any| any.type_url));
        }
        status = reply.grpc_status();
        // The calls of the first second are used up.
        if status == "8" {
            break;
        }
    }
    assert_eq!(status, "8");
    let prefix = "type.googleapis.com/";
    assert_eq!(
        types,
        DETAIL_TYPES.map(|name| format!("{prefix}{name}")).into()
    );

    for path in [V1, V1ALPHA] {
        let stream = client.next_stream();
        open(&mut client, stream, path).await;
        let names = types.iter().map(|url| symbol(&url[prefix.len()..]));
        let body = names.collect::<Vec<_>>().concat();
        client.data(stream, &body, flag::END_STREAM).await;
        let reply = client.reply(stream).await;
        let found = answers(&reply);
        assert_eq!(found.len(), types.len());
        for answer in found {
            let is_file = matches!(answer, MessageResponse::FileDescriptorResponse(_));
            assert!(is_file, "{path}: {answer:?}");
        }
    }
}

/// Lines 36 and 68: questions are found however the bytes are cut.
#[tokio::test]
async fn a_question_may_come_byte_by_byte() {
    let served = Served::start();
    let mut client = served.client().await;
    open(&mut client, 1, V1).await;
    for byte in services() {
        client.data(1, &[byte], 0).await;
    }
    answer(&mut client, 1, 1).await;
    client.data(1, &[], flag::END_STREAM).await;
    assert_eq!(client.reply(1).await.grpc_status(), "0");
}

/// Lines A40 and A45, for what no other request has: of a oneof the last one counts, and a negative
/// int32 takes ten bytes, of which a decoder may find only the low half.
#[tokio::test]
async fn of_two_questions_in_one_the_last_counts() {
    let served = Served::start();
    let mut client = served.client().await;
    open(&mut client, 1, V1).await;
    let file = MessageRequest::FileByFilename("v1alpha1/pods.proto".to_owned());
    let (list, file) = (services(), question(file));
    let both = |first: &[u8], second: &[u8]| message(&[&first[5..], &second[5..]].concat());
    let negative = |number: &[u8]| {
        let extension = [b"\x0a\x01x\x10", number].concat();
        let length = u8::try_from(extension.len()).expect("a few");
        message(&[b"\x0a\x04here\x2a", &[length][..], &extension].concat())
    };
    let low = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let body = [
        both(&list, &file),
        both(&file, &list),
        negative(&low),
        negative(&[0xff, 0xff, 0xff, 0xff, 0x0f]),
    ];
    client.data(1, &body.concat(), flag::END_STREAM).await;
    let reply = client.reply(1).await;
    assert_eq!(reply.grpc_status(), "0");
    let found = answers(&reply);
    assert!(
        matches!(
            found[..],
            [
                MessageResponse::FileDescriptorResponse(_),
                MessageResponse::ListServicesResponse(_),
                MessageResponse::ErrorResponse(_),
                MessageResponse::ErrorResponse(_),
            ]
        ),
        "{found:?}"
    );
    let messages = reply.messages();
    let numbers = messages[2..].iter().map(|message| {
        let response = ServerReflectionResponse::decode(message.as_slice()).expect("a response");
        match response
            .original_request
            .and_then(|request| request.message_request)
        {
            Some(MessageRequest::FileContainingExtension(asked)) => asked.extension_number,
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [-1, -1]);
}

/// Line 73.
#[tokio::test]
async fn a_stream_ends_with_what_is_no_question() {
    let served = Served::start();
    let mut client = served.client().await;
    let too_long = [&[0, 0, 1, 0, 1][..], &[0; 9]].concat();
    for (number, (body, status)) in [
        (message(&[]), "3"),
        (message(b"\x0a\x09"), "13"),
        (vec![0, 0, 0], "13"),
        (vec![1, 0, 0, 0, 0], "13"),
        (too_long, "8"),
    ]
    .into_iter()
    .enumerate()
    {
        let stream = 2 * u32::try_from(number).expect("a few") + 1;
        open(&mut client, stream, V1).await;
        client.data(stream, &body, flag::END_STREAM).await;
        assert_eq!(client.reply(stream).await.grpc_status(), status, "{body:?}");
    }
    // Nothing asked is nothing wrong.
    open(&mut client, 21, V1).await;
    client.data(21, &[], flag::END_STREAM).await;
    assert_eq!(client.reply(21).await.grpc_status(), "0");
}

/// The bounds of a stream: questions, and the time between them.
#[tokio::test]
async fn a_stream_has_so_many_questions_and_so_much_time() {
    let served = Served::start_with(Setup {
        limits: Limits {
            max_reflection_requests: 3,
            reflection_idle_timeout: Duration::from_secs(2),
            ..Limits::default()
        },
        ..Setup::default()
    });
    let mut client = served.client().await;
    open(&mut client, 1, V1).await;
    client.data(1, &services().repeat(4), 0).await;
    let reply = client.reply(1).await;
    assert_eq!(
        (reply.grpc_status().as_str(), answers(&reply).len()),
        ("8", 3)
    );
    let page = served.server().metrics_text();
    assert!(
        page.contains("\npodsapi_calls_refused_total{reason=\"questions\"} 1\n"),
        "{page}"
    );

    open(&mut client, 3, V1).await;
    client.data(3, &services(), 0).await;
    let reply = client.reply(3).await;
    assert_eq!(
        (reply.grpc_status().as_str(), answers(&reply).len()),
        ("4", 1)
    );
    assert_eq!(client.unary(5, LIST, &[]).await.grpc_status(), "0");
}

/// A stream whose answers are not read costs one answer, and its questions wait in the windows.
#[tokio::test]
async fn answers_that_are_not_read_hold_back_the_questions() {
    let served = Served::start();
    let mut client = served.client().await;
    client
        .send_settings(&[(setting::INITIAL_WINDOW_SIZE, 0)])
        .await;
    open(&mut client, 1, V1).await;
    let questions = services().repeat(16_000 / services().len());
    for _ in 0..4 {
        client.data(1, &questions, 0).await;
    }
    client.ping(b"all sent").await;
    let granted = client.granted.get(&1).copied().unwrap_or_default();
    assert!(granted <= 32_768, "{granted} bytes were taken");
    client.send(&reset(1, code::CANCEL)).await;
    let page = || served.server().metrics_text();
    client.ping(b"is reset").await;
    drop(client);
    served.is_empty().await;
    assert!(page().contains("\npodsapi_calls 0\n"), "{}", page());
}

/// Line 9, for a stream that has no end of its own.
#[tokio::test]
async fn a_stream_ends_when_the_server_stops() {
    let mut served = Served::start();
    let mut client = served.client().await;
    open(&mut client, 1, V1).await;
    client.data(1, &services(), 0).await;
    answer(&mut client, 1, 1).await;
    served.ask_to_stop();
    let reply = client.reply(1).await;
    assert_eq!(reply.grpc_status(), "14");
    client.end().await;
    served.ended().await;
}
