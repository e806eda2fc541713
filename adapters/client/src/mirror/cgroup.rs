//! Pod UIDs and container IDs in the names of cgroups.

/// What one segment of a cgroup's path may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate<'a> {
    Container(&'a str),
    Pod(&'a str),
}

/// Returns what a cgroup path may name, pods first, from the innermost segment outwards.
///
/// The `systemd` driver writes `kubepods-burstable-pod1a_2b.slice/cri-containerd-<id>.scope`, the
/// `cgroupfs` driver `kubepods/burstable/pod1a-2b/<id>`. The container helps where the pod's
/// segment is missing, as inside a cgroup namespace.
pub(super) fn candidates(path: &str) -> impl Iterator<Item = Candidate<'_>> {
    // A line of /proc/<pid>/cgroup starts with `0::` or `4:memory:`; none of that holds a slash.
    let segments = || {
        path.trim_end()
            .rsplit('/')
            .filter(|segment| !segment.is_empty())
    };
    segments().filter_map(pod).chain(segments().map(container))
}

fn pod(segment: &str) -> Option<Candidate<'_>> {
    // What follows the slice is containerd's own, where it runs without systemd.
    let name = segment
        .split_once(".slice")
        .map_or(segment, |(name, _rest)| name);
    let uid = match name.strip_prefix("pod") {
        Some(uid) => uid,
        None => name.split_once("-pod")?.1,
    };
    Some(Candidate::Pod(uid))
}

fn container(segment: &str) -> Candidate<'_> {
    let id = match segment.strip_suffix(".scope") {
        Some(name) => name.rsplit_once('-').map_or(name, |(_runtime, id)| id),
        // `<slice>:cri-containerd:<id>`.
        None => segment
            .rsplit_once(':')
            .map_or(segment, |(_runtime, id)| id),
    };
    Candidate::Container(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pods(path: &str) -> Vec<&str> {
        let found = candidates(path).filter_map(|candidate| match candidate {
            Candidate::Pod(uid) => Some(uid),
            Candidate::Container(_) => None,
        });
        found.collect()
    }

    fn innermost_container(path: &str) -> &str {
        let mut found = candidates(path).filter_map(|candidate| match candidate {
            Candidate::Container(id) => Some(id),
            Candidate::Pod(_) => None,
        });
        found.next().unwrap()
    }

    #[test]
    fn both_cgroup_drivers_are_read() {
        let systemd = "0::/kubepods.slice/kubepods-burstable.slice/\
                       kubepods-burstable-pod1a_2b.slice/cri-containerd-ffee.scope\n";
        assert_eq!(pods(systemd), ["1a_2b"]);
        assert_eq!(innermost_container(systemd), "ffee");
        let cgroupfs = "4:memory:/kubepods/besteffort/pod1a-2b/ffee";
        assert_eq!(pods(cgroupfs), ["1a-2b"]);
        assert_eq!(innermost_container(cgroupfs), "ffee");
        assert_eq!(
            pods("/kubelet-kubepods-pod7.slice:cri-containerd:aa"),
            ["7"]
        );
        assert_eq!(innermost_container("/x.slice:cri-containerd:aa"), "aa");
    }

    #[test]
    fn a_path_without_a_pod_names_none() {
        assert_eq!(pods("/system.slice/ssh.service"), Vec::<&str>::new());
        assert_eq!(candidates("").count(), 0);
    }
}
