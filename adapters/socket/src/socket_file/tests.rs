//! What becomes of a socket's file that somebody removes, replaces or moves.

use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use podsapi_test_process as child_process;
use tempfile::TempDir;

use super::*;
use crate::listener::{Listener, SocketOptions};

/// A server's socket with its file, as it is while it is served.
struct Served {
    listener: UnixListener,
    file: SocketFile,
    path: PathBuf,
}

impl Served {
    fn at(path: PathBuf) -> Self {
        let options = SocketOptions {
            mode: Some(0o640),
            ..SocketOptions::new(&path)
        };
        let (listener, file) = Listener::bind(&options).unwrap().into_parts().unwrap();
        Self {
            listener,
            file: file.unwrap(),
            path,
        }
    }

    /// Looks once, and returns whether the listener is a new one.
    fn keep(&mut self) -> bool {
        self.file.keep();
        let successor = self.file.successor();
        match successor.poll(&Context::from_waker(Waker::noop())) {
            Poll::Ready(listener) => {
                self.listener = listener;
                true
            }
            Poll::Pending => false,
        }
    }

    fn inode(&self) -> u64 {
        fs::symlink_metadata(&self.path).unwrap().ino()
    }

    fn assert_answers(&self) {
        let mut client = UnixStream::connect(&self.path).unwrap();
        self.listener.set_nonblocking(false).unwrap();
        drop(self.listener.accept().unwrap());
        assert_eq!(client.read(&mut [0]).unwrap(), 0);
        assert_eq!(fs::metadata(&self.path).unwrap().mode() & 0o7777, 0o640);
    }
}

fn room() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_file_that_is_in_its_place_stays() {
    let room = room();
    let mut served = Served::at(room.path().join("s"));
    let inode = served.inode();
    assert!(!served.keep());
    assert_eq!(served.inode(), inode);
    served.assert_answers();
}

#[test]
fn a_file_that_is_removed_is_made_anew_and_removed_at_the_end() {
    let _calm = child_process::none_starts();
    let room = room();
    let mut served = Served::at(room.path().join("s"));
    for _ in 0..2 {
        fs::remove_file(&served.path).unwrap();
        assert!(served.keep());
        served.assert_answers();
        assert!(!served.keep());
    }
    let path = served.path.clone();
    drop(served.file);
    assert!(!path.exists());
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_is_removed_moved_or_replaced_gets_the_file_again() {
    let _calm = child_process::none_starts();
    let room = room();
    let [folder, moved] = ["folder", "moved"].map(|name| room.path().join(name));
    let mut served = Served::at(folder.join("s"));

    fs::remove_dir_all(&folder).unwrap();
    assert!(served.keep());
    served.assert_answers();
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o7777, 0o750);

    fs::rename(&folder, &moved).unwrap();
    assert!(served.keep());
    served.assert_answers();
    assert!(!moved.join("s").exists(), "the former file is left behind");

    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o711)).unwrap();
    assert!(served.keep());
    served.assert_answers();
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o7777, 0o711);
}

#[test]
fn the_place_of_another_server_that_answers_is_left_to_it_until_it_ends() {
    let _calm = child_process::none_starts();
    let room = room();
    let mut served = Served::at(room.path().join("s"));
    fs::remove_file(&served.path).unwrap();
    let other = Served::at(served.path.clone());
    let inode = other.inode();
    for _ in 0..3 {
        assert!(!served.keep());
    }
    assert_eq!(other.inode(), inode);

    // It crashes: its file stays, and nobody answers.
    let Served { listener, file, .. } = other;
    drop(listener);
    assert!(served.keep(), "the next look takes the place");
    served.assert_answers();
    // What it removes late is no file of its own any more.
    drop(file);
    served.assert_answers();

    fs::remove_file(&served.path).unwrap();
    let other = Served::at(served.path.clone());
    assert!(!served.keep());
    drop(other);
    assert!(served.keep(), "a place that is free is taken at once");
}

#[test]
fn what_else_is_put_in_its_place_is_left_alone_and_not_followed() {
    let _calm = child_process::none_starts();
    let room = room();
    let mut served = Served::at(room.path().join("s"));
    let victim = room.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::remove_file(&served.path).unwrap();
    symlink(&victim, &served.path).unwrap();
    assert!(!served.keep());
    assert_eq!(fs::read_link(&served.path).unwrap(), victim);
    fs::remove_file(&served.path).unwrap();
    assert!(served.keep());

    fs::remove_file(&served.path).unwrap();
    fs::write(&served.path, "precious").unwrap();
    assert!(!served.keep());
    drop(served.file);
    for path in [&served.path, &victim] {
        assert_eq!(fs::read_to_string(path).unwrap(), "precious");
    }
}

#[test]
fn a_file_is_not_made_anew_where_others_may_write_by_now() {
    let _calm = child_process::none_starts();
    let room = room();
    let folder = room.path().join("folder");
    let mut served = Served::at(folder.join("s"));
    fs::remove_file(&served.path).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    assert!(!served.keep());
    assert!(!served.path.exists());
    fs::set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
    assert!(served.keep());
    served.assert_answers();
}

/// Counts what the log is told.
#[derive(Clone, Default)]
struct Told(Arc<AtomicUsize>);

impl tracing::Subscriber for Told {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn the_log_hears_of_each_reason_once_and_of_the_end_of_the_trouble() {
    let room = room();
    let mut served = Served::at(room.path().join("s"));
    let told = Told::default();
    let count = Arc::clone(&told.0);
    let error = |doing| BindError::System {
        path: "s".into(),
        doing,
        cause: Errno::EIO.into(),
    };
    tracing::subscriber::with_default(told, || {
        let counted = |file: &mut SocketFile, doing| {
            file.tell(&error(doing));
            count.load(Ordering::Relaxed)
        };
        let reasons = ["listen", "listen", "bind", "bind", "listen"];
        let counts = reasons.map(|doing| counted(&mut served.file, doing));
        assert_eq!(counts, [1, 1, 2, 2, 3]);
        assert!(!served.keep() && !served.keep());
        assert_eq!(count.load(Ordering::Relaxed), 4, "in its place again");
        assert_eq!(counted(&mut served.file, "listen"), 5);
    });
}
