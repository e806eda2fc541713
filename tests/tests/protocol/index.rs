//! The lines of the checklist, the attacks and the cases of other suites against the tests that INDEX
//! names for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Line or group; file; test: one row a test.
const INDEX: &str = include_str!("INDEX");

/// Lines that no test of a server can hold.
const ABOUT_CLIENTS: [&str; 1] = ["65"];

/// What stands in place of a test's name for an attack of the abuse suite, whose folder is named.
const ATTACK: &str = "attack";

/// The groups of the conformance suites that a server of gRPC gets, the last one case by case.
const GROUPS: [&str; 19] = [
    "basic",
    "errors",
    "duplicate-metadata",
    "deadline-propagation",
    "timeouts",
    "server-empty-requests",
    "server-message-size",
    "proto-sub-format",
    "unexpected-requests",
    "grpc-unexpected-requests/unary-no-request",
    "grpc-unexpected-requests/unary-multiple-requests",
    "grpc-unexpected-requests/server-stream-no-request",
    "grpc-unexpected-requests/server-stream-multiple-requests",
    "grpc-unexpected-requests/unexpected-verb",
    "grpc-unexpected-requests/unexpected-uri",
    "grpc-unexpected-requests/unexpected-codec",
    "grpc-unexpected-requests/unexpected-compression",
    "grpc-unexpected-requests/compressed-message-without-compression",
    "attacks",
];

#[test]
fn every_line_has_a_test_and_every_test_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = INDEX
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut texts = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut held = BTreeSet::new();
    for row in rows {
        let [line, file, test] = row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row:?} is no row");
        };
        assert!(seen.insert(row), "twice: {row}");
        let text = texts
            .entry(file)
            .or_insert_with(|| text_of(&root.join(file)));
        let is_there = match test {
            // A label begins with the attack's number.
            ATTACK => text.contains(&format!("\"{line} ")),
            _ if file.ends_with(".rs") => is_rust_test(text, test),
            _ if file.ends_with(".py") => is_python_test(text, test),
            _ => text.contains(&format!("\nfunc {test}(t *testing.T)")),
        };
        assert!(is_there, "line {line}: {file} has no test {test}");
        held.insert(line);
    }
    let lines = (1..=75).map(|number| number.to_string());
    let attacks = (1..=52).map(|number| format!("A{number}"));
    let due: BTreeSet<_> = lines
        .chain(["34a".to_owned()])
        .chain(attacks)
        .chain(GROUPS.map(str::to_owned))
        .filter(|line| !ABOUT_CLIENTS.contains(&line.as_str()))
        .collect();
    let held: BTreeSet<_> = held.into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = due.difference(&held).collect();
    assert!(missing.is_empty(), "without a test: {missing:?}");
    let unknown: Vec<_> = held.difference(&due).collect();
    assert!(unknown.is_empty(), "of no list: {unknown:?}");
}

/// Returns the text of a file, or of all files in a folder.
fn text_of(path: &Path) -> String {
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        let entries = std::fs::read_dir(path).expect("the folder can be read");
        files = entries
            .map(|entry| entry.expect("the folder can be read").path())
            .filter(|file| file.is_file())
            .collect::<Vec<PathBuf>>();
    }
    let texts = files.iter().map(std::fs::read_to_string);
    let text: Result<String, _> = texts.collect();
    text.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns whether a function of this name stands below an attribute that makes it a test, and below
/// none that keeps it from running.
fn is_rust_test(text: &str, name: &str) -> bool {
    let before = text
        .split_once(&format!(" {name}("))
        .filter(|(before, _)| before.ends_with("fn"))
        .map(|(before, _)| before);
    // Attributes and documentation stand together, behind an empty line or the beginning of a block.
    let lines = before.unwrap_or_default().lines().rev().skip(1);
    let attributes: Vec<_> = lines
        .map(str::trim)
        .take_while(|line| !line.is_empty() && !line.ends_with(['}', '{']))
        .collect();
    let has = |start: &str| attributes.iter().any(|line| line.starts_with(start));
    (has("#[test]") || has("#[tokio::test")) && !has("#[ignore") && !has("#[cfg")
}

/// Returns whether a method of this name is one that the runner finds, and is not skipped.
fn is_python_test(text: &str, name: &str) -> bool {
    let found = text.split_once(&format!("\n    def {name}(self)"));
    name.starts_with("test")
        && found.is_some_and(|(before, _)| {
            let above = before.lines().next_back().unwrap_or_default();
            !above.trim().starts_with('@')
        })
}

#[test]
fn what_does_not_run_is_no_test() {
    let is_test = |text: &str| is_rust_test(text, "it");
    for text in [
        "#[test]\nfn it() {",
        "}\n\n/// Why.\n#[tokio::test(start_paused = true)]\nasync fn it() {",
        "#[expect(\n    unused,\n    reason = \"so\"\n)]\n#[test]\n/// Why.\nfn it() {",
        "proptest! {\n    #[test]\n    fn it(\n        text in \".*\",\n    ) {",
    ] {
        assert!(is_test(text), "{text}");
    }
    for text in [
        "",
        "fn it() {",
        "#[test]\nfn other() {\n}\nfn it() {",
        "#[test]\nfn other() {\n}\n\nfn it() {",
        "#[test]\n#[ignore]\nfn it() {",
        "#[ignore = \"slow\"]\n#[tokio::test]\nasync fn it() {",
        "// #[test]\nfn it() {",
        "#[cfg(windows)]\n#[test]\nfn it() {",
        "#[test]\nfn it_too() {",
        "#[test]\nfn a() { it() }",
    ] {
        assert!(!is_test(text), "{text}");
    }
}
