//! Whatever clients put into `:authority` over a UNIX socket, the call is served.

use podsapi_tests::frames::{self, code, flag, kind, message};
use podsapi_tests::raw_client::{request, request_with};
use podsapi_tests::served::Served;

use crate::LIST;

/// Line 16: forms seen from clients, and forms that h2 is known to refuse.
const FORMS: [&[u8]; 29] = [
    b"localhost",
    b"%2Fvar%2Flib%2Fkubelet%2Fpods.sock",
    b"/var/lib/kubelet/pods.sock",
    b"unix:///run/x.sock",
    b"unix:/run/x.sock",
    b"run%2Fx.sock",
    b"%2Frun%2Fx.sock",
    b"[::]:50051",
    b"localhost:80",
    b"127.0.0.1:50051",
    b"a/b/c",
    b"unix:x",
    b"[::1]",
    b"_x",
    b"@abs",
    b"a,b",
    b"a;b",
    b"localhost:",
    b"localhost:99999",
    b"a b",
    b"user@%20",
    b"user%40name@host",
    b"/",
    b"//",
    b"\xc3\xa9",
    b"\xff",
    b"[",
    b"a:b:c",
    b"\x00\x01\x7f",
];

/// Line 16.
#[tokio::test]
async fn every_form_of_authority_reaches_the_handler() {
    let served = Served::start();
    for form in FORMS {
        let mut client = served.client().await;
        client
            .headers(
                1,
                &request_with(LIST, ":authority", form),
                flag::END_HEADERS,
            )
            .await;
        client.data(1, &message(&[]), flag::END_STREAM).await;
        let reply = client.reply(1).await;
        assert_eq!(reply.grpc_status(), "0", "{}", form.escape_ascii());
    }
}

/// Line 16.
#[tokio::test]
async fn a_second_call_that_names_the_authority_by_its_index_reaches_the_handler() {
    let served = Served::start();
    let mut client = served.client().await;
    let fields = request(LIST);
    let rest: Vec<_> = fields
        .iter()
        .filter(|(name, _)| *name != ":authority")
        .copied()
        .collect();
    let (pseudo, others) = rest.split_at(3);
    for (stream, authority) in [
        (1, &b"\x41\x0crun%2Fx.sock"[..]),
        (3, b"\xbe"),
        (5, b"\xbe"),
    ] {
        let block = [&frames::block(pseudo), authority, &frames::block(others)].concat();
        client
            .send(&frames::frame(
                kind::HEADERS,
                flag::END_HEADERS,
                stream,
                &block,
            ))
            .await;
        client.data(stream, &message(&[]), flag::END_STREAM).await;
        assert_eq!(client.reply(stream).await.grpc_status(), "0");
    }
}

/// Line 16.
#[tokio::test]
async fn an_absent_or_empty_authority_reaches_the_handler() {
    let served = Served::start();
    let fields = request(LIST);
    let rest: Vec<_> = fields
        .iter()
        .filter(|(name, _)| *name != ":authority")
        .copied()
        .collect();
    let (pseudo, others) = rest.split_at(3);
    let mut client = served.client().await;
    // Absent, the static entry, and literals that enter no table.
    for (stream, authority) in [(1, &[][..]), (3, &[0x81]), (5, &[1, 0]), (7, &[0x11, 0])] {
        let block = [&frames::block(pseudo), authority, &frames::block(others)].concat();
        client
            .send(&frames::frame(
                kind::HEADERS,
                flag::END_HEADERS,
                stream,
                &block,
            ))
            .await;
        client.data(stream, &message(&[]), flag::END_STREAM).await;
        assert_eq!(
            client.reply(stream).await.grpc_status(),
            "0",
            "{authority:?}"
        );
    }
    // The one form that cannot be helped costs its stream only.
    let block = [
        &frames::block(pseudo),
        &[0x41, 0][..],
        &frames::block(others),
    ]
    .concat();
    let headers = flag::END_HEADERS | flag::END_STREAM;
    client
        .send(&frames::frame(kind::HEADERS, headers, 9, &block))
        .await;
    assert_eq!(client.reply(9).await.reset, Some(code::PROTOCOL_ERROR));
    assert_eq!(client.unary(11, LIST, &[]).await.grpc_status(), "0");
}

/// Line 16.
#[tokio::test]
async fn an_odd_authority_split_over_continuations_reaches_the_handler() {
    let served = Served::start();
    let block = frames::block(&request_with(LIST, ":authority", b"/run/x.sock"));
    let mut client = served.client().await;
    for (number, at) in (0..=block.len()).enumerate() {
        let stream = u32::try_from(2 * number + 1).unwrap();
        let (first, rest) = block.split_at(at);
        let sent = [
            frames::frame(kind::HEADERS, 0, stream, first),
            frames::frame(kind::CONTINUATION, flag::END_HEADERS, stream, rest),
            frames::frame(kind::DATA, flag::END_STREAM, stream, &message(&[])),
        ];
        client.send(&sent.concat()).await;
        assert_eq!(
            client.reply(stream).await.grpc_status(),
            "0",
            "split at {at}"
        );
    }
}

/// Line 17.
#[tokio::test]
async fn a_host_header_changes_nothing() {
    let served = Served::start();
    let mut client = served.client().await;
    let mut fields = request(LIST);
    fields.push(("host", b"foo/bar"));
    fields.push(("host", b"elsewhere"));
    client.headers(1, &fields, flag::END_HEADERS).await;
    client.data(1, &message(&[]), flag::END_STREAM).await;
    assert_eq!(client.reply(1).await.grpc_status(), "0");
}
