//! Calls with one answer, so many at a time on one connection.

use std::io;
use std::path::Path;

use crate::client::{Ask, Connection, Part, Speech};
use crate::corpus::CorpusPod;
use crate::message;

/// A connection that asks the same thing again and again.
#[derive(Debug)]
pub(crate) struct Unary {
    connection: Connection,
    in_flight: usize,
    question: Question,
    /// How many calls the connection has made.
    called: usize,
    /// The calls that are not answered: which, how many bytes are to come, how many came.
    open: Vec<(usize, usize, usize)>,
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Question {
    /// The UID of each pod, and the bytes of the answer.
    Gets(Vec<(String, usize)>),
    List(usize),
    Masked(String, usize),
}

impl Unary {
    pub(crate) fn gets(
        socket: &Path,
        speech: Speech,
        pods: &[CorpusPod],
        in_flight: usize,
    ) -> io::Result<Self> {
        let answer = |pod: &CorpusPod| [&message::single_head(pod.pod.len()), &*pod.pod].concat();
        let gets = pods.iter().map(|pod| (pod.uid.clone(), answer(pod).len()));
        let question = Question::Gets(gets.collect());
        let first = pods.first().map(answer).unwrap_or_default();
        Self::begin(socket, speech, question, in_flight, &first)
    }

    pub(crate) fn lists(
        socket: &Path,
        speech: Speech,
        answer: &[u8],
        in_flight: usize,
    ) -> io::Result<Self> {
        let question = Question::List(answer.len());
        Self::begin(socket, speech, question, in_flight, answer)
    }

    pub(crate) fn masked_lists(
        socket: &Path,
        speech: Speech,
        mask: &str,
        answer: &[u8],
    ) -> io::Result<Self> {
        let question = Question::Masked(mask.to_owned(), answer.len());
        Self::begin(socket, speech, question, 1, answer)
    }

    fn begin(
        socket: &Path,
        speech: Speech,
        question: Question,
        in_flight: usize,
        first: &[u8],
    ) -> io::Result<Self> {
        let mut unary = Self {
            connection: Connection::open(socket, speech)?,
            in_flight: 1,
            question,
            called: 0,
            open: Vec::new(),
            parts: Vec::new(),
        };
        unary.connection.look();
        unary.run(1)?;
        if unary.connection.seen() != first {
            return Err(io::Error::other("the first answer is not as it should be"));
        }
        unary.in_flight = in_flight;
        Ok(unary)
    }

    /// Makes so many calls, and returns how many were answered.
    pub(crate) fn run(&mut self, calls: u64) -> io::Result<u64> {
        let mut to_call = calls;
        let mut answered = 0;
        while answered < calls {
            while to_call > 0 && self.open.len() < self.in_flight {
                self.call()?;
                to_call -= 1;
            }
            self.connection.send()?;
            let mut parts = std::mem::take(&mut self.parts);
            self.connection.receive(&mut parts)?;
            for part in parts.drain(..) {
                answered += u64::from(self.take(part)?);
            }
            self.parts = parts;
        }
        Ok(answered)
    }

    fn call(&mut self) -> io::Result<()> {
        let bytes = match &self.question {
            Question::Gets(pods) => {
                let number = self.called % pods.len();
                let (uid, bytes) = pods.get(number).ok_or(io::ErrorKind::InvalidInput)?;
                let number = u32::try_from(number).map_err(io::Error::other)?;
                self.connection.call(Ask::Get(number, uid));
                *bytes
            }
            Question::List(bytes) => {
                self.connection.call(Ask::List);
                *bytes
            }
            Question::Masked(mask, bytes) => {
                self.connection.call(Ask::Masked(mask));
                *bytes
            }
        };
        self.open.push((self.called, bytes, 0));
        self.called += 1;
        Ok(())
    }

    /// Returns whether a call is answered by this part, and rightly so.
    fn take(&mut self, part: Part) -> io::Result<bool> {
        let found = self.open.iter().position(|(call, ..)| *call == part.call);
        let at = found.ok_or_else(|| io::Error::other("an answer to nothing"))?;
        if let Some((_, _, came)) = self.open.get_mut(at) {
            *came += part.bytes;
        }
        if part.ended {
            let (_, expected, came) = self.open.swap_remove(at);
            if expected != came {
                return Err(io::Error::other(format!(
                    "expected an answer of {expected} bytes, found {came}"
                )));
            }
        }
        Ok(part.ended)
    }
}
