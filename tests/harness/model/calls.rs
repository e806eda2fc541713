//! What the model says to calls: the order of checks, then the pods.

use podsapi_core::{Code, Dialect, Method};

use crate::op::{Ask, MaskChoice, Setup};

use super::{Answer, MAX_WATCHES, Model, ModelWatch, ServedPod, uid};

#[derive(Debug)]
pub(super) struct Tokens {
    /// In billionths of a token.
    level: u128,
    since: u64,
}

impl Model {
    /// The order of checks that every call meets.
    fn admit(&mut self, method: Method, mask: MaskChoice, now: u64) -> Result<(), Code> {
        if self.shut_down {
            return Err(Code::Unavailable);
        }
        if !self.opened_gate {
            return Err(Code::FailedPrecondition);
        }
        if method != Method::WatchPods && !self.tokens.take(&self.setup, now) {
            return Err(Code::ResourceExhausted);
        }
        if mask == MaskChoice::Wrong {
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
            .admit(Method::ListPods, ask.mask, now)
            .map(|()| self.visible(ask).iter().map(|pod| ask.of(pod)).collect());
        self.count(ask.dialect, Method::ListPods, code(&answer));
        answer
    }

    /// A client asks for one pod.
    pub(crate) fn get(&mut self, ask: Ask, pod: u8, now: u64) -> Answer {
        let answer = self.admit(Method::GetPod, ask.mask, now).and_then(|()| {
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
            .admit(Method::ListPods, MaskChoice::None, now)
            .err()
            .unwrap_or(Code::Internal);
        self.count(dialect, Method::ListPods, code);
        code
    }

    /// A client watches.
    pub(crate) fn watch(&mut self, ask: Ask, now: u64) -> Result<(), Code> {
        let open = self.watches.iter().filter(|watch| !watch.gone).count();
        let admitted = match self.admit(Method::WatchPods, ask.mask, now) {
            Ok(()) if open >= MAX_WATCHES as usize => Err(Code::ResourceExhausted),
            admitted => admitted,
        };
        if let Err(code) = admitted {
            self.count(ask.dialect, Method::WatchPods, code);
            return Err(code);
        }
        self.watches.push(ModelWatch::new(ask, &self.visible(ask)));
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

impl Tokens {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            level: u128::from(setup.burst) * 1_000_000_000,
            since: 0,
        }
    }

    fn take(&mut self, setup: &Setup, now: u64) -> bool {
        if setup.qps == 0 {
            return true;
        }
        let gained = u128::from(now - self.since) * u128::from(setup.qps);
        self.level = (self.level + gained).min(u128::from(setup.burst) * 1_000_000_000);
        self.since = now;
        let admitted = self.level >= 1_000_000_000;
        if admitted {
            self.level -= 1_000_000_000;
        }
        admitted
    }
}
