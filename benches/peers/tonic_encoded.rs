//! A server on tonic that holds pods as they are sent.

mod tonic_service;

use std::error::Error;

use bytes::Bytes;
use tonic_service::Held;

fn main() -> Result<(), Box<dyn Error>> {
    tonic_service::run::<Encoded>()
}

#[derive(Clone, Debug)]
struct Encoded(Bytes);

impl Held for Encoded {
    fn hold(pod: Bytes) -> Result<Self, prost::DecodeError> {
        Ok(Self(pod))
    }

    fn encode(&self) -> Bytes {
        self.0.clone()
    }

    fn select(&self) -> Option<Bytes> {
        None
    }
}
