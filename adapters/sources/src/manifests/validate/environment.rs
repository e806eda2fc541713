//! What the variables of a container's environment may be.
//!
//! Variables from objects of the API are refused as a whole (`references.rs`).

use super::format::{Format, lower_case};
use super::place::{Faults, Place};
use super::quantity::Amount;
use super::rule::{REQUIRED, Row, Rule, has_form, obey, one_of};
use super::volumes::Volumes;

/// Checks the variables of a container.
pub(super) fn check(container: &Place<'_>, volumes: &Volumes<'_>, faults: &mut Faults) {
    for variable in container.each("env") {
        obey(&variable, VARIABLE, faults);
        let Some(origin) = variable.inner("valueFrom") else {
            continue;
        };
        let origins = ORIGINS.iter().filter(|key| origin.has(key)).count();
        faults.add_if(
            origins == 0,
            origin.path(),
            format!("one of {} is required", ORIGINS.join(", ")),
        );
        faults.add_if(origins > 1, origin.path(), "has more than one source");
        let valued = !variable.text("value").is_empty();
        faults.add_if(valued, origin.path(), "not beside a value");
        if let Some(reference) = origin.inner("fieldRef") {
            field(&reference, FIELDS_OF_VARIABLES, faults);
        }
        if let Some(reference) = origin.inner("resourceFieldRef") {
            resource(&reference, faults);
        }
        if let Some(reference) = origin.inner("fileKeyRef") {
            obey(&reference, FILE_KEY, faults);
            let volume = volumes.get(reference.text("volumeName"));
            let empty = volume.is_some_and(|volume| volume.has("emptyDir"));
            let fault = "must name a volume that is an emptyDir";
            faults.add_if(!empty, &reference.at("volumeName"), fault);
        }
    }
    for origin in container.each("envFrom") {
        obey(
            &origin,
            &[("prefix", Rule::Is(Format::EnvironmentName))],
            faults,
        );
        let either = origin.has("configMapRef") != origin.has("secretRef");
        faults.add_if(
            !either,
            origin.path(),
            "one of configMapRef, secretRef is required",
        );
    }
}

/// Checks a reference to a field of the pod.
pub(super) fn field(reference: &Place<'_>, fields: &[&str], faults: &mut Faults) {
    one_of(
        reference.text("apiVersion"),
        &["v1"],
        &reference.at("apiVersion"),
        faults,
    );
    let path = reference.at("fieldPath");
    let field = reference.text("fieldPath");
    let Some((map, key)) = subscripted(field) else {
        // Old clients call the name of the node so.
        let field = if field == "spec.host" {
            "spec.nodeName"
        } else {
            field
        };
        return one_of(field, fields, &path, faults);
    };
    match map {
        "metadata.annotations" => has_form(&lower_case(key), Format::LabelKey, &path, faults),
        "metadata.labels" => has_form(key, Format::LabelKey, &path, faults),
        _ => faults.add(&path, "only annotations and labels have a key behind them"),
    }
}

/// Takes a path such as `metadata.labels['app']` apart.
fn subscripted(path: &str) -> Option<(&str, &str)> {
    let (map, key) = path.strip_suffix("']")?.split_once("['")?;
    (!map.is_empty()).then_some((map, key))
}

/// Checks a reference to what a container may use or asks for.
pub(super) fn resource(reference: &Place<'_>, faults: &mut Faults) {
    let name = reference.text("resource");
    let path = reference.at("resource");
    let pages = name.starts_with("limits.hugepages-") || name.starts_with("requests.hugepages-");
    if name.is_empty() {
        faults.add(&path, REQUIRED);
    } else if !pages {
        one_of(name, RESOURCES, &path, faults);
    }
    let divisor = reference.text("divisor");
    if Amount::read(divisor).is_none_or(Amount::is_zero) {
        return;
    }
    let path = reference.at("divisor");
    match name {
        "limits.cpu" | "requests.cpu" => one_of(divisor, &["1m", "1"], &path, faults),
        _ if pages || RESOURCES.contains(&name) => one_of(divisor, DIVISORS, &path, faults),
        _ => {}
    }
}

const VARIABLE: &[Row] = &[("name", Rule::RequiredIs(Format::EnvironmentName))];
const FILE_KEY: &[Row] = &[
    ("key", Rule::RequiredIs(Format::EnvironmentName)),
    ("volumeName", Rule::RequiredIs(Format::Label)),
    ("path", Rule::RequiredIs(Format::NoBacksteps)),
];
const ORIGINS: [&str; 5] = [
    "fieldRef",
    "resourceFieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "fileKeyRef",
];
const FIELDS_OF_VARIABLES: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// The fields of a pod that files of a volume can be of.
pub(super) const FIELDS_OF_VOLUMES: &[&str] = &[
    "metadata.name",
    "metadata.namespace",
    "metadata.labels",
    "metadata.annotations",
    "metadata.uid",
];
const RESOURCES: &[&str] = &[
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
];
const DIVISORS: &[&str] = &[
    "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei",
];
