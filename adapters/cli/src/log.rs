//! Log messages on standard error.

use std::io::IsTerminal;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Layered, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, reload};

use crate::args::{Level, LogFormat};

/// The log that was started.
pub(crate) struct Log(reload::Handle<Targets, Written>);

/// What the level is put in front of.
type Written = Layered<Box<dyn Layer<Registry> + Send + Sync>, Registry>;

impl Log {
    /// Writes messages down to `level` from now on.
    pub(crate) fn change(&self, level: Level) -> Result<(), String> {
        let targets = targets(level);
        self.0.reload(targets).map_err(|error| error.to_string())
    }
}

/// Starts to write messages down to `level`.
pub(crate) fn start(level: Level, format: LogFormat) -> Log {
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Json => lines.json().boxed(),
        LogFormat::Text => lines.boxed(),
    };
    let (ours, handle) = reload::Layer::new(targets(level));
    tracing_subscriber::registry().with(lines).with(ours).init();
    Log(handle)
}

/// Returns what is written down to `level`; of the libraries below us, only what is a warning.
fn targets(level: Level) -> Targets {
    let level = match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    Targets::new()
        .with_target("podsapi", level)
        // A peer that breaks the protocol must not fill the log: that is counted, and told by us.
        .with_target("h2", level.min(LevelFilter::ERROR))
        .with_default(level.min(LevelFilter::WARN))
}
