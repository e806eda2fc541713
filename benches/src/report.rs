//! The tables: one for the terminal, one for machines, one for the README.

use std::fmt::Write as _;

use crate::figures::Figure;
use crate::goal::Goal;
use crate::peer::Peer;
use crate::quiet::Rounds;
use crate::workload::Workload;

/// What one workload cost each server that did it.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was asked.
    pub workload: Workload,
    /// The rounds of each server.
    pub costs: Vec<(Peer, Rounds)>,
}

impl Row {
    fn cpu(&self, peer: Peer) -> Option<Figure> {
        let (_, rounds) = self.costs.iter().find(|(one, _)| *one == peer)?;
        Some(rounds.figure(|cost| cost.cpu_micros))
    }

    /// Returns how many requests a second each server answered.
    pub fn rates(&self) -> impl Iterator<Item = (Peer, f64)> {
        let rounds = self.costs.iter();
        rounds.map(|(peer, rounds)| (*peer, 1e6 / rounds.figure(|cost| cost.wall_micros).median))
    }

    /// Returns the servers of which most rounds were disturbed.
    fn disturbed(&self) -> impl Iterator<Item = Peer> {
        let disturbed = self
            .costs
            .iter()
            .filter(|(_, rounds)| rounds.are_disturbed());
        disturbed.map(|(peer, _)| *peer)
    }

    /// Compares podsapi with itself as it was, where both were measured.
    fn beside_before(&self) -> Option<BesideBefore> {
        let [ours, before] = [self.cpu(Peer::Podsapi)?, self.cpu(Peer::Before)?];
        let goal = Goal::of(self.workload, Peer::Before)?;
        let two = [Peer::Podsapi, Peer::Before];
        Some(if self.disturbed().any(|peer| two.contains(&peer)) {
            BesideBefore::Unknown
        } else if goal.is_reached(ours.median, before.median) {
            BesideBefore::NotSlower
        } else {
            BesideBefore::Slower
        })
    }

    /// Returns lines for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let ours = self.cpu(Peer::Podsapi).map(|figure| figure.median);
        for (peer, rounds) in &self.costs {
            let cpu = rounds.figure(|cost| cost.cpu_micros);
            let beside = match ours {
                Some(ours) if *peer != Peer::Podsapi => self.beside(*peer, ours, cpu.median),
                Some(_) | None => String::new(),
            };
            let line = format!(
                "{:<15} {:<14} {:>10.2} {:>10.2} {:>10.2} {:>12.2} {:>8.3} {:>8.2} {:>8.1}   {beside}{}",
                self.workload.name(),
                peer.name(),
                cpu.median,
                cpu.least,
                cpu.most,
                rounds.figure(|cost| cost.wall_micros).median,
                rounds.figure(|cost| cost.faults).median,
                rounds.figure(|cost| cost.switches).median,
                rounds
                    .figure(|cost| cost.others_micros / cost.wall_micros)
                    .median
                    * 100.0,
                disturbance(rounds),
            );
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Returns the ratio, with the goal beside it where there is one.
    fn beside(&self, peer: Peer, ours: f64, theirs: f64) -> String {
        let mut text = if matches!(peer, Peer::Before | Peer::Raw) {
            format!("podsapi {:.2}x it", ours / theirs)
        } else {
            format!("{:.1}x podsapi", theirs / ours)
        };
        if let Some(goal) = Goal::of(self.workload, peer) {
            let reached = goal.is_reached(ours, theirs);
            let (Goal::Ahead(times) | Goal::Within(times)) = goal;
            let mark = if reached { "" } else { ", MISSED" };
            // Writing to a text does not fail.
            write!(text, " (goal {times}{mark})").ok();
        }
        text
    }

    /// Returns the line for machines: microseconds of CPU of each server, or null.
    pub fn json(&self) -> String {
        let mut line = format!("{{\"workload\":\"{}\"", self.workload.name());
        for peer in Peer::ALL {
            let cpu = self.cpu(peer).map(|figure| figure.median);
            let cpu = cpu.map_or_else(|| "null".to_owned(), |cpu| format!("{cpu:.2}"));
            // Writing to a text does not fail.
            write!(line, ",\"{}_us\":{cpu}", peer.name()).ok();
        }
        let disturbed: Vec<_> = self
            .disturbed()
            .map(|peer| format!("{:?}", peer.name()))
            .collect();
        // Writing to a text does not fail.
        write!(line, ",\"disturbed\":[{}]}}", disturbed.join(",")).ok();
        line
    }

    fn markdown(&self) -> String {
        let ours = self.cpu(Peer::Podsapi).map(|figure| figure.median);
        let cells = Peer::TABLE.map(|peer| match (ours, self.cpu(peer)) {
            (_, None) => "–".to_owned(),
            (Some(ours), Some(cpu)) if peer != Peer::Podsapi => {
                let times = if peer == Peer::Raw {
                    format!("podsapi {:.2}x", ours / cpu.median)
                } else {
                    format!("{:.1}x", cpu.median / ours)
                };
                let goal = Goal::of(self.workload, peer).map_or_else(String::new, |goal| {
                    let (Goal::Ahead(times) | Goal::Within(times)) = goal;
                    let reached = goal.is_reached(ours, cpu.median);
                    let mark = if reached { "" } else { " **missed**" };
                    format!(", goal {times}{mark}")
                });
                format!("{} ({times}{goal})", micros(cpu.median))
            }
            (_, Some(cpu)) => micros(cpu.median),
        });
        format!("| {} | {} |", self.workload.title(), cells.join(" | "))
    }
}

/// Returns the head of [`Row::text`].
pub fn text_head() -> String {
    format!(
        "{:<15} {:<14} {:>10} {:>10} {:>10} {:>12} {:>8} {:>8} {:>8}   ratio",
        "workload",
        "server",
        "CPU us",
        "least",
        "most",
        "wall us",
        "faults",
        "switches",
        "others %"
    )
}

/// Returns what is said of a server whose rounds did not all count.
fn disturbance(rounds: &Rounds) -> String {
    match rounds.disturbed() {
        (0, _) => String::new(),
        (some, all) if rounds.are_disturbed() => format!("  DISTURBED {some} of {all}"),
        (some, all) => format!("  without {some} of {all}"),
    }
}

/// What podsapi is beside itself as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BesideBefore {
    /// By no more than rounds differ.
    NotSlower,
    Slower,
    /// One of the two was disturbed.
    Unknown,
}

/// Returns what there is to say of podsapi beside itself as it was, where both were measured.
pub fn beside_before(rows: &[Row]) -> Option<String> {
    let names = |outcome| {
        let rows = rows
            .iter()
            .filter(|row| row.beside_before() == Some(outcome));
        rows.map(|row| row.workload.name()).collect::<Vec<_>>()
    };
    let outcomes = [
        (BesideBefore::NotSlower, "as before, or faster"),
        (BesideBefore::Slower, "SLOWER THAN BEFORE"),
        (BesideBefore::Unknown, "disturbed, so nobody knows"),
    ];
    let said = outcomes.map(|(outcome, says)| (says, names(outcome)));
    let said = said.into_iter().filter(|(_, names)| !names.is_empty());
    let said: Vec<_> = said
        .map(|(says, names)| format!("{says}: {}", names.join(" ")))
        .collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

/// Returns the table for the README, of rows that were not disturbed, and what was left out of it.
pub fn markdown(rows: &[Row], date: &str, machine: &str) -> String {
    let mut out = format!(
        "CPU of the server for each request, median, {date}, {machine}; \
         client and server on one core. In brackets what a peer needs beside podsapi, or podsapi beside \
         the bare socket, and the goal:\n\n|  |"
    );
    for peer in Peer::TABLE {
        // Writing to a text does not fail.
        write!(out, " {} |", peer.title()).ok();
    }
    out.push_str("\n| --- | --: | --: | --: | --: | --: |\n");
    let (left_out, rows): (Vec<_>, Vec<_>) = rows
        .iter()
        .partition(|row| row.disturbed().any(|peer| Peer::TABLE.contains(&peer)));
    for row in rows {
        out.push_str(&row.markdown());
        out.push('\n');
    }
    for row in left_out {
        let peers: Vec<_> = row.disturbed().map(Peer::title).collect();
        let (title, peers) = (row.workload.title(), peers.join(", "));
        // Writing to a text does not fail.
        writeln!(out, "left out, for it was disturbed: {title} ({peers})").ok();
    }
    out
}

fn micros(micros: f64) -> String {
    if micros < 100.0 {
        format!("{micros:.1} µs")
    } else {
        format!("{micros:.0} µs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Cost;

    /// Rounds of so many microseconds, each with so many page faults.
    fn rounds<const N: usize>(peer: Peer, cpu_micros: f64, faults: [f64; N]) -> (Peer, Rounds) {
        let mut rounds = Rounds::of(peer, true);
        for faults in faults {
            rounds.add(Cost {
                cpu_micros,
                wall_micros: cpu_micros * 1.5,
                others_micros: cpu_micros * 0.03,
                faults,
                switches: 2.0,
            });
        }
        (peer, rounds)
    }

    fn row(workload: Workload, costs: Vec<(Peer, Rounds)>) -> Row {
        Row { workload, costs }
    }

    #[test]
    fn a_disturbed_row_is_marked_and_not_in_the_table() {
        let quiet = row(
            Workload::Get1,
            vec![
                rounds(Peer::Podsapi, 10.0, [0.0; 3]),
                rounds(Peer::Tonic, 40.0, [0.0, 0.0, 30.0]),
            ],
        );
        let disturbed = row(
            Workload::Get16,
            vec![
                rounds(Peer::Podsapi, 5.0, [0.0; 3]),
                rounds(Peer::Tonic, 570.0, [30.0, 0.0, 30.0]),
            ],
        );
        assert!(quiet.text().contains("without 1 of 3"), "{}", quiet.text());
        assert!(
            disturbed.text().contains("DISTURBED 2 of 3"),
            "{}",
            disturbed.text()
        );
        assert!(
            quiet.json().ends_with(",\"disturbed\":[]}"),
            "{}",
            quiet.json()
        );
        assert!(
            disturbed.json().ends_with(",\"disturbed\":[\"tonic\"]}"),
            "{}",
            disturbed.json()
        );
        let table = markdown(&[quiet, disturbed], "today", "here");
        let rows: Vec<_> = table.lines().filter(|line| line.contains("µs")).collect();
        assert_eq!(
            rows,
            ["| GetPod, 1 in flight | 10.0 µs | 40.0 µs (4.0x, goal 3) | – | – | – |"]
        );
        assert!(
            table.ends_with("left out, for it was disturbed: GetPod, 16 in flight (tonic)\n"),
            "{table}"
        );
    }

    #[test]
    fn podsapi_before_is_compared_and_not_in_the_table() {
        let beside = |workload, before| {
            let costs = vec![
                rounds(Peer::Podsapi, 10.0, [0.0; 3]),
                rounds(Peer::Before, before, [0.0; 3]),
            ];
            row(workload, costs)
        };
        let rows = [beside(Workload::Get1, 9.8), beside(Workload::List100, 9.6)];
        let said = beside_before(&rows);
        assert_eq!(
            said.as_deref(),
            Some("as before, or faster: get1\nSLOWER THAN BEFORE: list100")
        );
        let costs = vec![
            rounds(Peer::Podsapi, 10.0, [0.0; 3]),
            rounds(Peer::Before, 9.0, [9.0; 3]),
        ];
        let said = beside_before(&[row(Workload::List500, costs)]);
        assert_eq!(said.as_deref(), Some("disturbed, so nobody knows: list500"));
        let alone = row(Workload::Get1, vec![rounds(Peer::Podsapi, 10.0, [0.0; 3])]);
        assert_eq!(beside_before(&[alone]), None);
        assert!(
            rows[1]
                .text()
                .contains("podsapi 1.04x it (goal 1.03, MISSED)"),
            "{}",
            rows[1].text()
        );
        assert!(!markdown(&rows, "today", "here").contains("before"));
    }

    #[test]
    fn faults_and_switches_stand_beside_the_cpu() {
        let row = row(Workload::Get1, vec![rounds(Peer::Go, 40.0, [0.25; 3])]);
        let text = row.text();
        let words: Vec<_> = text.split_ascii_whitespace().collect();
        assert_eq!(
            words,
            [
                "get1", "go", "40.00", "40.00", "40.00", "60.00", "0.250", "2.00", "2.0"
            ]
        );
    }
}
