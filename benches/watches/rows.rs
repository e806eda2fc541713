//! What is printed: a line for each figure, with its goal beside it.

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) group: &'static str,
    pub(crate) what: &'a str,
}

impl Row<'_> {
    /// Prints a figure.
    pub(crate) fn figure(self, name: &str, value: f64, unit: &str) {
        self.line(name, &format!("{value:>14.3} {unit:<6}"));
    }

    /// Prints a figure that is to be at most `goal`.
    pub(crate) fn at_most(self, name: &str, value: f64, unit: &str, goal: f64) {
        // A goal may be worked out of another figure.
        let goal = (goal * 1e3).round() / 1e3;
        let mark = if value <= goal { "" } else { "  MISSED" };
        self.line(name, &format!("{value:>14.3} {unit:<6} goal {goal}{mark}"));
    }

    /// Prints what is said in words.
    pub(crate) fn line(self, name: &str, text: &str) {
        let (group, what) = (self.group, self.what);
        println!(
            "{}",
            format!("{group:<9} {what:<58} {name:<26} {text}").trim_end()
        );
    }
}

/// Returns the head of the table.
pub(crate) fn head() -> String {
    format!(
        "{:<9} {:<58} {:<26} {:>14}",
        "group", "what", "figure", "value"
    )
}
