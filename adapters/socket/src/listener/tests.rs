//! What a socket is after it was made, and what stays as it was.

use std::fs;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::process::Stdio;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::errno::Errno;
use nix::sys::socket::{self, Backlog, UnixAddr};
use podsapi_test_process as child_process;
use tempfile::TempDir;

use super::*;

#[test]
fn a_socket_in_a_missing_directory_is_made_private_whatever_the_umask() {
    if !child_process::is_child() {
        for umask in ["000", "022", "077", "777"] {
            let name = "listener::tests::a_socket_in_a_missing_directory_is_made_private_whatever_the_umask";
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().to_str().unwrap();
            child_process::run(
                name,
                &format!("umask {umask}"),
                Stdio::null(),
                &[("DIRECTORY", path)],
            );
        }
        return;
    }
    let directory = PathBuf::from(std::env::var_os("DIRECTORY").unwrap());
    let path = directory.join("a/b/pods.sock");
    let _listener = Listener::bind(&SocketOptions::new(&path)).unwrap();
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&directory.join("a/b")), 0o750);
    assert_eq!(mode(&directory.join("a")), 0o750);

    let path = directory.join("a/b/explicit.sock");
    let options = SocketOptions {
        mode: Some(0o666),
        ..SocketOptions::new(&path)
    };
    let _listener = Listener::bind(&options).unwrap();
    assert_eq!(mode(&path), 0o666);
}

#[test]
fn the_mode_of_a_directory_that_was_there_stays() {
    let directory = tempfile::tempdir().unwrap();
    let made = directory.path().join("made");
    fs::create_dir(&made).unwrap();
    fs::set_permissions(&made, fs::Permissions::from_mode(0o711)).unwrap();
    let _listener = Listener::bind(&SocketOptions::new(made.join("pods.sock"))).unwrap();
    assert_eq!(mode(&made), 0o711);
}

#[test]
fn a_group_gets_the_socket_and_the_directory_that_is_made_for_it() {
    let own = nix::unistd::getegid();
    // Only root may give a file to a group that it is not in.
    let group = if nix::unistd::geteuid().is_root() {
        Gid::from_raw(4711)
    } else {
        own
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/pods.sock");
    let options = SocketOptions {
        group: Some(group.to_string()),
        ..SocketOptions::new(&path)
    };
    let _listener = Listener::bind(&options).unwrap();
    assert_eq!(mode(&path), 0o660);
    assert_eq!(fs::metadata(&path).unwrap().gid(), group.as_raw());
    assert_eq!(
        fs::metadata(directory.path().join("new")).unwrap().gid(),
        group.as_raw()
    );

    let path = directory.path().join("new/explicit.sock");
    let options = SocketOptions {
        group: Some(group.to_string()),
        mode: Some(0o640),
        ..SocketOptions::new(&path)
    };
    let _listener = Listener::bind(&options).unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn a_group_is_found_by_its_name() {
    let own = Group::from_gid(nix::unistd::getegid()).unwrap().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let _listener = Listener::bind(&SocketOptions {
        group: Some(own.name),
        ..SocketOptions::new(&path)
    })
    .unwrap();
    assert_eq!(fs::metadata(&path).unwrap().gid(), own.gid.as_raw());
}

#[test]
fn every_permission_may_be_given_and_no_other_bit() {
    let directory = tempfile::tempdir().unwrap();
    let bound = |bits: u32| {
        let path = directory.path().join(format!("{bits:o}"));
        let options = SocketOptions {
            mode: Some(bits),
            ..SocketOptions::new(&path)
        };
        Listener::bind(&options).map(|_listener| mode(&path))
    };
    for bits in [0, 0o001, 0o700, 0o777] {
        assert_eq!(bound(bits).unwrap(), bits);
    }
    for bits in [0o1000, 0o2700, 0o4777] {
        assert!(matches!(bound(bits), Err(BindError::Mode { mode, .. }) if mode == bits));
    }
}

#[test]
fn an_unknown_group_and_an_odd_mode_are_refused_before_anything_is_made() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new/pods.sock");
    let options = SocketOptions {
        group: Some("no-such-group".to_owned()),
        ..SocketOptions::new(&path)
    };
    let error = Listener::bind(&options).unwrap_err().to_string();
    assert!(
        error.contains("`no-such-group`") && error.contains(path.to_str().unwrap()),
        "{error}"
    );
    let options = SocketOptions {
        mode: Some(0o4600),
        ..SocketOptions::new(&path)
    };
    let error = Listener::bind(&options).unwrap_err().to_string();
    assert!(
        error.contains("0o4600") && error.contains("0o777"),
        "{error}"
    );
    assert!(!directory.path().join("new").exists());
}

#[test]
fn a_stale_file_from_a_crash_is_replaced() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    drop(UnixListener::bind(&path).unwrap());
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_socket());
    let listener = Listener::bind(&SocketOptions::new(&path)).unwrap();
    assert_answers(&listener, &path);
    assert_eq!(entries(&directory), ["pods.sock"]);
}

#[test]
fn a_folder_that_others_may_write_is_refused_unless_it_is_allowed() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("open");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let mut options = SocketOptions::new(folder.join("pods.sock"));
    let error = Listener::bind(&options).unwrap_err();
    assert!(matches!(error, BindError::SharedFolder { .. }), "{error}");
    let text = error.to_string();
    for part in [folder.to_str().unwrap(), "everybody", "chmod"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    options.allow_shared_folder = true;
    drop(Listener::bind(&options).unwrap());
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o1777)).unwrap();
    options.allow_shared_folder = false;
    drop(Listener::bind(&options).unwrap());
    assert_eq!(mode(&folder), 0o1777);
}

#[test]
fn a_group_and_a_mode_change_nothing_of_a_folder_that_is_there() {
    let own = nix::unistd::getegid();
    let group = match nix::unistd::geteuid().is_root() {
        true => Gid::from_raw(4711),
        false => own,
    };
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("there");
    fs::create_dir(&folder).unwrap();
    let before = fs::metadata(&folder).unwrap();
    let options = SocketOptions {
        group: Some(group.to_string()),
        ..SocketOptions::new(folder.join("pods.sock"))
    };
    let _listener = Listener::bind(&options).unwrap();
    let after = fs::metadata(&folder).unwrap();
    assert_eq!((after.mode(), after.gid()), (before.mode(), before.gid()));
}

#[test]
fn a_live_server_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let first = Listener::bind(&SocketOptions::new(&path)).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    let error = Listener::bind(&SocketOptions::new(&path)).unwrap_err();
    assert!(matches!(error, BindError::LiveServer { .. }), "{error}");
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    assert_eq!(fs::metadata(&path).unwrap().ino(), before);
    // The probe of the second server waits in the queue of the first.
    drop(first.socket.accept().unwrap());
    assert_answers(&first, &path);
    assert_eq!(entries(&directory), ["pods.sock"]);
}

#[test]
fn a_live_server_whose_queue_is_full_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let fd = crate::socket_file::stream_socket().unwrap();
    socket::bind(fd.as_raw_fd(), &UnixAddr::new(&path).unwrap()).unwrap();
    socket::listen(&fd, Backlog::new(0).unwrap()).unwrap();
    let mut waiting = Vec::new();
    loop {
        let client = UnixStream::from(crate::socket_file::stream_socket().unwrap());
        client.set_nonblocking(true).unwrap();
        match socket::connect(client.as_raw_fd(), &UnixAddr::new(&path).unwrap()) {
            Ok(()) => waiting.push(client),
            Err(error) => break assert_eq!(error, Errno::EAGAIN),
        }
        assert!(waiting.len() < 100);
    }
    let error = Listener::bind(&SocketOptions::new(&path)).unwrap_err();
    assert!(matches!(error, BindError::LiveServer { .. }), "{error}");
}

#[test]
fn a_datagram_socket_in_use_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let _datagram = UnixDatagram::bind(&path).unwrap();
    let error = Listener::bind(&SocketOptions::new(&path)).unwrap_err();
    assert!(matches!(error, BindError::LiveServer { .. }), "{error}");
}

#[test]
fn what_is_not_a_socket_is_never_removed() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("file"), "precious").unwrap();
    fs::create_dir(at("directory")).unwrap();
    symlink(at("nowhere"), at("dangling")).unwrap();
    drop(UnixListener::bind(at("stale")).unwrap());
    symlink(at("stale"), at("link")).unwrap();
    nix::unistd::mkfifo(&at("pipe"), Mode::S_IRWXU).unwrap();
    let before = entries(&directory);
    for (name, found) in [
        ("file", "a regular file"),
        ("directory", "a directory"),
        ("dangling", "a symbolic link"),
        ("link", "a symbolic link"),
        ("pipe", "a named pipe"),
    ] {
        let error = Listener::bind(&SocketOptions::new(at(name)))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(found) && error.contains(at(name).to_str().unwrap()),
            "{error}"
        );
    }
    assert_eq!(entries(&directory), before);
    assert_eq!(fs::read_to_string(at("file")).unwrap(), "precious");
}

#[test]
fn a_symbolic_link_in_the_directory_part_is_followed() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("real")).unwrap();
    symlink("real", directory.path().join("link")).unwrap();
    let path = directory.path().join("link/pods.sock");
    let listener = Listener::bind(&SocketOptions::new(&path)).unwrap();
    assert_answers(&listener, &directory.path().join("real/pods.sock"));
    drop(listener);
    assert!(!directory.path().join("real/pods.sock").exists());
}

#[test]
fn a_path_of_107_bytes_is_served_and_one_of_108_is_refused() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    for name_length in [1, 60] {
        let path = path_of_length(&directory, PATH_LIMIT, name_length);
        let listener = Listener::bind(&SocketOptions::new(&path)).unwrap();
        assert_answers(&listener, &path);

        let path = path_of_length(&directory, PATH_LIMIT + 1, name_length);
        let error = Listener::bind(&SocketOptions::new(&path))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("{} bytes", PATH_LIMIT + 1)),
            "{error}"
        );
        assert!(
            error.contains(&format!("holds {PATH_LIMIT}")) && error.contains("shorter"),
            "{error}"
        );
        assert!(
            !path.parent().unwrap().exists(),
            "nothing is made for a path that cannot be used"
        );
    }
}

#[test]
fn a_path_without_a_file_name_is_refused() {
    for path in ["", "/", "..", "/tmp/", "/tmp/."] {
        let error = Listener::bind(&SocketOptions::new(path)).unwrap_err();
        assert!(
            matches!(error, BindError::NoFileName { .. }),
            "{path}: {error}"
        );
    }
}

#[test]
fn a_relative_path_is_served() {
    if !child_process::is_child() {
        let directory = tempfile::tempdir().unwrap();
        let prelude = format!("cd {}", directory.path().display());
        child_process::run(
            "listener::tests::a_relative_path_is_served",
            &prelude,
            Stdio::null(),
            &[],
        );
        assert_eq!(entries(&directory), ["new"]);
        return;
    }
    let path = Path::new("pods.sock");
    let listener = Listener::bind(&SocketOptions::new(path)).unwrap();
    assert_answers(&listener, path);
    let listener = Listener::bind(&SocketOptions::new("new/pods.sock")).unwrap();
    assert_answers(&listener, Path::new("new/pods.sock"));
}

#[test]
fn a_directory_that_cannot_be_made_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Listener::bind(&SocketOptions::new(file.join("pods.sock"))).unwrap_err();
    assert!(matches!(error, BindError::Directory { .. }), "{error}");
    assert!(
        error.to_string().contains(file.to_str().unwrap()),
        "{error}"
    );
}

#[test]
fn there_is_no_moment_without_a_socket_while_servers_replace_dead_ones() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    drop(UnixListener::bind(&path).unwrap());
    let done = AtomicBool::new(false);
    let (connected, refused) = thread::scope(|scope| {
        let clients = scope.spawn(|| {
            let (mut connected, mut refused) = (0_u32, 0_u32);
            while !done.load(Ordering::Relaxed) {
                match UnixStream::connect(&path) {
                    Ok(_) => connected += 1,
                    Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => refused += 1,
                    Err(error) => panic!("{error}"),
                }
            }
            (connected, refused)
        });
        let finish = SetOnDrop(&done);
        for _ in 0..300 {
            let mut listener = Listener::bind(&SocketOptions::new(&path)).unwrap();
            thread::yield_now();
            // As after a crash: the socket closes and its file stays.
            std::mem::forget(listener.file.take());
        }
        drop(finish);
        clients.join().unwrap()
    });
    assert!(connected + refused > 0);
}

#[test]
fn of_servers_that_start_at_once_one_wins() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    for _ in 0..20 {
        let start = Barrier::new(4);
        let bound: Vec<_> = thread::scope(|scope| {
            let attempts: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        start.wait();
                        Listener::bind(&SocketOptions::new(&path))
                    })
                })
                .collect();
            attempts
                .into_iter()
                .map(|attempt| attempt.join().unwrap())
                .collect()
        });
        assert_eq!(bound.iter().filter(|bound| bound.is_ok()).count(), 1);
        assert_eq!(entries(&directory), ["pods.sock"]);
    }
}

#[test]
fn a_listener_removes_its_own_file_and_no_other() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    drop(Listener::bind(&SocketOptions::new(&path)).unwrap());
    assert_eq!(entries(&directory), [""; 0]);

    let Listener { socket, file, .. } = Listener::bind(&SocketOptions::new(&path)).unwrap();
    drop(socket);
    let new = Listener::bind(&SocketOptions::new(&path)).unwrap();
    drop(file);
    assert_answers(&new, &path);

    fs::remove_file(&path).unwrap();
    drop(new);
}

#[test]
fn several_sockets_in_one_directory_go_one_by_one() {
    let _calm = child_process::none_starts();
    let directory = tempfile::tempdir().unwrap();
    let [first, second] = ["a.sock", "b.sock"].map(|name| directory.path().join(name));
    let one = Listener::bind(&SocketOptions::new(&first)).unwrap();
    let two = Listener::bind(&SocketOptions::new(&second)).unwrap();
    assert_answers(&one, &first);
    assert_answers(&two, &second);
    drop(one);
    assert_eq!(entries(&directory), ["b.sock"]);
}

#[test]
fn a_handed_over_listener_is_taken_and_its_file_stays() {
    if !child_process::is_child() {
        let name = "listener::tests::a_handed_over_listener_is_taken_and_its_file_stays";
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pods.sock");
        let socket = UnixListener::bind(&path).unwrap();
        let prelude = "exec 3<&0\nexport LISTEN_FDS=1 LISTEN_PID=$$";
        let stdin = std::os::fd::OwnedFd::from(socket);
        child_process::run(name, prelude, stdin, &[("SOCKET", path.to_str().unwrap())]);
        assert!(path.exists());
        return;
    }
    let path = PathBuf::from(std::env::var_os("SOCKET").unwrap());
    let mut listeners = Listener::inherited().unwrap();
    assert_eq!(listeners.len(), 1);
    assert_eq!(listeners[0].label(), path.to_str().unwrap());
    assert_answers(&listeners[0], &path);
    listeners.clear();
    assert!(path.exists());
    assert!(
        Listener::inherited().unwrap().is_empty(),
        "the variables are used up"
    );
}

#[test]
fn a_handed_over_descriptor_that_cannot_be_served_is_refused() {
    let name = "listener::tests::a_handed_over_descriptor_that_cannot_be_served_is_refused";
    if !child_process::is_child() {
        let prelude = "exec 3<&0\nexport LISTEN_FDS=1 LISTEN_PID=$$";
        child_process::run(name, prelude, Stdio::null(), &[("SAID", "not a socket")]);
        let unconnected = crate::socket_file::stream_socket().unwrap();
        child_process::run(name, prelude, unconnected, &[("SAID", "does not listen")]);
        return;
    }
    let error = Listener::inherited().unwrap_err().to_string();
    assert!(
        error.contains(&std::env::var("SAID").unwrap()) && error.contains("LISTEN_FDS"),
        "{error}"
    );
}

#[test]
fn descriptors_meant_for_another_process_are_not_taken() {
    if !child_process::is_child() {
        let name = "listener::tests::descriptors_meant_for_another_process_are_not_taken";
        let variables = [("LISTEN_FDS", "1"), ("LISTEN_PID", "1")];
        return child_process::run(name, "exec 3<&0", Stdio::null(), &variables);
    }
    assert!(Listener::inherited().unwrap().is_empty());
}

/// Ends the clients also when the test fails before them.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn entries(directory: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn path_of_length(directory: &TempDir, length: usize, name_length: usize) -> PathBuf {
    let used = directory.path().as_os_str().len() + 2 + name_length;
    let path = directory
        .path()
        .join("d".repeat(length - used))
        .join("s".repeat(name_length));
    assert_eq!(path.as_os_str().len(), length);
    path
}

fn assert_answers(listener: &Listener, path: &Path) {
    let mut client = UnixStream::connect(path).unwrap();
    let (mut server, _) = listener.socket.accept().unwrap();
    server.write_all(b"here").unwrap();
    drop(server);
    let mut said = String::new();
    client.read_to_string(&mut said).unwrap();
    assert_eq!(said, "here");
}
