//! The request that is read to its end, and the answer of one message.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use h2::RecvStream;
use podsapi_core::{Code, Moment, Outgoing, Status};
use podsapi_grpc::{
    frame::{self, OneMessage},
    request::Encoding,
};

use crate::{
    alarm::after,
    exchange::{Exchange, Interrupt, exhausted},
    inflate,
    meters::Lease,
    reasons::{Bound, ReplyBound},
    runtime::Runtime,
    unread::Waiting,
};

impl<R: Runtime> Exchange<R> {
    /// Reads the request to its end, and returns its one message with the room that it takes, if
    /// somebody still waits for the answer.
    pub(crate) async fn read_message(
        &mut self,
        mut body: RecvStream,
        encoding: Encoding,
    ) -> Result<(Bytes, Lease), Interrupt> {
        let shared = Arc::clone(&self.shared);
        let limits = &shared.limits;
        let give_up = after(self.started, limits.request_timeout);
        let mut message = OneMessage::new(limits.max_request_bytes, encoding);
        let budget = limits.max_request_bytes_in_flight;
        let mut lease = shared.request_bytes.take_any(0);
        let mut length = 0_usize;
        let charge = |lease: &mut Lease, length: usize| {
            let charged = length.saturating_sub(limits.request_bytes_kept_per_call);
            lease.resize(charged, budget).then_some(()).ok_or_else(|| {
                shared.meters.calls_refused.count(Bound::RequestBytes);
                exhausted("too many request bytes are in flight")
            })
        };
        while let Some(piece) = self.next_piece(&mut body, give_up).await? {
            length = length.saturating_add(piece.len());
            charge(&mut lease, length)?;
            if let Err(error) = message.push(&piece) {
                drop((message, lease));
                self.discard(body).await?;
                return Err(Interrupt::Failed(error.status()));
            }
        }
        let message = message
            .finish()
            .map_err(|error| Interrupt::Failed(error.status()))?;
        // The library hands over what came before a reset as if there had been none.
        let gone = poll_fn(|cx| Poll::Ready(self.responder.poll_gone(cx).is_ready()));
        if gone.await {
            return Err(Interrupt::Gone);
        }
        self.check_deadline()?;
        let message = inflate::message(message, limits.max_request_bytes);
        let message = message.map_err(|error| Interrupt::Failed(error.status()))?;
        charge(&mut lease, message.len())?;
        Ok((message, lease))
    }

    /// Reads and throws away what is left of a request that is refused, within bounds: an answer
    /// before the end of a request makes the library reset the stream, which counts against the
    /// connection and loses the answer at some clients.
    pub(crate) async fn discard(&mut self, mut body: RecvStream) -> Result<(), Interrupt> {
        let give_up = after(
            self.shared.runtime.now(),
            self.shared.limits.refused_request_timeout,
        );
        let mut left = self.shared.limits.max_drain_bytes;
        loop {
            match self.next_piece(&mut body, give_up).await {
                Ok(Some(piece)) if piece.len() <= left => left -= piece.len(),
                Ok(_) | Err(Interrupt::Failed(_)) => return Ok(()),
                Err(Interrupt::Gone) => return Err(Interrupt::Gone),
            }
        }
    }

    /// Sends one message with its headers and trailers.
    pub(crate) async fn send_answer(&mut self, message: Outgoing) -> Result<Code, Interrupt> {
        // A reply that has room whatever it costs, and is handed over at once, never waits.
        let (mut unread, mut whole) = if self.origin.unread.is_empty() {
            (None, Some(message.clone()))
        } else {
            (Some(self.lease_reply(&message)?), None)
        };
        self.queue(message)?;
        self.responder.open().map_err(|_gone| Interrupt::Gone)?;
        let mut give_up = None;
        poll_fn(|cx| {
            let flushed = self.poll_hand_over(cx);
            if flushed.is_ready() {
                return flushed;
            }
            if let Some(whole) = whole.take() {
                unread = Some(self.take_reply(&whole));
            }
            let shared = &self.shared;
            let give_up = *give_up.get_or_insert_with(|| {
                // Most answers are gone at once, and need no look at the clock.
                after(shared.runtime.now(), shared.limits.reply_timeout)
            });
            self.poll_unread(cx, give_up).map(Err)
        })
        .await?;
        Ok(self.end(Status::new(Code::Ok, "")))
    }

    /// Takes room for a reply that waits to be read, of the connection and of all together.
    ///
    /// A connection on which none waits has room for one, whatever others do and whatever its size.
    pub(crate) fn lease_reply(&self, message: &Outgoing) -> Result<[Waiting; 2], Interrupt> {
        let (own, all) = (&self.origin.unread, &self.shared.unread);
        if own.is_empty() {
            return Ok(self.take_reply(message));
        }
        let refused = |bound| {
            self.shared.meters.replies_refused.count(bound);
            exhausted("too many bytes of replies wait to be read; read them, or ask for less")
        };
        let own = own
            .take(message)
            .ok_or_else(|| refused(ReplyBound::Connection))?;
        let all = all.take(message).ok_or_else(|| refused(ReplyBound::All))?;
        Ok([own, all])
    }

    /// Takes that room, whatever the reply costs.
    fn take_reply(&self, message: &Outgoing) -> [Waiting; 2] {
        let (own, all) = (&self.origin.unread, &self.shared.unread);
        [own.take_any(message), all.take_any(message)]
    }

    /// Puts one message into the outbox.
    pub(crate) fn queue(&mut self, message: Outgoing) -> Result<(), Interrupt> {
        let prefix = frame::prefix(message.len());
        let prefix = prefix.map_err(|error| Interrupt::Failed(error.status()))?;
        self.outbox.push(prefix, message);
        Ok(())
    }

    /// Completes once everything queued was handed over; `give_up` is the reader's time for it.
    pub(crate) fn poll_flush(
        &mut self,
        cx: &mut Context<'_>,
        give_up: Moment,
    ) -> Poll<Result<(), Interrupt>> {
        match self.poll_hand_over(cx) {
            Poll::Pending => self.poll_unread(cx, give_up).map(Err),
            done @ Poll::Ready(_) => done,
        }
    }

    /// Completes once everything queued was handed over, however long the reader takes.
    fn poll_hand_over(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Interrupt>> {
        while !self.outbox.is_empty() {
            match ready!(self.responder.poll_send(cx, &mut self.outbox)) {
                Ok(()) => self.check_deadline()?,
                Err(_gone) => return Poll::Ready(Err(Interrupt::Gone)),
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Completes when the reader has no more time.
    fn poll_unread(&mut self, cx: &mut Context<'_>, give_up: Moment) -> Poll<Interrupt> {
        let slow = Status::new(Code::DeadlineExceeded, "the answer was not read in time");
        self.poll_interrupt(cx, Some((give_up, slow)))
    }

    /// Returns the next bytes of a request, none at its end, and gives their room back to the
    /// connection.
    pub(crate) async fn next_piece(
        &mut self,
        body: &mut RecvStream,
        give_up: Moment,
    ) -> Result<Option<Bytes>, Interrupt> {
        poll_fn(|cx| match body.poll_data(cx) {
            Poll::Ready(Some(Ok(piece))) => {
                // An error says that the stream is gone; so will the next look at it.
                drop(body.flow_control().release_capacity(piece.len()));
                Poll::Ready(Ok(Some(piece)))
            }
            Poll::Ready(Some(Err(_reset_or_lost))) => Poll::Ready(Err(Interrupt::Gone)),
            Poll::Ready(None) => Poll::Ready(Ok(None)),
            Poll::Pending => {
                let slow = Status::new(Code::DeadlineExceeded, "the request did not end in time");
                self.poll_interrupt(cx, Some((give_up, slow))).map(Err)
            }
        })
        .await
    }
}
