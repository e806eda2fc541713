//! A measured server, from outside: a process that is told what to do and asked what it used.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::strain::{self, Strain};

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;

/// A server that runs; it ends with the value.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// Absent once it was told to end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    socket: PathBuf,
}

impl Server {
    /// Starts the program, and waits until it serves `corpus` at `socket`.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub fn start(program: &Path, socket: &Path, corpus: &Path) -> io::Result<Self> {
        let mut process = Command::new(program)
            .arg("--socket")
            .arg(socket)
            .arg("--corpus")
            .arg(corpus)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| io::Error::other(format!("{}: {error}", program.display())))?;
        let missing = || io::Error::other("a pipe was asked for");
        let output = process.stdout.take().ok_or_else(missing)?;
        let mut server = Self {
            input: Some(process.stdin.take().ok_or_else(missing)?),
            output: BufReader::new(output),
            socket: socket.to_owned(),
            process,
        };
        match server.line()?.as_str() {
            "ready" => Ok(server),
            other => Err(io::Error::other(format!("not ready: {other:?}"))),
        }
    }

    /// Returns where it listens.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// Has a pod of the corpus change.
    ///
    /// # Errors
    ///
    /// When the server is gone.
    pub fn change(&mut self, number: usize) -> io::Result<()> {
        self.say(&format!("change {number}"))
    }

    /// Returns the microseconds of CPU that all threads of the server have used since it started,
    /// in user and in kernel mode together.
    ///
    /// # Errors
    ///
    /// When the server is gone.
    pub fn used_micros(&mut self) -> io::Result<u64> {
        self.say("usage")?;
        let line = self.line()?;
        let words = line.split(' ').map(str::parse::<u64>);
        words.sum::<Result<_, _>>().map_err(io::Error::other)
    }

    /// Returns what the kernel has done to the server since it started.
    ///
    /// # Errors
    ///
    /// When the server is gone.
    pub fn strain(&self) -> io::Result<Strain> {
        let process = PathBuf::from(format!("/proc/{}", self.process.id()));
        let mut strain = Strain {
            faults: strain::faults(&fs::read_to_string(process.join("stat"))?)?,
            switches: 0,
        };
        for thread in fs::read_dir(process.join("task"))? {
            // A thread that has just ended is none to read of.
            if let Ok(status) = fs::read_to_string(thread?.path().join("status")) {
                strain.switches += strain::switches(&status)?;
            }
        }
        Ok(strain)
    }

    /// Forgets the most memory that the server has had so far.
    ///
    /// # Errors
    ///
    /// When the kernel does not allow it.
    pub fn forget_peak(&self) -> io::Result<()> {
        fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5")
    }

    /// Returns the KiB of memory that the server has now, and the most that it had.
    ///
    /// # Errors
    ///
    /// When the server is gone.
    pub fn memory_kib(&self) -> io::Result<(u64, u64)> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let of = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
            number.ok_or_else(|| io::Error::other(format!("{name} is missing")))
        };
        Ok((of("VmRSS:")?, of("VmHWM:")?))
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{text}\n").as_bytes())
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.input.take());
        // It ends by itself; one that is stuck is not waited for.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Keeps this thread, and what it starts from now on, on so many cores.
///
/// # Errors
///
/// When the machine has fewer.
pub fn keep_to_cores(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for core in cores {
        set.set(*core)?;
    }
    Ok(sched_setaffinity(Pid::from_raw(0), &set)?)
}
