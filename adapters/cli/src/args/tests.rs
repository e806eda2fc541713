//! The command line as a whole.

use clap::CommandFactory;

use super::*;

#[test]
fn the_definitions_are_sound() {
    Cli::command().debug_assert();
}

#[test]
fn every_serve_flag_has_its_environment_variable() {
    let command = Cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    for flag in serve.get_arguments() {
        let Some(long) = flag.get_long().filter(|long| *long != "help") else {
            continue;
        };
        let expected = format!("PODSAPI_{}", long.to_uppercase().replace('-', "_"));
        assert_eq!(
            flag.get_env().and_then(|name| name.to_str()),
            Some(expected.as_str())
        );
    }
}

#[test]
fn the_first_of_several_sockets_is_dialled() {
    let cli = Cli::try_parse_from(["podsapi", "list", "--socket", "/a,/b"]).unwrap();
    let Command::List(list) = cli.command else {
        panic!("expected list")
    };
    assert_eq!(list.socket.path(), PathBuf::from("/a"));
}

#[test]
fn a_socket_is_a_path_or_a_uri_wherever_one_is_named() {
    let parse = |line: &[&str]| Cli::try_parse_from([&["podsapi"], line].concat());
    for command in ["check", "list", "watch"] {
        let cli = parse(&[command, "--socket", "unix:///run/a%20b,/b"]).unwrap();
        let socket = match cli.command {
            Command::Check(args) => args.socket,
            Command::List(args) | Command::Watch(args) => args.socket,
            Command::Completions { .. }
            | Command::Demo(_)
            | Command::Get(_)
            | Command::Mask(_)
            | Command::Serve(_) => panic!("expected {command}"),
        };
        assert_eq!(socket.path(), PathBuf::from("/run/a b"));
    }
    let flags = [
        "--socket=unix:///run/s,unix:t",
        "--kubelet=unix:///run/k",
        "--cri=unix:///run/c",
        "--metrics=unix:///run/m",
    ];
    let cli = parse(&[&["serve"], &flags[..]].concat()).unwrap();
    let Command::Serve(serve) = cli.command else {
        panic!("expected serve")
    };
    let path = |path: &str| PathBuf::from(path);
    assert_eq!(serve.sockets, [path("/run/s"), path("t")]);
    assert_eq!(serve.kubelet.kubelet, Some(path("/run/k")));
    assert_eq!(serve.cri, Some(RuntimeSocket(path("/run/c"))));
    assert_eq!(serve.metrics, Some(MetricsAddress::Unix(path("/run/m"))));
    for uri in [
        "unix://run/s",
        "unix:///s?x",
        "unix:",
        "tcp://h/s",
        "unix-abstract:s",
        "",
    ] {
        for flag in ["--socket", "--kubelet", "--cri", "--metrics"] {
            // An abstract name is no address of metrics either, and is told so in its words.
            let error = parse(&["serve", &format!("{flag}={uri}")]).unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(flag) && text.contains("unix:///run"),
                "{text}"
            );
        }
        let error = parse(&["list", &format!("--socket={uri}")]).unwrap_err();
        assert!(error.to_string().contains("unix:///run"), "{error}");
    }
}

#[test]
fn the_version_names_the_schema() {
    let text = Cli::try_parse_from(["podsapi", "--version"])
        .unwrap_err()
        .to_string();
    assert!(text.contains("Kubernetes v1."), "{text}");
}

#[test]
fn the_range_of_a_number_of_seconds_is_in_the_help_of_its_flag() {
    let command = Cli::command();
    let serve = command.find_subcommand("serve").unwrap();
    let mut ranges = 0;
    for flag in serve.get_arguments() {
        let Some(long) = flag.get_long() else {
            continue;
        };
        let much = format!("--{long}=999999");
        let Err(error) = Cli::try_parse_from(["podsapi", "serve", &much]) else {
            continue;
        };
        let error = error.to_string();
        let Some((_, range)) = error.split_once("999999 is not in ") else {
            continue;
        };
        let numbers = range.split(|letter: char| !letter.is_ascii_digit());
        let last = numbers.filter(|number| !number.is_empty()).take(2).last();
        let help = flag.get_help().unwrap().to_string();
        assert!(help.contains(last.unwrap()), "--{long} {range}: {help}");
        ranges += 1;
    }
    assert!(ranges >= 6, "{ranges}");
    let version = serve
        .get_arguments()
        .find(|flag| flag.get_id() == "kubelet_version");
    let help = version.unwrap().get_help().unwrap().to_string();
    assert!(
        help.contains("1.33 to 1.37") && help.contains("v1.37."),
        "{help}"
    );
}
