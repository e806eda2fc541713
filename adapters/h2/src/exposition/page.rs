//! The text of a page of metrics: names, labels, values.

use std::fmt::{self, Display, Write};

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// Begins a metric: its help and its type come once, before its samples.
    pub(super) fn begin(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!(
            "# HELP {name} {}",
            help.replace('\\', "\\\\").replace('\n', "\\n")
        ));
        self.line(format_args!("# TYPE {name} {kind}"));
    }

    /// Adds one sample.
    pub(super) fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.text.push_str(name);
        for (place, (label, text)) in labels.iter().enumerate() {
            self.text.push(if place == 0 { '{' } else { ',' });
            self.text.push_str(label);
            self.text.push_str("=\"");
            for character in text.chars() {
                match character {
                    '\\' => self.text.push_str("\\\\"),
                    '"' => self.text.push_str("\\\""),
                    '\n' => self.text.push_str("\\n"),
                    plain => self.text.push(plain),
                }
            }
            self.text.push('"');
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        self.line(format_args!(" {value}"));
    }

    /// Adds a metric that has one sample without labels.
    pub(super) fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.begin(name, kind, help);
        self.sample(name, &[], value);
    }

    /// Returns the whole text.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, text: impl Display) {
        writeln!(self.text, "{text}").expect("writing to a string cannot fail");
    }
}

/// Nanoseconds, printed as seconds without rounding.
pub(super) struct Seconds(pub(super) u64);

impl Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}.{:09}",
            self.0 / 1_000_000_000,
            self.0 % 1_000_000_000
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn label_values_are_escaped() {
        let mut page = Page::default();
        page.sample("m", &[("a", "x\"y\\z\n"), ("b", "é")], 3);
        page.sample("m", &[], Seconds(1_500_000_000));
        assert_eq!(
            page.text,
            "m{a=\"x\\\"y\\\\z\\n\",b=\"é\"} 3\nm 1.500000000\n"
        );
    }
}
