//! What is wrong with a mask, shown to a person: each fault above its line with a mark below.

use std::fmt::Write;

use podsapi_client::{Fields, MaskError, MaskFault};

/// Returns what is wrong with the mask of these lines, to stand behind a few words of a heading.
///
/// Places are told by line, so each line is looked at alone; what is wrong only with all of them
/// together, as their length can be, has no place.
pub(crate) fn report(lines: &[String], whole: &MaskError) -> String {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let Err(error) = Fields::parse(line) else {
            continue;
        };
        for fault in error.faults() {
            let number = (lines.len() > 1).then_some(index + 1);
            text.push_str(&marked(number, line, fault));
        }
    }
    if text.is_empty() {
        text = whole
            .faults()
            .iter()
            .map(|fault| format!("\n  {fault}"))
            .collect();
    }
    text
}

fn marked(number: Option<usize>, line: &str, fault: &MaskFault) -> String {
    let mut text = "\n  ".to_owned();
    if let Some(number) = number {
        // Writing to a string does not fail.
        let _always = write!(text, "line {number}, ");
    }
    text.push_str(&fault.to_string());
    if fault.number() == 0 {
        return text;
    }
    let at = fault.start() + fault.offset();
    let (before, after) = line.split_at_checked(at).unwrap_or((line, ""));
    let skipped = before.chars().count().saturating_sub(MAX_BEFORE);
    let cut = if skipped > 0 { "..." } else { "" };
    let before: String = cut.chars().chain(before.chars().skip(skipped)).collect();
    let mut shown: String = before
        .chars()
        .chain(after.chars().take(MAX_AFTER))
        .collect();
    if after.chars().count() > MAX_AFTER {
        shown.push_str("...");
    }
    let shown = shown.replace(|c: char| c.is_control(), "?");
    let blanks = " ".repeat(before.chars().count());
    let _always = write!(text, "\n    {shown}\n    {blanks}^");
    text
}

/// Characters shown in front of a fault.
const MAX_BEFORE: usize = 60;

/// Characters shown from a fault on.
const MAX_AFTER: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(lines: &[&str]) -> String {
        let lines: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
        let error = Fields::parse_lines(lines.iter().map(String::as_str)).unwrap_err();
        report(&lines, &error)
    }

    #[test]
    fn a_mark_stands_below_the_byte_that_is_wrong() {
        assert_eq!(
            reported(&["status.phase, spec.container.name,status.podips"]),
            "\n  path 2 \"spec.container.name\": \"container\" (byte 5) is not a field of PodSpec; \
             did you mean \"containers\"?\
             \n    status.phase, spec.container.name,status.podips\
             \n                       ^\
             \n  path 3 \"status.podips\": \"podips\" (byte 7) is not a field of PodStatus; names \
             are case-sensitive: did you mean \"podIPs\"?\
             \n    status.phase, spec.container.name,status.podips\
             \n                                             ^"
        );
    }

    #[test]
    fn lines_are_numbered_when_there_are_several() {
        let text = reported(&["spec", "status,speck", ""]);
        assert!(text.starts_with("\n  line 2, path 2 \"speck\""), "{text}");
        assert!(text.ends_with("\n    status,speck\n           ^"), "{text}");
    }

    #[test]
    fn a_long_line_is_shown_around_the_mark() {
        let line = format!("{}speck,{}status", "status,".repeat(50), "spec,".repeat(50));
        let text = reported(&[&line]);
        let shown: Vec<_> = text.lines().skip(2).collect();
        assert!(shown[0].starts_with("    ...") && shown[0].ends_with("..."));
        let column = shown[1].find('^').unwrap();
        assert!(shown[0][column..].starts_with("speck,spec,"), "{text}");
    }

    #[test]
    fn characters_not_bytes_are_counted_and_controls_do_not_reach_the_terminal() {
        let text = reported(&["metadata.labels.`größe`,speck"]);
        assert!(
            text.ends_with(&format!("\n    {}^", " ".repeat(24))),
            "{text}"
        );
        let text = reported(&["spec\u{1b}[1m"]);
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn what_is_wrong_with_the_whole_has_no_mark() {
        let half = "spec,".repeat(300);
        let text = reported(&[&half, &half]);
        assert_eq!(text, "\n  expected at most 512 paths, found more");
    }
}
