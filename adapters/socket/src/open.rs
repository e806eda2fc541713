//! Giving listeners to a runtime, and why that fails.

use std::error::Error;
use std::fmt;
use std::io;
use std::os::unix::net::UnixListener;

use crate::listener::Listener;
use crate::socket_file::SocketFile;

/// What a server accepts from, in the form of its runtime.
#[derive(Debug)]
pub struct Opened<L> {
    /// The listeners with what to call them.
    pub sockets: Vec<(L, String)>,
    /// The files to remove when the server stops.
    pub files: Vec<SocketFile>,
}

/// Why nothing could be opened.
#[derive(Debug)]
pub enum OpenError {
    /// There was nothing to listen on.
    NoListener,
    /// A listener could not be given to the runtime.
    Socket {
        /// Which one.
        label: String,
        /// What the system said.
        cause: io::Error,
    },
}

/// Gives all `listeners` to a runtime, as `register` does it.
///
/// # Errors
///
/// When there is none, or one of them is refused. The files of all are gone then.
pub fn open<L>(
    listeners: Vec<Listener>,
    register: impl Fn(UnixListener) -> io::Result<L>,
) -> Result<Opened<L>, OpenError> {
    if listeners.is_empty() {
        return Err(OpenError::NoListener);
    }
    let mut opened = Opened {
        sockets: Vec::with_capacity(listeners.len()),
        files: Vec::with_capacity(listeners.len()),
    };
    for listener in listeners {
        let label = listener.label().to_owned();
        let registered = listener.into_parts().and_then(|(socket, file)| {
            opened.files.extend(file);
            register(socket)
        });
        match registered {
            Ok(socket) => opened.sockets.push((socket, label)),
            Err(cause) => return Err(OpenError::Socket { label, cause }),
        }
    }
    Ok(opened)
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoListener => {
                f.write_str("there is no socket to serve; bind one or have one handed over")
            }
            Self::Socket { label, cause } => write!(f, "cannot serve socket `{label}`: {cause}"),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoListener => None,
            Self::Socket { cause, .. } => Some(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::PathBuf;

    use crate::listener::SocketOptions;

    use super::*;

    #[test]
    fn listeners_are_given_to_the_runtime_with_their_names_and_files() {
        let directory = tempfile::tempdir().unwrap();
        let paths = ["a", "b"].map(|name| directory.path().join(name));
        let opened = open(paths.iter().map(bind).collect(), Ok).unwrap();
        let labels: Vec<_> = opened.sockets.iter().map(|(_, label)| label).collect();
        assert_eq!(labels, paths.each_ref().map(|path| path.to_str().unwrap()));
        assert!(paths.iter().all(|path| path.exists()));
        drop(opened.files);
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn without_a_listener_there_is_nothing_to_serve() {
        let error = open(Vec::new(), Ok).unwrap_err();
        let expected = "there is no socket to serve; bind one or have one handed over";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn one_that_is_refused_is_named_and_the_files_of_all_are_gone() {
        let directory = tempfile::tempdir().unwrap();
        let paths = ["a", "b"].map(|name| directory.path().join(name));
        let asked = Cell::new(0);
        let register = |_| {
            asked.set(asked.get() + 1);
            match asked.get() {
                1 => Ok(()),
                _ => Err(io::ErrorKind::OutOfMemory.into()),
            }
        };
        let error = open(paths.iter().map(bind).collect(), register);
        let error = error.unwrap_err().to_string();
        let name = paths[1].to_str().unwrap();
        assert!(error.starts_with(&format!("cannot serve socket `{name}`: ")));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    fn bind(path: &PathBuf) -> Listener {
        Listener::bind(&SocketOptions::new(path)).unwrap()
    }
}
