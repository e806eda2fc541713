//! The end of a container's log, as the runtime writes it to the node's disk.
//!
//! ```text
//! 2016-10-06T00:17:09.669794202Z stderr F what went wrong
//! time                           stream tag text
//! ```
//!
//! The tag's first part is `F` for the end of a line, or `P` where the runtime split a long one.
//! Lines of another form are left out, so that nothing else is ever read out of a file that took the
//! log's place. Rotated files are not looked at.

use std::path::Path;

use podsapi_proto::text::readable;

use super::{LOG_NAMES, split};
use crate::regular;

/// Returns what the last lines of the log at `path` say; `None` if it cannot be read.
///
/// A link in the log's place or in that of its pod's folder is not followed: pods can be given the
/// folder of logs to write to.
pub(super) fn last_lines(path: &Path) -> Option<String> {
    let (folder, beneath) = split(path, LOG_NAMES);
    let read = regular::read_end(folder, beneath, WINDOW_BYTES).ok()?;
    let is_cut = u64::try_from(read.len()).is_ok_and(|length| length >= WINDOW_BYTES);
    let whole = match read.iter().position(|byte| *byte == b'\n') {
        // The first line begins before what was read.
        Some(end) if is_cut => read.get(end + 1..)?,
        Some(_) | None => &read,
    };
    Some(text(whole))
}

/// Returns the text of the last lines, as much as a message may have.
fn text(log: &[u8]) -> String {
    let lines: Vec<&[u8]> = log.split_inclusive(|byte| *byte == b'\n').collect();
    let first = lines.len().saturating_sub(MAX_LINES);
    let texts = lines.into_iter().skip(first).filter_map(line);
    let mut said: Vec<u8> = texts.flatten().copied().collect();
    if said.len() > MAX_BYTES {
        said.drain(..said.len() - MAX_BYTES);
        // A character of which the beginning is gone goes too.
        let rest = said.iter().take(MAX_CONTINUATIONS);
        let rest = rest.take_while(|byte| **byte & 0xc0 == 0x80).count();
        said.drain(..rest);
    }
    readable(&said).into_owned()
}

/// Returns what one line of the log says, its end included unless the runtime split it there.
fn line(line: &[u8]) -> Option<&[u8]> {
    let (time, rest) = word(line)?;
    let (stream, rest) = word(rest)?;
    let (tags, text) = word(rest)?;
    if !is_time(time) || !matches!(stream, b"stdout" | b"stderr") {
        return None;
    }
    match tags.split(|byte| *byte == b':').next() {
        Some(b"P") => Some(text.strip_suffix(b"\n").unwrap_or(text)),
        Some(_) | None => Some(text),
    }
}

/// Splits at the first space.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|byte| *byte == b' ')?;
    Some((text.get(..end)?, text.get(end + 1..)?))
}

/// Whether `text` has the form of RFC 3339, with or without a fraction.
fn is_time(text: &[u8]) -> bool {
    let Some((second, rest)) = text.split_at_checked(SECOND_FORM.len()) else {
        return false;
    };
    let fraction = rest.strip_prefix(b".");
    let zone = fraction.map_or(rest, |fraction| {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit());
        fraction.get(digits.count()..).unwrap_or_default()
    });
    let offset = zone.strip_prefix(b"+").or_else(|| zone.strip_prefix(b"-"));
    has_form(second, SECOND_FORM)
        && (zone == b"Z" || offset.is_some_and(|offset| has_form(offset, OFFSET_FORM)))
}

/// Whether `text` has a digit for each zero of `form`, and is the same elsewhere.
fn has_form(text: &[u8], form: &[u8]) -> bool {
    let mut pairs = text.iter().zip(form);
    text.len() == form.len()
        && pairs.all(|(found, expected)| match expected {
            b'0' => found.is_ascii_digit(),
            expected => found == expected,
        })
}

const SECOND_FORM: &[u8] = b"0000-00-00T00:00:00";

const OFFSET_FORM: &[u8] = b"00:00";

/// As many lines as a kubelet takes, from the end.
const MAX_LINES: usize = 80;

/// As much text as a kubelet takes, from the end.
const MAX_BYTES: usize = 2048;

/// Bytes of a character in UTF-8 after its first.
const MAX_CONTINUATIONS: usize = 3;

/// Runtimes split lines at 16 KiB, so that the bytes of a message, of 80 lines' beginnings and of one
/// line in which they begin are within less than half of this.
const WINDOW_BYTES: u64 = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: &str = "2026-01-02T03:04:05.678901234Z";

    fn said(lines: &[&str]) -> String {
        text(lines.concat().as_bytes())
    }

    #[test]
    fn both_streams_are_read_and_split_lines_are_joined() {
        let log = [
            "2026-01-02T03:04:05Z stdout F one\n",
            "2026-01-02T03:04:05.1+02:00 stderr P two, ",
            "\n2026-01-02T03:04:05.1-02:00 stderr F then three\n",
            "2026-01-02T03:04:05.000000000Z stdout F:other \n",
            "2026-01-02T03:04:05Z stdout F without an end",
        ];
        assert_eq!(said(&log), "one\ntwo, then three\n\nwithout an end");
    }

    #[test]
    fn lines_of_another_form_are_left_out() {
        let odd = [
            "root:x:0:0:root user:/:/bin/sh\n",
            "2026-01-02 stdout F no time\n",
            "2026-01-02T03:04:05 stdout F no zone\n",
            "2026-01-02T03:04:05.9 stdout F no zone\n",
            "2026-01-02T03:04:05Z stdin F no such stream\n",
            "2026-01-02T03:04:05Z stdout F\n",
            "{\"log\":\"docker\",\"stream\":\"stdout\"}\n",
            "\n",
            "\0\0\0",
        ];
        assert_eq!(said(&odd), "");
        let good = format!("{TIME} stdout F good\n");
        assert_eq!(said(&[odd[0], &good, odd[4]]), "good\n");
    }

    #[test]
    fn the_last_80_lines_and_2048_bytes_are_taken() {
        let short: Vec<String> = (0..100).map(|k| format!("{TIME} stdout F {k}\n")).collect();
        let short = text(short.concat().as_bytes());
        assert_eq!(short.lines().count(), 80);
        assert!(short.starts_with("20\n21\n") && short.ends_with("99\n"));

        let long = format!("{TIME} stdout F {}\n", "x".repeat(300)).repeat(80);
        assert_eq!(text(long.as_bytes()).len(), 2048);
    }

    #[test]
    fn no_character_is_cut() {
        let log = format!("{TIME} stdout F {}\n", "é".repeat(5000));
        let said = text(log.as_bytes());
        assert_eq!(said.len(), 2047);
        assert!(said.starts_with('é') && said.ends_with("é\n"), "{said}");
        // What the container wrote is its own: as many bytes as fit, and none cut off for nothing.
        let exact = [TIME.as_bytes(), b" stdout F ", &[0x80; 2048]].concat();
        assert_eq!(text(&exact).chars().count(), 2048);
    }

    #[test]
    fn a_log_of_any_size_is_read_from_its_end() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("0.log");
        assert_eq!(last_lines(&path), None);
        std::fs::write(&path, "").unwrap();
        assert_eq!(last_lines(&path).as_deref(), Some(""));
        // The time of the line at the window's beginning would be whole; it does not begin there.
        let line = format!("{TIME} stdout F {}\n", "y".repeat(16 << 10));
        std::fs::write(&path, line.repeat(20) + TIME + " stderr F end\n").unwrap();
        let words = last_lines(&path).unwrap();
        assert_eq!(words.len(), 2048);
        assert!(words.ends_with("yy\nend\n"), "{words}");
        std::fs::write(&path, vec![b'z'; 1 << 20]).unwrap();
        assert_eq!(last_lines(&path).as_deref(), Some(""), "one endless line");
    }

    #[test]
    fn a_link_a_pipe_or_a_folder_in_the_place_of_a_log_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (
            directory.path().join("file"),
            directory.path().join("0.log"),
        );
        std::fs::write(&file, format!("{TIME} stdout F secret\n")).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(last_lines(&link), None);
        let pipe = directory.path().join("pipe");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(last_lines(&pipe), None);
        assert_eq!(last_lines(directory.path()), None);
    }

    #[test]
    fn links_are_followed_above_the_folder_of_a_pod_and_not_below() {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        let link = |to: &str, path: &str| std::os::unix::fs::symlink(at(to), at(path)).unwrap();
        std::fs::create_dir_all(at("disk/pods/pod/c")).unwrap();
        std::fs::create_dir_all(at("elsewhere/c")).unwrap();
        for file in [
            "disk/pods/pod/c/0.log",
            "elsewhere/c/0.log",
            "elsewhere/0.log",
        ] {
            std::fs::write(at(file), format!("{TIME} stdout F words\n")).unwrap();
        }
        link("disk", "log");
        link("elsewhere", "disk/pods/linked");
        link("elsewhere", "disk/pods/pod/linked");
        link("elsewhere/0.log", "disk/pods/pod/c/linked.log");
        let words = |path: &str| last_lines(&at(path));
        assert_eq!(words("log/pods/pod/c/0.log").as_deref(), Some("words\n"));
        assert_eq!(words("log/pods/linked/c/0.log"), None);
        assert_eq!(words("log/pods/pod/linked/0.log"), None);
        assert_eq!(words("log/pods/pod/c/linked.log"), None);
        assert_eq!(words("log/pods/pod/c/../c/0.log"), None);
    }
}
