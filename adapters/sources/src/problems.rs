//! What a source could not do, told once when it appears and once when it is over.

use std::collections::BTreeSet;

use podsapi_proto::json::printable;

use crate::sink::Sink;

/// One thing that an operator should know.
///
/// Names and reasons come from files and pods, and go to logs and terminals: what could steer
/// those is spelled as an escape from the start.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Problem {
    /// Something is not served, or not as it is now.
    Fault {
        /// The file or the pod.
        subject: String,
        /// What is wrong, and what happens because of it.
        text: String,
    },
    /// Something is served, but perhaps not as its author thinks.
    Remark {
        /// The file or the pod.
        subject: String,
        /// What was noticed.
        text: String,
    },
}

impl Problem {
    /// Says that something is not served, or is served in an older form.
    pub(crate) fn fault(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Fault {
            subject: printable(&subject.into()).into_owned(),
            text: printable(&text.into()).into_owned(),
        }
    }

    /// Says that something is served which may surprise.
    pub(crate) fn remark(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Remark {
            subject: printable(&subject.into()).into_owned(),
            text: printable(&text.into()).into_owned(),
        }
    }

    /// The subject and what is the matter with it.
    pub(crate) fn line(&self) -> String {
        match self {
            Self::Fault { subject, text } | Self::Remark { subject, text } => {
                let mut line = format!("{subject}: {text}");
                // What is quoted of a file, such as a key, may be as long as the file.
                if let Some((end, _)) = line.char_indices().nth(LINE_LIMIT) {
                    line.truncate(end);
                    line.push('…');
                }
                line
            }
        }
    }
}

/// The problems of one source that were told and are not over.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    open: BTreeSet<Problem>,
    told: Option<String>,
}

impl Problems {
    /// Takes the complete list of what is wrong now; tells the difference to what was told before.
    pub(crate) fn replace(&mut self, now: BTreeSet<Problem>, source: &'static str, sink: &Sink) {
        for problem in now.difference(&self.open) {
            tracing::warn!(source, "{}", problem.line());
        }
        for problem in self.open.difference(&now) {
            tracing::info!(source, "no longer: {}", problem.line());
        }
        let text = summary(&now);
        if text != self.told {
            sink.problem(text.clone());
            self.told = text;
        }
        self.open = now;
    }
}

/// All problems in one text, faults first, so long that a terminal can show it.
fn summary(open: &BTreeSet<Problem>) -> Option<String> {
    let mut lines: Vec<String> = open.iter().take(LINES_LIMIT).map(Problem::line).collect();
    if lines.is_empty() {
        return None;
    }
    if open.len() > LINES_LIMIT {
        lines.push(format!("and {} more", open.len() - LINES_LIMIT));
    }
    Some(lines.join("; "))
}

/// Characters of one problem that are told.
const LINE_LIMIT: usize = 1_000;

/// Problems spelled out in one text; the log has all of them.
const LINES_LIMIT: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_a_file_can_neither_steer_a_terminal_nor_begin_a_line() {
        for make in [Problem::fault, Problem::remark] {
            let problem = make("a\u{1b}[2J.yaml", "x\nERROR forged\r\u{9b}m");
            let expected = r"a\u{1b}[2J.yaml: x\nERROR forged\r\u{9b}m";
            assert_eq!(problem.line(), expected);
        }
    }
}
