//! Tests of the wire format on bytes written by hand.

use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;

fn varint(bytes: &[u8]) -> Result<u64, WireError> {
    Reader::new(bytes).varint(bytes.len())
}

fn skip_all(bytes: &[u8]) -> Result<(), WireError> {
    let mut reader = Reader::new(bytes);
    while reader.record()?.is_some() {}
    Ok(())
}

#[test]
fn a_varint_may_have_ten_bytes_and_not_eleven() {
    let mut ten = vec![0xff; 9];
    ten.push(1);
    assert_eq!(varint(&ten), Ok(u64::MAX));
    ten[9] = 2;
    assert_eq!(varint(&ten), Err(WireErrorKind::Varint.at(0)));
    let mut eleven = vec![0x80; 10];
    eleven.push(0);
    assert_eq!(varint(&eleven), Err(WireErrorKind::Varint.at(0)));
}

#[test]
fn an_overlong_zero_is_zero() {
    assert_eq!(varint(&[0x80, 0x80, 0x00]), Ok(0));
}

#[test]
fn a_varint_that_does_not_end_is_truncated() {
    assert_eq!(varint(&[0x80]), Err(WireErrorKind::Truncated.at(0)));
    assert_eq!(varint(&[]), Err(WireErrorKind::Truncated.at(0)));
}

#[test]
fn field_numbers_are_1_to_2_to_the_29th_minus_1() {
    assert_eq!(
        skip_all(&[0x00, 0x00]),
        Err(WireErrorKind::FieldNumber.at(0))
    );
    let mut largest = Vec::new();
    put_varint(u64::from(MAX_FIELD_NUMBER) << 3, &mut largest);
    largest.push(0);
    assert_eq!(skip_all(&largest), Ok(()));
    let mut too_large = Vec::new();
    put_varint((u64::from(MAX_FIELD_NUMBER) + 1) << 3, &mut too_large);
    too_large.push(0);
    assert_eq!(skip_all(&too_large), Err(WireErrorKind::FieldNumber.at(0)));
}

#[test]
fn wire_types_6_and_7_do_not_exist() {
    let error = |found| Err(WireErrorKind::WireType { field: 1, found }.at(0));
    assert_eq!(skip_all(&[0x0e]), error(6));
    assert_eq!(skip_all(&[0x0f]), error(7));
}

#[test]
fn a_length_beyond_the_end_is_truncated_however_large() {
    assert_eq!(
        skip_all(&[0x0a, 0x02, 0x00]),
        Err(WireErrorKind::Truncated.at(1))
    );
    let mut largest = vec![0x0a];
    put_varint(u64::MAX, &mut largest);
    assert_eq!(skip_all(&largest), Err(WireErrorKind::Truncated.at(1)));
}

#[test]
fn groups_are_skipped_to_their_own_end() {
    let nested = [0x0b, 0x13, 0x18, 0x01, 0x14, 0x0c, 0x20, 0x01];
    assert_eq!(skip_all(&nested), Ok(()));
    assert_eq!(skip_all(&[0x0b, 0x14]), Err(WireErrorKind::GroupEnd.at(1)));
    assert_eq!(skip_all(&[0x0c]), Err(WireErrorKind::GroupEnd.at(0)));
    assert_eq!(skip_all(&[0x0b]), Err(WireErrorKind::Truncated.at(1)));
}

#[test]
fn groups_may_be_nested_a_hundred_deep() {
    let nested = |depth| [vec![0x0b; depth], vec![0x0c; depth]].concat();
    assert_eq!(skip_all(&nested(MAX_DEPTH)), Ok(()));
    assert_eq!(
        skip_all(&nested(MAX_DEPTH + 1)),
        Err(WireErrorKind::TooDeep.at(MAX_DEPTH))
    );
    assert!(skip_all(&nested(1_000_000)).is_err());
}

#[test]
fn a_value_in_the_hundredth_group_is_too_deep_as_for_other_decoders() {
    let around = |depth| [vec![0x0b; depth], vec![0x18, 0x01], vec![0x0c; depth]].concat();
    assert_eq!(skip_all(&around(MAX_DEPTH - 1)), Ok(()));
    let deep = skip_all(&around(MAX_DEPTH));
    assert_eq!(deep, Err(WireErrorKind::TooDeep.at(MAX_DEPTH)));
}

#[test]
fn records_keep_tag_length_and_payload_apart() {
    let bytes = [0x08, 0x05, 0x12, 0x02, 0x61, 0x62, 0x1d, 1, 2, 3, 4];
    let records: Vec<_> = Reader::new(&bytes).records().collect();
    let wholes: Vec<_> = records.iter().map(|record| record.whole.len()).collect();
    assert_eq!(wholes, [2, 4, 5]);
    assert_eq!(records[1].payload, b"ab");
    assert_eq!((records[0].payload, records[2].payload), (&[][..], &[][..]));
}

proptest! {
    #[test]
    fn what_is_written_is_read(value: u64) {
        let mut bytes = Vec::new();
        put_varint(value, &mut bytes);
        prop_assert!(bytes.len() <= MAX_VARINT_BYTES);
        prop_assert_eq!(varint(&bytes), Ok(value));
    }

    #[test]
    fn arbitrary_bytes_are_records_or_an_error_inside_them(bytes: Vec<u8>) {
        match skip_all(&bytes) {
            Ok(()) => {
                let wholes: Vec<_> = Reader::new(&bytes).records().map(|r| r.whole).collect();
                prop_assert_eq!(wholes.concat(), bytes);
            }
            Err(error) => prop_assert!(error.offset <= bytes.len()),
        }
    }
}
