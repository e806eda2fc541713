//! From YAML text to one value for each document.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::cursor::Mark;
use super::events::{Event, Events};
use super::{characters, resolve};
use crate::json::{MAX_DEPTH, MOST_REPEATED, Map, Object, Reading, TextError, Value, twice};

/// How much a text may grow by aliases and merge keys, in bytes; the size of the largest manifest
/// that a kubelet reads.
const MAX_EXPANSION_BYTES: usize = 10 << 20;

/// What a value costs beside its text.
const VALUE_BYTES: usize = 32;

/// Reads all documents of a YAML text; JSON is YAML too. An empty document is [`Value::Null`].
///
/// The rules are those of YAML 1.1 as Kubernetes tools have them: scalars without quotes are
/// resolved (`yes` and `on` are booleans, `0644` is 420), keys that are no strings become strings,
/// times stay strings, and of a key that is in one mapping twice the last value counts. A merge key
/// (`<<`) gives way to keys behind it and wins over keys in front of it. The text is UTF-8, or
/// UTF-16 behind its byte order mark.
///
/// # Errors
///
/// Returns where and why the text is no YAML, has a number or a key that JSON does not have, is
/// nested deeper than [`MAX_DEPTH`], is longer than
/// [`MAX_TEXT_BYTES`](crate::json::MAX_TEXT_BYTES), or grows too much by its aliases.
pub fn parse_yaml(text: &[u8]) -> Result<Vec<Value>, TextError> {
    let mut events = Events::new(characters::decode(text)?);
    let mut documents = Vec::new();
    while let Some(reading) = document(&mut events)? {
        documents.push(reading.value);
    }
    Ok(documents)
}

/// Reads the first document of a YAML text as [`parse_yaml`] does, whatever follows it; `None` when
/// there is no document.
///
/// # Errors
///
/// As [`parse_yaml`], as far as the first document goes.
pub fn read_yaml(text: &[u8]) -> Result<Option<Reading>, TextError> {
    let mut events = Events::new(characters::decode(text)?);
    let Some(mut reading) = document(&mut events)? else {
        return Ok(None);
    };
    reading.more = has_content(&mut events);
    Ok(Some(reading))
}

fn document(events: &mut Events) -> Result<Option<Reading>, TextError> {
    let mut loader = Loader::default();
    loop {
        let (event, mark) = events.next()?;
        if event == Event::StreamEnd {
            return Ok(None);
        }
        if event == Event::DocumentEnd {
            return Ok(Some(Reading {
                value: loader.root.unwrap_or(Value::Null),
                repeated: loader.repeated,
                more: false,
            }));
        }
        loader.event(event, mark)?;
    }
}

/// Says whether anything but markers, comments and empty documents follows.
fn has_content(events: &mut Events) -> bool {
    loop {
        match events.next() {
            Ok((Event::StreamEnd, _)) => return false,
            Ok((Event::DocumentStart | Event::DocumentEnd, _)) => {}
            Ok((
                Event::Scalar {
                    text,
                    anchor: None,
                    tag: None,
                    plain: true,
                },
                _,
            )) if text.is_empty() => {}
            Ok(_) | Err(_) => return true,
        }
    }
}

#[derive(Default)]
struct Loader {
    /// The value of the document, once it is complete.
    root: Option<Value>,
    open: Vec<Open>,
    anchors: BTreeMap<String, Option<Anchored>>,
    expanded_bytes: usize,
    /// How many nodes were visited, and how many of those through an alias.
    nodes: usize,
    repeated_nodes: usize,
    repeated: Vec<TextError>,
}

/// A value that an alias may repeat; `None` while it is not complete.
struct Anchored {
    value: Value,
    size: Size,
    nodes: usize,
}

#[derive(Clone, Copy)]
struct Size {
    bytes: usize,
    depth: usize,
}

struct Open {
    anchor: Option<String>,
    content: Content,
    /// How many nodes were visited when it began.
    nodes_before: usize,
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
    fn event(&mut self, event: Event, mark: Mark) -> Result<(), TextError> {
        match event {
            Event::Scalar {
                text,
                anchor,
                tag,
                plain,
            } => self.scalar(text, anchor, tag.as_deref(), plain, mark),
            Event::SequenceStart { anchor } => self.begin(anchor, Content::List(Vec::new()), mark),
            Event::MappingStart { anchor } => {
                self.begin(anchor, Content::Mapping(Mapping::default()), mark)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(mark),
            Event::Alias(name) => self.alias(&name, mark),
            Event::DocumentStart | Event::DocumentEnd | Event::StreamEnd => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: String,
        anchor: Option<String>,
        tag: Option<&str>,
        plain: bool,
        mark: Mark,
    ) -> Result<(), TextError> {
        let nodes_before = self.nodes;
        self.nodes += 1;
        let is_merge = text == "<<" && (plain || tag == Some(resolve::MERGE_TAG));
        if self.expects_key() && is_merge {
            return self.key(Some(Key::Merge), mark);
        }
        let scalar = match tag {
            Some(tag) => resolve::tagged(tag, text).map_err(|problem| mark.error(problem))?,
            None if plain => resolve::plain(text),
            None => resolve::Scalar::String(text),
        };
        if self.expects_key() {
            if let Some(name) = anchor {
                let value =
                    resolve::value(scalar.clone()).map_err(|problem| mark.error(problem))?;
                self.remember(name, &value, nodes_before, mark)?;
            }
            let key = resolve::key(scalar).map_err(|problem| mark.error(problem))?;
            return self.key(key.map(Key::Name), mark);
        }
        let value = resolve::value(scalar).map_err(|problem| mark.error(problem))?;
        self.complete(value, anchor, nodes_before, mark)
    }

    fn begin(
        &mut self,
        anchor: Option<String>,
        content: Content,
        mark: Mark,
    ) -> Result<(), TextError> {
        if self.expects_key() {
            return Err(mark.error("a list or a mapping cannot be a key"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(mark));
        }
        if let Some(name) = &anchor {
            self.anchors.insert(name.clone(), None);
        }
        self.open.push(Open {
            anchor,
            content,
            nodes_before: self.nodes,
        });
        self.nodes += 1;
        Ok(())
    }

    fn end(&mut self, mark: Mark) -> Result<(), TextError> {
        let Some(open) = self.open.pop() else {
            return Err(mark.error("an end of a list or a mapping that did not begin"));
        };
        let value = match open.content {
            Content::List(list) => Value::List(list),
            Content::Mapping(mapping) => Value::Map(mapping.object.finish()),
        };
        self.complete(value, open.anchor, open.nodes_before, mark)
    }

    fn alias(&mut self, name: &str, mark: Mark) -> Result<(), TextError> {
        let Some(anchored) = self.anchors.get(name) else {
            return Err(mark.error("an alias whose anchor is not there"));
        };
        let Some(Anchored { value, size, nodes }) = anchored else {
            return Err(mark.error("an alias inside the value that it repeats"));
        };
        let Size { bytes, depth } = *size;
        if self.open.len() + depth > MAX_DEPTH {
            return Err(too_deep(mark));
        }
        grow(&mut self.expanded_bytes, bytes, mark)?;
        let nodes_before = self.nodes;
        self.nodes += 1 + nodes;
        self.repeated_nodes += nodes;
        if is_excessive(self.repeated_nodes, self.nodes) {
            return Err(mark.error("most of the text is repeated by aliases"));
        }
        let value = value.clone();
        self.complete(value, None, nodes_before, mark)
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open { content: Content::Mapping(mapping), .. }) if mapping.key.is_none()
        )
    }

    /// Takes the key of the innermost mapping; `None` is a null.
    fn key(&mut self, key: Option<Key>, mark: Mark) -> Result<(), TextError> {
        let Some(key) = key else {
            return Err(mark.error("null cannot be a key; quote it"));
        };
        let Some(Open {
            content: Content::Mapping(mapping),
            ..
        }) = self.open.last_mut()
        else {
            return Err(mark.error("a key outside a mapping"));
        };
        if let Key::Name(name) = &key
            && mapping.object.position(name).is_some()
            && !mapping.merged.contains(name)
            && self.repeated.len() < MOST_REPEATED
        {
            self.repeated
                .push(twice(name, mark.line + 1, mark.column + 1));
        }
        mapping.key = Some(key);
        Ok(())
    }

    /// Keeps a value for the aliases of its anchor.
    fn remember(
        &mut self,
        name: String,
        value: &Value,
        nodes_before: usize,
        mark: Mark,
    ) -> Result<(), TextError> {
        let size = measure(value);
        grow(&mut self.expanded_bytes, size.bytes, mark)?;
        let anchored = Anchored {
            value: value.clone(),
            size,
            nodes: self.nodes - nodes_before,
        };
        self.anchors.insert(name, Some(anchored));
        Ok(())
    }

    /// Puts a finished value where it belongs.
    fn complete(
        &mut self,
        value: Value,
        anchor: Option<String>,
        nodes_before: usize,
        mark: Mark,
    ) -> Result<(), TextError> {
        if let Some(name) = anchor {
            self.remember(name, &value, nodes_before, mark)?;
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
                None => Err(mark.error("a value without a key")),
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

    fn merge(&mut self, value: Value, mark: Mark) -> Result<(), TextError> {
        const WRONG: &str = "a merge key (<<) needs a mapping or a list of mappings";
        match value {
            Value::Map(map) => self.merge_one(map),
            Value::List(list) => {
                // The first mapping of the list wins, so it comes last.
                for element in list.into_iter().rev() {
                    let Value::Map(map) = element else {
                        return Err(mark.error(WRONG));
                    };
                    self.merge_one(map);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                return Err(mark.error(WRONG));
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

/// Returns the key that a repeated value becomes, `None` for a null.
fn key_of(value: Value, mark: Mark) -> Result<Option<String>, TextError> {
    match value {
        Value::Null => Ok(None),
        Value::Bool(value) => Ok(Some(format!("{value}"))),
        Value::Number(number) => Ok(Some(String::from(number.as_str()))),
        Value::String(text) => Ok(Some(text)),
        Value::List(_) | Value::Map(_) => Err(mark.error("a list or a mapping cannot be a key")),
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

fn grow(expanded_bytes: &mut usize, by: usize, mark: Mark) -> Result<(), TextError> {
    *expanded_bytes = expanded_bytes.saturating_add(by);
    if *expanded_bytes > MAX_EXPANSION_BYTES {
        let problem =
            format!("anchors and aliases expand to more than {MAX_EXPANSION_BYTES} bytes");
        return Err(mark.error(problem));
    }
    Ok(())
}

fn too_deep(mark: Mark) -> TextError {
    mark.error(format!("nested deeper than {MAX_DEPTH} levels"))
}

/// Says whether Go's reader takes so many nodes behind aliases, among all that it visited, for an
/// attack: 99 of a hundred in a text of usual size, down to ten in a very large one.
fn is_excessive(repeated: usize, nodes: usize) -> bool {
    const USUAL: u64 = 400_000;
    const VERY_LARGE: u64 = 4_000_000;
    let wide = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let (repeated, nodes) = (wide(repeated), wide(nodes));
    if repeated <= 100 || nodes <= 1_000 {
        return false;
    }
    // In millionths, so that it is exact.
    let above = nodes.clamp(USUAL, VERY_LARGE) - USUAL;
    let allowed = 990_000 - 890_000 * above / (VERY_LARGE - USUAL);
    repeated.saturating_mul(1_000_000) > nodes.saturating_mul(allowed)
}
