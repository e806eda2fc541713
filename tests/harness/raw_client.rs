//! A client that sends any bytes, and holds the server to what it may send.

use core::time::Duration;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::timeout;

use crate::frames::{self, Frame, PREFACE, flag, kind, setting};
use crate::reply::Reply;

/// How long the client waits for the next frame before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);
/// The size of a window until somebody says something else.
const INITIAL_WINDOW: i64 = 65_535;
/// The largest payload that a server may send unless the client allows more.
const MAX_FRAME_BYTES: usize = 16_384;
/// Headers that HTTP/2 has no place for (RFC 9113 section 8.2.2).
const CONNECTION_HEADERS: [&str; 5] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "transfer-encoding",
    "upgrade",
];

/// One connection, in the client's role.
///
/// Every frame that it reads is checked: sizes, windows, flags and headers that no server may send
/// make the test fail wherever they come.
#[expect(missing_debug_implementations, reason = "the decoder has none")]
pub struct RawClient {
    socket: UnixStream,
    unread: Vec<u8>,
    decoder: fluke_hpack::Decoder<'static>,
    /// A header block whose end has not come.
    open_block: Option<(u32, bool, Vec<u8>)>,
    connection_window: i64,
    stream_windows: BTreeMap<u32, i64>,
    initial_window: i64,
    /// Window sizes that the server has not acknowledged.
    unacknowledged: VecDeque<Option<i64>>,
    last_stream: Option<u32>,
    /// The streams so far.
    pub replies: BTreeMap<u32, Reply>,
    /// Last stream, code and text of each GOAWAY.
    pub go_aways: Vec<(u32, u32, String)>,
    /// Payloads of answered PINGs.
    pub pongs: Vec<Vec<u8>>,
    /// PINGs of the server.
    pub pings: usize,
    /// SETTINGS of the server.
    pub settings: Option<Vec<u8>>,
    /// Bytes that the server has granted: by stream, the connection as 0.
    pub granted: BTreeMap<u32, u64>,
    /// Whether the connection is over.
    pub closed: bool,
    /// Whether received DATA is granted again at once.
    pub grants: bool,
    /// Whether the server's PINGs are answered.
    pub answers_pings: bool,
}

impl RawClient {
    /// Connects and says nothing.
    ///
    /// # Panics
    ///
    /// When nobody listens there.
    pub async fn silent(path: &Path) -> Self {
        let socket = UnixStream::connect(path).await.expect("the server listens");
        Self {
            socket,
            unread: Vec::new(),
            decoder: fluke_hpack::Decoder::new(),
            open_block: None,
            connection_window: INITIAL_WINDOW,
            stream_windows: BTreeMap::new(),
            initial_window: INITIAL_WINDOW,
            unacknowledged: VecDeque::new(),
            last_stream: None,
            replies: BTreeMap::new(),
            go_aways: Vec::new(),
            pongs: Vec::new(),
            pings: 0,
            settings: None,
            granted: BTreeMap::new(),
            closed: false,
            grants: true,
            answers_pings: true,
        }
    }

    /// Connects and sends preface and SETTINGS.
    pub async fn connect(path: &Path) -> Self {
        Self::connect_with(path, &[]).await
    }

    /// Connects and sends preface and SETTINGS that say this.
    pub async fn connect_with(path: &Path, settings: &[(u16, u32)]) -> Self {
        let mut client = Self::silent(path).await;
        client.send(PREFACE).await;
        client.send_settings(settings).await;
        client
    }

    /// Sends bytes. A server that has closed takes none, and what it said before is still read.
    ///
    /// # Panics
    ///
    /// When the server does not take them in time.
    pub async fn send(&mut self, bytes: &[u8]) {
        let sent = timeout(PATIENCE, self.socket.write_all(bytes)).await;
        sent.expect("the server reads within the time").ok();
    }

    /// Sends SETTINGS; a window size counts for the checks as the RFC says.
    pub async fn send_settings(&mut self, pairs: &[(u16, u32)]) {
        let window = pairs
            .iter()
            .rfind(|(id, _)| *id == setting::INITIAL_WINDOW_SIZE);
        self.unacknowledged
            .push_back(window.map(|(_, size)| i64::from(*size)));
        self.send(&frames::settings(pairs)).await;
    }

    /// Counts SETTINGS without a window size that the test sends by itself.
    pub fn count_settings(&mut self) {
        self.unacknowledged.push_back(None);
    }

    /// Grants more bytes of a stream, or of the connection as 0.
    pub async fn grant(&mut self, stream: u32, bytes: u32) {
        let window = match stream {
            0 => &mut self.connection_window,
            _ => self
                .stream_windows
                .entry(stream)
                .or_insert(self.initial_window),
        };
        *window += i64::from(bytes);
        self.send(&frames::window_update(stream, bytes)).await;
    }

    /// Returns a stream that was not used yet, for tests that name none themselves.
    pub fn next_stream(&mut self) -> u32 {
        let stream = self.last_stream.map_or(1, |last| last + 2);
        self.last_stream = Some(stream);
        stream
    }

    /// Sends a whole call to `path` with one message.
    pub async fn call(&mut self, stream: u32, path: &str, body: &[u8]) {
        self.headers(stream, &request(path), flag::END_HEADERS)
            .await;
        self.data(stream, &frames::message(body), flag::END_STREAM)
            .await;
    }

    /// Sends a HEADERS frame of these fields.
    pub async fn headers(&mut self, stream: u32, fields: &[(&str, &[u8])], flags: u8) {
        self.last_stream = self.last_stream.max(Some(stream));
        let block = frames::block(fields);
        self.send(&frames::frame(kind::HEADERS, flags, stream, &block))
            .await;
    }

    /// Sends a DATA frame.
    pub async fn data(&mut self, stream: u32, payload: &[u8], flags: u8) {
        self.send(&frames::frame(kind::DATA, flags, stream, payload))
            .await;
    }

    /// Says that nothing more will be sent.
    ///
    /// # Panics
    ///
    /// When the socket does not let itself be shut down.
    pub async fn half_close(&mut self) {
        self.socket
            .shutdown()
            .await
            .expect("the sending side is open");
    }

    /// Reads until the stream is over, and returns it.
    ///
    /// # Panics
    ///
    /// When nothing comes for a while.
    pub async fn reply(&mut self, stream: u32) -> Reply {
        let over = |client: &Self| client.replies.get(&stream).is_some_and(Reply::is_over);
        self.until(&format!("the end of stream {stream}"), over)
            .await;
        self.replies.get(&stream).cloned().unwrap_or_default()
    }

    /// Sends a whole call and reads its reply.
    pub async fn unary(&mut self, stream: u32, path: &str, body: &[u8]) -> Reply {
        self.call(stream, path, body).await;
        self.reply(stream).await
    }

    /// Sends a PING and reads until its answer, so that all that was sent before is dealt with.
    pub async fn ping(&mut self, payload: &[u8; 8]) {
        let before = self.pongs.len();
        self.send(&frames::frame(kind::PING, 0, 0, payload)).await;
        self.until("an answer to PING", |client| client.pongs.len() > before)
            .await;
    }

    /// Reads until the connection is over.
    pub async fn end(&mut self) {
        self.until("the end of the connection", |client| client.closed)
            .await;
    }

    /// Returns whether the server has acknowledged all SETTINGS that it was sent.
    pub fn acknowledged(&self) -> bool {
        self.unacknowledged.is_empty()
    }

    /// Reads until `done`.
    ///
    /// # Panics
    ///
    /// When nothing comes for a while, or the connection ends before.
    pub async fn until(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        self.until_or_closed(what, &done).await;
        assert!(
            done(self),
            "the connection ended while waiting for {what}: {:?}",
            self.go_aways
        );
    }

    /// Reads until `done` or the end of the connection.
    ///
    /// # Panics
    ///
    /// When nothing comes for a while.
    pub async fn until_or_closed(&mut self, what: &str, done: impl Fn(&Self) -> bool) {
        while !self.closed && !done(self) {
            if let Some(frame) = Frame::take(&mut self.unread) {
                self.take(frame).await;
                continue;
            }
            let read = timeout(PATIENCE, self.socket.read_buf(&mut self.unread)).await;
            let read = read.unwrap_or_else(|_| panic!("nothing came while waiting for {what}"));
            // A reset connection is closed too.
            self.closed |= read.unwrap_or(0) == 0;
        }
    }

    async fn take(&mut self, frame: Frame) {
        assert!(
            frame.payload.len() <= MAX_FRAME_BYTES,
            "frame too large: {}",
            frame.payload.len()
        );
        assert!(
            self.settings.is_some() || (frame.kind == kind::SETTINGS && !frame.has(flag::ACK)),
            "SETTINGS are due first, found {frame:?}"
        );
        match frame.kind {
            kind::DATA => self.take_data(&frame).await,
            kind::HEADERS => {
                assert!(
                    !frame.has(flag::PADDED | flag::PRIORITY),
                    "odd flags: {frame:?}"
                );
                let end = frame.has(flag::END_STREAM);
                self.take_block((frame.stream, end, frame.payload), frame.flags);
            }
            kind::CONTINUATION => {
                let mut block = self.open_block.take().expect("a HEADERS frame came before");
                assert_eq!(block.0, frame.stream);
                block.2.extend(frame.payload);
                self.take_block(block, frame.flags);
            }
            kind::RST_STREAM => {
                self.replies.entry(frame.stream).or_default().reset = Some(frame.number(0));
            }
            kind::SETTINGS if frame.has(flag::ACK) => {
                let window = self.unacknowledged.pop_front().expect("SETTINGS were sent");
                if let Some(size) = window {
                    for stream in self.stream_windows.values_mut() {
                        *stream += size - self.initial_window;
                    }
                    self.initial_window = size;
                }
            }
            kind::SETTINGS => {
                self.settings = Some(frame.payload);
                self.send(&frames::frame(kind::SETTINGS, flag::ACK, 0, &[]))
                    .await;
            }
            kind::PING if frame.has(flag::ACK) => self.pongs.push(frame.payload),
            kind::PING => {
                self.pings += 1;
                if self.answers_pings {
                    self.send(&frames::frame(kind::PING, flag::ACK, 0, &frame.payload))
                        .await;
                }
            }
            kind::GO_AWAY => {
                let text = frame.payload.get(8..).unwrap_or_default();
                let text = String::from_utf8_lossy(text).into_owned();
                self.go_aways.push((frame.number(0), frame.number(4), text));
            }
            kind::WINDOW_UPDATE => {
                *self.granted.entry(frame.stream).or_default() += u64::from(frame.number(0));
            }
            other => panic!("no server sends a frame of type {other}"),
        }
    }

    async fn take_data(&mut self, frame: &Frame) {
        assert!(!frame.has(flag::PADDED), "padded DATA breaks grpc-core");
        let length = i64::try_from(frame.payload.len()).expect("a frame is small");
        // Until the server acknowledges another size, the larger one may count.
        let pending = self
            .unacknowledged
            .iter()
            .flatten()
            .map(|size| size - self.initial_window);
        let slack = pending.max().unwrap_or_default().max(0);
        let window = self
            .stream_windows
            .entry(frame.stream)
            .or_insert(self.initial_window);
        *window -= length;
        self.connection_window -= length;
        assert!(
            *window + slack >= 0 || length == 0,
            "over the window of stream {}",
            frame.stream
        );
        assert!(
            self.connection_window >= 0,
            "over the window of the connection"
        );
        let reply = self.replies.entry(frame.stream).or_default();
        assert!(reply.headers.is_some(), "DATA before HEADERS");
        reply.data.extend_from_slice(&frame.payload);
        reply.data_frames += 1;
        reply.ended |= frame.has(flag::END_STREAM);
        if self.grants && length > 0 {
            let bytes = u32::try_from(length).expect("a frame is small");
            self.grant(0, bytes).await;
            if !frame.has(flag::END_STREAM) {
                self.grant(frame.stream, bytes).await;
            }
        }
    }

    fn take_block(&mut self, block: (u32, bool, Vec<u8>), flags: u8) {
        if flags & flag::END_HEADERS == 0 {
            self.open_block = Some(block);
            return;
        }
        let (stream, end, encoded) = block;
        let fields = self
            .decoder
            .decode(&encoded)
            .expect("the server's header block is HPACK");
        let fields: Vec<_> = fields
            .into_iter()
            .map(|(name, value)| (String::from_utf8(name).expect("names are ASCII"), value))
            .collect();
        for (name, value) in &fields {
            assert!(
                !name.contains(|letter: char| letter.is_ascii_uppercase()),
                "{name}"
            );
            assert!(!CONNECTION_HEADERS.contains(&name.as_str()), "{name}");
            assert!(
                !value.iter().any(|byte| matches!(byte, 0 | b'\r' | b'\n')),
                "{name}"
            );
            assert!(
                name != ":status" || !value.starts_with(b"1"),
                "informational response"
            );
        }
        let reply = self.replies.entry(stream).or_default();
        assert!(!reply.ended, "HEADERS after the end of stream {stream}");
        let part = if reply.headers.is_none() {
            &mut reply.headers
        } else {
            &mut reply.trailers
        };
        assert!(part.is_none(), "a third header block on stream {stream}");
        *part = Some(fields);
        reply.ended |= end;
    }
}

/// Returns the headers of a call as an ordinary client sends them.
pub fn request(path: &str) -> Vec<(&str, &[u8])> {
    vec![
        (":method", b"POST"),
        (":scheme", b"http"),
        (":path", path.as_bytes()),
        (":authority", b"localhost"),
        ("content-type", b"application/grpc"),
        ("te", b"trailers"),
    ]
}

/// Returns the headers of a call with one of them replaced, or added behind.
pub fn request_with<'a>(path: &'a str, name: &'a str, value: &'a [u8]) -> Vec<(&'a str, &'a [u8])> {
    let mut fields = request(path);
    match fields.iter_mut().find(|(found, _)| *found == name) {
        Some(field) => field.1 = value,
        None => fields.push((name, value)),
    }
    fields
}
