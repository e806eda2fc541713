//! What a source could not do, told once when it appears and once when it is over.

use std::collections::BTreeSet;

use podsapi_proto::json::printable;

use crate::sink::{Sink, Troubles};

/// One thing that an operator should know.
///
/// Names and reasons come from files and pods, and go to logs and terminals: what could steer
/// those is spelled as an escape from the start.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Problem {
    /// A newer state of a pod cannot be served, so that the one before still is.
    Outdated {
        /// The file or the pod.
        subject: String,
        /// What is wrong with the newer state.
        text: String,
    },
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

    /// Says that a newer state cannot be served, so that the last one that could be stays.
    pub(crate) fn outdated(subject: impl Into<String>, error: &str) -> Self {
        Self::outdated_as(subject, format!("{error} (as last read it stays served)"))
    }

    /// Says the same in words that name what becomes of it.
    pub(crate) fn outdated_as(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Outdated {
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
            Self::Fault { subject, text }
            | Self::Outdated { subject, text }
            | Self::Remark { subject, text } => {
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
}

impl Problems {
    /// Takes the complete list of what is wrong now; tells the difference to what was told before.
    pub(crate) fn replace(&mut self, now: BTreeSet<Problem>, source: &'static str, sink: &Sink) {
        if now == self.open {
            return;
        }
        let mut new = 0;
        for problem in now.difference(&self.open) {
            new += 1;
            tracing::warn!(source, "{}", problem.line());
        }
        for problem in self.open.difference(&now) {
            tracing::info!(source, "no longer: {}", problem.line());
        }
        let outdated = now
            .iter()
            .filter(|problem| matches!(problem, Problem::Outdated { .. }));
        sink.troubles(Troubles {
            text: summary(now.iter()),
            new,
            outdated: outdated.count() as u64,
        });
        self.open = now;
    }
}

/// All problems in one text, in their order, so long that a terminal can show it.
pub(crate) fn summary<'a>(mut open: impl ExactSizeIterator<Item = &'a Problem>) -> Option<String> {
    let mut lines: Vec<String> = open.by_ref().take(LINES_LIMIT).map(Problem::line).collect();
    if lines.is_empty() {
        return None;
    }
    if open.len() > 0 {
        lines.push(format!("and {} more", open.len()));
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

    #[test]
    fn three_problems_are_counted_as_three_and_once() {
        use std::sync::{Arc, Mutex};
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ear = Arc::clone(&heard);
        let sink = Sink::new(|_| Ok(()), |_| {}, || 0)
            .with_troubles(move |troubles| ear.lock().unwrap().push(troubles));
        let mut problems = Problems::default();
        let files = ["a", "b", "c"].map(|file| Problem::fault(file, "broken"));
        for now in [&files[..], &files[..], &files[1..], &[]] {
            problems.replace(now.iter().cloned().collect(), "s", &sink);
        }
        let outdated = BTreeSet::from([Problem::outdated("ns/a", "too large")]);
        problems.replace(outdated, "s", &sink);
        let heard = heard.lock().unwrap();
        let numbers: Vec<_> = heard.iter().map(|now| (now.new, now.outdated)).collect();
        assert_eq!(numbers, [(3, 0), (0, 0), (0, 0), (1, 1)]);
        let texts: Vec<_> = heard.iter().map(|now| now.text.as_deref()).collect();
        let all = "a: broken; b: broken; c: broken";
        let large = "ns/a: too large (as last read it stays served)";
        assert_eq!(
            texts,
            [Some(all), Some("b: broken; c: broken"), None, Some(large)]
        );
    }
}
