//! What a node asks of the API server while nothing happens.

use std::collections::BTreeMap;
use std::time::Duration;

use super::link::Link;
use super::node::Node;
use super::plane::Plane;
use super::pods::{NOTHING, planned};

#[tokio::test(flavor = "multi_thread")]
async fn a_quiet_node_asks_next_to_nothing() {
    let seconds = std::env::var("PODSAPI_QUIET").ok();
    let Some(seconds) = seconds.map(|text| text.parse().unwrap()) else {
        println!("skipped: set PODSAPI_QUIET to how many seconds to look at a quiet node");
        return;
    };
    let Some(plane) = Plane::shared().await else {
        return;
    };
    let (api, space, name) = (&plane.api, "quiet", "node-of-quiet");
    api.namespace(space).await;
    for number in 0..30 {
        let pod = format!("pod-{number:02}");
        api.create(space, &planned(&pod, name)).await;
    }
    let link = Link::to(plane.port).await;
    let node = Node::start(name, &plane.kubeconfig(name, link.port), NOTHING).await;
    let started = node.told().len();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    assert_eq!(node.told().len(), started, "no event without a change");
    let mut verbs = BTreeMap::<_, usize>::new();
    for (verb, address) in plane.asked(name) {
        println!("{verb} {address}");
        *verbs.entry(verb).or_default() += 1;
    }
    let connections = link.opened();
    println!("{seconds} s of quiet: {verbs:?} with the start, {connections} connections");
    // A watch lasts five minutes at least.
    let most = 2 + usize::try_from(seconds / 300).unwrap();
    assert!(verbs.values().sum::<usize>() <= most, "{verbs:?}");
}
