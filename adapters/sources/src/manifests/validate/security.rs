//! What a pod and its containers may be allowed.

use std::collections::{BTreeMap, BTreeSet};

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{OWNER_ID, REQUIRED, Row, Rule, between, has_form, obey, one_of, required_form};
use super::windows;

/// Checks the security context of a pod.
pub(super) fn check_pod(spec: &Place<'_>, faults: &mut Faults) {
    let context = spec.inner_or_empty(CONTEXT);
    obey(&context, POD, faults);
    for (index, group) in context.integers("supplementalGroups").enumerate() {
        let most = i64::from(i32::MAX);
        let path = context.at_index("supplementalGroups", index);
        faults.add_if(!(0..=most).contains(&group), &path, between(0, most));
    }
    check_sysctls(&context, spec, faults);
    check_profiles(&context, faults);
    let both = spec.flag("hostPID") && spec.flag("shareProcessNamespace");
    let fault = "shareProcessNamespace and hostPID exclude each other";
    faults.add_if(both, &spec.at("shareProcessNamespace"), fault);
}

/// Checks the security context of a container.
pub(super) fn check_container(container: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    let Some(context) = container.inner(CONTEXT) else {
        return;
    };
    obey(&context, CONTAINER, faults);
    check_profiles(&context, faults);
    let on_host = spec.given_flag("hostUsers") != Some(false);
    let unmasked = context.text("procMount") == "Unmasked";
    let fault = "Unmasked needs hostUsers false";
    faults.add_if(on_host && unmasked, &context.at("procMount"), fault);
    if context.given_flag("allowPrivilegeEscalation") == Some(false) {
        let path = context.at("allowPrivilegeEscalation");
        let fault = "must not be false in a privileged container";
        faults.add_if(context.flag("privileged"), &path, fault);
        let capabilities = context.inner_or_empty("capabilities");
        let administers = capabilities.texts("add").any(|one| one == "CAP_SYS_ADMIN");
        let fault = "must not be false with the capability CAP_SYS_ADMIN";
        faults.add_if(administers, &path, fault);
    }
}

fn check_profiles(context: &Place<'_>, faults: &mut Faults) {
    if let Some(options) = context.inner("windowsOptions") {
        windows::check_options(&options, faults);
    }
    if let Some(profile) = context.inner(SECCOMP) {
        check_profile(&profile, faults);
        if let Some(path) = profile.given_text(LOCALHOST_PROFILE) {
            has_form(
                path,
                Format::DescendingPath,
                &profile.at(LOCALHOST_PROFILE),
                faults,
            );
        }
    }
    if let Some(profile) = context.inner(APP_ARMOR) {
        check_profile(&profile, faults);
        if let Some(name) = profile.given_text(LOCALHOST_PROFILE) {
            let good = !name.is_empty() && name.trim() == name && name.len() <= LONGEST_PROFILE;
            let fault = "must be 1 to 4095 bytes and not begin or end with a blank";
            faults.add_if(!good, &profile.at(LOCALHOST_PROFILE), fault);
        }
    }
}

/// Checks that a profile is named if it is one of the node, and only then.
fn check_profile(profile: &Place<'_>, faults: &mut Faults) {
    let kind = profile.text("type");
    one_of(kind, PROFILE_TYPES, &profile.at("type"), faults);
    let path = profile.at(LOCALHOST_PROFILE);
    match (kind == "Localhost", profile.has(LOCALHOST_PROFILE)) {
        (true, false) => faults.add(&path, REQUIRED),
        (false, true) => faults.add(&path, "only with type Localhost"),
        (true, true) | (false, false) => {}
    }
}

fn check_sysctls(context: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    let mut names = BTreeSet::new();
    for sysctl in context.each("sysctls") {
        let name = sysctl.text("name");
        let path = sysctl.at("name");
        required_form(name, Format::Sysctl, &path, faults);
        faults.add_if(!names.insert(name), &path, "is there twice");
        let dotted = dotted(name);
        let network = spec.flag("hostNetwork") && dotted.starts_with("net.");
        faults.add_if(network, &path, "not in a pod on the host's network");
        let shared = IPC_SYSCTLS.contains(&dotted.as_str()) || dotted.starts_with("fs.mqueue.");
        let fault = "not in a pod with the host's inter-process communication";
        faults.add_if(spec.flag("hostIPC") && shared, &path, fault);
    }
}

/// A kernel parameter may be written with slashes; then a dot stands for a slash.
fn dotted(name: &str) -> String {
    if name.find(['.', '/']) != name.find('/') {
        return name.to_owned();
    }
    let swapped = name.chars().map(|letter| match letter {
        '.' => '/',
        '/' => '.',
        letter => letter,
    });
    swapped.collect()
}

/// Checks the annotations that were the security context before there was one.
pub(super) fn check_annotations(metadata: &Place<'_>, spec: &Place<'_>, faults: &mut Faults) {
    let mut containers: BTreeMap<&str, Vec<Place<'_>>> = BTreeMap::new();
    for list in ["initContainers", "containers"] {
        for container in spec.each(list) {
            let same = containers.entry(container.text("name"));
            same.or_default().push(container);
        }
    }
    let named = |name| containers.get(name).into_iter().flatten();
    let of_pod = spec.inner_or_empty(CONTEXT);
    let on_windows = spec.inner_or_empty("os").text("name") == "windows";
    for (key, value) in metadata.entries("annotations") {
        let path = metadata.at_key("annotations", key);
        if key == SECCOMP_OF_POD {
            check_annotated_seccomp(value, &path, faults);
            compare(
                of_pod.inner(SECCOMP),
                value,
                SECCOMP_DEFAULTS,
                &path,
                faults,
            );
        }
        if let Some(name) = key.strip_prefix(SECCOMP_OF_CONTAINER) {
            check_annotated_seccomp(value, &path, faults);
            for container in named(name) {
                let profile = container.inner_or_empty(CONTEXT).inner(SECCOMP);
                compare(profile, value, SECCOMP_DEFAULTS, &path, faults);
            }
        }
        if let Some(name) = key.strip_prefix(APP_ARMOR_OF_CONTAINER) {
            let known = matches!(value, "" | "runtime/default" | "unconfined");
            let good = known || value.starts_with(LOCALHOST);
            let fault = "must be runtime/default, unconfined or localhost/PROFILE";
            faults.add_if(!good, &path, fault);
            let mut found = false;
            for container in named(name) {
                found = true;
                let own = container.inner_or_empty(CONTEXT).inner(APP_ARMOR);
                let profile = own.or_else(|| of_pod.inner(APP_ARMOR));
                let profile = profile.filter(|_| !on_windows);
                compare(profile, value, &["runtime/default"], &path, faults);
            }
            faults.add_if(!found, &path, "no container has the name behind the '/'");
        }
    }
}

fn check_annotated_seccomp(value: &str, path: &str, faults: &mut Faults) {
    let local = value.strip_prefix(LOCALHOST);
    let good = match local {
        Some(file) => Format::DescendingPath.holds(file),
        None => value == "unconfined" || SECCOMP_DEFAULTS.contains(&value),
    };
    let fault = "must be runtime/default, unconfined or localhost/PATH without '..'";
    faults.add_if(!good, path, fault);
}

/// Checks that an annotation says the same as the field that came after it.
fn compare(
    profile: Option<Place<'_>>,
    value: &str,
    defaults: &[&str],
    path: &str,
    faults: &mut Faults,
) {
    let Some(profile) = profile else {
        return;
    };
    let same = match profile.text("type") {
        "Unconfined" => value == "unconfined",
        "RuntimeDefault" => defaults.contains(&value),
        "Localhost" => value
            .strip_prefix(LOCALHOST)
            .is_some_and(|name| profile.given_text(LOCALHOST_PROFILE) == Some(name)),
        _ => true,
    };
    faults.add_if(
        !same,
        path,
        format!("must say the same as {}", profile.path()),
    );
}

const CONTEXT: &str = "securityContext";
const SECCOMP: &str = "seccompProfile";
const APP_ARMOR: &str = "appArmorProfile";
const LOCALHOST_PROFILE: &str = "localhostProfile";
const PROFILE_TYPES: &[&str] = &["Localhost", "RuntimeDefault", "Unconfined"];
/// The longest path that Linux takes, without the byte at its end.
const LONGEST_PROFILE: usize = 4095;
const POD: &[Row] = &[
    ("fsGroup", OWNER_ID),
    ("runAsUser", OWNER_ID),
    ("runAsGroup", OWNER_ID),
    (
        "fsGroupChangePolicy",
        Rule::OneOf(&["Always", "OnRootMismatch"]),
    ),
    (
        "supplementalGroupsPolicy",
        Rule::OneOf(&["Merge", "Strict"]),
    ),
    (
        "seLinuxChangePolicy",
        Rule::OneOf(&["MountOption", "Recursive"]),
    ),
];
const CONTAINER: &[Row] = &[
    ("runAsUser", OWNER_ID),
    ("runAsGroup", OWNER_ID),
    ("procMount", Rule::OneOf(&["Default", "Unmasked"])),
];
const IPC_SYSCTLS: [&str; 10] = [
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.shm",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.msg",
];
const LOCALHOST: &str = "localhost/";
const SECCOMP_DEFAULTS: &[&str] = &["runtime/default", "docker/default"];
const SECCOMP_OF_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
const SECCOMP_OF_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
const APP_ARMOR_OF_CONTAINER: &str = "container.apparmor.security.beta.kubernetes.io/";
