//! The place in a tree, kept on the stack and spelled only for an error.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A place: its last step and the place before it.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Self>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Index(usize),
    Key(&'a str),
    Root,
}

impl<'a> Path<'a> {
    pub(crate) const ROOT: Self = Self {
        parent: None,
        step: Step::Root,
    };

    pub(crate) fn field(&'a self, name: &'a str) -> Self {
        self.then(Step::Field(name))
    }

    pub(crate) fn index(&'a self, at: usize) -> Self {
        self.then(Step::Index(at))
    }

    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        self.then(Step::Key(key))
    }

    pub(crate) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    fn then(&'a self, step: Step<'a>) -> Self {
        Self {
            parent: Some(self),
            step,
        }
    }

    /// Spells the path as field masks do: dots, indices in brackets, keys in backquotes where they need them.
    pub(crate) fn spell(&self) -> String {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(path) = place {
            steps.push(path.step);
            place = path.parent;
        }
        let mut text = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Root => {}
                Step::Field(name) => append(&mut text, name.to_owned()),
                Step::Key(key) => append(&mut text, spell_key(key)),
                Step::Index(at) => text.push_str(&format!("[{at}]")),
            }
        }
        text
    }
}

fn append(text: &mut String, step: String) {
    if !text.is_empty() {
        text.push('.');
    }
    text.push_str(&step);
}

/// A key longer than this is cut in an error.
const LONGEST_KEY_CHARACTERS: usize = 80;

fn spell_key(key: &str) -> String {
    let plain = !key.is_empty()
        && key.len() <= LONGEST_KEY_CHARACTERS
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if plain {
        return key.to_owned();
    }
    let mut shown = String::from("`");
    for (at, character) in key.chars().enumerate() {
        if at == LONGEST_KEY_CHARACTERS {
            shown.push('…');
            break;
        }
        match character {
            '`' => shown.push_str("``"),
            control if control.is_control() => shown.extend(control.escape_default()),
            other => shown.push(other),
        }
    }
    shown.push('`');
    shown
}
