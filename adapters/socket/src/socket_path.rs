//! The path of a socket as people write it: plain, or as a URI.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Returns the path that a name of a socket means: `/run/pods.sock`, `pods.sock`, or as gRPC and
/// kubelets write it `unix:///run/pods.sock` or `unix:pods.sock`.
///
/// ```
/// use podsapi_socket::socket_path;
///
/// let path = socket_path("unix:///run/podsapi/pods.sock".as_ref())?;
/// assert_eq!(path.to_str(), Some("/run/podsapi/pods.sock"));
/// # Ok::<(), podsapi_socket::SocketPathError>(())
/// ```
///
/// # Errors
///
/// When it is empty, of another scheme, an abstract name, or has a host, a query or a fragment.
pub fn socket_path(name: &OsStr) -> Result<PathBuf, SocketPathError> {
    let bytes = name.as_bytes();
    let refused = |why| {
        Err(SocketPathError {
            found: name.to_owned(),
            why,
        })
    };
    let Some(rest) = after_scheme(bytes, b"unix:") else {
        if bytes.is_empty() {
            return refused("it is empty");
        }
        if after_scheme(bytes, b"unix-abstract:").is_some() {
            return refused("it is an abstract name, which no file stands for");
        }
        return match bytes.windows(3).position(|part| part == b"://") {
            // A folder may have a colon at its end.
            Some(at) if at > 0 && !bytes.iter().take(at).any(|byte| *byte == b'/') => {
                refused("it is a URI of another scheme")
            }
            Some(_) | None => Ok(PathBuf::from(name)),
        };
    };
    let path = match rest.strip_prefix(b"//") {
        Some(b"") => return refused("it names no path"),
        Some(path) if !path.starts_with(b"/") => {
            return refused("what stands between // and / is a host");
        }
        Some(path) => path,
        None => rest,
    };
    if path.is_empty() {
        return refused("it names no path");
    }
    if path.iter().any(|byte| matches!(byte, b'?' | b'#')) {
        return refused("it has a query or a fragment");
    }
    match decoded(path) {
        Some(path) => Ok(PathBuf::from(OsString::from_vec(path))),
        None => refused("a % in a URI stands before two hexadecimal digits, not 00"),
    }
}

/// Schemes are alike in capitals and small letters.
fn after_scheme<'a>(name: &'a [u8], scheme: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = name.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Returns the bytes that a path in a URI stands for.
fn decoded(path: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut decoded = Vec::with_capacity(path.len());
    let mut bytes = path.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'%' {
            decoded.push(*byte);
            continue;
        }
        let value = digit(bytes.next())? * 16 + digit(bytes.next())?;
        decoded.push(u8::try_from(value).ok().filter(|byte| *byte != 0)?);
    }
    Some(decoded)
}

/// Says that a text names no socket with a path, and what does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketPathError {
    found: OsString,
    why: &'static str,
}

impl fmt::Display for SocketPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "expected the path of a UNIX socket (/run/pods.sock or unix:///run/pods.sock), found \
             {:?}: {}",
            self.found, self.why
        )
    }
}

impl Error for SocketPathError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_its_uri_mean_the_same() {
        for (name, path) in [
            ("/run/s", "/run/s"),
            ("s", "s"),
            ("./unix:s", "./unix:s"),
            ("/run/unix://s", "/run/unix://s"),
            ("/run/a%20b", "/run/a%20b"),
            ("a?b#c", "a?b#c"),
            ("unix:///run/s", "/run/s"),
            ("unix:/run/s", "/run/s"),
            ("unix:s", "s"),
            ("unix:./s", "./s"),
            ("UNIX:///run/s", "/run/s"),
            ("unix:///run/a%20b%2f%C3%A9", "/run/a b/é"),
            ("unix:a%25", "a%"),
        ] {
            assert_eq!(
                socket_path(name.as_ref()),
                Ok(PathBuf::from(path)),
                "{name}"
            );
        }
        let odd = OsStr::from_bytes(b"/run/\xff");
        assert_eq!(socket_path(odd), Ok(PathBuf::from(odd)));
    }

    #[test]
    fn other_uris_are_refused_with_the_reason_and_what_is_expected() {
        for (name, why) in [
            ("", "empty"),
            ("unix:", "names no path"),
            ("unix://", "names no path"),
            ("unix://run/s", "host"),
            ("unix://localhost/run/s", "host"),
            ("unix-abstract:s", "abstract"),
            ("http://127.0.0.1:10255", "another scheme"),
            ("file:///run/s", "another scheme"),
            ("tcp://1.2.3.4:5", "another scheme"),
            ("unix:///run/s?x=1", "query"),
            ("unix:///run/s#x", "fragment"),
            ("unix:///run/%zz", "%"),
            ("unix:///run/%0", "%"),
            ("unix:///run/%00", "%"),
        ] {
            let error = socket_path(name.as_ref()).unwrap_err().to_string();
            assert!(
                error.contains(why) && error.contains("unix:///run"),
                "{error}"
            );
            assert!(error.contains(&format!("{name:?}")), "{error}");
        }
    }
}
