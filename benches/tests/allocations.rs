//! What a pod, a call and an event cost in allocations, which repeat exactly.

use allocation_counter::{AllocationInfo, measure};
use bytes::Bytes;
use podsapi_bench::corpus::{CorpusPod, corpus};
use podsapi_core::{
    Call, Config, Dialect, EncodedPod, Method, Moment, Pods, Reply, SourceConfig, SourceEvent,
    SourceId, SourceKind, WatchId, WatchOutput,
};
use podsapi_h2::{Limits, Peer, Server};
use podsapi_tokio::TokioRuntime;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const PODS: usize = 100;

#[test]
fn a_stored_pod_takes_a_quarter_more_than_its_bytes_and_256_bytes_at_most() {
    let pods = corpus(PODS);
    let encoded: usize = pods.iter().map(|pod| pod.pod.len()).sum();
    let mut store = None;
    let cost = measure(|| store = Some(serving(&pods)));
    let held = usize::try_from(cost.bytes_current).unwrap();
    assert!(store.is_some() && held > encoded, "{held} for {encoded}");
    assert!(
        held <= encoded + encoded / 4 + 256 * PODS,
        "{} bytes for a pod of {}",
        held / PODS,
        encoded / PODS
    );
}

#[test]
fn get_pod_allocates_nothing_before_it_reaches_a_connection() {
    let pods = corpus(PODS);
    let (mut service, _) = serving(&pods);
    let mut get = |pod: &CorpusPod| {
        let request = [&[10, 36], pod.uid.as_bytes()].concat();
        let call = Call::new(Dialect::V1alpha1, Method::GetPod, request.into());
        let mut reply = None;
        let cost = measure(|| reply = Some(service.handle_call(call, Moment::ORIGIN)));
        assert!(matches!(reply, Some(Reply::Answer(answer)) if answer.len() > pod.pod.len()));
        cost.count_total
    };
    // The first reader of a pod's bytes has them counted from then on.
    pods.iter().for_each(|pod| {
        get(pod);
    });
    let counts: Vec<_> = pods.iter().map(get).collect();
    assert_eq!(counts, [0; PODS]);
}

#[test]
fn a_delivered_event_allocates_nothing() {
    const WATCHES: usize = 1_000;
    let pods = corpus(1);
    let (mut service, source) = serving(&pods);
    let watches: Vec<_> = (0..WATCHES).map(|_| watch(&mut service)).collect();
    assert_eq!(read(&mut service, &watches), WATCHES * 2);
    for round in 0..3 {
        let state = if round % 2 == 0 {
            &pods[0].changed
        } else {
            &pods[0].pod
        };
        put(&mut service, source, state);
        let mut events = 0;
        let cost = measure(|| events = read(&mut service, &watches));
        assert_eq!(events, WATCHES);
        assert_eq!(cost, AllocationInfo::default());
    }
}

#[test]
fn one_more_watch_that_has_read_its_list_takes_256_bytes_at_most() {
    const WATCHES: usize = 1_000;
    let pods = corpus(PODS);
    let (mut service, _) = serving(&pods);
    let first = [watch(&mut service)];
    read(&mut service, &first);
    let mut events = 0;
    let cost = measure(|| {
        let watches: Vec<_> = (0..WATCHES).map(|_| watch(&mut service)).collect();
        events = read(&mut service, &watches);
    });
    assert_eq!(events, WATCHES * (PODS + 1));
    let held = usize::try_from(cost.bytes_current).unwrap();
    assert!(held <= 256 * WATCHES, "{} bytes a watch", held / WATCHES);
}

#[test]
fn a_call_over_a_connection_allocates_the_same_each_time() {
    let runtime = runtime();
    let pods = corpus(1);
    let (service, _) = serving(&pods);
    let (_, mut client) = runtime.block_on(connected(service));
    let request = [&[0, 0, 0, 0, 38, 10, 36], pods[0].uid.as_bytes()].concat();
    let mut calls = |count| {
        measure(|| {
            runtime.block_on(async {
                for _ in 0..count {
                    client.call("/v1alpha1.Pods/GetPod", &request).await;
                    let bytes = client.read_to_end().await;
                    assert!(bytes > pods[0].pod.len());
                }
            });
        })
        .count_total
    };
    // Memory that is kept from call to call.
    calls(10);
    let counts: Vec<_> = [1, 1, 2, 100].map(|count| calls(count) / count).into();
    assert_eq!(counts, [CALL_ALLOCATIONS; 4]);
}

#[test]
fn an_event_over_a_connection_allocates_nothing_for_one_more_watch() {
    let [few, more] = [5, 8].map(changes_on_watches);
    assert_eq!(few, [few[0]; 3]);
    // What a change costs once, however many watch, is in both.
    assert!(few[0] > 0);
    assert_eq!(few, more);
}

/// Returns how many allocations each of three changes takes until so many watches on one
/// connection have it.
fn changes_on_watches(watches: usize) -> [u64; 3] {
    let runtime = runtime();
    let pods = corpus(1);
    let (service, source) = serving(&pods);
    let (server, mut client) = runtime.block_on(connected(service));
    runtime.block_on(async {
        for _ in 0..watches {
            client.call("/v1alpha1.Pods/WatchPods", &[0; 5]).await;
        }
        client.read_pods(watches).await;
    });
    let mut states = [&pods[0].changed, &pods[0].pod].into_iter().cycle();
    let mut change = || {
        let state = states.next().expect("it goes round");
        let pod = EncodedPod::parse(state.clone()).expect("a pod of the corpus");
        measure(|| {
            runtime.block_on(async {
                let put = SourceEvent::Put { pod, at: 0 };
                server
                    .handle_source(source, put)
                    .expect("a source keeps the order");
                client.read_pods(watches).await;
            });
        })
        .count_total
    };
    // Memory that is kept from change to change.
    for _ in 0..4 {
        change();
    }
    [(); 3].map(|()| change())
}

/// Returns a service that holds a copy of the pods, made ready.
fn serving(pods: &[CorpusPod]) -> (Pods, SourceId) {
    let config = Config {
        sources: vec![SourceConfig::new("corpus", SourceKind::Snapshot)],
        qps: 0,
        ..Config::default()
    };
    let mut service = Pods::new(config, Moment::ORIGIN);
    let source = service.source("corpus").expect("it was just named");
    let mut say = |event| {
        service
            .handle_source(source, event, Moment::ORIGIN)
            .expect("a source keeps the order")
    };
    say(SourceEvent::Begin);
    for pod in pods {
        let pod = EncodedPod::parse(Bytes::copy_from_slice(&pod.pod)).expect("a pod of the corpus");
        say(SourceEvent::Put { pod, at: 0 });
    }
    say(SourceEvent::Complete { at: 0 });
    (service, source)
}

fn put(service: &mut Pods, source: SourceId, pod: &Bytes) {
    let pod = EncodedPod::parse(pod.clone()).expect("a pod of the corpus");
    let put = SourceEvent::Put { pod, at: 0 };
    service
        .handle_source(source, put, Moment::ORIGIN)
        .expect("a source keeps the order");
}

fn watch(service: &mut Pods) -> WatchId {
    let call = Call::new(Dialect::V1alpha1, Method::WatchPods, Bytes::new());
    match service.handle_call(call, Moment::ORIGIN) {
        Reply::Watch(watch) => watch,
        other @ (Reply::Answer(_) | Reply::Refuse(_)) => panic!("{other:?}"),
    }
}

/// Reads what there is to read, and returns how many events that was.
fn read(service: &mut Pods, watches: &[WatchId]) -> usize {
    while service.poll_ready().is_some() {}
    let mut events = 0;
    for watch in watches {
        while let WatchOutput::Event(_) = service.poll_watch(*watch) {
            events += 1;
        }
    }
    events
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime of one thread")
}

async fn connected(service: Pods) -> (Server<TokioRuntime>, Client) {
    let server = Server::new(service, Limits::default(), TokioRuntime::new());
    let (ours, theirs) = tokio::io::duplex(1 << 18);
    tokio::spawn(server.serve_connection(theirs, Peer::default()));
    let mut client = Client {
        io: ours,
        stream: 0xffff_ffff,
        sent: Vec::with_capacity(1 << 10),
        payload: vec![0; 1 << 14],
    };
    client.sent.extend(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    // Windows that are never used up, for each stream and for the connection.
    client.frame(SETTINGS, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]);
    client.frame(WINDOW_UPDATE, 0, 0, &[0x7f, 0xff, 0, 0]);
    client.frame(SETTINGS, ACK, 0, &[]);
    client.send().await;
    (server, client)
}

/// A client that allocates nothing once it is connected, so that all there is to count is the
/// server's.
struct Client {
    io: tokio::io::DuplexStream,
    /// The number of the last stream.
    stream: u32,
    sent: Vec<u8>,
    payload: Vec<u8>,
}

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;
const ACK: u8 = 1;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

impl Client {
    /// Calls a method with this one message, prefix included.
    async fn call(&mut self, path: &str, message: &[u8]) {
        self.stream = self.stream.wrapping_add(2);
        let mut block = [0; 64];
        // POST, http, and fields whose names are in the static table.
        let path_len = u8::try_from(path.len()).expect("a short path");
        let parts: [&[u8]; 6] = [
            &[0x83, 0x86, 0x04],
            &[path_len],
            path.as_bytes(),
            &[0x0f, 0x10],
            &[16],
            b"application/grpc",
        ];
        let mut len = 0;
        for part in parts {
            block[len..len + part.len()].copy_from_slice(part);
            len += part.len();
        }
        self.frame(HEADERS, END_HEADERS, self.stream, &block[..len]);
        self.frame(DATA, END_STREAM, self.stream, message);
        self.send().await;
    }

    fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let len = u32::try_from(payload.len()).expect("a short frame");
        self.sent.extend(&len.to_be_bytes()[1..]);
        self.sent.extend([kind, flags]);
        self.sent.extend(stream.to_be_bytes());
        self.sent.extend(payload);
    }

    async fn send(&mut self) {
        let written = self.io.write_all(&self.sent).await;
        written.expect("the server reads");
        self.sent.clear();
    }

    /// Reads a frame, and returns its kind, its flags and how long its payload is.
    async fn read_frame(&mut self) -> (u8, u8, usize) {
        let mut head = [0; 9];
        let read = self.io.read_exact(&mut head).await;
        read.expect("the server answers");
        let len = usize::from(head[1]) << 8 | usize::from(head[2]);
        let read = self.io.read_exact(&mut self.payload[..len]).await;
        read.expect("the server answers");
        (head[3], head[4], len)
    }

    /// Reads to the end of a stream, and returns how many bytes of data came.
    async fn read_to_end(&mut self) -> usize {
        let mut bytes = 0;
        loop {
            match self.read_frame().await {
                (DATA, _, len) => bytes += len,
                (HEADERS, flags, _) if flags & END_STREAM != 0 => return bytes,
                _ => {}
            }
        }
    }

    /// Reads until so many frames with a pod have come.
    async fn read_pods(&mut self, count: usize) {
        let mut frames = 0;
        while frames < count {
            let (kind, _, len) = self.read_frame().await;
            frames += usize::from(kind == DATA && len > 1_000);
        }
    }
}

/// Allocations of the server for a GetPod, from its first byte to its last: the tables and buffers
/// of headers, in and out, are most of them.
const CALL_ALLOCATIONS: u64 = 11;
