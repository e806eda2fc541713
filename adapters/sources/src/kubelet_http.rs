//! Pods from a kubelet without the Pods API: its `/pods`, asked again and again.
//!
//! Each answer is one complete list: what it does not name is gone. While there is no whole, good
//! answer the pods of the last one stay. One that has no list at all (`items: null`) is what a kubelet
//! answers that has no pods, and one that has just started and does not know them yet: where there
//! were pods, they stay for one more period, and a second such answer is believed. A kubelet says nothing between two answers, so a pod that
//! comes and goes within a period is never seen; a server of the Pods API is better watched
//! (`kubelet`).
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
use podsapi_core::{EncodedPod, SourceError};
use podsapi_proto::json::{Value, parse_json};

use crate::problems::{Problem, Problems};
use crate::sink::Sink;
use crate::snapshot::list;
use crate::tree;

pub use endpoint::{Endpoint, EndpointError};
pub use trust::Trust;

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
}

impl Options {
    /// Asks `endpoint` 10 seconds after its last answer, and waits 20 seconds for each.
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
    let waits = BackoffOptions {
        initial: FIRST_RETRY.min(options.period),
        max: options.period,
        ..BackoffOptions::default()
    };
    let period = options.period;
    let mut backoff = Backoff::new(waits, fastrand::u64(..));
    let mut poll = Poll {
        options,
        sink,
        problems: Problems::default(),
        served: None,
        refused: BTreeSet::new(),
        lost: false,
        doubted: false,
    };
    let mut reloads = poll.sink.reloads();
    loop {
        let wait = match poll.once().await? {
            Answer::Complete => {
                backoff.reset();
                period
            }
            Answer::None => backoff.next_wait(),
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = reloads.next() => {}
        }
    }
}

/// What came of asking once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Complete,
    None,
}

/// The source between two answers.
#[derive(Debug)]
struct Poll {
    options: Options,
    sink: Sink,
    problems: Problems,
    /// What was put last; `None` before the first answer.
    served: Option<Vec<EncodedPod>>,
    /// What the last good answer left to tell.
    refused: BTreeSet<Problem>,
    /// Whether the sink knows that there was no answer.
    lost: bool,
    /// Whether the last answer had no list, and was not believed.
    doubted: bool,
}

impl Poll {
    async fn once(&mut self) -> Result<Answer, SourceError> {
        match self.ask().await {
            Ok(Said::Nothing) if !self.doubted && self.has_pods() => {
                self.doubted = true;
                let text = "the answer has no list of pods (items: null), as of a kubelet that has \
                            just started; the pods known last stay served for one more period";
                let endpoint = self.options.endpoint.to_string();
                self.tell(Some(Problem::remark(endpoint, text)));
                Ok(Answer::Complete)
            }
            Ok(said) => {
                self.doubted = false;
                let found = match said {
                    Said::List(found) => found,
                    Said::Nothing => list::Found::default(),
                };
                let refused = self.sink.replace(&found.pods)?;
                if self.lost || self.served.is_none() {
                    tracing::info!(source = SOURCE, pods = found.pods.len(), "list complete");
                }
                self.lost = false;
                self.served = Some(found.pods);
                self.refused = found.problems.into_iter().chain(refused).collect();
                self.tell(None);
                Ok(Answer::Complete)
            }
            Err(error) => {
                let state = match self.served {
                    Some(_) => "the pods known last stay served; it is asked again",
                    None => "nothing of it is served before its first answer; it is asked again",
                };
                let text = format!("{error} ({state})");
                self.tell(Some(Problem::fault(
                    self.options.endpoint.to_string(),
                    text,
                )));
                if !self.lost {
                    self.lost = true;
                    self.sink.lost()?;
                }
                Ok(Answer::None)
            }
        }
    }

    fn has_pods(&self) -> bool {
        self.served.as_ref().is_some_and(|pods| !pods.is_empty())
    }

    /// Returns what one whole answer says.
    async fn ask(&self) -> Result<Said, String> {
        let answer = tokio::time::timeout(self.options.timeout, fetch::fetch(&self.options)).await;
        let answer = answer
            .map_err(|_elapsed| format!("no whole answer within {:?}", self.options.timeout))?
            .map_err(|error| error.to_string())?;
        let before = self.served.clone().unwrap_or_default();
        let read = tokio::task::spawn_blocking(move || read(&answer, &before));
        read.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    fn tell(&mut self, outage: Option<Problem>) {
        let now = self.refused.iter().cloned().chain(outage).collect();
        self.problems.replace(now, SOURCE, &self.sink);
    }
}

/// What an answer says about the pods.
#[derive(Debug)]
enum Said {
    List(list::Found),
    /// It is of the right kind, and has no list.
    Nothing,
}

/// Reads a list of pods; anything else, even an empty object, says nothing about pods.
fn read(answer: &[u8], before: &[EncodedPod]) -> Result<Said, String> {
    let document =
        parse_json(answer).map_err(|error| format!("the answer is not JSON: {error}"))?;
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
        None | Some(Value::Null) => Ok(Said::Nothing),
        Some(Value::List(_)) => list::read(vec![document], before).map(Said::List),
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

/// The wait after a first failure, since a kubelet that restarts is back soon.
const FIRST_RETRY: Duration = Duration::from_secs(1);

/// Characters of an unexpected kind that are repeated.
const KIND_LIMIT: usize = 60;
