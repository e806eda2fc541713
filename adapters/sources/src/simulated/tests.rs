//! Simulated nodes: what a seed stands for, and that what it makes are pods.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_core::{Config, EncodedPod, Moment, Pods, SourceConfig, SourceKind, Uid};
use podsapi_proto::json::{Value, encode};
use podsapi_proto::schema::Message;

use super::{Change, Node, Options, run};
use crate::recorder::{Recorder, at, decoded};
use crate::sink::Sink;
use crate::tree::integer;

const START: i64 = 1_762_283_628;

/// The first pods and then `changes` changes, one a second.
fn history(seed: u64, pods: usize, changes: i64) -> (Vec<EncodedPod>, Vec<Change>) {
    let mut node = Node::new(seed, pods, "node-a", START);
    let first = node.pods().map(Result::unwrap).collect();
    let changes = (0..changes).map(|second| node.next_change(START + second).unwrap().unwrap());
    (first, changes.collect())
}

#[test]
fn one_seed_is_one_history_and_another_seed_another() {
    assert_eq!(history(7, 30, 300), history(7, 30, 300));
    assert_ne!(history(7, 30, 0), history(8, 30, 0));
}

#[test]
fn every_pod_at_every_time_is_one_that_kubernetes_could_have() {
    let (first, changes) = history(1, 40, 800);
    let changed = changes.iter().filter_map(|change| match change {
        Change::Put(pod) => Some(pod),
        Change::Remove(_) => None,
    });
    let label = |name: &str, length: usize| {
        !name.is_empty()
            && name.len() <= length
            && !name.starts_with('-')
            && !name.ends_with('-')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    for pod in first.iter().chain(changed) {
        assert!(
            label(pod.name(), 253) && label(pod.namespace(), 63),
            "{pod:?}"
        );
        let value = decoded(pod);
        let again = encode(Message::POD, &value).unwrap();
        assert_eq!(again.unknown, Vec::<String>::new());
        let containers = at(&value, "spec/containers").as_list().unwrap();
        let statuses = at(&value, "status/containerStatuses").as_list().unwrap();
        assert!((2..=3).contains(&containers.len()));
        assert_eq!(containers.len(), statuses.len());
        let restarts_for_ever = at(&value, "spec/restartPolicy").as_str() == Some("Always");
        let phase = at(&value, "status/phase").as_str().unwrap();
        let deleted = at(&value, "metadata").get("deletionTimestamp").is_some();
        let ended = ["Succeeded", "Failed"].contains(&phase);
        assert!(
            !ended || deleted || !restarts_for_ever,
            "{pod:?} is {phase}"
        );
    }
}

#[test]
fn a_node_shows_everything_that_happens_to_pods() {
    let (first, changes) = history(3, 40, 1_500);
    let mut pods: BTreeMap<Uid, EncodedPod> = first
        .into_iter()
        .map(|pod| (pod.uid().clone(), pod))
        .collect();
    let mut phases = BTreeSet::new();
    let (mut created, mut removed, mut restarted, mut unready) = (0, 0, 0, 0);
    for change in changes {
        match change {
            Change::Put(pod) => {
                let value = decoded(&pod);
                phases.insert(at(&value, "status/phase").as_str().unwrap().to_owned());
                let restarts = |value: &Value| {
                    let statuses = at(value, "status/containerStatuses").as_list().unwrap();
                    let maps = statuses.iter().filter_map(Value::as_map);
                    let counts = maps.filter_map(|map| integer(map, "restartCount"));
                    counts.sum::<i64>()
                };
                let ready = |value: &Value| {
                    at(value, "status/conditions/2/status").as_str() == Some("True")
                };
                match pods.insert(pod.uid().clone(), pod) {
                    Some(before) => {
                        let before = decoded(&before);
                        restarted += i64::from(restarts(&value) > restarts(&before));
                        unready += i64::from(ready(&before) && !ready(&value));
                        assert!(restarts(&value) >= restarts(&before));
                    }
                    None => created += 1,
                }
            }
            Change::Remove(uid) => {
                let last = decoded(&pods.remove(&uid).expect("only what is there can go"));
                at(&last, "metadata/deletionTimestamp");
                removed += 1;
            }
        }
        assert!((30..=40).contains(&pods.len()), "{}", pods.len());
    }
    let expected = ["Failed", "Pending", "Running", "Succeeded"];
    assert_eq!(
        phases.iter().map(String::as_str).collect::<Vec<_>>(),
        expected
    );
    for (count, what) in [
        (created, "created"),
        (removed, "removed"),
        (restarted, "restarted"),
        (unready, "unready"),
    ] {
        assert!(count > 10, "{what}: {count}");
    }
}

#[tokio::test]
async fn a_service_accepts_everything_a_source_says() {
    let config = Config {
        sources: vec![SourceConfig::new("simulated", SourceKind::Simulated)],
        ..Config::default()
    };
    let pods = Arc::new(Mutex::new(Pods::new(config, Moment::ORIGIN)));
    let serving = Arc::clone(&pods);
    let (count, mut counted) = tokio::sync::watch::channel(0_u32);
    let sink = Sink::new(
        move |event| {
            let mut pods = serving.lock().unwrap();
            let source = pods.source("simulated").unwrap();
            pods.handle_source(source, event, Moment::ORIGIN).unwrap();
            count.send_modify(|count| *count += 1);
            Ok(())
        },
        |text| assert_eq!(text, None),
        || START,
    );
    let options = Options {
        pods: 30,
        changes_per_second: 2_000.0,
        seed: 6,
        node_name: "node-a".to_owned(),
    };
    let task = tokio::spawn(run(options, sink));
    let enough = counted.wait_for(|count| *count > 500);
    tokio::time::timeout(Duration::from_secs(60), enough)
        .await
        .expect("changes come")
        .unwrap();
    task.abort();
    let pods = pods.lock().unwrap();
    assert!(pods.readiness().is_ready());
    assert!(
        (20..=30).contains(&pods.pod_count()),
        "{}",
        pods.pod_count()
    );
}

#[test]
fn a_node_without_pods_stays_without() {
    let mut node = Node::new(1, 0, "node-a", START);
    assert_eq!(node.pods().count(), 0);
    assert_eq!(node.next_change(START), None);
}

#[tokio::test]
async fn the_source_says_a_complete_list_and_then_changes_at_its_rate() {
    let mut recorder = Recorder::new();
    let options = Options {
        pods: 20,
        changes_per_second: 500.0,
        seed: 5,
        node_name: "node-a".to_owned(),
    };
    let task = tokio::spawn(run(options, recorder.sink.clone()));
    let heard = recorder.until(|heard| heard.words.len() > 22 + 100).await;
    task.abort();
    assert_eq!(heard.words[0], "begin");
    assert_eq!(heard.words[21], "complete");
    assert_eq!((heard.lists, heard.problem()), (1, ""));
}
