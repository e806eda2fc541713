//! One call from its headers to its end, whatever ends it.

use std::{
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::FutureExt;
use h2::{Reason, RecvStream, server::SendResponse};
use http::{
    Request,
    request::Parts,
    uri::{Authority, PathAndQuery},
};
use podsapi_core::{Call, Code, Method, Moment, Outgoing, PeerKey, Reply, Status};
use podsapi_grpc::{
    dialect::{HealthMethod, Route},
    request::{self, Refusal},
    trailers::field_bytes,
};

use crate::{
    alarm::Alarm,
    ledger::Ledger,
    meters::Lease,
    origin::Origin,
    reasons::Bound,
    responder::Responder,
    runtime::Runtime,
    segments::{Outbox, Segments},
    server::Shared,
};

/// One call while it is served.
pub(crate) struct Exchange<R: Runtime> {
    pub(crate) shared: Arc<Shared<R>>,
    pub(crate) responder: Responder,
    /// What waits to be sent to the client.
    pub(crate) outbox: Outbox,
    pub(crate) alarm: Alarm<R>,
    /// When the headers of the call arrived.
    pub(crate) started: Moment,
    /// Until when the client waits, once its headers were read and if they say so.
    pub(crate) deadline: Option<Moment>,
    /// Who calls, on which connection.
    pub(crate) origin: Arc<Origin>,
    /// What was called, once the headers were read.
    route: Option<Route>,
    /// How the call ended; until it has, how it ends when its connection does.
    code: Code,
}

/// Why a call ends before it is done.
#[derive(Debug)]
pub(crate) enum Interrupt {
    /// Nobody waits for the answer.
    Gone,
    /// The call fails, and the client can be told so.
    Failed(Status),
}

/// Serves one call to its end.
pub(crate) async fn serve<R: Runtime>(
    shared: Arc<Shared<R>>,
    started: Moment,
    request: Request<RecvStream>,
    respond: SendResponse<Segments>,
    origin: Arc<Origin>,
    ledger: Arc<Ledger>,
) {
    let mut exchange = Exchange {
        alarm: Alarm::new(shared.runtime.clone()),
        shared,
        responder: Responder::new(respond),
        outbox: Outbox::new(ledger),
        started,
        deadline: None,
        origin,
        route: None,
        code: Code::Cancelled,
    };
    exchange.code = match AssertUnwindSafe(exchange.run(request)).catch_unwind().await {
        Ok(code) => code,
        Err(_panic) => {
            exchange.shared.meters.panics.add(1);
            tracing::error!(route = ?exchange.route, "a call was ended by a bug in the server");
            exchange.end(Status::new(
                Code::Internal,
                "the server failed on this call",
            ))
        }
    };
}

impl<R: Runtime> Exchange<R> {
    async fn run(&mut self, request: Request<RecvStream>) -> Code {
        let code = match self.answer(request).await {
            Ok(code) => code,
            Err(Interrupt::Gone) => Code::Cancelled,
            Err(Interrupt::Failed(status)) => self.end(status),
        };
        tracing::trace!(?code, route = ?self.route, "a call is over");
        code
    }

    /// Checks the call, reads its message, has it decided and sends what comes of it.
    async fn answer(&mut self, request: Request<RecvStream>) -> Result<Code, Interrupt> {
        let (head, body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("", PathAndQuery::as_str);
        let headers = head.headers.iter();
        let headers = headers.map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
        let bytes = list_bytes(&head);
        let limit = self.shared.limits.max_header_list_bytes as usize;
        let checked = if bytes > limit {
            self.shared.meters.calls_refused.count(Bound::Headers);
            self.route = Route::find(path.as_bytes()).ok();
            Err(Refusal::headers_too_large(bytes, limit))
        } else {
            request::Request::check(head.method.as_str().as_bytes(), path.as_bytes(), headers)
        };
        self.route = checked
            .as_ref()
            .map_or(self.route, |request| Some(request.route));
        tracing::trace!(route = ?self.route, "a call begins");
        // A watch lasts for as long as its client likes, and needs none of what it sent.
        drop(head);
        let _slots = self.lease_call()?;
        let request = match checked {
            Ok(request) => request,
            Err(refusal) => {
                self.discard(body).await?;
                tracing::debug!(status = %refusal.status, "a call is refused");
                let code = refusal.status.code();
                self.responder.refuse(&refusal);
                return Ok(code);
            }
        };
        self.deadline = request
            .timeout_nanos
            .map(|nanos| self.started.plus_nanos(nanos));
        let _held = match self.lease_held_stream(request.route) {
            Ok(held) => held,
            Err(refused) => {
                self.discard(body).await?;
                return Err(refused);
            }
        };

        let decision = match request.route {
            Route::Reflection(_) => return self.converse(body, request.encoding).await,
            Route::Diagnostics => {
                let (message, _lease) = self.read_message(body, request.encoding).await?;
                self.shared.diagnose(&message)
            }
            Route::Health(method) => {
                let (message, _lease) = self.read_message(body, request.encoding).await?;
                self.shared.ask_health(method, &message)
            }
            Route::Pods(dialect, method) => {
                let (message, _lease) = self.read_message(body, request.encoding).await?;
                self.decide(Call {
                    mask: request.mask,
                    peer: self.origin.peer.uid.map(|uid| PeerKey::new(uid.into())),
                    ..Call::new(dialect, method, message)
                })
            }
        };
        match decision {
            Decision::Answer(message) => self.send_answer(message).await,
            Decision::Watch(watch) => self.stream(watch).await,
            Decision::WatchHealth(service) => self.watch_health(&service).await,
            Decision::Refuse(status) => Err(Interrupt::Failed(status)),
        }
    }

    /// Takes a place for the call, of its connection and of all together.
    ///
    /// The first calls of a connection have theirs whatever others do.
    fn lease_call(&self) -> Result<[Lease; 2], Interrupt> {
        let limits = &self.shared.limits;
        let own = self.origin.calls.take_any(1);
        let all = if self.origin.calls.taken() <= limits.calls_kept_per_connection {
            Some(self.shared.calls.take_any(1))
        } else {
            self.shared.calls.take(1, limits.max_calls)
        };
        let all = all.ok_or_else(|| {
            self.shared.meters.calls_refused.count(Bound::Calls);
            exhausted("too many calls are in progress")
        })?;
        Ok([own, all])
    }

    /// Takes a place for a call that may last, so that those never take all the streams that the
    /// connection may have: what else its client wants would wait for one to end.
    fn lease_held_stream(&self, route: Route) -> Result<Option<Lease>, Interrupt> {
        let lasts = match route {
            Route::Pods(_, method) => method == Method::WatchPods,
            Route::Health(method) => method == HealthMethod::Watch,
            Route::Reflection(_) => true,
            Route::Diagnostics => false,
        };
        if !lasts {
            return Ok(None);
        }
        let limit = self.shared.limits.max_held_streams_per_connection;
        let held = self.origin.held_streams.take(1, limit).ok_or_else(|| {
            self.shared.meters.calls_refused.count(Bound::HeldStreams);
            let text = format!(
                "the connection holds {limit} watches and reflection streams already; end one, \
                 or use another connection"
            );
            let status = Status::new(Code::ResourceExhausted, text);
            Interrupt::Failed(status.with_reason("TOO_MANY_STREAMS"))
        })?;
        Ok(Some(held))
    }

    /// Has the service decide a call, and notes what it says of the caller's mask.
    fn decide(&mut self, call: Call) -> Decision {
        let (reply, watched) = self.shared.call(call);
        let applied = match &reply {
            Reply::Answer(outgoing) => outgoing.applied_mask(),
            Reply::Watch(_) => watched.as_deref(),
            Reply::Refuse(_) => None,
        };
        if let Some(mask) = applied {
            let schema = &self.shared.mask_schema;
            self.responder.tell_applied_mask(mask, schema);
        }
        reply.into()
    }

    /// Ends the call as the state of its stream allows, and returns the code that counts.
    pub(crate) fn end(&mut self, status: Status) -> Code {
        let code = status.code();
        if code != Code::Ok {
            tracing::debug!(%status, route = ?self.route, "a call ends");
        }
        if self.outbox.is_inside_message() {
            // No trailers can follow, so the reset has to say the code as far as it can.
            let reason = if code == Code::Internal {
                Reason::INTERNAL_ERROR
            } else if code == Code::ResourceExhausted {
                Reason::ENHANCE_YOUR_CALM
            } else {
                Reason::CANCEL
            };
            self.responder.reset(reason);
        } else {
            self.responder.end(&status);
        }
        code
    }

    /// Fails once the deadline has passed.
    pub(crate) fn check_deadline(&self) -> Result<(), Interrupt> {
        match self.deadline {
            Some(deadline) if self.shared.runtime.now() >= deadline => Err(late()),
            Some(_) | None => Ok(()),
        }
    }

    /// Completes when the call must end: nobody waits, its deadline passed, or `limit` did, which
    /// is then the reason.
    pub(crate) fn poll_interrupt(
        &mut self,
        cx: &mut Context<'_>,
        limit: Option<(Moment, Status)>,
    ) -> Poll<Interrupt> {
        if self.responder.poll_gone(cx).is_ready() {
            return Poll::Ready(Interrupt::Gone);
        }
        let limit_at = limit.as_ref().map(|(at, _)| *at);
        let first = match (self.deadline, limit_at) {
            (Some(deadline), Some(limit)) => deadline.min(limit),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return Poll::Pending,
        };
        self.alarm.poll_passed(cx, first).map(|()| match limit {
            Some((at, status)) if at == first && self.deadline != Some(first) => {
                Interrupt::Failed(status)
            }
            Some(_) | None => late(),
        })
    }
}

impl<R: Runtime> Drop for Exchange<R> {
    /// Counts the call, which is over, by itself or with its connection.
    fn drop(&mut self) {
        let meters = &self.shared.meters;
        match self.route {
            Some(Route::Pods(dialect, method)) => {
                let nanos = self.shared.runtime.now().nanos_since(self.started);
                meters.count_end(dialect, method, self.code, nanos);
            }
            Some(Route::Diagnostics | Route::Health(_) | Route::Reflection(_)) => {}
            None => meters.calls_unknown.add(1),
        }
    }
}

/// Returns the size of the header list of a request, as HPACK counts it.
fn list_bytes(head: &Parts) -> usize {
    let uri = &head.uri;
    let fields = [
        (":method", Some(head.method.as_str())),
        (":scheme", uri.scheme_str()),
        (":authority", uri.authority().map(Authority::as_str)),
        (":path", uri.path_and_query().map(PathAndQuery::as_str)),
    ];
    let pseudo = fields
        .into_iter()
        .filter_map(|(name, value)| Some(field_bytes(name, value?)));
    let others = head.headers.iter();
    let others = others.map(|(name, value)| field_bytes(name.as_str(), "") + value.len());
    pseudo.chain(others).sum()
}

/// What was decided about a call.
pub(crate) enum Decision {
    /// One message.
    Answer(Outgoing),
    /// A stream of events.
    Watch(podsapi_core::WatchId),
    /// The state of a service, and again with each change.
    WatchHealth(String),
    /// A status.
    Refuse(Status),
}

impl Decision {
    /// Returns the answer of this one message.
    pub(crate) fn message(message: Bytes) -> Self {
        Self::Answer(message.into())
    }
}

impl From<Reply> for Decision {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Answer(outgoing) => Self::Answer(outgoing),
            Reply::Watch(watch) => Self::Watch(watch),
            Reply::Refuse(status) => Self::Refuse(status),
        }
    }
}

/// Returns the end of a call that is refused because a bound of the server is reached.
pub(crate) fn exhausted(text: &'static str) -> Interrupt {
    Interrupt::Failed(Status::new(Code::ResourceExhausted, text))
}

/// Returns what ends the streams of a server that stops.
pub(crate) fn shutting_down() -> Status {
    Status::new(Code::Unavailable, "the server is shutting down").with_reason("SHUTDOWN")
}

fn late() -> Interrupt {
    Interrupt::Failed(Status::new(
        Code::DeadlineExceeded,
        "the deadline of the call has passed",
    ))
}
