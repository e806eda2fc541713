//! Flags of `serve` that mean something only beside another one.

use std::path::Path;

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::{ParseError, Problem};

/// Each flag with the one that it belongs to. What `--kubelet-http` and `--checkpoint` want besides is
/// asked where they are read.
const BELONGS: [(&str, &str); 9] = [
    ("api-backoff", "apiserver"),
    ("checkpoint-after", "checkpoint"),
    ("cri-events", "cri"),
    ("cri-period", "cri"),
    ("host-ip", "cri"),
    ("kubelet-manifests-path", "manifests"),
    ("kubelet-period", "kubelet-http"),
    ("kubelet-resync", "kubelet"),
    ("kubelet-version", "manifests"),
];

/// Refuses a flag whose other one is not there, which would be passed over without a word: `all` has what
/// the file says too, `given` only what the command line and the environment do.
pub(super) fn check(
    all: &ArgMatches,
    given: &ArgMatches,
    file: Option<&Path>,
) -> Result<(), ParseError> {
    let ids = super::keys();
    let source = |matches: &ArgMatches, flag: &str| {
        let (_, id) = ids.iter().find(|(key, _)| key == flag)?;
        let source = matches.value_source(id);
        source.filter(|source| *source != ValueSource::DefaultValue)
    };
    let mut alone = BELONGS
        .into_iter()
        .filter(|(flag, other)| source(all, flag).is_some() && source(all, other).is_none());
    let Some((flag, other)) = alone.next() else {
        return Ok(());
    };
    let text = format!("belongs to --{other}, which is not given: give it, or leave this out");
    let named = format!("--{flag} {text}");
    Err(match (source(given, flag), file) {
        (Some(ValueSource::EnvVariable), _) => {
            let variable = format!("PODSAPI_{}", flag.to_uppercase().replace('-', "_"));
            ParseError::Variable(variable, text)
        }
        (None, Some(file)) => ParseError::File(file.to_owned(), Problem::Value(named)),
        (Some(_), _) | (None, None) => ParseError::Alone(named),
    })
}
