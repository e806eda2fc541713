//! JSON text: what is read, where errors are, what is printed.

use podsapi_proto::json::{
    MAX_DEPTH, Number, Value, merge_repeated, parse_json, read_json, to_json, to_json_pretty,
};
use podsapi_proto::schema::Message;
use proptest::prelude::*;

fn printed(text: &str) -> String {
    to_json(&parse_json(text.as_bytes()).unwrap())
}

#[test]
fn numbers_are_printed_as_they_were_spelled() {
    let text = "[0,-0,1.50,1e3,1E+3,-2.5e-7,123456789012345678901234567890]";
    assert_eq!(printed(text), text);
}

#[test]
fn escapes_become_characters() {
    let text = r#"["\"\\\/\b\f\n\r\t","\u0041\u00e9\ud83d\ude00","é😀"]"#;
    let Value::List(list) = parse_json(text.as_bytes()).unwrap() else {
        panic!()
    };
    assert_eq!(list[0].as_str(), Some("\"\\/\u{8}\u{c}\n\r\t"));
    assert_eq!(list[1].as_str(), Some("Aé😀"));
    assert_eq!(list[2].as_str(), Some("é😀"));
}

/// What Go's `encoding/json` and the decoder of Kubernetes read of a string.
const AS_GO: [(&[u8], &str); 15] = [
    (br"\ud800", "\u{fffd}"),
    (br"\udc00", "\u{fffd}"),
    (br"\ud800\ud800", "\u{fffd}\u{fffd}"),
    (br"\ud800\u0041", "\u{fffd}A"),
    (br"\ud83d\ude00", "😀"),
    (br"\uD83D\uDE00", "😀"),
    (br"\ud800\n", "\u{fffd}\n"),
    (br"\udc00\ud800", "\u{fffd}\u{fffd}"),
    (br"\ud800\ud83d\ude00", "\u{fffd}😀"),
    (br"\uD800x", "\u{fffd}x"),
    (b"\\ud800\xff", "\u{fffd}\u{fffd}"),
    (b"a\xffb", "a\u{fffd}b"),
    (b"\xe2\x82x", "\u{fffd}\u{fffd}x"),
    (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
];

#[test]
fn what_is_no_text_in_a_string_is_read_as_go_reads_it() {
    for (content, expected) in AS_GO {
        let text = [b"{\"k\": \"", content, b"\"}"].concat();
        let value = parse_json(&text).unwrap_or_else(|error| panic!("{error}: {content:?}"));
        let read = value.as_map().unwrap().get("k").unwrap().as_str();
        assert_eq!(read, Some(expected), "{content:?}");
    }
    for refused in [&br#""\ud800\u12""#[..], br#""\ud800\u""#, b"\xff\"a\""] {
        assert!(parse_json(refused).is_err(), "{refused:?}");
    }
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_accepted() {
    let text = "\u{feff}{\r\n\t\"a\": 1\r\n}\r\n";
    assert_eq!(printed(text), r#"{"a":1}"#);
}

#[test]
fn an_error_says_where_it_is() {
    for (text, expected) in [
        (
            "",
            "line 1, column 1: expected a value, found the end of the text",
        ),
        (
            "[\"é\" 1]",
            "line 1, column 6: expected ',' or ']', found '1'",
        ),
        ("{\"a\" 1}", "line 1, column 6: expected ':', found '1'"),
        (
            "{a: 1}",
            "line 1, column 2: expected a key in double quotes, found 'a'",
        ),
        ("[1,]", "line 1, column 4: expected a value, found ']'"),
        (
            "{\"a\":1,}",
            "line 1, column 8: expected a key in double quotes, found '}'",
        ),
        ("01", "line 1, column 1: \"01\" is not a number in JSON"),
        ("[.5]", "line 1, column 2: expected a value, found '.'"),
        ("nul", "line 1, column 1: expected a value, found 'n'"),
        (
            "1 2",
            "line 1, column 3: expected the end of the text, found '2'",
        ),
        (
            "\"a\nb\"",
            "line 1, column 3: a control character in a string, escape it",
        ),
        (
            "\"\\x\"",
            "line 1, column 2: an escape that JSON does not know",
        ),
        (
            "\"\\u00",
            "line 1, column 2: an escape that is no Unicode character",
        ),
        (
            "\"a",
            "line 1, column 3: expected '\"', found the end of the text",
        ),
    ] {
        assert_eq!(
            parse_json(text.as_bytes()).unwrap_err().to_string(),
            expected,
            "{text}"
        );
    }
    let error = parse_json(b"{\n\"a\xff\": \xff}").unwrap_err();
    let expected = "line 2, column 7: expected a value, found '\u{fffd}'";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn of_a_key_that_is_there_twice_the_last_value_counts_and_its_place_is_told() {
    let text = "{\n \"a\": 1,\n \"a\": {\"b\":2, \"b\":3}}";
    assert_eq!(printed(text), r#"{"a":{"b":3}}"#);
    let reading = read_json(text.as_bytes()).unwrap();
    let places: Vec<_> = reading.repeated.iter().map(ToString::to_string).collect();
    let expected = [
        "line 3, column 2: the key \"a\" is there twice",
        "line 3, column 15: the key \"b\" is there twice",
    ];
    assert_eq!(places, expected);
    // They stay, for who merges them.
    assert_eq!(reading.value.as_map().unwrap().len(), 2);
}

#[test]
fn a_key_that_is_there_twice_is_found_in_a_large_object() {
    let mut keys: Vec<String> = (0..1_000).map(|at| format!("\"k{at}\":{at}")).collect();
    keys.push("\"k500\":1".to_owned());
    let text = format!("{{{}}}", keys.join(","));
    let value = parse_json(text.as_bytes()).unwrap();
    assert_eq!(value.as_map().unwrap().len(), 1_000);
    assert_eq!(value.get("k500"), Some(&Value::from(1)));
    assert_eq!(read_json(text.as_bytes()).unwrap().repeated.len(), 1);
}

#[test]
fn what_is_there_twice_is_merged_as_go_decodes_it() {
    let merged = |text: &str| {
        let reading = read_json(text.as_bytes()).unwrap();
        merge_repeated(Message::POD, reading.value).map(|value| to_json(&value))
    };
    for (text, expected) in [
        (
            r#"{"spec":{"priority":1,"hostNetwork":true},"spec":{"priority":null,"hostNetwork":null}}"#,
            r#"{"spec":{"priority":null,"hostNetwork":true}}"#,
        ),
        (
            r#"{"metadata":{"labels":{"a":"1","b":"2"},"labels":{"b":"3"}}}"#,
            r#"{"metadata":{"labels":{"a":"1","b":"3"}}}"#,
        ),
        (
            r#"{"metadata":{"labels":{"a":"1"},"labels":null,"labels":{"b":"2","b":"3"}}}"#,
            r#"{"metadata":{"labels":{"b":"3"}}}"#,
        ),
        // What a list had before its end is there again when it grows.
        (
            r#"{"spec":{"containers":[{"image":"i"},{"image":"j"}],"containers":[{"name":"a"}],"containers":[{},{"tty":true}]}}"#,
            r#"{"spec":{"containers":[{"image":"i","name":"a"},{"image":"j","tty":true}]}}"#,
        ),
        (
            r#"{"spec":{"containers":[{"image":"i"}],"containers":[],"containers":[{"name":"a"}]}}"#,
            r#"{"spec":{"containers":[{"name":"a"}]}}"#,
        ),
        (
            r#"{"spec":{"securityContext":{"runAsUser":1},"securityContext":{"fsGroup":2}}}"#,
            r#"{"spec":{"securityContext":{"runAsUser":1,"fsGroup":2}}}"#,
        ),
        (
            r#"{"unknown":{"a":1},"unknown":{"b":1}}"#,
            r#"{"unknown":{"b":1}}"#,
        ),
    ] {
        assert_eq!(merged(text).as_deref(), Ok(expected), "{text}");
    }
    let error = merged(r#"{"spec":{"priority":"x","priority":1}}"#).unwrap_err();
    assert!(
        error.to_string().starts_with("priority: expected"),
        "{error}"
    );
}

#[test]
fn nesting_is_bounded() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse_json(deep(MAX_DEPTH).as_bytes()).is_ok());
    let error = parse_json(deep(MAX_DEPTH + 1).as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 101: nested deeper than 100 levels"
    );
    assert!(parse_json("[".repeat(1_000_000).as_bytes()).is_err());
    assert!(parse_json("{\"a\":".repeat(1_000_000).as_bytes()).is_err());
}

#[test]
fn pretty_json_has_four_blanks_a_level() {
    let value = parse_json(br#"{"a":[],"b":{},"c":[1,{"d":null}]}"#).unwrap();
    let expected = "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        {\n            \"d\": null\n        }\n    ]\n}";
    assert_eq!(to_json_pretty(&value), expected);
}

#[test]
fn a_number_is_only_what_json_takes_for_one() {
    for text in [
        "", "-", "+1", "1.", ".5", "1e", "01", "0x1", "NaN", "1 ", "1_0", "--1",
    ] {
        assert_eq!(Number::new(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn the_same_texts_are_json_as_for_another_reader(text in "[\\[\\]{}:,\"a-b0-1.eE\\\\n tu-]{0,12}") {
        let other: Result<serde_json::Value, _> = serde_json::from_str(&text);
        match (parse_json(text.as_bytes()), other) {
            (Ok(value), Ok(other)) => {
                let again: serde_json::Value = serde_json::from_str(&to_json(&value)).unwrap();
                prop_assert_eq!(again, other);
            }
            (Err(error), Ok(_)) => prop_assert!(false, "{}", error),
            // The other reader refuses numbers beyond a double.
            (Ok(_), Err(error)) => prop_assert!(error.to_string().contains("out of range"), "{}", error),
            (Err(_), Err(_)) => {}
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse_json(&bytes);
    }
}
