//! What a runtime said of its sandboxes and containers, and whether a view says the same.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::cri;
use podsapi_proto::text::decode;
use podsapi_sources::view::{ContainerState, RuntimeView};

/// What statuses told of each by its ID: states, and how a container ended.
#[derive(Debug, Default)]
pub(super) struct Told {
    sandboxes: BTreeMap<String, BTreeSet<bool>>,
    containers: BTreeMap<String, BTreeSet<(i32, i32)>>,
}

impl Told {
    /// Takes the answers of a round and compares the view with all that were ever given: nothing is
    /// shown that no status told.
    pub(super) fn check(&mut self, view: &RuntimeView, statuses: &[&[u8]]) {
        for status in statuses {
            let told = decode::<cri::ContainerStatusResponse>(*status).ok();
            if let Some(status) = told.and_then(|response| response.status) {
                let told = self.containers.entry(status.id).or_default();
                told.insert((status.state, status.exit_code));
            }
            let told = decode::<cri::PodSandboxStatusResponse>(*status).ok();
            if let Some(status) = told.and_then(|response| response.status) {
                let told = self.sandboxes.entry(status.id).or_default();
                told.insert(status.state == 0);
            }
        }
        for sandbox in &view.sandboxes {
            let told = self.sandboxes.get(&sandbox.id);
            let is_told = told.is_some_and(|told| told.contains(&sandbox.ready));
            assert!(is_told, "{sandbox:?} of {told:?}");
        }
        for container in &view.containers {
            let is_state = |state| match container.state {
                ContainerState::Created => state == 0,
                ContainerState::Running => state == 1,
                ContainerState::Exited => state == 2,
                ContainerState::Unknown => !(0..=2).contains(&state),
            };
            let told = self.containers.get(&container.id);
            let is_told = told.is_some_and(|told| {
                let mut told = told.iter();
                told.any(|(state, code)| is_state(*state) && *code == container.exit_code)
            });
            assert!(is_told, "{container:?} of {told:?}");
        }
    }
}
