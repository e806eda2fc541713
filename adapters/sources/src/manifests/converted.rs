//! What the conversion between a kubelet's types and those of the API adds to a pod with its defaults.

use podsapi_proto::json::{Map, Value, rounded_quantity};

use crate::tree::{edit, edit_each, set_if_absent, set_if_zero};

/// Completes a pod as a kubelet serves it: with the objects that its types always have, and no list
/// of resources that is finer than a thousandth.
pub(crate) fn complete(pod: &mut Map) {
    edit(pod, "spec", complete_spec);
    edit(pod, "status", |status| {
        for list in [
            "initContainerStatuses",
            "containerStatuses",
            "ephemeralContainerStatuses",
        ] {
            edit_each(status, list, |container| {
                edit(container, "allocatedResources", round_up);
                edit(container, "resources", round_resources);
            });
        }
        edit(status, "allocatedResources", round_up);
        edit(status, "resources", round_resources);
    });
}

fn complete_spec(spec: &mut Map) {
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        edit_each(spec, list, |container| {
            set_if_absent(container, "resources", Map::new());
            edit(container, "resources", round_resources);
            edit_each(container, "env", |variable| {
                edit(variable, "valueFrom", complete_reference);
            });
        });
    }
    edit_each(spec, "volumes", |volume| {
        edit(volume, "downwardAPI", complete_items);
        edit(volume, "projected", |projected| {
            edit_each(projected, "sources", |source| {
                edit(source, "downwardAPI", complete_items);
            });
        });
        edit(volume, "ephemeral", |ephemeral| {
            edit(ephemeral, "volumeClaimTemplate", |template| {
                edit(template, "spec", |claim| {
                    edit(claim, "resources", round_resources);
                });
            });
        });
    });
    edit(spec, "overhead", round_up);
    edit(spec, "resources", round_resources);
}

fn complete_items(source: &mut Map) {
    edit_each(source, "items", complete_reference);
}

/// There is a divisor in every reference; zero means the default one.
fn complete_reference(origin: &mut Map) {
    edit(origin, "resourceFieldRef", |reference| {
        set_if_zero(reference, "divisor", "0");
    });
}

fn round_resources(resources: &mut Map) {
    edit(resources, "limits", round_up);
    edit(resources, "requests", round_up);
}

/// Rounds the quantities of a list of resources up to whole thousandths.
fn round_up(list: &mut Map) {
    let rounded = list.iter().map(|(resource, quantity)| {
        let text = match quantity {
            Value::String(text) => text.as_str(),
            Value::Number(number) => number.as_str(),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => "0",
        };
        // The schema has approved it.
        let rounded = rounded_quantity(text).unwrap_or_else(|| text.to_owned());
        (resource.to_owned(), Value::from(rounded))
    });
    *list = rounded.collect();
}
