//! The test's own calls to an API server: one connection each, answers as encoded pods.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper::{Request, Response, body::Incoming};
use hyper_util::rt::TokioIo;
use podsapi_proto::core_v1;
use prost::Message;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto::ring};

use super::credentials::ADMIN;
use crate::process::PATIENCE;

/// An API server as its administrator sees it.
#[derive(Clone)]
pub(crate) struct Api {
    port: u16,
    tls: TlsConnector,
}

/// A question to a server.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) accept: &'a str,
    /// The type of what is sent, and it.
    pub(super) body: (&'a str, &'a str),
}

impl<'a> Question<'a> {
    pub(super) fn get(path: &'a str) -> Self {
        Self {
            method: "GET",
            path,
            accept: JSON,
            body: (JSON, ""),
        }
    }
}

impl Api {
    pub(super) fn new(port: u16, authority: &Path) -> Self {
        let mut roots = RootCertStore::empty();
        let certificate = CertificateDer::from_pem_file(authority).unwrap();
        roots.add(certificate).unwrap();
        let configuration = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let tls = TlsConnector::from(Arc::new(configuration));
        Self { port, tls }
    }

    /// Sends a question; returns the answer before its body has come.
    pub(super) async fn open(&self, question: Question<'_>) -> Result<Response<Incoming>, String> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await;
        let stream = stream.map_err(|error| error.to_string())?;
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = self.tls.connect(name, stream).await;
        exchange(stream.map_err(|error| error.to_string())?, question).await
    }

    /// Returns the status and the body of an answer.
    pub(super) async fn ask(&self, question: Question<'_>) -> Result<(u16, Bytes), String> {
        let asked = async { whole(self.open(question).await?).await };
        let asked = tokio::time::timeout(PATIENCE, asked).await;
        asked.unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    /// Returns the body of an answer that is a success.
    pub(super) async fn done(&self, question: Question<'_>) -> Bytes {
        let asked = format!("{} {}", question.method, question.path);
        let (status, body) = self.ask(question).await.expect(&asked);
        let text = String::from_utf8_lossy(&body);
        assert!((200..300).contains(&status), "{asked}: {status} {text}");
        body
    }

    /// Makes a namespace.
    pub(super) async fn namespace(&self, name: &str) {
        let text = format!(r#"{{"metadata":{{"name":"{name}"}}}}"#);
        self.done(Question {
            method: "POST",
            body: (JSON, &text),
            ..Question::get("/api/v1/namespaces")
        })
        .await;
    }

    /// Makes a pod from its JSON; returns it as the server keeps it.
    pub(crate) async fn create(&self, namespace: &str, text: &str) -> Bytes {
        let path = format!("/api/v1/namespaces/{namespace}/pods");
        let question = Question {
            method: "POST",
            accept: PROTOBUF,
            body: (JSON, text),
            ..Question::get(&path)
        };
        unwrapped(&self.done(question).await)
    }

    /// Patches a pod, or its "/status".
    pub(crate) async fn patch(&self, namespace: &str, name: &str, text: &str) -> Bytes {
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
        let question = Question {
            method: "PATCH",
            accept: PROTOBUF,
            body: ("application/merge-patch+json", text),
            ..Question::get(&path)
        };
        unwrapped(&self.done(question).await)
    }

    /// Deletes a pod, which a node's pod survives for as long as its grace lasts.
    pub(crate) async fn delete(&self, namespace: &str, name: &str, grace_seconds: u32) {
        let path = format!(
            "/api/v1/namespaces/{namespace}/pods/{name}?gracePeriodSeconds={grace_seconds}"
        );
        self.done(Question {
            method: "DELETE",
            ..Question::get(&path)
        })
        .await;
    }

    /// Binds a pod to a node, as a scheduler does.
    pub(super) async fn bind(&self, namespace: &str, name: &str, node: &str) {
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/binding");
        let text = format!(
            r#"{{"metadata":{{"name":"{name}"}},"target":{{"kind":"Node","name":"{node}"}}}}"#
        );
        self.done(Question {
            method: "POST",
            body: (JSON, &text),
            ..Question::get(&path)
        })
        .await;
    }

    /// Returns the encoded pod.
    pub(super) async fn pod(&self, namespace: &str, name: &str) -> Bytes {
        let path = format!("/api/v1/namespaces/{namespace}/pods/{name}");
        let question = Question {
            accept: PROTOBUF,
            ..Question::get(&path)
        };
        unwrapped(&self.done(question).await)
    }

    /// Returns the revision of the list of a node's pods, and the pods.
    pub(super) async fn list(&self, node: &str) -> (u64, Vec<Bytes>) {
        let path = format!("/api/v1/pods?fieldSelector=spec.nodeName%3D{node}");
        let question = Question {
            accept: PROTOBUF,
            ..Question::get(&path)
        };
        let list = PodList::decode(unwrapped(&self.done(question).await)).unwrap();
        let revision = list.metadata.and_then(|found| found.resource_version);
        (revision.unwrap().parse().unwrap(), list.items)
    }

    /// Returns what a node's watch from a revision on is told within a while; or the server's word
    /// that the revision is gone.
    pub(super) async fn history(&self, node: &str, revision: u64) -> Result<Vec<Told>, Status> {
        let path = format!(
            "/api/v1/pods?fieldSelector=spec.nodeName%3D{node}&watch=1\
             &resourceVersion={revision}&timeoutSeconds=8"
        );
        let question = Question {
            accept: WATCH,
            ..Question::get(&path)
        };
        let (status, body) = self.ask(question).await.unwrap();
        if status != 200 {
            return Err(Status::decode(unwrapped(&body)).unwrap());
        }
        let mut rest = body;
        let mut told = Vec::new();
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest.split_to(4)[..].try_into().unwrap());
            // Only what is in an event has the envelope.
            let event = rest.split_to(length.try_into().unwrap());
            let event = WatchEvent::decode(event).unwrap();
            let object = unwrapped(&event.object.unwrap().raw);
            if event.kind == "ERROR" {
                return Err(Status::decode(object).unwrap());
            }
            told.push(Told {
                kind: event.kind,
                pod: object,
            });
        }
        Ok(told)
    }
}

/// Asks a server that speaks without TLS, as etcd here.
pub(super) async fn plainly(port: u16, question: Question<'_>) -> Result<(u16, Bytes), String> {
    let asked = async {
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        let stream = stream.map_err(|error| error.to_string())?;
        whole(exchange(stream, question).await?).await
    };
    let asked = tokio::time::timeout(PATIENCE, asked).await;
    asked.unwrap_or_else(|_| Err("no answer in time".to_owned()))
}

async fn exchange(
    stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
    question: Question<'_>,
) -> Result<Response<Incoming>, String> {
    let (kind, body) = question.body;
    let request = Request::builder()
        .method(question.method)
        .uri(question.path)
        .header("host", "127.0.0.1")
        .header("authorization", format!("Bearer {ADMIN}"))
        .header("accept", question.accept)
        .header("content-type", kind)
        .body(Full::new(Bytes::from(body.to_owned())))
        .unwrap();
    sent(TokioIo::new(stream), request)
        .await
        .map_err(|error| error.to_string())
}

/// Sends a request on a connection of its own.
pub(super) async fn sent(
    stream: impl Read + Write + Send + Unpin + 'static,
    request: Request<Full<Bytes>>,
) -> Result<Response<Incoming>, hyper::Error> {
    let (mut sender, connection) = http1::handshake(stream).await?;
    // The connection ends with its one answer.
    tokio::spawn(connection);
    sender.send_request(request).await
}

async fn whole(response: Response<Incoming>) -> Result<(u16, Bytes), String> {
    let status = response.status().as_u16();
    let body = response.into_body().collect().await;
    let body = body.map_err(|error| error.to_string())?;
    Ok((status, body.to_bytes()))
}

/// Takes an object out of the envelope of the encoding.
fn unwrapped(bytes: &Bytes) -> Bytes {
    let envelope = bytes.strip_prefix(b"k8s\0");
    let envelope = envelope.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(bytes)));
    Unknown::decode(bytes.slice_ref(envelope)).unwrap().raw
}

/// One event of the server's own history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) kind: String,
    pub(super) pod: Bytes,
}

/// The envelope: what is left out says which kind is inside.
#[derive(Clone, PartialEq, Message)]
struct Unknown {
    #[prost(bytes = "bytes", tag = "2")]
    raw: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct WatchEvent {
    #[prost(string, tag = "1")]
    kind: String,
    #[prost(message, optional, tag = "2")]
    object: Option<RawExtension>,
}

#[derive(Clone, PartialEq, Message)]
struct RawExtension {
    #[prost(bytes = "bytes", tag = "1")]
    raw: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct PodList {
    #[prost(message, optional, tag = "1")]
    metadata: Option<ListMeta>,
    #[prost(bytes = "bytes", repeated, tag = "2")]
    items: Vec<Bytes>,
}

#[derive(Clone, PartialEq, Message)]
struct ListMeta {
    #[prost(string, optional, tag = "2")]
    resource_version: Option<String>,
}

/// An error of the server.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Status {
    #[prost(string, optional, tag = "3")]
    pub(super) message: Option<String>,
    #[prost(int32, optional, tag = "6")]
    pub(super) code: Option<i32>,
}

/// Returns the metadata of an encoded pod's UID and name.
pub(super) fn identity(pod: &[u8]) -> (String, String) {
    let metadata = core_v1::Pod::decode(pod).unwrap().metadata.unwrap();
    (metadata.uid.unwrap(), metadata.name.unwrap())
}

const JSON: &str = "application/json";
const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";
const WATCH: &str = "application/vnd.kubernetes.protobuf;stream=watch";
