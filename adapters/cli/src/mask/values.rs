//! The values that a canonical path selects of a pod's JSON.

use podsapi_proto::json::{Value, to_json};

/// Returns the values at `path` as one line, those of lists in brackets; nothing when there are none.
pub(crate) fn at(pod: &Value, path: &str) -> Option<String> {
    let mut found = Found::default();
    found.collect(pod, &segments(path));
    let text = match (found.values.as_slice(), found.in_list) {
        ([], _) => return None,
        ([value], false) => to_json(value),
        (values, _) => {
            let values: Vec<_> = values.iter().map(|value| to_json(value)).collect();
            format!("[{}]", values.join(","))
        }
    };
    if text.chars().count() <= MAX_SHOWN {
        return Some(text);
    }
    let cut = text.chars().take(MAX_SHOWN - 3);
    Some(cut.chain("...".chars()).collect())
}

/// Splits a path at its dots, except for those in backquotes.
fn segments(path: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let mut quoted = false;
    let mut rest = path.chars().peekable();
    while let Some(c) = rest.next() {
        let doubled = c == '`' && quoted && rest.next_if_eq(&'`').is_some();
        match (c, segments.last_mut()) {
            ('`', _) if !doubled => quoted = !quoted,
            ('.', _) if !quoted => segments.push(String::new()),
            (c, Some(segment)) => segment.push(c),
            (_, None) => {}
        }
    }
    segments
}

#[derive(Debug, Default)]
struct Found<'a> {
    values: Vec<&'a Value>,
    /// Whether a list was passed on the way, so that one value is one of several.
    in_list: bool,
}

impl<'a> Found<'a> {
    fn collect(&mut self, value: &'a Value, segments: &[String]) {
        match (segments, value) {
            ([], value) => self.values.push(value),
            ([all], value) if all == "*" => self.values.push(value),
            (segments, Value::List(items)) => {
                self.in_list = true;
                items.iter().for_each(|item| self.collect(item, segments));
            }
            ([first, rest @ ..], value) => {
                if let Some(value) = value.get(first) {
                    self.collect(value, rest);
                }
            }
        }
    }
}

/// Characters of values shown in a line.
const MAX_SHOWN: usize = 60;

#[cfg(test)]
mod tests {
    use podsapi_proto::json::parse_json;

    use super::*;

    #[test]
    fn values_are_found_through_lists_and_quoted_keys() {
        let pod = br#"{"metadata":{"labels":{"a.b/c":"x","`":"tick"}},
            "spec":{"containers":[{"name":"a","ports":[{"containerPort":1},{"containerPort":2}]},
                                  {"name":"b"}],"nodeName":"n"}}"#;
        let pod = parse_json(pod).unwrap();
        for (path, expected) in [
            ("spec.nodeName", Some("\"n\"")),
            ("spec.containers.name", Some("[\"a\",\"b\"]")),
            ("spec.containers.ports.containerPort", Some("[1,2]")),
            ("metadata.labels.`a.b/c`", Some("\"x\"")),
            ("metadata.labels.````", Some("\"tick\"")),
            ("metadata.labels.missing", None),
            ("status.phase", None),
        ] {
            assert_eq!(at(&pod, path).as_deref(), expected, "{path}");
        }
        assert_eq!(at(&pod, "*").unwrap().chars().count(), MAX_SHOWN);
    }
}
