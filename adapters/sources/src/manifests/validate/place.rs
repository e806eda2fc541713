//! A place in a pod: an object and its path, with what a kubelet's types would read there.

use podsapi_proto::json::{Map, Value};

use crate::tree;

/// What stands where nothing was given.
static NOTHING: Map = Map::new();

/// A pod with more faults than this is one mistake made many times.
const MOST_SHOWN: usize = 20;

/// A key longer than this is cut in an error.
const LONGEST_SHOWN_CHARACTERS: usize = 64;

/// An object of a pod, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Place<'v> {
    map: &'v Map,
    path: String,
}

impl<'v> Place<'v> {
    /// The whole pod.
    pub(super) fn root(map: &'v Map) -> Self {
        Self {
            map,
            path: String::new(),
        }
    }

    /// This object's own path.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The path of a field of this object.
    pub(super) fn at(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// The path of an element of a list of this object.
    pub(super) fn at_index(&self, key: &str, index: usize) -> String {
        format!("{}[{index}]", self.at(key))
    }

    /// The path of an entry of a map of this object. A key is no value, and may be shown.
    pub(super) fn at_key(&self, key: &str, entry: &str) -> String {
        let shown = match entry.char_indices().nth(LONGEST_SHOWN_CHARACTERS) {
            Some((end, _)) => format!("{}…", entry.get(..end).unwrap_or_default()),
            None => entry.to_owned(),
        };
        format!("{}[{shown:?}]", self.at(key))
    }

    /// Whether the field is there, as a pointer is.
    pub(super) fn has(&self, key: &str) -> bool {
        tree::given(self.map, key).is_some()
    }

    /// The text of a field, empty when it is not there.
    pub(super) fn text(&self, key: &str) -> &'v str {
        tree::text(self.map, key)
    }

    /// The text of a field that may be there and empty.
    pub(super) fn given_text(&self, key: &str) -> Option<&'v str> {
        tree::given(self.map, key).and_then(Value::as_str)
    }

    /// The whole number of a field.
    pub(super) fn integer(&self, key: &str) -> Option<i64> {
        tree::integer(self.map, key)
    }

    /// Whether a field is true.
    pub(super) fn flag(&self, key: &str) -> bool {
        tree::flag(self.map, key)
    }

    /// The truth value of a field that may be there and false.
    pub(super) fn given_flag(&self, key: &str) -> Option<bool> {
        match tree::given(self.map, key)? {
            Value::Bool(flag) => Some(*flag),
            Value::Null | Value::Number(_) | Value::String(_) | Value::List(_) | Value::Map(_) => {
                None
            }
        }
    }

    /// The object in a field.
    pub(super) fn inner(&self, key: &str) -> Option<Self> {
        tree::inner(self.map, key).map(|map| Self {
            map,
            path: self.at(key),
        })
    }

    /// The object in a field, an empty one when it is not there.
    pub(super) fn inner_or_empty(&self, key: &str) -> Self {
        self.inner(key).unwrap_or_else(|| Self {
            map: &NOTHING,
            path: self.at(key),
        })
    }

    /// The objects of a list.
    pub(super) fn each(&self, key: &str) -> Vec<Self> {
        tree::objects(self.map, key)
            .map(|(index, map)| Self {
                map,
                path: self.at_index(key, index),
            })
            .collect()
    }

    /// How many elements a list has.
    pub(super) fn count(&self, key: &str) -> usize {
        self.list(key).len()
    }

    /// The texts of a list.
    pub(super) fn texts(&self, key: &str) -> impl Iterator<Item = &'v str> {
        self.list(key)
            .iter()
            .map(|value| value.as_str().unwrap_or_default())
    }

    /// The whole numbers of a list.
    pub(super) fn integers(&self, key: &str) -> impl Iterator<Item = i64> {
        self.list(key).iter().map(|value| match value {
            Value::Number(number) => number.as_i64().unwrap_or_default(),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::List(_) | Value::Map(_) => 0,
        })
    }

    /// The entries of a map of texts.
    pub(super) fn entries(&self, key: &str) -> Vec<(&'v str, &'v str)> {
        tree::inner(self.map, key).map_or_else(Vec::new, |map| {
            map.iter()
                .map(|(key, value)| (key, value.as_str().unwrap_or_default()))
                .collect()
        })
    }

    fn list(&self, key: &str) -> &'v [Value] {
        tree::given(self.map, key)
            .and_then(Value::as_list)
            .unwrap_or_default()
    }

    /// The value of a field, whatever it is.
    pub(super) fn value(&self, key: &str) -> Option<&'v Value> {
        tree::given(self.map, key)
    }
}

/// What was found, each with the path of its field; a value is never repeated.
///
/// The first [`MOST_SHOWN`] are kept, and the others counted.
#[derive(Debug, Default)]
pub(super) struct Faults {
    shown: Vec<String>,
    more: usize,
}

impl Faults {
    /// Notes what is wrong at a path, and what to do about it.
    pub(super) fn add(&mut self, path: &str, fault: impl AsRef<str>) {
        if self.shown.len() < MOST_SHOWN {
            self.shown.push(format!("{path}: {}", fault.as_ref()));
        } else {
            self.more += 1;
        }
    }

    /// Notes a fault when `wrong`.
    pub(super) fn add_if(&mut self, wrong: bool, path: &str, fault: impl AsRef<str>) {
        if wrong {
            self.add(path, fault);
        }
    }

    /// The faults in the order in which they were found.
    pub(super) fn into_list(self) -> Vec<String> {
        let mut list = self.shown;
        if self.more > 0 {
            list.push(format!("and {} more faults", self.more));
        }
        list
    }
}
