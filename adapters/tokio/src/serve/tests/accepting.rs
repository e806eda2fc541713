//! The thread that accepts, and the runtime that serves what it accepted.

use super::*;

/// Returns a listener in whose queue are clients that said this and left.
fn bind_and_leave(path: &Path, clients: usize, said: &[u8]) -> Listener {
    let listener = bind(path);
    for _ in 0..clients {
        StdStream::connect(path).unwrap().write_all(said).unwrap();
    }
    listener
}

#[tokio::test]
async fn clients_that_left_are_counted_and_cost_the_serving_thread_nothing() {
    let (_directory, path) = socket();
    let server = ready_server();
    let listener = bind_and_leave(&path, 50, b"");
    let serving = Serving::run(server.clone(), vec![listener], ServeOptions::default());
    // Once it has begun, this thread, which serves, does nothing but wait.
    tokio::task::yield_now().await;
    let counted = |count: usize| {
        let page = server.metrics_text();
        page.contains(&format!("\npodsapi_connections_total {count}\n"))
    };
    let begin = Instant::now();
    while !counted(50) && begin.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(counted(50), "{}", server.metrics_text());
    client(&path).await.list().await.unwrap();
    assert!(counted(51), "{}", server.metrics_text());
    serving.stop().await;
}

#[tokio::test]
async fn clients_that_leave_while_nobody_serves_take_no_slots_from_others() {
    let (_directory, path) = socket();
    let server = ready_server();
    let listener = bind_and_leave(&path, 100, HELLO);
    let options = ServeOptions {
        max_connections: 40,
        ..ServeOptions::default()
    };
    let serving = Serving::run(server.clone(), vec![listener], options);
    tokio::task::yield_now().await;
    // Time enough to accept all of them, while this thread serves nobody.
    std::thread::sleep(Duration::from_millis(300));
    client(&path).await.list().await.unwrap();
    let page = server.metrics_text();
    assert!(
        page.contains("\npodsapi_connections_refused_total 0\n"),
        "{page}"
    );
    assert!(page.contains("\npodsapi_connections_total 101\n"), "{page}");
    serving.stop().await;
}

#[tokio::test]
async fn an_end_at_the_very_start_leaves_nothing_behind() {
    let (_directory, path) = socket();
    for _ in 0..20 {
        let serving = serve(
            ready_server(),
            vec![bind(&path)],
            ServeOptions::default(),
            std::future::pending::<()>(),
        );
        let mut serving = Box::pin(serving);
        assert!(poll_fn(|cx| Poll::Ready(serving.as_mut().poll(cx).is_pending())).await);
        drop(serving);
        assert!(!path.exists());
    }
}

#[test]
fn serving_that_cannot_go_on_ends_with_an_error() {
    let (_directory, path) = socket();
    // Without I/O every connection is one that the acceptor cannot hand over.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let error = runtime.block_on(async {
        let listener = bind(&path);
        let _waits = StdStream::connect(&path).unwrap();
        let serving = serve(
            ready_server(),
            vec![listener],
            ServeOptions::default(),
            std::future::pending::<()>(),
        );
        timeout(PATIENCE, serving).await.unwrap().unwrap_err()
    });
    assert!(matches!(error, ServeError::Accept { .. }), "{error}");
    assert!(!path.exists());
}
