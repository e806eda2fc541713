//! YAML as Kubernetes tools read it; the expected values are what `sigs.k8s.io/yaml` answers.

use podsapi_proto::json::{MAX_DEPTH, Value, parse_json, parse_yaml, read_yaml, to_json, to_yaml};

fn read(text: &str) -> String {
    let documents = parse_yaml(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let printed: Vec<String> = documents.iter().map(to_json).collect();
    printed.join(" ")
}

fn refused(text: &str) -> String {
    parse_yaml(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn plain_scalars_are_resolved_by_the_rules_of_yaml_1_1() {
    for (text, json) in [
        ("y", "true"),
        ("Yes", "true"),
        ("on", "true"),
        ("TRUE", "true"),
        ("n", "false"),
        ("NO", "false"),
        ("off", "false"),
        ("yEs", "\"yEs\""),
        ("~", "null"),
        ("NULL", "null"),
        ("nUll", "\"nUll\""),
        ("0644", "420"),
        ("0o17", "15"),
        ("089", "89"),
        ("0x1F", "31"),
        ("-0x1F", "-31"),
        ("0b101", "5"),
        ("1_000", "1000"),
        ("+12", "12"),
        ("-0", "0"),
        ("9223372036854775808", "9223372036854775808"),
        // Go goes through a double here; the digits are kept for who has to find them.
        ("99999999999999999999", "99999999999999999999"),
        ("-99999999999999999999", "-99999999999999999999"),
        ("99_999_999_999_999_999_999", "100000000000000000000"),
        (".5", "0.5"),
        ("1.", "1"),
        ("1e3", "1000"),
        ("1.e3", "1000"),
        ("1e22", "1e+22"),
        ("1e-7", "1e-7"),
        ("-0.0", "-0"),
        ("1e999", "\"1e999\""),
        ("12:30", "\"12:30\""),
        ("2001-01-01", "\"2001-01-01\""),
        ("2001-01-01T00:00:00Z", "\"2001-01-01T00:00:00Z\""),
        ("=", "\"=\""),
        ("1.2.3", "\"1.2.3\""),
        ("100m", "\"100m\""),
        ("0x", "\"0x\""),
        ("1__", "1"),
        (".1_5", "0.15"),
        ("._5", "\"._5\""),
        ("0b-101", "-5"),
    ] {
        assert_eq!(
            read(&format!("a: {text}")),
            format!("{{\"a\":{json}}}"),
            "{text}"
        );
    }
}

#[test]
fn quotes_and_tags_decide_the_type() {
    for (text, json) in [
        ("'0644'", "\"0644\""),
        ("\"yes\"", "\"yes\""),
        ("!!str 12", "\"12\""),
        ("!!int \"7\"", "7"),
        ("!!float 3", "3"),
        ("!!bool 'on'", "true"),
        ("!!null ''", "null"),
        ("!!binary aGk=", "\"hi\""),
        ("!!timestamp 2001-01-01", "\"2001-01-01\""),
        ("!foo 12", "\"12\""),
        ("! 12", "\"12\""),
        ("|\n  12\n", "\"12\\n\""),
    ] {
        assert_eq!(
            read(&format!("a: {text}")),
            format!("{{\"a\":{json}}}"),
            "{text}"
        );
    }
    let error = refused("a: !!int abc");
    assert_eq!(
        error,
        "line 1, column 4: the tag !!int does not fit its text"
    );
}

#[test]
fn keys_become_strings() {
    let text = "1: a\n1.5: b\n1e6: c\nyes: d\n0x10: e\n'null': f\n2001-01-01: g\n";
    let json = r#"{"1":"a","1.5":"b","1e+06":"c","true":"d","16":"e","null":"f","2001-01-01":"g"}"#;
    assert_eq!(read(text), json);
    assert_eq!(
        refused("~: 1"),
        "line 1, column 1: null cannot be a key; quote it"
    );
    assert_eq!(
        refused("? [a]\n: 1"),
        "line 1, column 3: a list or a mapping cannot be a key"
    );
}

#[test]
fn a_number_that_json_does_not_have_is_refused() {
    assert_eq!(
        refused("a: .inf"),
        "line 1, column 4: inf is a number that JSON does not have"
    );
    assert_eq!(read(".inf: 1"), r#"{".inf":1}"#);
}

#[test]
fn of_a_key_that_is_there_twice_the_last_value_counts_and_its_place_is_told() {
    for (text, json, place) in [
        (
            "a: 1\nb: 2\na: 3\n",
            r#"{"a":3,"b":2}"#,
            "line 3, column 1: the key \"a\" is there twice",
        ),
        (
            "1: a\n\"1\": b\n",
            r#"{"1":"b"}"#,
            "line 2, column 1: the key \"1\" is there twice",
        ),
        (
            "<<: {x: 1}\nx: 2\nx: 3",
            r#"{"x":3}"#,
            "line 3, column 1: the key \"x\" is there twice",
        ),
        (
            "a: {b: 1}\na: {c: 2}",
            r#"{"a":{"c":2}}"#,
            "line 2, column 1: the key \"a\" is there twice",
        ),
    ] {
        assert_eq!(read(text), json, "{text}");
        let reading = read_yaml(text.as_bytes()).unwrap().unwrap();
        let places: Vec<_> = reading.repeated.iter().map(ToString::to_string).collect();
        assert_eq!(places, [place], "{text}");
    }
}

#[test]
fn the_syntax_is_that_of_yaml_1_1_as_go_reads_it() {
    for (text, json) in [
        ("a:\tb\nc: \td", r#"{"a":"b","c":"d"}"#),
        ("a:\t[b,\n\tc]\t# d", r#"{"a":["b","c"]}"#),
        ("%YAML 1.1\n---\na: b", r#"{"a":"b"}"#),
        (
            "%TAG !x! tag:yaml.org,2002:\n---\na: !x!str 1",
            r#"{"a":"1"}"#,
        ),
        (
            "a: b\u{85}c: d\u{2028}e: f\rg: h",
            r#"{"a":"b","c":"d","e":"f","g":"h"}"#,
        ),
        ("{a:1, b: 2, c}", r#"{"a:1":null,"b":2,"c":null}"#),
        ("[a: b, {c: d}]", r#"[{"a":"b"},{"c":"d"}]"#),
        ("a: !<tag:yaml.org,2002:str> 1", r#"{"a":"1"}"#),
        ("- a\n-\n- - b\n  - c", r#"["a",null,["b","c"]]"#),
        ("a:\n- b\nc:\n  ? d\n  : e", r#"{"a":["b"],"c":{"d":"e"}}"#),
        (
            "a: 'b\n\n  c'\nd: \"e \\\n  f\"",
            r#"{"a":"b\nc","d":"e f"}"#,
        ),
        ("a: >+\n  b\n  c\n\n    d\n\n", r#"{"a":"b c\n\n  d\n\n"}"#),
        ("a: |2-\n   b\n  c\n", r#"{"a":" b\nc"}"#),
        ("&x a: &y b\n*y : *x", r#"{"a":"b","b":"a"}"#),
        ("a: \"\\x41\\u00e9\\N\"", r#"{"a":"Aé\u0085"}"#),
    ] {
        assert_eq!(read(text), json, "{text:?}");
    }
    for text in [
        "%YAML 1.2\n---\na: b",
        "%FOO\n---\na: b",
        "a: b\n\tc: d",
        "a: @b",
        "a: `b",
        "a: %b",
        "a: \"\\/\"",
        "a: \"\\ud800\"",
        "a: |0\n  b",
        "a: !x!y b",
        "a: [b, c",
        "a: b\u{7}",
        "a\nb: c",
        "- a\nb: c",
    ] {
        refused(text);
    }
    let long = "x".repeat(1_024);
    assert_eq!(read(&format!("{long}: a")), format!("{{\"{long}\":\"a\"}}"));
    assert!(refused(&format!("{long}x: a")).contains("a ':' without a key"));
}

#[test]
fn the_first_document_is_read_whatever_follows() {
    for (text, more) in [
        ("a: 1", false),
        ("a: 1\n---\n# b\n...\n", false),
        ("a: 1\n---\nb: [", true),
        ("a: 1\n...\n@", true),
        ("a: 1\n--- b", true),
    ] {
        let reading = read_yaml(text.as_bytes()).unwrap().unwrap();
        assert_eq!(to_json(&reading.value), r#"{"a":1}"#, "{text:?}");
        assert_eq!(reading.more, more, "{text:?}");
    }
    assert_eq!(read_yaml(b"# nothing"), Ok(None));
    // What cannot be read matters as far as Go reads ahead.
    let behind = |blanks: usize| format!("a: 1\n...\n{}\u{7}", "\n".repeat(blanks));
    assert!(read_yaml(behind(10).as_bytes()).is_err());
    assert!(read_yaml(behind(600).as_bytes()).unwrap().unwrap().more);
}

#[test]
fn utf_16_is_read_behind_its_byte_order_mark() {
    let text = "\u{feff}a: \u{1f600}é\n";
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
        let documents = parse_yaml(&bytes).unwrap();
        assert_eq!(to_json(&documents[0]), "{\"a\":\"\u{1f600}é\"}");
        assert!(parse_yaml(&bytes[..bytes.len() - 1]).is_err());
    }
    // Halves of pairs.
    assert!(parse_yaml(b"\xff\xfe\x00\xd8a\x00").is_err());
    assert!(parse_yaml(b"\xfe\xff\xdc\x00\x00a").is_err());
}

#[test]
fn anchors_are_repeated_by_aliases() {
    assert_eq!(
        read("a: &x {b: 1}\nc: *x\nd: [*x, *x]"),
        r#"{"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]}"#
    );
    assert_eq!(read("&k a: 1\nb: *k"), r#"{"a":1,"b":"a"}"#);
    assert_eq!(read("a: &k x\n*k : 1"), r#"{"a":"x","x":1}"#);
    assert_eq!(
        refused("a: &x [*x]"),
        "line 1, column 8: an alias inside the value that it repeats"
    );
    assert!(refused("a: *x").starts_with("line 1, column 4"));
}

#[test]
fn merge_keys_give_way_to_later_keys() {
    assert_eq!(
        read("b: &b {x: 1, z: 2}\nc: {<<: *b, x: 3}"),
        r#"{"b":{"x":1,"z":2},"c":{"x":3,"z":2}}"#
    );
    assert_eq!(read("<<: [{a: 1}, {a: 2, b: 3}]"), r#"{"a":1,"b":3}"#);
    assert_eq!(read("x: 1\n<<: {x: 2}"), r#"{"x":2}"#);
    assert_eq!(read("'<<': {x: 2}"), r#"{"<<":{"x":2}}"#);
    assert_eq!(
        refused("<<: 1"),
        "line 1, column 5: a merge key (<<) needs a mapping or a list of mappings"
    );
}

#[test]
fn a_billion_laughs_are_refused() {
    let mut text = String::from("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n");
    for level in 1..10 {
        let alias = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![alias; 9].join(", "));
    }
    let error = refused(&text);
    assert!(
        error.contains("most of the text is repeated by aliases"),
        "{error}"
    );
    let merges = text
        .replace("[*", "[{<<: *")
        .replace(", *", "}, {<<: *")
        .replace("]\n", "}]\n");
    assert!(parse_yaml(merges.as_bytes()).is_err());
}

#[test]
fn a_long_text_that_is_repeated_often_is_refused() {
    let text = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(1 << 20),
        "*a, ".repeat(100)
    );
    assert!(refused(&text).contains("expand to more"));
}

#[test]
fn nesting_is_bounded() {
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse_yaml(deep(MAX_DEPTH).as_bytes()).is_ok());
    assert!(refused(&deep(MAX_DEPTH + 1)).contains("nested deeper than 100 levels"));
    assert!(parse_yaml("[".repeat(100_000).as_bytes()).is_err());
    assert!(parse_yaml("- ".repeat(50_000).as_bytes()).is_err());
    let mut text = String::from("a0: &a0 x\n");
    for level in 1..200 {
        text += &format!("a{level}: &a{level} [*a{}]\n", level - 1);
    }
    assert!(refused(&text).contains("nested deeper than 100 levels"));
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_accepted() {
    let text = "\u{feff}a: |\r\n  x\r\n  y\r\nb:\r\n- yes\r\n- \"z\"\r\n";
    assert_eq!(read(text), r#"{"a":"x\ny\n","b":[true,"z"]}"#);
}

#[test]
fn each_document_is_a_value() {
    assert_eq!(
        read("a: 1\n---\nb: 2\n...\n---\n- c\n"),
        r#"{"a":1} {"b":2} ["c"]"#
    );
    assert_eq!(read("---\n---\na: 1\n"), r#"null {"a":1}"#);
    assert_eq!(read(""), "");
    assert_eq!(read("# nothing\n"), "");
}

#[test]
fn json_is_yaml() {
    let json = r#"{"a":[1,true,null,"x\u00e9\n"],"b":{}}"#;
    assert_eq!(read(json), r#"{"a":[1,true,null,"xé\n"],"b":{}}"#);
}

#[test]
fn a_broken_text_says_where() {
    for text in [
        "a: [1",
        "a: \"x",
        "a:\n\t- b",
        "a: b: c",
        "{a",
        "%",
        "&",
        "\u{0}",
    ] {
        let error = parse_yaml(text.as_bytes()).unwrap_err();
        assert!(error.line() > 0 && error.column() > 0, "{text:?}: {error}");
    }
}

#[test]
fn strings_that_could_be_something_else_are_quoted() {
    for text in [
        "",
        "yes",
        "On",
        "n",
        "null",
        "~",
        "1",
        "0644",
        "1e3",
        "1e999",
        "0x1F",
        ".5",
        ".inf",
        "12:30",
        "12:30:45",
        "2001-01-01",
        "=",
        "<<",
        "- a",
        "a: b",
        "a #b",
        "a:",
        " a",
        "a ",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "'a'",
        "\"",
        "%a",
        "@a",
        "`a",
        "[a]",
        "{a}",
        ",a",
        "?",
        "-",
        "a\nb",
        "a\n",
        "\n",
        "a\tb",
        "é",
        "\u{feff}",
        "\u{85}",
        "\u{2028}x",
        "---",
        "...",
        "... a",
        "...a",
        "1_000",
        "+1",
        "0o7",
        "a\r\nb",
        "x\n\n",
        " x\ny",
        "x \ny\n",
        "x\n  y\n",
        "\u{0}",
    ] {
        // At the start of a line a text can be what it is nowhere else.
        let alone = Value::from(text);
        let map = Value::Map([(text.to_owned(), alone.clone())].into_iter().collect());
        let list = Value::from(vec![alone.clone(), map.clone()]);
        for value in [alone, map, list] {
            let yaml = to_yaml(&value);
            assert_eq!(parse_yaml(yaml.as_bytes()).unwrap(), [value], "{yaml}");
        }
    }
    let value = parse_json(br#"["yes","10.0.0.1","registry/a:1.2","12:30","a b","k=v"]"#).unwrap();
    let expected = "- \"yes\"\n- 10.0.0.1\n- registry/a:1.2\n- \"12:30\"\n- a b\n- k=v\n";
    assert_eq!(to_yaml(&value), expected);
}

#[test]
fn a_long_key_is_printed_so_that_it_can_be_read() {
    // The second is long only as it is printed: each of its characters takes six.
    for key in [
        "k".repeat(5_000),
        "\u{7f}".repeat(250),
        "\u{7f}".repeat(166),
    ] {
        let map = [(key, Value::from(vec![Value::from("v")]))];
        let value = Value::from(vec![Value::Map(map.into_iter().collect())]);
        assert_eq!(parse_yaml(to_yaml(&value).as_bytes()).unwrap(), [value]);
    }
}
