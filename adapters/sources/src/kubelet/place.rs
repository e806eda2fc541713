//! The folder of an upstream's socket, and those of a kubelet around it, watched for changes.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use crate::folders::Folders;

/// Where an upstream's socket is.
///
/// A kubelet has its socket in a folder of its root, and beside that `pods`, with a folder for
/// each pod, and the file of what it granted them. What changes there is a sign that the kubelet
/// took a pod or forgot one, of which its watch may say nothing. Only that something changed
/// counts, so that nothing depends on what is in there.
#[derive(Debug)]
pub(super) struct Place {
    socket: PathBuf,
    folders: Folders,
    /// When it was looked last whether the folders are still those that are watched.
    armed: Option<Instant>,
}

/// Which file is at the socket's path, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity(Option<(u64, u64, i64, i64)>);

impl Place {
    pub(super) fn new(socket: &Path) -> Self {
        Self {
            socket: socket.to_owned(),
            folders: Folders::default(),
            armed: None,
        }
    }

    /// Returns which file is there now.
    pub(super) fn identity(&self) -> Identity {
        let of = |file: Metadata| (file.dev(), file.ino(), file.ctime(), file.ctime_nsec());
        Identity(std::fs::metadata(&self.socket).ok().map(of))
    }

    /// Completes once there is a file other than `seen`.
    pub(super) async fn replaced(&mut self, seen: Identity) {
        loop {
            self.arm();
            let now = self.identity();
            if now.0.is_some() && now != seen {
                return;
            }
            // Where the kernel tells nothing, as through a link to another folder, a look now and
            // then has to do.
            self.folders.event(Instant::now() + LOOK).await;
        }
    }

    /// Completes when something changed, or folders began or ceased to be watched; may be given up
    /// at any time, and costs next to nothing then.
    pub(super) async fn stirred(&mut self) {
        loop {
            let due = self.armed.map(|armed| armed + REARM);
            if due.is_none_or(|due| due <= Instant::now()) && self.arm() {
                return;
            }
            let due = due.unwrap_or_else(|| Instant::now() + REARM);
            if self.folders.event(due).await {
                self.armed = None;
                return;
            }
        }
    }

    /// Watches the folders that are there now; returns whether they are others than before.
    pub(super) fn arm(&mut self) -> bool {
        self.armed = Some(Instant::now());
        let mut changed = false;
        // A folder that is made while others are armed is found by looking again.
        for _ in 0..ATTEMPTS {
            let wanted = self.wanted();
            changed |= self.folders.arm(&wanted);
            if self.wanted() == wanted {
                break;
            }
        }
        changed
    }

    /// Returns the socket's folder, or what of the way to it is there, and a kubelet's.
    fn wanted(&self) -> BTreeSet<PathBuf> {
        let mut above = self.socket.ancestors().skip(1);
        let nearest = above.find(|folder| folder.is_dir());
        let mut wanted: BTreeSet<_> = nearest.map(Path::to_owned).into_iter().collect();
        let root = self.socket.parent().and_then(Path::parent);
        if let Some(root) = root {
            let pods = root.join(PODS);
            if pods.is_dir() {
                wanted.extend([root.to_owned(), pods]);
            }
        }
        wanted
    }
}

/// The folder that a kubelet has for its pods.
const PODS: &str = "pods";

/// How often the socket's place is looked at while there is none: one system call.
const LOOK: Duration = Duration::from_millis(250);

/// How often it is looked whether the folders are still those that are watched.
const REARM: Duration = Duration::from_secs(10);

/// Folders that are made one in the other at the same time are a few.
const ATTEMPTS: usize = 8;

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::time::Duration;

    use super::*;

    /// Long enough for a busy machine.
    const SOON: Duration = Duration::from_secs(60);

    async fn replaced(place: &mut Place, seen: Identity) {
        tokio::time::timeout(SOON, place.replaced(seen))
            .await
            .expect("it is noticed");
    }

    async fn is_quiet(place: &mut Place, seen: Identity) -> bool {
        let waiting = tokio::time::timeout(Duration::from_millis(20), place.replaced(seen));
        waiting.await.is_err()
    }

    #[tokio::test]
    async fn a_new_socket_is_noticed_wherever_its_folder_was_meanwhile() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("root/pods-api");
        let socket = folder.join("s.sock");
        let mut place = Place::new(&socket);
        let mut seen = place.identity();
        assert!(is_quiet(&mut place, seen).await, "there is nothing");
        for round in 0..3 {
            // The folder is missing, or another one under its name.
            let making = {
                let (folder, socket) = (folder.clone(), socket.clone());
                tokio::task::spawn_blocking(move || {
                    std::fs::create_dir_all(folder).unwrap();
                    UnixListener::bind(socket).unwrap()
                })
            };
            replaced(&mut place, seen).await;
            drop(making.await.unwrap());
            seen = place.identity();
            assert!(is_quiet(&mut place, seen).await, "round {round}");
            let aside = directory.path().join(format!("aside{round}"));
            match round {
                0 => std::fs::remove_dir_all(directory.path().join("root")).unwrap(),
                1 => std::fs::rename(&folder, aside).unwrap(),
                _ => std::fs::remove_file(&socket).unwrap(),
            }
            assert!(
                is_quiet(&mut place, seen).await,
                "one that is gone is no new one"
            );
        }
    }

    #[tokio::test]
    async fn what_changes_among_a_kubelets_pods_is_a_sign() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir_all(root.join("pods-api")).unwrap();
        let mut place = Place::new(&root.join("pods-api/s.sock"));
        place.arm();
        std::fs::write(root.join("allocated"), "").unwrap();
        let quiet = tokio::time::timeout(Duration::from_millis(20), place.stirred()).await;
        assert!(quiet.is_err(), "a folder without pods is no kubelet's");
        std::fs::create_dir_all(root.join("pods/uid")).unwrap();
        place.arm();
        for change in 0..3 {
            match change {
                0 => std::fs::rename(root.join("allocated"), root.join("state")).unwrap(),
                1 => std::fs::remove_dir(root.join("pods/uid")).unwrap(),
                _ => std::fs::create_dir(root.join("pods/uid")).unwrap(),
            }
            let stirred = tokio::time::timeout(SOON, place.stirred()).await;
            stirred.expect("it is noticed");
        }
    }
}
