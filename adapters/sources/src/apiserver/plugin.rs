//! The credentials plugin of a kubeconfig's user (exec): run bounded in time and output, seldom.
//!
//! The rules are those of client-go's plugin/pkg/client/auth/exec: what is printed must have a
//! token, or a certificate with its key, and must be of the version that the kubeconfig asks for.
//! It is kept until it expires, or until the server refuses it. What a plugin prints is never told.

use std::fmt;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;
use k8s_openapi::serde_json::json;
use kube::config::{ExecConfig, ExecInteractiveMode};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use podsapi_proto::json::{Map, Value, parse_json, parse_yaml};

use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;

use crate::tree;

/// What a plugin printed.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) token: Option<String>,
    /// A certificate and its key, both in PEM.
    pub(super) certificate: Option<(String, String)>,
    expires: Option<Timestamp>,
}

/// Why there are no credentials.
#[derive(Debug)]
pub(super) enum PluginError {
    Interactive,
    NoCommand,
    NoClusterInfo,
    NotStarted(io::Error),
    NotRead(io::Error),
    TimedOut,
    Failed(ExitStatus),
    TooLong,
    NoCredentials,
    NeitherTokenNorCertificate,
    HalfACertificate,
    OtherVersion,
    Expiry,
}

impl Credentials {
    /// Whether they can be used for some time yet.
    pub(super) fn are_fresh(&self) -> bool {
        let soon = Timestamp::now() + MARGIN;
        self.expires.is_none_or(|expires| soon < expires)
    }
}

/// Runs the plugin, and ends it with its children when it takes too long or nobody waits any more.
///
/// # Errors
///
/// When it cannot be run or prints no credentials.
pub(super) async fn run(plugin: &ExecConfig) -> Result<Credentials, PluginError> {
    run_within(plugin, TIME_LIMIT).await
}

async fn run_within(plugin: &ExecConfig, limit: Duration) -> Result<Credentials, PluginError> {
    let mut command = command(plugin)?;
    let mut child = command.spawn().map_err(PluginError::NotStarted)?;
    let group = child.id().and_then(|id| i32::try_from(id).ok());
    // With its children, which may be what it waits for.
    let _ended = Group(group.map(Pid::from_raw));
    let output = child.stdout.take();
    let running = async {
        let mut printed = Vec::new();
        if let Some(output) = output {
            let mut output = output.take(OUTPUT_LIMIT_BYTES + 1);
            let read = output.read_to_end(&mut printed).await;
            read.map_err(PluginError::NotRead)?;
        }
        if printed.len() as u64 > OUTPUT_LIMIT_BYTES {
            return Err(PluginError::TooLong);
        }
        let status = child.wait().await.map_err(PluginError::NotRead)?;
        match status.success() {
            true => Ok(printed),
            false => Err(PluginError::Failed(status)),
        }
    };
    let printed = timeout(limit, running).await;
    read(&printed.map_err(|_| PluginError::TimedOut)??, plugin)
}

fn command(plugin: &ExecConfig) -> Result<Command, PluginError> {
    if plugin.interactive_mode == Some(ExecInteractiveMode::Always) {
        return Err(PluginError::Interactive);
    }
    let name = plugin.command.as_deref().filter(|name| !name.is_empty());
    let mut command = Command::new(name.ok_or(PluginError::NoCommand)?);
    command.args(plugin.args.iter().flatten());
    for variable in plugin.env.iter().flatten() {
        if let (Some(name), Some(value)) = (variable.get("name"), variable.get("value")) {
            command.env(name, value);
        }
    }
    let mut spec = json!({ "interactive": false });
    if plugin.provide_cluster_info {
        let cluster = plugin.cluster.as_ref().ok_or(PluginError::NoClusterInfo)?;
        spec["cluster"] = json!(cluster);
    }
    let told = json!({
        "apiVersion": plugin.api_version,
        "kind": "ExecCredential",
        "spec": spec,
    });
    command.env("KUBERNETES_EXEC_INFO", told.to_string());
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped());
    // It may tell secrets there, too.
    command.stderr(Stdio::null());
    command.process_group(0);
    command.kill_on_drop(true);
    Ok(command)
}

fn read(printed: &[u8], plugin: &ExecConfig) -> Result<Credentials, PluginError> {
    let tree = match parse_json(printed) {
        Ok(tree) => tree,
        // As in client-go, which takes both.
        Err(_) => match parse_yaml(printed).map(|documents| documents.into_iter().next()) {
            Ok(Some(tree)) => tree,
            Ok(None) | Err(_) => return Err(PluginError::NoCredentials),
        },
    };
    let printed = tree.as_map().ok_or(PluginError::NoCredentials)?;
    if tree::text(printed, "kind") != "ExecCredential" {
        return Err(PluginError::NoCredentials);
    }
    if tree::text(printed, "apiVersion") != plugin.api_version.as_deref().unwrap_or_default() {
        return Err(PluginError::OtherVersion);
    }
    let status = tree::inner(printed, "status").ok_or(PluginError::NoCredentials)?;
    let certificate = match (
        said(status, "clientCertificateData"),
        said(status, "clientKeyData"),
    ) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (Some(_), None) | (None, Some(_)) => return Err(PluginError::HalfACertificate),
    };
    let token = said(status, "token");
    if token.is_none() && certificate.is_none() {
        return Err(PluginError::NeitherTokenNorCertificate);
    }
    let expires = match tree::given(status, "expirationTimestamp").map(Value::as_str) {
        None => None,
        Some(Some(text)) => Some(text.parse().map_err(|_| PluginError::Expiry)?),
        Some(None) => return Err(PluginError::Expiry),
    };
    Ok(Credentials {
        token,
        certificate,
        expires,
    })
}

fn said(status: &Map, key: &str) -> Option<String> {
    let text = tree::text(status, key);
    (!text.is_empty()).then(|| text.to_owned())
}

/// A group of processes, which ends with this.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // There may be none left.
            let _gone = killpg(group, Signal::SIGKILL);
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const PLUGIN: &str = "the credentials plugin of the kubeconfig's user (exec)";
        const SEE: &str = "run its command by hand to see what it prints";
        match self {
            Self::Interactive => write!(
                f,
                "{PLUGIN} wants to ask a person (interactiveMode: Always); give a user that needs \
                 none"
            ),
            Self::NoCommand => write!(f, "{PLUGIN} has no command"),
            Self::NoClusterInfo => write!(
                f,
                "{PLUGIN} wants to be told of the cluster (provideClusterInfo), and the kubeconfig \
                 has none"
            ),
            Self::NotStarted(error) => write!(
                f,
                "{PLUGIN} cannot be started: {error}; is its command installed on this node?"
            ),
            Self::NotRead(error) => write!(f, "{PLUGIN} cannot be read: {error}"),
            Self::TimedOut => write!(
                f,
                "{PLUGIN} printed nothing whole within {} s and was ended with its children; run \
                 its command by hand to see what it waits for",
                TIME_LIMIT.as_secs()
            ),
            Self::Failed(status) => write!(
                f,
                "{PLUGIN} failed: {status}; run its command by hand to see why"
            ),
            Self::TooLong => write!(
                f,
                "{PLUGIN} printed more than {} KiB and was ended; {SEE}",
                OUTPUT_LIMIT_BYTES >> 10
            ),
            Self::NoCredentials => write!(
                f,
                "{PLUGIN} printed no credentials: expected an ExecCredential with a status; {SEE}"
            ),
            Self::NeitherTokenNorCertificate => write!(
                f,
                "{PLUGIN} printed no credentials: expected a token, or a client certificate and \
                 its key, in status; {SEE}"
            ),
            Self::HalfACertificate => write!(
                f,
                "{PLUGIN} printed a client certificate or a key alone: expected both, \
                 clientCertificateData and clientKeyData; {SEE}"
            ),
            Self::OtherVersion => write!(
                f,
                "{PLUGIN} printed credentials of another apiVersion than that of its exec in the \
                 kubeconfig; set both to one"
            ),
            Self::Expiry => write!(
                f,
                "{PLUGIN} printed an expirationTimestamp that is no time: expected \
                 2006-01-02T15:04:05Z; {SEE}"
            ),
        }
    }
}

impl std::error::Error for PluginError {}

/// As long as a person would wait; plugins ask a service over the network.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A hundred times a token of 10 KiB.
const OUTPUT_LIMIT_BYTES: u64 = 1 << 20;

/// Before they expire, so that they do not on the way.
const MARGIN: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "client.authentication.k8s.io/v1";

    fn shell(script: &str) -> ExecConfig {
        ExecConfig {
            api_version: Some(VERSION.to_owned()),
            command: Some("sh".to_owned()),
            args: Some(vec!["-c".to_owned(), script.to_owned()]),
            env: None,
            drop_env: None,
            install_hint: None,
            interactive_mode: None,
            provide_cluster_info: false,
            cluster: None,
            other: Default::default(),
        }
    }

    fn printed(status: &str) -> Result<Credentials, PluginError> {
        let text = format!(r#"{{"apiVersion":"{VERSION}","kind":"ExecCredential",{status}}}"#);
        read(text.as_bytes(), &shell(""))
    }

    #[test]
    fn what_a_plugin_prints_is_taken_or_refused_as_client_go_does() {
        let token = printed(r#""status":{"token":"t"}"#).unwrap();
        assert_eq!(token.token.as_deref(), Some("t"));
        assert!(token.are_fresh());
        let old = r#""status":{"token":"t","expirationTimestamp":"2020-01-01T00:00:00Z"}"#;
        assert!(!printed(old).unwrap().are_fresh());
        let new = r#""status":{"token":"t","expirationTimestamp":"2999-01-01T00:00:00+01:00"}"#;
        assert!(printed(new).unwrap().are_fresh());
        let both = r#""status":{"clientCertificateData":"c","clientKeyData":"k"}"#;
        let both = printed(both).unwrap().certificate;
        assert_eq!(both, Some(("c".to_owned(), "k".to_owned())));
        for (status, expected) in [
            (r#""spec":{}"#, "with a status"),
            (r#""status":null"#, "with a status"),
            (r#""status":{}"#, "expected a token, or"),
            (r#""status":{"token":""}"#, "expected a token, or"),
            (r#""status":{"clientKeyData":"k"}"#, "or a key alone"),
            (
                r#""status":{"token":"t","clientCertificateData":"c"}"#,
                "or a key alone",
            ),
            (
                r#""status":{"token":"t","expirationTimestamp":"soon"}"#,
                "that is no time",
            ),
            (
                r#""status":{"token":"t","expirationTimestamp":7}"#,
                "that is no time",
            ),
        ] {
            let error = printed(status).unwrap_err().to_string();
            assert!(error.contains(expected), "{status}: {error}");
        }
        let other = r#"{"apiVersion":"client.authentication.k8s.io/v1beta1",
            "kind":"ExecCredential","status":{"token":"t"}}"#;
        let error = read(other.as_bytes(), &shell("")).unwrap_err();
        assert!(matches!(error, PluginError::OtherVersion), "{error}");
        let yaml = format!("apiVersion: {VERSION}\nkind: ExecCredential\nstatus: {{token: t}}\n");
        assert_eq!(read(yaml.as_bytes(), &shell("")).unwrap(), token);
    }

    #[tokio::test]
    async fn one_that_hangs_is_ended_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("child");
        let script = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        // Long enough for the shell to say who its child is, on a busy machine.
        let hangs = run_within(&shell(&script), Duration::from_secs(5)).await;
        assert!(matches!(hangs, Err(PluginError::TimedOut)), "{hangs:?}");
        let child: i32 = std::fs::read_to_string(file)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        let gone = || match std::fs::read_to_string(format!("/proc/{child}/stat")) {
            // A zombie, whose parent does not wait.
            Ok(stat) => stat.contains(") Z"),
            Err(_) => true,
        };
        let ended = async {
            while !gone() {
                tokio::task::yield_now().await;
            }
        };
        let ended = timeout(Duration::from_secs(30), ended).await;
        assert!(ended.is_ok(), "{child} lives");
    }

    #[tokio::test]
    async fn one_that_prints_without_end_is_ended() {
        let script = "while :; do echo 0123456789012345678901234567890123456789; done";
        let printed = run(&shell(script)).await;
        assert!(matches!(printed, Err(PluginError::TooLong)), "{printed:?}");
    }

    #[tokio::test]
    async fn it_is_told_what_is_asked_of_it() {
        let script = r#"case "$KUBERNETES_EXEC_INFO" in
            *'"interactive":false'*) ;; *) exit 4;; esac
            printf '{"apiVersion":"%s","kind":"ExecCredential","status":{"token":"%s"}}' \
            client.authentication.k8s.io/v1 "$SAID""#;
        let mut plugin = shell(script);
        let said = [("name", "SAID"), ("value", "s3cret")];
        let said = said.map(|(key, value)| (key.to_owned(), value.to_owned()));
        plugin.env = Some(vec![said.into()]);
        let credentials = run(&plugin).await.unwrap();
        assert_eq!(credentials.token.as_deref(), Some("s3cret"));
        assert!(!format!("{credentials:?}").contains("s3cret"));
        plugin.interactive_mode = Some(ExecInteractiveMode::Always);
        let error = run(&plugin).await.unwrap_err();
        assert!(matches!(error, PluginError::Interactive));
    }
}
