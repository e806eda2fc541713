//! The envelope that Kubernetes puts around encoded objects: four bytes, then a `runtime.Unknown`.

use super::fields::{self, Fields, Value};

/// What an envelope begins with.
pub(super) const MAGIC: &[u8; 4] = b"k8s\0";

/// An object in its envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Envelope<'a> {
    /// What the object is: `Pod`, `Status`, ...; empty where nobody says so.
    pub(super) kind: String,
    /// The encoded object.
    pub(super) object: &'a [u8],
    /// Whether all of it could be read.
    pub(super) whole: bool,
}

impl<'a> Envelope<'a> {
    /// Opens an envelope that may be cut; `None` when it is none.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let unknown = bytes.strip_prefix(MAGIC)?;
        let mut envelope = Self::default();
        let mut fields = Fields::of(unknown);
        for field in fields.by_ref() {
            match (field.number, field.value) {
                (number::TYPE_META, Value::Bytes(meta)) => envelope.kind = kind(meta),
                (number::RAW, Value::Bytes(raw)) => envelope.object = raw,
                (number::CONTENT_ENCODING, Value::Bytes([_, ..])) => return None,
                (_, Value::Bytes(_) | Value::Fixed | Value::Varint(_)) => {}
            }
        }
        envelope.whole = !fields.is_broken();
        Some(envelope)
    }
}

/// Returns the kind in a `runtime.TypeMeta`.
pub(super) fn kind(meta: &[u8]) -> String {
    fields::text(meta, number::KIND)
}

/// The numbers of the fields of `runtime.Unknown` and `runtime.TypeMeta`.
pub(super) mod number {
    pub(in super::super) const TYPE_META: u32 = 1;
    pub(in super::super) const RAW: u32 = 2;
    pub(in super::super) const CONTENT_ENCODING: u32 = 3;
    pub(super) const KIND: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_opened_as_far_as_it_goes() {
        let sent = b"k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x03abc\x1a\x00";
        let envelope = Envelope::open(sent).unwrap();
        assert_eq!(
            (envelope.kind.as_str(), envelope.object),
            ("Pod", &b"abc"[..])
        );
        assert!(envelope.whole);
        let cut = Envelope::open(&sent[..sent.len() - 3]).unwrap();
        assert_eq!((cut.kind.as_str(), cut.object), ("Pod", &b"ab"[..]));
        assert!(!cut.whole);
    }

    #[test]
    fn what_is_no_envelope_or_is_compressed_is_not_opened() {
        for sent in [&b""[..], b"k8s", b"{}", b"k8s\0\x12\x01a\x1a\x04gzip"] {
            assert_eq!(Envelope::open(sent), None, "{sent:?}");
        }
    }
}
