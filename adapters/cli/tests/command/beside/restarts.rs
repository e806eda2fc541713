//! Restarts of the kubelet at random phases, and random steps for as long as is asked.
//!
//! `PODSAPI_KUBELET_RESTARTS` says how many (10; by hand 100). `PODSAPI_KUBELET_SECONDS` says how long the
//! random steps go on, which the gate leaves out; `PODSAPI_KUBELET_SEED` takes the steps of another run.

use std::time::Duration;

use fastrand::Rng;
use nix::sys::signal::Signal;

use super::bed::Bed;
use super::report::judge;
use super::statics::{KINDS, edited, serve, text};
use crate::faults::number;
use crate::process::now;

const SIGNALS: [Signal; 2] = [Signal::SIGTERM, Signal::SIGKILL];

#[tokio::test(flavor = "multi_thread")]
async fn no_restart_of_the_kubelet_is_told_as_a_deletion() {
    let Some(mut bed) = Bed::start("restarts", Vec::new()).await else {
        return;
    };
    let mut random = seeded();
    serve(&mut bed);
    let names = ["web", "sidecar", "hostnet", "init", "jobok", "nopull"];
    bed.step("put web, sidecar, hostnet, init, jobok, nopull");
    for name in names {
        bed.put(name, &text(name));
    }
    for (name, rests) in KINDS.iter().filter(|(name, _)| names.contains(name)) {
        bed.shows(name, "comes to rest", rests).await;
    }
    bed.settle().await;
    let restarts = number("PODSAPI_KUBELET_RESTARTS", 10);
    bed.step(&format!("{restarts} restarts of the kubelet"));
    for restart in 0..restarts {
        let signal = SIGNALS[random.usize(..SIGNALS.len())];
        bed.end_kubelet(signal);
        phase(&mut random, 1_000).await;
        bed.start_kubelet().await;
        phase(&mut random, 3_000).await;
        if restart % 10 == 9 {
            bed.settle().await;
        }
    }
    bed.settle().await;
    judge(&mut bed, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn random_steps_are_served_as_the_kubelet_serves_them() {
    let seconds = number("PODSAPI_KUBELET_SECONDS", 0);
    if seconds == 0 {
        println!("skipped: set PODSAPI_KUBELET_SECONDS, or run tests/endure kubelet");
        return;
    }
    let Some(mut bed) = Bed::start("random", Vec::new()).await else {
        return;
    };
    let mut random = seeded();
    serve(&mut bed);
    let began = now();
    let mut put = Vec::<&str>::new();
    for step in 1.. {
        if began.elapsed() > Duration::from_secs(seconds) {
            break;
        }
        let (name, _) = KINDS[random.usize(..KINDS.len())];
        match random.u32(..12) {
            0..5 if !put.contains(&name) => {
                bed.step(&format!("{step}: put {name}"));
                bed.put(name, &text(name));
                put.push(name);
            }
            0..5 => {
                bed.step(&format!("{step}: edit {name}"));
                bed.put(name, &edited(name, &step.to_string()));
            }
            5..8 if put.contains(&name) => {
                bed.step(&format!("{step}: remove {name}"));
                bed.remove(name);
                put.retain(|kept| *kept != name);
            }
            8 => {
                let names = bed.names();
                let name = names[random.usize(..names.len())];
                bed.step(&format!("{step}: restart {name}"));
                bed.restart(name, SIGNALS[random.usize(..SIGNALS.len())]);
            }
            9 => {
                bed.step(&format!("{step}: restart the kubelet"));
                bed.end_kubelet(SIGNALS[random.usize(..SIGNALS.len())]);
                phase(&mut random, 5_000).await;
                bed.start_kubelet().await;
            }
            _ => {
                bed.step(&format!("{step}: crash {name}"));
                bed.kill_if_running(name, "c").await;
            }
        }
        phase(&mut random, 6_000).await;
        if step % 5 == 0 {
            bed.settle().await;
        }
    }
    for name in &put {
        bed.remove(name);
    }
    for name in &put {
        bed.gone(name).await;
    }
    bed.settle_empty().await;
    judge(&mut bed, &[]);
}

/// Returns the random numbers of this run, and prints where they come from.
pub(super) fn seeded() -> Rng {
    let seed = number("PODSAPI_KUBELET_SEED", fastrand::u64(..1_000_000));
    println!("kubelet restarts and steps by seed {seed}");
    Rng::with_seed(seed)
}

/// Lets a random time pass: what is looked for depends on the moment.
async fn phase(random: &mut Rng, most_millis: u64) {
    tokio::time::sleep(Duration::from_millis(random.u64(..most_millis))).await;
}
