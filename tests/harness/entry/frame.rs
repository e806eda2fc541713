//! The framing of messages, on any bytes.

use bytes::Bytes;
use podsapi_grpc::frame::{Deframer, FrameError, Framed, OneMessage, prefix};
use podsapi_grpc::request::Encoding;

/// Messages come out the same however the bytes are cut, and put together they are the input, in calls
/// with compression and without.
///
/// The first byte says where to cut, the second one how large a message may be.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn frame(data: &[u8]) {
    let [cut, limit, stream @ ..] = data else {
        return;
    };
    let (cut, limit) = (usize::from(*cut) + 1, usize::from(*limit) * 4);
    for encoding in [Encoding::Identity, Encoding::Gzip] {
        frame_of(stream, cut, limit, encoding);
    }
}

fn frame_of(stream: &[u8], cut: usize, limit: usize, encoding: Encoding) {
    let taken = messages(stream, stream.len(), limit, encoding);
    for piece in [1, cut] {
        let again = messages(stream, piece, limit, encoding);
        assert_eq!(taken, again, "cut into pieces of {piece}");
    }
    assert_eq!(taken, read_plainly(stream, limit, encoding));
    let (messages, end) = taken;
    let mut again = Vec::new();
    for message in &messages {
        let mut prefix = prefix(message.bytes.len()).expect("a message of the input is short");
        prefix[0] = message.compressed.into();
        again.extend(prefix);
        again.extend_from_slice(&message.bytes);
    }
    assert!(
        stream.starts_with(&again),
        "the messages are not those of the input"
    );
    let one = one_message(stream, stream.len(), limit, encoding);
    assert_eq!(
        one,
        one_message(stream, 1, limit, encoding),
        "one message, cut into bytes"
    );
    let expected = match messages.as_slice() {
        [only] if again.len() == stream.len() => Ok(only.clone()),
        [_, ..] => Err(FrameError::SecondMessage),
        [] => Err(end.unwrap_or(match stream {
            [] => FrameError::NoMessage,
            [_, ..] => FrameError::Truncated,
        })),
    };
    assert_eq!(one, expected, "one message");
}

type Taken = (Vec<Framed>, Option<FrameError>);

/// The messages of a whole stream, and what is wrong behind them.
fn read_plainly(mut stream: &[u8], limit: usize, encoding: Encoding) -> Taken {
    let mut messages = Vec::new();
    loop {
        match stream {
            [flag @ 0..=1, rest @ ..] if *flag == 0 || encoding == Encoding::Gzip => {
                let [a, b, c, d, rest @ ..] = rest else {
                    return (messages, None);
                };
                let bytes = u32::from_be_bytes([*a, *b, *c, *d]);
                let length = usize::try_from(bytes).unwrap_or(usize::MAX);
                if length > limit {
                    let (bytes, limit) = (u64::from(bytes), limit as u64);
                    return (messages, Some(FrameError::TooLarge { bytes, limit }));
                }
                let Some((message, rest)) = rest.split_at_checked(length) else {
                    return (messages, None);
                };
                messages.push(Framed {
                    compressed: *flag == 1,
                    bytes: Bytes::copy_from_slice(message),
                });
                stream = rest;
            }
            [] => return (messages, None),
            [1, ..] => return (messages, Some(FrameError::Compressed)),
            [flag, ..] => return (messages, Some(FrameError::Flag(*flag))),
        }
    }
}

/// Takes all messages off; returns them, with what is wrong with the rest.
fn messages(stream: &[u8], piece: usize, limit: usize, encoding: Encoding) -> Taken {
    let (mut deframer, mut messages) = (Deframer::new(limit), Vec::new());
    for part in stream.chunks(piece.max(1)) {
        deframer.push(part);
        loop {
            match deframer.next_framed(encoding) {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fn one_message(
    stream: &[u8],
    piece: usize,
    limit: usize,
    encoding: Encoding,
) -> Result<Framed, FrameError> {
    let mut message = OneMessage::new(limit, encoding);
    for part in stream.chunks(piece.max(1)) {
        message.push(part)?;
    }
    message.finish()
}
