//! The flags about an API server, and the source that they mean together.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use podsapi_sources::apiserver::{Checkpoint, Cluster, Options};

use crate::args::SOURCES;
use crate::failure::Failure;

#[derive(Args, Debug)]
pub(crate) struct ApiserverArgs {
    /// Serve the pods that the API server bound to --node-name: that of the current context of this
    /// kubeconfig, or without a file (or as in-cluster) that of the cluster that this is a pod of
    #[arg(long, env = "PODSAPI_APISERVER", value_name = "KUBECONFIG", num_args = 0..=1,
          default_missing_value = IN_CLUSTER, help_heading = SOURCES)]
    pub(crate) apiserver: Option<Kubeconfig>,

    /// Over how long, 1 to 3600 seconds, a first new attempt is spread when the API server was lost, so
    /// that many nodes do not come back together; later attempts wait longer, up to 30 seconds or this
    #[arg(long, env = "PODSAPI_API_BACKOFF", value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3_600), help_heading = APISERVER)]
    pub(crate) api_backoff: u64,
    /// Keep the pods in this file, for a restart while the API server is away; readable by this
    /// user alone. A change is written within ten seconds, and when the server ends
    #[arg(long, env = "PODSAPI_CHECKPOINT", value_name = "FILE", help_heading = APISERVER)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// How long to wait, at most 86400 seconds, for the API server's list before the pods of
    /// --checkpoint are served, marked as stale
    #[arg(long, env = "PODSAPI_CHECKPOINT_AFTER", value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(..=86_400), help_heading = APISERVER)]
    pub(crate) checkpoint_after: u64,
}

impl ApiserverArgs {
    /// Returns the source that the flags name, for this node.
    pub(crate) fn source(&self, node_name: &str) -> Result<Option<Options>, Failure> {
        let checkpoint = self.checkpoint.clone().map(|file| Checkpoint {
            file,
            after: Duration::from_secs(self.checkpoint_after),
        });
        let Some(Kubeconfig(cluster)) = self.apiserver.clone() else {
            return match checkpoint {
                None => Ok(None),
                Some(_) => Err(Failure::Usage(NO_APISERVER.to_owned())),
            };
        };
        Ok(Some(Options {
            backoff: Duration::from_secs(self.api_backoff),
            checkpoint,
            ..Options::new(cluster, node_name)
        }))
    }
}

/// What leads to the API server: a file, or that this is a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kubeconfig(Cluster);

impl FromStr for Kubeconfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "" => Err(format!("expected a file, or {IN_CLUSTER}")),
            IN_CLUSTER => Ok(Self(Cluster::OfThisPod)),
            file => Ok(Self(Cluster::Kubeconfig(PathBuf::from(file)))),
        }
    }
}

const APISERVER: &str = "With --apiserver";

/// A file of this name is `./in-cluster`.
const IN_CLUSTER: &str = "in-cluster";

const NO_APISERVER: &str = "--checkpoint keeps the pods of --apiserver, which is not given";

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn source(flags: &[&str]) -> Result<Option<Options>, String> {
        let line = ["podsapi", "serve"].iter().chain(flags);
        let cli = Cli::try_parse_from(line).map_err(|error| error.to_string())?;
        let Command::Serve(serve) = cli.command else {
            panic!("expected serve")
        };
        let source = serve.apiserver.source("n");
        source.map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_cluster_is_that_of_a_file_or_of_this_pod() {
        let cluster = |flags: &[&str]| source(flags).unwrap().unwrap().cluster;
        let file = |name: &str| Cluster::Kubeconfig(PathBuf::from(name));
        for in_cluster in [
            &["--apiserver"][..],
            &["--apiserver", "--api-backoff", "5"],
            &["--apiserver=in-cluster"],
        ] {
            assert_eq!(cluster(in_cluster), Cluster::OfThisPod, "{in_cluster:?}");
        }
        assert_eq!(cluster(&["--apiserver", "/a/config"]), file("/a/config"));
        assert_eq!(cluster(&["--apiserver=./in-cluster"]), file("./in-cluster"));
        assert_eq!(source(&[]), Ok(None));
        assert!(
            source(&["--apiserver="])
                .unwrap_err()
                .contains("expected a file, or in-cluster")
        );
    }

    #[test]
    fn a_checkpoint_belongs_to_an_api_server() {
        let given = source(&["--apiserver", "--checkpoint=/f", "--checkpoint-after=0"]);
        let expected = Checkpoint {
            file: PathBuf::from("/f"),
            after: Duration::ZERO,
        };
        assert_eq!(given.unwrap().unwrap().checkpoint, Some(expected));
        assert_eq!(source(&["--checkpoint=/f"]), Err(NO_APISERVER.to_owned()));
    }
}
