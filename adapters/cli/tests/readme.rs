//! Every fact of the README that a program can check.

use std::{path::Path, process::Command};

use podsapi_core::{Config, Moment, Pods};
use podsapi_h2::{Limits, Server};
use podsapi_tokio::TokioRuntime;

const README: &str = include_str!("../../../README.md");

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn podsapi(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_podsapi"))
        .args(arguments)
        .output()
        .expect("the command runs");
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.success(),
        String::from_utf8(text).expect("it prints text"),
    )
}

/// Returns the lines of the README's shell blocks without their comments.
fn shell_lines() -> Vec<&'static str> {
    let blocks = README.split("```");
    blocks
        .filter_map(|block| block.strip_prefix("sh\n"))
        .flat_map(str::lines)
        .map(|line| line.split(" #").next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Returns what stands in single backquotes.
fn quoted() -> Vec<&'static str> {
    let prose = README.split("```").step_by(2);
    prose
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

#[test]
fn every_command_line_is_understood() {
    let lines = shell_lines();
    let commands: Vec<_> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("podsapi "))
        .collect();
    assert!(commands.len() >= 7, "{commands:?}");
    for command in commands {
        // Whatever stands before --help is checked before help is printed.
        let arguments: Vec<_> = command.split(' ').chain(["--help"]).collect();
        let (understood, text) = podsapi(&arguments);
        assert!(understood, "podsapi {command}: {text}");
    }
    assert!(lines.contains(&"cargo run --release -- demo"));
    assert!(lines.contains(&"cargo test --workspace"));
}

#[test]
fn every_flag_exists_and_defaults_are_as_told() {
    let (_, serve) = podsapi(&["serve", "--help"]);
    let (_, demo) = podsapi(&["demo", "--help"]);
    let (_, list) = podsapi(&["list", "--help"]);
    for flag in quoted().into_iter().filter(|text| text.starts_with("--")) {
        let name = flag.split(' ').next().unwrap_or_default();
        let known = [&serve, &demo, &list]
            .iter()
            .any(|help| help.contains(name));
        assert!(known, "{flag}");
    }
    for (told, flag, default) in [
        ("`--qps` (100 a second, 0 for no limit)", "--qps", "100"),
        ("`--burst` (10)", "--burst", "10"),
        ("`--watch-buffer` events (100)", "--watch-buffer", "100"),
    ] {
        assert!(README.contains(told), "{told}");
        let help = serve.split(flag).nth(1).unwrap();
        let value = help.split("[default: ").nth(1).unwrap();
        assert_eq!(value.split(']').next(), Some(default), "{flag}");
    }
    let socket = "/var/lib/kubelet/pods-api/pods-api.sock";
    assert!(README.contains(socket) && serve.contains(socket));
    assert!(README.contains("mode 0600") && serve.contains("0600 by default"));
    let (_, help) = podsapi(&["--help"]);
    assert!(README.contains("0 done, 1 the server refused, 2 usage, 3 cannot connect"));
    for code in [
        "0  done",
        "1  the server refused",
        "2  wrong usage",
        "3  cannot connect",
    ] {
        assert!(help.contains(code), "{code}");
    }
}

#[tokio::test]
async fn every_metric_is_printed() {
    let pods = Pods::new(Config::default(), Moment::ORIGIN);
    let server = Server::of_node("n1", pods, Limits::default(), TokioRuntime::new());
    let metrics = server.metrics_text();
    let names: Vec<_> = quoted()
        .into_iter()
        .filter(|text| text.starts_with("kubelet_") || text.starts_with("podsapi_"))
        .collect();
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        assert!(metrics.contains(&format!("# TYPE {name} ")), "{name}");
    }
}

#[test]
fn every_feature_exists() {
    let manifest = include_str!("../Cargo.toml");
    let features: Vec<_> = README
        .split("feature `")
        .skip(1)
        .filter_map(|text| text.split('`').next())
        .collect();
    assert!(!features.is_empty(), "README names features");
    for feature in features {
        assert!(manifest.contains(&format!("\n{feature} = [")), "{feature}");
    }
}

#[test]
fn every_crate_and_file_exists() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let crates: Vec<_> = README
        .lines()
        .filter_map(|line| line.strip_prefix("| `podsapi"))
        .filter_map(|line| line.split('`').next())
        .map(|name| format!("podsapi{name}"))
        .collect();
    assert!(crates.len() >= 8, "{crates:?}");
    for name in crates {
        let declared = format!("{name} = {{ path");
        assert!(name == "podsapi" || manifest.contains(&declared), "{name}");
    }
    for file in quoted().into_iter().filter(|text| text.ends_with(".rs")) {
        assert!(root().join(file).is_file(), "{file}");
    }
    assert!(root().join("CONTRIBUTING.md").is_file());
}

#[test]
fn the_kubernetes_release_is_the_one_of_the_schema() {
    let release = podsapi_proto::schema::SCHEMA_VERSION
        .trim_start_matches('v')
        .rsplit_once('.')
        .map(|(release, _patch)| release)
        .unwrap();
    assert!(README.contains(&format!("as of Kubernetes {release}")));
    let (_, version) = podsapi(&["--version"]);
    assert!(version.contains(podsapi_proto::schema::SCHEMA_VERSION));
}

/// Returns the first number of a cell.
fn number(cell: &str) -> f64 {
    let digits: String = cell
        .chars()
        .skip_while(|letter| !letter.is_ascii_digit())
        .take_while(|letter| letter.is_ascii_digit() || *letter == '.')
        .collect();
    digits.parse().expect("the cell begins with a number")
}

#[test]
fn the_ratios_of_the_table_are_those_of_its_times() {
    let (_, section) = README
        .split_once("## What it costs")
        .expect("there is a table");
    let (section, _) = section
        .split_once("\n## ")
        .expect("it is not the last section");
    let mut compared = 0;
    for row in section.lines().filter(|line| line.contains("µs")) {
        let cells: Vec<_> = row.trim_matches('|').split('|').skip(1).collect();
        let own = number(cells[0]);
        for cell in &cells[1..] {
            let Some((time, ratio)) = cell.split_once('(') else {
                continue;
            };
            let (time, told) = (number(time), number(ratio));
            let real = if ratio.starts_with("podsapi") {
                own / time
            } else {
                time / own
            };
            // Both are rounded for print.
            assert!(
                (real / told - 1.0).abs() < 0.08,
                "{row}: {real}, told {told}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 15, "{compared}");
}
