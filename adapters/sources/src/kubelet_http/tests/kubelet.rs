//! A kubelet that answers as a test scripts it, with and without TLS.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::kubelet_http::Endpoint;

/// What a question is answered with.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A status and a body.
    Body(u16, String),
    /// Nothing, while the connection stays open.
    Never,
    /// These bytes in place of HTTP, and zeros behind them, as many as told.
    Raw(String, usize),
}

impl Answer {
    /// Returns a list of these pods, each with the word as its only label.
    pub(super) fn pods(uids: &[&str], word: &str) -> Self {
        let items: Vec<_> = uids
            .iter()
            .map(|uid| {
                format!(
                    r#"{{"metadata":{{"name":"pod-{uid}","namespace":"ns","uid":"{uid}",
                        "labels":{{"word":"{word}"}}}},"spec":{{"nodeName":"n"}}}}"#
                )
            })
            .collect();
        Self::Body(
            200,
            format!(
                r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{}},"items":[{}]}}"#,
                items.join(",")
            ),
        )
    }
}

/// What decides the answers; it sees path and authorization.
type Script = dyn Fn(&str, &str) -> Answer + Send + Sync;

/// A running kubelet; dropped, it is gone with its connections.
pub(super) struct Kubelet {
    accepting: AbortHandle,
    port: u16,
    script: Arc<Mutex<Arc<Script>>>,
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Kubelet {
    pub(super) async fn start(
        tls: Option<ServerConfig>,
        script: impl Fn(&str, &str) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let script: Arc<Mutex<Arc<Script>>> = Arc::new(Mutex::new(Arc::new(script)));
        let tls = tls.map(|configuration| TlsAcceptor::from(Arc::new(configuration)));
        let shared = Arc::clone(&script);
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let script = Arc::clone(&shared.lock().unwrap());
                let tls = tls.clone();
                connections.spawn(async move {
                    match tls {
                        None => serve(stream, script).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, script).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            accepting: accepting.abort_handle(),
            port,
            script,
        }
    }

    /// Answers otherwise from the next connection on.
    pub(super) fn answer(&self, answer: Answer) {
        self.script(move |_, _| answer.clone());
    }

    pub(super) fn script(&self, script: impl Fn(&str, &str) -> Answer + Send + Sync + 'static) {
        *self.script.lock().unwrap() = Arc::new(script);
    }

    pub(super) fn http(&self) -> Endpoint {
        format!("http://127.0.0.1:{}", self.port).parse().unwrap()
    }

    pub(super) fn https(&self, host: &str) -> Endpoint {
        format!("https://{host}:{}", self.port).parse().unwrap()
    }
}

async fn serve(mut io: impl AsyncRead + AsyncWrite + Unpin, script: Arc<Script>) {
    let mut question = Vec::new();
    while !question.ends_with(b"\r\n\r\n") {
        match io.read_buf(&mut question).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
    let question = String::from_utf8(question).unwrap();
    let path = question.strip_prefix("GET ").unwrap();
    let path = path.split(' ').next().unwrap();
    let header = |name: &str| question.lines().find_map(|line| line.strip_prefix(name));
    assert_eq!(header("accept: "), Some("application/json"));
    let authorization = header("authorization: ").unwrap_or_default();
    let (text, zeros) = match script(path, authorization) {
        Answer::Body(status, body) => {
            let length = body.len();
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\n\r\n");
            (head + &body, 0)
        }
        Answer::Never => std::future::pending().await,
        Answer::Raw(text, zeros) => (text, zeros),
    };
    let _gone = io.write_all(text.as_bytes()).await;
    let block = vec![b'0'; 1 << 20];
    let mut left = zeros;
    while left > 0 {
        let part = &block[..left.min(block.len())];
        if io.write_all(part).await.is_err() {
            return;
        }
        left -= part.len();
    }
    let _gone = io.shutdown().await;
}

/// Returns a new certificate for these hosts, in PEM, and a server that shows it.
pub(super) fn certificate(hosts: &[&str]) -> (String, ServerConfig) {
    let hosts: Vec<_> = hosts.iter().map(|host| (*host).to_owned()).collect();
    let made = rcgen::generate_simple_self_signed(hosts).unwrap();
    let chain = vec![CertificateDer::from(made.cert.der().to_vec())];
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let configuration = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    (made.cert.pem(), configuration)
}
