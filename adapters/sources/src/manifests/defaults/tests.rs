//! What is filled in beside others of its kind that have it already.

use podsapi_proto::json::{parse_json, to_json};

use super::*;

/// The pod with this spec and status after its defaults, in JSON.
fn filled(spec: &str, status: &str) -> Map {
    let text = format!(r#"{{"spec":{spec},"status":{status}}}"#);
    let Value::Map(mut pod) = parse_json(text.as_bytes()).unwrap() else {
        panic!("{text}");
    };
    fill(&mut pod, KubeletRelease::NEWEST);
    pod
}

fn json(pod: &Map, part: &str, list: &str) -> String {
    let part = pod.get(part).and_then(Value::as_map).unwrap();
    part.get(list).map_or_else(String::new, to_json)
}

#[test]
fn the_first_address_of_a_pod_and_its_only_one_are_one() {
    for (status, ip, ips) in [
        (r#"{}"#, "", ""),
        (
            r#"{"podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}"#,
            r#""10.0.0.1""#,
            r#"[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]"#,
        ),
        (
            r#"{"podIP":"10.0.0.1"}"#,
            r#""10.0.0.1""#,
            r#"[{"ip":"10.0.0.1"}]"#,
        ),
        (
            r#"{"podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]}"#,
            r#""10.0.0.1""#,
            r#"[{"ip":"10.0.0.1"},{"ip":"fd00::1"}]"#,
        ),
        (
            r#"{"podIP":"10.0.0.2","podIPs":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]}"#,
            r#""10.0.0.2""#,
            r#"[{"ip":"10.0.0.2"}]"#,
        ),
    ] {
        let pod = filled("{}", status);
        assert_eq!(json(&pod, "status", "podIP"), ip, "{status}");
        assert_eq!(json(&pod, "status", "podIPs"), ips, "{status}");
    }
}

#[test]
fn of_several_volumes_only_those_without_a_source_are_empty_folders() {
    let spec = r#"{"volumes":[
        {"name":"a","hostPath":{"path":"/a"}},
        {"name":"b"},
        {"name":"c","emptyDir":null},
        {"name":"d","hostPath":null,"configMap":{"name":"d"}},
        {"name":"e","nonsense":{}},
        {"name":"f","emptyDir":{"medium":"Memory"}}]}"#;
    let pod = filled(spec, "{}");
    let spec = pod.get("spec").and_then(Value::as_map).unwrap();
    let folders = objects(spec, "volumes").map(|(_, volume)| {
        let folder = volume.get("emptyDir").filter(|one| **one != Value::Null);
        (text(volume, "name").to_owned(), folder.map(to_json))
    });
    let expected = [
        ("a", None),
        ("b", Some("{}")),
        ("c", Some("{}")),
        ("d", None),
        ("e", Some("{}")),
        ("f", Some(r#"{"medium":"Memory"}"#)),
    ];
    let expected = expected.map(|(name, folder)| (name.to_owned(), folder.map(str::to_owned)));
    assert_eq!(folders.collect::<Vec<_>>(), expected);
}

#[test]
fn the_name_of_a_volume_is_no_source() {
    let known = ["name", "nonsense", "emptyDir", "hostPath", "projected"];
    assert_eq!(
        known.map(|key| KubeletRelease::NEWEST.has_volume_source(key)),
        [false, false, true, true, true]
    );
}

#[test]
fn ports_are_of_the_host_only_on_its_network_and_only_where_none_is_given() {
    let ports = |network: bool| {
        let spec = format!(
            r#"{{"hostNetwork":{network},"containers":[{{"name":"a","ports":[
            {{"containerPort":80}},{{"containerPort":81,"hostPort":8081}},
            {{"containerPort":82,"protocol":"UDP"}}]}}]}}"#
        );
        let pod = filled(&spec, "{}");
        let spec = pod.get("spec").and_then(Value::as_map).unwrap();
        let (_, container) = objects(spec, "containers").next().unwrap();
        let ports = objects(container, "ports");
        let ports = ports.map(|(_, port)| {
            let protocol = text(port, "protocol").to_owned();
            (integer(port, "hostPort"), protocol)
        });
        ports.collect::<Vec<_>>()
    };
    let of = |hosts: [Option<i64>; 3]| {
        let protocols = ["TCP", "TCP", "UDP"].map(str::to_owned);
        hosts.into_iter().zip(protocols).collect::<Vec<_>>()
    };
    assert_eq!(ports(true), of([Some(80), Some(8081), Some(82)]));
    assert_eq!(ports(false), of([None, Some(8081), None]));
}
