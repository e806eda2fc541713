//! What the headers, trailers and resets of an answer mean in gRPC's terms.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::{HeaderMap, StatusCode};
use podsapi_core::{Code, Status, Violation};
use podsapi_proto::google_rpc;
use podsapi_proto::google_rpc::bad_request::FieldViolation;
use podsapi_proto::text::{decode, readable};

use crate::error::{ClientError, TransportError};

/// Returns the status that `headers` carry: `Ok` for OK, `None` when they carry none.
pub(crate) fn status(headers: &HeaderMap) -> Option<Result<(), Status>> {
    let code = headers.get("grpc-status")?;
    let code = code
        .to_str()
        .ok()
        .and_then(|text| text.parse::<u8>().ok())
        .and_then(Code::from_u8)
        .unwrap_or(Code::Unknown);
    if code == Code::Ok {
        return Some(Ok(()));
    }
    let message = headers
        .get("grpc-message")
        .map_or_else(String::new, |value| percent_decoded(value.as_bytes()));
    let violations = headers
        .get("grpc-status-details-bin")
        .and_then(|value| LENIENT_BASE64.decode(value.as_bytes()).ok())
        .map_or_else(Vec::new, |details| violations(&details));
    Some(Err(Status::new(code, message).with_violations(violations)))
}

/// Refuses an answer that is not gRPC at all, with the code that gRPC's mapping of HTTP gives it.
pub(crate) fn check_head(status: StatusCode, headers: &HeaderMap) -> Result<(), Status> {
    if status != StatusCode::OK {
        let code = match status.as_u16() {
            400 | 431 => Code::Internal,
            401 => Code::Unauthenticated,
            403 => Code::PermissionDenied,
            404 => Code::Unimplemented,
            429 | 502..=504 => Code::Unavailable,
            _ => Code::Unknown,
        };
        return Err(Status::new(
            code,
            format!("the server answered with HTTP status {status}"),
        ));
    }
    let content_type = headers
        .get("content-type")
        .map_or(&b""[..], |value| value.as_bytes());
    if content_type.starts_with(b"application/grpc") {
        return Ok(());
    }
    let found = readable(content_type);
    let text = format!("expected content type application/grpc, found {found:?}");
    Err(Status::new(Code::Unknown, text))
}

/// Returns what the failure of a stream means: a reset is an answer, all else the transport's end.
pub(crate) fn stream_error(error: h2::Error) -> ClientError {
    let reset = error
        .reason()
        .filter(|_| error.is_reset() && error.is_remote());
    let Some(reason) = reset else {
        return ClientError::Transport(TransportError::Http2(std::sync::Arc::new(error)));
    };
    let code = match reason {
        h2::Reason::REFUSED_STREAM => Code::Unavailable,
        h2::Reason::CANCEL => Code::Cancelled,
        h2::Reason::ENHANCE_YOUR_CALM => Code::ResourceExhausted,
        h2::Reason::INADEQUATE_SECURITY => Code::PermissionDenied,
        _ => Code::Internal,
    };
    Status::new(
        code,
        format!("the server reset the call: {}", reason.description()),
    )
    .into()
}

/// Returns the field violations of an encoded `google.rpc.Status`; details that do not decode say
/// nothing, since code and message came without them.
fn violations(details: &[u8]) -> Vec<Violation> {
    let Ok(status) = decode::<google_rpc::Status>(details) else {
        return Vec::new();
    };
    let requests = status
        .details
        .iter()
        .filter(|detail| detail.type_url.ends_with("/google.rpc.BadRequest"))
        .filter_map(|detail| decode::<google_rpc::BadRequest>(detail.value.clone()).ok());
    requests
        .flat_map(|request| request.field_violations)
        .map(
            |FieldViolation {
                 field, description, ..
             }| Violation { field, description },
        )
        .collect()
}

/// Undoes the percent-encoding of `grpc-message`; what is not well encoded stays as it is.
fn percent_decoded(text: &[u8]) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let escaped = match tail {
            [high, low, after @ ..] if *first == b'%' => hex(*high)
                .zip(hex(*low))
                .map(|(high, low)| (high << 4 | low, after)),
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((*first, tail));
        decoded.push(byte);
        rest = after;
    }
    readable(&decoded).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

/// gRPC writes `-bin` values without padding and must accept both.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use podsapi_proto::well_known::Any;
    use prost::Message;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn a_status_carries_code_and_decoded_message() {
        let found = headers(&[
            ("grpc-status", "5"),
            ("grpc-message", "caf%C3%A9 100%25 %zz"),
        ]);
        let refusal = status(&found).unwrap().unwrap_err();
        assert_eq!(refusal.code(), Code::NotFound);
        assert_eq!(refusal.message(), "café 100% %zz");
    }

    #[test]
    fn headers_without_a_status_carry_none_and_zero_is_ok() {
        assert_eq!(status(&HeaderMap::new()), None);
        assert_eq!(status(&headers(&[("grpc-status", "0")])), Some(Ok(())));
    }

    #[test]
    fn a_status_nobody_knows_is_unknown() {
        for odd in ["99", "x", "", "-1"] {
            let found = headers(&[("grpc-status", odd)]);
            assert_eq!(status(&found).unwrap().unwrap_err().code(), Code::Unknown);
        }
    }

    #[test]
    fn violations_come_from_the_details_padded_or_not() {
        let request = google_rpc::BadRequest {
            field_violations: vec![FieldViolation {
                field: "spec.x".to_owned(),
                description: "no such field".to_owned(),
                ..Default::default()
            }],
        };
        let details = google_rpc::Status {
            code: 3,
            message: "bad mask".to_owned(),
            details: vec![any("type.googleapis.com/google.rpc.BadRequest", &request)],
        };
        let padded = base64::engine::general_purpose::STANDARD.encode(details.encode_to_vec());
        for value in [padded.as_str(), padded.trim_end_matches('=')] {
            let mut found = headers(&[("grpc-status", "3"), ("grpc-message", "bad mask")]);
            found.insert(
                "grpc-status-details-bin",
                HeaderValue::from_str(value).unwrap(),
            );
            let refusal = status(&found).unwrap().unwrap_err();
            let expected = Violation {
                field: "spec.x".to_owned(),
                description: "no such field".to_owned(),
            };
            assert_eq!(refusal.violations(), [expected]);
        }
    }

    fn any(type_url: &str, message: &impl Message) -> Any {
        Any {
            type_url: type_url.to_owned(),
            value: message.encode_to_vec().into(),
        }
    }

    #[test]
    fn an_answer_that_is_not_grpc_is_refused_by_its_http_status() {
        let grpc = headers(&[("content-type", "application/grpc+proto")]);
        assert_eq!(check_head(StatusCode::OK, &grpc), Ok(()));
        let code = |number| {
            check_head(StatusCode::from_u16(number).unwrap(), &grpc)
                .unwrap_err()
                .code()
        };
        assert_eq!(code(404), Code::Unimplemented);
        assert_eq!(code(503), Code::Unavailable);
        assert_eq!(code(415), Code::Unknown);
        let html = headers(&[("content-type", "text/html")]);
        assert!(
            check_head(StatusCode::OK, &html)
                .unwrap_err()
                .message()
                .contains("text/html")
        );
    }
}
