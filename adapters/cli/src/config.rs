//! The `--config` file of `serve`: its keys are the flags.
//!
//! Keys that neither a flag nor the environment sets are put behind the command line as flags, and
//! the whole is read once more. So each key has the flag's own form, checks and default.

mod belongs;
mod nearest;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use crate::args::{Cli, Command};

/// Reads the command line, and for `serve` the environment and the file too.
///
/// # Errors
///
/// When the command line or the file is wrong, or help was asked for.
pub(crate) fn parse(line: Vec<OsString>) -> Result<Cli, ParseError> {
    read(line).map(|(cli, _settings)| cli)
}

/// Each flag of `serve`, with its values as they were given: on the command line, in the environment,
/// in the file, or by default.
pub(crate) type Settings = BTreeMap<String, Vec<OsString>>;

/// As [`parse`], with what the flags of `serve` were given.
///
/// # Errors
///
/// As [`parse`].
pub(crate) fn read(line: Vec<OsString>) -> Result<(Cli, Settings), ParseError> {
    let matches = variables::command()
        .try_get_matches_from(&line)
        .map_err(|error| variables::explain(&line, error))?;
    let cli = Cli::from_arg_matches(&matches).map_err(ParseError::Usage)?;
    let Command::Serve(serve) = &cli.command else {
        return Ok((cli, Settings::new()));
    };
    let Some(given) = matches.subcommand_matches("serve") else {
        return Ok((cli, settings(&matches)));
    };
    let Some(path) = &serve.config else {
        belongs::check(given, given, None)?;
        return Ok((cli, settings(&matches)));
    };
    let in_file = |problem| ParseError::File(path.clone(), problem);
    let more = flags(path, given).map_err(in_file)?;
    let (cli, whole) = variables::command()
        .try_get_matches_from(line.into_iter().chain(more))
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)))
        .map_err(|error| in_file(Problem::Value(variables::complaint(&error))))?;
    if let Some(all) = whole.subcommand_matches("serve") {
        belongs::check(all, given, Some(path))?;
    }
    Ok((cli, settings(&whole)))
}

/// Why there is no usable configuration.
#[derive(Debug)]
pub(crate) enum ParseError {
    /// What a flag is about is not there.
    Alone(String),
    File(PathBuf, Problem),
    /// The command line's own error, or the help it asked for.
    Usage(clap::Error),
    /// An environment variable, and what is wrong with its value.
    Variable(String, String),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone(text) => f.write_str(text),
            Self::File(path, problem) => write!(f, "{}: {problem}", path.display()),
            Self::Usage(error) => error.fmt(f),
            Self::Variable(name, text) => write!(f, "{name}: {text}"),
        }
    }
}

/// What is wrong with a file.
#[derive(Debug)]
pub(crate) enum Problem {
    Read(std::io::Error),
    Syntax(toml::de::Error),
    Type {
        key: String,
        expected: &'static str,
    },
    Unknown {
        key: String,
        nearest: Option<String>,
    },
    /// The flag's own words.
    Value(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "cannot be read: {error}"),
            Self::Syntax(error) => write!(f, "is not TOML: {error}"),
            Self::Type { key, expected } => write!(f, "key {key:?}: expected {expected}"),
            Self::Unknown {
                key,
                nearest: Some(nearest),
            } => {
                write!(f, "unknown key {key:?}; did you mean {nearest:?}?")
            }
            Self::Unknown { key, nearest: None } => write!(f, "unknown key {key:?}"),
            Self::Value(text) => f.write_str(text),
        }
    }
}

/// Returns the file's keys as flags, without those that are set otherwise.
fn flags(path: &Path, given: &ArgMatches) -> Result<Vec<OsString>, Problem> {
    let text = std::fs::read_to_string(path).map_err(Problem::Read)?;
    let table: toml::Table = text.parse().map_err(Problem::Syntax)?;
    let known = keys();
    let mut flags = Vec::new();
    for (key, value) in table {
        let Some((_, id)) = known.iter().find(|(name, _)| *name == key) else {
            let nearest = nearest::nearest(&key, known.iter().map(|(name, _)| name.as_str()));
            return Err(Problem::Unknown {
                nearest: nearest.map(str::to_owned),
                key,
            });
        };
        let texts = texts(&key, value)?;
        let elsewhere = given.value_source(id);
        if matches!(
            elsewhere,
            Some(ValueSource::CommandLine | ValueSource::EnvVariable)
        ) {
            continue;
        }
        flags.extend(
            texts
                .iter()
                .map(|text| OsString::from(format!("--{key}={text}"))),
        );
    }
    Ok(flags)
}

fn settings(matches: &ArgMatches) -> Settings {
    let Some(serve) = matches.subcommand_matches("serve") else {
        return Settings::new();
    };
    let settings = keys().into_iter().map(|(key, id)| {
        let values = serve.get_raw(&id).into_iter().flatten();
        (key, values.map(OsString::from).collect())
    });
    settings.collect()
}

/// Returns the keys a file may have, each with the flag's id.
fn keys() -> Vec<(String, String)> {
    let command = Cli::command();
    let serve = command.find_subcommand("serve").into_iter();
    let flags = serve.flat_map(|serve| serve.get_arguments());
    flags
        .filter_map(|flag| Some((flag.get_long()?.to_owned(), flag.get_id().to_string())))
        // A file cannot name another file.
        .filter(|(key, _)| key != "config")
        .collect()
}

/// Returns a value as the flag would be given it, one text an element of a list.
fn texts(key: &str, value: toml::Value) -> Result<Vec<String>, Problem> {
    let wrong = |expected| Problem::Type {
        key: key.to_owned(),
        expected,
    };
    match value {
        toml::Value::Integer(_) if key == "socket-mode" => {
            Err(wrong("an octal mode in quotes, such as \"0660\""))
        }
        toml::Value::String(text) => Ok(vec![text]),
        toml::Value::Integer(number) => Ok(vec![number.to_string()]),
        toml::Value::Float(number) => Ok(vec![number.to_string()]),
        toml::Value::Boolean(yes)
            if matches!(
                key,
                "allow-shared-socket-folder" | "fair" | "kubelet-insecure-tls"
            ) =>
        {
            Ok(vec![yes.to_string()])
        }
        toml::Value::Array(elements) => {
            let is_list = matches!(key, "socket" | "host-ip");
            if !is_list {
                return Err(wrong("one value, not a list"));
            }
            let strings = elements.into_iter().map(|element| {
                let text = element.as_str().map(str::to_owned);
                text.ok_or_else(|| wrong("a list of strings"))
            });
            strings.collect()
        }
        toml::Value::Boolean(_) | toml::Value::Datetime(_) | toml::Value::Table(_) => {
            Err(wrong("a string or a number"))
        }
    }
}
