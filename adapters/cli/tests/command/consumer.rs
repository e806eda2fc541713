//! A consumer that lists all pods for each container that starts, with and without a server in front
//! of the one whose rate limit it meets.
//!
//! So do tools that trace what containers do: 20 containers that start together are 20 lists at once.

use std::path::Path;
use std::time::Duration;

use podsapi_client::{Client, ClientOptions, Code};
use tokio::task::JoinSet;

use crate::process::{Server, now, page};

const AT_ONCE: usize = 20;

const ROUNDS: usize = 10;

/// The limits of a kubelet: so many calls a second, and so many at once.
const QPS: usize = 100;
const BURST: usize = 10;

/// As many pods as a small node has.
const PODS: usize = 30;

/// What became of the lists.
#[derive(Debug, Default)]
struct Outcome {
    answered: usize,
    refused: usize,
    spent: Duration,
}

/// Lists once for each new container, on one connection as a client of its kind has.
#[tokio::main]
async fn consume(socket: &Path) -> Outcome {
    let connecting = Client::connect(socket, ClientOptions::default()).await;
    let client = connecting.unwrap();
    let began = now();
    let mut outcome = Outcome::default();
    for _ in 0..ROUNDS {
        let mut lists = JoinSet::new();
        for _ in 0..AT_ONCE {
            let client = client.clone();
            lists.spawn(async move { client.list().await });
        }
        while let Some(listed) = lists.join_next().await {
            match listed.unwrap() {
                Ok(pods) => {
                    assert_eq!(pods.len(), PODS);
                    outcome.answered += 1;
                }
                Err(error) => {
                    assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
                    assert!(
                        error.to_string().contains("rejected by rate limit"),
                        "{error}"
                    );
                    outcome.refused += 1;
                }
            }
        }
    }
    outcome.spent = began.elapsed();
    outcome
}

/// How many lists a server was asked for, refused ones too.
fn lists(metrics: &Path) -> usize {
    let page = page(metrics);
    let counters = page.lines();
    let counters = counters.filter(|line| line.starts_with("kubelet_pod_requests_list_total{"));
    let values = counters.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap());
    values.sum()
}

#[test]
fn a_list_for_each_new_container_is_refused_by_a_rate_limit_unless_a_server_is_in_front() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let metrics = folders[0].path().join("metrics.sock");
    // With the limits of a kubelet, which are the default: 100 a second, 10 at once.
    let pods = PODS.to_string();
    let limited = ["--simulate", &pods, "--metrics", metrics.to_str().unwrap()];
    let kubelet = Server::ready(folders[0].path(), limited);
    assert_eq!(lists(&metrics), 0);

    let before = consume(&kubelet.socket);
    assert_eq!(before.answered + before.refused, ROUNDS * AT_ONCE);
    // What the limit lets through, and no more: of lists that come fast enough most are refused.
    let allowed = BURST + 1 + usize::try_from(before.spent.as_millis()).unwrap() * QPS / 1_000;
    assert!(before.answered <= allowed, "{before:?}");
    let asked = lists(&metrics);
    assert_eq!(asked, ROUNDS * AT_ONCE);

    let upstream = kubelet.socket.to_str().unwrap();
    let front = Server::ready(folders[1].path(), ["--kubelet", upstream, "--qps", "0"]);
    let after = consume(&front.socket);
    let (answered, refused) = (after.answered, after.refused);
    assert_eq!((answered, refused), (ROUNDS * AT_ONCE, 0));
    let asked_since = lists(&metrics) - asked;
    assert_eq!(asked_since, 0, "the upstream is asked for no list");
    assert!(page(&metrics).contains("\npodsapi_watches 1\n"));

    for (place, outcome, asked) in [
        ("at the rate-limited server", before, asked),
        ("at podsapi in front of it", after, asked_since),
    ] {
        println!(
            "{} lists, {AT_ONCE} at once, {place}: {} refused, {} answered, in {} ms; \
             lists that reached the rate-limited server: {asked}",
            ROUNDS * AT_ONCE,
            outcome.refused,
            outcome.answered,
            outcome.spent.as_millis(),
        );
    }
}
