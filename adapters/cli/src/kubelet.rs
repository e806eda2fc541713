//! The flags about a kubelet, and the sources that they mean together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ArgAction, Args};
use podsapi_sources::kubelet;
use podsapi_sources::kubelet_http::{Endpoint, Options, OptionsError, Trust};

use crate::args::{self, SOURCES};
use crate::failure::Failure;
use crate::node::Source;

#[derive(Args, Debug)]
pub(crate) struct KubeletArgs {
    /// Serve the pods of a kubelet that has the Pods API, or of another podsapi: one watch on its
    /// socket, whoever asks here
    #[arg(long, env = "PODSAPI_KUBELET", value_name = "SOCKET", value_parser = args::socket(),
          help_heading = SOURCES)]
    pub(crate) kubelet: Option<PathBuf>,
    /// How often the kubelet of --kubelet is asked for its list when its watch gives no cause to,
    /// every 1 to 3600 seconds: what it forgets without a word is gone here then
    #[arg(long, env = "PODSAPI_KUBELET_RESYNC", value_name = "SECONDS", default_value_t = 30,
          value_parser = clap::value_parser!(u64).range(1..=3_600), help_heading = SOURCES)]
    pub(crate) kubelet_resync: u64,
    /// Serve the pods that a kubelet without the Pods API lists at /pods; the port is 10255 for
    /// http and 10250 for https unless the URL has one
    #[arg(long, env = "PODSAPI_KUBELET_HTTP", value_name = "URL", help_heading = SOURCES)]
    pub(crate) kubelet_http: Option<Endpoint>,

    /// How long to wait after an answer before /pods is asked for again, 1 to 3600 seconds
    #[arg(long, env = "PODSAPI_KUBELET_PERIOD", value_name = "SECONDS", default_value_t = 10,
          value_parser = clap::value_parser!(u64).range(1..=3_600), help_heading = HTTP)]
    pub(crate) kubelet_period: u64,
    /// The file of a bearer token for the kubelet, read anew each time
    #[arg(long, env = "PODSAPI_KUBELET_TOKEN_FILE", value_name = "FILE", help_heading = HTTP)]
    pub(crate) kubelet_token_file: Option<PathBuf>,
    /// The authorities (PEM) of which one signed the kubelet's certificate, read anew each time
    #[arg(long, env = "PODSAPI_KUBELET_CA_FILE", value_name = "FILE", help_heading = HTTP)]
    pub(crate) kubelet_ca_file: Option<PathBuf>,
    /// Accept any certificate: whoever answers is believed, and is told the token
    #[arg(long, env = "PODSAPI_KUBELET_INSECURE_TLS", value_name = "true|false",
          action = ArgAction::Set, num_args = 0..=1, require_equals = true,
          default_value_t = false, default_missing_value = "true", hide_possible_values = true,
          help_heading = HTTP)]
    pub(crate) kubelet_insecure_tls: bool,
}

impl KubeletArgs {
    /// Returns the sources that the flags name.
    pub(crate) fn sources(&self) -> Result<[Option<Source>; 2], Failure> {
        let kubelet = self.kubelet.clone().map(|socket| {
            let mut options = kubelet::Options::new(socket);
            options.resync = Duration::from_secs(self.kubelet_resync);
            Source::Kubelet(options)
        });
        Ok([kubelet, self.http()?.map(Source::KubeletHttp)])
    }

    /// Returns whether the pods would come from the socket at which they are served.
    pub(crate) fn watches(&self, socket: &Path) -> bool {
        self.kubelet.as_ref().is_some_and(|upstream| {
            let real = |path: &Path| std::fs::canonicalize(path).ok();
            upstream == socket || (real(upstream).is_some() && real(upstream) == real(socket))
        })
    }

    fn http(&self) -> Result<Option<Options>, Failure> {
        let token_file = self.kubelet_token_file.clone();
        let trust = match (&self.kubelet_ca_file, self.kubelet_insecure_tls) {
            (Some(_), true) => return Err(usage(BOTH)),
            (Some(file), false) => Some(Trust::AuthoritiesIn(file.clone())),
            (None, true) => Some(Trust::AnyCertificate),
            (None, false) => None,
        };
        let Some(endpoint) = self.kubelet_http.clone() else {
            return match (token_file, trust) {
                (None, None) => Ok(None),
                (Some(_), _) | (None, Some(_)) => Err(usage(NO_URL)),
            };
        };
        let mut options = Options::new(endpoint, token_file, trust).map_err(|error| {
            usage(match error {
                OptionsError::HttpsWithoutTrust => NO_TRUST,
                OptionsError::TokenWithoutHttps => PLAIN_TOKEN,
                OptionsError::TrustWithoutHttps => PLAIN_TRUST,
            })
        })?;
        options.period = Duration::from_secs(self.kubelet_period);
        Ok(Some(options))
    }
}

fn usage(text: &str) -> Failure {
    Failure::Usage(text.to_owned())
}

const HTTP: &str = "With --kubelet-http";

const BOTH: &str = "--kubelet-ca-file and --kubelet-insecure-tls exclude each other: either the \
                    kubelet's certificate is checked or it is not";
const NO_TRUST: &str = "--kubelet-http with https needs --kubelet-ca-file FILE, the authorities of \
                        the kubelet's certificate (or --kubelet-insecure-tls to accept any)";
const NO_URL: &str = "--kubelet-token-file, --kubelet-ca-file and --kubelet-insecure-tls belong to \
                      --kubelet-http URL, which is not given";
const PLAIN_TOKEN: &str = "--kubelet-token-file needs an https URL in --kubelet-http: over http \
                           everybody on the way could read the token";
const PLAIN_TRUST: &str = "--kubelet-ca-file and --kubelet-insecure-tls need an https URL in \
                           --kubelet-http";

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn args(flags: &[&str]) -> KubeletArgs {
        let line = ["podsapi", "serve"].iter().chain(flags);
        let Command::Serve(serve) = Cli::try_parse_from(line).unwrap().command else {
            panic!("expected serve")
        };
        serve.kubelet
    }

    #[test]
    fn flags_that_do_not_go_together_are_refused_by_their_names() {
        const HTTP: &str = "--kubelet-http=http://127.0.0.1:10255";
        const HTTPS: &str = "--kubelet-http=https://127.0.0.1:10250";
        const TOKEN: &str = "--kubelet-token-file=/t";
        const CA: &str = "--kubelet-ca-file=/c";
        const INSECURE: &str = "--kubelet-insecure-tls";
        for (flags, expected) in [
            (&[HTTPS][..], NO_TRUST),
            (&[HTTPS, TOKEN], NO_TRUST),
            (&[HTTPS, CA, INSECURE], BOTH),
            (&[HTTP, TOKEN], PLAIN_TOKEN),
            (&[HTTP, CA], PLAIN_TRUST),
            (&[HTTP, INSECURE], PLAIN_TRUST),
            (&[TOKEN], NO_URL),
            (&[INSECURE], NO_URL),
        ] {
            let error = args(flags).sources().unwrap_err();
            assert_eq!(error.to_string(), expected, "{flags:?}");
            assert_eq!(error.exit_code(), 2);
        }
        for flags in [
            &[HTTP][..],
            &[HTTPS, CA],
            &[HTTPS, CA, TOKEN],
            &[HTTPS, INSECURE, TOKEN],
            &[HTTPS, "--kubelet-insecure-tls=false", CA],
        ] {
            let [none, http] = args(flags).sources().unwrap();
            assert!(none.is_none() && http.is_some(), "{flags:?}");
        }
    }

    #[test]
    fn both_kinds_of_kubelet_combine() {
        let both = args(&["--kubelet", "/k", "--kubelet-http", "http://k"]);
        assert!(both.sources().unwrap().iter().all(Option::is_some));
        assert!(args(&[]).sources().unwrap().iter().all(Option::is_none));
    }

    #[test]
    fn an_upstream_is_recognised_as_the_own_socket_through_links_too() {
        let directory = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| directory.path().join(name));
        let other = directory.path().join("other");
        let args = args(&["--kubelet", link.to_str().unwrap()]);
        assert!(args.watches(&link));
        assert!(!args.watches(&real));
        std::fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert!(args.watches(&real));
        assert!(!args.watches(&other));
    }
}
