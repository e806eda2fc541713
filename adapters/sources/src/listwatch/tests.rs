//! The machine, answer by answer.

use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{Moment, Uid};

use super::scenes::{
    JSON, NODE, PROTOBUF, PROTOBUF_WATCH, Scene, bookmark, event, event_in_json, list,
    list_in_json, raw_event, status, status_in_json,
};
use super::{ListWatch, Options, Request, Word};

mod bounds;
mod faults;

/// A machine with its clock and its server.
struct Driver {
    machine: ListWatch,
    now: Moment,
}

impl Driver {
    fn new() -> Self {
        let now = Moment::ORIGIN;
        Self {
            machine: ListWatch::new(Options::new(NODE, 1), now),
            now,
        }
    }

    /// A machine that has listed these pods at version 10 and watches.
    fn watching(pods: &[Scene]) -> Self {
        let mut driver = Self::new();
        driver.ask();
        driver.answer(200, PROTOBUF, &list("10", "", pods));
        driver.words();
        driver.watch();
        driver
    }

    fn wait(&mut self, wait: Duration) {
        self.now = self.now.plus_nanos(u64::try_from(wait.as_nanos()).unwrap());
    }

    /// Waits until something is asked, and returns how long that was.
    fn next_request(&mut self) -> (Request, Duration) {
        let from = self.now;
        loop {
            if let Some(request) = self.machine.poll_request(self.now) {
                let waited = Duration::from_nanos(self.now.nanos_since(from));
                return (request, waited);
            }
            let due = self.machine.poll_timeout().unwrap();
            assert!(due > self.now, "nothing is due at {due:?}");
            self.now = due;
        }
    }

    fn ask(&mut self) -> String {
        self.next_request().0.path_and_query().to_owned()
    }

    fn watch(&mut self) {
        let path = self.ask();
        assert!(path.contains("watch=true"), "{path}");
        self.head(200, PROTOBUF_WATCH);
    }

    fn head(&mut self, status: u16, content_type: &str) {
        let content_type = Some(content_type);
        self.machine
            .handle_head(status, content_type, None, self.now);
    }

    fn body(&mut self, bytes: &[u8]) {
        self.machine
            .handle_body(Bytes::copy_from_slice(bytes), self.now);
    }

    fn end(&mut self) {
        self.machine.handle_end(self.now);
    }

    fn fail(&mut self) {
        self.machine.handle_failure("connection reset", self.now);
    }

    fn answer(&mut self, status: u16, content_type: &str, body: &[u8]) {
        self.head(status, content_type);
        self.body(body);
        self.end();
    }

    fn words(&mut self) -> Vec<Word> {
        std::iter::from_fn(|| self.machine.poll_word()).collect()
    }

    fn problem(&self) -> String {
        self.machine.problem().unwrap_or_default()
    }
}

fn put(pod: &Scene) -> Word {
    Word::Put(pod.encoded())
}

fn remove(pod: &Scene) -> Word {
    Word::Remove(Uid::new(&pod.uid))
}

fn whole(pods: &[Scene]) -> Vec<Word> {
    let pods = pods.iter().map(put);
    let words = std::iter::once(Word::Begin).chain(pods);
    words.chain([Word::Complete]).collect()
}

fn scenes(uids: &[&str]) -> Vec<Scene> {
    uids.iter().map(|uid| Scene::new(uid, 1)).collect()
}

#[test]
fn a_list_is_told_when_it_is_whole_and_followed_by_a_watch_from_its_version() {
    let pods = scenes(&["a", "b"]);
    let mut driver = Driver::new();
    let asked = driver.ask();
    assert!(asked.ends_with("&limit=500&resourceVersion=0"), "{asked}");
    let body = list("10", "", &pods);
    driver.head(200, PROTOBUF);
    for byte in &body {
        assert_eq!(driver.words(), []);
        driver.body(&[*byte]);
    }
    assert_eq!(driver.words(), []);
    driver.end();
    assert_eq!(driver.words(), whole(&pods));
    assert!(
        driver
            .ask()
            .contains("watch=true&allowWatchBookmarks=true&resourceVersion=10&")
    );
    assert_eq!(driver.machine.problem(), None);
}

#[test]
fn pages_are_one_list() {
    let pods = scenes(&["a", "b", "c"]);
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(200, PROTOBUF, &list("10", "next=1", &pods[..2]));
    assert_eq!(driver.words(), []);
    let (request, waited) = driver.next_request();
    assert!(
        request
            .path_and_query()
            .ends_with("&limit=500&continue=next%3D1")
    );
    assert_eq!(waited, Duration::ZERO);
    driver.answer(200, PROTOBUF, &list("10", "", &pods[2..]));
    assert_eq!(driver.words(), whole(&pods));
    assert_eq!(
        (driver.machine.counts().pages, driver.machine.counts().lists),
        (2, 1)
    );
}

#[test]
fn a_page_that_expired_leads_to_one_full_list() {
    let pods = scenes(&["a"]);
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(200, PROTOBUF, &list("10", "more", &scenes(&["a", "gone"])));
    driver.ask();
    driver.answer(410, PROTOBUF, &status(410, "Expired"));
    assert_eq!(driver.words(), [], "nothing is lost yet");
    let (request, waited) = driver.next_request();
    assert_eq!(
        request.path_and_query(),
        "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1"
    );
    assert_eq!(waited, Duration::ZERO);
    driver.answer(200, PROTOBUF, &list("11", "", &pods));
    assert_eq!(driver.words(), whole(&pods));
}

#[test]
fn changes_are_told_one_by_one_however_the_stream_is_cut() {
    let [a, b] = [Scene::new("a", 11), Scene::new("b", 12)];
    let changed = Scene::new("a", 13);
    let stream = [
        event("ADDED", &a),
        event("ADDED", &b),
        event("MODIFIED", &changed),
        event("DELETED", &Scene::new("b", 14)),
    ]
    .concat();
    let expected = [put(&a), put(&b), put(&changed), remove(&b)];
    for piece in [1, 7, 100, stream.len()] {
        let mut driver = Driver::watching(&[]);
        for bytes in stream.chunks(piece) {
            driver.body(bytes);
        }
        assert_eq!(driver.words(), expected, "cut into {piece}");
        driver.fail();
        assert!(driver.ask().contains("resourceVersion=14&"));
    }
}

#[test]
fn a_pod_with_the_bytes_that_it_had_is_not_told_again() {
    let pod = Scene::new("a", 5);
    let mut driver = Driver::watching(std::slice::from_ref(&pod));
    driver.body(&event("MODIFIED", &pod));
    assert_eq!(driver.words(), []);
    assert_eq!(driver.machine.counts().unchanged, 1);
}

#[test]
fn a_deletion_is_told_once() {
    let pod = Scene::new("a", 5);
    let mut driver = Driver::watching(std::slice::from_ref(&pod));
    driver.body(&event("DELETED", &pod));
    driver.body(&event("DELETED", &pod));
    driver.body(&event("DELETED", &Scene::new("never", 5)));
    assert_eq!(driver.words(), [remove(&pod)]);
}

#[test]
fn a_pod_keeps_no_memory_but_its_own_event() {
    let mut driver = Driver::watching(&[]);
    let pod = Scene::new("a", 11);
    let stream = [event("ADDED", &pod), event("ADDED", &Scene::new("b", 12))].concat();
    driver.body(&stream);
    let Some(Word::Put(told)) = driver.machine.poll_word() else {
        panic!("no pod");
    };
    // What is unique can be taken back whole: the event, and not the stream.
    drop(driver);
    let event = told.bytes().clone();
    drop(told);
    let event = event.try_into_mut().unwrap();
    assert!(event.capacity() < event.len() + 100, "{}", event.capacity());
}

#[test]
fn bookmarks_move_the_version_on() {
    let mut driver = Driver::watching(&[]);
    driver.body(&event("BOOKMARK", &bookmark(77)));
    assert_eq!(driver.words(), []);
    driver.fail();
    assert!(driver.ask().contains("resourceVersion=77&"));
    assert_eq!(driver.machine.counts().bookmarks, 1);
}

#[test]
fn a_watch_that_ends_in_its_time_goes_on_at_once_and_nothing_is_lost() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    for _ in 0..7 {
        driver.wait(Duration::from_secs(60));
        driver.body(&event("BOOKMARK", &bookmark(10)));
    }
    driver.end();
    let (request, waited) = driver.next_request();
    assert!(request.path_and_query().contains("watch=true"));
    assert_eq!((waited, driver.words()), (Duration::ZERO, vec![]));
    assert_eq!(driver.machine.problem(), None);
}

#[test]
fn a_loss_is_told_once_and_what_is_known_is_told_when_the_watch_goes_on() {
    let pods = scenes(&["a", "b"]);
    let mut driver = Driver::watching(&pods);
    driver.fail();
    assert_eq!(driver.words(), [Word::Lost]);
    for _ in 0..2 {
        assert!(driver.ask().contains("watch=true"));
        driver.fail();
        assert_eq!(driver.words(), []);
        assert!(driver.problem().contains("connection reset (the pods stay"));
        // Every third time is a list, which this test is not about.
        if driver.machine.failed_watches == 2 {
            break;
        }
    }
    driver.watch();
    assert_eq!(driver.words(), whole(&pods));
    assert_eq!(driver.machine.problem(), None);
}

#[test]
fn the_first_retry_is_spread_and_later_ones_grow() {
    let mut firsts = Vec::new();
    for seed in 0..50 {
        let options = Options::new(NODE, seed);
        let mut driver = Driver::new();
        driver.machine = ListWatch::new(options, driver.now);
        driver.ask();
        driver.fail();
        firsts.push(driver.next_request().1);
        driver.fail();
        let second = driver.next_request().1;
        assert!((5..=10).contains(&second.as_secs()), "{second:?}");
    }
    assert!(firsts.iter().all(|wait| *wait <= Duration::from_secs(5)));
    assert!(firsts.iter().any(|wait| *wait < Duration::from_secs(1)));
    assert!(firsts.iter().any(|wait| *wait > Duration::from_secs(4)));
}

#[test]
fn a_watch_that_fails_three_times_in_a_row_gives_way_to_a_list() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    let mut asked = Vec::new();
    for _ in 0..3 {
        driver.fail();
        asked.push(driver.ask().contains("watch=true"));
    }
    assert_eq!(asked, [true, true, false]);
    driver.answer(200, PROTOBUF, &list("12", "", &scenes(&["b"])));
    let mut expected = vec![Word::Lost];
    expected.extend(whole(&scenes(&["b"])));
    assert_eq!(driver.words(), expected);
}

#[test]
fn an_expired_version_is_followed_by_a_list_and_is_no_loss() {
    let before = scenes(&["a", "b"]);
    for error in [status(410, "Expired"), status(410, "Gone")] {
        let mut driver = Driver::watching(&before);
        driver.body(&raw_event("ERROR", &error));
        assert_eq!((driver.words(), driver.machine.problem()), (vec![], None));
        let (request, waited) = driver.next_request();
        assert!(request.path_and_query().ends_with("n1&resourceVersion=10"));
        assert!(waited < Duration::from_secs(5));
        driver.answer(200, PROTOBUF, &list("30", "", &scenes(&["b"])));
        assert_eq!(driver.words(), whole(&scenes(&["b"])));
    }
}

#[test]
fn a_list_of_a_version_that_is_gone_or_never_was_is_read_from_the_store() {
    let ahead = status_in_json(504, "Timeout").replace("because of", "Too large resource version");
    let gone = status_in_json(410, "Expired");
    for (code, body) in [(504, ahead), (410, gone)] {
        let mut driver = Driver::watching(&scenes(&["a"]));
        driver.body(&raw_event("ERROR", &status(410, "Expired")));
        assert!(driver.ask().contains("resourceVersion=10"));
        driver.answer(code, JSON, body.as_bytes());
        assert!(driver.ask().ends_with("n1&limit=500"), "{code}");
        assert_eq!(driver.words(), []);
        driver.answer(code, JSON, body.as_bytes());
        assert_eq!(
            driver.words(),
            [Word::Lost],
            "{code}: no second time for free"
        );
    }
}

#[test]
fn a_watch_refused_with_410_is_as_one_that_ends_so() {
    let mut driver = Driver::watching(&scenes(&["a"]));
    driver.wait(Duration::from_secs(60));
    driver.end();
    driver.ask();
    driver.answer(410, JSON, status_in_json(410, "Gone").as_bytes());
    assert_eq!(driver.words(), []);
    assert!(driver.ask().ends_with("n1&resourceVersion=10"));
}

#[test]
fn errors_of_a_watch_that_pass_are_waited_for_and_the_watch_goes_on() {
    for (code, reason) in [
        (429, "TooManyRequests"),
        (500, "InternalError"),
        (504, "Timeout"),
    ] {
        let mut driver = Driver::watching(&scenes(&["a"]));
        driver.body(&raw_event("ERROR", &status(code, reason)));
        assert_eq!(driver.words(), [Word::Lost]);
        assert!(driver.problem().contains(reason), "{}", driver.problem());
        assert!(driver.ask().contains("watch=true"));
    }
}

#[test]
fn a_server_that_refuses_protobuf_is_asked_for_json() {
    for code in [406, 415] {
        let pods = scenes(&["a", "b"]);
        let mut driver = Driver::new();
        let (request, _) = driver.next_request();
        assert!(request.accept().contains("protobuf"));
        driver.answer(code, JSON, b"");
        let (request, waited) = driver.next_request();
        assert_eq!((request.accept(), waited), (JSON, Duration::ZERO));
        driver.answer(200, JSON, &list_in_json("10", "", &pods));
        assert_eq!(driver.words(), whole(&pods));
        let (request, _) = driver.next_request();
        assert_eq!(request.accept(), JSON);
        driver.answer(code, JSON, b"");
        assert_eq!(
            driver.words(),
            [Word::Lost],
            "there is nothing else to ask for"
        );
    }
}

#[test]
fn json_says_the_same_as_protobuf() {
    let pods = scenes(&["a", "b"]);
    let mut driver = Driver::new();
    driver.ask();
    driver.answer(
        200,
        "application/json; charset=utf-8",
        &list_in_json("10", "next", &pods[..1]),
    );
    driver.ask();
    driver.answer(200, JSON, &list_in_json("10", "", &pods[1..]));
    assert_eq!(driver.words(), whole(&pods));
    driver.ask();
    driver.head(200, JSON);
    let changed = Scene::new("a", 11);
    let stream = [
        event_in_json("MODIFIED", &changed),
        b"\n".to_vec(),
        event_in_json("MODIFIED", &changed),
        event_in_json("BOOKMARK", &bookmark(20)),
        event_in_json("DELETED", &Scene::new("b", 21)),
    ]
    .concat();
    for bytes in stream.chunks(3) {
        driver.body(bytes);
    }
    assert_eq!(driver.words(), [put(&changed), remove(&pods[1])]);
    let error = format!(
        "{{\"type\":\"ERROR\",\"object\":{}}}\n",
        status_in_json(410, "Expired")
    );
    driver.body(error.as_bytes());
    assert!(driver.ask().ends_with("n1&resourceVersion=21"));
}
