//! When a server is warm, and which of its rounds count.
//!
//! A server that waits for its turn may lose its pages: machines that reclaim idle memory (a `kdamond`
//! thread) take them, and getting them back is then counted as its work. So each server is warmed
//! before each round, and a round that was disturbed nevertheless is measured again: one with page
//! faults, one with more or fewer switches than the others, one whose core somebody else had.

use crate::figures::Figure;
use crate::peer::Peer;
use crate::workload::Cost;

/// How warm a server is that is asked until its page faults stop falling.
#[derive(Clone, Copy, Debug)]
pub struct Warmth {
    near_zero: f64,
    least: f64,
    passes: u32,
}

impl Warmth {
    /// Returns what is known of a server that waited.
    pub const fn of(peer: Peer) -> Self {
        Self {
            near_zero: near_zero(peer),
            least: f64::INFINITY,
            passes: 0,
        }
    }

    /// Takes what a request of one pass cost, and tells whether the server is warm: it has next to no
    /// page faults, or no fewer than before, or was asked often enough.
    pub fn is_warm_after(&mut self, pass: &Cost) -> bool {
        let falls = pass.faults < self.least * FALLS;
        self.least = self.least.min(pass.faults);
        self.passes += 1;
        !has_faults(pass, self.near_zero) || !falls || self.passes >= PASSES
    }
}

/// The rounds of one server.
#[derive(Clone, Debug)]
pub struct Rounds {
    near_zero: f64,
    /// Whether server and client have one core, so that time in which neither ran is that of others.
    one_core: bool,
    costs: Vec<Cost>,
}

impl Rounds {
    /// Returns none of a server yet.
    pub const fn of(peer: Peer, one_core: bool) -> Self {
        Self {
            near_zero: near_zero(peer),
            one_core,
            costs: Vec::new(),
        }
    }

    /// Adds one.
    pub fn add(&mut self, cost: Cost) {
        self.costs.push(cost);
    }

    /// Measures again what was disturbed, a few times at most.
    ///
    /// # Errors
    ///
    /// When measuring fails.
    pub fn settle<E>(&mut self, mut measure: impl FnMut() -> Result<Cost, E>) -> Result<(), E> {
        for _ in 0..TRIES {
            let usual = self.usual_switches();
            for place in 0..self.costs.len() {
                if !self.left_alone(usual).any(|(other, _)| other == place)
                    && let Some(cost) = self.costs.get_mut(place)
                {
                    *cost = measure()?;
                }
            }
        }
        Ok(())
    }

    /// Returns how many rounds were disturbed, of how many.
    pub fn disturbed(&self) -> (usize, usize) {
        let left_alone = self.left_alone(self.usual_switches()).count();
        (self.costs.len() - left_alone, self.costs.len())
    }

    /// Tells whether too few rounds were left alone for their figures to mean anything.
    pub fn are_disturbed(&self) -> bool {
        let (disturbed, all) = self.disturbed();
        disturbed * 2 > all
    }

    /// Sums up the rounds that were not disturbed, or all where most were.
    pub fn figure(&self, of: impl Fn(&Cost) -> f64) -> Figure {
        if self.are_disturbed() {
            Figure::of(self.costs.iter().map(of))
        } else {
            let costs = self.left_alone(self.usual_switches());
            Figure::of(costs.map(|(_, cost)| of(cost)))
        }
    }

    fn left_alone(&self, usual_switches: f64) -> impl Iterator<Item = (usize, &Cost)> {
        let costs = self.costs.iter().enumerate();
        costs.filter(move |(_, cost)| {
            let shared = self.one_core && cost.others_micros > cost.wall_micros * OTHERS;
            let [few, many] = [
                usual_switches / OTHER_SWITCHES - FEW_SWITCHES,
                usual_switches * OTHER_SWITCHES + FEW_SWITCHES,
            ];
            let switches = (few..=many).contains(&cost.switches);
            !has_faults(cost, self.near_zero) && !shared && switches
        })
    }

    /// How often a server leaves its core for a request follows from how it talks, and hardly differs
    /// from round to round.
    fn usual_switches(&self) -> f64 {
        Figure::of(self.costs.iter().map(|cost| cost.switches)).median
    }
}

/// Tells whether the page faults of a request are not near zero beside its work.
fn has_faults(cost: &Cost, near_zero: f64) -> bool {
    cost.faults * FAULT_MICROS > cost.cpu_micros * near_zero
}

/// Returns the part of a request's CPU that its page faults may take, if each costs no more than it must.
const fn near_zero(peer: Peer) -> f64 {
    match peer {
        // Its heap shrinks and grows by itself, for ever: so it was seen to have up to half of these.
        Peer::Go => 0.03,
        Peer::Before | Peer::Podsapi | Peer::Raw | Peer::Tonic | Peer::TonicEncoded => 0.002,
    }
}

/// What a page fault costs whose page only has to be made. One that is read back costs many times that.
const FAULT_MICROS: f64 = 1.0;

/// Page faults fall as long as each pass has so many times those of the one before, or fewer.
const FALLS: f64 = 0.8;

/// Passes after which a server counts as warm; each takes an eighth of a round.
const PASSES: u32 = 16;

/// How often the disturbed rounds of a server are measured again.
const TRIES: usize = 3;

/// Rounds of one server were seen to differ by a tenth; with a program that wants all of the core they had
/// two thirds as many, or four thirds.
const OTHER_SWITCHES: f64 = 1.3;

/// The part of the time that others may have the core: left alone it is none, and what they leave in the
/// caches costs more than they take.
const OTHERS: f64 = 0.05;

/// Where hardly any switches are needed, a few more say nothing.
const FEW_SWITCHES: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(faults: f64, switches: f64) -> Cost {
        Cost {
            cpu_micros: 50.0,
            wall_micros: 60.0,
            others_micros: 0.0,
            faults,
            switches,
        }
    }

    fn passes_until_warm(faults: impl IntoIterator<Item = f64>) -> usize {
        let mut warmth = Warmth::of(Peer::Tonic);
        let mut faults = faults.into_iter();
        let warm = faults.position(|faults| warmth.is_warm_after(&cost(faults, 2.0)));
        warm.expect("a server is warm some time") + 1
    }

    fn rounds(costs: impl IntoIterator<Item = Cost>) -> Rounds {
        Rounds {
            costs: costs.into_iter().collect(),
            ..Rounds::of(Peer::Tonic, true)
        }
    }

    #[test]
    fn a_server_is_warm_when_its_faults_stop_falling() {
        assert_eq!(passes_until_warm([0.0]), 1);
        assert_eq!(passes_until_warm([90.0, 30.0, 4.0, 0.05]), 4);
        // What does not fall is its own.
        assert_eq!(passes_until_warm([90.0, 30.0, 29.0]), 3);
        assert_eq!(passes_until_warm([3.0, 9.0]), 2);
    }

    #[test]
    fn a_server_that_gets_ever_fewer_faults_is_waited_for_so_long() {
        let halves = std::iter::successors(Some(1e9), |faults| Some(faults / 2.0));
        assert_eq!(passes_until_warm(halves), 16);
    }

    #[test]
    fn near_zero_is_a_small_part_of_the_work() {
        let is_disturbed = |peer, faults| {
            let mut rounds = Rounds::of(peer, true);
            rounds.add(cost(faults, 2.0));
            rounds.are_disturbed()
        };
        assert!(!is_disturbed(Peer::Podsapi, 0.09));
        assert!(is_disturbed(Peer::Podsapi, 0.11));
        assert!(!is_disturbed(Peer::Go, 1.4));
        assert!(is_disturbed(Peer::Go, 1.6));
    }

    #[test]
    fn a_round_with_other_switches_than_the_rest_is_disturbed() {
        let disturbed = |switches: [f64; 3]| rounds(switches.map(|one| cost(0.0, one))).disturbed();
        assert_eq!(disturbed([2.0, 2.2, 2.4]), (0, 3));
        assert_eq!(disturbed([2.0, 2.0, 2.7]), (1, 3));
        assert_eq!(disturbed([2.0, 2.0, 1.4]), (1, 3));
        assert_eq!(disturbed([0.0, 0.01, 0.05]), (0, 3));
    }

    #[test]
    fn a_round_whose_one_core_was_shared_is_disturbed() {
        let shared = |others_micros| Cost {
            others_micros,
            ..cost(0.0, 2.0)
        };
        let disturbed = |one_core, others| {
            let mut rounds = Rounds::of(Peer::Tonic, one_core);
            rounds.add(shared(others));
            rounds.are_disturbed()
        };
        assert!(!disturbed(true, 2.9));
        assert!(disturbed(true, 3.1));
        // With more cores there is time in which both wait for each other.
        assert!(!disturbed(false, 30.0));
    }

    #[test]
    fn only_disturbed_rounds_are_measured_again() {
        let mut rounds = rounds([0.0, 70.0, 0.05, 80.0].map(|faults| cost(faults, 2.0)));
        let mut again = [60.0, 0.0, 0.08]
            .map(|faults| cost(faults, 2.0))
            .into_iter();
        rounds
            .settle(|| again.next().ok_or("one too many"))
            .unwrap();
        assert!(again.next().is_none());
        assert_eq!(rounds.disturbed(), (0, 4));
        let faults: Vec<_> = rounds.costs.iter().map(|cost| cost.faults).collect();
        assert_eq!(faults, [0.0, 0.08, 0.05, 0.0]);
    }

    #[test]
    fn what_is_disturbed_each_time_is_given_up() {
        let mut rounds = rounds([cost(70.0, 2.0); 4]);
        let mut measured = 0;
        let measure = || {
            measured += 1;
            Ok::<_, ()>(cost(70.0, 2.0))
        };
        rounds.settle(measure).unwrap();
        assert_eq!(measured, 12);
        assert!(rounds.are_disturbed());
    }

    #[test]
    fn the_figures_are_those_of_the_rounds_that_were_left_alone() {
        let slow = |faults| Cost {
            cpu_micros: 500.0,
            ..cost(faults, 2.0)
        };
        let cpu = |rounds: &Rounds| rounds.figure(|cost| cost.cpu_micros).median;
        let half = rounds([slow(70.0), slow(70.0), cost(0.0, 2.0), cost(0.0, 2.0)]);
        assert_eq!((half.are_disturbed(), cpu(&half)), (false, 50.0));
        let most = rounds([slow(70.0), slow(70.0), cost(0.0, 2.0)]);
        assert_eq!((most.are_disturbed(), cpu(&most)), (true, 500.0));
    }
}
