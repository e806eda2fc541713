//! What the containers of a pod may be.

use std::collections::BTreeSet;

use super::format::Format;
use super::place::{Faults, Place};
use super::resources::{self, Owner};
use super::rule::{Row, Rule, obey};
use super::volumes::{PULL_POLICIES, Volumes};
use super::{environment, mounts, ports, probes, security};

/// Checks the containers and the init containers of a pod.
pub(super) fn check<'v>(spec: &Place<'v>, volumes: &Volumes<'v>, faults: &mut Faults) {
    let mut names = BTreeSet::new();
    let containers = spec.each("containers");
    let fault = "at least one is required";
    faults.add_if(containers.is_empty(), &spec.at("containers"), fault);
    for container in &containers {
        check_one(container, spec, volumes, &mut names, faults);
        check_restart_rules(container, faults);
        probes::check(container, spec, faults);
    }
    ports::check_host_ports(&containers, faults);
    for container in spec.each("initContainers") {
        check_one(&container, spec, volumes, &mut names, faults);
        check_restart_rules(&container, faults);
        if container.text("restartPolicy") == "Always" {
            probes::check(&container, spec, faults);
        } else {
            check_passing(&container, faults);
        }
        // They run one after the other, so each may have the ports of the others.
        ports::check_host_ports(&[container], faults);
    }
}

/// Checks what is true of all containers.
fn check_one<'v>(
    container: &Place<'v>,
    spec: &Place<'_>,
    volumes: &Volumes<'v>,
    names: &mut BTreeSet<&'v str>,
    faults: &mut Faults,
) {
    obey(container, CONTAINER, faults);
    let name = container.text("name");
    let fault = "another container has this name";
    faults.add_if(!names.insert(name), &container.at("name"), fault);
    let image = container.text("image");
    let fault = "must not begin or end with a blank";
    faults.add_if(image.trim() != image, &container.at("image"), fault);
    ports::check(container, faults);
    environment::check(container, volumes, faults);
    mounts::check(container, volumes, faults);
    let of_container = container.inner_or_empty("resources");
    resources::check(&of_container, Owner::Container, faults);
    resources::check_resize_policy(container, spec, faults);
    security::check_container(container, spec, faults);
}

/// Checks when a container starts again.
fn check_restart_rules(container: &Place<'_>, faults: &mut Faults) {
    let rules = container.each("restartPolicyRules");
    let without = !rules.is_empty() && !container.has("restartPolicy");
    faults.add_if(
        without,
        &container.at("restartPolicy"),
        "required with restartPolicyRules",
    );
    let fault = "must be at most 20";
    faults.add_if(
        rules.len() > MOST_RULES,
        &container.at("restartPolicyRules"),
        fault,
    );
    for rule in rules {
        obey(&rule, RESTART_RULE, faults);
        match rule.inner("exitCodes") {
            Some(codes) => {
                obey(&codes, EXIT_CODES, faults);
                let many = codes.count("values") > MOST_EXIT_CODES;
                faults.add_if(many, &codes.at("values"), "must be at most 255");
            }
            None => faults.add(&rule.at("exitCodes"), "required"),
        }
    }
}

/// Checks an init container that ends before others start.
fn check_passing(container: &Place<'_>, faults: &mut Faults) {
    for key in [
        "lifecycle",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
    ] {
        let fault = "not in an init container without restartPolicy Always";
        faults.add_if(container.has(key), &container.at(key), fault);
    }
    for policy in container.each("resizePolicy") {
        let restarts = policy.text("restartPolicy") == "RestartContainer";
        let fault = "must be NotRequired in an init container without restartPolicy Always";
        faults.add_if(restarts, &policy.at("restartPolicy"), fault);
    }
}

const CONTAINER: &[Row] = &[
    ("name", Rule::RequiredIs(Format::Label)),
    ("image", Rule::Required),
    ("imagePullPolicy", Rule::Choice(PULL_POLICIES)),
    (
        "terminationMessagePolicy",
        Rule::Choice(&["File", "FallbackToLogsOnError"]),
    ),
    (
        "restartPolicy",
        Rule::OneOf(&["Always", "Never", "OnFailure"]),
    ),
];
const RESTART_RULE: &[Row] = &[("action", Rule::Choice(&["Restart", "RestartAllContainers"]))];
const EXIT_CODES: &[Row] = &[("operator", Rule::Choice(&["In", "NotIn"]))];
const MOST_RULES: usize = 20;
const MOST_EXIT_CODES: usize = 255;
