//! The runtime's events, each a hint that the lists may have changed.

use std::convert::Infallible;
use std::time::Duration;

use podsapi_client::Code;
use tokio::sync::Notify;

use super::runtime::Runtime;

/// Wakes `changed` whenever the runtime tells that something happened, until the future is dropped.
///
/// What an event says is not read: it may be one of many that this client was not dealt. A runtime
/// without events is asked once.
pub(super) async fn watch(runtime: &Runtime, changed: &Notify) -> Infallible {
    loop {
        match runtime.events().await {
            Ok(mut events) => {
                // What happened before the subscription is in the lists alone.
                changed.notify_one();
                while let Ok(Some(_event)) = events.next().await {
                    changed.notify_one();
                }
            }
            Err(error) if error.code() == Code::Unimplemented => {
                tracing::debug!("the container runtime has no events");
                return std::future::pending().await;
            }
            Err(error) => tracing::debug!(%error, "the container runtime's events ended"),
        }
        tokio::time::sleep(RESUBSCRIBE).await;
    }
}

/// Without events the lists still come in time, so nothing is in a hurry.
const RESUBSCRIBE: Duration = Duration::from_secs(5);
