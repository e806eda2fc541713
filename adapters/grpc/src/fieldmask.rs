//! The field mask of a call, as its request and response headers carry it.
//!
//! A client, or a proxy on the way, may send one mask in several lines or join lines with commas:
//! each line is a mask of its own, and all of them together are the mask of the call.

use base64::Engine as _;
use podsapi_core::{FieldMask, MASK_BIN_HEADER, MASK_HEADER};

use crate::trailers::BASE64;

/// Adds what one request header names to the mask of the call; other headers name nothing.
///
/// What is wrong with a mask is told when the service checks it, not here: whether the service is
/// ready counts before.
pub(crate) fn add_header(mask: &mut FieldMask, name: &[u8], value: &[u8]) {
    if name == MASK_HEADER.as_bytes() {
        mask.add_text(value);
    } else if name == MASK_BIN_HEADER.as_bytes() {
        add_encoded(mask, value);
    }
}

/// Adds the masks of one line of the encoded form.
///
/// Values that were joined are parted before they are decoded, since padding may stand inside.
fn add_encoded(mask: &mut FieldMask, line: &[u8]) {
    for value in line.split(|&byte| byte == b',') {
        match BASE64.decode(value.trim_ascii()) {
            Ok(message) => mask.add_encoded(&message),
            Err(_not_base64) => mask.add_undecodable(),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::{
        format,
        string::{String, ToString},
        vec,
    };

    use base64::{Engine as _, engine::general_purpose};
    use podsapi_proto::{field_mask, schema};
    use prost::Message;

    use super::*;

    /// The canonical mask of these header lines, or what is wrong with them.
    fn mask_of(lines: &[(&str, &[u8])]) -> Result<String, String> {
        let mut mask = FieldMask::default();
        for (name, value) in lines {
            add_header(&mut mask, name.as_bytes(), value);
        }
        match mask.compile(schema::Message::POD) {
            Ok(projection) if projection.is_all() => Ok("all".into()),
            Ok(projection) => Ok(projection.to_string()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn encoded(paths: &[&str]) -> vec::Vec<u8> {
        let paths = paths.iter().map(|&path| path.into()).collect();
        field_mask::FieldMask { paths }.encode_to_vec()
    }

    fn padded(paths: &[&str]) -> String {
        general_purpose::STANDARD.encode(encoded(paths))
    }

    fn unpadded(paths: &[&str]) -> String {
        general_purpose::STANDARD_NO_PAD.encode(encoded(paths))
    }

    #[test]
    fn lines_of_text_are_united_however_they_are_joined() {
        let expected = Ok("metadata.uid,status.phase".to_string());
        let spellings: [&[(&str, &[u8])]; 6] = [
            &[(MASK_HEADER, b"status.phase,metadata.uid")],
            &[
                (MASK_HEADER, b"status.phase"),
                (MASK_HEADER, b"metadata.uid"),
            ],
            &[(MASK_HEADER, b" status.phase ,\tmetadata.uid ,, ")],
            &[
                (MASK_HEADER, b""),
                (MASK_HEADER, b"metadata.uid,status.phase"),
            ],
            &[
                (MASK_HEADER, b"status.phase"),
                (MASK_BIN_HEADER, b""),
                ("x-other", b"spec"),
                (MASK_HEADER, b"metadata.uid,status.phase"),
            ],
            &[(MASK_HEADER, b"status.phase,,metadata.uid,")],
        ];
        for lines in spellings {
            assert_eq!(mask_of(lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn encoded_masks_are_read_padded_or_not_joined_or_not() {
        let expected = Ok("metadata.uid,status.phase".to_string());
        let whole = ["status.phase", "metadata.uid"];
        assert!(padded(&whole[..1]).ends_with('='), "the padding is tested");
        let joined = format!("{},{}", padded(&whole[..1]), unpadded(&whole[1..]));
        let spaced = format!("{} , {}", unpadded(&whole[..1]), padded(&whole[1..]));
        let with_empty = format!(",{},", padded(&whole));
        for value in [padded(&whole), unpadded(&whole), joined, spaced, with_empty] {
            let lines = [(MASK_BIN_HEADER, value.as_bytes())];
            assert_eq!(mask_of(&lines), expected, "{value}");
        }
        let (one, other) = (padded(&whole[..1]), padded(&whole[1..]));
        let lines = [
            (MASK_BIN_HEADER, one.as_bytes()),
            (MASK_BIN_HEADER, other.as_bytes()),
        ];
        assert_eq!(mask_of(&lines), expected);
        let both = [
            (MASK_HEADER, &b"metadata.uid"[..]),
            (MASK_BIN_HEADER, one.as_bytes()),
        ];
        assert_eq!(mask_of(&both), expected);
    }

    #[test]
    fn masks_that_name_nothing_select_everything() {
        let empty = padded(&[""]);
        let nothing: [&[(&str, &[u8])]; 6] = [
            &[],
            &[(MASK_HEADER, b"")],
            &[(MASK_HEADER, b" ,\t,")],
            &[(MASK_BIN_HEADER, b"")],
            &[(MASK_BIN_HEADER, b",,")],
            &[(MASK_BIN_HEADER, empty.as_bytes())],
        ];
        for lines in nothing {
            assert_eq!(mask_of(lines), Ok("all".to_string()), "{lines:?}");
        }
    }

    #[test]
    fn what_cannot_be_decoded_is_an_error_beside_good_paths_too() {
        let not_a_mask = general_purpose::STANDARD.encode(b"\x0a\x7f");
        let not_text = general_purpose::STANDARD.encode(b"\x0a\x01\xff");
        for value in ["!", "A", "====", "Y_-_", &not_a_mask, &not_text] {
            let lines = [
                (MASK_HEADER, &b"status.phase"[..]),
                (MASK_BIN_HEADER, value.as_bytes()),
            ];
            let error = mask_of(&lines).unwrap_err();
            assert!(error.starts_with(MASK_BIN_HEADER), "{value}: {error}");
        }
    }

    #[test]
    fn any_bytes_in_the_text_header_are_an_error_not_a_panic() {
        for value in [&b"\xff\xfe"[..], "metadata.näme".as_bytes(), b"a\x80,\xc3"] {
            let error = mask_of(&[(MASK_HEADER, value)]).unwrap_err();
            assert!(error.starts_with(MASK_HEADER), "{error}");
            assert!(error.is_ascii(), "{error}");
        }
        let quoted = "metadata.labels.`ä`";
        assert!(mask_of(&[(MASK_HEADER, quoted.as_bytes())]).is_err());
        let encoded = padded(&[quoted]);
        assert!(mask_of(&[(MASK_BIN_HEADER, encoded.as_bytes())]).is_ok());
    }

    #[test]
    fn thousands_of_broken_values_are_told_as_one_fault() {
        let mut mask = FieldMask::default();
        add_header(
            &mut mask,
            MASK_BIN_HEADER.as_bytes(),
            &b"!,AA,".repeat(2_000),
        );
        let error = mask.compile(schema::Message::POD).unwrap_err();
        assert_eq!(error.faults().len(), 1, "{error}");
    }

    #[test]
    fn the_bytes_of_all_lines_count_against_one_limit() {
        let line = "metadata.labels.k,".repeat(100);
        let mut lines = vec![(MASK_HEADER, line.as_bytes()); 4];
        assert!(mask_of(&lines).is_ok());
        lines.push((MASK_HEADER, line.as_bytes()));
        let error = mask_of(&lines).unwrap_err();
        assert!(error.contains("expected at most 8192 bytes"), "{error}");
    }
}
