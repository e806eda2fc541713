//! Why the server refuses calls and ends connections, as metrics and logs name it.

use std::{fmt, io};

use h2::Reason;

use crate::meters::Counter;

/// A reason that is counted; there are a few, and each has a name for good.
pub(crate) trait Counted: Copy + PartialEq + 'static {
    /// All there are.
    const ALL: &'static [Self];

    /// Returns the name in metrics.
    fn name(self) -> &'static str;
}

/// Why the server ends a connection by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// No HTTP/2 preface came, or something else.
    Preface,
    /// A frame or a block of headers did not end in time.
    Frame,
    /// The peer showed no sign of life.
    Keepalive,
    /// The peer did not read its socket.
    Stall,
    /// The peer broke the rules of HTTP/2.
    Protocol,
    /// The peer sent too much of what costs much and says little.
    Flood,
    /// There was no call for long.
    Idle,
    /// The time to end in an orderly way was over.
    Drain,
}

/// Which bound of the driver a call met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Calls in progress.
    Calls,
    /// Streams of a connection that last for as long as their client likes.
    HeldStreams,
    /// Bytes of headers.
    Headers,
    /// Bytes of requests.
    RequestBytes,
    /// Questions of one reflection stream.
    Questions,
    /// Time between two of them.
    QuestionTime,
}

/// Which bound on unread replies a call met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyBound {
    /// That of its connection.
    Connection,
    /// That of all together.
    All,
}

/// A number for each of some reasons.
pub(crate) struct Tally<T: Counted>(Box<[(T, Counter)]>);

impl Ending {
    /// Returns why the library gives up a connection; none when its peer does, or is gone.
    pub(crate) fn of_failure(error: &h2::Error) -> Option<Self> {
        if let Some(error) = error.get_io() {
            return Self::of_io(error);
        }
        let reason = error.reason().filter(|_| error.is_library())?;
        match reason {
            Reason::NO_ERROR => None,
            Reason::ENHANCE_YOUR_CALM => Some(Self::Flood),
            _ => Some(Self::Protocol),
        }
    }

    /// Returns why a transport is given up; none when its peer is gone.
    pub(crate) fn of_io(error: &io::Error) -> Option<Self> {
        (error.kind() == io::ErrorKind::TimedOut).then_some(Self::Stall)
    }
}

impl Counted for Ending {
    const ALL: &'static [Self] = &[
        Self::Preface,
        Self::Frame,
        Self::Keepalive,
        Self::Stall,
        Self::Protocol,
        Self::Flood,
        Self::Idle,
        Self::Drain,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Preface => "preface",
            Self::Frame => "unfinished_frame",
            Self::Keepalive => "keepalive",
            Self::Stall => "write_stall",
            Self::Protocol => "protocol_error",
            Self::Flood => "flood",
            Self::Idle => "idle",
            Self::Drain => "drain",
        }
    }
}

impl Counted for Bound {
    const ALL: &'static [Self] = &[
        Self::Calls,
        Self::HeldStreams,
        Self::Headers,
        Self::RequestBytes,
        Self::Questions,
        Self::QuestionTime,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::HeldStreams => "held_streams",
            Self::Headers => "headers",
            Self::RequestBytes => "request_bytes",
            Self::Questions => "questions",
            Self::QuestionTime => "question_time",
        }
    }
}

impl Counted for ReplyBound {
    const ALL: &'static [Self] = &[Self::Connection, Self::All];

    fn name(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::All => "all",
        }
    }
}

impl<T: Counted> Tally<T> {
    /// Counts one.
    pub(crate) fn count(&self, reason: T) {
        if let Some((_, counter)) = self.0.iter().find(|(one, _)| *one == reason) {
            counter.add(1);
        }
    }

    /// Returns every reason's name and number.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0
            .iter()
            .map(|(reason, counter)| (reason.name(), counter.value()))
    }
}

impl<T: Counted> Default for Tally<T> {
    fn default() -> Self {
        let zero = |&reason| (reason, Counter::default());
        Self(T::ALL.iter().map(zero).collect())
    }
}

impl<T: Counted> fmt::Debug for Tally<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.values()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_counted_under_a_name_of_its_own() {
        let tally = Tally::<Ending>::default();
        for (place, &reason) in Ending::ALL.iter().enumerate() {
            (0..=place).for_each(|_| tally.count(reason));
        }
        let values: std::collections::BTreeMap<_, _> = tally.values().collect();
        assert_eq!(values.len(), Ending::ALL.len());
        assert_eq!((values["preface"], values["drain"]), (1, 8));
    }

    #[test]
    fn only_a_write_that_waited_for_too_long_is_a_stall() {
        let gone = io::Error::from(io::ErrorKind::ConnectionReset);
        assert_eq!(Ending::of_io(&gone), None);
        let late = io::Error::from(io::ErrorKind::TimedOut);
        assert_eq!(Ending::of_io(&late), Some(Ending::Stall));
        let ours = h2::Error::from(Reason::ENHANCE_YOUR_CALM);
        assert_eq!(Ending::of_failure(&ours), None, "the application said so");
    }
}
