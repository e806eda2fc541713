//! The checklist's lines against the tests that INDEX names for them.

use std::collections::BTreeSet;
use std::path::Path;

/// Number or case, file, test: one row a test.
const INDEX: &str = include_str!("INDEX");

/// Lines that no test of a server can hold.
const ABOUT_CLIENTS: [&str; 1] = ["65"];

#[test]
fn every_line_has_a_test_and_every_test_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = INDEX
        .lines()
        .filter(|row| !row.is_empty() && !row.starts_with('#'));
    let mut held = BTreeSet::new();
    for row in rows {
        let [line, file, test] = row.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{row:?} is no row");
        };
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        let is_there = ["fn ", "def ", "func "]
            .iter()
            .any(|word| text.contains(&format!("{word}{test}(")));
        assert!(is_there, "line {line}: {file} has no test {test}");
        held.insert(line);
    }
    let numbers = (1..=75).map(|number| number.to_string());
    for line in numbers.chain(["34a".to_owned()]) {
        let expected = !ABOUT_CLIENTS.contains(&line.as_str());
        assert_eq!(held.contains(line.as_str()), expected, "line {line}");
    }
}
