//! What containers and pods may ask for, and how it may be changed.

use std::collections::{BTreeMap, BTreeSet};

use podsapi_proto::json::Map;

use super::format::Format;
use super::place::{Faults, Place};
use super::quantity::Amount;
use super::rule::{REQUIRED, one_of};
use crate::tree;

/// Whose resources they are, which decides about their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Container,
    Pod,
}

/// Amounts by the names of what they are of.
type Amounts<'v> = BTreeMap<&'v str, Amount>;

/// Checks `limits` and `requests`.
pub(super) fn check(resources: &Place<'_>, owner: Owner, faults: &mut Faults) {
    let limits = amounts(resources, LIMITS);
    let requests = amounts(resources, REQUESTS);
    for (key, amounts) in [(LIMITS, &limits), (REQUESTS, &requests)] {
        check_amounts(resources, key, amounts, owner, faults);
    }
    for (name, request) in &requests {
        let path = resources.at_key(REQUESTS, name);
        match limits.get(name) {
            Some(limit) if request != limit && !may_be_overcommitted(name) => {
                faults.add(&path, "must be equal to the limit");
            }
            Some(limit) if request > limit => faults.add(&path, "must be at most the limit"),
            None if !may_be_overcommitted(name) => {
                faults.add(&resources.at_key(LIMITS, name), REQUIRED);
            }
            Some(_) | None => {}
        }
    }
    let named = |wanted: &dyn Fn(&str) -> bool| {
        let mut names = limits.keys().chain(requests.keys());
        names.any(|name| wanted(name))
    };
    let alone = named(&is_huge_pages) && !named(&|name| matches!(name, "cpu" | "memory"));
    faults.add_if(
        alone,
        resources.path(),
        "huge pages need cpu or memory beside them",
    );
    // They name claims of the pod, and a static pod can have none.
    if resources.count("claims") > 0 {
        faults.add(
            &resources.at("claims"),
            "a static pod has no resourceClaims to name",
        );
    }
}

/// Checks what a pod needs beside its containers.
pub(super) fn check_overhead(spec: &Place<'_>, faults: &mut Faults) {
    const OVERHEAD: &str = "overhead";
    let overhead = amounts(spec, OVERHEAD);
    check_amounts(spec, OVERHEAD, &overhead, Owner::Container, faults);
    let alone = overhead.keys().any(|name| is_huge_pages(name))
        && !overhead.contains_key("cpu")
        && !overhead.contains_key("memory");
    let fault = "huge pages need cpu or memory beside them";
    faults.add_if(alone, &spec.at(OVERHEAD), fault);
}

/// Checks what a pod asks for as a whole against what its containers ask for.
///
/// `given` is the spec as it was written: an empty list of claims counts here.
pub(super) fn check_pod(spec: &Place<'_>, given: &Map, faults: &mut Faults) {
    let Some(resources) = spec.inner("resources") else {
        return;
    };
    if spec
        .inner("os")
        .is_some_and(|os| os.text("name") == "windows")
    {
        return faults.add(resources.path(), "not in a pod of Windows");
    }
    check(&resources, Owner::Pod, faults);
    let claims = tree::inner(given, "resources").and_then(|given| tree::given(given, "claims"));
    faults.add_if(
        claims.is_some(),
        &resources.at("claims"),
        "not of a whole pod",
    );
    let of_pod = amounts(&resources, REQUESTS);
    for (name, sum) in sums(spec, REQUESTS) {
        if of_pod.get(name).is_some_and(|request| sum > *request) {
            let path = resources.at_key(REQUESTS, name);
            faults.add(
                &path,
                "must be at least what the containers request together",
            );
        }
    }
    let of_pod = amounts(&resources, LIMITS);
    for (name, sum) in sums(spec, LIMITS) {
        if is_huge_pages(name) && of_pod.get(name).is_some_and(|limit| sum > *limit) {
            let path = resources.at_key(LIMITS, name);
            faults.add(
                &path,
                "must be at least the limits of the containers together",
            );
        }
    }
    for container in spec.each("containers") {
        let resources = container.inner_or_empty("resources");
        for (name, limit) in amounts(&resources, LIMITS) {
            if of_pod.get(name).is_some_and(|most| limit > *most) {
                faults.add(
                    &resources.at_key(LIMITS, name),
                    "must be at most the pod's limit",
                );
            }
        }
    }
}

/// Checks what happens to a container whose resources are changed.
pub(super) fn check_resize_policy(container: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    let mut names = BTreeSet::new();
    for policy in container.each("resizePolicy") {
        let name = policy.text("resourceName");
        one_of(name, &["cpu", "memory"], &policy.at("resourceName"), faults);
        let fault = "another policy is for this resource";
        faults.add_if(!names.insert(name), &policy.at("resourceName"), fault);
        let restart = policy.text("restartPolicy");
        let path = policy.at("restartPolicy");
        one_of(restart, &["NotRequired", "RestartContainer"], &path, faults);
        if spec.text("restartPolicy") == "Never" && restart != "NotRequired" {
            faults.add(
                &path,
                "must be NotRequired in a pod that never restarts containers",
            );
        }
    }
}

fn check_amounts(
    resources: &Place<'_>,
    key: &str,
    amounts: &Amounts<'_>,
    owner: Owner,
    faults: &mut Faults,
) {
    for (name, amount) in amounts {
        let path = resources.at_key(key, name);
        let good = match owner {
            Owner::Container => is_for_containers(name),
            Owner::Pod => is_for_pods(name),
        };
        let fault = match owner {
            Owner::Container => {
                "no resource of containers: cpu, memory, ephemeral-storage, hugepages-SIZE or one \
                 with its domain and '/' in front"
            }
            Owner::Pod => "no resource of a whole pod: cpu, memory or hugepages-SIZE",
        };
        faults.add_if(!good, &path, fault);
        faults.add_if(amount.is_negative(), &path, "must be at least 0");
        if is_extended(name) {
            faults.add_if(!amount.is_whole(), &path, "must be a whole number");
        }
        if let Some(size) = name.strip_prefix(HUGE_PAGES) {
            let size = Amount::read(size);
            let good = size.is_some_and(|size| size.is_whole() && amount.is_multiple_of(size));
            faults.add_if(!good, &path, "must be a multiple of the size of a page");
        }
    }
}

fn amounts<'v>(place: &Place<'v>, key: &str) -> Amounts<'v> {
    let entries = place.entries(key).into_iter();
    entries
        .map(|(name, text)| (name, Amount::read(text).unwrap_or_default()))
        .collect()
}

/// Adds up what the containers of a pod need at most at one time.
///
/// Init containers run one after the other, beside those before them that stay.
fn sums<'v>(spec: &Place<'v>, key: &str) -> Amounts<'v> {
    let mut total = Amounts::new();
    for container in spec.each("containers") {
        add_all(
            &mut total,
            &amounts(&container.inner_or_empty("resources"), key),
        );
    }
    let mut staying = Amounts::new();
    let mut most = Amounts::new();
    for container in spec.each("initContainers") {
        let mut needs = amounts(&container.inner_or_empty("resources"), key);
        if container.text("restartPolicy") == "Always" {
            add_all(&mut total, &needs);
            add_all(&mut staying, &needs);
            needs.clone_from(&staying);
        } else {
            add_all(&mut needs, &staying);
        }
        raise_all(&mut most, &needs);
    }
    raise_all(&mut total, &most);
    total
}

fn add_all<'v>(to: &mut Amounts<'v>, more: &Amounts<'v>) {
    for (name, amount) in more {
        to.entry(name).or_default().add(*amount);
    }
}

fn raise_all<'v>(to: &mut Amounts<'v>, least: &Amounts<'v>) {
    for (name, amount) in least {
        let found = to.entry(name).or_default();
        *found = (*found).max(*amount);
    }
}

fn is_for_containers(name: &str) -> bool {
    if !Format::LabelKey.holds(name) {
        return false;
    }
    match name.contains('/') {
        true => is_native(name) || is_extended(name),
        false => OF_CONTAINERS.contains(&name) || is_huge_pages(name),
    }
}

fn is_for_pods(name: &str) -> bool {
    Format::LabelKey.holds(name) && (matches!(name, "cpu" | "memory") || is_huge_pages(name))
}

fn is_huge_pages(name: &str) -> bool {
    name.starts_with(HUGE_PAGES)
}

/// Whether a resource is one of Kubernetes itself.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Whether a resource is one that a device plugin may offer.
fn is_extended(name: &str) -> bool {
    const QUOTA: &str = "requests.";
    !is_native(name)
        && !name.starts_with(QUOTA)
        && Format::LabelKey.holds(&format!("{QUOTA}{name}"))
}

fn may_be_overcommitted(name: &str) -> bool {
    is_native(name) && !is_huge_pages(name)
}

const LIMITS: &str = "limits";
const REQUESTS: &str = "requests";
const HUGE_PAGES: &str = "hugepages-";
const OF_CONTAINERS: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
