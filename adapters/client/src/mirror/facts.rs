//! What the mirror reads out of a pod: identity, age, end, and the names it is found by.

use std::net::IpAddr;
use std::sync::Arc;

use podsapi_proto::core_v1;

/// What is kept of a pod beside its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) uid: Arc<str>,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) created: Option<i64>,
    pub(super) terminal: bool,
    pub(super) host_network: bool,
    /// Other UIDs by which the pod is known: the kubelet's hash of a static pod.
    pub(super) aliases: Vec<String>,
    /// The IDs of its containers, current and last ended, without the runtime.
    pub(super) containers: Vec<String>,
    /// Its own addresses; none on the host network.
    pub(super) addresses: Vec<IpAddr>,
}

impl Facts {
    /// Reads a pod; `None` when it has no UID.
    pub(super) fn read(pod: &core_v1::Pod) -> Option<Self> {
        let metadata = pod.metadata.as_ref()?;
        let uid = metadata.uid.as_deref().filter(|uid| !uid.is_empty())?;
        let annotation = |name: &str| metadata.annotations.get(name);
        let status = pod.status.as_ref();
        let created = metadata
            .creation_timestamp
            .as_ref()
            .and_then(|time| time.seconds)
            .filter(|seconds| *seconds != 0)
            .or_else(|| parse_rfc3339(annotation("kubernetes.io/config.seen")?))
            .or_else(|| status?.start_time.as_ref()?.seconds);
        let phase = status.and_then(|status| status.phase.as_deref());
        let host_network = pod
            .spec
            .as_ref()
            .is_some_and(|spec| spec.host_network == Some(true));
        let aliases = ["kubernetes.io/config.hash", "kubernetes.io/config.mirror"]
            .into_iter()
            .filter_map(annotation)
            .filter(|alias| !alias.is_empty() && alias.as_str() != uid)
            .cloned();
        Some(Self {
            uid: uid.into(),
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
            created,
            terminal: matches!(phase, Some("Succeeded" | "Failed")),
            host_network,
            aliases: aliases.collect(),
            containers: status.map_or_else(Vec::new, containers),
            addresses: status
                .filter(|_| !host_network)
                .map_or_else(Vec::new, addresses),
        })
    }
}

/// Returns a container ID without its `runtime://`; `None` when nothing is left.
pub(super) fn bare_container_id(id: &str) -> Option<&str> {
    let bare = id.split_once("://").map_or(id, |(_runtime, bare)| bare);
    Some(bare).filter(|bare| !bare.is_empty())
}

fn containers(status: &core_v1::PodStatus) -> Vec<String> {
    let statuses = [
        &status.init_container_statuses,
        &status.container_statuses,
        &status.ephemeral_container_statuses,
    ];
    let mut ids = Vec::new();
    for container in statuses.into_iter().flatten() {
        let last = container
            .last_state
            .as_ref()
            .and_then(|state| state.terminated.as_ref());
        let found = [
            &container.container_id,
            last.map_or(&None, |ended| &ended.container_id),
        ];
        let bare = found
            .into_iter()
            .flatten()
            .filter_map(|id| bare_container_id(id));
        ids.extend(bare.map(str::to_owned));
    }
    ids
}

fn addresses(status: &core_v1::PodStatus) -> Vec<IpAddr> {
    let all = status.pod_i_ps.iter().map(|address| &address.ip);
    let parsed = all
        .chain([&status.pod_ip])
        .flatten()
        .filter_map(|text| text.parse().ok());
    let mut addresses: Vec<_> = parsed
        .map(|address: IpAddr| address.to_canonical())
        .collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

/// Reads a time such as `2026-01-02T03:04:05.678901234+01:00` as seconds since 1970.
fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = bytes.get(range)?;
        digits.iter().try_fold(0, |value, digit| {
            digit
                .is_ascii_digit()
                .then(|| value * 10 + i64::from(digit - b'0'))
        })
    };
    let punctuation = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if punctuation
        .iter()
        .any(|(at, expected)| bytes.get(*at) != Some(expected))
    {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let fraction = bytes.get(19..)?;
    let skipped = match fraction {
        [b'.', rest @ ..] => 1 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => 0,
    };
    let zone = 19 + skipped;
    let offset = match bytes.get(zone..)? {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let seconds = number(zone + 1..zone + 3)? * 3600 + number(zone + 4..zone + 6)? * 60;
            if *sign == b'+' { seconds } else { -seconds }
        }
        _ => return None,
    };
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(seconds - offset)
}

/// Counts days in the Gregorian calendar, with March as the first month so that leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_fractions_and_offsets() {
        assert_eq!(parse_rfc3339("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse_rfc3339("2024-02-29T12:00:00Z"), Some(1_709_208_000));
        assert_eq!(
            parse_rfc3339("2026-01-02T03:04:05.678901234+01:00"),
            Some(1_767_319_445)
        );
        assert_eq!(
            parse_rfc3339("2026-01-02T03:04:05-00:30"),
            Some(1_767_324_845)
        );
        for broken in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-01-01T00:00:00",
            "x",
        ] {
            assert_eq!(parse_rfc3339(broken), None, "{broken}");
        }
    }

    #[test]
    fn every_month_begins_on_its_day() {
        // Of years that four divides and not, with those of whole centuries.
        for (year, days) in [
            (
                1900,
                [
                    -25567, -25536, -25508, -25477, -25447, -25416, -25386, -25355, -25324, -25294,
                    -25263, -25233,
                ],
            ),
            (
                1970,
                [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334],
            ),
            (
                2000,
                [
                    10957, 10988, 11017, 11048, 11078, 11109, 11139, 11170, 11201, 11231, 11262,
                    11292,
                ],
            ),
            (
                2023,
                [
                    19358, 19389, 19417, 19448, 19478, 19509, 19539, 19570, 19601, 19631, 19662,
                    19692,
                ],
            ),
            (
                2024,
                [
                    19723, 19754, 19783, 19814, 19844, 19875, 19905, 19936, 19967, 19997, 20028,
                    20058,
                ],
            ),
            (
                2100,
                [
                    47482, 47513, 47541, 47572, 47602, 47633, 47663, 47694, 47725, 47755, 47786,
                    47816,
                ],
            ),
        ] {
            for (month, days) in (1..).zip(days) {
                assert_eq!(days_since_1970(year, month, 1), days, "{year}-{month}");
                let text = format!("{year}-{month:02}-31T00:00:00Z");
                assert_eq!(parse_rfc3339(&text), Some((days + 30) * 86_400), "{text}");
            }
        }
    }

    #[test]
    fn every_part_of_a_time_counts_and_has_its_bounds() {
        for (text, expected) in [
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("1969-12-31T23:59:59Z", -1),
            ("1970-01-01T00:00:01Z", 1),
            ("1970-01-01T00:01:00Z", 60),
            ("1970-01-01T01:00:00Z", 3_600),
            ("1970-01-02T10:20:30.Z", 123_630),
            ("1970-01-01T23:59:60Z", 86_400),
            ("1970-01-01T00:00:00+10:20", -37_200),
            ("1970-01-01T00:00:00-10:20", 37_200),
            ("1970-01-01T00:00:00.25-00:01", 60),
        ] {
            assert_eq!(parse_rfc3339(text), Some(expected), "{text}");
        }
        for broken in [
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-32T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z",
            "2026/01-01T00:00:00Z",
            "2026-01/01T00:00:00Z",
            "2026-01-01 00:00:00Z",
            "2026-01-01T00.00:00Z",
            "2026-01-01T00:00.00Z",
            "2026-01-01T00:00:00z",
            "2026-01-01T00:00:00+0100",
            "2026-01-01T00:00:00+aa:00",
            "2026-01-01T00:00:00.5",
            "2026-01-01T00:00:0aZ",
            "202:-01-01T00:00:00Z",
            "202/-01-01T00:00:00Z",
        ] {
            assert_eq!(parse_rfc3339(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_container_id_loses_its_runtime() {
        assert_eq!(bare_container_id("containerd://ab"), Some("ab"));
        assert_eq!(bare_container_id("ab"), Some("ab"));
        assert_eq!(bare_container_id("docker://"), None);
    }
}
