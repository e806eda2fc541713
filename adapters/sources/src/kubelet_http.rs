//! Pods from a kubelet without the Pods API: its `/pods`, asked again and again.
//!
//! Each answer is one complete list, and while there is no whole, good answer the pods of the last
//! one stay. A kubelet that has just started answers with no pods and then with some of them, as
//! if these were all; and a start between two questions is not seen. So what an answer does not
//! name is gone when a second one, [`Options::confirm`] later or more, does not name it either,
//! with no failure in between; the kubelet is asked more often until then. After a failure it is
//! asked more often, too, until two answers agree, and nothing goes for [`Options::startup`]; nor
//! does anything while an answer has no pod at all, for as long. And while its `/healthz`, asked
//! for before a pod goes, fails, nothing goes. It is at the port of `/pods`; where it cannot be
//! read (404, a token that may not, a proxy), two answers are enough. A first list that is empty,
//! or follows failures, is told when two agree.
//!
//! A kubelet says nothing between two answers, so a pod that comes and goes within a period is
//! never seen; a server of the Pods API is better watched (`kubelet`).
//!
//! Every poll is a connection of its own and reads the token and the certificates from their files
//! anew, so that both can be replaced while this runs. The token is sent to servers only whose
//! certificate was checked, or with [`Trust::AnyCertificate`]; it appears in no message.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use podsapi_client::{Backoff, BackoffOptions};
use podsapi_core::{EncodedPod, Moment, SourceError, Uid};
use podsapi_proto::json::Value;
use tokio::time::Instant;

use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use crate::snapshot::{list, salvage};
use crate::tree;
use belief::Belief;

pub use endpoint::{Endpoint, EndpointError};
pub use trust::Trust;

mod belief;
mod endpoint;
mod fetch;
#[cfg(test)]
mod tests;
mod trust;

/// Which kubelet to ask, how, and how often.
#[derive(Clone, Debug)]
pub struct Options {
    endpoint: Endpoint,
    token_file: Option<PathBuf>,
    /// There exactly with https.
    trust: Option<Trust>,
    /// How long to wait after an answer before the kubelet is asked again.
    pub period: Duration,
    /// How long a whole answer may take.
    pub timeout: Duration,
    /// How long a pod must be missing until it is gone; more than a kubelet needs to know its pods
    /// again after a start.
    pub confirm: Duration,
    /// How long no pod goes after a failure, and while an answer has no pod at all: as long as a
    /// kubelet may need on a busy machine.
    pub startup: Duration,
}

impl Options {
    /// Asks `endpoint` 10 seconds after its last answer, waits 20 seconds for each, and lets go of
    /// a pod that is missing for 2 seconds, or 15 where the kubelet may have just started.
    ///
    /// # Errors
    ///
    /// When https is without `trust`, or when a token or `trust` is without https.
    pub fn new(
        endpoint: Endpoint,
        token_file: Option<PathBuf>,
        trust: Option<Trust>,
    ) -> Result<Self, OptionsError> {
        match (endpoint.is_https(), &trust, &token_file) {
            (true, None, _) => Err(OptionsError::HttpsWithoutTrust),
            (false, Some(_), _) => Err(OptionsError::TrustWithoutHttps),
            (false, None, Some(_)) => Err(OptionsError::TokenWithoutHttps),
            (true, Some(_), _) | (false, None, None) => Ok(Self {
                endpoint,
                token_file,
                trust,
                period: PERIOD,
                timeout: TIMEOUT,
                confirm: CONFIRM,
                startup: STARTUP,
            }),
        }
    }
}

/// Why options do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionsError {
    /// Nothing says whose certificates count.
    HttpsWithoutTrust,
    /// A token would be readable on its way.
    TokenWithoutHttps,
    /// There is no certificate to check.
    TrustWithoutHttps,
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::HttpsWithoutTrust => {
                "https needs a file of certificate authorities, or the word that any will do"
            }
            Self::TokenWithoutHttps => "a token is sent over https only",
            Self::TrustWithoutHttps => "certificates are checked with https only",
        })
    }
}

impl std::error::Error for OptionsError {}

/// Serves the kubelet's pods until the future is dropped.
///
/// # Errors
///
/// Ends only when the sink does not accept the source.
pub async fn run(options: Options, sink: Sink) -> Result<Infallible, SourceError> {
    if options.trust == Some(Trust::AnyCertificate) {
        tracing::warn!(
            source = SOURCE,
            endpoint = %options.endpoint,
            "the kubelet's certificate is not checked: whoever answers is believed, and is told the token"
        );
    }
    let clock = Instant::now();
    let mut reloads = sink.reloads();
    let mut poll = Poll::new(options, sink, fastrand::u64(..));
    loop {
        let said = poll.ask().await;
        let now = Moment::from_nanos(u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX));
        let illness = match poll.handle_answer(said, now) {
            Next::Tell => None,
            Next::AskHealth => fetch::illness(&poll.options, HEALTH_TIMEOUT).await,
        };
        let wait = poll.tell(illness, now)?;
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = reloads.next() => {}
        }
    }
}

/// What is to be done with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Pods would go: the kubelet is to be asked first whether it is well.
    AskHealth,
    Tell,
}

/// The source between two answers; pure but for its sink and its questions.
#[derive(Debug)]
struct Poll {
    options: Options,
    sink: Sink,
    backoff: Backoff,
    problems: Problems,
    belief: Belief,
    /// What was put last; `None` before the first list.
    served: Option<Vec<EncodedPod>>,
    /// What the last question led to and was not told yet.
    said: Result<list::Found, String>,
    /// What the last good answer left to tell.
    refused: BTreeSet<Problem>,
    /// Whether the sink knows that there was no answer.
    lost: bool,
}

impl Poll {
    fn new(options: Options, sink: Sink, seed: u64) -> Self {
        let waits = BackoffOptions {
            initial: FIRST_RETRY.min(options.period),
            max: options.period,
            ..BackoffOptions::default()
        };
        Self {
            belief: Belief::new(options.confirm, options.startup),
            backoff: Backoff::new(waits, seed),
            options,
            sink,
            problems: Problems::default(),
            served: None,
            said: Ok(list::Found::default()),
            refused: BTreeSet::new(),
            lost: false,
        }
    }

    /// Takes what came of a question; [`Poll::tell`] is next in any case.
    fn handle_answer(&mut self, said: Result<list::Found, String>, now: Moment) -> Next {
        match &said {
            Ok(found) => {
                let named = found.pods.iter().map(|pod| pod.uid().clone()).collect();
                self.belief.handle_answer(named, &self.uids(), now);
            }
            Err(_) => self.belief.handle_failure(),
        }
        self.said = said;
        match self.belief.gone(now).is_empty() {
            true => Next::Tell,
            false => Next::AskHealth,
        }
    }

    /// Tells what the last answer changes; returns how long to wait until the next question.
    fn tell(&mut self, illness: Option<String>, now: Moment) -> Result<Duration, SourceError> {
        match std::mem::replace(&mut self.said, Ok(list::Found::default())) {
            Ok(found) => self.list(found, illness, now),
            Err(error) => self.outage(&error),
        }
    }

    fn list(
        &mut self,
        mut found: list::Found,
        illness: Option<String>,
        now: Moment,
    ) -> Result<Duration, SourceError> {
        self.backoff.reset();
        if self.served.is_none() && self.belief.is_premature(now) {
            return Ok(self.soon());
        }
        let gone = match &illness {
            Some(_) => BTreeSet::new(),
            None => self.belief.gone(now),
        };
        self.belief.forget(&gone);
        let named: BTreeSet<_> = found.pods.iter().map(|pod| pod.uid().clone()).collect();
        let none_named = named.is_empty();
        let stays = |pod: &&EncodedPod| !named.contains(pod.uid()) && !gone.contains(pod.uid());
        let kept = self.served.iter().flatten().filter(stays).cloned();
        let kept: Vec<_> = kept.collect();
        let remark = match &illness {
            Some(illness) => Some(format!(
                "the kubelet's /healthz {illness}: {} pods that it names no more stay served until \
                 it is well",
                kept.len()
            )),
            None if none_named && !kept.is_empty() => Some(format!(
                "the answer has no pods, as of a kubelet that has just started; the pods known \
                 last stay served until it was so for {:?}",
                self.options.startup
            )),
            None => None,
        };
        found.pods.extend(kept);
        let refused = self.sink.replace(&found.pods)?;
        if self.lost || self.served.is_none() {
            tracing::info!(source = SOURCE, pods = found.pods.len(), "list complete");
        }
        self.lost = false;
        self.served = Some(found.pods);
        self.refused = found.problems.into_iter().chain(refused).collect();
        let endpoint = self.options.endpoint.to_string();
        self.tell_problems(remark.map(|remark| Problem::remark(endpoint, remark)));
        Ok(match (self.belief.is_open(), illness) {
            (true, None) => self.soon(),
            (true, Some(_)) => self.options.period.min(self.options.confirm),
            (false, _) => self.options.period,
        })
    }

    fn outage(&mut self, error: &str) -> Result<Duration, SourceError> {
        let state = match self.served {
            Some(_) => "the pods known last stay served; it is asked again",
            None => "nothing of it is served before its first answer; it is asked again",
        };
        let text = format!("{error} ({state})");
        let endpoint = self.options.endpoint.to_string();
        self.tell_problems(Some(Problem::fault(endpoint, text)));
        if !self.lost {
            self.lost = true;
            self.sink.lost()?;
        }
        Ok(self.backoff.next_wait())
    }

    /// Returns the wait where the next answer is awaited: several fall into the time that a pod
    /// must be missing, so that a failure in between shows.
    fn soon(&self) -> Duration {
        self.options.period.min(self.options.confirm / 4)
    }

    fn uids(&self) -> BTreeSet<Uid> {
        let served = self.served.iter().flatten();
        served.map(|pod| pod.uid().clone()).collect()
    }

    /// Returns what one whole answer says.
    async fn ask(&self) -> Result<list::Found, String> {
        let answer = tokio::time::timeout(self.options.timeout, fetch::pods(&self.options)).await;
        let answer = answer
            .map_err(|_elapsed| format!("no whole answer within {:?}", self.options.timeout))?
            .map_err(|error| error.to_string())?;
        let before = self.served.clone().unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || read(&answer, &before));
        read.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn tell_problems(&mut self, own: Option<Problem>) {
        let now = self.refused.iter().cloned().chain(own).collect();
        self.problems.replace(now, SOURCE, &self.sink);
    }
}

/// Reads a list of pods; anything else, even an empty object, says nothing about pods. One without
/// a list (`items: null`) is what a kubelet answers that has none.
fn read(answer: &[u8], before: &[EncodedPod]) -> Result<list::Found, String> {
    let read = salvage::json(answer).map_err(|error| format!("the answer is not JSON: {error}"))?;
    let document = read.documents.first().unwrap_or(&Value::Null);
    let kind = document
        .as_map()
        .map_or("", |document| tree::text(document, "kind"));
    if kind != "PodList" {
        let found = kind.chars().take(KIND_LIMIT).collect::<String>();
        return Err(format!(
            "expected an answer of kind PodList, found {found:?}"
        ));
    }
    match document.get("items") {
        None | Some(Value::Null) => Ok(list::Found::default()),
        Some(Value::List(_)) => list::read(read, before),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Map(_)) => {
            Err("expected a list of items in the answer, found none".to_owned())
        }
    }
}

const SOURCE: &str = "kubelet-http";

/// A kubelet looks at its own pods every ten seconds at the latest.
const PERIOD: Duration = Duration::from_secs(10);

/// A kubelet answers from memory; what takes longer than this hangs.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A kubelet that has just started knows its pods again within half a second.
const CONFIRM: Duration = Duration::from_secs(2);

/// A kubelet on a busy machine was seen to need five seconds.
const STARTUP: Duration = Duration::from_secs(15);

/// Health is told from memory, too.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);

/// The wait after a first failure, since a kubelet that restarts is back soon.
const FIRST_RETRY: Duration = Duration::from_secs(1);

/// Characters of an unexpected kind that are repeated.
const KIND_LIMIT: usize = 60;
