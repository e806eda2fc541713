//! The addresses of a pod and of its node.

use std::net::IpAddr;

use super::Scene;

/// Returns the node's addresses: the owner's word for it, else what is known of the node.
pub(super) fn of_node(scene: &Scene<'_>) -> Vec<String> {
    let owner = &scene.owner.status;
    let said = owner.host_i_ps.iter().map(|host| host.ip().to_owned());
    let said: Vec<_> = said.filter(|ip| !ip.is_empty()).collect();
    match (said.is_empty(), owner.host_ip()) {
        (false, _) => said,
        (true, "") => scene.node.host_ips.iter().take(2).cloned().collect(),
        (true, ip) => vec![ip.to_owned()],
    }
}

/// Returns the pod's addresses: those of the newest sandbox if it is ready; while none is ready,
/// those that it had (`getPodIPs`). On the node's network those that it had, else the node's.
pub(super) fn of_pod(scene: &Scene<'_>, node: &[String]) -> Vec<String> {
    let had = || {
        let mut had = scene.said().map(|report| {
            let ips = report.status.pod_i_ps.iter().map(|pod| pod.ip().to_owned());
            let ips: Vec<_> = ips.filter(|ip| !ip.is_empty()).collect();
            match (ips.is_empty(), report.status.pod_ip()) {
                (true, ip) if !ip.is_empty() => vec![ip.to_owned()],
                (true | false, _) => ips,
            }
        });
        had.find(|ips| !ips.is_empty()).unwrap_or_default()
    };
    if scene.host_network() {
        return on_the_node(had(), node);
    }
    let active = scene.seen.active();
    let shown = active.map_or(Vec::new(), |sandbox| one_of_each_family(&sandbox.ips, node));
    if shown.is_empty() && scene.seen.ready_sandboxes() == 0 {
        had()
    } else {
        shown
    }
}

/// Addresses on the node's network stay, but a node that got a second family adds it.
fn on_the_node(mut had: Vec<String>, node: &[String]) -> Vec<String> {
    if had.is_empty() {
        return node.to_vec();
    }
    if let ([only], [_, second]) = (had.as_slice(), node)
        && is_v4(only) != is_v4(second)
    {
        had.push(second.clone());
    }
    had
}

/// Returns the first address of each family, that of the node's first address first; without a
/// node's address version 4 comes first.
fn one_of_each_family(ips: &[String], node: &[String]) -> Vec<String> {
    let ips: Vec<IpAddr> = ips.iter().filter_map(|ip| ip.parse().ok()).collect();
    let v4_first = node.first().is_none_or(|first| is_v4(first));
    let of = |v4: bool| ips.iter().find(move |ip| ip.is_ipv4() == v4);
    let both = [of(v4_first), of(!v4_first)];
    both.into_iter().flatten().map(IpAddr::to_string).collect()
}

fn is_v4(ip: &str) -> bool {
    !ip.contains(':')
}
