//! What many watches of many pods cost, in allocations, which repeat exactly.
//!
//! Counted is what one thread allocates, by the allocator of a crate made for that; nothing here
//! depends on time.

use allocation_counter::{AllocationInfo, measure};
use podsapi_core::{
    Call, Config, Dialect, FieldMask, MaskError, MaskRequest, Method, Moment, Outgoing, Pods,
    Reply, SourceConfig, SourceEvent, SourceId, SourceKind, WatchId, WatchOutput,
};
use podsapi_h2::{Limits, Peer, Server};
use podsapi_proto::schema::Message;
use podsapi_sources::simulated;
use podsapi_tests::pods::SamplePod;
use podsapi_tokio::TokioRuntime;

const PODS: usize = 500;
const WATCHES: usize = 1_000;

#[test]
fn a_thousand_watches_read_the_same_bytes_of_every_pod() {
    let mut node = Node::new(10_000);
    let listed: Vec<_> = node.list().into_segments().collect();
    let pods: Vec<_> = listed.iter().filter(|part| part.len() > 1_000).collect();
    assert_eq!(pods.len(), PODS);
    for watch in node.watches(WATCHES) {
        for pod in &pods {
            let event = node.event(watch);
            let part = event.segments().last().expect("an event has a pod");
            assert_eq!((part.as_ptr(), part.len()), (pod.as_ptr(), pod.len()));
        }
        let marker = node.event(watch);
        assert_eq!(marker.to_vec(), [8, 4]);
    }
}

#[test]
fn a_watch_costs_less_than_half_a_kibibyte_however_large_the_pods_are() {
    let costs = [100, 10_000].map(|filler| {
        let mut node = Node::new(filler);
        // The first watch makes the list that all share.
        node.watches(1);
        let mut ids = Vec::with_capacity(WATCHES);
        measure(|| ids.extend((0..WATCHES).map(|_| node.watch())))
    });
    assert_eq!(costs[0], costs[1]);
    let held = costs[0].bytes_current / WATCHES as i64;
    assert!(
        (1..512).contains(&held),
        "{held} bytes a watch: {:?}",
        costs[0]
    );
}

#[test]
fn projecting_into_a_large_enough_buffer_allocates_nothing() {
    let node = simulated::Node::new(7, PODS, "node-a", 1_800_000_000);
    let pods: Result<Vec<_>, _> = node.pods().collect();
    let pods = pods.expect("a simulated pod is right");
    let whole: usize = pods.iter().map(|pod| pod.bytes().len()).sum();
    let mut out = Vec::with_capacity(whole);
    for text in [
        "status.phase,status.podIPs",
        "metadata.labels.`app.kubernetes.io/name`,spec.volumes.configMap.name",
        "spec.containers.livenessProbe.httpGet,metadata.managedFields.time,status.conditions.type",
        "*",
    ] {
        let mask = FieldMask::parse(text).and_then(|mask| mask.compile(Message::POD));
        let mask = mask.expect("the mask is right");
        out.clear();
        let cost = measure(|| {
            for pod in &pods {
                let projected = mask.project(pod.bytes(), &mut out);
                assert_eq!(projected, Ok(()));
            }
        });
        assert_eq!(cost.count_total, 0, "{text}: {cost:?}");
        assert!(!out.is_empty() && out.len() <= whole);
    }
}

#[test]
fn reading_the_first_list_allocates_nothing() {
    let mut node = Node::new(10_000);
    let watches = node.watches(WATCHES);
    let mut bytes = 0;
    let cost = measure(|| {
        for watch in &watches {
            for _ in 0..PODS {
                bytes += node.event(*watch).len();
            }
        }
    });
    assert!(bytes > WATCHES * PODS * 10_000, "{bytes}");
    assert_eq!(cost, AllocationInfo::default());
}

#[test]
fn a_change_costs_each_watch_a_reference_however_large_the_pod_is() {
    let costs = [100, 100_000].map(|filler| {
        let mut node = Node::new(100);
        let watches = node.watches(WATCHES);
        node.read_all(&watches);
        // The first change makes room for events in every watch.
        node.put(sample(0, filler).version(1));
        node.read_all(&watches);
        let changed = node.encoded(sample(0, filler).version(2));
        let cost = measure(|| node.say(changed));
        assert_eq!(node.pods.queued_events(), WATCHES);
        let mut parts = Vec::new();
        for watch in watches {
            let event = node.event(watch);
            parts.push(event.segments().last().map(|part| part.as_ptr()));
        }
        parts.dedup();
        assert_eq!(parts.len(), 1, "all watches read the same bytes");
        // What is freed meanwhile is the pod before, which is as large as it is.
        (cost.count_total, cost.bytes_total)
    });
    assert_eq!(costs[0], costs[1]);
    let (_, bytes) = costs[0];
    assert!(bytes < 1_024, "{bytes} bytes for {WATCHES} watches");
}

#[test]
fn unread_events_cost_nothing_for_one_more_watch_however_large_the_pods_are() {
    const EVENTS: usize = 100;
    let costs = [(10, 100), (WATCHES, 100), (WATCHES, 100_000)].map(|(count, filler)| {
        let mut node = Node::new(100);
        let watches = node.watches(count);
        node.read_all(&watches);
        let changes: Vec<_> = (0..EVENTS)
            .map(|number| node.encoded(sample(number, filler).version(1)))
            .collect();
        let cost = measure(|| changes.into_iter().for_each(|change| node.say(change)));
        assert_eq!(node.pods.queued_events(), count * EVENTS);
        (cost.count_total, cost.bytes_total)
    });
    assert_eq!(costs, [costs[0]; 3]);
    let (_, bytes) = costs[0];
    let event = bytes / EVENTS as u64;
    assert!((1..=1_024).contains(&event), "{event} bytes an event");
}

#[test]
fn unread_events_of_many_masks_do_not_hold_a_copy_for_each() {
    const EVENTS: usize = 100;
    let mut node = Node::new(100);
    for number in 0..100 {
        let mask = format!("metadata,spec.overhead.k{number}");
        node.masked_watch(&mask).unwrap();
    }
    let changes: Vec<_> = (0..EVENTS)
        .map(|number| node.encoded(sample(number, 20_000).version(1)))
        .collect();
    let cost = measure(|| changes.into_iter().for_each(|change| node.say(change)));
    assert_eq!(node.pods.queued_events(), 100 * EVENTS);
    // What is kept for all who ask with one of these masks has its own limit, 32 MiB.
    assert!(cost.bytes_current < 40 << 20, "{cost:?}");
}

#[test]
fn a_list_costs_its_table_of_parts_however_large_the_pods_are() {
    let costs = [100, 10_000].map(|filler| {
        let mut node = Node::new(filler);
        node.list();
        let mut list = None;
        let cost = measure(|| list = Some(node.list()));
        let bytes = list.map_or(0, |list| list.len());
        assert!(bytes > PODS * filler, "{bytes}");
        cost
    });
    assert_eq!(costs[0], costs[1]);
    assert!(costs[0].bytes_current < 128 * PODS as i64, "{:?}", costs[0]);
}

#[test]
fn the_same_history_allocates_the_same_twice() {
    let costs = [(), ()].map(|()| {
        measure(|| {
            let mut node = Node::new(1_000);
            let watches = node.watches(100);
            for number in 0..50 {
                node.put(sample(number, 1_000).version(1));
            }
            node.read_all(&watches);
            node.list();
        })
    });
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0].bytes_current, 0, "nothing is left behind");
}

#[test]
fn an_open_watch_does_not_hold_the_headers_of_its_call() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let [few, many] = [1, 100].map(|headers| {
        let mut requests = runtime.block_on(served()).unwrap();
        let mut watches = Vec::with_capacity(51);
        let mut open = |count| {
            runtime.block_on(async {
                for _ in 0..count {
                    watches.push(opened_watch(&mut requests, headers).await.unwrap());
                }
            });
        };
        // The first makes the tables and buffers of the connection.
        open(1);
        measure(|| open(50)).bytes_current / 50
    });
    assert!(many < few + 2_048, "{few} bytes a watch, or {many}");
}

/// Serves a node without sources in this thread, and returns a connection to it.
async fn served() -> Result<h2::client::SendRequest<bytes::Bytes>, h2::Error> {
    let pods = Pods::new(Config::default(), Moment::ORIGIN);
    let server = Server::new(pods, Limits::default(), TokioRuntime::new());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(server.serve_connection(theirs, Peer::default()));
    let (requests, connection) = h2::client::handshake(ours).await?;
    tokio::spawn(async { drop(connection.await) });
    Ok(requests)
}

/// Opens a watch with so many more headers of 100 bytes, and reads it up to the marker.
async fn opened_watch(
    requests: &mut h2::client::SendRequest<bytes::Bytes>,
    headers: usize,
) -> Result<h2::RecvStream, Box<dyn std::error::Error>> {
    let mut request = http::Request::post("http://localhost/v1alpha1.Pods/WatchPods")
        .header("content-type", "application/grpc");
    for number in 0..headers {
        request = request.header(format!("x-{number}"), "v".repeat(100));
    }
    let request = request.body(())?;
    let (response, mut body) = requests.send_request(request, false)?;
    body.send_data([0; 5].as_slice().into(), true)?;
    let mut events = response.await?.into_body();
    events.data().await.ok_or("no marker came")??;
    Ok(events)
}

/// A ready service of [`PODS`] pods.
struct Node {
    pods: Pods,
    source: SourceId,
}

impl Node {
    /// Returns a service whose pods have about `filler` bytes each.
    fn new(filler: usize) -> Self {
        let config = Config {
            sources: vec![SourceConfig::new("node", SourceKind::Snapshot)],
            qps: 0,
            ..Config::default()
        };
        let pods = Pods::new(config, Moment::ORIGIN);
        let source = pods.source("node").expect("the source is configured");
        let mut node = Self { pods, source };
        node.say(SourceEvent::Begin);
        for number in 0..PODS {
            node.put(sample(number, filler));
        }
        node.say(SourceEvent::Complete { at: 0 });
        node
    }

    fn say(&mut self, event: SourceEvent) {
        let said = self.pods.handle_source(self.source, event, Moment::ORIGIN);
        said.expect("the order of a source is kept");
    }

    fn put(&mut self, pod: SamplePod) {
        let put = self.encoded(pod);
        self.say(put);
    }

    /// Returns the word that a pod is as given, apart so that its making is not counted.
    fn encoded(&self, pod: SamplePod) -> SourceEvent {
        SourceEvent::Put {
            pod: pod.parse(),
            at: 0,
        }
    }

    fn call(&mut self, method: Method) -> Reply {
        let call = Call::new(Dialect::V1alpha1, method, Default::default());
        self.pods.handle_call(call, Moment::ORIGIN)
    }

    fn list(&mut self) -> Outgoing {
        match self.call(Method::ListPods) {
            Reply::Answer(list) => list,
            other @ (Reply::Refuse(_) | Reply::Watch(_)) => panic!("{other:?}"),
        }
    }

    fn watch(&mut self) -> WatchId {
        match self.call(Method::WatchPods) {
            Reply::Watch(watch) => watch,
            other @ (Reply::Answer(_) | Reply::Refuse(_)) => panic!("{other:?}"),
        }
    }

    fn masked_watch(&mut self, mask: &str) -> Result<Reply, MaskError> {
        let call = Call {
            mask: MaskRequest::new(FieldMask::parse(mask)?),
            ..Call::new(Dialect::V1alpha1, Method::WatchPods, Default::default())
        };
        Ok(self.pods.handle_call(call, Moment::ORIGIN))
    }

    fn watches(&mut self, count: usize) -> Vec<WatchId> {
        (0..count).map(|_| self.watch()).collect()
    }

    fn event(&mut self, watch: WatchId) -> Outgoing {
        match self.pods.poll_watch(watch) {
            WatchOutput::Event(event) => event,
            other @ (WatchOutput::End(_) | WatchOutput::Idle) => panic!("{other:?}"),
        }
    }

    /// Takes which watches have something to read, and reads it.
    fn read_all(&mut self, watches: &[WatchId]) {
        while self.pods.poll_ready().is_some() {}
        for watch in watches {
            while let WatchOutput::Event(_) = self.pods.poll_watch(*watch) {}
        }
    }
}

fn sample(number: usize, filler: usize) -> SamplePod {
    let uid = format!("{number:03}");
    SamplePod::new("default", &uid, &uid).label("filler", &"x".repeat(filler))
}
