//! `serve`: from flags to a server that runs until it is told to stop.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use podsapi_client::DEFAULT_SOCKET;
use podsapi_core::{Config, DEFAULT_FAIR_PEERS};
use podsapi_h2::Limits;
use podsapi_proto::schema::SCHEMA_VERSION;
use podsapi_sources::{Reload, cri, manifests};
use podsapi_tokio::{
    BindError, Hangups, HttpBindError, Listener, ServeError, ServeOptions, SocketOptions,
    shutdown_signal,
};

use crate::addresses;
use crate::args::{CriEvents, NodeName, ServeArgs, SlowWatch};
use crate::config::{self as configuration, Settings};
use crate::failure::Failure;
use crate::log::{self, Log};
use crate::node::{self, RuntimeSource, Source};
use crate::reload::{Part, Reloading};
use crate::this_node::this_node;

/// Serves until SIGTERM or SIGINT; SIGHUP has it read anew what it has read.
///
/// Must be called before a runtime or thread starts: it takes over the listeners that a supervisor
/// passed by the environment.
pub(crate) fn serve(args: &ServeArgs) -> Result<(), Failure> {
    let NodeName(node_name) = match &args.node_name {
        Some(name) => name.clone(),
        None => this_node()?,
    };
    let sources = sources(args, &node_name)?;
    distinct(&args.sockets)?;
    let environment = ["LISTEN_FDS", "LISTEN_PID"].map(std::env::var_os);
    let [count, process] = environment.each_ref().map(Option::as_deref);
    passed_sockets(count, process, std::process::id())?;
    let inherited = Listener::inherited().map_err(|error| Failure::Start(error.to_string()))?;
    let log = log::start(args.log, args.log_format);
    let runtime = crate::runtime()?;
    // Before the first line of the log and before anything is made that has to go at the end: from
    // here on no signal ends the process by itself.
    let (stop, mut hangups) = runtime.block_on(async { (shutdown_signal(), Hangups::listen()) });
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        schema = SCHEMA_VERSION,
        node = node_name,
        "starting"
    );
    let witness = witness(args);
    let reload = Reload::new();
    let mut reloading = reloading(log, reload.clone());
    let served = runtime.block_on(async {
        let listeners = listeners(args, inherited)?;
        let max_connections = usize::try_from(args.max_connections.get()).unwrap_or(usize::MAX);
        let drain = Duration::from_secs(args.drain_seconds);
        let limits = Limits {
            max_connections,
            drain_timeout: drain,
            ..Limits::default()
        };
        let server = node::start(config(args), limits, sources, witness, &node_name, &reload);
        let options = ServeOptions {
            max_connections,
            drain,
            metrics: args.metrics.clone(),
            allow_shared_folder: args.allow_shared_socket_folder,
            ..ServeOptions::default()
        };
        let stop = async {
            let mut stop = pin!(stop);
            loop {
                tokio::select! {
                    () = &mut stop => break,
                    () = hangups.next() => {
                        tracing::info!(signal = "SIGHUP", "asked to read anew");
                        podsapi_tokio::notify_reload(|| reloading.reload());
                    }
                }
            }
        };
        podsapi_tokio::serve(server, listeners, options, stop)
            .await
            .map_err(|error| match &error {
                ServeError::Metrics {
                    cause: HttpBindError::Socket(cause),
                    ..
                } => not_made(&error, cause),
                ServeError::Open(_) | ServeError::Metrics { .. } | ServeError::Accept { .. } => {
                    Failure::Start(error.to_string())
                }
            })
    });
    // What waits for a disk or for a plugin that does not answer would otherwise be waited for.
    runtime.shutdown_timeout(LAST_WORDS);
    served
}

/// How long what is being written may take once all connections are closed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Returns what SIGHUP has read anew.
fn reloading(log: Log, sources: Reload) -> Reloading {
    let line: Vec<_> = std::env::args_os().collect();
    // It was read a moment ago; if it cannot be any more, all counts as changed.
    let started =
        configuration::read(line.clone()).map_or_else(|_| Settings::new(), |(_, now)| now);
    let mut reloading = Reloading::new(line, started);
    reloading.add(Part {
        name: "log",
        keys: &["log"],
        take: Box::new(move |args| match args {
            Some(args) => log.change(args.log).map(|()| true),
            None => Ok(false),
        }),
    });
    reloading.add(Part {
        name: "sources",
        keys: &[],
        take: Box::new(move |_args| {
            sources.wish();
            Ok(true)
        }),
    });
    reloading
}

fn sources(args: &ServeArgs, node_name: &str) -> Result<Vec<Source>, Failure> {
    let manifests = args.manifests.clone().map(|directory| {
        let mut options = manifests::Options::new(directory, node_name);
        options.release = args.kubelet_version;
        if let Some(told) = &args.kubelet_manifests_path {
            options.kubelet_directory.clone_from(told);
        }
        Source::Manifests(options)
    });
    let [kubelet, kubelet_http] = args.kubelet.sources()?;
    let apiserver = args.apiserver.source(node_name)?.map(Source::Apiserver);
    let snapshot = args.snapshot.clone().map(Source::Snapshot);
    let simulated = args.simulate.map(Source::Simulated);
    let sources: Vec<_> = [
        manifests,
        kubelet,
        kubelet_http,
        apiserver,
        snapshot,
        simulated,
    ]
    .into_iter()
    .flatten()
    .collect();
    if sources.is_empty() {
        return Err(Failure::Usage(NO_SOURCE.to_owned()));
    }
    Ok(sources)
}

/// Returns the runtime to look at, with the addresses of pods on the node's own network.
fn witness(args: &ServeArgs) -> Option<RuntimeSource> {
    let socket = args.cri.clone()?;
    let host_ips = if args.host_ips.is_empty() {
        addresses::own()
    } else {
        args.host_ips.clone()
    };
    if host_ips.is_empty() {
        tracing::warn!("this node has no address of its own; give --host-ip");
    }
    let options = cri::Options {
        period: Duration::from_secs(args.cri_period),
        events: match args.cri_events {
            CriEvents::Auto => cri::Events::Auto,
            CriEvents::Off => cri::Events::Off,
            CriEvents::On => cri::Events::On,
        },
        ..cri::Options::new(socket.0)
    };
    Some(RuntimeSource { options, host_ips })
}

const NO_SOURCE: &str = "no source of pods; give at least one:
  --manifests DIR     the static pods of a directory
  --kubelet SOCKET    the pods of a kubelet that has the Pods API, or of another podsapi
  --kubelet-http URL  the pods that a kubelet lists at /pods
  --apiserver [KUBECONFIG]
                      the pods that the API server bound to this node
  --snapshot FILE     the pods of a file, as kubectl get pods -o json prints them
  --simulate PODS[:CHANGES_PER_SECOND[:SEED]]
                      invented pods";

/// Refuses one socket named twice, which would be found in use by ourselves.
fn distinct(paths: &[PathBuf]) -> Result<(), Failure> {
    let mut seen: BTreeMap<PathBuf, &Path> = BTreeMap::new();
    for path in paths {
        if let Some(first) = seen.insert(real(path), path) {
            return Err(Failure::Usage(format!(
                "--socket {} and --socket {} are the same socket; name it once",
                first.display(),
                path.display()
            )));
        }
    }
    Ok(())
}

/// Returns the one spelling of a path: links followed in the part of its folder that exists.
fn real(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().skip(1).find_map(|folder| {
        let known = folder.canonicalize().ok()?;
        Some(known.join(whole.strip_prefix(folder).ok()?))
    });
    known.unwrap_or(whole)
}

/// Checks the number of sockets that a supervisor says it passed: taken for none, a wrong one would
/// have us listen elsewhere without a word. It is passed over where it is for another process.
fn passed_sockets(count: Option<&OsStr>, process: Option<&OsStr>, own: u32) -> Result<(), Failure> {
    let Some(count) = count.filter(|count| !count.is_empty()) else {
        return Ok(());
    };
    let for_us = process
        .filter(|process| !process.is_empty())
        .is_none_or(|process| process.to_str().and_then(|id| id.parse().ok()) == Some(own));
    let is_number = count
        .to_str()
        .is_some_and(|count| count.parse::<u16>().is_ok());
    if for_us && !is_number {
        return Err(Failure::Usage(format!(
            "LISTEN_FDS: expected the number of sockets that a supervisor passes, found {count:?}; \
             unset it to listen on --socket"
        )));
    }
    Ok(())
}

fn config(args: &ServeArgs) -> Config {
    Config {
        qps: args.qps,
        burst: args.burst,
        fair_peers: args.fair.then_some(DEFAULT_FAIR_PEERS),
        watch_buffer: args.watch_buffer,
        slow_watch: match args.slow_watch {
            SlowWatch::Coalesce => podsapi_core::SlowWatch::Coalesce,
            SlowWatch::End => podsapi_core::SlowWatch::End,
        },
        seed: podsapi_tokio::random_seed(),
        ..Config::default()
    }
}

/// Returns what to listen on: the sockets named, beside those that a supervisor passed; the default
/// only when there is neither.
fn listeners(args: &ServeArgs, inherited: Vec<Listener>) -> Result<Vec<Listener>, Failure> {
    let mut listeners = inherited;
    let mut paths = args.sockets.clone();
    if paths.is_empty() && listeners.is_empty() {
        paths.push(PathBuf::from(DEFAULT_SOCKET));
    }
    for path in paths {
        if args.kubelet.watches(&path) {
            let path = path.display();
            return Err(Failure::Usage(format!(
                "--kubelet {path} is where this server is to listen; give another --socket"
            )));
        }
        let options = SocketOptions {
            mode: args.socket_mode.map(|mode| mode.0),
            group: args.socket_group.clone(),
            allow_shared_folder: args.allow_shared_socket_folder,
            ..SocketOptions::new(path)
        };
        let bound = Listener::bind(&options);
        listeners.push(bound.map_err(|error| not_made(&error, &error))?);
    }
    Ok(listeners)
}

/// Returns the failure to make a socket, with the flag that would allow it if there is one.
fn not_made(error: &dyn fmt::Display, cause: &BindError) -> Failure {
    Failure::Start(match matches!(cause, BindError::SharedFolder { .. }) {
        true => format!("{error}, or give --allow-shared-socket-folder"),
        false => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_of_passed_sockets_is_refused_unless_it_is_for_another_process() {
        let refused = |count: &str, process: &str| {
            let [count, process] = [count, process].map(|text| Some(OsStr::new(text)));
            passed_sockets(count, process, 7).is_err()
        };
        for count in ["abc", "-1", "1x", "70000"] {
            assert!(refused(count, "7") && refused(count, ""), "{count}");
            assert!(!refused(count, "8") && !refused(count, "x"), "{count}");
        }
        assert!(!refused("2", "7") && !refused("0", "") && !refused("", "7"));
        assert!(passed_sockets(None, None, 7).is_ok());
    }

    #[test]
    fn one_socket_has_one_real_path_however_it_is_spelled() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::fs::create_dir(folder.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        let path = folder.path().join("real/new/s.sock");
        for same in [
            "real/./new/s.sock",
            "real/../link/new/s.sock",
            "link/new//s.sock",
        ] {
            let same = folder.path().join(same);
            assert!(distinct(&[path.clone(), same.clone()]).is_err(), "{same:?}");
        }
        assert!(distinct(&[path, folder.path().join("link/s.sock")]).is_ok());
        let here = [PathBuf::from("s.sock"), PathBuf::from("./s.sock")];
        assert!(distinct(&here).is_err());
    }
}
