//! What happened in a run: a hash of all of it, and the last events in words.

use std::collections::VecDeque;
use std::fmt::{self, Write};

use podsapi_core::Moment;

use super::reach::{Reach, Reached};

/// A record that is equal for two runs only if everything was equal, in the same order.
#[derive(Debug, Default)]
pub struct Trail {
    hash: Hash,
    /// The hash after each turn of a task, to find where two runs part.
    turns: Vec<u64>,
    bytes: u64,
    events: u64,
    last: VecDeque<(Moment, String)>,
    reached: Reached,
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
        self.hash.bytes(bytes);
    }

    /// Something happens that has words.
    pub(super) fn event(&mut self, now: Moment, event: fmt::Arguments<'_>) {
        self.events += 1;
        let mut words = match self.last.len() == KEPT_EVENTS {
            true => self.last.pop_front().map(|(_, words)| words),
            false => None,
        }
        .unwrap_or_default();
        words.clear();
        words.write_fmt(event).expect("a text takes every word");
        self.hash.word(now.as_nanos());
        self.hash.bytes(words.as_bytes());
        self.last.push_back((now, words));
    }

    /// Something is reached that runs must come to.
    pub(super) fn reached(&mut self, reach: Reach, count: u64) {
        *self.reached.entry(reach).or_default() += count;
    }

    /// Returns how often each was reached that was reached.
    pub fn reach(&self) -> &Reached {
        &self.reached
    }

    /// Returns the last events in words.
    pub fn last_events(&self) -> Vec<String> {
        let seconds = |at: &Moment| at.as_nanos() as f64 / 1e9;
        let events = self.last.iter();
        events
            .map(|(at, words)| format!("{:>10.6} s  {words}", seconds(at)))
            .collect()
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

/// A fold of words that loses none: two runs that differ in one word end apart.
#[derive(Debug, Default)]
struct Hash(u64);

impl Hash {
    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
    }

    fn word(&mut self, word: u64) {
        // An odd factor, so that every step can be undone; the turn brings high bits down.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Events that a failure shows.
const KEPT_EVENTS: usize = 60;
