//! The generic client of tonic on the usual target of a UNIX socket, and messages of both dialects.

use http::uri::PathAndQuery;
use podsapi_core::SourceKind;
use podsapi_proto::core_v1::Pod;
use podsapi_tests::{
    live::{Feed, Live, Socket, config, soon},
    pods::SamplePod,
};
use prost::Message;
use tonic::{
    Request, Response, Status, Streaming,
    client::Grpc,
    transport::{Channel, Endpoint},
};
use tonic_prost::ProstCodec;

/// One channel; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Tonic {
    channel: Channel,
}

impl Tonic {
    /// Dials the server's socket.
    pub(crate) async fn dial(live: &Live) -> Self {
        let target = format!("unix://{}", live.path().display());
        let endpoint = Endpoint::from_shared(target).unwrap();
        let channel = soon(endpoint.connect()).await.unwrap();
        Self { channel }
    }

    /// Makes a call with one answer.
    pub(crate) async fn unary<Q, A>(&self, path: &'static str, request: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let answer = self.ask(path, Request::new(request)).await?;
        Ok(answer.into_inner())
    }

    /// Makes a call with one answer, which comes with its metadata.
    pub(crate) async fn ask<Q, A>(
        &self,
        path: &'static str,
        request: Request<Q>,
    ) -> Result<Response<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let codec = ProstCodec::<Q, A>::default();
        let path = PathAndQuery::from_static(path);
        let mut grpc = self.ready().await;
        soon(grpc.unary(request, path, codec)).await
    }

    /// Makes a call with a stream of answers.
    pub(crate) async fn stream<Q, A>(
        &self,
        path: &'static str,
        request: Request<Q>,
    ) -> Result<Streaming<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let answer = self.open(path, request).await?;
        Ok(answer.into_inner())
    }

    /// Makes a call with a stream of answers, which comes with its metadata.
    pub(crate) async fn open<Q, A>(
        &self,
        path: &'static str,
        request: Request<Q>,
    ) -> Result<Response<Streaming<A>>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let codec = ProstCodec::<Q, A>::default();
        let path = PathAndQuery::from_static(path);
        let mut grpc = self.ready().await;
        soon(grpc.server_streaming(request, path, codec)).await
    }

    async fn ready(&self) -> Grpc<Channel> {
        let mut grpc = Grpc::new(self.channel.clone());
        soon(grpc.ready()).await.unwrap();
        grpc
    }
}

/// The answers of the documented dialect with the type that its definition gives their pods; the
/// server's own types keep them encoded.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DocumentedList {
    #[prost(message, repeated, tag = "1")]
    pub(crate) pods: Vec<Pod>,
}

/// One pod of the documented dialect: the answer to a get, and an event of a watch.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct DocumentedPod {
    #[prost(message, optional, tag = "1")]
    pub(crate) pod: Option<Pod>,
}

/// Returns a pod in a version.
pub(crate) fn pod(uid: &str, version: u32) -> SamplePod {
    SamplePod::new("default", &format!("name-of-{uid}"), uid).version(version)
}

/// Reads a pod of the tests.
pub(crate) fn decoded(pod: &SamplePod) -> Pod {
    Pod::decode(pod.encode()).unwrap()
}

/// Starts a ready server whose one source has these pods.
pub(crate) fn serving(socket: &Socket, pods: &[SamplePod]) -> (Live, Feed) {
    let live = socket.start(config([("node", SourceKind::Snapshot)]));
    let feed = live.feed("node");
    feed.list(pods.iter().map(SamplePod::parse));
    (live, feed)
}
