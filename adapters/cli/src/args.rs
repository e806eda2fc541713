//! The command line: subcommands, flags and their help.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use podsapi_client::DEFAULT_SOCKET;
use podsapi_proto::schema::SCHEMA_VERSION;
use podsapi_sources::manifests::KubeletRelease;
use podsapi_tokio::MetricsAddress;

use crate::apiserver::ApiserverArgs;
use crate::kubelet::KubeletArgs;
use crate::output::{Extent, Layout};

mod values;

pub(crate) use values::{NodeName, RuntimeSocket, Simulation, SocketMode, kubelet_path, socket};

/// Serves and reads the Kubelet Pods API.
#[derive(Debug, Parser)]
#[command(name = "podsapi", version = VERSION.as_str(), about, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask the server how it is: what it waits for, its sources, pods and watches
    ///
    /// Ends with 0 only when the server is ready. PROBLEMS counts what was ever wrong with a source
    /// since the server started, and only grows; LAST ERROR is what is wrong now.
    Check(CheckArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell that will read the script
        shell: clap_complete::Shell,
    },
    /// Serve a simulated node on a temporary socket and watch it
    Demo(DemoArgs),
    /// Print one pod
    Get(GetArgs),
    /// Print all pods of the node
    List(ReadArgs),
    /// Try a field mask on a pod: what it selects and what that saves, or what is wrong with it
    ///
    /// A mask names fields as the pod's JSON does, separated by commas: status.phase,status.podIPs.
    /// Lists are passed through (spec.containers.name), a name of a map entry may stand in
    /// backquotes (metadata.labels.`app.kubernetes.io/name`), * is everything.
    Mask(MaskArgs),
    /// Serve pods on a UNIX socket
    ///
    /// Every flag is also a key of the --config file, spelled the same without the dashes in
    /// front, and an environment variable, PODSAPI_ with the flag in capitals and _ for -. Lists
    /// are separated by commas. Flags win over the environment, which wins over the file. A variable
    /// that is empty counts as not set.
    Serve(Box<ServeArgs>),
    /// Print pods and then their changes, until interrupted; survives restarts of the server
    ///
    /// After a restart only what changed meanwhile is printed. A pod that is gone is printed as it
    /// was last known: in tables with the status Deleted, in JSON with the type DELETED. In
    /// JSON, YAML and protobuf the end of each replay of the node, the first and the one after every
    /// reconnect, is an event of its own, without a pod.
    Watch(ReadArgs),
}

/// Where the server listens.
#[derive(Args, Clone, Debug)]
pub(crate) struct SocketArgs {
    /// The server's UNIX socket: a path, or `unix:///PATH`
    #[arg(long = "socket", env = "PODSAPI_SOCKET", value_name = "PATH", value_delimiter = ',',
          num_args = 1, default_value = DEFAULT_SOCKET, value_parser = socket())]
    sockets: Vec<PathBuf>,
}

impl SocketArgs {
    /// Returns the arguments that name this socket.
    pub(crate) fn of(path: PathBuf) -> Self {
        Self {
            sockets: vec![path],
        }
    }

    /// Returns the socket to dial: of a list, which a server may have been given, the first.
    pub(crate) fn path(&self) -> PathBuf {
        self.sockets
            .first()
            .cloned()
            .unwrap_or_else(|| PathBuf::from(DEFAULT_SOCKET))
    }
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) socket: SocketArgs,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArgs {
    /// Print the list once and end
    #[arg(long)]
    pub(crate) once: bool,
}

#[derive(Args, Debug)]
pub(crate) struct GetArgs {
    /// The pod's UID, or NAMESPACE/NAME, or with --namespace its name
    #[arg(value_name = "UID | NAMESPACE/NAME")]
    pub(crate) pod: String,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct ReadArgs {
    #[command(flatten)]
    pub(crate) socket: SocketArgs,
    /// Only pods of this namespace; all namespaces when absent
    #[arg(short, long)]
    pub(crate) namespace: Option<String>,
    /// How to print
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    pub(crate) output: Format,
    /// Ask only for these fields, as in status.phase,status.podIPs; may be given more than once
    ///
    /// With -o json, yaml or protobuf; name, namespace and UID always come along. The other formats
    /// ask by themselves for just what they print, and refuse this flag. See podsapi mask --help.
    #[arg(long, value_name = "MASK")]
    pub(crate) fields: Vec<String>,
    /// Send --fields without a check, for a server that knows newer fields
    #[arg(long, requires = "fields")]
    pub(crate) fields_unchecked: bool,
}

#[derive(Args, Debug)]
pub(crate) struct MaskArgs {
    /// The mask; several are joined, as several headers of one call are. - reads lines from
    /// standard input
    #[arg(required = true, value_name = "MASK")]
    pub(crate) masks: Vec<String>,
    /// The pod to try it on, as JSON or YAML; a simulated one when absent
    #[arg(long, value_name = "FILE")]
    pub(crate) pod: Option<PathBuf>,
    /// How to print
    #[arg(short, long, value_enum, default_value_t = MaskFormat::Text)]
    pub(crate) output: MaskFormat,
}

/// How a tried mask is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MaskFormat {
    /// The mask in its canonical form, what each path selects, and the bytes before and after
    Text,
    /// What is left of the pod
    Json,
}

impl ReadArgs {
    /// Returns the columns that a table has.
    pub(crate) fn layout(&self) -> Layout {
        Layout {
            extent: match self.fields.is_empty() {
                true => Extent::Whole,
                false => Extent::Part,
            },
            namespaces: self.namespace.is_none(),
            wide: self.output == Format::Wide,
        }
    }
}

/// How pods are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// NAME, READY, STATUS, RESTARTS, AGE
    Table,
    /// As table, with IP and UID
    Wide,
    /// A List for list, a Pod for get, an object with type and object a line for watch; whole pods
    /// with the zeros that Go prints, with --fields what was asked for and is there
    Json,
    /// As JSON, in YAML; one document an event for watch
    Yaml,
    /// pod/NAME
    Name,
    /// The encoded response; for watch its events, each behind its length
    Protobuf,
}

/// What to do with a watch that does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SlowWatch {
    /// End it, with a status that says to watch again
    End,
    /// Keep only the newest state of each pod for it
    Coalesce,
}

/// Whether to take a runtime's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CriEvents {
    /// Unless the runtime gives each event to one reader only
    Auto,
    /// Whatever the runtime
    On,
    /// Ask every --cri-period only
    Off,
}

/// The least serious messages to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// How log messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Where to listen, a path or `unix:///PATH`; may be given more than once. By default the
    /// listeners that a supervisor passed, or else /var/lib/kubelet/pods-api/pods-api.sock
    #[arg(
        long = "socket",
        env = "PODSAPI_SOCKET",
        value_name = "PATH",
        value_delimiter = ',',
        num_args = 1,
        value_parser = socket()
    )]
    pub(crate) sockets: Vec<PathBuf>,
    /// The node whose pods these are, in lower case as a kubelet has it; by default this machine's
    /// host name
    #[arg(long, env = "PODSAPI_NODE_NAME", value_name = "NAME")]
    pub(crate) node_name: Option<NodeName>,

    /// Serve the static pods of this directory, or of this one file, as a kubelet would run them
    #[arg(long, env = "PODSAPI_MANIFESTS", value_name = "DIR", help_heading = SOURCES)]
    pub(crate) manifests: Option<PathBuf>,
    /// The same directory as the kubelet has it (staticPodPath), which is part of the pods' UIDs: an
    /// absolute path, for where --manifests has another, as in a container that mounts it elsewhere
    #[arg(long, env = "PODSAPI_KUBELET_MANIFESTS_PATH", value_name = "DIR",
          value_parser = kubelet_path(), help_heading = SOURCES)]
    pub(crate) kubelet_manifests_path: Option<PathBuf>,
    /// The kubelet's minor release, 1.33 to 1.37 (or as a kubelet says it, v1.37.2), of which static
    /// pods have their UIDs; by default the one that the runtime or --kubelet shows to fit, or else the
    /// newest
    #[arg(long, env = "PODSAPI_KUBELET_VERSION", value_name = "MINOR", help_heading = SOURCES)]
    pub(crate) kubelet_version: Option<KubeletRelease>,
    #[command(flatten)]
    pub(crate) apiserver: ApiserverArgs,
    #[command(flatten)]
    pub(crate) kubelet: KubeletArgs,
    /// Serve the pods of this file, as kubectl get pods -o json (or yaml) prints them
    #[arg(long, env = "PODSAPI_SNAPSHOT", value_name = "FILE", help_heading = SOURCES)]
    pub(crate) snapshot: Option<PathBuf>,
    /// Serve invented pods; the same seed gives the same history
    #[arg(long, env = "PODSAPI_SIMULATE", value_name = "PODS[:CHANGES_PER_SECOND[:SEED]]",
          help_heading = SOURCES)]
    pub(crate) simulate: Option<Simulation>,

    /// Show the pods' state as the container runtime on this socket has it (CRI v1), as in
    /// /run/containerd/containerd.sock. Owns no pods: give a source of pods beside it
    #[arg(long, env = "PODSAPI_CRI", value_name = "SOCKET", help_heading = RUNTIME)]
    pub(crate) cri: Option<RuntimeSocket>,
    /// How often the runtime is asked, beside its events: every 1 to 3600 seconds
    #[arg(long, env = "PODSAPI_CRI_PERIOD", value_name = "SECONDS", default_value_t = 1,
          value_parser = clap::value_parser!(u64).range(1..=3_600), help_heading = RUNTIME)]
    pub(crate) cri_period: u64,
    /// Whether to take the runtime's events; auto leaves those of containerd before 2 alone, which
    /// gives each event to one reader only, and so not to a kubelet
    #[arg(long, env = "PODSAPI_CRI_EVENTS", value_enum, default_value_t = CriEvents::Auto,
          help_heading = RUNTIME)]
    pub(crate) cri_events: CriEvents,
    /// An address of this node, for pods on its own network; may be given more than once. By
    /// default the addresses that this machine sends from
    #[arg(long = "host-ip", env = "PODSAPI_HOST_IP", value_name = "IP", value_delimiter = ',',
          num_args = 1, help_heading = RUNTIME)]
    pub(crate) host_ips: Vec<IpAddr>,

    /// ListPods and GetPod calls a second; 0 for no limit
    #[arg(long, env = "PODSAPI_QPS", value_name = "N", default_value_t = 100, help_heading = LIMITS)]
    pub(crate) qps: u32,
    /// Calls at once above that rate
    #[arg(long, env = "PODSAPI_BURST", value_name = "N", default_value = "10",
          help_heading = LIMITS)]
    pub(crate) burst: NonZeroU32,
    /// Give each user that connects a rate of its own, and at most a quarter of all watches, so that
    /// none can use up what others need
    #[arg(long, env = "PODSAPI_FAIR", value_name = "true|false", action = ArgAction::Set,
          num_args = 0..=1, require_equals = true, default_value_t = false,
          default_missing_value = "true", hide_possible_values = true, help_heading = LIMITS)]
    pub(crate) fair: bool,
    /// Events kept for a watch that does not read
    #[arg(long, env = "PODSAPI_WATCH_BUFFER", value_name = "EVENTS", default_value = "100",
          help_heading = LIMITS)]
    pub(crate) watch_buffer: NonZeroU32,
    /// What to do with a watch whose buffer is full
    #[arg(long, env = "PODSAPI_SLOW_WATCH", value_enum, default_value_t = SlowWatch::End,
          help_heading = LIMITS)]
    pub(crate) slow_watch: SlowWatch,
    /// Connections at once
    #[arg(long, env = "PODSAPI_MAX_CONNECTIONS", value_name = "N", default_value = "512",
          help_heading = LIMITS)]
    pub(crate) max_connections: NonZeroU32,
    /// How long calls may go on after a signal to stop, at most 86400 seconds
    #[arg(long, env = "PODSAPI_DRAIN_SECONDS", value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(..=86_400), help_heading = LIMITS)]
    pub(crate) drain_seconds: u64,

    /// The socket's mode, in octal; 0600 by default, 0660 with --socket-group
    #[arg(long, env = "PODSAPI_SOCKET_MODE", value_name = "MODE", help_heading = ACCESS)]
    pub(crate) socket_mode: Option<SocketMode>,
    /// The group that may open the socket, by name or number
    #[arg(long, env = "PODSAPI_SOCKET_GROUP", value_name = "GROUP", help_heading = ACCESS)]
    pub(crate) socket_group: Option<String>,
    /// Make sockets also where others may put theirs in the same place: in a folder of another
    /// user, or one that a group or everybody may write without the sticky bit, such as an emptyDir
    /// volume
    #[arg(long, env = "PODSAPI_ALLOW_SHARED_SOCKET_FOLDER", value_name = "true|false",
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", hide_possible_values = true,
          help_heading = ACCESS)]
    pub(crate) allow_shared_socket_folder: bool,

    /// Serve /metrics and /healthz at an address and port, or on a UNIX socket
    #[arg(long, env = "PODSAPI_METRICS", value_name = "ADDR_OR_PATH", help_heading = OBSERVE)]
    pub(crate) metrics: Option<MetricsAddress>,
    /// The least serious messages to log
    #[arg(long, env = "PODSAPI_LOG", value_enum, default_value_t = Level::Info, value_name = "LEVEL",
          help_heading = OBSERVE)]
    pub(crate) log: Level,
    /// How to write log messages, which go to standard error
    #[arg(long, env = "PODSAPI_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text,
          help_heading = OBSERVE)]
    pub(crate) log_format: LogFormat,

    /// A TOML file with any of these flags as keys
    #[arg(long, env = "PODSAPI_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

pub(crate) const SOURCES: &str = "Pod sources (at least one; they combine)";
const RUNTIME: &str = "Container runtime";
const LIMITS: &str = "Limits";
const ACCESS: &str = "Access";
const OBSERVE: &str = "Observation";

/// The version of this program, and of the pods it understands.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} (pods of Kubernetes {SCHEMA_VERSION})",
        env!("CARGO_PKG_VERSION")
    )
});

const EXIT_CODES: &str = "\
Exit codes:
  0  done (check: the server is ready)
  1  the server refused, or could not start (check: it is not ready)
  2  wrong usage or configuration
  3  cannot connect to the server, or it does not answer

PODSAPI_SOCKET names the socket for all commands; empty, it counts as not set.";

#[cfg(test)]
mod tests;
