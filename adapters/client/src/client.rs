//! One connection to a server, with typed calls on it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{Code, Dialect, Projection, Status};
use podsapi_proto::text::{Texts, decode};
use podsapi_proto::{diagnostics, v1alpha1};
use prost::Message;

use crate::call::{Answer, Question};
use crate::channel::Channel;
use crate::error::{ClientError, ConnectError};
use crate::fields::{DELETION_MARKS, Fields};
use crate::narrowing::{Narrowing, select};
use crate::options::ClientOptions;
use crate::watch::WatchStream;

/// A connection to a server of the Kubelet Pods API; clones share it.
///
/// The connection stays open while a clone or a watch made from it lives. Once it broke, every call
/// fails with [`ClientError::Transport`]; connect again, or use [`crate::Follow`].
#[derive(Clone, Debug)]
pub struct Client {
    channel: Channel,
    options: Arc<ClientOptions>,
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
        let channel = Channel::connect(path, options.channel()).await?;
        Ok(Self {
            channel,
            options: Arc::new(options),
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

    /// Asks for a sign of life: succeeds when the server answers within `patience`, whatever it says.
    ///
    /// This is a call of the health service, which is neither gated nor limited by rate; a server
    /// without it answers that, too. For connections that are otherwise silent: a watch without news
    /// looks the same when its server hangs.
    ///
    /// # Errors
    ///
    /// [`ClientError::Refused`] with `DEADLINE_EXCEEDED` when there is no answer, and otherwise only
    /// when the connection ends.
    pub async fn probe(&self, patience: Duration) -> Result<(), ClientError> {
        let asked = self.channel.unary(HEALTH, &[], Some(patience)).await;
        match asked {
            Err(ClientError::Refused(status)) if status.code() == Code::DeadlineExceeded => {
                Err(status.into())
            }
            Err(ClientError::Refused(_)) | Ok(_) => Ok(()),
            Err(error @ ClientError::Transport(_)) => Err(error),
        }
    }

    /// Completes once the server gives no sign of life for `vigilance`, and not at all when the
    /// connection ends, of which its calls say more.
    ///
    /// The server is asked for its health, and any answer will do. A PING would say as much, but the
    /// gRPC library of kubelets ends connections that send one more often than every five minutes
    /// while it has nothing to say itself.
    pub async fn hung(&self, vigilance: Duration) {
        let half = vigilance / 2;
        loop {
            tokio::time::sleep(half).await;
            match self.probe(half).await {
                Ok(()) => {}
                Err(ClientError::Refused(_)) => return,
                Err(ClientError::Transport(_)) => std::future::pending().await,
            }
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
        let answer = self.channel.start(question).await?;
        let wanted = match marks {
            None => left_to_select(fields, &answer)?,
            // More than the wanted fields was asked for.
            Some(_) => known_projection(fields)?,
        };
        Ok(WatchStream::new(
            self.channel.streaming(answer),
            self.options.dialect,
            Narrowing::new(wanted),
        ))
    }

    /// Returns what the server says of itself: readiness, sources, counts. Served by podsapi only.
    ///
    /// # Errors
    ///
    /// `UNIMPLEMENTED` by a server that is not podsapi, or when the connection ends.
    pub async fn status(&self) -> Result<diagnostics::GetStatusResponse, ClientError> {
        let request = diagnostics::GetStatusRequest::default().encode_to_vec();
        let path = "/podsapi.v1.Diagnostics/GetStatus";
        let calling = self.channel.unary(path, &request, self.options.deadline);
        decoded(calling.await?)
    }

    /// Calls a method that answers with pods; returns what is left to select of each.
    async fn pods<M: Texts>(
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
            .channel
            .ask(question, |answer| left_to_select(fields, answer))
            .await?;
        Ok((decoded(answer)?, left))
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

fn decoded<M: Texts>(bytes: Bytes) -> Result<M, ClientError> {
    decode(bytes).map_err(|error| {
        Status::new(
            Code::Internal,
            format!("the answer does not decode: {error}"),
        )
        .into()
    })
}

/// The method that servers of gRPC have for this.
const HEALTH: &str = "/grpc.health.v1.Health/Check";
