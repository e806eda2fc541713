//! What is wrong on the way to the API server, in words that hold no credentials.
//!
//! The errors of libraries are told by their kind, never printed as they come: those of parsers
//! quote what they read, and those of plugins hold what was printed, which may be a token.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

use hyper_util::client::legacy;
use kube::client::{AuthError, RustlsTlsError};
use kube::config::{InClusterError, KubeconfigError, LoadDataError};

/// What is wrong, and where: a file, or a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) place: String,
    pub(super) text: String,
}

impl Trouble {
    pub(super) fn at(place: impl fmt::Display, text: String) -> Self {
        let place = place.to_string();
        Self { place, text }
    }

    /// A kubeconfig, which has these contexts, cannot be used.
    pub(super) fn of_kubeconfig(file: &Path, error: &KubeconfigError, contexts: &[String]) -> Self {
        Self::at(file.display(), kubeconfig(error, contexts))
    }

    /// This process is no pod, or its service account cannot be read.
    pub(super) fn of_pod(place: impl fmt::Display, error: &InClusterError) -> Self {
        let text = match error {
            InClusterError::ReadEnvironmentVariable(_) => {
                "this process is not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT \
                 are not set; give a kubeconfig: --apiserver FILE"
                    .to_owned()
            }
            InClusterError::ReadDefaultNamespace(error)
            | InClusterError::ReadCertificateBundle(error) => format!(
                "the service account in {ACCOUNT} cannot be read: {error}; is \
                 automountServiceAccountToken off? Or give a kubeconfig: --apiserver FILE"
            ),
            InClusterError::ParseClusterPort(_) | InClusterError::ParseClusterUrl(_) => {
                "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are no address".to_owned()
            }
            InClusterError::ParseCertificates(_) => {
                format!("expected certificates in PEM in {ACCOUNT}/ca.crt")
            }
        };
        Self::at(place, text)
    }

    /// No client can be made of a kubeconfig or a service account.
    pub(super) fn of_client(place: impl fmt::Display, error: &kube::Error) -> Self {
        Self::at(place, causes(error))
    }

    /// A request failed before it was answered.
    pub(super) fn of_call(server: impl fmt::Display, error: &(dyn Error + 'static)) -> Self {
        Self::at(server, causes(error))
    }
}

/// Returns why something failed, from the outside in.
pub(super) fn causes(error: &(dyn Error + 'static)) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        next = error.source();
        if let Some(text) = known(error) {
            texts.push(text);
            break;
        }
        let wraps = error.is::<kube::Error>() || error.is::<legacy::Error>();
        if wraps && next.is_some() {
            continue;
        }
        let text = error.to_string();
        if texts.last().is_none_or(|last| !last.ends_with(&text)) {
            texts.push(text);
        }
    }
    let text = texts.join(": ");
    match advice(&text) {
        Some(advice) => format!("{text}; {advice}"),
        None => text,
    }
}

/// Returns the words for errors that may hold what is nobody's business, or that say too little.
fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<AuthError>() {
        return Some(credentials(error));
    }
    if let Some(error) = error.downcast_ref::<KubeconfigError>() {
        return Some(kubeconfig(error, &[]));
    }
    if let Some(error) = error.downcast_ref::<RustlsTlsError>() {
        return Some(certificates(error));
    }
    if let Some(error) = error.downcast_ref::<io::Error>()
        && error.kind() == io::ErrorKind::UnexpectedEof
    {
        // The library's words are an address of its documentation.
        return Some(CLOSED.to_owned());
    }
    let error = error.downcast_ref::<kube::Error>()?;
    // Its URL may hold a password.
    let proxy = matches!(
        error,
        kube::Error::ProxyProtocolUnsupported { .. } | kube::Error::ProxyProtocolDisabled { .. }
    );
    proxy.then(|| "a proxy is not used".to_owned())
}

/// Returns what to do about what libraries say of connections.
fn advice(text: &str) -> Option<&'static str> {
    let says = |word: &str| text.contains(word);
    if says("UnknownIssuer") || says("BadSignature") || says("UnknownCA") {
        Some(
            "its certificate is not signed by an authority that the kubeconfig names \
             (certificate-authority)",
        )
    } else if says("not valid for name") || says("NotValidForName") {
        Some(
            "its certificate is for another name: see server and tls-server-name in the kubeconfig",
        )
    } else if says("CertificateRequired") || says("AccessDenied") || says("CertificateUnknown") {
        Some("it does not accept the client certificate of the kubeconfig's user")
    } else if says("Connection refused") {
        Some("is it running there?")
    } else if says("dns error") || says("failed to lookup") {
        Some("is the server's name in the kubeconfig right?")
    } else {
        None
    }
}

fn kubeconfig(error: &KubeconfigError, contexts: &[String]) -> String {
    let known = match contexts {
        [] => "it has none".to_owned(),
        names => {
            let names: Vec<_> = names
                .iter()
                .take(NAMES_LIMIT)
                .map(|name| format!("{name:?}"))
                .collect();
            format!("it has {}", names.join(", "))
        }
    };
    match error {
        KubeconfigError::CurrentContextNotSet => format!(
            "the kubeconfig has no current-context; set it to one of its contexts ({known})"
        ),
        KubeconfigError::LoadContext(name) => format!(
            "the kubeconfig's current-context is {name:?}, and it has no context of that name \
             ({known})"
        ),
        KubeconfigError::LoadClusterOfContext(name) => format!(
            "the kubeconfig's current context names the cluster {name:?}, and it has no cluster of \
             that name"
        ),
        KubeconfigError::KindMismatch | KubeconfigError::ApiVersionMismatch => {
            "the kubeconfig's documents are of different kinds".to_owned()
        }
        KubeconfigError::FindPath => "no kubeconfig was found".to_owned(),
        KubeconfigError::ReadConfig(error, _) => format!("the kubeconfig cannot be read: {error}"),
        KubeconfigError::Parse(error) => {
            let place = error.location().map_or_else(String::new, |at| {
                format!(" (line {}, column {})", at.line(), at.column())
            });
            format!("expected a kubeconfig in YAML, which this is not{place}")
        }
        KubeconfigError::MissingClusterUrl => "the kubeconfig's cluster has no server".to_owned(),
        KubeconfigError::ParseClusterUrl(_) => {
            "the kubeconfig's cluster: expected a server as https://HOST:PORT".to_owned()
        }
        KubeconfigError::ParseProxyUrl(_) => {
            "the proxy-url of the kubeconfig, or HTTPS_PROXY, is no URL".to_owned()
        }
        KubeconfigError::LoadCertificateAuthority(error) => {
            format!("the kubeconfig's certificate-authority{}", file(error))
        }
        KubeconfigError::LoadClientCertificate(error) => {
            format!("the kubeconfig's client-certificate{}", file(error))
        }
        KubeconfigError::LoadClientKey(error) => {
            format!("the kubeconfig's client-key{}", file(error))
        }
        KubeconfigError::ParseCertificates(_) => {
            "the kubeconfig's certificate-authority: expected certificates in PEM".to_owned()
        }
    }
}

fn file(error: &LoadDataError) -> String {
    match error {
        LoadDataError::ReadFile(error, path) => {
            format!(" {} cannot be read: {error}", path.display())
        }
        LoadDataError::DecodeBase64(_) => "-data: expected base64".to_owned(),
        LoadDataError::NoBase64DataOrFile => ": expected a file".to_owned(),
    }
}

fn credentials(error: &AuthError) -> String {
    match error {
        AuthError::InvalidBasicAuth(_) => "the user name or the password is no text".to_owned(),
        AuthError::InvalidBearerToken(_) => {
            "the token holds what no header may: expected one line of text".to_owned()
        }
        AuthError::ReadTokenFile(error, file) => {
            format!("the token file {} cannot be read: {error}", file.display())
        }
        // Plugins are run by this source itself; what is left are the kinds that came before them.
        AuthError::AuthExecStart(_)
        | AuthError::AuthExecRun { .. }
        | AuthError::AuthExecParse(_)
        | AuthError::ExecPluginFailed
        | AuthError::MalformedTokenExpirationDate(_)
        | AuthError::UnrefreshableTokenResponse
        | AuthError::ParseTokenKey(_)
        | AuthError::MissingCommand
        | AuthError::ExecMissingClusterInfo
        | AuthError::AuthExecSerialize(_)
        | AuthError::AuthExec(_) => {
            "the credentials of the kubeconfig's user are of a kind that cannot be used here; give \
             a user with a client certificate, a token or an exec plugin"
                .to_owned()
        }
        AuthError::NoValidNativeRootCA(_) => NO_ROOTS.to_owned(),
    }
}

fn certificates(error: &RustlsTlsError) -> String {
    match error {
        RustlsTlsError::InvalidIdentityPem(_)
        | RustlsTlsError::MissingPrivateKey
        | RustlsTlsError::MissingCertificate
        | RustlsTlsError::InvalidPrivateKey(_)
        | RustlsTlsError::UnknownPrivateKeyFormat => {
            "the client certificate or its key cannot be used: expected both in PEM, and the key to \
             be the certificate's"
                .to_owned()
        }
        RustlsTlsError::AddRootCertificate(error) => {
            format!("an authority's certificate cannot be used: {error}")
        }
        RustlsTlsError::NoValidNativeRootCA(_) => NO_ROOTS.to_owned(),
        RustlsTlsError::InvalidServerName(_) => {
            "the server's name is no name that a certificate could be for".to_owned()
        }
    }
}

/// Returns what became of a body.
pub(super) fn broken(error: &(dyn Error + 'static)) -> String {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            let text = known(error).unwrap_or_else(|| error.to_string());
            return format!("the answer broke off: {text}");
        }
        next = error.source();
    }
    format!("the answer broke off: {}", causes(error))
}

const CLOSED: &str = "the server, or something on the way, closed the connection";

const ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

const NO_ROOTS: &str =
    "the kubeconfig names no certificate-authority, and this machine trusts none";

/// Contexts that are spelled out.
const NAMES_LIMIT: usize = 5;
