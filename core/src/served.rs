//! A pod as it is served, and what is left of it when it is gone.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use bytes::Bytes;

use crate::pod::{EncodedPod, Uid, field};
use crate::wire::{put_bytes, put_head, put_varint};

/// A pod as it is served; watches and replies hold it by reference.
#[derive(Debug)]
pub(crate) struct Served {
    identity: Arc<Identity>,
    /// Which of all pods that were ever served it is; what is selected of it keeps the number.
    revision: u64,
    bytes: Bytes,
    /// Tag and length of the bytes as field 1 of a message, then as field 2.
    heads: Bytes,
}

/// The names of a pod.
#[derive(Debug)]
struct Identity {
    uid: Uid,
    namespace: Box<str>,
    name: Box<str>,
    /// Name, namespace and UID as they are in the pod, where not all its strings are UTF-8.
    raw: Option<[Box<[u8]>; 3]>,
}

/// Which fields a tombstone has beside the identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tombstone {
    /// None.
    Identity,
    /// A deletion timestamp and a grace period of zero seconds.
    Timestamped,
}

impl Served {
    pub(crate) fn new(pod: &EncodedPod, revision: u64, bytes: Bytes) -> Self {
        let identity = Identity {
            uid: pod.uid().clone(),
            namespace: pod.namespace().into(),
            name: pod.name().into(),
            raw: pod.raw_names().map(|names| names.map(Box::from)),
        };
        Self::with(Arc::new(identity), revision, bytes)
    }

    fn with(identity: Arc<Identity>, revision: u64, bytes: Bytes) -> Self {
        let mut heads = Vec::with_capacity(12);
        put_head(1, bytes.len(), &mut heads);
        put_head(2, bytes.len(), &mut heads);
        Self {
            identity,
            revision,
            bytes,
            heads: heads.into(),
        }
    }

    /// Tells whether a pod has the same names.
    pub(crate) fn is_named_as(&self, pod: &EncodedPod) -> bool {
        let identity = &*self.identity;
        let names = (&*identity.namespace, &*identity.name, &identity.uid);
        let plain = identity.raw.is_none() && pod.raw_names().is_none();
        plain && names == (pod.namespace(), pod.name(), pod.uid())
    }

    /// Returns the same pod with other bytes.
    pub(crate) fn next(&self, revision: u64, bytes: Bytes) -> Self {
        Self::with(self.identity.clone(), revision, bytes)
    }

    /// Returns the same pod with a selection of its bytes.
    pub(crate) fn with_bytes(&self, bytes: Bytes) -> Self {
        Self::with(self.identity.clone(), self.revision, bytes)
    }

    /// Returns what is left of the pod once it is deleted: exactly name, namespace and UID, and
    /// the time of the deletion where the dialect has no other way to tell it.
    pub(crate) fn tombstone(&self, kind: Tombstone, at: i64) -> Self {
        let mut metadata = Vec::new();
        let identity = &*self.identity;
        let names = match &identity.raw {
            Some(raw) => raw.each_ref().map(|name| &**name),
            None => {
                let names = [&*identity.name, &*identity.namespace, self.uid().as_str()];
                names.map(str::as_bytes)
            }
        };
        for (number, name) in [field::NAME, field::NAMESPACE, field::UID]
            .into_iter()
            .zip(names)
        {
            if !name.is_empty() {
                put_bytes(number, name, &mut metadata);
            }
        }
        match kind {
            Tombstone::Identity => {}
            Tombstone::Timestamped => {
                let mut time = vec![TIME_SECONDS_TAG];
                put_varint(at.cast_unsigned(), &mut time);
                put_bytes(field::DELETION_TIMESTAMP, &time, &mut metadata);
                let grace_tag = field::DELETION_GRACE_PERIOD_SECONDS << 3;
                put_varint(u64::from(grace_tag), &mut metadata);
                put_varint(0, &mut metadata);
            }
        }
        let mut pod = Vec::new();
        put_bytes(field::METADATA, &metadata, &mut pod);
        self.with_bytes(pod.into())
    }

    pub(crate) fn uid(&self) -> &Uid {
        &self.identity.uid
    }

    pub(crate) fn namespace(&self) -> &str {
        &self.identity.namespace
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns tag and length of the bytes as field 1.
    pub(crate) fn head_as_first_field(&self) -> Bytes {
        self.heads.slice(..self.heads.len() / 2)
    }

    /// Returns tag and length of the bytes as field 2.
    pub(crate) fn head_as_second_field(&self) -> Bytes {
        self.heads.slice(self.heads.len() / 2..)
    }
}

/// The tag of `seconds`, field 1 of `Time`, a varint.
const TIME_SECONDS_TAG: u8 = 1 << 3;
