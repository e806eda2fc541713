//! What can be wrong with a text, with a value or with bytes.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

/// A text that is no JSON or no YAML, or one that is beyond a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextError {
    line: usize,
    column: usize,
    problem: Cow<'static, str>,
}

impl TextError {
    pub(crate) fn new(line: usize, column: usize, problem: impl Into<Cow<'static, str>>) -> Self {
        Self {
            line,
            column,
            problem: problem.into(),
        }
    }

    /// Returns the line of the problem, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column of the problem in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns what is wrong, without the place.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            problem,
        } = self;
        write!(f, "line {line}, column {column}: {problem}")
    }
}

impl core::error::Error for TextError {}

/// A value that does not fit the field it stands at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    path: String,
    problem: String,
}

impl JsonError {
    pub(crate) fn new(path: String, problem: String) -> Self {
        Self { path, problem }
    }

    /// Returns the field as JSON spells it, such as `spec.containers[0].env[1].value`; empty for the whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what was expected, what was found, and what to do.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

impl core::error::Error for JsonError {}

/// Bytes that are no encoded message of the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    path: String,
    problem: Cow<'static, str>,
}

impl DecodeError {
    pub(crate) fn new(path: String, problem: impl Into<Cow<'static, str>>) -> Self {
        Self {
            path,
            problem: problem.into(),
        }
    }

    /// Returns the field in which the bytes go wrong; empty for the whole.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

impl core::error::Error for DecodeError {}
