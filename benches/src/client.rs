//! The one client that measures every server: it sends calls, counts what comes, and does no more.

mod bare;
mod http2;

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use bare::Bare;
use http2::Http2;

/// What a bare client sends to ask for all pods, instead of the number of one.
pub const RAW_LIST: u32 = u32::MAX;
/// What a bare client sends to be told of changes.
pub const RAW_WATCH: u32 = u32::MAX - 1;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask<'a> {
    /// One pod: its number in the corpus and its UID.
    Get(u32, &'a str),
    /// All pods.
    List,
    /// All pods, with only the fields of a mask.
    Masked(&'a str),
    /// What changes.
    Watch,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// The same messages without HTTP/2.
    Bare,
    /// gRPC.
    Grpc,
}

/// A part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which call of its connection it answers, counted from 0.
    pub call: usize,
    /// How many bytes of messages it has.
    pub bytes: usize,
    /// Whether the answer is over.
    pub ended: bool,
}

/// One connection; calls of one kind only.
#[derive(Debug)]
pub struct Connection {
    socket: UnixStream,
    wire: Wire,
    input: Box<[u8]>,
    /// How much of `input` is from the socket and not understood yet.
    filled: usize,
    output: Vec<u8>,
    /// What the messages are, where somebody wants to see them.
    seen: Option<Vec<u8>>,
}

#[derive(Debug)]
enum Wire {
    Bare(Bare),
    Grpc(Http2),
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    ///
    /// When nobody listens there.
    pub fn open(path: &Path, speech: Speech) -> io::Result<Self> {
        let mut output = Vec::new();
        let wire = match speech {
            Speech::Bare => Wire::Bare(Bare::default()),
            Speech::Grpc => Wire::Grpc(Http2::begin(&mut output)),
        };
        Ok(Self {
            socket: UnixStream::connect(path)?,
            wire,
            input: vec![0; INPUT_BYTES].into_boxed_slice(),
            filled: 0,
            output,
            seen: None,
        })
    }

    /// Has [`Self::receive`] come back at once when there is nothing.
    ///
    /// # Errors
    ///
    /// When the socket does not allow it.
    pub fn set_nonblocking(&self) -> io::Result<()> {
        self.socket.set_nonblocking(true)
    }

    /// Returns the socket, to wait for it.
    pub const fn socket(&self) -> &UnixStream {
        &self.socket
    }

    /// Keeps what the messages are, from now on.
    pub fn look(&mut self) {
        self.seen = Some(Vec::new());
    }

    /// Returns the messages since [`Self::look`], and keeps no more of them.
    pub fn seen(&mut self) -> Vec<u8> {
        self.seen.take().unwrap_or_default()
    }

    /// Makes a call ready to be sent.
    pub fn call(&mut self, ask: Ask<'_>) {
        match &mut self.wire {
            Wire::Bare(bare) => bare.call(ask, &mut self.output),
            Wire::Grpc(http2) => http2.call(ask, &mut self.output),
        }
    }

    /// Sends what is ready.
    ///
    /// # Errors
    ///
    /// When the server does not take it.
    pub fn send(&mut self) -> io::Result<()> {
        let mut rest = self.output.as_slice();
        while !rest.is_empty() {
            match self.socket.write(rest) {
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                // Calls are small, and the server reads: it will be soon.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                Err(error) => return Err(error),
            }
        }
        self.output.clear();
        Ok(())
    }

    /// Reads once, and adds what came to `parts`.
    ///
    /// # Errors
    ///
    /// When the connection or a call has failed; `WouldBlock` when there is nothing.
    pub fn receive(&mut self, parts: &mut Vec<Part>) -> io::Result<()> {
        let room = self.input.get_mut(self.filled..).unwrap_or_default();
        let read = self.socket.read(room)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.filled += read;
        let input = self.input.get(..self.filled).unwrap_or_default();
        let (seen, output) = (&mut self.seen, &mut self.output);
        let understood = match &mut self.wire {
            Wire::Bare(bare) => bare.take(input, seen, parts),
            Wire::Grpc(http2) => http2.take(input, seen, parts, output)?,
        };
        self.input.copy_within(understood..self.filled, 0);
        self.filled -= understood;
        self.send()
    }
}

/// More than a UNIX socket holds.
const INPUT_BYTES: usize = 256 << 10;
