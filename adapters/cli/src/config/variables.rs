//! The environment variables behind the flags: empty ones are passed over, wrong ones are named.

use std::collections::BTreeSet;
use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use super::ParseError;
use crate::args::Cli;

/// Returns the command line's definition.
///
/// A variable that is empty counts as not set, whatever it is for. The usage shows the required
/// arguments only: shown by clap itself it would have those that a variable or a default sets.
pub(super) fn command() -> Command {
    command_with(|_variable| true)
}

/// Returns the definition with those variables that are `wanted` and not empty.
fn command_with(wanted: impl Fn(&str) -> bool) -> Command {
    let mut command = Cli::command();
    // Builds the names that the usage needs.
    command.build();
    command.mut_subcommands(|subcommand| with_usage(with_variables(subcommand, &wanted)))
}

fn with_variables(command: Command, wanted: &impl Fn(&str) -> bool) -> Command {
    let ignored: BTreeSet<_> = command
        .get_arguments()
        .filter(|flag| {
            let name = flag.get_env().and_then(|name| name.to_str());
            name.is_some_and(|name| {
                !wanted(name) || std::env::var_os(name).is_some_and(|value| value.is_empty())
            })
        })
        .map(|flag| flag.get_id().clone())
        .collect();
    command.mut_args(|flag| match ignored.contains(flag.get_id()) {
        true => flag.env(None::<&str>),
        false => flag,
    })
}

fn with_usage(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    match usage.strip_prefix("Usage: ") {
        Some(usage) => command.override_usage(usage.to_owned()),
        None => command,
    }
}

/// Returns `error`, which `line` met, with the variable that caused it if one did.
pub(super) fn explain(line: &[OsString], error: clap::Error) -> ParseError {
    if matches!(
        error.kind(),
        ErrorKind::DisplayHelp
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::DisplayVersion
    ) {
        return ParseError::Usage(error);
    }
    let parse = |wanted: &dyn Fn(&str) -> bool| command_with(wanted).try_get_matches_from(line);
    if let Err(error) = parse(&|_variable| false) {
        return ParseError::Usage(error);
    }
    let culprit = names().into_iter().find_map(|name| {
        let error = parse(&|variable| variable == name).err()?;
        Some(ParseError::Variable(name, complaint(&error)))
    });
    culprit.unwrap_or(ParseError::Usage(error))
}

/// Returns the names of all variables.
fn names() -> BTreeSet<String> {
    let command = Cli::command();
    let flags = command.get_subcommands().flat_map(Command::get_arguments);
    flags
        .filter_map(|flag| Some(flag.get_env()?.to_str()?.to_owned()))
        .collect()
}

/// Returns what is wrong, on one line, without the usage that follows: it speaks of flags nobody
/// gave.
pub(super) fn complaint(error: &clap::Error) -> String {
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.trim().is_empty());
    let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}
