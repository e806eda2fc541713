//! The framing of messages, on any bytes.

use bytes::Bytes;
use podsapi_grpc::frame::{Deframer, FrameError, OneMessage, prefix};

/// Messages come out the same however the bytes are cut, and put together they are the input.
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
    let (messages, end) = messages(stream, stream.len(), limit);
    assert_eq!(
        (messages.clone(), end),
        self::messages(stream, 1, limit),
        "cut into bytes"
    );
    assert_eq!(
        (messages.clone(), end),
        self::messages(stream, cut, limit),
        "cut into pieces"
    );
    let mut again = Vec::new();
    assert_eq!((messages.clone(), end), read_plainly(stream, limit));
    for message in &messages {
        again.extend(prefix(message.len()).expect("a message of the input is short"));
        again.extend_from_slice(message);
    }
    assert!(
        stream.starts_with(&again),
        "the messages are not those of the input"
    );
    let one = one_message(stream, stream.len(), limit);
    assert_eq!(
        one,
        one_message(stream, 1, limit),
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

/// The messages of a whole stream, and what is wrong behind them.
fn read_plainly(mut stream: &[u8], limit: usize) -> (Vec<Bytes>, Option<FrameError>) {
    let mut messages = Vec::new();
    loop {
        match stream {
            [0, a, b, c, d, rest @ ..] => {
                let bytes = u32::from_be_bytes([*a, *b, *c, *d]);
                let length = usize::try_from(bytes).unwrap_or(usize::MAX);
                if length > limit {
                    let (bytes, limit) = (u64::from(bytes), limit as u64);
                    return (messages, Some(FrameError::TooLarge { bytes, limit }));
                }
                let Some((message, rest)) = rest.split_at_checked(length) else {
                    return (messages, None);
                };
                messages.push(Bytes::copy_from_slice(message));
                stream = rest;
            }
            [] | [0, ..] => return (messages, None),
            [1, ..] => return (messages, Some(FrameError::Compressed)),
            [flag, ..] => return (messages, Some(FrameError::Flag(*flag))),
        }
    }
}

/// Takes all messages off; returns them, with what is wrong with the rest.
fn messages(stream: &[u8], piece: usize, limit: usize) -> (Vec<Bytes>, Option<FrameError>) {
    let (mut deframer, mut messages) = (Deframer::new(limit), Vec::new());
    for part in stream.chunks(piece.max(1)) {
        deframer.push(part);
        loop {
            match deframer.next_message() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Some(error)),
            }
        }
    }
    (messages, None)
}

fn one_message(stream: &[u8], piece: usize, limit: usize) -> Result<Bytes, FrameError> {
    let mut message = OneMessage::new(limit);
    for part in stream.chunks(piece.max(1)) {
        message.push(part)?;
    }
    message.finish()
}
