//! One round: everything is listed, and what is new or changed is asked about.

use std::collections::BTreeSet;

use futures_util::{StreamExt, stream};
use podsapi_client::{ClientError, Code};
use podsapi_proto::cri;
use tokio::time::Instant;

use super::known::{Known, Need};
use super::runtime::Runtime;
use super::termination;
use super::trouble::{Trouble, shortened};

/// Brings `known` up to date; returns in words what could not be learned of single items.
pub(super) async fn run(
    runtime: &Runtime,
    known: &mut Known,
    now: Instant,
) -> Result<Option<String>, Trouble> {
    // In this order a new pod can be without its containers for a moment, which looks like what it
    // is, but no container can be without its sandbox.
    let containers = runtime.containers().await?;
    let sandboxes = runtime.sandboxes().await?;
    let needs = known.handle_lists(&sandboxes, &containers, now);
    // What lists hold is not needed any more while statuses are waited for.
    drop((containers, sandboxes));
    statuses(runtime, known, needs).await
}

/// Asks for these statuses; returns in words what could not be learned.
pub(super) async fn statuses(
    runtime: &Runtime,
    known: &mut Known,
    needs: Vec<Need>,
) -> Result<Option<String>, Trouble> {
    let mut answers = stream::iter(needs)
        .map(|need| ask(runtime, need))
        .buffer_unordered(CONCURRENT_CALLS);
    let mut overdue = 0;
    while let Some(answer) = answers.next().await {
        let now = Instant::now();
        match answer {
            Answer::Container(status, last_words) => {
                known.handle_container(*status, last_words, now);
            }
            Answer::Sandbox(status) => known.handle_sandbox(*status, now),
            Answer::Failed(need, error) => match &error {
                ClientError::Refused(status) if status.code() == Code::NotFound => {
                    known.handle_missing(&need, now);
                }
                ClientError::Refused(status) => {
                    overdue += usize::from(status.code() == Code::DeadlineExceeded);
                    if overdue >= CONCURRENT_CALLS {
                        return Err(Trouble::StatusesOverdue);
                    }
                    known.handle_refused(&need, &shortened(error.to_string()), now);
                }
                ClientError::Transport(_) => {
                    let method = need.method();
                    return Err(Trouble::Call { method, error });
                }
            },
        }
    }
    known.settle();
    Ok(summary(&known.refused()))
}

/// What came of one need.
enum Answer {
    Container(Box<cri::ContainerStatus>, Option<String>),
    Failed(Need, ClientError),
    Sandbox(Box<cri::PodSandboxStatus>),
}

async fn ask(runtime: &Runtime, need: Need) -> Answer {
    match &need {
        Need::Container(id) => match runtime.container(id).await {
            Ok(status) => {
                let last_words = termination::last_words(&status).await;
                Answer::Container(Box::new(status), last_words)
            }
            Err(error) => Answer::Failed(need, error),
        },
        Need::Sandbox(id) => match runtime.sandbox(id).await {
            Ok(status) => Answer::Sandbox(Box::new(status)),
            Err(error) => Answer::Failed(need, error),
        },
    }
}

fn summary(refused: &BTreeSet<String>) -> Option<String> {
    let mut lines: Vec<&str> = refused.iter().map(String::as_str).collect();
    if lines.is_empty() {
        return None;
    }
    let more = lines.len().saturating_sub(LINES_LIMIT);
    lines.truncate(LINES_LIMIT);
    let mut text = lines.join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text.push_str(" (they stay as they were told last; it is asked again)");
    Some(text)
}

/// Statuses asked for at a time: more make a runtime slower, not faster.
const CONCURRENT_CALLS: usize = 8;

/// Items spelled out in one text.
const LINES_LIMIT: usize = 5;
