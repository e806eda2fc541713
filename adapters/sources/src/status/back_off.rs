//! How long a container that ended again waits before it is started (`doBackOff`).
//!
//! A kubelet starts a container again at once the first time, then after ten seconds, and each time
//! after twice as long as before, up to five minutes; one that ran for ten minutes begins anew. It
//! forgets all this when it restarts itself. What it did is seen in how long the last run waited.

use podsapi_proto::core_v1::{ContainerStateWaiting, ContainerStatus};

use super::Scene;
use super::ends::terminated;
use super::restart::{Planned, Role};
use crate::view::{Container, ContainerState};

/// Returns why a container waits that ended for at least the second time and is started again.
pub(super) fn waits(
    scene: &Scene<'_>,
    planned: &Planned<'_>,
    newest: Option<&Container>,
    status: &ContainerStatus,
) -> Option<ContainerStateWaiting> {
    let newest = newest.filter(|run| run.state == ContainerState::Exited)?;
    let code = terminated(status)?.exit_code();
    let again = planned.role != Role::Ephemeral
        && planned.restarts_after(code)
        && !planned.restarts_all_after(code)
        && !scene.restarting_all();
    let over =
        scene.phase_was_terminal() || scene.exceeded || (scene.deleted() && !scene.is_static());
    if !again || over {
        return None;
    }
    let before = scene.seen.runs(planned.name).nth(1);
    let seconds = seconds(newest, before, status.restart_count())?;
    let metadata = scene.pod.metadata.as_ref();
    let (name, space, uid) =
        metadata.map_or(("", "", ""), |of| (of.name(), of.namespace(), of.uid()));
    let container = planned.name;
    Some(ContainerStateWaiting {
        reason: Some(REASON.to_owned()),
        message: Some(format!(
            "back-off {} restarting failed container={container} pod={name}_{space}({uid})",
            spelled(seconds)
        )),
    })
}

/// Returns for how many seconds the container waits after its newest run, if it does.
fn seconds(newest: &Container, before: Option<&Container>, restarts: i32) -> Option<i64> {
    let ran = newest.finished_at.saturating_sub(newest.created_at);
    if restarts < 1 || ran > FORGOTTEN_AFTER * NANOS {
        return None;
    }
    let mut most = FIRST;
    for _ in 1..restarts.min(MOST_DOUBLINGS) {
        most = (most * 2).min(LONGEST);
    }
    let before = before.filter(|before| before.finished_at > 0);
    let Some(waited) = before.map(|before| newest.created_at - before.finished_at) else {
        return Some(most);
    };
    let mut seconds = FIRST;
    while seconds < most && waited >= seconds * NANOS {
        seconds = (seconds * 2).min(LONGEST);
    }
    Some(seconds)
}

/// Spells a duration as Go does.
fn spelled(seconds: i64) -> String {
    match seconds / 60 {
        0 => format!("{seconds}s"),
        minutes => format!("{minutes}m{}s", seconds % 60),
    }
}

/// What a container waits for, as `kubectl` shows it.
const REASON: &str = "CrashLoopBackOff";

const NANOS: i64 = 1_000_000_000;

/// In seconds: `initialCrashLoopBackOff` and `MaxContainerBackOff`.
const FIRST: i64 = 10;
const LONGEST: i64 = 300;

/// In seconds: twice the longest wait.
const FORGOTTEN_AFTER: i64 = 2 * LONGEST;

/// After so many restarts the longest wait is reached.
const MOST_DOUBLINGS: i32 = 7;

#[cfg(test)]
mod tests {
    use super::{NANOS, seconds, spelled};
    use crate::view::Container;

    fn run(created: i64, finished: i64) -> Container {
        Container {
            created_at: created * NANOS,
            finished_at: finished * NANOS,
            ..Container::default()
        }
    }

    #[test]
    fn each_wait_is_twice_as_long_as_that_before_up_to_five_minutes() {
        let newest = run(1_000, 1_001);
        let of = |restarts| seconds(&newest, None, restarts);
        assert_eq!(of(0), None, "the first time it is started at once");
        let all: Vec<_> = (1..9).filter_map(of).collect();
        assert_eq!(all, [10, 20, 40, 80, 160, 300, 300, 300]);
        let all: Vec<_> = [0, 9, 11, 25, 41, 90, 170, 400]
            .map(|waited| seconds(&newest, Some(&run(0, 1_000 - waited)), 99).unwrap())
            .to_vec();
        assert_eq!(all, [10, 10, 20, 40, 80, 160, 300, 300]);
        assert_eq!(
            seconds(&newest, Some(&run(0, 900)), 1),
            Some(10),
            "what delayed the first start anew was no back-off"
        );
    }

    #[test]
    fn one_that_ran_for_ten_minutes_is_started_at_once() {
        assert_eq!(seconds(&run(1_000, 1_600), None, 5), Some(160));
        assert_eq!(seconds(&run(1_000, 1_601), None, 5), None);
    }

    #[test]
    fn waits_are_spelled_as_go_does() {
        let all = [10, 40, 80, 160, 300].map(spelled);
        assert_eq!(all, ["10s", "40s", "1m20s", "2m40s", "5m0s"]);
    }
}
