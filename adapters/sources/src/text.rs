//! Files of JSON or YAML read as documents.

use podsapi_proto::json::{Value, parse_json, parse_yaml};

/// Reads all documents of a file: a stream of JSON objects or of YAML documents, empty ones left
/// out.
///
/// # Errors
///
/// When there is no document, or one of them is neither JSON nor YAML.
pub(crate) fn documents(content: &[u8]) -> Result<Vec<Value>, String> {
    let content = without_mark(content);
    let mut documents = Vec::new();
    if begins_json(content) {
        for object in json_objects(content) {
            match parse_json(object) {
                Ok(document) => documents.push(document),
                // What looks like JSON can be YAML with braces.
                Err(error) => {
                    documents = parse_yaml(content).map_err(|_| error.to_string())?;
                    break;
                }
            }
        }
    } else {
        documents = read_yaml(content)?;
    }
    documents.retain(|document| *document != Value::Null);
    if documents.is_empty() {
        return Err(EMPTY.to_owned());
    }
    Ok(documents)
}

fn read_yaml(content: &[u8]) -> Result<Vec<Value>, String> {
    parse_yaml(content).map_err(|error| error.to_string())
}

pub(crate) fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(content)
}

pub(crate) fn begins_json(content: &[u8]) -> bool {
    content.trim_ascii_start().starts_with(b"{")
}

/// Cuts a stream of JSON objects after each closing brace that closes all; what is unclosed is the
/// last piece.
pub(crate) fn json_objects(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = content.trim_ascii_start();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (object, after) = rest
            .split_at_checked(object_length(rest))
            .unwrap_or((rest, b""));
        rest = after.trim_ascii_start();
        Some(object)
    })
}

fn object_length(content: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut escaped = false;
    for (index, byte) in content.iter().enumerate() {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    content.len()
}

/// Says whether a text in JSON has what is read as U+FFFD: a byte that is not UTF-8, or an escape of
/// half a surrogate pair.
pub(crate) fn is_replaced(json: &[u8]) -> bool {
    std::str::from_utf8(json).is_err() || has_escape(json, |code| (0xd800..=0xdfff).contains(&code))
}

/// Says the same of a text that a Kubernetes server printed: in place of a byte that is not UTF-8 it
/// writes the escape of U+FFFD, and that character itself as it is.
pub(crate) fn is_replaced_or_was(json: &[u8]) -> bool {
    is_replaced(json) || has_escape(json, |code| code == 0xfffd)
}

/// Says whether there is such an escape of four digits; those of a surrogate pair are passed over.
fn has_escape(json: &[u8], is_wanted: impl Fn(u32) -> bool) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        rest = rest.get(at..).unwrap_or_default();
        let second = || escape(rest.get(6..)?);
        let length = match escape(rest) {
            Some(0xd800..=0xdbff) if matches!(second(), Some(0xdc00..=0xdfff)) => 12,
            Some(code) if is_wanted(code) => return true,
            Some(_) => 6,
            None => 2,
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    false
}

fn escape(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |code, digit| {
        Some(code * 16 + char::from(*digit).to_digit(16)?)
    })
}

pub(crate) fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// What is said of a pod with such a text.
pub(crate) const REPLACED: &str =
    "not all of its text is UTF-8 (served with U+FFFD where it is not)";

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const EMPTY: &str = "is empty";

#[cfg(test)]
mod tests {
    use super::{documents, is_replaced, is_replaced_or_was, json_objects};

    #[test]
    fn what_is_read_as_a_replacement_is_found_in_json() {
        for (text, read, was) in [
            (&b"\"a\xffb\""[..], true, true),
            (b"\"\xed\xa0\x80\"", true, true),
            (br#""\ud800""#, true, true),
            (br#""\uDC00x""#, true, true),
            (br#""\ud800\ud83d\ude00""#, true, true),
            (br#""\ufffd""#, false, true),
            ("\"\u{fffd}\"".as_bytes(), false, false),
            (br#""\ud83d\ude00\\ud800\\ufffd\n\u00e4""#, false, false),
            (br#""\u12"#, false, false),
            (br#""\"#, false, false),
        ] {
            let name = text.escape_ascii();
            assert_eq!(
                (is_replaced(text), is_replaced_or_was(text)),
                (read, was),
                "{name}"
            );
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
            assert_eq!(
                documents(text.as_bytes()).unwrap_err(),
                "is empty",
                "{text:?}"
            );
        }
    }

    #[test]
    fn streams_of_json_and_yaml_are_read_whole() {
        let pieces: Vec<&[u8]> = json_objects(b" {\"a\":\"\\\"}\"}\n{\"b\":[{}]} ").collect();
        assert_eq!(pieces, [&b"{\"a\":\"\\\"}\"}"[..], b"{\"b\":[{}]}"]);
        assert_eq!(documents(b"{\"a\":1}\n{\"b\":2}\n").unwrap().len(), 2);
        assert_eq!(documents(b"a: 1\n---\n---\nb: 2\n").unwrap().len(), 2);
        assert_eq!(documents("\u{feff}{a: 1}".as_bytes()).unwrap().len(), 1);
        assert!(documents(b"{\"a\":1}\n{\"b\":").is_err());
    }
}
