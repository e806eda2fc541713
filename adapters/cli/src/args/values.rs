//! Flag values with a form of their own.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{OsStringValueParser, TypedValueParser};
use podsapi_core::DEFAULT_MAX_PODS_PER_SOURCE;
use podsapi_tokio::socket_path;

/// Returns what reads the name of a socket, a path or a URI.
pub(crate) fn socket() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| socket_path(&name))
}

/// Returns what reads a path as a kubelet has it: one from its own working directory, or from the
/// folder of its configuration file, cannot be known here.
pub(crate) fn kubelet_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|path| {
        let path = PathBuf::from(path);
        match path.is_absolute() {
            true => Ok(path),
            false => Err(format!(
                "expected an absolute path, found {path:?}: a kubelet counts a relative staticPodPath \
                 from the folder of its configuration file, so give that folder and the rest"
            )),
        }
    })
}

/// How many pods to invent, how often they change, and from what seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Simulation {
    pub(crate) pods: u32,
    pub(crate) changes_per_second: f64,
    pub(crate) seed: u64,
}

impl FromStr for Simulation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let pods = parts.next().unwrap_or_default();
        let pods = pods
            .parse()
            .ok()
            .filter(|count| *count <= DEFAULT_MAX_PODS_PER_SOURCE.get())
            .ok_or_else(|| {
                let limit = DEFAULT_MAX_PODS_PER_SOURCE;
                format!("expected a number of pods from 0 to {limit}, found {pods:?}")
            })?;
        let changes_per_second = match parts.next() {
            None => 0.0,
            Some(rate) => rate
                .parse()
                .ok()
                .filter(|rate: &f64| (0.0..=MAX_CHANGES_PER_SECOND).contains(rate))
                .ok_or_else(|| {
                    let limit = MAX_CHANGES_PER_SECOND;
                    format!("expected changes a second from 0 to {limit}, found {rate:?}")
                })?,
        };
        let seed = match parts.next() {
            None => 0,
            Some(seed) => seed
                .parse()
                .map_err(|_| format!("expected a seed, found {seed:?}"))?,
        };
        match parts.next() {
            None => Ok(Self {
                pods,
                changes_per_second,
                seed,
            }),
            Some(more) => Err(format!("expected nothing after the seed, found {more:?}")),
        }
    }
}

/// More than this keeps a processor busy with inventing pods only.
const MAX_CHANGES_PER_SECOND: f64 = 100_000.0;

/// The name of a node, as a kubelet makes it of what it is given: trimmed and in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodeName(pub(crate) String);

impl FromStr for NodeName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.trim().to_lowercase();
        let is_label = |label: &str| {
            let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            let ends = [label.bytes().next(), label.bytes().next_back()];
            label.bytes().all(|byte| byte == b'-' || letters(byte))
                && ends.iter().all(|end| end.is_some_and(letters))
        };
        if name.is_empty() {
            return Err("expected a name, found none".to_owned());
        }
        if name.len() > MAX_NODE_NAME_BYTES {
            return Err(format!(
                "expected at most {MAX_NODE_NAME_BYTES} characters, found {}",
                name.len()
            ));
        }
        if !name.split('.').all(is_label) {
            return Err(format!(
                "no node can have this name: expected letters, digits and - between them, in parts \
                 separated by dots (node-1.example.org), found {name:?}"
            ));
        }
        Ok(Self(name))
    }
}

/// The longest name of an API object that is a DNS subdomain (RFC 1123).
const MAX_NODE_NAME_BYTES: usize = 253;

/// The path of a container runtime's socket, or its URI, as kubelets write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuntimeSocket(pub(crate) PathBuf);

impl FromStr for RuntimeSocket {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let path = socket_path(text.as_ref()).map_err(|error| error.to_string())?;
        if !path.is_absolute() {
            return Err(format!("expected an absolute path, found {text:?}"));
        }
        Ok(Self(path))
    }
}

/// Permission bits of the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SocketMode(pub(crate) u32);

impl FromStr for SocketMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix("0o").unwrap_or(text);
        let mode = u32::from_str_radix(digits, 8)
            .ok()
            .filter(|mode| *mode <= 0o777);
        mode.map(Self)
            .ok_or_else(|| "expected an octal mode from 0000 to 0777".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulation_takes_one_to_three_numbers() {
        let simulation = |pods, changes_per_second, seed| {
            Ok(Simulation {
                pods,
                changes_per_second,
                seed,
            })
        };
        assert_eq!("5".parse(), simulation(5, 0.0, 0));
        assert_eq!("65536".parse(), simulation(65_536, 0.0, 0));
        assert_eq!("5:0.5".parse(), simulation(5, 0.5, 0));
        assert_eq!("5:2:9".parse(), simulation(5, 2.0, 9));
        for broken in [
            "", "x", "-1", "65537", "5:", "5:x", "5:-1", "5:nan", "5:1:", "5:1:2:3",
        ] {
            assert!(broken.parse::<Simulation>().is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_node_name_is_what_a_kubelet_would_make_of_it() {
        let name = |text: &str| text.parse::<NodeName>().map(|name| name.0);
        for (given, expected) in [
            ("node-1", "node-1"),
            (" Node-1.Example.ORG\n", "node-1.example.org"),
            ("7", "7"),
        ] {
            assert_eq!(name(given).as_deref(), Ok(expected));
        }
        let long = "a".repeat(254);
        for broken in [
            "", " \t", "a_b", "-a", "a-", "a..b", ".", "a.", "é", "a b", "a/b", &long,
        ] {
            assert!(name(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_mode_is_octal() {
        assert_eq!("0660".parse(), Ok(SocketMode(0o660)));
        assert_eq!("0o600".parse(), Ok(SocketMode(0o600)));
        for broken in ["", "8", "1777", "rw"] {
            assert!(broken.parse::<SocketMode>().is_err(), "{broken:?}");
        }
    }
}
