//! Spellings that mean the same, and errors that say what to write.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};

use podsapi_proto::schema::Message;
use proptest::prelude::*;

use super::{FieldMask, MAX_MASK_BYTES, MAX_PATHS, MAX_SUGGESTIONS, MaskFault};
use crate::project::Projection;

fn compile(mask: &str) -> Projection {
    FieldMask::parse(mask)
        .and_then(|mask| mask.compile(Message::POD))
        .unwrap_or_else(|error| panic!("{mask}: {error}"))
}

fn error(mask: &str) -> String {
    match FieldMask::parse(mask).and_then(|mask| mask.compile(Message::POD)) {
        Ok(projection) => panic!("{mask} became {projection}"),
        Err(error) => {
            assert!(error.to_string().len() <= 1_024);
            for fault in error.faults() {
                assert!(fault.offset() <= fault.path().len(), "{error}");
            }
            error.to_string().replace("x-kubernetes-fieldmask: ", "")
        }
    }
}

fn encoded(paths: &[&str]) -> Vec<u8> {
    let mut out = Vec::new();
    for path in paths {
        crate::wire::put_bytes(1, path.as_bytes(), &mut out);
    }
    out
}

#[test]
fn spellings_of_one_selection_are_one_projection() {
    for spellings in [
        &[
            "spec.containers.name",
            "spec.containers.*.name",
            " spec.containers.name ,,\t",
        ][..],
        &[
            "spec.containers",
            "spec.containers.*",
            "spec.containers,spec.containers.name",
        ],
        &[
            "spec",
            "spec.*",
            "spec.nodeName,spec",
            "spec,spec.nodeName",
            "`spec`",
        ],
        &[
            "spec.volumes.configMap",
            "spec.volumes.volumeSource.configMap",
            "spec.volumes.config_map",
            "spec.volumes.*.configMap",
            "spec.volumes.volume_source.config_map",
        ],
        &[
            "status.podIPs",
            "status.pod_i_ps",
            "status.pod_ips",
            "status.podIPs.*",
        ],
        &["status.hostIP", "status.host_i_p", "status.host_ip"],
        &["spec.initContainers", "spec.init_containers"],
        &["spec.volumes.fc.targetWWNs", "spec.volumes.fc.target_ww_ns"],
        &["spec.containers.args", "spec.containers.args.*"],
        &[
            "metadata.labels",
            "metadata.labels.*",
            "metadata.labels.a,metadata.labels",
        ],
        &["metadata.labels.app", "metadata.labels.`app`"],
        &[
            "spec.containers.livenessProbe.httpGet",
            "spec.containers.livenessProbe.handler.httpGet",
        ],
    ] {
        for spelling in spellings {
            assert_eq!(compile(spelling), compile(spellings[0]), "{spelling}");
        }
    }
}

#[test]
fn the_canonical_mask_is_sorted_and_spells_keys_safely() {
    assert_eq!(
        compile("status.podIPs,metadata.labels.`a.b/c`,metadata.labels.a,metadata.labels.`x``y`")
            .to_string(),
        "metadata.labels.`a.b/c`,metadata.labels.`x``y`,metadata.labels.a,status.podIPs",
    );
    assert_eq!(Projection::all().to_string(), "*");
    assert_eq!(
        compile("metadata.labels.``").to_string(),
        "metadata.labels.``"
    );
}

#[test]
fn errors_name_the_path_the_byte_the_reason_and_the_way_out() {
    for (mask, expected) in [
        (
            "metadata,status,spec.container.name",
            "path 3 \"spec.container.name\": \"container\" (byte 5) is not a field of PodSpec; \
             did you mean \"containers\"?",
        ),
        (
            "status.podips",
            "path 1 \"status.podips\": \"podips\" (byte 7) is not a field of PodStatus; names are \
             case-sensitive: did you mean \"podIPs\"?",
        ),
        (
            "spec,metadata.labels.app.kubernetes.io/name",
            "path 2 \"metadata.labels.app.kubernetes.io/name\": \"app\" is a key of the map labels \
             and its values have no fields; quote keys with dots or slashes: \
             metadata.labels.`app.kubernetes.io/name`",
        ),
        (
            "status.startTime.seconds",
            "path 1 \"status.startTime.seconds\": startTime is a Time, a single value; select \
             status.startTime",
        ),
        (
            "spec.containers.0.name",
            "path 1 \"spec.containers.0.name\": list elements cannot be selected by index; use \
             spec.containers.name",
        ),
        (
            "spec.containers[0].name",
            "path 1 \"spec.containers[0].name\": list elements cannot be selected by index; use \
             spec.containers.name",
        ),
        (
            "spec.containers(name,image)",
            "path 1 \"spec.containers(name,image)\": \"(\" is not supported; write \
             spec.containers.name,spec.containers.image",
        ),
        (
            "spec..nodeName",
            "path 1 \"spec..nodeName\": empty segment at byte 5",
        ),
        ("spec.", "path 1 \"spec.\": empty segment at byte 5"),
        (".spec", "path 1 \".spec\": empty segment at byte 0"),
        (
            "spec.foo",
            "path 1 \"spec.foo\": \"foo\" is not a field of PodSpec in this server's schema \
             (Kubernetes v1.37.2); a newer field cannot be selected here",
        ),
    ] {
        assert_eq!(error(mask), expected);
    }
}

#[test]
fn every_bad_path_is_told_and_long_errors_stay_short() {
    let text = error("spec.foo,status,metadata.nam,`spec");
    assert!(text.contains("path 1") && text.contains("path 3") && text.contains("path 4"));
    let many = vec!["spec.nonsense"; 100].join(",");
    let text = error(&many);
    assert!(text.contains("path 1 ") && text.contains(" more"), "{text}");
    let long = format!("spec.{}", "x".repeat(500));
    assert!(error(&long).contains("..."));
}

#[test]
fn what_the_grammar_does_not_have_is_refused() {
    for mask in [
        "*.name",
        "spec.*.name",
        "spec.containers.**",
        "spec.a*",
        "spec.`nodeName",
        "spec.`nodeName`x",
        "spec.node`Name`",
        "spec.`*`",
        "spec. nodeName",
        "spec.node Name",
        "spec/nodeName",
        "spec.nodeName.x",
        "spec.containers.args.x",
        "spec.containers.ports.containerPort.0",
        "spec.containers.livenessProbe.httpGet.port.strVal",
        "metadata.managedFields.fieldsV1.Raw",
        "metadata.labels.a.b",
        "metadata.labels.*.b",
        "metadata.labels.`a`.b",
        "metadata.labels.",
        "metadata.labels.ü",
        "metadata.labels.`ü`",
        "apiVersion.x",
        "spec.kind",
        "Spec",
        "metadata.Name",
        "metadata.UID",
        "spec.node-name",
    ] {
        error(mask);
    }
}

#[test]
fn limits_are_errors() {
    let long = "a".repeat(MAX_MASK_BYTES + 1);
    assert!(error(&long).contains("at most 8192 bytes"));
    let many = vec!["spec"; MAX_PATHS + 1].join(",");
    assert!(error(&many).contains("at most 512 paths"));
    assert!(error(&vec!["spec"; 17].join(".")).contains("PodSpec"));
    let stars = format!("spec.containers.{}", vec!["*"; 20].join("."));
    assert!(error(&stars).contains("must come last"));
    let key = format!("metadata.labels.{}", "k".repeat(513));
    assert!(error(&key).contains("at most 512 bytes"));
    let keys: Vec<String> = (0..129)
        .map(|key| format!("metadata.labels.k{key}"))
        .collect();
    assert!(error(&keys.join(",")).contains("at most 128 keys"));
}

#[test]
fn removed_fields_stay_selectable() {
    assert!(!compile("spec.workloadRef,spec.resourceClaims.source").is_all());
}

#[test]
fn the_encoded_form_means_what_the_text_means() {
    let mut mask = FieldMask::default();
    mask.add_encoded(&encoded(&[
        "status.pod_i_ps",
        "metadata.labels.`ü`",
        "",
        "spec.nodeName",
    ]));
    mask.add_text(b"metadata.name");
    let projection = mask.compile(Message::POD).unwrap();
    let paths = projection.paths();
    assert_eq!(
        paths,
        [
            "metadata.labels.`ü`",
            "metadata.name",
            "spec.nodeName",
            "status.podIPs"
        ]
    );
}

#[test]
fn an_undecodable_mask_is_never_no_mask() {
    for bad in [&b"\x08\x01"[..], b"\x0a\x05ab", b"\x0a\x01\xff", b"\xff"] {
        let mut mask = FieldMask::default();
        mask.add_encoded(bad);
        let error = mask.compile(Message::POD).unwrap_err().to_string();
        assert!(error.starts_with("x-kubernetes-fieldmask-bin: "), "{error}");
    }
    let mut mask = FieldMask::default();
    mask.add_text(b"\xff");
    assert!(mask.compile(Message::POD).is_err());
    let mut mask = FieldMask::default();
    mask.add_encoded(&encoded(&["", ","]));
    assert!(mask.compile(Message::POD).unwrap().is_all());
}

/// Returns every path that the JSON form of a message has, depth first.
fn all_paths(message: Message, prefix: &str, out: &mut Vec<String>) {
    for name in super::nearest::names(message) {
        let path = if prefix.is_empty() {
            name.into()
        } else {
            format!("{prefix}.{name}")
        };
        let field = message.resolve_json(name).unwrap().field;
        out.push(path.clone());
        if let Some(inner) = field.message().filter(|inner| inner.opaque().is_none()) {
            all_paths(inner, &path, out);
        }
    }
}

#[test]
fn every_path_of_the_schema_compiles_and_prints_as_itself() {
    let mut paths = Vec::new();
    all_paths(Message::POD, "", &mut paths);
    assert_eq!(paths.len(), 1_416);
    for path in &paths {
        assert_eq!(&compile(path).to_string(), path);
    }
}

fn some_mask() -> impl Strategy<Value = String> {
    let mut paths = Vec::new();
    all_paths(Message::POD, "", &mut paths);
    paths.extend([
        "metadata.labels.`a.b`".into(),
        "metadata.annotations.x".into(),
    ]);
    prop::collection::vec(prop::sample::select(paths), 1..6).prop_map(|paths| paths.join(","))
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics_and_errors_lie_inside_their_path(text in "\\PC{0,60}") {
        if let Err(error) = FieldMask::parse(&text).and_then(|mask| mask.compile(Message::POD)) {
            for fault in error.faults() {
                prop_assert!(fault.offset() <= fault.path().len());
            }
            prop_assert!(error.to_string().is_ascii());
        }
    }

    #[test]
    fn text_made_of_the_grammar_never_panics(text in "[a-zA-Z.,`*()\\[\\]0 _/-]{0,40}") {
        let _ = FieldMask::parse(&text).and_then(|mask| mask.compile(Message::POD));
    }

    #[test]
    fn the_canonical_mask_compiles_to_itself(mask in some_mask()) {
        let projection = compile(&mask);
        prop_assert_eq!(compile(&projection.to_string()), projection);
    }

    #[test]
    fn lines_joined_and_apart_are_one_mask(one in some_mask(), two in some_mask()) {
        let mut apart = FieldMask::default();
        apart.add_text(one.as_bytes());
        apart.add_text(two.as_bytes());
        let joined = compile(&[one.as_str(), &two].join(", "));
        prop_assert_eq!(&apart.compile(Message::POD).unwrap(), &joined);
        let mut bin = FieldMask::default();
        bin.add_encoded(&encoded(&[&one, &two]));
        prop_assert_eq!(&bin.compile(Message::POD).unwrap(), &joined);
        prop_assert_eq!(compile(&one).union(&compile(&two)), joined);
    }
}

#[test]
fn names_beyond_those_that_an_answer_holds_are_not_compared() {
    let mask = "spec.nodeNam,".repeat(MAX_PATHS);
    let error = FieldMask::parse(&mask)
        .and_then(|mask| mask.compile(Message::POD))
        .unwrap_err();
    let suggests = |fault: &MaskFault| fault.reason().contains("did you mean \"nodeName\"?");
    let (with, without) = error.faults().split_at(MAX_SUGGESTIONS);
    assert_eq!(error.faults().len(), MAX_PATHS);
    assert!(with.iter().all(suggests) && !without.iter().any(suggests));
}

#[test]
fn the_answer_to_a_mask_is_not_much_longer_than_the_mask() {
    let parentheses = ["a".repeat(4_000), "(".into(), ",".repeat(4_000)].concat();
    let path = |text: &str| format!("metadata.labels.{text}");
    let quoted = path(&["`a`.", &"x".repeat(8_000)].concat());
    let dotted = path(&"x.".repeat(4_000));
    let indexed = ["spec.containers[", &"0".repeat(8_000), "].name"].concat();
    for mask in [parentheses, quoted, dotted, indexed] {
        let error = FieldMask::parse(&mask)
            .and_then(|mask| mask.compile(Message::POD))
            .unwrap_err();
        let told: usize = error.faults().iter().map(|one| one.reason().len()).sum();
        assert!(told < 8 * MAX_MASK_BYTES, "{told} bytes");
    }
}

/// The faults of a mask: the number of the path, where it begins, and where the fault is in it.
fn places(mask: &str) -> Vec<(usize, usize, usize)> {
    let parsed = FieldMask::parse(mask).and_then(|mask| mask.compile(Message::POD));
    let error = parsed.unwrap_err();
    let place = |fault: &MaskFault| (fault.number(), fault.start(), fault.offset());
    error.faults().iter().map(place).collect()
}

#[test]
fn errors_tell_where_the_path_begins_and_where_in_it_they_are() {
    for (mask, expected) in [
        (
            "  spec.foo,\t metadata.nam ,, status.x",
            &[(1, 2, 5), (2, 13, 9), (3, 29, 7)][..],
        ),
        ("status,,spec.foo", &[(2, 8, 5)]),
        (
            "spec.containers(name,image),spec.foo",
            &[(1, 0, 15), (2, 28, 5)],
        ),
        ("spec.(a(b,c),d),spec.foo", &[(1, 0, 5), (2, 16, 5)]),
        ("spec.(`)`,a),spec.foo", &[(1, 0, 5), (2, 13, 5)]),
        ("spec.a),spec.foo", &[(1, 0, 6), (2, 8, 5)]),
        ("metadata.labels.`(`,spec.foo", &[(2, 20, 5)]),
        ("metadata.labels.`)`,spec.(a,b)", &[(2, 20, 5)]),
        (
            "metadata.labels.`a,b`.x,spec.foo",
            &[(1, 0, 22), (2, 24, 5)],
        ),
        ("spec.`nodeName`x", &[(1, 0, 15)]),
        ("spec,spec.`nodeName", &[(2, 5, 5)]),
        ("metadata.labels.`a\u{fc}`", &[(1, 0, 18)]),
        ("spec.node`Name`", &[(1, 0, 9)]),
        ("spec.nodeName.x.y", &[(1, 0, 14)]),
        ("spec.containers.na me", &[(1, 0, 18)]),
    ] {
        assert_eq!(places(mask), expected, "{mask}");
    }
}

#[test]
fn errors_of_quoted_keys_and_of_blanks_name_the_byte() {
    for (mask, byte) in [
        ("spec.node Name", "a blank (byte 9) inside a path"),
        ("spec.node\tName", "a blank (byte 9) inside a path"),
        ("spec.`nodeName`x", "(byte 15)"),
        ("spec.`nodeName", "begins at byte 5 "),
        ("metadata.labels.`a\u{fc}`", "byte 18 is not"),
        ("metadata.labels.`a`.b.c", "(byte 20)"),
    ] {
        assert!(error(mask).contains(byte), "{}", error(mask));
    }
}

#[test]
fn as_much_as_may_be_is_taken() {
    let paths = vec!["spec"; MAX_PATHS].join(",");
    assert_eq!(compile(&paths), compile("spec"));
    let padded = format!("spec{}", " ".repeat(MAX_MASK_BYTES - 4));
    assert_eq!(compile(&padded), compile("spec"));
    assert!(error(&format!("{padded} ")).contains("found 8193"));
    for quote in ["", "`"] {
        let key = |bytes| format!("metadata.labels.{quote}{}{quote}", "k".repeat(bytes));
        compile(&key(512));
        assert!(error(&key(513)).contains("at most 512 bytes, found 513"));
    }
}
