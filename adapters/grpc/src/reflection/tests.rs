use alloc::{string::String, vec, vec::Vec};

use super::*;
use podsapi_proto::reflection::ExtensionRequest;

fn ask(conversation: &mut Conversation, question: MessageRequest) -> MessageResponse {
    let request = ServerReflectionRequest {
        host: "h".into(),
        message_request: Some(question),
    };
    let answer = conversation.answer(&request.encode_to_vec()).unwrap();
    let response = ServerReflectionResponse::decode(answer).unwrap();
    assert_eq!(response.valid_host, "h");
    assert_eq!(response.original_request, Some(request));
    response.message_response.unwrap()
}

/// Returns the names of the files in an answer.
fn names(answer: MessageResponse) -> Vec<String> {
    let MessageResponse::FileDescriptorResponse(files) = answer else {
        panic!("{answer:?}")
    };
    let files = files.file_descriptor_proto.into_iter();
    files
        .map(|file| {
            let known = definitions::all().find(|known| known.bytes == file);
            known.expect("the file is one of ours").name().into()
        })
        .collect()
}

/// What a file says of itself and of those that it needs, of `google.protobuf.FileDescriptorProto`.
#[derive(Clone, PartialEq, prost::Message)]
struct ImportingFile {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, repeated, tag = "3")]
    dependency: Vec<String>,
}

fn symbol(name: &str) -> MessageRequest {
    MessageRequest::FileContainingSymbol(name.into())
}

fn assert_not_found(answer: MessageResponse) {
    let MessageResponse::ErrorResponse(error) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(error.error_code, 5);
    assert!(error.error_message.len() < 300, "{error:?}");
}

#[test]
fn every_service_is_listed_and_defined() {
    let mut conversation = Conversation::default();
    let answer = ask(&mut conversation, MessageRequest::ListServices("*".into()));
    let MessageResponse::ListServicesResponse(list) = answer else {
        panic!("{answer:?}")
    };
    let listed: Vec<_> = list.service.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(listed, SERVICES);
    for service in SERVICES {
        let found = Definition::defining(service).map(|(_, kind)| kind);
        assert_eq!(found, Some(Kind::Service), "{service}");
    }
}

#[test]
fn symbols_of_every_kind_are_found() {
    for (name, file) in [
        ("v1alpha1.Pods", "v1alpha1/pods.proto"),
        ("v1alpha1.Pods.ListPods", "v1alpha1/pods.proto"),
        ("v1alpha1.EventType", "v1alpha1/pods.proto"),
        ("v1alpha1.ADDED", "v1alpha1/pods.proto"),
        ("v1alpha1.GetPodRequest.podUID", "v1alpha1/pods.proto"),
        (
            "grpc.health.v1.HealthListResponse.StatusesEntry",
            "grpc/health/v1/health.proto",
        ),
        (
            "grpc.health.v1.HealthListResponse.StatusesEntry.value",
            "grpc/health/v1/health.proto",
        ),
        ("Pods", "documented/pods.proto"),
        ("Pods.WatchPods", "documented/pods.proto"),
        ("PodListRequest", "documented/pods.proto"),
        (
            "grpc.health.v1.HealthCheckResponse.ServingStatus",
            "grpc/health/v1/health.proto",
        ),
        (
            "grpc.health.v1.HealthCheckResponse.SERVING",
            "grpc/health/v1/health.proto",
        ),
        (
            "grpc.reflection.v1alpha.ServerReflectionRequest.message_request",
            "grpc/reflection/v1alpha/reflection.proto",
        ),
        ("k8s.io.api.core.v1.PodSpec.nodeName", "k8s/core_v1.proto"),
        ("k8s.io.api.core.v1.Pod", "k8s/core_v1.proto"),
    ] {
        let mut conversation = Conversation::default();
        let found = names(ask(&mut conversation, symbol(name)));
        assert_eq!(found.first().map(String::as_str), Some(file), "{name}");
    }
}

#[test]
fn every_detail_of_an_error_is_defined_with_all_that_it_needs() {
    for name in crate::trailers::DETAIL_TYPES {
        let found = Definition::defining(name);
        let (file, kind) = found.unwrap_or_else(|| panic!("{name} is not defined"));
        assert_eq!(kind, Kind::Message, "{name}");
        let mut conversation = Conversation::default();
        let files = names(ask(&mut conversation, symbol(name)));
        assert_eq!(
            files,
            [
                "google/rpc/error_details.proto",
                "google/protobuf/duration.proto"
            ]
        );
        assert_eq!(file.name(), files[0]);
    }
    // What holds the details.
    let mut conversation = Conversation::default();
    let files = names(ask(&mut conversation, symbol("google.rpc.Status")));
    assert_eq!(
        files,
        ["google/rpc/status.proto", "google/protobuf/any.proto"]
    );
}

#[test]
fn what_is_not_there_is_told_in_the_answer_and_the_stream_goes_on() {
    let mut conversation = Conversation::default();
    for name in [
        "",
        ".",
        ".v1alpha1.Pods",
        "v1alpha1",
        "v1alpha1.",
        "v1alpha1.Pods.",
        "v1alpha1.Pods.Nothing",
        "v1alpha1.EventType.ADDED",
        "Pods.ListPods.more",
        &"x.".repeat(5000),
    ] {
        assert_not_found(ask(&mut conversation, symbol(name)));
        let file = MessageRequest::FileByFilename(name.into());
        assert_not_found(ask(&mut conversation, file));
    }
    let extension = ExtensionRequest {
        containing_type: "k8s.io.api.core.v1.Pod".into(),
        extension_number: 7,
    };
    assert_not_found(ask(
        &mut conversation,
        MessageRequest::FileContainingExtension(extension),
    ));
    for name in ["Pods", "v1alpha1.ADDED", "nothing"] {
        let numbers = MessageRequest::AllExtensionNumbersOfType(name.into());
        assert_not_found(ask(&mut conversation, numbers));
    }
    let found = names(ask(&mut conversation, symbol("Pods")));
    assert!(!found.is_empty());
}

#[test]
fn a_known_message_has_no_extensions() {
    let name = "k8s.io.api.core.v1.Pod";
    let numbers = MessageRequest::AllExtensionNumbersOfType(name.into());
    let answer = ask(&mut Conversation::default(), numbers);
    let expected = ExtensionNumberResponse {
        base_type_name: name.into(),
        extension_number: vec![],
    };
    assert_eq!(
        answer,
        MessageResponse::AllExtensionNumbersResponse(expected)
    );
}

#[test]
fn a_file_comes_first_and_its_imports_once() {
    let mut conversation = Conversation::default();
    let asked = || MessageRequest::FileByFilename("documented/pods.proto".into());
    let mut all = names(ask(&mut conversation, asked()));
    assert_eq!(
        names(ask(&mut conversation, asked())),
        ["documented/pods.proto"],
        "a file that is asked for again comes again, alone"
    );
    assert_eq!(
        names(ask(&mut conversation, symbol("k8s.io.api.core.v1.Pod"))),
        ["k8s/core_v1.proto"]
    );
    assert_eq!(all.remove(0), "documented/pods.proto");
    all.sort();
    assert_eq!(
        all,
        [
            "k8s/core_v1.proto",
            "k8s/intstr.proto",
            "k8s/meta_v1.proto",
            "k8s/resource.proto"
        ]
    );
}

#[test]
fn every_import_is_there_and_every_answer_is_far_below_4_mib() {
    let mut all = 0;
    for file in definitions::all() {
        all += 1;
        let mut conversation = Conversation::default();
        let question = MessageRequest::FileByFilename(file.name().into());
        let found = names(ask(&mut conversation, question));
        let bytes: usize = file.with_imports().iter().map(|one| one.bytes.len()).sum();
        assert!(bytes < 1 << 20, "{bytes}");
        // With each file that comes, all that it imports comes: decoded, not as the answer found it.
        assert_eq!(found.first().map(String::as_str), Some(file.name()));
        let distinct: BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len(), "{found:?}");
        let mut due = BTreeSet::from([file.name().into()]);
        for name in &found {
            let known = Definition::named(name).unwrap();
            let known = ImportingFile::decode(known.bytes).unwrap();
            assert_eq!(known.name, *name);
            due.extend(known.dependency);
        }
        assert!(distinct.iter().copied().eq(&due), "{found:?}, due {due:?}");
        for import in &due {
            assert!(Definition::named(import).is_some(), "{import}");
        }
    }
    assert_eq!(all, 14);
}

#[test]
fn a_request_without_a_question_ends_the_stream() {
    let mut conversation = Conversation::default();
    let code = |message: &[u8], conversation: &mut Conversation| {
        conversation.answer(message).unwrap_err().code()
    };
    assert_eq!(code(&[], &mut conversation), Code::InvalidArgument);
    assert_eq!(code(b"\x0a\x01h", &mut conversation), Code::InvalidArgument);
    assert_eq!(code(b"\x0a\x09", &mut conversation), Code::Internal);
}
