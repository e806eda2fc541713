//! Which ways are gone and which are not, what is made on them, and who can hold them up.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Stdio;
use std::sync::Barrier;
use std::thread;

use nix::unistd::{Uid, chown, geteuid, setuid};
use podsapi_test_process as child_process;
use tempfile::TempDir;

use super::*;
use crate::trust::Writer;

/// Nobody in particular.
const OTHER: u32 = 54_321;

fn room() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    folder
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Prints why a test that needs another user is left out.
fn is_root() -> bool {
    let root = geteuid().is_root();
    assert!(root || std::env::var_os("CI").is_none_or(|ci| ci != "true"));
    if !root {
        println!("SKIPPED: only root can act as another user");
    }
    root
}

#[test]
fn a_folder_that_others_may_write_is_told_wherever_it_is_on_the_way() {
    let room = room();
    let open = room.path().join("open");
    let inner = open.join("inner");
    fs::create_dir_all(&inner).unwrap();
    assert_eq!(Folder::open(&inner).unwrap().shared(), None);
    set_mode(&open, 0o777);
    let told = Folder::open(&inner).unwrap();
    let expected = Shared {
        folder: open.clone(),
        writer: Writer::Everybody,
    };
    assert_eq!(told.shared(), Some(&expected));
    assert!(expected.to_string().contains("has no sticky bit"));
    set_mode(&open, 0o1777);
    assert_eq!(Folder::open(&inner).unwrap().shared(), None);
}

#[test]
fn the_folder_of_another_user_is_shared() {
    if !is_root() {
        return;
    }
    let room = room();
    let folder = room.path().join("theirs");
    fs::create_dir(&folder).unwrap();
    chown(&folder, Some(Uid::from_raw(OTHER)), None).unwrap();
    let shared = Folder::open(&folder).unwrap();
    let writer = shared.shared().unwrap().writer;
    assert_eq!(writer, Writer::Owner(OTHER));
}

#[test]
fn a_link_is_followed_only_where_nobody_else_can_have_put_it() {
    let room = room();
    let real = room.path().join("real");
    fs::create_dir(&real).unwrap();
    let open = room.path().join("open");
    fs::create_dir(&open).unwrap();
    for (link, target) in [
        ("absolute", real.as_path()),
        ("open/back", Path::new("../real")),
    ] {
        symlink(target, room.path().join(link)).unwrap();
    }
    let same = |link: &str| {
        let folder = Folder::open(&room.path().join(link))?;
        let found = fstat(&folder).unwrap();
        assert_eq!(found.st_ino, fs::metadata(&real).unwrap().ino());
        Ok::<_, FolderError>(())
    };
    same("absolute").unwrap();
    same("open/back").unwrap();
    same("absolute/../open/../real/.").unwrap();
    set_mode(&open, 0o777);
    let refused = same("open/back").unwrap_err();
    assert!(
        matches!(refused, FolderError::ForeignLink { .. }),
        "{refused}"
    );
    assert!(refused.to_string().contains("open/back"), "{refused}");
    // With the sticky bit nobody can replace ours, but others can have some of their own.
    set_mode(&open, 0o1777);
    same("open/back").unwrap();
    if is_root() {
        let (link, other) = (open.join("back"), Some(Uid::from_raw(OTHER)));
        std::os::unix::fs::lchown(&link, other.map(Uid::as_raw), None).unwrap();
        let refused = same("open/back").unwrap_err().to_string();
        assert!(refused.contains(&format!("user {OTHER}")), "{refused}");
    }
}

#[test]
fn as_many_links_are_followed_as_linux_follows_and_no_more() {
    let room = room();
    fs::create_dir(room.path().join("0")).unwrap();
    for link in 1..=LINK_LIMIT + 1 {
        let target = (link - 1).to_string();
        symlink(target, room.path().join(link.to_string())).unwrap();
    }
    let open = |links: u32| Folder::open(&room.path().join(links.to_string()));
    assert!(open(1).is_ok() && open(LINK_LIMIT).is_ok());
    let Err(FolderError::System { cause, .. }) = open(LINK_LIMIT + 1) else {
        panic!("one more is followed");
    };
    assert_eq!(cause.raw_os_error(), Some(Errno::ELOOP as i32));
}

#[test]
fn a_ring_of_links_ends() {
    let room = room();
    symlink("b", room.path().join("a")).unwrap();
    symlink("a", room.path().join("b")).unwrap();
    let error = Folder::open(&room.path().join("a")).unwrap_err();
    let FolderError::System { cause, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(cause.raw_os_error(), Some(Errno::ELOOP as i32));
}

#[test]
fn nothing_is_made_in_a_folder_that_others_may_write_and_what_is_there_stays() {
    let room = room();
    let open = room.path().join("open");
    let inner = open.join("inner");
    fs::create_dir_all(&inner).unwrap();
    for path in [&open, &inner] {
        set_mode(path, 0o777);
    }
    let missing = inner.join("new");
    let error = Folder::open_or_make(&missing, None).unwrap_err();
    assert!(
        matches!(error, FolderError::MissingInShared { .. }),
        "{error}"
    );
    let text = error.to_string();
    for part in [&missing, &open] {
        assert!(text.contains(part.to_str().unwrap()), "{text}");
    }
    assert_eq!(entries(&inner), [""; 0]);
    let group = is_root().then(|| Gid::from_raw(OTHER));
    let before = fs::metadata(&inner).unwrap();
    Folder::open_or_make(&inner, group).unwrap();
    let after = fs::metadata(&inner).unwrap();
    assert_eq!((after.mode(), after.gid()), (before.mode(), before.gid()));
}

#[test]
fn a_private_folder_is_private_whatever_the_umask_and_goes_at_the_end() {
    let name = "folder::tests::a_private_folder_is_private_whatever_the_umask_and_goes_at_the_end";
    if !child_process::is_child() {
        for umask in ["000", "077", "777"] {
            let umask = format!("umask {umask}");
            child_process::run(name, &umask, Stdio::null(), &[]);
        }
        return;
    }
    let room = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o700))
        .tempdir()
        .unwrap();
    set_mode(room.path(), 0o700);
    let path = room.path().to_owned();
    if geteuid().is_root() {
        // Root may do what the mode forbids.
        chown(&path, Some(Uid::from_raw(OTHER)), None).unwrap();
        setuid(Uid::from_raw(OTHER)).unwrap();
    }
    let folder = Folder::open(&path).unwrap();
    let private = folder.private().unwrap();
    let stat = fstat(&private).unwrap();
    assert_eq!(stat.st_mode & 0o777, 0o700);
    assert_eq!(entries(&path), [private.name()]);
    let second = folder.private().unwrap();
    assert_ne!(private.name(), second.name());
    drop((private, second));
    let made = Folder::open_or_make(&path.join("a/b"), None).unwrap();
    assert_eq!(fstat(&made).unwrap().st_mode & 0o777, 0o750);
    assert!(folder.lock().is_some());
    assert_eq!(entries(&path), ["a"]);
    fs::remove_dir_all(path.join("a")).unwrap();
}

#[test]
fn of_those_who_lock_at_once_one_after_the_other_is_alone() {
    let room = room();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let folder = Folder::open(room.path()).unwrap();
                start.wait();
                for _ in 0..50 {
                    let _lock = folder.lock().unwrap();
                    // Fails when somebody else is here.
                    fs::create_dir(room.path().join("alone")).unwrap();
                    fs::remove_dir(room.path().join("alone")).unwrap();
                }
            });
        }
    });
    assert_eq!(entries(room.path()), [""; 0]);
}

#[test]
fn a_user_who_may_open_the_folder_cannot_hold_the_lock() {
    let name = "folder::tests::a_user_who_may_open_the_folder_cannot_hold_the_lock";
    if let Some(folder) = std::env::var_os("FOLDER") {
        setuid(Uid::from_raw(OTHER)).unwrap();
        let folder = PathBuf::from(folder);
        let whole = fs::File::open(&folder).unwrap();
        whole.try_lock().unwrap();
        let error = fs::File::open(folder.join(".podsapi-0.lock")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        println!("holds");
        // Until the other side is done.
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    if !is_root() {
        return;
    }
    let room = room();
    let folder = Folder::open(room.path()).unwrap();
    let lock = folder.lock().unwrap();
    let variables = [("FOLDER", room.path().to_str().unwrap())];
    let mut child = child_process::start(name, "", Stdio::piped(), &variables);
    let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("holds") {
        line.clear();
        let read = std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        assert!(read > 0, "the other user failed");
    }
    drop(lock);
    // While the other user holds a lock on the folder itself.
    assert!(folder.lock().is_some());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn something_else_in_the_place_of_the_lock_delays_nobody() {
    let room = room();
    let folder = Folder::open(room.path()).unwrap();
    let name = room.path().join(format!(".podsapi-{}.lock", geteuid()));
    let victim = room.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    set_mode(&victim, 0o640);
    symlink("victim", &name).unwrap();
    assert!(folder.lock().is_none());
    fs::remove_file(&name).unwrap();
    fs::write(&name, "").unwrap();
    set_mode(&name, 0o666);
    assert!(folder.lock().is_none());
    fs::remove_file(&name).unwrap();
    nix::unistd::mkfifo(&name, Mode::S_IRWXU).unwrap();
    assert!(folder.lock().is_none());
    assert_eq!(mode(&victim), 0o640);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}
