//! The states of streams, and each type of frame.

use super::*;

pub(super) fn states() -> Vec<Case> {
    let reset = || frames::reset(1, code::CANCEL);
    let data = || frame(kind::DATA, flag::END_STREAM, 1, &message(&[]));
    let continued = || continuation(flag::END_HEADERS, 1, &[]);
    let again = || headers(&request(LIST));
    let itself = [&1_u32.to_be_bytes()[..], &[15], &block()].concat();
    vec![
        (
            "http2/5.1/1 idle: DATA",
            frame(kind::DATA, flag::END_STREAM, 1, b"x"),
            Closed(PROTOCOL),
        ),
        ("http2/5.1/2 idle: RST_STREAM", reset(), Closed(PROTOCOL)),
        (
            "http2/5.1/3 idle: WINDOW_UPDATE",
            frames::window_update(1, 9),
            Closed(PROTOCOL),
        ),
        (
            "http2/5.1/4 idle: CONTINUATION",
            continued(),
            Closed(PROTOCOL),
        ),
        (
            "http2/5.1/5 half closed: DATA",
            [watch(1), data()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/6 half closed: HEADERS",
            [watch(1), again()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/7 half closed: CONTINUATION",
            [watch(1), continued()].concat(),
            Closed(STREAM_CLOSED),
        ),
        (
            "http2/5.1/8 closed by a reset: DATA",
            [watch(1), reset(), data()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/9 closed by a reset: HEADERS",
            [watch(1), reset(), again()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/10 closed by a reset: CONTINUATION",
            [watch(1), reset(), continued()].concat(),
            Closed(STREAM_CLOSED),
        ),
        ("http2/5.1.1/1 even stream", open(2), Closed(PROTOCOL)),
        (
            "http2/5.1.1/2 lower stream",
            [watch(5), open(3)].concat(),
            Closed(STREAM_CLOSED),
        ),
        (
            "http2/5.3.1/1 HEADERS that depend on themselves",
            frame(kind::HEADERS, HEADERS_END | flag::PRIORITY, 1, &itself),
            Reset(PROTOCOL),
        ),
        (
            "http2/5.3.1/2 PRIORITY that depends on itself",
            [watch(1), priority(1, 1)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "http2/5.4.1/1 a wrong PING closes",
            ping(0, 3, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "http2/5.4.1/2 a wrong PING is answered by GOAWAY",
            ping(0, 3, &[0; 8]),
            Closed(PROTOCOL),
        ),
    ]
}

/// Frames on stream 1 once its call was answered.
pub(super) fn closed() -> Vec<Case> {
    vec![
        (
            "http2/5.1/11 closed: DATA",
            frame(kind::DATA, flag::END_STREAM, 1, &message(&[])),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/12 closed: HEADERS",
            headers(&request(LIST)),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/5.1/13 closed: CONTINUATION",
            continuation(flag::END_HEADERS, 1, &[]),
            Closed(STREAM_CLOSED),
        ),
    ]
}

pub(super) fn definitions() -> Vec<Case> {
    let set = |id: u16, value: u32| frames::settings(&[(id, value)]);
    let padded_data = frame(kind::DATA, flag::PADDED | flag::END_STREAM, 1, &[9, 0, 0]);
    let padding = [&[255], &block()[..]].concat();
    vec![
        (
            "http2/6.1/1 DATA on stream 0",
            frame(kind::DATA, 0, 0, &[0]),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.1/2 DATA on a stream that is not open",
            [
                watch(1),
                frame(kind::DATA, flag::END_STREAM, 1, &message(&[])),
            ]
            .concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "http2/6.1/3 DATA with wrong padding",
            [open(1), padded_data].concat(),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.2/3 HEADERS on stream 0",
            frame(kind::HEADERS, HEADERS_END, 0, &block()),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.2/4 HEADERS with wrong padding",
            frame(kind::HEADERS, HEADERS_END | flag::PADDED, 1, &padding),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.3/1 PRIORITY on stream 0",
            priority(0, 3),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.3/2 PRIORITY of 4 bytes",
            [watch(1), frame(kind::PRIORITY, 0, 1, &[0; 4])].concat(),
            Reset(FRAME_SIZE),
        ),
        (
            "http2/6.4/1 RST_STREAM on stream 0",
            frames::reset(0, code::CANCEL),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.4/2 RST_STREAM on an idle stream",
            frames::reset(1, code::CANCEL),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.4/3 RST_STREAM of 3 bytes",
            [watch(1), frame(kind::RST_STREAM, 0, 1, &[0; 3])].concat(),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/6.5/1 SETTINGS ACK with values",
            frame(kind::SETTINGS, flag::ACK, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/6.5/2 SETTINGS on a stream",
            frame(kind::SETTINGS, 0, 1, &[]),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.5/3 SETTINGS of 3 bytes",
            frame(kind::SETTINGS, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/6.5.2/1 ENABLE_PUSH of 2",
            set(2, 2),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.5.2/2 INITIAL_WINDOW_SIZE of 2^31",
            set(setting::INITIAL_WINDOW_SIZE, 1 << 31),
            Closed(FLOW_CONTROL),
        ),
        (
            "http2/6.5.2/3 MAX_FRAME_SIZE of 16,383",
            set(setting::MAX_FRAME_SIZE, 16_383),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.5.2/4 MAX_FRAME_SIZE of 2^24",
            set(setting::MAX_FRAME_SIZE, 1 << 24),
            Closed(PROTOCOL),
        ),
        ("http2/6.5.2/5 an unknown setting", set(0xff, 1), Fine),
        ("http2/6.7/1 PING", ping(0, 0, &[7; 8]), Fine),
        (
            "http2/6.7/2 PING with ACK",
            ping(flag::ACK, 0, &[1; 8]),
            Fine,
        ),
        (
            "http2/6.7/3 PING on a stream",
            ping(0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.7/4 PING of 6 bytes",
            ping(0, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/6.8/1 GOAWAY on a stream",
            frame(kind::GO_AWAY, 0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.9/1 WINDOW_UPDATE of 0",
            frames::window_update(0, 0),
            Closed(PROTOCOL),
        ),
        (
            "http2/6.9/2 WINDOW_UPDATE of 0 on a stream",
            [watch(1), frames::window_update(1, 0)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "http2/6.9/3 WINDOW_UPDATE of 3 bytes",
            frame(kind::WINDOW_UPDATE, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        (
            "http2/6.9.1/2 the connection's window overflows",
            frames::window_update(0, MAX_WINDOW),
            Closed(FLOW_CONTROL),
        ),
        (
            "http2/6.9.1/3 a stream's window overflows",
            [watch(1), frames::window_update(1, MAX_WINDOW)].concat(),
            Reset(FLOW_CONTROL),
        ),
        (
            "http2/6.9.2/3 INITIAL_WINDOW_SIZE of 2^31",
            set(setting::INITIAL_WINDOW_SIZE, 1 << 31),
            Closed(FLOW_CONTROL),
        ),
        (
            "http2/7/1 GOAWAY with an unknown code",
            frame(kind::GO_AWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 0xff]),
            Closed(NO_ERROR),
        ),
        (
            "http2/7/2 RST_STREAM with an unknown code",
            [watch(1), frames::reset(1, 0xff)].concat(),
            Fine,
        ),
        (
            "http2/8.2/1 PUSH_PROMISE",
            frame(
                kind::PUSH_PROMISE,
                flag::END_HEADERS,
                1,
                &[&[0, 0, 0, 2], &block()[..]].concat(),
            ),
            Closed(PROTOCOL),
        ),
    ]
}
