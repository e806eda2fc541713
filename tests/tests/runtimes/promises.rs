//! One module of tests, run on tokio and on smol.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use podsapi_client::{Client, ClientOptions, Code, EventKind};
use podsapi_core::{SourceEvent, Uid};
use podsapi_h2::Limits;
use podsapi_tests::pods::SamplePod;
use podsapi_tokio::{BindError, Listener, SocketOptions};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout};

use crate::hosts::{Host, Running, Setup};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(30);

async fn pods_are_listed_and_changes_are_watched<H: Host>() {
    let running = Running::<H>::start(Setup::default());
    let client = running.client().await;
    assert_eq!(client.list().await.unwrap().len(), 1);
    let mut watch = client.watch().await.unwrap();
    let mut next = async || {
        let next = timeout(PATIENCE, watch.next()).await.unwrap();
        next.unwrap().unwrap().kind
    };
    assert_eq!(next().await, EventKind::Added);
    assert_eq!(next().await, EventKind::InitialSyncComplete);
    let pod = SamplePod::new("default", "pod-0", "uid-0")
        .version(2)
        .parse();
    running.say(SourceEvent::Put { pod, at: 1 });
    assert_eq!(next().await, EventKind::Modified);
    let uid = Uid::new("uid-0");
    running.say(SourceEvent::Remove { uid, at: 2 });
    assert_eq!(next().await, EventKind::Deleted);
    running.stop().await;
}

async fn a_stop_ends_watches_and_then_the_server<H: Host>() {
    let running = Running::<H>::start(Setup::default());
    let mut watch = running.client().await.watch().await.unwrap();
    for _ in 0..2 {
        watch.next().await.unwrap();
    }
    let path = running.path();
    running.stop().await;
    let ended = timeout(PATIENCE, watch.next()).await.unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
    assert!(!path.exists(), "the socket's file is still there");
    let refused = UnixStream::connect(&path).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::NotFound);
}

async fn clients_that_never_read_cannot_hold_up_the_end<H: Host>() {
    let drain = Duration::from_millis(500);
    let running = Running::<H>::start(Setup {
        drain,
        ..Setup::default()
    });
    let _silent = UnixStream::connect(running.path()).await.unwrap();
    let deaf = podsapi_tests::raw_client::RawClient::connect(&running.path()).await;
    // Another client is served after them, so both have been accepted.
    assert!(running.client().await.list().await.is_ok());
    let begin = Instant::now();
    running.stop().await;
    drop(deaf);
    assert!(
        begin.elapsed() < drain + PATIENCE / 2,
        "{:?}",
        begin.elapsed()
    );
}

async fn a_connection_without_a_preface_is_closed_in_time<H: Host>() {
    let running = Running::<H>::start(Setup {
        limits: Limits {
            preface_timeout: Duration::from_millis(100),
            ..Limits::default()
        },
        ..Setup::default()
    });
    // Before the connection, which may be accepted long before this goes on.
    let begin = Instant::now();
    let mut silent = UnixStream::connect(running.path()).await.unwrap();
    // What comes before the end are the settings of the server.
    let read = timeout(PATIENCE, silent.read_to_end(&mut Vec::new())).await;
    read.unwrap().unwrap();
    let waited = begin.elapsed();
    assert!(
        waited >= Duration::from_millis(90),
        "closed after {waited:?}"
    );
    running.stop().await;
}

async fn one_connection_too_many_is_closed<H: Host>() {
    let running = Running::<H>::start(Setup {
        max_connections: 1,
        ..Setup::default()
    });
    let first = running.client().await;
    assert!(first.list().await.is_ok());
    let mut over = UnixStream::connect(running.path()).await.unwrap();
    let read = timeout(PATIENCE, over.read(&mut [0])).await.unwrap();
    assert_eq!(read.unwrap(), 0);
    assert!(first.list().await.is_ok());
    running.stop().await;
}

async fn the_socket_is_the_servers_alone<H: Host>() {
    let running = Running::<H>::start(Setup::default());
    let metadata = std::fs::metadata(running.path()).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
    let second = Listener::bind(&SocketOptions::new(running.path()));
    assert!(matches!(second, Err(BindError::LiveServer { .. })));
    running.stop().await;
}

async fn a_socket_that_is_lost_is_there_again_and_clients_stay<H: Host>() {
    let running = Running::<H>::start(Setup::default());
    let before = running.client().await;
    let path = running.path();
    let folder = path.parent().unwrap();
    let away = folder.with_extension("away");
    let lose: [&dyn Fn(); 2] = [&|| std::fs::remove_file(&path).unwrap(), &|| {
        std::fs::rename(folder, &away).unwrap();
        std::fs::create_dir(folder).unwrap();
    }];
    for lose in lose {
        lose();
        let again = async {
            while !path.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        timeout(PATIENCE, again).await.unwrap();
        assert_eq!(running.client().await.list().await.unwrap().len(), 1);
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }
    assert_eq!(before.list().await.unwrap().len(), 1);
    std::fs::remove_dir(&away).expect("the former file is gone");
    running.stop().await;
    assert!(!path.exists(), "the socket's file is still there");
}

async fn many_clients_are_served_at_once<H: Host>() {
    let running = Running::<H>::start(Setup::default());
    let clients = (0..32).map(|_| {
        let connecting = Client::connect(running.path(), ClientOptions::default());
        tokio::spawn(async {
            let client = connecting.await.unwrap();
            for _ in 0..10 {
                client.list().await.unwrap();
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        timeout(PATIENCE, client).await.unwrap().unwrap();
    }
    running.stop().await;
}

/// Runs each test on one runtime; the clients are tokio's in any case.
macro_rules! on {
    ($module:ident, $host:ty: $($test:ident)+) => {
        mod $module {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test::<$host>().await;
                }
            )+
        }
    };
}

macro_rules! on_both {
    ($($test:ident)+) => {
        on!(on_smol, crate::hosts::Smol: $($test)+);
        on!(on_tokio, crate::hosts::Tokio: $($test)+);
    };
}

on_both! {
    a_connection_without_a_preface_is_closed_in_time
    a_socket_that_is_lost_is_there_again_and_clients_stay
    a_stop_ends_watches_and_then_the_server
    clients_that_never_read_cannot_hold_up_the_end
    many_clients_are_served_at_once
    one_connection_too_many_is_closed
    pods_are_listed_and_changes_are_watched
    the_socket_is_the_servers_alone
}
