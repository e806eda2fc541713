//! What a caller is told of the mask that it sent.

use alloc::string::ToString as _;
use alloc::sync::Arc;

use crate::project::Projection;

use super::FieldMask;

/// The most bytes of a canonical mask that is sent back: clients bound the headers they take, often
/// to 8 KiB together, and a mask may be that long alone.
const MAX_APPLIED_BYTES: usize = 2_048;

/// What stands for a canonical mask that is not sent back.
const APPLIED: &str = "applied";

impl FieldMask {
    /// Returns what says that this mask was applied, if it names anything: what it was compiled to
    /// in its canonical spelling, or a word where that does not fit into a header.
    ///
    /// The canonical spelling of a mask that selects nothing is empty, which would read as the
    /// header of no mask; the word stands for it too.
    pub(crate) fn applied(&self, compiled: &Projection) -> Option<Arc<str>> {
        if self.is_empty() {
            return None;
        }
        let text = compiled.to_string();
        let fits = text.is_ascii() && (1..=MAX_APPLIED_BYTES).contains(&text.len());
        Some(if fits { text.into() } else { APPLIED.into() })
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;

    use podsapi_proto::schema::Message;

    use super::*;

    fn applied(mask: &str) -> Option<String> {
        let mask = FieldMask::parse(mask).unwrap();
        let compiled = mask.compile(Message::POD).unwrap();
        mask.applied(&compiled).map(|text| text.as_ref().into())
    }

    #[test]
    fn the_canonical_mask_is_told() {
        let told = applied("status.pod_ips , status.phase,status.phase");
        assert_eq!(told.as_deref(), Some("status.phase,status.podIPs"));
        assert_eq!(applied("*").as_deref(), Some("*"));
        assert_eq!(applied("spec,*").as_deref(), Some("*"));
    }

    #[test]
    fn a_mask_that_names_nothing_is_not_told() {
        for mask in ["", " ", ",", " , ,"] {
            assert_eq!(applied(mask), None, "{mask:?}");
        }
    }

    #[test]
    fn a_mask_that_selects_nothing_is_told_by_a_word() {
        assert_eq!(applied("apiVersion").as_deref(), Some("applied"));
        let told = applied("kind,metadata.name");
        assert_eq!(told.as_deref(), Some("metadata.name"));
    }

    #[test]
    fn a_long_mask_and_one_beyond_ascii_are_told_by_a_word() {
        let of_length = |length: usize| {
            let path = |key: usize| format!("metadata.labels.{}", "k".repeat(key));
            // Keys of different lengths, since equal ones would be one path.
            let four = [400, 401, 402, 403].map(path).join(",");
            let rest = length - four.len() - ",metadata.labels.".len();
            format!("{four},metadata.labels.{}", "k".repeat(rest))
        };
        let longest = of_length(2_048);
        assert_eq!(longest.len(), 2_048);
        assert_eq!(applied(&longest).map(|told| told.len()), Some(2_048));
        assert_eq!(applied(&of_length(2_049)).as_deref(), Some("applied"));

        let mut mask = FieldMask::default();
        mask.add_encoded("\x0a\x14metadata.labels.`ü`".as_bytes());
        let compiled = mask.compile(Message::POD).unwrap();
        assert_eq!(mask.applied(&compiled).as_deref(), Some("applied"));
    }
}
