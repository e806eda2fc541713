//! Every command in every output format.

use std::process::{Command, Stdio};

use bytes::Bytes;
use podsapi_proto::core_v1::Pod;
use podsapi_proto::json::{Value, parse_json, parse_yaml};
use podsapi_proto::v1alpha1::{EventType, GetPodResponse, ListPodsResponse, WatchPodsEvent};
use prost::Message;

use crate::process::{Server, command, manifest};

const UIDS: [&str; 2] = [
    "0a000000-0000-4000-8000-000000000001",
    "0b000000-0000-4000-8000-000000000002",
];

/// Returns a server of the pods `shop/alpha-node-1` and `shop/beta-node-1`, and its folders.
fn server() -> (Server, [tempfile::TempDir; 2]) {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [manifests, sockets] = folders.each_ref().map(|folder| folder.path());
    manifest(manifests, "alpha", UIDS[0]);
    manifest(manifests, "beta", UIDS[1]);
    let source = ["--manifests", manifests.to_str().unwrap()];
    let server = Server::ready(sockets, ["--node-name", "Node-1"].into_iter().chain(source));
    (server, folders)
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    let found = path.iter().fold(value, |value, key| {
        value.get(key).expect("the key is there")
    });
    found.as_str().expect("it is a string")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn tables_have_the_columns_of_kubectl() {
    let (server, _folders) = server();
    let table = server.ask(&["list"]).text();
    let rows: Vec<_> = table.lines().map(words).collect();
    assert_eq!(
        rows[0],
        ["NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    );
    assert_eq!(
        rows[1][..5],
        ["shop", "alpha-node-1", "0/1", "Pending", "0"]
    );
    assert_eq!(rows[2][..5], ["shop", "beta-node-1", "0/1", "Pending", "0"]);
    let age = rows[1][5];
    assert!(
        age.ends_with('s') || age.contains('m'),
        "an age from config.seen: {age}"
    );

    let wide = server.ask(&["list", "-n", "shop", "-o", "wide"]).text();
    let rows: Vec<_> = wide.lines().map(words).collect();
    assert_eq!(
        rows[0],
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "UID"]
    );
    assert_eq!(rows[1][5..], ["<none>", UIDS[0]]);
    assert_eq!(rows.len(), 3);

    let one = server.ask(&["get", "shop/beta-node-1"]).text();
    assert_eq!(
        words(one.lines().next_back().unwrap())[..3],
        ["beta-node-1", "0/1", "Pending"]
    );
}

#[test]
fn a_namespace_without_pods_is_said_and_is_no_failure() {
    let (server, _folders) = server();
    let ended = server.ask(&["list", "-n", "empty"]);
    assert_eq!((ended.code, ended.stdout.len()), (Some(0), 0));
    assert_eq!(ended.stderr, "podsapi: no pods in namespace empty\n");
}

#[test]
fn names_are_one_a_line() {
    let (server, _folders) = server();
    let names = server.ask(&["list", "-o", "name"]).text();
    assert_eq!(names, "pod/alpha-node-1\npod/beta-node-1\n");
    let name = server.ask(&["get", UIDS[1], "-o", "name"]).text();
    assert_eq!(name, "pod/beta-node-1\n");
}

#[test]
fn json_and_yaml_are_a_list_and_a_pod() {
    let (server, _folders) = server();
    let json = parse_json(server.ask(&["list", "-o", "json"]).text().as_bytes()).unwrap();
    let yaml = parse_yaml(server.ask(&["list", "-o", "yaml"]).text().as_bytes()).unwrap();
    assert_eq!(yaml, std::slice::from_ref(&json));
    assert_eq!(
        [text(&json, &["apiVersion"]), text(&json, &["kind"])],
        ["v1", "List"]
    );
    let items = json.get("items").and_then(Value::as_list).unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(
        [text(&items[0], &["apiVersion"]), text(&items[0], &["kind"])],
        ["v1", "Pod"]
    );
    assert_eq!(text(&items[0], &["metadata", "uid"]), UIDS[0]);

    let asked = ["get", UIDS[0], "-o", "json"];
    let pod = parse_json(server.ask(&asked).text().as_bytes()).unwrap();
    assert_eq!(pod, items[0]);
    let named = ["get", "-n", "shop", "alpha-node-1", "-o", "yaml"];
    assert_eq!(
        parse_yaml(server.ask(&named).text().as_bytes()).unwrap(),
        [pod]
    );
}

#[test]
fn protobuf_is_the_encoded_response() {
    let (server, _folders) = server();
    let list = server.ask(&["list", "-o", "protobuf"]).stdout;
    let pods = ListPodsResponse::decode(&*list).unwrap().pods;
    assert_eq!(pods.len(), 2);
    let one = server.ask(&["get", UIDS[1], "-o", "protobuf"]).stdout;
    assert_eq!(GetPodResponse::decode(&*one).unwrap().pod, pods[1]);
    assert_eq!(
        Pod::decode(&*pods[1]).unwrap().metadata.unwrap().name(),
        "beta-node-1"
    );
}

#[test]
fn kubectl_loads_the_list() {
    let (server, [_manifests, scratch]) = server();
    let file = scratch.path().join("list.json");
    std::fs::write(&file, server.ask(&["list", "-o", "json"]).text()).unwrap();
    let mut kubectl = Command::new("kubectl");
    kubectl
        .args(["label", "--local", "-o", "name", "tried=yes", "-f"])
        .arg(&file);
    let Ok(loaded) = kubectl
        .env("HOME", scratch.path())
        .stdin(Stdio::null())
        .output()
    else {
        println!("skipped: kubectl is not installed");
        return;
    };
    let names = String::from_utf8_lossy(&loaded.stdout).into_owned();
    assert_eq!(names, "pod/alpha-node-1\npod/beta-node-1\n", "{loaded:?}");
}

#[test]
fn a_watch_is_one_json_object_a_line() {
    let (server, _folders) = server();
    let watch = server.command(&["watch", "-o", "json"]);
    let added = parse_json(watch.line("alpha-node-1").as_bytes()).unwrap();
    assert_eq!(text(&added, &["type"]), "ADDED");
    assert_eq!(text(&added, &["object", "metadata", "uid"]), UIDS[0]);
    let marker = parse_json(watch.line("INITIAL_SYNC_COMPLETE").as_bytes()).unwrap();
    assert_eq!(text(&marker, &["object", "kind"]), "Pod");
}

#[test]
fn a_watch_in_protobuf_is_events_behind_their_length() {
    let directory = tempfile::tempdir().unwrap();
    let server = Server::ready(directory.path(), ["--simulate", "3"]);
    let output = directory.path().join("events");
    let mut watch = command(["watch", "-o", "protobuf", "--socket"]);
    watch
        .arg(&server.socket)
        .stdout(std::fs::File::create(&output).unwrap());
    let _watch = crate::process::Running::start(&mut watch);
    let events = crate::process::until("the sync is written", || {
        let mut rest = Bytes::from(std::fs::read(&output).unwrap());
        let mut events = Vec::new();
        while let Ok(event) = WatchPodsEvent::decode_length_delimited(&mut rest) {
            let ended = event.r#type() == EventType::InitialSyncComplete;
            events.push(event);
            if ended {
                return Some(events);
            }
        }
        None
    });
    let kinds: Vec<_> = events.iter().map(WatchPodsEvent::r#type).collect();
    assert_eq!(kinds[..3], [EventType::Added; 3]);
    assert!(
        !Pod::decode(&*events[0].pod)
            .unwrap()
            .metadata
            .unwrap()
            .uid()
            .is_empty()
    );
    assert_eq!(events.len(), 4);
}

#[test]
fn a_watch_in_a_table_prints_rows_below_their_headings() {
    let (server, _folders) = server();
    let watch = server.command(&["watch", "-n", "shop"]);
    let headings = watch.line("NAME");
    let row = watch.line("beta-node-1");
    assert_eq!(headings.find("READY"), row.find("0/1"));
}

#[test]
fn whole_pods_have_the_zeros_of_go_and_parts_only_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pods.yaml");
    let pod = "metadata: {name: p, namespace: shop, uid: u}\nstatus: {phase: Running, containerStatuses: [{name: c}]}\n";
    std::fs::write(&file, pod).unwrap();
    let server = Server::ready(folder.path(), ["--snapshot", file.to_str().unwrap()]);
    let container = r#"{"name":"c","state":{},"lastState":{},"ready":false,"restartCount":0,"image":"","imageID":""}"#;
    let whole = format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p","namespace":"shop","uid":"u"}},"spec":{{"containers":null}},"status":{{"phase":"Running","containerStatuses":[{container}]}}}}"#
    );
    let whole = parse_json(whole.as_bytes()).unwrap();
    let list = parse_json(server.ask(&["list", "-o", "json"]).text().as_bytes()).unwrap();
    assert_eq!(
        list.get("items").and_then(Value::as_list),
        Some(std::slice::from_ref(&whole))
    );
    let get = server.ask(&["get", "u", "-o", "yaml"]).text();
    assert_eq!(
        parse_yaml(get.as_bytes()).unwrap(),
        std::slice::from_ref(&whole)
    );
    let watch = server.command(&["watch", "-o", "json"]);
    let added = parse_json(watch.line("ADDED").trim().as_bytes()).unwrap();
    assert_eq!(added.get("object"), Some(&whole));
    let synced = watch.line("INITIAL_SYNC_COMPLETE");
    assert_eq!(
        synced,
        "{\"type\":\"INITIAL_SYNC_COMPLETE\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}}\n"
    );

    let asked = [
        "get",
        "u",
        "-o",
        "json",
        "--fields",
        "status.containerStatuses.name",
    ];
    let part = parse_json(server.ask(&asked).text().as_bytes()).unwrap();
    let status = part.get("status").map(podsapi_proto::json::to_json);
    assert_eq!(
        status.as_deref(),
        Some(r#"{"containerStatuses":[{"name":"c"}]}"#)
    );
    assert_eq!(part.get("spec"), None);
}
