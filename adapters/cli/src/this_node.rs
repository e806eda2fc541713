//! Which node this is: the one that was named, or the one whose host name this process sees.
//!
//! In a pod the host name is the pod's own, unless the pod is on its node's network. Taken for the
//! node's, it would fit no pod, and all would look well. So in a pod that is not, or not known to be, on
//! the node's network the name must be given.
//!
//! Whether this is a pod: kubelets give each one `KUBERNETES_SERVICE_HOST`, and most the token of a
//! service account. Which network it is on: the first line of `/etc/hosts`, which a kubelet writes and
//! which says so. Where a pod has brought a file of its own, the number of the UTS namespace: that of
//! the machine is the same on every Linux.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use crate::args::NodeName;
use crate::failure::Failure;

/// Returns the name that a kubelet would give this node.
///
/// # Errors
///
/// When this is a pod whose host name is its own, or the host name can be no node's.
pub(crate) fn this_node() -> Result<NodeName, Failure> {
    let service = std::env::var_os("KUBERNETES_SERVICE_HOST");
    if !has_the_nodes_host_name(Path::new("/"), service) {
        return Err(Failure::Usage(IN_A_POD.to_owned()));
    }
    let name = nix::unistd::gethostname().map_err(|error| {
        Failure::Start(format!(
            "this machine has no host name ({error}); give --node-name"
        ))
    })?;
    name.to_string_lossy().parse().map_err(|error| {
        Failure::Usage(format!(
            "this machine's host name is no node name: {error}; give --node-name"
        ))
    })
}

/// Tells whether the host name is the machine's, below this root, with that address of an API server.
fn has_the_nodes_host_name(root: &Path, service: Option<OsString>) -> bool {
    let is_pod = service.is_some_and(|host| !host.is_empty()) || root.join(ACCOUNT).exists();
    if !is_pod {
        return true;
    }
    let mut start = Vec::new();
    if let Ok(hosts) = File::open(root.join("etc/hosts")) {
        // What cannot be read says nothing.
        let _partly = hosts.take(HOSTS_BYTES).read_to_end(&mut start);
    }
    if start.starts_with(ON_THE_NODES_NETWORK) {
        return true;
    }
    if start.starts_with(ON_ITS_OWN_NETWORK) {
        return false;
    }
    let namespace = fs::read_link(root.join("proc/self/ns/uts"));
    namespace.is_ok_and(|namespace| namespace == Path::new(UTS_OF_THE_MACHINE))
}

/// Where kubelets put the service account of a pod.
const ACCOUNT: &str = "var/run/secrets/kubernetes.io/serviceaccount";

/// `managedHostsHeader` and `managedHostsHeaderWithHostNetwork` of `pkg/kubelet/kubelet_pods.go`.
const ON_ITS_OWN_NETWORK: &[u8] = b"# Kubernetes-managed hosts file.\n";
const ON_THE_NODES_NETWORK: &[u8] = b"# Kubernetes-managed hosts file (host network).\n";

/// More than either has.
const HOSTS_BYTES: u64 = 100;

/// `PROC_UTS_INIT_INO`, 0xEFFFFFFE, of `include/linux/proc_ns.h`.
const UTS_OF_THE_MACHINE: &str = "uts:[4026531838]";

const IN_A_POD: &str =
    "this is a pod, whose host name is not its node's; give --node-name, in the \
pod's manifest by the downward API:
  env:
  - name: PODSAPI_NODE_NAME
    valueFrom: {fieldRef: {fieldPath: spec.nodeName}}";

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n";
    const NODES: &str = "# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n";
    const PLAIN: &str = "127.0.0.1 localhost\n";
    const MACHINE: &str = "uts:[4026531838]";
    const CONTAINER: &str = "uts:[4026532288]";

    fn is_known(account: bool, service: Option<&str>, hosts: &str, uts: &str) -> bool {
        let root = tempfile::tempdir().unwrap();
        if account {
            fs::create_dir_all(root.path().join(ACCOUNT)).unwrap();
        }
        for folder in ["etc", "proc/self/ns"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("etc/hosts"), hosts).unwrap();
        std::os::unix::fs::symlink(uts, root.path().join("proc/self/ns/uts")).unwrap();
        has_the_nodes_host_name(root.path(), service.map(OsString::from))
    }

    #[test]
    fn a_pod_knows_its_node_by_the_host_name_only_on_the_nodes_network() {
        for (account, service) in [
            (true, Some("10.0.0.1")),
            (true, None),
            (false, Some("10.0.0.1")),
        ] {
            let known = |hosts, uts| is_known(account, service, hosts, uts);
            assert!(!known(OWN, CONTAINER));
            assert!(!known(OWN, MACHINE), "the kubelet's word is plain");
            assert!(known(NODES, MACHINE));
            assert!(known(NODES, CONTAINER), "as on a node that is a container");
            assert!(!known(PLAIN, CONTAINER));
            assert!(known(PLAIN, MACHINE));
            assert!(!known("", "elsewhere"));
        }
    }

    #[test]
    fn what_is_no_pod_has_the_name_of_its_machine() {
        for service in [None, Some("")] {
            assert!(is_known(false, service, PLAIN, CONTAINER));
            assert!(is_known(false, service, OWN, CONTAINER));
        }
        let nothing = tempfile::tempdir().unwrap();
        assert!(has_the_nodes_host_name(nothing.path(), None));
        assert!(!has_the_nodes_host_name(nothing.path(), Some("h".into())));
    }

    #[test]
    fn the_refusal_says_how_to_give_the_name() {
        for part in ["--node-name", "PODSAPI_NODE_NAME", "spec.nodeName"] {
            assert!(IN_A_POD.contains(part), "{part}");
        }
    }
}
