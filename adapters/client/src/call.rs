//! One gRPC call on an HTTP/2 connection: a request out, framed messages and a status back.

use std::time::Duration;

use bytes::Bytes;
use h2::RecvStream;
use h2::client::SendRequest;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use podsapi_core::{Code, MASK_APPLIED_HEADER, Status};

use crate::error::ClientError;
use crate::message::{Deframer, frame};
use crate::response;

/// What is asked, and how.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    /// The method, as HTTP/2 names it.
    pub(crate) path: &'a str,
    /// The encoded request.
    pub(crate) message: &'a [u8],
    /// Told to the server; it is the caller who keeps it.
    pub(crate) deadline: Option<Duration>,
    /// The header with the wanted fields.
    pub(crate) mask: Option<(HeaderName, HeaderValue)>,
}

/// The answer to a call while it arrives.
#[derive(Debug)]
pub(crate) struct Answer {
    body: RecvStream,
    deframer: Deframer,
    /// Whether the server says that it selected the wanted fields.
    masked: bool,
    /// Whether the headers already said OK, so that nothing follows.
    ended: bool,
}

/// Asks, and waits for the head of the answer, which may refuse.
pub(crate) async fn start(
    sender: SendRequest<Bytes>,
    question: Question<'_>,
    max_message_bytes: usize,
) -> Result<Answer, ClientError> {
    let mut sender = sender.ready().await.map_err(response::stream_error)?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(format!("http://localhost{}", question.path))
        .header("te", "trailers")
        .header("content-type", "application/grpc")
        .header(
            "user-agent",
            concat!("podsapi-client/", env!("CARGO_PKG_VERSION")),
        );
    if let Some(deadline) = question.deadline {
        request = request.header("grpc-timeout", timeout_header(deadline));
    }
    if let Some((name, value)) = question.mask {
        request = request.header(name, value);
    }
    let request = request.body(()).map_err(|error| {
        Status::new(
            Code::Internal,
            format!("the request cannot be made: {error}"),
        )
    })?;
    let (head, mut body) = sender
        .send_request(request, false)
        .map_err(response::stream_error)?;
    body.send_data(frame(question.message), true)
        .map_err(response::stream_error)?;
    let head = head.await.map_err(response::stream_error)?;
    let early = response::status(head.headers()).transpose()?;
    if early.is_none() {
        response::check_head(head.status(), head.headers())?;
    }
    let masked = head.headers().contains_key(MASK_APPLIED_HEADER);
    let body = head.into_body();
    Ok(Answer {
        body,
        masked,
        deframer: Deframer::new(max_message_bytes),
        ended: early.is_some(),
    })
}

impl Answer {
    /// Returns whether the server says that it selected the wanted fields.
    pub(crate) fn is_masked(&self) -> bool {
        self.masked
    }

    /// Returns the next message; `None` once the call ended with OK.
    ///
    /// May be dropped while waiting and called again: nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, ClientError> {
        if self.ended {
            return Ok(None);
        }
        loop {
            if let Some(message) = self.deframer.next()? {
                return Ok(Some(message));
            }
            match self.body.data().await {
                Some(chunk) => {
                    let chunk = chunk.map_err(response::stream_error)?;
                    self.deframer.push(&chunk);
                    let flow = self.body.flow_control();
                    flow.release_capacity(chunk.len())
                        .map_err(response::stream_error)?;
                }
                None => {
                    let trailers = self.body.trailers().await.map_err(response::stream_error)?;
                    return self.end(trailers.as_ref());
                }
            }
        }
    }

    fn end(&self, trailers: Option<&HeaderMap>) -> Result<Option<Bytes>, ClientError> {
        match trailers.and_then(response::status) {
            Some(Ok(())) if self.deframer.is_partial() => {
                let text = "the answer ended in the middle of a message";
                Err(Status::new(Code::Internal, text).into())
            }
            Some(Ok(())) => Ok(None),
            Some(Err(refusal)) => Err(refusal.into()),
            None => {
                let text = "the answer ended without a status";
                Err(Status::new(Code::Internal, text).into())
            }
        }
    }

    /// Returns the one message of a unary call.
    pub(crate) async fn single(mut self) -> Result<Bytes, ClientError> {
        let Some(message) = self.next().await? else {
            return Err(Status::new(Code::Internal, "the answer has no message").into());
        };
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(Status::new(Code::Internal, "the answer has two messages").into()),
        }
    }
}

/// Writes a deadline in the largest unit that needs no more than gRPC's eight digits.
fn timeout_header(deadline: Duration) -> String {
    let units = [
        (deadline.as_nanos(), 'n'),
        (deadline.as_micros(), 'u'),
        (deadline.as_millis(), 'm'),
    ];
    for (count, unit) in units {
        if count <= MAX_TIMEOUT {
            return format!("{count}{unit}");
        }
    }
    format!("{}S", u128::from(deadline.as_secs()).min(MAX_TIMEOUT))
}

/// The largest number of eight digits.
const MAX_TIMEOUT: u128 = 99_999_999;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_written_in_the_finest_unit_that_fits() {
        assert_eq!(timeout_header(Duration::ZERO), "0n");
        assert_eq!(timeout_header(Duration::from_millis(50)), "50000000n");
        assert_eq!(timeout_header(Duration::from_secs(3)), "3000000u");
        assert_eq!(timeout_header(Duration::from_secs(300)), "300000m");
        assert_eq!(timeout_header(Duration::from_secs(1 << 30)), "99999999S");
        assert_eq!(timeout_header(Duration::MAX), "99999999S");
    }
}
