//! The calls that are made to a runtime, typed.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{Channel, ChannelOptions, ClientError, Code, MessageStream, Status};
use podsapi_proto::cri;
use podsapi_proto::text::{Texts, decode};
use prost::{DecodeError, Message};

use super::listed;
use super::trouble::Trouble;

/// A connection to a runtime.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    channel: Channel,
    deadline: Duration,
}

impl Runtime {
    pub(super) async fn connect(socket: &Path, deadline: Duration) -> Result<Self, Trouble> {
        let options = ChannelOptions {
            connect_timeout: deadline,
            // The lists themselves show whether it answers.
            keepalive: None,
            max_message_bytes: MAX_MESSAGE_BYTES,
        };
        let connecting = Channel::connect(socket, options).await;
        let channel = connecting.map_err(Trouble::Connect)?;
        Ok(Self { channel, deadline })
    }

    pub(super) async fn version(&self) -> Result<cri::VersionResponse, Trouble> {
        let request = cri::VersionRequest::default();
        self.whole("Version", &request, decode).await
    }

    pub(super) async fn containers(&self) -> Result<Vec<listed::Container>, Trouble> {
        let request = cri::ListContainersRequest::default();
        let read = |answer: Bytes| listed::Containers::decode(answer);
        let list = self.whole("ListContainers", &request, read).await?;
        Ok(list.items)
    }

    pub(super) async fn sandboxes(&self) -> Result<Vec<listed::Sandbox>, Trouble> {
        let request = cri::ListPodSandboxRequest::default();
        let read = |answer: Bytes| listed::Sandboxes::decode(answer);
        let list = self.whole("ListPodSandbox", &request, read).await?;
        Ok(list.items)
    }

    pub(super) async fn container(&self, id: &str) -> Result<cri::ContainerStatus, ClientError> {
        let request = cri::ContainerStatusRequest {
            container_id: id.to_owned(),
        };
        let response: cri::ContainerStatusResponse = self.one("ContainerStatus", &request).await?;
        let status = response.status.filter(|status| status.id == id);
        status.ok_or_else(|| mistaken("container").into())
    }

    pub(super) async fn sandbox(&self, id: &str) -> Result<cri::PodSandboxStatus, ClientError> {
        let request = cri::PodSandboxStatusRequest {
            pod_sandbox_id: id.to_owned(),
        };
        let response: cri::PodSandboxStatusResponse =
            self.one("PodSandboxStatus", &request).await?;
        let status = response.status.filter(|status| status.id == id);
        status.ok_or_else(|| mistaken("sandbox").into())
    }

    /// Subscribes; runtimes answer when the first event comes.
    pub(super) async fn events(&self) -> Result<MessageStream, ClientError> {
        let path = format!("{SERVICE}GetContainerEvents");
        self.channel.stream(&path, &[]).await
    }

    /// Calls a method that is about the runtime as a whole.
    async fn whole<A>(
        &self,
        method: &'static str,
        request: &impl Message,
        read: impl FnOnce(Bytes) -> Result<A, DecodeError>,
    ) -> Result<A, Trouble> {
        let called = self.call(method, request, self.deadline, read).await;
        called.map_err(|error| Trouble::Call { method, error })
    }

    /// Calls a method that is about one sandbox or container.
    async fn one<A: Texts>(
        &self,
        method: &'static str,
        request: &impl Message,
    ) -> Result<A, ClientError> {
        self.call(method, request, self.deadline / STATUS_SHARE, decode)
            .await
    }

    async fn call<A>(
        &self,
        method: &'static str,
        request: &impl Message,
        deadline: Duration,
        read: impl FnOnce(Bytes) -> Result<A, DecodeError>,
    ) -> Result<A, ClientError> {
        let path = format!("{SERVICE}{method}");
        let message = request.encode_to_vec();
        let answer = self.channel.unary(&path, &message, Some(deadline)).await?;
        read(answer).map_err(|error| {
            let text = format!("the answer does not decode: {error}");
            Status::new(Code::Internal, text).into()
        })
    }
}

fn mistaken(kind: &str) -> Status {
    let text = format!("the answer is about another {kind}");
    Status::new(Code::Internal, text)
}

const SERVICE: &str = "/runtime.v1.RuntimeService/";

/// As much as a kubelet takes from a runtime in one message; some 30,000 containers.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A status is read from memory and takes less than a millisecond; one that hangs may hold up the
/// others for a fifth of the time that a list may take.
const STATUS_SHARE: u32 = 5;
