//! UIDs that kubelets were seen to give.

use super::*;
use crate::manifests::manifest::Manifest;

const FOLDER: &str = "/etc/kubernetes/manifests";

fn uid_in(release: KubeletRelease, file: &str, content: &str) -> String {
    let path = format!("{FOLDER}/{file}");
    let manifest = Manifest::decode(content.as_bytes(), path, "node-a", release).unwrap();
    manifest.uid().to_string()
}

fn uid(file: &str, content: &str) -> String {
    uid_in(KubeletRelease::NEWEST, file, content)
}

fn pod(name: &str, spec: &str) -> String {
    format!(r#"{{"spec": {{{spec}}}, "kind": "Pod", "apiVersion": "v1", "metadata": {{{name}}}}}"#)
}

/// The pods are spelled in another way than those that the kubelet ran: only what they are counts.
#[test]
fn pods_have_the_uids_that_a_running_kubelet_gave_them() {
    let container = |name: &str, command: &str| {
        format!(r#"{{"command":[{command}],"image":"localhost/busybox:local","name":"{name}"}}"#)
    };
    let main = container("c", r#""sleep","3600""#);
    let wait = |name| container(name, r#""sleep","2""#);
    let crash = container("c", r#""sh","-c","sleep 1; exit 1""#);
    let host = main.replacen('{', r#"{"ports":[{"containerPort":8080}],"#, 1);
    let probe = r#"{"readinessProbe":{"exec":{"command":["test","-f","/ok"]},"periodSeconds":1},"#;
    let ready = container("c", r#""sh","-c","sleep 8; touch /ok; sleep 3600""#);
    let ready = ready.replacen('{', probe, 1);
    let side = container("side", r#""sleep","3600""#);
    let side = side.replacen('{', r#"{"restartPolicy":"Always","#, 1);
    let quick = r#""terminationGracePeriodSeconds":1"#;
    let pods = [
        pod(r#""name":"crash""#, &format!(r#""containers":[{crash}]"#)),
        pod(
            r#""namespace":"kube-system","name":"hostnet""#,
            &format!(r#""containers":[{host}],{quick},"hostNetwork":true"#),
        ),
        pod(
            r#""name":"init""#,
            &format!(
                r#"{quick},"containers":[{main}],"initContainers":[{},{}]"#,
                wait("i1"),
                wait("i2")
            ),
        ),
        pod(
            r#""name":"ready""#,
            &format!(r#""containers":[{ready}],{quick}"#),
        ),
        pod(
            r#""name":"sidecar""#,
            &format!(
                r#"{quick},"initContainers":[{side},{}],"containers":[{main}]"#,
                wait("i2")
            ),
        ),
    ];
    for ((file, expected), content) in SEEN.iter().zip(&pods) {
        assert_eq!(uid(file, content), *expected, "{file}");
    }
}

#[test]
fn a_uid_depends_on_the_node_the_path_and_the_release_and_on_no_spelling() {
    let content = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: \
                   [{name: c, image: i}]\n";
    let of = |node: &str, path: &str, release| {
        let read = Manifest::decode(content.as_bytes(), path, node, release);
        read.unwrap().uid().to_string()
    };
    let newest = KubeletRelease::NEWEST;
    let mut all: Vec<String> = KubeletRelease::ALL
        .map(|release| of("n", "/m/a", release))
        .to_vec();
    all.extend([of("m", "/m/a", newest), of("n", "/m/b", newest)]);
    let different: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len(), "{all:?}");
    // A kubelet lowers the letters of its node's name.
    assert_eq!(of("N", "/m/a", newest), of("n", "/m/a", newest));
    let spelled = content.replace(
        "image: i",
        "image: \"i\", imagePullPolicy: Always, labels: 1",
    );
    let read = Manifest::decode(spelled.as_bytes(), "/m/a", "n", newest).unwrap();
    assert_eq!(read.uid().to_string(), of("n", "/m/a", newest));
}

#[test]
fn a_manifest_that_names_a_uid_keeps_it_in_each_release() {
    let content = pod(r#""name":"a","uid":"given""#, r#""containers":[]"#);
    for release in KubeletRelease::ALL {
        let mut read = Manifest::decode(content.as_bytes(), "/m/a", "n", release).unwrap();
        assert_eq!(read.uid_in(release), None);
        read.turn_to(KubeletRelease::NEWEST);
        assert_eq!(read.uid().as_str(), "given");
    }
}

#[test]
fn turning_to_a_release_is_the_same_as_reading_in_it() {
    let content = pod(
        r#""name":"a""#,
        r#""containers":[{"name":"c"}],"resources":{"limits":{"cpu":1}}"#,
    );
    let read = |release| Manifest::decode(content.as_bytes(), "/m/a", "n", release).unwrap();
    for release in KubeletRelease::ALL {
        let mut turned = read(KubeletRelease::NEWEST);
        turned.turn_to(release);
        assert_eq!(turned.uid(), read(release).uid());
        assert_eq!(
            read(KubeletRelease::NEWEST).uid_in(release),
            Some(turned.uid())
        );
        assert_eq!(turned.encode(0), read(release).encode(0));
    }
}

#[test]
fn a_release_is_its_minor_version_and_may_be_given_as_a_kubelet_says_it() {
    for (text, minor) in [("1.33", 33), ("1.37", 37), ("v1.35", 35), ("1.36.3", 36)] {
        let release: KubeletRelease = text.parse().unwrap();
        assert_eq!(release.minor(), minor);
    }
    for text in [
        "", "1", "37", "1.32", "1.38", "2.35", "1.3", "latest", "v1.35-rc",
    ] {
        let error = text.parse::<KubeletRelease>().unwrap_err();
        assert!(error.contains("from 1.33 to 1.37"), "{error}");
    }
}

#[test]
fn what_a_release_has_not_is_not_in_what_it_prints() {
    let content = pod(
        r#""name":"a","annotations":{"pod.beta.kubernetes.io/init-containers":"x"}"#,
        r#""containers":[],"volumes":[{"name":"v","image":{"reference":"i"}}]"#,
    );
    let printed = |minor: u8| {
        let release = KubeletRelease::ALL
            .into_iter()
            .find(|one| one.minor() == minor);
        let release = release.unwrap();
        let read = Manifest::decode(content.as_bytes(), "/m/a", "n", release).unwrap();
        read.printed(release).unwrap()
    };
    assert!(printed(37).contains("Annotations:(map[string]string)map[pod.beta"));
    assert!(printed(36).contains("Annotations:(map[string]string)map[] "));
    assert!(printed(35).contains("PullPolicy:(core.PullPolicy)Always"));
    assert!(printed(34).contains("PullPolicy:(core.PullPolicy)}"));
    assert!(!printed(33).contains("RestartPolicyRules"));
}

#[test]
fn the_pods_beside_the_repository_have_the_uids_that_a_running_kubelet_gave_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/kubelet/pods");
    for (file, expected) in SEEN {
        let Ok(content) = std::fs::read_to_string(format!("{folder}/{file}")) else {
            println!("SKIPPED the pods of a running kubelet: {folder}/{file} is missing");
            return;
        };
        assert_eq!(uid(file, &content), expected, "{file}");
    }
}

/// Files in `/etc/kubernetes/manifests` of the node `node-a` with a kubelet 1.37.2.
const SEEN: [(&str, &str); 5] = [
    ("crash.yaml", "9751894352ef1c0eb68da853b9a25681"),
    ("hostnet.yaml", "c31d3dc60c0baf8542fab4edf7fa610d"),
    ("init.yaml", "6ac863fe3d40f9d3d177de7ae3e5b646"),
    ("ready.yaml", "c6b6475361f26d2274aad1f34890b08c"),
    ("sidecar.yaml", "ec45590bf45455e685c2a002044827da"),
];
