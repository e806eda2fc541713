//! A pod printed as kubelets print theirs to hash it: each field of the Go types with its type.

use std::fmt::Write;

use podsapi_proto::json::{Map, Value, time_seconds, to_json};

use super::KubeletRelease;
use super::quantity::Quantity;
use super::types::{Field, Key, Shape, TYPES};
use crate::tree;

/// Returns the text of a pod that has its defaults, as `dump.ForHash` of `k8s.io/utils` makes it.
pub(super) fn print(pod: &Map, release: KubeletRelease) -> String {
    let mut printer = Printer {
        out: String::from("(*core.Pod)"),
        release,
        spec: tree::inner(pod, "spec"),
        depth: 0,
        zone_depth: None,
    };
    printer.object("core.Pod", Some(pod));
    printer.out
}

struct Printer<'a> {
    out: String,
    release: KubeletRelease,
    spec: Option<&'a Map>,
    /// How deep what is printed stands within structs, lists and maps.
    depth: usize,
    /// The depth at which the time zone was printed that all times share, while Go takes it for
    /// printed.
    zone_depth: Option<usize>,
}

impl Printer<'_> {
    fn object(&mut self, name: &str, object: Option<&Map>) {
        self.out.push('{');
        self.depth += 1;
        for (place, field) in TYPES.fields(name, self.release).enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.field(field, object);
        }
        self.depth -= 1;
        self.out.push('}');
    }

    fn field(&mut self, field: &Field, object: Option<&Map>) {
        let Field { name, spelled, .. } = field;
        let _written = write!(self.out, "{name}:({spelled})");
        let value = match field.key {
            Key::Here(key) => object.and_then(|object| tree::given(object, key)),
            Key::Nowhere => None,
            Key::Spec(key) => self.spec.and_then(|spec| tree::given(spec, key)),
            Key::Inline => {
                if let Shape::Struct(name) = &field.shape {
                    self.object(name, object);
                }
                return;
            }
        };
        let Shape::Pointer(inner) = &field.shape else {
            self.value(&field.shape, value);
            return;
        };
        self.follow_pointer();
        match value {
            Some(value) => self.value(inner, Some(value)),
            None => self.out.push_str("<nil>"),
        }
    }

    /// Goes on from one pointer to the next: what was printed at this depth and below is forgotten.
    fn follow_pointer(&mut self) {
        if self.zone_depth.is_some_and(|depth| depth >= self.depth) {
            self.zone_depth = None;
        }
    }

    /// Prints a value of a type that was named before; `None` is the zero of the type.
    fn value(&mut self, shape: &Shape, value: Option<&Value>) {
        match shape {
            Shape::Bool => {
                let is = value == Some(&Value::Bool(true));
                self.out.push_str(if is { "true" } else { "false" });
            }
            Shape::FieldsV1 => self.field_set(value),
            Shape::Integer => {
                let number = value.map_or("0", |value| spelling(value));
                // A number may be spelled in more than one way.
                match number.parse::<i64>() {
                    Ok(number) => drop(write!(self.out, "{number}")),
                    Err(_) => self.out.push_str(number),
                }
            }
            Shape::IntOrString => {
                let (is_text, number, text) = match value {
                    Some(Value::String(text)) => (1, 0, text.as_str()),
                    Some(Value::Number(number)) => (0, number.as_i64().unwrap_or(0), ""),
                    _ => (0, 0, ""),
                };
                let _written = write!(
                    self.out,
                    "{{Type:(intstr.Type){is_text} IntVal:(int32){number} StrVal:(string){text}}}"
                );
            }
            Shape::List(inner) => self.list(inner, value),
            Shape::Map(inner) => self.map(value, |printer, value| {
                printer.value(inner, Some(value));
            }),
            // No type has it in a list or a map.
            Shape::Pointer(inner) => self.value(inner, value),
            Shape::Quantity => {
                let text = value.map_or("", |value| spelling(value));
                Quantity::read(text).print(&mut self.out);
            }
            Shape::Resources => self.map(value, |printer, value| {
                let mut quantity = Quantity::read(spelling(value));
                quantity.round_up();
                quantity.print(&mut printer.out);
            }),
            Shape::Struct(name) => self.object(name, value.and_then(Value::as_map)),
            Shape::Text => self.out.push_str(value.map_or("", |value| spelling(value))),
            Shape::Time => self.time(value.and_then(Value::as_str)),
        }
    }

    fn list(&mut self, inner: &Shape, value: Option<&Value>) {
        let Some(elements) = value.and_then(Value::as_list) else {
            self.out.push_str("<nil>");
            return;
        };
        self.out.push('[');
        self.depth += 1;
        for (place, element) in elements.iter().enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.value(inner, Some(element));
        }
        self.depth -= 1;
        self.out.push(']');
    }

    fn map(&mut self, value: Option<&Value>, print: impl Fn(&mut Self, &Value)) {
        let Some(map) = value.and_then(Value::as_map) else {
            self.out.push_str("<nil>");
            return;
        };
        let mut entries: Vec<(&str, &Value)> = map.iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        self.out.push_str("map[");
        self.depth += 1;
        for (place, (key, value)) in entries.into_iter().enumerate() {
            if place > 0 {
                self.out.push(' ');
            }
            self.out.push_str(key);
            self.out.push(':');
            print(self, value);
        }
        self.depth -= 1;
        self.out.push(']');
    }

    /// Prints a time. Its zone is that of the kubelet's machine with all that is known of it, and is
    /// taken for UTC here.
    fn time(&mut self, text: Option<&str>) {
        let instant = text.and_then(|text| Some((time_seconds(text)?, nanos(text))));
        let (seconds, nanos) = instant.unwrap_or((YEAR_1, 0));
        let seconds = seconds.wrapping_sub(YEAR_1);
        let _written = write!(
            self.out,
            "{{Time:(time.Time){{wall:(uint64){nanos} ext:(int64){seconds} loc:(*time.Location)"
        );
        // Within two structs.
        self.depth += 2;
        self.follow_pointer();
        let zone = match (instant, self.zone_depth) {
            (None, _) => "<nil>",
            (Some(_), Some(_)) => "<shown>",
            (Some(_), None) => {
                self.zone_depth = Some(self.depth);
                ZONE
            }
        };
        self.out.push_str(zone);
        self.depth -= 2;
        self.out.push_str("}}");
    }

    fn field_set(&mut self, value: Option<&Value>) {
        self.out.push_str("{Raw:([]uint8)");
        match value {
            None => self.out.push_str("<nil>"),
            Some(value) => {
                let bytes = to_json(&sorted(value));
                let bytes = bytes.bytes().map(|byte| byte.to_string());
                let bytes = bytes.collect::<Vec<_>>().join(" ");
                let _written = write!(self.out, "[{bytes}]");
            }
        }
        self.out.push('}');
    }
}

/// Returns a text or a number as it is spelled.
fn spelling(value: &Value) -> &str {
    match value {
        Value::String(text) => text,
        Value::Number(number) => number.as_str(),
        Value::Null | Value::Bool(_) | Value::List(_) | Value::Map(_) => "",
    }
}

/// Returns the nanoseconds of a time: its fraction, as far as it counts.
fn nanos(text: &str) -> u32 {
    let fraction = text.split_once(['.', ',']).map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit);
    let padded = digits.chain(std::iter::repeat(b'0')).take(9);
    padded.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// Returns a value with the keys of its objects in their order, as a kubelet makes JSON of YAML.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut entries: Vec<(&str, &Value)> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries.into_iter();
            let entries = entries.map(|(key, value)| (key.to_owned(), sorted(value)));
            Value::Map(entries.collect())
        }
        Value::List(list) => Value::List(list.iter().map(sorted).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The first second of the year 1, from which Go counts, in seconds since 1970.
const YEAR_1: i64 = -62_135_596_800;

/// What Go knows of the zone of a machine that has UTC.
const ZONE: &str = "{name:(string)Local \
    zone:([]time.zone)[{name:(string)UTC offset:(int)0 isDST:(bool)false}] \
    tx:([]time.zoneTrans)[{when:(int64)-9223372036854775808 index:(uint8)0 isstd:(bool)false \
    isutc:(bool)false}] extend:(string)UTC0 cacheStart:(int64)-9223372036854775808 \
    cacheEnd:(int64)9223372036854775807 \
    cacheZone:(*time.zone){name:(string)UTC offset:(int)0 isDST:(bool)false}}";
