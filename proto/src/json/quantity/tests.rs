//! Quantities as Go's type prints them, and properties of the canonical form.

use super::{canonical, rounded_up_to_milli};
use alloc::format;
use alloc::string::String;
use proptest::prelude::*;

#[test]
fn a_quantity_is_printed_as_go_prints_it() {
    for (text, printed) in [
        ("0", "0"),
        ("-0", "0"),
        ("0m", "0"),
        ("0.0Ki", "0"),
        ("0.1", "100m"),
        (".5", "500m"),
        ("1.", "1."),
        ("1024Mi", "1Gi"),
        ("1025Ki", "1025Ki"),
        ("1.5Gi", "1536Mi"),
        ("-1.5Gi", "-1536Mi"),
        ("0.1Ki", "102400m"),
        ("1.0001Ki", "1024102400u"),
        ("1.5Ei", "1536Pi"),
        ("16Ei", "9223372036854775807"),
        ("9223372036854775808Ki", "9223372036854775807"),
        ("1e3", "1e3"),
        ("1E3", "1E3"),
        ("1e4", "10e3"),
        ("12e4", "120e3"),
        ("100e-2", "1"),
        ("1e1000", "10e999"),
        ("1000", "1k"),
        ("1024", "1024"),
        ("1000k", "1M"),
        ("1.500", "1.500"),
        ("+5", "+5"),
        ("0005", "0005"),
        ("1.5n", "2n"),
        ("1e-10", "1e-9"),
        ("0.0000000001", "1n"),
        ("-0.0000000001", "-1n"),
        ("12345678901234567890", "12345678901234567890"),
        ("999999999999999999k", "999999999999999999k"),
        ("10000000000000000000000m", "10E"),
        (" 250m ", "250m"),
        ("\u{a0}1\u{3000}", "1"),
        ("m", "0"),
        ("E", "0"),
        ("e3", "0"),
        ("-", "0"),
        (".", "0"),
        (".5Ki", "512"),
        ("-Ki", "0"),
        (".Ti", "0"),
        (" Mi", "0"),
        ("e-9", "0"),
    ] {
        assert_eq!(canonical(text).as_deref(), Ok(printed), "{text}");
    }
}

#[test]
fn what_is_no_quantity_is_refused() {
    for text in [
        "",
        "1i",
        "1kk",
        "1Kib",
        "Ei",
        "-Pi",
        ".Ei",
        "e-12",
        "\t1",
        "1\u{2028}",
        "1e",
        "1ee3",
        "1 k",
        "0x10",
        "one",
        "1K",
        "1,5",
        "1.2.3",
        "--1",
        "1e99999999999",
    ] {
        assert!(canonical(text).is_err(), "{text}");
    }
}

#[test]
fn a_decimal_quantity_that_go_would_print_smaller_is_refused() {
    assert!(canonical("1000E").is_err());
    assert!(canonical("1000000000000000000k").is_err());
    assert_eq!(canonical("1e21").as_deref(), Ok("1e21"));
}

#[test]
fn a_quantity_in_a_list_of_resources_is_no_finer_than_a_thousandth() {
    for (text, printed) in [
        ("0.0001", "1m"),
        ("100u", "1m"),
        ("-100u", "-1m"),
        ("1n", "1m"),
        ("1001u", "2m"),
        ("1000000u", "1"),
        ("1e-4", "1e-3"),
        ("1500e-6", "2e-3"),
        ("1500m", "1500m"),
        ("1.5", "1500m"),
        ("1Gi", "1Gi"),
        ("0", "0"),
        ("", ""),
    ] {
        let rounded = rounded_up_to_milli(text);
        assert_eq!(rounded.as_deref().unwrap_or_default(), printed, "{text}");
    }
}

#[test]
fn a_very_long_quantity_is_refused() {
    assert!(canonical(&"9".repeat(257)).is_err());
    assert!(canonical(&"0".repeat(100_000)).is_err());
}

proptest! {
    #[test]
    fn a_canonical_quantity_stays_as_it_is(
        text in "-?[0-9]{1,22}(\\.[0-9]{0,10})?([numkMGTPE]|[KMGTPE]i|e-?[0-9]{1,2})?"
    ) {
        if let Ok(once) = canonical(&text) {
            prop_assert_eq!(canonical(&once), Ok(once.clone()), "{}", text);
        }
    }

    #[test]
    fn a_binary_quantity_keeps_its_value(number in 0..1_u64 << 33, suffix in 0..6_usize) {
        let suffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi"];
        let value = |text: &str| {
            let digits = text.trim_end_matches(|c: char| c.is_alphabetic());
            let at = suffixes.iter().position(|suffix| *suffix == &text[digits.len()..]);
            at.map(|at| digits.parse::<u128>().unwrap() << (10 * at))
        };
        let text = format!("{number}{}", suffixes.get(suffix).unwrap());
        let printed = canonical(&text).unwrap();
        let capped = value(&text).unwrap().min((1 << 63) - 1);
        // What ends in zeros and has no suffix may have got a decimal one.
        if let Some(found) = value(&printed) {
            prop_assert_eq!(found, capped, "{}", printed);
        } else {
            prop_assert!(suffix <= 1, "{}", printed);
        }
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "[0-9.eEinumkKMGTP+-]{0,30}|\\PC{0,30}") {
        let _: Result<String, _> = canonical(&text);
    }
}
