//! Why the pods of a node cannot be learned from an API server, and what to do about it.

use std::fmt;

use super::answer::Refusal;
use super::request::PATH;

/// A failed request.
#[derive(Clone, Debug)]
pub(super) struct Failure<'a> {
    /// `list` or `watch`.
    pub(super) verb: &'static str,
    /// The node whose pods are asked for.
    pub(super) node: &'a str,
    /// Whether there is a list that stays.
    pub(super) synced: bool,
    pub(super) cause: Cause,
}

/// What went wrong.
#[derive(Clone, Debug)]
pub(super) enum Cause {
    /// There was no connection, or it broke, or what came over it cannot be read.
    Broken(String),
    /// The server answered that it will not.
    Refused(Refusal),
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            verb, node, cause, ..
        } = self;
        write!(
            f,
            "cannot {verb} pods (field selector spec.nodeName={node}): "
        )?;
        match cause {
            Cause::Broken(what) => f.write_str(what)?,
            Cause::Refused(refusal) => refused(refusal, node, f)?,
        }
        f.write_str(match self.synced {
            true => " (the pods stay as they were last; it is asked again)",
            false => {
                " (nothing but a checkpoint is served before the first list; it is asked again)"
            }
        })
    }
}

fn refused(refusal: &Refusal, node: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (says, advice) = match refusal.code {
        401 | 403 if refusal.message.contains("system:anonymous") => (
            "the API server takes this for a request of nobody",
            "give credentials that it accepts: its user has none, or the server does not know them",
        ),
        401 => (
            "the API server does not accept the credentials",
            "renew the token or the client certificate",
        ),
        403 if is_of_another_node(&refusal.message, node) => (
            "the API server forbids it",
            "a node may read its own pods only: give the node name that is in this user's name, or \
             the credentials of this node",
        ),
        403 => (
            "the API server forbids it",
            "bind a ClusterRole with the verbs list and watch on the resource pods (core API \
             group) to this identity",
        ),
        404 => ("the server does not have it", ""),
        406 | 415 => (
            "the API server offers neither Kubernetes protobuf nor JSON",
            "ask it without a proxy that changes headers",
        ),
        410 => ("the API server no longer has the asked version", ""),
        429 => (
            "the API server is too busy",
            "if that stays, see its API priority and fairness",
        ),
        300..=399 => (
            "the server sends elsewhere",
            "give the URL of the API server itself",
        ),
        500..=599 => (
            "the API server fails",
            "see its log, and that of a load balancer in front of it",
        ),
        _ => ("the API server refuses", ""),
    };
    f.write_str(says)?;
    let Refusal {
        code,
        reason,
        message,
        ..
    } = refusal;
    match (message.as_str(), reason.as_str()) {
        ("", "") => write!(f, " ({code})")?,
        ("", text) | (text, _) => write!(f, " ({code}: {text})")?,
    }
    match (code, advice) {
        (404, _) => write!(
            f,
            ": check that its URL is that of a Kubernetes API server, which has {PATH}"
        ),
        (_, "") => Ok(()),
        (_, advice) => write!(f, ": {advice}"),
    }
}

/// Whether the refused user is a node with another name than that which was asked about.
fn is_of_another_node(message: &str, node: &str) -> bool {
    let of = message.split_once("User \"system:node:");
    let user = of.and_then(|(_, rest)| rest.split_once('"'));
    user.is_some_and(|(user, _)| user != node)
}
