//! Walks a client's frames and hands each header block to the rewriting, whole.

use core::mem;

use super::hpack;
use super::lists::Lists;

/// What every HTTP/2 client sends first (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes before the payload of a frame.
const HEAD_BYTES: usize = 9;
/// The largest payload that a client may send: the initial `SETTINGS_MAX_FRAME_SIZE`, which this
/// server does not raise. A larger one ends the connection inside h2.
const MAX_FRAME_BYTES: usize = 16_384;
/// Bytes of one header list, and of the frames of its block, from which on a connection is hostile.
///
/// 128 KiB: eight times what the server accepts and tells its clients. No metadata is that large by
/// mistake alone, what is held back of blocks that do not end is bounded by it, and h2 would say
/// something else of larger ones for each way to be large.
pub const MAX_HEADER_BYTES: usize = 128 << 10;
/// Bytes of buffer that a connection keeps between header blocks.
const RETAINED_BYTES: usize = 4_096;

/// CONTINUATION frames of one block that h2 does not take, whatever header list it is told to take:
/// with its default of 16 MiB those are 1,280.
const TOO_MANY_FRAMES: usize = 1_281;

const HEADERS: u8 = 0x1;
const CONTINUATION: u8 = 0x9;
const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;
const PRIORITY_BYTES: usize = 5;

/// Rewrites the authority in the bytes that a client sends, as they come; does no I/O.
///
/// Whatever it does not understand passes through untouched, for h2 to judge: another protocol,
/// malformed frames, malformed header blocks. In place of a header list that is larger than
/// [`MAX_HEADER_BYTES`], or whose block is, h2 reads what it ends a connection for, and nothing of
/// what follows.
///
/// ```text
///            mismatch
///  Preface ───────────▶ Foreign (all passes)
///     │ 24 bytes                       HEADERS without END_HEADERS,
///     ▼                                or not yet whole
///  Payload ◀──────────────────────────────────┐
///     │ any other frame: passes as it comes   ▼
///     └──────▶ Payload       released ◀──── Block ─────────▶ Hostile ──▶ Deaf (nothing passes)
///                                                too large
/// ```
#[derive(Debug)]
pub struct AuthorityScanner {
    state: State,
    /// Whole frames and a partial one, from the head of a HEADERS frame on; empty unless `Block`.
    held: Vec<u8>,
    /// Frames that were begun so far; those of a block that was held back are one.
    begun: u64,
    /// What the blocks so far left in the table that they are read with.
    lists: Lists,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// So many bytes of the preface have passed.
    Preface(usize),
    /// Not HTTP/2.
    Foreign,
    /// So many bytes of the payload of a frame are still to pass; none means at a frame's start.
    Payload(usize),
    /// Bytes are held back; the last frame among them starts there.
    Block { frame_at: usize },
    /// A header list of this stream was too large for the connection to go on.
    Hostile(u32),
    /// The same, and h2 was given its reason to end it.
    Deaf,
}

/// The fixed part of a frame.
#[derive(Debug, Clone, Copy)]
struct Head {
    length: usize,
    kind: u8,
    flags: u8,
    stream: u32,
}

impl Default for AuthorityScanner {
    fn default() -> Self {
        Self::new()
    }
}

impl AuthorityScanner {
    /// Returns a scanner for a connection that has not sent anything yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: State::Preface(0),
            held: Vec::new(),
            begun: 0,
            lists: Lists::new(),
        }
    }

    /// Takes the next bytes of the client and appends what h2 shall read instead.
    ///
    /// Bytes of a frame head or of a header block may be held back until it is whole; the caller
    /// gives [`finish`](Self::finish) a chance to return them when the client's bytes end.
    pub fn push(&mut self, mut input: &[u8], output: &mut Vec<u8>) {
        while !input.is_empty() {
            let (passed, rest) = input
                .split_at_checked(self.pass(input))
                .unwrap_or((input, &[]));
            output.extend_from_slice(passed);
            input = if rest.is_empty() {
                rest
            } else {
                self.hold(rest, output)
            };
            if let State::Hostile(stream) = self.state {
                write_reason_to_end(stream, output);
                self.state = State::Deaf;
            }
        }
    }

    /// Appends the bytes that are still held back: the client's bytes have ended.
    pub fn finish(&mut self, output: &mut Vec<u8>) {
        self.release(output, 0);
    }

    /// Returns the number, counted from 1, of the frame or header block that has begun and whose end
    /// has not come.
    #[must_use]
    pub const fn unfinished(&self) -> Option<u64> {
        match self.state {
            State::Preface(_) | State::Foreign | State::Payload(0) => None,
            State::Hostile(_) | State::Deaf => None,
            State::Payload(_) | State::Block { .. } => Some(self.begun),
        }
    }

    /// Returns how many leading bytes of `input` h2 may read as they stand, and counts them as read.
    ///
    /// When that is not all, the caller pushes the rest.
    pub(super) fn pass(&mut self, input: &[u8]) -> usize {
        let mut passed = 0;
        while let Some(rest) = input.get(passed..).filter(|rest| !rest.is_empty()) {
            match self.state {
                State::Preface(seen) => {
                    let expected = PREFACE.get(seen..).unwrap_or_default();
                    let length = expected.len().min(rest.len());
                    if expected.get(..length) != rest.get(..length) {
                        self.state = State::Foreign;
                        continue;
                    }
                    passed += length;
                    self.state = match seen + length {
                        whole if whole == PREFACE.len() => State::Payload(0),
                        part => State::Preface(part),
                    };
                }
                State::Foreign => return input.len(),
                State::Payload(0) => {
                    let Some(head) = Head::parse(rest) else { break };
                    if head.starts_block() {
                        let frame = rest.get(..HEAD_BYTES + head.length);
                        let good = frame.filter(|frame| {
                            head.flags & END_HEADERS != 0 && rewrite(frame).is_none()
                        });
                        let Some(frame) = good else { break };
                        if !self.admit(frame) {
                            break;
                        }
                    }
                    passed += HEAD_BYTES;
                    self.begun += 1;
                    self.state = State::Payload(head.length);
                }
                State::Payload(left) => {
                    let length = left.min(rest.len());
                    passed += length;
                    self.state = State::Payload(left - length);
                }
                State::Block { .. } | State::Hostile(_) | State::Deaf => break,
            }
        }
        passed
    }

    /// Takes note of the whole block that these frames are; false when it makes the connection
    /// hostile.
    fn admit(&mut self, frames: &[u8]) -> bool {
        let size = match Fragment::split(frames) {
            Some((only, [])) => self.lists.measure(only.fields),
            Some(_) => joined(frames).map_or(0, |block| self.lists.measure(&block)),
            None => 0,
        };
        if size > MAX_HEADER_BYTES {
            self.turn_hostile(frames);
        }
        size <= MAX_HEADER_BYTES
    }

    /// Gives up the connection for the block that these frames begin.
    fn turn_hostile(&mut self, frames: &[u8]) {
        let stream = Head::parse(frames).map_or(0, |head| head.stream);
        self.state = State::Hostile(stream);
    }

    /// Holds bytes back up to the next point of decision; returns those that remain.
    fn hold<'a>(&mut self, input: &'a [u8], output: &mut Vec<u8>) -> &'a [u8] {
        let frame_at = match self.state {
            State::Block { frame_at } => frame_at,
            State::Payload(0) => {
                self.begun += 1;
                0
            }
            State::Preface(_) | State::Foreign | State::Payload(_) => return input,
            State::Hostile(_) | State::Deaf => return &[],
        };
        self.state = State::Block { frame_at };
        let frame = self.held.get(frame_at..).unwrap_or_default();
        let whole = HEAD_BYTES + Head::parse(frame).map_or(0, |head| head.length);
        let (taken, rest) = input
            .split_at_checked(whole - frame.len())
            .unwrap_or((input, &[]));
        self.held.extend_from_slice(taken);
        let frame = self.held.get(frame_at..).unwrap_or_default();
        let Some(head) = Head::parse(frame) else {
            return rest;
        };
        let here = frame.len() - HEAD_BYTES;
        if here == 0 && !self.belongs(head, frame_at) {
            self.release(output, head.length);
        } else if self.held.len() - here + head.length > MAX_HEADER_BYTES {
            let held = mem::take(&mut self.held);
            self.turn_hostile(&held);
        } else if here == head.length && head.flags & END_HEADERS != 0 {
            let held = mem::take(&mut self.held);
            if !self.admit(&held) {
                return rest;
            }
            self.held = held;
            match rewrite(&self.held) {
                Some(rewritten) => {
                    output.extend_from_slice(&rewritten);
                    self.held.clear();
                }
                None => output.append(&mut self.held),
            }
            self.release(output, 0);
        } else if here == head.length {
            self.state = State::Block {
                frame_at: self.held.len(),
            };
        }
        rest
    }

    /// Returns whether the frame of `head`, the last that is held, is part of a block worth holding.
    fn belongs(&self, head: Head, frame_at: usize) -> bool {
        if frame_at == 0 {
            return head.starts_block();
        }
        // A larger frame ends the connection inside h2, whatever it continues.
        head.kind == CONTINUATION
            && head.length <= MAX_FRAME_BYTES
            && Head::parse(&self.held).is_some_and(|first| first.stream == head.stream)
    }

    /// Lets go of what is held; `left` bytes of a payload follow it untouched.
    fn release(&mut self, output: &mut Vec<u8>, left: usize) {
        if let State::Block { .. } = self.state {
            output.append(&mut self.held);
            self.held.shrink_to(RETAINED_BYTES);
            self.state = State::Payload(left);
        }
    }
}

impl Head {
    /// Reads the head of the frame that `bytes` start with; `None` when it is not whole.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let [a, b, c, kind, flags, stream @ ..] = bytes.first_chunk::<HEAD_BYTES>()?;
        let length = usize::try_from(u32::from_be_bytes([0, *a, *b, *c])).ok()?;
        // The highest bit has no meaning and is ignored (RFC 9113 section 4.1).
        let stream = u32::from_be_bytes(*stream) & 0x7fff_ffff;
        Some(Self {
            length,
            kind: *kind,
            flags: *flags,
            stream,
        })
    }

    fn starts_block(self) -> bool {
        self.kind == HEADERS && self.length <= MAX_FRAME_BYTES
    }
}

/// Appends a header block in more frames than h2 takes: it ends the connection with
/// `ENHANCE_YOUR_CALM`, as it does where it finds a block too large by itself.
fn write_reason_to_end(stream: u32, output: &mut Vec<u8>) {
    let [a, b, c, d] = stream.to_be_bytes();
    output.extend([0, 0, 0, HEADERS, 0, a, b, c, d]);
    for _ in 0..TOO_MANY_FRAMES {
        output.extend([0, 0, 0, CONTINUATION, 0, a, b, c, d]);
    }
}

/// A frame of a block, taken apart.
struct Fragment<'a> {
    /// The head without its length.
    head: &'a [u8],
    /// Length of the padding and priority, as far as the flags announce them.
    prefix: &'a [u8],
    /// Its part of the encoded fields.
    fields: &'a [u8],
    padding: &'a [u8],
}

/// Returns the frames of a block with a good authority, in the same number of frames with the same
/// flags and padding; `None` when nothing is to change.
fn rewrite(frames: &[u8]) -> Option<Vec<u8>> {
    let (first, mut rest) = Fragment::split(frames)?;
    if rest.is_empty() {
        let fields = hpack::rewrite(first.fields)?;
        let mut output = Vec::with_capacity(frames.len());
        first.write(&fields, &mut output)?;
        return Some(output);
    }
    let mut fragments = vec![first];
    while !rest.is_empty() {
        let fragment;
        (fragment, rest) = Fragment::split(rest)?;
        fragments.push(fragment);
    }
    let rewritten = hpack::rewrite(&joined(frames)?)?;
    let mut left = rewritten.as_slice();
    let mut output = Vec::with_capacity(frames.len());
    for fragment in &fragments {
        // The new block is not longer than the old one, so the same frames hold it.
        let (fields, later) = left
            .split_at_checked(fragment.fields.len())
            .unwrap_or((left, &[]));
        fragment.write(fields, &mut output)?;
        left = later;
    }
    left.is_empty().then_some(output)
}

/// Returns the block that these frames have in parts; `None` when one of them is malformed.
fn joined(mut frames: &[u8]) -> Option<Vec<u8>> {
    let mut block = Vec::with_capacity(frames.len());
    while !frames.is_empty() {
        let (fragment, rest) = Fragment::split(frames)?;
        block.extend_from_slice(fragment.fields);
        frames = rest;
    }
    Some(block)
}

impl<'a> Fragment<'a> {
    /// Takes apart the first of `frames`; `None` when it is malformed.
    fn split(frames: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let Head {
            length,
            kind,
            flags,
            ..
        } = Head::parse(frames)?;
        let (head, rest) = frames.split_at_checked(HEAD_BYTES)?;
        let (payload, rest) = rest.split_at_checked(length)?;
        // CONTINUATION knows neither flag.
        let flags = if kind == HEADERS { flags } else { 0 };
        let padded = flags & PADDED != 0;
        let padding = if padded {
            usize::from(*payload.first()?)
        } else {
            0
        };
        let priority = if flags & PRIORITY != 0 {
            PRIORITY_BYTES
        } else {
            0
        };
        let (prefix, fields) = payload.split_at_checked(usize::from(padded) + priority)?;
        let (fields, padding) = fields.split_at_checked(fields.len().checked_sub(padding)?)?;
        Some((
            Self {
                head: head.get(3..)?,
                prefix,
                fields,
                padding,
            },
            rest,
        ))
    }

    /// Appends the frame with other fields.
    fn write(&self, fields: &[u8], output: &mut Vec<u8>) -> Option<()> {
        let length = self.prefix.len() + fields.len() + self.padding.len();
        let [0, length @ ..] = u32::try_from(length).ok()?.to_be_bytes() else {
            return None;
        };
        for part in [&length, self.head, self.prefix, fields, self.padding] {
            output.extend_from_slice(part);
        }
        Some(())
    }
}
