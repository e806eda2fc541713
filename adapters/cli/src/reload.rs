//! What SIGHUP does: the configuration is read anew, and each part takes of it what it can.
//!
//! Whoever adds something to `serve` that can be read anew adds a [`Part`] in `serve.rs`, and needs no
//! more. A key that no part takes is the same until the next start, and the log says so.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;

use podsapi_proto::json::printable;

use crate::args::{Command, ServeArgs};
use crate::config::{self, Settings};

/// The parts of a server that read anew.
#[derive(Debug)]
pub(crate) struct Reloading {
    line: Vec<OsString>,
    /// What the keys were at the start.
    started: Settings,
    parts: Vec<Part>,
}

/// One of them.
pub(crate) struct Part {
    /// What the log calls it.
    pub(crate) name: &'static str,
    /// The keys of the configuration that it takes at once.
    pub(crate) keys: &'static [&'static str],
    /// Reads anew, and says whether there was anything to read; without the configuration where
    /// that cannot be read and stays what it was.
    pub(crate) take: Take,
}

/// Fails with what is wrong, in words for the log.
pub(crate) type Take = Box<dyn FnMut(Option<&ServeArgs>) -> Result<bool, String> + Send>;

impl Reloading {
    /// Reads the configuration of this command line anew, which is that of `started` now.
    pub(crate) fn new(line: Vec<OsString>, started: Settings) -> Self {
        Self {
            line,
            started,
            parts: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// Has all parts read anew. What is wrong is told in the log, and what ran goes on.
    pub(crate) fn reload(&mut self) {
        let read = match config::read(self.line.clone()) {
            Ok((cli, settings)) => match cli.command {
                Command::Serve(args) => Some((args, settings)),
                Command::Check(_)
                | Command::Completions { .. }
                | Command::Demo(_)
                | Command::Get(_)
                | Command::List(_)
                | Command::Mask(_)
                | Command::Watch(_) => None,
            },
            Err(error) => {
                let error = error.to_string();
                let error = printable(&error);
                tracing::error!(%error, "the configuration cannot be read anew and stays as it was");
                None
            }
        };
        for part in &mut self.parts {
            let args = read.as_ref().map(|(args, _)| &**args);
            match (part.take)(args) {
                Ok(true) => tracing::info!(part = part.name, "read anew"),
                Ok(false) => {}
                Err(error) => {
                    let error = printable(&error);
                    tracing::error!(part = part.name, %error, "cannot be read anew");
                }
            }
        }
        if let Some((_, settings)) = read {
            let keys = self.waiting(&settings);
            if !keys.is_empty() {
                let keys = keys.join(", ");
                tracing::warn!(
                    keys,
                    "these keys have changed, and count from the next start on"
                );
            }
        }
    }

    /// Returns the keys that are not what they were at the start, and that no part takes.
    fn waiting<'a>(&self, settings: &'a Settings) -> Vec<&'a str> {
        let taken: BTreeSet<&str> = self
            .parts
            .iter()
            .flat_map(|part| part.keys)
            .copied()
            .collect();
        let changed = settings.iter().filter(|(key, values)| {
            !taken.contains(key.as_str()) && self.started.get(*key) != Some(*values)
        });
        changed.map(|(key, _)| key.as_str()).collect()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
