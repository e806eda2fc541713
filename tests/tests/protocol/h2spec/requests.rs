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
            "8.1 a second HEADERS that goes on",
            [open(1), open(1)].concat(),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2 a name in capitals",
            added("X-Test", b"ok"),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.1 unknown pseudo-header",
            twice(":test", b"ok"),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.1 pseudo-header of responses",
            twice(":status", b"200"),
            Reset(PROTOCOL),
        ),
        // The one case that is not met: the library passes trailers over, and nothing reads them.
        (
            "8.1.2.1 pseudo-header in trailers",
            [
                open(1),
                frame(kind::HEADERS, HEADERS_END, 1, &pseudo_trailers),
            ]
            .concat(),
            Answered,
        ),
        (
            "8.1.2.1 pseudo-header behind others",
            pseudo_behind,
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.2 a header of the connection",
            added("connection", b"keep-alive"),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.2 te that is not trailers",
            headers(&request_with(LIST, "te", b"trailers, deflate")),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.3 empty :path",
            headers(&request_with(LIST, ":path", b"")),
            Reset(PROTOCOL),
        ),
        ("8.1.2.3 no :method", without(":method"), Reset(PROTOCOL)),
        ("8.1.2.3 no :scheme", without(":scheme"), Reset(PROTOCOL)),
        ("8.1.2.3 no :path", without(":path"), Reset(PROTOCOL)),
        (
            "8.1.2.3 two :method",
            twice(":method", b"POST"),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.3 two :scheme",
            twice(":scheme", b"http"),
            Reset(PROTOCOL),
        ),
        ("8.1.2.3 two :path", twice(":path", b"/"), Reset(PROTOCOL)),
        (
            "8.1.2.6 content-length is wrong",
            with_length(b"6", &[&[0; 5]]),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.6 content-length is wrong over several DATA",
            with_length(b"9", &[&[0; 3], &[0; 2]]),
            Reset(PROTOCOL),
        ),
        (
            "8.1.2.6 content-length is right",
            with_length(b"5", &[&[0; 3], &[0; 2]]),
            Answered,
        ),
    ]
}

pub(super) fn compression() -> Vec<Case> {
    vec![
        (
            "hpack 2.3.3 an index beyond both tables",
            hpack(&[0xff, 0x7f]),
            Closed(COMPRESSION),
        ),
        (
            "hpack 2.3.3 a literal of such a name",
            hpack(&[0x7f, 0x7f, 1, b'y']),
            Closed(COMPRESSION),
        ),
        (
            "hpack 4.2 size update behind fields",
            hpack(&[0x20]),
            Closed(COMPRESSION),
        ),
        (
            "hpack 5.2 padding of more than 7 bits",
            hpack(b"\x00\x01x\x82\xf5\xff"),
            Closed(COMPRESSION),
        ),
        (
            "hpack 5.2 padding of zeros",
            hpack(b"\x00\x01x\x81\xf4"),
            Closed(COMPRESSION),
        ),
        (
            "hpack 5.2 EOS in a text",
            hpack(b"\x00\x01x\x84\xff\xff\xff\xff"),
            Closed(COMPRESSION),
        ),
        ("hpack 6.1 index 0", hpack(&[0x80]), Closed(COMPRESSION)),
        (
            "hpack 6.3 a table larger than announced",
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
