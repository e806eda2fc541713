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
