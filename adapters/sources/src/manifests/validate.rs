//! The rules without which no kubelet takes a static pod.
//!
//! These are the rules of Kubernetes' `core/validation` that a kubelet of 1.37 applies to a new pod
//! (`ValidatePodCreate`, with the feature gates as they are by default), and its own about objects
//! of the API (`HasAPIObjectReference`). Most are rows of tables; each subject has a file. What is
//! within a field that no static pod may have is not looked at. `oracle/rules.rs` asks a kubelet's
//! own code about the same pods; `listed.txt` has what it said of some hundreds, for where there is
//! none to ask.

use podsapi_proto::json::{self, Map, Value};
use podsapi_proto::schema::Message;

use crate::tree;
use format::Format;
use place::{Faults, Place};
use rule::{NOT_NEGATIVE, Row, Rule, has_form, obey};

mod containers;
mod environment;
mod format;
mod metadata;
mod mounts;
mod network;
mod place;
mod ports;
mod probes;
mod quantity;
mod references;
mod resources;
mod rule;
mod scheduling;
mod security;
mod sources;
mod volumes;
mod windows;

/// Lists what is wrong with a pod that has its defaults and its final name; empty when nothing is.
///
/// No value is repeated in it.
pub(crate) fn check(pod: &Map) -> Vec<String> {
    match plain(pod) {
        Ok(plain) => faults(&plain, pod),
        Err(fault) => vec![fault],
    }
}

/// Returns the pod as its types have it: without fields that are not known and without `null`, with
/// quantities in their canonical form.
fn plain(pod: &Map) -> Result<Map, String> {
    let encoded = json::encode(Message::POD, &Value::Map(pod.clone()));
    let encoded = encoded.map_err(|error| error.to_string())?;
    let decoded = json::decode(Message::POD, &encoded.bytes).map_err(|error| error.to_string())?;
    match decoded {
        Value::Map(plain) => Ok(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => {
            Ok(Map::new())
        }
    }
}

fn faults(pod: &Map, given: &Map) -> Vec<String> {
    let mut faults = Faults::default();
    let pod = Place::root(pod);
    let metadata = pod.inner_or_empty("metadata");
    let spec = pod.inner_or_empty("spec");
    let nothing = Map::new();
    let given = tree::inner(given, "spec").unwrap_or(&nothing);
    metadata::check(&metadata, &mut faults);
    security::check_annotations(&metadata, &spec, &mut faults);
    obey(&spec, SPEC, &mut faults);
    // A kubelet has lowered the letters of its node's name before.
    let node = spec.text("nodeName").to_lowercase();
    has_form(&node, Format::Subdomain, &spec.at("nodeName"), &mut faults);
    let volumes = volumes::check(&spec, &mut faults);
    containers::check(&spec, &volumes, &mut faults);
    let fault = "cannot be part of a new pod";
    let path = spec.at("ephemeralContainers");
    faults.add_if(spec.count("ephemeralContainers") > 0, &path, fault);
    ports::check_host_network(&spec, &mut faults);
    resources::check_pod(&spec, given, &mut faults);
    resources::check_overhead(&spec, &mut faults);
    security::check_pod(&spec, &mut faults);
    network::check(&spec, &mut faults);
    scheduling::check(&spec, &mut faults);
    for (index, gate) in spec.each("readinessGates").iter().enumerate() {
        let path = format!("{}.conditionType", spec.at_index("readinessGates", index));
        has_form(
            gate.text("conditionType"),
            Format::LabelKey,
            &path,
            &mut faults,
        );
    }
    windows::check_system(&spec, given, &mut faults);
    windows::check_host_process(&spec, &mut faults);
    references::check(&spec, &mut faults);
    faults.into_list()
}

const SPEC: &[Row] = &[
    (
        "restartPolicy",
        Rule::Choice(&["Always", "OnFailure", "Never"]),
    ),
    ("terminationGracePeriodSeconds", NOT_NEGATIVE),
    ("activeDeadlineSeconds", Rule::Within(1, i32::MAX as i64)),
    ("priorityClassName", Rule::Is(Format::Subdomain)),
    ("runtimeClassName", Rule::GivenIs(Format::Subdomain)),
    (
        "preemptionPolicy",
        Rule::OneOf(&["Never", "PreemptLowerPriority"]),
    ),
];
/// The annotation that says where a static pod comes from.
const SOURCE_ANNOTATION: &str = "kubernetes.io/config.source";

#[cfg(test)]
pub(super) mod listed;
#[cfg(test)]
mod tests;
