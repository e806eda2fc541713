//! How a listener that was made anew takes the place of the one that is accepted from.

use std::io;
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Where a listener that was made anew waits for the loop that accepts.
#[derive(Debug, Default)]
pub struct Successor(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    listener: Option<UnixListener>,
    accepting: Option<Waker>,
}

impl Successor {
    /// Lets the loop go on with this listener.
    pub(crate) fn put(&self, listener: UnixListener) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.listener = Some(listener);
        let accepting = waiting.accepting.take();
        drop(waiting);
        if let Some(accepting) = accepting {
            accepting.wake();
        }
    }

    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<UnixListener> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match waiting.listener.take() {
            Some(listener) => Poll::Ready(listener),
            None => {
                waiting.accepting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A runtime's listener that its successor replaces, once what waited in its queue is accepted.
#[derive(Debug)]
pub struct Replaceable<L> {
    current: Mutex<L>,
    successor: Arc<Successor>,
    register: fn(UnixListener) -> io::Result<L>,
}

impl<L> Replaceable<L> {
    /// Begins with `listener`; `register` gives a successor to the runtime.
    pub fn new(
        listener: L,
        successor: Arc<Successor>,
        register: fn(UnixListener) -> io::Result<L>,
    ) -> Self {
        Self {
            current: Mutex::new(listener),
            successor,
            register,
        }
    }

    /// Accepts, as `accept` does it, from the listener that it is now.
    pub fn poll_accept<Io>(
        &self,
        cx: &mut Context<'_>,
        accept: impl Fn(&L, &mut Context<'_>) -> Poll<io::Result<Io>>,
    ) -> Poll<io::Result<Io>> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Poll::Ready(accepted) = accept(&current, cx) {
                return Poll::Ready(accepted);
            }
            let next = std::task::ready!(self.successor.poll(cx));
            match next.try_clone().and_then(self.register) {
                Ok(listener) => *current = listener,
                Err(error) => {
                    // It is tried again after the pause that follows an error.
                    self.successor.put(next);
                    return Poll::Ready(Err(error));
                }
            }
        }
    }
}
