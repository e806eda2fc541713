//! What the attacks send: each returns the next bytes for a connection that has begun.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use podsapi_tests::frames::{
    block, code, compressed, flag, frame, gzip, kind, message, reset, setting, settings,
    window_update,
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

/// A header block in few frames, which takes more than a minute where a byte of it takes 5 ms.
pub(super) fn long_block(streams: &mut Streams) -> Vec<u8> {
    let value = vec![b'a'; 15_000];
    let part = frame(kind::CONTINUATION, 0, 1, &block(&[("x", &value)]));
    if streams.is_new() {
        let first = frame(kind::HEADERS, 0, streams.next(), &block(&request(LIST)));
        return [first, part].concat();
    }
    part
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

/// HTTP/2 has no such header: the server has to reset every one of these streams.
pub(super) fn malformed(streams: &mut Streams) -> Vec<u8> {
    many(streams, 50, |stream| {
        headers(
            stream,
            &request_with(LIST, "connection", b"close"),
            flag::END_STREAM,
        )
    })
}

/// One byte for each of fifty lists; the connection as a whole has room.
pub(super) fn dribble(streams: &mut Streams) -> Vec<u8> {
    if streams.is_new() {
        let small = settings(&[(setting::INITIAL_WINDOW_SIZE, 1)]);
        let wide = window_update(0, LARGEST_WINDOW - 65_535);
        return [small, wide, many(streams, 50, |stream| call(stream, LIST))].concat();
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

pub(super) fn zero_update_of_all(_streams: &mut Streams) -> Vec<u8> {
    window_update(0, 0)
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

pub(super) fn earlier_stream(_streams: &mut Streams) -> Vec<u8> {
    [call(5, LIST), call(3, LIST)].concat()
}

pub(super) fn data_on_idle(_streams: &mut Streams) -> Vec<u8> {
    frame(kind::DATA, flag::END_STREAM, 7, &message(&[]))
}

pub(super) fn reset_of_idle(_streams: &mut Streams) -> Vec<u8> {
    reset(7, code::CANCEL)
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

/// Calls beyond what a connection may have, none of which ends, each with a byte that comes late.
pub(super) fn many_calls(streams: &mut Streams) -> Vec<u8> {
    many(streams, 1_000, |stream| {
        [open(stream, LIST), frame(kind::DATA, 0, stream, &[0])].concat()
    })
}

/// The prefix of a message of 4 GiB, one byte of it, and the end.
pub(super) fn claims(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        let begun = [0, 255, 255, 255, 255, 1];
        let data = frame(kind::DATA, flag::END_STREAM, stream, &begun);
        [open(stream, LIST), data].concat()
    })
}

/// The prefix of a message of nearly 4 MiB, one byte of it, and no end.
pub(super) fn open_claims(streams: &mut Streams) -> Vec<u8> {
    many(streams, 50, |stream| {
        let data = frame(kind::DATA, 0, stream, &[0, 0, 63, 255, 255, 1]);
        [open(stream, LIST), data].concat()
    })
}

/// As many calls as a connection may have, none of which ends its request.
pub(super) fn unfinished_calls(streams: &mut Streams) -> Vec<u8> {
    many(streams, 200, |stream| open(stream, LIST))
}

/// Requests of the largest size but for their last bytes, as many as half a window of a connection
/// has room for, and small ones that [`one_byte_more`] goes on with.
pub(super) fn partial_messages(streams: &mut Streams) -> Vec<u8> {
    let body = [&[0, 0, 1, 0, 0][..], &[0; 65_530]].concat();
    let mut bytes = many(streams, LARGE_PARTS, |stream| {
        let parts = body.chunks(16_384);
        let data = parts.flat_map(|part| frame(kind::DATA, 0, stream, part));
        open(stream, LIST).into_iter().chain(data).collect()
    });
    bytes.extend(many(streams, SMALL_PARTS, |stream| {
        let part = frame(kind::DATA, 0, stream, &body[..1_100]);
        [open(stream, LIST), part].concat()
    }));
    bytes
}

const LARGE_PARTS: usize = 7;
const SMALL_PARTS: usize = 20;

/// One byte more of each small request, so that not even a small one of somebody else has room.
pub(super) fn one_byte_more(streams: &mut Streams) -> Vec<u8> {
    let last = 2 * streams.used - 1;
    (0..SMALL_PARTS as u32)
        .flat_map(|place| frame(kind::DATA, 0, last - 2 * place, &[0]))
        .collect()
}

/// Every other body has an end, so that some are answered before the connection is closed for the
/// others, which wait for theirs.
pub(super) fn unread_bodies(streams: &mut Streams) -> Vec<u8> {
    many(streams, 4, |stream| {
        let ends = stream % 4 == 1;
        let flags = if ends { flag::END_STREAM } else { 0 };
        let body = |flags| frame(kind::DATA, flags, stream, &[0; 16_000]);
        [open(stream, "/nothing"), body(0), body(flags)].concat()
    })
}

pub(super) fn watches(streams: &mut Streams) -> Vec<u8> {
    many(streams, 200, |stream| call(stream, WATCH))
}

pub(super) fn watch_and_cancel(streams: &mut Streams) -> Vec<u8> {
    let mut bytes = many(streams, 20, |stream| call(stream, WATCH));
    let last = 2 * streams.used - 1;
    bytes.extend((0..20).flat_map(|place| reset(last - 2 * place, code::CANCEL)));
    bytes
}

/// Watches with a mask of their own each, as many as one connection may hold.
pub(super) fn masked_watches(streams: &mut Streams) -> Vec<u8> {
    many(streams, 190, |stream| masked_call(stream, WATCH))
}

/// Lists through a mask that nobody sent before.
pub(super) fn masked_lists(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| masked_call(stream, LIST))
}

fn masked_call(stream: u32, path: &str) -> Vec<u8> {
    static MASKS: AtomicU32 = AtomicU32::new(0);
    let number = MASKS.fetch_add(1, Ordering::Relaxed);
    let mask = format!("metadata.labels.k{number},status.phase");
    let fields = request_with(path, "x-kubernetes-fieldmask", mask.as_bytes());
    let body = frame(kind::DATA, flag::END_STREAM, stream, &message(&[]));
    [headers(stream, &fields, 0), body].concat()
}

/// Fifteen million zeros in gzip, in one frame.
pub(super) fn bomb(streams: &mut Streams) -> Vec<u8> {
    static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| compressed(&gzip(&vec![0; 15 << 20])));
    many(streams, 4, |stream| call_in_gzip(stream, &BOMB))
}

/// As many members of gzip as a frame has room for, each of which has to be begun anew.
pub(super) fn members(streams: &mut Streams) -> Vec<u8> {
    static MEMBERS: LazyLock<Vec<u8>> = LazyLock::new(|| compressed(&gzip(b"").repeat(800)));
    many(streams, 4, |stream| call_in_gzip(stream, &MEMBERS))
}

fn call_in_gzip(stream: u32, body: &[u8]) -> Vec<u8> {
    let fields = request_with(LIST, "grpc-encoding", b"gzip");
    [
        headers(stream, &fields, 0),
        frame(kind::DATA, flag::END_STREAM, stream, body),
    ]
    .concat()
}

/// What would steer a terminal or begin a line of a log, in all that a client may say.
///
/// HTTP/2 itself refuses what is below a space; what is above ASCII comes through.
pub(super) fn forged_words(streams: &mut Streams) -> Vec<u8> {
    let path = format!("/{FORGED}/{FORGED}");
    let words = FORGED.as_bytes();
    let mut bytes = many(streams, 4, |stream| call(stream, &path));
    for (name, value) in [
        ("content-type", words),
        ("grpc-timeout", words),
        ("grpc-encoding", words),
        ("x-podsapi-fields", words),
        (":authority", b"\x1b[31m ERROR forged"),
        ("user-agent", b"\xff\xfe\x9b2J"),
    ] {
        bytes.extend(many(streams, 1, |stream| {
            let body = frame(kind::DATA, flag::END_STREAM, stream, &message(words));
            [headers(stream, &request_with(LIST, name, value), 0), body].concat()
        }));
    }
    // A GOAWAY has room for words, too.
    let farewell = [&[0; 8][..], b"\x1b[31m\nERROR forged\n"].concat();
    bytes.extend(frame(kind::GO_AWAY, 0, 0, &farewell));
    bytes
}

/// A command of terminals in one character, the end of a line in two ways, and a change of direction.
pub(super) const FORGED: &str = "a\u{9b}31mERROR\u{85}forged\u{2028}\u{202e}b";

/// One header more than the library's table of them has room for, a byte each.
pub(super) fn too_many_headers(streams: &mut Streams) -> Vec<u8> {
    const ACCEPT_ENCODING: u8 = 0x90;
    let stream = streams.next();
    let mut fields = block(&request(LIST));
    fields.extend([ACCEPT_ENCODING; 24_577]);
    let (first, rest) = fields.split_at(16_384);
    [
        frame(kind::HEADERS, 0, stream, first),
        frame(kind::CONTINUATION, flag::END_HEADERS, stream, rest),
    ]
    .concat()
}

pub(super) fn informational(streams: &mut Streams) -> Vec<u8> {
    many(streams, 10, |stream| {
        let fields = [&[(":status", &b"103"[..])], &request(LIST)[..]].concat();
        headers(stream, &fields, flag::END_STREAM)
    })
}

/// The end of a greeting: what the server said first is acknowledged.
pub(super) fn acknowledgement(_streams: &mut Streams) -> Vec<u8> {
    frame(kind::SETTINGS, flag::ACK, 0, &[])
}
