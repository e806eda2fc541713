//! One client does its worst, another one goes on as if nothing were.
//!
//! `PODSAPI_ATTACK_SECONDS` says how long each attack lasts (in CI 3, by hand 10), and
//! `PODSAPI_ATTACK` which ones are carried out: those with this in their names. Each lasts at least
//! until it has done what its line says, which is counted, and until good calls were made after that.
//! With seconds given, no call of the good client may take one, on a machine that is fast enough;
//! from ten on, 99 of a hundred may take 5 ms more than those of a server that nobody attacks. The
//! table at the end is for a note.
//!
//! The memory that the process returns to is what it had after [`warm_up`]: ordinary clients, no
//! attack, bring it to the size that it works at.

mod attacks;
mod floods;
mod good;
mod list;
mod resources;
mod sockets;
mod tally;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use podsapi_tests::frames::kind;
use tokio::runtime::Runtime;

use crate::faults::{async_runtime, number};
use crate::process::{PATIENCE, Server, now, page, until};
use crate::soak::metric;
use attacks::{Attack, begin};
use good::{Good, PERIOD, Served};
use list::{ATTACKS, MAX_CONNECTIONS};
use resources::{Resources, warm_up};
use tally::{Proof, Proofs, Tally};

/// No call may take longer, where time is measured, unless so many times the slowest one of all
/// without an attack are more: then the machine is slow.
const LONGEST: Duration = Duration::from_secs(1);
const TIMES_QUIET: u32 = 20;

/// How much more than without an attack a call may take that is among the slowest of a hundred.
const OVER_QUIET: Duration = Duration::from_millis(5);

/// From so long an attack on there are calls enough for a hundredth of them to say something.
const MEASURED_SECONDS: u64 = 10;

/// What has to be as it was, once all attackers have left.
const QUIET: [&str; 5] = [
    "podsapi_connections",
    "podsapi_calls",
    "podsapi_watches",
    "podsapi_request_bytes",
    "podsapi_reply_bytes",
];

/// Returns the value that this share of all values does not exceed; of none, nothing.
fn percentile(values: &[Duration], share: usize) -> Duration {
    let mut values = values.to_vec();
    values.sort_unstable();
    let place = (values.len() * share).div_ceil(100).saturating_sub(1);
    values.get(place).copied().unwrap_or_default()
}

/// A server under attack.
struct Scene<'a> {
    server: &'a Server,
    metrics: &'a Path,
    /// What the attackers run on.
    runtime: Runtime,
    /// How long each attack lasts at least.
    time: Duration,
    /// How often the good client calls.
    period: Duration,
    /// With every so manieth call it connects anew.
    every: usize,
}

impl Scene<'_> {
    /// Calls without an attack.
    fn quiet(&self) -> Served {
        let good = Good::begin(
            "no attack",
            &self.server.socket,
            self.period,
            Some(self.every),
        );
        let (began, time) = (now(), self.time * 2);
        good.wait(|good| began.elapsed() >= time && good.calls() >= 10);
        good.end()
    }

    /// Calls during an attack, which is seen to do what it says; returns that in words, too.
    fn fight(&self, name: &str, attack: Attack, proofs: &[Proof]) -> (Served, String) {
        // Where all connections are taken by design, the good client keeps the one that it has.
        let may_connect = !matches!(attack, Attack::Silent(MAX_CONNECTIONS..));
        let every = may_connect.then_some(self.every);
        let mut proofs = Proofs::begin(proofs, self.metrics, self.time);
        let good = Good::begin(name, &self.server.socket, self.period, every);
        let tally = Arc::<Tally>::default();
        let began = now();
        // How many calls and connections there were when all was proven.
        let mut proven = None;
        let handle = self.runtime.handle();
        let mut tasks = begin(handle, &self.server.socket, attack, &tally);
        good.wait(|good| {
            let ended = tasks.try_join_next();
            assert!(ended.is_none(), "{name} gives up: {ended:?}");
            let due = began.elapsed() >= self.time;
            // Meanwhile nobody else asks the server for anything.
            if proven.is_none() || due {
                proofs.look();
                if let Some(missing) = proofs.missing(&tally) {
                    let patient = began.elapsed() < self.time + PATIENCE;
                    assert!(patient, "{name}: {missing:?} is missing, {tally}");
                    return false;
                }
            }
            // Now the server has the worst of it: a call of each kind, and a connection.
            let (calls, connects) = *proven.get_or_insert_with(|| (good.calls(), good.connects()));
            let has_called = good.calls() > calls + 2;
            due && has_called && (!may_connect || good.connects() > connects)
        });
        let lasted = began.elapsed();
        self.runtime.block_on(tasks.shutdown());
        // Once more, so that there is a call after it.
        let calls = good.calls();
        good.wait(|good| good.calls() > calls);
        let done = format!("{tally}{} in {:.1} s", proofs.told(), lasted.as_secs_f32());
        (good.end(), done)
    }
}

/// One line of the table.
struct Row {
    name: &'static str,
    served: Served,
    done: String,
    memory: u64,
}

impl Row {
    fn print(&self, quiet: Duration) {
        let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
        let [p50, p99, most] = [50, 99, 100].map(|share| percentile(&self.served.calls, share));
        println!(
            "| {:35} | {:5} | {:>5} | {:>6} | {:>6} | {:>6} | {:>7} | {:>6} | {} |",
            self.name,
            self.served.calls.len(),
            ms(p50),
            ms(p99),
            ms(most),
            ms(p99.saturating_sub(quiet)),
            ms(percentile(&self.served.connects, 100)),
            self.memory,
            self.done,
        );
    }
}

/// Held while something is measured.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn good_calls_go_on_under_every_attack() {
    let _alone = alone();
    let seconds = number("PODSAPI_ATTACK_SECONDS", 0);
    // Without seconds all goes as fast as it can.
    let (time, period, every) = match seconds {
        0 => (Duration::ZERO, PERIOD / 5, 2),
        seconds => (Duration::from_secs(seconds), PERIOD, 10),
    };
    let folder = tempfile::tempdir().unwrap();
    let metrics = folder.path().join("metrics.sock");
    let path = metrics.to_str().unwrap();
    let arguments = ["--simulate", "50:20", "--qps", "0", "--drain-seconds", "1"];
    let arguments = [&arguments[..], &["--metrics", path]].concat();
    let server = Server::ready(folder.path(), arguments);
    let process = server.process.id();
    let fresh = Resources::of(process);
    let scene = Scene {
        server: &server,
        metrics: &metrics,
        runtime: async_runtime(),
        time,
        period,
        every,
    };
    let idle = || QUIET.map(|name| metric(&page(&metrics), name));
    let values = until("the client that found it ready has left", || {
        Some(idle()).filter(|[connections, ..]| *connections == 0)
    });
    let quieten = || {
        until("what clients took is given back", || {
            (idle() == values).then_some(())
        });
    };
    warm_up(&scene.runtime, &server.socket);
    quieten();
    let quiet = scene.quiet();
    let limit = percentile(&quiet.calls, 99);
    quieten();
    let start = Resources::of(process);

    println!("quiet: p99 {limit:?}; times are in ms, RSS in KiB after each attack");
    println!(
        "| {:35} | calls |   p50 |    p99 |    max |   over | connect |    RSS | done |",
        "attack"
    );
    let mut rows = vec![Row {
        name: "none",
        served: quiet,
        done: String::new(),
        memory: start.memory,
    }];
    rows[0].print(limit);
    let only = std::env::var("PODSAPI_ATTACK").unwrap_or_default();
    let wanted = ATTACKS.iter().filter(|(name, ..)| name.contains(&only));
    for (name, attack, proofs) in wanted {
        let (served, done) = scene.fight(name, *attack, proofs);
        quieten();
        let panicked = metric(&page(&metrics), "podsapi_calls_panicked_total");
        assert_eq!(panicked, 0, "{name}: calls panicked");
        let row = Row {
            name,
            served,
            done,
            memory: Resources::of(process).memory,
        };
        // At once: what fails later shall not hide it.
        row.print(limit);
        rows.push(row);
    }
    drop(scene);

    let peak = rows.iter().map(|row| row.memory).max();
    let mut last = Resources::of(process);
    let waited = now();
    while !last.is_near(&start) && waited.elapsed() < PATIENCE {
        last = Resources::of(process);
    }
    println!("RSS {fresh} when fresh, {start} before, {peak:?} KiB at most, {last} after");
    assert!(last.is_near(&start), "the process grew: {last}");
    let slowest = |row: &Row| {
        let times = [&row.served.calls, &row.served.connects];
        times.map(|times| percentile(times, 100))
    };
    let [calls, connects] = slowest(&rows[0]);
    let longest = LONGEST.max(calls.max(connects) * TIMES_QUIET);
    for row in &rows {
        let times = slowest(row);
        let patient = seconds == 0 || times.iter().all(|time| *time < longest);
        assert!(patient, "{}: {times:?}", row.name);
        let over = percentile(&row.served.calls, 99).saturating_sub(limit);
        let close = seconds < MEASURED_SECONDS || over <= OVER_QUIET;
        assert!(close, "{}: p99 is {over:?} over quiet", row.name);
    }
    server.ask(&["check"]).text();
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    // The limit of connections is told once a minute, and nothing else of what clients do.
    let lines = ended.stderr.lines().count();
    assert!(lines < 50, "{}", ended.stderr);
}

#[test]
fn what_attackers_say_forges_no_line_of_a_log() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--simulate", "1", "--qps", "0", "--log", "debug"];
    let server = Server::ready(folder.path(), arguments);
    let runtime = async_runtime();
    let tally = Arc::<Tally>::default();
    let attack = Attack::Flood(floods::forged_words);
    let mut tasks = begin(runtime.handle(), &server.socket, attack, &tally);
    let heard = [Proof::Heard(kind::HEADERS, 50)];
    let proofs = Proofs::begin(&heard, &server.socket, Duration::ZERO);
    until("the words were answered", || {
        proofs.missing(&tally).is_none().then_some(())
    });
    runtime.block_on(tasks.shutdown());
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0));
    let mut forged = 0;
    for line in ended.stderr.lines() {
        let raw = |letter: char| letter.is_control() || "\u{2028}\u{202e}".contains(letter);
        assert!(!line.contains(raw), "{line:?}");
        let (time, rest) = line.split_once(' ').unwrap();
        let is_ours = time.ends_with('Z') && rest.contains(" podsapi");
        assert!(
            is_ours && !rest.trim_start().starts_with("ERROR"),
            "{line:?}"
        );
        forged += usize::from(line.contains("forged"));
    }
    assert!(forged > 0, "{}", ended.stderr);
}
