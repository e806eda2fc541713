//! Every number of SECURITY.md that a program can check.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use podsapi_core::{Config, DEFAULT_FAIR_PEERS};
use podsapi_folder::Folder;
use podsapi_h2::{Limits, MAX_HEADER_BYTES};

const SECURITY: &str = include_str!("../../../SECURITY.md");

/// Returns the second cell of the row of a table whose first cell is this.
fn limit(what: &str) -> &'static str {
    let row = SECURITY
        .lines()
        .find_map(|line| line.strip_prefix(&format!("| {what} | ")))
        .unwrap_or_else(|| panic!("SECURITY.md has no row {what:?}"));
    row.split(" |").next().unwrap_or_default()
}

/// Returns a number with commas between thousands.
fn grouped(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(groups.join(&b',')).expect("digits and commas are text")
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}

#[test]
fn limits_are_as_told() {
    let (limits, config) = (Limits::default(), Config::default());
    let told = [
        (
            "streams a connection",
            limits.max_streams_per_connection.to_string(),
        ),
        (
            "calls in progress",
            format!(
                "{}, and {} of each connection in any case",
                grouped(limits.max_calls as u64),
                limits.calls_kept_per_connection
            ),
        ),
        (
            "watches and reflection streams a connection",
            limits.max_held_streams_per_connection.to_string(),
        ),
        ("watches", grouped(config.max_watches.get())),
        (
            "unread events a watch",
            format!("{} (`--watch-buffer`)", config.watch_buffer),
        ),
        (
            "masks that are watched",
            format!(
                "{}, and {} of one user",
                grouped(config.max_watched_masks.get()),
                config.max_watched_masks_per_peer
            ),
        ),
        (
            "changes that are kept for watches",
            format!(
                "{}, and {} MiB of pods as they were before them",
                grouped(config.log_entries.get()),
                config.log_bytes >> 20
            ),
        ),
        (
            "ListPods and GetPod",
            format!(
                "{} a second, {} at once (`--qps`, `--burst`)",
                config.qps, config.burst
            ),
        ),
        (
            "a request message",
            format!(
                "{} KiB, as it is sent and as it is inflated",
                limits.max_request_bytes >> 10
            ),
        ),
        (
            "request bytes of all calls",
            format!(
                "{} MiB, and {} KiB of each call in any case",
                limits.max_request_bytes_in_flight >> 20,
                limits.request_bytes_kept_per_call >> 10
            ),
        ),
        (
            "replies that wait to be read",
            format!(
                "{} MiB a connection, {} GiB in all, and one reply of each connection in any case",
                limits.max_reply_bytes_per_connection >> 20,
                limits.max_reply_bytes >> 30
            ),
        ),
        (
            "request headers",
            format!("{} KiB", limits.max_header_list_bytes >> 10),
        ),
        (
            "request headers of a client that goes on",
            format!("{} KiB, in the list or on the wire", MAX_HEADER_BYTES >> 10),
        ),
        (
            "a mask",
            format!("{} KiB as text", podsapi_core::MAX_MASK_BYTES >> 10),
        ),
        (
            "questions a reflection stream",
            format!(
                "{}, and {} minutes between them",
                grouped(limits.max_reflection_requests as u64),
                limits.reflection_idle_timeout.as_secs() / 60
            ),
        ),
        (
            "time for a preface, a frame, a header block",
            seconds(limits.preface_timeout),
        ),
        (
            "time for a preface, a frame, a header block",
            seconds(limits.request_timeout),
        ),
        ("time for a request", seconds(limits.request_timeout)),
        ("a reply that is not read", seconds(limits.reply_timeout)),
        (
            "a watch that is not read",
            seconds(limits.stuck_stream_timeout),
        ),
        (
            "a socket that is not read",
            seconds(limits.write_stall_timeout),
        ),
        (
            "silence",
            format!(
                "{} minutes, then PING and {}",
                limits.keepalive_interval.as_secs() / 60,
                seconds(limits.keepalive_timeout)
            ),
        ),
        (
            "no call",
            format!("{} minutes", limits.idle_timeout.as_secs() / 60),
        ),
        (
            "frames that say nothing, streams that must be reset",
            format!(
                "as the library bounds them; {} resets of a connection",
                grouped(limits.max_stream_errors as u64)
            ),
        ),
    ];
    for (what, number) in told {
        assert_eq!(limit(what), number, "{what}");
    }
    let pods = format!(
        "a pod {} MiB, a source {} pods",
        config.max_pod_bytes.get() >> 20,
        grouped(config.max_pods_per_source.get())
    );
    assert!(SECURITY.contains(&pods), "{pods}");
    let fair = format!("a rate for each of {DEFAULT_FAIR_PEERS} users");
    assert!(limit("with `--fair`").starts_with(&fair), "{fair}");
}

#[test]
fn what_every_connection_has_of_its_own_is_told_with_what_it_adds() {
    let limits = Limits::default();
    let connections = limit("connections").split(' ').next().unwrap_or_default();
    let told = [
        format!(
            "{} calls, {} KiB of each request, one reply",
            limits.calls_kept_per_connection,
            limits.request_bytes_kept_per_call >> 10
        ),
        format!(
            "{} + {} x {connections} calls",
            grouped(limits.max_calls as u64),
            limits.calls_kept_per_connection
        ),
    ];
    // Lines end where there is no room.
    let text = SECURITY.replace('\n', " ");
    for words in told {
        assert!(text.contains(&words), "{words}");
    }
}

#[tokio::test]
async fn every_counter_that_is_told_is_there() {
    let runtime = podsapi_tokio::TokioRuntime::new();
    let pods = podsapi_core::Pods::new(Config::default(), podsapi_core::Moment::ORIGIN);
    let server = podsapi_h2::Server::new(pods, Limits::default(), runtime);
    let metrics = server.metrics_text();
    let mut name = "";
    let mut told = 0;
    for text in SECURITY.split('`') {
        let (metric, label) = text.split_at(text.find('{').unwrap_or(text.len()));
        if metric.ends_with("_total") {
            name = metric;
        } else if !metric.is_empty() || !label.starts_with("{reason=") {
            continue;
        }
        // A label alone is one more of the metric before it.
        told += 1;
        let found = if label.is_empty() {
            format!("# TYPE {name} counter")
        } else {
            format!("\n{name}{label} 0\n")
        };
        assert!(metrics.contains(&found), "{found}\n{metrics}");
    }
    assert!(told > 20, "{told}");
}

#[test]
fn flags_exist_and_connections_are_as_told() {
    let help = Command::new(env!("CARGO_BIN_EXE_podsapi"))
        .args(["serve", "--help"])
        .output()
        .expect("the command runs");
    let help = String::from_utf8(help.stdout).expect("it prints text");
    for flag in SECURITY.split('`').filter(|text| text.starts_with("--")) {
        let name = flag.split(' ').next().unwrap_or_default();
        assert!(help.contains(name), "{flag}");
    }
    let (_, of_flag) = help
        .split_once("--max-connections")
        .expect("the flag exists");
    let connections = limit("connections").split(' ').next().unwrap_or_default();
    assert!(
        of_flag.contains(&format!("[default: {connections}]")),
        "{connections}"
    );
}

/// The files that work with paths, each with the beginning of the rows that tell what it does.
const PATHS: &[(&str, &[&str])] = &[
    ("adapters/cli/src/config.rs", &["`--config`, a kubeconfig"]),
    ("adapters/cli/src/demo.rs", &["the folder of `demo`"]),
    // Both only compare paths.
    ("adapters/cli/src/kubelet.rs", &[]),
    ("adapters/cli/src/serve.rs", &[]),
    (
        "adapters/cli/src/this_node.rs",
        &["`/etc/hosts`, `/proc/self/ns/uts`"],
    ),
    (
        "adapters/cli/src/mask/sample.rs",
        &["the file of `mask --pod`"],
    ),
    (
        "adapters/client/src/channel.rs",
        &["sockets that are dialled"],
    ),
    // It looks what kind of thing could not be dialled.
    (
        "adapters/client/src/error.rs",
        &["sockets that are dialled"],
    ),
    // It looks which file is at a socket's path.
    (
        "adapters/sources/src/kubelet/place.rs",
        &["sockets that are dialled"],
    ),
    // It looks whether a kubeconfig has changed.
    (
        "adapters/sources/src/apiserver/lookout.rs",
        &["`--config`, a kubeconfig"],
    ),
    // It only spells the folder as an absolute path.
    (
        "adapters/sources/src/manifests/spelled.rs",
        &["`--manifests`"],
    ),
    // It only asks when a file was changed.
    (
        "adapters/sources/src/manifests/catalog.rs",
        &["`--manifests`"],
    ),
    (
        "adapters/folder/src/folder.rs",
        &[
            "the folder of a socket",
            "such a folder that is missing",
            "such a folder that is there",
        ],
    ),
    (
        "adapters/folder/src/lock.rs",
        &["the lock on such a folder"],
    ),
    ("adapters/folder/src/private.rs", &["a new socket"]),
    ("adapters/folder/src/trust.rs", &["the folder of a socket"]),
    // A descriptor of /dev/null is kept back.
    ("adapters/socket/src/accept.rs", &[]),
    (
        "adapters/socket/src/place.rs",
        &["what has the socket's name", "the socket's file while"],
    ),
    (
        "adapters/socket/src/socket_file.rs",
        &["a new socket", "the socket's file at the end"],
    ),
    (
        "adapters/socket/src/listener.rs",
        &["a listener that was handed over"],
    ),
    (
        "adapters/sources/src/apiserver/access.rs",
        &["`--config`, a kubeconfig"],
    ),
    (
        "adapters/sources/src/apiserver/kept_file.rs",
        &["`--checkpoint`"],
    ),
    (
        "adapters/sources/src/folders.rs",
        &["`--manifests`", "`--snapshot`"],
    ),
    ("adapters/sources/src/manifests/scan.rs", &["`--manifests`"]),
    (
        "adapters/sources/src/regular.rs",
        &[
            "`--manifests`",
            "`--snapshot`",
            "termination messages and logs of containers",
        ],
    ),
    ("adapters/sources/src/snapshot.rs", &["`--snapshot`"]),
    ("adapters/tokio/src/systemd.rs", &["`NOTIFY_SOCKET`"]),
];

/// What a file that works with paths has in it.
const WORK_WITH_PATHS: [&str; 22] = [
    "File::open",
    "Inotify::init",
    "Kubeconfig::read",
    "ListenFd::from_env",
    "OpenOptions",
    "UnixDatagram::",
    "UnixListener::bind",
    "UnixStream::connect",
    "canonicalize",
    "fchmodat(",
    "fchownat(",
    "fs::",
    "fstatat(",
    "lstat(",
    "mkdirat(",
    "openat(",
    "readlinkat(",
    "renameat(",
    "sd_notify::",
    "socket::bind",
    "socket::connect",
    "tempfile::",
];

/// Files that only tests have, beside those that are called so.
const TESTS: [&str; 2] = [
    "adapters/socket/src/listener/hostile.rs",
    "adapters/sources/src/cri/fake.rs",
];

#[test]
fn every_file_that_works_with_paths_is_in_the_table() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut found = BTreeSet::new();
    let mut folders = vec![root.join("adapters"), root.join("core"), root.join("proto")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the tree can be read") {
            let path = entry.expect("the tree can be read").path();
            let name = path.strip_prefix(root).expect("it is in there");
            let name = name.to_str().expect("names are text").to_owned();
            if path.is_dir() {
                let is_source = !["/tests", "/examples", "/target"]
                    .iter()
                    .any(|end| name.ends_with(end));
                folders.extend(is_source.then_some(path));
                continue;
            }
            let is_source = name.contains("/src/") && name.ends_with(".rs");
            let is_test = name.ends_with("/tests.rs") || name.ends_with("_tests.rs");
            if !is_source || is_test || TESTS.contains(&name.as_str()) {
                continue;
            }
            let text = fs::read_to_string(&path).expect("the tree can be read");
            let (code, _tests) = text
                .split_once("#[cfg(test)]\nmod tests {")
                .unwrap_or((&text, ""));
            if WORK_WITH_PATHS.iter().any(|call| code.contains(call)) {
                found.insert(name);
            }
        }
    }
    let told: BTreeSet<_> = PATHS.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(
        found, told,
        "a file on the left is not told, one on the right is not there"
    );
    let (_, section) = SECURITY
        .split_once("## What is done with paths")
        .expect("there is a section");
    for row in PATHS.iter().flat_map(|(_, rows)| *rows) {
        assert!(section.contains(&format!("\n| {row}")), "{row}");
    }
}

#[test]
fn what_is_made_beside_a_socket_has_the_names_and_rights_that_are_told() {
    let room = tempfile::tempdir().expect("there is room for a folder");
    let folder = Folder::open(room.path()).expect("it is there");
    let lock = folder.lock().expect("nobody else has it");
    let private = folder.private().expect("it can be made");
    let user = fs::metadata(room.path()).expect("it is there").uid();
    let name = private.name();
    assert!(name.starts_with(&format!(".podsapi-{}-", std::process::id())));
    for (name, told, mode) in [
        (
            format!(".podsapi-{user}.lock"),
            "mode 0600 (`.podsapi-UID.lock`)",
            0o600,
        ),
        (name.to_owned(), "mode 0700 (`.podsapi-PID-RANDOM`)", 0o700),
    ] {
        let made = fs::metadata(room.path().join(&name)).expect("it is there");
        assert_eq!(made.mode() & 0o777, mode, "{name}");
        assert!(SECURITY.contains(told), "{told}");
    }
    drop((lock, private));
    assert_eq!(fs::read_dir(room.path()).expect("it is there").count(), 0);
}
