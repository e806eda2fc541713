//! Answers of a runtime that are at hand, read without the runtime.

use std::time::Duration;

use podsapi_proto::cri;
use podsapi_proto::text::decode;
use prost::{DecodeError, Message};
use tokio::time::Instant;

use super::known::{Known, Need};
use super::listed;
use crate::view::RuntimeView;

/// What a runtime has answered so far, round by round as [`run`](super::run) asks it.
#[derive(Debug)]
pub struct Answers {
    known: Known,
    now: Instant,
}

impl Answers {
    /// Nothing is known yet.
    #[expect(
        clippy::new_without_default,
        reason = "the clock is read, which no default should do"
    )]
    pub fn new() -> Self {
        Self {
            known: Known::default(),
            now: Instant::now(),
        }
    }

    /// Lets time pass before the next round.
    pub fn pass(&mut self, time: Duration) {
        self.now += time;
    }

    /// Takes that the next round is on a new connection, which asks for every status again.
    pub fn reconnect(&mut self) {
        self.known.distrust();
    }

    /// Reads the encoded answers of `ListPodSandbox` and `ListContainers`, and those of
    /// `PodSandboxStatus` and `ContainerStatus` as they would be asked for now: of each sandbox in
    /// the order of their IDs, then of each container, as far as they are asked for again.
    ///
    /// What cannot be read, or is about something else, counts as a status that the runtime does
    /// not tell: what was told before stays then.
    ///
    /// # Errors
    ///
    /// What is read of a list cannot be read; the round counts for nothing then.
    pub fn read(
        &mut self,
        sandboxes: &[u8],
        containers: &[u8],
        statuses: &[&[u8]],
    ) -> Result<RuntimeView, DecodeError> {
        let sandboxes = listed::Sandboxes::decode(sandboxes)?.items;
        let containers = listed::Containers::decode(containers)?.items;
        let (known, now) = (&mut self.known, self.now);
        let mut statuses = statuses.iter();
        for need in known.handle_lists(&sandboxes, &containers, now) {
            let status = statuses.next().copied().unwrap_or_default();
            let told = match &need {
                Need::Container(id) => {
                    let status = decode::<cri::ContainerStatusResponse>(status).unwrap_or_default();
                    let status = status.status.filter(|status| status.id == *id);
                    status.map(|status| known.handle_container(status, None, now))
                }
                Need::Sandbox(id) => {
                    let status =
                        decode::<cri::PodSandboxStatusResponse>(status).unwrap_or_default();
                    let status = status.status.filter(|status| status.id == *id);
                    status.map(|status| known.handle_sandbox(status, now))
                }
            };
            if told.is_none() {
                known.handle_refused(&need, "is not among the answers", now);
            }
        }
        known.settle();
        Ok(known.view())
    }
}
