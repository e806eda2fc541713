//! Manifests made at random: pods of the whole schema, and faults in texts written by hand.

use podsapi_proto::json::{Map, Number, Value, to_json, to_json_pretty, to_yaml};
use podsapi_proto::schema::{Field, Kind, Message, Opaque, Shape};

use super::words::{list, one};
use super::{Case, cases};
use crate::mangled;
use crate::simulated::random::Random;

/// Returns `count` cases of all kinds; the same seed makes the same cases.
pub(super) fn all(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let written = mangled::variants(cases::WRITTEN, count.max(1));
    let mut written = written.skip(usize::try_from(seed % 7).unwrap());
    let make = |index: usize| {
        let (kind, content) = match index % 6 {
            0 => ("pod in JSON", json(&pod(&mut random), &mut random)),
            1 => ("pod in YAML", to_yaml(&pod(&mut random)).into_bytes()),
            2 => ("pod by hand", by_hand(&pod(&mut random), &mut random)),
            3 => ("mangled", written.next().unwrap_or_default()),
            4 => ("edited", edited(&mut random)),
            _ => ("values", valued(&mut random)),
        };
        Case {
            name: format!("{kind} {seed}.{index}"),
            content,
        }
    };
    (0..count).map(make).collect()
}

/// Returns versions of one file that differ a little.
pub(super) fn one_file(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random::new(seed);
    let make = |_| {
        let mut lines: Vec<&str> = cases::WRITTEN[0].lines().collect();
        for _ in 0..random.below(3) {
            let line = one("added", &mut random);
            lines.push(line);
        }
        Case {
            name: "one".to_owned(),
            content: lines.join("\n").into_bytes(),
        }
    };
    (0..count).map(make).collect()
}

/// Makes a pod that is whole enough to be decoded, with anything that the schema knows.
fn pod(random: &mut Random) -> Value {
    let mut pod = message(Message::POD, 0, random);
    pod.set("apiVersion", Value::from("v1"));
    pod.set("kind", Value::from("Pod"));
    let mut metadata = match pod.get("metadata") {
        Some(Value::Map(metadata)) => metadata.clone(),
        _ => Map::new(),
    };
    metadata.set("name", Value::from("web"));
    pod.set("metadata", Value::Map(metadata));
    if random.chance(20) {
        pod = wounded(&Value::Map(pod), random);
    }
    Value::Map(pod)
}

/// Puts something that does not fit somewhere into a pod.
fn wounded(pod: &Value, random: &mut Random) -> Map {
    fn wound(value: &Value, depth: usize, random: &mut Random) -> Value {
        if depth == 0 || random.chance(25) {
            return odd(random);
        }
        match value {
            Value::Map(map) if !map.is_empty() => {
                let at = random.below(map.len());
                let entries = map.iter().enumerate().map(|(index, (key, value))| {
                    let value = if index == at {
                        wound(value, depth - 1, random)
                    } else {
                        value.clone()
                    };
                    (key.to_owned(), value)
                });
                Value::Map(entries.collect())
            }
            Value::List(list) if !list.is_empty() => {
                let at = random.below(list.len());
                let items = list.iter().enumerate().map(|(index, value)| {
                    if index == at {
                        wound(value, depth - 1, random)
                    } else {
                        value.clone()
                    }
                });
                Value::List(items.collect())
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_) => odd(random),
        }
    }
    let keys = ["spec", "metadata", "status"];
    let key = *random.choose(&keys).unwrap();
    let mut map = pod.as_map().unwrap().clone();
    if let Some(value) = map.get(key) {
        let value = wound(&value.clone(), 6, random);
        map.set(key, value);
    }
    map
}

fn odd(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Null,
        1 => Value::from(true),
        2 => Value::Number(Number::new(one("numbers", random)).unwrap()),
        3 => Value::from(one("texts", random)),
        4 => Value::List(Vec::new()),
        5 => Value::Map(Map::new()),
        6 => Value::List(vec![Value::Null]),
        _ => Value::Map([("key".to_owned(), Value::Null)].into_iter().collect()),
    }
}

fn message(message: Message, depth: usize, random: &mut Random) -> Map {
    let mut map = Map::new();
    for field in message.fields() {
        if field.is_tombstone() {
            continue;
        }
        if field.is_hop() {
            if let Some(inner) = field.message() {
                // Of an embedded struct mostly one field is given.
                let fields: Vec<Field> = inner.fields().collect();
                for _ in 0..=usize::from(random.chance(5)) {
                    let Some(field) = random.choose(&fields) else {
                        continue;
                    };
                    if !field.is_tombstone() {
                        let value = shaped(*field, depth + 1, random);
                        map.set(field.name(), value);
                    }
                }
            }
            continue;
        }
        let percent = match (depth, field.name()) {
            (0, "spec" | "metadata") | (1, "containers") => 95,
            (0, _) => 20,
            (_, "resources" | "name" | "image" | "volumes") => 60,
            (1, _) => 15,
            (2, _) => 25,
            _ => 40,
        };
        if random.chance(percent) {
            map.set(field.name(), shaped(field, depth + 1, random));
        }
    }
    if random.chance(2) {
        map.set("unknownField", odd(random));
    }
    map
}

fn shaped(field: Field, depth: usize, random: &mut Random) -> Value {
    if random.chance(2) {
        return Value::Null;
    }
    let count = if depth > 6 { 0 } else { random.below(3) };
    match field.shape() {
        Shape::Singular => single(field, depth, random),
        Shape::Repeated => Value::List((0..count).map(|_| single(field, depth, random)).collect()),
        Shape::Map => {
            let mut map = Map::new();
            for _ in 0..count {
                let key = one("keys", random);
                map.set(key, single(field, depth, random));
            }
            Value::Map(map)
        }
    }
}

fn single(field: Field, depth: usize, random: &mut Random) -> Value {
    if random.chance(1) {
        return Value::Null;
    }
    match field.kind() {
        Kind::Bool => Value::from(random.chance(50)),
        Kind::Int32 | Kind::Int64 => {
            let number = random.choose(&[0, 0, 1, -1, 30, 420, 8080, 65_535, 2_147_483_647]);
            Value::from(number.copied().unwrap_or(0))
        }
        Kind::String | Kind::Bytes => Value::from(string(field.name(), random)),
        Kind::Message(inner) => match inner.opaque() {
            Some(Opaque::Time) if random.chance(95) => Value::from(list("times")[random.below(7)]),
            Some(Opaque::Time) => Value::from(one("times", random)),
            Some(Opaque::Quantity) if random.chance(95) => Value::from(one("amounts", random)),
            Some(Opaque::Quantity) => quantity(random),
            Some(Opaque::IntOrString) if random.chance(50) => Value::from(8080),
            Some(Opaque::IntOrString) => Value::from("http"),
            Some(Opaque::FieldsV1) => match random.below(4) {
                0 => odd(random),
                _ => Value::Map([("f:a".to_owned(), Value::from(1))].into_iter().collect()),
            },
            None if depth > 7 => Value::Map(Map::new()),
            None => Value::Map(message(inner, depth, random)),
        },
    }
}

fn string(name: &str, random: &mut Random) -> &'static str {
    let choices: &[&str] = match name {
        "image" | "reference" => list("images"),
        "effect" => &["NoExecute", "NoSchedule", ""],
        "operator" => &["Exists", "Equal", ""],
        "restartPolicy" => &["Always", "Never", "OnFailure", ""],
        _ => list("texts"),
    };
    random.choose(choices).copied().unwrap_or_default()
}

/// Makes a quantity, or nearly one.
pub(super) fn quantity(random: &mut Random) -> Value {
    if random.chance(20) {
        return Value::Number(Number::new(one("numbers", random)).unwrap());
    }
    let mut text = String::new();
    text.push_str(random.choose(&["", "", "", "", "-", "+", " "]).unwrap());
    for _ in 0..random.below(4) {
        let zeros = ["0", "1", "5", "12", "1000", "1024", "999999", "0000"];
        text.push_str(random.choose(&zeros).unwrap());
    }
    if random.chance(40) {
        text.push('.');
        for _ in 0..random.below(3) {
            text.push_str(random.choose(&["0", "5", "001", "123456", "500"]).unwrap());
        }
    }
    text.push_str(one("suffixes", random));
    if random.chance(3) {
        text.push_str(random.choose(&[" ", "\u{a0}", "\t", "i"]).unwrap());
    }
    Value::from(text)
}

fn json(pod: &Value, random: &mut Random) -> Vec<u8> {
    let mut text = if random.chance(50) {
        to_json(pod)
    } else {
        to_json_pretty(pod)
    };
    for _ in 0..random.below(3) {
        // A key twice, with another value, in front of or behind the first.
        let places: Vec<usize> = text.match_indices('{').map(|(at, _)| at).collect();
        let Some(at) = random.choose(&places).copied() else {
            break;
        };
        let part = one("repeated", random);
        let comma = match text.as_bytes().get(at + 1) {
            Some(b'}') | None => "",
            Some(_) => ",",
        };
        text.insert_str(at + 1, &format!("{part}{comma}"));
    }
    text.into_bytes()
}

/// Writes a value as YAML as people do: flow and block styles, comments, plain scalars.
fn by_hand(value: &Value, random: &mut Random) -> Vec<u8> {
    let mut text = one("preambles", random).to_owned();
    block(value, 0, random, &mut text);
    text.push_str(one("tails", random));
    cases::encodings(&text, random.below(12))
}

fn block(value: &Value, indent: usize, random: &mut Random, out: &mut String) {
    let blanks = " ".repeat(indent);
    match value {
        Value::Map(map) if !map.is_empty() => {
            for (key, value) in map.iter() {
                out.push_str(&blanks);
                scalar(key, random, out);
                out.push(':');
                if random.chance(80) && is_filled(value) {
                    out.push_str(random.choose(&["\n", " \n", " # c\n", "\r\n"]).unwrap());
                    let lists = matches!(value, Value::List(_)) && random.chance(50);
                    block(value, indent + if lists { 0 } else { 2 }, random, out);
                } else {
                    out.push_str(random.choose(&[" ", " ", " ", "  ", "\t", " \t"]).unwrap());
                    flow(value, random, out);
                    out.push_str(random.choose(&["\n", "\n", " # c\n", " \n"]).unwrap());
                }
            }
        }
        Value::List(list) if !list.is_empty() => {
            for value in list {
                out.push_str(&blanks);
                out.push('-');
                if random.chance(70) && is_filled(value) {
                    out.push('\n');
                    block(value, indent + 2, random, out);
                } else {
                    out.push(' ');
                    flow(value, random, out);
                    out.push('\n');
                }
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_) => {
            out.push_str(&blanks);
            flow(value, random, out);
            out.push('\n');
        }
    }
}

fn is_filled(value: &Value) -> bool {
    match value {
        Value::Map(map) => !map.is_empty(),
        Value::List(list) => !list.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn flow(value: &Value, random: &mut Random, out: &mut String) {
    match value {
        Value::Map(map) => {
            out.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                scalar(key, random, out);
                out.push_str(": ");
                flow(value, random, out);
            }
            out.push_str(random.choose(&["}", "}", " }", ",}"]).unwrap());
        }
        Value::List(list) => {
            out.push('[');
            for (index, value) in list.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                flow(value, random, out);
            }
            out.push_str(random.choose(&["]", "]", " ]", ",]"]).unwrap());
        }
        Value::String(text) => scalar(text, random, out),
        Value::Null => out.push_str(random.choose(&["null", "~", "Null", ""]).unwrap()),
        Value::Bool(true) => out.push_str(random.choose(&["true", "yes", "On", "y"]).unwrap()),
        Value::Bool(false) => out.push_str(random.choose(&["false", "no", "OFF", "n"]).unwrap()),
        Value::Number(_) => out.push_str(&to_json(value)),
    }
}

fn scalar(text: &str, random: &mut Random, out: &mut String) {
    match random.below(10) {
        0 => out.push_str(&to_json(&Value::from(text))),
        1 => out.push_str(&format!("'{}'", text.replace('\'', "''"))),
        _ if text.is_empty() => out.push_str("''"),
        _ => out.push_str(text),
    }
}

/// Changes lines of a text written by hand.
fn edited(random: &mut Random) -> Vec<u8> {
    let text = random.choose(cases::WRITTEN).copied().unwrap_or_default();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.push("# end".to_owned());
    for _ in 0..=random.below(2) {
        let at = random.below(lines.len());
        match random.below(7) {
            0 => {
                let line = lines[at].clone();
                lines.insert(random.below(lines.len()), line);
            }
            1 => lines[at].clear(),
            2 => lines[at] = lines[at].replacen(": ", ":\t", 1),
            3 => lines[at].insert(0, ' '),
            4 => {
                let line = one("lines", random);
                let indent = lines[at].len() - lines[at].trim_start().len();
                lines.insert(at, format!("{}{line}", " ".repeat(indent)));
            }
            5 => {
                if let Some((key, _)) = lines[at].split_once(": ") {
                    let value = one("scalars", random);
                    lines[at] = format!("{key}: {value}");
                }
            }
            _ => {
                let place = random.below(lines[at].len() + 1);
                let piece = one("pieces", random);
                if lines[at].is_char_boundary(place) {
                    lines[at].insert_str(place, piece);
                }
            }
        }
    }
    let end = random
        .choose(&["\n", "\n", "\n", "\r\n", "\r"])
        .copied()
        .unwrap_or("\n");
    cases::encodings(&(lines.join(end) + end), random.below(20))
}

/// Puts scalars of all kinds where each type of field is.
fn valued(random: &mut Random) -> Vec<u8> {
    if random.chance(50) {
        // Most scalars make no number: look at those where they are strings and unknown fields.
        let scalar = one("scalars", random);
        let place = random.choose(&[
            "  unknown: X\n",
            "  nodeSelector: {a: !!str X}\n",
            "X: a\n",
            "  ? X\n  : a\n",
        ]);
        return format!(
            "{}{}",
            cases::BASE,
            place.copied().unwrap_or_default().replace('X', scalar)
        )
        .into_bytes();
    }
    let mut scalar = || one("scalars", random);
    let (integer, boolean, text, port) = (scalar(), scalar(), scalar(), scalar());
    let (label, label_key) = (scalar(), scalar());
    let mut amount = || {
        let quantity = quantity(random);
        let plain = quantity
            .as_str()
            .filter(|text| !text.contains(['\t', '\u{a0}']));
        plain.map_or_else(|| to_json(&quantity), str::to_owned)
    };
    let (limit, request) = (amount(), amount());
    let time = one("times", random);
    let all = [
        ("    livenessProbe: {httpGet: {port: PORT}}", "PORT", port),
        ("    stdin: BOOL", "BOOL", boolean),
        ("    resources: {limits: {cpu: LIMIT}}", "LIMIT", &limit),
        ("    resources: {requests: {cpu: LIMIT}}", "LIMIT", &request),
        (
            "    resources: {requests: {memory: \"LIMIT\"}}",
            "LIMIT",
            &request,
        ),
        ("    args: [TEXT]", "TEXT", text),
        ("  priority: INT", "INT", integer),
        ("  terminationGracePeriodSeconds: INT", "INT", integer),
        ("  nodeSelector: {a: LABEL}", "LABEL", label),
        ("  nodeSelector: {KEY: a}", "KEY", label_key),
        ("  overhead: {cpu: LIMIT}", "LIMIT", &limit),
        ("status: {startTime: TIME}", "TIME", time),
        ("status: {startTime: \"TIME\"}", "TIME", time),
    ];
    let mut out = cases::BASE.to_owned();
    let first = random.below(all.len());
    let (line, place, value) = all[first];
    out.push_str(&line.replace(place, value));
    out.push('\n');
    out.into_bytes()
}
