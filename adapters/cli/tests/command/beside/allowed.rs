//! The list of differences that are known and explained, and what is new beside it.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::Difference;

/// One line of the list.
#[derive(Debug)]
struct Allowed {
    servers: Vec<String>,
    /// A pattern of the pod's name.
    pod: String,
    /// A pattern of the path.
    path: String,
    values: Values,
    reason: String,
}

/// Which differences of the values a line allows.
#[derive(Debug, PartialEq, Eq)]
enum Values {
    Any,
    /// Two moments that are at most so many seconds apart.
    Within(i64),
    /// Patterns of the kubelet's value and of ours.
    Patterns(String, String),
}

/// What was found, by line of the list and beside it.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) rows: Vec<Row>,
    /// Lines of the list that allow nothing that was found, of servers of which all was shown.
    pub(super) stale: Vec<String>,
}

/// The differences at one path that one line allows, or that none does.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) path: String,
    /// How many, by server.
    pub(super) counts: BTreeMap<&'static str, usize>,
    pub(super) pods: BTreeSet<String>,
    /// What the kubelet and the server have in the first one.
    pub(super) example: (String, String),
    /// Why it is allowed; nothing for what is new.
    pub(super) reason: Option<String>,
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct List(Vec<Allowed>);

impl List {
    /// Reads lines of `servers | [pod:]path | values | reason`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines = lines.filter(|line| !line.starts_with('#'));
        lines
            .map(Allowed::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Returns why a difference is allowed.
    pub(super) fn reason(&self, difference: &Difference) -> Option<&str> {
        self.line(difference)
            .map(|(_, allowed)| allowed.reason.as_str())
    }

    fn line(&self, difference: &Difference) -> Option<(usize, &Allowed)> {
        let mut lines = self.0.iter().enumerate();
        lines.find(|(_, allowed)| allowed.allows(difference))
    }

    /// Counts the differences by path and line.
    pub(super) fn sort(&self, found: &[Difference], servers: &[&str]) -> Sorted {
        let mut rows: BTreeMap<_, Row> = BTreeMap::new();
        let mut used = vec![false; self.0.len()];
        for difference in found {
            let line = self.line(difference);
            if let Some(flag) = line.and_then(|(index, _)| used.get_mut(index)) {
                *flag = true;
            }
            let index = line.map(|(index, _)| index);
            let key = (difference.path.clone(), index);
            let row = rows.entry(key).or_insert_with(|| Row {
                path: difference.path.clone(),
                counts: BTreeMap::new(),
                pods: BTreeSet::new(),
                example: (difference.kubelet.clone(), difference.ours.clone()),
                reason: line.map(|(_, allowed)| allowed.reason.clone()),
            });
            *row.counts.entry(difference.server).or_default() += 1;
            row.pods.insert(difference.pod.clone());
        }
        let stale = self.0.iter().zip(used);
        let stale = stale.filter(|(allowed, used)| !used && allowed.is_about(servers));
        Sorted {
            rows: rows.into_values().collect(),
            stale: stale.map(|(allowed, _)| allowed.told()).collect(),
        }
    }
}

impl Allowed {
    fn parse(line: &str) -> Result<Self, String> {
        let columns: Vec<_> = line.split(" | ").map(str::trim).collect();
        let [servers, path, values, reason] = columns.as_slice() else {
            return Err(format!("four columns are expected in: {line}"));
        };
        let (pod, path) = path.split_once(':').unwrap_or(("*", path));
        let values = match (*values, values.strip_prefix('~'), values.split_once("->")) {
            ("*", _, _) => Values::Any,
            (_, Some(seconds), _) => {
                let seconds = seconds.trim_end_matches('s').parse();
                Values::Within(seconds.map_err(|error| format!("{error} in: {line}"))?)
            }
            (_, _, Some((kubelet, ours))) => {
                Values::Patterns(kubelet.trim().into(), ours.trim().into())
            }
            _ => return Err(format!("`*`, `~2s` or `a -> b` is expected in: {line}")),
        };
        if reason.is_empty() {
            return Err(format!("a reason is expected in: {line}"));
        }
        Ok(Self {
            servers: servers.split(' ').map(str::to_owned).collect(),
            pod: pod.to_owned(),
            path: path.to_owned(),
            values,
            reason: (*reason).to_owned(),
        })
    }

    fn allows(&self, difference: &Difference) -> bool {
        self.is_about(&[difference.server])
            && matches(&self.pod, &difference.pod)
            && matches(&self.path, &difference.path)
            && match &self.values {
                Values::Any => true,
                Values::Within(limit) => {
                    let [theirs, ours] =
                        [&difference.kubelet, &difference.ours].map(|text| seconds(text));
                    let apart = theirs.zip(ours).map(|(theirs, ours)| (theirs - ours).abs());
                    apart.is_some_and(|apart| apart <= *limit)
                }
                Values::Patterns(kubelet, ours) => {
                    matches(kubelet, &difference.kubelet) && matches(ours, &difference.ours)
                }
            }
    }

    fn is_about(&self, servers: &[&str]) -> bool {
        self.servers
            .iter()
            .any(|server| servers.contains(&server.as_str()))
    }

    fn told(&self) -> String {
        let servers = self.servers.join(" ");
        format!(
            "{servers}: {}:{} ({:?}): {}",
            self.pod, self.path, self.values, self.reason
        )
    }
}

/// Says whether a text is of a pattern, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let parts: Vec<_> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
}

/// Returns the seconds of a moment as `2026-11-30T20:57:08.123Z` spells it, from some beginning on.
fn seconds(text: &str) -> Option<i64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let numbers = |text: &str, between: char| -> Option<[i64; 3]> {
        let parts: Option<Vec<_>> = text.split(between).map(|part| part.parse().ok()).collect();
        parts?.try_into().ok()
    };
    let time = time.split('.').next()?;
    let [year, month, day] = numbers(date, '-')?;
    let [hour, minute, second] = numbers(time, ':')?;
    // Only differences within a day or two count, so months may all have 31 days.
    let days = (year * 12 + month) * 31 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# A comment.\n\n\
        m h | status.startTime | ~2s | told by another clock\n\
        m | nopull:status.*.reason | ErrImagePull -> Container* | not known outside\n\
        k | metadata.generation | * | never seen\n";

    fn found(server: &'static str, path: &str, kubelet: &str, ours: &str) -> Difference {
        Difference {
            server,
            pod: "nopull".to_owned(),
            path: path.to_owned(),
            kubelet: kubelet.to_owned(),
            ours: ours.to_owned(),
        }
    }

    #[test]
    fn what_the_list_names_is_counted_by_line_and_what_it_does_not_name_is_new() {
        let list = List::parse(LIST).unwrap();
        let time = |ours| found("m", "status.startTime", "2026-11-30T20:59:59Z", ours);
        let differences = [
            time("2026-11-30T21:00:01Z"),
            time("2026-11-30T21:00:00Z"),
            time("2026-11-30T21:00:02Z"),
            found(
                "m",
                "status.a.b.reason",
                "ErrImagePull",
                "ContainerCreating",
            ),
            found(
                "h",
                "status.a.b.reason",
                "ErrImagePull",
                "ContainerCreating",
            ),
        ];
        let sorted = list.sort(&differences, &["m", "h", "k"]);
        let told: Vec<_> = sorted
            .rows
            .iter()
            .map(|row| {
                let counts: Vec<_> = row.counts.iter().map(|(server, n)| (*server, *n)).collect();
                (row.path.as_str(), counts, row.reason.as_deref())
            })
            .collect();
        assert_eq!(
            told,
            [
                ("status.a.b.reason", vec![("h", 1)], None),
                (
                    "status.a.b.reason",
                    vec![("m", 1)],
                    Some("not known outside")
                ),
                ("status.startTime", vec![("m", 1)], None),
                (
                    "status.startTime",
                    vec![("m", 2)],
                    Some("told by another clock")
                ),
            ]
        );
        assert_eq!(sorted.stale.len(), 1, "{:?}", sorted.stale);
        assert!(sorted.stale[0].contains("never seen"), "{:?}", sorted.stale);
        assert_eq!(list.sort(&differences, &["m"]).stale.len(), 0);
    }

    #[test]
    fn a_value_that_only_one_side_has_is_allowed_by_a_line_with_nothing_on_the_other() {
        let list = List::parse("m | a | -> * | b").unwrap();
        assert_eq!(list.reason(&found("m", "a", "", "1")), Some("b"));
        assert_eq!(list.reason(&found("m", "a", "1", "2")), None);
    }

    #[test]
    fn the_list_of_the_tree_can_be_read() {
        let text = std::fs::read_to_string(super::super::bed::differences()).unwrap();
        List::parse(&text).unwrap();
    }

    #[test]
    fn what_no_server_may_tell_is_allowed_by_no_line_of_the_tree() {
        let text = std::fs::read_to_string(super::super::bed::differences()).unwrap();
        let list = List::parse(&text).unwrap();
        let kinds = super::super::statics::KINDS.map(|(name, _)| name);
        let planted = [
            ("metadata.uid", "a", "b"),
            ("(pod)", "Running", ""),
            ("(left at the end)", "", "web-node-of-tests"),
            ("(get)", "as listed", "otherwise"),
            ("(a doubled state)", "", "Running"),
            ("(a false DELETED)", "", "the kubelet lists it 9.0 s later"),
            ("(a UID that the kubelet never has)", "", "u"),
            ("(MODIFIED before ADDED)", "", ""),
            ("status.phase", "Running", "Pending"),
            ("status.phase", "Running", "Failed"),
            ("status.containerStatuses[].restartCount", "1", "2"),
            ("status.containerStatuses[].restartCount", "3", "1"),
            ("status.containerStatuses[].image", "a", "b"),
            (
                "status.containerStatuses[].state.terminated.exitCode",
                "1",
                "2",
            ),
            (
                "status.containerStatuses[].lastState.terminated.exitCode",
                "1",
                "2",
            ),
            (
                "status.containerStatuses[].state.terminated.message",
                "fine",
                "",
            ),
            (
                "status.containerStatuses[].containerID",
                "containerd://a",
                "containerd://b",
            ),
            ("status.podIP", "10.88.0.4", "10.88.0.5"),
            ("status.podIP", "10.88.0.4", ""),
        ];
        for server in ["k", "h", "m", "m3", "kc", "hc", "a", "ma"] {
            for pod in kinds {
                for (path, kubelet, ours) in planted {
                    let difference = Difference {
                        pod: pod.to_owned(),
                        ..found(server, path, kubelet, ours)
                    };
                    assert_eq!(list.reason(&difference), None, "{difference:?}");
                }
            }
        }
        // One that only ours lists is a ghost, but where a kubelet's answers are not believed at once.
        for server in ["k", "m", "m3", "kc", "a", "ma"] {
            assert_eq!(list.reason(&found(server, "(pod)", "", "Running")), None);
            let ghost = "(a list has what the kubelet has forgotten)";
            assert_eq!(list.reason(&found(server, ghost, "", "u")), None);
        }
    }

    #[test]
    fn a_line_that_cannot_be_read_is_refused() {
        for line in [
            "m | a | *",
            "m | a | b | c",
            "m | a | ~x | c",
            "m | a | * | ",
        ] {
            assert!(List::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*b*d", "abcd", true),
            ("a*c", "abcd", false),
            ("abc", "abcd", false),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
