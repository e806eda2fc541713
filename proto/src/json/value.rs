//! The tree that JSON and YAML text become before a schema gives it meaning.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::yaml::json_float;

/// One JSON value; YAML is reduced to the same six kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has exactly these six kinds of value"
)]
pub enum Value {
    /// `null`, which Kubernetes reads as "not given".
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, kept as the text it had.
    Number(Number),
    /// A string.
    String(String),
    /// A list in its order.
    List(Vec<Self>),
    /// An object in its order.
    Map(Map),
}

impl Value {
    /// Returns the string that this value is, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Returns the object that this value is, if it is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map> {
        if let Self::Map(map) = self {
            Some(map)
        } else {
            None
        }
    }

    /// Returns the list that this value is, if it is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self {
            Some(list)
        } else {
            None
        }
    }

    /// Returns the value under a key of an object, `None` when this is no object or has no such key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map().and_then(|map| map.get(key))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(Number::from(value))
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl From<Vec<Self>> for Value {
    fn from(list: Vec<Self>) -> Self {
        Self::List(list)
    }
}

/// A number as JSON spells it, so that neither digits nor exponents are lost.
///
/// Two numbers are equal when their texts are: `1` and `1.0` differ.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(String);

impl Number {
    /// Wraps a text, `None` when JSON would not take it for a number.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        is_json_number(text.as_bytes()).then(|| Self(text.to_owned()))
    }

    /// Returns the text, such as `8080`, `-0.5` or `1e3`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the whole number that the text spells, `None` for fractions, exponents and anything beyond 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }
}

impl Number {
    /// Returns the number that Go's JSON prints once a double has held this one, as it does with
    /// what YAML says beyond 64 bits.
    #[must_use]
    pub fn through_double(&self) -> Self {
        let double = self
            .0
            .parse()
            .ok()
            .filter(|double: &f64| double.is_finite());
        double.map_or_else(|| self.clone(), |double| Self(json_float(double)))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.to_string())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_json_number(text: &[u8]) -> bool {
    fn digits(text: &[u8]) -> (usize, &[u8]) {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (count, text.get(count..).unwrap_or_default())
    }
    let unsigned = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, mut rest) = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.first() == Some(&b'0')) {
        return false;
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        let (count, after) = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = after;
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let unsigned = exponent
            .strip_prefix(b"-")
            .or_else(|| exponent.strip_prefix(b"+"))
            .unwrap_or(exponent);
        let (count, after) = digits(unsigned);
        return count > 0 && after.is_empty();
    }
    rest.is_empty()
}

/// An object whose entries keep the order in which they came.
///
/// Two maps are equal when they hold the same entries, in whatever order. Nothing here refuses a
/// key that is there twice: the readers do, and [`Map::set`] replaces.
#[derive(Clone, Debug, Default, Eq)]
pub struct Map {
    entries: Vec<(String, Value)>,
}

impl Map {
    /// Returns a map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// Appends an entry; the caller knows that the key is not there yet.
    pub fn push(&mut self, key: String, value: Value) {
        self.entries.push((key, value));
    }

    /// Puts a value under a key, in the place of the value that was there, if one was.
    pub fn set(&mut self, key: &str, value: Value) {
        if let Some(entry) = self.entries.iter_mut().find(|(name, _)| name == key) {
            entry.1 = value;
        } else {
            self.entries.push((key.to_owned(), value));
        }
    }

    /// Puts a value under a key before all others; the caller knows that the key is not there yet.
    pub fn push_front(&mut self, key: String, value: Value) {
        self.entries.insert(0, (key, value));
    }

    /// Takes an entry out, keeping the order of the others.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(at).1)
    }

    /// Sorts the entries by the bytes of their keys, as Go prints maps.
    pub fn sort(&mut self) {
        self.entries.sort_by(|a, b| a.0.cmp(&b.0));
    }

    /// Returns the value under a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// Returns the entries in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// Returns how many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        fn sorted(map: &Map) -> Vec<&(String, Value)> {
            let mut entries: Vec<_> = map.entries.iter().collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries
        }
        sorted(self) == sorted(other)
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<T: IntoIterator<Item = (String, Value)>>(entries: T) -> Self {
        Self {
            entries: entries.into_iter().collect(),
        }
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = alloc::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
