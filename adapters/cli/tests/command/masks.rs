//! Fields that a user asks for, and masks that are tried without a server.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Stdio;

use podsapi_proto::core_v1::Pod;
use podsapi_proto::json::{Value, parse_json, parse_yaml, to_json};
use podsapi_proto::v1alpha1::ListPodsResponse;
use prost::Message;

use crate::process::{Ended, Running, Server, command, run, until};

/// Returns a server of some invented pods that stay as they are.
fn server() -> (Server, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::ready(folder.path(), ["--simulate", "6"]);
    (server, folder)
}

fn keys(value: &Value) -> Vec<&str> {
    let map = value.as_map().expect("it is an object");
    map.iter().map(|(key, _)| key).collect()
}

/// Runs `mask` with these lines on standard input.
fn mask_of_input(input: &str) -> Ended {
    let mut command = command(["mask", "-"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    Running::of(child).end()
}

#[test]
fn a_list_of_some_fields_has_these_and_the_identity() {
    let (server, _folder) = server();
    let fields = [
        "--fields",
        "status.phase",
        "--fields",
        "spec.containers.name",
    ];
    let json = server.ask(&[&["list", "-o", "json"], &fields[..]].concat());
    let json = parse_json(json.text().as_bytes()).unwrap();
    let items = json.get("items").and_then(Value::as_list).unwrap();
    assert_eq!(items.len(), 6);
    for item in items {
        assert_eq!(
            keys(item),
            ["apiVersion", "kind", "metadata", "spec", "status"]
        );
        let part = |name| item.get(name).unwrap();
        assert_eq!(keys(part("metadata")), ["name", "namespace", "uid"]);
        assert_eq!(keys(part("spec")), ["containers"]);
        assert_eq!(keys(part("status")), ["phase"]);
        for container in part("spec").get("containers").unwrap().as_list().unwrap() {
            assert_eq!(keys(container), ["name"]);
        }
    }
    let yaml = server.ask(&[&["list", "-o", "yaml"], &fields[..]].concat());
    assert_eq!(parse_yaml(yaml.text().as_bytes()).unwrap(), [json]);

    let protobuf = server.ask(&["list", "-o", "protobuf", "--fields", "status.phase"]);
    let list = ListPodsResponse::decode(&*protobuf.stdout).unwrap();
    assert_eq!(list.pods.len(), 6);
    for pod in list.pods {
        let pod = Pod::decode(pod).unwrap();
        assert!(!pod.metadata.unwrap_or_default().uid().is_empty());
        assert!(pod.spec.is_none());
        let mut status = pod.status.unwrap();
        assert!(status.phase.take().is_some());
        assert_eq!(status, Default::default());
    }
}

#[test]
fn a_key_that_is_not_ascii_can_be_asked_for() {
    let (server, _folder) = server();
    let json = server.ask(&["list", "-o", "json", "--fields", "metadata.labels.`größe`"]);
    let json = parse_json(json.text().as_bytes()).unwrap();
    for item in json.get("items").and_then(Value::as_list).unwrap() {
        assert_eq!(keys(item), ["apiVersion", "kind", "metadata"]);
        let metadata = item.get("metadata").unwrap();
        assert_eq!(keys(metadata), ["name", "namespace", "uid"]);
    }
}

#[test]
fn a_pod_is_found_by_name_whatever_is_asked_of_it() {
    let (server, _folder) = server();
    let all = parse_json(server.ask(&["list", "-o", "json"]).text().as_bytes()).unwrap();
    let first = &all.get("items").and_then(Value::as_list).unwrap()[0];
    let of_metadata = |key| {
        first
            .get("metadata")
            .unwrap()
            .get(key)
            .unwrap()
            .as_str()
            .unwrap()
    };
    let name = format!("{}/{}", of_metadata("namespace"), of_metadata("name"));
    for pod in [name.as_str(), of_metadata("uid")] {
        let whole = server.ask(&["get", pod, "-o", "json"]).text();
        assert_eq!(
            to_json(&parse_json(whole.as_bytes()).unwrap()),
            to_json(first)
        );
        let node = server.ask(&["get", pod, "-o", "yaml", "--fields", "spec.nodeName"]);
        let node = parse_yaml(node.text().as_bytes()).unwrap().remove(0);
        assert_eq!(keys(&node), ["apiVersion", "kind", "metadata", "spec"]);
        assert_eq!(
            node.get("spec").unwrap().get("nodeName"),
            first.get("spec").unwrap().get("nodeName")
        );
    }
}

#[test]
fn a_watch_of_some_fields_tells_these() {
    let (server, _folder) = server();
    let watch = server.command(&["watch", "-o", "json", "--fields", "status.phase"]);
    let event = parse_json(watch.line("ADDED").trim().as_bytes()).unwrap();
    let pod = event.get("object").unwrap();
    assert_eq!(keys(pod), ["apiVersion", "kind", "metadata", "status"]);
    assert_eq!(keys(pod.get("status").unwrap()), ["phase"]);
    watch.line("INITIAL_SYNC_COMPLETE");
}

/// Passes one connection on to the server at `socket` and returns how many bytes came back.
fn bytes_sent_back(socket: &Path, arguments: &[&str]) -> (usize, Ended) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("between.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let asking = Running::start(command(arguments).arg("--socket").arg(&path));
    listener.set_nonblocking(true).unwrap();
    let (here, _) = until("the command connects", || listener.accept().ok());
    here.set_nonblocking(false).unwrap();
    let there = UnixStream::connect(socket).unwrap();
    let (mut from, mut to) = (here.try_clone().unwrap(), there.try_clone().unwrap());
    let asked = std::thread::spawn(move || {
        // An end of the connection by the other side is as good as any.
        let _ended = std::io::copy(&mut from, &mut to);
        let _closed = to.shutdown(Shutdown::Both);
    });
    let (mut from, mut to) = (there, here);
    let (mut count, mut buffer) = (0, vec![0; 64 << 10]);
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        count += read;
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _closed = to.shutdown(Shutdown::Both);
    asked.join().unwrap();
    (count, asking.end())
}

#[test]
fn a_server_sends_only_what_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::ready(folder.path(), ["--simulate", "60"]);
    let sent = |arguments: &[&str]| {
        let (count, ended) = bytes_sent_back(&server.socket, arguments);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        count
    };
    let whole = sent(&["list", "-o", "json"]);
    for (arguments, at_most) in [
        (&["list"][..], whole / 4),
        (&["list", "-o", "wide"], whole / 4),
        (&["list", "-o", "name"], whole / 15),
        (
            &["list", "-o", "json", "--fields", "status.phase"],
            whole / 15,
        ),
    ] {
        let part = sent(arguments);
        assert!(part < at_most, "{arguments:?}: {part} of {whole} bytes");
    }
}

#[test]
fn fields_that_are_wrong_are_refused_before_anything_is_asked() {
    let wrong = |arguments: &[&str]| {
        let ended = run(["list", "--socket", "/nowhere/at-all.sock"]
            .iter()
            .chain(arguments));
        assert_eq!((ended.code, ended.stdout.len()), (Some(2), 0), "{ended:?}");
        ended.stderr
    };
    assert_eq!(
        wrong(&["-o", "json", "--fields", "status.phase,spec.container.name"]),
        "podsapi: --fields is not a field mask\n  \
         path 2 \"spec.container.name\": \"container\" (byte 5) is not a field of PodSpec; \
         did you mean \"containers\"?\n    \
         status.phase,spec.container.name\n    \
         \x20                 ^\n"
    );
    for format in [&[][..], &["-o", "wide"], &["-o", "name"]] {
        let text = wrong(&[&["--fields", "status.phase"], format].concat());
        assert!(text.contains("--fields needs -o json"), "{text}");
    }
    assert!(wrong(&["-o", "json", "--fields-unchecked"]).contains("--fields <MASK>"));
}

#[test]
fn a_mask_that_the_server_refuses_has_each_fault_on_a_line() {
    let (server, _folder) = server();
    for command in ["list", "watch"] {
        let ended = server.ask(&[
            command,
            "-o",
            "json",
            "--fields-unchecked",
            "--fields=spec.newest",
            "--fields=status.newer",
        ]);
        assert_eq!((ended.code, ended.stdout.len()), (Some(1), 0), "{ended:?}");
        for path in ["spec.newest", "status.newer"] {
            let line = format!("\n  {path}: ");
            assert_eq!(ended.stderr.matches(&line).count(), 1, "{ended:?}");
        }
    }
}

#[test]
fn a_mask_is_tried_on_an_invented_pod() {
    let text = run(["mask", "status.pod_ips, spec.containers.*.name"]).text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "MASK    spec.containers.name,status.podIPs");
    assert!(lines[1].ends_with("(simulated)"), "{text}");
    let numbers: Vec<usize> = lines[2]
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    let [before, after] = numbers[..] else {
        panic!("{text}")
    };
    assert!(after > 0 && after * 10 < before, "{text}");
    assert_eq!(lines[3], "");
    let starts = ["PATH", "spec.containers.name", "status.podIPs"];
    for (line, start) in lines[4..].iter().zip(starts) {
        assert!(line.starts_with(start), "{text}");
    }
    assert_eq!(lines.len(), 7);
    // The same pod each time.
    assert_eq!(
        run(["mask", "spec.containers.name", "status.podIPs"]).text(),
        text
    );

    let json = run(["mask", "-o", "json", "status.phase"]).text();
    let pod = parse_json(json.as_bytes()).unwrap();
    assert_eq!(keys(&pod), ["apiVersion", "kind", "status"]);
    assert!(
        run(["mask", "kind"])
            .text()
            .starts_with("MASK    (nothing)\n")
    );
    assert!(run(["mask", "*,spec"]).text().starts_with("MASK    *\n"));
}

#[test]
fn a_mask_is_tried_on_the_pod_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pod.yaml");
    let pod = "metadata: {name: p, namespace: shop, labels: {app.kubernetes.io/name: web}}\n\
               spec: {containers: [{name: a, image: i}, {name: b}], speck: 1}\n";
    std::fs::write(&file, pod).unwrap();
    let mask = "metadata.labels.`app.kubernetes.io/name`,spec.containers.name,status.phase";
    let ended = run(["mask", mask, "--pod", file.to_str().unwrap()]);
    assert!(
        ended.stderr.contains("unknown field spec.speck"),
        "{ended:?}"
    );
    assert_eq!(
        ended.text().lines().skip(1).collect::<Vec<_>>(),
        [
            "POD     shop/p",
            "BYTES   57 before, 45 after: 21.0 % saved",
            "",
            "PATH                                       BYTES   VALUE",
            "metadata.labels.`app.kubernetes.io/name`   33      \"web\"",
            "spec.containers.name                       12      [\"a\",\"b\"]",
            "status.phase                               0       -",
        ]
    );
    let missing = run(["mask", "spec", "--pod", "/nowhere/at-all.yaml"]);
    assert_eq!(missing.code, Some(2), "{missing:?}");
}

#[test]
fn a_wrong_mask_is_shown_with_a_mark_below_each_fault() {
    let ended = run(["mask", "status.podIps", "spec,spec..nodeName"]);
    assert_eq!((ended.code, ended.stdout.len()), (Some(2), 0), "{ended:?}");
    assert_eq!(
        ended.stderr,
        "podsapi: not a field mask\n  \
         line 1, path 1 \"status.podIps\": \"podIps\" (byte 7) is not a field of PodStatus; \
         names are case-sensitive: did you mean \"podIPs\"?\n    \
         status.podIps\n    \
         \x20      ^\n  \
         line 2, path 2 \"spec..nodeName\": empty segment at byte 5\n    \
         spec,spec..nodeName\n    \
         \x20         ^\n"
    );
    assert_eq!(
        mask_of_input("status.podIps\nspec,spec..nodeName\n").stderr,
        ended.stderr
    );
    assert_eq!(
        mask_of_input("status.phase\r\n\nspec.nodeName\n").text(),
        run(["mask", "status.phase,spec.nodeName"]).text()
    );
    let long = mask_of_input(&"spec,".repeat(10_000));
    assert!(long.stderr.contains("at most 8192 bytes"), "{long:?}");
    assert_eq!(run(["mask"]).code, Some(2));
}
