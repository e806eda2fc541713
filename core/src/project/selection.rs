//! What a mask selects while it is put together, before it is compiled.

use alloc::boxed::Box;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::collections::btree_set::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use podsapi_proto::schema::{Field, Kind, Message};

use super::{Child, Node, Numbers, Projection, wire_types};

/// A set of paths as a tree: a parent swallows its children, however often they are named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All that there is.
    All,
    /// Some entries of a map.
    Entries(BTreeSet<Box<[u8]>>),
    /// Some fields of a message.
    Fields(BTreeMap<u32, Self>),
}

impl Selection {
    /// Returns the selection of no field.
    pub(crate) const fn nothing() -> Self {
        Self::Fields(BTreeMap::new())
    }

    /// Returns the selection of `inner` within the field at the end of `path`.
    pub(crate) fn at(path: &[Field], inner: Self) -> Self {
        path.iter().rev().fold(inner, |inner, field| {
            Self::Fields(BTreeMap::from([(field.number(), inner)]))
        })
    }

    /// Adds what `other` selects. Both are of one message, field or map.
    pub(crate) fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::All, _) => {}
            (Self::Fields(mine), Self::Fields(others)) => {
                for (number, other) in others {
                    match mine.entry(number) {
                        Entry::Occupied(mut entry) => entry.get_mut().add(other),
                        Entry::Vacant(entry) => {
                            entry.insert(other);
                        }
                    }
                }
            }
            (Self::Entries(mine), Self::Entries(others)) => mine.extend(others),
            (Self::Entries(_) | Self::Fields(_), other) => *self = other,
        }
    }

    /// Returns what both select; parts that end up empty stay as empty parts.
    pub(crate) fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, kept) | (kept, Self::All) => kept.clone(),
            (Self::Entries(one), Self::Entries(two)) => {
                Self::Entries(one.intersection(two).cloned().collect())
            }
            (Self::Fields(one), Self::Fields(two)) => Self::Fields(
                one.iter()
                    .filter_map(|(&number, mine)| {
                        Some((number, mine.intersection(two.get(&number)?)))
                    })
                    .collect(),
            ),
            (Self::Entries(_), Self::Fields(_)) | (Self::Fields(_), Self::Entries(_)) => {
                Self::nothing()
            }
        }
    }

    /// Returns how many keys a map has of which more than `limit` are selected.
    pub(crate) fn crowded(&self, limit: usize) -> Option<usize> {
        match self {
            Self::All => None,
            Self::Entries(keys) => Some(keys.len()).filter(|&keys| keys > limit),
            Self::Fields(fields) => fields.values().find_map(|inner| inner.crowded(limit)),
        }
    }

    /// Returns what a compiled node selects.
    pub(super) fn of(node: &Node) -> Self {
        let whole = node.whole.iter().map(|number| (number, Self::All));
        let parts = node
            .partial
            .iter()
            .zip(&node.children)
            .map(|(number, child)| {
                let part = match child {
                    Child::Entries(keys) => Self::Entries(keys.iter().cloned().collect()),
                    Child::Part(node) => Self::of(node),
                };
                (number, part)
            });
        Self::Fields(whole.chain(parts).collect())
    }

    /// Compiles the selection of fields of `message`.
    pub(crate) fn compile(self, message: Message) -> Projection {
        let root = match self {
            Self::All => None,
            Self::Fields(fields) => Some(Arc::new(node(message, fields))),
            Self::Entries(_) => Some(Arc::new(node(message, BTreeMap::new()))),
        };
        Projection { root }
    }
}

fn node(message: Message, fields: BTreeMap<u32, Selection>) -> Node {
    let (mut whole, mut partial) = (Numbers::default(), Numbers::default());
    let mut children = Vec::new();
    for (number, selection) in fields {
        let inner = message.field(number).map(Field::kind);
        match (selection, inner) {
            (Selection::Entries(keys), _) => {
                partial.insert(number);
                children.push(Child::Entries(keys.into_iter().collect()));
            }
            (Selection::Fields(fields), Some(Kind::Message(inner))) => {
                partial.insert(number);
                children.push(Child::Part(node(inner, fields)));
            }
            (Selection::All | Selection::Fields(_), _) => whole.insert(number),
        }
    }
    let (varints, lengths) = wire_types(message);
    Node {
        message,
        whole,
        partial,
        children: children.into(),
        varints,
        lengths,
    }
}
