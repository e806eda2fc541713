//! What the accept loop survives: errors of all kinds, and a process without descriptors.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream as Client;
use std::path::Path;
use std::process::Stdio;

use podsapi_core::Moment;
use podsapi_test_process as child_process;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};

use super::*;

#[tokio::test(start_paused = true)]
async fn the_pause_doubles_to_a_second_and_starts_again_after_a_success() {
    let mut script: Vec<_> = (0..10).map(|_| Err(Errno::ENOMEM)).collect();
    script.push(Ok(()));
    script.push(Err(Errno::ENOBUFS));
    script.push(Ok(()));
    let run = run(script, Duration::from_secs(60)).await;
    let millis: Vec<_> = run
        .times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_millis())
        .collect();
    assert_eq!(millis, [5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000, 0, 5]);
    assert_eq!(run.accepted, 2);
    assert_eq!(run.counts.errors.load(Ordering::Relaxed), 11);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_went_away_costs_no_pause_and_counts_as_no_error() {
    let run = run(
        vec![Err(Errno::ECONNABORTED), Err(Errno::EINTR), Ok(())],
        Duration::from_secs(1),
    )
    .await;
    assert_eq!(
        run.times.last().unwrap().duration_since(run.times[0]),
        Duration::ZERO
    );
    assert_eq!(run.accepted, 1);
    assert_eq!(run.counts.errors.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn without_descriptors_what_waits_is_closed_and_later_ones_are_served() {
    let run = run(
        vec![
            Err(Errno::EMFILE),
            Ok(()),
            Ok(()),
            Err(Errno::EMFILE),
            Ok(()),
        ],
        Duration::from_secs(1),
    )
    .await;
    assert_eq!(run.counts.shed.load(Ordering::Relaxed), 2);
    assert_eq!(run.accepted, 1);
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_connections_lets_other_tasks_run() {
    for gone in [false, true] {
        let left = Cell::new(1_000);
        let accept = |_: &mut Context<'_>| {
            left.set(left.get() - 1);
            match left.get() {
                0 => Poll::Pending,
                _ if gone => Poll::Ready(Err(Errno::ECONNABORTED.into())),
                _ => Poll::Ready(Ok(())),
            }
        };
        let (counts, runtime) = (AcceptCounts::default(), Tokio::new());
        let stop = std::future::pending();
        let accepting = accept_loop(accept, "test", &runtime, stop, &counts, |()| {});
        let others = async {
            let before = left.get();
            tokio::task::yield_now().await;
            assert_eq!(before - left.get(), ACCEPTED_A_TURN);
        };
        tokio::select! {
            biased;
            () = accepting => panic!("it goes on"),
            () = others => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn connections_of_a_storm_wait_for_each_other_and_others_do_not() {
    let looks = async |count: u32| {
        let script = (0..count).map(|_| Ok(())).collect();
        let run = run(script, Duration::from_secs(1)).await;
        let first = run.idle[0];
        let looks = run.idle.into_iter().map(|time| time - first);
        looks.collect::<Vec<_>>()
    };
    // Once it has rested nobody has to wake it.
    assert_eq!(looks(STORM).await, [Duration::ZERO, STORM_TIME]);
    assert_eq!(looks(STORM - 1).await, [Duration::ZERO]);
}

#[test]
fn a_storm_is_so_many_in_so_short_a_time() {
    let mut storm = Storm::default();
    assert!((0..1_000).all(|at| {
        storm.count(Moment::from_nanos(at * 1_000_000));
        !storm.is_on()
    }));
    let mut storm = Storm::default();
    let mut on = (0..20_u32).map(|at| {
        storm.count(Moment::from_nanos(u64::from(at) * 50_000));
        storm.is_on()
    });
    assert_eq!(on.position(|on| on), Some(15));
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_pause_to_end() {
    let before = Instant::now();
    let run = run(
        (0..100).map(|_| Err(Errno::ENFILE)).collect(),
        Duration::from_millis(400),
    )
    .await;
    assert_eq!(before.elapsed(), Duration::from_millis(400));
    assert_eq!(run.accepted, 0);
}

#[test]
fn a_server_at_its_descriptor_limit_stays_calm_and_recovers() {
    if child_process::is_child() {
        return serve_at_the_limit();
    }
    let name = "accept::tests::a_server_at_its_descriptor_limit_stays_calm_and_recovers";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let variables = [("SOCKET", path.to_str().unwrap())];
    let mut child = child_process::start(name, "ulimit -n 40", Stdio::piped(), &variables);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.trim_end().ends_with("listening") {
        line.clear();
        assert_ne!(
            output.read_line(&mut line).unwrap(),
            0,
            "the server ended before it listened"
        );
    }

    let clients: Vec<_> = (0..60).map(|_| Client::connect(&path).unwrap()).collect();
    let mut served = 0;
    for mut client in &clients {
        client
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        // The end of the stream, or a reset when our byte was not read: closed. No answer within the time would be an error.
        match client.write_all(b"x").and_then(|()| client.read(&mut [0])) {
            Ok(count) => served += count,
            Err(error) if is_closed(&error) => {}
            Err(error) => panic!("a client got no answer: {error}"),
        }
    }
    assert!(served > 10, "{served} of 60 served");
    assert!(served < 40, "{served} of 60 served with 40 descriptors");

    // More clients keep coming while the descriptors are gone: each is closed, and the processor stays free.
    let begin = Instant::now();
    let before = processor_ticks(child.id());
    while begin.elapsed() < Duration::from_secs(3) {
        let mut late = Client::connect(&path).unwrap();
        late.set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let closed = match late.read(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => is_closed(&error),
        };
        assert!(closed, "a late client was neither served nor closed");
    }
    let used = processor_ticks(child.id()) - before;
    // Of 100 ticks a second, 5 % of 3 seconds.
    assert!(used <= 15, "{used} of at least 300 ticks used at the limit");

    drop(clients);
    let recovered = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        let mut client = Client::connect(&path).unwrap();
        client
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        client.write_all(b"x").is_ok() && matches!(client.read(&mut [0]), Ok(1))
    });
    assert!(
        recovered,
        "the server serves nobody after descriptors were free again"
    );
    drop(child.stdin.take());
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let status = child.wait().unwrap();
    assert!(status.success() && rest.contains("1 passed"), "{rest}");
}

fn is_closed(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

/// Echoes single bytes until standard input closes.
fn serve_at_the_limit() {
    let path = std::env::var_os("SOCKET").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let listener = UnixListener::bind(Path::new(&path)).unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::spawn(move || {
            let _ = io::stdin().read(&mut [0]);
            drop(stop);
        });
        println!("listening");
        let counts = AcceptCounts::default();
        let each = |mut stream: UnixStream| {
            tokio::spawn(async move {
                let mut byte = [0];
                while stream.read_exact(&mut byte).await.is_ok()
                    && stream.write_all(&byte).await.is_ok()
                {}
            });
        };
        let accept = |cx: &mut Context<'_>| listener.poll_accept(cx).map_ok(|(stream, _)| stream);
        let stopped = async { drop(stopped.await) };
        accept_loop(accept, "test", &Tokio::new(), stopped, &counts, each).await;
        assert!(
            counts.errors.load(Ordering::Relaxed) > 0,
            "the limit was never met"
        );
        assert!(
            counts.shed.load(Ordering::Relaxed) > 0,
            "nothing was closed at the limit"
        );
    });
}

fn processor_ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = stat
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

struct Run {
    times: Vec<Instant>,
    /// When the loop looked and nothing waited.
    idle: Vec<Instant>,
    accepted: usize,
    counts: AcceptCounts,
}

/// Lets the loop meet what `script` says, then nothing more, and stops it after `time`.
async fn run(script: Vec<Result<(), Errno>>, time: Duration) -> Run {
    let (mut times, mut idle) = (Vec::new(), Vec::new());
    let script = RefCell::new((VecDeque::from(script), &mut times, &mut idle));
    let accept = |_: &mut Context<'_>| {
        let (script, times, idle) = &mut *script.borrow_mut();
        let Some(next) = script.pop_front() else {
            idle.push(Instant::now());
            return Poll::Pending;
        };
        times.push(Instant::now());
        Poll::Ready(next.map_err(io::Error::from))
    };
    let counts = AcceptCounts::default();
    let mut accepted = 0;
    let stop = tokio::time::sleep(time);
    accept_loop(accept, "test", &Tokio::new(), stop, &counts, |()| {
        accepted += 1;
    })
    .await;
    Run {
        times,
        idle,
        accepted,
        counts,
    }
}

/// A runtime whose time the test moves.
#[derive(Clone)]
struct Tokio(Instant);

impl Tokio {
    fn new() -> Self {
        Self(Instant::now())
    }
}

impl Runtime for Tokio {
    type Sleep = Sleep;

    fn sleep_until(&self, at: Moment) -> Sleep {
        tokio::time::sleep_until(self.0 + Duration::from_nanos(at.as_nanos()))
    }

    fn now(&self) -> Moment {
        Moment::from_nanos(u64::try_from(self.0.elapsed().as_nanos()).unwrap())
    }
}
