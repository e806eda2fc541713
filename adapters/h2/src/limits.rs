//! Every bound of the driver: its unit, its default, its reason.

use std::time::Duration;

/// The bounds that the driver keeps on connections, calls, bytes and waiting.
///
/// The defaults are meant for a node; each field says why its number is what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections served at one time; one more is closed at once.
    ///
    /// 1,024: a node has tens of consumers, and an idle connection costs about 15 KiB.
    pub max_connections: usize,
    /// Calls in progress at one time over all connections; one more is `RESOURCE_EXHAUSTED`, unless
    /// it is among the [first](Self::calls_kept_per_connection) of its connection.
    ///
    /// 8,192: twice the watches that the service allows by default, so that watches alone cannot
    /// keep other calls out.
    pub max_calls: usize,
    /// Calls in progress that each connection may have whatever others do, so that nobody can keep
    /// others out with calls.
    ///
    /// 4: a watch and some calls beside it. All calls together are bounded by [`Self::max_calls`] and
    /// this for each of [`Self::max_connections`]: 12,288.
    pub calls_kept_per_connection: usize,
    /// Streams that one connection may have open (`SETTINGS_MAX_CONCURRENT_STREAMS`).
    ///
    /// 400: those that are [held](Self::max_held_streams_per_connection), and as many for calls that
    /// end by themselves. Clients queue what is beyond, and nobody learns of it.
    pub max_streams_per_connection: u32,
    /// Streams of one connection that last for as long as their client likes: watches of pods and of
    /// health, and reflection. One more is `RESOURCE_EXHAUSTED`, which unlike a stream that its client
    /// does not begin is told and counted.
    ///
    /// 200: what a connection had of them before its other calls waited.
    pub max_held_streams_per_connection: usize,
    /// Bytes that a client may send ahead on one connection.
    ///
    /// 1 MiB: the library's budget against tiny DATA frames is half of this, and clients that
    /// send the end of a request in a frame of its own use it up in a burst of calls.
    pub connection_window_bytes: u32,
    /// Bytes that a client may send ahead on one stream.
    ///
    /// 65,535: the protocol's default; a request is tens of bytes.
    pub stream_window_bytes: u32,
    /// Largest list of request headers, counted as HPACK does (32 bytes more for each field); a call
    /// with a larger one is `RESOURCE_EXHAUSTED`. Beyond
    /// [`MAX_HEADER_BYTES`](crate::MAX_HEADER_BYTES) its connection ends.
    ///
    /// 16 KiB: twice the default that gRPC documents.
    pub max_header_list_bytes: u32,
    /// How long the library remembers a stream that was reset, to ignore what still arrives on it.
    ///
    /// 1 s: a local client hears of the reset in microseconds. The library measures this time, alone
    /// of all, by a clock of its own.
    pub reset_stream_memory: Duration,
    /// Streams that a client may make the library reset in the life of a connection, by what is
    /// against the protocol or comes too late; one more ends the connection.
    ///
    /// 1,024: what the library allows by default. Clients do it by mistake, and a few times.
    pub max_stream_errors: usize,
    /// Bytes of a reply that wait inside the HTTP/2 library for one stream.
    ///
    /// 128 KiB: keeps a fast reader busy; the bytes are shared with the store, not copied.
    pub max_send_buffer_bytes: usize,
    /// Bytes that wait for the socket of one connection before its replies wait too.
    ///
    /// 256 KiB: a little more than what Linux takes for a UNIX socket at one time by default. A frame
    /// more can be there.
    pub max_unwritten_bytes: usize,
    /// Largest request message.
    ///
    /// 64 KiB: a request is a UID or nothing; unknown fields of later versions have room.
    pub max_request_bytes: usize,
    /// Request bytes held at one time for all calls together, without the
    /// [first](Self::request_bytes_kept_per_call) of each; one more is `RESOURCE_EXHAUSTED`.
    ///
    /// 16 MiB: 256 requests of the largest size at one instant.
    pub max_request_bytes_in_flight: usize,
    /// Request bytes that each call may have whatever others do, so that nobody can keep others out
    /// with requests that do not end.
    ///
    /// 1 KiB: a UID has tens of bytes. All request bytes together are bounded by
    /// [`Self::max_request_bytes_in_flight`] and this for each call: 28 MiB.
    pub request_bytes_kept_per_call: usize,
    /// Bytes of unary replies on one connection that wait to be read; one more is
    /// `RESOURCE_EXHAUSTED`, unless it belongs to the only reply.
    ///
    /// 256 MiB: twenty-five lists at one time, of a node whose pods take 10 MiB and all change between
    /// them. Bytes that replies share count once; that the store has them, too, takes nothing off, since
    /// it may drop them at any time.
    pub max_reply_bytes_per_connection: usize,
    /// The same for all connections together, unless the reply is the only one of its connection:
    /// nobody can keep others out with replies that are not read.
    ///
    /// 1 GiB: four connections that do their worst. All bytes together are bounded by this and one
    /// reply for each of [`Self::max_connections`].
    pub max_reply_bytes: usize,
    /// Bytes read and thrown away before a call is refused, so that the answer is not followed
    /// by a reset of a request that was still being sent.
    ///
    /// 256 KiB: four windows of a stream.
    pub max_drain_bytes: usize,
    /// How long a refused call may still send its request.
    ///
    /// 250 ms: a request in flight arrives within it; a client that keeps its side open is not
    /// left waiting.
    pub refused_request_timeout: Duration,
    /// Questions that one reflection stream may ask; one more ends it with `RESOURCE_EXHAUSTED`.
    ///
    /// 1,000: a client that asks for every file and every symbol on its way asks tens.
    pub max_reflection_requests: usize,
    /// How long a reflection stream may wait for its next question.
    ///
    /// 5 minutes: clients open it for a few questions at once, and open another one later.
    pub reflection_idle_timeout: Duration,
    /// Time for the HTTP/2 preface to arrive.
    ///
    /// 10 s: a local client sends it with its connect.
    pub preface_timeout: Duration,
    /// Time from the headers of a call to the end of its request, and from the beginning of a frame
    /// or a header block to its end.
    ///
    /// 10 s: requests are tiny and local.
    pub request_timeout: Duration,
    /// Time that a unary reply may take to be read by its client.
    ///
    /// 120 s: a whole node's pods over a window of a few bytes at a time is not a reader.
    pub reply_timeout: Duration,
    /// Time that a watch may have something to send without its client taking a byte, and that its
    /// client may take for the rest of an event once the watch has ended.
    ///
    /// 60 s: the queue bounds the memory; this bounds for how long a stuck client holds it.
    pub stuck_stream_timeout: Duration,
    /// Time that a write to the socket may wait before the connection is given up.
    ///
    /// 60 s: only a peer that does not read its socket at all makes one wait.
    pub write_stall_timeout: Duration,
    /// How long nothing may be heard from a client before it is asked for a sign of life.
    ///
    /// 2 minutes: a local PING is cheap, and a UNIX socket tells of a stopped peer in no other way.
    pub keepalive_interval: Duration,
    /// Time that the sign of life may take before the connection is closed.
    ///
    /// 20 s: as the other gRPC servers.
    pub keepalive_timeout: Duration,
    /// Time without any call after which a connection is closed gracefully.
    ///
    /// 30 minutes: clients close an idle channel after that time themselves.
    pub idle_timeout: Duration,
    /// Time that a stopping server waits for the client to acknowledge its first GOAWAY.
    ///
    /// 5 s: as grpc-go; a local client answers in microseconds.
    pub goaway_timeout: Duration,
    /// Time that a stopping server gives the calls in progress on a connection.
    ///
    /// 10 s: unary calls end in milliseconds, watches are told to end.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_connections: 1024,
            max_calls: 8192,
            calls_kept_per_connection: 4,
            max_streams_per_connection: 400,
            max_held_streams_per_connection: 200,
            connection_window_bytes: 1 << 20,
            stream_window_bytes: 65_535,
            max_header_list_bytes: 16 << 10,
            reset_stream_memory: Duration::from_secs(1),
            max_stream_errors: 1024,
            max_send_buffer_bytes: 128 << 10,
            max_unwritten_bytes: 256 << 10,
            max_request_bytes: 64 << 10,
            max_request_bytes_in_flight: 16 << 20,
            request_bytes_kept_per_call: 1 << 10,
            max_reply_bytes_per_connection: 256 << 20,
            max_reply_bytes: 1 << 30,
            max_drain_bytes: 256 << 10,
            refused_request_timeout: Duration::from_millis(250),
            max_reflection_requests: 1000,
            reflection_idle_timeout: Duration::from_secs(5 * 60),
            preface_timeout: Duration::from_secs(10),
            request_timeout: Duration::from_secs(10),
            reply_timeout: Duration::from_secs(120),
            stuck_stream_timeout: Duration::from_secs(60),
            write_stall_timeout: Duration::from_secs(60),
            keepalive_interval: Duration::from_secs(120),
            keepalive_timeout: Duration::from_secs(20),
            idle_timeout: Duration::from_secs(30 * 60),
            goaway_timeout: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(10),
        }
    }
}
