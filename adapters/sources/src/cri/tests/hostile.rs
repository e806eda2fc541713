//! Peers that are no runtime, and runtimes that answer garbage, slowly or never.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};

use super::*;

/// Takes connections, and does this to each; it stops when the socket's file is taken over.
fn peer(socket: &std::path::Path, serve: impl Fn(UnixStream) + Send + 'static) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(serve));
}

/// The source tells trouble with both texts, and is well again once a runtime is there.
async fn recovers(node: &Node, what: &str, advice: &str) {
    let mut ear = node.listen(OFTEN);
    let socket = node.socket().display().to_string();
    loop {
        let problem = ear.problem().await.unwrap();
        assert!(problem.contains(&socket), "{problem}");
        assert!(problem.contains("it is tried again"), "{problem}");
        if problem.contains(what) && problem.contains(advice) {
            break;
        }
    }
    assert_eq!(ear.next().await, Word::Lost);
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING)]);
    assert_eq!(ear.view().await.containers.len(), 1);
}

const NO_RUNTIME: &str = "is it a container runtime that listens there?";

#[tokio::test]
async fn a_peer_that_says_nothing_hangs() {
    let node = Node::hanging();
    let (hold, held) = std::sync::mpsc::channel();
    peer(&node.socket(), move |stream| {
        hold.send(stream).unwrap_or(())
    });
    recovers(&node, "no answer within", "the runtime hangs").await;
    drop(held);
}

#[tokio::test]
async fn a_peer_that_hangs_up_is_no_runtime() {
    let node = Node::new();
    peer(&node.socket(), drop);
    recovers(&node, "", NO_RUNTIME).await;
}

#[tokio::test]
async fn a_peer_that_speaks_another_protocol_is_no_runtime() {
    let page = b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n".to_vec();
    for words in [page, vec![0xa5; 4096]] {
        let node = Node::new();
        peer(&node.socket(), move |mut stream| {
            let _asked = stream.read(&mut [0; 64]);
            let _gone = stream.write_all(&words);
        });
        recovers(&node, "", NO_RUNTIME).await;
    }
}

#[tokio::test]
async fn a_server_without_cri_v1_is_told_as_such() {
    let node = Node::new();
    let fake = node.start(false);
    fake.answer("Version", Answer::Refuse(12));
    let mut ear = node.listen(OFTEN);
    let problem = ear.problem().await.unwrap();
    assert!(
        problem.contains("fails Version: Unimplemented"),
        "{problem}"
    );
    assert!(problem.contains("disabled_plugins"), "{problem}");
}

/// What breaks the rules of gRPC, with a part of what is told of it.
fn broken() -> [(Answer, &'static str); 6] {
    let large = 17_u32 << 20;
    [
        (Answer::Raw(Vec::new()), "message"),
        (Answer::Raw(vec![0, 0, 0, 0, 9, 1]), "message"),
        (Answer::Raw(vec![1, 0, 0, 0, 0]), "compress"),
        (
            Answer::Raw([&[0][..], &large.to_be_bytes()].concat()),
            "17825792",
        ),
        (Answer::Cut(vec![0, 0, 0, 0, 0]), "status"),
        (Answer::Trickle(vec![0; 1 << 10]), "no answer within"),
    ]
}

#[tokio::test]
async fn a_list_that_breaks_the_rules_is_a_loss_until_the_runtime_keeps_them() {
    for (answer, words) in broken() {
        let node = Node::giving(&answer);
        let fake = node.start(false);
        fake.has(&["s"], &[("c", RUNNING)]);
        fake.answer("ListPodSandbox", answer);
        let mut ear = node.listen(OFTEN);
        let problem = ear.problem().await.unwrap();
        assert!(problem.contains("fails ListPodSandbox: "), "{problem}");
        assert!(problem.contains(words), "{words}: {problem}");
        assert_eq!(ear.next().await, Word::Lost);
        fake.has(&["s"], &[("c", RUNNING)]);
        assert_eq!(ear.view().await.containers.len(), 1);
    }
}

#[tokio::test]
async fn a_status_that_breaks_the_rules_is_a_problem_of_that_container_alone() {
    for (answer, words) in broken() {
        let node = Node::giving(&answer);
        let fake = node.start(false);
        fake.has(&["s"], &[("bad", RUNNING), ("c", RUNNING)]);
        fake.answer("ContainerStatus bad", answer);
        let mut ear = node.listen(OFTEN);
        let problem = ear.problem().await.unwrap();
        assert!(problem.starts_with("container bad: "), "{problem}");
        assert!(problem.contains(words), "{words}: {problem}");
        assert!(problem.ends_with("it is asked again)"), "{problem}");
        assert_eq!(ear.view().await.containers[0].image_ref, "resolved");
    }
}

/// Puts a byte that is in no UTF-8 text in place of each `?`.
fn not_utf8(told: &impl Message) -> Answer {
    let bytes = told.encode_to_vec().into_iter();
    Answer::Bytes(
        bytes
            .map(|byte| if byte == b'?' { 0xff } else { byte })
            .collect(),
    )
}

#[tokio::test]
async fn words_and_labels_that_are_not_utf_8_hide_nothing_that_a_runtime_tells() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("bad", EXITED), ("c", RUNNING)]);
    let labels = std::collections::BTreeMap::from([("k".to_owned(), "v?".to_owned())]);
    let listed = ["bad", "c"].map(|id| cri::Container {
        labels: labels.clone(),
        ..container(id, "s", if id == "bad" { EXITED } else { RUNNING })
    });
    let containers = listed.to_vec();
    let list = cri::ListContainersResponse { containers };
    fake.answer("ListContainers", not_utf8(&list));
    let items = vec![cri::PodSandbox {
        labels,
        ..sandbox("s", true)
    }];
    let list = cri::ListPodSandboxResponse { items };
    fake.answer("ListPodSandbox", not_utf8(&list));
    let status = Some(cri::ContainerStatus {
        message: "cut ??".to_owned(),
        exit_code: 3,
        ..container_status("bad", EXITED)
    });
    let status = cri::ContainerStatusResponse { status };
    fake.answer("ContainerStatus bad", not_utf8(&status));
    let mut ear = node.listen(OFTEN);
    assert!(matches!(ear.next().await, Word::Runtime { .. }));
    let Word::View(view) = ear.next().await else {
        panic!("expected a view and no problem");
    };
    let [bad, good] = view.containers.as_slice() else {
        panic!("{view:?}")
    };
    assert_eq!(bad.message, "cut \u{fffd}\u{fffd}");
    assert_eq!((bad.exit_code, bad.state), (3, ContainerState::Exited));
    assert_eq!(good.image_ref, "resolved");
    assert_eq!(view.sandboxes.len(), 1);
}

#[tokio::test]
async fn a_slow_runtime_is_waited_for() {
    let node = Node::new();
    let fake = node.start(false);
    fake.has(&["s"], &[("c", RUNNING)]);
    let answers = fake.script.lock().unwrap().answers.clone();
    for (call, answer) in answers {
        if let Answer::Bytes(bytes) = answer {
            fake.answer(&call, Answer::After(Duration::from_millis(60), bytes));
        }
    }
    let mut ear = node.listen(OFTEN);
    assert!(matches!(ear.next().await, Word::Runtime { .. }));
    let Word::View(view) = ear.next().await else {
        panic!("expected a view and no problem");
    };
    assert_eq!(view.containers[0].image_ref, "resolved");
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_a_hint_as_any_other() {
    let node = Node::new();
    let fake = node.start(true);
    fake.has(&["s"], &[("c", RUNNING)]);
    let mut ear = node.listen(SELDOM);
    ear.view().await;
    while fake.count("GetContainerEvents") == 0 {
        tokio::time::sleep(OFTEN).await;
    }
    let rounds = fake.count("ListPodSandbox");
    // The fake's events are garbage: many at once are few rounds, and none is a problem.
    for _ in 0..10 {
        fake.events.as_ref().unwrap().send(vec![0xff; 9]).unwrap();
    }
    assert_eq!(ear.next().await, Word::Unchanged);
    let rounds = fake.count("ListPodSandbox") - rounds;
    assert!((1..10).contains(&rounds), "{rounds}");
}
