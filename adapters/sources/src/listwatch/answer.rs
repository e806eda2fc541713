//! What an API server says instead of an answer: a `Status`, or something that is none.

use podsapi_proto::json::{Value, parse_json};
use podsapi_proto::text::readable;

use super::envelope::Envelope;
use super::fields::{self, Fields};
use crate::tree;

/// A `Status` object, as far as anything follows from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status code of HTTP; zero where nobody says.
    pub(super) code: u16,
    /// The reason in one word, such as `Expired`.
    pub(super) reason: String,
    /// The reason for people.
    pub(super) message: String,
    /// The seconds after which the server wants to be asked again.
    pub(super) retry_after: Option<u64>,
    /// Whether the asked `resourceVersion` is newer than all that the server has.
    pub(super) ahead: bool,
}

impl Refusal {
    /// Reads an encoded `Status`.
    pub(super) fn in_protobuf(status: &[u8]) -> Self {
        let mut refusal = Self::default();
        for field in Fields::of(status) {
            match (field.number, field.value) {
                (number::MESSAGE, fields::Value::Bytes(text)) => refusal.message = lossy(text),
                (number::REASON, fields::Value::Bytes(text)) => refusal.reason = lossy(text),
                (number::CODE, fields::Value::Varint(code)) => {
                    refusal.code = u16::try_from(code).unwrap_or_default();
                }
                (number::DETAILS, fields::Value::Bytes(details)) => refusal.details(details),
                (_, fields::Value::Bytes(_) | fields::Value::Fixed | fields::Value::Varint(_)) => {}
            }
        }
        refusal.completed()
    }

    /// Reads a `Status` in JSON.
    pub(super) fn in_json(status: &Value) -> Self {
        let Some(status) = status.as_map() else {
            return Self::default();
        };
        let code = tree::integer(status, "code").and_then(|code| u16::try_from(code).ok());
        let details = tree::inner(status, "details");
        let wait = details.and_then(|details| tree::integer(details, "retryAfterSeconds"));
        let mut causes = details
            .into_iter()
            .flat_map(|details| tree::objects(details, "causes"));
        Self {
            code: code.unwrap_or_default(),
            reason: tree::text(status, "reason").to_owned(),
            message: tree::text(status, "message").to_owned(),
            retry_after: wait.and_then(positive),
            ahead: causes.any(|(_, cause)| tree::text(cause, "reason") == AHEAD),
        }
        .completed()
    }

    /// Reads the body of an answer with this status code, whatever it is.
    pub(super) fn in_body(code: u16, body: &[u8]) -> Self {
        let mut refusal = match Envelope::open(body) {
            Some(envelope) => Self::in_protobuf(envelope.object),
            None => match parse_json(body) {
                Ok(status @ Value::Map(_)) => Self::in_json(&status),
                Ok(_) | Err(_) => Self {
                    message: quoted(body),
                    ..Self::default()
                },
            },
        };
        refusal.code = code;
        refusal
    }

    /// Tells whether what was asked for is no longer there, so that all must be listed.
    pub(super) fn is_expired(&self) -> bool {
        self.code == GONE || matches!(self.reason.as_str(), "Expired" | "Gone")
    }

    fn details(&mut self, details: &[u8]) {
        for field in Fields::of(details) {
            match (field.number, field.value) {
                (number::CAUSES, fields::Value::Bytes(cause)) => {
                    self.ahead |= fields::text(cause, number::CAUSE_REASON) == AHEAD;
                }
                (number::RETRY_AFTER, fields::Value::Varint(wait)) => {
                    self.retry_after = i64::try_from(wait).ok().and_then(positive);
                }
                (_, fields::Value::Bytes(_) | fields::Value::Fixed | fields::Value::Varint(_)) => {}
            }
        }
    }

    /// Older servers say it in words alone.
    fn completed(mut self) -> Self {
        self.ahead |= self.message.contains("Too large resource version");
        self
    }
}

/// Returns the beginning of a body that is no `Status`, unless it repeats what it was asked with:
/// that has the credentials.
fn quoted(body: &[u8]) -> String {
    let text = lossy(body.get(..FOREIGN_BYTES).unwrap_or(body));
    let small = text.to_ascii_lowercase();
    let mut secrets = ["authorization", "bearer", "token"].into_iter();
    match secrets.any(|word| small.contains(word)) {
        true => "an answer that may hold credentials, not shown".to_owned(),
        false => text.trim().to_owned(),
    }
}

fn lossy(text: &[u8]) -> String {
    readable(text).into_owned()
}

fn positive(seconds: i64) -> Option<u64> {
    u64::try_from(seconds).ok().filter(|seconds| *seconds > 0)
}

/// The status code of HTTP for what was there once.
const GONE: u16 = 410;

/// The cause of a refusal because of a `resourceVersion` that the server has not seen.
const AHEAD: &str = "ResourceVersionTooLarge";

/// As much of a body that is no `Status` as shows what answered.
const FOREIGN_BYTES: usize = 200;

/// The numbers of the fields of `Status`, `StatusDetails` and `StatusCause`.
mod number {
    pub(super) const MESSAGE: u32 = 3;
    pub(super) const REASON: u32 = 4;
    pub(super) const DETAILS: u32 = 5;
    pub(super) const CODE: u32 = 6;
    pub(super) const CAUSES: u32 = 4;
    pub(super) const RETRY_AFTER: u32 = 5;
    pub(super) const CAUSE_REASON: u32 = 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_says_the_same_in_both_forms() {
        let json = br#"{"kind":"Status","message":"busy","reason":"Timeout","code":504,
            "details":{"retryAfterSeconds":7,"causes":[{"reason":"ResourceVersionTooLarge"}]}}"#;
        let protobuf = b"k8s\0\x12\x32\x1a\x04busy\x22\x07Timeout\x2a\x1d\
            \x22\x19\x0a\x17ResourceVersionTooLarge\x28\x07\x30\xf8\x03";
        let expected = Refusal {
            code: 504,
            reason: "Timeout".to_owned(),
            message: "busy".to_owned(),
            retry_after: Some(7),
            ahead: true,
        };
        assert_eq!(Refusal::in_body(504, json), expected);
        assert_eq!(Refusal::in_body(504, protobuf), expected);
    }

    #[test]
    fn a_body_that_is_no_status_is_quoted() {
        let page = format!("<html>{}", "x".repeat(500));
        let refusal = Refusal::in_body(502, page.as_bytes());
        assert_eq!(refusal.code, 502);
        assert!(refusal.message.starts_with("<html>xx"));
        assert_eq!(refusal.message.len(), 200);
        assert_eq!(Refusal::in_body(500, b"").message, "");
    }

    #[test]
    fn a_body_that_repeats_the_request_is_not_quoted() {
        for echo in [
            "GET / HTTP/1.1\r\nAuthorization: Bearer word",
            "{\"headers\": [\"authorization\", \"Basic d29yZA\"",
            "X-Forwarded-Access-Token: word",
        ] {
            let refusal = Refusal::in_body(400, echo.as_bytes());
            let expected = "an answer that may hold credentials, not shown";
            assert_eq!(refusal.message, expected, "{echo}");
        }
    }

    #[test]
    fn what_is_expired_is_known_by_its_code_or_its_reason() {
        for (code, reason) in [(410, ""), (0, "Expired"), (0, "Gone")] {
            let reason = reason.to_owned();
            let refusal = Refusal {
                code,
                reason,
                ..Refusal::default()
            };
            assert!(refusal.is_expired());
        }
        assert!(!Refusal::default().is_expired());
    }
}
