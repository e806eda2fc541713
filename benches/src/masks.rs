//! Masks, as many different ones as somebody wants.

use podsapi_core::MAX_KEYS;

/// A kind of masks, of each of which there are at least 4,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// One label, which no pod has.
    Labels,
    /// As many labels as a mask may name keys, which no pod has.
    ManyLabels,
    /// Plain fields that do not change with [`PHASE`].
    Leaves,
    /// The same, and [`PHASE`].
    LeavesAndPhase,
    /// Nearly all of a pod, and one label, which no pod has.
    Wide,
}

impl Masks {
    /// Returns a mask by its number; those of two numbers below [`MOST`] differ.
    pub fn mask(self, number: usize) -> String {
        let leaves = || LEAVES.iter().enumerate();
        let chosen = || leaves().filter(|(place, _)| number >> place & 1 == 1);
        let first = match self {
            Self::Wide => return format!("spec,status,metadata.labels.k{number}"),
            Self::ManyLabels => {
                let labels = (0..MAX_KEYS).map(|key| format!("metadata.labels.k{number}-{key}"));
                return labels.collect::<Vec<_>>().join(",");
            }
            Self::Labels => return format!("metadata.labels.k{number}"),
            Self::Leaves => "spec.nodeName",
            Self::LeavesAndPhase => PHASE,
        };
        let mut mask = first.to_owned();
        for (_, leaf) in chosen() {
            mask.push(',');
            mask.push_str(leaf);
        }
        mask
    }
}

/// A field that changes.
pub const PHASE: &str = "status.phase";

/// How many masks of a kind differ at least.
pub const MOST: usize = 1 << LEAVES.len();

const LEAVES: [&str; 12] = [
    "spec.restartPolicy",
    "spec.dnsPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "spec.priority",
    "spec.priorityClassName",
    "spec.preemptionPolicy",
    "spec.enableServiceLinks",
    "status.hostIP",
    "status.podIP",
    "status.startTime",
    "status.qosClass",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use podsapi_core::FieldMask;
    use podsapi_proto::schema::Message;

    use super::*;

    #[test]
    fn all_masks_differ_and_name_fields_of_a_pod() {
        for (masks, count) in [
            (Masks::Labels, MOST),
            // They are long, and differ as those of one label do.
            (Masks::ManyLabels, 64),
            (Masks::Leaves, MOST),
            (Masks::LeavesAndPhase, MOST),
            (Masks::Wide, MOST),
        ] {
            let compiled = (0..count).map(|number| {
                let mask = FieldMask::parse(&masks.mask(number)).unwrap();
                mask.compile(Message::POD).unwrap()
            });
            assert_eq!(compiled.collect::<BTreeSet<_>>().len(), count, "{masks:?}");
        }
    }
}
