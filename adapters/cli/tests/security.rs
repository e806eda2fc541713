//! Every number of SECURITY.md that a program can check.

use std::process::Command;
use std::time::Duration;

use podsapi_core::{Config, DEFAULT_FAIR_PEERS};
use podsapi_h2::Limits;

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
        ("calls in progress", grouped(limits.max_calls as u64)),
        ("watches", grouped(config.max_watches.get())),
        (
            "unread events a watch",
            format!("{} (`--watch-buffer`)", config.watch_buffer),
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
            format!("{} KiB", limits.max_request_bytes >> 10),
        ),
        (
            "request bytes of all calls",
            format!("{} MiB", limits.max_request_bytes_in_flight >> 20),
        ),
        (
            "replies that wait to be read",
            format!(
                "{} MiB a connection, {} GiB in all",
                limits.max_reply_bytes_per_connection >> 20,
                limits.max_reply_bytes >> 30
            ),
        ),
        (
            "request headers",
            format!("{} KiB", limits.max_header_list_bytes >> 10),
        ),
        (
            "a mask",
            format!("{} KiB as text", podsapi_core::MAX_MASK_BYTES >> 10),
        ),
        (
            "time for a preface, a frame, a header block, a request",
            seconds(limits.preface_timeout),
        ),
        (
            "time for a preface, a frame, a header block, a request",
            seconds(limits.request_timeout),
        ),
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
