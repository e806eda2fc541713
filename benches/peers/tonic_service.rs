//! The service on tonic, as its generated code would dispatch it, for any way to hold a pod.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};

use bytes::Bytes;
use podsapi_bench::{control, corpus, workload};
use podsapi_proto::v1alpha1::{
    EventType, GetPodRequest, GetPodResponse, ListPodsRequest, ListPodsResponse, WatchPodsEvent,
    WatchPodsRequest,
};
use tokio::net::UnixListener;
use tokio::sync::broadcast;
use tokio_stream::wrappers::{BroadcastStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, http};
use tonic::server::{Grpc, ServerStreamingService, UnaryService};
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

/// How a server holds a pod.
pub(crate) trait Held: Clone + Send + Sync + 'static {
    /// Takes in a pod.
    fn hold(pod: Bytes) -> Result<Self, prost::DecodeError>;

    /// Returns the whole pod.
    fn encode(&self) -> Bytes;

    /// Returns the pod with the fields of [`workload::MASK`] only, if the server can.
    fn select(&self) -> Option<Bytes>;
}

/// Serves until the standard input ends.
pub(crate) fn run<H: Held>() -> Result<(), Box<dyn Error>> {
    let arguments = control::Arguments::read()?;
    let service = PodsService::<H>::new();
    let mut states = Vec::new();
    for pod in corpus::read(&arguments.corpus)? {
        service.put(&pod.uid, pod.pod.clone())?;
        if states.len() < control::CHANGING {
            states.push((pod.uid, [pod.pod, pod.changed]));
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(async { UnixListener::bind(&arguments.socket) })?;
    let serving = tonic::transport::Server::builder()
        .serve_with_incoming(service.clone(), UnixListenerStream::new(listener));
    runtime.spawn(serving);
    control::answer(|number| {
        if let Some((uid, state)) = states.get_mut(number) {
            state.reverse();
            let [pod, _] = state;
            let put = service.put(uid, pod.clone());
            put.expect("what was decoded once can be decoded again");
        }
    })?;
    Ok(())
}

#[derive(Clone, Debug)]
struct PodsService<H> {
    pods: Arc<RwLock<BTreeMap<String, H>>>,
    changes: broadcast::Sender<(EventType, H)>,
}

impl<H: Held> PodsService<H> {
    fn new() -> Self {
        let (changes, _) = broadcast::channel(100);
        Self {
            pods: Arc::default(),
            changes,
        }
    }

    fn put(&self, uid: &str, pod: Bytes) -> Result<(), prost::DecodeError> {
        let pod = H::hold(pod)?;
        let mut pods = self.pods.write().unwrap_or_else(PoisonError::into_inner);
        let kind = match pods.insert(uid.to_owned(), pod.clone()) {
            Some(_) => EventType::Modified,
            None => EventType::Added,
        };
        // Nobody may be watching.
        self.changes.send((kind, pod)).ok();
        Ok(())
    }

    fn get(&self, request: &GetPodRequest) -> Result<GetPodResponse, Status> {
        let pods = self.pods.read().unwrap_or_else(PoisonError::into_inner);
        let pod = pods.get(&request.pod_uid).cloned();
        drop(pods);
        let pod = pod.ok_or_else(|| Status::not_found("no such pod"))?;
        Ok(GetPodResponse { pod: pod.encode() })
    }

    fn list(&self, mask: Option<&str>) -> Result<ListPodsResponse, Status> {
        let pods = self.pods.read().unwrap_or_else(PoisonError::into_inner);
        let pods: Vec<_> = pods.values().cloned().collect();
        let pods = match mask {
            None => Some(pods.iter().map(H::encode).collect()),
            Some(workload::MASK) => pods.iter().map(H::select).collect(),
            Some(_) => None,
        };
        let pods = pods.ok_or_else(|| Status::unimplemented("no such mask"))?;
        Ok(ListPodsResponse { pods })
    }

    fn watch(&self) -> Events {
        let pods = self.pods.read().unwrap_or_else(PoisonError::into_inner);
        let changes = BroadcastStream::new(self.changes.subscribe());
        let first: Vec<_> = pods.values().cloned().collect();
        drop(pods);
        let event = |kind: EventType, pod: &H| WatchPodsEvent {
            r#type: kind.into(),
            pod: pod.encode(),
        };
        let first = tokio_stream::iter(first).map(move |pod| Ok(event(EventType::Added, &pod)));
        let marker = WatchPodsEvent {
            r#type: EventType::InitialSyncComplete.into(),
            pod: Bytes::new(),
        };
        let changes = changes.map(move |change| match change {
            Ok((kind, pod)) => Ok(event(kind, &pod)),
            Err(_) => Err(Status::resource_exhausted("the watch is too slow")),
        });
        Box::pin(first.chain(tokio_stream::once(Ok(marker))).chain(changes))
    }
}

type Events = Pin<Box<dyn Stream<Item = Result<WatchPodsEvent, Status>> + Send>>;

impl<H: Held> Service<http::Request<Body>> for PodsService<H> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Self::Error>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let service = self.clone();
        match request.uri().path() {
            "/v1alpha1.Pods/GetPod" => Box::pin(async move {
                let mut grpc = Grpc::new(ProstCodec::default());
                Ok(grpc.unary(Get(service), request).await)
            }),
            "/v1alpha1.Pods/ListPods" => Box::pin(async move {
                let mut grpc = Grpc::new(ProstCodec::default());
                Ok(grpc.unary(List(service), request).await)
            }),
            "/v1alpha1.Pods/WatchPods" => Box::pin(async move {
                let mut grpc = Grpc::new(ProstCodec::default());
                Ok(grpc.server_streaming(Watch(service), request).await)
            }),
            _ => Box::pin(async { Ok(Status::unimplemented("no such method").into_http()) }),
        }
    }
}

struct Get<H>(PodsService<H>);
struct List<H>(PodsService<H>);
struct Watch<H>(PodsService<H>);

impl<H: Held> UnaryService<GetPodRequest> for Get<H> {
    type Response = GetPodResponse;
    type Future = BoxFuture<Response<GetPodResponse>, Status>;

    fn call(&mut self, request: Request<GetPodRequest>) -> Self::Future {
        let service = self.0.clone();
        Box::pin(async move { service.get(request.get_ref()).map(Response::new) })
    }
}

impl<H: Held> UnaryService<ListPodsRequest> for List<H> {
    type Response = ListPodsResponse;
    type Future = BoxFuture<Response<ListPodsResponse>, Status>;

    fn call(&mut self, request: Request<ListPodsRequest>) -> Self::Future {
        let service = self.0.clone();
        Box::pin(async move {
            let mask = request.metadata().get("x-kubernetes-fieldmask");
            let mask = mask.and_then(|mask| mask.to_str().ok());
            service.list(mask).map(Response::new)
        })
    }
}

impl<H: Held> ServerStreamingService<WatchPodsRequest> for Watch<H> {
    type Response = WatchPodsEvent;
    type ResponseStream = Events;
    type Future = BoxFuture<Response<Events>, Status>;

    fn call(&mut self, _: Request<WatchPodsRequest>) -> Self::Future {
        let events = self.0.watch();
        Box::pin(async move { Ok(Response::new(events)) })
    }
}
