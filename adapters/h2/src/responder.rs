//! The sending side of one stream: headers once, messages within capacity, one end.

use std::task::{Context, Poll, ready};

use h2::{Reason, SendStream, server::SendResponse};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header::InvalidHeaderValue};
use podsapi_core::{Code, MASK_APPLIED_HEADER, MASK_SCHEMA_HEADER, Status};
use podsapi_grpc::{
    request::Refusal,
    trailers::{self, field_bytes},
};

use crate::segments::{Outbox, Segments};

/// What can still be said on a stream.
#[derive(Debug)]
pub(crate) struct Responder {
    state: State,
    /// What the headers of an answer say of the caller's mask.
    applied_mask: Option<(HeaderValue, HeaderValue)>,
}

#[derive(Debug)]
enum State {
    /// Nothing was sent.
    Waiting(SendResponse<Segments>),
    /// The headers were sent.
    Open(SendStream<Segments>),
    /// The end was sent, or the stream is gone.
    Ended,
}

/// The client reset the stream, or the connection is lost.
#[derive(Debug)]
pub(crate) struct Gone;

impl Responder {
    /// Takes over a stream on which nothing was sent.
    pub(crate) fn new(respond: SendResponse<Segments>) -> Self {
        Self {
            state: State::Waiting(respond),
            applied_mask: None,
        }
    }

    /// Has the headers of an answer that carries messages say which mask it went through, and of
    /// which schema the names are.
    pub(crate) fn tell_applied_mask(&mut self, mask: &str, schema: &HeaderValue) {
        self.applied_mask = value(MASK_APPLIED_HEADER, mask).map(|mask| (mask, schema.clone()));
    }

    /// Completes when nobody waits for the answer any more.
    pub(crate) fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<Gone> {
        let reset = match &mut self.state {
            State::Waiting(respond) => respond.poll_reset(cx),
            State::Open(stream) => stream.poll_reset(cx),
            State::Ended => return Poll::Ready(Gone),
        };
        reset.map(|_reason_or_error| Gone)
    }

    /// Sends the headers of an answer that carries messages.
    pub(crate) fn open(&mut self) -> Result<(), Gone> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(mut respond) => {
                let mut response = response(StatusCode::OK);
                if let Some((mask, schema)) = self.applied_mask.take() {
                    let headers = response.headers_mut();
                    headers.insert(HeaderName::from_static(MASK_APPLIED_HEADER), mask);
                    headers.insert(HeaderName::from_static(MASK_SCHEMA_HEADER), schema);
                }
                let stream = respond
                    .send_response(response, false)
                    .map_err(|_lost| Gone)?;
                self.state = State::Open(stream);
                Ok(())
            }
            open @ State::Open(_) => {
                self.state = open;
                Ok(())
            }
            State::Ended => Err(Gone),
        }
    }

    /// Hands bytes of the outbox to the stream, as many as its windows and buffer have room for.
    ///
    /// Nothing is ever given to the library that does not fit: it would keep it without a bound.
    pub(crate) fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        outbox: &mut Outbox,
    ) -> Poll<Result<(), Gone>> {
        let State::Open(stream) = &mut self.state else {
            return Poll::Ready(Err(Gone));
        };
        stream.reserve_capacity(outbox.len().min(TAKEN_BYTES));
        if stream.capacity() == 0 {
            stream.reserve_capacity(outbox.len().min(AWAITED_BYTES));
        }
        while stream.capacity() == 0 {
            match ready!(stream.poll_capacity(cx)) {
                Some(Ok(_bytes)) => {}
                Some(Err(_lost)) => return Poll::Ready(Err(Gone)),
                None => return Poll::Ready(Err(Gone)),
            }
        }
        let room = stream.capacity().min(TAKEN_BYTES);
        let data = outbox.take(room);
        Poll::Ready(stream.send_data(data, false).map_err(|_lost| Gone))
    }

    /// Ends the stream with a status: in a single block when nothing was sent, in trailers else.
    pub(crate) fn end(&mut self, status: &Status) {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(respond) => refuse(respond, &Refusal::status_only(status.clone())),
            State::Open(mut stream) => {
                if stream.send_trailers(trailers(status)).is_err() {
                    tracing::trace!("the stream was gone before its trailers");
                }
            }
            State::Ended => {}
        }
    }

    /// Ends the stream with an answer that has no message.
    pub(crate) fn refuse(&mut self, refusal: &Refusal) {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(respond) => refuse(respond, refusal),
            open @ State::Open(_) => {
                self.state = open;
                self.end(&refusal.status);
            }
            State::Ended => {}
        }
    }

    /// Ends a stream inside a message, where trailers would make the message look broken.
    pub(crate) fn reset(&mut self, reason: Reason) {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(mut respond) => respond.send_reset(reason),
            State::Open(mut stream) => stream.send_reset(reason),
            State::Ended => {}
        }
    }
}

/// Bytes that are handed over at one time, where there is room for them now.
///
/// 128 KiB, what the library keeps for a stream by default: a list is handed over in few pieces. The
/// library sends the frames of several streams by turns however they were handed over.
const TAKEN_BYTES: usize = 128 << 10;

/// Bytes for which a stream waits when there is no room.
///
/// 32 KiB, two frames: one that waited for all it has would take the whole window of the connection
/// when that opens, and others would wait.
const AWAITED_BYTES: usize = 32 << 10;

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const CONTENT_TYPE: &str = "content-type";
const GRPC: &str = "application/grpc";

fn response(status: StatusCode) -> Response<()> {
    let mut response = Response::new(());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(http::header::CONTENT_TYPE, HeaderValue::from_static(GRPC));
    response
}

/// Returns the fields that tell a status after messages.
fn trailers(status: &Status) -> HeaderMap {
    let mut fields = HeaderMap::with_capacity(1);
    if status.code() == Code::Ok && status.message().is_empty() {
        fields.insert(GRPC_STATUS, HeaderValue::from_static("0"));
        return fields;
    }
    for (name, value) in trailers::encode(status, 0) {
        insert(&mut fields, name, value);
    }
    fields
}

fn refuse(mut respond: SendResponse<Segments>, refusal: &Refusal) {
    let http_status =
        StatusCode::from_u16(refusal.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = response(http_status);
    let mut used_bytes = field_bytes(":status", "200") + field_bytes(CONTENT_TYPE, GRPC);
    let headers = response.headers_mut();
    if let Some((name, value)) = refusal.header {
        used_bytes += field_bytes(name, value);
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    for (name, value) in trailers::encode(&refusal.status, used_bytes) {
        insert(headers, name, value);
    }
    if respond.send_response(response, true).is_err() {
        tracing::trace!("the stream was gone before its answer");
    }
}

fn insert(headers: &mut HeaderMap, name: &'static str, text: String) {
    if let Some(value) = value(name, text) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

/// Returns the text as the value of a field, if it can be one.
fn value<T>(name: &str, text: T) -> Option<HeaderValue>
where
    HeaderValue: TryFrom<T, Error = InvalidHeaderValue>,
{
    match HeaderValue::try_from(text) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::warn!(name, %error, "a field that no header can carry is left out");
            None
        }
    }
}
