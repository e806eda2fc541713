//! The document of a manifest, taken or refused as a kubelet does.
//!
//! A kubelet reads a file that begins with `{` as JSON and as nothing else, and any other as YAML.
//! In both, of a key that is there twice the last counts.

use podsapi_proto::json::{self, Map, TextError, Value};
use podsapi_proto::schema::Message;

/// What a file says.
#[derive(Debug)]
pub(super) struct Document {
    /// An object of `apiVersion` v1 and `kind` Pod, of which nothing else is known.
    pub(super) pod: Map,
    /// Whether it was written in YAML and not in JSON.
    pub(super) is_yaml: bool,
    /// The keys that are there twice.
    pub(super) repeated: Vec<TextError>,
    /// Whether the file goes on behind it.
    pub(super) more: bool,
}

/// Reads the first document of a file; what follows one in YAML may be anything.
///
/// # Errors
///
/// Why the file is neither JSON nor YAML, or is no pod.
pub(super) fn read(content: &[u8]) -> Result<Document, String> {
    let is_json = begins_as_json(content);
    let reading = if is_json {
        json::read_json(content).map_err(|error| not_json(&error))?
    } else {
        let reading = json::read_yaml(content).map_err(|error| error.to_string())?;
        reading.ok_or_else(|| EMPTY.to_owned())?
    };
    let object = match &reading.value {
        Value::Map(object) => object,
        Value::Null if reading.more => return Err(FIRST_EMPTY.to_owned()),
        Value::Null => return Err(EMPTY.to_owned()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::List(_) => {
            return Err("expected a Pod, found no object".to_owned());
        }
    };
    check_type(object, is_json)?;
    let merged = if reading.repeated.is_empty() || !is_json {
        reading.value
    } else {
        json::merge_repeated(Message::POD, without_type(reading.value))
            .map_err(|error| error.to_string())?
    };
    let Value::Map(mut pod) = without_type(merged) else {
        return Err("expected a Pod, found no object".to_owned());
    };
    pod.set("apiVersion", Value::from("v1"));
    pod.set("kind", Value::from("Pod"));
    Ok(Document {
        pod,
        is_yaml: !is_json,
        repeated: reading.repeated,
        more: reading.more,
    })
}

/// Says whether the first character that is no blank is a brace; a byte order mark is no blank.
pub(super) fn begins_as_json(content: &[u8]) -> bool {
    let text = content
        .utf8_chunks()
        .next()
        .map_or("", |chunk| chunk.valid());
    text.trim_start().starts_with('{')
}

fn not_json(error: &TextError) -> String {
    format!("{error} (a file that begins with '{{' is read as JSON, as in a kubelet)")
}

/// Checks what a document is; a kubelet finds its type whatever the letter case of the two keys,
/// and the last of them counts.
fn check_type(object: &Map, is_json: bool) -> Result<(), String> {
    let mut entries: Vec<_> = object.iter().collect();
    if !is_json {
        // On its way to JSON a mapping is sorted.
        entries.sort_by_key(|(key, _)| *key);
    }
    let (mut version, mut kind) = ("", "");
    for (key, value) in entries {
        let into = match folded(key).as_str() {
            "apiversion" => &mut version,
            "kind" => &mut kind,
            _ => continue,
        };
        match value {
            Value::String(text) => *into = text,
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::List(_) | Value::Map(_) => {
                return Err(format!("{key}: expected a string"));
            }
        }
    }
    // A group in front of the version may be empty.
    if kind == "Pod" && (version == "v1" || version == "/v1") {
        return Ok(());
    }
    Err(format!(
        "expected apiVersion v1 and kind Pod, found {version:?} and {kind:?}"
    ))
}

fn without_type(value: Value) -> Value {
    let Value::Map(object) = value else {
        return value;
    };
    let entries = object.into_iter();
    let others = entries.filter(|(key, _)| !matches!(&*folded(key), "apiversion" | "kind"));
    Value::Map(others.collect())
}

/// Returns a key as Go compares names of fields, without regard to letter case.
fn folded(key: &str) -> String {
    let characters = key.chars().map(|character| match character {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        other => other.to_ascii_lowercase(),
    });
    characters.collect()
}

const EMPTY: &str = "is empty";
const FIRST_EMPTY: &str = "its first document is empty, and no other is read; remove what stands \
                           in front of the second";

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "apiVersion: v1\nkind: Pod\n";

    fn refused(text: &str) -> String {
        read(text.as_bytes()).unwrap_err()
    }

    fn taken(text: &str) -> Document {
        read(text.as_bytes()).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn a_broken_second_document_does_not_matter_to_the_first() {
        for rest in ["---\nb: [\n", "...\n@\n", "--- b"] {
            assert!(taken(&format!("{HEAD}{rest}")).more, "{rest:?}");
        }
    }

    #[test]
    fn behind_json_nothing_may_follow() {
        let object = r#"{"apiVersion":"v1","kind":"Pod"}"#;
        assert!(!taken(object).more);
        for rest in ["{}", "\n---\n", "# c", ","] {
            assert!(refused(&format!("{object}{rest}")).contains("the end of the text"));
        }
    }

    #[test]
    fn a_file_that_begins_with_a_brace_is_json() {
        let flow = "{apiVersion: v1, kind: Pod}";
        assert!(refused(flow).contains("is read as JSON"));
        for front in ["# c\n", "---\n", "\u{feff}", "--- "] {
            taken(&format!("{front}{flow}"));
        }
    }

    #[test]
    fn a_file_without_a_document_is_empty() {
        for text in [
            "",
            "\n",
            "# only a comment\n",
            "---\n",
            "---\n---\n# no\n...\n",
        ] {
            assert_eq!(refused(text), EMPTY, "{text:?}");
        }
    }

    #[test]
    fn a_file_of_which_only_the_first_document_is_empty_is_not_called_empty() {
        for text in [
            "---\n---\na: 1\n",
            "# c\n---\n--- {a: 1}\n",
            "---\n# c\n---\n\na: 1",
        ] {
            assert_eq!(refused(text), FIRST_EMPTY, "{text:?}");
        }
    }

    #[test]
    fn comments_and_markers_behind_a_document_are_no_second_one() {
        for rest in ["", "---\n", "...\n# b\n---\n\n"] {
            assert!(!taken(&format!("{HEAD}{rest}")).more, "{rest:?}");
        }
    }

    #[test]
    fn the_letter_case_of_the_type_does_not_matter_and_an_empty_group_is_none() {
        for text in [
            "apiversion: v1\nKIND: Pod\n",
            "apiVersion: /v1\nkind: Pod\n",
            r#"{"apiVersion":"v1","kind":"Node","Kind":"Pod"}"#,
        ] {
            let pod = taken(text).pod;
            assert_eq!(pod.len(), 2, "{text:?}");
            assert_eq!(pod.get("kind"), Some(&Value::from("Pod")));
        }
        for text in [
            "apiVersion: v1/\nkind: Pod\n",
            "apiVersion: //v1\nkind: Pod\n",
            "apiVersion: v1\nkind: Pod\nkInd: Node\nkind: null\n",
            r#"{"apiVersion":"v1","Kind":"Pod","kind":"Node"}"#,
            "apiVersion: v1\nkind: 1\n",
        ] {
            refused(text);
        }
    }

    #[test]
    fn keys_that_are_there_twice_are_named_and_the_last_counts() {
        let document = taken(&format!(
            "{HEAD}spec: {{nodeName: a}}\nspec: {{nodeName: b}}\n"
        ));
        let places: Vec<_> = document.repeated.iter().map(ToString::to_string).collect();
        assert_eq!(
            places,
            ["line 4, column 1: the key \"spec\" is there twice"]
        );
        let spec = document.pod.get("spec").unwrap();
        assert_eq!(spec.get("nodeName"), Some(&Value::from("b")));
    }

    #[test]
    fn what_json_says_twice_is_merged_as_go_does() {
        let document = taken(
            r#"{"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":true,"priority":1,
            "nodeSelector":{"a":"1"},"containers":[{"name":"c","image":"i"},{"name":"d"}]},
            "spec":{"hostNetwork":null,"priority":null,"nodeSelector":{"b":"2"},
            "containers":[{"name":"e"}]}}"#,
        );
        let expected = json::parse_json(
            br#"{"hostNetwork":true,"priority":null,"nodeSelector":{"a":"1","b":"2"},
            "containers":[{"name":"e","image":"i"}]}"#,
        );
        assert_eq!(document.pod.get("spec"), expected.ok().as_ref());
        let error =
            refused(r#"{"apiVersion":"v1","kind":"Pod","spec":{"priority":"x","priority":1}}"#);
        assert!(error.starts_with("priority: expected"), "{error}");
    }
}
