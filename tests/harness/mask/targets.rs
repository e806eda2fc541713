//! What a mask selects, as a plain list, and what it must leave of a pod.

use podsapi_proto::schema::{Field, Message, Shape};

use super::pods::{Inner, KEYS, Record};
use super::{Choices, bytes_of};

/// One thing that a mask selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Everything.
    Everything,
    /// Nothing, which `apiVersion` and `kind` stand for.
    Nothing,
    /// The field at the end of a path, embedded structs included; of a map only one key, if any.
    Field(Vec<Field>, Option<&'static str>),
}

/// Draws what a mask selects: mostly of what a pod has, so that something is selected.
pub fn targets(choices: &mut Choices<'_>, pod: &[Record]) -> Vec<Target> {
    let mut sites = Vec::new();
    collect(Message::POD, pod, &mut Vec::new(), &mut sites);
    (0..=choices.below(5))
        .map(|_| target(choices, &sites))
        .collect()
}

fn target(choices: &mut Choices<'_>, sites: &[Vec<Field>]) -> Target {
    let mut path = Vec::new();
    if choices.once_in(4) || sites.is_empty() {
        let mut next = Some(Message::POD);
        while let Some(message) = next {
            let fields: Vec<Field> = message.fields().collect();
            let field = *choices.pick(&fields);
            path.push(field);
            next = inside(field).filter(|_| !choices.once_in(4));
        }
    } else {
        path.clone_from(choices.pick(sites));
        if choices.once_in(4) {
            path.truncate(1 + choices.below(path.len()));
        }
    }
    match choices.below(64) {
        62 => return Target::Nothing,
        63 => return Target::Everything,
        _ => {}
    }
    let is_map = path.last().is_some_and(|field| field.shape() == Shape::Map);
    let key = (is_map && !choices.once_in(4)).then(|| *choices.pick(&KEYS));
    Target::Field(path, key)
}

/// Collects the path of every record that a mask can select.
fn collect(
    message: Message,
    records: &[Record],
    path: &mut Vec<Field>,
    sites: &mut Vec<Vec<Field>>,
) {
    for record in records.iter().filter(|record| !record.flawed) {
        let Some(field) = message.field(record.number) else {
            continue;
        };
        path.push(field);
        sites.push(path.clone());
        if let (Inner::Message(inner), Some(below)) = (&record.inner, field.message()) {
            collect(below, inner, path, sites);
        }
        path.pop();
    }
}

/// Returns the message of which a part can be selected in a field.
fn inside(field: Field) -> Option<Message> {
    field
        .message()
        .filter(|message| field.shape() != Shape::Map && message.opaque().is_none())
}

impl Target {
    /// Returns what must be left of a pod, or nothing when the pod must be refused.
    pub fn expected(targets: &[Self], pod: &[Record]) -> Option<Vec<u8>> {
        if targets.is_empty() || targets.contains(&Self::Everything) {
            return Some(bytes_of(pod));
        }
        let paths: Vec<Path<'_>> = targets
            .iter()
            .filter_map(|target| match target {
                Self::Field(path, key) => Some((&path[..], *key)),
                Self::Everything | Self::Nothing => None,
            })
            .collect();
        left(&paths, pod)
    }
}

/// The rest of a path, and the key behind it.
type Path<'a> = (&'a [Field], Option<&'static str>);

/// Returns what is left of records of which a part is selected.
fn left(paths: &[Path<'_>], records: &[Record]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for record in records {
        if record.flawed {
            return None;
        }
        let mut below = Vec::new();
        for &(path, key) in paths {
            match path.split_first() {
                Some((field, rest)) if field.number() == record.number => below.push((rest, key)),
                Some(_) | None => {}
            }
        }
        if below.is_empty() {
            continue;
        }
        if below.contains(&(&[], None)) {
            out.extend_from_slice(&record.bytes);
            continue;
        }
        match &record.inner {
            Inner::Entry { flawed: true, .. } => return None,
            Inner::Entry { key, .. } => {
                let chosen = |&(_, wanted): &Path<'_>| wanted.map(str::as_bytes) == Some(key);
                if below.iter().any(chosen) {
                    out.extend_from_slice(&record.bytes);
                }
            }
            Inner::Message(inner) => {
                let inner = left(&below, inner)?;
                minimal(u64::from(record.number) << 3 | 2, &mut out);
                minimal(inner.len() as u64, &mut out);
                out.extend(inner);
            }
            Inner::Value => unreachable!("no path reaches into {record:?}"),
        }
    }
    Some(out)
}

/// Appends the shortest varint.
fn minimal(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(low & 0x7f);
        }
        out.push(low | 0x80);
    }
}
