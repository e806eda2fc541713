//! Generated values and bytes, there and back.

use podsapi_proto::json::{
    Map, Value, decode, encode, parse_json, parse_yaml, to_json, to_json_pretty, to_yaml,
};
use podsapi_proto::schema::{Field, Kind, Message, Opaque, Shape};
use proptest::prelude::*;

/// Any value whose numbers survive YAML: those are reduced to 64 bits or to a double there.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let map = prop::collection::btree_map(any_text(), inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            map.prop_map(|map| Value::Map(map.into_iter().collect())),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9 .:/_#-]{0,12}",
        "[yYnNoOtT~0-9x_+:.eE-]{0,6}",
        "\\PC{0,8}",
        "[a-c\\n\\r\\t \u{85}\u{a0}\u{2028}\u{feff}é😀\"'\\\\|>-]{0,12}",
        any::<String>(),
    ]
}

/// A value of a message that names some of its fields, chosen by the numbers in turn.
fn pod(seeds: &[u32]) -> Value {
    let mut seeds = seeds.iter().copied().cycle();
    object(Message::POD, 0, &mut || seeds.next().unwrap_or_default())
}

fn object(message: Message, depth: usize, next: &mut dyn FnMut() -> u32) -> Value {
    let mut map = Map::new();
    for field in message.fields() {
        let named = depth < 2 || next().is_multiple_of(4);
        if !named {
            continue;
        }
        if let Some(embedded) = field.message().filter(|_| field.is_hop()) {
            if let Value::Map(inner) = object(embedded, depth + 1, next) {
                for (key, value) in inner {
                    map.push(key, value);
                }
            }
            continue;
        }
        map.push(field.name().to_owned(), shaped(field, depth, next));
    }
    Value::Map(map)
}

fn shaped(field: Field, depth: usize, next: &mut dyn FnMut() -> u32) -> Value {
    let count = next() % 2 + 1;
    match field.shape() {
        Shape::Singular => one(field, depth, next),
        Shape::Repeated => Value::List((0..count).map(|_| one(field, depth, next)).collect()),
        Shape::Map => {
            let entries = (0..count).map(|at| (format!("k/{at}"), one(field, depth, next)));
            Value::Map(entries.collect())
        }
    }
}

/// No zeros: some of those are not printed again.
fn one(field: Field, depth: usize, next: &mut dyn FnMut() -> u32) -> Value {
    let number = next();
    match field.kind() {
        Kind::Bool => Value::Bool(true),
        Kind::Int32 => Value::from(i64::from(number.cast_signed() | 1)),
        Kind::Int64 => Value::from(((i64::from(number) << 31) - (1 << 40)) | 1),
        Kind::String => Value::from(format!("s{number}é")),
        Kind::Bytes => Value::from("aGk="),
        Kind::Message(message) => match message.opaque() {
            None => object(message, depth + 1, next),
            Some(Opaque::FieldsV1) => parse_json(br#"{"f:a":{".":{}}}"#).unwrap(),
            Some(Opaque::IntOrString) if number.is_multiple_of(2) => {
                Value::from(format!("p{number}"))
            }
            Some(Opaque::IntOrString) => Value::from(i64::from(number.cast_signed() | 1)),
            Some(Opaque::Quantity) => Value::from(format!("{}m", number | 1)),
            Some(Opaque::Time) => Value::from(format!(
                "20{:02}-03-04T05:06:{:02}Z",
                number % 100,
                number % 60
            )),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_the_same_after_json(value in any_value()) {
        prop_assert_eq!(&parse_json(to_json(&value).as_bytes()).unwrap(), &value);
        prop_assert_eq!(&parse_json(to_json_pretty(&value).as_bytes()).unwrap(), &value);
    }

    #[test]
    fn a_value_is_the_same_after_yaml(value in any_value()) {
        let yaml = to_yaml(&value);
        let documents = parse_yaml(yaml.as_bytes());
        prop_assert_eq!(documents, Ok(vec![value]), "{}", yaml);
    }

    #[test]
    fn a_pod_is_the_same_after_its_encoding(seeds in prop::collection::vec(any::<u32>(), 1..40)) {
        let value = pod(&seeds);
        let encoded = encode(Message::POD, &value).unwrap();
        prop_assert!(encoded.unknown.is_empty());
        let decoded = decode(Message::POD, &encoded.bytes).unwrap();
        prop_assert_eq!(to_json(&decoded), to_json(&value));
    }

    #[test]
    fn what_bytes_decode_to_can_be_encoded(
        seeds in prop::collection::vec(any::<u32>(), 1..10),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = encode(Message::POD, &pod(&seeds)).unwrap().bytes;
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(value) = decode(Message::POD, &bytes) {
            match encode(Message::POD, &value) {
                Ok(encoded) => {
                    let again = decode(Message::POD, &encoded.bytes).unwrap();
                    prop_assert_eq!(to_json(&again), to_json(&value));
                }
                // Quantities and raw JSON are shown as a writer got them wrong.
                Err(error) => prop_assert!(
                    error.problem().contains("a quantity") || error.path().ends_with("fieldsV1"),
                    "{}",
                    error
                ),
            }
        }
    }

    #[test]
    fn any_bytes_are_decoded_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(Message::POD, &bytes);
    }

    #[test]
    fn any_value_is_encoded_or_refused_without_a_panic(value in any_value()) {
        for field in Message::POD.fields() {
            let map = [(field.name().to_owned(), value.clone())];
            let _ = encode(Message::POD, &Value::Map(map.into_iter().collect()));
        }
    }

    #[test]
    fn any_yaml_is_read_without_a_panic(text in "[a-c0-1:\\-\\?\\[\\]{},&*!|>'\"%@#~<. \\n\\t\\\\]{0,40}") {
        let _ = parse_yaml(text.as_bytes());
    }
}
