//! The `podsapi` command.

mod addresses;
mod apiserver;
mod args;
mod check;
mod columns;
mod config;
mod demo;
mod failure;
mod human;
mod joined;
mod kubelet;
mod log;
mod mask;
mod node;
mod output;
mod read;
mod reload;
mod selection;
mod serve;
mod table;
mod this_node;
mod watch;

use std::fmt;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::CommandFactory;
use podsapi_proto::json::printable;

use args::{Cli, Command};
use config::ParseError;
use failure::Failure;

/// The C library's allocator keeps most of what a burst of clients took.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let cli = match config::parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(ParseError::Usage(error)) => {
            // Where nobody reads, there is nobody to tell.
            let _closed = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
        Err(error @ (ParseError::Alone(_) | ParseError::File(..) | ParseError::Variable(..))) => {
            say(format_args!("{error}"));
            return ExitCode::from(2);
        }
    };
    match run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                say(format_args!("{failure}"));
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(command: &Command) -> Result<(), Failure> {
    let mut out = BufWriter::new(std::io::stdout());
    let out = &mut out;
    match command {
        Command::Check(args) => runtime()?.block_on(check::check(args, out)),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "podsapi", &mut script);
            out.write_all(&script)?;
            Ok(out.flush()?)
        }
        Command::Demo(args) => runtime()?.block_on(demo::demo(args, out)),
        Command::Get(args) => runtime()?.block_on(read::get(args, out)),
        Command::List(args) => runtime()?.block_on(read::list(args, out)),
        Command::Mask(args) => mask::mask(args, out),
        Command::Serve(args) => serve::serve(args),
        Command::Watch(args) => {
            let path = args.socket.path();
            runtime()?.block_on(watch::watch(&path, args, watch::Start::AtOnce, out))
        }
    }
}

/// Returns a runtime; a failure means that the machine is out of threads or descriptors.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| {
            Failure::Start(format!("no threads or descriptors for a runtime: {error}"))
        })
}

/// Tells a person something, on standard error: on lines, but otherwise without what steers a
/// terminal.
fn say(text: fmt::Arguments<'_>) {
    let text = text.to_string();
    let text: Vec<_> = text.split('\n').map(printable).collect();
    let text = text.join("\n");
    // Where nobody reads, there is nobody to tell.
    let _closed = writeln!(std::io::stderr(), "podsapi: {text}");
}
