//! Where the HTTP endpoint listens, as an operator writes it.

use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use podsapi_socket::socket_path;

/// An address of the HTTP endpoint: `127.0.0.1:9090`, `[::1]:0`, `/run/podsapi/metrics.sock` or `unix:metrics.sock`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetricsAddress {
    /// A TCP address with a port; port 0 takes a free one.
    Tcp(SocketAddr),
    /// The path of a UNIX socket, made like the server's own with mode 0600.
    Unix(PathBuf),
}

/// Says that a text is no address, and what one looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsAddressError {
    found: String,
}

impl FromStr for MetricsAddress {
    type Err = MetricsAddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_uri = text
            .get(..5)
            .is_some_and(|start| start.eq_ignore_ascii_case("unix:"));
        // Anything with a slash is a path, as for the server's own socket.
        let address = match is_uri || text.contains('/') {
            true => socket_path(text.as_ref()).ok().map(Self::Unix),
            false => text.parse().ok().map(Self::Tcp),
        };
        address.ok_or_else(|| MetricsAddressError {
            found: text.to_owned(),
        })
    }
}

impl fmt::Display for MetricsAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => {
                f.write_str("unix:")?;
                // What means something else in a URI.
                path.to_string_lossy()
                    .chars()
                    .try_for_each(|letter| match letter {
                        '%' | '?' | '#' => write!(f, "%{:02X}", u32::from(letter)),
                        plain => write!(f, "{plain}"),
                    })
            }
        }
    }
}

impl fmt::Display for MetricsAddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected an IP address with a port (127.0.0.1:9090, [::1]:9090) or a path (/run/podsapi/metrics.sock, \
             unix:///run/podsapi/metrics.sock, unix:metrics.sock), found `{}`",
            self.found.escape_debug()
        )
    }
}

impl Error for MetricsAddressError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_an_operator_writes_them() {
        let tcp = |text: &str| MetricsAddress::Tcp(text.parse().unwrap());
        let unix = |text: &str| MetricsAddress::Unix(PathBuf::from(text));
        for (text, expected) in [
            ("127.0.0.1:9090", tcp("127.0.0.1:9090")),
            ("[::1]:0", tcp("[::1]:0")),
            ("/run/metrics.sock", unix("/run/metrics.sock")),
            ("unix:/run/metrics.sock", unix("/run/metrics.sock")),
            ("unix:///run/metrics.sock", unix("/run/metrics.sock")),
            ("unix:metrics.sock", unix("metrics.sock")),
            ("./metrics.sock", unix("./metrics.sock")),
            ("run/metrics.sock", unix("run/metrics.sock")),
            ("unix:./metrics.sock", unix("./metrics.sock")),
            ("UNIX:///run/a%20b%25", unix("/run/a b%")),
            ("/run/a%3f#", unix("/run/a%3f#")),
        ] {
            let found: MetricsAddress = text.parse().unwrap();
            assert_eq!(found, expected, "{text}");
            assert_eq!(found.to_string().parse(), Ok(found), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_examples() {
        for text in [
            "",
            "9090",
            ":9090",
            "localhost:9090",
            "unix:",
            "127.0.0.1",
            "::1",
            "127.0.0.1:65536",
            "http://127.0.0.1:9090/metrics",
            "unix://run/metrics.sock",
            "unix:///run/metrics.sock?x",
        ] {
            let error = text.parse::<MetricsAddress>().unwrap_err().to_string();
            assert!(
                error.contains("127.0.0.1:9090") && error.contains(&format!("`{text}`")),
                "{error}"
            );
        }
    }
}
