//! Giving listeners to a runtime, and why that fails.

use std::error::Error;
use std::fmt;
use std::io;
use std::os::unix::net::UnixListener;
use std::sync::Arc;

use crate::file_watch::FileWatch;
use crate::listener::Listener;
use crate::socket_file::SocketFile;
use crate::successor::Successor;

/// What a server accepts from, in the form of its runtime.
#[derive(Debug)]
pub struct Opened<L> {
    /// The sockets.
    pub sockets: Vec<OpenedSocket<L>>,
    /// What looks after their files meanwhile, and removes them when it is dropped.
    pub files: FileWatch,
}

/// A listener in the form of a runtime.
#[derive(Debug)]
pub struct OpenedSocket<L> {
    /// What to accept from.
    pub listener: L,
    /// What to call it.
    pub label: String,
    /// Where the listener comes from that replaces it.
    pub successor: Arc<Successor>,
}

/// Why nothing could be opened.
#[derive(Debug)]
pub enum OpenError {
    /// There was nothing to listen on.
    NoListener,
    /// There is no thread to look after the files of sockets.
    NoThread {
        /// What the system said.
        cause: io::Error,
    },
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
/// When there is none, or one of them is refused, or there are no more threads. The files of all
/// are gone then.
pub fn open<L>(
    listeners: Vec<Listener>,
    register: impl Fn(UnixListener) -> io::Result<L>,
) -> Result<Opened<L>, OpenError> {
    if listeners.is_empty() {
        return Err(OpenError::NoListener);
    }
    let mut files = Vec::with_capacity(listeners.len());
    let sockets = listeners
        .into_iter()
        .map(|listener| give(listener, &register, &mut files))
        .collect::<Result<_, _>>()?;
    let files = watch(files)?;
    Ok(Opened { sockets, files })
}

/// Gives one listener to a runtime, with what looks after its file alone.
///
/// # Errors
///
/// As [`open`].
pub fn open_one<L>(
    listener: Listener,
    register: impl Fn(UnixListener) -> io::Result<L>,
) -> Result<(OpenedSocket<L>, FileWatch), OpenError> {
    let mut files = Vec::new();
    let socket = give(listener, &register, &mut files)?;
    Ok((socket, watch(files)?))
}

fn give<L>(
    listener: Listener,
    register: &impl Fn(UnixListener) -> io::Result<L>,
    files: &mut Vec<SocketFile>,
) -> Result<OpenedSocket<L>, OpenError> {
    let label = listener.label().to_owned();
    let mut successor = Arc::default();
    let registered = listener.into_parts().and_then(|(socket, file)| {
        if let Some(file) = file {
            successor = file.successor();
            files.push(file);
        }
        register(socket)
    });
    match registered {
        Ok(listener) => Ok(OpenedSocket {
            listener,
            label,
            successor,
        }),
        Err(cause) => Err(OpenError::Socket { label, cause }),
    }
}

fn watch(files: Vec<SocketFile>) -> Result<FileWatch, OpenError> {
    FileWatch::start(files).map_err(|cause| OpenError::NoThread { cause })
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoListener => {
                f.write_str("there is no socket to serve; bind one or have one handed over")
            }
            Self::NoThread { cause } => {
                write!(f, "no thread to look after the files of sockets: {cause}")
            }
            Self::Socket { label, cause } => write!(f, "cannot serve socket `{label}`: {cause}"),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NoListener => None,
            Self::NoThread { cause } | Self::Socket { cause, .. } => Some(cause),
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
        let labels: Vec<_> = opened
            .sockets
            .iter()
            .map(|socket| socket.label.as_str())
            .collect();
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

    #[test]
    fn what_the_system_said_is_the_source() {
        let cause = || io::Error::from(io::ErrorKind::OutOfMemory);
        let source = |error: OpenError| error.source().map(ToString::to_string);
        let label = "s".to_owned();
        assert_eq!(source(OpenError::NoListener), None);
        let said = Some(cause().to_string());
        assert_eq!(source(OpenError::NoThread { cause: cause() }), said);
        let cause = cause();
        assert_eq!(source(OpenError::Socket { label, cause }), said);
    }

    fn bind(path: &PathBuf) -> Listener {
        Listener::bind(&SocketOptions::new(path)).unwrap()
    }
}
