//! What every server does, and the layout of frames.

use super::*;

pub(super) fn generic() -> Vec<Case> {
    let padded = [&[3], &block()[..], &[0; 3]].concat();
    let prioritized = [&[0, 0, 0, 0, 15], &block()[..]].concat();
    let (first, rest) = halves();
    let (second, third) = rest.split_at(rest.len() / 2);
    let finish = || frame(kind::DATA, flag::END_STREAM, 1, &message(&[]));
    let trailers = frames::block(&[("x", b"y")]);
    vec![
        ("2 PRIORITY on an idle stream", priority(5, 0), Fine),
        (
            "2 WINDOW_UPDATE, half closed",
            [watch(1), frames::window_update(1, 9)].concat(),
            Fine,
        ),
        (
            "2 PRIORITY, half closed",
            [watch(1), priority(1, 0)].concat(),
            Fine,
        ),
        (
            "2 RST_STREAM, half closed",
            [watch(1), frames::reset(1, code::CANCEL)].concat(),
            Fine,
        ),
        (
            "2 PRIORITY, closed",
            [watch(1), frames::reset(1, code::CANCEL), priority(1, 0)].concat(),
            Fine,
        ),
        ("3.1 one DATA", whole(1), Answered),
        (
            "3.1 several DATA",
            [
                open(1),
                frame(kind::DATA, 0, 1, &[0, 0]),
                frame(kind::DATA, flag::END_STREAM, 1, &[0; 3]),
            ]
            .concat(),
            Answered,
        ),
        (
            "3.2 padded HEADERS",
            [
                frame(kind::HEADERS, flag::END_HEADERS | flag::PADDED, 1, &padded),
                finish(),
            ]
            .concat(),
            Answered,
        ),
        (
            "3.2 HEADERS with priority",
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
            "3.3 PRIORITY with an exclusive dependency",
            priority(1, 0x8000_0003),
            Fine,
        ),
        (
            "3.4 RST_STREAM",
            [watch(1), frames::reset(1, code::CANCEL)].concat(),
            Fine,
        ),
        ("3.5 SETTINGS", Vec::new(), Fine),
        ("3.7 PING", ping(0, 0, &[7; 8]), Fine),
        (
            "3.9 WINDOW_UPDATE of the connection",
            frames::window_update(0, 9),
            Fine,
        ),
        (
            "3.9 WINDOW_UPDATE of a stream",
            [watch(1), frames::window_update(1, 9)].concat(),
            Fine,
        ),
        (
            "3.10 CONTINUATION, several",
            [
                first,
                continuation(0, 1, second),
                continuation(flag::END_HEADERS, 1, third),
            ]
            .concat(),
            Answered,
        ),
        (
            "4 POST with trailers",
            [
                open(1),
                frame(kind::DATA, 0, 1, &message(&[])),
                frame(kind::HEADERS, HEADERS_END, 1, &trailers),
            ]
            .concat(),
            Answered,
        ),
        (
            "5 literal with indexing, new name",
            hpack(b"\x40\x01x\x01y"),
            Answered,
        ),
        (
            "5 literal with indexing, known name",
            hpack(b"\x7a\x01y"),
            Answered,
        ),
        (
            "5 literal without indexing, new name",
            hpack(b"\x00\x01x\x01y"),
            Answered,
        ),
        (
            "5 literal never indexed, new name",
            hpack(b"\x10\x01x\x01y"),
            Answered,
        ),
        (
            "5 indexed from the dynamic table",
            hpack(b"\x40\x01x\x01y\xbe"),
            Answered,
        ),
        ("5 Huffman coded", hpack(b"\x00\x81\xf3\x81\xf5"), Answered),
    ]
}

pub(super) fn framing() -> Vec<Case> {
    let (first, rest) = halves();
    let large = vec![0; 16_385];
    vec![
        ("4.1 unknown type", frame(0xff, 0, 0, &[0; 8]), Fine),
        ("4.1 undefined flags", ping(0x16, 0, &[7; 8]), Fine),
        ("4.1 reserved bit", ping(0, 0x8000_0000, &[7; 8]), Fine),
        (
            "4.2 DATA of 2^14 bytes",
            [
                open(1),
                frame(kind::DATA, flag::END_STREAM, 1, &[0; 16_384]),
            ]
            .concat(),
            Answered,
        ),
        (
            "4.2 DATA too large",
            [open(1), frame(kind::DATA, 0, 1, &large)].concat(),
            Reset(FRAME_SIZE),
        ),
        (
            "4.2 HEADERS too large",
            frame(kind::HEADERS, HEADERS_END, 1, &large),
            Closed(FRAME_SIZE),
        ),
        (
            "4.3 broken header block",
            frame(kind::HEADERS, HEADERS_END, 1, &[0x40]),
            Closed(COMPRESSION),
        ),
        (
            "4.3 PRIORITY in a header block",
            [first.clone(), priority(1, 0)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "4.3 HEADERS in a header block",
            [first.clone(), open(3)].concat(),
            Closed(PROTOCOL),
        ),
        ("5.5 unknown frame", frame(0x16, 0, 0, &[0; 4]), Fine),
        (
            "5.5 unknown frame in a header block",
            [first.clone(), frame(0x16, 0, 1, &[0; 4])].concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.2 CONTINUATION is missing",
            [first.clone(), priority(1, 0)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.10 other frame behind CONTINUATION",
            [
                first.clone(),
                continuation(0, 1, &rest),
                frame(kind::DATA, 0, 1, &[]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.10 CONTINUATION on stream 0",
            [first, continuation(flag::END_HEADERS, 0, &rest)].concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.10 CONTINUATION behind whole HEADERS",
            [open(1), continuation(flag::END_HEADERS, 1, &[])].concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.10 CONTINUATION behind the last one",
            [
                halves().0,
                continuation(flag::END_HEADERS, 1, &halves().1),
                continuation(flag::END_HEADERS, 1, &[]),
            ]
            .concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.10 CONTINUATION behind DATA",
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
