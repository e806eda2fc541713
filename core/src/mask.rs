//! Field masks as clients write them: text that names fields, compiled against the schema.
//!
//! ```text
//! mask    = [ element ] { "," [ element ] }      blanks around an element do not count
//! element = segment { "." segment }
//! segment = "*" | "`" any printable, "``" for a backquote "`" | letters, digits, "_", "-"
//! ```
//!
//! What a segment means depends on the type that it stands at: a field of a message, any element of
//! a list, a key of a map. One pass over the text finds both where the grammar and where the schema
//! is broken, so the first fault of each path is the one that is told.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec::Vec;

use podsapi_proto::schema::Message;
use podsapi_proto::text::readable;

use crate::project::{Projection, Selection};

mod applied;
mod compile;
mod error;
mod nearest;
#[cfg(test)]
mod tests;

pub use error::{MaskError, MaskFault};

/// The most bytes that the masks of one call may have together.
///
/// gRPC suggests 8 KiB as the limit of all metadata of a call.
pub const MAX_MASK_BYTES: usize = 8_192;

/// The most paths of one call.
pub const MAX_PATHS: usize = 512;

/// The most segments of a path; the longest that the schema has, with all that is optional, is 13.
pub const MAX_SEGMENTS: usize = 16;

/// The most bytes of a segment; the longest label key has 317, the longest field name 47.
pub const MAX_SEGMENT_BYTES: usize = 512;

/// The most keys of one map.
pub const MAX_KEYS: usize = 128;

/// The most faults of one mask for which the name that was meant is looked for: more than an answer
/// has room for, and few enough that a mask of wrong names costs little.
const MAX_SUGGESTIONS: usize = 32;

/// The request header that carries a mask as text.
pub const MASK_HEADER: &str = "x-kubernetes-fieldmask";

/// The request header that carries an encoded `google.protobuf.FieldMask`.
pub const MASK_BIN_HEADER: &str = "x-kubernetes-fieldmask-bin";

/// The response header that tells which mask was applied; absent when no field was named.
pub const MASK_APPLIED_HEADER: &str = "x-kubernetes-fieldmask-applied";

/// The response header beside [`MASK_APPLIED_HEADER`] that tells which schema the names are of.
pub const MASK_SCHEMA_HEADER: &str = "x-kubernetes-fieldmask-schema";

/// Returns the value of [`MASK_SCHEMA_HEADER`]: the Kubernetes release and a number that names the
/// table of fields, so that a client knows which names a server knows.
///
/// # Examples
///
/// ```
/// let schema = podsapi_core::mask_schema();
/// assert!(schema.starts_with("v1.37.2 "));
/// assert_eq!(schema.len(), "v1.37.2 0123456789abcdef".len());
/// ```
pub fn mask_schema() -> String {
    use podsapi_proto::schema::{SCHEMA_VERSION, TABLE_HASH};
    alloc::format!("{SCHEMA_VERSION} {TABLE_HASH:016x}")
}

/// The paths of a mask, not yet checked against a schema.
///
/// # Examples
///
/// ```
/// use podsapi_core::FieldMask;
/// use podsapi_proto::schema::Message;
///
/// let mask = FieldMask::parse("status.podIPs, spec.containers.name")?;
/// assert_eq!(mask.compile(Message::POD)?.to_string(), "spec.containers.name,status.podIPs");
///
/// let error = FieldMask::parse("status.podIps")?.compile(Message::POD).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "x-kubernetes-fieldmask: path 1 \"status.podIps\": \"podIps\" (byte 7) is not a field of \
///      PodStatus; names are case-sensitive: did you mean \"podIPs\"?",
/// );
/// # Ok::<(), podsapi_core::MaskError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldMask {
    paths: Vec<Path>,
    /// The bytes of all the text that was added, separators included.
    bytes: usize,
    faults: Vec<MaskFault>,
}

/// One path of a mask as it was written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Path {
    text: String,
    /// Where it begins in the text it was taken from.
    start: usize,
    encoded: bool,
}

impl FieldMask {
    /// Returns the mask that a text names; a text of nothing but commas and blanks names no path.
    ///
    /// # Errors
    ///
    /// The text is longer, or has more paths, than a mask may.
    pub fn parse(text: &str) -> Result<Self, MaskError> {
        let mut mask = Self::default();
        mask.add_text(text.as_bytes());
        if mask.faults.is_empty() {
            Ok(mask)
        } else {
            Err(MaskError::new(mask.faults))
        }
    }

    /// Adds the paths of one line of text, as one header line carries it. What is wrong with it is
    /// told by [`FieldMask::compile`], with all else.
    pub fn add_text(&mut self, line: &[u8]) {
        let Ok(text) = core::str::from_utf8(line) else {
            self.fault_of_header(MASK_HEADER, "expected printable ASCII, found other bytes");
            return;
        };
        if self.admit(text.len(), MASK_HEADER) {
            self.add_elements(text, false);
        }
    }

    /// Adds the paths of an encoded `google.protobuf.FieldMask`.
    pub fn add_encoded(&mut self, message: &[u8]) {
        use crate::wire::{Reader, WireType};
        if !self.admit(message.len(), MASK_BIN_HEADER) {
            return;
        }
        let mut reader = Reader::new(message);
        while let Ok(record) = reader.record() {
            let Some(record) = record else { return };
            if record.tag.field != 1 {
                continue;
            }
            if record.tag.wire_type != WireType::Length {
                break;
            }
            // A path that is not UTF-8 is one that does not exist, and is told as such.
            self.add_elements(&readable(record.payload), true);
        }
        self.add_undecodable();
    }

    /// Notes that a value of the encoded form could not be decoded.
    pub fn add_undecodable(&mut self) {
        self.fault_of_header(
            MASK_BIN_HEADER,
            "the value must be base64 of an encoded google.protobuf.FieldMask",
        );
    }

    /// Checks every path against the schema of `message` and compiles what they select together.
    /// A mask without paths selects everything.
    ///
    /// # Errors
    ///
    /// Every path that is wrong, with what is wrong first in each.
    pub fn compile(&self, message: Message) -> Result<Projection, MaskError> {
        let mut faults = self.faults.clone();
        let mut selection = Selection::nothing();
        for (index, path) in self.paths.iter().enumerate() {
            let suggest = faults.len() < MAX_SUGGESTIONS;
            match compile::path(path, message, suggest) {
                Ok(selected) => selection.add(selected),
                Err(fault) => faults.push(MaskFault {
                    number: index + 1,
                    ..fault
                }),
            }
        }
        if let Some(map) = selection.crowded(MAX_KEYS) {
            let reason = alloc::format!("expected at most {MAX_KEYS} keys of a map, found {map}");
            faults.push(MaskFault::of_header(MASK_HEADER, reason));
        }
        if !faults.is_empty() {
            return Err(MaskError::new(faults));
        }
        if self.paths.is_empty() {
            return Ok(Projection::all());
        }
        Ok(selection.compile(message))
    }

    /// Tells whether nothing was named, neither right nor wrong.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.faults.is_empty()
    }

    /// Counts `more` bytes and tells whether they are not too many.
    fn admit(&mut self, more: usize, header: &'static str) -> bool {
        let before = self.bytes;
        self.bytes = before.saturating_add(more);
        if self.bytes <= MAX_MASK_BYTES {
            return true;
        }
        if before <= MAX_MASK_BYTES {
            let found = self.bytes;
            let reason = alloc::format!("expected at most {MAX_MASK_BYTES} bytes, found {found}");
            self.faults.push(MaskFault::of_header(header, reason));
        }
        false
    }

    fn add_elements(&mut self, text: &str, encoded: bool) {
        for (start, element) in Elements::of(text) {
            if self.paths.len() == MAX_PATHS {
                let header = if encoded {
                    MASK_BIN_HEADER
                } else {
                    MASK_HEADER
                };
                let reason = alloc::format!("expected at most {MAX_PATHS} paths, found more");
                if !self.faults.iter().any(|fault| fault.reason == reason) {
                    self.faults.push(MaskFault::of_header(header, reason));
                }
                return;
            }
            self.paths.push(Path {
                text: element.to_owned(),
                start,
                encoded,
            });
        }
    }

    /// Notes what is wrong with a header once, in however many of its lines it is.
    fn fault_of_header(&mut self, header: &'static str, reason: &str) {
        let fault = MaskFault::of_header(header, reason.to_owned());
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// The elements of a mask with where they begin, those of nothing but blanks left out.
///
/// Commas in backquotes do not separate; nor do those in parentheses, so that the error about
/// parentheses can show all that stands in them.
struct Elements<'a> {
    text: &'a str,
    next: usize,
}

impl<'a> Elements<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, next: 0 }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        while self.next <= self.text.len() {
            let start = self.next;
            let rest = self.text.get(start..)?;
            let (mut quoted, mut open) = (false, 0_usize);
            let end = rest
                .bytes()
                .position(|byte| {
                    match byte {
                        b'`' => quoted = !quoted,
                        b'(' if !quoted => open += 1,
                        b')' if !quoted => open = open.saturating_sub(1),
                        _ => {}
                    }
                    byte == b',' && !quoted && open == 0
                })
                .unwrap_or(rest.len());
            self.next = start + end + 1;
            let element = rest.get(..end)?;
            let blanks = |c| matches!(c, ' ' | '\t');
            let trimmed = element.trim_matches(blanks);
            if !trimmed.is_empty() {
                let leading = element.len() - element.trim_start_matches(blanks).len();
                return Some((start + leading, trimmed));
            }
        }
        None
    }
}
