//! What an attack did, counted by those who do it, and what has to be seen of it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use podsapi_tests::frames::kind;

use crate::process::page;
use crate::soak::metric;

/// Bytes of the header of a frame.
const HEADER: usize = 9;

/// Kinds of frames, from DATA to CONTINUATION.
const KINDS: usize = 10;

/// What one attack did so far, and what it was answered.
#[derive(Default)]
pub(super) struct Tally {
    connections: AtomicU64,
    full: AtomicU64,
    closed: AtomicU64,
    frames: AtomicU64,
    bytes: AtomicU64,
    heard: [AtomicU64; KINDS],
}

impl Tally {
    /// A connection was made.
    pub(super) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection was not made since too many wait for the server.
    pub(super) fn found_full(&self) {
        self.full.fetch_add(1, Ordering::Relaxed);
    }

    /// The server ended a connection.
    pub(super) fn closed(&self) {
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    /// These bytes were taken: whole frames where they are frames.
    pub(super) fn wrote(&self, bytes: &[u8]) {
        self.frames
            .fetch_add(count_frames(bytes), Ordering::Relaxed);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    /// One byte was taken.
    pub(super) fn wrote_byte(&self) {
        self.bytes.fetch_add(1, Ordering::Relaxed);
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = |count: &AtomicU64| count.load(Ordering::Relaxed);
        write!(f, "{} connections", value(&self.connections))?;
        for (count, what) in [
            (&self.frames, "frames"),
            (&self.bytes, "bytes"),
            (&self.closed, "closed"),
            (&self.full, "found full"),
            (&self.heard[usize::from(kind::HEADERS)], "HEADERS heard"),
            (&self.heard[usize::from(kind::DATA)], "DATA"),
            (&self.heard[usize::from(kind::RST_STREAM)], "RST_STREAM"),
            (&self.heard[usize::from(kind::SETTINGS)], "SETTINGS"),
            (&self.heard[usize::from(kind::PING)], "PING"),
            (&self.heard[usize::from(kind::GO_AWAY)], "GOAWAY"),
        ] {
            if value(count) > 0 {
                write!(f, ", {} {what}", value(count))?;
            }
        }
        Ok(())
    }
}

/// Returns how many frames begin in these bytes; the preface of a connection is none.
fn count_frames(mut bytes: &[u8]) -> u64 {
    bytes = bytes
        .strip_prefix(podsapi_tests::frames::PREFACE)
        .unwrap_or(bytes);
    let mut count = 0;
    while let Some((header, rest)) = bytes.split_at_checked(HEADER) {
        count += 1;
        let length = u32::from_be_bytes([0, header[0], header[1], header[2]]);
        bytes = rest.get(length as usize..).unwrap_or_default();
    }
    count
}

/// Counts the frames that a server sends on one connection.
#[derive(Default)]
pub(super) struct Ear {
    header: Vec<u8>,
    /// Bytes of the payload that are still to come.
    payload: usize,
    kinds: [u64; KINDS],
}

impl Ear {
    /// Returns how many frames of a kind have begun.
    pub(super) fn count(&self, kind: u8) -> u64 {
        self.kinds[usize::from(kind)]
    }

    pub(super) fn hear(&mut self, mut bytes: &[u8], tally: &Tally) {
        while !bytes.is_empty() {
            let skipped = self.payload.min(bytes.len());
            self.payload -= skipped;
            bytes = &bytes[skipped..];
            let part = (HEADER - self.header.len()).min(bytes.len());
            self.header.extend_from_slice(&bytes[..part]);
            bytes = &bytes[part..];
            if let [a, b, c, kind, ..] = self.header[..]
                && self.header.len() == HEADER
            {
                self.payload = u32::from_be_bytes([0, a, b, c]) as usize;
                self.header.clear();
                if let Some(place) = self.kinds.get_mut(usize::from(kind)) {
                    *place += 1;
                    tally.heard[usize::from(kind)].fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }
}

/// What shows that an attack does what it says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Proof {
    /// So many frames for each second of the attack, and a tenth of that at least.
    Rate(u64),
    /// So many frames in all, for attacks that the server slows down.
    Frames(u64),
    /// So many bytes, for attacks that send less than frames.
    Bytes(u64),
    /// So many connections made.
    Connections(u64),
    /// So many connections that the server ended.
    Closed(u64),
    /// So many frames of a kind that the server sent.
    Heard(u8, u64),
    /// So much in a gauge of the server, at the end too.
    Gauge(&'static str, u64),
    /// So much in a gauge of the server at some time.
    Peak(&'static str, u64),
    /// So much more in a counter of the server.
    Counter(&'static str, u64),
}

impl Proof {
    /// Returns which number of the server this asks for.
    fn metric(&self) -> Option<&'static str> {
        match self {
            Self::Gauge(name, _) | Self::Peak(name, _) | Self::Counter(name, _) => Some(name),
            Self::Rate(_)
            | Self::Frames(_)
            | Self::Bytes(_)
            | Self::Connections(_)
            | Self::Closed(_)
            | Self::Heard(..) => None,
        }
    }
}

/// The proofs of one attack, and how far the server's own numbers have come.
pub(super) struct Proofs<'a> {
    proofs: &'a [Proof],
    metrics: &'a Path,
    /// For each proof that asks the server: the number before, and the last one.
    values: Vec<(u64, u64)>,
    tenths: u64,
}

impl<'a> Proofs<'a> {
    /// Looks at the server before the attack, which is to last for so long.
    pub(super) fn begin(proofs: &'a [Proof], metrics: &'a Path, time: std::time::Duration) -> Self {
        let tenths = u64::try_from(time.as_millis() / 100).unwrap_or(u64::MAX);
        let mut all = Self {
            proofs,
            metrics,
            values: vec![(0, 0); proofs.len()],
            tenths: tenths.max(1),
        };
        all.look();
        for value in &mut all.values {
            value.0 = value.1;
        }
        all
    }

    /// Reads the numbers of the server, when a proof asks for one.
    pub(super) fn look(&mut self) {
        if self.proofs.iter().all(|proof| proof.metric().is_none()) {
            return;
        }
        let page = page(self.metrics);
        for (proof, (_, last)) in self.proofs.iter().zip(&mut self.values) {
            if let Some(name) = proof.metric() {
                let now = metric(&page, name);
                *last = if let Proof::Peak(..) = proof {
                    now.max(*last)
                } else {
                    now
                };
            }
        }
    }

    /// Returns the first proof that is still missing.
    pub(super) fn missing(&self, tally: &Tally) -> Option<Proof> {
        let value = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let mut proofs = self.proofs.iter().zip(&self.values);
        let missing = proofs.find(|(proof, (before, last))| match proof {
            Proof::Rate(least) => value(&tally.frames) < least * self.tenths / 10,
            Proof::Frames(least) => value(&tally.frames) < *least,
            Proof::Bytes(least) => value(&tally.bytes) < *least,
            Proof::Connections(least) => value(&tally.connections) < *least,
            Proof::Closed(least) => value(&tally.closed) < *least,
            Proof::Heard(kind, least) => value(&tally.heard[usize::from(*kind)]) < *least,
            Proof::Gauge(_, least) | Proof::Peak(_, least) => last < least,
            Proof::Counter(_, least) => last - before < *least,
        });
        missing.map(|(proof, _)| *proof)
    }

    /// Says what the server's own numbers came to.
    pub(super) fn told(&self) -> String {
        let mut told = String::new();
        for (proof, (before, last)) in self.proofs.iter().zip(&self.values) {
            let Some(name) = proof.metric() else {
                continue;
            };
            told += &if let Proof::Counter(..) = proof {
                format!(", {name} +{}", last - before)
            } else {
                format!(", {name} {last}")
            };
        }
        told
    }
}
