//! What the attacks send: each returns the next bytes for a connection that has begun.

use podsapi_tests::frames::{
    block, code, flag, frame, kind, message, reset, setting, settings, window_update,
};
use podsapi_tests::raw_client::{request, request_with};

const LIST: &str = "/v1alpha1.Pods/ListPods";
const WATCH: &str = "/v1alpha1.Pods/WatchPods";
const LARGEST_WINDOW: u32 = (1 << 31) - 1;

/// The streams of a connection.
#[derive(Default)]
pub(super) struct Streams {
    used: u32,
}

impl Streams {
    fn next(&mut self) -> u32 {
        self.used += 1;
        2 * self.used - 1
    }

    fn is_new(&self) -> bool {
        self.used == 0
    }
}

fn headers(stream: u32, fields: &[(&str, &[u8])], flags: u8) -> Vec<u8> {
    frame(
        kind::HEADERS,
        flag::END_HEADERS | flags,
        stream,
        &block(fields),
    )
}

fn open(stream: u32, path: &str) -> Vec<u8> {
    headers(stream, &request(path), 0)
}

fn call(stream: u32, path: &str) -> Vec<u8> {
    let body = frame(kind::DATA, flag::END_STREAM, stream, &message(&[]));
    [open(stream, path), body].concat()
}

/// The same thing on so many new streams.
fn many(streams: &mut Streams, count: usize, bytes: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    (0..count).flat_map(|_| bytes(streams.next())).collect()
}

pub(super) fn nothing(_streams: &mut Streams) -> Vec<u8> {
    Vec::new()
}

pub(super) fn call_and_reset(streams: &mut Streams) -> Vec<u8> {
    many(streams, 4, |stream| {
        [call(stream, LIST), reset(stream, code::CANCEL)].concat()
    })
}

pub(super) fn thousand_resets(streams: &mut Streams) -> Vec<u8> {
    many(streams, 1_000, |stream| {
        [open(stream, LIST), reset(stream, code::CANCEL)].concat()
    })
}

pub(super) fn overflows(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        let update = window_update(stream, LARGEST_WINDOW);
        [open(stream, WATCH), update.clone(), update].concat()
    })
}

pub(super) fn self_dependent(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        let payload = [&stream.to_be_bytes()[..], &[16]].concat();
        [
            open(stream, WATCH),
            frame(kind::PRIORITY, 0, stream, &payload),
        ]
        .concat()
    })
}

pub(super) fn odd_headers(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        headers(
            stream,
            &request_with(LIST, "te", b"Trailers"),
            flag::END_STREAM,
        )
    })
}

pub(super) fn endless_block(streams: &mut Streams) -> Vec<u8> {
    if streams.is_new() {
        return frame(kind::HEADERS, 0, streams.next(), &block(&request(LIST)));
    }
    let part = frame(kind::CONTINUATION, 0, 1, &block(&[("x", b"y")]));
    part.repeat(100)
}

pub(super) fn empty_data(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    [
        open(stream, LIST),
        frame(kind::DATA, 0, stream, &[]).repeat(50),
    ]
    .concat()
}

pub(super) fn tiny_data(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    let claimed = frame(kind::DATA, 0, stream, &[0, 0, 0, 1, 0]);
    [
        open(stream, LIST),
        claimed,
        frame(kind::DATA, 0, stream, &[0]).repeat(200),
    ]
    .concat()
}

pub(super) fn nameless(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    headers(stream, &[("", &b""[..]); 50], 0)
}

pub(super) fn pings(_streams: &mut Streams) -> Vec<u8> {
    frame(kind::PING, 0, 0, &[7; 8]).repeat(100)
}

pub(super) fn settings_again(_streams: &mut Streams) -> Vec<u8> {
    settings(&[(setting::INITIAL_WINDOW_SIZE, 1)]).repeat(100)
}

pub(super) fn priorities(streams: &mut Streams) -> Vec<u8> {
    many(streams, 100, |stream| {
        frame(kind::PRIORITY, 0, stream, &[0, 0, 0, 0, 16])
    })
}

pub(super) fn unknown_frames(_streams: &mut Streams) -> Vec<u8> {
    frame(0xfa, 0xff, 0, &[0; 16_384]).repeat(4)
}

pub(super) fn resets_of_idle(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        [call(stream, "/nothing"), reset(stream, code::NO_ERROR)].concat()
    })
}

pub(super) fn dribble(streams: &mut Streams) -> Vec<u8> {
    if streams.is_new() {
        let small = settings(&[(setting::INITIAL_WINDOW_SIZE, 1)]);
        return [small, many(streams, 50, |stream| call(stream, LIST))].concat();
    }
    (0..50)
        .flat_map(|place| window_update(2 * place + 1, 1))
        .collect()
}

pub(super) fn lists(streams: &mut Streams) -> Vec<u8> {
    let wide = settings(&[(setting::INITIAL_WINDOW_SIZE, LARGEST_WINDOW)]);
    let grant = match streams.is_new() {
        true => [wide, window_update(0, LARGEST_WINDOW - 65_535)].concat(),
        false => Vec::new(),
    };
    [grant, many(streams, 50, |stream| call(stream, LIST))].concat()
}

/// An entry of 4,000 bytes in the table of headers, and then one byte for each time it is meant.
pub(super) fn references(streams: &mut Streams) -> Vec<u8> {
    let mut entry = block(&request(LIST));
    let value = vec![b'a'; 3_900];
    // A literal that is to be kept has a first byte of 0x40 instead of 0.
    entry.extend([[0x40].as_slice(), &block(&[("x", value.as_slice())])[1..]].concat());
    let first = frame(kind::HEADERS, flag::END_HEADERS, streams.next(), &entry);
    let mut bomb = block(&request(LIST));
    bomb.extend(vec![0xbe; 8_000]);
    let second = frame(kind::HEADERS, flag::END_HEADERS, streams.next(), &bomb);
    [first, second].concat()
}

pub(super) fn giant_string(streams: &mut Streams) -> Vec<u8> {
    let value = vec![b'a'; 16_000];
    let mut fields = request(LIST);
    fields.push(("x", &value));
    frame(
        kind::HEADERS,
        flag::END_HEADERS,
        streams.next(),
        &block(&fields),
    )
}

pub(super) fn long_integer(streams: &mut Streams) -> Vec<u8> {
    let payload = [&[0x7f][..], &[0xff; 200]].concat();
    frame(kind::HEADERS, flag::END_HEADERS, streams.next(), &payload)
}

pub(super) fn zero_update(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    [open(stream, WATCH), window_update(stream, 0)].concat()
}

pub(super) fn window_overflow(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    [open(stream, WATCH), window_update(0, LARGEST_WINDOW)].concat()
}

pub(super) fn settings_overflow(_streams: &mut Streams) -> Vec<u8> {
    settings(&[(setting::INITIAL_WINDOW_SIZE, 1 << 31)])
}

pub(super) fn over_window(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    let data = frame(kind::DATA, 0, stream, &[0; 16_384]);
    [open(stream, LIST), data.repeat(80)].concat()
}

pub(super) fn bad_padding(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    let data = frame(kind::DATA, flag::PADDED, stream, &[255, 0]);
    [open(stream, LIST), data].concat()
}

pub(super) fn even_stream(_streams: &mut Streams) -> Vec<u8> {
    call(2, LIST)
}

pub(super) fn promise(streams: &mut Streams) -> Vec<u8> {
    let stream = streams.next();
    let payload = [&[0, 0, 0, 2][..], &block(&request(LIST))].concat();
    let promised = frame(kind::PUSH_PROMISE, flag::END_HEADERS, stream, &payload);
    [open(stream, LIST), promised].concat()
}

pub(super) fn large_frame(_streams: &mut Streams) -> Vec<u8> {
    frame(0xfa, 0, 0, &[0; 16_385])
}

pub(super) fn open_streams(streams: &mut Streams) -> Vec<u8> {
    many(streams, 300, |stream| open(stream, LIST))
}

pub(super) fn many_calls(streams: &mut Streams) -> Vec<u8> {
    many(streams, 1_000, |stream| {
        call(stream, "/v1alpha1.Pods/GetPod")
    })
}

pub(super) fn claims(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        [
            open(stream, LIST),
            frame(kind::DATA, 0, stream, &[0, 255, 255, 255, 255, 1]),
        ]
        .concat()
    })
}

pub(super) fn partial_messages(streams: &mut Streams) -> Vec<u8> {
    many(streams, 150, |stream| {
        let body = [&[0, 0, 0, 0xff, 0xff][..], &[0; 6_000]].concat();
        [open(stream, LIST), frame(kind::DATA, 0, stream, &body)].concat()
    })
}

pub(super) fn unread_bodies(streams: &mut Streams) -> Vec<u8> {
    many(streams, 4, |stream| {
        let body = frame(kind::DATA, 0, stream, &[0; 16_000]);
        [open(stream, "/nothing"), body.clone(), body].concat()
    })
}

pub(super) fn watches(streams: &mut Streams) -> Vec<u8> {
    many(streams, 150, |stream| call(stream, WATCH))
}

pub(super) fn watch_and_cancel(streams: &mut Streams) -> Vec<u8> {
    let mut bytes = many(streams, 20, |stream| call(stream, WATCH));
    let last = 2 * streams.used - 1;
    bytes.extend((0..20).flat_map(|place| reset(last - 2 * place, code::CANCEL)));
    bytes
}

pub(super) fn compressed(streams: &mut Streams) -> Vec<u8> {
    many(streams, 4, |stream| {
        let fields = request_with(LIST, "grpc-encoding", b"gzip");
        let body = [&[1, 0, 0, 0x3e, 0x80][..], &[0; 16_000]].concat();
        [
            headers(stream, &fields, 0),
            frame(kind::DATA, flag::END_STREAM, stream, &body),
        ]
        .concat()
    })
}

pub(super) fn forged_paths(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        call(stream, "/\u{1b}[31mERROR forged/\u{9b}2J\u{202e}")
    })
}

pub(super) fn many_headers(streams: &mut Streams) -> Vec<u8> {
    let mut fields = request(LIST);
    fields.extend([("x", &b""[..]); 400]);
    many(streams, 4, |stream| {
        frame(kind::HEADERS, flag::END_HEADERS, stream, &block(&fields))
    })
}
