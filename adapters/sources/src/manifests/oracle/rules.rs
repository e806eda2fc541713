//! The rules of validation put to a kubelet's own code: all listed changes, and good pods with
//! something changed at random.

use podsapi_proto::json::{Map, Value, parse_yaml, to_json};

use super::{Case, NODE, SHOWN, ask, number};
use crate::manifests::manifest::Manifest;
use crate::manifests::uid::KubeletRelease;
use crate::manifests::validate::listed;

#[test]
fn listed_changes_are_what_they_are_in_a_kubelet() {
    let cases: Vec<_> = listed::all()
        .map(|listed| Case {
            name: listed.change.chars().take(100).collect(),
            content: listed::manifest(listed.change).into_bytes(),
        })
        .collect();
    compare("changes of one pod", &cases);
}

#[test]
fn changed_pods_are_what_they_are_in_a_kubelet() {
    let pods = pods();
    let mut cases: Vec<_> = pods.iter().map(|pod| case("good", pod)).collect();
    let mut parts = Parts::default();
    for pod in &pods {
        parts.collect("", pod);
    }
    let mut random = Random(number("PODSAPI_ORACLE_SEED", 1));
    for _ in 0..number("PODSAPI_ORACLE_CASES", 4_000) {
        let mut pod = pods[random.below(pods.len())].clone();
        let mut name = String::new();
        for _ in 0..[1, 1, 1, 2, 3][random.below(5)] {
            name.push_str(&parts.change(&mut pod, &mut random));
        }
        cases.push(case(&name, &pod));
    }
    compare("changes of many pods", &cases);
}

/// Compares who takes which cases, prints the figures under `title`, and fails with what differs.
fn compare(title: &str, cases: &[Case]) {
    let Some(answers) = ask(cases) else {
        return;
    };
    let (mut taken, mut refused, mut wrong) = (0, 0, Vec::new());
    for (case, answer) in cases.iter().zip(&answers) {
        let ours = Manifest::read(&case.content, case.path(), NODE, KubeletRelease::NEWEST);
        match (ours, answer.error.is_empty()) {
            (Ok(_), true) => taken += 1,
            (Err(_), false) => refused += 1,
            (Ok(_), false) => {
                wrong.push((
                    case,
                    format!("served, refused by a kubelet: {}", answer.error),
                ));
            }
            (Err(error), true) => {
                wrong.push((case, format!("refused, run by a kubelet: {error}")));
            }
        }
    }
    let count = cases.len();
    println!("oracle: {title}: {count} cases, {taken} taken by both, {refused} refused by both");
    for (case, difference) in wrong.iter().take(SHOWN) {
        let content = String::from_utf8_lossy(&case.content);
        println!("=== {}: {difference}\n{content}\n", case.name);
    }
    assert!(wrong.is_empty(), "{} of {count} cases differ", wrong.len());
}

fn case(name: &str, pod: &Value) -> Case {
    Case {
        name: name.replace('\n', " "),
        content: to_json(pod).into_bytes(),
    }
}

/// Good pods that together have all fields that there are rules about.
fn pods() -> Vec<Value> {
    let mut pods = parse_yaml(include_bytes!("pods.yaml")).unwrap();
    for pod in &mut pods {
        if let Value::Map(pod) = pod {
            pod.push_front("kind".to_owned(), "Pod".into());
            pod.push_front("apiVersion".to_owned(), "v1".into());
        }
    }
    pods
}

/// Numbers that repeat with their seed (`splitmix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap();
        usize::try_from(self.next() % limit).unwrap()
    }
}

/// What all pods are made of.
#[derive(Default)]
struct Parts {
    texts: Vec<String>,
    /// The entries of all objects, each with the name of its object.
    entries: Vec<(String, String, Value)>,
}

impl Parts {
    fn collect(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) => self.texts.push(text.clone()),
            Value::List(list) => list.iter().for_each(|one| self.collect(name, one)),
            Value::Map(map) => {
                for (key, value) in map.iter() {
                    let entry = (name.to_owned(), key.to_owned(), value.clone());
                    self.entries.push(entry);
                    self.collect(key, value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Changes one place of a pod, and says where and how.
    fn change(&self, pod: &mut Value, random: &mut Random) -> String {
        let mut count = 0;
        each(pod, "", &mut |_, _| count += 1);
        let chosen = random.below(count);
        let mut said = String::new();
        let mut at = 0;
        each(pod, "", &mut |name, value| {
            if at == chosen {
                self.change_value(name, value, random);
                said = format!(
                    "{name} {};",
                    to_json(value).chars().take(60).collect::<String>()
                );
            }
            at += 1;
        });
        said
    }

    fn change_value(&self, name: &str, value: &mut Value, random: &mut Random) {
        match value {
            Value::Null => {}
            Value::Bool(flag) => *flag = !*flag,
            Value::Number(_) => {
                let numbers = NUMBERS.len();
                *value = Value::from(NUMBERS[random.below(numbers)]);
            }
            Value::String(text) => *text = self.text(text, random),
            Value::List(list) => match random.below(5) {
                0 => list.clear(),
                1 if !list.is_empty() => {
                    list.remove(random.below(list.len()));
                }
                2 | 3 if !list.is_empty() => {
                    let one = list[random.below(list.len())].clone();
                    list.push(one);
                }
                _ => list.push(Value::Null),
            },
            Value::Map(map) => match random.below(6) {
                0 => *map = Map::new(),
                1 | 2 if !map.is_empty() => {
                    let at = random.below(map.len());
                    let key = map.iter().nth(at).map(|(key, _)| key.to_owned());
                    map.remove(&key.unwrap());
                }
                3 if !map.is_empty() => {
                    let at = random.below(map.len());
                    let key = map.iter().nth(at).map(|(key, _)| key.to_owned());
                    let new = self.text(key.as_deref().unwrap(), random);
                    let value = map.remove(&key.unwrap()).unwrap();
                    map.set(&new, value);
                }
                _ => {
                    let alike: Vec<_> = self.entries.iter().filter(|one| one.0 == name).collect();
                    if !alike.is_empty() {
                        let (_, key, value) = alike[random.below(alike.len())];
                        map.set(key, value.clone());
                    }
                }
            },
        }
    }

    fn text(&self, text: &str, random: &mut Random) -> String {
        match random.below(8) {
            0..=2 => self.texts[random.below(self.texts.len())].clone(),
            3..=4 => {
                let count = TEXTS.len();
                TEXTS[random.below(count)].to_owned()
            }
            5 => {
                let length = LENGTHS[random.below(LENGTHS.len())];
                let repeated = if text.is_empty() { "a" } else { text };
                repeated.chars().cycle().take(length).collect()
            }
            6 => {
                let count = LETTERS.len();
                let letter = LETTERS[random.below(count)];
                let place = random.below(text.chars().count() + 1);
                let head: String = text.chars().take(place).collect();
                let tail: String = text.chars().skip(place).collect();
                format!("{head}{letter}{tail}")
            }
            _ => text.to_uppercase(),
        }
    }
}

/// Visits all values of a pod but its root, with the names of their fields.
fn each(value: &mut Value, name: &str, visit: &mut impl FnMut(&str, &mut Value)) {
    match value {
        Value::List(list) => {
            for one in list {
                visit(name, one);
                each(one, name, visit);
            }
        }
        Value::Map(map) => {
            let keys: Vec<_> = map.iter().map(|(key, _)| key.to_owned()).collect();
            for key in keys {
                if name.is_empty() && matches!(key.as_str(), "apiVersion" | "kind") {
                    continue;
                }
                let mut inner = map.get(&key).cloned().unwrap();
                visit(&key, &mut inner);
                each(&mut inner, &key, visit);
                map.set(&key, inner);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

const NUMBERS: [i64; 26] = [
    -2_147_483_648,
    -1,
    0,
    1,
    2,
    3,
    20,
    21,
    30,
    31,
    99,
    100,
    101,
    255,
    256,
    511,
    512,
    1023,
    1024,
    3599,
    3600,
    65_535,
    65_536,
    2_147_483_647,
    599,
    600,
];
const TEXTS: [&str; 40] = [
    "",
    "-",
    ".",
    "..",
    "/",
    "a",
    "A",
    "0",
    "1",
    "-1",
    "a.b",
    "a/b",
    "a.b/c",
    "/a",
    "../a",
    "a/../b",
    "..a",
    "a b",
    " a",
    "a ",
    "a_b",
    "a=b",
    "a:b",
    "é",
    "\t",
    "*",
    "null",
    "true",
    "127.0.0.1",
    "::1",
    "1m",
    "1Ki",
    "2",
    "500m",
    "1e3",
    "0.5",
    "-5",
    "localhost/a",
    "unconfined",
    "a--b",
];
const LENGTHS: [usize; 14] = [1, 2, 15, 16, 62, 63, 64, 65, 104, 105, 128, 129, 253, 254];
const LETTERS: [char; 16] = [
    '-', '.', '/', '_', ' ', ':', '=', 'A', 'z', '0', '\\', '\n', 'é', '\'', '[', '@',
];
