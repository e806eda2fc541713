//! The thread that looks after the files of a server's sockets.

use std::io;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::socket_file::SocketFile;

/// How often it looks: a file that is lost is there again within a second.
///
/// It is one system call for each socket. A watch by the kernel would have to follow each folder on
/// the way, too, for one that is renamed takes the file along.
const PERIOD: Duration = Duration::from_millis(500);

/// Sees to it that the files of sockets are in their places; dropping it removes them, and waits
/// until that is done.
///
/// A file that is gone, or whose folder is, is made anew as it was the first time. Where another
/// server answers by now, the place is that server's.
#[derive(Debug, Default)]
pub struct FileWatch {
    /// Dropped to tell that it is over.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl FileWatch {
    /// Begins to look after `files`.
    pub(crate) fn start(mut files: Vec<SocketFile>) -> io::Result<Self> {
        if files.is_empty() {
            return Ok(Self::default());
        }
        let (stop, stopped) = channel::<()>();
        let look = move || {
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(PERIOD) {
                files.iter_mut().for_each(SocketFile::keep);
            }
            drop(files);
        };
        let thread = thread::Builder::new()
            .name("podsapi-files".to_owned())
            .spawn(look)?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("removing the socket files failed");
        }
    }
}
