//! The checks of a request's headers, in their fixed order.

use alloc::format;

use podsapi_core::{Code, FieldMask, MaskRequest, Status};

use crate::{dialect::Route, fieldmask, text::escape};

/// A request whose headers passed every check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a driver uses every field")]
pub struct Request {
    /// What the path names.
    pub route: Route,
    /// How the messages that are marked as compressed were.
    pub encoding: Encoding,
    /// How long the client is ready to wait, in nanoseconds; none when it set no deadline.
    pub timeout_nanos: Option<u64>,
    /// The fields that the client asks for, which the service checks; none but for pods.
    pub mask: MaskRequest,
}

/// How the compressed messages of a call are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver inflates every one")]
pub enum Encoding {
    /// Not at all.
    #[default]
    Identity,
    /// As in RFC 1952, in one or more members.
    Gzip,
}

impl Encoding {
    /// Those that are taken, as `grpc-accept-encoding` lists them.
    pub const ACCEPTED: &'static str = "identity,gzip";

    /// Returns the encoding of this name; names are in lower case and nothing else.
    fn find(name: &[u8]) -> Option<Self> {
        match name {
            b"identity" => Some(Self::Identity),
            b"gzip" => Some(Self::Gzip),
            _ => None,
        }
    }
}

impl Request {
    /// Checks method, path and headers: content-type, then method, then path, then the rest.
    ///
    /// Names are lower case as on the wire; values may hold any bytes. Of a repeated header the
    /// first counts, but every `grpc-encoding` must be one that is understood, and one of them that
    /// compresses lets messages be compressed; and the masks of all
    /// `x-kubernetes-fieldmask` and `x-kubernetes-fieldmask-bin` headers are united.
    ///
    /// # Errors
    ///
    /// The answer for the first check that fails.
    pub fn check<'a>(
        method: &[u8],
        path: &[u8],
        headers: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    ) -> Result<Self, Refusal> {
        let mut content_type = None;
        let mut timeout = None;
        let mut encoding = Encoding::Identity;
        let mut odd_encoding = None;
        let mut mask = FieldMask::default();
        for (name, value) in headers {
            match name {
                b"content-type" => content_type = content_type.or(Some(value)),
                b"grpc-timeout" => timeout = timeout.or(Some(value)),
                b"grpc-encoding" => match Encoding::find(value) {
                    Some(Encoding::Identity) => {}
                    Some(named) => encoding = named,
                    None => odd_encoding = odd_encoding.or(Some(value)),
                },
                _ => fieldmask::add_header(&mut mask, name, value),
            }
        }
        if !content_type.is_some_and(is_grpc) {
            return Err(Refusal::content_type(content_type));
        }
        if method != b"POST" {
            return Err(Refusal::method(method));
        }
        let route = Route::find(path).map_err(Refusal::status_only)?;
        if let Some(encoding) = odd_encoding {
            return Err(Refusal::encoding(encoding));
        }
        let timeout_nanos = match timeout {
            None => None,
            Some(value) => Some(parse_timeout(value).ok_or_else(|| {
                let text = format!("malformed grpc-timeout \"{}\"", escape(value));
                Refusal::status_only(Status::new(Code::Internal, text))
            })?),
        };
        let mask = match route {
            Route::Pods(..) if !mask.is_empty() => MaskRequest::new(mask),
            Route::Pods(..) | Route::Diagnostics | Route::Health(_) | Route::Reflection(_) => {
                MaskRequest::none()
            }
        };
        Ok(Self {
            route,
            encoding,
            timeout_nanos,
            mask,
        })
    }
}

/// An answer without a message: HTTP status, headers and the gRPC status in one block.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "a driver sends every field")]
pub struct Refusal {
    /// The HTTP status, 200 unless the request was not gRPC at all.
    pub http_status: u16,
    /// One more header that belongs to this answer.
    pub header: Option<(&'static str, &'static str)>,
    /// What the client is told.
    pub status: Status,
}

impl Refusal {
    /// Returns the refusal of a request that was gRPC: HTTP 200 and the status.
    pub fn status_only(status: Status) -> Self {
        Self {
            http_status: 200,
            header: None,
            status,
        }
    }

    /// Returns the refusal of a request whose headers take `bytes` as HPACK counts them, more than
    /// `limit`; a driver counts them, and looks at nothing else then.
    pub fn headers_too_large(bytes: usize, limit: usize) -> Self {
        let text = format!(
            "the request headers take {bytes} bytes, expected at most {limit}; send less metadata"
        );
        Self {
            http_status: 431,
            header: None,
            status: Status::new(Code::ResourceExhausted, text).with_reason("HEADERS_TOO_LARGE"),
        }
    }

    fn content_type(found: Option<&[u8]>) -> Self {
        let text = match found {
            Some(found) => {
                format!(
                    "content-type is \"{}\", expected application/grpc",
                    escape(found)
                )
            }
            None => "content-type is missing, expected application/grpc".into(),
        };
        Self {
            http_status: 415,
            header: None,
            status: Status::new(Code::Unknown, text),
        }
    }

    fn method(found: &[u8]) -> Self {
        let text = format!("HTTP method is \"{}\", expected POST", escape(found));
        let status = Status::new(Code::Internal, text);
        Self {
            http_status: 405,
            header: Some(("allow", "POST")),
            status,
        }
    }

    fn encoding(found: &[u8]) -> Self {
        let found = escape(found);
        let text = format!("grpc-encoding is \"{found}\", expected identity or gzip");
        let status = Status::new(Code::Unimplemented, text);
        Self {
            http_status: 200,
            header: Some(("grpc-accept-encoding", Encoding::ACCEPTED)),
            status,
        }
    }
}

/// Returns whether a content-type is gRPC with protobuf messages: `application/grpc`, alone or
/// with the subtype `+proto`, whatever parameters follow.
fn is_grpc(value: &[u8]) -> bool {
    const BASE: &[u8] = b"application/grpc";
    let essence = value
        .split(|&byte| byte == b';')
        .next()
        .unwrap_or(value)
        .trim_ascii();
    let Some((base, subtype)) = essence.split_at_checked(BASE.len()) else {
        return false;
    };
    base.eq_ignore_ascii_case(BASE)
        && (subtype.is_empty() || subtype.eq_ignore_ascii_case(b"+proto"))
}

/// Reads one to eight digits and a unit; a time too long to be named becomes the longest.
fn parse_timeout(value: &[u8]) -> Option<u64> {
    let (unit, digits) = value.split_last()?;
    let nanos_per_unit: u64 = match unit {
        b'H' => 3_600_000_000_000,
        b'M' => 60_000_000_000,
        b'S' => 1_000_000_000,
        b'm' => 1_000_000,
        b'u' => 1_000,
        b'n' => 1,
        _ => return None,
    };
    if digits.is_empty() || digits.len() > 8 {
        return None;
    }
    let mut count: u64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        count = count * 10 + u64::from(digit - b'0');
    }
    Some(count.saturating_mul(nanos_per_unit))
}

#[cfg(test)]
mod tests;
