//! Which fields a command asks the server for: those given, or those that its format prints.

use podsapi_client::Fields;

use crate::args::{Format, ReadArgs};
use crate::failure::Failure;
use crate::mask::faults;

/// Returns the fields to ask for; a table's are those that its columns are made of.
///
/// # Errors
///
/// When `--fields` is wrong, or the format has its own.
pub(crate) fn wanted(args: &ReadArgs) -> Result<Fields, Failure> {
    match (args.output, args.fields.as_slice()) {
        (Format::Json | Format::Yaml | Format::Protobuf, []) => Ok(Fields::all()),
        (Format::Json | Format::Yaml | Format::Protobuf, masks) if args.fields_unchecked => {
            Ok(Fields::unchecked(masks.join(",")))
        }
        (Format::Json | Format::Yaml | Format::Protobuf, masks) => {
            Fields::parse_lines(masks.iter().map(String::as_str)).map_err(|error| {
                let text = faults::report(masks, &error);
                Failure::Usage(format!("--fields is not a field mask{text}"))
            })
        }
        (Format::Name, []) => Ok(Fields::identity()),
        (Format::Table, []) => Ok(own_mask(&[TABLE])),
        (Format::Wide, []) => Ok(own_mask(&[TABLE, WIDE])),
        (Format::Name | Format::Table | Format::Wide, _) => Err(Failure::Usage(
            "--fields needs -o json, yaml or protobuf: tables and names ask for their own fields"
                .to_owned(),
        )),
    }
}

/// Returns the fields that tell which of several pods with one name is meant.
pub(crate) fn rank() -> Fields {
    own_mask(&[RANK])
}

/// A test compiles each; were one wrong, more than needed would be asked for.
fn own_mask(parts: &[&[&str]]) -> Fields {
    Fields::parse_lines(parts.concat()).unwrap_or_default()
}

/// What NAME, READY, STATUS, RESTARTS and AGE are made of, beside name, namespace and UID.
const TABLE: &[&str] = &[
    "metadata.annotations.`kubernetes.io/config.seen`",
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
    "spec.containers.name",
    "spec.initContainers.name",
    "spec.initContainers.restartPolicy",
    "status.conditions.reason",
    "status.conditions.status",
    "status.conditions.type",
    "status.containerStatuses.lastState.terminated.finishedAt",
    "status.containerStatuses.ready",
    "status.containerStatuses.restartCount",
    "status.containerStatuses.state.running",
    "status.containerStatuses.state.terminated.exitCode",
    "status.containerStatuses.state.terminated.reason",
    "status.containerStatuses.state.terminated.signal",
    "status.containerStatuses.state.waiting.reason",
    "status.initContainerStatuses.lastState.terminated.finishedAt",
    "status.initContainerStatuses.name",
    "status.initContainerStatuses.ready",
    "status.initContainerStatuses.restartCount",
    "status.initContainerStatuses.started",
    "status.initContainerStatuses.state.terminated.exitCode",
    "status.initContainerStatuses.state.terminated.reason",
    "status.initContainerStatuses.state.terminated.signal",
    "status.initContainerStatuses.state.waiting.reason",
    "status.phase",
    "status.reason",
    "status.startTime",
];

/// What IP is made of; UID always comes along.
const WIDE: &[&str] = &["status.podIP", "status.podIPs.ip"];

/// Age and end of a pod.
const RANK: &[&str] = &[
    "metadata.annotations.`kubernetes.io/config.seen`",
    "metadata.creationTimestamp",
    "status.phase",
    "status.startTime",
];

#[cfg(test)]
mod tests;
