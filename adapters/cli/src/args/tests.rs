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
fn the_version_names_the_schema() {
    let text = Cli::try_parse_from(["podsapi", "--version"])
        .unwrap_err()
        .to_string();
    assert!(text.contains("Kubernetes v1."), "{text}");
}
