//! Files of JSON or YAML read as documents.

use podsapi_proto::json::{Value, parse_json, parse_yaml};

/// The first document of a file.
#[derive(Debug)]
pub(crate) struct First {
    /// What it says.
    pub(crate) document: Value,
    /// Whether something follows it, of which nothing is known.
    pub(crate) more: bool,
}

/// Reads the first document of a file, as a kubelet does; what follows it may be anything.
///
/// # Errors
///
/// When there is no document, or the first is empty, or neither JSON nor YAML.
pub(crate) fn first_document(content: &[u8]) -> Result<First, String> {
    let content = without_mark(content);
    let (documents, read) = if begins_json(content) {
        read_json(json_objects(content).next().unwrap_or(content), content)?
    } else {
        let first = first_yaml(content);
        (read_yaml(first)?, first)
    };
    let more = has_content(content, read);
    match documents.into_iter().next() {
        None | Some(Value::Null) if more => Err(FIRST_EMPTY.to_owned()),
        None | Some(Value::Null) => Err(EMPTY.to_owned()),
        Some(document) => Ok(First { document, more }),
    }
}

/// Says whether `content` goes on behind `read`, which it contains, with more than comments and
/// markers.
fn has_content(content: &[u8], read: &[u8]) -> bool {
    let leading = content.len() - content.trim_ascii_start().len();
    let begin = if begins_json(content) { leading } else { 0 };
    let rest = content.get(begin + read.len()..).unwrap_or_default();
    rest.split(|byte| *byte == b'\n').any(|line| {
        let behind = [&b"---"[..], b"..."].into_iter().find_map(|marker| {
            is_marker(line, marker).then(|| line.get(marker.len()..).unwrap_or_default())
        });
        let text = behind.unwrap_or(line).trim_ascii();
        !text.is_empty() && !text.starts_with(b"#")
    })
}

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

/// Returns the documents of a text that looks like JSON, and how much of it they were.
fn read_json<'a>(object: &'a [u8], whole: &'a [u8]) -> Result<(Vec<Value>, &'a [u8]), String> {
    match parse_json(object) {
        Ok(document) => Ok((vec![document], object)),
        Err(error) => {
            let first = first_yaml(whole.trim_ascii_start());
            let documents = parse_yaml(first).map_err(|_| error.to_string())?;
            Ok((documents, first))
        }
    }
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

/// Cuts a YAML stream where its first document ends: at a line that begins with `---` or `...`,
/// which no document can contain.
fn first_yaml(content: &[u8]) -> &[u8] {
    let mut begun = false;
    let mut end = 0;
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let trimmed = line.trim_ascii();
        if begun && (is_marker(line, b"...") || is_marker(line, b"---")) {
            return content.get(..end).unwrap_or(content);
        }
        let preamble = trimmed.is_empty() || trimmed.starts_with(b"#") || line.starts_with(b"%");
        begun |= is_marker(line, b"---") || !preamble;
        end += line.len();
    }
    content
}

pub(crate) fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const EMPTY: &str = "is empty";
const FIRST_EMPTY: &str = "its first document is empty, and no other is read; remove what stands \
                           in front of the second";

#[cfg(test)]
mod tests {
    use super::{documents, first_document, first_yaml, json_objects};

    #[test]
    fn the_first_document_ends_at_a_marker() {
        let first = |text: &'static str| std::str::from_utf8(first_yaml(text.as_bytes())).unwrap();
        assert_eq!(first("a: 1\n"), "a: 1\n");
        assert_eq!(first("---\na: 1\n---\nb: [\n"), "---\na: 1\n");
        assert_eq!(
            first("# c\n\n--- # d\na: 1\n...\nb"),
            "# c\n\n--- # d\na: 1\n"
        );
        assert_eq!(first("a: |\n  ---\n  x\n"), "a: |\n  ---\n  x\n");
        assert_eq!(first("---\r\na: 1\r\n---\r\nb: 2\r\n"), "---\r\na: 1\r\n");
        assert_eq!(first("a: 1\n----\n"), "a: 1\n----\n");
    }

    #[test]
    fn a_broken_second_document_does_not_matter_to_the_first() {
        for text in [
            "a: 1\n---\nb: [\n",
            "{\"a\": \"}\"} {\"b\":",
            " {a: 1}\n--- b",
        ] {
            let first = first_document(text.as_bytes()).unwrap();
            assert_eq!(first.document.as_map().unwrap().len(), 1);
            assert!(first.more, "{text:?}");
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
            let error = first_document(text.as_bytes()).unwrap_err();
            assert_eq!(error, "is empty", "{text:?}");
        }
        assert_eq!(documents(b"---\n").unwrap_err(), "is empty");
    }

    #[test]
    fn a_file_of_which_only_the_first_document_is_empty_is_not_called_empty() {
        for text in [
            "---\n---\na: 1\n",
            "# c\n---\n--- {a: 1}\n",
            "---\n# c\n---\n\na: 1",
        ] {
            let error = first_document(text.as_bytes()).unwrap_err();
            assert!(
                error.starts_with("its first document is empty"),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn comments_and_markers_behind_a_document_are_no_second_one() {
        for text in [
            "a: 1\n",
            "a: 1\n---\n",
            "a: 1\n...\n# b\n---\n\n",
            " {\"a\":1}\n",
            "{a: 1}\n---",
        ] {
            assert!(!first_document(text.as_bytes()).unwrap().more, "{text:?}");
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
