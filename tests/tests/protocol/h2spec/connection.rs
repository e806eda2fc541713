//! What every server does, and the layout of frames.

use super::*;

pub(super) fn generic() -> Vec<Case> {
    let padded = [&[3], &block()[..], &[0; 3]].concat();
    let prioritized = [&[0, 0, 0, 0, 15], &block()[..]].concat();
    let (first, rest) = halves();
    let (second, third) = rest.split_at(rest.len() / 2);
    let finish = || frame(kind::DATA, flag::END_STREAM, 1, &message(&[]));
    let trailers = frames::block(&[("x", b"y")]);
    let padded_end = flag::PADDED | flag::END_STREAM;
    let padded_data = [&[4], &message(&[])[..], &[0; 4]].concat();
    let weighted = |stream, weight| frame(kind::PRIORITY, 0, stream, &[0, 0, 0, 0, weight]);
    let with_method = |method: &[u8]| headers(&request_with(LIST, ":method", method));
    vec![
        (
            "generic/2/1 PRIORITY on an idle stream",
            priority(5, 0),
            Fine,
        ),
        (
            "generic/2/2 WINDOW_UPDATE, half closed",
            [watch(1), frames::window_update(1, 9)].concat(),
            Fine,
        ),
        (
            "generic/2/3 PRIORITY, half closed",
            [watch(1), priority(1, 0)].concat(),
            Fine,
        ),
        (
            "generic/2/4 RST_STREAM, half closed",
            [watch(1), frames::reset(1, code::CANCEL)].concat(),
            Fine,
        ),
        (
            "generic/2/5 PRIORITY, closed",
            [watch(1), frames::reset(1, code::CANCEL), priority(1, 0)].concat(),
            Fine,
        ),
        ("generic/3.1/1 one DATA", whole(1), Answered),
        (
            "generic/3.1/2 several DATA",
            [
                open(1),
                frame(kind::DATA, 0, 1, &[0, 0]),
                frame(kind::DATA, flag::END_STREAM, 1, &[0; 3]),
            ]
            .concat(),
            Answered,
        ),
        (
            "generic/3.1/3 padded DATA",
            [open(1), frame(kind::DATA, padded_end, 1, &padded_data)].concat(),
            Answered,
        ),
        (
            "generic/3.2/1 HEADERS",
            [open(1), finish()].concat(),
            Answered,
        ),
        (
            "generic/3.2/2 padded HEADERS",
            [
                frame(kind::HEADERS, flag::END_HEADERS | flag::PADDED, 1, &padded),
                finish(),
            ]
            .concat(),
            Answered,
        ),
        (
            "generic/3.2/3 HEADERS with priority",
            [
                frame(
                    kind::HEADERS,
                    flag::END_HEADERS | flag::PRIORITY,
                    1,
                    &prioritized,
                ),
                finish(),
            ]
            .concat(),
            Answered,
        ),
        (
            "generic/3.3/1 PRIORITY of 1",
            [weighted(1, 0), whole(1)].concat(),
            Answered,
        ),
        (
            "generic/3.3/2 PRIORITY of 256",
            [weighted(1, 255), whole(1)].concat(),
            Answered,
        ),
        (
            "generic/3.3/3 PRIORITY with a dependency",
            [priority(1, 3), whole(1)].concat(),
            Answered,
        ),
        (
            "generic/3.3/5 PRIORITY, then HEADERS of a lower stream",
            [priority(5, 0), whole(1)].concat(),
            Answered,
        ),
        (
            "generic/3.3/4 PRIORITY with an exclusive dependency",
            [priority(1, 0x8000_0003), whole(1)].concat(),
            Answered,
        ),
        (
            "generic/3.4/1 RST_STREAM",
            [watch(1), frames::reset(1, code::CANCEL)].concat(),
            Fine,
        ),
        ("generic/3.5/1 SETTINGS", frames::settings(&[]), Fine),
        ("generic/3.7/1 PING", ping(0, 0, &[7; 8]), Fine),
        (
            "generic/3.8/1 GOAWAY",
            frame(kind::GO_AWAY, 0, 0, &[0; 8]),
            Closed(NO_ERROR),
        ),
        (
            "generic/3.9/1 WINDOW_UPDATE of the connection",
            frames::window_update(0, 9),
            Fine,
        ),
        (
            "generic/3.9/2 WINDOW_UPDATE of a stream",
            [watch(1), frames::window_update(1, 9)].concat(),
            Fine,
        ),
        (
            "generic/3.10/1 CONTINUATION",
            [halves().0, continuation(flag::END_HEADERS, 1, &halves().1)].concat(),
            Answered,
        ),
        (
            "generic/3.10/2 CONTINUATION, several",
            [
                first,
                continuation(0, 1, second),
                continuation(flag::END_HEADERS, 1, third),
            ]
            .concat(),
            Answered,
        ),
        ("generic/4/1 GET", with_method(b"GET"), Answered),
        ("generic/4/2 HEAD", with_method(b"HEAD"), Answered),
        ("generic/4/3 POST", whole(1), Answered),
        (
            "generic/4/4 POST with trailers",
            [
                open(1),
                frame(kind::DATA, 0, 1, &message(&[])),
                frame(kind::HEADERS, HEADERS_END, 1, &trailers),
            ]
            .concat(),
            Answered,
        ),
    ]
}

pub(super) fn framing() -> Vec<Case> {
    let (first, rest) = halves();
    let (rest_half, rest_end) = rest.split_at(rest.len() / 2);
    let large = vec![0; 16_385];
    vec![
        ("http2/4.1/1 unknown type", frame(0xff, 0, 0, &[0; 8]), Fine),
        ("http2/4.1/2 undefined flags", ping(0x16, 0, &[7; 8]), Fine),
        (
            "http2/4.1/3 reserved bit",
            ping(0, 0x8000_0000, &[7; 8]),
            Fine,
        ),
        (
            "http2/4.2/1 DATA of 2^14 bytes",
            [
                open(1),
                frame(kind::DATA, flag::END_STREAM, 1, &[0; 16_384]),
            ]
            .concat(),
            Answered,
        ),
        (
            "http2/4.2/2 DATA too large",
            [open(1), frame(kind::DATA, 0, 1, &large)].concat(),
            Reset(FRAME_SIZE),
        ),
        (
            "http2/4.2/3 HEADERS too large",
            frame(kind::HEADERS, HEADERS_END, 1, &large),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/4.3/1 broken header block",
            frame(kind::HEADERS, HEADERS_END, 1, &[0x40]),
            Closed(COMPRESSION),
        ),
        (
            "http2/4.3/2 PRIORITY in a header block",
            [first.clone(), priority(1, 0)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/4.3/3 HEADERS in a header block",
            [first.clone(), open(3)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/5.5/1 unknown frame",
            frame(0x16, 0, 0, &[0; 4]),
            Fine,
        ),
        (
            "http2/5.5/2 unknown frame in a header block",
            [first.clone(), frame(0x16, 0, 1, &[0; 4])].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.2/1 CONTINUATION is missing",
            [first.clone(), priority(1, 0)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.2/2 HEADERS of another stream inside HEADERS",
            [first.clone(), open(3)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.10/1 several CONTINUATION behind HEADERS",
            [
                first.clone(),
                continuation(0, 1, rest_half),
                continuation(flag::END_HEADERS, 1, rest_end),
            ]
            .concat(),
            Answered,
        ),
        (
            "http2/6.10/2 other frame behind CONTINUATION",
            [
                first.clone(),
                continuation(0, 1, &rest),
                frame(kind::DATA, 0, 1, &[]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.10/3 CONTINUATION on stream 0",
            [first, continuation(flag::END_HEADERS, 0, &rest)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.10/4 CONTINUATION behind whole HEADERS",
            [open(1), continuation(flag::END_HEADERS, 1, &[])].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.10/5 CONTINUATION behind the last one",
            [
                halves().0,
                continuation(flag::END_HEADERS, 1, &halves().1),
                continuation(flag::END_HEADERS, 1, &[]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.10/6 CONTINUATION behind DATA",
            [
                open(1),
                frame(kind::DATA, 0, 1, &[0]),
                continuation(flag::END_HEADERS, 1, &[]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
    ]
}
