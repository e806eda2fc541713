//! What kubelets before 1.37 make of a pod with its defaults that those of 1.37 do not.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use podsapi_proto::json::{Map, Value};

use super::KubeletRelease;
use super::quantity::Quantity;
use crate::tree::{edit, edit_or_insert, inner, objects, text};

/// Changes a pod as this release does.
pub(super) fn adjust(pod: &mut Map, release: KubeletRelease) {
    if release.minor() >= 37 {
        return;
    }
    edit(pod, "metadata", |metadata| {
        edit(metadata, "annotations", |annotations| {
            for name in INIT_CONTAINERS {
                annotations.remove(name);
            }
        });
    });
    // The feature PodLevelResources is on since 1.34, and 1.37 leaves its defaults to the server.
    if release.minor() >= 34 {
        edit(pod, "spec", fill_pod_resources);
    }
}

type Amounts = BTreeMap<String, Quantity>;

/// Completes the resources of a pod that says some of them by those of its containers.
fn fill_pod_resources(spec: &mut Map) {
    let Some(given) = inner(spec, "resources") else {
        return;
    };
    let (mut limits, mut requests) = (amounts(given, "limits"), amounts(given, "requests"));
    let (no_limits, no_requests) = (limits.is_empty(), requests.is_empty());
    if no_limits && no_requests {
        return;
    }
    for (resource, quantity) in of_containers(spec, "limits") {
        if is_huge_pages(&resource) && !requests.contains_key(&resource) {
            limits.entry(resource).or_insert(quantity);
        }
    }
    if !limits.is_empty() {
        for (resource, quantity) in of_containers(spec, "requests") {
            if matches!(&*resource, "cpu" | "memory") {
                requests.entry(resource).or_insert(quantity);
            }
        }
        for (resource, quantity) in &limits {
            if matches!(&**resource, "cpu" | "memory") || is_huge_pages(resource) {
                let entry = requests.entry(resource.clone());
                entry.or_insert_with(|| quantity.clone());
            }
        }
    }
    edit(spec, "resources", |resources| {
        for (list, amounts) in [("limits", limits), ("requests", requests)] {
            if amounts.is_empty() {
                continue;
            }
            edit_or_insert(resources, list, |list| {
                for (resource, quantity) in amounts {
                    if list.get(&resource).is_none() {
                        list.set(&resource, Value::from(quantity.spell()));
                    }
                }
            });
        }
    });
}

/// Sums up what the containers of a pod need at the same time.
fn of_containers(spec: &Map, list: &str) -> Amounts {
    let mut sum = Amounts::new();
    for (_, container) in objects(spec, "containers") {
        add(&mut sum, &of_container(container, list));
    }
    let (mut beside, mut most) = (Amounts::new(), Amounts::new());
    for (_, container) in objects(spec, "initContainers") {
        let own = of_container(container, list);
        if text(container, "restartPolicy") == "Always" {
            add(&mut sum, &own);
            add(&mut beside, &own);
            raise(&mut most, &beside);
        } else {
            let mut together = own;
            add(&mut together, &beside);
            raise(&mut most, &together);
        }
    }
    raise(&mut sum, &most);
    sum
}

fn of_container(container: &Map, list: &str) -> Amounts {
    inner(container, "resources").map_or_else(Amounts::new, |resources| amounts(resources, list))
}

fn amounts(resources: &Map, list: &str) -> Amounts {
    let entries = inner(resources, list).into_iter().flat_map(Map::iter);
    let read = entries.map(|(resource, quantity)| {
        let text = match quantity {
            Value::String(text) => text,
            Value::Number(number) => number.as_str(),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => "",
        };
        (resource.to_owned(), Quantity::read(text))
    });
    read.collect()
}

fn add(sum: &mut Amounts, more: &Amounts) {
    for (resource, quantity) in more {
        match sum.get_mut(resource) {
            Some(sum) => sum.add(quantity),
            None => drop(sum.insert(resource.clone(), quantity.clone())),
        }
    }
}

fn raise(most: &mut Amounts, other: &Amounts) {
    for (resource, quantity) in other {
        let mut quantity = quantity.clone();
        match most.get_mut(resource) {
            Some(most) => {
                if quantity.compare(most) == Ordering::Greater {
                    *most = quantity;
                }
            }
            None => drop(most.insert(resource.clone(), quantity)),
        }
    }
}

fn is_huge_pages(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// Annotations in which init containers once stood.
const INIT_CONTAINERS: [&str; 4] = [
    "pod.alpha.kubernetes.io/init-container-statuses",
    "pod.alpha.kubernetes.io/init-containers",
    "pod.beta.kubernetes.io/init-container-statuses",
    "pod.beta.kubernetes.io/init-containers",
];
