//! Requests that pass the checks of their headers, and requests that do not.

use alloc::vec::Vec;

use podsapi_core::{Dialect, Method};

use super::*;

const LIST: &[u8] = b"/v1alpha1.Pods/ListPods";

fn check(method: &str, path: &[u8], headers: &[(&str, &[u8])]) -> Result<Request, Refusal> {
    let headers: Vec<_> = headers
        .iter()
        .map(|&(name, value)| (name.as_bytes(), value))
        .collect();
    Request::check(method.as_bytes(), path, headers)
}

fn list(headers: &[(&str, &[u8])]) -> Result<Request, Refusal> {
    let mut all: Vec<(&str, &[u8])> = [("content-type", &b"application/grpc"[..])].to_vec();
    all.extend_from_slice(headers);
    check("POST", LIST, &all)
}

#[test]
fn a_plain_request_passes() {
    let expected = Request {
        encoding: Encoding::Identity,
        route: Route::Pods(Dialect::V1alpha1, Method::ListPods),
        timeout_nanos: None,
        mask: MaskRequest::none(),
    };
    assert_eq!(list(&[]), Ok(expected));
}

#[test]
fn masks_are_taken_along_unchecked() {
    let mut expected = FieldMask::default();
    expected.add_text(b"status.phase");
    expected.add_text(b"no.such.field");
    let request = list(&[
        ("x-kubernetes-fieldmask", b"status.phase"),
        ("x-kubernetes-fieldmask-bin", b""),
        ("x-kubernetes-fieldmask", b"no.such.field"),
    ]);
    assert_eq!(request.unwrap().mask, MaskRequest::new(expected));
    let empty = list(&[("x-kubernetes-fieldmask", b" ,")]).unwrap();
    assert_eq!(empty.mask, MaskRequest::none());
}

#[test]
fn diagnostics_have_no_mask() {
    let headers: &[(&str, &[u8])] = &[
        ("content-type", b"application/grpc"),
        ("x-kubernetes-fieldmask", b"((("),
        ("x-kubernetes-fieldmask-bin", b"!"),
    ];
    let request = check("POST", b"/podsapi.v1.Diagnostics/GetStatus", headers).unwrap();
    assert_eq!(request.mask, MaskRequest::none());
}

#[test]
fn the_first_failing_check_decides() {
    let odd: &[(&str, &[u8])] = &[("grpc-timeout", b"x"), ("grpc-encoding", b"zstd")];
    let refusal = check("GET", b"/", odd).unwrap_err();
    assert_eq!(refusal.http_status, 415);

    let mut grpc = odd.to_vec();
    grpc.push(("content-type", b"application/grpc"));
    let refusal = check("GET", b"/", &grpc).unwrap_err();
    assert_eq!(
        (refusal.http_status, refusal.header),
        (405, Some(("allow", "POST")))
    );
    assert_eq!(refusal.status.code(), Code::Internal);

    let refusal = check("POST", b"/", &grpc).unwrap_err();
    assert_eq!(
        (refusal.http_status, refusal.status.code()),
        (200, Code::Unimplemented)
    );
    assert_eq!(refusal.header, None);

    let refusal = check("POST", LIST, &grpc).unwrap_err();
    assert_eq!(
        refusal.header,
        Some(("grpc-accept-encoding", "identity,gzip"))
    );
}

#[test]
fn content_types_of_grpc_with_protobuf_are_accepted() {
    let good: [&[u8]; 7] = [
        b"application/grpc",
        b"application/grpc+proto",
        b"application/grpc; charset=utf-8",
        b"Application/GRPC",
        b"application/grpc+Proto;x",
        b" application/grpc ",
        b"application/grpc;",
    ];
    for value in good {
        assert!(
            check("POST", LIST, &[("content-type", value)]).is_ok(),
            "{value:?}"
        );
    }
    let bad: [&[u8]; 9] = [
        b"application/grpc-web",
        b"application/grpcx",
        b"application/json",
        b"",
        b"application/grpc+json",
        b"application/grpc+",
        b"application/grp",
        b"\xff\xfe",
        b"application/grpc-web+proto",
    ];
    for value in bad {
        let refusal = check("POST", LIST, &[("content-type", value)]).unwrap_err();
        assert_eq!(refusal.http_status, 415, "{value:?}");
    }
    assert_eq!(check("POST", LIST, &[]).unwrap_err().http_status, 415);
}

#[test]
fn a_method_in_lower_case_is_not_allowed() {
    let headers: &[(&str, &[u8])] = &[("content-type", b"application/grpc")];
    assert_eq!(check("post", LIST, headers).unwrap_err().http_status, 405);
}

#[test]
fn timeouts_are_read_in_all_units() {
    let timeout = |value: &[u8]| list(&[("grpc-timeout", value)]).map(|r| r.timeout_nanos);
    assert_eq!(timeout(b"3S"), Ok(Some(3_000_000_000)));
    assert_eq!(timeout(b"3010m"), Ok(Some(3_010_000_000)));
    assert_eq!(timeout(b"99999999u"), Ok(Some(99_999_999_000)));
    assert_eq!(timeout(b"0n"), Ok(Some(0)));
    assert_eq!(timeout(b"1M"), Ok(Some(60_000_000_000)));
    assert_eq!(timeout(b"2H"), Ok(Some(7_200_000_000_000)));
    assert_eq!(timeout(b"99999999H"), Ok(Some(u64::MAX)));
    let bad: [&[u8]; 9] = [
        b"",
        b"S",
        b"123456789S",
        b"1s",
        b"+1S",
        b"1.5S",
        b"1 S",
        b" 1S",
        b"\xc3\xa9S",
    ];
    for value in bad {
        let refusal = timeout(value).unwrap_err();
        assert_eq!(refusal.status.code(), Code::Internal, "{value:?}");
        assert!(
            refusal
                .status
                .message()
                .starts_with("malformed grpc-timeout")
        );
    }
}

#[test]
fn the_first_of_two_timeouts_counts() {
    let request = list(&[("grpc-timeout", b"1S"), ("grpc-timeout", b"broken")]).unwrap();
    assert_eq!(request.timeout_nanos, Some(1_000_000_000));
}

#[test]
fn only_identity_and_gzip_are_taken() {
    let encoding = |headers: &[(&str, &[u8])]| list(headers).unwrap().encoding;
    assert_eq!(encoding(&[]), Encoding::Identity);
    assert_eq!(
        encoding(&[("grpc-encoding", b"identity")]),
        Encoding::Identity
    );
    let (gzip, identity) = (
        ("grpc-encoding", &b"gzip"[..]),
        ("grpc-encoding", &b"identity"[..]),
    );
    assert_eq!(encoding(&[gzip]), Encoding::Gzip);
    assert_eq!(encoding(&[gzip, identity]), Encoding::Gzip);
    assert_eq!(encoding(&[identity, gzip]), Encoding::Gzip);
    assert!(list(&[gzip, ("grpc-encoding", b"zstd")]).is_err());
    for value in [
        &b"GZIP"[..],
        b"deflate",
        b"",
        b"identity, gzip",
        b"x-gzip",
        b"\xff",
    ] {
        let refusal = list(&[("grpc-encoding", value)]).unwrap_err();
        assert_eq!(refusal.status.code(), Code::Unimplemented);
    }
}

#[test]
fn other_headers_are_ignored_whatever_they_hold() {
    let odd: &[(&str, &[u8])] = &[
        ("grpc-accept-encoding", b"identity, deflate,, gzip"),
        ("accept-encoding", b"br"),
        ("grpc-trace-bin", b"!!!"),
        ("grpc-status", b"7"),
        ("user-agent", b"\xff\xfe"),
        ("x-empty", b""),
        ("host", b"foo/bar"),
        ("te", b"trailers"),
    ];
    assert!(list(odd).is_ok());
}
