//! Manifests put to a kubelet's own code and to ours, with every difference counted by its name.
//!
//! The kubelet's code is the program that `tests/interop/manifests/build` builds; its path is in
//! `PODSAPI_KUBELET_MANIFESTS`. Longer runs by hand: `PODSAPI_ORACLE_CASES` is the number of made
//! cases, `PODSAPI_ORACLE_SEED` where they begin. `PODSAPI_ORACLE_RELEASE=1.35` is for a program that is
//! linked with the code of that release, of which only the test of UIDs is right.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use podsapi_proto::json::{Value, decode_whole, parse_json, to_json};
use podsapi_proto::schema::Message;

use super::manifest::Manifest;
use super::uid::KubeletRelease;
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
    /// What the UID is a hash of, with node and path; nothing where the file names the UID.
    printed: String,
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
    let (pod, printed) = (text(map, "pod"), text(map, "printed"));
    Answer {
        printed: String::from_utf8_lossy(&wire::base64(printed)).into_owned(),
        error: text(map, "error").to_owned(),
        uid: text(map, "uid").to_owned(),
        pod: (!pod.is_empty()).then(|| wire::base64(pod)),
    }
}

/// Says how what we make of a case compares with the kubelet's answer.
fn verdict(case: &Case, answer: &Answer) -> Verdict {
    let ours = decode(case, KubeletRelease::NEWEST);
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
    if let Some(differs) = uid_differs(case, &ours, answer, KubeletRelease::NEWEST) {
        return differs;
    }
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

fn decode(case: &Case, release: KubeletRelease) -> Result<Manifest, String> {
    Manifest::decode(&case.content, case.path(), NODE, release)
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

/// Returns a pod as Go prints it, without the two annotations that a kubelet adds later.
fn comparable(pod: &[u8], uid: &str) -> Value {
    let mut pod = decode_whole(Message::POD, pod).unwrap();
    if let Value::Map(pod) = &mut pod {
        edit(pod, "metadata", |metadata| {
            assert_eq!(text(metadata, "uid"), uid);
            edit(metadata, "annotations", |annotations| {
                assert_eq!(text(annotations, "kubernetes.io/config.hash"), uid);
                for key in ["seen", "source"] {
                    annotations.remove(&format!("kubernetes.io/config.{key}"));
                }
            });
        });
    }
    pod
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

/// The hash and what it is of are those of a kubelet, in the release that the program is linked with.
#[test]
fn uids_are_those_of_a_kubelet() {
    let release = std::env::var("PODSAPI_ORACLE_RELEASE");
    let release = release.map_or(KubeletRelease::NEWEST, |text| text.parse().unwrap());
    let (seed, count) = (
        number("PODSAPI_ORACLE_SEED", 1),
        usize::try_from(number("PODSAPI_ORACLE_CASES", 1_000)).unwrap(),
    );
    let mut all = cases::all();
    all.extend(generate::all(seed, count));
    all.extend(generate::one_file(seed, count));
    let Some(answers) = ask(&all) else {
        return;
    };
    let (mut equal, mut given, mut allowed, mut wrong) = (0, 0, 0, Vec::new());
    for (case, answer) in all.iter().zip(&answers) {
        let Ok(ours) = decode(case, release) else {
            continue;
        };
        if answer.pod.is_none() {
            continue;
        }
        match uid_differs(case, &ours, answer, release) {
            Some(Verdict::Wrong(difference)) => wrong.push((case, difference)),
            Some(Verdict::Allowed(_) | Verdict::Equal) => allowed += 1,
            None if answer.printed.is_empty() => given += 1,
            None => equal += 1,
        }
    }
    println!();
    println!("oracle: UIDs {release}: {equal} equal, {given} named by the file, {allowed} allowed");
    for (case, difference) in wrong.iter().take(SHOWN) {
        let content = String::from_utf8_lossy(&case.content);
        println!("=== {}: {difference}\n{content}\n", case.name);
    }
    assert!(wrong.is_empty(), "{} cases differ", wrong.len());
    assert!(equal > count, "only {equal} cases were compared");
}

/// Says where the UID, or what it is a hash of, differs from a kubelet's.
fn uid_differs(
    case: &Case,
    ours: &Manifest,
    answer: &Answer,
    release: KubeletRelease,
) -> Option<Verdict> {
    let found = ours.printed(release).unwrap_or_default();
    let is_json = case.content.trim_ascii_start().starts_with(b"{");
    if found != answer.printed && is_json {
        let plain = without_former_ports(&answer.printed);
        if found == plain {
            let rule = "a port that JSON says twice, as a number and then as a text";
            return Some(Verdict::Allowed(rule));
        }
        if without_field_sets(&found) == without_field_sets(&plain) {
            return Some(Verdict::Allowed("managedFields in JSON with blanks"));
        }
    }
    if found != answer.printed {
        let both = found.char_indices().zip(answer.printed.chars());
        let first = both.into_iter().find(|((_, ours), theirs)| ours != theirs);
        let shorter = found.len().min(answer.printed.len());
        let at = first.map_or(shorter, |((at, _), _)| at);
        let around = |text: &str| {
            let from = text.floor_char_boundary(at.saturating_sub(80));
            let to = text.ceil_char_boundary((at + 120).min(text.len()));
            text.get(from..to).unwrap_or_default().to_owned()
        };
        return Some(Verdict::Wrong(format!(
            "hashed\n  {}\nin a kubelet\n  {}",
            around(&found),
            around(&answer.printed)
        )));
    }
    let uid = ours.uid();
    let wrong = || Verdict::Wrong(format!("UID {uid}, in a kubelet {}", answer.uid));
    (uid.as_str() != answer.uid).then(wrong)
}

/// Returns what was printed without the bytes of field sets.
fn without_field_sets(printed: &str) -> String {
    let mut parts = printed.split("Raw:([]uint8)[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once(']').map_or("", |(_, rest)| rest));
    }
    plain
}

/// Returns what a kubelet printed without the numbers that it keeps of ports that became texts.
fn without_former_ports(printed: &str) -> String {
    let mut parts = printed.split("(intstr.Type)1 IntVal:(int32)");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str("(intstr.Type)1 IntVal:(int32)0");
        plain.push_str(part.trim_start_matches(|sign: char| sign == '-' || sign.is_ascii_digit()));
    }
    plain
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
