//! Tests of statuses as trailers.

use alloc::vec;

use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

use super::*;

fn there_and_back(status: &Status) -> Status {
    let fields = encode(status, 0);
    decode(
        fields
            .iter()
            .map(|(name, value)| (name.as_bytes(), value.as_bytes())),
    )
}

fn violation(field: impl Into<String>, description: impl Into<String>) -> Violation {
    Violation {
        field: field.into(),
        description: description.into(),
    }
}

fn block_bytes(fields: &[Field]) -> usize {
    fields
        .iter()
        .map(|(name, value)| field_bytes(name, value))
        .sum()
}

#[test]
fn an_ok_status_is_one_field() {
    let fields = encode(&Status::new(Code::Ok, ""), 0);
    assert_eq!(fields, [("grpc-status", "0".to_string())]);
}

#[test]
fn codes_are_decimal_without_leading_zero() {
    for number in 0..=16 {
        let code = Code::from_u8(number).unwrap();
        let fields = encode(&Status::new(code, ""), 0);
        assert_eq!(fields[0].1, format!("{number}"));
    }
}

#[test]
fn the_message_is_encoded_as_little_as_possible() {
    let message = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n";
    assert_eq!(
        percent_encode(message),
        "%09%0Atest with whitespace%0D%0Aand Unicode BMP %E2%98%BA and non-BMP %F0%9F%98%88%09%0A"
    );
    assert_eq!(
        percent_encode("a#b?c/d:e\"<>`{}~100%\x7f"),
        "a#b?c/d:e\"<>`{}~100%25%7F"
    );
}

#[test]
fn what_is_no_escape_stands_for_itself() {
    assert_eq!(percent_decode(b"100%"), "100%");
    assert_eq!(percent_decode(b"%zz%4"), "%zz%4");
    assert_eq!(percent_decode(b"%e2%98%ba"), "☺");
    assert_eq!(percent_decode(b"%ff"), "\u{fffd}");
}

#[test]
fn a_long_message_is_cut_between_characters() {
    for text in ["a", "é", "☺", "😈", "%"] {
        let status = Status::new(Code::Internal, text.repeat(20_000));
        let fields = encode(&status, 500);
        let used = 500 + block_bytes(&fields);
        assert!(used <= MAX_BLOCK_BYTES, "{used}");
        assert!(used > MAX_BLOCK_BYTES - 16, "{used}");
        let back = there_and_back(&status);
        assert!(!back.message().is_empty());
        assert!(back.message().chars().all(|found| text.contains(found)));
    }
}

#[test]
fn a_full_block_leaves_the_code_alone() {
    let fields = encode(&Status::new(Code::NotFound, "gone"), MAX_BLOCK_BYTES);
    assert_eq!(fields, [("grpc-status", "5".to_string())]);
}

#[test]
fn violations_travel_as_details_with_the_same_code_and_message() {
    let violations = vec![violation("spec.x", "no such field"), violation("", "empty")];
    let status = Status::new(Code::InvalidArgument, "bad mask").with_violations(violations);
    let fields = encode(&status, 0);
    let (name, value) = &fields[2];
    assert_eq!(*name, "grpc-status-details-bin");
    assert!(!value.contains('='));
    let details = google_rpc::Status::decode(BASE64.decode(value).unwrap().as_slice()).unwrap();
    assert_eq!((details.code, details.message.as_str()), (3, "bad mask"));
    assert_eq!(there_and_back(&status), status);
}

#[test]
fn violations_that_do_not_fit_are_left_out_from_the_end() {
    let violations: Vec<_> = (0..500)
        .map(|n| violation(format!("field{n}"), "y".repeat(50)))
        .collect();
    let status = Status::new(Code::InvalidArgument, "m".repeat(9000)).with_violations(violations);
    let fields = encode(&status, 100);
    assert!(100 + block_bytes(&fields) <= MAX_BLOCK_BYTES);
    // The message is cut, and the details say it as the headers do.
    let [_, (MESSAGE, message), (DETAILS, details)] = &fields[..] else {
        panic!("{fields:?}")
    };
    assert!((100..9000).contains(&message.len()), "{}", message.len());
    let details = BASE64.decode(details).unwrap();
    let details = google_rpc::Status::decode(details.as_slice()).unwrap();
    assert_eq!((details.code, &details.message), (3, message));
    let back = there_and_back(&status);
    assert!(
        (20..500).contains(&back.violations().len()),
        "{}",
        back.violations().len()
    );
    assert_eq!(
        back.violations(),
        &status.violations()[..back.violations().len()]
    );
}

#[test]
fn trailers_without_a_readable_status_are_unknown() {
    let none: [(&[u8], &[u8]); 0] = [];
    assert_eq!(decode(none).code(), Code::Unknown);
    for odd in [&b"99"[..], b"", b"x", b"\xff", b"-1"] {
        let status = decode([(&b"grpc-status"[..], odd), (b"grpc-message", b"why")]);
        assert_eq!(status.code(), Code::Unknown);
        assert!(status.message().ends_with("why"));
    }
    let broken = decode([
        (&b"grpc-status"[..], &b"3"[..]),
        (b"grpc-status-details-bin", b"!!"),
    ]);
    assert_eq!(
        (broken.code(), broken.violations().len()),
        (Code::InvalidArgument, 0)
    );
}

proptest! {
    #[test]
    fn every_block_is_within_its_bound_and_is_printable_ascii(
        text in ".{0,3000}",
        fields in proptest::collection::vec((".{0,40}", ".{0,400}"), 0..20),
        used in 0usize..9000,
    ) {
        let violations: Vec<_> =
            fields.into_iter().map(|(field, text)| violation(field, text)).collect();
        let status = Status::new(Code::InvalidArgument, text).with_violations(violations);
        let encoded = encode(&status, used);
        let code_alone = field_bytes(STATUS, "3");
        prop_assert!(used + block_bytes(&encoded) <= MAX_BLOCK_BYTES.max(used + code_alone));
        for (_, value) in &encoded {
            prop_assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        }
    }

    #[test]
    fn a_message_that_fits_comes_back_whole(text in ".{0,500}") {
        let back = there_and_back(&Status::new(Code::Internal, text.clone()));
        prop_assert_eq!(back.message(), text);
    }

    #[test]
    fn decoding_never_panics(value in proptest::collection::vec(any::<u8>(), 0..200)) {
        decode([(&b"grpc-status"[..], &b"3"[..]), (b"grpc-message", &value)]);
        decode([(&b"grpc-status"[..], &b"3"[..]), (b"grpc-status-details-bin", &value)]);
        decode([(&b"grpc-status"[..], &value[..])]);
    }
}

#[test]
fn reason_and_time_to_wait_survive_the_way() {
    let status = Status::new(Code::ResourceExhausted, "rejected by rate limit")
        .with_reason("RATE_LIMITED")
        .with_retry_after(1_500_000_000);
    assert_eq!(there_and_back(&status), status);
    let both = status.with_violations(vec![violation("spec.x", "no such field")]);
    assert_eq!(there_and_back(&both), both);
}

#[test]
fn a_reason_is_kept_when_violations_do_not_fit() {
    let status = Status::new(Code::InvalidArgument, "bad")
        .with_reason("INVALID_FIELD_MASK")
        .with_violations(vec![violation("x".repeat(20_000), "y")]);
    let back = there_and_back(&status);
    assert_eq!(back.reason(), Some("INVALID_FIELD_MASK"));
    assert_eq!(back.violations(), []);
}

#[test]
fn a_message_neither_begins_nor_ends_with_a_space() {
    for text in ["a ", " a", "  a  ", " "] {
        for (_, value) in encode(&Status::new(Code::Internal, text), 0) {
            assert!(
                !value.starts_with(' ') && !value.ends_with(' '),
                "{value:?}"
            );
        }
    }
}

#[test]
fn what_another_server_says_of_its_reason_survives_the_way() {
    let pairs = [("pod", "a"), ("zone", "")].map(|(name, value)| (name.into(), value.into()));
    let status = Status::new(Code::Unavailable, "no")
        .with_reason("OUT_OF_IPS")
        .with_domain("network.test")
        .with_metadata(pairs.to_vec());
    assert_eq!(there_and_back(&status), status);
    let nobodys = status.with_domain("").with_metadata(Vec::new());
    assert_eq!(there_and_back(&nobodys), nobodys);
    let large = nobodys.with_metadata(vec![("k".to_string(), "v".repeat(9_000))]);
    let back = there_and_back(&large);
    assert_eq!(
        (back.reason(), back.metadata()),
        (Some("OUT_OF_IPS"), &[][..])
    );
}

/// Returns what is read from a status of code 3 with these details.
fn with(details: Vec<Any>) -> Status {
    let whole = google_rpc::Status {
        details,
        ..Default::default()
    };
    let value = BASE64.encode(whole.encode_to_vec());
    decode([
        (&b"grpc-status"[..], &b"3"[..]),
        (b"grpc-message", b"why"),
        (b"grpc-status-details-bin", value.as_bytes()),
    ])
}

fn retry(seconds: i64, nanos: i32) -> Any {
    let retry_delay = Some(Duration { seconds, nanos });
    packed(RETRY_INFO, &google_rpc::RetryInfo { retry_delay })
}

fn info(reason: &str) -> google_rpc::ErrorInfo {
    google_rpc::ErrorInfo {
        reason: reason.to_string(),
        domain: "a.test".to_string(),
        ..Default::default()
    }
}

#[test]
fn a_broken_detail_takes_nothing_from_the_others() {
    let broken = |name: &str| Any {
        type_url: format!("type.googleapis.com/{name}"),
        value: b"\x0a\x7f"[..].into(),
    };
    let mut details: Vec<_> = DETAIL_TYPES.iter().map(|name| broken(name)).collect();
    let other = Any {
        type_url: "a.test/types/google.rpc.ErrorInfo".to_string(),
        ..packed(ERROR_INFO, &info("FIRST"))
    };
    details.extend([
        broken("google.rpc.Help"),
        retry(-1, 0),
        retry(1, -1),
        retry(i64::MAX, 0),
        other,
        packed(ERROR_INFO, &info("SECOND")),
        retry(2, 5),
        retry(3, 0),
    ]);
    let status = with(details);
    assert_eq!(
        (status.code(), status.message(), status.violations()),
        (Code::InvalidArgument, "why", &[][..])
    );
    assert_eq!(
        (status.reason(), status.domain()),
        (Some("FIRST"), Some("a.test"))
    );
    assert_eq!(status.retry_after_nanos(), Some(2_000_000_005));
}

#[test]
fn details_are_bounded_whatever_a_server_sends() {
    let violation = google_rpc::bad_request::FieldViolation::default();
    let request = google_rpc::BadRequest {
        field_violations: vec![violation; 1_000],
    };
    let mut much = info("MUCH");
    much.metadata = (0..200).map(|n| (format!("{n}"), String::new())).collect();
    let two = vec![packed(BAD_REQUEST, &request), packed(BAD_REQUEST, &request)];
    assert_eq!(with(two).violations().len(), MAX_VIOLATIONS);
    let status = with(vec![packed(ERROR_INFO, &much)]);
    assert_eq!(status.metadata().len(), MAX_METADATA);

    let long = packed(ERROR_INFO, &info(&"R".repeat(MAX_DETAILS_BYTES)));
    let status = with(vec![long]);
    assert_eq!(status, Status::new(Code::InvalidArgument, "why"));
}

#[test]
fn a_text_that_just_fits_is_whole() {
    assert_eq!(fitting("abc", 3), "abc");
    assert_eq!(fitting("abc", 2), "ab");
    assert_eq!(fitting("a%", 4), "a%");
    assert_eq!(fitting("a%", 3), "a");
}

#[test]
fn details_of_the_largest_size_are_read_and_larger_ones_are_not() {
    let read = |letters: usize| {
        let details = vec![packed(ERROR_INFO, &info(&"R".repeat(letters)))];
        let whole = google_rpc::Status {
            details: details.clone(),
            ..Default::default()
        };
        let bytes = BASE64.encode(whole.encode_to_vec()).len();
        (bytes, with(details).reason().is_some())
    };
    let letters = (10_000..11_000).find(|letters| read(*letters).0 == MAX_DETAILS_BYTES);
    let letters = letters.expect("each letter takes at most two characters");
    assert_eq!(read(letters), (MAX_DETAILS_BYTES, true));
    let (bytes, is_read) = read(letters + 1);
    assert!(bytes > MAX_DETAILS_BYTES && !is_read);
}

#[test]
fn details_that_just_fit_are_told() {
    let violations = [violation("a", "x"), violation("b", "y")];
    let status = Status::new(Code::InvalidArgument, "").with_violations(violations.to_vec());
    let told =
        |room| details(&status, "", room).map(|details| with_bytes(&details).violations().len());
    let both = details(&status, "", usize::MAX).unwrap().len();
    assert_eq!((told(both), told(both - 1)), (Some(2), Some(1)));
    // Where not one fits, nothing is told, although a status without any would fit.
    assert_eq!(told(20), None);
}

#[test]
fn what_is_said_about_a_reason_is_told_where_it_takes_half_of_the_room() {
    let status = Status::new(Code::ResourceExhausted, "")
        .with_reason("RATE")
        .with_metadata(vec![("key".to_string(), "v".repeat(500))]);
    let whole = details(&status, "", usize::MAX).unwrap();
    let whole = google_rpc::Status::decode(whole.as_slice()).unwrap();
    let half = whole.details[0].value.len();
    let told = |room| {
        with_bytes(&details(&status, "", room).unwrap())
            .metadata()
            .len()
    };
    assert_eq!((told(2 * half), told(2 * half - 2)), (1, 0));
}

/// Returns what is read from a status with these encoded details.
fn with_bytes(details: &[u8]) -> Status {
    with(google_rpc::Status::decode(details).unwrap().details)
}
