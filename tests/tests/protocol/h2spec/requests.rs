//! Requests in HTTP/2, and the compression of their headers.

use super::*;

pub(super) fn semantics() -> Vec<Case> {
    let pseudo_behind = {
        let mut fields = request(LIST);
        let first = fields.remove(0);
        fields.push(first);
        headers(&fields)
    };
    let pseudo_trailers = frames::block(&[(":method", b"POST")]);
    let with_length = |length: &'static [u8], data: &[&[u8]]| {
        let fields = frames::block(&request_with(LIST, "content-length", length));
        let mut sent = frame(kind::HEADERS, flag::END_HEADERS, 1, &fields);
        for (number, piece) in data.iter().enumerate() {
            let last = number + 1 == data.len();
            let end = if last { flag::END_STREAM } else { 0 };
            sent.extend(frame(kind::DATA, end, 1, piece));
        }
        sent
    };
    vec![
        (
            "http2/8.1/1 a second HEADERS that goes on",
            [open(1), open(1)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2/1 a name in capitals",
            added("X-Test", b"ok"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.1/1 unknown pseudo-header",
            twice(":test", b"ok"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.1/2 pseudo-header of responses",
            twice(":status", b"200"),
            Reset(PROTOCOL),
        ),
        // Not met: the library passes trailers over, and nothing reads them.
        (
            "http2/8.1.2.1/3 pseudo-header in trailers",
            [
                open(1),
                frame(kind::HEADERS, HEADERS_END, 1, &pseudo_trailers),
            ]
            .concat(),
            Answered,
        ),
        (
            "http2/8.1.2.1/4 pseudo-header behind others",
            pseudo_behind,
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.2/1 a header of the connection",
            added("connection", b"keep-alive"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.2/2 te that is not trailers",
            headers(&request_with(LIST, "te", b"trailers, deflate")),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/1 empty :path",
            headers(&request_with(LIST, ":path", b"")),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/2 no :method",
            without(":method"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/3 no :scheme",
            without(":scheme"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/4 no :path",
            without(":path"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/5 two :method",
            twice(":method", b"POST"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/6 two :scheme",
            twice(":scheme", b"http"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.3/7 two :path",
            twice(":path", b"/"),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.6/1 content-length is wrong",
            with_length(b"6", &[&[0; 5]]),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.6/2 content-length is wrong over several DATA",
            with_length(b"9", &[&[0; 3], &[0; 2]]),
            Reset(PROTOCOL),
        ),
        (
            "http2/8.1.2.6 content-length is right",
            with_length(b"5", &[&[0; 3], &[0; 2]]),
            Answered,
        ),
    ]
}

/// Header blocks of every form; "x", "y" and "user-agent" (58 in the static table) in plain and in
/// Huffman coding.
pub(super) fn representations() -> Vec<Case> {
    let updated = |updates: &[u8]| {
        let block = [updates, &block()].concat();
        frame(kind::HEADERS, HEADERS_END, 1, &block)
    };
    vec![
        ("generic/5/1 indexed", hpack(b"\x90"), Answered),
        (
            "generic/5 indexed, in the dynamic table",
            hpack(b"\x40\x01x\x01y\xbe"),
            Answered,
        ),
        (
            "generic/5/2 literal with indexing, known name",
            hpack(b"\x7a\x01y"),
            Answered,
        ),
        (
            "generic/5/3 the same in Huffman coding",
            hpack(b"\x7a\x81\xf5"),
            Answered,
        ),
        (
            "generic/5/4 literal with indexing, new name",
            hpack(b"\x40\x01x\x01y"),
            Answered,
        ),
        (
            "generic/5/5 the same in Huffman coding",
            hpack(b"\x40\x81\xf3\x81\xf5"),
            Answered,
        ),
        (
            "generic/5/6 literal without indexing, known name",
            hpack(b"\x0f\x2b\x01y"),
            Answered,
        ),
        (
            "generic/5/7 the same in Huffman coding",
            hpack(b"\x0f\x2b\x81\xf5"),
            Answered,
        ),
        (
            "generic/5/8 literal without indexing, new name",
            hpack(b"\x00\x01x\x01y"),
            Answered,
        ),
        (
            "generic/5/9 the same in Huffman coding",
            hpack(b"\x00\x81\xf3\x81\xf5"),
            Answered,
        ),
        (
            "generic/5/10 literal never indexed, known name",
            hpack(b"\x1f\x2b\x01y"),
            Answered,
        ),
        (
            "generic/5/11 the same in Huffman coding",
            hpack(b"\x1f\x2b\x81\xf5"),
            Answered,
        ),
        (
            "generic/5/12 literal never indexed, new name",
            hpack(b"\x10\x01x\x01y"),
            Answered,
        ),
        (
            "generic/5/13 the same in Huffman coding",
            hpack(b"\x10\x81\xf3\x81\xf5"),
            Answered,
        ),
        ("generic/5/14 one size update", updated(b"\x20"), Answered),
        (
            "generic/5/15 two size updates",
            updated(b"\x20\x3f\xe1\x1f"),
            Answered,
        ),
    ]
}

pub(super) fn compression() -> Vec<Case> {
    vec![
        (
            "hpack/2.3.3/1 an index beyond both tables",
            hpack(&[0xff, 0x7f]),
            Closed(COMPRESSION),
        ),
        (
            "hpack/2.3.3/2 a literal of such a name",
            hpack(&[0x7f, 0x7f, 1, b'y']),
            Closed(COMPRESSION),
        ),
        (
            "hpack/4.2/1 size update behind fields",
            hpack(&[0x20]),
            Closed(COMPRESSION),
        ),
        (
            "hpack/5.2/1 padding of more than 7 bits",
            hpack(b"\x00\x01x\x82\xf5\xff"),
            Closed(COMPRESSION),
        ),
        (
            "hpack/5.2/2 padding of zeros",
            hpack(b"\x00\x01x\x81\xf4"),
            Closed(COMPRESSION),
        ),
        (
            "hpack/5.2/3 EOS in a text",
            hpack(b"\x00\x01x\x84\xff\xff\xff\xff"),
            Closed(COMPRESSION),
        ),
        ("hpack/6.1/1 index 0", hpack(&[0x80]), Closed(COMPRESSION)),
        (
            "hpack/6.3/1 a table larger than announced",
            frame(
                kind::HEADERS,
                HEADERS_END,
                1,
                &[&[0x3f, 0xe2, 0x1f], &block()[..]].concat(),
            ),
            Closed(COMPRESSION),
        ),
    ]
}
