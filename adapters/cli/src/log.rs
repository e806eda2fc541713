//! Log messages on standard error.

use std::io::IsTerminal;

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args::{Level, LogFormat};

/// Starts to write messages down to `level`; of the libraries below us, only what is a warning.
pub(crate) fn start(level: Level, format: LogFormat) {
    let level = match level {
        Level::Off => LevelFilter::OFF,
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    };
    let ours = Targets::new()
        .with_target("podsapi", level)
        // A peer that breaks the protocol must not fill the log: that is counted, and told by us.
        .with_target("h2", level.min(LevelFilter::ERROR))
        .with_default(level.min(LevelFilter::WARN));
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match format {
        LogFormat::Json => lines.json().boxed(),
        LogFormat::Text => lines.boxed(),
    };
    tracing_subscriber::registry().with(lines).with(ours).init();
}
