//! The machine against a server, over a network that does what it likes.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{EncodedPod, Moment};
use proptest::option;
use proptest::prelude::{ProptestConfig, any, proptest};

use super::model::{Answer, Server};
use super::operations::{Form, Op, history};
use super::scenes::{JSON, NODE, Scene};
use super::{ListWatch, Options, Word};

/// A node, its server and the network between them.
struct Run {
    machine: ListWatch,
    server: Server,
    now: Moment,
    /// The answer under way, and whether its head has arrived.
    answer: Option<(Answer, bool)>,
    refuse: Option<u16>,
    away: bool,
    /// Who lives in each place: a place that is filled again has another pod.
    places: BTreeMap<u8, String>,
    pods: u32,
    view: View,
}

/// What was told, and whether it was told as it should be.
#[derive(Default)]
struct View {
    pods: BTreeMap<String, EncodedPod>,
    staged: Option<BTreeMap<String, EncodedPod>>,
    synced: bool,
    lost: bool,
    gone: BTreeSet<String>,
}

impl View {
    fn hear(&mut self, word: Word) {
        let change = matches!(word, Word::Put(_) | Word::Remove(_)) && self.staged.is_none();
        assert!(
            !change || (self.synced && !self.lost),
            "out of turn: {word:?}"
        );
        match word {
            Word::Begin => {
                assert_eq!(self.staged, None, "a list within a list");
                self.staged = Some(BTreeMap::new());
            }
            Word::Put(pod) => {
                let uid = pod.uid().as_str().to_owned();
                assert!(!self.gone.contains(&uid), "{uid} is back");
                let before = match &mut self.staged {
                    Some(staged) => staged.insert(uid, pod.clone()),
                    None => self.pods.insert(uid, pod.clone()),
                };
                assert_ne!(before, Some(pod), "told again");
            }
            Word::Remove(uid) => {
                assert_eq!(self.staged, None, "a deletion within a list");
                assert!(
                    self.pods.remove(uid.as_str()).is_some(),
                    "{uid} was not there"
                );
                assert!(
                    self.gone.insert(uid.as_str().to_owned()),
                    "{uid} is gone twice"
                );
            }
            Word::Complete => {
                let staged = self.staged.take().expect("a list has begun");
                for uid in self.pods.keys().filter(|uid| !staged.contains_key(*uid)) {
                    assert!(self.gone.insert(uid.clone()), "{uid} is gone twice");
                }
                self.pods = staged;
                self.synced = true;
                self.lost = false;
            }
            Word::Lost => {
                assert!(!self.lost, "lost twice");
                assert_eq!(self.staged, None, "lost within a list");
                self.lost = true;
            }
        }
    }
}

impl Run {
    fn new(seed: u64) -> Self {
        let now = Moment::ORIGIN;
        let options = Options {
            max_pod_bytes: NonZeroU32::new(POD_BYTES).unwrap(),
            ..Options::new(NODE, seed)
        };
        Self {
            machine: ListWatch::new(options, now),
            server: Server::new(),
            now,
            answer: None,
            refuse: None,
            away: false,
            places: BTreeMap::new(),
            pods: 0,
            view: View::default(),
        }
    }

    fn step(&mut self, op: &Op) {
        match *op {
            Op::Put { place, form } => {
                self.pods += 1;
                let new = format!("uid-{place}-{}", self.pods);
                let uid = self.places.entry(place).or_insert(new).clone();
                self.server.put(scene(&uid, form));
                if form == Form::Moved {
                    // Nothing brings it back.
                    self.places.remove(&place);
                }
            }
            Op::Delete { place } => {
                if let Some(uid) = self.places.remove(&place) {
                    self.server.delete(&uid);
                }
            }
            Op::Compact => {
                self.server.compact();
                // Nobody is told what happened before, unless it is under way already.
                if let Some((answer, _)) = &mut self.answer {
                    self.server.error_into(410, answer);
                }
            }
            Op::Lag(lag) => self.server.lag = lag,
            Op::Speak { json, strict } => {
                self.server.json = json;
                self.server.strict = strict;
            }
            Op::Page(page) => self.server.page = page,
            Op::Arrive { bytes, piece } => self.arrive(bytes, piece),
            Op::ArriveAll => self.arrive(usize::MAX, 4_096),
            Op::Bookmark => {
                if let Some((answer, _)) = &mut self.answer {
                    self.server.bookmark(answer);
                }
            }
            Op::Repeat => {
                if let Some((answer, _)) = &mut self.answer {
                    self.server.repeat(answer);
                }
            }
            Op::Break => {
                if self.answer.take().is_some() {
                    self.machine.handle_failure("cut", self.now);
                }
            }
            Op::End => {
                self.arrive(usize::MAX, 1_000);
                if self.answer.as_ref().is_some_and(|(answer, _)| !answer.mute)
                    && self.answer.take().is_some()
                {
                    self.machine.handle_end(self.now);
                }
            }
            Op::Mute => {
                if let Some((answer, _)) = &mut self.answer {
                    answer.mute = true;
                }
            }
            Op::Replace => {
                self.places.clear();
                self.server.restore(usize::MAX);
                self.machine.handle_replaced(self.now);
            }
            Op::Error(code) => {
                if let Some((answer, _)) = &mut self.answer {
                    self.server.error_into(code, answer);
                }
                self.arrive(usize::MAX, 1_000);
            }
            Op::Refuse(code) => self.refuse = Some(code),
            Op::Away => self.away = true,
            Op::Wait(seconds) => {
                let wait = Duration::from_secs(seconds).as_nanos();
                self.now = self.now.plus_nanos(u64::try_from(wait).unwrap());
            }
        }
        self.settle();
    }

    /// Lets the node ask and hears what it says, until nothing happens any more.
    fn settle(&mut self) {
        loop {
            while let Some(word) = self.machine.poll_word() {
                if let Word::Put(pod) = &word {
                    assert!(self.server.ever_had(pod.bytes()), "made up: {pod:?}");
                }
                self.view.hear(word);
            }
            assert_eq!(self.view.staged, None, "a list that does not end");
            let request = self.machine.poll_request(self.now);
            if !self.machine.wants_answer() {
                self.answer = None;
            }
            let Some(request) = request else {
                if let Some((answer, _)) = &mut self.answer {
                    self.server.tell(answer);
                }
                if self
                    .machine
                    .poll_word()
                    .map(|word| self.view.hear(word))
                    .is_none()
                {
                    return;
                }
                continue;
            };
            if std::mem::take(&mut self.away) {
                self.machine.handle_failure("nobody there", self.now);
                continue;
            }
            self.answer = Some((self.server.answer(&request, self.refuse.take()), false));
        }
    }

    /// Lets as many bytes of the answer arrive, and its end if it has one.
    fn arrive(&mut self, bytes: usize, piece: usize) {
        let Some((answer, begun)) = &mut self.answer else {
            return;
        };
        if answer.mute {
            return;
        }
        self.server.tell(answer);
        if !*begun {
            *begun = true;
            let content_type = Some(answer.content_type);
            self.machine
                .handle_head(answer.status, content_type, None, self.now);
        }
        let bytes: Vec<u8> = answer.body.drain(..bytes.min(answer.body.len())).collect();
        for piece in bytes.chunks(piece) {
            self.machine
                .handle_body(Bytes::copy_from_slice(piece), self.now);
            let held = self.machine.buffered_bytes();
            let bound = POD_BYTES as usize + (64 << 10);
            let bounded = held <= bound || answer.content_type == JSON;
            assert!(bounded, "{held} bytes held");
        }
        if answer.body.is_empty() && answer.watched.is_none() {
            self.answer = None;
            self.machine.handle_end(self.now);
        }
    }

    /// Lets everything be well again, and compares.
    fn finish(mut self, restore: Option<usize>) {
        self.refuse = None;
        self.away = false;
        if let Some(back) = restore {
            self.arrive(usize::MAX, 1_000);
            self.settle();
            self.server.restore(back);
            // What was made after that never was, and what was deleted is back.
            self.view.gone.clear();
            // Its connections end with the server that is set back.
            self.step(&Op::Break);
            self.quiet();
        }
        for pod in self.server.shown() {
            if pod.node != NODE {
                self.server.delete(&pod.uid);
            } else if pod.broken || pod.padding > 1 {
                self.server.put(scene(&pod.uid, Form::Good));
            }
        }
        self.quiet();
        let served: BTreeMap<_, _> = self.view.pods.into_iter().collect();
        let pods = self.server.pods().into_iter();
        let expected: BTreeMap<_, _> = pods.map(|(uid, pod)| (uid, pod.encoded())).collect();
        assert_eq!(served, expected);
        assert!(self.view.synced && !self.view.lost);
        assert_eq!(self.machine.problem(), None);
        assert!(
            self.machine.counts().requests < 400,
            "{:?}",
            self.machine.counts()
        );
    }

    /// Lets time pass until the node knows all.
    fn quiet(&mut self) {
        for _ in 0..40 {
            self.settle();
            self.arrive(usize::MAX, 1_000);
            self.settle();
            let Some((answer, begun)) = &self.answer else {
                let due = self.machine.poll_timeout().unwrap();
                self.now = self.now.max(due);
                continue;
            };
            if answer.mute || (*begun && answer.body.is_empty()) {
                if !answer.mute && answer.watched == Some(self.server.version) {
                    return;
                }
                // A watch of what is forgotten says so, or is silent for ever.
                self.now = self.now.max(self.machine.poll_timeout().unwrap());
            }
        }
        panic!("it does not come to rest");
    }
}

fn scene(uid: &str, form: Form) -> Scene {
    let mut scene = Scene::new(uid, 0);
    match form {
        Form::Good => scene.padding = 1,
        Form::Broken => scene.broken = true,
        Form::Large => scene.padding = 2 * POD_BYTES as usize + (64 << 10),
        Form::Moved => "n2".clone_into(&mut scene.node),
    }
    scene
}

/// As much as a pod may have here, so that the larger ones stay small.
const POD_BYTES: u32 = 4_096;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn a_node_ends_with_what_its_server_has(
        history in history(),
        seed in any::<u64>(),
        restore in option::of(0..6_usize),
    ) {
        let mut run = Run::new(seed);
        run.settle();
        for op in &history {
            run.step(op);
        }
        run.finish(restore);
    }
}
