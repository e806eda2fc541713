//! Shows that requests with any authority reach a handler behind h2.

use h2::Reason;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::client_bytes::{
    END_HEADERS, END_STREAM, HEADERS, PREFACE, frame, literal, split, string,
};
use crate::AuthorityFilter;

/// What h2 made of a request.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Reached(Option<String>),
    StreamReset(Reason),
    ConnectionEnded,
}

/// Authorities that clients send over UNIX sockets, and what the handler sees.
const SEEN_IN_THE_FIELD: [(&[u8], &str); 26] = [
    (b"localhost", "localhost"),
    (b"%2Fvar%2Frun%2Fx.sock", "-2Fvar-2Frun-2Fx.sock"),
    (b"/var/run/x.sock", "-var-run-x.sock"),
    (b"unix:///run/x.sock", "unix----run-x.sock"),
    (b"run%2Fx.sock", "run-2Fx.sock"),
    (b"%2Frun%2Fx.sock", "-2Frun-2Fx.sock"),
    (b"[::]:50051", "[::]:50051"),
    (b"localhost:80", "localhost:80"),
    (b"127.0.0.1:50051", "127.0.0.1:50051"),
    (b"a/b/c", "a-b-c"),
    (b"unix:x", "unix:x"),
    (b"[::1]", "[::1]"),
    (b"_x", "_x"),
    (b"@abs", "@abs"),
    (b"a,b", "a,b"),
    (b"a;b", "a;b"),
    (b"localhost:", "localhost:"),
    (b"localhost:99999", "localhost:99999"),
    (b"a b", "a-b"),
    (b"user%40@host", "user%40@host"),
    (b"a@b%2F", "a-b-2F"),
    (b"/", "-"),
    (b"unix:/run/x.sock", "unix--run-x.sock"),
    (b"\xc3\xa9", "--"),
    (b"\xff\xfe", "--"),
    (b"a\0b", "a-b"),
];

#[tokio::test]
async fn every_authority_seen_in_the_field_reaches_the_handler() {
    for (sent, seen) in SEEN_IN_THE_FIELD {
        for huffman in [false, true] {
            for first in [0x41, 0x01, 0x11] {
                let outcome = with_filter(&one_request(&literal(first, sent, huffman))).await;
                assert_eq!(outcome, [Outcome::Reached(Some(seen.to_owned()))]);
            }
        }
    }
}

#[tokio::test]
async fn h2_alone_refuses_those_that_the_filter_changes() {
    // When this fails h2 has become more liberal, and the filter perhaps needless.
    for (sent, seen) in SEEN_IN_THE_FIELD {
        let outcome = h2_alone(&one_request(&literal(0x41, sent, false))).await;
        let reached = outcome == [Outcome::Reached(Some(seen.to_owned()))];
        assert_eq!(reached, sent == seen.as_bytes(), "{seen}: {outcome:?}");
    }
}

#[tokio::test]
async fn an_absent_or_empty_authority_reaches_the_handler() {
    for field in [&[][..], &[0x81], &[0x01, 0x00], &[0x11, 0x80]] {
        let sent = one_request(field);
        assert_eq!(
            with_filter(&sent).await,
            [Outcome::Reached(None)],
            "{field:02x?}"
        );
    }
    // An empty value that enters the dynamic table cannot be helped.
    let sent = one_request(&[0x41, 0x00]);
    assert_eq!(
        with_filter(&sent).await,
        [Outcome::StreamReset(Reason::PROTOCOL_ERROR)]
    );
}

#[tokio::test]
async fn a_second_request_finds_the_rewritten_value_in_the_table() {
    let mut sent = one_request(&literal(0x41, b"run%2Fx.sock", true));
    // The newest entry of the dynamic table has the number 62.
    sent.extend(frame(HEADERS, END_HEADERS | END_STREAM, 3, &block(&[0xbe])));
    sent.extend(frame(HEADERS, END_HEADERS | END_STREAM, 5, &block(&[0xbe])));
    let reached = || Outcome::Reached(Some("run-2Fx.sock".to_owned()));
    assert_eq!(with_filter(&sent).await, [reached(), reached(), reached()]);
}

#[tokio::test]
async fn older_table_entries_are_evicted_at_the_same_time_for_client_and_server() {
    // 4,096 bytes hold an entry of 32 + 10 + 54 and forty of 32 + 1 + 67: the next evicts the first.
    let value = [b'/'; 54];
    let mut fields = literal(0x41, &value, false);
    let mut sent = vec![fields.clone()];
    fields = Vec::new();
    for number in 0..40_u8 {
        fields.extend([0x40, 1, b'x', 67]);
        fields.extend([b'a' + number % 26; 67]);
    }
    sent.push(fields);
    // Number 62 + 40 is the authority; it is the last one that the table holds.
    sent.push(vec![0x80 | 102]);
    let mut bytes = [PREFACE, &frame(4, 0, 0, &[])].concat();
    for (number, fields) in (0_u32..).zip(&sent) {
        let order = if number == 1 {
            [block(&[]), fields.clone()]
        } else {
            [fields.clone(), block(&[])]
        };
        bytes.extend(frame(
            HEADERS,
            END_HEADERS | END_STREAM,
            2 * number + 1,
            &order.concat(),
        ));
    }
    let outcome = with_filter(&bytes).await;
    let hyphens = "-".repeat(54);
    assert_eq!(outcome[0], Outcome::Reached(Some(hyphens.clone())));
    assert_eq!(outcome[1], Outcome::Reached(None));
    assert_eq!(outcome[2], Outcome::Reached(Some(hyphens)));
}

#[tokio::test]
async fn continuations_at_every_offset_reach_the_handler() {
    let block = block(&literal(0x41, b"/run/x.sock", true));
    for at in 0..=block.len() {
        let sent = [
            PREFACE,
            &frame(4, 0, 0, &[]),
            &split(&[&block[..at], &block[at..]]),
        ]
        .concat();
        assert_eq!(
            with_filter(&sent).await,
            [Outcome::Reached(Some("-run-x.sock".to_owned()))]
        );
    }
}

#[tokio::test]
async fn a_request_that_comes_byte_by_byte_reaches_the_handler() {
    let (mut client, server) = tokio::io::duplex(1);
    let sent = one_request(&literal(0x41, b"/run/x.sock", true));
    let writing = tokio::spawn(async move {
        let (mut reading, mut writing) = tokio::io::split(&mut client);
        let drain = async { while reading.read_u8().await.is_ok() {} };
        let write = async {
            for byte in sent {
                writing.write_all(&[byte]).await.unwrap();
            }
            core::future::pending::<()>().await;
        };
        tokio::join!(drain, write);
    });
    let mut connection = h2::server::handshake(AuthorityFilter::new(server))
        .await
        .unwrap();
    let (request, _) = connection.accept().await.unwrap().unwrap();
    assert_eq!(request.uri().authority().unwrap(), "-run-x.sock");
    writing.abort();
}

#[tokio::test]
async fn h2_decodes_what_we_encode_in_huffman_code() {
    let value: Vec<u8> = (0x20..=0xff).filter(|byte| *byte != 0x7f).collect();
    let fields = [&literal(0x00, b"x", true)[..], &string(&value, true)].concat();
    let (mut client, server) = tokio::io::duplex(1 << 16);
    client.write_all(&one_request(&fields)).await.unwrap();
    let mut connection = h2::server::handshake(server).await.unwrap();
    let (request, _) = connection.accept().await.unwrap().unwrap();
    assert_eq!(request.headers()["x"].as_bytes(), value);
}

#[tokio::test]
async fn a_real_client_sees_no_difference() {
    let (client, server) = tokio::io::duplex(65_536);
    let serving = tokio::spawn(async move {
        let mut connection = h2::server::handshake(AuthorityFilter::new(server))
            .await
            .unwrap();
        let mut seen = Vec::new();
        while let Some(Ok((request, mut respond))) = connection.accept().await {
            seen.push(request.uri().to_string());
            let mut body = request.into_body();
            tokio::spawn(async move {
                let mut length = 0;
                while let Some(Ok(data)) = body.data().await {
                    body.flow_control().release_capacity(data.len()).unwrap();
                    length += data.len();
                }
                let response = http::Response::builder()
                    .header("length", length)
                    .body(())
                    .unwrap();
                respond.send_response(response, true).unwrap();
            });
        }
        seen
    });
    let (mut requests, connection) = h2::client::handshake(client).await.unwrap();
    let driving = tokio::spawn(connection);
    for length in [0, 1, 100_000] {
        let request = http::Request::post("http://localhost:80/a")
            .body(())
            .unwrap();
        requests = requests.ready().await.unwrap();
        let (response, mut body) = requests.send_request(request, false).unwrap();
        body.send_data(vec![7; length].into(), true).unwrap();
        let response = response.await.unwrap();
        assert_eq!(response.headers()["length"], length.to_string().as_str());
    }
    drop(requests);
    driving.await.unwrap().unwrap();
    assert_eq!(serving.await.unwrap(), ["http://localhost:80/a"; 3]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_h2_alone_accepts_is_accepted_alike(
        value in "[a-z0-9.:@%/ \\[\\]-]{0,12}",
        huffman: bool,
        garbage in prop::collection::vec(any::<u8>(), 0..24),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let fields = [literal(0x41, value.as_bytes(), huffman), garbage].concat();
        let sent = one_request(&fields);
        let (alone, filtered) = runtime.block_on(async {
            (h2_alone(&sent).await, with_filter(&sent).await)
        });
        match (alone.first(), filtered.first()) {
            (Some(Outcome::StreamReset(_)), Some(_)) => {}
            (alone, filtered) => prop_assert_eq!(alone, filtered),
        }
    }
}

/// The fields that each request has, and these.
fn block(authority: &[u8]) -> Vec<u8> {
    // POST, http, and "/" as the path.
    [&[0x83, 0x86, 0x84], authority].concat()
}

fn one_request(authority: &[u8]) -> Vec<u8> {
    let request = frame(HEADERS, END_HEADERS | END_STREAM, 1, &block(authority));
    [PREFACE, &frame(4, 0, 0, &[]), &request].concat()
}

async fn with_filter(sent: &[u8]) -> Vec<Outcome> {
    let (client, server) = tokio::io::duplex(1 << 20);
    outcomes(client, AuthorityFilter::new(server), sent).await
}

async fn h2_alone(sent: &[u8]) -> Vec<Outcome> {
    let (client, server) = tokio::io::duplex(1 << 20);
    outcomes(client, server, sent).await
}

/// Sends these bytes and a marking PING, serves until h2 has dealt with them, and tells each
/// stream's outcome in the order of requests reached, then resets.
async fn outcomes<IO>(mut client: DuplexStream, server: IO, sent: &[u8]) -> Vec<Outcome>
where
    IO: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    client.write_all(sent).await.unwrap();
    client
        .write_all(&frame(6, 0, 0, b"the end."))
        .await
        .unwrap();
    let mut outcomes = Vec::new();
    let serve = async {
        let mut connection = h2::server::handshake(server).await.unwrap();
        let mut kept = Vec::new();
        while let Some(Ok((request, respond))) = connection.accept().await {
            let authority = request.uri().authority().map(ToString::to_string);
            kept.push((Outcome::Reached(authority), respond));
        }
        kept
    };
    // Reads until the answer to a second PING, since h2 answers the first one before it resets
    // streams; then ends the connection.
    let read = async {
        let mut resets = Vec::new();
        loop {
            let mut head = [0; 9];
            if client.read_exact(&mut head).await.is_err() {
                resets.push(Outcome::ConnectionEnded);
                break;
            }
            let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
            client.read_exact(&mut payload).await.unwrap();
            match head[3] {
                3 => {
                    let code = u32::from_be_bytes(payload.try_into().unwrap());
                    resets.push(Outcome::StreamReset(Reason::from(code)));
                }
                6 if payload == b"the end." => {
                    client.write_all(&frame(6, 0, 0, b"goodbye.")).await.ok();
                }
                6 if payload == b"goodbye." => break,
                _ => {}
            }
        }
        drop(client);
        resets
    };
    let (reached, resets) = tokio::join!(serve, read);
    outcomes.extend(reached.into_iter().map(|(outcome, _)| outcome));
    outcomes.extend(resets);
    outcomes
}
