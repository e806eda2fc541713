//! Which ends of calls there is a reason for.

use std::time::Duration;

use podsapi_core::{Code, Method, Moment, SlowWatch};
use podsapi_h2::Runtime;

use super::client::{Client, Ended, Question};
use super::reach::Reach;

/// Holds the end of a call against what could have ended it.
///
/// `since` is the version of what was served when the call began; none if the server was not ready.
/// `headed` is when the headers of the answer came, if they did.
///
/// # Panics
///
/// When nothing could.
pub(super) fn check(
    client: &Client,
    question: &Question,
    since: Option<usize>,
    headed: Option<Moment>,
    end: Ended,
) {
    let node = &client.node;
    node.world.tell(format_args!(
        "connection {}: {:?} ends with {end:?}",
        client.number(),
        question.method
    ));
    let now = node.world.now();
    // Who was being answered when the server was stopped has the time to drain to hear the end.
    let spared = |stop: Moment| headed.is_some_and(|headed| headed < stop);
    let drained = |stop: Moment| {
        let waited = Duration::from_nanos(now.nanos_since(stop));
        // What was said may still be on its way through a slow pipe, and its client's
        // acknowledgement behind that.
        waited >= node.limits.drain_timeout
            || (waited >= node.limits.goaway_timeout && !client.is_fast())
    };
    let cut_off = node
        .stopped()
        .is_some_and(|stop| !spared(stop) || drained(stop));
    // Who reads in time is never given up.
    let given_up = question.method == Method::WatchPods
        && client.lags()
        && Duration::from_nanos(now.nanos_since(question.asked))
            >= node.limits.stuck_stream_timeout;
    if let Some(reach) = reached(end, question.method) {
        node.world.reached(reach, 1);
    }
    if node.stopped().is_some_and(spared) && matches!(end, Ended::Status(_)) {
        node.world.reached(Reach::AnswersOutliveStops, 1);
    }
    let has_reason = match end {
        Ended::Lost => {
            client.is_broken() || cut_off || (node.is_stopping() && client.is_overtaken())
        }
        // A deadline in the middle of a message leaves no room for trailers.
        Ended::Reset(h2::Reason::CANCEL) if question.timeout.is_some() => true,
        Ended::Reset(h2::Reason::ENHANCE_YOUR_CALM) if given_up => true,
        // The same after a stop, in the middle of a message.
        Ended::Reset(h2::Reason::CANCEL) if given_up => node.is_stopping(),
        Ended::Reset(_) => cut_off,
        // What ends by itself is served to the end.
        Ended::Status(Code::Unavailable) => {
            node.is_stopping() && question.method == Method::WatchPods
        }
        Ended::Status(Code::FailedPrecondition) => since.is_none(),
        Ended::Status(Code::DeadlineExceeded) => question.timeout.is_some(),
        Ended::Status(Code::ResourceExhausted) => match question.method {
            Method::WatchPods => given_up || node.config.slow_watch == SlowWatch::End,
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

/// Returns what an end shows that runs must come to.
fn reached(end: Ended, method: Method) -> Option<Reach> {
    match (end, method) {
        (Ended::Status(Code::DeadlineExceeded), _) => Some(Reach::DeadlinesPass),
        (Ended::Status(Code::FailedPrecondition), _) => Some(Reach::RefusedBeforeReady),
        (Ended::Status(Code::Unavailable), Method::WatchPods) => Some(Reach::WatchesStopped),
        (Ended::Status(_) | Ended::Reset(_) | Ended::Lost, _) => None,
    }
}
