//! Text in columns.

use podsapi_proto::json::printable;

/// Column widths that only grow, so that rows printed later stay below their headings.
///
/// Cells say what pods say of themselves: what could steer the terminal is spelled as an escape.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    widths: Vec<usize>,
}

impl Table {
    /// Returns a table as wide as its headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self {
            widths: headings
                .iter()
                .map(|heading| heading.chars().count())
                .collect(),
        }
    }

    /// Makes room for `row` before anything is printed.
    pub(crate) fn fit<S: AsRef<str>>(&mut self, row: &[S]) {
        for (width, cell) in self.widths.iter_mut().zip(row) {
            *width = (*width).max(printable(cell.as_ref()).chars().count());
        }
    }

    /// Returns a row as one line, without spaces at its end.
    pub(crate) fn line<S: AsRef<str>>(&self, row: &[S]) -> String {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&self.widths) {
            let cell = printable(cell.as_ref());
            line.push_str(&cell);
            let missing = width.saturating_sub(cell.chars().count());
            line.extend(std::iter::repeat_n(' ', missing + GAP));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }
}

/// Spaces between columns, as kubectl leaves.
const GAP: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_end_without_spaces() {
        let headings = ["NAME", "AGE"];
        let mut table = Table::new(&headings);
        table.fit(&["a-long-name", "1s"]);
        assert_eq!(table.line(&headings), "NAME          AGE\n");
        assert_eq!(table.line(&["a-long-name", "1s"]), "a-long-name   1s\n");
        assert_eq!(table.line(&["é", ""]), "é\n");
    }

    #[test]
    fn a_cell_can_neither_steer_the_terminal_nor_begin_a_line() {
        let mut table = Table::new(&["NAME", "IP"]);
        let row = ["\u{1b}[31mred\n", "\u{9b}2J\r"];
        table.fit(&row);
        assert_eq!(table.line(&row), "\\u{1b}[31mred\\n   \\u{9b}2J\\r\n");
        assert_eq!(table.line(&["a", "b"]), "a                 b\n");
    }
}
