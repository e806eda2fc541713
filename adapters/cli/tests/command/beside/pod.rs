//! A pod as a server told it, decoded.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::json::{Value, decode_whole, parse_yaml};
use podsapi_proto::schema::Message;

/// One state of one pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pod {
    pub(super) uid: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) value: Value,
}

impl Pod {
    /// Decodes a pod as Go prints it, so that how a zero is encoded makes no difference.
    pub(super) fn decode(bytes: &[u8]) -> Self {
        Self::of(decode_whole(Message::POD, bytes).expect("a server tells pods that decode"))
    }

    pub(super) fn of(value: Value) -> Self {
        let text = |path| text(&value, path).unwrap_or_default().to_owned();
        Self {
            uid: text("metadata.uid"),
            namespace: text("metadata.namespace"),
            name: text("metadata.name"),
            value,
        }
    }

    pub(super) fn phase(&self) -> &str {
        text(&self.value, "status.phase").unwrap_or_default()
    }

    pub(super) fn has_ended(&self) -> bool {
        matches!(self.phase(), "Succeeded" | "Failed")
    }

    pub(super) fn is_ready(&self) -> bool {
        let mut conditions = items(&self.value, "status.conditions");
        conditions.any(|condition| {
            text(condition, "type") == Some("Ready") && text(condition, "status") == Some("True")
        })
    }

    /// Says whether it is being deleted.
    pub(super) fn is_leaving(&self) -> bool {
        text(&self.value, "metadata.deletionTimestamp").is_some()
    }

    pub(super) fn has_label(&self, name: &str, value: &str) -> bool {
        text(&self.value, &format!("metadata.labels.{name}")) == Some(value)
    }

    /// Returns the statuses of all its containers, by name.
    pub(super) fn containers(&self) -> BTreeMap<&str, &Value> {
        let lists = ["status.initContainerStatuses", "status.containerStatuses"];
        let statuses = lists.into_iter().flat_map(|list| items(&self.value, list));
        statuses
            .filter_map(|status| Some((text(status, "name")?, status)))
            .collect()
    }

    /// Returns how often a container was restarted.
    pub(super) fn restarts(&self, container: &str) -> i64 {
        let containers = self.containers();
        let status = containers.get(container);
        status.map_or(0, |status| restart_count(status))
    }

    /// Returns the runtime's ID of a container.
    pub(super) fn container_id(&self, container: &str) -> Option<String> {
        let containers = self.containers();
        let id = text(containers.get(container)?, "containerID")?;
        id.split_once("://").map(|(_, id)| id.to_owned())
    }

    /// Says whether a container runs.
    pub(super) fn runs(&self, container: &str) -> bool {
        let containers = self.containers();
        let status = containers.get(container);
        status.is_some_and(|status| at(status, "state.running").is_some())
    }

    /// Says whether it is what this manifest describes, as far as edits of these tests go.
    pub(super) fn is_of(&self, manifest: &str) -> bool {
        let manifest = parse_yaml(manifest.as_bytes()).unwrap().remove(0);
        let same = |path: &str, name: &str| {
            let [wanted, own] = [&manifest, &self.value].map(|value| at(value, path));
            let [wanted, own] = [wanted, own].map(|value| value.and_then(|value| value.get(name)));
            wanted == own
        };
        same("metadata.annotations", "edited")
            && same("metadata.labels", "v")
            && commands(&manifest) == commands(&self.value)
    }

    /// Returns why a container waits.
    pub(super) fn waits(&self, container: &str) -> Option<String> {
        let containers = self.containers();
        let reason = text(containers.get(container)?, "state.waiting.reason")?;
        Some(reason.to_owned())
    }

    /// Returns what an agent would notice of this state, each in a word or two.
    pub(super) fn marks(&self) -> BTreeSet<String> {
        let mut marks = BTreeSet::from([self.phase().to_owned()]);
        if self.is_ready() {
            marks.insert("Ready".to_owned());
        }
        for (name, status) in self.containers() {
            let runs = restart_count(status);
            for state in ["running", "terminated"] {
                if at(status, &format!("state.{state}")).is_some() {
                    marks.insert(format!("{name} {state} {runs}"));
                }
            }
        }
        marks
    }
}

fn restart_count(status: &Value) -> i64 {
    match status.get("restartCount") {
        Some(Value::Number(number)) => number.as_i64().unwrap_or_default(),
        Some(_) | None => 0,
    }
}

fn commands(pod: &Value) -> Vec<Option<&Value>> {
    let containers = items(pod, "spec.containers");
    containers
        .map(|container| container.get("command"))
        .collect()
}

/// Follows names through maps.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .try_fold(value, |value, name| value.get(name))
}

pub(super) fn text<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    at(value, path)?.as_str()
}

fn items<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = &'a Value> {
    at(value, path)
        .and_then(Value::as_list)
        .into_iter()
        .flatten()
}
