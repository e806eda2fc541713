//! Situations in which a server of ours rightly tells a pod otherwise than the kubelet, each as one difference.
//!
//! Each is looked for in the values of both, and holds only where all the rest fits: an edited name, count,
//! code or ID leaves every path as a difference of its own.

use std::collections::BTreeMap;

/// All that is said of a pod, by path.
pub(super) type Leaves = BTreeMap<String, String>;

/// What differs as one: the name, and what the kubelet and ours have.
pub(super) type Found = (&'static str, String, String);

/// The kubelet has no more than the phase.
pub(super) const HELD: &str = "(held back)";

/// A container that has ended is told to wait for its next start.
pub(super) const BACKS_OFF: &str = "(backs off)";

/// A container waits for its next start, for another time.
pub(super) const DELAY: &str = "(for how long it backs off)";

/// The kubelet has lost sight of an end that it told before.
pub(super) const LOST: &str = "(an end that the kubelet lost)";

/// Of a pod that has ended the address is not known.
pub(super) const UNADDRESSED: &str = "(no address of what has ended)";

/// Takes the situations out of both sides, and returns them.
pub(super) fn take(theirs: &mut Leaves, own: &mut Leaves) -> Vec<Found> {
    let mut found = Vec::new();
    found.extend(held(theirs, own));
    found.extend(unaddressed(theirs, own));
    for container in containers(theirs, ".state.terminated.reason") {
        found.extend(lost(&container, theirs, own));
    }
    for container in containers(own, ".state.waiting.reason") {
        found.extend(backs_off(&container, theirs, own));
        found.extend(delay(&container, theirs, own));
    }
    found
}

/// A pod that is held back until the one before has ended, of which the kubelet has the phase only: it
/// has no container that ran, here either.
fn held(theirs: &Leaves, own: &mut Leaves) -> Option<Found> {
    let status = theirs.keys().filter(|path| path.starts_with(STATUS));
    let phase = theirs
        .get("status.phase")
        .filter(|phase| *phase == "Pending")?;
    if status.count() != 1 || own.get("status.phase") != Some(phase) {
        return None;
    }
    let ran = |path: &String| {
        let states = [".running.", ".terminated.", ".containerID"];
        path.starts_with(STATUS) && states.iter().any(|state| path.contains(state))
    };
    let counted = |(path, value): (&String, &String)| {
        path.starts_with(STATUS) && path.ends_with(".restartCount") && value != "0"
    };
    if own.keys().any(ran) || own.iter().any(counted) {
        return None;
    }
    let before = own.len();
    own.retain(|path, _| !path.starts_with(STATUS) || path == "status.phase");
    (own.len() < before).then(|| (HELD, phase.clone(), phase.clone()))
}

/// A pod that has ended, of which the kubelet remembers the addresses and ours has none.
fn unaddressed(theirs: &mut Leaves, own: &Leaves) -> Option<Found> {
    let is_address = |path: &String| path == "status.podIP" || path.starts_with("status.podIPs[");
    let phase = own.get("status.phase")?;
    let has_ended = ["Succeeded", "Failed"].contains(&phase.as_str());
    let address = theirs.get("status.podIP")?.clone();
    if !has_ended || theirs.get("status.phase") != Some(phase) || own.keys().any(is_address) {
        return None;
    }
    theirs.retain(|path, _| !is_address(path));
    Some((UNADDRESSED, address, String::new()))
}

/// A container that the kubelet tells as terminated, and ours as waiting after the very same end.
fn backs_off(container: &str, theirs: &mut Leaves, own: &mut Leaves) -> Option<Found> {
    let [waiting, ended, last] = ["state.waiting.", "state.terminated.", "lastState."]
        .map(|part| format!("{container}.{part}"));
    let reason = own.get(&format!("{waiting}reason"))?.clone();
    let ours = below(own, &format!("{last}terminated."));
    if reason != "CrashLoopBackOff" || ours.is_empty() || below(theirs, &ended) != ours {
        return None;
    }
    for prefix in [waiting, last, ended] {
        theirs.retain(|path, _| !path.starts_with(&prefix));
        own.retain(|path, _| !path.starts_with(&prefix));
    }
    Some((BACKS_OFF, "terminated".to_owned(), reason))
}

/// A container that the kubelet let wait for its next start when its pod ended, so that it tells of
/// another end than the last one, which is the state in ours.
fn lost(container: &str, theirs: &mut Leaves, own: &mut Leaves) -> Option<Found> {
    let [ended, last] =
        ["state.terminated.", "lastState."].map(|part| format!("{container}.{part}"));
    let reason = theirs.get(&format!("{ended}reason"))?.clone();
    let ours = below(own, &ended);
    if reason != "ContainerStatusUnknown"
        || theirs.contains_key(&format!("{ended}containerID"))
        || ours.is_empty()
        || below(theirs, &format!("{last}terminated.")) != ours
    {
        return None;
    }
    let told = ours.get("reason").cloned().unwrap_or_default();
    for prefix in [last, ended] {
        theirs.retain(|path, _| !path.starts_with(&prefix));
        own.retain(|path, _| !path.starts_with(&prefix));
    }
    Some((LOST, reason, told))
}

/// A container that waits for its next start in both, for another time.
fn delay(container: &str, theirs: &mut Leaves, own: &mut Leaves) -> Option<Found> {
    let path = format!("{container}.state.waiting.message");
    let parts = |leaves: &Leaves| -> Option<(String, String)> {
        let text = leaves.get(&path)?.strip_prefix("back-off ")?;
        let (delay, rest) = text.split_once(" restarting failed container=")?;
        Some((delay.to_owned(), rest.to_owned()))
    };
    let ((their_delay, their_rest), (own_delay, own_rest)) = (parts(theirs)?, parts(own)?);
    if their_rest != own_rest || their_delay == own_delay {
        return None;
    }
    theirs.remove(&path);
    own.remove(&path);
    Some((DELAY, their_delay, own_delay))
}

/// Returns what is below a path, without it.
fn below(leaves: &Leaves, prefix: &str) -> Leaves {
    let inside = leaves.iter().filter_map(|(path, value)| {
        let rest = path.strip_prefix(prefix)?;
        Some((rest.to_owned(), value.clone()))
    });
    inside.collect()
}

/// Returns the paths of the statuses of containers that have this.
fn containers(leaves: &Leaves, what: &str) -> Vec<String> {
    let names = leaves.keys().filter_map(|path| {
        let container = path.strip_suffix(what)?;
        container.starts_with(STATUS).then(|| container.to_owned())
    });
    names.collect()
}

const STATUS: &str = "status.";

#[cfg(test)]
mod tests {
    use podsapi_proto::json::parse_json;

    use super::super::fields;

    /// Returns what differs, as the comparison tells it.
    fn differ(kubelet: &str, ours: &str) -> Vec<String> {
        let [kubelet, ours] = [kubelet, ours].map(|text| parse_json(text.as_bytes()).unwrap());
        let found = fields::values(&kubelet, &ours).into_iter();
        found
            .map(|(path, theirs, own)| format!("{path} {theirs}->{own}"))
            .collect()
    }

    fn status(container: &str) -> String {
        format!(
            r#"{{"status":{{"phase":"Running","containerStatuses":[{{"name":"c",{container}}}]}}}}"#
        )
    }

    fn end(id: &str, code: u8) -> String {
        format!(r#""terminated":{{"containerID":"{id}","exitCode":{code},"reason":"Error"}}"#)
    }

    fn waits(last: &str, count: u8) -> String {
        let waiting = r#""waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s"}"#;
        status(&format!(
            r#""restartCount":{count},"state":{{{waiting}}},"lastState":{{{last}}}"#
        ))
    }

    #[test]
    fn a_container_that_waits_after_the_end_that_the_kubelet_tells_differs_once() {
        let ended = |last: &str| {
            let (now, last) = (end("b", 1), end(last, 1));
            status(&format!(
                r#""restartCount":1,"state":{{{now}}},"lastState":{{{last}}}"#
            ))
        };
        let found = differ(&ended("a"), &waits(&end("b", 1), 1));
        assert_eq!(found, ["(backs off) terminated->CrashLoopBackOff"]);
        // Another code, and the end of another run, are told path by path.
        for other in [end("b", 2), end("a", 1), String::new()] {
            let found = differ(&ended("a"), &waits(&other, 1));
            assert!(found.len() > 3 && !found[0].starts_with('('), "{found:?}");
        }
        let found = differ(&ended("a"), &waits(&end("b", 1), 2));
        assert_eq!(
            found,
            [
                "(backs off) terminated->CrashLoopBackOff",
                "status.containerStatuses[].restartCount 1->2"
            ]
        );
    }

    #[test]
    fn an_end_that_the_kubelet_lost_differs_once_where_it_is_the_same_end() {
        let theirs = |last: &str| {
            let lost = r#""terminated":{"exitCode":137,"reason":"ContainerStatusUnknown"}"#;
            status(&format!(r#""state":{{{lost}}},"lastState":{{{last}}}"#))
        };
        let ours = status(&format!(
            r#""state":{{{}}},"lastState":{{{}}}"#,
            end("b", 1),
            end("a", 1)
        ));
        let found = differ(&theirs(&end("b", 1)), &ours);
        assert_eq!(
            found,
            ["(an end that the kubelet lost) ContainerStatusUnknown->Error"]
        );
        for other in [end("b", 2), end("a", 1), String::new()] {
            let found = differ(&theirs(&other), &ours);
            assert!(found.len() > 2 && !found[0].starts_with('('), "{found:?}");
        }
    }

    #[test]
    fn an_address_may_be_missing_of_a_pod_that_has_ended_and_of_no_other() {
        let of =
            |phase: &str, address: &str| format!(r#"{{"status":{{"phase":"{phase}"{address}}}}}"#);
        let has = r#","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}]"#;
        let found = differ(&of("Failed", has), &of("Failed", ""));
        assert_eq!(found, ["(no address of what has ended) 10.0.0.1->"]);
        let other = r#","podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.2"}]"#;
        for (kubelet, ours) in [
            (of("Running", has), of("Running", "")),
            (of("Running", has), of("Failed", "")),
            (of("Failed", has), of("Failed", other)),
        ] {
            let found = differ(&kubelet, &ours);
            assert!(found.len() >= 2 && !found[0].starts_with('('), "{found:?}");
        }
    }

    #[test]
    fn another_delay_of_the_same_start_differs_once_and_another_container_does_not_pass() {
        let waits = |delay: &str, of: &str| {
            status(&format!(
                r#""state":{{"waiting":{{"reason":"CrashLoopBackOff",
                "message":"back-off {delay} restarting failed container={of}"}}}}"#
            ))
        };
        let found = differ(&waits("10s", "c pod=p"), &waits("2m40s", "c pod=p"));
        assert_eq!(found, ["(for how long it backs off) 10s->2m40s"]);
        let found = differ(&waits("10s", "c pod=p"), &waits("10s", "d pod=p"));
        assert!(found.len() == 1 && !found[0].starts_with('('), "{found:?}");
    }

    #[test]
    fn a_pod_of_which_the_kubelet_has_the_phase_differs_once_unless_something_of_it_runs() {
        let held = r#"{"metadata":{"uid":"a"},"status":{"phase":"Pending"}}"#;
        let ours = |uid: &str, phase: &str, count: u8, state: &str| {
            format!(
                r#"{{"metadata":{{"uid":"{uid}"}},"status":{{"phase":"{phase}","qosClass":"BestEffort",
                "containerStatuses":[{{"name":"c","restartCount":{count},"state":{{"{state}":{{"reason":"x"}}}}}}]}}}}"#
            )
        };
        let found = differ(held, &ours("a", "Pending", 0, "waiting"));
        assert_eq!(found, ["(held back) Pending->Pending"]);
        let found = differ(held, &ours("b", "Pending", 0, "waiting"));
        assert_eq!(found, ["(held back) Pending->Pending", "metadata.uid a->b"]);
        for wrong in [
            ours("a", "Running", 0, "waiting"),
            ours("a", "Pending", 1, "waiting"),
            ours("a", "Pending", 0, "running"),
            ours("a", "Pending", 0, "terminated"),
        ] {
            let found = differ(held, &wrong);
            assert!(found.len() > 3 && !found[0].starts_with('('), "{found:?}");
        }
        // A kubelet that has more than the phase is compared with all of it.
        let more =
            r#"{"metadata":{"uid":"a"},"status":{"phase":"Pending","qosClass":"Burstable"}}"#;
        let found = differ(more, &ours("a", "Pending", 0, "waiting"));
        assert!(found.len() > 3, "{found:?}");
    }
}
