//! Other users of the machine: who may connect, who is told apart, what is noted of them.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Ended, Running, Server, command, page, until};

/// A user and a group that own nothing.
const NOBODY: u32 = 65_534;
/// A group that nobody is in.
const STRANGERS: u32 = 64_999;

/// A folder that other users may enter, with a copy of the command that they may run.
struct Yard {
    folder: tempfile::TempDir,
    program: PathBuf,
}

impl Yard {
    /// Returns none where this process may not act for others, and says so.
    fn open(test: &str) -> Option<Self> {
        if !nix::unistd::geteuid().is_root() {
            println!("SKIPPED {test}: only root can act for another user");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let program = folder.path().join("podsapi");
        // By another process: what this one has open for writing is open, too, in whatever another test
        // starts at that moment, and what is open for writing cannot be run.
        let mut copy = Command::new("install");
        copy.args(["-m", "755", env!("CARGO_BIN_EXE_podsapi")]);
        assert!(copy.arg(&program).status().unwrap().success());
        let yard = Self { folder, program };
        let version = yard.run_as(NOBODY, NOBODY, &["--version".as_ref()]);
        if version.code != Some(0) {
            println!("SKIPPED {test}: another user cannot run programs here: {version:?}");
            return None;
        }
        Some(yard)
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the command as a user who is in one group only.
    fn run_as(&self, user: u32, group: u32, arguments: &[&OsStr]) -> Ended {
        let mut command = Command::new(&self.program);
        let ours = self::command(arguments);
        command.args(ours.get_args()).env_clear();
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        // With another user id, the groups of this process are dropped too.
        Running::start(command.uid(user).gid(group).current_dir("/")).end()
    }

    fn list_as(&self, user: u32, group: u32, server: &Server) -> Ended {
        let socket = server.socket.as_os_str();
        self.run_as(user, group, &["list".as_ref(), "--socket".as_ref(), socket])
    }
}

#[test]
fn a_socket_is_for_its_own_user_unless_told_otherwise() {
    let Some(yard) = Yard::open("socket mode") else {
        return;
    };
    let server = Server::ready(yard.path(), ["--simulate", "1"]);
    let refused = yard.list_as(NOBODY, NOBODY, &server);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.stderr.contains("ermission denied"), "{refused:?}");
    assert_eq!(server.ask(&["list"]).code, Some(0));
}

#[test]
fn a_socket_with_a_group_is_for_its_members() {
    let Some(yard) = Yard::open("socket group") else {
        return;
    };
    let group = NOBODY.to_string();
    let server = Server::ready(yard.path(), ["--simulate", "1", "--socket-group", &group]);
    assert_eq!(yard.list_as(NOBODY, NOBODY, &server).code, Some(0));
    let stranger = yard.list_as(NOBODY, STRANGERS, &server);
    assert_eq!(stranger.code, Some(3), "{stranger:?}");
}

#[test]
fn a_mode_opens_the_socket_to_everybody() {
    let Some(yard) = Yard::open("socket mode for everybody") else {
        return;
    };
    let server = Server::ready(yard.path(), ["--simulate", "1", "--socket-mode", "0666"]);
    assert_eq!(yard.list_as(NOBODY, STRANGERS, &server).code, Some(0));
}

#[test]
fn every_connection_is_logged_and_counted_with_its_user() {
    let Some(yard) = Yard::open("peer credentials") else {
        return;
    };
    let metrics = yard.path().join("metrics.sock");
    let arguments = ["--simulate", "1", "--socket-mode", "0666", "--log", "debug"];
    let flag: [&OsStr; 2] = ["--metrics".as_ref(), metrics.as_os_str()];
    let arguments = arguments.iter().map(OsStr::new).chain(flag);
    let server = Server::ready(yard.path(), arguments);
    for _ in 0..2 {
        assert_eq!(yard.list_as(NOBODY, NOBODY, &server).code, Some(0));
    }
    let line = server.process.error_line("uid=65534");
    assert!(line.contains("pid="), "{line}");
    let counted = "podsapi_connections_by_user_total{uid=\"65534\"} 2\n";
    until("both are counted", || {
        page(&metrics).contains(counted).then_some(())
    });
}

#[test]
fn a_user_that_calls_too_often_costs_another_something_only_without_fairness() {
    let Some(yard) = Yard::open("fairness") else {
        return;
    };
    for fair in [false, true] {
        let flag = format!("--fair={fair}");
        let arguments = ["--simulate", "1", "--socket-mode", "0666", "--qps", "1"];
        let limits = ["--burst", "3", &flag];
        let server = Server::start(yard.path(), arguments.iter().chain(&limits));
        server.drained();
        if fair {
            for _ in 0..3 {
                let other = yard.list_as(NOBODY, NOBODY, &server);
                assert_eq!(other.code, Some(0), "{other:?}");
                server.drained();
            }
        } else {
            until("the other user is refused too", || {
                server.drained();
                let other = yard.list_as(NOBODY, NOBODY, &server);
                other.is_rate_limited().then_some(())
            });
        }
    }
}
