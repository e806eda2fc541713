//! Rules about one field, for tables of them.

use super::format::Format;
use super::place::{Faults, Place};

/// What must be true of a field, whatever the others say.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// A text that is there and one of these; there are defaults for fields that may be left out.
    Choice(&'static [&'static str]),
    /// A text of this form, where one is there, even an empty one.
    GivenIs(Format),
    /// A text of this form, unless it is empty or not there.
    Is(Format),
    /// A list that has an element.
    NotEmpty,
    /// One of these, where a text is there, even an empty one.
    OneOf(&'static [&'static str]),
    /// A text that is there and not empty.
    Required,
    /// A text that is there and of this form.
    RequiredIs(Format),
    /// A number between these two or equal to one of them, where one is there.
    Within(i64, i64),
}

/// A rule and the field that it is about.
pub(super) type Row = (&'static str, Rule);

/// Notes which of the rules an object breaks.
pub(super) fn obey(place: &Place<'_>, rows: &[Row], faults: &mut Faults) {
    for (key, rule) in rows {
        rule.check(place, key, faults);
    }
}

impl Rule {
    fn check(self, place: &Place<'_>, key: &str, faults: &mut Faults) {
        let text = place.text(key);
        match self {
            Self::Choice(choices) => one_of(text, choices, &place.at(key), faults),
            Self::GivenIs(format) => {
                if let Some(text) = place.given_text(key) {
                    has_form(text, format, &place.at(key), faults);
                }
            }
            Self::Is(format) => {
                if !text.is_empty() {
                    has_form(text, format, &place.at(key), faults);
                }
            }
            Self::NotEmpty => {
                faults.add_if(
                    place.count(key) == 0,
                    &place.at(key),
                    "at least one is required",
                );
            }
            Self::OneOf(choices) => {
                if let Some(text) = place.given_text(key) {
                    one_of(text, choices, &place.at(key), faults);
                }
            }
            Self::Required => faults.add_if(text.is_empty(), &place.at(key), REQUIRED),
            Self::RequiredIs(format) => required_form(text, format, &place.at(key), faults),
            Self::Within(least, most) => {
                let number = place.integer(key);
                let outside = number.is_some_and(|number| !(least..=most).contains(&number));
                faults.add_if(outside, &place.at(key), between(least, most));
            }
        }
    }
}

/// Says which numbers may stand in a field.
pub(super) fn between(least: i64, most: i64) -> String {
    match (least, most) {
        (least, i64::MAX) => format!("must be at least {least}"),
        (least, most) => format!("must be {least} to {most}"),
    }
}

/// Notes that a text has not its form.
pub(super) fn has_form(text: &str, format: Format, path: &str, faults: &mut Faults) {
    faults.add_if(!format.holds(text), path, format.advice());
}

/// Notes that a text is not there, or has not its form.
pub(super) fn required_form(text: &str, format: Format, path: &str, faults: &mut Faults) {
    if text.is_empty() {
        faults.add(path, REQUIRED);
    } else {
        has_form(text, format, path, faults);
    }
}

/// Notes that a text is none of those that it may be.
pub(super) fn one_of(text: &str, choices: &[&str], path: &str, faults: &mut Faults) {
    if !choices.contains(&text) {
        let choices: Vec<_> = choices
            .iter()
            .filter(|choice| !choice.is_empty())
            .copied()
            .collect();
        faults.add(path, format!("must be one of {}", choices.join(", ")));
    }
}

pub(super) const REQUIRED: &str = "required";

/// The numbers that a user or a group can have.
pub(super) const OWNER_ID: Rule = Rule::Within(0, i32::MAX as i64);
/// The permissions that a file can have, in decimal as the API has them.
pub(super) const FILE_MODE: Rule = Rule::Within(0, 0o777);
pub(super) const NOT_NEGATIVE: Rule = Rule::Within(0, i64::MAX);
