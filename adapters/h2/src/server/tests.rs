//! Who waits for the next stage of a server, and what is left of those who went.

use std::{
    future::{Pending, pending},
    sync::atomic::AtomicUsize,
    task::{Context, Wake},
};

use podsapi_core::{Config, SourceConfig, SourceKind};

use super::*;
use crate::onlookers::Onlooker;

/// A waker that counts.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Woken {
    fn times(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Time stands still.
#[derive(Clone)]
struct Still;

impl Runtime for Still {
    type Sleep = Pending<()>;

    fn sleep_until(&self, _: Moment) -> Self::Sleep {
        pending()
    }

    fn now(&self) -> Moment {
        Moment::ORIGIN
    }
}

fn server() -> Server<Still> {
    let sources = vec![SourceConfig::new("test", SourceKind::Simulated)];
    let config = Config {
        sources,
        ..Config::default()
    };
    Server::new(Pods::new(config, Moment::ORIGIN), Limits::default(), Still)
}

fn complete(server: &Server<Still>) {
    let source = server.shared().with_notes(|pods, _| pods.source("test"));
    let source = source.unwrap();
    server.handle_source(source, SourceEvent::Begin).unwrap();
    let end = SourceEvent::Complete { at: 0 };
    server.handle_source(source, end).unwrap();
}

#[test]
fn who_goes_is_forgotten_and_all_others_are_woken() {
    let server = server();
    let wakers = [0; 3].map(|_| Arc::new(Woken::default()));
    let mut onlookers: Vec<_> = wakers
        .iter()
        .map(|woken| {
            let mut onlooker = Onlooker::new(&server.shared);
            let waker = Waker::from(Arc::clone(woken));
            let polled = onlooker.poll_next(&Context::from_waker(&waker));
            assert!(polled.is_pending());
            onlooker
        })
        .collect();
    // Three who wait, and what waits for them holds each once more.
    assert_eq!(wakers.each_ref().map(Arc::strong_count), [2, 2, 2]);
    drop(onlookers.remove(1));
    assert_eq!(wakers.each_ref().map(Arc::strong_count), [2, 1, 2]);
    complete(&server);
    assert_eq!(wakers.each_ref().map(|woken| woken.times()), [1, 0, 1]);
    assert_eq!(wakers.each_ref().map(Arc::strong_count), [1, 1, 1]);
    for onlooker in &mut onlookers {
        let polled = onlooker.poll_next(&Context::from_waker(Waker::noop()));
        assert!(polled.is_ready() && onlooker.seen().health.ready);
        let polled = onlooker.poll_next(&Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "there is no other stage");
    }
}
