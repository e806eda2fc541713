//! What a mask leaves of a pod, field by field.

use crate::op::{Ask, MaskChoice, ScopeChoice};

use super::ServedPod;

/// What the tests look at in a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    Uid,
    Namespace,
    Name,
    Version,
    Spec,
    Phase,
    ReadyStatus,
    ReadyReason,
}

use Leaf::{Name, Namespace, Phase, ReadyReason, ReadyStatus, Spec, Uid, Version};

const METADATA: [Leaf; 4] = [Uid, Namespace, Name, Version];
const CONDITION: [Leaf; 2] = [ReadyStatus, ReadyReason];
const STATUS: [Leaf; 3] = [Phase, ReadyStatus, ReadyReason];

fn leaves(mask: MaskChoice) -> &'static [Leaf] {
    match mask {
        MaskChoice::None | MaskChoice::Everything => &[
            Uid,
            Namespace,
            Name,
            Version,
            Spec,
            Phase,
            ReadyStatus,
            ReadyReason,
        ],
        MaskChoice::Nothing | MaskChoice::Wrong => &[],
        MaskChoice::Identity => &[Uid, Namespace, Name],
        MaskChoice::Version => &[Version],
        MaskChoice::Phase => &[Phase],
        MaskChoice::Ready => &[ReadyStatus],
        MaskChoice::Status => &STATUS,
        MaskChoice::Mixed => &[Version, Phase],
    }
}

impl Ask {
    /// Tells whether whole pods are seen.
    pub(crate) fn is_unmasked(self) -> bool {
        let all = [MaskChoice::None, MaskChoice::Everything];
        all.contains(&self.mask) && all.contains(&self.limit)
    }

    /// Tells whether pods show their UID.
    pub(crate) fn shows_uids(self) -> bool {
        self.shows(Uid)
    }

    pub(super) fn sees(self, pod: &ServedPod) -> bool {
        match self.scope {
            ScopeChoice::All => true,
            ScopeChoice::OneNamespace => pod.namespace == "namespace-0",
        }
    }

    /// Returns what is left of a pod.
    pub(super) fn of(self, pod: &ServedPod) -> ServedPod {
        let text = |leaf, text: &String| match self.shows(leaf) {
            true => text.clone(),
            false => String::new(),
        };
        let ready = pod.ready.as_ref().filter(|_| self.touches(&CONDITION));
        ServedPod {
            metadata: self.touches(&METADATA),
            uid: text(Uid, &pod.uid),
            namespace: text(Namespace, &pod.namespace),
            name: text(Name, &pod.name),
            version: text(Version, &pod.version),
            spec: self.shows(Spec),
            status: self.touches(&STATUS),
            phase: text(Phase, &pod.phase),
            ready: ready
                .map(|(status, reason)| (text(ReadyStatus, status), text(ReadyReason, reason))),
        }
    }

    fn shows(self, leaf: Leaf) -> bool {
        leaves(self.mask).contains(&leaf) && leaves(self.limit).contains(&leaf)
    }

    /// Tells whether both masks name something of a message, which stays then, however empty.
    fn touches(self, message: &[Leaf]) -> bool {
        let names = |mask| leaves(mask).iter().any(|leaf| message.contains(leaf));
        names(self.mask) && names(self.limit)
    }
}
