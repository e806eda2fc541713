//! Printing a value as a YAML document in block style.

use alloc::borrow::Cow;
use alloc::string::String;

use super::plain;
use crate::json::{Map, Value, quote};

/// A mapping key that is printed longer than this needs YAML's explicit form, in bytes: readers look
/// for the colon within 1,024 characters.
const LONGEST_SIMPLE_KEY_BYTES: usize = 1_000;

/// Prints a value as kubectl prints YAML: block style, lists at the indent of their key, and quotes
/// around strings that a reader could take for something else. There is a line break at the end.
///
/// Kubernetes tools and [`parse_yaml`](super::parse_yaml) read the same value back.
///
/// # Examples
///
/// ```
/// use podsapi_proto::json::{parse_json, to_yaml};
///
/// let value = parse_json(br#"{"a":["x","yes"],"b":{"c":"two\nlines\n"}}"#)?;
/// assert_eq!(to_yaml(&value), "a:\n- x\n- \"yes\"\nb:\n  c: |\n    two\n    lines\n");
/// # Ok::<(), podsapi_proto::json::TextError>(())
/// ```
#[must_use]
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Map(map) if !map.is_empty() => mapping(map, 0, &mut out),
        Value::List(list) if !list.is_empty() => sequence(list, 0, &mut out),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_) => {
            flow(value, 0, &mut out);
        }
    }
    out
}

/// Prints the entries of a mapping; the cursor is at the indent already.
fn mapping(map: &Map, indent: usize, out: &mut String) {
    for (at, (key, value)) in map.iter().enumerate() {
        if at > 0 {
            blanks(indent, out);
        }
        let spelled = spelled(key);
        if spelled.len() > LONGEST_SIMPLE_KEY_BYTES {
            out.push_str("? ");
            out.push_str(&spelled);
            out.push('\n');
            blanks(indent, out);
        } else {
            out.push_str(&spelled);
        }
        out.push(':');
        match value {
            Value::Map(inner) if !inner.is_empty() => {
                out.push('\n');
                blanks(indent + 2, out);
                mapping(inner, indent + 2, out);
            }
            Value::List(list) if !list.is_empty() => {
                out.push('\n');
                blanks(indent, out);
                sequence(list, indent, out);
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_) => {
                out.push(' ');
                flow(value, indent + 2, out);
            }
        }
    }
}

/// Returns a key as it is printed, in quotes where it needs them.
fn spelled(key: &str) -> Cow<'_, str> {
    if plain::is_safe(key) {
        return Cow::Borrowed(key);
    }
    let mut quoted = String::new();
    quote(key, &mut quoted);
    Cow::Owned(quoted)
}

/// Prints the elements of a list; the cursor is at the indent already.
fn sequence(list: &[Value], indent: usize, out: &mut String) {
    for (at, value) in list.iter().enumerate() {
        if at > 0 {
            blanks(indent, out);
        }
        out.push_str("- ");
        match value {
            Value::Map(map) if !map.is_empty() => mapping(map, indent + 2, out),
            Value::List(inner) if !inner.is_empty() => sequence(inner, indent + 2, out),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::List(_)
            | Value::Map(_) => {
                flow(value, indent + 2, out);
            }
        }
    }
}

/// Prints what stands behind a key or a dash, with the line break at its end.
fn flow(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) if plain::is_safe(text) => out.push_str(text),
        Value::String(text) if indent > 0 && is_literal(text) => {
            literal(text, indent, out);
            return;
        }
        Value::String(text) => quote(text, out),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
    out.push('\n');
}

/// Says whether a text of several lines can be written as it is, line by line.
fn is_literal(text: &str) -> bool {
    let body = text.trim_end_matches('\n');
    body.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && text.len() - body.len() <= 1
        && body.lines().all(|line| !line.ends_with([' ', '\t']))
        && body.chars().all(|character| {
            matches!(character, '\n' | '\t' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
        })
}

fn literal(text: &str, indent: usize, out: &mut String) {
    let body = text.trim_end_matches('\n');
    out.push_str(if body.len() == text.len() {
        "|-\n"
    } else {
        "|\n"
    });
    for line in body.split('\n') {
        if !line.is_empty() {
            blanks(indent, out);
            out.push_str(line);
        }
        out.push('\n');
    }
}

fn blanks(count: usize, out: &mut String) {
    out.extend(core::iter::repeat_n(' ', count));
}
