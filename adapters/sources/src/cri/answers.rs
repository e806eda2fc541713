//! Answers of a runtime that are at hand, read without the runtime.

use podsapi_proto::cri;
use prost::{DecodeError, Message};
use tokio::time::Instant;

use super::known::{Known, Need};
use crate::view::RuntimeView;

/// Reads the encoded answers of `ListPodSandbox` and `ListContainers`, and those of
/// `PodSandboxStatus` and `ContainerStatus` as [`run`](super::run) would ask for them: of each
/// sandbox in the order of their IDs, then of each container.
///
/// What cannot be read, or is about something else, counts as a status that the runtime does not
/// tell: the lists are believed then.
///
/// # Errors
///
/// A list cannot be read.
pub fn read(
    sandboxes: &[u8],
    containers: &[u8],
    statuses: &[&[u8]],
) -> Result<RuntimeView, DecodeError> {
    let sandboxes = cri::ListPodSandboxResponse::decode(sandboxes)?.items;
    let containers = cri::ListContainersResponse::decode(containers)?.containers;
    let (mut known, now) = (Known::default(), Instant::now());
    let mut statuses = statuses.iter();
    for need in known.handle_lists(sandboxes, containers, now) {
        let status = statuses.next().copied().unwrap_or_default();
        let told = match &need {
            Need::Container(id) => {
                let status = cri::ContainerStatusResponse::decode(status).unwrap_or_default();
                let status = status.status.filter(|status| status.id == *id);
                status.map(|status| known.handle_container(status, None, now))
            }
            Need::Sandbox(id) => {
                let status = cri::PodSandboxStatusResponse::decode(status).unwrap_or_default();
                let status = status.status.filter(|status| status.id == *id);
                status.map(|status| known.handle_sandbox(status, now))
            }
        };
        if told.is_none() {
            known.handle_refused(&need, "is not among the answers".to_owned(), now);
        }
    }
    Ok(known.view())
}
