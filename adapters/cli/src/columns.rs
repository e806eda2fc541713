//! What a pod's columns say, by the rules that `kubectl get pods` follows.

use podsapi_client::MirroredPod;
use podsapi_proto::core_v1::{ContainerStatus, Pod, PodStatus};

use crate::human;

/// The cells of one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) ready: String,
    pub(crate) status: String,
    pub(crate) restarts: String,
    pub(crate) age: String,
    pub(crate) ip: String,
}

impl Columns {
    /// Reads the cells from `pod`, with `now` in seconds since 1970.
    pub(crate) fn read(pod: &MirroredPod, now: i64) -> Self {
        let age = pod.created().map_or_else(
            || "<unknown>".to_owned(),
            |created| human::duration(now.saturating_sub(created)),
        );
        // The mirror has decoded the same bytes; an empty pod would show as unknown.
        let pod = pod.decode().unwrap_or_default();
        let tally = Tally::of(&pod);
        let restarts = match tally.last_restart {
            Some(at) if tally.restarts != 0 => {
                format!(
                    "{} ({} ago)",
                    tally.restarts,
                    human::duration(now.saturating_sub(at))
                )
            }
            _ => tally.restarts.to_string(),
        };
        let ip = pod.status.as_ref().and_then(|status| {
            let first = status
                .pod_i_ps
                .first()
                .and_then(|address| address.ip.clone());
            first
                .or_else(|| status.pod_ip.clone())
                .filter(|ip| !ip.is_empty())
        });
        Self {
            ready: format!("{}/{}", tally.ready, tally.total),
            status: shown_status(&pod, tally.reason),
            restarts,
            age,
            ip: ip.unwrap_or_else(|| "<none>".to_owned()),
        }
    }
}

/// What the containers of a pod add up to.
#[derive(Debug, Default)]
struct Tally {
    ready: usize,
    total: usize,
    restarts: i64,
    /// When a container last ended before a restart, in seconds since 1970.
    last_restart: Option<i64>,
    reason: String,
}

impl Tally {
    fn of(pod: &Pod) -> Self {
        let absent = PodStatus::default();
        let status = pod.status.as_ref().unwrap_or(&absent);
        let mut tally = Self {
            reason: overall_reason(status),
            ..Self::default()
        };
        let sidecars = sidecars(pod);
        tally.total = pod.spec.as_ref().map_or(0, |spec| spec.containers.len()) + sidecars.len();
        let inits = &status.init_container_statuses;
        let ended = tally.add_init_containers(pod, inits, &sidecars);
        if ended == inits.len() || has_true_condition(status, "Initialized") {
            let is_sidecar = |found: &&ContainerStatus| sidecars.contains(&found.name());
            // The one that is still at work counts, those after it do not.
            let kept = inits.iter().take(ended + 1).filter(is_sidecar);
            (tally.restarts, tally.last_restart) = restarts(kept);
            tally.add_containers(status);
        }
        tally
    }

    /// Returns how many init containers have done their part before one that has not.
    fn add_init_containers(
        &mut self,
        pod: &Pod,
        all: &[ContainerStatus],
        sidecars: &[&str],
    ) -> usize {
        let count = pod
            .spec
            .as_ref()
            .map_or(0, |spec| spec.init_containers.len());
        for (position, container) in all.iter().enumerate() {
            (self.restarts, self.last_restart) = restarts(all.iter().take(position + 1));
            let state = container.state.clone().unwrap_or_default();
            let ended_well = state
                .terminated
                .as_ref()
                .is_some_and(|end| end.exit_code() == 0);
            if ended_well {
                continue;
            }
            if sidecars.contains(&container.name()) && container.started() {
                self.ready += usize::from(container.ready());
                continue;
            }
            self.reason = match (&state.terminated, &state.waiting) {
                (Some(end), _) => format!("Init:{}", ending(end)),
                (None, Some(wait)) if !matches!(wait.reason(), "" | "PodInitializing") => {
                    format!("Init:{}", wait.reason())
                }
                (None, _) => format!("Init:{position}/{count}"),
            };
            return position;
        }
        all.len()
    }

    fn add_containers(&mut self, status: &PodStatus) {
        let (count, last) = restarts(&status.container_statuses);
        self.restarts += count;
        self.last_restart = self.last_restart.max(last);
        let mut running = false;
        let mut failure = None;
        // The first container is the main one by custom, so it has the last word.
        for container in status.container_statuses.iter().rev() {
            let state = container.state.clone().unwrap_or_default();
            let wait = state.waiting.filter(|wait| !wait.reason().is_empty());
            if let Some(wait) = wait {
                self.reason = wait.reason().to_owned();
            } else if let Some(end) = &state.terminated {
                self.reason = ending(end);
                if end.exit_code() != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if container.ready() && state.running.is_some() {
                running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            let mixed = match (running, has_true_condition(status, "Ready"), failure) {
                (true, true, _) => Some("Running".to_owned()),
                (_, _, Some(failure)) => Some(failure),
                (true, false, None) => Some("NotReady".to_owned()),
                (false, _, None) => None,
            };
            self.reason = mixed.unwrap_or_else(|| self.reason.clone());
        }
    }
}

/// Returns the names of the init containers that go on running beside the others.
fn sidecars(pod: &Pod) -> Vec<&str> {
    let containers = pod.spec.iter().flat_map(|spec| &spec.init_containers);
    containers
        .filter(|container| container.restart_policy() == "Always")
        .map(|container| container.name())
        .collect()
}

/// Sums restarts, and finds when a container last ended before one.
fn restarts<'a>(containers: impl IntoIterator<Item = &'a ContainerStatus>) -> (i64, Option<i64>) {
    containers
        .into_iter()
        .fold((0, None), |(count, last), container| {
            let ended = container
                .last_state
                .as_ref()
                .and_then(|state| state.terminated.as_ref());
            let at = ended.and_then(|end| end.finished_at.as_ref()?.seconds);
            (count + i64::from(container.restart_count()), last.max(at))
        })
}

/// Says how a container ended: its reason, else its signal, else its exit code.
fn ending(end: &podsapi_proto::core_v1::ContainerStateTerminated) -> String {
    match (end.reason(), end.signal()) {
        ("", 0) => format!("ExitCode:{}", end.exit_code()),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// Returns what the pod as a whole says of itself, before its containers are asked.
fn overall_reason(status: &PodStatus) -> String {
    let gated = status.conditions.iter().any(|condition| {
        condition.r#type() == "PodScheduled" && condition.reason() == "SchedulingGated"
    });
    match (gated, status.reason(), status.phase()) {
        (true, _, _) => "SchedulingGated".to_owned(),
        (false, "", phase) => phase.to_owned(),
        (false, reason, _) => reason.to_owned(),
    }
}

fn has_true_condition(status: &PodStatus, name: &str) -> bool {
    let mut conditions = status.conditions.iter();
    conditions.any(|condition| condition.r#type() == name && condition.status() == "True")
}

/// Lets a deletion win over what the containers say.
fn shown_status(pod: &Pod, reason: String) -> String {
    let deleting = pod
        .metadata
        .as_ref()
        .is_some_and(|data| data.deletion_timestamp.is_some());
    let status = pod.status.clone().unwrap_or_default();
    let ended = matches!(status.phase(), "Succeeded" | "Failed");
    match (deleting, status.reason(), ended) {
        (true, "NodeLost", _) => "Unknown".to_owned(),
        (true, _, false) => "Terminating".to_owned(),
        (true, _, true) | (false, _, _) => reason,
    }
}

#[cfg(test)]
mod tests;
