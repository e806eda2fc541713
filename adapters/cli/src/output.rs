//! Pods and events in each output format.

use bytes::Bytes;
use podsapi_client::{EventKind, MirroredPod};
use podsapi_proto::json::{
    Map, Value, decode, decode_whole, printable, to_json, to_json_pretty, to_yaml, whole_object,
};
use podsapi_proto::schema::Message as Schema;
use podsapi_proto::v1alpha1::{EventType, GetPodResponse, ListPodsResponse, WatchPodsEvent};
use prost::Message;

use crate::args::Format;
use crate::columns::Columns;
use crate::failure::Failure;
use crate::say;
use crate::table::Table;

use podsapi_client::{Code, Status};

/// Returns all pods as `list` prints them; one that has no JSON form hides no other.
pub(crate) fn list(pods: &[MirroredPod], format: Format, layout: Layout, now: i64) -> Vec<u8> {
    let extent = layout.extent;
    match format {
        Format::Table | Format::Wide => table(pods, layout, now).into_bytes(),
        Format::Json => (to_json_pretty(&list_value(pods, extent)) + "\n").into_bytes(),
        Format::Yaml => to_yaml(&list_value(pods, extent)).into_bytes(),
        Format::Name => pods.iter().map(name_line).collect::<String>().into_bytes(),
        Format::Protobuf => {
            let pods = pods.iter().map(|pod| pod.bytes().clone()).collect();
            ListPodsResponse { pods }.encode_to_vec()
        }
    }
}

/// Returns one pod as `get` prints it.
pub(crate) fn one(
    pod: &MirroredPod,
    format: Format,
    layout: Layout,
    now: i64,
) -> Result<Vec<u8>, Failure> {
    let extent = layout.extent;
    Ok(match format {
        Format::Table | Format::Wide => table(std::slice::from_ref(pod), layout, now).into_bytes(),
        Format::Json => {
            (to_json_pretty(&pod_value(pod, extent).map_err(refused)?) + "\n").into_bytes()
        }
        Format::Yaml => to_yaml(&pod_value(pod, extent).map_err(refused)?).into_bytes(),
        Format::Name => name_line(pod).into_bytes(),
        Format::Protobuf => {
            let pod = pod.bytes().clone();
            GetPodResponse { pod }.encode_to_vec()
        }
    })
}

/// Returns one event of a watch in a format that is not a table; no pod with the marker. The error
/// says why the pod has no JSON form.
pub(crate) fn event(
    kind: EventKind,
    pod: Option<&MirroredPod>,
    format: Format,
    extent: Extent,
) -> Result<Vec<u8>, String> {
    Ok(match format {
        Format::Json => (to_json(&event_value(kind, pod, extent)?) + "\n").into_bytes(),
        Format::Yaml => format!("---\n{}", to_yaml(&event_value(kind, pod, extent)?)).into_bytes(),
        Format::Table | Format::Wide | Format::Name => {
            pod.map_or_else(String::new, name_line).into_bytes()
        }
        Format::Protobuf => {
            let pod = pod.map_or_else(Bytes::new, |pod| pod.bytes().clone());
            WatchPodsEvent {
                r#type: event_type(kind).into(),
                pod,
            }
            .encode_length_delimited_to_vec()
        }
    })
}

/// How much of each pod was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Some fields: what is not there was not asked for, and is not printed.
    Part,
    /// All of it: what is not there is zero, and printed where Go prints a zero.
    Whole,
}

/// Which columns a table has, and which zeros an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) extent: Extent,
    /// NAMESPACE in front, since pods of several are shown.
    pub(crate) namespaces: bool,
    /// IP and UID at the end.
    pub(crate) wide: bool,
}

impl Layout {
    pub(crate) fn headings(self) -> Vec<&'static str> {
        let mut headings = vec![
            "NAMESPACE",
            "NAME",
            "READY",
            "STATUS",
            "RESTARTS",
            "AGE",
            "IP",
            "UID",
        ];
        if !self.wide {
            headings.truncate(6);
        }
        headings.split_off(usize::from(!self.namespaces))
    }

    /// Returns the cells of `pod`, below the headings.
    pub(crate) fn row(self, pod: &MirroredPod, columns: Columns) -> Vec<String> {
        let mut row = vec![
            pod.namespace().to_owned(),
            pod.name().to_owned(),
            columns.ready,
            columns.status,
            columns.restarts,
            columns.age,
            columns.ip,
            pod.uid().to_owned(),
        ];
        if !self.wide {
            row.truncate(6);
        }
        row.split_off(usize::from(!self.namespaces))
    }
}

fn table(pods: &[MirroredPod], layout: Layout, now: i64) -> String {
    if pods.is_empty() {
        return String::new();
    }
    let headings = layout.headings();
    let mut table = Table::new(&headings);
    let rows: Vec<_> = pods
        .iter()
        .map(|pod| layout.row(pod, Columns::read(pod, now)))
        .collect();
    rows.iter().for_each(|row| table.fit(row));
    rows.iter()
        .fold(table.line(&headings), |text, row| text + &table.line(row))
}

fn name_line(pod: &MirroredPod) -> String {
    format!("pod/{}\n", printable(pod.name()))
}

/// Returns a pod as a value; the error says why it is none, as when a time is beyond the year 9999.
fn pod_value(pod: &MirroredPod, extent: Extent) -> Result<Value, String> {
    let decoded = match extent {
        Extent::Part => decode(Schema::POD, pod.bytes()),
        Extent::Whole => decode_whole(Schema::POD, pod.bytes()),
    };
    let value = decoded.map_err(|error| {
        let text = format!("pod {} has no JSON form: {error}", pod.uid());
        printable(&text).into_owned()
    })?;
    Ok(whole_object("v1", "Pod", value))
}

fn refused(text: String) -> Failure {
    Failure::Refused(Status::new(Code::Internal, text))
}

fn list_value(pods: &[MirroredPod], extent: Extent) -> Value {
    let items = pods.iter().map(|pod| pod_value(pod, extent));
    let items = items.filter_map(|item| {
        item.inspect_err(|error| say(format_args!("left out: {error}")))
            .ok()
    });
    let items = items.collect();
    let mut metadata = Map::new();
    metadata.push("resourceVersion".to_owned(), Value::String(String::new()));
    let mut list = Map::new();
    list.push("items".to_owned(), Value::List(items));
    list.push("metadata".to_owned(), Value::Map(metadata));
    whole_object("v1", "List", Value::Map(list))
}

fn event_value(
    kind: EventKind,
    pod: Option<&MirroredPod>,
    extent: Extent,
) -> Result<Value, String> {
    let object = match pod {
        Some(pod) => pod_value(pod, extent)?,
        None => whole_object("v1", "Pod", Value::Map(Map::new())),
    };
    let name = event_type(kind).as_str_name();
    let mut event = Map::new();
    event.push("type".to_owned(), Value::String(name.to_owned()));
    event.push("object".to_owned(), object);
    Ok(Value::Map(event))
}

fn event_type(kind: EventKind) -> EventType {
    match kind {
        EventKind::Added => EventType::Added,
        EventKind::Deleted => EventType::Deleted,
        EventKind::InitialSyncComplete => EventType::InitialSyncComplete,
        EventKind::Modified => EventType::Modified,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(uid: &str, created: i64) -> MirroredPod {
        let metadata = podsapi_proto::meta_v1::ObjectMeta {
            uid: Some(uid.to_owned()),
            creation_timestamp: Some(podsapi_proto::meta_v1::Time {
                seconds: Some(created),
                ..Default::default()
            }),
            ..Default::default()
        };
        let pod = podsapi_proto::core_v1::Pod {
            metadata: Some(metadata),
            ..Default::default()
        };
        MirroredPod::parse(&pod.encode_to_vec()).unwrap()
    }

    #[test]
    fn a_pod_without_a_json_form_is_left_out_and_hides_no_other() {
        let layout = Layout {
            extent: Extent::Whole,
            namespaces: true,
            wide: false,
        };
        let pods = [pod("far", i64::MAX), pod("near", 1)];
        for format in [Format::Json, Format::Yaml] {
            let text = String::from_utf8(list(&pods, format, layout, 2)).unwrap();
            assert!(text.contains("near") && !text.contains("far"), "{text}");
        }
        let error = event(
            EventKind::Added,
            Some(&pods[0]),
            Format::Json,
            Extent::Whole,
        );
        assert!(error.unwrap_err().starts_with("pod far has no JSON form: "));
    }
}
