//! One function for each fuzz target: takes any bytes, panics when a promise is broken.

mod cri;
mod frame;
mod listwatch;
mod nesting;
mod pods;
mod request;
mod service;
mod text;
mod wire;

pub use cri::cri;
pub use frame::frame;
pub use listwatch::listwatch;
pub use pods::encoded_pod;
pub use request::request;
pub use service::service;
pub use text::{json, yaml};
pub use wire::wire;

use podsapi_h2::AuthorityScanner;

use crate::mask::{self, Choices};
use crate::scripted;

/// What every HTTP/2 client sends first.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const PADDED: u8 = 8;

/// The filter in front of h2: the same output however the bytes are cut, never longer than the
/// input but for the block that ends a hostile connection, a fixed point when filtered again; and h2 accepts behind it whatever it accepts alone,
/// but for what it accepts only because a header block was cut within a field: then it forgets
/// that the fields before were malformed.
///
/// The bytes are taken twice: as what follows a preface, and as one header block.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn authority(data: &[u8]) {
    let cut = usize::from(data.first().copied().unwrap_or_default());
    for sent in [
        [PREFACE, data].concat(),
        header_block(data, cut),
        data.to_vec(),
    ] {
        let filtered = filter(&sent, sent.len());
        assert_eq!(filtered, filter(&sent, 1), "cut into single bytes");
        assert_eq!(filtered, filter(&sent, cut + 1), "cut into pieces");
        let reason_to_end = &[0, 0, 0, CONTINUATION, 0][..];
        let ends = filtered.rchunks(9).take(1_281);
        let given_up = ends
            .filter(|frame| frame.starts_with(reason_to_end))
            .count()
            == 1_281;
        let room = if given_up { 1_282 * 9 } else { 0 };
        assert!(
            filtered.len() <= sent.len() + room,
            "longer than what was sent"
        );
        assert_eq!(
            filtered,
            filter(&filtered, filtered.len()),
            "changed when filtered again"
        );
        let alone = scripted::serve(&sent);
        let behind = scripted::serve(&filtered);
        if !alone.refused {
            assert!(
                alone == behind || scripted::serve(&uncut(&sent)).refused,
                "h2 had nothing to refuse: {alone:?}, {behind:?}"
            );
        } else if !behind.ended {
            // A stream that h2 refuses forgives what an accepted one does not, such as DATA after
            // its end; so a connection that ends behind the filter proves nothing here.
            for request in &alone.requests {
                assert!(behind.requests.contains(request), "lost: {request:?}");
            }
        }
    }
}

/// The mask language on any bytes, as lines of text and as an encoded `FieldMask`: it compiles to
/// what its canonical form compiles to, or is refused in short printable text.
///
/// # Panics
///
/// When a promise is broken.
pub fn mask(data: &[u8]) {
    mask::language(data);
}

/// Projection on a pod and masks that the bytes decide for, record by record and segment by segment.
///
/// # Panics
///
/// When a promise is broken.
pub fn project(data: &[u8]) {
    mask::project(&mut Choices::of_bytes(data));
}

/// Whether masks see the difference of two pods, which the bytes decide for.
///
/// # Panics
///
/// When a promise is broken.
pub fn differs(data: &[u8]) {
    mask::differs(&mut Choices::of_bytes(data));
}

/// Runs the scanner over `bytes`, `piece` bytes at a time.
fn filter(bytes: &[u8], piece: usize) -> Vec<u8> {
    let (mut scanner, mut output) = (AuthorityScanner::new(), Vec::new());
    for part in bytes.chunks(piece.max(1)) {
        scanner.push(part, &mut output);
    }
    scanner.finish(&mut output);
    output
}

/// The preface, SETTINGS and a request whose fields are `block`, in two frames when it is long
/// enough to be cut there.
fn header_block(block: &[u8], cut: usize) -> Vec<u8> {
    // POST, http and "/" as the path come first, so that only the authority decides.
    let block = [&[0x83, 0x86, 0x84], block].concat();
    let block = block.get(..16_384).unwrap_or(&block);
    let mut sent = [PREFACE, &[0, 0, 0, 4, 0, 0, 0, 0, 0]].concat();
    let mut frame = |kind, flags, payload: &[u8]| {
        put_frame(kind, flags, &[0, 0, 0, 1], payload, &mut sent);
    };
    match block.split_at_checked(cut) {
        Some((first, rest)) => {
            frame(HEADERS, END_STREAM, first);
            frame(CONTINUATION, END_HEADERS, rest);
        }
        None => frame(HEADERS, END_STREAM | END_HEADERS, block),
    }
    sent
}

fn put_frame(kind: u8, flags: u8, stream: &[u8], payload: &[u8], sent: &mut Vec<u8>) {
    let [.., top, high, low] = payload.len().to_be_bytes();
    sent.extend([top, high, low, kind, flags]);
    sent.extend_from_slice(stream);
    sent.extend_from_slice(payload);
}

/// The same with each header block in one frame, as far as these are frames.
fn uncut(sent: &[u8]) -> Vec<u8> {
    let Some(mut rest) = sent.strip_prefix(PREFACE) else {
        return sent.to_vec();
    };
    let mut joined = PREFACE.to_vec();
    while let Some((kind, mut flags, stream, mut payload)) = next_frame(&mut rest) {
        let mut block;
        if kind == HEADERS && flags & END_HEADERS == 0 {
            if flags & PADDED != 0
                && let [padding, fields @ ..] = payload
            {
                let end = fields.len().saturating_sub((*padding).into());
                payload = &fields[..end];
            }
            flags = flags & !PADDED | END_HEADERS;
            block = payload.to_vec();
            while let Some((CONTINUATION, more, _, fields)) = next_frame(&mut rest) {
                block.extend_from_slice(fields);
                if more & END_HEADERS != 0 {
                    break;
                }
            }
            payload = &block;
        }
        put_frame(kind, flags, stream, payload, &mut joined);
    }
    joined.extend_from_slice(rest);
    joined
}

/// Takes off kind, flags, stream and payload.
fn next_frame<'a>(rest: &mut &'a [u8]) -> Option<(u8, u8, &'a [u8], &'a [u8])> {
    let (head, behind) = rest.split_first_chunk::<9>()?;
    let [a, b, c, kind, flags, stream @ ..] = head;
    let length = u32::from_be_bytes([0, *a, *b, *c]);
    let (payload, after) = behind.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some((*kind, *flags, stream, payload))
}
