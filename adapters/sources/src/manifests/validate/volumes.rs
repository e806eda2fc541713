//! What a pod's volumes may be.
//!
//! Volumes that need an object of the API are refused as a whole (`references.rs`), so nothing is
//! said about what is in them.

use std::collections::BTreeMap;

use super::format::Format;
use super::place::{Faults, Place};
use super::rule::{FILE_MODE, OWNER_ID, Row, Rule, has_form, obey, required_form};
use super::sources::{self, SOURCES};
use super::{environment, references};

/// The volumes of a pod by their names.
#[derive(Debug, Default)]
pub(super) struct Volumes<'v>(BTreeMap<&'v str, Place<'v>>);

impl<'v> Volumes<'v> {
    /// Finds a volume by its name.
    pub(super) fn get(&self, name: &str) -> Option<&Place<'v>> {
        self.0.get(name)
    }
}

/// Checks the volumes of a pod, and returns them.
pub(super) fn check<'v>(spec: &Place<'v>, faults: &mut Faults) -> Volumes<'v> {
    let mut volumes = Volumes::default();
    for volume in spec.each("volumes") {
        let name = volume.text("name");
        let path = volume.at("name");
        required_form(name, Format::Label, &path, faults);
        check_source(&volume, faults);
        let other = volumes.0.insert(name, volume);
        faults.add_if(other.is_some(), &path, "another volume has this name");
    }
    volumes
}

fn check_source(volume: &Place<'_>, faults: &mut Faults) {
    let tabled = SOURCES.iter().map(|(key, _)| *key);
    let kinds = tabled.chain(references::VOLUMES.iter().map(|(key, _)| *key));
    let count = kinds.filter(|key| volume.has(key)).count();
    faults.add_if(count == 0, volume.path(), "a source is required");
    faults.add_if(count > 1, volume.path(), "has more than one source");
    for (kind, rows) in SOURCES {
        let Some(source) = volume.inner(kind) else {
            continue;
        };
        obey(&source, rows, faults);
        match *kind {
            "downwardAPI" => check_files(&source, &mut Vec::new(), faults),
            "projected" => check_projected(&source, faults),
            kind => sources::check(kind, &source, volume, faults),
        }
    }
}

/// Checks the files that say something of the pod; no two may have one path.
fn check_files<'v>(source: &Place<'v>, paths: &mut Vec<&'v str>, faults: &mut Faults) {
    for file in source.each("items") {
        obey(&file, FILE, faults);
        let path = file.text("path");
        has_form(path, Format::LocalPath, &file.at("path"), faults);
        match (file.inner("fieldRef"), file.inner("resourceFieldRef")) {
            (Some(_), Some(_)) => {
                faults.add(
                    file.path(),
                    "fieldRef and resourceFieldRef exclude each other",
                );
            }
            (Some(field), None) => {
                environment::field(&field, environment::FIELDS_OF_VOLUMES, faults);
            }
            (None, Some(resource)) => {
                obey(&resource, &[("containerName", Rule::Required)], faults);
                environment::resource(&resource, faults);
            }
            (None, None) => faults.add(file.path(), "fieldRef or resourceFieldRef is required"),
        }
        paths.push(path);
    }
}

fn check_projected(source: &Place<'_>, faults: &mut Faults) {
    let mut paths = Vec::new();
    for one in source.each("sources") {
        let others = references::PROJECTED.iter().filter(|(key, _)| one.has(key));
        let count = usize::from(one.has("downwardAPI")) + others.count();
        faults.add_if(count == 0, one.path(), "a source is required");
        faults.add_if(count > 1, one.path(), "has more than one source");
        if let Some(files) = one.inner("downwardAPI") {
            check_files(&files, &mut paths, faults);
        }
    }
    paths.retain(|path| !path.is_empty());
    let all = paths.len();
    paths.sort_unstable();
    paths.dedup();
    faults.add_if(
        paths.len() < all,
        &source.at("sources"),
        "two files have one path",
    );
}

const FILE: &[Row] = &[
    ("path", Rule::Required),
    ("mode", FILE_MODE),
    ("user", OWNER_ID),
];
/// When an image is pulled.
pub(super) const PULL_POLICIES: &[&str] = &["Always", "IfNotPresent", "Never"];
