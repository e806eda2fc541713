//! The reflection service: a stream of questions, each answered before the next one is read.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use h2::RecvStream;
use podsapi_core::{Code, Status};
use podsapi_grpc::{
    frame::{Deframer, FrameError, Framed},
    reflection::Conversation,
    request::Encoding,
};

use crate::{
    alarm::after,
    exchange::{Exchange, Interrupt, exhausted, shutting_down},
    inflate,
    meters::Lease,
    onlookers::Onlooker,
    reasons::Bound,
    runtime::Runtime,
};

impl<R: Runtime> Exchange<R> {
    /// Answers the questions of a reflection stream until its client has no more.
    pub(crate) async fn converse(
        &mut self,
        body: RecvStream,
        encoding: Encoding,
    ) -> Result<Code, Interrupt> {
        let shared = Arc::clone(&self.shared);
        let limits = &shared.limits;
        let mut questions = Questions {
            body,
            encoding,
            deframer: Deframer::new(limits.max_request_bytes),
            lease: shared.request_bytes.take_any(0),
            onlooker: Onlooker::new(&shared),
        };
        self.responder.open().map_err(|_gone| Interrupt::Gone)?;
        let mut conversation = Conversation::default();
        let mut asked = 0;
        while let Some(question) = self.next_question(&mut questions).await? {
            self.check_deadline()?;
            asked += 1;
            if asked > limits.max_reflection_requests {
                shared.meters.calls_refused.count(Bound::Questions);
                return Err(exhausted("the stream has asked too many questions"));
            }
            let question = inflate::message(question, limits.max_request_bytes);
            let question = question.map_err(|error| Interrupt::Failed(error.status()))?;
            let answer = conversation.answer(&question).map_err(Interrupt::Failed)?;
            drop(question);
            let answer = answer.into();
            let _unread = self.lease_reply(&answer)?;
            self.queue(answer)?;
            let give_up = after(shared.runtime.now(), limits.reply_timeout);
            poll_fn(|cx| self.poll_flush(cx, give_up)).await?;
        }
        self.check_deadline()?;
        Ok(self.end(Status::new(Code::Ok, "")))
    }

    /// Returns the next message of the request, none at its end.
    async fn next_question(
        &mut self,
        questions: &mut Questions<R>,
    ) -> Result<Option<Framed>, Interrupt> {
        let shared = Arc::clone(&self.shared);
        let limits = &shared.limits;
        let failed = |error: FrameError| Interrupt::Failed(error.status());
        let give_up = after(shared.runtime.now(), limits.reflection_idle_timeout);
        loop {
            if questions.onlooker.seen().stopped {
                return Err(Interrupt::Failed(shutting_down()));
            }
            let next = questions.deframer.next_framed(questions.encoding);
            if let Some(question) = next.map_err(failed)? {
                return Ok(Some(question));
            }
            let piece = {
                let mut reading = pin!(self.next_piece(&mut questions.body, give_up));
                let onlooker = &mut questions.onlooker;
                poll_fn(|cx| match reading.as_mut().poll(cx) {
                    Poll::Ready(piece) => Poll::Ready(Some(piece)),
                    Poll::Pending => onlooker.poll_next(cx).map(|()| None),
                })
                .await
            };
            match piece {
                // The server is at another stage.
                None => {}
                Some(Ok(Some(piece))) => {
                    questions.deframer.push(&piece);
                    let held = questions.deframer.held_bytes();
                    let charged = held.saturating_sub(limits.request_bytes_kept_per_call);
                    if !questions
                        .lease
                        .resize(charged, limits.max_request_bytes_in_flight)
                    {
                        shared.meters.calls_refused.count(Bound::RequestBytes);
                        return Err(exhausted("too many request bytes are in flight"));
                    }
                }
                Some(Ok(None)) if questions.deframer.is_between_messages() => return Ok(None),
                Some(Ok(None)) => return Err(failed(FrameError::Truncated)),
                Some(Err(interrupt)) => {
                    let is_late = |limit| shared.runtime.now() >= limit;
                    if is_late(give_up) && !self.deadline.is_some_and(is_late) {
                        shared.meters.calls_refused.count(Bound::QuestionTime);
                    }
                    return Err(interrupt);
                }
            }
        }
    }
}

/// The client's side of a reflection stream.
struct Questions<R: Runtime> {
    body: RecvStream,
    encoding: Encoding,
    deframer: Deframer,
    /// The room that unanswered bytes take.
    lease: Lease,
    /// Hears when the server stops.
    onlooker: Onlooker<R>,
}
