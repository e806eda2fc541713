//! Manifests put to a kubelet's own code and to ours, with every difference counted by its name.
//!
//! The kubelet's code is the program that `tests/interop/manifests/build` builds; its path is in
//! `PODSAPI_KUBELET_MANIFESTS`. Longer runs by hand: `PODSAPI_ORACLE_CASES` is the number of made
//! cases, `PODSAPI_ORACLE_SEED` where they begin.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use podsapi_proto::json::{Value, decode_whole, parse_json, to_json};
use podsapi_proto::schema::Message;

use super::manifest::Manifest;
use super::validate;
use crate::tree::{edit, text};

mod cases;
mod generate;
mod rules;
mod wire;
mod words;

/// One manifest in a file.
#[derive(Debug)]
struct Case {
    /// What it shows, which is the name of its file, too.
    name: String,
    content: Vec<u8>,
}

impl Case {
    fn path(&self) -> String {
        format!("/m/{}", self.name.replace(' ', "-"))
    }
}

/// What the kubelet's code says of one case.
#[derive(Debug)]
struct Answer {
    error: String,
    uid: String,
    /// The pod with its defaults, unless it could not be decoded.
    pod: Option<Vec<u8>>,
}

/// How one case compares.
#[derive(Debug, PartialEq)]
enum Verdict {
    Equal,
    /// A difference that README names.
    Allowed(&'static str),
    Wrong(String),
}

/// Puts all cases to the kubelet's code; `None`, with a word about it, when there is none.
fn ask(cases: &[Case]) -> Option<Vec<Answer>> {
    let Ok(program) = std::env::var("PODSAPI_KUBELET_MANIFESTS") else {
        println!("SKIPPED the oracle of manifests: PODSAPI_KUBELET_MANIFESTS does not name it");
        return None;
    };
    Some(answers(&program, cases))
}

fn answers(program: &str, cases: &[Case]) -> Vec<Answer> {
    let mut program = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    let output = BufReader::new(program.stdout.take().unwrap());
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || {
            for case in cases {
                writeln!(input, "{NODE} {} {}", case.content.len(), case.path()).unwrap();
                input.write_all(&case.content).unwrap();
            }
        });
        let lines = output.lines();
        lines.map(|line| answer(&line.unwrap())).collect::<Vec<_>>()
    });
    assert!(program.wait().unwrap().success());
    assert_eq!(answers.len(), cases.len());
    answers
}

fn answer(line: &str) -> Answer {
    let line = parse_json(line.as_bytes()).unwrap();
    let map = line.as_map().unwrap();
    let pod = text(map, "pod");
    Answer {
        error: text(map, "error").to_owned(),
        uid: text(map, "uid").to_owned(),
        pod: (!pod.is_empty()).then(|| wire::base64(pod)),
    }
}

/// Says how what we make of a case compares with the kubelet's answer.
fn verdict(case: &Case, answer: &Answer) -> Verdict {
    let ours = Manifest::decode(&case.content, &case.path(), NODE);
    let Some(pod) = &answer.pod else {
        return match ours {
            Err(_) => Verdict::Equal,
            Ok(_) if is_escaped_quantity(case, answer) => {
                Verdict::Allowed("an escape in a quantity in JSON is read")
            }
            Ok(_) => Verdict::Wrong(format!("served, refused by a kubelet: {}", answer.error)),
        };
    };
    let ours = match ours {
        Ok(ours) => ours,
        Err(error) => {
            if let Some(rule) = refused_here(&error) {
                return Verdict::Allowed(rule);
            }
            return Verdict::Wrong(format!("refused, decoded by a kubelet: {error}"));
        }
    };
    let encoded = match ours.encode(0) {
        Ok(encoded) => encoded,
        Err(error) => return Verdict::Wrong(format!("cannot be encoded: {error}")),
    };
    let (found, expected) = (
        comparable(encoded.bytes(), &ours.uid().to_string()),
        comparable(pod, &answer.uid),
    );
    if found != expected {
        return Verdict::Wrong(difference("", &found, &expected));
    }
    if let Some(wrong) = wire::quantities_differ(encoded.bytes(), pod) {
        return Verdict::Wrong(wrong);
    }
    let faults = validate::check(ours.pod());
    match (answer.error.is_empty(), faults.is_empty()) {
        (true, true) | (false, false) => Verdict::Equal,
        (true, false) => Verdict::Wrong(format!("refused, run by a kubelet: {faults:?}")),
        (false, true) => Verdict::Wrong(format!("served, refused by a kubelet: {}", answer.error)),
    }
}

/// A kubelet looks at the text of a quantity in JSON as it is spelled, with its escapes.
fn is_escaped_quantity(case: &Case, answer: &Answer) -> bool {
    let about_quantity = answer.error.contains("quantities must match")
        || answer.error.contains("numeric part of quantity");
    about_quantity && case.content.starts_with(b"{") && case.content.contains(&b'\\')
}

/// What is refused here on purpose although a kubelet takes it, by the words of the refusal.
fn refused_here(error: &str) -> Option<&'static str> {
    REFUSED_HERE
        .iter()
        .find(|(words, _)| error.contains(words))
        .map(|(_, rule)| *rule)
}

/// Returns a pod as Go prints it, without what is known to differ: the UID that was made for it,
/// and the two annotations that a kubelet adds later.
fn comparable(pod: &[u8], uid: &str) -> Value {
    let mut pod = decode_whole(Message::POD, pod).unwrap();
    if let Value::Map(pod) = &mut pod {
        edit(pod, "metadata", |metadata| {
            assert_eq!(text(metadata, "uid"), uid);
            edit(metadata, "annotations", |annotations| {
                assert_eq!(text(annotations, "kubernetes.io/config.hash"), uid);
                for key in ["hash", "seen", "source"] {
                    annotations.remove(&format!("kubernetes.io/config.{key}"));
                }
            });
            if is_hash(uid) {
                metadata.remove("uid");
            }
        });
    }
    pod
}

fn is_hash(uid: &str) -> bool {
    uid.len() == 32 && uid.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names the first place at which two values differ.
fn difference(path: &str, found: &Value, expected: &Value) -> String {
    match (found, expected) {
        (Value::Map(found), Value::Map(expected)) => {
            let keys = found.iter().chain(expected.iter()).map(|(key, _)| key);
            for key in keys {
                let path = format!("{path}.{key}");
                match (found.get(key), expected.get(key)) {
                    (Some(found), Some(expected)) if found == expected => {}
                    (Some(found), Some(expected)) => return difference(&path, found, expected),
                    (Some(found), None) => {
                        return format!("{path}: {} is too much", to_json(found));
                    }
                    (None, expected) => {
                        let expected = expected.map(to_json).unwrap_or_default();
                        return format!("{path}: {expected} is missing");
                    }
                }
            }
        }
        (Value::List(found), Value::List(expected)) if found.len() == expected.len() => {
            for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
                if found != expected {
                    return difference(&format!("{path}[{index}]"), found, expected);
                }
            }
        }
        _ => {}
    }
    format!(
        "{path}: {}, in a kubelet {}",
        to_json(found),
        to_json(expected)
    )
}

/// Compares all cases, prints the figures under `title`, and fails with what differs.
fn compare(title: &str, cases: &[Case]) {
    let Some(answers) = ask(cases) else {
        return;
    };
    let mut allowed: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut equal, mut decoded, mut accepted, mut wrong) = (0, 0, 0, Vec::new());
    for (case, answer) in cases.iter().zip(&answers) {
        decoded += usize::from(answer.pod.is_some());
        accepted += usize::from(answer.error.is_empty());
        match verdict(case, answer) {
            Verdict::Equal => equal += 1,
            Verdict::Allowed(rule) => *allowed.entry(rule).or_default() += 1,
            Verdict::Wrong(difference) => wrong.push((case, difference)),
        }
    }
    let count = cases.len();
    println!();
    println!("oracle: {title}: {count} cases ({decoded} decoded, {accepted} run), {equal} equal");
    for (rule, count) in allowed {
        println!("oracle: {title}: {count} allowed: {rule}");
    }
    for (case, difference) in wrong.iter().take(SHOWN) {
        let content = String::from_utf8_lossy(&case.content);
        println!("=== {}: {difference}\n{content}\n", case.name);
    }
    assert!(wrong.is_empty(), "{} of {count} cases differ", wrong.len());
}

/// The number under a variable of the environment, or `usual`.
fn number(name: &str, usual: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(usual, |number| number.parse().unwrap())
}

#[test]
fn listed_manifests_are_what_they_are_in_a_kubelet() {
    compare("listed", &cases::all());
}

#[test]
fn made_manifests_are_what_they_are_in_a_kubelet() {
    let (seed, count) = (
        number("PODSAPI_ORACLE_SEED", 1),
        number("PODSAPI_ORACLE_CASES", 6_000),
    );
    compare(
        "made",
        &generate::all(seed, usize::try_from(count).unwrap()),
    );
}

/// UIDs are made anew when, and only when, a kubelet makes them anew, but that what is written and
/// changes nothing of the pod counts, too.
#[test]
fn one_uid_here_is_one_uid_in_a_kubelet() {
    let cases = generate::one_file(number("PODSAPI_ORACLE_SEED", 1), 1_000);
    let Some(answers) = ask(&cases) else {
        return;
    };
    let mut theirs: BTreeMap<String, &str> = BTreeMap::new();
    let mut ours: BTreeMap<&str, String> = BTreeMap::new();
    let (mut equal, mut finer) = (0, 0);
    for (case, answer) in cases.iter().zip(&answers) {
        let Ok(manifest) = Manifest::decode(&case.content, "/m/one", NODE) else {
            continue;
        };
        if answer.pod.is_none() {
            continue;
        }
        let uid = manifest.uid().to_string();
        let first = theirs.entry(uid.clone()).or_insert(&answer.uid);
        assert_eq!(
            *first,
            answer.uid,
            "{:?}",
            String::from_utf8_lossy(&case.content)
        );
        if *ours.entry(&answer.uid).or_insert_with(|| uid.clone()) == uid {
            equal += 1;
        } else {
            finer += 1;
        }
    }
    println!();
    println!("oracle: UIDs: {} cases, {equal} equal", equal + finer);
    println!("oracle: UIDs: {finer} allowed: of the file as it is written, not of the pod");
}

const NODE: &str = "node-a.example";

/// What this test prints of what is wrong.
const SHOWN: usize = 12;

/// Refusals by their words, each with the rule in README that names it.
const REFUSED_HERE: &[(&str, &str)] = &[
    (
        "a quantity below 10^21",
        "a decimal quantity of 10^21 and more",
    ),
    (
        "nested deeper than 100 levels",
        "nested deeper than 100 levels",
    ),
    (
        "expand to more than 10485760 bytes",
        "aliases of more than 10 MiB",
    ),
];
