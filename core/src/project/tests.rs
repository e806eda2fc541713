//! Golden vectors of projection, rule by rule.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use podsapi_proto::schema::Message;

use super::Projection;
use crate::mask::FieldMask;
use crate::wire::WireErrorKind;

fn compile(mask: &str) -> Projection {
    FieldMask::parse(mask)
        .and_then(|mask| mask.compile(Message::POD))
        .unwrap()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap())
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks what a mask makes of encoded bytes, and that doing it again changes nothing.
#[track_caller]
fn check(mask: &str, input: &str, expected: &str) {
    let projection = compile(mask);
    let mut out = Vec::new();
    projection.project(&bytes(input), &mut out).unwrap();
    assert_eq!(hex(&out), hex(&bytes(expected)), "{mask} on {input}");
    let mut again = Vec::new();
    projection.project(&out, &mut again).unwrap();
    assert_eq!(again, out, "{mask} twice");
}

#[test]
fn scalars_are_kept_verbatim_also_when_they_are_empty() {
    check("metadata.name", "0a060a01612a0175 120352016e", "0a030a0161");
    check("metadata.generateName", "0a05 0a0161 1200", "0a021200");
}

#[test]
fn a_whole_message_is_kept_with_its_unknown_fields() {
    check(
        "spec",
        "0a030a0161 1207 52016e a206017a",
        "1207 52016e a206017a",
    );
}

#[test]
fn what_is_absent_stays_absent_and_what_is_present_stays_present() {
    check("status.phase", "1200", "");
    check(
        "spec.securityContext.runAsUser",
        "1205 7200 52016e",
        "1202 7200",
    );
}

#[test]
fn a_list_keeps_its_elements_and_their_order() {
    check(
        "spec.containers.name",
        "1212 1206 0a0161 120169 1203 12016a 1203 0a0162",
        "120c 1203 0a0161 1200 1203 0a0162",
    );
}

#[test]
fn packed_and_unpacked_numbers_are_kept_as_they_are() {
    check(
        "spec.securityContext.supplementalGroups",
        "120c 720a 22020102 2003 22020405",
        "120c 720a 22020102 2003 22020405",
    );
}

#[test]
fn entries_of_a_map_are_kept_or_dropped_by_their_last_key() {
    let labels = "0a10 5a060a016b120131 5a060a0171120132";
    check("metadata.labels.k", labels, "0a08 5a060a016b120131");
    check("metadata.labels.x", labels, "0a00");
    check(
        "metadata.labels.k",
        "0a08 5a06 120131 0a016b",
        "0a08 5a06 120131 0a016b",
    );
    check(
        "metadata.labels.k",
        "0a08 5a06 0a0171 0a016b",
        "0a08 5a06 0a0171 0a016b",
    );
    check("metadata.labels.q", "0a08 5a06 0a0171 0a016b", "0a00");
    check("metadata.labels.``", "0a05 5a03 120131", "0a05 5a03 120131");
    check(
        "metadata.labels.k",
        "0a08 5a06 0a016b 9a0600",
        "0a08 5a06 0a016b 9a0600",
    );
}

#[test]
fn every_occurrence_of_a_message_is_projected_by_itself() {
    check("metadata.uid", "0a030a0161 0a032a0175", "0a00 0a032a0175");
    check(
        "spec.containers.name",
        "120512030a0161 0a030a016d 120512030a0162",
        "120512030a0161 120512030a0162",
    );
}

#[test]
fn embedded_structs_are_passed_through() {
    check(
        "spec.volumes.configMap",
        "120f0a0d 0a0176 1208 9a01050a030a0163",
        "120c0a0a 1208 9a01050a030a0163",
    );
    check(
        "spec.volumes.name",
        "120f0a0d 0a0176 1208 9a01050a030a0163",
        "12050a030a0176",
    );
    check(
        "spec.volumes.configMap.name",
        "12140a12 0a0176 120d9a010a 0a030a0163 12016b1801",
        "120c0a0a 1208 9a0105 0a03 0a0163",
    );
}

#[test]
fn unknown_fields_are_dropped_where_a_part_is_selected() {
    check(
        "metadata.name",
        "0a07 0a0161 a206017a 9a060179",
        "0a030a0161",
    );
    check(
        "metadata.name",
        "0a0d 0a0161 a306 0801 a406 a201017a",
        "0a030a0161",
    );
}

#[test]
fn order_is_kept_and_written_lengths_are_minimal() {
    check(
        "metadata.name,metadata.uid",
        "0a062a01750a0161",
        "0a062a01750a0161",
    );
    check("metadata.name", "0a8300 0a0161", "0a03 0a0161");
    check("metadata.name", "8a00 03 0a0161", "0a03 0a0161");
}

#[test]
fn a_length_that_shrinks_below_two_bytes_is_written_in_one() {
    let long = format!("0a8301 12{:02x}{} 0a0161", 126, "78".repeat(126));
    check("metadata.name", &long, "0a03 0a0161");
}

#[test]
fn an_empty_intersection_of_keys_drops_every_entry() {
    let none = compile("metadata.labels.a").intersection(&compile("metadata.labels.b"));
    let mut out = Vec::new();
    none.project(&bytes("0a08 5a060a0161120131"), &mut out)
        .unwrap();
    assert_eq!(hex(&out), "0a00");
    assert!(!none.is_all());
}

#[test]
fn nothing_and_everything_are_different() {
    let nothing = compile("apiVersion,kind");
    assert!(!nothing.is_all());
    let mut out = Vec::new();
    nothing.project(&bytes("0a030a0161"), &mut out).unwrap();
    assert!(out.is_empty());
    assert!(compile(" , ,").is_all());
    assert!(compile("*,metadata.name").is_all());
}

#[test]
fn malformed_bytes_are_refused_and_leave_no_output() {
    for (input, offset) in [
        ("0a050a0161", 1),
        ("0a030a0461", 3),
        ("00", 0),
        ("0c", 0),
        ("0a04 0a0161 0f", 5),
        ("ffffffffffffffffffffff", 0),
    ] {
        let mut out = b"before".to_vec();
        let error = compile("metadata.name")
            .project(&bytes(input), &mut out)
            .unwrap_err();
        assert_eq!(error.offset, offset, "{input}: {error}");
        assert_eq!(out, b"before");
    }
}

#[test]
fn a_known_field_of_another_wire_type_is_refused_where_a_part_is_selected() {
    for (input, field, found, offset) in [
        ("0801", 1, 0, 0),
        ("0a020801", 1, 0, 2),
        ("0a030a0161 1801", 3, 0, 5),
    ] {
        let error = compile("metadata.name")
            .project(&bytes(input), &mut Vec::new())
            .unwrap_err();
        assert_eq!(
            error.kind,
            WireErrorKind::WireType { field, found },
            "{input}"
        );
        assert_eq!(error.offset, offset);
    }
    check("metadata", "0a020801", "0a020801");
}

#[test]
fn what_is_wrong_deep_in_a_pod_is_told_with_its_place_in_the_whole() {
    let wire_type = |field, found| WireErrorKind::WireType { field, found };
    for (mask, input, kind, offset) in [
        // A value and a key of a label that are no strings, behind a name.
        (
            "metadata.labels.a",
            "0a0a 0a0161 5a05 0a0161 1001",
            wire_type(2, 0),
            10,
        ),
        (
            "metadata.labels.a",
            "0a07 0a0161 5a02 0801",
            wire_type(1, 0),
            7,
        ),
        // A key that is longer than its entry.
        (
            "metadata.labels.a",
            "0a08 0a0161 5a03 0a0561",
            WireErrorKind::Truncated,
            8,
        ),
        // The name of the second container.
        (
            "spec.containers.name",
            "0a00 1208 1202 0a00 1202 0801",
            wire_type(1, 0),
            10,
        ),
        (
            "spec.containers.name",
            "0a00 1209 1202 0a00 1203 0a0561",
            WireErrorKind::Truncated,
            11,
        ),
    ] {
        let mut out = b"before".to_vec();
        let error = compile(mask).project(&bytes(input), &mut out).unwrap_err();
        assert_eq!((error.kind, error.offset), (kind, offset), "{mask} {input}");
        assert_eq!(out, b"before");
    }
}

#[test]
fn the_last_key_of_an_entry_counts_and_fields_of_later_versions_do_not() {
    check(
        "metadata.labels.a",
        "0a0a 5a08 0a0162 0a0161 1801",
        "0a0a 5a08 0a0162 0a0161 1801",
    );
    check("metadata.labels.a", "0a08 5a06 0a0161 0a0162", "0a00");
}
