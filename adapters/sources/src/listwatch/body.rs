//! The body of an answer, by what its head says that it is.

use super::events::Stream;
use super::page::Page;

/// A body as far as it has come.
#[derive(Debug)]
pub(super) enum Body {
    /// There is no head yet.
    None,
    /// A page of a list.
    Page(Page),
    /// Why there is nothing else.
    Refusal {
        code: u16,
        retry_after: Option<u64>,
        kept: Vec<u8>,
    },
    /// The events of a watch.
    Watch(Stream),
}

impl Body {
    /// Returns the body that follows a head.
    ///
    /// # Errors
    ///
    /// Nobody can read such a body.
    pub(super) fn begin(
        status: u16,
        content_type: Option<&str>,
        retry_after: Option<&str>,
        is_watch: bool,
        pod_bytes: usize,
    ) -> Result<Self, String> {
        if status != 200 {
            return Ok(Self::Refusal {
                code: status,
                // A date says nothing to those who have no clock.
                retry_after: retry_after.and_then(|seconds| seconds.trim().parse().ok()),
                kept: Vec::new(),
            });
        }
        let content_type = content_type.unwrap_or_default();
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let json = media_type.eq_ignore_ascii_case("application/json");
        if !json && !media_type.eq_ignore_ascii_case("application/vnd.kubernetes.protobuf") {
            return Err(format!(
                "expected Kubernetes protobuf or JSON, found content type {media_type:?}: check \
                 that the URL is that of a Kubernetes API server"
            ));
        }
        Ok(match (is_watch, json) {
            (false, false) => Self::Page(Page::in_protobuf(pod_bytes)),
            (false, true) => Self::Page(Page::in_json()),
            (true, false) => Self::Watch(Stream::in_protobuf()),
            (true, true) => Self::Watch(Stream::in_json()),
        })
    }

    /// The bytes that are held.
    pub(super) fn held(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Page(page) => page.held(),
            Self::Refusal { kept, .. } => kept.len(),
            Self::Watch(stream) => stream.held(),
        }
    }
}
