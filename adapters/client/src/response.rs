//! What the headers, trailers and resets of an answer mean in gRPC's terms.

use http::{HeaderMap, StatusCode};
use podsapi_core::{Code, Status};
use podsapi_grpc::trailers;
use podsapi_proto::text::readable;

use crate::error::{ClientError, TransportError};

/// Returns the status that `headers` carry: `Ok` for OK, `None` when they carry none.
pub(crate) fn status(headers: &HeaderMap) -> Option<Result<(), Status>> {
    headers.get("grpc-status")?;
    let fields = headers.iter();
    let status = trailers::decode(fields.map(|(name, value)| (name.as_ref(), value.as_bytes())));
    let is_ok = status.code() == Code::Ok;
    Some(if is_ok { Ok(()) } else { Err(status) })
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

#[cfg(test)]
mod tests {
    use super::*;

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
    fn details_come_with_the_status_and_broken_ones_leave_it_as_it_is() {
        let sent = Status::new(Code::ResourceExhausted, "slowly")
            .with_reason("RATE_LIMITED")
            .with_retry_after(1_500_000_000);
        let mut found: HeaderMap = trailers::encode(&sent, 0)
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        assert_eq!(status(&found), Some(Err(sent)));
        for odd in ["", "!!", "CAE", "CAE=", "/////w"] {
            found.insert("grpc-status-details-bin", odd.parse().unwrap());
            let bare = Status::new(Code::ResourceExhausted, "slowly");
            assert_eq!(status(&found), Some(Err(bare)), "{odd}");
        }
    }

    #[test]
    fn an_answer_that_is_not_grpc_is_refused_by_its_http_status() {
        let grpc = headers(&[("content-type", "application/grpc+proto")]);
        assert_eq!(check_head(StatusCode::OK, &grpc), Ok(()));
        for (number, code) in [
            (204, Code::Unknown),
            (302, Code::Unknown),
            (400, Code::Internal),
            (401, Code::Unauthenticated),
            (403, Code::PermissionDenied),
            (404, Code::Unimplemented),
            (415, Code::Unknown),
            (429, Code::Unavailable),
            (431, Code::Internal),
            (500, Code::Unknown),
            (501, Code::Unknown),
            (502, Code::Unavailable),
            (503, Code::Unavailable),
            (504, Code::Unavailable),
            (505, Code::Unknown),
        ] {
            let refusal = check_head(StatusCode::from_u16(number).unwrap(), &grpc).unwrap_err();
            assert_eq!(refusal.code(), code, "{number}");
            assert!(refusal.message().contains(&number.to_string()));
        }
        let none = check_head(StatusCode::OK, &HeaderMap::new()).unwrap_err();
        assert_eq!(none.code(), Code::Unknown);
        let html = headers(&[("content-type", "text/html")]);
        assert!(
            check_head(StatusCode::OK, &html)
                .unwrap_err()
                .message()
                .contains("text/html")
        );
    }
}
