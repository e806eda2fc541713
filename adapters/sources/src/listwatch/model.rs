//! An API server in its plainest form: all that ever changed, and answers made of that.

use std::collections::BTreeMap;

use super::Request;
use super::scenes::{
    JSON, NODE, PROTOBUF, PROTOBUF_WATCH, Scene, bookmark, event, event_in_json, list,
    list_in_json, raw_event, status, status_in_json,
};

/// A server with one node of interest.
#[derive(Debug)]
pub(super) struct Server {
    /// The version of the last change.
    pub(super) version: u64,
    /// What was changed when: the kind of the event and the pod as it was sent.
    history: Vec<(u64, &'static str, Scene)>,
    /// What was changed after the version that the server was set back to.
    undone: Vec<Scene>,
    /// Versions up to this one are forgotten.
    compacted: u64,
    /// How many versions the server's memory is behind its store.
    pub(super) lag: u64,
    pub(super) page: usize,
    pub(super) json: bool,
    /// Whether requests for protobuf are refused, rather than answered in JSON.
    pub(super) strict: bool,
}

/// What is to come of an answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: &'static str,
    pub(super) body: Vec<u8>,
    /// The version up to which a watch is told, `None` where the body has an end.
    pub(super) watched: Option<u64>,
    /// Whether nothing of it arrives any more.
    pub(super) mute: bool,
}

impl Server {
    pub(super) fn new() -> Self {
        Self {
            version: 1,
            history: Vec::new(),
            undone: Vec::new(),
            compacted: 0,
            lag: 0,
            page: 2,
            json: false,
            strict: false,
        }
    }

    /// The pods of the node as they were, other nodes' among them where one has moved.
    fn pods_at(&self, version: u64) -> BTreeMap<String, Scene> {
        let mut pods = BTreeMap::new();
        for (_, kind, pod) in self.history.iter().filter(|(at, ..)| *at <= version) {
            match *kind {
                "DELETED" => drop(pods.remove(&pod.uid)),
                _ => drop(pods.insert(pod.uid.clone(), pod.clone())),
            }
        }
        pods
    }

    /// The pods that the node has now.
    pub(super) fn pods(&self) -> BTreeMap<String, Scene> {
        let mut pods = self.pods_at(self.version);
        pods.retain(|_, pod| pod.node == NODE);
        pods
    }

    /// All pods that a list would show now.
    pub(super) fn shown(&self) -> Vec<Scene> {
        self.pods_at(self.version).into_values().collect()
    }

    /// Whether the pod was ever sent as it is in these bytes.
    pub(super) fn ever_had(&self, bytes: &[u8]) -> bool {
        let mut sent = self.history.iter();
        sent.any(|(_, kind, pod)| *kind != "DELETED" && pod.bytes() == bytes)
            || self.undone.iter().any(|pod| pod.bytes() == bytes)
    }

    /// Becomes what it was some changes ago, as a store does that is restored.
    pub(super) fn restore(&mut self, back: usize) {
        let kept = self.history.len().saturating_sub(back);
        self.undone
            .extend(self.history.drain(kept..).map(|(.., pod)| pod));
        self.version = self.history.last().map_or(1, |(at, ..)| *at);
        self.compacted = self.compacted.min(self.version);
    }

    pub(super) fn put(&mut self, mut pod: Scene) {
        self.version += 1;
        pod.version = self.version;
        let before = self.pods_at(self.version).contains_key(&pod.uid);
        let kind = if before { "MODIFIED" } else { "ADDED" };
        self.history.push((self.version, kind, pod));
    }

    pub(super) fn delete(&mut self, uid: &str) {
        if let Some(mut pod) = self.pods_at(self.version).remove(uid) {
            self.version += 1;
            pod.version = self.version;
            self.history.push((self.version, "DELETED", pod));
        }
    }

    /// Forgets all history but what is there now.
    pub(super) fn compact(&mut self) {
        self.version += 1;
        self.compacted = self.version;
    }

    /// Answers, or refuses with a status code.
    pub(super) fn answer(&self, request: &Request, refuse: Option<u16>) -> Answer {
        let json = self.json || !request.accept().contains("protobuf");
        if let Some(code) = refuse {
            return self.refusal(code, "Refused", json);
        }
        if self.json && self.strict && request.accept().contains("protobuf") {
            return self.refusal(406, "NotAcceptable", json);
        }
        let (path, query) = request.path_and_query().split_once('?').unwrap();
        assert_eq!(path, "/api/v1/pods");
        let query: BTreeMap<_, _> = query
            .split('&')
            .map(|pair| pair.split_once('=').unwrap())
            .collect();
        assert_eq!(query["fieldSelector"], "spec.nodeName%3Dn1");
        if query.contains_key("watch") {
            let from: u64 = query["resourceVersion"].parse().unwrap();
            if from < self.compacted && self.strict {
                return self.refusal(410, "Expired", json);
            }
            let mut answer = Answer {
                status: 200,
                content_type: if json { JSON } else { PROTOBUF_WATCH },
                body: Vec::new(),
                watched: Some(from),
                mute: false,
            };
            if from < self.compacted {
                answer.body = self.error(410, "Expired", json);
            }
            return answer;
        }
        let memory = self
            .version
            .saturating_sub(self.lag)
            .max(self.compacted)
            .max(1);
        let (version, offset) = match (query.get("continue"), query.get("resourceVersion")) {
            (Some(token), _) => {
                let (version, offset) = token.split_once('.').unwrap();
                (version.parse().unwrap(), offset.parse().unwrap())
            }
            (None, Some(&"0")) => (memory, 0),
            (None, Some(least)) => {
                let least = least.parse().unwrap();
                if least > self.version {
                    return self.refusal(504, "Too large resource version", json);
                }
                (memory.max(least), 0)
            }
            (None, None) => (self.version, 0),
        };
        if offset > 0 && (version < self.compacted || version > self.version) {
            return self.refusal(410, "Expired", json);
        }
        let pods: Vec<Scene> = self.pods_at(version).into_values().collect();
        let limited = query.contains_key("limit");
        let end = if limited {
            offset + self.page
        } else {
            pods.len()
        };
        let next = match end < pods.len() {
            true => format!("{version}.{end}"),
            false => String::new(),
        };
        let page = &pods[offset..end.min(pods.len())];
        let version = version.to_string();
        Answer {
            status: 200,
            content_type: if json { JSON } else { PROTOBUF },
            body: match json {
                true => list_in_json(&version, &next, page),
                false => list(&version, &next, page),
            },
            watched: None,
            mute: false,
        }
    }

    /// Sends what a watch does not know yet.
    pub(super) fn tell(&self, answer: &mut Answer) {
        let Some(watched) = &mut answer.watched else {
            return;
        };
        if *watched < self.compacted {
            // It has said that it is over, or is about to be cut.
            return;
        }
        for (at, kind, pod) in self.history.iter().filter(|(at, ..)| *at > *watched) {
            let pod = Scene {
                version: *at,
                ..pod.clone()
            };
            answer.body.extend(match answer.content_type {
                JSON => event_in_json(kind, &pod),
                _ => event(kind, &pod),
            });
        }
        *watched = self.version.max(*watched);
    }

    /// Sends a bookmark, if a watch knows all.
    pub(super) fn bookmark(&self, answer: &mut Answer) {
        if answer.watched == Some(self.version) {
            let bookmark = bookmark(self.version);
            answer.body.extend(match answer.content_type {
                JSON => event_in_json("BOOKMARK", &bookmark),
                _ => event("BOOKMARK", &bookmark),
            });
        }
    }

    /// Sends the last event again, if a watch knows all.
    pub(super) fn repeat(&self, answer: &mut Answer) {
        if answer.watched == Some(self.version)
            && let Some((_, kind, pod)) = self.history.last()
        {
            answer.body.extend(match answer.content_type {
                JSON => event_in_json(kind, pod),
                _ => event(kind, pod),
            });
        }
    }

    /// Ends a watch with an error.
    pub(super) fn error_into(&self, code: u16, answer: &mut Answer) {
        if answer.watched.is_some() {
            let json = answer.content_type == JSON;
            answer.body.extend(self.error(code, "Failed", json));
        }
    }

    fn error(&self, code: u16, reason: &str, json: bool) -> Vec<u8> {
        match json {
            true => {
                let status = status_in_json(code, reason);
                format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n").into_bytes()
            }
            false => raw_event("ERROR", &status(code, reason)),
        }
    }

    fn refusal(&self, code: u16, reason: &str, json: bool) -> Answer {
        Answer {
            status: code,
            content_type: if json { JSON } else { PROTOBUF },
            body: match json {
                true => status_in_json(code, reason).into_bytes(),
                false => status(code, reason),
            },
            watched: None,
            mute: false,
        }
    }
}
