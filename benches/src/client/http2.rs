//! gRPC in the client's role: as little of HTTP/2 as counting answers takes.
//!
//! Windows are as large as they can be, so that a server waits for the socket alone; frames are of
//! the size that grpc-go offers. What a server says in its header blocks is not decoded: an answer
//! that is none has the wrong number of bytes.

use std::io;

use super::{Ask, Part};

/// The client's side of one connection.
#[derive(Debug, Default)]
pub(super) struct Http2 {
    calls: u32,
    /// The DATA frame that has begun.
    data: Option<Data>,
    /// What came since the connection's window was last opened.
    unpaid: u32,
}

#[derive(Clone, Copy, Debug)]
struct Data {
    call: usize,
    rest: usize,
    ends: bool,
}

impl Http2 {
    /// Begins a connection.
    pub(super) fn begin(output: &mut Vec<u8>) -> Self {
        output.extend_from_slice(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let settings = [
            (ENABLE_PUSH, 0),
            (INITIAL_WINDOW_SIZE, LARGEST_WINDOW),
            (MAX_FRAME_SIZE, 16_384),
        ];
        let payload = settings.map(|(id, value): (u16, u32)| {
            let (id, value) = (id.to_be_bytes(), value.to_be_bytes());
            [id.as_slice(), &value].concat()
        });
        frame(SETTINGS, 0, 0, &payload.concat(), output);
        open_window(LARGEST_WINDOW - 65_535, output);
        Self::default()
    }

    pub(super) fn call(&mut self, ask: Ask<'_>, output: &mut Vec<u8>) {
        let (path, mask) = match ask {
            Ask::Get(..) => ("/v1alpha1.Pods/GetPod", None),
            Ask::List => ("/v1alpha1.Pods/ListPods", None),
            Ask::Masked(mask) => ("/v1alpha1.Pods/ListPods", Some(mask)),
            Ask::Watch => ("/v1alpha1.Pods/WatchPods", None),
        };
        let block = if self.calls == 0 {
            first_block(path, mask)
        } else {
            next_block(mask.is_some())
        };
        let stream = self.calls * 2 + 1;
        self.calls += 1;
        frame(HEADERS, END_HEADERS, stream, &block, output);
        let request = match ask {
            Ask::Get(_, uid) => [&[10, length_byte(uid)], uid.as_bytes()].concat(),
            Ask::List | Ask::Masked(_) | Ask::Watch => Vec::new(),
        };
        let length = u8::try_from(request.len()).unwrap_or(u8::MAX);
        let message = [&[0, 0, 0, 0, length], request.as_slice()].concat();
        frame(DATA, END_STREAM, stream, &message, output);
    }

    /// Returns how much of `input` it understood; what it has to say itself goes to `output`.
    pub(super) fn take(
        &mut self,
        input: &[u8],
        seen: &mut Option<Vec<u8>>,
        parts: &mut Vec<Part>,
        output: &mut Vec<u8>,
    ) -> io::Result<usize> {
        let mut unread = input;
        loop {
            if let Some(data) = &mut self.data {
                let (now, after) = unread.split_at(unread.len().min(data.rest));
                unread = after;
                data.rest -= now.len();
                if let Some(seen) = seen {
                    seen.extend_from_slice(now);
                }
                let over = data.rest == 0;
                parts.push(Part {
                    call: data.call,
                    bytes: now.len(),
                    ended: over && data.ends,
                });
                if over {
                    self.data = None;
                } else {
                    return Ok(input.len());
                }
            }
            let Some((head, after)) = unread.split_first_chunk::<9>() else {
                return Ok(input.len() - unread.len());
            };
            let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = *head;
            let length = u32::from_be_bytes([0, l0, l1, l2]);
            let size = usize::try_from(length).unwrap_or(usize::MAX);
            let stream = u32::from_be_bytes([s0 & 0x7f, s1, s2, s3]);
            let call = usize::try_from(stream / 2).unwrap_or(usize::MAX);
            if kind == DATA {
                if flags & PADDED != 0 {
                    return Err(io::Error::other("a gRPC server sends no padding"));
                }
                self.pay(length, output);
                self.data = Some(Data {
                    call,
                    rest: size,
                    ends: flags & END_STREAM != 0,
                });
                unread = after;
                continue;
            }
            let Some((payload, after)) = after.split_at_checked(size) else {
                return Ok(input.len() - unread.len());
            };
            unread = after;
            match kind {
                HEADERS if flags & END_STREAM != 0 => parts.push(Part {
                    call,
                    bytes: 0,
                    ended: true,
                }),
                SETTINGS if flags & ACK == 0 => frame(SETTINGS, ACK, 0, &[], output),
                PING if flags & ACK == 0 => frame(PING, ACK, 0, payload, output),
                RST_STREAM | GOAWAY => {
                    let text = String::from_utf8_lossy(payload);
                    return Err(io::Error::other(format!(
                        "frame of type {kind} for stream {stream}: {text:?}"
                    )));
                }
                _ => {}
            }
        }
    }

    /// Opens the connection's window again before it closes.
    fn pay(&mut self, bytes: u32, output: &mut Vec<u8>) {
        self.unpaid += bytes;
        if self.unpaid > LARGEST_WINDOW / 2 {
            open_window(self.unpaid, output);
            self.unpaid = 0;
        }
    }
}

/// The headers of the first call, all of which the server is to remember.
fn first_block(path: &str, mask: Option<&str>) -> Vec<u8> {
    let mut block = vec![METHOD_POST, SCHEME_HTTP];
    let known = [
        (NAME_PATH, path),
        (NAME_AUTHORITY, "localhost"),
        (NAME_CONTENT_TYPE, "application/grpc"),
        (NAME_USER_AGENT, "podsapi-bench"),
    ];
    for (name, value) in known {
        block.extend_from_slice(&[0x40 | name, length_byte(value)]);
        block.extend_from_slice(value.as_bytes());
    }
    let te = [("te", "trailers")];
    let mask = mask.map(|mask| (MASK_HEADER, mask));
    for (name, value) in te.into_iter().chain(mask) {
        block.extend_from_slice(&[0x40, length_byte(name)]);
        block.extend_from_slice(name.as_bytes());
        block.push(length_byte(value));
        block.extend_from_slice(value.as_bytes());
    }
    block
}

/// The same headers once the server remembers them: the newest is number 62.
fn next_block(masked: bool) -> Vec<u8> {
    let remembered = if masked { 6 } else { 5 };
    let mut block = vec![METHOD_POST, SCHEME_HTTP];
    block.extend((0..remembered).rev().map(|age| 0x80 | (62 + age)));
    block
}

fn length_byte(text: &str) -> u8 {
    u8::try_from(text.len())
        .ok()
        .filter(|length| *length < 127)
        .expect("what this client says is short")
}

fn open_window(bytes: u32, output: &mut Vec<u8>) {
    frame(WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes(), output);
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8], output: &mut Vec<u8>) {
    let length = u32::try_from(payload.len()).expect("what this client sends is small");
    output.extend_from_slice(length.to_be_bytes().get(1..).unwrap_or_default());
    output.extend_from_slice(&[kind, flags]);
    output.extend_from_slice(&stream.to_be_bytes());
    output.extend_from_slice(payload);
}

const MASK_HEADER: &str = "x-kubernetes-fieldmask";

// RFC 9113 section 6.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;
const ENABLE_PUSH: u16 = 2;
const INITIAL_WINDOW_SIZE: u16 = 4;
const MAX_FRAME_SIZE: u16 = 5;
const LARGEST_WINDOW: u32 = (1 << 31) - 1;

// RFC 7541 appendix A.
const METHOD_POST: u8 = 0x83;
const SCHEME_HTTP: u8 = 0x86;
const NAME_AUTHORITY: u8 = 1;
const NAME_PATH: u8 = 4;
const NAME_CONTENT_TYPE: u8 = 31;
const NAME_USER_AGENT: u8 = 58;
