//! The states of streams, and each type of frame.

use super::*;

pub(super) fn states() -> Vec<Case> {
    let reset = || frames::reset(1, code::CANCEL);
    let data = || frame(kind::DATA, flag::END_STREAM, 1, &message(&[]));
    let continued = || continuation(flag::END_HEADERS, 1, &[]);
    let itself = [&1_u32.to_be_bytes()[..], &[15], &block()].concat();
    vec![
        (
            "5.1 idle: DATA",
            frame(kind::DATA, flag::END_STREAM, 1, b"x"),
            Closed(PROTOCOL),
        ),
        ("5.1 idle: RST_STREAM", reset(), Closed(PROTOCOL)),
        (
            "5.1 idle: WINDOW_UPDATE",
            frames::window_update(1, 9),
            Closed(PROTOCOL),
        ),
        ("5.1 idle: CONTINUATION", continued(), Closed(PROTOCOL)),
        (
            "5.1 half closed: DATA",
            [watch(1), data()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "5.1 half closed: HEADERS",
            [watch(1), open(1)].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "5.1 half closed: CONTINUATION",
            [watch(1), continued()].concat(),
            Closed(STREAM_CLOSED),
        ),
        // What is on its way when a stream is reset must do no harm, so it is passed over as well.
        (
            "5.1 closed by a reset: DATA",
            [watch(1), reset(), data()].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "5.1 closed by a reset: HEADERS",
            [watch(1), reset(), open(1)].concat(),
            Reset(STREAM_CLOSED),
        ),
        (
            "5.1 closed by a reset: CONTINUATION",
            [watch(1), reset(), continued()].concat(),
            Closed(STREAM_CLOSED),
        ),
        ("5.1.1 even stream", open(2), Closed(PROTOCOL)),
        (
            "5.1.1 lower stream",
            [watch(5), open(3)].concat(),
            Closed(STREAM_CLOSED),
        ),
        (
            "5.3.1 HEADERS that depend on themselves",
            frame(kind::HEADERS, HEADERS_END | flag::PRIORITY, 1, &itself),
            Reset(PROTOCOL),
        ),
        (
            "5.3.1 PRIORITY that depends on itself",
            [watch(1), priority(1, 1)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "5.4.1 a wrong PING closes",
            ping(0, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
    ]
}

pub(super) fn definitions() -> Vec<Case> {
    let set = |id: u16, value: u32| frames::settings(&[(id, value)]);
    let padded_data = frame(kind::DATA, flag::PADDED | flag::END_STREAM, 1, &[9, 0, 0]);
    let padding = [&[255], &block()[..]].concat();
    vec![
        (
            "6.1 DATA on stream 0",
            frame(kind::DATA, 0, 0, &[0]),
            Closed(PROTOCOL),
        ),
        (
            "6.1 DATA with wrong padding",
            [open(1), padded_data].concat(),
            Closed(PROTOCOL),
        ),
        (
            "6.2 HEADERS on stream 0",
            frame(kind::HEADERS, HEADERS_END, 0, &block()),
            Closed(PROTOCOL),
        ),
        (
            "6.2 HEADERS with wrong padding",
            frame(kind::HEADERS, HEADERS_END | flag::PADDED, 1, &padding),
            Closed(PROTOCOL),
        ),
        ("6.3 PRIORITY on stream 0", priority(0, 3), Closed(PROTOCOL)),
        (
            "6.3 PRIORITY of 4 bytes",
            [watch(1), frame(kind::PRIORITY, 0, 1, &[0; 4])].concat(),
            Reset(FRAME_SIZE),
        ),
        (
            "6.4 RST_STREAM on stream 0",
            frames::reset(0, code::CANCEL),
            Closed(PROTOCOL),
        ),
        (
            "6.4 RST_STREAM of 3 bytes",
            [watch(1), frame(kind::RST_STREAM, 0, 1, &[0; 3])].concat(),
            Closed(FRAME_SIZE),
        ),
        (
            "6.5 SETTINGS ACK with values",
            frame(kind::SETTINGS, flag::ACK, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "6.5 SETTINGS on a stream",
            frame(kind::SETTINGS, 0, 1, &[]),
            Closed(PROTOCOL),
        ),
        (
            "6.5 SETTINGS of 3 bytes",
            frame(kind::SETTINGS, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        ("6.5.2 ENABLE_PUSH of 2", set(2, 2), Closed(PROTOCOL)),
        (
            "6.5.2 INITIAL_WINDOW_SIZE of 2^31",
            set(setting::INITIAL_WINDOW_SIZE, 1 << 31),
            Closed(FLOW_CONTROL),
        ),
        (
            "6.5.2 MAX_FRAME_SIZE of 16,383",
            set(setting::MAX_FRAME_SIZE, 16_383),
            Closed(PROTOCOL),
        ),
        (
            "6.5.2 MAX_FRAME_SIZE of 2^24",
            set(setting::MAX_FRAME_SIZE, 1 << 24),
            Closed(PROTOCOL),
        ),
        ("6.7 PING with ACK", ping(flag::ACK, 0, &[1; 8]), Fine),
        (
            "6.7 PING on a stream",
            ping(0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "6.7 PING of 6 bytes",
            ping(0, 0, &[0; 6]),
            Closed(FRAME_SIZE),
        ),
        (
            "6.8 GOAWAY on a stream",
            frame(kind::GO_AWAY, 0, 1, &[0; 8]),
            Closed(PROTOCOL),
        ),
        (
            "6.9 WINDOW_UPDATE of 0",
            frames::window_update(0, 0),
            Closed(PROTOCOL),
        ),
        (
            "6.9 WINDOW_UPDATE of 0 on a stream",
            [watch(1), frames::window_update(1, 0)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "6.9 WINDOW_UPDATE of 3 bytes",
            frame(kind::WINDOW_UPDATE, 0, 0, &[0; 3]),
            Closed(FRAME_SIZE),
        ),
        (
            "6.9.1 the connection's window overflows",
            frames::window_update(0, MAX_WINDOW),
            Closed(FLOW_CONTROL),
        ),
        (
            "6.9.1 a stream's window overflows",
            [watch(1), frames::window_update(1, MAX_WINDOW)].concat(),
            Reset(FLOW_CONTROL),
        ),
        (
            "7 RST_STREAM with an unknown code",
            [watch(1), frames::reset(1, 0xff)].concat(),
            Fine,
        ),
        (
            "8.2 PUSH_PROMISE",
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
