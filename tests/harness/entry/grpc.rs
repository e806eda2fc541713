//! The framing of messages and the checks of request headers, on any bytes.

use bytes::Bytes;
use podsapi_grpc::frame::{Deframer, FrameError, OneMessage, prefix};
use podsapi_grpc::request::Request;
use podsapi_grpc::trailers::{self, MAX_BLOCK_BYTES, field_bytes};

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
    for message in &messages {
        assert!(message.len() <= limit, "over the limit");
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
    match (one, messages.as_slice()) {
        (Ok(only), [message]) => assert_eq!(&only, message),
        (Ok(only), messages) => panic!("{only:?} alone of {messages:?}"),
        (Err(error), [_]) if end.is_none() => assert_eq!(error, FrameError::SecondMessage),
        (Err(_), _) => {}
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

/// Any request gets an answer whose header block every client takes and every HTTP library sends.
///
/// The lines of the input are the method, the path, and headers as `name:value`.
///
/// # Panics
///
/// When a refusal cannot be sent.
pub fn request(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let method = lines.next().unwrap_or_default();
    let path = lines.next().unwrap_or_default();
    let headers: Vec<(&[u8], &[u8])> = lines
        .map(|line| match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        })
        .collect();
    // Once as sent, and once past the checks that nothing random passes.
    let mut good = vec![(&b"content-type"[..], &b"application/grpc"[..])];
    good.extend(&headers);
    let outcomes = [
        Request::check(method, path, headers.iter().copied()),
        Request::check(b"POST", path, good.iter().copied()),
        Request::check(b"POST", b"/v1alpha1.Pods/GetPod", good),
    ];
    for refusal in outcomes.into_iter().filter_map(Result::err) {
        assert!(
            matches!(refusal.http_status, 200 | 405 | 415),
            "{refusal:?}"
        );
        let fields = trailers::encode(&refusal.status, 0);
        let size: usize = fields
            .iter()
            .map(|(name, value)| field_bytes(name, value))
            .sum();
        assert!(size <= MAX_BLOCK_BYTES, "{size} bytes");
        for (name, value) in &fields {
            assert!(
                http::HeaderName::from_bytes(name.as_bytes()).is_ok(),
                "{name}"
            );
            assert!(
                value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)),
                "{value}"
            );
        }
        let fields = fields
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let read = trailers::decode(fields);
        assert_eq!(read.code(), refusal.status.code());
        assert_eq!(read.message(), refusal.status.message());
    }
}
