//! The server's answer to the question how it is.

use std::collections::BTreeMap;

use bytes::Bytes;
use podsapi_core::{Code, Pods, SourceId, Status};
use podsapi_grpc::diagnostics::{self, SourceNotes, Surroundings};
use podsapi_proto::diagnostics::{GetStatusRequest, GetStatusResponse};
use prost::Message;

use crate::{
    exchange::Decision,
    runtime::Runtime,
    server::{Server, Shared},
};

/// What was noted about the sources.
pub(crate) type Notes = BTreeMap<SourceId, SourceNotes>;

impl<R: Runtime> Server<R> {
    /// Returns what `podsapi.v1.Diagnostics/GetStatus` answers now.
    pub fn diagnostics(&self) -> GetStatusResponse {
        self.shared().diagnostics()
    }
}

impl<R: Runtime> Shared<R> {
    /// Answers a call of `GetStatus`, which is neither gated nor rate limited.
    pub(crate) fn diagnose(&self, message: &Bytes) -> Decision {
        if let Err(error) = GetStatusRequest::decode(message.as_ref()) {
            let text = format!("the request cannot be decoded: {error}");
            return Decision::Refuse(Status::new(Code::Internal, text));
        }
        Decision::message(self.diagnostics().encode_to_vec().into())
    }

    fn diagnostics(&self) -> GetStatusResponse {
        let now = self.runtime.now();
        let surroundings = Surroundings {
            connections: self.connections.taken() as u64,
            started: self.started,
            node_name: self.node_name.clone(),
        };
        self.with_notes(|pods, notes| {
            diagnostics::status(pods, &surroundings, |name| find(pods, notes, name), now)
        })
    }
}

/// Returns what was noted about the source of this name.
fn find<'a>(pods: &Pods, notes: &'a Notes, name: &str) -> Option<&'a SourceNotes> {
    notes.get(&pods.source(name)?)
}
