//! Tests of the order in which a source may speak.

use alloc::vec::Vec;

use super::*;
use crate::sample::{pod, status};

const LIMITS: FeedLimits = FeedLimits {
    pods: 2,
    pod_bytes: 100,
};

fn feed() -> Feed {
    Feed::new(SourceConfig::new("s", SourceKind::Snapshot))
}

fn say(feed: &mut Feed, event: SourceEvent) -> Result<Step, SourceError> {
    feed.handle(event, LIMITS, Moment::from_nanos(3))
}

fn put(uid: &str) -> SourceEvent {
    SourceEvent::Put {
        pod: pod(uid),
        at: 0,
    }
}

fn live_feed(uids: &[&str]) -> Feed {
    let mut feed = feed();
    say(&mut feed, SourceEvent::Begin).unwrap();
    uids.iter()
        .for_each(|uid| drop(say(&mut feed, put(uid)).unwrap()));
    say(&mut feed, SourceEvent::Complete { at: 0 }).unwrap();
    feed
}

#[test]
fn nothing_is_told_before_a_list_begins() {
    let mut feed = feed();
    let uid = Uid::new("u");
    for event in [
        put("u"),
        SourceEvent::Status {
            uid: uid.clone(),
            status: status("Running"),
            at: 0,
        },
        SourceEvent::Remove { uid, at: 0 },
    ] {
        assert_eq!(
            say(&mut feed, event).unwrap_err(),
            SourceError::PutBeforeBegin
        );
    }
    let complete = say(&mut feed, SourceEvent::Complete { at: 0 });
    assert_eq!(complete.unwrap_err(), SourceError::CompleteBeforeBegin);
    assert_eq!(
        (feed.view().counts.refused, feed.view().last_news),
        (4, None)
    );
}

#[test]
fn a_list_takes_effect_when_it_is_complete_and_not_before() {
    let mut feed = live_feed(&["a", "b"]);
    assert!(matches!(
        say(&mut feed, SourceEvent::Begin),
        Ok(Step::Nothing)
    ));
    assert!(matches!(say(&mut feed, put("b")), Ok(Step::Nothing)));
    assert!(matches!(say(&mut feed, put("c")), Ok(Step::Nothing)));
    let step = say(&mut feed, SourceEvent::Complete { at: 4 }).unwrap();
    let Step::Replace {
        gone,
        claims,
        at: 4,
    } = step
    else {
        panic!("{step:?}")
    };
    assert_eq!(gone, [Uid::new("a")]);
    let claimed: Vec<_> = claims.keys().map(Uid::as_str).collect();
    assert_eq!(claimed, ["b", "c"]);
}

#[test]
fn a_list_that_begins_again_forgets_what_was_put() {
    let mut feed = feed();
    for event in [SourceEvent::Begin, put("a"), SourceEvent::Begin, put("b")] {
        say(&mut feed, event).unwrap();
    }
    let step = say(&mut feed, SourceEvent::Complete { at: 0 }).unwrap();
    assert!(matches!(step, Step::Replace { claims, .. } if claims.len() == 1));
}

#[test]
fn single_changes_follow_a_complete_list() {
    let mut feed = live_feed(&["a"]);
    assert!(matches!(say(&mut feed, put("b")), Ok(Step::Put { .. })));
    let remove = |uid| SourceEvent::Remove {
        uid: Uid::new(uid),
        at: 0,
    };
    assert!(matches!(
        say(&mut feed, remove("a")),
        Ok(Step::Remove { .. })
    ));
    assert!(matches!(say(&mut feed, remove("a")), Ok(Step::Nothing)));
    assert_eq!(feed.view().counts.pods, 1);
}

#[test]
fn a_lost_source_keeps_its_pods_and_drops_a_list_under_way() {
    let mut feed = live_feed(&["a"]);
    for event in [SourceEvent::Begin, put("b"), SourceEvent::Lost] {
        assert!(matches!(say(&mut feed, event), Ok(Step::Nothing)));
    }
    assert_eq!(
        (feed.view().state, feed.view().counts.pods),
        (SourceState::Lost, 1)
    );
    assert!(matches!(say(&mut feed, put("c")), Ok(Step::Put { .. })));
    assert_eq!(feed.view().state, SourceState::Live);
}

#[test]
fn losing_a_source_is_no_news_of_its_pods() {
    let mut feed = live_feed(&[]);
    feed.handle(SourceEvent::Lost, LIMITS, Moment::from_nanos(9))
        .unwrap();
    assert_eq!(feed.view().last_news, Some(Moment::from_nanos(3)));
    assert_eq!(feed.view().counts.losses, 1);
}

#[test]
fn a_source_lost_in_its_first_list_has_to_begin_again() {
    let mut feed = feed();
    say(&mut feed, SourceEvent::Begin).unwrap();
    say(&mut feed, SourceEvent::Lost).unwrap();
    assert_eq!(
        say(&mut feed, put("a")).unwrap_err(),
        SourceError::PutBeforeBegin
    );
    assert!(!feed.view().synced);
}

#[test]
fn a_source_speaks_of_no_more_pods_than_the_limit() {
    let mut feed = live_feed(&["a", "b"]);
    assert_eq!(
        say(&mut feed, put("c")).unwrap_err(),
        SourceError::TooManyPods { limit: 2 }
    );
    assert!(
        say(&mut feed, put("b")).is_ok(),
        "a known pod needs no room"
    );
    say(&mut feed, SourceEvent::Begin).unwrap();
    for uid in ["c", "d"] {
        assert!(
            say(&mut feed, put(uid)).is_ok(),
            "a list replaces what was there"
        );
    }
    assert_eq!(
        say(&mut feed, put("e")).unwrap_err(),
        SourceError::TooManyPods { limit: 2 }
    );
}

#[test]
fn a_pod_over_the_limit_is_refused() {
    let mut feed = live_feed(&[]);
    let uid = "u".repeat(100);
    let error = say(&mut feed, put(&uid)).unwrap_err();
    assert!(
        matches!(
            error,
            SourceError::PodTooLarge {
                bytes: 221,
                limit: 100
            }
        ),
        "{error:?}"
    );
}

#[test]
fn a_lost_source_is_not_back_with_a_word_that_is_refused() {
    let mut feed = live_feed(&["a", "b"]);
    say(&mut feed, SourceEvent::Lost).unwrap();
    let refused = say(&mut feed, put("c")).unwrap_err();
    assert_eq!(refused, SourceError::TooManyPods { limit: 2 });
    assert_eq!(feed.view().state, SourceState::Lost);
    say(&mut feed, put("b")).unwrap();
    assert_eq!(feed.view().state, SourceState::Live);
}
