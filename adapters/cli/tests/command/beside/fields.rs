//! Where two pods differ, by path.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::json::Value;

use super::pod::Pod;
use super::situations::{self, Leaves};

/// One thing that another server tells otherwise than the kubelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    pub(super) server: &'static str,
    /// The pod's name without the node's, or what else differs.
    pub(super) pod: String,
    /// The field, without the names of list items except those of conditions.
    pub(super) path: String,
    /// What the kubelet has; empty where it has nothing.
    pub(super) kubelet: String,
    pub(super) ours: String,
}

/// A pod that ours alone lists, while it is being deleted.
pub(super) const LEAVING: &str = "(pod that is leaving)";

/// Compares the pods of two lists by UID.
pub(super) fn lists(
    server: &'static str,
    node: &str,
    kubelet: &[Pod],
    ours: &[Pod],
) -> Vec<Difference> {
    let mut found = Vec::new();
    let by_uid = |pods: &[Pod]| -> BTreeMap<String, Pod> {
        let pairs = pods.iter().map(|pod| (pod.uid.clone(), pod.clone()));
        pairs.collect()
    };
    let (theirs, own) = (by_uid(kubelet), by_uid(ours));
    let difference = |pod: &Pod, path: &str, kubelet: &str, ours: &str| Difference {
        server,
        pod: short(&pod.name, node),
        path: path.to_owned(),
        kubelet: kubelet.to_owned(),
        ours: ours.to_owned(),
    };
    for uid in theirs.keys().chain(own.keys()).collect::<BTreeSet<_>>() {
        match (theirs.get(uid), own.get(uid)) {
            (Some(pod), None) => found.push(difference(pod, "(pod)", pod.phase(), "")),
            // It goes when its containers have ended, as the kubelet's watch has it.
            (None, Some(pod)) if pod.is_leaving() => {
                found.push(difference(pod, LEAVING, "", pod.phase()));
            }
            (None, Some(pod)) => found.push(difference(pod, "(pod)", "", pod.phase())),
            (Some(kubelet), Some(ours)) => {
                for (path, theirs, own) in values(&kubelet.value, &ours.value) {
                    found.push(difference(kubelet, &path, &theirs, &own));
                }
            }
            (None, None) => {}
        }
    }
    for (pods, name) in [(kubelet, "kubelet"), (ours, server)] {
        let in_order = pods.windows(2).all(|pair| match pair {
            [first, second] => first.uid < second.uid,
            _ => true,
        });
        if !in_order {
            found.push(Difference {
                server,
                pod: name.to_owned(),
                path: "(order of the list)".to_owned(),
                kubelet: String::new(),
                ours: "not by ascending UID".to_owned(),
            });
        }
    }
    found
}

/// Returns each path at which two values differ, and what either has there.
pub(super) fn values(kubelet: &Value, ours: &Value) -> Vec<(String, String, String)> {
    let (mut theirs, mut own) = (leaves(kubelet), leaves(ours));
    let situations = situations::take(&mut theirs, &mut own);
    let paths: BTreeSet<_> = theirs.keys().chain(own.keys()).collect();
    let value = |leaves: &Leaves, path: &str| leaves.get(path).cloned().unwrap_or_default();
    let pairs = paths
        .into_iter()
        .map(|path| (path, value(&theirs, path), value(&own, path)));
    let differ = pairs
        .filter(|(_, theirs, own)| theirs != own)
        .map(|(path, theirs, own)| (without_names(path), theirs, own));
    let named = situations
        .into_iter()
        .map(|(name, theirs, own)| (name.to_owned(), theirs, own));
    named.chain(differ).collect()
}

/// Returns the pod's name in its manifest.
pub(super) fn short(name: &str, node: &str) -> String {
    let end = format!("-{node}");
    name.strip_suffix(&end).unwrap_or(name).to_owned()
}

/// Returns all that is said, by path; what is empty says nothing.
fn leaves(value: &Value) -> Leaves {
    let mut leaves = BTreeMap::new();
    gather(value, "", &mut leaves);
    leaves
}

fn gather(value: &Value, path: &str, leaves: &mut Leaves) {
    let leaf = match value {
        Value::Null => return,
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.as_str().to_owned(),
        Value::String(text) => text.clone(),
        Value::Map(map) => {
            for (name, value) in map.iter() {
                let dot = if path.is_empty() { "" } else { "." };
                gather(value, &format!("{path}{dot}{name}"), leaves);
            }
            return;
        }
        Value::List(list) => {
            let key = key(path);
            let mut order = Vec::new();
            for (index, item) in list.iter().enumerate() {
                let name = item.get(key).and_then(Value::as_str);
                let name = name.map_or_else(|| index.to_string(), str::to_owned);
                gather(item, &format!("{path}[{name}]"), leaves);
                order.push(name);
            }
            if !key.is_empty() && !order.is_empty() {
                leaves.insert(format!("{path}(order)"), order.join(" "));
            }
            return;
        }
    };
    if !leaf.is_empty() {
        leaves.insert(path.to_owned(), leaf);
    }
}

/// Returns by which of its fields an item of this list is known; others are known by their place.
fn key(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "conditions" => "type",
        "volumeMounts" => "mountPath",
        "containers"
        | "initContainers"
        | "containerStatuses"
        | "initContainerStatuses"
        | "volumes"
        | "env" => "name",
        _ => "",
    }
}

/// Takes the names of items out of a path, but those of conditions.
fn without_names(path: &str) -> String {
    let mut rest = path;
    let mut result = String::new();
    while let Some((before, after)) = rest.split_once('[') {
        let (name, after) = after.split_once(']').unwrap_or((after, ""));
        let name = if before.ends_with("conditions") {
            name
        } else {
            ""
        };
        result += &format!("{before}[{name}]");
        rest = after;
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use podsapi_proto::json::parse_json;

    use super::*;

    fn paths(kubelet: &str, ours: &str) -> Vec<String> {
        let [kubelet, ours] = [kubelet, ours].map(|text| parse_json(text.as_bytes()).unwrap());
        let found = values(&kubelet, &ours).into_iter();
        found
            .map(|(path, theirs, own)| format!("{path} {theirs}->{own}"))
            .collect()
    }

    fn pod(uid: &str, phase: &str) -> Pod {
        let text = format!(
            r#"{{"metadata":{{"name":"web-n","uid":"{uid}"}},"status":{{"phase":"{phase}"}}}}"#
        );
        Pod::of(parse_json(text.as_bytes()).unwrap())
    }

    #[test]
    fn a_difference_of_one_field_is_found_whatever_the_order_and_named_by_its_path() {
        let kubelet = r#"{"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"True"}],
            "containerStatuses":[{"name":"c","ready":true,"lastState":{}}]}}"#;
        let ours = r#"{"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"False"}],
            "containerStatuses":[{"name":"c","ready":true,"resources":{"limits":{"cpu":"1"}}}]}}"#;
        assert_eq!(
            paths(kubelet, ours),
            [
                "status.conditions[B].status True->False",
                "status.containerStatuses[].resources.limits.cpu ->1",
            ]
        );
        assert_eq!(paths(kubelet, kubelet), Vec::<String>::new());
    }

    #[test]
    fn another_order_of_a_list_is_a_difference_of_its_own() {
        let found = paths(
            r#"{"conditions":[{"type":"A"},{"type":"B"}]}"#,
            r#"{"conditions":[{"type":"B"},{"type":"A"}]}"#,
        );
        assert_eq!(found, ["conditions(order) A B->B A"]);
    }

    #[test]
    fn pods_that_one_list_lacks_or_another_invents_are_found_and_so_is_a_wrong_order() {
        let kubelet = [pod("a", "Running"), pod("b", "Pending")];
        let ours = [pod("c", "Running"), pod("b", "Pending")];
        let found = lists("k", "n", &kubelet, &ours);
        let told: Vec<_> = found
            .iter()
            .map(|found| {
                format!(
                    "{} {} {}->{}",
                    found.pod, found.path, found.kubelet, found.ours
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                "web (pod) Running->",
                "web (pod) ->Running",
                "k (order of the list) ->not by ascending UID",
            ]
        );
    }
}
