//! The tables: one for the terminal, one for machines, one for the README.

use std::fmt::Write as _;

use crate::figures::Figure;
use crate::goal::Goal;
use crate::peer::Peer;
use crate::workload::{Cost, Workload};

/// What one workload cost each server that did it.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was asked.
    pub workload: Workload,
    /// The rounds of each server.
    pub costs: Vec<(Peer, Vec<Cost>)>,
}

impl Row {
    fn cpu(&self, peer: Peer) -> Option<Figure> {
        let (_, rounds) = self.costs.iter().find(|(one, _)| *one == peer)?;
        Some(Figure::of(rounds.iter().map(|cost| cost.cpu_micros)))
    }

    fn wall(&self, peer: Peer) -> Option<Figure> {
        let (_, rounds) = self.costs.iter().find(|(one, _)| *one == peer)?;
        Some(Figure::of(rounds.iter().map(|cost| cost.wall_micros)))
    }

    /// Returns how many requests a second each server answered.
    pub fn rates(&self) -> impl Iterator<Item = (Peer, f64)> {
        let peers = self.costs.iter().map(|(peer, _)| *peer);
        peers.filter_map(|peer| Some((peer, 1e6 / self.wall(peer)?.median)))
    }

    /// Returns lines for a terminal.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let ours = self.cpu(Peer::Podsapi).map(|figure| figure.median);
        for (peer, _) in &self.costs {
            let (cpu, wall) = (
                self.cpu(*peer).unwrap_or_default(),
                self.wall(*peer).unwrap_or_default(),
            );
            let beside = match ours {
                Some(ours) if *peer != Peer::Podsapi => self.beside(*peer, ours, cpu.median),
                Some(_) | None => String::new(),
            };
            let line = format!(
                "{:<15} {:<13} {:>10.2} {:>10.2} {:>10.2} {:>12.2}   {beside}",
                self.workload.name(),
                peer.name(),
                cpu.median,
                cpu.least,
                cpu.most,
                wall.median,
            );
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Returns the ratio, with the goal beside it where there is one.
    fn beside(&self, peer: Peer, ours: f64, theirs: f64) -> String {
        let mut text = if peer == Peer::Raw {
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
        line.push('}');
        line
    }

    fn markdown(&self) -> String {
        let ours = self.cpu(Peer::Podsapi).map(|figure| figure.median);
        let cells = Peer::ALL.map(|peer| match (ours, self.cpu(peer)) {
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
        "{:<15} {:<13} {:>10} {:>10} {:>10} {:>12}   ratio",
        "workload", "server", "CPU us", "least", "most", "wall us"
    )
}

/// Returns the table for the README.
pub fn markdown(rows: &[Row], date: &str, machine: &str) -> String {
    let mut out = format!(
        "CPU of the server for each request, median, {date}, {machine}; \
         client and server on one core. In brackets what a peer needs beside podsapi, or podsapi beside \
         the bare socket, and the goal:\n\n|  |"
    );
    for peer in Peer::ALL {
        // Writing to a text does not fail.
        write!(out, " {} |", peer.title()).ok();
    }
    out.push_str("\n| --- | --: | --: | --: | --: | --: |\n");
    for row in rows {
        out.push_str(&row.markdown());
        out.push('\n');
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
