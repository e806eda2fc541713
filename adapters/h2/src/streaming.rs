//! A watch from its headers to its end, at the pace of its reader.

use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use podsapi_core::{Code, Moment, Status, WatchId, WatchOutput};

use crate::{
    alarm::after,
    exchange::{Exchange, Interrupt},
    runtime::Runtime,
    server::Shared,
};

impl<R: Runtime> Exchange<R> {
    /// Sends the events of a watch until it ends or nobody reads it.
    pub(crate) async fn stream(&mut self, watch: WatchId) -> Result<Code, Interrupt> {
        let mut watching = Watching {
            id: watch,
            shared: Arc::clone(&self.shared),
            end: None,
            waiting_since: None,
        };
        self.responder.open().map_err(|_gone| Interrupt::Gone)?;
        let status = poll_fn(|cx| self.poll_stream(cx, &mut watching)).await?;
        Ok(self.end(status))
    }

    /// Moves events from the watch to the stream, a frame's worth at a time: what the reader does
    /// not take stays unread in the service, which bounds how much that may be.
    fn poll_stream(
        &mut self,
        cx: &mut Context<'_>,
        watching: &mut Watching<R>,
    ) -> Poll<Result<Status, Interrupt>> {
        loop {
            self.check_deadline()?;
            while watching.end.is_none()
                && (self.outbox.len() < GATHERED_BYTES
                    || self.shared.is_watch_over(watching.id, cx.waker()))
            {
                match self.shared.poll_watch(watching.id, cx.waker()) {
                    WatchOutput::Event(event) => self.queue(event)?,
                    WatchOutput::Idle => break,
                    WatchOutput::End(status) => {
                        watching.end = Some(status);
                        watching.waiting_since = Some(self.shared.runtime.now());
                    }
                }
            }
            if self.outbox.is_empty() {
                watching.waiting_since = None;
                if let Some(status) = watching.end.take() {
                    return Poll::Ready(Ok(status));
                }
                return self.poll_interrupt(cx, None).map(Err);
            }
            match self.responder.poll_send(cx, &mut self.outbox) {
                Poll::Ready(Ok(())) => {
                    // Once the end is decided the reader has a time for all that is left, not for each
                    // byte.
                    let waited = watching.waiting_since.is_some();
                    if waited && watching.end.is_none() && !self.shared.is_watch_ending(watching.id)
                    {
                        watching.waiting_since = None;
                    }
                }
                Poll::Ready(Err(_gone)) => return Poll::Ready(Err(Interrupt::Gone)),
                Poll::Pending => break,
            }
        }
        if watching.end.is_some() && !self.outbox.is_inside_message() {
            // Trailers need no room, and who watches again gets what is lost here.
            return Poll::Ready(watching.end.take().ok_or(Interrupt::Gone));
        }
        let now = self.shared.runtime.now();
        let since = *watching.waiting_since.get_or_insert(now);
        let stuck = watching.end.clone().unwrap_or_else(|| {
            Status::new(
                Code::ResourceExhausted,
                "the watch was not read for too long, watch again to get the current pods",
            )
        });
        let give_up = after(since, self.shared.limits.stuck_stream_timeout);
        self.poll_interrupt(cx, Some((give_up, stuck))).map(Err)
    }
}

/// A watch that is cancelled when its stream is over.
struct Watching<R: Runtime> {
    id: WatchId,
    shared: Arc<Shared<R>>,
    /// How the watch ended, once it has.
    end: Option<Status>,
    /// Since when the reader has taken nothing of what waits for it, or since the end.
    waiting_since: Option<Moment>,
}

impl<R: Runtime> Drop for Watching<R> {
    fn drop(&mut self) {
        self.shared.cancel_watch(self.id);
    }
}

/// Bytes of events that are gathered before they are sent.
///
/// 16 KiB, one frame of the default size: small events share a frame, since some clients give up
/// on many small ones.
const GATHERED_BYTES: usize = 16 << 10;
