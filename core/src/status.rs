//! What a client can be told when a call does not succeed.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU64;

/// A gRPC status code, with the number that the protocol gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has these seventeen codes"
)]
#[repr(u8)]
pub enum Code {
    /// The call succeeded.
    Ok = 0,
    /// The caller gave up.
    Cancelled = 1,
    /// Nobody knows what went wrong.
    Unknown = 2,
    /// The request is wrong whatever the server's state.
    InvalidArgument = 3,
    /// Time ran out.
    DeadlineExceeded = 4,
    /// What was asked for does not exist.
    NotFound = 5,
    /// What was to be made exists.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// A limit was reached.
    ResourceExhausted = 8,
    /// The server is not in the state that the call needs.
    FailedPrecondition = 9,
    /// A conflict with another call.
    Aborted = 10,
    /// Beyond the valid range.
    OutOfRange = 11,
    /// The server does not know the method.
    Unimplemented = 12,
    /// Something that must hold does not.
    Internal = 13,
    /// The server is not there for now.
    Unavailable = 14,
    /// Bytes were lost for good.
    DataLoss = 15,
    /// The caller did not say who it is.
    Unauthenticated = 16,
}

impl Code {
    /// Every code in the order of its number.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// Returns the code with this number, if there is one.
    pub fn from_u8(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns the number that the protocol gives this code.
    pub const fn as_u8(self) -> u8 {
        self as u8
    }

    /// Returns the name that metrics of a kubelet use, as in Go's gRPC: `Canceled` has one l.
    pub const fn metric_name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "Canceled",
            Self::Unknown => "Unknown",
            Self::InvalidArgument => "InvalidArgument",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::NotFound => "NotFound",
            Self::AlreadyExists => "AlreadyExists",
            Self::PermissionDenied => "PermissionDenied",
            Self::ResourceExhausted => "ResourceExhausted",
            Self::FailedPrecondition => "FailedPrecondition",
            Self::Aborted => "Aborted",
            Self::OutOfRange => "OutOfRange",
            Self::Unimplemented => "Unimplemented",
            Self::Internal => "Internal",
            Self::Unavailable => "Unavailable",
            Self::DataLoss => "DataLoss",
            Self::Unauthenticated => "Unauthenticated",
        }
    }
}

/// The outcome of a call that did not succeed: a code, a text, and details that programs read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    code: Code,
    message: Cow<'static, str>,
    reason: Option<Cow<'static, str>>,
    retry_after_nanos: Option<NonZeroU64>,
    rare: Option<Box<Rare>>,
}

/// What few statuses have; apart, so that the others stay small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rare {
    /// Who defines the reason, if that is not [`Status::DOMAIN`].
    domain: Option<String>,
    metadata: Vec<(String, String)>,
    violations: Vec<Violation>,
}

/// One field of a request that cannot be accepted, as in `google.rpc.BadRequest`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the two fields of the wire message"
)]
pub struct Violation {
    /// The path to the field in the request.
    pub field: String,
    /// What is wrong and what would be right.
    pub description: String,
}

impl Status {
    /// Who defines the reasons of this API, as in `google.rpc.ErrorInfo`.
    pub const DOMAIN: &str = "podsapi";

    /// Returns a status without details; a literal text allocates nothing.
    pub fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
            reason: None,
            retry_after_nanos: None,
            rare: None,
        }
    }

    /// Returns the same status with the cause as a constant that programs can compare, as in
    /// `google.rpc.ErrorInfo`: upper case, words joined by underscores.
    #[must_use]
    pub fn with_reason(self, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..self
        }
    }

    /// Returns the same status with another definer of its reason than [`Status::DOMAIN`].
    #[must_use]
    pub fn with_domain(self, domain: &str) -> Self {
        let domain = (domain != Self::DOMAIN).then(|| domain.into());
        self.with_rare(|rare| rare.domain = domain)
    }

    /// Returns the same status with more about its reason, as names and values.
    #[must_use]
    pub fn with_metadata(self, metadata: Vec<(String, String)>) -> Self {
        self.with_rare(|rare| rare.metadata = metadata)
    }

    fn with_rare(self, change: impl FnOnce(&mut Rare)) -> Self {
        let mut rare = self.rare.unwrap_or_default();
        change(&mut rare);
        let rare = (*rare != Rare::default()).then_some(rare);
        Self { rare, ..self }
    }

    /// Returns the same status with the advice not to try again before this time has passed, as
    /// in `google.rpc.RetryInfo`.
    #[must_use]
    pub fn with_retry_after(self, nanos: u64) -> Self {
        Self {
            retry_after_nanos: NonZeroU64::new(nanos),
            ..self
        }
    }

    /// Returns the same status with `violations` as its details.
    #[must_use]
    pub fn with_violations(self, violations: Vec<Violation>) -> Self {
        self.with_rare(|rare| rare.violations = violations)
    }

    /// Returns the code.
    pub const fn code(&self) -> Code {
        self.code
    }

    /// Returns the text for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the cause as a constant, if it has one.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// Returns who defines the reason, if it has one: [`Status::DOMAIN`] unless another is named.
    pub fn domain(&self) -> Option<&str> {
        self.reason()?;
        let domain = self.rare.as_ref().and_then(|rare| rare.domain.as_deref());
        Some(domain.unwrap_or(Self::DOMAIN))
    }

    /// Returns more about the reason, as names and values; this API's own reasons have none.
    pub fn metadata(&self) -> &[(String, String)] {
        self.rare.as_ref().map_or(&[], |rare| &rare.metadata)
    }

    /// Returns the nanoseconds to wait before trying again, if that is known.
    pub fn retry_after_nanos(&self) -> Option<u64> {
        self.retry_after_nanos.map(NonZeroU64::get)
    }

    /// Returns what was wrong with single fields, in the order in which it was found.
    pub fn violations(&self) -> &[Violation] {
        self.rare.as_ref().map_or(&[], |rare| &rare.violations)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.metric_name(), self.message)
    }
}

impl core::error::Error for Status {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_from_0_to_16_names_its_code() {
        for number in 0..=16 {
            assert_eq!(Code::from_u8(number).map(Code::as_u8), Some(number));
        }
        assert_eq!(Code::from_u8(17), None);
    }

    #[test]
    fn a_literal_text_is_borrowed() {
        let status = Status::new(Code::Unavailable, "away");
        assert!(matches!(status.message, Cow::Borrowed("away")));
    }

    #[test]
    fn a_reason_is_of_this_api_unless_another_domain_is_named() {
        let status = Status::new(Code::Aborted, "no");
        assert_eq!(status.clone().with_domain("a.test").domain(), None);
        let status = status.with_reason("CONFLICT");
        assert_eq!(status.domain(), Some("podsapi"));
        let other = status.clone().with_domain("");
        assert_eq!(other.domain(), Some(""));
        let pairs = alloc::vec![(String::from("pod"), String::from("a"))];
        let other = other.with_metadata(pairs.clone()).with_domain("a.test");
        assert_eq!(
            (other.domain(), other.metadata()),
            (Some("a.test"), &pairs[..])
        );
        assert_eq!(
            other.with_metadata(Vec::new()).with_domain("podsapi"),
            status
        );
    }
}
