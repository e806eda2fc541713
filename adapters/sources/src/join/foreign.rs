//! What claims to be a pod that it is not, in words.

use std::collections::BTreeMap;

use podsapi_proto::json::printable;

use super::SourceRef;
use super::claims::{self, Registry, Whose};
use podsapi_core::Uid;

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

/// What is told first of what claims what is not its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Pod(usize, Uid),
    Sandbox(i64, String, usize),
}

/// All of it, by the UID that a pod has or a sandbox claims.
pub(super) type ByUid = BTreeMap<Uid, BTreeMap<Place, Foreign>>;

/// Returns all that claims what is not its own.
pub(super) fn all(
    owners: &[Owner],
    adopted: &Adopted,
    registry: &Registry,
    whose: &Whose,
) -> ByUid {
    let mut all = ByUid::new();
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
            let foreign = Foreign {
                source: SourceRef::Owner(place),
                text: told(&format!(
                    "{space}/{name} ({}): {what} (not believed)",
                    uid.as_str()
                )),
            };
            let of_uid = all.entry(uid.clone()).or_default();
            of_uid.insert(Place::Pod(place, uid.clone()), foreign);
        }
    }
    let of_another = |of: &Name, name: &Name| of != name;
    for (uid, said) in adopted.said() {
        let (name, (created, sandbox, same)) = (&said.name, &said.place);
        let Some(of) = registry.name(uid).filter(|of| of_another(of, name)) else {
            continue;
        };
        let foreign = Foreign {
            source: SourceRef::Runtime,
            text: told(&format!(
                "sandbox {sandbox} of {}/{}: claims the UID {} of {}/{} (not believed)",
                name.0,
                name.1,
                uid.as_str(),
                of.0,
                of.1
            )),
        };
        let place = Place::Sandbox(*created, sandbox.clone(), *same);
        let of_uid = all.entry(uid.clone()).or_default();
        of_uid.insert(place, foreign);
    }
    all
}

/// Returns it in an order that stays, and then the sandboxes that say two things.
pub(super) fn in_order(all: &ByUid, adopted: &Adopted) -> Vec<Foreign> {
    let mut places: Vec<(&Place, &Foreign)> = all.values().flatten().collect();
    places.sort_by_key(|(place, _)| *place);
    let torn = adopted.torn().map(|sandbox| Foreign {
        source: SourceRef::Runtime,
        text: told(&format!(
            "sandbox {sandbox}: its labels name another pod than its metadata (of no pod)"
        )),
    });
    let places = places.into_iter().map(|(_, foreign)| foreign.clone());
    places.chain(torn).collect()
}

fn told(text: &str) -> String {
    printable(text).into_owned()
}
