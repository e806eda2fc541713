//! What a configuration file may say, and what wins.

use podsapi_sources::manifests::KubeletRelease;

use super::*;
use crate::args::{CriEvents, ServeArgs, SlowWatch};

fn line(file: &str, flags: &[&str]) -> (tempfile::TempDir, Vec<OsString>) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("podsapi.toml");
    std::fs::write(&path, file).unwrap();
    let line = ["podsapi", "serve", "--config"].map(OsString::from);
    let flags = flags.iter().map(OsString::from);
    (
        directory,
        line.into_iter().chain([path.into()]).chain(flags).collect(),
    )
}

fn serve(file: &str, flags: &[&str]) -> Box<ServeArgs> {
    let line = line(file, flags);
    let Command::Serve(serve) = parse(line.1).unwrap().command else {
        panic!("expected serve");
    };
    serve
}

fn refused(file: &str) -> String {
    let line = line(file, &[]);
    parse(line.1).unwrap_err().to_string()
}

#[test]
fn every_flag_is_a_key() {
    let file = r#"
        socket = ["/a", "/b"]
        node-name = "n"
        kubelet-manifests-path = "/km"
        kubelet-version = "1.36"
        manifests = "/m"
        kubelet = "/k"
        kubelet-resync = 5
        kubelet-http = "https://127.0.0.1:10250"
        kubelet-period = 4
        kubelet-token-file = "/t"
        kubelet-ca-file = "/c"
        kubelet-insecure-tls = true
        cri = "unix:///c.sock"
        cri-period = 10
        cri-events = "off"
        host-ip = ["192.0.2.1", "2001:db8::1"]
        apiserver = "/kc"
        api-backoff = 11
        checkpoint = "/cp"
        checkpoint-after = 12
        fair = true
        snapshot = "/s"
        simulate = "3:0.5:7"
        qps = 5
        burst = 6
        watch-buffer = 7
        slow-watch = "coalesce"
        max-connections = 8
        drain-seconds = 9
        socket-mode = "0640"
        socket-group = "0"
        allow-shared-socket-folder = true
        metrics = "127.0.0.1:9100"
        log = "debug"
        log-format = "json"
    "#;
    let read = serve(file, &[]);
    assert_eq!(read.sockets, [PathBuf::from("/a"), PathBuf::from("/b")]);
    assert_eq!(read.simulate.map(|simulation| simulation.seed), Some(7));
    assert_eq!(
        (read.qps, read.burst.get(), read.watch_buffer.get()),
        (5, 6, 7)
    );
    assert_eq!((read.max_connections.get(), read.drain_seconds), (8, 9));
    assert!(read.allow_shared_socket_folder);
    assert_eq!(read.slow_watch, SlowWatch::Coalesce);
    assert_eq!(read.kubelet.kubelet, Some(PathBuf::from("/k")));
    assert_eq!(read.kubelet.kubelet_period, 4);
    assert_eq!(read.kubelet.kubelet_resync, 5);
    assert_eq!(read.kubelet_manifests_path, Some(PathBuf::from("/km")));
    assert_eq!(read.kubelet_version.map(KubeletRelease::minor), Some(36));
    assert!(read.kubelet.kubelet_insecure_tls);
    let runtime = read.cri.map(|socket| socket.0);
    assert_eq!(runtime, Some(PathBuf::from("/c.sock")));
    assert_eq!((read.cri_period, read.host_ips.len()), (10, 2));
    assert_eq!(read.cri_events, CriEvents::Off);
    assert_eq!(read.socket_mode.map(|mode| mode.0), Some(0o640));
    let named = file.lines().filter_map(|line| line.split_once(" = "));
    let mut named: Vec<_> = named.map(|(key, _)| key.trim().to_owned()).collect();
    let mut known: Vec<_> = keys().into_iter().map(|(key, _)| key).collect();
    named.sort();
    known.sort();
    assert_eq!(named, known);
}

#[test]
fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
    let read = serve("qps = 5\nburst = 6\nsocket = '/f1,/f2'", &["--qps", "7"]);
    assert_eq!(
        (read.qps, read.burst.get(), read.watch_buffer.get()),
        (7, 6, 100)
    );
    assert_eq!(read.sockets, [PathBuf::from("/f1"), PathBuf::from("/f2")]);
    let read = serve("socket = ['/f']", &["--socket", "/g"]);
    assert_eq!(read.sockets, [PathBuf::from("/g")]);
}

#[test]
fn an_unknown_key_names_itself_the_file_and_the_nearest_key() {
    let error = refused("max_connections = 5");
    assert!(
        error.contains("podsapi.toml: unknown key \"max_connections\""),
        "{error}"
    );
    assert!(
        error.contains("did you mean \"max-connections\"?"),
        "{error}"
    );
    assert!(refused("config = 'x'").contains("unknown key \"config\""));
}

#[test]
fn a_wrong_value_names_the_file_and_the_key() {
    for (file, expected) in [
        ("qps = 'many'", "--qps"),
        ("qps = -1", "--qps"),
        ("burst = 0", "--burst"),
        ("socket-mode = 0o660", "socket-mode"),
        ("slow-watch = true", "slow-watch"),
        ("qps = [1]", "qps"),
        ("qps = ", "is not TOML"),
    ] {
        let error = refused(file);
        assert!(
            error.contains("podsapi.toml: ") && error.contains(expected),
            "{file}: {error}"
        );
    }
}

#[test]
fn a_missing_file_is_an_error() {
    let line = ["podsapi", "serve", "--config", "/nowhere/p.toml"].map(OsString::from);
    let error = parse(line.to_vec()).unwrap_err().to_string();
    assert!(
        error.starts_with("/nowhere/p.toml: cannot be read"),
        "{error}"
    );
}

#[test]
fn a_flag_about_another_that_is_not_there_is_refused_wherever_it_is_from() {
    let cases = [
        ("api-backoff", "5", "apiserver", "/kc"),
        ("checkpoint-after", "5", "checkpoint", "/cp"),
        ("cri-events", "off", "cri", "/c.sock"),
        ("cri-period", "5", "cri", "/c.sock"),
        ("host-ip", "192.0.2.1", "cri", "/c.sock"),
        ("kubelet-manifests-path", "/km", "manifests", "/m"),
        (
            "kubelet-period",
            "5",
            "kubelet-http",
            "http://127.0.0.1:10255",
        ),
        ("kubelet-resync", "5", "kubelet", "/k"),
        ("kubelet-version", "v1.36.1", "manifests", "/m"),
    ];
    for (flag, value, other, its) in cases {
        let flags = |given: &[(&str, &str)]| -> Vec<OsString> {
            let flags = given
                .iter()
                .map(|(flag, value)| format!("--{flag}={value}"));
            let line = ["podsapi", "serve", "--simulate=1"].map(str::to_owned);
            line.into_iter().chain(flags).map(OsString::from).collect()
        };
        let error = parse(flags(&[(flag, value)])).unwrap_err().to_string();
        let expected = format!(
            "--{flag} belongs to --{other}, which is not given: give it, or leave this out"
        );
        assert_eq!(error, expected);
        // As it is by default it may be spelled out, beside the other one.
        parse(flags(&[(flag, value), (other, its)])).unwrap();

        let file = format!("{flag} = '{value}'");
        let error = refused(&file);
        assert!(
            error.ends_with(&format!("podsapi.toml: {expected}")),
            "{error}"
        );
        let both = format!("{file}\n{other} = '{its}'");
        serve(&both, &[]);
        // Of a flag on the command line the file is not blamed.
        let line = line("qps = 5", &[&format!("--{flag}={value}")]);
        assert_eq!(parse(line.1).unwrap_err().to_string(), expected);
        serve(
            &format!("{other} = '{its}'"),
            &[&format!("--{flag}={value}")],
        );
    }
}

#[test]
fn the_path_that_a_kubelet_has_is_absolute() {
    for relative in ["manifests", "./m", "../m", ""] {
        let file = format!("manifests = '/m'\nkubelet-manifests-path = '{relative}'");
        let error = refused(&file);
        assert!(error.contains("--kubelet-manifests-path"), "{error}");
        assert!(error.contains("expected an absolute path"), "{error}");
    }
}
