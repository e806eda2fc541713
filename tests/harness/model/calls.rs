//! What the model says to calls: the order of checks, then the pods.

use std::collections::BTreeMap;

use podsapi_core::{Code, Dialect, Method};

use crate::op::{Ask, MaskChoice, Setup};

use super::{Answer, MAX_WATCHES, Model, ModelWatch, ServedPod, uid};

/// The tokens of everybody.
#[derive(Debug)]
pub(super) struct Tokens {
    shared: Level,
    /// Those of the peers that have their own.
    own: BTreeMap<u8, Level>,
}

#[derive(Debug)]
struct Level {
    /// In billionths of a token.
    level: u128,
    since: u64,
}

impl Model {
    /// The order of checks that every call meets.
    fn admit(&mut self, method: Method, ask: Ask, now: u64) -> Result<(), Code> {
        if self.shut_down && method == Method::WatchPods {
            return Err(Code::Unavailable);
        }
        if !self.opened_gate {
            return Err(Code::FailedPrecondition);
        }
        if method != Method::WatchPods && !self.tokens.take(&self.setup, ask.peer, now) {
            return Err(Code::ResourceExhausted);
        }
        if ask.mask == MaskChoice::Wrong {
            return Err(Code::InvalidArgument);
        }
        Ok(())
    }

    fn count(&mut self, dialect: Dialect, method: Method, code: Code) {
        *self.requests.entry((dialect, method, code)).or_default() += 1;
    }

    /// A client lists.
    pub(crate) fn list(&mut self, ask: Ask, now: u64) -> Answer {
        let answer = self
            .admit(Method::ListPods, ask, now)
            .map(|()| self.visible(ask).iter().map(|pod| ask.of(pod)).collect());
        self.count(ask.dialect, Method::ListPods, code(&answer));
        answer
    }

    /// A client asks for one pod.
    pub(crate) fn get(&mut self, ask: Ask, pod: u8, now: u64) -> Answer {
        let answer = self.admit(Method::GetPod, ask, now).and_then(|()| {
            let pods = self.visible(ask);
            let pod = pods.iter().find(|served| served.uid == uid(pod));
            Ok(vec![ask.of(pod.ok_or(Code::NotFound)?)])
        });
        self.count(ask.dialect, Method::GetPod, code(&answer));
        answer
    }

    /// A client lists with a request that cannot be decoded.
    pub(crate) fn garbage(&mut self, dialect: Dialect, now: u64) -> Code {
        let code = self
            .admit(Method::ListPods, Ask::plain(dialect), now)
            .err()
            .unwrap_or(Code::Internal);
        self.count(dialect, Method::ListPods, code);
        code
    }

    /// A client watches.
    pub(crate) fn watch(&mut self, ask: Ask, now: u64) -> Result<(), Code> {
        let open = || self.watches.iter().filter(|watch| !watch.gone);
        let of_peer = open().filter(|watch| watch.ask.peer == ask.peer).count();
        let is_told_apart = ask.peer > 0 && self.setup.fair_peers > 0;
        let full = open().count() >= MAX_WATCHES as usize
            || (is_told_apart && of_peer >= MAX_WATCHES_PER_PEER);
        let admitted = match self.admit(Method::WatchPods, ask, now) {
            Ok(()) if full => Err(Code::ResourceExhausted),
            admitted => admitted,
        };
        if let Err(code) = admitted {
            self.count(ask.dialect, Method::WatchPods, code);
            return Err(code);
        }
        self.watches
            .push(ModelWatch::new(ask, &self.visible(ask), &self.setup));
        Ok(())
    }

    fn visible(&self, ask: Ask) -> Vec<ServedPod> {
        let served = self.served().into_values();
        served.filter(|pod| ask.sees(pod)).collect()
    }
}

fn code(answer: &Answer) -> Code {
    answer.as_ref().err().copied().unwrap_or(Code::Ok)
}

/// A quarter of [`MAX_WATCHES`], rounded up.
const MAX_WATCHES_PER_PEER: usize = 1;

impl Tokens {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            shared: Level::new(setup),
            own: BTreeMap::new(),
        }
    }

    /// A peer has its own tokens unless too many others have theirs, and have not all they may.
    fn take(&mut self, setup: &Setup, peer: u8, now: u64) -> bool {
        let max_peers = setup.fair_peers as usize;
        if peer == 0 || max_peers == 0 {
            return self.shared.take(setup, now);
        }
        if !self.own.contains_key(&peer) && self.own.len() >= max_peers {
            self.own.retain(|_, level| !level.is_full(setup, now));
        }
        if !self.own.contains_key(&peer) && self.own.len() >= max_peers {
            return self.shared.take(setup, now);
        }
        let fresh = || Level::new(setup);
        self.own.entry(peer).or_insert_with(fresh).take(setup, now)
    }
}

impl Level {
    fn new(setup: &Setup) -> Self {
        Self {
            level: u128::from(setup.burst) * 1_000_000_000,
            since: 0,
        }
    }

    fn take(&mut self, setup: &Setup, now: u64) -> bool {
        if setup.qps == 0 {
            return true;
        }
        self.fill(setup, now);
        let admitted = self.level >= 1_000_000_000;
        if admitted {
            self.level -= 1_000_000_000;
        }
        admitted
    }

    fn is_full(&mut self, setup: &Setup, now: u64) -> bool {
        self.fill(setup, now);
        self.level == u128::from(setup.burst) * 1_000_000_000
    }

    fn fill(&mut self, setup: &Setup, now: u64) {
        let gained = u128::from(now - self.since) * u128::from(setup.qps);
        self.level = (self.level + gained).min(u128::from(setup.burst) * 1_000_000_000);
        self.since = now;
    }
}
