//! The race with another user who may write the folder, and puts links where our files were.
//!
//! The other user is a process of its own that is told of each new name by inotify, takes what has
//! the name away, and leaves something else. What it may never reach is a file and a folder of
//! root.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, ErrorKind};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use inotify::{Inotify, WatchMask};
use nix::unistd::{Gid, Uid, chown, geteuid, setgid, setuid};
use podsapi_test_process as child_process;
use tempfile::TempDir;

use super::*;

/// Nobody in particular.
const OTHER: u32 = 54_321;

/// How often a server starts in one folder; more by the environment.
const TRIES: u32 = 200;

/// What the other user leaves in the place of what it took away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trap {
    /// A link to the file.
    LinkToFile,
    /// A link to the folder.
    LinkToFolder,
    /// A folder of its own, with a link to the file under the name that a socket has in there.
    Folder,
}

/// The names that it is after begin so: what servers make for a while, and the socket.
const TARGETS: [&[u8]; 2] = [b".podsapi-", b"pods.sock"];

const TRAPS: [Trap; 3] = [Trap::LinkToFile, Trap::LinkToFolder, Trap::Folder];

#[test]
fn a_folder_of_everybody_is_no_way_to_files_of_root() {
    race(
        "a_folder_of_everybody_is_no_way_to_files_of_root",
        |folder| {
            fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
        },
    );
}

#[test]
fn a_folder_of_another_user_is_no_way_to_files_of_root() {
    race(
        "a_folder_of_another_user_is_no_way_to_files_of_root",
        |folder| {
            chown(folder, Some(Uid::from_raw(OTHER)), None).unwrap();
        },
    );
}

fn race(name: &str, open_to_others: impl Fn(&Path)) {
    if let Some(folder) = std::env::var_os("FOLDER") {
        let trap = std::env::var("TRAP").unwrap();
        let trap = TRAPS.into_iter().find(|known| format!("{known:?}") == trap);
        return attack(Path::new(&folder), trap.unwrap());
    }
    if !geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"));
        return println!("SKIPPED: only root can be raced by another user");
    }
    let tries = std::env::var("PODSAPI_RACES").map_or(TRIES, |tries| tries.parse().unwrap());
    for trap in TRAPS {
        let scene = Scene::new();
        open_to_others(&scene.folder);
        let attacker = Attacker::start(name, &scene.folder, trap);
        let (mut won, mut bound, mut met) = (0, 0, 0);
        for _ in 0..tries {
            let options = SocketOptions {
                mode: Some(0o666),
                group: Some(OTHER.to_string()),
                allow_shared_folder: true,
                ..SocketOptions::new(scene.folder.join("pods.sock"))
            };
            let listener = Listener::bind(&options);
            bound += u32::from(listener.is_ok());
            drop(listener);
            won += u32::from(!scene.is_untouched());
            scene.restore();
            met += attacker.caught();
        }
        println!(
            "{trap:?}: {tries} starts, of which {bound} made their socket; {met} names were met by \
             the other user, who won {won} times"
        );
        assert_eq!(won, 0);
        assert!(met > 0, "the other user never came in time");
    }
}

/// A folder to serve in, and what must stay as it is.
struct Scene {
    _room: TempDir,
    folder: PathBuf,
    file: PathBuf,
    secrets: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let room = tempfile::tempdir().unwrap();
        fs::set_permissions(room.path(), Permissions::from_mode(0o755)).unwrap();
        let [folder, secrets] = ["folder", "secrets"].map(|name| room.path().join(name));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&secrets).unwrap();
        let file = room.path().join("shadow");
        fs::write(&file, "precious").unwrap();
        let scene = Self {
            _room: room,
            folder,
            file,
            secrets,
        };
        scene.restore();
        scene
    }

    fn is_untouched(&self) -> bool {
        let rights = |path: &Path| {
            let found = fs::symlink_metadata(path).unwrap();
            (found.mode() & 0o7777, found.uid(), found.gid())
        };
        rights(&self.file) == (0o640, 0, 0)
            && rights(&self.secrets) == (0o700, 0, 0)
            && fs::read_dir(&self.secrets).unwrap().count() == 0
            && fs::read_to_string(&self.file).unwrap() == "precious"
    }

    /// Puts everything back, and empties the folder.
    fn restore(&self) {
        for (path, mode) in [(&self.file, 0o640), (&self.secrets, 0o700)] {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
            chown(path, Some(Uid::from_raw(0)), Some(Gid::from_raw(0))).unwrap();
        }
        for folder in [&self.folder, &self.secrets] {
            for entry in fs::read_dir(folder).unwrap() {
                remove(&entry.unwrap().path());
            }
        }
    }
}

/// Removes what may be taken away by somebody else meanwhile.
fn remove(path: &Path) {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    if let Err(error) = removed {
        let is_gone = matches!(
            error.kind(),
            ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty
        );
        assert!(is_gone, "{}: {error}", path.display());
    }
}

/// The other user's process; ends when this is dropped.
struct Attacker {
    child: Child,
    said: std::sync::mpsc::Receiver<()>,
}

impl Attacker {
    fn start(name: &str, folder: &Path, trap: Trap) -> Self {
        let name = format!("listener::hostile::{name}");
        let trap = format!("{trap:?}");
        let variables = [("FOLDER", folder.to_str().unwrap()), ("TRAP", &trap)];
        // It gets its turns also on a machine that has much else to do.
        let urgent = "renice -n -10 $$ >/dev/null 2>&1 || true";
        let mut child = child_process::start(&name, urgent, Stdio::null(), &variables);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let begins = |line: io::Result<String>| line.unwrap().contains("lies in wait");
        assert!(lines.by_ref().any(begins), "the other user failed");
        let (met, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let caught = |line: &io::Result<String>| line.as_ref().is_ok_and(|line| line == "met");
            while lines
                .next()
                .is_some_and(|line| !caught(&line) || met.send(()).is_ok())
            {}
        });
        Self { child, said }
    }

    /// Returns how many names it met since it was asked.
    fn caught(&self) -> u32 {
        u32::try_from(self.said.try_iter().count()).unwrap()
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        // It never ends by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn attack(folder: &Path, trap: Trap) {
    setgid(Gid::from_raw(OTHER)).unwrap();
    setuid(Uid::from_raw(OTHER)).unwrap();
    let room = folder.parent().unwrap();
    let [file, secrets] = ["shadow", "secrets"].map(|name| room.join(name));
    assert!(fs::read(&file).is_err(), "it has its rights already");
    let mut inotify = Inotify::init().unwrap();
    let watches = inotify.watches();
    let news = WatchMask::CREATE | WatchMask::MOVED_TO;
    { watches }.add(folder, news).unwrap();
    println!("lies in wait");
    let mut buffer = [0; 4096];
    // Its own are told, too.
    let mut own: Vec<OsString> = Vec::new();
    for number in 0_u64.. {
        // It asks without a pause: to be woken would take longer than what it waits for.
        let events = match inotify.read_events(&mut buffer) {
            Ok(events) => events,
            Err(error) if error.kind() == ErrorKind::WouldBlock => continue,
            Err(error) => panic!("{error}"),
        };
        for name in events.filter_map(|event| event.name.map(OsStr::to_owned)) {
            if let Some(at) = own.iter().position(|own| *own == name) {
                own.swap_remove(at);
                continue;
            }
            if !TARGETS
                .iter()
                .any(|target| name.as_bytes().starts_with(target))
            {
                continue;
            }
            let path = folder.join(&name);
            // Moved out of the way; another name than what is looked for.
            if fs::rename(&path, folder.join(format!("taken-{number}"))).is_err() {
                continue;
            }
            let laid = match trap {
                Trap::LinkToFile => symlink(&file, &path),
                Trap::LinkToFolder => symlink(&secrets, &path),
                Trap::Folder => fs::create_dir(&path).and_then(|()| symlink(&file, path.join("s"))),
            };
            if laid.is_ok() {
                own.push(name);
                println!("met");
            }
        }
    }
}
