//! The pods that a captured list holds, each read for itself.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use podsapi_core::{EncodedPod, Uid};
use podsapi_proto::json::{self, Map, Value};
use podsapi_proto::schema::Message;

use super::salvage::{Broken, Salvaged};
use crate::identity::Identity;
use crate::problems::Problem;
use crate::text;
use crate::tree::{self, edit_or_insert};

/// What one reading of a snapshot found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The pods in the order of the file.
    pub(crate) pods: Vec<EncodedPod>,
    /// What is wrong with some of them.
    pub(crate) problems: BTreeSet<Problem>,
    /// How many more problems there are than are kept.
    more: usize,
    uids: BTreeSet<Uid>,
    /// Whether an item may be any pod that is missing.
    any_missing: bool,
    /// Fields that are not known, with how many pods have them.
    unknown: BTreeMap<String, usize>,
}

/// Reads the pods of all `documents`: lists of pods, or pods.
///
/// A pod that cannot be read hides no other one; if `before` has a pod with its UID, that one
/// stands in for it.
///
/// # Errors
///
/// The documents hold neither a list of pods nor a pod that can be served, as an error page does,
/// or end before their list does: what they say about pods is not that there are none.
pub(crate) fn read(read: Salvaged, before: &[EncodedPod]) -> Result<Found, String> {
    let Salvaged {
        documents,
        mut broken,
        replaced,
    } = read;
    let mut found = Found::default();
    let mut lists = 0;
    for (number, document) in documents.into_iter().enumerate() {
        let place = format!("document {}", number + 1);
        let Value::Map(mut document) = document else {
            found.fault(&place, "expected a list of pods or a pod, found no object");
            continue;
        };
        let form = Form::of(&document);
        match (form, document.remove("items")) {
            (Form::Pod, None) => {
                let replaced = replaced.contains(&(number, 0));
                found.item(Value::Map(document), &place, replaced, before);
            }
            (Form::Foreign(kind), _) => {
                let text = format!("is a {kind} and no list of pods (passed over)");
                found.tell(Problem::remark(place, text));
            }
            (Form::Cut, _) => {
                return Err(format!(
                    "{place}: a list without its kind, which is at its end: half written?"
                ));
            }
            (Form::List, Some(Value::List(items))) => {
                lists += 1;
                for (index, item) in items.into_iter().enumerate() {
                    let place = format!("{place}, items[{index}]");
                    match broken.remove(&(number, index)) {
                        Some(broken) => found.broken(&broken, &place, before),
                        None => {
                            let replaced = replaced.contains(&(number, index));
                            found.item(item, &place, replaced, before);
                        }
                    }
                }
            }
            (Form::List, None | Some(Value::Null)) => lists += 1,
            (Form::Pod | Form::List, Some(_)) => found.fault(&place, "items: expected a list"),
        }
    }
    if lists == 0 && found.pods.is_empty() {
        let told: Vec<String> = found.problems.iter().map(Problem::line).collect();
        return Err(format!("holds no pods: {}", told.join("; ")));
    }
    if found.any_missing {
        for pod in before {
            if found.uids.insert(pod.uid().clone()) {
                found.pods.push(pod.clone());
            }
        }
    }
    for (path, pods) in std::mem::take(&mut found.unknown) {
        let text = format!("not known and not served (pods: {pods})");
        found.tell(Problem::remark(path, text));
    }
    if found.more > 0 {
        let text = format!("{} problems more than these {PROBLEMS_LIMIT}", found.more);
        found.problems.insert(Problem::remark("and others", text));
    }
    Ok(found)
}

/// What a document says that it is.
#[derive(Debug)]
enum Form {
    Pod,
    List,
    /// A list of something else.
    Foreign(String),
    /// A list as Kubernetes tools print it in YAML, in the order of keys, without its end: it has
    /// `apiVersion` and `items`, and not the `kind` that follows them.
    Cut,
}

impl Form {
    fn of(document: &Map) -> Self {
        let items = document.get("items").is_some();
        match tree::text(document, "kind") {
            "PodList" | "List" => Self::List,
            "" if items && !tree::text(document, "apiVersion").is_empty() => Self::Cut,
            "" if items => Self::List,
            kind if items || kind.ends_with("List") => Self::Foreign(kind.to_owned()),
            _ => Self::Pod,
        }
    }
}

impl Found {
    /// Keeps a problem, unless there are so many that they say no more than their number.
    fn tell(&mut self, problem: Problem) {
        if self.problems.len() < PROBLEMS_LIMIT {
            self.problems.insert(problem);
        } else {
            self.more += 1;
        }
    }

    fn fault(&mut self, place: &str, text: &str) {
        let text = format!("{text} (not served)");
        self.tell(Problem::fault(place, text));
    }

    fn item(&mut self, item: Value, place: &str, replaced: bool, before: &[EncodedPod]) {
        let Value::Map(mut pod) = item else {
            self.fault(place, "expected a pod, found no object");
            return;
        };
        let kind = tree::text(&pod, "kind").to_owned();
        if !kind.is_empty() && kind != "Pod" {
            let text = format!("is a {kind} and no pod (passed over)");
            self.tell(Problem::remark(place, text));
            return;
        }
        let (place, remark) = match identify(&mut pod, place) {
            Ok(identified) => identified,
            Err(error) => {
                self.fault(place, &error);
                return;
            }
        };
        let uid = uid(&pod);
        match encode(pod) {
            Ok((encoded, unknown)) => {
                for path in unknown {
                    *self.unknown.entry(path).or_default() += 1;
                }
                // Said only of what is served: a pod that is refused has no UID to speak of.
                if self.keep(encoded, &place) {
                    if replaced {
                        self.tell(Problem::remark(place.as_str(), text::REPLACED));
                    }
                    remark.into_iter().for_each(|remark| self.tell(remark));
                }
            }
            Err(error) => match before.iter().find(|pod| pod.uid().as_str() == uid) {
                Some(last) => {
                    self.tell(Problem::outdated(place.as_str(), &error));
                    if self.keep(last.clone(), &place) {
                        remark.into_iter().for_each(|remark| self.tell(remark));
                    }
                }
                None => self.fault(&place, &error),
            },
        }
    }

    /// Takes an item whose text cannot be read: the pod that it was stands in for it.
    fn broken(&mut self, broken: &Broken, place: &str, before: &[EncodedPod]) {
        let Broken {
            error,
            namespace,
            name,
            uid,
        } = broken;
        let namespace = if namespace.is_empty() {
            "default"
        } else {
            namespace
        };
        let last = before.iter().find(|pod| match uid.as_str() {
            "" => (pod.namespace(), pod.name()) == (namespace, name),
            uid => pod.uid().as_str() == uid,
        });
        let called = match name.as_str() {
            "" => place.to_owned(),
            name => format!("{namespace}/{name} ({place})"),
        };
        match last {
            Some(last) => {
                self.tell(Problem::outdated(called.as_str(), error));
                self.keep(last.clone(), &called);
            }
            None if uid.is_empty() && name.is_empty() => {
                self.any_missing = true;
                let text = format!("{error} (not served; it may be any pod, so that none is gone)");
                self.tell(Problem::fault(called, text));
            }
            None => self.fault(&called, error),
        }
    }

    /// Takes a pod whose UID is new; returns whether it is.
    fn keep(&mut self, pod: EncodedPod, place: &str) -> bool {
        let new = self.uids.insert(pod.uid().clone());
        if new {
            self.pods.push(pod);
        } else {
            let text = format!("the UID {} is another pod's already", pod.uid());
            self.fault(place, &text);
        }
        new
    }
}

/// Gives the pod what it needs to be told from others; returns what to call it, and what to say of
/// it when it is served.
fn identify(pod: &mut Map, place: &str) -> Result<(String, Option<Problem>), String> {
    let metadata = tree::inner(pod, "metadata").ok_or("metadata: required")?;
    let absent = |key| match tree::given(metadata, key) {
        None => true,
        // What is no text is left for the schema to refuse.
        Some(value) => value.as_str() == Some(""),
    };
    if absent("name") {
        return Err("metadata.name: required".to_owned());
    }
    let name = tree::text(metadata, "name");
    let namespace = match absent("namespace") {
        true => "default",
        false => tree::text(metadata, "namespace"),
    };
    let called = format!("{namespace}/{name} ({place})");
    let mut additions = Vec::new();
    let mut remark = None;
    if absent("namespace") {
        additions.push(("namespace", namespace.to_owned()));
    }
    if absent("uid") {
        let node = tree::inner(pod, "spec").map_or("", |spec| tree::text(spec, "nodeName"));
        let uid = Identity::of_snapshot(node, namespace, name);
        let text = format!("has no UID (served as {uid})");
        remark = Some(Problem::remark(called.as_str(), text));
        additions.push(("uid", uid));
    }
    edit_or_insert(pod, "metadata", |metadata| {
        for (key, value) in additions {
            metadata.set(key, Value::from(value));
        }
    });
    Ok((called, remark))
}

fn uid(pod: &Map) -> String {
    let metadata = tree::inner(pod, "metadata");
    metadata
        .map_or("", |metadata| tree::text(metadata, "uid"))
        .to_owned()
}

fn encode(pod: Map) -> Result<(EncodedPod, Vec<String>), String> {
    let encoded = json::encode(Message::POD, &Value::Map(pod));
    let encoded = encoded.map_err(|error| error.to_string())?;
    let pod = EncodedPod::parse(Bytes::from(encoded.bytes)).map_err(|error| error.to_string())?;
    Ok((pod, encoded.unknown))
}

/// Problems that are kept of one reading: a file of millions of empty objects has as many.
const PROBLEMS_LIMIT: usize = 1_000;

#[cfg(test)]
mod tests;
