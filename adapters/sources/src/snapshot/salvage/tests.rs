//! Lists with one broken item, in each form and at each place.

use super::*;

const JSON: &str = r#" {"kind": "PodList", "items": [
  {"metadata": {"name": "a\"]", "uid": "1"}, "spec": {"x": [1, {"y": 2}]}},
  {"metadata": {"name": "b", "namespace": "ns", "uid": "2"}, "spec": BROKEN},
  {"metadata": {"name": "c", "uid": "3"}}
], "apiVersion": "v1"}
"#;

const YAML: &str = "apiVersion: v1\nitems:\n- apiVersion: v1\n  metadata:\n    name: a\n    \
                    annotations:\n      name: other\n    uid: \"1\"\n  spec:\n    text: |\n      - b\n\
                    - metadata:\n    name: b\n    namespace: ns\n    uid: \"2\"\n  spec: BROKEN\n\n\
                    # between\n- metadata: {name: c, uid: \"3\"}\nkind: List\n";

fn names(document: &Value) -> Vec<&str> {
    let items = document.get("items").and_then(Value::as_list).unwrap();
    let name = |item: &'_ Value| {
        let metadata = item.get("metadata")?;
        metadata.get("uid")?.as_str().map(str::to_owned)
    };
    items
        .iter()
        .map(|item| match name(item).as_deref() {
            Some("1") => "1",
            Some("2") => "2",
            Some("3") => "3",
            Some(_) | None => "-",
        })
        .collect()
}

#[test]
fn the_items_around_a_broken_one_are_read_and_it_is_named() {
    // None of them is YAML either, as which JSON is tried, too.
    for (text, breaks) in [
        (
            JSON,
            &["{", "\"\\q\"", "{\"a\": \"\\q\"}", "[\"\\q\", {}]"][..],
        ),
        (YAML, &["{", "[1, 2", "\"\\q\"", "*unknown"]),
    ] {
        for broken in breaks {
            // A brace that is never closed leaves no list.
            let text = text.replace("BROKEN", broken);
            let Ok(found) = documents(text.as_bytes()) else {
                assert_eq!((*broken, text.starts_with(' ')), ("{", true), "{text}");
                continue;
            };
            let [document] = found.documents.as_slice() else {
                panic!("{broken:?}: {found:?}")
            };
            assert_eq!(names(document), ["1", "-", "3"], "{broken:?}");
            let [(place, item)] = Vec::from_iter(&found.broken)[..] else {
                panic!("{broken:?}: {found:?}")
            };
            assert_eq!(*place, (0, 1));
            let known = [&item.namespace, &item.name, &item.uid].map(String::as_str);
            assert_eq!(known, ["ns", "b", "2"], "{broken:?}");
            assert!(!item.error.is_empty());
        }
    }
}

#[test]
fn the_place_of_a_broken_item_is_that_in_the_file() {
    let json = JSON.replace("BROKEN", "\"\\q\"");
    let yaml = YAML.replace("BROKEN", "{a: [1, 2}");
    let one = r#"{"kind": "Pod"}"#;
    let lines = "{\"items\": [{\"a\":\n1}, {\"ä\": \"\\q\"}]}";
    for (text, line) in [
        (json.clone(), 3),
        (format!("\n{one}\n\n{json}"), 6),
        (lines.to_owned(), 2),
        (yaml.clone(), 16),
        (format!("kind: Pod\n---\n{yaml}"), 18),
    ] {
        let found = documents(text.as_bytes()).unwrap();
        let error = &found.broken.values().next().unwrap().error;
        let shown = text.lines().nth(line - 1).unwrap();
        let expected = match shown.split_once("\\q") {
            Some((before, _)) => format!("line {line}, column {}: ", before.chars().count() + 1),
            None => format!("line {line}, column "),
        };
        assert!(error.starts_with(&expected), "{text}: {error}");
    }
}

#[test]
fn yaml_takes_no_text_that_is_none_and_says_where() {
    for bad in [&b"\"\xff\""[..], br#""\ud800""#, b"a\xff"] {
        let at = YAML.find("BROKEN").unwrap();
        let (head, tail) = YAML.as_bytes().split_at(at);
        let text = [head, bad, tail.strip_prefix(b"BROKEN").unwrap()].concat();
        let found = documents(&text).unwrap();
        assert_eq!(names(&found.documents[0]), ["1", "-", "3"]);
        let broken = &found.broken[&(0, 1)];
        assert_eq!(broken.name, "b");
        assert!(broken.error.starts_with("line 16, "), "{}", broken.error);
    }
}

#[test]
fn items_whose_text_was_no_text_are_marked() {
    let list = |name: &[u8]| {
        [
            &br#"{"kind":"PodList","items":[{"metadata":{"name":"a"}},{"metadata":{"name":""#[..],
            name,
            b"\"}}]}",
        ]
        .concat()
    };
    for name in [&b"b\xff"[..], br"b\ud800", br"b\ufffd"] {
        let found = documents(&list(name)).unwrap();
        assert_eq!(Vec::from_iter(found.replaced), [(0, 1)]);
        let found = json(&list(name)).unwrap();
        assert_eq!(Vec::from_iter(found.replaced), [(0, 1)]);
    }
    let pod = b"{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xff\"}}";
    let two = [&list(b"b")[..], b"\n", pod].concat();
    assert_eq!(Vec::from_iter(documents(&two).unwrap().replaced), [(1, 0)]);
    assert!(
        documents(&list("b\u{fffd}".as_bytes()))
            .unwrap()
            .replaced
            .is_empty()
    );
}

#[test]
fn what_is_not_within_an_item_stays_an_error() {
    for text in [
        "",
        "{",
        "{\"items\": [}",
        "{\"items\": {}, \"\\q\": 1}",
        "{\"items\": [{}, {}]",
        "{\"items\": [{}, {}], \"\\q\": 1}",
        "{\"items\": [], \"\\q\": 1}",
        "items:\n- a: 1\n- b: 2\nx: [\n",
        "items: [\n",
        "kind: List\nitems:\n- a: 1\n- b: {\n",
        "<html>: [",
    ] {
        assert!(documents(text.as_bytes()).is_err(), "{text:?}");
        assert!(json(text.as_bytes()).is_err(), "{text:?}");
    }
}

#[test]
fn what_can_be_read_as_a_whole_is() {
    for text in [JSON.replace("BROKEN", "{}"), YAML.replace("BROKEN", "{}")] {
        let found = documents(text.as_bytes()).unwrap();
        assert!(found.broken.is_empty());
        assert_eq!(names(&found.documents[0]), ["1", "2", "3"]);
    }
}

#[test]
fn damaged_lists_never_panic() {
    let seeds = [JSON, YAML].map(|text| text.replace("BROKEN", "{}"));
    let seeds = seeds.each_ref().map(String::as_str);
    for text in crate::mangled::variants(&seeds, 4_000) {
        let found = documents(&text);
        if let Ok(found) = found {
            for (document, item) in found.broken.keys() {
                let items = found.documents[*document].get("items").unwrap();
                assert_eq!(items.as_list().unwrap()[*item], Value::Null);
            }
        }
    }
}
