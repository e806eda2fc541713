//! What the ports of containers may be.

use std::collections::BTreeSet;

use podsapi_proto::json::Value;

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{REQUIRED, Row, Rule, between, has_form, obey};

/// Checks the ports of a container.
pub(super) fn check(container: &Place<'_>, faults: &mut Faults) {
    let mut names = BTreeSet::new();
    for port in container.each("ports") {
        obey(&port, PORT, faults);
        let name = port.text("name");
        if !name.is_empty() {
            let fault = "another port has this name";
            faults.add_if(!names.insert(name), &port.at("name"), fault);
        }
        match port.integer("containerPort").unwrap_or_default() {
            0 => faults.add(
                &port.at("containerPort"),
                format!("{REQUIRED}, 1 to {LAST}"),
            ),
            number => check_number(number, &port.at("containerPort"), faults),
        }
        match port.integer("hostPort").unwrap_or_default() {
            0 => {}
            number => check_number(number, &port.at("hostPort"), faults),
        }
    }
}

/// Checks that no two containers that run at one time want one port of the node.
pub(super) fn check_host_ports(containers: &[Place<'_>], faults: &mut Faults) {
    let mut taken = BTreeSet::new();
    for port in containers
        .iter()
        .flat_map(|container| container.each("ports"))
    {
        let number = port.integer("hostPort").unwrap_or_default();
        let wanted = (port.text("protocol"), port.text("hostIP"), number);
        if number == 0 {
            continue;
        }
        let fault = "another port has it";
        faults.add_if(!taken.insert(wanted), &port.at("hostPort"), fault);
    }
}

/// Checks that the ports of a pod on the node's network are the node's.
pub(super) fn check_host_network(spec: &Place<'_>, faults: &mut Faults) {
    if !spec.flag("hostNetwork") {
        return;
    }
    for container in spec.each("containers") {
        for port in container.each("ports") {
            let number = |key| port.integer(key).unwrap_or_default();
            let differ = number("hostPort") != number("containerPort");
            let fault = "must equal containerPort in a pod on the host's network";
            faults.add_if(differ, &port.at("hostPort"), fault);
        }
    }
}

/// Checks the port that a handler connects to: its number or its name.
pub(super) fn check_target(place: &Place<'_>, key: &str, faults: &mut Faults) {
    let path = place.at(key);
    match place.value(key) {
        Some(Value::String(name)) => has_form(name, Format::PortName, &path, faults),
        Some(Value::Number(number)) => {
            check_number(number.as_i64().unwrap_or_default(), &path, faults);
        }
        None | Some(Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_)) => {
            check_number(0, &path, faults);
        }
    }
}

fn check_number(number: i64, path: &str, faults: &mut Faults) {
    faults.add_if(!(1..=LAST).contains(&number), path, between(1, LAST));
}

const PORT: &[Row] = &[
    ("name", Rule::Is(Format::PortName)),
    ("protocol", Rule::Choice(&["TCP", "UDP", "SCTP"])),
];
const LAST: i64 = 65_535;
