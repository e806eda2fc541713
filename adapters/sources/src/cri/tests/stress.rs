//! Statuses that fail, hang or come late while containers come and go.

use super::*;

fn exited(id: &str) -> Answer {
    let status = Some(cri::ContainerStatus {
        finished_at: 7,
        reason: "Completed".to_owned(),
        ..container_status(id, EXITED)
    });
    message(&cri::ContainerStatusResponse { status })
}

/// Lists a container in this state and answers for its status with `answer`.
fn is(fake: &Fake, state: cri::ContainerState, answer: Answer) {
    // The status is set first, so that no round sees the list beside the status from before.
    fake.answer("ContainerStatus c", answer);
    let list = cri::ListContainersResponse {
        containers: vec![container("c", "s", state)],
    };
    fake.answer("ListContainers", message(&list));
}

#[tokio::test]
async fn an_end_whose_status_fails_or_hangs_is_shown_when_it_is_told_and_not_before() {
    for answer in [Answer::Refuse(2), Answer::Refuse(5), Answer::Never] {
        let node = Node::giving(&answer);
        let fake = node.start(false);
        fake.has(&["s"], &[("c", RUNNING)]);
        let mut ear = node.listen(OFTEN);
        assert_eq!(
            ear.view().await.containers[0].state,
            ContainerState::Running
        );
        is(&fake, EXITED, answer);
        // However often it is asked: until it is told, what was told before stays.
        let asked = fake.count("ContainerStatus");
        while fake.count("ContainerStatus") < asked + 2 {
            let word = ear.next().await;
            assert!(!matches!(word, Word::View(_) | Word::Lost), "{word:?}");
        }
        fake.answer("ContainerStatus c", exited("c"));
        let view = ear.view().await;
        let end = &view.containers[0];
        assert_eq!((end.state, end.exit_code), (ContainerState::Exited, 0));
        assert_eq!(end.reason, "Completed");
    }
}

#[tokio::test]
async fn a_status_that_did_not_come_is_asked_for_long_before_the_period_ends() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING)]);
    fake.answer("ContainerStatus c", Answer::Refuse(2));
    let mut ear = node.listen(SELDOM);
    assert!(ear.problem().await.is_some());
    let pod = BTreeSet::from(["uid-s".to_owned()]);
    assert_eq!(ear.next().await, Word::Untold(pod));
    assert_eq!(ear.view().await.containers, []);
    is(&fake, EXITED, exited("c"));
    assert_eq!(ear.problem().await, None);
    assert_eq!(ear.view().await.containers[0].state, ContainerState::Exited);
    assert_eq!(ear.next().await, Word::Untold(BTreeSet::new()));
}

#[tokio::test]
async fn an_event_shows_an_end_without_a_list() {
    let node = Node::new();
    let fake = node.start(true);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(SELDOM);
    ear.view().await;
    while fake.count("GetContainerEvents") == 0 {
        tokio::time::sleep(OFTEN).await;
    }
    // The first one is also the subscription, after which there is a list.
    fake.tell("c");
    assert_eq!(ear.next().await, Word::Unchanged);
    let lists = fake.count("ListContainers");
    is(&fake, EXITED, exited("c"));
    fake.tell("c");
    assert_eq!(ear.view().await.containers[0].state, ContainerState::Exited);
    assert_eq!(fake.count("ListContainers"), lists);
}

#[tokio::test]
async fn a_storm_of_events_leads_to_one_list_a_second() {
    let node = Node::new();
    let fake = node.start(true);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(SELDOM);
    ear.view().await;
    while fake.count("GetContainerEvents") == 0 {
        tokio::time::sleep(OFTEN).await;
    }
    let (lists, began) = (fake.count("ListContainers"), Instant::now());
    while fake.count("ListContainers") < lists + 5 {
        fake.tell("unknown");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // Four seconds but for the time that the first of the five was on its way.
    assert!(began.elapsed() > Duration::from_secs(2), "{began:?}");
}

#[tokio::test]
async fn events_are_left_to_others_where_each_goes_to_one_reader_alone() {
    for (events, version, count) in [
        (Events::Auto, "v1.7.24", 0),
        (Events::Auto, "v2.1.4", 1),
        (Events::On, "v1.7.24", 1),
        (Events::Off, "v2.1.4", 0),
    ] {
        let node = Node::new();
        let fake = node.start(true);
        let version = cri::VersionResponse {
            runtime_name: "containerd".to_owned(),
            runtime_version: version.to_owned(),
            ..cri::VersionResponse::default()
        };
        fake.answer("Version", message(&version));
        fake.has(&["s"], &[("c", RUNNING)]);
        let mut ear = node.listen_with(OFTEN, events);
        ear.view().await;
        while fake.count("ListContainers") < 5 {
            ear.next().await;
        }
        assert_eq!(fake.count("GetContainerEvents"), count, "{events:?}");
    }
}

#[tokio::test]
async fn an_error_of_64_kilobytes_is_a_problem_of_that_container_alone() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("bad", EXITED), ("c", RUNNING)]);
    fake.answer("ContainerStatus bad", Answer::Explain(64 << 10));
    let mut ear = node.listen(OFTEN);
    let problem = ear.problem().await.unwrap();
    assert!(problem.starts_with("container bad: Unknown"), "{problem}");
    assert!(problem.len() < 2 << 10, "{}", problem.len());
    assert_eq!(ear.view().await.containers[0].id, "c");
}
