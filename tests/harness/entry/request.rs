//! The checks of request headers, on any bytes, beside a plain reading of the same.

use podsapi_core::{Code, Dialect, FieldMask, MaskRequest, Method};
use podsapi_grpc::dialect::{HealthMethod, ReflectionVersion, Route};
use podsapi_grpc::request::{Encoding, Refusal, Request};
use podsapi_grpc::trailers::{self, MAX_BLOCK_BYTES, field_bytes};

type Header<'a> = (&'a [u8], &'a [u8]);

/// HTTP status, gRPC code and the name of one more header.
type Refused = (u16, Code, Option<&'static str>);

/// A request is taken as a plain reading takes it, or gets an answer whose header block every
/// client takes and every HTTP library sends.
///
/// The lines of the input are the method, the path, and headers as `name:value`.
///
/// # Panics
///
/// When it is taken as something else, or a refusal cannot be sent.
pub fn request(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let method = lines.next().unwrap_or_default();
    let path = lines.next().unwrap_or_default();
    let headers: Vec<Header<'_>> = lines
        .map(|line| match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        })
        .collect();
    // Once as sent, and once past the checks that nothing random passes.
    let mut good: Vec<Header<'_>> = vec![(b"content-type", b"application/grpc")];
    good.extend(&headers);
    for (method, path, headers) in [
        (method, path, &headers),
        (b"POST", path, &good),
        (b"POST", b"/v1alpha1.Pods/GetPod", &good),
        (b"POST", b"/grpc.health.v1.Health/Check", &good),
    ] {
        let found = Request::check(method, path, headers.iter().copied());
        if let Err(refusal) = &found {
            can_be_sent(refusal);
        }
        let found = found.map_err(|refusal| {
            let header = refusal.header.map(|(name, _)| name);
            (refusal.http_status, refusal.status.code(), header)
        });
        assert_eq!(found, read_plainly(method, path, headers));
    }
}

/// The request as gRPC over HTTP/2 describes it, check by check.
fn read_plainly(method: &[u8], path: &[u8], headers: &[Header<'_>]) -> Result<Request, Refused> {
    let values = |wanted: &'static str| {
        let headers = headers.iter();
        headers.filter_map(move |(name, value)| (*name == wanted.as_bytes()).then_some(*value))
    };
    let content_type = values("content-type").next().map(String::from_utf8_lossy);
    let content_type = content_type.as_deref().and_then(|it| it.split(';').next());
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    let essence = content_type.trim_matches([' ', '\t', '\n', '\r', '\x0c']);
    if !matches!(essence, "application/grpc" | "application/grpc+proto") {
        return Err((415, Code::Unknown, None));
    }
    if method != b"POST" {
        return Err((405, Code::Internal, Some("allow")));
    }
    let route = ROUTES.iter().find(|(known, _)| known.as_bytes() == path);
    let (_, route) = route.ok_or((200, Code::Unimplemented, None))?;
    let known = |encoding: &[u8]| matches!(encoding, b"identity" | b"gzip");
    if !values("grpc-encoding").all(known) {
        return Err((200, Code::Unimplemented, Some("grpc-accept-encoding")));
    }
    let encoding = match values("grpc-encoding").any(|encoding| encoding == b"gzip") {
        true => Encoding::Gzip,
        false => Encoding::Identity,
    };
    let timeout = values("grpc-timeout").next();
    let timeout_nanos = timeout.map(|text| timeout_nanos(text).ok_or((200, Code::Internal, None)));
    let mut mask = FieldMask::default();
    for (name, value) in headers {
        match *name {
            b"x-kubernetes-fieldmask" => mask.add_text(value),
            b"x-kubernetes-fieldmask-bin" => add_encoded(&mut mask, value),
            _ => {}
        }
    }
    let takes_masks = matches!(route, Route::Pods(..)) && !mask.is_empty();
    Ok(Request {
        route: *route,
        encoding,
        timeout_nanos: timeout_nanos.transpose()?,
        mask: match takes_masks {
            true => MaskRequest::new(mask),
            false => MaskRequest::none(),
        },
    })
}

/// At most eight digits and a unit; what has no name in nanoseconds is as long as any has.
fn timeout_nanos(text: &[u8]) -> Option<u64> {
    let (digits, unit) = std::str::from_utf8(text)
        .ok()?
        .split_at_checked(text.len().checked_sub(1)?)?;
    let nanos: u128 = match unit {
        "H" => 3_600 * 1_000_000_000,
        "M" => 60 * 1_000_000_000,
        "S" => 1_000_000_000,
        "m" => 1_000_000,
        "u" => 1_000,
        "n" => 1,
        _ => return None,
    };
    let plain = (1..=8).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
    let count: u128 = digits.parse().ok().filter(|_| plain)?;
    Some(u64::try_from(count * nanos).unwrap_or(u64::MAX))
}

/// Values that were joined with commas, each the base64 of an encoded mask.
fn add_encoded(mask: &mut FieldMask, line: &[u8]) {
    for value in line.split(|byte| *byte == b',') {
        match base64(value.trim_ascii()) {
            Some(message) => mask.add_encoded(&message),
            None => mask.add_undecodable(),
        }
    }
}

/// Decodes the standard alphabet with all of its padding or less of it.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padding = text.iter().rev().take_while(|byte| **byte == b'=').count();
    let letters = text.get(..text.len() - padding)?;
    let mut bits = Vec::new();
    for letter in letters {
        let place = LETTERS.iter().position(|known| known == letter)?;
        bits.extend((0..6).rev().map(|bit| place >> bit & 1));
    }
    let spare = bits.len() % 8;
    let whole = letters.len().next_multiple_of(4) - letters.len();
    if whole == 3 || padding > whole || bits.iter().rev().take(spare).any(|bit| *bit == 1) {
        return None;
    }
    let bytes = bits.chunks_exact(8);
    let number = |bits: &[usize]| bits.iter().fold(0, |number, bit| number << 1 | bit);
    bytes.map(|bits| u8::try_from(number(bits)).ok()).collect()
}

/// Whatever a refusal says, it fits into a header block, and is read as what it was.
fn can_be_sent(refusal: &Refusal) {
    let fields = trailers::encode(&refusal.status, 0);
    let size: usize = fields
        .iter()
        .map(|(name, value)| field_bytes(name, value))
        .sum();
    assert!(size <= MAX_BLOCK_BYTES, "{size} bytes");
    for (name, value) in &fields {
        assert!(
            http::HeaderName::from_bytes(name.as_bytes()).is_ok(),
            "{name}"
        );
        assert!(
            value.bytes().all(|byte| (0x20..=0x7e).contains(&byte)),
            "{value}"
        );
    }
    let fields = fields
        .iter()
        .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let read = trailers::decode(fields);
    assert_eq!(read.code(), refusal.status.code());
    assert_eq!(read.message(), refusal.status.message());
}

/// All that is served.
const ROUTES: [(&str, Route); 12] = [
    ("/podsapi.v1.Diagnostics/GetStatus", Route::Diagnostics),
    (
        "/grpc.health.v1.Health/Check",
        Route::Health(HealthMethod::Check),
    ),
    (
        "/grpc.health.v1.Health/List",
        Route::Health(HealthMethod::List),
    ),
    (
        "/grpc.health.v1.Health/Watch",
        Route::Health(HealthMethod::Watch),
    ),
    (
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        Route::Reflection(ReflectionVersion::V1),
    ),
    (
        "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        Route::Reflection(ReflectionVersion::V1alpha),
    ),
    (
        "/v1alpha1.Pods/GetPod",
        Route::Pods(Dialect::V1alpha1, Method::GetPod),
    ),
    (
        "/v1alpha1.Pods/ListPods",
        Route::Pods(Dialect::V1alpha1, Method::ListPods),
    ),
    (
        "/v1alpha1.Pods/WatchPods",
        Route::Pods(Dialect::V1alpha1, Method::WatchPods),
    ),
    (
        "/Pods/GetPod",
        Route::Pods(Dialect::Documented, Method::GetPod),
    ),
    (
        "/Pods/ListPods",
        Route::Pods(Dialect::Documented, Method::ListPods),
    ),
    (
        "/Pods/WatchPods",
        Route::Pods(Dialect::Documented, Method::WatchPods),
    ),
];
