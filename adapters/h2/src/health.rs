//! The health service: a state, and for a watch each change of it.

use std::{future::poll_fn, task::Poll};

use bytes::Bytes;
use podsapi_core::Code;
use podsapi_grpc::{
    dialect::HealthMethod,
    health::{self, Health},
};

use crate::{
    alarm::after,
    exchange::{Decision, Exchange, Interrupt, shutting_down},
    onlookers::Onlooker,
    runtime::Runtime,
    server::{Server, Shared},
};

impl<R: Runtime> Server<R> {
    /// Returns what `grpc.health.v1.Health` tells now.
    pub fn health(&self) -> Health {
        self.shared().stage().health
    }
}

impl<R: Runtime> Shared<R> {
    /// Decides a call of the health service, which is neither gated nor rate limited.
    pub(crate) fn ask_health(&self, method: HealthMethod, message: &Bytes) -> Decision {
        let health = self.stage().health;
        let decision = match method {
            HealthMethod::Check => health.check(message).map(Decision::message),
            HealthMethod::List => health.list(message).map(Decision::message),
            HealthMethod::Watch => health::watched_service(message).map(Decision::WatchHealth),
        };
        decision.unwrap_or_else(Decision::Refuse)
    }
}

impl<R: Runtime> Exchange<R> {
    /// Tells the state of a service, and again whenever it is another one, until the server stops.
    ///
    /// A reader that takes nothing for a while is told the state that holds then.
    pub(crate) async fn watch_health(&mut self, service: &str) -> Result<Code, Interrupt> {
        self.responder.open().map_err(|_gone| Interrupt::Gone)?;
        let mut onlooker = Onlooker::new(&self.shared);
        let mut told = Bytes::new();
        let mut first = true;
        loop {
            let stage = onlooker.seen();
            let update = stage.health.update(service);
            if first || update != told {
                self.queue(update.clone().into())?;
                let limit = self.shared.limits.stuck_stream_timeout;
                let give_up = after(self.shared.runtime.now(), limit);
                poll_fn(|cx| self.poll_flush(cx, give_up)).await?;
                told = update;
                first = false;
            }
            if stage.stopped {
                return Err(Interrupt::Failed(shutting_down()));
            }
            poll_fn(|cx| match onlooker.poll_next(cx) {
                Poll::Ready(()) => Poll::Ready(Ok(())),
                Poll::Pending => self.poll_interrupt(cx, None).map(Err),
            })
            .await?;
        }
    }
}
