//! The address of a kubelet's list of pods.

use std::fmt;
use std::str::FromStr;

use http::uri::{Scheme, Uri};
use tokio_rustls::rustls::pki_types::ServerName;

/// Where a kubelet lists its pods, as `http://127.0.0.1:10255` or `https://node-a:10250`.
///
/// The path is `/pods`, or what is given in front of it, as for the proxy of an API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    https: bool,
    /// The host as names and addresses are looked up, without the brackets of IPv6.
    host: String,
    port: u16,
    path: String,
}

impl Endpoint {
    /// Returns whether the connection is encrypted.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.https
    }

    pub(super) fn address(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Returns where the same server says whether it is well.
    pub(super) fn health_path(&self) -> String {
        let prefix = self.path.strip_suffix(PODS).unwrap_or(&self.path);
        format!("{prefix}{HEALTH}")
    }

    /// Returns the host and port as a request names them.
    pub(super) fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.https { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let uri: Uri = text.parse().map_err(|_| EndpointError::NotAUrl)?;
        let https = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(_) | None => return Err(EndpointError::Scheme),
        };
        let authority = uri.authority().ok_or(EndpointError::NotAUrl)?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::Password);
        }
        // The library does not contain fragments, and drops them; a query is nothing of a kubelet's.
        if uri.query().is_some() || text.contains('#') {
            return Err(EndpointError::Query);
        }
        let host = authority.host();
        let host = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        if ServerName::try_from(host).is_err() {
            return Err(EndpointError::Host);
        }
        let port = match authority.port() {
            Some(port) => port.as_u16(),
            // Something is there, and is no port.
            None if authority.as_str() != authority.host() => return Err(EndpointError::NotAUrl),
            None if https => HTTPS_PORT,
            None => HTTP_PORT,
        };
        let prefix = uri.path().trim_end_matches('/');
        let prefix = prefix.strip_suffix(PODS).unwrap_or(prefix);
        Ok(Self {
            https,
            host: host.to_owned(),
            port,
            path: format!("{prefix}{PODS}"),
        })
    }
}

/// Why a text is not the address of a kubelet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointError {
    /// The host is neither a name nor an address.
    Host,
    /// It has no form that could be an address.
    NotAUrl,
    /// It holds a user or a password, which kubelets do not know.
    Password,
    /// It has a query or a fragment.
    Query,
    /// It is neither http nor https.
    Scheme,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Host => "the host is neither a name nor an address",
            Self::NotAUrl => "expected a URL such as http://127.0.0.1:10255",
            Self::Password => "expected no user in the URL; a kubelet takes tokens",
            Self::Query => "expected nothing after the path of the URL",
            Self::Scheme => "expected a URL that begins with http:// or https://",
        })
    }
}

impl std::error::Error for EndpointError {}

/// Where a kubelet answers what needs no token, if it is told to.
const HTTP_PORT: u16 = 10_255;

/// Where a kubelet answers those that prove who they are.
const HTTPS_PORT: u16 = 10_250;

const PODS: &str = "/pods";

/// Kubelets serve it on both ports, beside the port that has nothing else.
const HEALTH: &str = "/healthz";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_path_are_a_kubelets_unless_given() {
        for (text, expected) in [
            ("http://127.0.0.1", "http://127.0.0.1:10255/pods"),
            ("https://node-a/", "https://node-a:10250/pods"),
            ("http://127.0.0.1:80/pods", "http://127.0.0.1:80/pods"),
            ("https://[::1]:10250/pods/", "https://[::1]:10250/pods"),
            (
                "https://api/api/v1/nodes/n/proxy",
                "https://api:10250/api/v1/nodes/n/proxy/pods",
            ),
        ] {
            let endpoint: Endpoint = text.parse().unwrap();
            assert_eq!(endpoint.to_string(), expected);
            assert!(expected.ends_with(&endpoint.health_path().replace("healthz", "pods")));
            assert_eq!(expected.parse(), Ok(endpoint));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_its_reason() {
        for (text, expected) in [
            ("", EndpointError::NotAUrl),
            ("127.0.0.1:10255", EndpointError::Scheme),
            ("/pods", EndpointError::Scheme),
            ("ftp://127.0.0.1", EndpointError::Scheme),
            ("http://127.0.0.1:x", EndpointError::NotAUrl),
            ("http://127.0.0.1:99999", EndpointError::NotAUrl),
            ("http://127.0.0.1:", EndpointError::NotAUrl),
            ("https://me:word@127.0.0.1", EndpointError::Password),
            ("http://127.0.0.1/pods?x=1", EndpointError::Query),
            ("http://127.0.0.1/#x", EndpointError::Query),
            ("http://-/", EndpointError::Host),
        ] {
            assert_eq!(text.parse::<Endpoint>(), Err(expected), "{text:?}");
        }
    }
}
