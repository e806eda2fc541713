//! Watches that are read fast, slowly, or not at all.

use std::{num::NonZeroU32, sync::atomic::Ordering, time::Duration};

use podsapi_core::{Code, Config, SlowWatch, SourceEvent, Uid};
use podsapi_h2::Limits;

use crate::harness::{
    self, ADDED, DELETED, INITIAL_SYNC_COMPLETE, LIST, MODIFIED, Node, WATCH, framed, request,
    unlimited, until,
};

#[tokio::test]
async fn a_watch_tells_the_pods_then_the_marker_then_changes() {
    let node = Node::small();
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    for uid in ["a", "b", "c"] {
        let event = events.next().await.unwrap();
        assert_eq!(
            (event.r#type, &event.pod[..]),
            (ADDED, &harness::pod(uid, 10)[..])
        );
    }
    let marker = events.next().await.unwrap();
    assert_eq!(
        (marker.r#type, marker.pod.len()),
        (INITIAL_SYNC_COMPLETE, 0)
    );
    node.put("b", 20);
    node.put("d", 1);
    node.say(SourceEvent::Remove {
        uid: Uid::new("a"),
        at: 0,
    });
    for kind in [MODIFIED, ADDED, DELETED] {
        assert_eq!(events.next().await.unwrap().r#type, kind);
    }
}

#[tokio::test(start_paused = true)]
async fn the_headers_of_a_watch_do_not_wait_for_an_event() {
    let node = Node::with(&[], Limits::default(), unlimited());
    let client = node.client().await;
    // The documented dialect has no marker, so nothing at all is to be told.
    let opening = client.watch(request("/Pods/WatchPods"));
    tokio::time::timeout(Duration::from_millis(100), opening)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_cancelled_watch_is_forgotten() {
    let node = Node::small();
    let client = node.client().await;
    for _ in 0..300 {
        let mut events = client.watch(request(WATCH)).await;
        events.next().await.unwrap();
    }
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
    until(|| node.server.metrics_text().contains("podsapi_calls 0\n")).await;
    assert_eq!(client.call(LIST, b"").await.code(), Code::Ok);
}

#[tokio::test]
async fn a_lost_connection_ends_its_watches() {
    let node = Node::small();
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    events.first_list().await;
    client.driver.abort();
    client.server.await.unwrap();
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
}

#[tokio::test]
async fn queued_events_share_a_frame() {
    let node = Node::with(&[], Limits::default(), unlimited());
    let client = node.client().await;
    let mut events = client.watch(request(WATCH)).await;
    events.first_list().await;
    // All under one lock, so that the watch is woken once.
    node.server.with_pods(|pods| {
        let now = podsapi_core::Moment::ORIGIN;
        for number in 0..50 {
            let pod = harness::pod(&format!("u{number}"), 10).into();
            let pod = podsapi_core::EncodedPod::parse(pod).unwrap();
            pods.handle_source(node.source, SourceEvent::Put { pod, at: 0 }, now)
                .unwrap();
        }
    });
    let piece = events.stream.data().await.unwrap().unwrap();
    assert!(
        piece.len() > 50 * 40,
        "the first frame has {} bytes",
        piece.len()
    );
}

/// Opens a watch whose client lets only `window` bytes of the stream in and reads none.
async fn unread_watch(node: &Node, window: u32) -> (harness::Client, h2::client::ResponseFuture) {
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(window);
    let client = node.client_with(&builder).await;
    let response = client.start(request(WATCH), &framed(b"")).await;
    (client, response)
}

#[tokio::test]
async fn a_watch_that_does_not_read_ends_with_resource_exhausted() {
    let buffer = NonZeroU32::new(5).unwrap();
    let config = Config {
        watch_buffer: buffer,
        ..unlimited()
    };
    let node = Node::with(&[], Limits::default(), config);
    // Not even the first message goes out, so the trailers need no room.
    let (_client, response) = unread_watch(&node, 0).await;
    let mut body = response.await.unwrap().into_body();
    for number in 0..5_000 {
        node.put(&format!("u{number}"), 100);
    }
    let trailers = body.trailers();
    let trailers = tokio::time::timeout(Duration::from_secs(20), trailers)
        .await
        .unwrap();
    let status = harness::status(&trailers.unwrap().unwrap());
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.message().contains("watch again"), "{status}");
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_stuck_inside_an_event_is_reset_after_a_while() {
    let config = Config {
        slow_watch: SlowWatch::Coalesce,
        ..unlimited()
    };
    let node = Node::with(&[("a", 40_000)], Limits::default(), config);
    let (client, response) = unread_watch(&node, 100).await;
    let mut body = response.await.unwrap().into_body();
    assert_eq!(body.data().await.unwrap().unwrap().len(), 100);
    let error = body.data().await.unwrap().unwrap_err();
    // What gRPC clients read as RESOURCE_EXHAUSTED.
    assert_eq!(error.reason(), Some(h2::Reason::ENHANCE_YOUR_CALM));
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
    assert_eq!(client.call(LIST, b"").await.messages.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_bug_inside_an_event_is_a_reset_with_internal_error() {
    let node = Node::with(&[("a", 40_000)], Limits::default(), unlimited());
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(100);
    let client = node.client_with(&builder).await;
    // The connection has set its own timer with this.
    let answer = client.call("/v1alpha1.Pods/Nope", b"").await;
    assert_eq!(answer.code(), Code::Unimplemented);

    let response = client.start(request(WATCH), &framed(b"")).await;
    let mut body = response.await.unwrap().into_body();
    assert_eq!(body.data().await.unwrap().unwrap().len(), 100);
    // What its client reads late makes the watch set its timer anew when the old one has passed.
    tokio::time::sleep(Duration::from_secs(30)).await;
    body.flow_control().release_capacity(100).unwrap();
    assert_eq!(body.data().await.unwrap().unwrap().len(), 100);
    node.runtime.broken.store(true, Ordering::SeqCst);
    let error = body.data().await.unwrap().unwrap_err();
    assert_eq!(error.reason(), Some(h2::Reason::INTERNAL_ERROR));
    assert!(!node.runtime.broken.load(Ordering::SeqCst));
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 0).await;
    let answer = client.call("/v1alpha1.Pods/Nope", b"").await;
    assert_eq!(answer.code(), Code::Unimplemented);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_has_ended_is_not_kept_by_a_reader_that_takes_a_byte_now_and_then() {
    let config = Config {
        watch_buffer: NonZeroU32::MIN,
        ..unlimited()
    };
    let node = Node::with(&[], Limits::default(), config);
    let (_client, response) = unread_watch(&node, 100).await;
    let mut body = response.await.unwrap().into_body();
    body.data().await.unwrap().unwrap();
    node.put("a", 40_000);
    body.data().await.unwrap().unwrap();
    node.put("b", 1);
    node.put("c", 1);
    let mut taken = 0;
    let error = loop {
        tokio::time::sleep(Duration::from_secs(30)).await;
        body.flow_control().release_capacity(1).unwrap();
        match body.data().await.unwrap() {
            Ok(piece) => taken += piece.len(),
            Err(error) => break error,
        }
        assert!(taken < 10, "still open after {taken} times 30 s");
    };
    assert_eq!(error.reason(), Some(h2::Reason::ENHANCE_YOUR_CALM));
}

#[tokio::test]
async fn an_unread_watch_leaves_its_events_in_the_bounded_queue() {
    let buffer = NonZeroU32::new(100_000).unwrap();
    let config = Config {
        watch_buffer: buffer,
        ..unlimited()
    };
    let node = Node::with(&[], Limits::default(), config);
    let (_client, _response) = unread_watch(&node, 65_535).await;
    until(|| node.server.with_pods(|pods| pods.watch_count()) == 1).await;
    for number in 0..2_000 {
        node.put(&format!("u{number}"), 1_000);
        tokio::task::yield_now().await;
    }
    let queued = node.server.with_pods(|pods| pods.queued_events());
    // A window of 64 KiB and one gathered frame hold less than a hundred events of 1 KiB.
    assert!(
        queued > 1_900,
        "only {queued} events are still in the queue"
    );
}

#[tokio::test]
async fn a_slow_watch_disturbs_nobody_else() {
    let node = Node::with(&[("a", 300_000)], Limits::default(), unlimited());
    let mut builder = h2::client::Builder::new();
    builder.initial_connection_window_size(1 << 20);
    let mut client = node.client_with(&builder).await;
    let unread = client.watch(request(WATCH)).await;
    let mut other = node.client().await;
    for client in [&mut client, &mut other] {
        let answer = tokio::time::timeout(Duration::from_secs(60), client.call(LIST, b"")).await;
        assert_eq!(answer.unwrap().code(), Code::Ok);
    }
    drop(unread);
}

#[tokio::test]
async fn a_reply_larger_than_every_window_arrives_whole() {
    let pods: Vec<_> = (0..8)
        .map(|number| (format!("u{number}"), 1 << 20))
        .collect();
    let pods: Vec<_> = pods
        .iter()
        .map(|(uid, filler)| (uid.as_str(), *filler))
        .collect();
    let node = Node::with(&pods, Limits::default(), unlimited());
    let client = node.client().await;
    let second = node.client().await;
    let (one, two) = tokio::join!(client.call(LIST, b""), second.call(LIST, b""));
    for answer in [one, two] {
        assert_eq!(answer.code(), Code::Ok);
        assert!(answer.messages[0].len() > 8 << 20);
    }
}

#[tokio::test]
async fn two_large_replies_share_a_connection() {
    let node = Node::with(&[("a", 2 << 20)], Limits::default(), unlimited());
    let client = node.client().await;
    let first = client.start(request(LIST), &framed(b"")).await;
    let second = client.start(request(LIST), &framed(b"")).await;
    let (first, second) = tokio::join!(harness::Answer::read(first), harness::Answer::read(second));
    assert_eq!((first.code(), second.code()), (Code::Ok, Code::Ok));
}

#[tokio::test]
async fn the_status_arrives_with_a_window_of_zero() {
    let node = Node::small();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(0);
    let client = node.client_with(&builder).await;
    let answer = client.call("/v1alpha1.Pods/Nope", b"").await;
    assert_eq!(answer.code(), Code::Unimplemented);

    let mut watch = request(WATCH);
    watch
        .headers_mut()
        .insert("grpc-timeout", "2S".parse().unwrap());
    let response = client.start(watch, &framed(b"")).await.await.unwrap();
    let trailers = response.into_body().trailers().await.unwrap().unwrap();
    assert_eq!(harness::status(&trailers).code(), Code::DeadlineExceeded);
}

#[tokio::test]
async fn a_window_of_one_byte_is_enough() {
    let node = Node::small();
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(1);
    let client = node.client_with(&builder).await;
    let answer = client.call(LIST, b"").await;
    assert_eq!((answer.code(), answer.messages.len()), (Code::Ok, 1));
}

#[tokio::test]
async fn the_longest_deadline_is_no_deadline() {
    let node = Node::small();
    let client = node.client().await;
    let mut patient = request(WATCH);
    patient
        .headers_mut()
        .insert("grpc-timeout", "99999999H".parse().unwrap());
    let mut events = client.watch(patient).await;
    assert_eq!(events.first_list().await, 3);
    node.put("d", 1);
    assert_eq!(events.next().await.unwrap().r#type, ADDED);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_read_in_time_is_reset() {
    let limits = Limits {
        reply_timeout: Duration::from_secs(30),
        ..Limits::default()
    };
    let node = Node::with(&[("a", 1 << 20)], limits, unlimited());
    let client = node.client().await;
    let response = client.start(request(LIST), &framed(b"")).await;
    let mut body = response.await.unwrap().into_body();
    let mut unread = 0;
    let error = loop {
        match body.data().await {
            Some(Ok(piece)) => unread += piece.len(),
            Some(Err(error)) => break error,
            None => panic!("the answer ended after {unread} bytes"),
        }
    };
    assert_eq!(error.reason(), Some(h2::Reason::CANCEL));
}
