//! One HTTP/2 connection over a UNIX socket, on which gRPC calls of any service are made.

use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Connection, SendRequest};
use podsapi_core::{Code, Status};
use tokio::net::UnixStream;

use crate::call::{self, Answer, Question};
use crate::error::{ClientError, ConnectError, TransportError};
use crate::options::PING_TIMEOUT;

/// A connection for calls whose messages the caller encodes and decodes; clones share it.
///
/// [`crate::Client`] is a channel that speaks the Kubelet Pods API. The connection stays open while
/// a clone or a stream made from it lives; once it broke, every call fails.
#[derive(Clone, Debug)]
pub struct Channel {
    sender: SendRequest<Bytes>,
    max_message_bytes: usize,
    /// Set by the connection's task when it gave up by itself.
    ended: Arc<OnceLock<TransportError>>,
}

/// Choices for a [`Channel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelOptions {
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How often an otherwise silent connection is pinged; an unanswered ping closes it. `None`
    /// never pings.
    pub keepalive: Option<Duration>,
    /// The longest message accepted, in bytes.
    pub max_message_bytes: usize,
}

impl Channel {
    /// Connects to the UNIX socket at `path`.
    ///
    /// Must be called on a tokio runtime, which then drives the connection.
    ///
    /// # Errors
    ///
    /// When the socket cannot be opened in time; one whose queue is full is tried again until then.
    /// Whether the peer speaks gRPC shows with the first call.
    pub async fn connect(
        path: impl AsRef<Path>,
        options: ChannelOptions,
    ) -> Result<Self, ConnectError> {
        let path = path.as_ref();
        let timed_out = || std::io::Error::from(std::io::ErrorKind::TimedOut);
        let connecting = async {
            let stream = connect_despite_full_queue(path).await?;
            builder().handshake(stream).await.map_err(|error| {
                let kind = error.get_io().map(std::io::Error::kind);
                std::io::Error::new(kind.unwrap_or(std::io::ErrorKind::Other), error)
            })
        };
        let (sender, connection) = tokio::time::timeout(options.connect_timeout, connecting)
            .await
            .unwrap_or_else(|_elapsed| Err(timed_out()))
            .map_err(|cause| ConnectError::new(path, cause))?;
        let ended = Arc::new(OnceLock::new());
        tokio::spawn(drive(connection, options.keepalive, Arc::clone(&ended)));
        Ok(Self {
            sender,
            max_message_bytes: options.max_message_bytes,
            ended,
        })
    }

    /// Calls the unary method at `path` (`/package.Service/Method`) with an encoded request;
    /// returns the encoded answer.
    ///
    /// # Errors
    ///
    /// When the server refuses, the connection ends, or `deadline`, which the server is told too,
    /// has passed.
    pub async fn unary(
        &self,
        path: &str,
        message: &[u8],
        deadline: Option<Duration>,
    ) -> Result<Bytes, ClientError> {
        let question = Question {
            path,
            message,
            deadline,
            mask: None,
        };
        let (answer, ()) = self.ask(question, |_answer| Ok(())).await?;
        Ok(answer)
    }

    /// Calls the server-streaming method at `path` with an encoded request.
    ///
    /// Waits for the head of the answer, which a server may send with the first message only.
    ///
    /// # Errors
    ///
    /// When the server refuses or the connection ends.
    pub async fn stream(&self, path: &str, message: &[u8]) -> Result<MessageStream, ClientError> {
        let question = Question {
            path,
            message,
            deadline: None,
            mask: None,
        };
        Ok(self.streaming(self.start(question).await?))
    }

    /// Returns the one message of the answer, and what `read_head` says of the answer's head.
    pub(crate) async fn ask<T>(
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

    pub(crate) async fn start(&self, question: Question<'_>) -> Result<Answer, ClientError> {
        call::start(self.sender.clone(), question, self.max_message_bytes)
            .await
            .map_err(|error| blame(&self.ended, error))
    }

    /// Returns the messages of an answer that was started here.
    pub(crate) fn streaming(&self, answer: Answer) -> MessageStream {
        MessageStream {
            answer,
            ended: Arc::clone(&self.ended),
        }
    }
}

/// The messages of one call as they arrive; dropping it cancels the call.
#[derive(Debug)]
pub struct MessageStream {
    answer: Answer,
    ended: Arc<OnceLock<TransportError>>,
}

impl MessageStream {
    /// Waits for the next encoded message; `None` when the server ended the call with OK.
    ///
    /// The future may be dropped and asked for again without losing a message.
    ///
    /// # Errors
    ///
    /// When the server ends the call with another status, or when the connection ends.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ClientError> {
        let message = self.answer.next().await;
        message.map_err(|error| blame(&self.ended, error))
    }
}

/// Replaces the transport's symptom by the cause that the connection's task recorded.
fn blame(ended: &OnceLock<TransportError>, error: ClientError) -> ClientError {
    match (&error, ended.get()) {
        (ClientError::Transport(_), Some(cause)) => ClientError::Transport(cause.clone()),
        _ => error,
    }
}

/// Connects, however often the queue of the socket is full: the kernel does not wait for that.
async fn connect_despite_full_queue(path: &Path) -> std::io::Result<UnixStream> {
    loop {
        match UnixStream::connect(path).await {
            Err(full) if full.kind() == std::io::ErrorKind::WouldBlock => {
                tokio::time::sleep(FULL_QUEUE_PAUSE).await;
            }
            done => return done,
        }
    }
}

/// Drives the connection until it ends, pinging the peer when asked to.
async fn drive(
    connection: Connection<UnixStream, Bytes>,
    keepalive: Option<Duration>,
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

/// How long a socket whose queue is full is left alone before it is tried again.
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(5);

/// Holds the usual list of a node (250 pods of 15 KB) in one go.
const STREAM_WINDOW_BYTES: u32 = 4 << 20;

/// Four full streams: a watch that is not read does not stop the calls beside it.
const CONNECTION_WINDOW_BYTES: u32 = 16 << 20;

/// 256 KiB: few frames for a large answer, while one frame does not hold up the others for long.
const FRAME_BYTES: u32 = 256 << 10;

/// As much as grpc-go takes: trailers hold the text of an error, which can be the whole output of a
/// program that failed, and one call's that are too large would end all others.
const HEADER_LIST_BYTES: u32 = 16 << 20;
