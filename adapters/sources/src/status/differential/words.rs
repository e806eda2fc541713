//! What an owner knows that a runtime does not tell, by chance.

use podsapi_proto::core_v1::{
    ContainerState as State, ContainerStateTerminated, ContainerStateWaiting, ContainerStatus,
};
use podsapi_proto::meta_v1::Time;

/// What an owner knows more of one container.
pub(super) fn word(
    chance: &mut fastrand::Rng,
    spec: &str,
    status: &mut ContainerStatus,
    clock: i64,
) {
    let state = status.state.clone().unwrap_or_default();
    let restarts = !spec.contains("restartPolicy: Never");
    match state {
        State {
            running: Some(running),
            ..
        } if chance.u8(0..12) == 0 => {
            let ended = ContainerStateTerminated {
                exit_code: Some([0, 1][chance.usize(0..2)]),
                reason: Some("Seen".to_owned()),
                started_at: running.started_at,
                finished_at: Some(Time {
                    seconds: Some(clock),
                    nanos: None,
                }),
                container_id: status.container_id.clone(),
                ..ContainerStateTerminated::default()
            };
            status.state = Some(State {
                terminated: Some(ended),
                ..State::default()
            });
            (status.ready, status.started) = (Some(false), Some(false));
        }
        State {
            running: Some(_), ..
        } => {
            status.started = Some(chance.bool());
            status.ready = Some(status.started() && chance.bool());
        }
        State {
            terminated: Some(end),
            ..
        } if restarts && chance.bool() => {
            status.last_state = Some(State {
                terminated: Some(end),
                ..State::default()
            });
            status.state = Some(waiting("CrashLoopBackOff"));
        }
        State {
            waiting: Some(_), ..
        } if chance.bool() => {
            status.state = Some(waiting("ImagePullBackOff"));
        }
        State { .. } => {}
    }
}

fn waiting(reason: &str) -> State {
    State {
        waiting: Some(ContainerStateWaiting {
            reason: Some(reason.to_owned()),
            message: Some("the owner says why".to_owned()),
        }),
        ..State::default()
    }
}
