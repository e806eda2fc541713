//! What a runtime said of its sandboxes and containers, and whether a view says the same.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::cri;
use podsapi_proto::text::decode;
use podsapi_sources::view::{ContainerState, RuntimeView};

/// What was told of each by its ID.
#[derive(Debug, Default)]
pub(super) struct Told {
    sandboxes: BTreeMap<String, Since>,
    containers: BTreeMap<String, Since>,
    rounds: u32,
}

/// What was told of one since lists show the state that it has now.
#[derive(Debug, Default)]
struct Since {
    listed: i32,
    states: BTreeSet<i32>,
}

impl Told {
    /// Takes the answers of a round and compares the view with them.
    pub(super) fn check(
        &mut self,
        view: &RuntimeView,
        sandboxes: &[u8],
        containers: &[u8],
        statuses: &[&[u8]],
    ) {
        let listed = decode::<cri::ListContainersResponse>(containers).unwrap_or_default();
        if self.rounds == 0 {
            as_told(view, sandboxes, &listed, statuses);
        }
        self.rounds += 1;
        let states = listed.containers.into_iter().map(|one| (one.id, one.state));
        take(&mut self.containers, states);
        let listed = decode::<cri::ListPodSandboxResponse>(sandboxes).unwrap_or_default();
        let states = listed.items.into_iter().map(|one| (one.id, one.state));
        take(&mut self.sandboxes, states);
        for status in statuses {
            if let Some(status) = decoded(status)
                && let Some(since) = self.containers.get_mut(&status.id)
            {
                since.states.insert(status.state);
            }
            let status = decode::<cri::PodSandboxStatusResponse>(*status).ok();
            if let Some(status) = status.and_then(|response| response.status)
                && let Some(since) = self.sandboxes.get_mut(&status.id)
            {
                since.states.insert(status.state);
            }
        }
        for sandbox in &view.sandboxes {
            let since = self.sandboxes.get(&sandbox.id);
            let since = since.expect("all that is seen is listed");
            let mut states = since.states.iter().chain([&since.listed]);
            let told = states.any(|state| (*state == 0) == sandbox.ready);
            assert!(told, "{sandbox:?} of {since:?}");
        }
        for container in &view.containers {
            let since = self.containers.get(&container.id);
            let since = since.expect("all that is seen is listed");
            let told = |state| since.listed == state || since.states.contains(&state);
            // Where nobody says how it ended, that it had ended is all that is known.
            assert!(
                match container.state {
                    ContainerState::Created => told(0),
                    ContainerState::Running => told(1),
                    ContainerState::Exited => told(2),
                    ContainerState::Unknown => true,
                },
                "{container:?} of {since:?}"
            );
        }
    }
}

/// Takes a list; of what has another state than before all that was told is forgotten.
fn take(told: &mut BTreeMap<String, Since>, listed: impl Iterator<Item = (String, i32)>) {
    let mut before = std::mem::take(told);
    for (id, state) in listed {
        let entry = before.remove(&id);
        let same = entry.filter(|since| since.listed == state);
        let new = || Since {
            listed: state,
            states: BTreeSet::new(),
        };
        told.insert(id, same.unwrap_or_else(new));
    }
}

/// In the first view each container is as its status says, or else as the list says; there it has
/// not ended, since nobody says how.
fn as_told(
    view: &RuntimeView,
    sandboxes: &[u8],
    listed: &cri::ListContainersResponse,
    statuses: &[&[u8]],
) {
    let before = decode::<cri::ListPodSandboxResponse>(sandboxes).unwrap_or_default();
    let before: BTreeSet<String> = before.items.into_iter().map(|one| one.id).collect();
    for (place, container) in view.containers.iter().enumerate() {
        let mut listed = listed.containers.iter().rev();
        let listed = listed.find(|one| one.id == container.id);
        let listed = listed.expect("all that is seen is listed");
        let status = statuses.get(before.len() + place).copied();
        let status = status.and_then(decoded);
        let status = status.filter(|status| status.id == container.id);
        let state = match status.as_ref().map_or(listed.state, |status| status.state) {
            0 => ContainerState::Created,
            1 => ContainerState::Running,
            2 if status.is_some() => ContainerState::Exited,
            _ => ContainerState::Unknown,
        };
        assert_eq!(container.state, state, "{container:?}");
        assert_eq!(container.sandbox_id, listed.pod_sandbox_id, "{container:?}");
        let exit_code = status.as_ref().map_or(0, |status| status.exit_code);
        assert_eq!(container.exit_code, exit_code, "{container:?}");
        let created_at = status.map_or(listed.created_at, |status| status.created_at);
        assert_eq!(container.created_at, created_at, "{container:?}");
    }
}

fn decoded(status: &[u8]) -> Option<cri::ContainerStatus> {
    let status = decode::<cri::ContainerStatusResponse>(status).ok();
    status.and_then(|response| response.status)
}
