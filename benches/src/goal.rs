//! How far ahead of each peer podsapi is to be, and how close to the limit.

use crate::peer::Peer;
use crate::workload::Workload;

/// What the cost of podsapi is to be, compared with that of a peer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// The peer costs at least so many times as much.
    Ahead(f64),
    /// podsapi costs at most so many times as much.
    Within(f64),
}

impl Goal {
    /// Returns the goal of a workload against a peer, if there is one.
    pub fn of(workload: Workload, peer: Peer) -> Option<Self> {
        if peer == Peer::Before {
            return Some(Self::Within(AS_BEFORE));
        }
        let [tonic, go, raw] = match workload {
            Workload::Get1 => [3.0, 4.0, 2.2],
            Workload::Get16 => [4.0, 7.0, 6.0],
            Workload::List100 => [9.0, 14.0, 2.1],
            Workload::List500 => [17.0, 19.0, 2.1],
            Workload::List500Masked => {
                return (peer == Peer::Tonic).then_some(Self::Ahead(8.0));
            }
            Workload::Watch1000 => {
                return match peer {
                    Peer::Tonic => Some(Self::Ahead(7.0)),
                    Peer::Go => Some(Self::Ahead(10.0)),
                    Peer::Before | Peer::Podsapi | Peer::Raw | Peer::TonicEncoded => None,
                };
            }
        };
        match peer {
            Peer::Tonic => Some(Self::Ahead(tonic)),
            Peer::Go => Some(Self::Ahead(go)),
            Peer::Raw => Some(Self::Within(raw)),
            Peer::Before | Peer::Podsapi | Peer::TonicEncoded => None,
        }
    }

    /// Tells whether it is reached by what podsapi and the peer cost.
    pub fn is_reached(self, podsapi: f64, peer: f64) -> bool {
        match self {
            Self::Ahead(times) => podsapi * times <= peer,
            Self::Within(times) => podsapi <= peer * times,
        }
    }
}

/// How many times what it cost before something may cost: rounds that take turns differ by as much.
const AS_BEFORE: f64 = 1.03;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_a_bound_on_the_right_side() {
        assert!(Goal::Ahead(3.0).is_reached(10.0, 30.0));
        assert!(!Goal::Ahead(3.0).is_reached(10.1, 30.0));
        assert!(Goal::Within(2.0).is_reached(20.0, 10.0));
        assert!(!Goal::Within(2.0).is_reached(20.1, 10.0));
    }
}
