//! The attacks by name, and what shows of each that it does what it says.

use std::time::Duration;

use podsapi_tests::frames::kind::{DATA, GO_AWAY, HEADERS, PING, RST_STREAM, SETTINGS};

use super::attacks::Attack;
use super::attacks::Attack::{Bare, Deaf, Flood, Hold, Paced, Silent, Socket, Trickle};
use super::floods;
use super::sockets::Kind;
use super::tally::Proof;
use super::tally::Proof::{Bytes, Closed, Connections, Counter, Frames, Gauge, Heard, Peak, Rate};

/// Connections that the command allows when it is told nothing else.
pub(super) const MAX_CONNECTIONS: usize = 512;

const CONNECTIONS: &str = "podsapi_connections";
const REFUSED: &str = "podsapi_connections_refused_total";
const CALLS: &str = "podsapi_calls";
const CALLS_REFUSED: &str = "podsapi_calls_refused_total";
const WATCHES: &str = "podsapi_watches";
const WATCHES_REFUSED: &str = "podsapi_watches_refused_total";
const REQUEST_BYTES: &str = "podsapi_request_bytes";
const REPLY_BYTES: &str = "podsapi_reply_bytes";

type Listed = (&'static str, Attack, &'static [Proof]);

/// Every attack of the list; two of a number are two ways to do it.
pub(super) const ATTACKS: &[Listed] = &[
    (
        "A1 rapid reset",
        Flood(floods::call_and_reset),
        &[Rate(2_000)],
    ),
    (
        "A2 reset before accept",
        Flood(floods::thousand_resets),
        &[Rate(2_000)],
    ),
    (
        "A3 resets by overflow",
        Flood(floods::overflows),
        &[Rate(2_000), Heard(RST_STREAM, 100)],
    ),
    (
        "A3 resets by dependency",
        Flood(floods::self_dependent),
        &[Rate(1_000), Heard(RST_STREAM, 100)],
    ),
    (
        "A4 streams with errors",
        Flood(floods::odd_headers),
        &[Rate(1_000), Heard(RST_STREAM, 100)],
    ),
    (
        "A5 CONTINUATION flood",
        Flood(floods::endless_block),
        &[Rate(1_000), Heard(GO_AWAY, 3), Closed(3)],
    ),
    (
        "A5 CONTINUATION trickle",
        Trickle(100, Duration::from_millis(5), floods::long_block),
        &[Connections(100), Bytes(5_000)],
    ),
    (
        "A6 empty DATA",
        Flood(floods::empty_data),
        &[Rate(1_000), Closed(3)],
    ),
    (
        "A6 tiny DATA",
        Flood(floods::tiny_data),
        &[Rate(1_000), Closed(1)],
    ),
    (
        "A7 empty header names",
        Flood(floods::nameless),
        &[Closed(10)],
    ),
    ("A8 PING flood", Deaf(floods::pings), &[Frames(10_000)]),
    (
        "A8 PING flood, read",
        Flood(floods::pings),
        &[Rate(10_000), Heard(PING, 1_000)],
    ),
    (
        "A9 SETTINGS flood",
        Deaf(floods::settings_again),
        &[Frames(10_000)],
    ),
    (
        "A9 SETTINGS flood, read",
        Flood(floods::settings_again),
        &[Rate(10_000), Heard(SETTINGS, 1_000)],
    ),
    (
        "A10 PRIORITY churn",
        Flood(floods::priorities),
        &[Rate(10_000)],
    ),
    (
        "A11 unknown frames",
        Flood(floods::unknown_frames),
        &[Rate(1_000)],
    ),
    (
        "A12 reset flood",
        Deaf(floods::malformed),
        &[Rate(1_000), Heard(GO_AWAY, 3), Closed(3)],
    ),
    (
        "A13 window of one byte",
        Paced(floods::dribble),
        &[Rate(1_000), Heard(DATA, 500)],
    ),
    (
        "A14 open window, socket not read",
        Deaf(floods::lists),
        // The replies are of few lists, each of which counts once for all of them.
        &[Gauge(CALLS, 20), Gauge(REPLY_BYTES, 100 << 10)],
    ),
    ("A15 HPACK bomb", Flood(floods::references), &[Closed(10)]),
    (
        "A16 giant strings",
        Flood(floods::giant_string),
        &[Rate(100), Heard(RST_STREAM, 10)],
    ),
    (
        "A16 long integers",
        Flood(floods::long_integer),
        &[Closed(10)],
    ),
    (
        "A17 WINDOW_UPDATE of 0 for a stream",
        Flood(floods::zero_update),
        &[Closed(10)],
    ),
    (
        "A17 WINDOW_UPDATE of 0 for all",
        Flood(floods::zero_update_of_all),
        &[Closed(10)],
    ),
    (
        "A18 window overflow",
        Flood(floods::window_overflow),
        &[Closed(10)],
    ),
    (
        "A18 SETTINGS overflow",
        Flood(floods::settings_overflow),
        &[Closed(10)],
    ),
    (
        "A19 DATA over the window",
        Flood(floods::over_window),
        &[Rate(500), Heard(RST_STREAM, 50)],
    ),
    (
        "A19 padding longer than DATA",
        Flood(floods::bad_padding),
        &[Closed(10)],
    ),
    ("A19 even stream", Flood(floods::even_stream), &[Closed(10)]),
    (
        "A19 id going back",
        Flood(floods::earlier_stream),
        &[Closed(10)],
    ),
    (
        "A19 DATA on idle",
        Flood(floods::data_on_idle),
        &[Closed(10)],
    ),
    (
        "A19 RST_STREAM on idle",
        Flood(floods::reset_of_idle),
        &[Closed(10)],
    ),
    ("A19 PUSH_PROMISE", Flood(floods::promise), &[Closed(10)]),
    (
        "A19 frame too large",
        Flood(floods::large_frame),
        &[Closed(10)],
    ),
    (
        "A20 no preface",
        Silent(200),
        &[Connections(200), Gauge(CONNECTIONS, 200)],
    ),
    (
        "A20 slow preface",
        Trickle(200, Duration::from_secs(1), floods::acknowledgement),
        &[Connections(200), Bytes(200), Gauge(CONNECTIONS, 200)],
    ),
    (
        "A21 preface, then silence",
        Hold(200, floods::acknowledgement, None),
        &[Connections(200), Frames(400), Gauge(CONNECTIONS, 200)],
    ),
    (
        "A22 many connections",
        Silent(MAX_CONNECTIONS + 200),
        &[
            Connections(1_000),
            Closed(200),
            Gauge(CONNECTIONS, MAX_CONNECTIONS as u64),
            Counter(REFUSED, 200),
        ],
    ),
    (
        "A24 many streams",
        Flood(floods::open_streams),
        &[Rate(1_000), Heard(RST_STREAM, 100)],
    ),
    (
        "A25 refusals",
        Flood(floods::many_calls),
        &[Rate(1_000), Heard(RST_STREAM, 100), Closed(1)],
    ),
    (
        "A26 body never ends",
        Hold(43, floods::unfinished_calls, None),
        &[
            Frames(8_192),
            Gauge(CALLS, 8_192),
            Counter(CALLS_REFUSED, 10),
        ],
    ),
    (
        "A27 length of 4 GiB",
        Flood(floods::claims),
        &[Rate(500), Heard(HEADERS, 50)],
    ),
    (
        "A27 length of 4 MiB",
        Paced(floods::open_claims),
        &[Frames(500), Heard(HEADERS, 50)],
    ),
    (
        "A28 partial messages",
        Hold(42, floods::partial_messages, Some(floods::one_byte_more)),
        &[
            Frames(2_000),
            Peak(REQUEST_BYTES, (16 << 20) - 1_024),
            Gauge(REQUEST_BYTES, 15 << 20),
            Counter(CALLS_REFUSED, 10),
        ],
    ),
    (
        "A29 bodies of refused calls",
        Flood(floods::unread_bodies),
        &[Rate(500), Heard(HEADERS, 10)],
    ),
    (
        "A30 stuck watches",
        Hold(24, floods::watches, None),
        &[Frames(8_000), Gauge(WATCHES, 3_500)],
    ),
    (
        "A31 watch and cancel",
        Flood(floods::watch_and_cancel),
        &[Rate(1_000)],
    ),
    (
        "A32 stopped peer",
        Hold(20, floods::lists, None),
        // The replies are of one list, which counts once for all of them.
        &[
            Frames(2_000),
            Gauge(CALLS, 20),
            Gauge(REPLY_BYTES, 100 << 10),
        ],
    ),
    (
        "A33 closed while answered",
        Socket(Kind::Leave),
        &[Connections(20), Frames(2_000)],
    ),
    (
        "A34 gzip bomb",
        Flood(floods::bomb),
        &[Rate(500), Heard(HEADERS, 50)],
    ),
    (
        "A34 gzip of many members",
        Flood(floods::members),
        &[Rate(500), Heard(HEADERS, 50)],
    ),
    (
        "A35 passed descriptors",
        Socket(Kind::Descriptors),
        &[Connections(3), Frames(200)],
    ),
    (
        "A37 full backlog",
        Socket(Kind::Storm),
        &[Connections(2_000)],
    ),
    (
        "A38 words for the log",
        Flood(floods::forged_words),
        &[Rate(500), Heard(HEADERS, 50)],
    ),
    (
        "A39 24,577 headers",
        Flood(floods::too_many_headers),
        &[Closed(10)],
    ),
    (
        "A39 informational request",
        Flood(floods::informational),
        &[Rate(500), Heard(RST_STREAM, 100)],
    ),
    (
        "A40 4,000 masks of watches",
        Hold(22, floods::masked_watches, None),
        &[
            Frames(8_000),
            Gauge(WATCHES, 60),
            Counter(WATCHES_REFUSED, 3_000),
        ],
    ),
    (
        "A41 a new mask with each list",
        Flood(floods::masked_lists),
        &[Rate(500), Heard(HEADERS, 100)],
    ),
    (
        "HTTP/1.1",
        Bare(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"),
        &[Closed(10)],
    ),
    (
        "TLS",
        Bare(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        &[Closed(10)],
    ),
];
