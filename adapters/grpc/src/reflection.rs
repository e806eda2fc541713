//! The answers of gRPC's reflection service: what is served, and its definitions.

use alloc::{collections::BTreeSet, format, string::ToString, vec::Vec};

use bytes::Bytes;
use podsapi_core::{Code, Status};
use podsapi_proto::reflection::{
    ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse,
    ServerReflectionRequest, ServerReflectionResponse, ServiceResponse,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};
use podsapi_proto::text::decode;
use prost::Message;

use crate::{dialect::SERVICES, text::escape};
use definitions::{Definition, Kind};

mod definitions;

/// One stream of questions, which remembers what it was sent.
#[derive(Debug, Default)]
pub struct Conversation {
    /// Names of the files that were sent.
    sent: BTreeSet<&'static str>,
}

impl Conversation {
    /// Returns the encoded answer to one encoded request.
    ///
    /// What is not there is told within the answer, and the stream goes on. A file comes with all
    /// that it imports, but for imports that this stream was sent before.
    ///
    /// # Errors
    ///
    /// INTERNAL for a message that is no request, `INVALID_ARGUMENT` for one that asks nothing;
    /// the stream ends.
    pub fn answer(&mut self, message: &[u8]) -> Result<Bytes, Status> {
        let request: ServerReflectionRequest = decode(message).map_err(|error| {
            let text = format!("the request cannot be decoded: {error}");
            Status::new(Code::Internal, text)
        })?;
        let Some(question) = &request.message_request else {
            let text = "the request asks nothing that this server knows";
            return Err(Status::new(Code::InvalidArgument, text));
        };
        let answer = match question {
            MessageRequest::FileByFilename(name) => match Definition::named(name) {
                Some(file) => self.files(file),
                None => not_found("file", name),
            },
            MessageRequest::FileContainingSymbol(symbol) => match Definition::defining(symbol) {
                Some((file, _)) => self.files(file),
                None => not_found("symbol", symbol),
            },
            MessageRequest::FileContainingExtension(extension) => {
                not_found("extension of", &extension.containing_type)
            }
            MessageRequest::AllExtensionNumbersOfType(name) => match Definition::defining(name) {
                Some((_, Kind::Message)) => {
                    MessageResponse::AllExtensionNumbersResponse(ExtensionNumberResponse {
                        base_type_name: name.clone(),
                        extension_number: Vec::new(),
                    })
                }
                Some((_, Kind::Enum | Kind::Leaf | Kind::Service)) | None => {
                    not_found("message", name)
                }
            },
            MessageRequest::ListServices(_) => {
                let service = SERVICES.map(|name| ServiceResponse {
                    name: name.to_string(),
                });
                let service = service.to_vec();
                MessageResponse::ListServicesResponse(ListServiceResponse { service })
            }
        };
        let response = ServerReflectionResponse {
            valid_host: request.host.clone(),
            original_request: Some(request),
            message_response: Some(answer),
        };
        Ok(response.encode_to_vec().into())
    }

    fn files(&mut self, asked: Definition) -> MessageResponse {
        let mut files = asked.with_imports();
        files.retain(|file| self.sent.insert(file.name()) || file.name() == asked.name());
        let bytes = files.into_iter().map(|file| Bytes::from_static(file.bytes));
        MessageResponse::FileDescriptorResponse(FileDescriptorResponse {
            file_descriptor_proto: bytes.collect(),
        })
    }
}

fn not_found(what: &str, name: &str) -> MessageResponse {
    MessageResponse::ErrorResponse(ErrorResponse {
        error_code: Code::NotFound.as_u8().into(),
        error_message: format!("no {what} \"{}\" here", escape(name.as_bytes())),
    })
}

#[cfg(test)]
mod tests;
