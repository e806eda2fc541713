//! A kubelet that is started anew at random times, in virtual time: nothing goes that is there.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_core::{Moment, SourceEvent};

use crate::kubelet_http::{Next, Options, Poll, read};
use crate::sink::Sink;

/// A source's pods as a server would have them.
#[derive(Debug, Default)]
struct Heard {
    staged: BTreeSet<String>,
    pods: BTreeSet<String>,
    /// Pods that went, in their order.
    gone: Vec<String>,
}

impl Heard {
    fn take(&mut self, event: SourceEvent) {
        match event {
            SourceEvent::Begin => self.staged.clear(),
            SourceEvent::Put { pod, .. } => {
                self.staged.insert(pod.uid().to_string());
            }
            SourceEvent::Complete { .. } => {
                let before = std::mem::replace(&mut self.pods, self.staged.clone());
                self.gone.extend(before.difference(&self.pods).cloned());
            }
            SourceEvent::Lost => {}
            SourceEvent::Remove { .. } | SourceEvent::Status { .. } => panic!("lists only"),
        }
    }
}

/// When a kubelet answers, and what, in milliseconds.
struct Kubelet {
    random: fastrand::Rng,
    pods: BTreeSet<String>,
    /// It does not answer before, and knows no pod, ...
    down_until: u64,
    /// ... before this, and some pods only ...
    none_until: u64,
    /// ... before this.
    some_until: u64,
    /// It says that it is not well before.
    ill_until: u64,
}

impl Kubelet {
    fn restart(&mut self, now: u64) {
        self.down_until = now + self.random.u64(300..5_000);
        // On a busy machine it takes many times the usual.
        let busy = self.random.u8(0..4) == 0;
        self.none_until = self.down_until + self.random.u64(if busy { 0..9_000 } else { 0..200 });
        self.some_until = self.none_until + self.random.u64(50..400);
        let ill = self.random.bool();
        self.ill_until = if ill {
            self.some_until + self.random.u64(0..3_000)
        } else {
            0
        };
    }

    /// Answers as one does: with none, then some, then all.
    fn pods(&mut self, now: u64) -> Result<Vec<u8>, String> {
        if now < self.down_until {
            return Err("cannot connect".to_owned());
        }
        let partial = now < self.some_until;
        let named = self.pods.iter();
        let none = now < self.none_until;
        let named = named.filter(|_| !none && (!partial || self.random.bool()));
        let items: Vec<_> = named
            .map(|uid| {
                format!(r#"{{"metadata":{{"name":"{uid}","namespace":"n","uid":"{uid}"}}}}"#)
            })
            .collect();
        let items = match items.is_empty() {
            true => "null".to_owned(),
            false => format!("[{}]", items.join(",")),
        };
        Ok(format!(r#"{{"kind":"PodList","items":{items}}}"#).into_bytes())
    }
}

struct Simulation {
    now: u64,
    next: u64,
    kubelet: Kubelet,
    poll: Poll,
    heard: Arc<Mutex<Heard>>,
}

impl Simulation {
    fn new(seed: u64, period: Duration) -> Self {
        let heard = Arc::new(Mutex::new(Heard::default()));
        let ear = Arc::clone(&heard);
        let sink = Sink::new(
            move |event| {
                ear.lock().unwrap().take(event);
                Ok(())
            },
            |_| {},
            || 0,
        );
        let mut options = Options::new("http://127.0.0.1".parse().unwrap(), None, None).unwrap();
        options.period = period;
        let kubelet = Kubelet {
            random: fastrand::Rng::with_seed(seed),
            pods: ["a", "b", "c"].map(str::to_owned).into(),
            down_until: 0,
            none_until: 0,
            some_until: 0,
            ill_until: 0,
        };
        Self {
            now: 0,
            next: 0,
            kubelet,
            poll: Poll::new(options, sink, seed),
            heard,
        }
    }

    fn run_until(&mut self, end: u64) {
        while self.next <= end {
            self.now = self.next;
            let at = Moment::from_nanos(self.now * 1_000_000);
            let said = match self.kubelet.pods(self.now) {
                Ok(answer) => read(&answer, &self.poll.served.clone().unwrap_or_default()),
                Err(error) => Err(error),
            };
            let illness = match self.poll.handle_answer(said, at) {
                Next::AskHealth if self.now < self.kubelet.ill_until => Some("says 500".to_owned()),
                Next::AskHealth | Next::Tell => None,
            };
            let wait = self.poll.tell(illness, at).unwrap();
            self.next = self.now + u64::try_from(wait.as_millis()).unwrap().max(1);
        }
        self.now = end;
    }

    fn served(&self) -> BTreeSet<String> {
        self.heard.lock().unwrap().pods.clone()
    }
}

#[test]
fn a_hundred_restarts_at_any_time_take_no_pod_that_is_there() {
    for period in [1, 10, 60].map(Duration::from_secs) {
        for seed in 0..5 {
            let mut simulation = Simulation::new(seed, period);
            simulation.run_until(10_000);
            for restart in 0..100 {
                let wait = simulation.kubelet.random.u64(0..30_000);
                simulation.run_until(simulation.now + wait);
                simulation.kubelet.restart(simulation.now);
                if restart % 10 == 9 {
                    // Again while it is about to be up.
                    simulation.run_until(simulation.kubelet.down_until + 200);
                    simulation.kubelet.restart(simulation.now);
                }
            }
            let heard = simulation.heard.lock().unwrap();
            assert!(heard.gone.is_empty(), "{period:?} {seed}: {heard:?}");
            assert_eq!(heard.pods, simulation.kubelet.pods);
        }
    }
}

#[test]
fn a_pod_that_goes_is_gone_soon_and_one_that_comes_is_there_at_once() {
    for seed in 0..50 {
        let mut simulation = Simulation::new(seed, Duration::from_secs(10));
        simulation.run_until(5_000);
        let wait = simulation.kubelet.random.u64(0..30_000);
        simulation.run_until(simulation.now + wait);
        simulation.kubelet.pods.remove("b");
        simulation.kubelet.pods.insert("d".to_owned());
        simulation.run_until(simulation.now + 10_010);
        assert!(simulation.served().contains("d"), "within a period");
        simulation.run_until(simulation.now + 2_500);
        assert_eq!(
            simulation.served(),
            simulation.kubelet.pods,
            "and two seconds more"
        );
    }
}

#[test]
fn a_pod_that_went_while_the_kubelet_was_away_is_gone_soon_after() {
    for seed in 0..50 {
        let mut simulation = Simulation::new(seed, Duration::from_secs(10));
        simulation.run_until(20_000);
        simulation.kubelet.restart(simulation.now);
        simulation.kubelet.ill_until = 0;
        simulation.kubelet.pods.remove("b");
        // The next question, and what a start may take.
        simulation.run_until(simulation.kubelet.some_until + 10_010 + 15_500);
        assert_eq!(simulation.served(), simulation.kubelet.pods);
    }
}

#[test]
fn a_first_list_of_a_kubelet_that_starts_is_told_when_it_is_whole() {
    for seed in 0..50 {
        let mut simulation = Simulation::new(seed, Duration::from_secs(10));
        simulation.kubelet.restart(0);
        while simulation.served().is_empty() {
            simulation.run_until(simulation.now + 100);
        }
        assert_eq!(simulation.served(), simulation.kubelet.pods);
    }
}
