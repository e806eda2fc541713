//! Where the volumes of a pod may be mounted.

use std::collections::BTreeSet;

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{Row, Rule, obey, one_of};
use super::volumes::Volumes;

/// Checks the mounts and the devices of a container.
pub(super) fn check(container: &Place<'_>, volumes: &Volumes<'_>, faults: &mut Faults) {
    let mut paths = BTreeSet::new();
    for mount in container.each("volumeMounts") {
        obey(&mount, MOUNT, faults);
        let volume = volumes.get(mount.text("name"));
        faults.add_if(
            volume.is_none(),
            &mount.at("name"),
            "no volume has this name",
        );
        let path = mount.text("mountPath");
        let fault = "another mount has this path";
        faults.add_if(!paths.insert(path), &mount.at("mountPath"), fault);
        let both = !mount.text("subPath").is_empty() && !mount.text("subPathExpr").is_empty();
        let fault = "subPathExpr and subPath exclude each other";
        faults.add_if(both, &mount.at("subPathExpr"), fault);
        check_propagation(&mount, container, faults);
        check_options(&mount, volume, faults);
    }
    // A device is of a claim, and a static pod can have none.
    let fault = "a static pod has no persistentVolumeClaim for a device";
    faults.add_if(
        container.count("volumeDevices") > 0,
        &container.at("volumeDevices"),
        fault,
    );
}

fn check_propagation(mount: &Place<'_>, container: &Place<'_>, faults: &mut Faults) {
    let propagation = mount.given_text("mountPropagation");
    if propagation == Some("Bidirectional") {
        let context = container.inner_or_empty("securityContext");
        let fault = "Bidirectional is for privileged containers only";
        let path = mount.at("mountPropagation");
        faults.add_if(!context.flag("privileged"), &path, fault);
    }
    if matches!(
        mount.given_text("recursiveReadOnly"),
        Some("Enabled" | "IfPossible")
    ) {
        let path = mount.at("recursiveReadOnly");
        faults.add_if(!mount.flag("readOnly"), &path, "needs readOnly");
        let alone = propagation.is_none_or(|propagation| propagation == "None");
        faults.add_if(!alone, &path, "needs mountPropagation None");
    }
}

fn check_options(mount: &Place<'_>, volume: Option<&Place<'_>>, faults: &mut Faults) {
    const OPTIONS: &str = "bindMountOptions";
    let mut options = BTreeSet::new();
    for (index, option) in mount.texts(OPTIONS).enumerate() {
        let path = mount.at_index(OPTIONS, index);
        one_of(option, &["nodev", "noexec", "nosuid"], &path, faults);
        faults.add_if(!options.insert(option), &path, "is there twice");
    }
    let image = volume.is_some_and(|volume| volume.has("image"));
    let fault = "not with a volume of an image";
    faults.add_if(image && !options.is_empty(), &mount.at(OPTIONS), fault);
}

const MOUNT: &[Row] = &[
    ("name", Rule::Required),
    ("mountPath", Rule::Required),
    ("subPath", Rule::Is(Format::DescendingPath)),
    ("subPathExpr", Rule::Is(Format::DescendingPath)),
    (
        "mountPropagation",
        Rule::OneOf(&["Bidirectional", "HostToContainer", "None"]),
    ),
    (
        "recursiveReadOnly",
        Rule::OneOf(&["Disabled", "Enabled", "IfPossible"]),
    ),
];
