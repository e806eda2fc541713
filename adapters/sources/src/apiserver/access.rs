//! The way to the API server: a client made of a kubeconfig or of the service account of a pod.
//!
//! Kubeconfigs and TLS are the client library's. It retries nothing and logs nothing here: both are
//! this source's own business, and so are the plugins that print credentials ([`plugin`]).
//!
//! Where a server speaks HTTP/2 its connections are probed with PINGs, so that one that no longer
//! carries anything ends within 40 s, and one that is quiet is not ended by what is on the way.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, HeaderValue, USER_AGENT};
use http::uri::Uri;
use http::{Request, Response, StatusCode};
use hyper_rustls::{FixedServerNameResolver, HttpsConnectorBuilder};
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::{Body, ClientBuilder, ConfigExt, RustlsTlsError};
use kube::config::{ExecConfig, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::{BoxError, ServiceExt};

use super::identity::Way;
use super::plugin::{self, Credentials};
use super::trouble::Trouble;
use super::user::{self, User};
use crate::listwatch;
use crate::regular;

/// Which API server to ask, and as whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// What the current context of this kubeconfig names.
    Kubeconfig(PathBuf),
    /// The cluster that this process is a pod of, as the pod's service account.
    OfThisPod,
}

/// The client, made anew when it is old or has failed.
#[derive(Debug)]
pub(super) struct Access {
    cluster: Cluster,
    made: Option<Made>,
    /// Under way by itself, since a plugin may take long.
    making: Option<Making>,
    /// What a plugin printed, until it expires or is refused.
    printed: Printed,
    /// Who was asked last, and as whom.
    asked: Option<(Arc<Way>, User)>,
}

/// What was said to a request.
#[derive(Debug)]
pub(super) enum Asked {
    Answered(Answer),
    /// Nobody was asked: the files name another server now, or another user.
    Replaced,
}

/// The plugin that was run last, and what it printed.
type Printed = Option<(ExecConfig, Credentials)>;

/// A client in the making, which ends with this.
#[derive(Debug)]
struct Making(JoinHandle<Result<(Made, Printed), Trouble>>);

impl Drop for Making {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The head of an answer, its body to be read, and who gave it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) way: Arc<Way>,
    pub(super) response: Response<Body>,
}

/// A client and since when there is one.
struct Made {
    client: Client,
    way: Arc<Way>,
    user: User,
    at: Instant,
}

impl Access {
    pub(super) fn new(cluster: Cluster) -> Self {
        Self {
            cluster,
            made: None,
            making: None,
            printed: None,
            asked: None,
        }
    }

    /// Sends a request and returns the head of the answer, with its body to be read.
    ///
    /// May be given up at any time.
    pub(super) async fn ask(&mut self, request: &listwatch::Request) -> Result<Asked, Trouble> {
        let (client, way) = self.client().await?;
        if self.is_replaced() {
            return Ok(Asked::Replaced);
        }
        let http = get(request.path_and_query(), request.accept());
        let http = http.map_err(|error| Trouble::at(&way.server, error.to_string()))?;
        let response = client.send(http).await;
        let status = response.as_ref().map(Response::status);
        if !status.is_ok_and(|status| status.is_success()) {
            // Perhaps the files of credentials are better by the next time.
            self.made = None;
        }
        let with_certificate =
            |printed: &(ExecConfig, Credentials)| printed.1.certificate.is_some();
        let refused = match status {
            Ok(status) => status == StatusCode::UNAUTHORIZED,
            // Perhaps it was the certificate that ended the connection.
            Err(_) => self.printed.as_ref().is_some_and(with_certificate),
        };
        if refused {
            self.printed = None;
        }
        let response = response.map_err(|error| Trouble::of_call(&way.server, &error))?;
        Ok(Asked::Answered(Answer { way, response }))
    }

    /// Has the files of credentials be read before the next request.
    pub(super) fn forget(&mut self) {
        self.made = None;
        self.making = None;
        self.printed = None;
    }

    /// Reads the files of credentials anew, and tells whether they name another server or user than
    /// those that were asked last.
    pub(super) async fn look(&mut self) -> bool {
        self.made = None;
        // What is wrong with them is told when they are needed.
        self.client().await.is_ok() && self.is_replaced()
    }

    /// Whether the client leads elsewhere than the one that was asked last; this is said once.
    fn is_replaced(&mut self) -> bool {
        let Some(made) = &self.made else {
            return false;
        };
        let now = (Arc::clone(&made.way), made.user.clone());
        let before = self.asked.replace(now.clone());
        before.is_some_and(|before| before != now)
    }

    /// The file whose change may name another server; a pod's own account changes by renewal alone.
    pub(super) fn file(&self) -> Option<&Path> {
        match &self.cluster {
            Cluster::Kubeconfig(file) => Some(file),
            Cluster::OfThisPod => None,
        }
    }

    /// Returns the client, and where it leads.
    pub(super) async fn client(&mut self) -> Result<(Client, Arc<Way>), Trouble> {
        if let Some(made) = &self.made
            && made.at.elapsed() < FRESH
        {
            return Ok((made.client.clone(), Arc::clone(&made.way)));
        }
        self.made = None;
        let making = self.making.get_or_insert_with(|| {
            let (cluster, printed) = (self.cluster.clone(), self.printed.take());
            Making(tokio::spawn(async move { make(&cluster, printed).await }))
        });
        let made = (&mut making.0).await;
        self.making = None;
        let made = made.map_err(|error| Trouble::at(&self.cluster, error.to_string()))?;
        let (made, printed) = made?;
        self.printed = printed;
        let found = (made.client.clone(), Arc::clone(&made.way));
        self.made = Some(made);
        Ok(found)
    }
}

/// Returns the request for a path.
pub(super) fn get(path: &str, accept: &str) -> Result<Request<Body>, http::Error> {
    Request::get(path)
        .header(ACCEPT, accept)
        .body(Body::empty())
}

impl std::fmt::Display for Cluster {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kubeconfig(file) => file.display().fmt(f),
            Self::OfThisPod => f.write_str("the cluster of this pod"),
        }
    }
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made")
            .field("way", &self.way)
            .finish_non_exhaustive()
    }
}

/// Makes a client of what the files say now, and of what the plugin printed if it need not run again.
async fn make(cluster: &Cluster, printed: Printed) -> Result<(Made, Printed), Trouble> {
    let (of, running) = (cluster.clone(), Handle::current());
    // The files may be on a disk that takes its time.
    let loaded = tokio::task::spawn_blocking(move || running.block_on(load(&of))).await;
    let loaded = loaded.map_err(|error| Trouble::at(cluster, error.to_string()))?;
    let (mut config, server) = loaded?;
    let at = |text: String| Trouble::at(cluster, text);
    let plugin = config.auth_info.exec.take();
    let mut kept = None;
    if let Some(plugin) = &plugin {
        let same = |one: &(ExecConfig, Credentials)| is_same(&one.0, plugin) && one.1.are_fresh();
        let credentials = match printed.filter(same) {
            Some((_, credentials)) => credentials,
            None => plugin::run(plugin)
                .await
                .map_err(|error| at(error.to_string()))?,
        };
        user::put(&mut config.auth_info, &credentials);
        kept = Some((plugin.clone(), credentials));
    }
    let user = User::of(&mut config.auth_info, plugin.as_ref()).map_err(at)?;
    let client = connect(&config).map_err(|error| Trouble::of_client(cluster, &error))?;
    let way = Way::new(server, config.root_cert.as_deref());
    let made = Made {
        client,
        way: Arc::new(way),
        user,
        at: Instant::now(),
    };
    Ok((made, kept))
}

fn is_same(one: &ExecConfig, other: &ExecConfig) -> bool {
    let told = |plugin: &ExecConfig| k8s_openapi::serde_json::to_string(plugin).ok();
    told(one) == told(other)
}

/// Reads what the files say, but for what a plugin would print; returns the server's name, too.
async fn load(cluster: &Cluster) -> Result<(Config, String), Trouble> {
    let mut config = match cluster {
        Cluster::Kubeconfig(file) => of_kubeconfig(file).await?,
        Cluster::OfThisPod => {
            Config::incluster().map_err(|error| Trouble::of_pod(cluster, &error))?
        }
    };
    with_scheme(&mut config);
    let server = name(&config.cluster_url);
    if config.cluster_url.host().is_none() {
        let text =
            format!("expected the address of the server as https://HOST:PORT, found {server:?}");
        return Err(Trouble::at(cluster, text));
    }
    if is_readable_on_the_way(&config) {
        return Err(Trouble::at(cluster, format!("{server}: {PLAIN}")));
    }
    if let Some(file) = config.auth_info.token_file.take()
        && config.auth_info.token.is_none()
    {
        let token = token(Path::new(&file)).map_err(|text| Trouble::at(cluster, text))?;
        config.auth_info.token = Some(token.into());
    }
    let agent = HeaderValue::from_static(AGENT);
    config.headers.push((USER_AGENT, agent));
    if config.accept_invalid_certs {
        tracing::warn!(
            source = super::SOURCE,
            server,
            "the kubeconfig has insecure-skip-tls-verify: whoever answers is believed"
        );
    }
    Ok((config, server))
}

/// Takes a server without a scheme as client-go does: for one with TLS if anything else names TLS.
fn with_scheme(config: &mut Config) {
    let url = &config.cluster_url;
    let (None, Some(authority)) = (url.scheme(), url.authority()) else {
        return;
    };
    let user = &config.auth_info;
    let tls = config.root_cert.is_some()
        || config.accept_invalid_certs
        || user.client_certificate.is_some()
        || user.client_certificate_data.is_some();
    let scheme = if tls { "https" } else { "http" };
    let whole = Uri::builder().scheme(scheme).authority(authority.clone());
    if let Ok(whole) = whole.path_and_query("/").build() {
        config.cluster_url = whole;
    }
}

async fn of_kubeconfig(file: &Path) -> Result<Config, Trouble> {
    let failed = |text: String| Trouble::at(file.display(), text);
    // A pipe or a device in its place would never end.
    let content = regular::read(file, KUBECONFIG_LIMIT_BYTES);
    let content = content
        .map_err(|error| failed(format!("the kubeconfig {error}; it is looked for again")))?;
    if content.iter().all(u8::is_ascii_whitespace) {
        return Err(failed(
            "the kubeconfig is empty; it is looked for again".to_owned(),
        ));
    }
    let mut kubeconfig =
        Kubeconfig::read_from(file).map_err(|error| Trouble::of_kubeconfig(file, &error, &[]))?;
    let contexts: Vec<_> = kubeconfig
        .contexts
        .iter()
        .map(|one| one.name.clone())
        .collect();
    let proxy = |one: &kube::config::NamedCluster| {
        let cluster = one.cluster.as_ref();
        cluster.is_some_and(|cluster| {
            cluster
                .proxy_url
                .as_ref()
                .is_some_and(|url| !url.is_empty())
        })
    };
    let proxied: Vec<_> = kubeconfig
        .clusters
        .iter()
        .filter(|one| proxy(one))
        .collect();
    let proxied: Vec<_> = proxied.into_iter().map(|one| one.name.clone()).collect();
    // client-go takes an empty name for none.
    kubeconfig.current_context = kubeconfig.current_context.filter(|name| !name.is_empty());
    let current = kubeconfig.current_context.clone().unwrap_or_default();
    let context = kubeconfig.contexts.iter().find(|one| one.name == current);
    let cluster = context.and_then(|one| Some(one.context.as_ref()?.cluster.clone()));
    if cluster.is_some_and(|name| proxied.contains(&name)) {
        return Err(failed(PROXY.to_owned()));
    }
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.map_err(|error| Trouble::of_kubeconfig(file, &error, &contexts))?;
    // That of the environment: meant for the world outside, not for the node's own control plane.
    config.proxy_url = None;
    Ok(config)
}

/// Whether a secret of the user would go to another machine as it is; certificates need TLS anyway.
fn is_readable_on_the_way(config: &Config) -> bool {
    let user = &config.auth_info;
    let plain = config.cluster_url.scheme_str() != Some("https");
    let host = config.cluster_url.host().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse();
    let stays = host == "localhost" || address.is_ok_and(|address: IpAddr| address.is_loopback());
    let secret = user.token.is_some()
        || user.token_file.is_some()
        || user.password.is_some()
        || user.exec.is_some()
        || user.auth_provider.is_some();
    plain && !stays && secret
}

/// Returns the token in `file`, without the line break that editors put behind it.
fn token(file: &Path) -> Result<String, String> {
    let at = file.display();
    let content = regular::read(file, TOKEN_LIMIT_BYTES);
    let content = content.map_err(|error| format!("the token file {at} {error}"))?;
    let text = String::from_utf8(content).unwrap_or_default();
    let token = text.trim();
    let printable = |byte: u8| byte.is_ascii_graphic();
    match token.is_empty() || !token.bytes().all(printable) {
        true => Err(format!(
            "the token file {at}: expected one line of text, the token"
        )),
        false => Ok(token.to_owned()),
    }
}

/// Returns the client library's stack without its log, its retries and its time-outs.
fn connect(config: &Config) -> Result<Client, kube::Error> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
    tcp.set_keepalive(Some(KEEPALIVE));
    tcp.set_keepalive_interval(Some(KEEPALIVE));
    tcp.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
    tcp.set_tcp_user_timeout(Some(KEEPALIVE * (KEEPALIVE_RETRIES + 1)));
    let mut tls = HttpsConnectorBuilder::new()
        .with_tls_config(config.rustls_client_config()?)
        .https_or_http();
    if let Some(name) = &config.tls_server_name {
        let name = name
            .clone()
            .try_into()
            .map_err(RustlsTlsError::InvalidServerName);
        let name = name.map_err(kube::Error::RustlsTls)?;
        tls = tls.with_server_name_resolver(FixedServerNameResolver::new(name));
    }
    let tls = tls.enable_all_versions().wrap_connector(tcp);
    let http: legacy::Client<_, Body> = legacy::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .http2_keep_alive_interval(PING)
        .http2_keep_alive_timeout(PING_TIMEOUT)
        .http2_keep_alive_while_idle(true)
        .build(tls);
    let http = http.map_err(BoxError::from);
    let plain = ClientBuilder::new(http, config.default_namespace.clone())
        .with_layer(&config.extra_headers_layer()?);
    Ok(match config.auth_layer()? {
        Some(credentials) => plain
            .with_layer(&credentials)
            .with_layer(&config.base_uri_layer())
            .build(),
        None => plain.with_layer(&config.base_uri_layer()).build(),
    })
}

/// Returns the server's address without what could be a password in it.
fn name(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or("http");
    let host = url.host().unwrap_or_default();
    let port = url.port_u16();
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    format!(
        "{scheme}://{host}{port}{}",
        url.path().trim_end_matches('/')
    )
}

const AGENT: &str = concat!("podsapi/", env!("CARGO_PKG_VERSION"));

/// How long a client is used without another look at the files of credentials; a watch ends within
/// ten minutes, so that rotated ones are used in good time.
const FRESH: Duration = Duration::from_secs(60);

/// A server on the same network answers at once.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A quiet connection is probed, so that a server whose network went away is noticed in a minute.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;

/// Over HTTP/2 as client-go does it, but for the wait for the answer, of which that has 15 s: many a
/// proxy ends what is quiet for 35 s and more.
const PING: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// One with the certificates of a hundred clusters has a tenth of this.
const KUBECONFIG_LIMIT_BYTES: u64 = 10 << 20;

/// Headers of more than this are refused by API servers.
const TOKEN_LIMIT_BYTES: u64 = 1 << 20;

const PLAIN: &str = "over http everybody on the way could read the user's token or password; give a \
                     kubeconfig whose server begins with https://";

const PROXY: &str = "the cluster has a proxy-url, which this source does not use; give a kubeconfig \
                     whose server can be reached directly";

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn the_name_of_a_server_has_no_password() {
        for (url, expected) in [
            ("https://10.0.0.1:6443", "https://10.0.0.1:6443"),
            ("https://me:word@api/k8s/", "https://api/k8s"),
            ("https://[::1]:1/?token=word", "https://[::1]:1"),
        ] {
            assert_eq!(name(&url.parse().unwrap()), expected);
        }
    }
}
