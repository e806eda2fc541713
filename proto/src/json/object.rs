//! An object under construction, which knows its keys.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::value::{Map, Value};

/// From this many entries on, keys are found through an index.
const SMALL_ENTRIES: usize = 16;

/// Collects the entries of one object so that a key can be looked up in a large one too.
#[derive(Debug, Default)]
pub(crate) struct Object {
    entries: Vec<(String, Value)>,
    /// Empty while the object is small.
    index: BTreeMap<String, usize>,
}

impl Object {
    /// Returns where a key is.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            self.entries.iter().position(|(name, _)| name == key)
        } else {
            self.index.get(key).copied()
        }
    }

    /// Appends an entry whose key is not there yet.
    pub(crate) fn push(&mut self, key: String, value: Value) {
        if !self.index.is_empty() {
            self.index.insert(key.clone(), self.entries.len());
        } else if self.entries.len() == SMALL_ENTRIES {
            self.index = self
                .entries
                .iter()
                .enumerate()
                .map(|(at, (name, _))| (name.clone(), at))
                .collect();
            self.index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
    }

    /// Replaces the value of the entry at a position that [`Self::position`] gave.
    pub(crate) fn replace(&mut self, at: usize, value: Value) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.1 = value;
        }
    }

    /// Returns the finished object.
    pub(crate) fn finish(self) -> Map {
        self.entries.into_iter().collect()
    }
}
