//! How a pod is named in the network, and what names it can resolve.

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{REQUIRED, Row, Rule, has_form, obey};

/// Checks names, DNS and what the pod shares with its node.
pub(super) fn check(spec: &Place<'_>, faults: &mut Faults) {
    obey(spec, NAMES, faults);
    check_override(spec, faults);
    check_dns(spec, faults);
    for alias in spec.each("hostAliases") {
        has_form(alias.text("ip"), Format::Ip, &alias.at("ip"), faults);
        for (index, name) in alias.texts("hostnames").enumerate() {
            has_form(
                name,
                Format::Subdomain,
                &alias.at_index("hostnames", index),
                faults,
            );
        }
    }
    if spec.given_flag("hostUsers") == Some(false) {
        for key in ["hostNetwork", "hostPID", "hostIPC"] {
            faults.add_if(spec.flag(key), &spec.at(key), "not with hostUsers false");
        }
    }
}

fn check_override(spec: &Place<'_>, faults: &mut Faults) {
    const OVERRIDE: &str = "hostnameOverride";
    let Some(name) = spec.given_text(OVERRIDE) else {
        return;
    };
    let path = spec.at(OVERRIDE);
    has_form(name, Format::Subdomain, &path, faults);
    faults.add_if(
        name.len() > LONGEST_HOST_NAME,
        &path,
        "must be at most 64 characters",
    );
    for key in ["hostNetwork", "setHostnameAsFQDN"] {
        faults.add_if(spec.flag(key), &path, format!("not with {key}"));
    }
}

fn check_dns(spec: &Place<'_>, faults: &mut Faults) {
    let config = spec.inner_or_empty("dnsConfig");
    let servers = config.at("nameservers");
    let count = config.count("nameservers");
    let none = spec.text("dnsPolicy") == "None" && count == 0;
    faults.add_if(none, &servers, format!("{REQUIRED} when dnsPolicy is None"));
    faults.add_if(count > MOST_SERVERS, &servers, "must be at most 3");
    for (index, server) in config.texts("nameservers").enumerate() {
        has_form(
            server,
            Format::Ip,
            &config.at_index("nameservers", index),
            faults,
        );
    }
    let searches = config.count("searches");
    faults.add_if(
        searches > MOST_SEARCHES,
        &config.at("searches"),
        "must be at most 32",
    );
    // With a space between each two.
    let bytes: usize = config
        .texts("searches")
        .map(|search| search.len() + 1)
        .sum();
    let fault = "must be at most 2048 bytes together, with a space between each two";
    faults.add_if(bytes > MOST_SEARCH_BYTES + 1, &config.at("searches"), fault);
    for (index, search) in config.texts("searches").enumerate() {
        if search != "." {
            let search = search.strip_suffix('.').unwrap_or(search);
            let path = config.at_index("searches", index);
            has_form(search, Format::SubdomainWithUnderscore, &path, faults);
        }
    }
    for option in config.each("options") {
        obey(&option, &[("name", Rule::Required)], faults);
    }
}

const NAMES: &[Row] = &[
    ("hostname", Rule::Is(Format::Label)),
    ("subdomain", Rule::Is(Format::Label)),
    (
        "dnsPolicy",
        Rule::Choice(&["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"]),
    ),
];
const LONGEST_HOST_NAME: usize = 64;
/// What the resolver of the C library takes.
const MOST_SERVERS: usize = 3;
const MOST_SEARCHES: usize = 32;
const MOST_SEARCH_BYTES: usize = 2048;
