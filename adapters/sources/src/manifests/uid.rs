//! The UID that a kubelet gives a static pod whose manifest names none, computed as it does.
//!
//! A kubelet hashes the pod as it is in its memory: decoded, with its defaults, in the internal types
//! of its release, before anything of the node is set on it. The hash is over
//!
//! 1. the pod printed in one line, each field in the order of the Go struct as `Name:(type)value`;
//! 2. `host:` and the node's name, `file:` and the path of the file.
//!
//! It is FNV-1a of 128 bits since Kubernetes 1.35 and MD5 before, in lower-case hexadecimal digits. The
//! types come from a table (`uid/types.txt`, written by `adapters/sources/facts/generate`), so a pod
//! has another UID in a kubelet of another minor release.
//!
//! A time in a manifest (`creationTimestamp`, but for the usual `null`) is hashed with the time zone of
//! the kubelet's machine, which is taken for UTC; `managedFields` in JSON as they are spelled, which
//! is taken for the shortest way.

use std::fmt;
use std::str::FromStr;

use podsapi_proto::json::Map;

mod hash;
mod natural;
mod older;
mod print;
mod quantity;
mod types;

/// A minor release of the kubelet, of those whose UIDs can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KubeletRelease(u8);

impl KubeletRelease {
    /// All releases that are known, the oldest first.
    pub const ALL: [Self; 5] = [Self(33), Self(34), Self(35), Self(36), Self(37)];

    /// The newest release, that of the schema.
    pub const NEWEST: Self = Self(37);

    /// The number behind the `1.`.
    pub fn minor(self) -> u8 {
        self.0
    }

    /// Whether an image volume gets a pull policy in it: the feature `ImageVolume` is on.
    pub(super) fn has_image_volumes(self) -> bool {
        self.0 >= 35
    }

    /// Whether a volume can have its content from what is under this key in it.
    pub(super) fn has_volume_source(self, key: &str) -> bool {
        types::TYPES.knows("core.VolumeSource", key, self)
    }
}

impl fmt::Display for KubeletRelease {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "1.{}", self.0)
    }
}

impl FromStr for KubeletRelease {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // As a kubelet says it, too: a patch changes no UID.
        let mut parts = text.strip_prefix('v').unwrap_or(text).splitn(3, '.');
        let (major, minor) = (parts.next(), parts.next());
        let minor = minor.filter(|_| major == Some("1"));
        let mut known = Self::ALL.into_iter();
        let named = known.find(|release| minor == Some(&*release.0.to_string()));
        named.ok_or_else(|| {
            let [first, .., last] = Self::ALL;
            format!("expected a release of the kubelet from {first} to {last}, found {text:?}")
        })
    }
}

/// Returns the UID that a kubelet of `release` gives the pod of the file at `path` on a node.
///
/// The pod has its defaults of this release, and nothing else that was not in the file.
pub(super) fn of(pod: Map, release: KubeletRelease, node_name: &str, path: &[u8]) -> String {
    let printed = printed(pod, release);
    let parts: [&[u8]; 5] = [
        printed.as_bytes(),
        b"host:",
        node_name.as_bytes(),
        b"file:",
        path,
    ];
    let hash = match release.minor() {
        35.. => hash::fnv1a(&parts),
        _ => hash::md5(&parts),
    };
    format!("{hash:032x}")
}

/// Returns what is hashed of a pod.
pub(super) fn printed(mut pod: Map, release: KubeletRelease) -> String {
    older::adjust(&mut pod, release);
    print::print(&pod, release)
}

#[cfg(test)]
mod tests;
