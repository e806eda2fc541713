//! Which cluster an API server is of: the UID that the cluster has, or else the way to it.
//!
//! Addresses and kubeconfigs are used again for other clusters. The namespace `kube-system` is made
//! once with each cluster and cannot be deleted, so its UID is the cluster's own; but not every user
//! may read it. Then the way counts: the server's address and the authorities that sign for it,
//! which a cluster makes anew for itself.

use std::fmt;
use std::time::Duration;

use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use podsapi_proto::json::{Value, parse_json};
use sha2::{Digest, Sha256};

use super::access::{Access, Cluster, get};
use super::trouble::Trouble;

/// The way to an API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way {
    /// Its address, without what could be a password.
    pub(super) server: String,
    /// The SHA-256 of the authorities that are named to sign its certificate, of nothing if none is.
    pub(super) authorities: [u8; SUM_BYTES],
}

/// Which cluster it is, as far as that can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Identity {
    /// The UID of the namespace `kube-system`; empty where it may not be read.
    pub(super) uid: String,
    pub(super) way: Way,
}

/// What one question brought to light.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) identity: Identity,
    /// Whether it stays so: the UID is known, or may not be read. Otherwise nobody has said it yet.
    pub(super) is_final: bool,
}

impl Way {
    pub(super) fn new(server: String, authorities: Option<&[Vec<u8>]>) -> Self {
        let mut certificates: Vec<_> = authorities.into_iter().flatten().collect();
        // Their order in a file says nothing.
        certificates.sort_unstable();
        certificates.dedup();
        let mut sum = Sha256::new();
        for certificate in certificates {
            sum.update(certificate.len().to_be_bytes());
            sum.update(certificate);
        }
        Self {
            server,
            authorities: sum.finalize().into(),
        }
    }
}

impl Identity {
    /// Whether both are the same cluster: by their UIDs where both are known, or else by the way.
    ///
    /// So where only one of them has a UID, another way is another cluster, as far as one can tell.
    pub(super) fn is(&self, other: &Self) -> bool {
        match self.uid.is_empty() || other.uid.is_empty() {
            true => self.way == other.way,
            false => self.uid == other.uid,
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.way.server)?;
        match self.uid.as_str() {
            "" => Ok(()),
            uid => write!(f, " with the UID {uid:?}"),
        }
    }
}

/// Finds out which cluster it is, by a client of its own.
///
/// # Errors
///
/// When there is no way to the cluster, since no client can be made of the files of credentials. A
/// server that does not answer is no error: then the way is all that is known, for now.
pub(super) async fn identify(cluster: Cluster) -> Result<Answered, Trouble> {
    let (client, way) = Access::new(cluster).client().await?;
    let asking = async {
        let request = get(NAMESPACE, "application/json").ok()?;
        let response = client.send(request).await.ok()?;
        match response.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND => {
                return Some(String::new());
            }
            status if !status.is_success() => return None,
            _ => {}
        }
        let body = Limited::new(response.into_body(), NAMESPACE_LIMIT_BYTES);
        uid(&body.collect().await.ok()?.to_bytes())
    };
    let uid = tokio::time::timeout(PATIENCE, asking).await.ok().flatten();
    Ok(Answered {
        is_final: uid.is_some(),
        identity: Identity {
            uid: uid.unwrap_or_default(),
            way: Way::clone(&way),
        },
    })
}

/// Returns the UID of a namespace.
fn uid(answer: &[u8]) -> Option<String> {
    let namespace = parse_json(answer).ok()?;
    let text = |value: Option<&Value>| value?.as_str().map(str::to_owned);
    let is_namespace = text(namespace.get("kind"))? == "Namespace";
    let uid = text(namespace.get("metadata")?.get("uid"))?;
    (is_namespace && !uid.is_empty() && uid.len() <= UID_LIMIT_BYTES).then_some(uid)
}

pub(super) const SUM_BYTES: usize = 32;

const NAMESPACE: &str = "/api/v1/namespaces/kube-system";

/// A server that is there answers from memory; the pods of an earlier run do not wait for longer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Labels, annotations and managed fields of a namespace have some kilobytes.
const NAMESPACE_LIMIT_BYTES: usize = 1 << 20;

/// A UUID has 36.
const UID_LIMIT_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_told_apart_by_their_uids_or_else_by_the_way() {
        let of = |uid: &str, server: &str, authority: &[u8]| Identity {
            uid: uid.to_owned(),
            way: Way::new(server.to_owned(), Some(&[authority.to_vec()])),
        };
        let known = of("u", "https://a", b"x");
        for (other, same) in [
            (of("u", "https://a", b"x"), true),
            // A new address and a new authority of the same cluster.
            (of("u", "https://b", b"y"), true),
            (of("v", "https://a", b"x"), false),
            (of("", "https://a", b"x"), true),
            (of("", "https://b", b"x"), false),
            (of("", "https://a", b"y"), false),
        ] {
            assert_eq!(known.is(&other), same, "{other:?}");
            assert_eq!(other.is(&known), same, "{other:?}");
        }
    }

    #[test]
    fn authorities_are_the_same_in_any_order_and_others_with_one_more() {
        let sum = |authorities: &[&[u8]]| {
            let authorities: Vec<_> = authorities.iter().map(|one| one.to_vec()).collect();
            Way::new(String::new(), Some(&authorities)).authorities
        };
        assert_eq!(sum(&[b"a", b"b"]), sum(&[b"b", b"a", b"b"]));
        assert_ne!(sum(&[b"a", b"b"]), sum(&[b"ab"]));
        assert_ne!(sum(&[b"a"]), sum(&[b"a", b"b"]));
        assert_eq!(sum(&[]), Way::new(String::new(), None).authorities);
    }

    #[test]
    fn a_uid_is_read_of_a_namespace_only() {
        let of = |text: &str| uid(text.as_bytes());
        let namespace = r#"{"kind":"Namespace","metadata":{"name":"kube-system","uid":"u"}}"#;
        assert_eq!(of(namespace).as_deref(), Some("u"));
        for other in [
            "",
            "[]",
            r#"{"kind":"Status","metadata":{"uid":"u"}}"#,
            r#"{"kind":"Namespace","metadata":{}}"#,
            r#"{"kind":"Namespace","metadata":{"uid":7}}"#,
            r#"{"kind":"Namespace","metadata":{"uid":""}}"#,
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
