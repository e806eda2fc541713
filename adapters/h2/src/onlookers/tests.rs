//! Who is given out at another stage, and who is not.

use super::*;

fn stage(stopped: bool) -> Stage {
    Stage {
        stopped,
        ..Stage::default()
    }
}

#[test]
fn those_who_wait_are_given_out_once_at_another_stage() {
    let waker = || Waker::noop().clone();
    let mut onlookers = Onlookers::default();
    assert!(onlookers.is_empty());
    assert!(onlookers.insert(1, stage(false), waker()).is_none());
    assert!(onlookers.insert(2, stage(false), waker()).is_none());
    assert!(onlookers.insert(2, stage(false), waker()).is_some());
    assert!(!onlookers.is_empty());
    assert_eq!(onlookers.take_if_changed(stage(false)).count(), 0);
    assert!(!onlookers.is_empty(), "the stage is as they saw it");
    assert!(onlookers.remove(1).is_some() && onlookers.remove(1).is_none());
    assert!(!onlookers.is_empty(), "another one waits");
    assert_eq!(onlookers.take_if_changed(stage(true)).count(), 1);
    assert!(onlookers.is_empty());
    assert_eq!(onlookers.take_if_changed(stage(false)).count(), 0);
}
