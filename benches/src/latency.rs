//! How long callers wait while pods change and many are told: the limits that the enhancement
//! proposal of the API names.
//!
//! KEP-4188 wants 99 % of `GetPod` and `ListPods` within 5 ms.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::client::Speech;
use crate::clock;
use crate::corpus::CorpusPod;
use crate::figures::quantile;
use crate::server::Server;
use crate::workload::list;
use crate::workload::unary::Unary;
use crate::workload::watch::Watches;

/// How many pods the node has.
pub const PODS: usize = 110;

/// How long 99 % of the calls may take, in microseconds.
pub const GOAL_MICROS: f64 = 5_000.0;

/// How long calls took, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// Half of the calls took no longer.
    pub median: f64,
    /// 99 % of the calls took no longer.
    pub most_99: f64,
}

/// Calls for so long, while 100 watches follow 50 changes a second; returns the waits of `GetPod` and of
/// `ListPods`.
///
/// # Errors
///
/// When an answer is wrong, or an event does not come.
pub fn measure(mut server: Server, pods: &[CorpusPod], time: Duration) -> io::Result<[Waits; 2]> {
    let socket = server.socket().to_owned();
    let mut watches = Watches::begin(&socket, Speech::Grpc, pods, 10, 10)?;
    let mut gets = Unary::gets(&socket, Speech::Grpc, pods, 1)?;
    let mut lists = Unary::lists(&socket, Speech::Grpc, &list(pods), 1)?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let following = scope.spawn(|| {
            let began = clock::now();
            for change in 1_u32.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                watches.run(&mut server, 1)?;
                thread::sleep((CHANGE_EVERY * change).saturating_sub(began.elapsed()));
            }
            io::Result::Ok(())
        });
        let called = call(&mut gets, &mut lists, time);
        over.store(true, Ordering::Relaxed);
        let followed = following.join();
        followed.map_err(|_| io::Error::other("the watches failed"))??;
        called
    })
}

fn call(gets: &mut Unary, lists: &mut Unary, time: Duration) -> io::Result<[Waits; 2]> {
    let mut waits = [Vec::new(), Vec::new()];
    let began = clock::now();
    while began.elapsed() < time {
        for (calls, waits) in [&mut *gets, &mut *lists].into_iter().zip(&mut waits) {
            let called = clock::now();
            calls.run(1)?;
            waits.push(called.elapsed().as_secs_f64() * 1e6);
        }
        thread::sleep(PAUSE);
    }
    Ok(waits.map(|mut waits| Waits {
        median: quantile(&mut waits, 500),
        most_99: quantile(&mut waits, 990),
    }))
}

const CHANGE_EVERY: Duration = Duration::from_millis(20);

/// So that the calls fall on every part of a change.
const PAUSE: Duration = Duration::from_micros(1_300);
