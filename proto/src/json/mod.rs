//! JSON and YAML, and what they mean for the messages of the schema.
//!
//! Text becomes a [`Value`] ([`parse_json`], [`parse_yaml`]), a value becomes an encoded message
//! ([`encode()`]) and back ([`decode()`] for a part, [`decode_whole`] for all of it as Go prints it),
//! and a value becomes text again ([`to_json`], [`to_json_pretty`], [`to_yaml`]). Nothing here is recursive over what a text nests beyond
//! [`MAX_DEPTH`].
//!
//! ```
//! use podsapi_proto::json::{decode, encode, parse_yaml, to_json};
//! use podsapi_proto::schema::Message;
//!
//! let documents = parse_yaml(b"spec: {terminationGracePeriodSeconds: 30}").expect("it is YAML");
//! let pod = encode(Message::POD, &documents[0]).expect("it is a pod");
//! assert_eq!(pod.bytes, b"\x12\x02\x20\x1e");
//! let value = decode(Message::POD, &pod.bytes).expect("it was encoded just now");
//! assert_eq!(to_json(&value), r#"{"spec":{"terminationGracePeriodSeconds":30}}"#);
//! ```

mod decimal;
mod decode;
mod encode;
mod error;
mod object;
mod opaque;
mod path;
mod print;
mod printable;
mod quantity;
mod read;
mod repeats;
mod time;
mod value;
mod wire;

use alloc::string::String;

pub use crate::yaml::{parse_yaml, read_yaml, to_yaml};
pub use decode::{Decoded, decode, decode_counting, decode_whole};
pub use encode::{Encoded, encode};
pub use error::{DecodeError, JsonError, TextError};
pub use print::{to_json, to_json_pretty};
pub use printable::printable;
pub use read::{Reading, parse_json, read_json};
pub use repeats::merge_repeated;
pub use value::{Map, Number, Value};

pub(crate) use object::Object;
pub(crate) use print::quote;
pub(crate) use read::{MOST_REPEATED, twice};
pub(crate) use wire::{Payload, Records, put_bytes_field};

/// The deepest nesting of lists and objects that a text may have; a pod has about 15 levels.
pub const MAX_DEPTH: usize = 100;

/// The longest text that is read, in bytes: 64 MiB, several times the pods of a full node.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// Returns a quantity as a kubelet has it in a list of resources: canonical, and rounded up to whole
/// thousandths (`100u` of a CPU is `1m`). `None` for what is no quantity.
#[must_use]
pub fn rounded_quantity(text: &str) -> Option<String> {
    quantity::rounded_up_to_milli(text).ok()
}

/// Returns the seconds since 1970 of a time as RFC 3339 spells it, without its fraction; `None` for
/// what Go does not take for one.
#[must_use]
pub fn time_seconds(text: &str) -> Option<i64> {
    time::parse(text)
}

/// Returns the value of a whole object: `apiVersion` and `kind` in front of the fields.
///
/// Does nothing to a value that is no object.
#[must_use]
pub fn whole_object(api_version: &str, kind: &str, mut value: Value) -> Value {
    if let Value::Map(map) = &mut value {
        map.remove("apiVersion");
        map.remove("kind");
        map.push_front(String::from("kind"), kind.into());
        map.push_front(String::from("apiVersion"), api_version.into());
    }
    value
}
