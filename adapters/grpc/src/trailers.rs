//! A status as the trailing headers of a call, and back.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use base64::{
    Engine,
    alphabet::STANDARD,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use podsapi_core::{Code, Status, Violation};
use podsapi_proto::text::{decode as decode_message, readable};
use podsapi_proto::{
    google_rpc,
    well_known::{Any, Duration},
};
use prost::Message;

/// Largest block of response headers, counted as HPACK does: name, value and 32 for each field.
///
/// 7 KiB: grpc-core and grpc-java refuse blocks from 8 KiB on, and a proxy may add a field.
pub const MAX_BLOCK_BYTES: usize = 7 << 10;

/// Longest details that are read, in base64: twice what is ever written, as for the whole block that
/// a client takes.
pub const MAX_DETAILS_BYTES: usize = 2 * MAX_BLOCK_BYTES;

/// Full names of the messages that the details of a status are made of; each is defined by reflection.
pub const DETAIL_TYPES: [&str; 3] = [BAD_REQUEST, ERROR_INFO, RETRY_INFO];

/// One response header or trailer; the value is printable ASCII.
pub type Field = (&'static str, String);

/// Returns what a field takes from [`MAX_BLOCK_BYTES`].
pub const fn field_bytes(name: &str, value: &str) -> usize {
    name.len() + value.len() + FIELD_OVERHEAD_BYTES
}

/// Returns the fields that tell a status, to be sent in a block in which other fields already
/// take `used_bytes`.
///
/// A message that does not fit is cut between characters, and details that do not fit are left
/// out: violations first, the last ones of them before the others.
pub fn encode(status: &Status, used_bytes: usize) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut room = MAX_BLOCK_BYTES.saturating_sub(used_bytes);
    let mut add = |room: &mut usize, name, value: String| {
        *room = room.saturating_sub(field_bytes(name, &value));
        fields.push((name, value));
    };

    add(&mut room, STATUS, status.code().as_u8().to_string());
    let details_follow = status.reason().is_some()
        || status.retry_after_nanos().is_some()
        || !status.violations().is_empty();
    let message_room = if details_follow { room / 4 } else { room };
    let message = fitting(
        status.message(),
        message_room.saturating_sub(field_bytes(MESSAGE, "")),
    );
    if !message.is_empty() {
        add(&mut room, MESSAGE, percent_encode(message));
    }
    if details_follow {
        let details_room = room.saturating_sub(field_bytes(DETAILS, "")) / 4 * 3;
        if let Some(details) = details(status, message, details_room) {
            add(&mut room, DETAILS, BASE64.encode(details));
        }
    }
    fields
}

/// Reads the status from the trailers of a call; the first field of each name counts.
///
/// A missing or unreadable `grpc-status` is UNKNOWN. Details are taken one by one, and what cannot be
/// read, is longer than [`MAX_DETAILS_BYTES`] or is more than this crate would write is ignored: it
/// never changes code and text, which came without it.
pub fn decode<'a>(trailers: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Status {
    let (mut code, mut message, mut details) = (None, None, None);
    for (name, value) in trailers {
        if name == STATUS.as_bytes() {
            code = code.or(Some(value));
        } else if name == MESSAGE.as_bytes() {
            message = message.or(Some(value));
        } else if name == DETAILS.as_bytes() {
            details = details.or(Some(value));
        }
    }
    let text = message.map(percent_decode).unwrap_or_default();
    let Some(code) = code else {
        return Status::new(Code::Unknown, "the answer carries no grpc-status");
    };
    let known = core::str::from_utf8(code)
        .ok()
        .and_then(|code| code.parse().ok());
    match known.and_then(Code::from_u8) {
        Some(code) => {
            let status = Status::new(code, text);
            match details {
                Some(details) => with_details(status, details),
                None => status,
            }
        }
        None => {
            let code = crate::text::escape(code);
            Status::new(Code::Unknown, format!("grpc-status is \"{code}\": {text}"))
        }
    }
}

const STATUS: &str = "grpc-status";
const MESSAGE: &str = "grpc-message";
const DETAILS: &str = "grpc-status-details-bin";
const BAD_REQUEST: &str = "google.rpc.BadRequest";
const ERROR_INFO: &str = "google.rpc.ErrorInfo";
const RETRY_INFO: &str = "google.rpc.RetryInfo";

/// Most violations that are read: a block of ours has room for fewer.
const MAX_VIOLATIONS: usize = 256;

/// Most pairs of metadata that are read.
const MAX_METADATA: usize = 64;

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// What HPACK counts for a field beside its name and value (RFC 7541 section 4.1).
const FIELD_OVERHEAD_BYTES: usize = 32;

/// Written without padding, read with or without.
pub(crate) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the longest beginning of the text that is encoded in `room` bytes.
fn fitting(text: &str, room: usize) -> &str {
    let mut used = 0;
    for (start, character) in text.char_indices() {
        let mut utf8 = [0; 4];
        for (at, &byte) in (start..).zip(character.encode_utf8(&mut utf8).as_bytes()) {
            used += if is_plain(byte) && !is_edge_space(text, at) {
                1
            } else {
                3
            };
        }
        if used > room {
            return text.get(..start).unwrap_or_default().trim_end_matches(' ');
        }
    }
    text
}

/// Returns whether a byte stands for itself in `grpc-message`.
fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'%'
}

/// Returns whether a space begins or ends the text at `at`: a field value may do neither (RFC 9113
/// section 8.2.1), so it is encoded there.
fn is_edge_space(text: &str, at: usize) -> bool {
    (at == 0 || at + 1 == text.len()) && text.as_bytes().get(at) == Some(&b' ')
}

fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for (at, byte) in text.bytes().enumerate() {
        if is_plain(byte) && !is_edge_space(text, at) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Undoes the encoding; what is no escape stands for itself.
fn percent_decode(value: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((&byte, tail)) = rest.split_first() {
        let escaped = match (byte, tail) {
            (b'%', [high, low, after @ ..]) => hex(*high).zip(hex(*low)).map(|pair| (pair, after)),
            _ => None,
        };
        rest = match escaped {
            Some(((high, low), after)) => {
                bytes.push(high << 4 | low);
                after
            }
            None => {
                bytes.push(byte);
                tail
            }
        };
    }
    readable(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Returns the details: cause, time to wait, and as many violations as fit into `room` bytes; none
/// if not one of them fits.
fn details(status: &Status, message: &str, room: usize) -> Option<Vec<u8>> {
    let mut whole = google_rpc::Status {
        code: i32::from(status.code().as_u8()),
        message: message.to_string(),
        details: Vec::new(),
    };
    if let Some(reason) = status.reason() {
        let mut info = google_rpc::ErrorInfo {
            reason: reason.to_string(),
            domain: status.domain().unwrap_or_default().to_string(),
            metadata: status.metadata().iter().cloned().collect(),
        };
        // The reason is worth more than what is said about it.
        if info.encoded_len() > room / 2 {
            info.metadata.clear();
        }
        whole.details.push(packed(ERROR_INFO, &info));
    }
    if let Some(nanos) = status.retry_after_nanos() {
        let retry_delay = Some(Duration {
            seconds: i64::try_from(nanos / NANOS_PER_SECOND).unwrap_or(i64::MAX),
            nanos: i32::try_from(nanos % NANOS_PER_SECOND).unwrap_or_default(),
        });
        let info = google_rpc::RetryInfo { retry_delay };
        whole.details.push(packed(RETRY_INFO, &info));
    }
    let mut encoded = None;
    let before = whole.details.len();
    if before > 0 && whole.encoded_len() <= room {
        encoded = Some(whole.encode_to_vec());
    }
    let mut request = google_rpc::BadRequest::default();
    for violation in status.violations() {
        request
            .field_violations
            .push(google_rpc::bad_request::FieldViolation {
                field: violation.field.clone(),
                description: violation.description.clone(),
                ..Default::default()
            });
        whole.details.truncate(before);
        whole.details.push(packed(BAD_REQUEST, &request));
        if whole.encoded_len() > room {
            break;
        }
        encoded = Some(whole.encode_to_vec());
    }
    encoded
}

fn packed(name: &str, detail: &impl Message) -> Any {
    Any {
        type_url: format!("type.googleapis.com/{name}"),
        value: detail.encode_to_vec().into(),
    }
}

/// Adds what the details tell to a status; of each type but violations the first one counts.
fn with_details(mut status: Status, value: &[u8]) -> Status {
    if value.len() > MAX_DETAILS_BYTES {
        return status;
    }
    let details = BASE64
        .decode(value)
        .ok()
        .and_then(|bytes| decode_message::<google_rpc::Status>(bytes.as_slice()).ok())
        .unwrap_or_default()
        .details;
    let mut violations = Vec::new();
    for Any { type_url, value } in details {
        let value = value.as_ref();
        // Only what follows the last slash names the type.
        match type_url.rsplit('/').next().unwrap_or_default() {
            BAD_REQUEST => {
                let request = decode_message::<google_rpc::BadRequest>(value).unwrap_or_default();
                violations.extend(request.field_violations.into_iter().map(|one| Violation {
                    field: one.field,
                    description: one.description,
                }));
                violations.truncate(MAX_VIOLATIONS);
            }
            ERROR_INFO if status.reason().is_none() => {
                let info = decode_message::<google_rpc::ErrorInfo>(value).unwrap_or_default();
                if !info.reason.is_empty() {
                    let metadata = info.metadata.into_iter().take(MAX_METADATA);
                    status = status
                        .with_reason(info.reason)
                        .with_domain(&info.domain)
                        .with_metadata(metadata.collect());
                }
            }
            RETRY_INFO if status.retry_after_nanos().is_none() => {
                let info = google_rpc::RetryInfo::decode(value).unwrap_or_default();
                let nanos = info.retry_delay.and_then(|delay| {
                    let seconds = u64::try_from(delay.seconds).ok()?;
                    let nanos = u64::try_from(delay.nanos).ok()?;
                    seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(nanos)
                });
                status = status.with_retry_after(nanos.unwrap_or_default());
            }
            _ => {}
        }
    }
    status.with_violations(violations)
}

#[cfg(test)]
mod tests;
