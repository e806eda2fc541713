//! UIDs for captured pods that have none: hashes that mean the same in every release.
//!
//! The hash is the first 16 bytes of SHA-256, as 32 lower-case hexadecimal digits, over a sequence
//! of texts, each written so that no two sequences have the same bytes: `s`, its length in bytes in
//! decimal, `:`, its bytes. The sequence is `podsapi snapshot v1`, `spec.nodeName`,
//! `metadata.namespace`, `metadata.name`. So a pod in a snapshot keeps its UID while its status changes.
//!
//! Pods from manifests have the UIDs that a kubelet gives them (`manifests/uid.rs`).

use sha2::{Digest, Sha256};

/// A hash under construction.
#[derive(Debug)]
pub(crate) struct Identity {
    hasher: Sha256,
}

impl Identity {
    /// Begins the sequence of a pod in a captured list.
    pub(crate) fn of_snapshot(node: &str, namespace: &str, name: &str) -> String {
        let mut identity = Self::begin("podsapi snapshot v1");
        identity.text(node);
        identity.text(namespace);
        identity.text(name);
        identity.finish()
    }

    fn begin(purpose: &str) -> Self {
        let mut identity = Self {
            hasher: Sha256::new(),
        };
        identity.text(purpose);
        identity
    }

    fn text(&mut self, text: &str) {
        self.hasher.update(format!("s{}:", text.len()).as_bytes());
        self.hasher.update(text.as_bytes());
    }

    fn finish(self) -> String {
        let digest = self.hasher.finalize();
        let first = digest.iter().take(16);
        first.map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn the_hash_of_a_pod_in_a_snapshot_is_the_documented_one() {
        // printf 's19:podsapi snapshot v1s6:node-as2:nss1:p' | sha256sum
        let hash = Identity::of_snapshot("node-a", "ns", "p");
        assert_eq!(hash, "db0ddd63d396a8f34e133b2f2fbd3712");
    }
}
