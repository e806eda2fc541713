//! What a machine does to a server: kills it, runs out of things, stops its clients, turns the clock.
//!
//! `PODSAPI_KILLS` says how often the server is killed (3; by hand 200).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use podsapi_client::{
    BackoffOptions, Change, Client, ClientError, ClientOptions, Code, Dialect, Fields, Follow,
    FollowEvent,
};

use crate::process::{PATIENCE, Running, Server, command, manifest, now, page, until};
use crate::soak::metric;

/// Returns a number from the environment, or this one.
pub(crate) fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// Starts a server in an environment that a line of shell makes; `$0` is the command.
fn start_in(line: &str, directory: &Path, arguments: &[&str]) -> Server {
    let socket = directory.join("pods.sock");
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        line,
        env!("CARGO_BIN_EXE_podsapi"),
        "serve",
        "--socket",
    ]);
    shell.arg(&socket).args(arguments).stdin(Stdio::null());
    shell.stdout(Stdio::piped()).stderr(Stdio::piped());
    let process = Running::start(&mut shell);
    Server { process, socket }
}

fn ready(server: &Server) {
    until("the server is ready", || {
        (server.ask(&["check"]).code == Some(0)).then_some(())
    });
}

/// Returns what clients run on, beside the server's own process.
pub(crate) fn async_runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Follows until the mirror holds just these UIDs, and counts how often it had all of a server; what
/// it is told of each pod is in order. Returns how many pods were deleted.
async fn follow(
    path: PathBuf,
    options: ClientOptions,
    mut wanted: tokio::sync::watch::Receiver<Option<BTreeSet<String>>>,
    synced: Arc<AtomicUsize>,
) -> usize {
    let backoff = BackoffOptions {
        initial: Duration::from_millis(20),
        max: Duration::from_millis(100),
        ..BackoffOptions::default()
    };
    let mut follow = Follow::new(path, options, backoff);
    let mut known = BTreeSet::new();
    let mut deleted = 0;
    loop {
        let done = wanted.borrow().as_ref() == Some(&known);
        if done && follow.mirror().is_synced() {
            return deleted;
        }
        let event = tokio::select! {
            event = follow.next() => event,
            changed = wanted.changed() => {
                changed.unwrap();
                continue;
            }
        };
        match event {
            FollowEvent::Change(Change::Added(pod)) => {
                assert!(known.insert(pod.uid().to_owned()), "{} twice", pod.uid());
            }
            FollowEvent::Change(Change::Deleted(pod)) => {
                deleted += 1;
                assert!(known.remove(pod.uid()), "{} was not there", pod.uid());
            }
            FollowEvent::Change(Change::Modified { new, .. }) => {
                assert!(known.contains(new.uid()), "{} was not there", new.uid());
            }
            FollowEvent::Change(Change::Synced) => {
                synced.fetch_add(1, Ordering::Relaxed);
            }
            FollowEvent::Connected | FollowEvent::Disconnected { .. } => {}
            FollowEvent::Unreadable(error) => panic!("{error}"),
        }
    }
}

/// Lists as often as it can, at least until that went well; says how often it did.
async fn hammer(path: PathBuf, stop: Arc<AtomicBool>) -> usize {
    let mut answers = 0;
    let goes_on = |answers: usize| answers == 0 || !stop.load(Ordering::Relaxed);
    while goes_on(answers) {
        let Ok(client) = Client::connect(&path, ClientOptions::default()).await else {
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        };
        while goes_on(answers) {
            match client.list().await {
                Ok(_) => answers += 1,
                Err(ClientError::Transport(_)) => break,
                Err(ClientError::Refused(status)) => {
                    // Killed again and again, it is often not ready yet.
                    let expected = [Code::FailedPrecondition, Code::Unavailable];
                    assert!(expected.contains(&status.code()), "{status:?}");
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    answers
}

#[test]
fn a_server_that_is_killed_again_and_again_loses_no_deletion() {
    let kills = number("PODSAPI_KILLS", 3);
    let seed = number("PODSAPI_SEED", 1);
    println!("killed {kills} times, PODSAPI_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let sockets = tempfile::tempdir().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let manifests = directory.path().to_str().unwrap();
    let arguments = ["--node-name", "n1", "--qps", "0", "--manifests", manifests];
    let mut pods: Vec<Option<String>> = vec![None; 30];
    let mut made = 0;
    let mut change = |pods: &mut Vec<Option<String>>, random: &mut fastrand::Rng| {
        let place = random.usize(..pods.len());
        let file = directory.path().join(format!("p{place}.yaml"));
        if pods[place].is_some() && random.bool() {
            std::fs::remove_file(file).unwrap();
            pods[place] = None;
        } else {
            made += 1;
            let uid = format!("uid-{made}");
            manifest(directory.path(), &format!("p{place}"), &uid);
            pods[place] = Some(uid);
        }
    };
    for _ in 0..40 {
        change(&mut pods, &mut random);
    }
    let mut server = Server::ready(sockets.path(), arguments);
    let (tell, wanted) = tokio::sync::watch::channel(None);
    let stop = Arc::new(AtomicBool::new(false));
    let runtime = async_runtime();
    let narrow = ClientOptions {
        fields: Fields::parse("spec.containers.name").unwrap(),
        ..ClientOptions::default()
    };
    let documented = ClientOptions {
        dialect: Dialect::Documented,
        ..ClientOptions::default()
    };
    let synced = [(); 3].map(|()| Arc::<AtomicUsize>::default());
    let syncs = || synced.each_ref().map(|count| count.load(Ordering::Relaxed));
    // Waits until each follower has all of a server once more.
    let all_sync = |before: [usize; 3]| {
        until("all follow the server", || {
            let mut both = before.iter().zip(syncs());
            both.all(|(before, now)| now > *before).then_some(())
        });
    };
    let followers: Vec<_> = [ClientOptions::default(), narrow, documented]
        .into_iter()
        .zip(synced.clone())
        .map(|(options, synced)| {
            runtime.spawn(follow(
                server.socket.clone(),
                options,
                wanted.clone(),
                synced,
            ))
        })
        .collect();
    all_sync([0; 3]);
    let hammers: Vec<_> = (0..2)
        .map(|_| runtime.spawn(hammer(server.socket.clone(), stop.clone())))
        .collect();
    for kill in 1..=kills {
        for _ in 0..random.usize(..20) {
            change(&mut pods, &mut random);
            std::thread::sleep(Duration::from_millis(random.u64(..10)));
        }
        // The socket's file stays behind; the next server takes its place.
        drop(server);
        for _ in 0..random.usize(..5) {
            change(&mut pods, &mut random);
        }
        let before = syncs();
        server = Server::start(sockets.path(), arguments);
        // Half of the servers live until everybody follows them, the last one among them.
        if (kills - kill).is_multiple_of(2) {
            all_sync(before);
        }
    }
    // What a new list does not mend: each is told of these, or does not converge.
    let there = pods.iter().filter(|pod| pod.is_some()).count();
    for (place, pod) in pods.iter_mut().enumerate().step_by(2) {
        if pod.take().is_some() {
            std::fs::remove_file(directory.path().join(format!("p{place}.yaml"))).unwrap();
        }
    }
    let removed = there - pods.iter().filter(|pod| pod.is_some()).count();
    for _ in 0..20 {
        change(&mut pods, &mut random);
    }
    let last: BTreeSet<_> = pods.into_iter().flatten().collect();
    let count = last.len();
    tell.send(Some(last)).unwrap();
    for follower in followers {
        let end = async { tokio::time::timeout(PATIENCE, follower).await };
        let ended = runtime.block_on(end).expect("the mirror converges");
        let deleted = ended.unwrap();
        println!("{count} pods left, {deleted} deletions, {removed} of them under the last server");
        assert!(deleted >= removed && removed > 0);
    }
    for syncs in syncs() {
        println!("{syncs} watches");
        assert!(syncs as u64 > kills / 2);
    }
    stop.store(true, Ordering::Relaxed);
    for hammer in hammers {
        let end = async { tokio::time::timeout(PATIENCE, hammer).await };
        let answers = runtime.block_on(end).expect("lists go on").unwrap();
        println!("{answers} lists");
    }
}

#[test]
fn a_server_without_descriptors_serves_those_who_are_there_and_later_all() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"ulimit -n 40; exec "$0" "$@""#;
    let server = start_in(line, folder.path(), &["--simulate", "5:0", "--qps", "0"]);
    ready(&server);
    let runtime = async_runtime();
    runtime.block_on(async {
        let connect = || Client::connect(&server.socket, ClientOptions::default());
        let first = connect().await.unwrap();
        // More than it has descriptors: they wait in the socket's queue.
        let others: Vec<_> = (0..60)
            .map(|_| std::os::unix::net::UnixStream::connect(&server.socket).unwrap())
            .collect();
        for _ in 0..20 {
            assert_eq!(first.list().await.unwrap().len(), 5);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        server.process.error_line("cannot accept connections");
        drop(others);
        // Those that it cannot take are closed, so that their clients try again.
        let later = async {
            loop {
                if let Ok(client) = connect().await
                    && let Ok(pods) = client.list().await
                {
                    break pods;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let later = tokio::time::timeout(PATIENCE, later);
        assert_eq!(later.await.expect("it accepts again").len(), 5);
    });
}

#[test]
fn a_full_disk_under_the_socket_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    std::fs::create_dir(&full).unwrap();
    // A file system of its own that has room for its root alone.
    let line = r#"exec unshare --mount sh -c 'mount -t tmpfs -o nr_inodes=1 none "$3" && exec "$0" serve --socket "$3/s" --simulate 1:0' "$0" "$1" "$2" "$(dirname "$3")/full""#;
    let allowed = Command::new("unshare").args(["--mount", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED: this user may not make a file system of its own");
        return;
    }
    let server = start_in(line, folder.path(), &[]);
    let ended = server.process.end();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = ["full/s", "No space left on device"];
    assert!(
        told.iter().all(|text| ended.stderr.contains(text)),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_full_disk_under_the_log_changes_nothing_that_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let manifests = folder.path().join("manifests");
    std::fs::create_dir(&manifests).unwrap();
    manifest(&manifests, "good", "uid-good");
    let line = r#"exec "$0" "$@" 2>/dev/full"#;
    let path = manifests.to_str().unwrap();
    let arguments = ["--log", "trace", "--node-name", "n1", "--manifests", path];
    let server = start_in(line, folder.path(), &arguments);
    ready(&server);
    std::fs::write(manifests.join("bad.yaml"), "kind: [").unwrap();
    manifest(&manifests, "later", "uid-later");
    until("the second pod is served", || {
        (server.ask(&["list", "-o", "name"]).text().lines().count() == 2).then_some(())
    });
    let (_, status) = server.process.terminate();
    assert!(status.success(), "{status:?}");
}

#[test]
fn a_stopped_client_loses_its_watch_alone() {
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("metrics.sock");
    let arguments = [
        "--simulate",
        "50:500",
        "--metrics",
        metrics.to_str().unwrap(),
    ];
    let server = Server::ready(folder.path(), arguments);
    let other = server.command(&["watch", "-o", "name"]);
    other.first_line();
    let mut watch = command(["watch", "-o", "json", "--socket"]);
    let watch = watch.arg(&server.socket).spawn().unwrap();
    let process = Pid::from_raw(watch.id().try_into().unwrap());
    let watch = Running::of(watch);
    watch.line("INITIAL_SYNC_COMPLETE");
    kill(process, Signal::SIGSTOP).unwrap();
    let watches = || metric(&page(&metrics), "podsapi_watches");
    assert_eq!(watches(), 2);
    until("the watch of the stopped client ends", || {
        (watches() < 2).then_some(())
    });
    // The other one goes on, and was never another one.
    other.pass_lines();
    other.line("pod/");
    assert_eq!(watches(), 1);
    kill(process, Signal::SIGCONT).unwrap();
    watch.error_line("watch again");
    watch.line("INITIAL_SYNC_COMPLETE");
    assert_eq!(watches(), 2);
    let ended = other.stop();
    assert_eq!(ended.stderr, "");
}

#[test]
fn a_wall_clock_that_jumps_changes_neither_limits_nor_watches() {
    let library = ["x86_64", "aarch64"]
        .map(|machine| format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1"))
        .into_iter()
        .find(|path| Path::new(path).exists());
    let Some(library) = library else {
        println!("SKIPPED: there is no libfaketime (Debian package faketime)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    std::fs::write(&clock, "+0").unwrap();
    let line = format!(
        r#"export LD_PRELOAD={library} FAKETIME_TIMESTAMP_FILE={} FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1; exec "$0" "$@""#,
        clock.display()
    );
    let arguments = ["--simulate", "20:20", "--qps", "50", "--burst", "5"];
    let server = start_in(&line, folder.path(), &arguments);
    ready(&server);
    let runtime = async_runtime();
    runtime.block_on(async {
        let connect = || Client::connect(&server.socket, ClientOptions::default());
        let client = connect().await.unwrap();
        let mut watch = connect().await.unwrap().watch().await.unwrap();
        for jump in ["+1y", "-2y", "+0", "-20d", "+9y"] {
            std::fs::write(&clock, jump).unwrap();
            for _ in 0..25 {
                let event = tokio::time::timeout(PATIENCE, watch.next()).await;
                event.expect("events go on").unwrap().unwrap();
            }
            // A second refills the bucket, whichever way the wall clock went.
            tokio::time::sleep(Duration::from_millis(200)).await;
            let mut answered = 0;
            let began = now();
            for _ in 0..200 {
                match client.list().await {
                    Ok(pods) => {
                        assert!(pods.len().abs_diff(20) < 5, "{}", pods.len());
                        answered += 1;
                    }
                    Err(error) => assert_eq!(error.code(), Code::ResourceExhausted, "{error}"),
                }
            }
            let most = 5 + 1 + began.elapsed().as_millis() / 20;
            assert!(
                answered >= 5 && answered <= most,
                "{answered} of {most} after {jump}"
            );
        }
    });
    // The last jump is to be seen: a library that was not loaded would change nothing.
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let today = Command::new("date").args(["-u", "+%Y"]).output().unwrap();
    let today: u32 = String::from_utf8(today.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    // Nine years of 365 days may fall short of a year's end.
    let years = [today + 8, today + 9].map(|year| year.to_string());
    let jumped = |line: &str| years.iter().any(|year| line.starts_with(year));
    assert!(ended.stderr.lines().any(jumped), "{}", ended.stderr);
}

#[test]
fn a_server_that_hangs_is_told_from_one_that_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::ready(folder.path(), ["--simulate", "1"]);
    let early = server.command(&["watch", "-o", "name"]);
    early.line("pod/");
    server.process.signal(Signal::SIGSTOP);
    let late = server.command(&["watch", "-o", "name"]);
    let asked = [&["list"][..], &["get", "a/b"], &["get", "u"], &["check"]];
    for asking in asked.map(|arguments| server.command(arguments)) {
        let ended = asking.end();
        assert_eq!(ended.code, Some(3), "{ended:?}");
        let wanted = "the server did not answer within 10 s: it hangs or is overloaded";
        assert!(ended.stderr.contains(wanted), "{ended:?}");
        assert!(!ended.stderr.contains("refused"), "{ended:?}");
    }
    for watch in [&early, &late] {
        watch.error_line("did not answer within 20 s: it hangs or is overloaded; reconnecting");
    }
    server.process.signal(Signal::SIGCONT);
    late.line("pod/");
    early.error_line("reconnected");
}
