//! Lists of which some items are no JSON or YAML: the others are read, each for itself.
//!
//! A text is read as a whole first; this is for those that cannot be. What divides a list is found
//! without reading its items, so that one which is broken hides none of the others. A text that is
//! no list, or is cut off, stays an error.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use podsapi_proto::json::{Map, TextError, Value, parse_json, parse_yaml};

use crate::text;
use crate::tree;

/// Documents, in whose lists `null` stands for each item that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Salvaged {
    pub(crate) documents: Vec<Value>,
    /// By the indices of document and item.
    pub(crate) broken: BTreeMap<(usize, usize), Broken>,
    /// The items, by the same indices, of which some text was no text and is read as U+FFFD; a
    /// document that is no list is its own item 0.
    pub(crate) replaced: BTreeSet<(usize, usize)>,
}

/// An item that cannot be read, and what could be found out about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) error: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// Reads a text as [`text::documents`] does, and if it is none, as far as it consists of lists.
///
/// # Errors
///
/// What is wrong with the text, when that is not within items of a list.
pub(crate) fn documents(content: &[u8]) -> Result<Salvaged, String> {
    match text::documents(content) {
        Ok(documents) => {
            let mut salvaged = Salvaged {
                documents,
                ..Salvaged::default()
            };
            let content = text::without_mark(content);
            // Whatever else is read, YAML, takes no such text.
            if text::begins_json(content) && text::is_replaced_or_was(content) {
                for (number, object) in text::json_objects(content).enumerate() {
                    if parse_json(object).is_ok() {
                        salvaged.mark_replaced(number, object);
                    }
                }
            }
            Ok(salvaged)
        }
        Err(error) => salvaged(content).ok_or(error),
    }
}

/// Reads one JSON document, as [`documents`] does.
///
/// # Errors
///
/// As [`documents`].
#[cfg(any(test, feature = "kubelet-http"))]
pub(crate) fn json(content: &[u8]) -> Result<Salvaged, String> {
    let mut salvaged = Salvaged::default();
    match parse_json(content) {
        Ok(document) => salvaged.documents.push(document),
        Err(error) => salvaged
            .add_json(content, Place::default())
            .ok_or_else(|| error.to_string())?,
    }
    salvaged.mark_replaced(0, content);
    Ok(salvaged)
}

fn salvaged(content: &[u8]) -> Option<Salvaged> {
    let content = text::without_mark(content);
    let mut salvaged = Salvaged::default();
    if text::begins_json(content) {
        let mut place = Place::default();
        let mut rest = content;
        for (number, object) in text::json_objects(content).enumerate() {
            let (blanks, from) = rest.split_at_checked(after_blanks(rest, 0))?;
            place = place.behind(blanks);
            salvaged.mark_replaced(number, object);
            match parse_json(object) {
                Ok(document) => salvaged.documents.push(document),
                Err(_) => salvaged.add_json(object, place)?,
            }
            place = place.behind(object);
            rest = from.get(object.len()..)?;
        }
    } else {
        let mut place = Place::default();
        for document in yaml_documents(content) {
            match parse_yaml(document) {
                Ok(documents) => salvaged.documents.extend(documents),
                Err(_) => salvaged.add_yaml(document, place)?,
            }
            place = place.behind(document);
        }
        if salvaged.broken.is_empty() {
            return None;
        }
        salvaged
            .documents
            .retain(|document| *document != Value::Null);
    }
    Some(salvaged)
}

impl Salvaged {
    /// Finds the items of a JSON document of which some text was no text.
    fn mark_replaced(&mut self, number: usize, object: &[u8]) {
        if !text::is_replaced_or_was(object) {
            return;
        }
        let list = member(object, b"items").and_then(|place| object.get(place));
        let Some((list, elements)) = list.and_then(|list| Some((list, elements(list)?))) else {
            self.replaced.insert((number, 0));
            return;
        };
        for (index, place) in elements.into_iter().enumerate() {
            if text::is_replaced_or_was(list.get(place).unwrap_or_default()) {
                self.replaced.insert((number, index));
            }
        }
    }

    /// Adds a JSON document that begins at `place` of the file.
    fn add_json(&mut self, object: &[u8], place: Place) -> Option<()> {
        let items = member(object, b"items")?;
        let list = object.get(items.clone())?;
        let mut walk = Walk::new(list, place.behind(object.get(..items.start)?));
        let elements = elements(list)?.into_iter().map(|range| {
            let (text, place) = walk.to(range);
            parse_json(text).map_err(|error| Broken::in_json(text, place.of(&error)))
        });
        let elements: Vec<_> = elements.collect();
        let [head, tail] = [object.get(..items.start)?, object.get(items.end..)?];
        let rest = parse_json(&[head, b"[]", tail].concat()).ok()?;
        self.add(rest, elements)
    }

    /// Adds a YAML document that begins at `place` of the file.
    fn add_yaml(&mut self, document: &[u8], place: Place) -> Option<()> {
        let Items { list, items } = Items::find(document)?;
        let mut walk = Walk::new(document, place);
        let elements = items.into_iter().map(|range| {
            let (text, place) = walk.to(range);
            let read = parse_yaml(text).map_err(|error| place.of_yaml(&error, text));
            let item = read.and_then(|documents| match documents.into_iter().next() {
                Some(Value::List(mut list)) if list.len() == 1 => Ok(list.remove(0)),
                Some(_) | None => Err("expected one item".to_owned()),
            });
            item.map_err(|error| Broken::in_yaml(text, error))
        });
        let elements: Vec<_> = elements.collect();
        if elements.last().is_some_and(Result::is_err) && list.end == document.len() {
            // It may be half written, and more to come.
            return None;
        }
        let [head, tail] = [document.get(..list.start)?, document.get(list.end..)?];
        let rest = parse_yaml(&[head, b"items: []\n", tail].concat()).ok()?;
        self.add(rest.into_iter().next()?, elements)
    }

    /// Adds a document with the items of its list, at least one of which is broken.
    fn add(&mut self, document: Value, elements: Vec<Result<Value, Broken>>) -> Option<()> {
        let Value::Map(mut map) = document else {
            return None;
        };
        let number = self.documents.len();
        let before = self.broken.len();
        let mut items = Vec::with_capacity(elements.len());
        for (index, element) in elements.into_iter().enumerate() {
            items.push(element.unwrap_or_else(|broken| {
                self.broken.insert((number, index), broken);
                Value::Null
            }));
        }
        map.set("items", Value::List(items));
        self.documents.push(Value::Map(map));
        // Otherwise something else is wrong with it.
        (self.broken.len() > before).then_some(())
    }
}

impl Broken {
    fn in_json(item: &[u8], error: String) -> Self {
        let metadata = member(item, b"metadata").and_then(|place| item.get(place));
        let name = |key: &[u8]| {
            let metadata = metadata?;
            let value = parse_json(metadata.get(member(metadata, key)?)?).ok()?;
            value.as_str().map(str::to_owned)
        };
        let name = |key| name(key).unwrap_or_default();
        Self {
            error,
            namespace: name(b"namespace"),
            name: name(b"name"),
            uid: name(b"uid"),
        }
    }

    fn in_yaml(item: &[u8], error: String) -> Self {
        let names = yaml_names(item);
        let name = |key| tree::text(&names, key).to_owned();
        Self {
            error,
            namespace: name("namespace"),
            name: name("name"),
            uid: name("uid"),
        }
    }
}

/// How many lines of a file are before a place in it, and how many characters of its own line.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    lines: usize,
    characters: usize,
}

impl Place {
    /// Returns the place behind this text, which begins here.
    fn behind(self, text: &[u8]) -> Self {
        let line = text.iter().rposition(|byte| *byte == b'\n');
        let last = text.get(line.map_or(0, |line| line + 1)..);
        let chunks = last.unwrap_or_default().utf8_chunks();
        let characters: usize = chunks
            .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
            .sum();
        Self {
            lines: self.lines + text.iter().filter(|byte| **byte == b'\n').count(),
            characters: characters + line.map_or(self.characters, |_line| 0),
        }
    }

    /// Tells an error in a text that begins here by where it is in the file.
    fn of(self, error: &TextError) -> String {
        let first = if error.line() == 1 {
            self.characters
        } else {
            0
        };
        format!(
            "line {}, column {}: {}",
            self.lines + error.line(),
            first + error.column(),
            error.problem()
        )
    }

    /// As [`Place::of`], and where bytes are wrong by the first of them: the reader, which takes
    /// them by the hundred, tells only where it was.
    fn of_yaml(self, error: &TextError, text: &[u8]) -> String {
        match std::str::from_utf8(text) {
            Err(wrong) if error.problem().contains("UTF-8") => {
                let before = text.get(..wrong.valid_up_to()).unwrap_or_default();
                let Self { lines, characters } = self.behind(before);
                let (line, column) = (lines + 1, characters + 1);
                format!("line {line}, column {column}: {}", error.problem())
            }
            Ok(_) | Err(_) => self.of(error),
        }
    }
}

/// Goes through the parts of a text in their order, and knows where each is in the file.
#[derive(Debug)]
struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    place: Place,
}

impl<'a> Walk<'a> {
    /// Begins with the text, which is at `place`.
    fn new(text: &'a [u8], place: Place) -> Self {
        Self { text, at: 0, place }
    }

    fn to(&mut self, part: Range<usize>) -> (&'a [u8], Place) {
        let before = self.text.get(self.at..part.start).unwrap_or_default();
        self.place = self.place.behind(before);
        self.at = part.start;
        (self.text.get(part).unwrap_or_default(), self.place)
    }
}

/// Returns where the value of a member of a JSON object is, which need not be JSON itself.
fn member(object: &[u8], key: &[u8]) -> Option<Range<usize>> {
    let mut at = after_blanks(object, 0);
    if object.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        at = after_blanks(object, at + 1);
        if object.get(at) != Some(&b'"') {
            return None;
        }
        let end = string_end(object, at)?;
        let found = object.get(at + 1..end - 1)?;
        at = after_blanks(object, end);
        if object.get(at) != Some(&b':') {
            return None;
        }
        let start = after_blanks(object, at + 1);
        at = value_end(object, start)?;
        if found == key {
            return Some(start..at);
        }
        if object.get(at) != Some(&b',') {
            return None;
        }
    }
}

/// Returns where the elements of a JSON list are; none when it is no list.
fn elements(list: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut at = 0;
    if list.first() != Some(&b'[') {
        return None;
    }
    let mut elements = Vec::new();
    loop {
        let start = after_blanks(list, at + 1);
        at = value_end(list, start)?;
        elements.push(start..at);
        match list.get(at) {
            Some(b',') => {}
            Some(b']') => return Some(elements),
            Some(_) | None => return None,
        }
    }
}

fn after_blanks(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.len() - rest.trim_ascii_start().len()
}

/// Returns what follows a string whose first quote is at `at`.
fn string_end(text: &[u8], at: usize) -> Option<usize> {
    let mut end = at + 1;
    loop {
        match text.get(end)? {
            b'"' => return Some(end + 1),
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

/// Returns where a value ends: at the comma or bracket behind it.
fn value_end(text: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = start;
    loop {
        match text.get(at)? {
            b'"' => {
                at = string_end(text, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' | b',' if depth == 0 => return Some(at),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
}

/// Cuts a YAML stream at its markers.
fn yaml_documents(content: &[u8]) -> Vec<&[u8]> {
    let mut cuts = vec![0];
    let mut at = 0;
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        if text::is_marker(line, b"---") && at > 0 {
            cuts.push(at);
        }
        at += line.len();
    }
    cuts.push(content.len());
    let pairs = cuts.windows(2);
    let documents = pairs.filter_map(|pair| content.get(*pair.first()?..*pair.last()?));
    documents.collect()
}

/// Where a list stands that Kubernetes' tools printed, and where its items do.
#[derive(Debug)]
struct Items {
    /// From its key on.
    list: Range<usize>,
    items: Vec<Range<usize>>,
}

impl Items {
    /// Looks for `items:` at the beginning of a line; what belongs to an item is deeper than its dash.
    fn find(document: &[u8]) -> Option<Self> {
        let mut at = 0;
        let mut list = None;
        let mut starts = Vec::new();
        let mut indent = 0;
        for line in document.split_inclusive(|byte| *byte == b'\n') {
            let start = at;
            at += line.len();
            let text = line.trim_ascii();
            let blanks = line.len() - line.trim_ascii_start().len();
            let is_item = text.starts_with(b"- ") || text == b"-";
            match &list {
                None if line.trim_ascii_end() == b"items:" => list = Some(start),
                None => {}
                Some(_) if text.is_empty() || text.starts_with(b"#") => {}
                Some(_) if starts.is_empty() && is_item => {
                    indent = blanks;
                    starts.push(start);
                }
                Some(_) if blanks == indent && is_item => starts.push(start),
                Some(_) if blanks > indent => {}
                Some(_) => {
                    at = start;
                    break;
                }
            }
        }
        let ends = starts.iter().skip(1).copied().chain([at]);
        let items = starts.iter().copied().zip(ends);
        Some(Self {
            list: list?..at,
            items: items.map(|(start, end)| start..end).collect(),
        })
    }
}

/// Returns the names in the metadata of an item: the first lines below `metadata:` of one depth.
fn yaml_names(item: &[u8]) -> Map {
    let mut names = Map::new();
    let mut own = None;
    let mut depth = None;
    for line in item.split(|byte| *byte == b'\n') {
        // A dash is as deep as a blank.
        let line = match line.trim_ascii_start().strip_prefix(b"- ") {
            Some(rest) if own.is_none() => {
                let dash = line.len() - rest.len();
                [&b" ".repeat(dash)[..], rest].concat()
            }
            Some(_) | None => line.to_vec(),
        };
        let text = line.trim_ascii();
        let blanks = line.len() - line.trim_ascii_start().len();
        let own = *own.get_or_insert(blanks);
        match depth {
            None if blanks == own && text == b"metadata:" => depth = Some(usize::MAX),
            None => {}
            Some(_) if blanks <= own => break,
            Some(usize::MAX) => depth = Some(blanks),
            Some(_) => {}
        }
        if depth != Some(blanks) {
            continue;
        }
        if let Ok([Value::Map(found)]) = parse_yaml(text).as_deref() {
            for key in ["namespace", "name", "uid"] {
                if let Some(value) = found.get(key) {
                    names.set(key, value.clone());
                }
            }
        }
    }
    names
}

#[cfg(test)]
mod tests;
