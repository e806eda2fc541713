//! One client does its worst, another one goes on as if nothing were.
//!
//! `PODSAPI_ATTACK_SECONDS` says how long each attack lasts (0: a tenth of a second; in CI 3, by
//! hand 10). With seconds given, no call of the good client may take a second.

mod attacks;
mod floods;
mod sockets;

use std::path::Path;
use std::time::Duration;

use podsapi_client::{Client, ClientOptions};
use tokio::sync::watch;

use crate::faults::{async_runtime, number};
use crate::process::{Server, now, until};
use crate::soak::resources;
use attacks::{ATTACKS, attack};

/// How often the good client calls.
const PERIOD: Duration = Duration::from_millis(50);

/// How long an attack of the first round lasts at most.
const WARM_UP: Duration = Duration::from_secs(1);

/// Memory that an allocator may keep in pieces beyond the tenth that is allowed, in KiB.
const SLACK: u64 = 2_048;

/// Calls every 50 ms until told to stop; returns how long each call took.
async fn good(client: Client, mut stop: watch::Receiver<bool>) -> Vec<Duration> {
    let mut taken = Vec::new();
    let mut ticks = tokio::time::interval(PERIOD);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = stop.changed() => return taken,
        }
        let began = now();
        // By turns the smallest and the largest answer.
        if taken.len() % 2 == 0 {
            let pods = client.list().await.expect("the good client is served");
            assert!(pods.len().abs_diff(50) < 20, "{}", pods.len());
        } else {
            client.status().await.expect("the good client is served");
        }
        taken.push(began.elapsed());
    }
}

/// Returns the value that this share of all values does not exceed.
fn percentile(values: &mut [Duration], share: usize) -> Duration {
    values.sort_unstable();
    let place = (values.len() * share).div_ceil(100).saturating_sub(1);
    values[place]
}

/// Measures the good client while something else goes on.
async fn measure(socket: &Path, other: impl Future<Output = ()>) -> Vec<Duration> {
    let client = Client::connect(socket, ClientOptions::default());
    let client = client.await.expect("the good client is let in");
    let (stop, stopping) = watch::channel(false);
    let calling = tokio::spawn(good(client, stopping));
    other.await;
    // Once more, so that there is a call after it.
    tokio::time::sleep(2 * PERIOD).await;
    stop.send(true).unwrap();
    calling.await.unwrap()
}

#[test]
fn good_calls_go_on_under_every_attack() {
    let seconds = number("PODSAPI_ATTACK_SECONDS", 0);
    let each = match seconds {
        0 => Duration::from_millis(100),
        seconds => Duration::from_secs(seconds),
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--simulate", "50:20", "--qps", "0", "--drain-seconds", "1"];
    let server = Server::ready(folder.path(), arguments);
    let process = server.process.id();
    let runtime = async_runtime();
    // A first round brings the process to the size that it has under attack; what is measured then
    // is whether it keeps growing.
    for (_, kind) in ATTACKS.iter().filter(|_| seconds > 0) {
        runtime.block_on(attack(&server.socket, *kind, each.min(WARM_UP)));
    }
    let mut quiet = runtime.block_on(measure(&server.socket, async {
        tokio::time::sleep(each * 2).await;
    }));
    println!("quiet: p99 {:?}", percentile(&mut quiet, 99));
    let (memory, descriptors) = resources(process);
    let mut peak = memory;
    for (name, kind) in ATTACKS {
        let fighting = attack(&server.socket, *kind, each);
        let mut taken = runtime.block_on(measure(&server.socket, fighting));
        let (at_worst, _) = resources(process);
        peak = peak.max(at_worst);
        let calls = taken.len();
        let p99 = percentile(&mut taken, 99);
        println!("{name}: {calls} good calls, p99 {p99:?}, RSS {at_worst} KiB");
        let slowest = percentile(&mut taken, 100);
        let patient = seconds == 0 || slowest < Duration::from_secs(1);
        assert!(patient, "{name}: {slowest:?}");
    }
    drop(runtime);
    until("the descriptors are given back", || {
        (resources(process).1 <= descriptors + descriptors / 10).then_some(())
    });
    let (after, _) = resources(process);
    println!("RSS {memory} KiB before, {peak} KiB at most, {after} KiB after");
    assert!(
        seconds == 0 || after <= memory + memory / 10 + SLACK,
        "the process grew"
    );
    server.ask(&["check"]).text();
    let (_, status) = server.process.terminate();
    assert!(status.success(), "{status:?}");
}
