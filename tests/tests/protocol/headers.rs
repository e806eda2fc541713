//! What the server makes of request headers.

use podsapi_tests::frames::{self, code, flag, kind, message};
use podsapi_tests::raw_client::{RawClient, request, request_with};
use podsapi_tests::reply::Reply;
use podsapi_tests::served::{Served, Setup};

use crate::{LIST, WATCH};

/// Sends one call with these headers on the next stream.
async fn call(client: &mut RawClient, fields: &[(&str, &[u8])]) -> Reply {
    let stream = client.next_stream();
    client.headers(stream, fields, flag::END_HEADERS).await;
    client.data(stream, &message(&[]), flag::END_STREAM).await;
    client.reply(stream).await
}

/// Sends one call with one header replaced or added.
async fn call_with(client: &mut RawClient, name: &str, value: &[u8]) -> Reply {
    call(client, &request_with(LIST, name, value)).await
}

/// Line 18.
#[tokio::test]
async fn any_method_but_post_is_405() {
    let served = Served::start();
    let mut client = served.client().await;
    for method in ["GET", "PUT", "DELETE", "OPTIONS", "post", "HEAD", "PODS"] {
        let reply = call_with(&mut client, ":method", method.as_bytes()).await;
        assert_eq!(reply.http_status(), "405", "{method}");
        assert_eq!(reply.field("allow").as_deref(), Some("POST"));
        assert_eq!(
            reply.field("content-type").as_deref(),
            Some("application/grpc")
        );
        assert_eq!(reply.grpc_status(), "13");
        assert!(reply.is_trailers_only());
    }
}

/// Line 18: what is no method at all ends the connection, and no other.
#[tokio::test]
async fn a_method_that_is_no_word_ends_the_connection() {
    let served = Served::start();
    let mut good = served.client().await;
    for method in [&b""[..], b"PO ST", b" POST"] {
        let mut client = served.client().await;
        let fields = request_with(LIST, ":method", method);
        client.headers(1, &fields, flag::END_HEADERS).await;
        client.end().await;
        let codes: Vec<_> = client.go_aways.iter().map(|(_, code, _)| *code).collect();
        assert_eq!(codes, [code::PROTOCOL_ERROR], "{}", method.escape_ascii());
        assert_eq!(call(&mut good, &request(LIST)).await.grpc_status(), "0");
    }
}

/// Line 19.
#[tokio::test]
async fn the_content_type_is_looked_at_before_method_and_path() {
    let served = Served::start();
    let mut client = served.client().await;
    let curl: [(&str, &[u8]); 4] = [
        (":method", b"GET"),
        (":scheme", b"http"),
        (":path", b"/"),
        ("accept", b"*/*"),
    ];
    assert_eq!(call(&mut client, &curl).await.http_status(), "415");
    let mut fields = request_with("/nothing", "content-type", b"text/html");
    assert_eq!(call(&mut client, &fields).await.http_status(), "415");
    fields = request_with("/nothing", ":method", b"GET");
    assert_eq!(call(&mut client, &fields).await.http_status(), "405");
    fields = request_with("/nothing", "grpc-encoding", b"deflate");
    let reply = call(&mut client, &fields).await;
    assert!(reply.grpc_message().contains("nothing"), "{reply:?}");
}

/// Line 20.
#[tokio::test]
async fn grpc_content_types_are_accepted_whatever_their_case() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in [
        "application/grpc",
        "application/grpc+proto",
        "application/grpc;charset=utf-8",
        "application/grpc; charset=utf-8",
        "Application/GRPC",
        "application/grpc+proto; a=b",
    ] {
        let reply = call_with(&mut client, "content-type", value.as_bytes()).await;
        assert_eq!(reply.grpc_status(), "0", "{value}");
    }
}

/// Lines 20 and 21.
#[tokio::test]
async fn other_content_types_are_415() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in [
        "application/grpc-web",
        "application/grpcx",
        "application/json",
        "image/jpeg",
        "",
        "application/grp",
        "application/grpc+json",
        "application/grpc+foo",
    ] {
        let reply = call_with(&mut client, "content-type", value.as_bytes()).await;
        assert_eq!(reply.http_status(), "415", "{value}");
        assert!(
            ["2", "3", "12", "13"].contains(&reply.grpc_status().as_str()),
            "{reply:?}"
        );
    }
    let mut fields = request(LIST);
    fields.retain(|(name, _)| *name != "content-type");
    assert_eq!(call(&mut client, &fields).await.http_status(), "415");
}

/// Lines 23, 24, 31 to 34.
#[tokio::test]
async fn headers_without_a_meaning_here_are_ignored() {
    let served = Served::start();
    let mut client = served.client().await;
    let ignored: [(&str, &[u8]); 24] = [
        (":scheme", b"https"),
        (":scheme", b"unix"),
        (":scheme", b""),
        ("accept-encoding", b"identity"),
        ("grpc-accept-encoding", b"identity, deflate, gzip"),
        ("grpc-accept-encoding", b" ,gzip,,"),
        ("grpc-previous-rpc-attempts", b"1"),
        ("grpc-trace-bin", b"AAA"),
        ("grpc-tags-bin", b"!!! not base64 !!!"),
        ("grpc-unheard-of", b"x"),
        ("traceparent", b"00-x"),
        ("x-envoy-expected-rq-timeout-ms", b"15000"),
        ("user-agent", b"grpc-c++/1.0"),
        ("cookie", b"a=b; c=d"),
        ("content-length", b"5"),
        ("grpc-status", b"7"),
        ("grpc-message", b"no"),
        ("x-latin", b"\xe9\xff"),
        ("x-utf8", "☺".as_bytes()),
        ("x-empty", b""),
        ("x-spaces", b" a "),
        ("x-bin", b"AAEC,AAEC=="),
        ("x-bin", b"\xff"),
        ("x-long", &[b'a'; 8_000]),
    ];
    for (name, value) in ignored {
        let reply = call_with(&mut client, name, value).await;
        assert_eq!(reply.grpc_status(), "0", "{name}: {}", value.escape_ascii());
    }
    let mut fields = request(LIST);
    fields.retain(|(name, _)| *name != "te");
    assert_eq!(call(&mut client, &fields).await.grpc_status(), "0");
    // Everything twice.
    for (name, value) in ignored {
        fields.extend([(name, value), (name, value)]);
    }
    fields.retain(|(name, _)| *name != ":scheme" && *name != "x-long");
    fields.insert(0, (":scheme", b"http"));
    assert_eq!(call(&mut client, &fields).await.grpc_status(), "0");
}

/// Line 23: any other `te` costs the call, and the connection goes on.
#[tokio::test]
async fn a_te_that_is_not_trailers_is_reset() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in ["Trailers", "trailers, deflate", "gzip", ""] {
        let reply = call_with(&mut client, "te", value.as_bytes()).await;
        assert_eq!(reply.reset, Some(code::PROTOCOL_ERROR), "{value}");
        assert_eq!(reply.headers, None, "{value}");
    }
    assert_eq!(call(&mut client, &request(LIST)).await.grpc_status(), "0");
}

/// Line 25.
#[tokio::test]
async fn paths_that_name_nothing_are_unimplemented() {
    let served = Served::start();
    let mut client = served.client().await;
    for path in [
        "/",
        "//",
        "/a",
        "/a/b/",
        "*",
        "/%76%31alpha1.Pods/ListPods",
        "/v1alpha1.Pods/listpods",
        "/v1alpha1.pods/ListPods",
        "/v1alpha1.Pods/ListPods?x=1",
        "/v1alpha1.Pods/ListPods/",
        "//v1alpha1.Pods/ListPods",
        "/v1alpha1.Pods//ListPods",
        "/\"",
        "/é/x",
    ] {
        let reply = call(&mut client, &request(path)).await;
        assert_eq!(
            (reply.http_status().as_str(), reply.grpc_status().as_str()),
            ("200", "12"),
            "{path}"
        );
        assert!(reply.is_trailers_only());
    }
    // Of a fragment nothing arrives; without a slash at the beginning the call does not.
    for path in ["#f", "/#f", "/a#f", "/v1alpha1.Pods/List#Pods"] {
        let reply = call(&mut client, &request(path)).await;
        assert_eq!(reply.grpc_status(), "12", "{path}");
        assert!(!reply.grpc_message().contains('#'), "{reply:?}");
    }
    for path in ["v1alpha1.Pods/ListPods", "a", "http:"] {
        let reply = call(&mut client, &request(path)).await;
        assert_eq!(reply.reset, Some(code::PROTOCOL_ERROR), "{path}");
        assert_eq!(reply.headers, None, "{path}");
    }
    // Without authority and path the request still arrives.
    let mut fields = request(LIST);
    fields.retain(|(name, _)| !matches!(*name, ":path" | ":authority"));
    assert_eq!(call(&mut client, &fields).await.grpc_status(), "12");
}

/// Line 26.
#[tokio::test]
async fn unknown_names_are_told_and_shortened() {
    let served = Served::start();
    let mut client = served.client().await;
    let reply = call(&mut client, &request("/a.B/C")).await;
    assert_eq!(reply.grpc_message(), "unknown service a.B");
    let reply = call(&mut client, &request("/v1alpha1.Pods/Fly")).await;
    assert_eq!(
        reply.grpc_message(),
        "unknown method Fly for service v1alpha1.Pods"
    );
    for long in [
        format!("/{}/x", "a".repeat(5_000)),
        format!("/v1alpha1.Pods/{}", "%".repeat(5_000)),
    ] {
        let reply = call(&mut client, &request(&long)).await;
        assert_eq!(reply.grpc_status(), "12");
        assert!(
            reply.grpc_message().len() < 1_000,
            "{}",
            reply.grpc_message().len()
        );
    }
}

/// Line 27.
#[tokio::test]
async fn timeouts_of_every_unit_are_understood() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in [
        "3S",
        "3010m",
        "2991m",
        "99999999H",
        "99999999n",
        "10000000u",
        "5M",
        "00000009S",
    ] {
        let reply = call_with(&mut client, "grpc-timeout", value.as_bytes()).await;
        assert_eq!(reply.grpc_status(), "0", "{value}");
    }
}

/// Line 27.
#[tokio::test]
async fn malformed_timeouts_are_internal() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in [
        "123456789S",
        "S",
        "1s",
        "+1S",
        "1.5S",
        " ",
        "",
        "1",
        "-1S",
        "1 S",
        "1SS",
        "\u{e9}",
    ] {
        let reply = call_with(&mut client, "grpc-timeout", value.as_bytes()).await;
        assert_eq!(reply.grpc_status(), "13", "{value}");
        assert!(
            reply.grpc_message().contains("malformed grpc-timeout"),
            "{reply:?}"
        );
    }
    let mut fields = request(LIST);
    fields.extend([("grpc-timeout", &b"9S"[..]), ("grpc-timeout", b"x")]);
    assert!(["0", "13"].contains(&call(&mut client, &fields).await.grpc_status().as_str()));
}

/// Lines 27 and 28.
#[tokio::test]
async fn a_deadline_that_passes_ends_the_call_with_deadline_exceeded() {
    let served = Served::start();
    let mut client = served.client().await;
    for value in ["0n", "1n", "50m"] {
        let reply = call(
            &mut client,
            &request_with(WATCH, "grpc-timeout", value.as_bytes()),
        )
        .await;
        assert_eq!(reply.grpc_status(), "4", "{value}");
    }
    served.has_watches(0).await;
    // The request itself may not take longer either.
    let stream = client.next_stream();
    client
        .headers(
            stream,
            &request_with(LIST, "grpc-timeout", b"50m"),
            flag::END_HEADERS,
        )
        .await;
    assert_eq!(client.reply(stream).await.grpc_status(), "4");
}

/// Line 29.
#[tokio::test]
async fn an_unknown_encoding_is_unimplemented_and_told_what_is_accepted() {
    let served = Served::start();
    let mut client = served.client().await;
    assert_eq!(
        call_with(&mut client, "grpc-encoding", b"identity")
            .await
            .grpc_status(),
        "0"
    );
    for value in ["GZIP", "deflate", "foo", "", "Identity2"] {
        let reply = call_with(&mut client, "grpc-encoding", value.as_bytes()).await;
        assert_eq!(
            (reply.http_status().as_str(), reply.grpc_status().as_str()),
            ("200", "12"),
            "{value}"
        );
        assert!(reply.is_trailers_only());
        let accepted = reply.field("grpc-accept-encoding").unwrap();
        for taken in ["identity", "gzip"] {
            assert!(
                accepted.split(',').any(|item| item.trim() == taken),
                "{accepted}"
            );
        }
        assert!(
            !accepted.split(',').any(|item| item.trim() == value),
            "{accepted}"
        );
    }
}

/// Sends a whole call whose headers are this block, in frames of the largest size.
async fn call_in_frames(client: &mut RawClient, stream: u32, block: &[u8]) {
    let mut pieces = block.chunks(16_384).peekable();
    let (mut kind, mut flags) = (kind::HEADERS, flag::END_STREAM);
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().map_or(flag::END_HEADERS, |_| 0);
        let sent = frames::frame(kind, flags | last, stream, piece);
        client.send(&sent).await;
        (kind, flags) = (kind::CONTINUATION, 0);
    }
}

/// What the headers of a call to LIST take, as HPACK counts.
fn list_bytes() -> usize {
    let fields = request(LIST).into_iter();
    fields
        .map(|(name, value)| name.len() + value.len() + 32)
        .sum()
}

/// Line 35: from what the server says on, and up to what no honest client sends, a call is refused
/// with a status, and the watch beside it goes on.
#[tokio::test]
async fn headers_of_8_kib_are_accepted_and_far_too_many_cost_the_call_only() {
    let served = Served::start();
    let mut client = served.client().await;
    let watch = client.next_stream();
    client.call(watch, WATCH, &[]).await;
    let value = [b'a'; 8 << 10];
    assert_eq!(call_with(&mut client, "x", &value).await.grpc_status(), "0");
    let room = (16 << 10) - list_bytes() - 33;
    let value = vec![b'a'; room];
    assert_eq!(call_with(&mut client, "x", &value).await.grpc_status(), "0");
    let most = (128 << 10) - list_bytes() - 33;
    for size in [room + 1, 20 << 10, 40 << 10, 48 << 10, 100 << 10, most - 20] {
        let mut fields = request(LIST);
        let value = vec![b'a'; size];
        fields.push(("x", &value));
        let stream = client.next_stream();
        call_in_frames(&mut client, stream, &frames::block(&fields)).await;
        let reply = client.reply(stream).await;
        assert_eq!(reply.http_status(), "431", "{size}");
        assert_eq!(reply.grpc_status(), "8", "{size}");
        assert!(reply.is_trailers_only(), "{size}");
        let told = format!(
            "take {} bytes, expected at most 16384",
            size + list_bytes() + 33
        );
        assert!(reply.grpc_message().contains(&told), "{reply:?}");
        assert_eq!(call(&mut client, &request(LIST)).await.grpc_status(), "0");
    }
    // A value of 3,900 bytes that enters the table, and references to it of a byte each.
    let value = [b'a'; 3_900];
    let mut block = frames::block(&[("x", &value)]);
    block[0] = 0x40;
    let references = b"\xbe".repeat(31);
    let block = [frames::block(&request(LIST)), block, references].concat();
    let stream = client.next_stream();
    call_in_frames(&mut client, stream, &block).await;
    assert_eq!(client.reply(stream).await.http_status(), "431");

    served.put(0, 10);
    let told = |client: &RawClient| {
        let watch = client.replies.get(&watch);
        watch.is_some_and(|watch| watch.messages().len() == 5)
    };
    client
        .until("the change, behind three pods and the marker", told)
        .await;
    assert_eq!((client.go_aways.len(), served.watches()), (0, 1));
    let page = served.server().metrics_text();
    let refused = "\npodsapi_calls_refused_total{reason=\"headers\"} 7\n";
    assert!(page.contains(refused), "{page}");
}

/// Line 35: what is so large that it is not worth reading ends the connection, whatever the way to
/// be large, and no other.
#[tokio::test]
async fn headers_beyond_all_measure_end_the_connection() {
    let served = Served::start();
    let mut good = served.client().await;
    let value = [b'a'; 3_900];
    let mut entry = frames::block(&[("x", &value)]);
    entry[0] = 0x40;
    let referring = |times| {
        let parts = [
            &frames::block(&request(LIST))[..],
            &entry,
            &b"\xbe".repeat(times),
        ];
        parts.concat()
    };
    // The same in plain, in the frames that are allowed and in many more.
    let plain = |values| {
        let mut fields = request(LIST);
        fields.extend([("x", &value[..])].repeat(values));
        frames::block(&fields)
    };
    for (number, block) in [referring(33), referring(200), plain(34), plain(100)]
        .iter()
        .enumerate()
    {
        let mut client = served.client().await;
        call_in_frames(&mut client, 1, block).await;
        client.end().await;
        let [(_, code, _)] = &client.go_aways[..] else {
            panic!("{:?}", client.go_aways)
        };
        assert_eq!(*code, code::ENHANCE_YOUR_CALM);
        assert_eq!(call(&mut good, &request(LIST)).await.grpc_status(), "0");
        let page = served.server().metrics_text();
        let ended = format!(
            "\npodsapi_connections_ended_total{{reason=\"flood\"}} {}\n",
            number + 1
        );
        assert!(page.contains(&ended), "{page}");
    }
}

/// Line 30.
#[tokio::test]
async fn an_answer_is_never_compressed() {
    let served = Served::start_with(Setup {
        ballast: 8_192,
        ..Setup::default()
    });
    let mut client = served.client().await;
    for value in ["gzip", "identity,deflate,gzip", "gzip, gzip", ""] {
        let reply = call_with(&mut client, "grpc-accept-encoding", value.as_bytes()).await;
        assert_eq!(reply.grpc_status(), "0", "{value}");
        assert_eq!(reply.field("grpc-encoding"), None, "{value}");
        // The messages are read with the flag that says they are plain.
        let [list] = reply.messages().try_into().unwrap();
        assert!(list.len() > 3 * 8_192, "{} bytes", list.len());
    }
}

/// Line 34a.
#[tokio::test]
async fn a_header_that_http_forbids_ends_the_connection_and_no_other() {
    let served = Served::start();
    let mut good = served.client().await;
    for (name, value) in [("X-Capital", &b"x"[..]), ("x-nul", b"a\0b"), ("", b"x")] {
        let mut client = served.client().await;
        let fields = request_with(LIST, name, value);
        client.headers(1, &fields, flag::END_HEADERS).await;
        client.end().await;
        assert!(
            client
                .go_aways
                .iter()
                .all(|(_, code, _)| *code == code::PROTOCOL_ERROR)
        );
        assert_eq!(call(&mut good, &request(LIST)).await.grpc_status(), "0");
    }
}
