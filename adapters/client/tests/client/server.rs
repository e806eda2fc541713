//! A server that answers calls as a test scripts it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut, Bytes, BytesMut};
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Request, Response};
use podsapi_proto::core_v1::Pod;
use podsapi_proto::meta_v1::ObjectMeta;
use podsapi_proto::{google_rpc, well_known};
use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

/// What a call is answered with.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// Headers, these messages, and then nothing until the connection ends.
    Hang(Vec<Bytes>),
    /// An answer of plain HTTP.
    Http(u16),
    /// Headers that say that the mask was applied, these messages, and a status or nothing more.
    Masked(Vec<Bytes>, Option<u16>),
    /// Headers, these messages and a status OK.
    Messages(Vec<Bytes>),
    /// No headers at all.
    Never,
    /// A status in the headers, with details.
    Refuse(u16, &'static str, Option<&'static str>),
    /// A reset of the stream.
    Reset(h2::Reason),
    /// Headers, these messages and a status.
    Then(Vec<Bytes>, u16),
    /// Headers, no message, and a status with details.
    ThenRefuse(u16, &'static str, &'static str),
}

/// A running server; stops with its listener and connections when it is dropped.
pub(crate) struct Server {
    accepting: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What the server was asked: path, headers, message with its prefix.
pub(crate) type Asked = Request<Bytes>;

/// Serves on `path`, replacing what is there, with what `script` says for each call.
pub(crate) fn serve(
    path: &Path,
    script: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
) -> Server {
    let _absent = std::fs::remove_file(path);
    let listener = UnixListener::bind(path).unwrap();
    let script: Arc<Script> = Arc::new(script);
    let accepting = tokio::spawn(async move {
        // Dropping the set with this task ends the connections too.
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(connection(stream, Arc::clone(&script)));
        }
    });
    Server { accepting }
}

type Script = dyn Fn(&Asked) -> Answer + Send + Sync;

async fn connection(stream: UnixStream, script: Arc<Script>) {
    let Ok(mut connection) = h2::server::handshake(stream).await else {
        return;
    };
    let mut calls = tokio::task::JoinSet::new();
    while let Some(Ok((request, respond))) = connection.accept().await {
        calls.spawn(call(request, respond, Arc::clone(&script)));
    }
}

async fn call(
    request: Request<h2::RecvStream>,
    mut respond: SendResponse<Bytes>,
    script: Arc<Script>,
) {
    let (head, mut body) = request.into_parts();
    let mut message = BytesMut::new();
    while let Some(Ok(chunk)) = body.data().await {
        message.extend_from_slice(&chunk);
    }
    let grpc = || Response::builder().header("content-type", "application/grpc");
    let asked = Request::from_parts(head, message.freeze());
    let mut head = grpc();
    let mut trailers = HeaderMap::new();
    let (messages, status) = match script(&asked) {
        Answer::Hang(messages) => (messages, None),
        Answer::Http(status) => {
            let response = Response::builder().status(status).body(()).unwrap();
            respond.send_response(response, true).unwrap();
            return;
        }
        Answer::Masked(messages, status) => {
            head = head.header("x-kubernetes-fieldmask-applied", "applied");
            (messages, status)
        }
        Answer::Messages(messages) => (messages, Some(0)),
        Answer::Never => std::future::pending().await,
        Answer::Refuse(code, text, details) => {
            let mut response = grpc()
                .header("grpc-status", code)
                .header("grpc-message", text);
            if let Some(details) = details {
                response = response.header("grpc-status-details-bin", details);
            }
            respond
                .send_response(response.body(()).unwrap(), true)
                .unwrap();
            return;
        }
        Answer::Reset(reason) => return respond.send_reset(reason),
        Answer::Then(messages, code) => (messages, Some(code)),
        Answer::ThenRefuse(code, text, details) => {
            trailers.insert("grpc-message", HeaderValue::from_static(text));
            let details = HeaderValue::from_static(details);
            trailers.insert("grpc-status-details-bin", details);
            (Vec::new(), Some(code))
        }
    };
    let mut stream = respond
        .send_response(head.body(()).unwrap(), false)
        .unwrap();
    for message in messages {
        stream.send_data(message, false).unwrap();
    }
    let Some(code) = status else {
        return std::future::pending().await;
    };
    trailers.insert("grpc-status", code.into());
    stream.send_trailers(trailers).unwrap();
}

/// Returns a message behind its prefix.
pub(crate) fn framed(message: &impl Message) -> Bytes {
    let encoded = message.encode_to_vec();
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(encoded.len().try_into().unwrap());
    framed.extend_from_slice(&encoded);
    framed.freeze()
}

/// Returns a pod with not much more than a UID.
pub(crate) fn pod(uid: &str, name: &str) -> Pod {
    Pod {
        metadata: Some(ObjectMeta {
            uid: Some(uid.to_owned()),
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        }),
        ..Pod::default()
    }
}

/// Returns a directory and a path in it for a socket.
pub(crate) fn socket() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    (directory, path)
}

/// Waits for `future`, but not for ever.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("took too long")
}

/// Returns the field of details with these messages of `google.rpc`.
pub(crate) fn details(messages: &[(&str, &[u8])]) -> &'static str {
    let any = |(name, value): &(&str, &[u8])| well_known::Any {
        type_url: format!("type.googleapis.com/google.rpc.{name}"),
        value: value.to_vec().into(),
    };
    let whole = google_rpc::Status {
        details: messages.iter().map(any).collect(),
        ..Default::default()
    };
    let engine = base64::engine::general_purpose::STANDARD_NO_PAD;
    base64::Engine::encode(&engine, whole.encode_to_vec()).leak()
}
