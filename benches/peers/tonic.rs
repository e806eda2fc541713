//! A server on tonic that holds decoded pods, and encodes them for each answer.

mod tonic_service;

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use podsapi_bench::workload;
use podsapi_proto::core_v1::Pod;
use prost::Message;
use tonic_service::Held;

fn main() -> Result<(), Box<dyn Error>> {
    tonic_service::run::<Decoded>()
}

#[derive(Clone, Debug)]
struct Decoded(Arc<Pod>);

impl Held for Decoded {
    fn hold(pod: Bytes) -> Result<Self, prost::DecodeError> {
        Pod::decode(pod).map(|pod| Self(Arc::new(pod)))
    }

    fn encode(&self) -> Bytes {
        self.0.encode_to_vec().into()
    }

    fn select(&self) -> Option<Bytes> {
        Some(workload::select(&self.0).encode_to_vec().into())
    }
}
