//! The types of which a kubelet makes a pod, release by release, read from a generated table.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::KubeletRelease;

/// All types, by their names in Go.
pub(super) static TYPES: LazyLock<Types> = LazyLock::new(|| read(include_str!("types.txt")));

/// The table of the types.
#[derive(Debug, Default)]
pub(super) struct Types {
    structs: BTreeMap<&'static str, Vec<Struct>>,
}

/// The fields of a struct, in their order, in the releases that have them so.
#[derive(Debug)]
struct Struct {
    span: Span,
    fields: Vec<Field>,
}

/// One field of a struct.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// Its type as Go spells it.
    pub(super) spelled: &'static str,
    pub(super) shape: Shape,
    pub(super) key: Key,
    span: Span,
}

/// Where a manifest says what is in a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// Under a key of the object.
    Here(&'static str),
    /// Among the fields of the object itself.
    Inline,
    /// Nowhere.
    Nowhere,
    /// Under a key of the pod's spec.
    Spec(&'static str),
}

/// What a type is made of.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Bool,
    FieldsV1,
    Integer,
    IntOrString,
    List(Box<Self>),
    Map(Box<Self>),
    Pointer(Box<Self>),
    Quantity,
    /// A map of quantities, of which none is finer than a thousandth.
    Resources,
    Struct(&'static str),
    Text,
    Time,
}

/// The releases that have something, by their minor numbers.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: u8,
    last: u8,
}

impl Types {
    /// Returns the fields of a struct in a release; none of one that it does not have.
    pub(super) fn fields(
        &self,
        name: &str,
        release: KubeletRelease,
    ) -> impl Iterator<Item = &Field> {
        let all = self.structs.get(name).into_iter().flatten();
        let ours = all.filter(move |one| one.span.has(release));
        ours.flat_map(|one| &one.fields)
            .filter(move |field| field.span.has(release))
    }

    /// Tells whether a struct has a field for what is under `key`.
    pub(super) fn knows(&self, name: &str, key: &str, release: KubeletRelease) -> bool {
        self.fields(name, release)
            .any(|field| matches!(field.key, Key::Here(known) if known == key))
    }
}

impl Span {
    fn has(self, release: KubeletRelease) -> bool {
        (self.first..=self.last).contains(&release.minor())
    }
}

/// Reads the table, of which a test knows that each line is understood.
fn read(table: &'static str) -> Types {
    let aliases = table.lines().filter_map(|line| line.split_once(" = "));
    let aliases: BTreeMap<&str, &str> = aliases.collect();
    let mut types = Types::default();
    let mut current = "";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if line.contains(" = ") {
            continue;
        }
        let Some(field) = line.strip_prefix(' ') else {
            let mut words = line.split(' ');
            current = words.next().unwrap_or_default();
            let one = Struct {
                span: span(words),
                fields: Vec::new(),
            };
            types.structs.entry(current).or_default().push(one);
            continue;
        };
        let mut words = field.split(' ');
        let (Some(name), Some(spelled), Some(key)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let field = Field {
            name,
            spelled,
            shape: shape(spelled, &aliases),
            key: match key {
                "+" => Key::Inline,
                "-" => Key::Nowhere,
                key => match key.strip_prefix("spec.") {
                    Some(key) => Key::Spec(key),
                    None => Key::Here(key),
                },
            },
            span: span(words),
        };
        let last = types
            .structs
            .get_mut(current)
            .and_then(|all| all.last_mut());
        if let Some(last) = last {
            last.fields.push(field);
        }
    }
    // What is in no struct of the table is a text under a name of its own.
    let known: Vec<&'static str> = types.structs.keys().copied().collect();
    for one in types.structs.values_mut().flatten() {
        for field in &mut one.fields {
            settle(&mut field.shape, &known);
        }
    }
    types
}

fn span<'a>(words: impl Iterator<Item = &'a str>) -> Span {
    let mut span = Span {
        first: 0,
        last: u8::MAX,
    };
    for word in words {
        if let Some(first) = word.strip_suffix('+').and_then(|minor| minor.parse().ok()) {
            span.first = first;
        }
        if let Some(last) = word.strip_prefix('-').and_then(|minor| minor.parse().ok()) {
            span.last = last;
        }
    }
    span
}

fn shape(spelled: &'static str, aliases: &BTreeMap<&str, &'static str>) -> Shape {
    let boxed = |inner| Box::new(shape(inner, aliases));
    if let Some(inner) = spelled.strip_prefix('*') {
        return Shape::Pointer(boxed(inner));
    }
    if let Some(inner) = spelled.strip_prefix("[]") {
        return Shape::List(boxed(inner));
    }
    if let Some((_key, inner)) = spelled
        .strip_prefix("map[")
        .and_then(|rest| rest.split_once(']'))
    {
        return Shape::Map(boxed(inner));
    }
    match spelled {
        "bool" => Shape::Bool,
        "core.ResourceList" => Shape::Resources,
        "int32" | "int64" => Shape::Integer,
        "intstr.IntOrString" => Shape::IntOrString,
        "resource.Quantity" => Shape::Quantity,
        "string" => Shape::Text,
        "v1.FieldsV1" => Shape::FieldsV1,
        "v1.Time" => Shape::Time,
        name => match aliases.get(name) {
            Some(spelled) => shape(spelled, aliases),
            None => Shape::Struct(name),
        },
    }
}

fn settle(shape: &mut Shape, structs: &[&str]) {
    match shape {
        Shape::List(inner) | Shape::Map(inner) | Shape::Pointer(inner) => settle(inner, structs),
        Shape::Struct(name) => {
            if !structs.contains(name) {
                *shape = Shape::Text;
            }
        }
        Shape::Bool
        | Shape::FieldsV1
        | Shape::Integer
        | Shape::IntOrString
        | Shape::Quantity
        | Shape::Resources
        | Shape::Text
        | Shape::Time => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_table_is_understood() {
        let table = include_str!("types.txt");
        let mut fields = 0;
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.trim_start().split(' ').collect();
            let spans = match (line.starts_with(' '), line.contains(" = ")) {
                (true, _) => {
                    fields += 1;
                    words.get(3..)
                }
                (false, true) => continue,
                (false, false) => words.get(1..),
            };
            for word in spans.unwrap_or_else(|| panic!("{line:?}")) {
                let minor = word.trim_end_matches('+').trim_start_matches('-');
                assert_ne!(minor, *word, "{line:?}");
                let minor: u8 = minor.parse().unwrap();
                assert!((33..=37).contains(&minor), "{line:?}");
            }
        }
        let all = TYPES.structs.values().flatten();
        assert_eq!(all.map(|one| one.fields.len()).sum::<usize>(), fields);
        assert!(fields > 500);
    }

    #[test]
    fn each_release_has_the_fields_that_came_with_it() {
        for (name, key, first, last) in [
            ("core.PodSpec", "containers", 33, 37),
            ("core.EnvVarSource", "fileKeyRef", 34, 37),
            ("core.ContainerStatus", "user", 33, 37),
            ("core.PodSpec", "hostNetwork", 37, 37),
            ("core.PodSpec", "nothing", 40, 0),
        ] {
            for release in KubeletRelease::ALL {
                let expected = (first..=last).contains(&release.minor());
                assert_eq!(TYPES.knows(name, key, release), expected, "{name} {key}");
            }
        }
    }

    #[test]
    fn no_type_contains_itself() {
        fn depth(shape: &Shape, above: &mut Vec<&'static str>) {
            match shape {
                Shape::List(inner) | Shape::Map(inner) | Shape::Pointer(inner) => {
                    depth(inner, above);
                }
                Shape::Struct(name) => {
                    assert!(!above.contains(name), "{above:?} {name}");
                    above.push(name);
                    for field in TYPES.structs.get(name).into_iter().flatten() {
                        for field in &field.fields {
                            depth(&field.shape, above);
                        }
                    }
                    above.pop();
                }
                Shape::Bool
                | Shape::FieldsV1
                | Shape::Integer
                | Shape::IntOrString
                | Shape::Quantity
                | Shape::Resources
                | Shape::Text
                | Shape::Time => {}
            }
        }
        depth(&Shape::Struct("core.Pod"), &mut Vec::new());
    }
}
