//! What happened in a run: a hash of all of it, and the last events in words.

use std::collections::VecDeque;
use std::fmt;

use podsapi_core::Moment;

/// A record that is equal for two runs only if everything was equal, in the same order.
#[derive(Debug, Default)]
pub struct Trail {
    hash: Hash,
    /// The hash after each turn of a task, to find where two runs part.
    turns: Vec<u64>,
    bytes: u64,
    events: u64,
    last: VecDeque<String>,
}

impl Trail {
    /// A task gets its turn.
    pub(super) fn turn(&mut self, task: u64, now: Moment) {
        self.hash.word(task);
        self.hash.word(now.as_nanos());
        self.turns.push(self.hash.0);
    }

    /// Bytes pass a pipe.
    pub(super) fn bytes(&mut self, pipe: u64, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.word(pipe);
        self.hash.word(bytes.len() as u64);
        self.hash.bytes(bytes);
    }

    /// Something happens that has words.
    pub(super) fn event(&mut self, now: Moment, event: fmt::Arguments<'_>) {
        self.events += 1;
        let event = format!("{:>10.6} s  {event}", now.as_nanos() as f64 / 1e9);
        self.hash.bytes(event.as_bytes());
        if self.last.len() == KEPT_EVENTS {
            self.last.pop_front();
        }
        self.last.push_back(event);
    }

    /// Returns the last events in words.
    pub fn last_events(&self) -> &VecDeque<String> {
        &self.last
    }

    /// Returns the hash over all bytes, turns and events.
    pub fn hash(&self) -> u64 {
        self.hash.0
    }

    /// Returns how many bytes passed all pipes.
    pub fn byte_count(&self) -> u64 {
        self.bytes
    }

    /// Returns how many turns tasks had.
    pub fn turn_count(&self) -> usize {
        self.turns.len()
    }

    /// Returns how many events with words there were.
    pub fn event_count(&self) -> u64 {
        self.events
    }

    /// Returns the first turn before which two runs had parted; none when they are equal.
    pub fn parts_from(&self, other: &Self) -> Option<usize> {
        if self.hash.0 == other.hash.0 {
            return None;
        }
        let both = self.turns.iter().zip(&other.turns);
        let shorter = self.turns.len().min(other.turns.len());
        Some(
            both.take_while(|(one, two)| one == two)
                .count()
                .min(shorter),
        )
    }
}

/// FNV-1a: plain, and the same on every machine.
#[derive(Debug)]
struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }
}

/// Events that a failure shows.
const KEPT_EVENTS: usize = 60;
