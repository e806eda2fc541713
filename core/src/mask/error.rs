//! What is wrong with a field mask, told to the client that sent it.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::status::{Code, Status, Violation};

use super::{MASK_BIN_HEADER, MASK_HEADER};

/// The most faults that the text of an error holds; more are in the details.
const FAULTS_IN_TEXT: usize = 8;

/// The most bytes of an error's text: clients break on long ones.
const MAX_TEXT_BYTES: usize = 1_024;

/// The most bytes of a path that is repeated to the client.
const MAX_ECHO_BYTES: usize = 128;

/// Everything that is wrong with a mask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskError {
    faults: Vec<MaskFault>,
}

/// What is wrong with one path of a mask, or with the whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MaskFault {
    pub(super) header: &'static str,
    /// Which path of the mask, counted from 1; 0 when it is the whole.
    pub(super) number: usize,
    pub(super) path: String,
    pub(super) start: usize,
    pub(super) offset: usize,
    pub(super) reason: String,
}

impl MaskError {
    pub(super) fn new(mut faults: Vec<MaskFault>) -> Self {
        faults.sort_by_key(|fault| fault.number);
        Self { faults }
    }

    /// Returns the faults in the order of their paths.
    pub fn faults(&self) -> &[MaskFault] {
        &self.faults
    }

    /// Returns what the client is told: `INVALID_ARGUMENT` with one violation for each fault.
    pub fn status(&self) -> Status {
        let violations = self.faults.iter().map(|fault| Violation {
            field: if fault.number == 0 {
                fault.header.to_string()
            } else {
                echo(&fault.path)
            },
            description: printable(&fault.reason),
        });
        Status::new(Code::InvalidArgument, self.to_string())
            .with_reason("INVALID_FIELD_MASK")
            .with_violations(violations.collect())
    }
}

impl MaskFault {
    pub(super) fn of_header(header: &'static str, reason: String) -> Self {
        Self {
            header,
            number: 0,
            path: String::new(),
            start: 0,
            offset: 0,
            reason,
        }
    }

    /// Returns a fault at a byte of a path. The number of the path is given later.
    pub(super) fn of_path(path: &super::Path, offset: usize, reason: String) -> Self {
        let header = if path.encoded {
            MASK_BIN_HEADER
        } else {
            MASK_HEADER
        };
        Self {
            header,
            number: 0,
            path: path.text.clone(),
            start: path.start,
            offset,
            reason,
        }
    }

    /// Returns which path is wrong, counted from 1, or 0 when it is the mask as a whole.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Returns the path as it was written.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns where the fault is in the path, in bytes.
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns where the path begins in the text that it was taken from, in bytes.
    pub const fn start(&self) -> usize {
        self.start
    }

    /// Returns what is wrong and what to write instead.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for MaskFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.number > 0 {
            write!(f, "path {} \"{}\": ", self.number, echo(&self.path))?;
        }
        f.write_str(&printable(&self.reason))
    }
}

impl fmt::Display for MaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let mut shown = 0;
        let mut header = "";
        for fault in self.faults.iter().take(FAULTS_IN_TEXT) {
            let mut more = String::new();
            if header != fault.header {
                write!(more, "{}: ", fault.header)?;
            }
            write!(more, "{fault}")?;
            let separator = if shown == 0 { "" } else { "; " };
            // The longest note of what is left out has fewer than 32 bytes.
            if text.len() + separator.len() + more.len() + 32 > MAX_TEXT_BYTES && shown > 0 {
                break;
            }
            text.push_str(separator);
            text.push_str(&more);
            header = fault.header;
            shown += 1;
        }
        let left = self.faults.len() - shown;
        if left > 0 {
            write!(text, "; and {left} more")?;
        }
        // The text is ASCII, so any byte is a boundary.
        text.truncate(MAX_TEXT_BYTES);
        f.write_str(&text)
    }
}

impl core::error::Error for MaskError {}

/// Repeats a path: escaped where it is not printable ASCII, and cut.
fn echo(path: &str) -> String {
    let mut text = printable(path);
    if text.len() > MAX_ECHO_BYTES {
        text.truncate(MAX_ECHO_BYTES - 3);
        text.push_str("...");
    }
    text
}

/// Replaces what is not printable ASCII.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if matches!(c, ' '..='~') { c } else { '?' })
        .collect()
}
