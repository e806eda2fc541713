//! One question to a kubelet: connects, asks for its pods or its health, reads the whole answer.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, HOST, USER_AGENT};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::rt::{Read, Write};
use hyper_util::rt::TokioIo;
use podsapi_proto::json::MAX_TEXT_BYTES;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use crate::regular;

use super::Options;
use super::trust::TrustError;

/// Returns the body of a good answer about its pods. The caller bounds the time.
pub(super) async fn pods(options: &Options) -> Result<Vec<u8>, FetchError> {
    fetch(options, options.endpoint.path().to_owned()).await
}

/// Returns why the kubelet is not well; nothing when it is, or does not tell us.
///
/// A token that may read pods need not be one that may read this, a proxy may not lead there, and
/// old kubelets have other ports for it: only a server that says that it fails, or says nothing
/// for as long as `patience`, is not well.
pub(super) async fn illness(options: &Options, patience: Duration) -> Option<String> {
    let asking = fetch(options, options.endpoint.health_path());
    match tokio::time::timeout(patience, asking).await {
        Ok(Err(FetchError::Status { status, .. })) if status.is_server_error() => {
            Some(format!("says {status}"))
        }
        Ok(Ok(_) | Err(_)) => None,
        Err(_elapsed) => Some(format!("says nothing for {patience:?}")),
    }
}

async fn fetch(options: &Options, path: String) -> Result<Vec<u8>, FetchError> {
    let (request, tls) = prepared(options, path).await?;
    let (host, port) = options.endpoint.address();
    let stream = TcpStream::connect((host, port))
        .await
        .map_err(FetchError::Connect)?;
    let Some(tls) = tls else {
        return exchange(TokioIo::new(stream), request).await;
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|error| FetchError::Handshake(io::Error::other(error)))?;
    let stream = TlsConnector::from(Arc::new(tls))
        .connect(name, stream)
        .await
        .map_err(FetchError::Handshake)?;
    exchange(TokioIo::new(stream), request).await
}

/// Makes the request and the way to encrypt it, with what is in their files now.
async fn prepared(
    options: &Options,
    path: String,
) -> Result<(Request<Empty<Bytes>>, Option<ClientConfig>), FetchError> {
    let Options {
        endpoint,
        token_file,
        trust,
        ..
    } = options.clone();
    let preparing = tokio::task::spawn_blocking(move || {
        let mut request = Request::get(path)
            .header(HOST, endpoint.authority())
            .header(ACCEPT, "application/json")
            .header(CONNECTION, "close")
            .header(USER_AGENT, concat!("podsapi/", env!("CARGO_PKG_VERSION")));
        if let Some(file) = token_file {
            request = request.header(AUTHORIZATION, authorization(&file)?);
        }
        let request = request.body(Empty::new()).map_err(FetchError::Request)?;
        let tls = trust.map(|trust| trust.configuration()).transpose();
        Ok((request, tls.map_err(FetchError::Trust)?))
    });
    let prepared = preparing.await;
    prepared.unwrap_or_else(|error| Err(FetchError::Connect(io::Error::other(error))))
}

fn authorization(file: &Path) -> Result<HeaderValue, FetchError> {
    let failed = |text: &str| FetchError::Token(file.to_owned(), text.to_owned());
    let content =
        regular::read(file, TOKEN_LIMIT_BYTES).map_err(|error| failed(&error.to_string()))?;
    let token = content.trim_ascii();
    if token.is_empty() {
        return Err(failed("is empty"));
    }
    let value = [b"Bearer ", token].concat();
    let value = HeaderValue::from_bytes(&value);
    // What is wrong with it would repeat it.
    let mut value = value.map_err(|_| failed("expected one line of text"))?;
    value.set_sensitive(true);
    Ok(value)
}

async fn exchange<IO>(io: IO, request: Request<Empty<Bytes>>) -> Result<Vec<u8>, FetchError>
where
    IO: Read + Write + Unpin + Send + 'static,
{
    let has_token = request.headers().contains_key(AUTHORIZATION);
    let (mut sender, connection) = http1::handshake(io).await.map_err(FetchError::Http)?;
    // Dropped with this future, and the connection with it.
    let mut driver = JoinSet::new();
    driver.spawn(connection);
    let answer = sender
        .send_request(request)
        .await
        .map_err(FetchError::Http)?;
    let status = answer.status();
    if status != StatusCode::OK {
        return Err(FetchError::Status { status, has_token });
    }
    let announced = answer.headers().get(CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > MAX_TEXT_BYTES as u64) {
        return Err(FetchError::TooLarge);
    }
    whole(answer.into_body()).await
}

async fn whole(mut body: Incoming) -> Result<Vec<u8>, FetchError> {
    let mut content = Vec::new();
    while let Some(frame) = body.frame().await {
        // Trailers say nothing here.
        if let Ok(data) = frame.map_err(FetchError::Http)?.into_data() {
            if content.len() + data.len() > MAX_TEXT_BYTES {
                return Err(FetchError::TooLarge);
            }
            content.extend_from_slice(&data);
        }
    }
    Ok(content)
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum FetchError {
    /// Nobody took the connection.
    Connect(io::Error),
    /// No encryption was agreed on.
    Handshake(io::Error),
    /// The connection failed, or what came is not HTTP.
    Http(hyper::Error),
    /// The request cannot be written.
    Request(http::Error),
    /// The kubelet refused.
    Status { status: StatusCode, has_token: bool },
    /// The token's file, and what is wrong with it.
    Token(PathBuf, String),
    /// The answer has more bytes than are read.
    TooLarge,
    /// No certificate can be checked.
    Trust(TrustError),
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "cannot connect: {error}"),
            Self::Handshake(error) => write!(f, "cannot agree on encryption: {error}"),
            Self::Http(error) => {
                write!(f, "the answer broke off: {error}")?;
                match error.source() {
                    Some(cause) => write!(f, ": {cause}"),
                    None => Ok(()),
                }
            }
            Self::Request(error) => write!(f, "the request cannot be made: {error}"),
            Self::Status { status, has_token } => {
                write!(f, "the kubelet refused with {status}")?;
                f.write_str(match (status.as_u16(), has_token) {
                    (401, true) => ": it does not accept the token",
                    (401, false) => ": it wants a token",
                    (403, true) => ": the token's user may not read nodes/proxy (or nodes/pods)",
                    (403, false) => ": it wants a token of somebody who may read nodes/proxy",
                    (404, _) => ": it has no pods at this path",
                    (300..=399, _) => ": redirections are not followed",
                    _ => "",
                })
            }
            Self::Token(path, text) => write!(f, "{}: {text}", path.display()),
            Self::TooLarge => write!(f, "expected an answer of at most {MAX_TEXT_BYTES} bytes"),
            Self::Trust(error) => error.fmt(f),
        }
    }
}

impl Error for FetchError {}

/// Tokens of service accounts have one or two kilobytes; header lines end at some tens of them.
const TOKEN_LIMIT_BYTES: u64 = 32 << 10;

#[cfg(test)]
mod tests;
