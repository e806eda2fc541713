//! Which statuses are asked for, and what the view says.

use super::*;
use crate::cri::fake::{container, container_status, sandbox, sandbox_status};

const RUNNING: cri::ContainerState = cri::ContainerState::ContainerRunning;
const EXITED: cri::ContainerState = cri::ContainerState::ContainerExited;

fn of_container(id: &str) -> Need {
    Need::Container(id.to_owned())
}

fn of_sandbox(id: &str) -> Need {
    Need::Sandbox(id.to_owned())
}

fn exited(id: &str, exit_code: i32) -> cri::ContainerStatus {
    cri::ContainerStatus {
        exit_code,
        ..container_status(id, EXITED)
    }
}

#[test]
fn a_status_is_asked_for_once_and_again_when_the_list_shows_another_state() {
    let mut known = Known::default();
    let now = Instant::now();
    let both = vec![of_sandbox("s"), of_container("c")];
    let lists = |state| (vec![sandbox("s", true)], vec![container("c", "s", state)]);

    let (sandboxes, containers) = lists(RUNNING);
    assert_eq!(known.handle_lists(sandboxes, containers, now), both);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    known.handle_container(container_status("c", RUNNING), None, now);
    let (sandboxes, containers) = lists(RUNNING);
    assert_eq!(known.handle_lists(sandboxes, containers, now), []);

    let (sandboxes, containers) = lists(EXITED);
    let again = known.handle_lists(sandboxes, containers, now);
    assert_eq!(again, [of_container("c")]);
    known.handle_container(exited("c", 0), None, now);

    let (_, containers) = lists(EXITED);
    let again = known.handle_lists(vec![sandbox("s", false)], containers, now);
    assert_eq!(again, [of_sandbox("s")]);
}

#[test]
fn everything_is_asked_for_again_on_a_new_connection() {
    let mut known = Known::default();
    let now = Instant::now();
    let lists = || (vec![sandbox("s", true)], vec![container("c", "s", RUNNING)]);
    let (sandboxes, containers) = lists();
    known.handle_lists(sandboxes, containers, now);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    known.handle_container(container_status("c", RUNNING), None, now);
    let before = known.view();
    known.distrust();
    assert_eq!(known.view(), before);
    let (sandboxes, containers) = lists();
    assert_eq!(known.handle_lists(sandboxes, containers, now).len(), 2);
}

#[test]
fn how_a_container_failed_is_confirmed_once() {
    let mut known = Known::default();
    let start = Instant::now();
    let asked = |known: &mut Known, after: Duration| {
        let list = vec![container("c", "s", EXITED)];
        known.handle_lists(Vec::new(), list, start + after)
    };
    assert_eq!(asked(&mut known, Duration::ZERO), [of_container("c")]);
    known.handle_container(exited("c", 137), None, start);
    assert_eq!(asked(&mut known, Duration::from_millis(1900)), []);
    let late = Duration::from_millis(2100);
    assert_eq!(asked(&mut known, late), [of_container("c")]);
    let oom = cri::ContainerStatus {
        reason: "OOMKilled".to_owned(),
        ..exited("c", 137)
    };
    known.handle_container(oom, None, start + late);
    assert_eq!(known.view().containers[0].reason, "OOMKilled");
    assert_eq!(asked(&mut known, Duration::from_secs(3600)), []);
}

#[test]
fn a_ready_sandbox_without_address_is_asked_for_until_it_has_one() {
    let mut known = Known::default();
    let now = Instant::now();
    for _ in 0..3 {
        let needs = known.handle_lists(vec![sandbox("s", true)], Vec::new(), now);
        assert_eq!(needs, [of_sandbox("s")]);
        known.handle_sandbox(sandbox_status("s", true, ""), now);
    }
    known.handle_lists(vec![sandbox("s", true)], Vec::new(), now);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), now);
    let needs = known.handle_lists(vec![sandbox("s", true)], Vec::new(), now);
    assert_eq!(needs, []);
}

#[test]
fn a_stopped_sandbox_is_asked_for_until_it_has_no_address() {
    let mut known = Known::default();
    let mut now = Instant::now();
    // It died first, which takes no address away, and is stopped in the end.
    for address in ["10.0.0.1", "10.0.0.1", ""] {
        let needs = known.handle_lists(vec![sandbox("s", false)], Vec::new(), now);
        assert_eq!(needs, [of_sandbox("s")]);
        known.handle_sandbox(sandbox_status("s", false, address), now);
        let needs = known.handle_lists(vec![sandbox("s", false)], Vec::new(), now);
        assert_eq!(needs, []);
        now += CONFIRMATION;
    }
    let needs = known.handle_lists(vec![sandbox("s", false)], Vec::new(), now);
    assert_eq!(needs, []);
}

#[test]
fn what_is_gone_between_list_and_status_is_not_in_the_view() {
    let mut known = Known::default();
    let now = Instant::now();
    let list = vec![container("c", "s", RUNNING), container("d", "s", RUNNING)];
    known.handle_lists(vec![sandbox("s", true)], list, now);
    known.handle_gone(&of_sandbox("s"));
    known.handle_gone(&of_container("c"));
    known.handle_container(container_status("d", RUNNING), None, now);
    let view = known.view();
    assert_eq!(view.sandboxes, []);
    let ids: Vec<&str> = view.containers.iter().map(|c| c.id.as_str()).collect();
    assert_eq!(ids, ["d"]);
    // A late answer brings nothing back.
    known.handle_container(container_status("c", RUNNING), None, now);
    assert_eq!(known.view(), view);
}

#[test]
fn a_refused_status_leaves_what_the_list_says_and_is_asked_for_ten_seconds_later() {
    let mut known = Known::default();
    let start = Instant::now();
    let list = |state| vec![container("c", "s", state)];
    known.handle_lists(vec![sandbox("s", true)], list(RUNNING), start);
    known.handle_refused(&of_sandbox("s"), "broken".to_owned(), start);
    known.handle_refused(&of_container("c"), "broken".to_owned(), start);
    let view = known.view();
    assert!(view.sandboxes[0].ready);
    assert_eq!(view.sandboxes[0].pod_uid, "uid-s");
    assert_eq!(view.containers[0].state, ContainerState::Running);
    assert_eq!(view.containers[0].image_ref, "listed");
    let told = ["container c: broken", "sandbox s: broken"].map(str::to_owned);
    assert_eq!(known.refused(), BTreeSet::from(told));

    let again = known.handle_lists(vec![sandbox("s", true)], list(RUNNING), start);
    assert_eq!(again, []);
    // How it ended is not known, so it is not said to have ended well.
    let again = known.handle_lists(vec![sandbox("s", true)], list(EXITED), start);
    assert_eq!(again, [of_container("c")]);
    known.handle_refused(&of_container("c"), "broken".to_owned(), start);
    assert_eq!(known.view().containers[0].state, ContainerState::Unknown);

    let later = start + RETRY;
    let again = known.handle_lists(vec![sandbox("s", true)], list(EXITED), later);
    assert_eq!(again, [of_sandbox("s"), of_container("c")]);
    known.handle_sandbox(sandbox_status("s", true, "10.0.0.1"), later);
    known.handle_container(exited("c", 3), None, later);
    assert_eq!(known.refused(), BTreeSet::new());
    assert_eq!(known.view().containers[0].exit_code, 3);
}

#[test]
fn the_view_is_the_same_whatever_the_order_of_the_lists() {
    let ids = ["a", "b", "c"];
    let views = [[0, 1, 2], [2, 0, 1]].map(|order| {
        let mut known = Known::default();
        let now = Instant::now();
        let sandboxes = order.map(|k| sandbox(ids[k], true)).to_vec();
        let containers = order.map(|k| container(ids[k], ids[k], RUNNING)).to_vec();
        known.handle_lists(sandboxes, containers, now);
        for k in order {
            known.handle_sandbox(sandbox_status(ids[k], true, "10.0.0.1"), now);
            known.handle_container(container_status(ids[k], RUNNING), None, now);
        }
        known.view()
    });
    assert_eq!(views[0], views[1]);
    assert_eq!(views[0].containers.len(), 3);
}
