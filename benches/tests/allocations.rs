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
fn a_call_over_a_connection_allocates_the_same_each_time() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let pods = corpus(1);
    let (service, _) = serving(&pods);
    let mut requests = runtime.block_on(connected(service));
    let mut calls = |count| {
        measure(|| {
            runtime.block_on(async {
                for _ in 0..count {
                    let bytes = get(&mut requests, &pods[0].uid).await;
                    assert!(bytes > pods[0].pod.len());
                }
            });
        })
    };
    calls(100);
    let [few, same, more] = [100, 100, 200].map(|count| calls(count).count_total);
    assert_eq!(few, same);
    // Both sides of the connection, and one runtime for both.
    assert!(
        more - few <= 100 * CALL_ALLOCATIONS,
        "{} a call",
        (more - few) / 100
    );
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

async fn connected(service: Pods) -> h2::client::SendRequest<Bytes> {
    let server = Server::new(service, Limits::default(), TokioRuntime::new());
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(server.serve_connection(theirs, Peer::default()));
    let (requests, connection) = h2::client::handshake(ours)
        .await
        .expect("both sides of the connection are well");
    tokio::spawn(async { drop(connection.await) });
    requests
}

/// Returns how many bytes the answer has.
async fn get(requests: &mut h2::client::SendRequest<Bytes>, uid: &str) -> usize {
    let request = http::Request::post("http://localhost/v1alpha1.Pods/GetPod")
        .header("content-type", "application/grpc")
        .body(())
        .expect("both sides of the connection are well");
    let (response, mut body) = requests
        .send_request(request, false)
        .expect("both sides of the connection are well");
    let message = [&[0, 0, 0, 0, 38, 10, 36], uid.as_bytes()].concat();
    body.send_data(message.into(), true)
        .expect("both sides of the connection are well");
    let mut answer = response
        .await
        .expect("both sides of the connection are well")
        .into_body();
    let mut bytes = 0;
    while let Some(data) = answer.data().await {
        let data = data.expect("both sides of the connection are well");
        answer
            .flow_control()
            .release_capacity(data.len())
            .expect("both sides of the connection are well");
        bytes += data.len();
    }
    answer
        .trailers()
        .await
        .expect("both sides of the connection are well");
    bytes
}

const CALL_ALLOCATIONS: u64 = 60;
