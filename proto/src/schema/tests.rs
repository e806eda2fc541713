//! Look-ups in the table of v1.Pod.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Field, Kind, Message, Opaque, SCHEMA_VERSION, Shape, ZeroInJson};
use crate::schema_pod::{MESSAGES, SLOTS};

#[test]
fn a_field_is_found_by_its_number_and_no_field_by_a_number_between_or_beyond() {
    let name = |number| Message::POD.field(number).map(Field::name);
    assert_eq!(name(1), Some("metadata"));
    assert_eq!(name(2), Some("spec"));
    assert_eq!(name(3), Some("status"));
    assert_eq!(name(0), None);
    assert_eq!(name(4), None);
    assert_eq!(name(256 + 1), None);
    assert_eq!(name(u32::MAX), None);

    assert_eq!(Message::OBJECT_META.field(15).map(Field::name), None);
    assert_eq!(
        Message::OBJECT_META.field(17).map(Field::name),
        Some("managedFields")
    );
}

#[test]
fn a_field_is_found_by_its_exact_name_only() {
    let uid = Message::OBJECT_META.field_named("uid").unwrap();
    assert_eq!(
        (uid.number(), uid.kind(), uid.shape()),
        (5, Kind::String, Shape::Singular)
    );
    assert_eq!(Message::OBJECT_META.field_named("Uid"), None);
    assert_eq!(Message::OBJECT_META.field_named(""), None);
    assert_eq!(Message::POD.field_named("apiVersion"), None);
}

#[test]
fn fields_come_in_ascending_order_of_their_numbers() {
    let numbers: Vec<u32> = Message::OBJECT_META.fields().map(Field::number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17]);
    assert_eq!(
        Message::POD_SPEC.fields().last().map(Field::number),
        Some(44)
    );
}

#[test]
fn every_field_of_every_message_is_found_again_by_number_and_by_name() {
    let mut fields = 0;
    for message in all() {
        assert!(!message.name().is_empty());
        for field in message.fields() {
            fields += 1;
            assert_eq!(
                message.field(field.number()),
                Some(field),
                "{message:?}.{field:?}"
            );
            assert_eq!(
                message.field_named(field.name()),
                Some(field),
                "{message:?}.{field:?}"
            );
            if let Some(inner) = field.message() {
                assert!(all().any(|known| known == inner), "{message:?}.{field:?}");
            }
        }
    }
    assert_eq!(
        fields,
        SLOTS
            .iter()
            .filter(|slot| **slot != super::Slot::NONE)
            .count()
    );
}

#[test]
fn shapes_and_kinds_of_maps_and_lists() {
    let labels = Message::OBJECT_META.field_named("labels").unwrap();
    assert_eq!((labels.shape(), labels.kind()), (Shape::Map, Kind::String));

    let overhead = Message::POD_SPEC.field_named("overhead").unwrap();
    assert_eq!(overhead.shape(), Shape::Map);
    assert_eq!(
        overhead.message().and_then(Message::opaque),
        Some(Opaque::Quantity)
    );

    let containers = Message::POD_SPEC.field_named("containers").unwrap();
    assert_eq!(containers.shape(), Shape::Repeated);
    assert_eq!(containers.message(), Some(Message::CONTAINER));

    let fs_groups = below(
        Message::POD_SPEC,
        &["securityContext", "supplementalGroups"],
    );
    assert_eq!(
        (fs_groups.shape(), fs_groups.kind()),
        (Shape::Repeated, Kind::Int64)
    );

    let raw = below(Message::OBJECT_META, &["managedFields", "fieldsV1", "Raw"]);
    assert_eq!((raw.shape(), raw.kind()), (Shape::Singular, Kind::Bytes));

    let exit_code = below(
        Message::POD_STATUS,
        &["containerStatuses", "state", "terminated", "exitCode"],
    );
    assert_eq!(exit_code.kind(), Kind::Int32);
    assert_eq!(
        Message::POD_SPEC.field_named("hostPID").map(Field::kind),
        Some(Kind::Bool)
    );
}

#[test]
fn json_names_resolve_to_own_fields_or_through_one_embedded_struct() {
    let own = Message::POD_SPEC.resolve_json("nodeName").unwrap();
    assert_eq!((own.hop, own.field.name()), (None, "nodeName"));

    let volume = Message::POD_SPEC
        .field_named("volumes")
        .and_then(Field::message)
        .unwrap();
    let config_map = volume.resolve_json("configMap").unwrap();
    assert_eq!(
        config_map.hop.map(|hop| (hop.name(), hop.number())),
        Some(("volumeSource", 2))
    );
    assert_eq!(
        (config_map.field.name(), config_map.field.number()),
        ("configMap", 19)
    );
    assert_eq!(volume.resolve_json("name").map(|name| name.hop), Some(None));

    let optional = config_map
        .field
        .message()
        .unwrap()
        .resolve_json("name")
        .unwrap();
    assert_eq!(optional.hop.map(Field::name), Some("localObjectReference"));

    let probe = below(Message::CONTAINER, &["livenessProbe"])
        .message()
        .unwrap();
    assert_eq!(
        probe
            .resolve_json("grpc")
            .and_then(|f| f.hop)
            .map(Field::name),
        Some("handler")
    );

    let ephemeral = below(Message::POD_SPEC, &["ephemeralContainers"])
        .message()
        .unwrap();
    let image = ephemeral.resolve_json("image").unwrap();
    assert_eq!(image.hop.map(Field::name), Some("ephemeralContainerCommon"));
}

#[test]
fn an_embedded_struct_has_no_name_in_json_but_one_in_protobuf() {
    let volume = below(Message::POD_SPEC, &["volumes"]).message().unwrap();
    assert_eq!(volume.resolve_json("volumeSource"), None);
    let hop = volume.field_named("volumeSource").unwrap();
    assert!(hop.is_hop());
    let hops: usize = all()
        .map(|m| m.fields().filter(|f| f.is_hop()).count())
        .sum();
    assert_eq!(hops, 10);
}

#[test]
fn four_messages_are_one_json_value() {
    let opaque: Vec<(&str, Opaque)> = all()
        .filter_map(|message| Some((message.name(), message.opaque()?)))
        .collect();
    assert_eq!(
        opaque,
        [
            ("FieldsV1", Opaque::FieldsV1),
            ("IntOrString", Opaque::IntOrString),
            ("Quantity", Opaque::Quantity),
            ("Time", Opaque::Time),
        ]
    );
    assert_eq!(Message::TIME.opaque(), Some(Opaque::Time));
}

#[test]
fn removed_fields_are_still_known_with_the_messages_they_held() {
    let workload = Message::POD_SPEC.field(42).unwrap();
    assert_eq!(workload.name(), "workloadRef");
    assert!(workload.is_tombstone());
    let names: Vec<&str> = workload
        .message()
        .unwrap()
        .fields()
        .map(Field::name)
        .collect();
    assert_eq!(names, ["name", "podGroup", "podGroupReplicaKey"]);

    let source = below(Message::POD_SPEC, &["resourceClaims", "source"]);
    assert!(source.is_tombstone());
    assert_eq!(
        (source.number(), source.message().map(Message::name)),
        (2, Some("ClaimSource"))
    );

    let resources = below(
        Message::POD_STATUS,
        &["nodeAllocatableResourceClaimStatuses", "resources"],
    );
    assert!(resources.is_tombstone());
    assert_eq!((resources.number(), resources.shape()), (3, Shape::Map));

    assert!(!Message::POD_SPEC.field(43).unwrap().is_tombstone());
}

#[test]
fn go_prints_a_zero_where_its_field_is_a_pointer_or_lacks_omitempty() {
    let status = below(Message::POD_STATUS, &["containerStatuses"])
        .message()
        .unwrap();
    let zero = |message: Message, name| message.field_named(name).unwrap().zero_in_json();
    assert_eq!(zero(status, "ready"), ZeroInJson::Always);
    assert_eq!(zero(status, "restartCount"), ZeroInJson::Always);
    assert_eq!(zero(status, "lastState"), ZeroInJson::Always);
    assert_eq!(zero(status, "started"), ZeroInJson::WhenSet);
    assert_eq!(zero(status, "containerID"), ZeroInJson::Never);
    assert_eq!(
        zero(Message::OBJECT_META, "creationTimestamp"),
        ZeroInJson::Never
    );
    assert_eq!(
        zero(Message::OBJECT_META, "deletionTimestamp"),
        ZeroInJson::WhenSet
    );
    assert_eq!(zero(Message::OBJECT_META, "labels"), ZeroInJson::Never);
    assert_eq!(zero(Message::POD, "metadata"), ZeroInJson::Always);
    assert_eq!(zero(Message::POD_SPEC, "containers"), ZeroInJson::Always);
    assert_eq!(zero(Message::POD_SPEC, "hostNetwork"), ZeroInJson::Never);

    let grpc = below(Message::CONTAINER, &["livenessProbe", "handler", "grpc"]);
    let grpc = grpc.message().unwrap();
    assert_eq!(zero(grpc, "service"), ZeroInJson::NullWhenAbsent);
    let claim = below(Message::POD_SPEC, &["resourceClaims"])
        .message()
        .unwrap();
    assert_eq!(zero(claim, "source"), ZeroInJson::WhenSet);

    let started = status.field_named("started").unwrap();
    assert!(started.go_pointer() && started.go_omitempty() && !started.go_omitzero());
    let created = Message::OBJECT_META
        .field_named("creationTimestamp")
        .unwrap();
    assert!(!created.go_pointer() && created.go_omitempty() && created.go_omitzero());
}

#[test]
fn the_version_and_the_size_of_the_table_are_known() {
    assert_eq!(SCHEMA_VERSION, "v1.37.2");
    assert_eq!(
        alloc::format!("{:?} {:?}", Message::POD, Message::POD.field(2).unwrap()),
        "Pod spec=2"
    );
    let bytes = size_of_val(&MESSAGES) + size_of_val(&SLOTS) + crate::schema_pod::NAMES.len();
    assert!(bytes < 12 * 1024, "the table takes {bytes} bytes");
}

fn all() -> impl Iterator<Item = Message> {
    (0..u8::try_from(MESSAGES.len()).unwrap()).map(Message)
}

/// Follows names down from a message.
fn below(message: Message, path: &[&str]) -> Field {
    let (last, before) = path.split_last().unwrap();
    let step = |at: Message, name: &&str| at.field_named(name).and_then(Field::message);
    let parent = before.iter().try_fold(message, step);
    let field = parent.and_then(|message| message.field_named(last));
    field.unwrap_or_else(|| panic!("{message:?} has no {}", path.join(".") as String))
}
