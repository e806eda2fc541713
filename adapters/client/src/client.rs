//! One connection to a server, with typed calls on it.

use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use h2::client::{Connection, SendRequest};
use podsapi_core::{Code, Dialect, Projection, Status};
use podsapi_proto::{diagnostics, v1alpha1};
use prost::Message;
use tokio::net::UnixStream;

use crate::call::{self, Answer, Question};
use crate::error::{ClientError, ConnectError, TransportError};
use crate::fields::{DELETION_MARKS, Fields};
use crate::narrowing::{Narrowing, select};
use crate::options::{ClientOptions, PING_TIMEOUT};
use crate::watch::WatchStream;

/// A connection to a server of the Kubelet Pods API; clones share it.
///
/// The connection stays open while a clone or a watch made from it lives. Once it broke, every call
/// fails with [`ClientError::Transport`]; connect again, or use [`crate::Follow`].
#[derive(Clone, Debug)]
pub struct Client {
    sender: SendRequest<Bytes>,
    options: Arc<ClientOptions>,
    /// Set by the connection's task when it gave up by itself.
    ended: Arc<OnceLock<TransportError>>,
}

impl Client {
    /// Connects to the server's UNIX socket at `path`.
    ///
    /// Must be called on a tokio runtime, which then drives the connection.
    ///
    /// # Errors
    ///
    /// When the socket cannot be opened in time. Whether the peer speaks gRPC shows with the first
    /// call.
    pub async fn connect(
        path: impl AsRef<Path>,
        options: ClientOptions,
    ) -> Result<Self, ConnectError> {
        let path = path.as_ref();
        let timed_out = || std::io::Error::from(std::io::ErrorKind::TimedOut);
        let connecting = async {
            let stream = UnixStream::connect(path).await?;
            builder()
                .handshake(stream)
                .await
                .map_err(std::io::Error::other)
        };
        let (sender, connection) = tokio::time::timeout(options.connect_timeout, connecting)
            .await
            .unwrap_or_else(|_elapsed| Err(timed_out()))
            .map_err(|cause| ConnectError::new(path, cause))?;
        let ended = Arc::new(OnceLock::new());
        tokio::spawn(drive(connection, options.keepalive, Arc::clone(&ended)));
        Ok(Self {
            sender,
            options: Arc::new(options),
            ended,
        })
    }

    /// Returns a client that asks for these fields, on the same connection.
    ///
    /// Of servers that do not apply masks, the client selects the fields by itself. A pod that
    /// cannot be read is handed on as it came, so that whoever reads it learns what is wrong.
    #[must_use]
    pub fn with_fields(&self, fields: Fields) -> Self {
        let options = ClientOptions {
            fields,
            ..ClientOptions::clone(&self.options)
        };
        Self {
            options: Arc::new(options),
            ..self.clone()
        }
    }

    /// Returns every pod of the node, encoded, in ascending order of UID.
    ///
    /// # Errors
    ///
    /// When the server refuses (not ready, rate limit, a mask of fields that it does not know) or
    /// the connection ends.
    pub async fn list(&self) -> Result<Vec<Bytes>, ClientError> {
        // The two definitions of the answer are the same on the wire: bytes and messages encode alike.
        let (response, left) = self
            .pods::<v1alpha1::ListPodsResponse>("ListPods", &[])
            .await?;
        let pods = response.pods.into_iter();
        Ok(pods.map(|pod| select(&left, pod)).collect())
    }

    /// Returns the pod with exactly this UID, encoded.
    ///
    /// # Errors
    ///
    /// `NOT_FOUND` when there is no such pod; otherwise as [`Client::list`].
    pub async fn get(&self, uid: &str) -> Result<Bytes, ClientError> {
        let request = v1alpha1::GetPodRequest {
            pod_uid: uid.to_owned(),
        };
        let (response, left) = self
            .pods::<v1alpha1::GetPodResponse>("GetPod", &request.encode_to_vec())
            .await?;
        Ok(select(&left, response.pod))
    }

    /// Starts a watch: first every pod, then what changes.
    ///
    /// # Errors
    ///
    /// When the server refuses (not ready) or the connection ends.
    pub async fn watch(&self) -> Result<WatchStream, ClientError> {
        let fields = &self.options.fields;
        let marks = match self.options.dialect {
            Dialect::Documented => Some(&*DELETION_MARKS),
            Dialect::V1alpha1 => None,
        };
        let question = Question {
            path: &self.path("WatchPods"),
            message: &[],
            deadline: None,
            mask: fields.header(marks)?,
        };
        let answer = self.start(question).await?;
        let wanted = match marks {
            None => left_to_select(fields, &answer)?,
            // More than the wanted fields was asked for.
            Some(_) => known_projection(fields)?,
        };
        Ok(WatchStream::new(
            answer,
            self.options.dialect,
            Narrowing::new(wanted),
            Arc::clone(&self.ended),
        ))
    }

    /// Returns what the server says of itself: readiness, sources, counts. Served by podsapi only.
    ///
    /// # Errors
    ///
    /// `UNIMPLEMENTED` by a server that is not podsapi, or when the connection ends.
    pub async fn status(&self) -> Result<diagnostics::GetStatusResponse, ClientError> {
        let request = diagnostics::GetStatusRequest::default().encode_to_vec();
        let question = Question {
            path: "/podsapi.v1.Diagnostics/GetStatus",
            message: &request,
            deadline: self.options.deadline,
            mask: None,
        };
        let (answer, _masked) = self.unary(question, |_answer| Ok(())).await?;
        decoded(answer)
    }

    /// Calls a method that answers with pods; returns what is left to select of each.
    async fn pods<M: Message + Default>(
        &self,
        method: &str,
        message: &[u8],
    ) -> Result<(M, Projection), ClientError> {
        let fields = &self.options.fields;
        let question = Question {
            path: &self.path(method),
            message,
            deadline: self.options.deadline,
            mask: fields.header(None)?,
        };
        let (answer, left) = self
            .unary(question, |answer| left_to_select(fields, answer))
            .await?;
        Ok((decoded(answer)?, left))
    }

    /// Returns the one message of the answer, and what `read_head` says of the answer's head.
    async fn unary<T>(
        &self,
        question: Question<'_>,
        read_head: impl FnOnce(&Answer) -> Result<T, ClientError>,
    ) -> Result<(Bytes, T), ClientError> {
        let deadline = question.deadline;
        let calling = async {
            let answer = self.start(question).await?;
            let head = read_head(&answer)?;
            let message = answer.single().await;
            let message = message.map_err(|error| blame(&self.ended, error))?;
            Ok((message, head))
        };
        let Some(limit) = deadline else {
            return calling.await;
        };
        tokio::time::timeout(limit, calling)
            .await
            .unwrap_or_else(|_elapsed| {
                let text = format!("no answer within {limit:?}");
                Err(Status::new(Code::DeadlineExceeded, text).into())
            })
    }

    async fn start(&self, question: Question<'_>) -> Result<Answer, ClientError> {
        call::start(
            self.sender.clone(),
            question,
            self.options.max_message_bytes,
        )
        .await
        .map_err(|error| blame(&self.ended, error))
    }

    fn path(&self, method: &str) -> String {
        match self.options.dialect {
            Dialect::Documented => format!("/Pods/{method}"),
            Dialect::V1alpha1 => format!("/v1alpha1.Pods/{method}"),
        }
    }
}

/// Returns what of `fields` the server has not selected: everything is left once it has.
fn left_to_select(fields: &Fields, answer: &Answer) -> Result<Projection, ClientError> {
    if answer.is_masked() {
        return Ok(Projection::all());
    }
    known_projection(fields)
}

/// Returns what to select here, which can only be what this client knows.
fn known_projection(fields: &Fields) -> Result<Projection, ClientError> {
    fields.projection().map_err(|error| {
        let text = format!("the server applies no masks, and here fields are unknown: {error}");
        Status::new(Code::InvalidArgument, text)
            .with_violations(error.status().violations().to_vec())
            .into()
    })
}

/// Replaces the transport's symptom by the cause that the connection's task recorded.
pub(crate) fn blame(ended: &OnceLock<TransportError>, error: ClientError) -> ClientError {
    match (&error, ended.get()) {
        (ClientError::Transport(_), Some(cause)) => ClientError::Transport(cause.clone()),
        _ => error,
    }
}

fn decoded<M: Message + Default>(bytes: Bytes) -> Result<M, ClientError> {
    M::decode(bytes).map_err(|error| {
        Status::new(
            Code::Internal,
            format!("the answer does not decode: {error}"),
        )
        .into()
    })
}

/// Drives the connection until it ends, pinging the peer when asked to.
async fn drive(
    connection: Connection<UnixStream, Bytes>,
    keepalive: Option<std::time::Duration>,
    ended: Arc<OnceLock<TransportError>>,
) {
    let mut connection = pin!(connection);
    let pings = connection.ping_pong();
    let unanswered = async {
        let (Some(period), Some(mut pings)) = (keepalive, pings) else {
            return std::future::pending().await;
        };
        loop {
            tokio::time::sleep(period).await;
            let ping = pings.ping(h2::Ping::opaque());
            match tokio::time::timeout(PING_TIMEOUT, ping).await {
                Ok(Ok(_pong)) => {}
                // The connection's own end says why.
                Ok(Err(_)) => std::future::pending().await,
                Err(_elapsed) => return,
            }
        }
    };
    let cause = tokio::select! {
        end = &mut connection => match end {
            Ok(()) => TransportError::Closed,
            Err(error) => TransportError::Http2(Arc::new(error)),
        },
        () = unanswered => TransportError::PingTimeout,
    };
    tracing::debug!(%cause, "connection ended");
    // Set once and only here, and before the connection goes and takes its calls with it.
    let _first = ended.set(cause);
}

/// Windows wide enough that a list of a large node arrives without waiting for updates.
fn builder() -> h2::client::Builder {
    let mut builder = h2::client::Builder::new();
    builder
        .enable_push(false)
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_frame_size(FRAME_BYTES)
        .max_header_list_size(HEADER_LIST_BYTES);
    builder
}

/// Holds the usual list of a node (250 pods of 15 KB) in one go.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;

/// Four full streams: a watch that is not read does not stop the calls beside it.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;

/// 256 KiB: few frames for a large answer, while one frame does not hold up the others for long.
const FRAME_BYTES: u32 = 256 << 10;

/// Servers keep header blocks under 8 KiB for the sake of other clients; twice that is ample.
const HEADER_LIST_BYTES: u32 = 16 << 10;
