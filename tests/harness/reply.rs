//! What a server sent on one stream.

use podsapi_core::Status;

use crate::frames::MESSAGE_PREFIX_BYTES;

/// A list of header fields in the order of the wire.
pub type Fields = Vec<(String, Vec<u8>)>;

/// One stream as the client saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The first header block.
    pub headers: Option<Fields>,
    /// The second one.
    pub trailers: Option<Fields>,
    /// The payloads of all DATA frames.
    pub data: Vec<u8>,
    /// How many DATA frames came.
    pub data_frames: usize,
    /// Whether the server has ended the stream.
    pub ended: bool,
    /// The code of a `RST_STREAM`.
    pub reset: Option<u32>,
}

impl Reply {
    /// Returns whether nothing more can come.
    pub const fn is_over(&self) -> bool {
        self.ended || self.reset.is_some()
    }

    /// Returns the first value of a header or trailer, as text with odd bytes replaced.
    pub fn field(&self, name: &str) -> Option<String> {
        let blocks = [&self.headers, &self.trailers];
        let mut fields = blocks.into_iter().flatten().flatten();
        let (_, value) = fields.find(|(found, _)| found == name)?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    /// Returns the HTTP status; empty when there is none.
    pub fn http_status(&self) -> String {
        self.field(":status").unwrap_or_default()
    }

    /// Returns the gRPC status; empty when there is none.
    pub fn grpc_status(&self) -> String {
        self.field("grpc-status").unwrap_or_default()
    }

    /// Returns the message of the status, as encoded on the wire.
    pub fn grpc_message(&self) -> String {
        self.field("grpc-message").unwrap_or_default()
    }

    /// Returns the status as a client understands it: decoded, with its details.
    pub fn status(&self) -> Status {
        let blocks = [&self.headers, &self.trailers];
        let fields = blocks.into_iter().flatten().flatten();
        podsapi_grpc::trailers::decode(
            fields.map(|(name, value)| (name.as_bytes(), value.as_slice())),
        )
    }

    /// Returns whether everything came in one header block.
    pub const fn is_trailers_only(&self) -> bool {
        self.ended && self.headers.is_some() && self.trailers.is_none() && self.data.is_empty()
    }

    /// Returns the whole messages, without their prefixes.
    ///
    /// # Panics
    ///
    /// When one is marked as compressed.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        let mut rest = self.data.as_slice();
        while let Some([flag, length @ ..]) = rest.first_chunk::<MESSAGE_PREFIX_BYTES>() {
            assert_eq!(*flag, 0, "compressed message");
            let length = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX);
            let Some(message) = rest.get(MESSAGE_PREFIX_BYTES..MESSAGE_PREFIX_BYTES + length)
            else {
                break;
            };
            messages.push(message.to_vec());
            rest = rest
                .get(MESSAGE_PREFIX_BYTES + length..)
                .unwrap_or_default();
        }
        messages
    }
}
