//! The bytes that are held and those that may be: at each bound, one beyond it, and after what was given back.

use podsapi_proto::json::MAX_TEXT_BYTES;

use super::super::events::{Event, Stream};
use super::super::found::Found;
use super::super::page::{BEGINNING_BYTES, Page, VERSION_BYTES};
use super::super::pods::{Bounds, Pods};
use super::super::scenes::{envelope, field};
use super::super::{Counts, REFUSAL_BYTES};
use super::*;

/// What is known of a node that may have so many pods and bytes.
struct Kept {
    pods: Pods,
    counts: Counts,
}

impl Kept {
    fn new(pods: usize, bytes: usize) -> Self {
        let bounds = Bounds { pods, bytes };
        Self {
            pods: Pods::new(NODE.to_owned(), bounds),
            counts: Counts::default(),
        }
    }

    /// Puts a pod, and tells whether it is told.
    fn put(&mut self, pod: &Scene) -> bool {
        let found = Found::in_protobuf(pod.bytes().into(), usize::MAX);
        self.pods.put(&found, &mut self.counts);
        self.words() == [put(pod)]
    }

    fn delete(&mut self, pod: &Scene) {
        let found = Found::in_protobuf(pod.bytes().into(), usize::MAX);
        self.pods.delete(&found.names).unwrap();
        assert_eq!(self.words(), [remove(pod)]);
    }

    fn words(&mut self) -> Vec<Word> {
        std::iter::from_fn(|| self.pods.next_word()).collect()
    }
}

/// A pod that is so many bytes longer than one with 200 bytes of padding.
fn longer(uid: &str, version: u64, more: usize) -> Scene {
    Scene {
        padding: 200 + more,
        ..Scene::new(uid, version)
    }
}

#[test]
fn what_goes_makes_room_for_just_as_many_bytes() {
    let [a, b, c] = ["a", "b", "c"].map(|uid| longer(uid, 1, 0));
    let mut kept = Kept::new(9, a.bytes().len() + b.bytes().len());
    assert!(kept.put(&a) && kept.put(&b));
    for _ in 0..3 {
        assert!(!kept.put(&c), "there is no room");
        kept.delete(&a);
        assert!(!kept.put(&longer("c", 1, 1)), "one byte too many");
        assert!(kept.put(&c));
        kept.delete(&c);
        assert!(kept.put(&a));
    }
    kept.delete(&a);
    kept.delete(&b);
    assert!(kept.put(&b) && kept.put(&c) && !kept.put(&a));
}

#[test]
fn a_pod_that_changes_counts_as_it_is_now() {
    let (a, b) = (longer("a", 1, 0), longer("b", 1, 0));
    let mut kept = Kept::new(9, a.bytes().len() + b.bytes().len() + 10);
    assert!(kept.put(&a) && kept.put(&b));
    for version in [2, 4, 6] {
        assert!(!kept.put(&longer("a", version, 11)), "one byte too many");
        assert!(kept.put(&longer("a", version, 10)));
        assert!(!kept.put(&longer("b", version, 1)));
        assert!(kept.put(&longer("a", version + 1, 0)));
        assert!(kept.put(&longer("b", version, 10)));
        assert!(kept.put(&longer("b", version + 1, 0)));
    }
    kept.delete(&longer("a", 9, 0));
    assert!(kept.put(&longer("b", 9, a.bytes().len() + 10)));
    assert!(!kept.put(&longer("b", 9, a.bytes().len() + 11)));
}

#[test]
fn as_many_pods_as_there_may_be_are_told_and_change() {
    let mut kept = Kept::new(3, usize::MAX);
    let pods = ["a", "b", "c", "d"].map(|uid| Scene::new(uid, 1));
    let told = pods.each_ref().map(|pod| kept.put(pod));
    assert_eq!(told, [true, true, true, false]);
    assert!(kept.put(&Scene::new("c", 2)) && kept.put(&Scene::new("a", 2)));
    kept.delete(&pods[1]);
    assert!(kept.put(&pods[3]) && !kept.put(&pods[1]));
    assert_eq!(kept.pods.faults().len(), 1);
}

#[test]
fn what_is_held_of_a_page_is_what_has_come_of_the_value_under_way() {
    let pods = [longer("a", 1, 0), longer("b", 1, 5_000)];
    let lengths = pods.each_ref().map(|pod| pod.bytes().len());
    let mut driver = Driver::new();
    driver.ask();
    driver.head(200, PROTOBUF);
    let mut most = [0; 2];
    for (at, byte) in list("10", "", &pods).into_iter().enumerate() {
        driver.body(&[byte]);
        let held = driver.machine.buffered_bytes();
        match at {
            0..3 => assert_eq!(held, at + 1, "what every envelope begins with"),
            3 => assert_eq!(held, 0),
            4 => assert_eq!(held, 1, "a tag without its length"),
            _ => assert!(held == 0 || held <= lengths[1], "{held} bytes at {at}"),
        }
        for (most, length) in most.iter_mut().zip(lengths) {
            *most += usize::from(held == length);
        }
    }
    // A pod is held from its length to the byte before its last.
    assert_eq!(most, lengths);
    assert_eq!(driver.machine.buffered_bytes(), 0);
    driver.end();
    assert_eq!(driver.machine.buffered_bytes(), 0);
}

#[test]
fn what_is_held_of_text_is_all_of_it_until_it_is_read() {
    let mut driver = Driver::new();
    driver.ask();
    driver.head(200, JSON);
    let page = list_in_json("10", "", &[Scene::new("a", 1)]);
    for (at, byte) in page.iter().enumerate() {
        driver.body(&[*byte]);
        assert_eq!(driver.machine.buffered_bytes(), at + 1);
    }
    driver.end();
    assert_eq!(driver.machine.buffered_bytes(), 0);

    driver.ask();
    driver.head(200, JSON);
    let event = event_in_json("ADDED", &Scene::new("b", 2));
    for _ in 0..2 {
        for (at, byte) in event.iter().enumerate() {
            driver.body(&[*byte]);
            let held = if at + 1 == event.len() { 0 } else { at + 1 };
            assert_eq!(driver.machine.buffered_bytes(), held);
        }
    }
}

#[test]
fn what_is_held_of_an_event_is_its_length_and_then_its_body() {
    let mut driver = Driver::watching(&[]);
    let sent = event("ADDED", &longer("a", 1, 0));
    for _ in 0..2 {
        for (at, byte) in sent.iter().enumerate() {
            driver.body(&[*byte]);
            let held = match at {
                0..3 => at + 1,
                _ if at + 1 == sent.len() => 0,
                _ => sent.len() - 4,
            };
            assert_eq!(driver.machine.buffered_bytes(), held, "at {at}");
        }
    }
}

#[test]
fn what_is_held_of_a_refusal_ends_at_its_bound() {
    let mut driver = Driver::new();
    driver.ask();
    driver.head(500, "text/plain");
    for (sent, held) in [
        (10, 10),
        (REFUSAL_BYTES - 11, REFUSAL_BYTES - 1),
        (2, REFUSAL_BYTES),
        (5, REFUSAL_BYTES),
    ] {
        driver.body(&vec![b'x'; sent]);
        assert_eq!(driver.machine.buffered_bytes(), held);
    }
}

#[test]
fn text_of_just_the_most_bytes_is_taken_and_one_more_is_not() {
    let mut page = Page::Json(vec![b' '; MAX_TEXT_BYTES - 2]);
    assert_eq!(page.push(b"  ", &mut Vec::new()), Ok(()));
    assert_eq!(page.held(), MAX_TEXT_BYTES);
    assert!(page.push(b" ", &mut Vec::new()).is_err());

    let line = vec![b' '; MAX_TEXT_BYTES - 2];
    let mut stream = Stream::Json { line };
    assert_eq!(stream.push(b"  ", 100, &mut Vec::new()), Ok(()));
    assert_eq!(stream.held(), MAX_TEXT_BYTES);
    assert!(stream.push(b" ", 100, &mut Vec::new()).is_err());
}

#[test]
fn a_pod_of_just_the_most_bytes_is_read_and_one_more_is_cut() {
    // Longer than the beginning that is kept of one that is too long.
    let [just, more] = [BEGINNING_BYTES, BEGINNING_BYTES + 1];
    let pods = [
        longer("a", 1, just),
        longer("b", 1, more),
        longer("c", 1, just),
    ];
    let limit = pods[0].bytes().len();
    let mut found = Vec::new();
    let mut page = Page::in_protobuf(limit);
    page.push(&list("10", "", &pods), &mut found).unwrap();
    let read: Vec<_> = found.iter().map(|found| found.pod.is_ok()).collect();
    assert_eq!(read, [true, false, true]);
    let uids: Vec<_> = found.iter().map(|found| &found.names.uid).collect();
    assert_eq!(uids, ["a", "b", "c"]);
}

#[test]
fn an_event_of_just_the_most_bytes_is_kept_whole_and_one_more_is_cut() {
    let pod = longer("a", 1, 0);
    let limit = pod.bytes().len();
    let object = field(2, &field(1, &envelope("Pod", &pod.bytes())));
    let event = |bytes: usize| {
        let known = [field(1, b"ADDED"), object.clone()].concat();
        // A tag of one byte and a length of three stand before the filler.
        let filler = field(9, &vec![b'x'; bytes - known.len() - 4]);
        let whole = [known, filler].concat();
        assert_eq!(whole.len(), bytes);
        let length = u32::try_from(bytes).unwrap().to_be_bytes();
        [&length[..], &whole].concat()
    };
    let read = |bytes: usize| {
        let mut events = Vec::new();
        let mut stream = Stream::in_protobuf();
        stream.push(&event(bytes), limit, &mut events).unwrap();
        assert_eq!(stream.held(), 0);
        match events.pop() {
            Some(Event::Put(found)) => found.pod.is_ok(),
            other => panic!("{other:?}"),
        }
    };
    assert!(read(limit + BEGINNING_BYTES));
    assert!(!read(limit + BEGINNING_BYTES + 1));
}

#[test]
fn versions_and_tokens_of_just_the_most_bytes_are_taken_and_one_more_is_not() {
    let long = |bytes: usize| "1".repeat(bytes);
    let finished = |body: &[u8], json: bool| {
        let mut page = match json {
            true => Page::in_json(),
            false => Page::in_protobuf(100),
        };
        let pushed = page.push(body, &mut Vec::new());
        pushed.and_then(|()| page.finish(100, &mut Vec::new()))
    };
    for (bytes, taken) in [(VERSION_BYTES, true), (VERSION_BYTES + 1, false)] {
        let version = long(bytes);
        assert_eq!(finished(&list(&version, "", &[]), false).is_ok(), taken);
        let page = list_in_json(&version, "", &[]);
        assert_eq!(finished(&page, true).is_ok(), taken);
    }
    for (bytes, taken) in [(64 << 10, true), ((64 << 10) + 1, false)] {
        let page = list_in_json("1", &long(bytes), &[]);
        assert_eq!(finished(&page, true).is_ok(), taken);
    }
    // The version and both heads are part of the metadata: seven bytes.
    for (bytes, taken) in [((64 << 10) - 7, true), ((64 << 10) - 6, false)] {
        assert_eq!(
            finished(&list("1", &long(bytes), &[]), false).is_ok(),
            taken
        );
    }
}
