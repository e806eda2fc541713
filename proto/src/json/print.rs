//! Printing a value as JSON text.

use alloc::string::String;

use super::value::Value;

/// The indent of a level, as kubectl prints it.
const INDENT: &str = "    ";

/// Prints a value without any blanks.
///
/// # Examples
///
/// ```
/// use podsapi_proto::json::{parse_json, to_json};
///
/// let value = parse_json(b"{ \"a\": [1, null] }")?;
/// assert_eq!(to_json(&value), r#"{"a":[1,null]}"#);
/// # Ok::<(), podsapi_proto::json::TextError>(())
/// ```
#[must_use]
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    print(value, None, &mut out);
    out
}

/// Prints a value on lines of its own with an indent of four blanks a level, as kubectl does.
///
/// There is no line break at the end.
#[must_use]
pub fn to_json_pretty(value: &Value) -> String {
    let mut out = String::new();
    print(value, Some(0), &mut out);
    out
}

/// Prints at a depth, or without line breaks.
///
/// Recursion is as deep as the value, which the readers bound.
fn print(value: &Value, depth: Option<usize>, out: &mut String) {
    let inner = depth.map(|depth| depth + 1);
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => quote(text, out),
        Value::List(list) => {
            out.push('[');
            for (at, element) in list.iter().enumerate() {
                start(at, inner, out);
                print(element, inner, out);
            }
            end(list.is_empty(), depth, out);
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (at, (key, element)) in map.iter().enumerate() {
                start(at, inner, out);
                quote(key, out);
                out.push_str(if inner.is_some() { ": " } else { ":" });
                print(element, inner, out);
            }
            end(map.is_empty(), depth, out);
            out.push('}');
        }
    }
}

fn start(at: usize, depth: Option<usize>, out: &mut String) {
    if at > 0 {
        out.push(',');
    }
    new_line(depth, out);
}

fn end(empty: bool, depth: Option<usize>, out: &mut String) {
    if !empty {
        new_line(depth, out);
    }
}

fn new_line(depth: Option<usize>, out: &mut String) {
    if let Some(depth) = depth {
        out.push('\n');
        out.extend(core::iter::repeat_n(INDENT, depth));
    }
}

/// Appends a string in double quotes.
pub(crate) fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // JSON needs the first of these escaped, YAML all of them.
            '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.push_str(&alloc::format!("\\u{:04x}", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
