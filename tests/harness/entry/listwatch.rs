//! The answers of an API server, as any bytes.

use std::collections::BTreeMap;

use bytes::Bytes;
use podsapi_core::{EncodedPod, Moment};
use podsapi_sources::listwatch::{Counts, ListWatch, Options, Word};

/// One answer of a server.
struct Answer<'a> {
    status: u16,
    json: bool,
    /// Whether it comes to its end, or breaks off.
    ends: bool,
    /// Whether it takes its time, or comes at once.
    slow: bool,
    body: &'a [u8],
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
/// The first byte says where to cut. Each answer is a byte that says what it is, two bytes of
/// length, and a body.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn listwatch(data: &[u8]) {
    let Some((cut, rest)) = data.split_first() else {
        return;
    };
    let answers = answers(rest);
    let whole = outcome(&answers, usize::MAX);
    assert_eq!(whole, outcome(&answers, 1), "cut into bytes");
    let cut = usize::from(*cut) + 2;
    assert_eq!(whole, outcome(&answers, cut), "cut into pieces");
    in_order(&whole.words);
    for word in &whole.words {
        if let Word::Put(pod) = word {
            sent(pod, &answers);
        }
    }
    let problem = whole.problem.unwrap_or_default();
    assert!(!problem.contains(char::is_control), "{problem:?}");
}

fn answers(mut rest: &[u8]) -> Vec<Answer<'_>> {
    let mut answers = Vec::new();
    while let [kind, high, low, bodies @ ..] = rest
        && answers.len() < MAX_ANSWERS
    {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        let (body, behind) = bodies.split_at(length.min(bodies.len()));
        answers.push(Answer {
            status: STATUSES[usize::from(kind & 7)],
            json: kind & 8 != 0,
            ends: kind & 16 == 0,
            slow: kind & 32 == 0,
            body,
        });
        rest = behind;
    }
    answers
}

fn outcome(answers: &[Answer<'_>], piece: usize) -> Outcome {
    let mut now = Moment::ORIGIN;
    let mut machine = ListWatch::new(Options::new("node-1", 7), now);
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
        let path = request.path_and_query();
        assert!(path.starts_with("/api/v1/pods?fieldSelector=spec.nodeName%3Dnode-1"));
        assert!(path.bytes().all(|byte| byte.is_ascii_graphic()), "{path}");
        requests.push(path.to_owned());
        let content_type = match answer.json {
            true => "application/json",
            false => "application/vnd.kubernetes.protobuf",
        };
        machine.handle_head(answer.status, Some(content_type), None, now);
        for bytes in answer.body.chunks(piece) {
            machine.handle_body(Bytes::copy_from_slice(bytes), now);
            assert!(machine.buffered_bytes() <= MAX_HELD_BYTES);
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
    }
    words.extend(std::iter::from_fn(|| machine.poll_word()));
    Outcome {
        words,
        requests,
        problem: machine.problem(),
        counts: machine.counts(),
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
fn sent(pod: &EncodedPod, answers: &[Answer<'_>]) {
    let bytes = pod.bytes();
    let mut answers = answers.iter();
    let found = answers
        .any(|answer| answer.json || answer.body.windows(bytes.len()).any(|part| part == bytes));
    assert!(found, "{pod:?} was not sent");
}

/// Those that lead on come most often.
const STATUSES: [u16; 8] = [200, 200, 200, 410, 406, 429, 503, 400];

/// More add nothing but time.
const MAX_ANSWERS: usize = 12;

/// The longest wait between two requests, or for a silent watch.
const LONGEST_WAIT_NANOS: u64 = 700_000_000_000;

/// A pod, and what is around it; JSON is as long as what was sent.
const MAX_HELD_BYTES: usize = (3 << 20) + (128 << 10);
