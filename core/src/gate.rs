//! The gate that stays closed until every source completed its first sync.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::fmt;

use crate::source::SourceId;

/// Which of the configured sources have not completed a first list; once open, always open.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The names of those that are missing, in the order of the configuration.
    missing: BTreeMap<SourceId, String>,
}

/// Whether calls are answered, and what is waited for otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    waiting_for: alloc::vec::Vec<String>,
}

impl Gate {
    pub(crate) fn new(sources: impl Iterator<Item = (SourceId, String)>) -> Self {
        Self {
            missing: sources.collect(),
        }
    }

    /// Records that a source completed a list.
    pub(crate) fn complete(&mut self, source: SourceId) {
        self.missing.remove(&source);
    }

    pub(crate) fn is_open(&self) -> bool {
        self.missing.is_empty()
    }

    pub(crate) fn readiness(&self) -> Readiness {
        Readiness {
            waiting_for: self.missing.values().cloned().collect(),
        }
    }
}

impl Readiness {
    /// Tells whether every source completed its first sync at some time.
    pub fn is_ready(&self) -> bool {
        self.waiting_for.is_empty()
    }

    /// Returns the names of the sources that did not, in the order of the configuration.
    pub fn waiting_for(&self) -> &[String] {
        &self.waiting_for
    }
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.waiting_for.split_first() else {
            return f.write_str("ready");
        };
        write!(f, "waiting for {first}")?;
        rest.iter().try_for_each(|name| write!(f, ", {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_gate_opens_with_the_last_source_and_stays_open() {
        let names = ["a", "b"].map(String::from);
        let mut gate = Gate::new((0..).map(SourceId).zip(names));
        assert_eq!(gate.readiness().to_string(), "waiting for a, b");
        gate.complete(SourceId(0));
        assert_eq!(gate.readiness().to_string(), "waiting for b");
        assert!(!gate.is_open());
        gate.complete(SourceId(1));
        gate.complete(SourceId(1));
        assert!(gate.is_open() && gate.readiness().is_ready());
        assert_eq!(gate.readiness().to_string(), "ready");
    }

    #[test]
    fn without_sources_there_is_nothing_to_wait_for() {
        assert!(Gate::new(core::iter::empty()).is_open());
    }
}
