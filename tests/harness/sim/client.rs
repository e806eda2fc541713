//! A connection of a client to the server of a run, and calls on it.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use h2::RecvStream;
use h2::client::SendRequest;
use http::{HeaderMap, Method as HttpMethod, Request};
use podsapi_core::{Code, Dialect, MASK_HEADER, Method, Moment, Projection};
use podsapi_h2::Runtime;

use super::node::Node;
use super::pipe::{Faults, Pipe, connection};
use super::world::World;

/// An open connection; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) node: Arc<Node>,
    number: u64,
    /// Whether it reads all of it, and any answer passes its window in a moment.
    fast: bool,
    sender: SendRequest<Bytes>,
    pipe: Arc<Pipe>,
    /// Held by all clones, so that a frozen connection hears when its client leaves.
    _present: Arc<()>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) dialect: Dialect,
    pub(super) method: Method,
    pub(super) uid: String,
    pub(super) mask: Mask,
    /// Milliseconds that the client tells the server it waits.
    pub(super) timeout: Option<u64>,
    pub(super) asked: Moment,
}

/// A mask as it is sent, and what it selects.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    pub(super) text: &'static str,
    pub(super) selects: Projection,
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With a status.
    Status(Code),
    /// With a reset of the stream that the server sent.
    Reset(h2::Reason),
    /// With the connection.
    Lost,
}

/// An answer while it arrives; dropping it cancels the call.
#[derive(Debug)]
pub(super) struct Answer {
    client: Client,
    question: Question,
    body: RecvStream,
    buffer: BytesMut,
    /// The status, where the headers already said it.
    early: Option<Code>,
    /// The version of what was served when the call began.
    pub(super) since: Option<usize>,
    /// When its headers came.
    pub(super) headed: Moment,
}

/// What a client does with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Reads all of it.
    Reads,
    /// Reads frames, but not what is in them.
    Ignores,
    /// The same, and after this time it reads nothing at all until it leaves.
    Freezes(Duration),
}

impl Client {
    /// Connects with windows of this size.
    pub(super) async fn connect(node: &Arc<Node>, window: u32, manner: Manner) -> Option<Self> {
        let world = node.world.clone();
        let number = world.next_connection();
        let (near, far, pipe) = connection(&world, number, Faults::draw(&world));
        world.tell(format_args!(
            "connection {number} opens with window {window}"
        ));
        let fast = manner == Manner::Reads && window >= FAST_WINDOW;
        node.serve(far, number, fast.then(|| Arc::clone(&pipe)));
        let mut builder = h2::client::Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(window)
            .initial_connection_window_size(window.max(65_535))
            .reset_stream_duration(FOR_EVER);
        let (sender, driver) = builder.handshake::<_, Bytes>(near).await.ok()?;
        let present = Arc::new(());
        let (until, left) = (world.clone(), Arc::downgrade(&present));
        world.spawn(async move {
            let mut driver = pin!(driver);
            let Manner::Freezes(time) = manner else {
                // Why it ended is seen by its calls.
                let _end = driver.await;
                return;
            };
            tokio::select! {
                biased;
                _end = &mut driver => {}
                () = until.sleep(time) => {
                    until.tell(format_args!("connection {number} freezes"));
                    while left.strong_count() > 0 {
                        until.sleep(Duration::from_secs(1)).await;
                    }
                }
            }
        });
        Some(Self {
            _present: present,
            node: Arc::clone(node),
            number,
            fast,
            sender,
            pipe,
        })
    }

    /// Returns the number of the connection.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns whether so much may be on its way or unread that its client takes nothing more for
    /// seconds.
    pub(super) fn lags(&self) -> bool {
        !self.fast || !self.pipe.is_wide()
    }

    /// Returns whether the connection broke.
    pub(super) fn is_broken(&self) -> bool {
        self.pipe.is_broken()
    }

    /// Returns whether the last bytes of a server that has ended were left unread.
    pub(super) fn is_overtaken(&self) -> bool {
        self.pipe.is_overtaken()
    }

    /// Returns whether bytes pass at once, or soon in great numbers.
    pub(super) fn is_fast(&self) -> bool {
        self.pipe.is_fast()
    }

    /// Returns whether there is a reason for the connection to end.
    pub(super) fn may_be_lost(&self) -> bool {
        self.pipe.is_broken() || self.node.is_stopping()
    }

    /// Asks and waits for the headers of the answer.
    pub(super) async fn ask(&self, question: Question) -> Result<Answer, Ended> {
        let since = self.node.version();
        let mut sender = self.sender.clone().ready().await.map_err(|e| ended(&e))?;
        let (service, body) = match (question.dialect, question.method) {
            (Dialect::V1alpha1, Method::GetPod) => ("v1alpha1.Pods", one_text(&question.uid)),
            (Dialect::Documented, Method::GetPod) => ("Pods", one_text(&question.uid)),
            (Dialect::V1alpha1, _) => ("v1alpha1.Pods", Vec::new()),
            (Dialect::Documented, _) => ("Pods", Vec::new()),
        };
        let method = match question.method {
            Method::GetPod => "GetPod",
            Method::ListPods => "ListPods",
            Method::WatchPods => "WatchPods",
        };
        let mut request = Request::builder()
            .method(HttpMethod::POST)
            .uri(format!("http://localhost/{service}/{method}"))
            .header("te", "trailers")
            .header("content-type", "application/grpc");
        if !question.mask.text.is_empty() {
            request = request.header(MASK_HEADER, question.mask.text);
        }
        if let Some(millis) = question.timeout {
            request = request.header("grpc-timeout", format!("{millis}m"));
        }
        let request = request.body(()).expect("every part is well formed");
        let (head, mut stream) = sender
            .send_request(request, false)
            .map_err(|error| ended(&error))?;
        self.node.ledger.sent(question.dialect, question.method);
        // The end in a frame of its own, as some clients send it.
        let apart = self.node.world.one_in(3);
        let sent = stream.send_data(framed(&body), !apart);
        sent.map_err(|error| ended(&error))?;
        if apart {
            let sent = stream.send_data(Bytes::new(), true);
            sent.map_err(|error| ended(&error))?;
        }
        let head = head.await.map_err(|error| ended(&error))?;
        assert_eq!(head.status(), http::StatusCode::OK);
        let early = head.headers().contains_key("grpc-status");
        let early = early.then(|| code(head.headers()));
        Ok(Answer {
            headed: self.node.world.now(),
            client: self.clone(),
            body: head.into_body(),
            buffer: BytesMut::new(),
            question,
            early,
            since,
        })
    }
}

impl Answer {
    /// Returns the next message, or how the answer ended; loses nothing when it is dropped.
    pub(super) async fn next(&mut self) -> Result<Bytes, Ended> {
        loop {
            if let Some(message) = self.take_message() {
                return Ok(message);
            }
            if let Some(code) = self.early {
                return Err(self.end(Ended::Status(code)));
            }
            match self.body.data().await {
                Some(Ok(bytes)) => {
                    // An error says that the stream is gone, which the next look at it says too.
                    drop(self.body.flow_control().release_capacity(bytes.len()));
                    self.buffer.extend_from_slice(&bytes);
                }
                Some(Err(error)) => return Err(self.end(ended(&error))),
                None => {
                    let end = match self.body.trailers().await {
                        Ok(Some(trailers)) => Ended::Status(code(&trailers)),
                        Ok(None) => panic!("an answer ends without trailers"),
                        Err(error) => ended(&error),
                    };
                    if let Ended::Status(_) = end {
                        assert!(
                            self.buffer.is_empty(),
                            "trailers in the middle of a message"
                        );
                    }
                    return Err(self.end(end));
                }
            }
        }
    }

    /// Returns the only message of an answer that ends with OK, or how it ended.
    pub(super) async fn single(mut self) -> Result<Bytes, Ended> {
        let message = self.next().await?;
        match self.next().await {
            Err(Ended::Status(Code::Ok)) => Ok(message),
            Err(end) => Err(end),
            Ok(_) => panic!("a second message of a unary call"),
        }
    }

    fn end(&self, end: Ended) -> Ended {
        if let Ended::Status(code) = end {
            let Question {
                dialect, method, ..
            } = self.question;
            self.client.node.ledger.ended(dialect, method, code);
        }
        end
    }

    fn take_message(&mut self) -> Option<Bytes> {
        let (&[flag, a, b, c, d], _) = self.buffer.split_first_chunk::<5>()?;
        assert_eq!(flag, 0, "nothing was asked to be compressed");
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).expect("32 bits fit");
        if self.buffer.len() - 5 < length {
            return None;
        }
        self.buffer.advance(5);
        Some(self.buffer.split_to(length).freeze())
    }
}

impl Mask {
    /// Draws a mask that keeps the identity, or none.
    pub(super) fn draw(world: &World) -> Self {
        let masks = &super::masks::ALL;
        let text = masks[world.draw(|random| random.usize(..masks.len()))];
        Self {
            selects: super::masks::selection(text),
            text,
        }
    }
}

/// Waits for a call, but no longer than `time`.
pub(super) async fn patiently<T>(
    world: &World,
    time: Duration,
    call: impl Future<Output = T>,
) -> Option<T> {
    tokio::select! {
        biased;
        result = call => Some(result),
        () = world.sleep(time) => None,
    }
}

fn ended(error: &h2::Error) -> Ended {
    match error.reason() {
        Some(reason) if error.is_reset() && error.is_remote() => Ended::Reset(reason),
        _ => Ended::Lost,
    }
}

fn code(headers: &HeaderMap) -> Code {
    let code = headers
        .get("grpc-status")
        .and_then(|value| value.to_str().ok());
    let code = code.and_then(|text| text.parse().ok());
    code.and_then(Code::from_u8)
        .expect("a status is a number of gRPC")
}

fn framed(message: &[u8]) -> Bytes {
    let length = u32::try_from(message.len()).expect("requests are short");
    let mut framed = vec![0];
    framed.extend_from_slice(&length.to_be_bytes());
    framed.extend_from_slice(message);
    framed.into()
}

/// Returns a message whose first field is this text.
fn one_text(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).expect("UIDs of a run are short");
    let mut message = vec![0x0a, length];
    message.extend_from_slice(text.as_bytes());
    message
}

/// A window that lets any answer pass in a moment; clients that pause have smaller ones.
const FAST_WINDOW: u32 = 1 << 14;

/// Longer than any run, so that the clock of the h2 crate, which alone reads one, decides nothing.
pub(super) const FOR_EVER: Duration = Duration::from_secs(1 << 30);
