//! The answers of an API server, as any bytes.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use bytes::Bytes;
use podsapi_core::{DEFAULT_MAX_POD_BYTES, EncodedPod, Moment};
use podsapi_sources::listwatch::{Counts, ListWatch, Options, Word};

/// One answer of a server.
struct Answer {
    status: u16,
    json: bool,
    retry_after: Option<&'static str>,
    /// What it calls itself, right or wrong.
    content_type: Option<&'static str>,
    /// Whether it comes to its end, or breaks off.
    ends: bool,
    /// Whether it takes its time, or comes at once.
    slow: bool,
    body: Vec<u8>,
}

/// What came of all answers.
#[derive(Debug, PartialEq)]
struct Outcome {
    words: Vec<Word>,
    requests: Vec<String>,
    problem: Option<String>,
    counts: Counts,
}

/// Whatever a server answers: the words are in order, the pods are the server's own bytes, what is
/// held is bounded, and all of that is the same however the bytes are cut.
///
/// The first byte says where to cut, the second one how large a pod may be. Each answer is a byte
/// that says what it is, one that says how it is announced, two bytes of length, and a body, in
/// which some places can be stretched.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn listwatch(data: &[u8]) {
    let [cut, limit, rest @ ..] = data else {
        return;
    };
    let limit = LIMITS[usize::from(*limit) % LIMITS.len()];
    let answers = answers(rest);
    let whole = outcome(&answers, limit, usize::MAX);
    let bytes: usize = answers.iter().map(|answer| answer.body.len()).sum();
    let least = match bytes {
        ..MANY_BYTES => 1,
        MANY_BYTES.. => 61,
    };
    let cut_small = outcome(&answers, limit, least);
    assert_eq!(whole, cut_small, "cut into pieces of {least}");
    let cut = usize::from(*cut) + 2;
    assert_eq!(whole, outcome(&answers, limit, cut), "cut into pieces");
    in_order(&whole.words);
    for word in &whole.words {
        if let Word::Put(pod) = word {
            assert!(pod.bytes().len() <= limit.get() as usize, "too large");
            sent(pod, &answers);
        }
    }
    let problem = whole.problem.unwrap_or_default();
    assert!(!problem.contains(char::is_control), "{problem:?}");
}

fn answers(mut rest: &[u8]) -> Vec<Answer> {
    let (mut answers, mut room) = (Vec::new(), MAX_STRETCHED_BYTES);
    while let [kind, head, high, low, bodies @ ..] = rest
        && answers.len() < MAX_ANSWERS
    {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let (body, behind) = bodies.split_at(length.min(bodies.len()));
        let json = kind & 8 != 0;
        let content_types = match json {
            true => ["application/json", "Application/JSON; charset=utf-8"],
            false => [
                "application/vnd.kubernetes.protobuf",
                "application/vnd.kubernetes.protobuf;stream=watch",
            ],
        };
        answers.push(Answer {
            status: STATUSES[usize::from(kind & 7)],
            json,
            retry_after: RETRY_AFTER[usize::from(head & 15)],
            content_type: match head >> 4 & 7 {
                0..=4 => Some(content_types[0]),
                5 => Some(content_types[1]),
                6 => Some("text/html"),
                _ => None,
            },
            ends: kind & 16 == 0,
            slow: kind & 32 == 0,
            body: match kind & 64 {
                0 => body.to_vec(),
                _ => stretched(body, &mut room),
            },
        });
        rest = behind;
    }
    answers
}

/// Each byte 0xfe and the number behind it stand for so many KiB of one letter.
fn stretched(mut body: &[u8], room: &mut usize) -> Vec<u8> {
    let mut stretched = Vec::new();
    while let [byte, rest @ ..] = body {
        body = rest;
        match (byte, rest) {
            (0xfe, [count, rest @ ..]) => {
                let length = (usize::from(*count) << 10).min(*room);
                *room -= length;
                stretched.resize(stretched.len() + length, b'x');
                body = rest;
            }
            _ => stretched.push(*byte),
        }
    }
    stretched
}

fn outcome(answers: &[Answer], limit: NonZeroU32, piece: usize) -> Outcome {
    let mut now = Moment::ORIGIN;
    let options = Options {
        max_pod_bytes: limit,
        ..Options::new("node-1", 7)
    };
    let mut machine = ListWatch::new(options, now);
    let mut not_before = now;
    let (mut words, mut requests) = (Vec::new(), Vec::new());
    for answer in answers {
        let request = loop {
            words.extend(std::iter::from_fn(|| machine.poll_word()));
            if let Some(request) = machine.poll_request(now) {
                break request;
            }
            let due = machine.poll_timeout().expect("something is always due");
            assert!(due > now, "what is due is not asked");
            assert!(due.nanos_since(now) < LONGEST_WAIT_NANOS, "{due:?}");
            now = due;
        };
        assert!(now >= not_before, "asked before the server wants it");
        let path = request.path_and_query();
        assert!(path.starts_with("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1"));
        assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
        requests.push(path.to_owned());
        machine.handle_head(answer.status, answer.content_type, answer.retry_after, now);
        let held = match (answer.status, answer.json) {
            (200, true) => answer.body.len(),
            (200, false) => limit.get() as usize + MAX_HELD_BYTES,
            (_, _) => MAX_HELD_BYTES,
        };
        let listens = machine.wants_answer();
        for bytes in answer.body.chunks(piece) {
            machine.handle_body(Bytes::copy_from_slice(bytes), now);
            assert!(machine.buffered_bytes() <= held, "{held} bytes");
            words.extend(std::iter::from_fn(|| machine.poll_word()));
        }
        if answer.slow {
            now = now.plus_nanos(20_000_000_000);
        }
        match answer.ends {
            true => machine.handle_end(now),
            false => machine.handle_failure("reset", now),
        }
        assert!(!machine.wants_answer() && machine.buffered_bytes() == 0);
        if listens {
            not_before = now.plus_nanos(answer.asked_wait_nanos());
        }
    }
    words.extend(std::iter::from_fn(|| machine.poll_word()));
    Outcome {
        words,
        requests,
        problem: machine.problem(),
        counts: machine.counts(),
    }
}

impl Answer {
    /// How long the server plainly asked to be left alone.
    fn asked_wait_nanos(&self) -> u64 {
        let busy = matches!(self.status, 429 | 503);
        // It may also say that what was asked for is gone, so that something else is asked.
        let says = |word: &str| {
            let mut parts = self.body.windows(word.len());
            parts.any(|part| part == word.as_bytes())
        };
        if !busy || MORE_THAN_BUSY.into_iter().any(says) {
            return 0;
        }
        let text = self.retry_after.unwrap_or_default().trim();
        let seconds: u64 = text.parse().unwrap_or_default();
        seconds.min(120) * 1_000_000_000
    }
}

/// Lists are whole, changes come between them, and nothing is told that is known.
fn in_order(words: &[Word]) {
    let mut pods: BTreeMap<&str, &EncodedPod> = BTreeMap::new();
    let (mut listing, mut told) = (false, false);
    for word in words {
        match word {
            Word::Begin => {
                assert!(!listing);
                (listing, told) = (true, false);
                pods.clear();
            }
            Word::Put(pod) => {
                assert!(listing || told, "out of turn");
                assert_ne!(
                    pods.insert(pod.uid().as_str(), pod),
                    Some(pod),
                    "told again"
                );
            }
            Word::Remove(uid) => {
                assert!(told, "out of turn");
                assert!(pods.remove(uid.as_str()).is_some(), "{uid} was not there");
            }
            Word::Complete => {
                assert!(listing);
                (listing, told) = (false, true);
            }
            Word::Lost => {
                assert!(!listing, "lost within a list");
                told = false;
            }
        }
    }
    assert!(!listing, "a list that does not end");
}

/// The pod lies in what was sent as it is, unless it was sent in another form.
fn sent(pod: &EncodedPod, answers: &[Answer]) {
    let bytes = pod.bytes();
    let mut answers = answers.iter();
    let found = answers
        .any(|answer| answer.json || answer.body.windows(bytes.len()).any(|part| part == bytes));
    assert!(found, "{pod:?} was not sent");
}

/// Those that lead on come most often.
const STATUSES: [u16; 8] = [200, 200, 200, 410, 406, 429, 503, 400];

/// What servers and those between send, and what is none.
const RETRY_AFTER: [Option<&str>; 16] = [
    None,
    None,
    None,
    None,
    Some("0"),
    Some("1"),
    Some("7"),
    Some(" 30 "),
    Some("120"),
    Some("86400"),
    Some("18446744073709551615"),
    Some("99999999999999999999999"),
    Some("-5"),
    Some("1.5"),
    Some("Wed, 21 Oct 2026 07:28:00 GMT"),
    Some(""),
];

/// With one of these the answer may mean more than that the server is busy.
const MORE_THAN_BUSY: [&str; 5] = [
    "Gone",
    "Expired",
    "ResourceVersionTooLarge",
    "Too large resource version",
    "\\",
];

/// Bytes of one pod: the usual, and so few that what is too large is easily sent.
const LIMITS: [NonZeroU32; 4] = [
    DEFAULT_MAX_POD_BYTES,
    NonZeroU32::new(96).expect("96 is not zero"),
    NonZeroU32::new(1_024).expect("1,024 is not zero"),
    NonZeroU32::new(16_384).expect("16,384 is not zero"),
];

/// More add nothing but time.
const MAX_ANSWERS: usize = 12;

/// So many bytes take too long one by one.
const MANY_BYTES: usize = 8 << 10;

/// More than is held of anything but a pod.
const MAX_STRETCHED_BYTES: usize = 160 << 10;

/// The longest wait between two requests, or for a silent watch.
const LONGEST_WAIT_NANOS: u64 = 700_000_000_000;

/// What is held beside one pod: the beginning of one that is too large, and some bytes of framing.
const MAX_HELD_BYTES: usize = (64 << 10) + 64;
