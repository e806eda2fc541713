//! Where sockets are named, made, refused, and made anew.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use nix::sys::signal::Signal;

use crate::process::{Running, Server, command, page, run, until};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn uri(path: &Path) -> String {
    format!("unix://{}", path.display())
}

#[test]
fn a_socket_is_named_as_a_uri_by_flag_file_and_variable() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pods.sock");
    let file = directory.path().join("podsapi.toml");
    fs::write(
        &file,
        format!("socket = [{:?}]\nsimulate = \"3\"\n", uri(&path)),
    )
    .unwrap();
    let from_file = ["serve", "--config", file.to_str().unwrap()];
    let by_flag = uri(&path);
    let by_flag = ["serve", "--simulate", "3", "--socket", &by_flag];
    let mut by_variable = command(["serve", "--simulate", "3"]);
    by_variable.env("PODSAPI_SOCKET", uri(&path));
    for mut serve in [command(from_file), command(by_flag), by_variable] {
        let serving = Running::start(&mut serve);
        serving.error_line("serving");
        assert!(path.exists());
        until("the server is ready", || {
            (run(["check", "--socket", uri(&path).as_str()]).code == Some(0)).then_some(())
        });
        let list = run(["list", "-o", "name", "--socket", uri(&path).as_str()]).text();
        assert_eq!(list.lines().count(), 3);
        let mut get = command(["list", "-o", "name"]);
        let get = Running::start(get.env("PODSAPI_SOCKET", uri(&path))).end();
        assert_eq!(get.text(), list);
        assert!(serving.stop().code == Some(0) && !path.exists());
    }
    // No folder of that name is made.
    let here = fs::read_dir(".").unwrap();
    assert!(
        !here
            .into_iter()
            .any(|entry| entry.unwrap().file_name() == "unix:")
    );
}

#[test]
fn an_upstream_and_metrics_are_named_as_uris() {
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let upstream = Server::ready(first.path(), ["--simulate", "3"]);
    let metrics = second.path().join("metrics.sock");
    let flags = [
        "--kubelet",
        &uri(&upstream.socket),
        "--metrics",
        &uri(&metrics),
    ];
    let server = Server::ready(second.path(), flags);
    assert_eq!(
        server.ask(&["list", "-o", "name"]).text().lines().count(),
        3
    );
    assert!(page(&metrics).contains("podsapi_pods 3"));
    let own = uri(&server.socket);
    let ended = run(["serve", "--kubelet", &own, "--socket", &own]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
}

#[test]
fn a_wrong_uri_is_refused_with_what_is_expected() {
    for wrong in ["unix://run/s", "tcp://localhost/s", "unix:///s?x"] {
        for arguments in [
            &["list", "--socket", wrong][..],
            &["serve", "--simulate", "1", "--socket", wrong],
            &["serve", "--kubelet", wrong],
            &["serve", "--simulate", "1", "--cri", wrong],
            &["serve", "--simulate", "1", "--metrics", wrong],
        ] {
            let ended = run(arguments);
            assert_eq!(ended.code, Some(2), "{arguments:?}: {ended:?}");
            assert!(ended.stderr.contains("unix:///run"), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_folder_that_others_may_write_is_refused_with_the_flag_that_allows_it() {
    let directory = tempfile::tempdir().unwrap();
    set_mode(directory.path(), 0o755);
    let open = directory.path().join("open");
    fs::create_dir(&open).unwrap();
    set_mode(&open, 0o777);
    let [socket, metrics] = ["s", "m"].map(|name| open.join(name).display().to_string());
    let other = directory.path().join("s").display().to_string();
    let pods = ["serve", "--simulate", "1", "--socket", &socket];
    let measured = [
        "serve",
        "--simulate",
        "1",
        "--socket",
        &other,
        "--metrics",
        &metrics,
    ];
    for refused in [&pods[..], &measured] {
        let ended = run(refused);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        for part in [
            open.to_str().unwrap(),
            "may be written by everybody",
            "chmod",
            "--allow-shared-socket-folder",
        ] {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
        assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
    }
    let file = directory.path().join("podsapi.toml");
    fs::write(&file, "allow-shared-socket-folder = true\n").unwrap();
    let mut by_variable = command(pods);
    by_variable.env("PODSAPI_ALLOW_SHARED_SOCKET_FOLDER", "true");
    let with = |arguments: &[&str], more: &[&str]| command([arguments, more].concat());
    for mut allowed in [
        with(&pods, &["--allow-shared-socket-folder"]),
        with(&measured, &["--allow-shared-socket-folder"]),
        with(&pods, &["--config", file.to_str().unwrap()]),
        by_variable,
    ] {
        let serving = Running::start(&mut allowed);
        serving.error_line("serving socket=");
        assert_eq!(serving.stop().code, Some(0));
    }
    assert_eq!(fs::read_dir(&open).unwrap().count(), 0);
}

#[test]
fn every_socket_whose_file_or_folder_is_lost_is_made_anew_and_that_is_logged() {
    let directory = tempfile::tempdir().unwrap();
    let more = directory.path().join("more/more.sock");
    let metrics = directory.path().join("metrics/metrics.sock");
    let flags = [
        "--simulate",
        "3",
        "--socket",
        more.to_str().unwrap(),
        "--metrics",
    ];
    let server = Server::ready(directory.path(), flags.into_iter().chain(metrics.to_str()));
    fs::remove_file(&server.socket).unwrap();
    for lost in [&more, &metrics] {
        fs::remove_dir_all(lost.parent().unwrap()).unwrap();
    }
    for _ in 0..3 {
        let line = server.process.error_line("made anew");
        assert!(line.contains("WARN") && line.contains("socket="), "{line}");
    }
    assert_eq!(
        server.ask(&["list", "-o", "name"]).text().lines().count(),
        3
    );
    assert_eq!(
        run(["check", "--socket", more.to_str().unwrap()]).code,
        Some(0)
    );
    assert!(page(&metrics).contains("podsapi_pods 3"));
    let ended = server.process.stop();
    assert_eq!(ended.code, Some(0));
    for socket in [&server.socket, &more, &metrics] {
        assert!(!socket.exists(), "{}", socket.display());
    }
}

#[test]
fn a_place_that_another_server_has_by_now_is_left_to_it() {
    let directory = tempfile::tempdir().unwrap();
    let first = Server::ready(directory.path(), ["--simulate", "1"]);
    let pods = || first.ask(&["list", "-o", "name"]).text().lines().count();
    // So that it does not take its place again before the other has it.
    first.process.signal(Signal::SIGSTOP);
    fs::remove_file(&first.socket).unwrap();
    let second = Server::ready(directory.path(), ["--simulate", "2"]);
    let inode = fs::metadata(&first.socket).unwrap().ino();
    first.process.signal(Signal::SIGCONT);
    let told = first.process.error_line("not in its place");
    assert!(told.contains("another server answers"), "{told}");
    assert_eq!(pods(), 2);
    assert_eq!(fs::metadata(&first.socket).unwrap().ino(), inode);
    assert_eq!(second.process.stop().code, Some(0));
    first.process.error_line("made anew");
    assert_eq!(pods(), 1);
}
