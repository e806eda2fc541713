//! How a measured server is told what to do: lines on its standard input, answers on its output.
//!
//! A server says `ready` once it serves. `change N` has the pod with that number in the corpus
//! change; `usage` is answered with the microseconds of CPU that the whole process has used, in
//! user and in kernel mode. The server ends with its input.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;

use nix::sys::resource::{UsageWho, getrusage};

/// How many pods, from the first, a server must be able to change.
pub const CHANGING: usize = 16;

/// What a server is started with: `--socket PATH --corpus FILE`.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Where to listen.
    pub socket: PathBuf,
    /// The pods to serve.
    pub corpus: PathBuf,
}

impl Arguments {
    /// Reads the arguments of this process.
    ///
    /// # Errors
    ///
    /// When there are others than the two.
    pub fn read() -> io::Result<Self> {
        let words: Vec<_> = std::env::args_os().skip(1).collect();
        match words.as_slice() {
            [one, socket, other, corpus] if one == "--socket" && other == "--corpus" => Ok(Self {
                socket: socket.into(),
                corpus: corpus.into(),
            }),
            _ => Err(io::Error::other("expected --socket PATH --corpus FILE")),
        }
    }
}

/// Says that the server is ready, and answers until the input ends.
///
/// # Errors
///
/// When the other side is gone, or says what is not known.
pub fn answer(mut change: impl FnMut(usize)) -> io::Result<()> {
    say("ready")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        match line.split_once(' ') {
            Some(("change", number)) => change(number.parse().map_err(io::Error::other)?),
            None if line == "usage" => say(&usage()?)?,
            Some(_) | None => return Err(io::Error::other(format!("not known: {line}"))),
        }
    }
    Ok(())
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

fn usage() -> io::Result<String> {
    let used = getrusage(UsageWho::RUSAGE_SELF)?;
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() * 1_000_000 + time.tv_usec();
    let (user, system) = (micros(used.user_time()), micros(used.system_time()));
    Ok(format!("{user} {system}"))
}
