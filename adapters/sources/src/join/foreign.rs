//! What claims to be a pod that it is not, in words.

use podsapi_proto::json::printable;

use super::SourceRef;
use super::claims::{self, Registry, Whose};
use super::identity::{Adopted, Name};
use super::owner::Owner;

/// A pod, or a sandbox of the runtime, that claims the identity of another pod.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Foreign {
    /// Which source has it.
    pub source: SourceRef,
    /// Who claims what, and what happens because of it; control characters are escapes.
    pub text: String,
}

/// Returns all that claims what is not its own, in an order that stays.
pub(super) fn all(
    owners: &[Owner],
    adopted: &Adopted,
    registry: &Registry,
    whose: &Whose,
) -> Vec<Foreign> {
    let mut all = Vec::new();
    for (place, owner) in owners.iter().enumerate() {
        for (uid, held, claimed) in claims::foreign(owner, whose) {
            let Some(pod) = &held.pod else { continue };
            let what = match claimed {
                Some((claim, of)) => format!(
                    "claims as a mirror pod the UID {} of {}/{}",
                    claim.as_str(),
                    of.0,
                    of.1
                ),
                None => {
                    "is marked as a mirror pod, but kubernetes.io/config.mirror is empty or not \
                         what kubernetes.io/config.hash says"
                        .to_owned()
                }
            };
            let (space, name) = (pod.namespace(), pod.name());
            all.push(Foreign {
                source: SourceRef::Owner(place),
                text: told(&format!(
                    "{space}/{name} ({}): {what} (not believed)",
                    uid.as_str()
                )),
            });
        }
    }
    let of_another = |of: &Name, name: &Name| of != name;
    for (uid, name, sandbox) in adopted.said() {
        let Some(of) = registry.name(uid).filter(|of| of_another(of, name)) else {
            continue;
        };
        all.push(Foreign {
            source: SourceRef::Runtime,
            text: told(&format!(
                "sandbox {sandbox} of {}/{}: claims the UID {} of {}/{} (not believed)",
                name.0,
                name.1,
                uid.as_str(),
                of.0,
                of.1
            )),
        });
    }
    for sandbox in adopted.torn() {
        all.push(Foreign {
            source: SourceRef::Runtime,
            text: told(&format!(
                "sandbox {sandbox}: its labels name another pod than its metadata (of no pod)"
            )),
        });
    }
    all
}

fn told(text: &str) -> String {
    printable(text).into_owned()
}
