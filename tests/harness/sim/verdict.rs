//! Which ends of calls there is a reason for.

use podsapi_core::{Code, Method, SlowWatch};

use super::client::{Client, Ended, Question};

/// Holds the end of a call against what could have ended it.
///
/// `since` is the version of what was served when the call began; none if the server was not ready.
///
/// # Panics
///
/// When nothing could.
pub(super) fn check(client: &Client, question: &Question, since: Option<usize>, end: Ended) {
    let node = &client.node;
    node.world.tell(format_args!(
        "connection {}: {:?} ends with {end:?}",
        client.number(),
        question.method
    ));
    let has_reason = match end {
        Ended::Lost => client.may_be_lost(),
        // A deadline in the middle of a message leaves no room for trailers.
        Ended::Reset(h2::Reason::CANCEL) if question.timeout.is_some() => true,
        Ended::Reset(_) => node.is_stopping(),
        // What ends by itself is served to the end.
        Ended::Status(Code::Unavailable) => {
            node.is_stopping() && question.method == Method::WatchPods
        }
        Ended::Status(Code::FailedPrecondition) => since.is_none(),
        Ended::Status(Code::DeadlineExceeded) => question.timeout.is_some(),
        Ended::Status(Code::ResourceExhausted) => match question.method {
            Method::WatchPods => node.config.slow_watch == SlowWatch::End,
            Method::GetPod | Method::ListPods => node.config.qps > 0,
        },
        Ended::Status(Code::NotFound) => {
            let version = since.unwrap_or_default();
            let mask = &question.mask.selects;
            question.method == Method::GetPod
                && node.pod_was_ever(version, mask, &question.uid, None)
        }
        Ended::Status(Code::Ok) => question.method != Method::WatchPods,
        Ended::Status(_) => false,
    };
    assert!(
        has_reason,
        "connection {}: {:?} ends with {end:?} for no reason",
        client.number(),
        question.method
    );
}
