//! From YAML text to one value for each document.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::resolve::{self, Scalar};
use crate::json::{MAX_DEPTH, Map, Object, TextError, Value, utf8};

/// How much a text may grow by aliases and merge keys, in bytes; the size of the largest manifest
/// that a kubelet reads.
const MAX_EXPANSION_BYTES: usize = 10 << 20;

/// What a value costs beside its text.
const VALUE_BYTES: usize = 32;

/// Reads all documents of a YAML text; JSON is YAML too. An empty document is [`Value::Null`].
///
/// Scalars without quotes are resolved as Kubernetes tools do (YAML 1.1: `yes` and `on` are booleans,
/// `0644` is 420), keys that are no strings become strings, times stay strings. A merge key (`<<`)
/// gives way to keys behind it and wins over keys in front of it, as in those tools.
///
/// # Errors
///
/// Returns where and why the text is no YAML, has a key twice in one mapping, has a number or a key
/// that JSON does not have, is nested deeper than [`MAX_DEPTH`], is longer than
/// [`MAX_TEXT_BYTES`](crate::json::MAX_TEXT_BYTES), or grows too much by its aliases.
pub fn parse_yaml(text: &[u8]) -> Result<Vec<Value>, TextError> {
    let mut parser = Parser::new_from_str(utf8(text)?);
    let mut loader = Loader::default();
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let problem = String::from(error.info());
            TextError::new(error.marker().line(), error.marker().col() + 1, problem)
        })?;
        loader.event(event, span.start)?;
    }
    Ok(loader.documents)
}

#[derive(Default)]
struct Loader {
    documents: Vec<Value>,
    /// The value of the current document, once it is complete.
    root: Option<Value>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Anchored>,
    expanded_bytes: usize,
}

/// A value that an alias may repeat.
struct Anchored {
    value: Value,
    size: Size,
}

#[derive(Clone, Copy)]
struct Size {
    bytes: usize,
    depth: usize,
}

struct Open {
    anchor: usize,
    content: Content,
}

enum Content {
    List(Vec<Value>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    object: Object,
    /// The key whose value comes next.
    key: Option<Key>,
    /// The keys that only a merge has set so far.
    merged: BTreeSet<String>,
}

enum Key {
    Merge,
    Name(String),
}

impl Loader {
    fn event(&mut self, event: Event<'_>, mark: Marker) -> Result<(), TextError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag, mark),
            Event::SequenceStart(anchor, _) => self.begin(anchor, Content::List(Vec::new()), mark),
            Event::MappingStart(anchor, _) => {
                self.begin(anchor, Content::Mapping(Mapping::default()), mark)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(mark),
            Event::Alias(anchor) => self.alias(anchor, mark),
            Event::DocumentStart(_) => {
                self.root = None;
                Ok(())
            }
            Event::DocumentEnd => {
                self.documents.push(self.root.take().unwrap_or(Value::Null));
                Ok(())
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        mark: Marker,
    ) -> Result<(), TextError> {
        let core_tag = tag.as_ref().map(|tag| {
            if tag.is_yaml_core_schema() {
                tag.suffix.as_str()
            } else {
                ""
            }
        });
        let is_plain = style == ScalarStyle::Plain;
        let scalar = match core_tag {
            Some(tag) => resolve::tagged(tag, text).map_err(|problem| at(mark, problem))?,
            None if is_plain => resolve::plain(text),
            None => Scalar::String(String::from(text)),
        };
        if self.expects_key()
            && text == "<<"
            && (core_tag == Some("merge") || (tag.is_none() && is_plain))
        {
            return self.key(Some(Key::Merge), mark);
        }
        if self.expects_key() && anchor == 0 {
            return self.key(resolve::key(scalar).map(Key::Name), mark);
        }
        let value = resolve::value(scalar).map_err(|problem| at(mark, problem))?;
        self.complete(value, anchor, mark)
    }

    fn begin(&mut self, anchor: usize, content: Content, mark: Marker) -> Result<(), TextError> {
        if self.expects_key() {
            return Err(at(mark, "a list or a mapping cannot be a key"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(mark));
        }
        self.open.push(Open { anchor, content });
        Ok(())
    }

    fn end(&mut self, mark: Marker) -> Result<(), TextError> {
        let Some(Open { anchor, content }) = self.open.pop() else {
            return Err(at(mark, "an end of a list or a mapping that did not begin"));
        };
        let value = match content {
            Content::List(list) => Value::List(list),
            Content::Mapping(mapping) => Value::Map(mapping.object.finish()),
        };
        self.complete(value, anchor, mark)
    }

    fn alias(&mut self, anchor: usize, mark: Marker) -> Result<(), TextError> {
        let Some(anchored) = self.anchors.get(&anchor) else {
            return Err(at(mark, "an alias inside the value that it repeats"));
        };
        let Size { bytes, depth } = anchored.size;
        if self.open.len() + depth > MAX_DEPTH {
            return Err(too_deep(mark));
        }
        grow(&mut self.expanded_bytes, bytes, mark)?;
        let value = anchored.value.clone();
        self.complete(value, 0, mark)
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open { content: Content::Mapping(mapping), .. }) if mapping.key.is_none()
        )
    }

    /// Takes the key of the innermost mapping; `None` is a null.
    fn key(&mut self, key: Option<Key>, mark: Marker) -> Result<(), TextError> {
        let Some(key) = key else {
            return Err(at(mark, "null cannot be a key; quote it"));
        };
        let Some(Open {
            content: Content::Mapping(mapping),
            ..
        }) = self.open.last_mut()
        else {
            return Err(at(mark, "a key outside a mapping"));
        };
        if let Key::Name(name) = &key
            && mapping.object.position(name).is_some()
            && !mapping.merged.contains(name)
        {
            return Err(at(mark, format!("the key {name:?} is there twice")));
        }
        mapping.key = Some(key);
        Ok(())
    }

    /// Puts a finished value where it belongs.
    fn complete(&mut self, value: Value, anchor: usize, mark: Marker) -> Result<(), TextError> {
        if anchor != 0 {
            let size = measure(&value);
            grow(&mut self.expanded_bytes, size.bytes, mark)?;
            let value = value.clone();
            self.anchors.insert(anchor, Anchored { value, size });
        }
        if self.expects_key() {
            return self.key(key_of(value, mark)?.map(Key::Name), mark);
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => {
                self.root = Some(value);
                Ok(())
            }
            Some(Content::List(list)) => {
                list.push(value);
                Ok(())
            }
            Some(Content::Mapping(mapping)) => match mapping.key.take() {
                Some(Key::Merge) => mapping.merge(value, mark),
                Some(Key::Name(name)) => {
                    mapping.set(name, value);
                    Ok(())
                }
                None => Err(at(mark, "a value without a key")),
            },
        }
    }
}

impl Mapping {
    fn set(&mut self, name: String, value: Value) {
        self.merged.remove(&name);
        match self.object.position(&name) {
            Some(at) => self.object.replace(at, value),
            None => self.object.push(name, value),
        }
    }

    fn merge(&mut self, value: Value, mark: Marker) -> Result<(), TextError> {
        const WRONG: &str = "a merge key (<<) needs a mapping or a list of mappings";
        match value {
            Value::Map(map) => self.merge_one(map),
            Value::List(list) => {
                // The first mapping of the list wins, so it comes last.
                for element in list.into_iter().rev() {
                    let Value::Map(map) = element else {
                        return Err(at(mark, WRONG));
                    };
                    self.merge_one(map);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(at(mark, WRONG));
            }
        }
        Ok(())
    }

    fn merge_one(&mut self, map: Map) {
        for (name, value) in map {
            match self.object.position(&name) {
                Some(at) => self.object.replace(at, value),
                None => {
                    self.merged.insert(name.clone());
                    self.object.push(name, value);
                }
            }
        }
    }
}

/// Returns the key that an anchored or repeated value becomes, `None` for a null.
fn key_of(value: Value, mark: Marker) -> Result<Option<String>, TextError> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(value) => Ok(Some(format!("{value}"))),
        Value::Number(number) => Ok(Some(String::from(number.as_str()))),
        Value::String(text) => Ok(Some(text)),
        Value::List(_) | Value::Map(_) => Err(at(mark, "a list or a mapping cannot be a key")),
    }
}

/// Measures a value that was built here, and so is at most [`MAX_DEPTH`] levels deep.
fn measure(value: &Value) -> Size {
    let mut size = Size {
        bytes: VALUE_BYTES,
        depth: 0,
    };
    let mut add = |key: &str, inner: &Value| {
        let inner = measure(inner);
        size.bytes = size
            .bytes
            .saturating_add(inner.bytes)
            .saturating_add(key.len());
        size.depth = size.depth.max(inner.depth + 1);
    };
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => size.bytes += number.as_str().len(),
        Value::String(text) => size.bytes += text.len(),
        Value::List(list) => list.iter().for_each(|element| add("", element)),
        Value::Map(map) => map.iter().for_each(|(key, element)| add(key, element)),
    }
    size
}

fn grow(expanded_bytes: &mut usize, by: usize, mark: Marker) -> Result<(), TextError> {
    *expanded_bytes = expanded_bytes.saturating_add(by);
    if *expanded_bytes > MAX_EXPANSION_BYTES {
        let problem =
            format!("anchors and aliases expand to more than {MAX_EXPANSION_BYTES} bytes");
        return Err(at(mark, problem));
    }
    Ok(())
}

fn too_deep(mark: Marker) -> TextError {
    at(mark, format!("nested deeper than {MAX_DEPTH} levels"))
}

fn at(mark: Marker, problem: impl Into<Cow<'static, str>>) -> TextError {
    TextError::new(mark.line(), mark.col() + 1, problem)
}
