//! Masks that were compiled, for the next one who sends the same.

use alloc::sync::Arc;

use crate::call::MaskRequest;
use crate::hash::{Map, Seed};
use crate::project::Projection;

/// What masks select, by how they were spelled; those that are wrong are not kept.
#[derive(Debug)]
pub(crate) struct Compiled {
    known: Map<MaskRequest, (Projection, Option<Arc<str>>)>,
}

/// Spellings that are kept; one more, and all are forgotten.
///
/// 64: as many as there are masks whose projections are kept by default. A mask has at most 8 KiB
/// of text and compiles to a few times of that, so that all of them have a bound of some MiB.
const MAX_KNOWN: usize = 64;

impl Compiled {
    pub(crate) fn new(seed: Seed) -> Self {
        Self { known: seed.map() }
    }

    /// Returns the selection that was asked for, and what the caller is told of it, if it is known.
    pub(crate) fn find(&self, request: &MaskRequest) -> Option<(Projection, Option<Arc<str>>)> {
        if request.is_none() {
            return Some((Projection::all(), None));
        }
        self.known.get(request).cloned()
    }

    /// Keeps what was compiled.
    pub(crate) fn keep(
        &mut self,
        request: &MaskRequest,
        compiled: &(Projection, Option<Arc<str>>),
    ) {
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(request.clone(), compiled.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::{FieldMask, MaskError};

    impl Compiled {
        /// Returns what is known, or compiles it and keeps it.
        fn compile(
            &mut self,
            request: &MaskRequest,
        ) -> Result<(Projection, Option<Arc<str>>), MaskError> {
            if let Some(known) = self.find(request) {
                return Ok(known);
            }
            let compiled = request.compile()?;
            self.keep(request, &compiled);
            Ok(compiled)
        }
    }

    fn request(text: &str) -> MaskRequest {
        MaskRequest::new(FieldMask::parse(text).unwrap())
    }

    #[test]
    fn what_is_kept_is_what_compiling_gives() {
        let mut compiled = Compiled::new(Seed::default());
        for text in [
            "status.phase",
            "metadata",
            "*",
            ",",
            "status.pod_ips",
            "metadata",
        ] {
            let request = request(text);
            for _ in 0..2 {
                assert_eq!(compiled.compile(&request), request.compile(), "{text}");
            }
        }
        let none = MaskRequest::none();
        assert_eq!(compiled.compile(&none), none.compile());
    }

    #[test]
    fn a_wrong_mask_is_wrong_each_time_and_not_kept() {
        let mut compiled = Compiled::new(Seed::default());
        for _ in 0..2 {
            assert!(compiled.compile(&request("status.nope")).is_err());
        }
        assert!(compiled.known.is_empty());
    }

    #[test]
    fn the_number_of_kept_masks_is_bounded() {
        let mut compiled = Compiled::new(Seed::default());
        for number in 0..1_000 {
            let request = request(&alloc::format!("metadata.labels.k{number}"));
            compiled.compile(&request).unwrap();
            assert!(compiled.known.len() <= MAX_KNOWN);
            assert!(compiled.known.contains_key(&request));
        }
    }
}
