//! Which items of the list are tested, and which of them are tested only as far as they can be yet.

use std::collections::{BTreeMap, BTreeSet};

/// The items of the list.
const ITEMS: std::ops::RangeInclusive<u32> = 1..=47;

/// Items of which a part is not shown yet, with the reason.
const IN_PART: [(u32, &str); 5] = [
    (
        27,
        "the source of local status is played by the test; the binary with a container runtime is \
         asked from Go, in tests/interop",
    ),
    (
        28,
        "the default path is compared, not bound: it needs a node's own folder; from Go, in \
         tests/interop, the binary gets one of its own",
    ),
    (
        32,
        "the pod is deleted by the source, not through an API server: there is no such source yet",
    ),
    (
        41,
        "the restart is that of a server in this process; that of the binary is tested with the \
         command line and from Go",
    ),
    (
        43,
        "a folder of manifests and a simulation have one node only; the API server, which has \
         many, is no source yet",
    ),
];

/// Every item has a test, and what is said to be tested in part is tested at all.
#[test]
fn every_item_of_the_list_has_a_test() {
    let tests = tests_by_item();
    let missing: Vec<_> = ITEMS.filter(|item| !tests.contains_key(item)).collect();
    assert!(missing.is_empty(), "items without a test: {missing:?}");
    let unknown: Vec<_> = tests.keys().filter(|item| !ITEMS.contains(item)).collect();
    assert!(unknown.is_empty(), "no such items: {unknown:?}");
    for (item, reason) in IN_PART {
        println!("item {item} in part: {reason}");
        assert!(tests.contains_key(&item), "item {item} has no test");
    }
}

/// Reads the names of the tests behind `/// Item 1.` and `/// Items 1, 2 and 3.`
fn tests_by_item() -> BTreeMap<u32, BTreeSet<String>> {
    let mut tests: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for source in SOURCES {
        let mut items = Vec::new();
        for line in source.lines() {
            if let Some(heading) = line.strip_prefix("/// Item") {
                let numbers = heading.split_once('.').map_or("", |(numbers, _)| numbers);
                let words = numbers.split(|letter: char| !letter.is_ascii_digit());
                items.extend(words.filter_map(|word| word.parse::<u32>().ok()));
            }
            if let Some(name) = line.strip_prefix("async fn ") {
                let name = name.split('(').next().unwrap_or(name);
                for item in items.drain(..) {
                    tests.entry(item).or_default().insert(name.to_owned());
                }
            }
        }
    }
    tests
}

const SOURCES: [&str; 8] = [
    include_str!("consumers.rs"),
    include_str!("counting.rs"),
    include_str!("events.rs"),
    include_str!("lifecycle.rs"),
    include_str!("local_status.rs"),
    include_str!("readiness.rs"),
    include_str!("reads.rs"),
    include_str!("static_pods.rs"),
];
