//! What the kernel does to a server beside its work, as `/proc` tells it.

use std::io;

/// What the kernel did to a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strain {
    /// Pages that the server touched and the kernel had to find first.
    pub faults: u64,
    /// Times that a thread of the server left its core, by itself or not.
    pub switches: u64,
}

impl Strain {
    /// Returns what came on top of an earlier look.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        // Threads that have ended take their switches with them.
        Self {
            faults: self.faults.saturating_sub(earlier.faults),
            switches: self.switches.saturating_sub(earlier.switches),
        }
    }
}

/// Returns the page faults, with and without a look at the disk, of the text of `/proc/PID/stat`.
///
/// # Errors
///
/// When the text is none such.
pub fn faults(stat: &str) -> io::Result<u64> {
    // The name of the program is in brackets and may hold anything; the state is after it.
    let (_, fields) = stat.rsplit_once(')').ok_or_else(|| unknown("stat"))?;
    let fields: Vec<_> = fields.split_ascii_whitespace().collect();
    [MINOR, MAJOR].into_iter().try_fold(0, |sum, place| {
        let field = fields
            .get(place)
            .and_then(|field| field.parse::<u64>().ok());
        Ok(sum + field.ok_or_else(|| unknown("stat"))?)
    })
}

/// Returns the switches, wanted or not, of the text of `/proc/PID/task/TID/status`.
///
/// # Errors
///
/// When the text is none such.
pub fn switches(status: &str) -> io::Result<u64> {
    ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"]
        .into_iter()
        .try_fold(0, |sum, name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let number = line.and_then(|line| line.trim().parse::<u64>().ok());
            Ok(sum + number.ok_or_else(|| unknown("status"))?)
        })
}

fn unknown(file: &str) -> io::Error {
    io::Error::other(format!("{file} of a process is not as proc(5) says"))
}

/// Fields 10 and 12 of proc(5), which counts from 1, after the two up to the bracket.
const MINOR: usize = 7;
const MAJOR: usize = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_program_does_not_move_the_fields() {
        let stat = "7 (a) S 1 (b) c) R 1 7 7 0 -1 4194560 120 9 3 8 55 44 0 0 20 0 4 0 99";
        assert_eq!(faults(stat).unwrap(), 123);
        assert!(faults("7 (a) R 1 7").is_err());
        assert!(faults("").is_err());
    }

    #[test]
    fn both_kinds_of_switches_count() {
        let status = "Name:\tx\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(switches(status).unwrap(), 695);
        assert!(switches("Name:\tx\n").is_err());
    }

    #[test]
    fn a_thread_that_ended_makes_no_number_negative() {
        let [earlier, later] =
            [(5, 90), (7, 80)].map(|(faults, switches)| Strain { faults, switches });
        let since = Strain {
            faults: 2,
            switches: 0,
        };
        assert_eq!(later.since(earlier), since);
    }
}
