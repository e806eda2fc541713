//! The compiled definitions, found by the names of their files and of what they define.

use alloc::{vec, vec::Vec};

use podsapi_proto::descriptors::FILES;

/// One file of definitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition {
    /// Its encoded `FileDescriptorProto`.
    pub(crate) bytes: &'static [u8],
}

/// What a name can be the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Enum,
    /// A field, a oneof, a method or a value of an enum.
    Leaf,
    Message,
    Service,
}

impl Definition {
    /// Returns the file of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        all().find(|file| file.name() == name)
    }

    /// Returns the file that defines this full name, and what it names.
    pub(crate) fn defining(symbol: &str) -> Option<(Self, Kind)> {
        all().find_map(|file| Some((file, file.find(symbol)?)))
    }

    /// Returns the name of the file, as others import it.
    pub(crate) fn name(self) -> &'static str {
        text(self.bytes, file::NAME)
    }

    /// Returns this file and all that it imports, each once and this one first.
    pub(crate) fn with_imports(self) -> Vec<Self> {
        let mut files = vec![self];
        let mut next = 0;
        while let Some(file) = files.get(next).copied() {
            next += 1;
            for (_, import) in Records(file.bytes).filter(|(number, _)| *number == file::IMPORT) {
                let known = files.iter().any(|file| file.name().as_bytes() == import);
                let named = core::str::from_utf8(import).ok().and_then(Self::named);
                files.extend(named.filter(|_| !known));
            }
        }
        files
    }

    fn find(self, symbol: &str) -> Option<Kind> {
        let package = text(self.bytes, file::PACKAGE);
        let path = match package {
            "" => symbol,
            package => symbol.strip_prefix(package)?.strip_prefix('.')?,
        };
        find(self.bytes, &FILE, path)
    }
}

/// Returns all files, each behind those that it imports.
pub(crate) fn all() -> impl Iterator<Item = Definition> {
    Records(FILES).map(|(_, bytes)| Definition { bytes })
}

/// Looks a path of names up among what `scope` defines; `children` says which of its fields define
/// something, and what.
fn find(scope: &'static [u8], children: &[(usize, Kind)], path: &str) -> Option<Kind> {
    let (first, rest) = match path.split_once('.') {
        Some((first, rest)) => (first, Some(rest)),
        None => (path, None),
    };
    Records(scope).find_map(|(number, child)| {
        let (_, kind) = children.iter().find(|(defines, _)| *defines == number)?;
        match rest {
            None if text(child, NAME) == first => Some(*kind),
            Some(rest) if text(child, NAME) == first => find(child, kind.children(), rest),
            // The values of an enum stand beside it.
            None if *kind == Kind::Enum => find(child, &VALUES, first),
            None | Some(_) => None,
        }
    })
}

impl Kind {
    const fn children(self) -> &'static [(usize, Self)] {
        match self {
            Self::Enum | Self::Leaf => &[],
            Self::Message => &MESSAGE,
            Self::Service => &[(2, Self::Leaf)],
        }
    }
}

/// Field numbers of `google.protobuf.FileDescriptorProto`.
mod file {
    pub(super) const NAME: usize = 1;
    pub(super) const PACKAGE: usize = 2;
    pub(super) const IMPORT: usize = 3;
}

/// The field number of the name in every descriptor.
const NAME: usize = 1;

/// Fields of a file that define something.
const FILE: [(usize, Kind); 4] = [
    (4, Kind::Message),
    (5, Kind::Enum),
    (6, Kind::Service),
    (7, Kind::Leaf),
];

/// Fields of a message that define something.
const MESSAGE: [(usize, Kind); 5] = [
    (2, Kind::Leaf),
    (3, Kind::Message),
    (4, Kind::Enum),
    (6, Kind::Leaf),
    (8, Kind::Leaf),
];

/// The field of an enum that defines its values.
const VALUES: [(usize, Kind); 1] = [(2, Kind::Leaf)];

/// Returns the text in a field of a descriptor, empty where there is none.
fn text(bytes: &'static [u8], number: usize) -> &'static str {
    let found = Records(bytes).find(|(field, _)| *field == number);
    found
        .and_then(|(_, text)| core::str::from_utf8(text).ok())
        .unwrap_or_default()
}

/// The length-delimited fields of a message; others are passed over.
///
/// The bytes are our own; what no descriptor has ends them.
struct Records(&'static [u8]);

impl Records {
    fn varint(&mut self) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        prost::decode_length_delimiter(&mut self.0).ok()
    }
}

impl Iterator for Records {
    type Item = (usize, &'static [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let tag = self.varint()?;
            match tag & 7 {
                VARINT => drop(self.varint()?),
                LENGTH_DELIMITED => {
                    let len = self.varint()?;
                    let (payload, rest) = self.0.split_at_checked(len)?;
                    self.0 = rest;
                    return Some((tag >> 3, payload));
                }
                _ => return None,
            }
        }
    }
}

const VARINT: usize = 0;
const LENGTH_DELIMITED: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_package_and_a_message_do_not_define_is_not_found() {
        for name in [
            "podsapi.v1.Nothing",
            "podsapi.v1.Diagnostics.Nothing",
            "podsapi.v1.GetStatusResponse.nothing",
            "podsapi.v1.SourceState.NOTHING",
            "podsapi.v1.",
        ] {
            assert_eq!(
                Definition::defining(name).map(|found| found.1),
                None,
                "{name}"
            );
        }
        let kind = |name| Definition::defining(name).map(|found| found.1);
        assert_eq!(kind("podsapi.v1.GetStatusResponse"), Some(Kind::Message));
        assert_eq!(
            kind("podsapi.v1.GetStatusResponse.version"),
            Some(Kind::Leaf)
        );
    }

    #[test]
    fn numbers_between_records_are_passed_over() {
        let mut records = Records(&[0x08, 0x96, 0x01, 0x12, 1, b'x', 0x18, 5, 0x22, 0]);
        assert_eq!(records.next(), Some((2, &b"x"[..])));
        assert_eq!(records.next(), Some((4, &b""[..])));
        assert_eq!(records.next(), None);
    }
}
