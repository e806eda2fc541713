//! Compares the checked-in generated code with what the definitions and facts in `protos` give.
//!
//! `PODSAPI_REGENERATE=1 cargo test -p podsapi-proto --test regenerate` writes it instead.

#![cfg(test)]

mod checks;
mod descriptors;
mod messages;
mod rust;
mod table;
mod texts;

use std::fs;
use std::path::{Path, PathBuf};

/// The first line of every generated file.
const HEADER: &str = "//! Generated from `protos` by the test `regenerate`; not edited by hand.\n";

#[test]
fn the_checked_in_prost_modules_are_what_the_definitions_give() {
    for (file, text) in rust::modules() {
        compare(&format!("src/generated/{file}.rs"), &text);
    }
}

#[test]
fn the_checked_in_schema_table_is_what_the_definitions_and_go_tags_give() {
    compare("src/schema_pod.rs", &table::text(&messages::pod_closure()));
}

#[test]
fn the_checked_in_list_of_texts_is_what_the_definitions_give() {
    compare("src/generated/texts.rs", &texts::text());
}

#[test]
fn the_checked_in_descriptors_are_what_the_definitions_give() {
    let name = "src/generated/descriptors.bin";
    let expected = descriptors::bytes();
    if regenerates() {
        fs::write(root().join(name), &expected).unwrap();
        return;
    }
    let found = fs::read(root().join(name)).unwrap_or_default();
    assert!(
        found == expected,
        "{name} differs ({} bytes, {} expected); run the test with PODSAPI_REGENERATE=1 and commit",
        found.len(),
        expected.len()
    );
    assert!(found.len() < 128 << 10, "{} bytes", found.len());
}

fn compare(name: &str, expected: &str) {
    let path = root().join(name);
    if regenerates() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, expected).unwrap();
        return;
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let differs = found
        .lines()
        .zip(expected.lines())
        .position(|(a, b)| a != b);
    let line = differs.unwrap_or_else(|| found.lines().count().min(expected.lines().count())) + 1;
    assert!(
        found == expected,
        "{name} differs from line {line}; run the test with PODSAPI_REGENERATE=1 and commit"
    );
}

fn regenerates() -> bool {
    std::env::var_os("PODSAPI_REGENERATE").is_some()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Compiles definitions, named relative to `protos`, with all that they import.
fn compile(files: &[&str], comments: bool) -> prost_types::FileDescriptorSet {
    let mut compiler = protox::Compiler::new([root().join("protos")]).unwrap();
    compiler.include_imports(true).include_source_info(comments);
    compiler
        .open_files(files)
        .unwrap_or_else(|error| panic!("{error:?}"));
    compiler.file_descriptor_set()
}
