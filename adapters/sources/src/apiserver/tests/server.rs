//! An API server that answers as a test scripts it, with and without TLS.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{AbortHandle, JoinSet};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

/// What a question is answered with.
#[derive(Clone, Debug)]
pub(in super::super) struct Answer {
    pub(in super::super) status: u16,
    pub(in super::super) kind: &'static str,
    pub(in super::super) body: Vec<u8>,
    pub(in super::super) then: Then,
}

/// What comes after the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Then {
    /// The connection is closed in the middle.
    Cut,
    End,
    /// What the test tells, until it tells an empty piece; then the connection is closed.
    Follow,
    /// Nothing at all, not even the head.
    Never,
}

/// What was asked.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Question {
    pub(in super::super) path: String,
    head: String,
}

impl Question {
    pub(in super::super) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let found = lines.find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    pub(in super::super) fn is_watch(&self) -> bool {
        self.path.contains("watch=true")
    }
}

type Script = dyn Fn(&Question) -> Answer + Send + Sync;

/// A running API server; dropped, it is gone with its connections.
pub(in super::super) struct Server {
    accepting: AbortHandle,
    pub(in super::super) port: u16,
    shared: Arc<Shared>,
    events: UnboundedSender<Vec<u8>>,
}

struct Shared {
    script: Mutex<Arc<Script>>,
    asked: Mutex<Vec<Question>>,
    events: tokio::sync::Mutex<UnboundedReceiver<Vec<u8>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Server {
    pub(in super::super) async fn start(
        tls: Option<ServerConfig>,
        script: impl Fn(&Question) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::at(0, tls, script).await
    }

    pub(in super::super) async fn at(
        port: u16,
        tls: Option<ServerConfig>,
        script: impl Fn(&Question) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (events, told) = unbounded_channel();
        let shared = Arc::new(Shared {
            script: Mutex::new(Arc::new(script)),
            asked: Mutex::default(),
            events: tokio::sync::Mutex::new(told),
        });
        let tls = tls.map(|configuration| TlsAcceptor::from(Arc::new(configuration)));
        let of_all = Arc::clone(&shared);
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (tls, shared) = (tls.clone(), Arc::clone(&of_all));
                connections.spawn(async move {
                    match tls {
                        None => serve(stream, &shared).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, &shared).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            accepting: accepting.abort_handle(),
            port,
            shared,
            events,
        }
    }

    /// Answers otherwise from the next question on.
    pub(in super::super) fn script(
        &self,
        script: impl Fn(&Question) -> Answer + Send + Sync + 'static,
    ) {
        *self.shared.script.lock().unwrap() = Arc::new(script);
    }

    /// Sends these bytes to the watch that is there or comes next; none end its connection.
    pub(in super::super) fn tell(&self, bytes: &[u8]) {
        self.events.send(bytes.to_vec()).unwrap();
    }

    pub(in super::super) fn asked(&self) -> Vec<Question> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(in super::super) fn url(&self, scheme: &str) -> String {
        format!("{scheme}://127.0.0.1:{}", self.port)
    }
}

/// Serves one connection, question by question.
async fn serve(mut io: impl AsyncRead + AsyncWrite + Unpin, shared: &Shared) {
    loop {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match io.read_buf(&mut head).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
        }
        let head = String::from_utf8(head).unwrap();
        let path = head.strip_prefix("GET ").unwrap();
        let path = path.split(' ').next().unwrap().to_owned();
        let question = Question { path, head };
        let script = Arc::clone(&shared.script.lock().unwrap());
        let answer = script(&question);
        shared.asked.lock().unwrap().push(question);
        if answer.then == Then::Never {
            std::future::pending::<()>().await;
        }
        let head = format!(
            "HTTP/1.1 {} x\r\ncontent-type: {}\r\ntransfer-encoding: chunked\r\n\r\n",
            answer.status, answer.kind
        );
        let _gone = io.write_all(head.as_bytes()).await;
        let _gone = chunk(&mut io, &answer.body).await;
        match answer.then {
            Then::Cut | Then::Never => return,
            Then::End => {}
            Then::Follow => {
                let mut events = shared.events.lock().await;
                let mut closed = [0];
                loop {
                    tokio::select! {
                        // The peer sends nothing more: it is gone.
                        _gone = io.read(&mut closed) => return,
                        piece = events.recv() => match piece {
                            Some(piece) if !piece.is_empty() => {
                                let _gone = chunk(&mut io, &piece).await;
                            }
                            Some(_) | None => return,
                        }
                    }
                }
            }
        }
        if io.write_all(b"0\r\n\r\n").await.is_err() {
            return;
        }
    }
}

async fn chunk(io: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    io.write_all(format!("{:x}\r\n", bytes.len()).as_bytes())
        .await?;
    io.write_all(bytes).await?;
    io.write_all(b"\r\n").await
}
