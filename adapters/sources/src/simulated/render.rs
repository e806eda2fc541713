//! A simulated pod written out as the API has it.

use podsapi_proto::json::Value;

use super::pod::Pod;
use crate::tree::object;
use crate::wall::rfc3339;

mod metadata;
mod spec;
mod status;

/// Writes out `pod` as one on the node `node_name`.
pub(crate) fn render(pod: &Pod, node_name: &str) -> Value {
    object([
        ("metadata", metadata::metadata(pod)),
        ("spec", spec::spec(pod, node_name)),
        ("status", status::status(pod)),
    ])
}

fn time(seconds: i64) -> Value {
    Value::from(rfc3339(seconds))
}

/// How long a pod may take to end when it is deleted: the default of the API.
const GRACE_SECONDS: i64 = 30;
