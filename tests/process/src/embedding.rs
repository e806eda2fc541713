//! What an example of a program with pods of its own has to show.

use std::path::Path;
use std::time::{Duration, SystemTime};

use podsapi_client::{Client, ClientOptions, Dialect, EventKind};
use podsapi_proto::{core_v1::Pod, meta_v1::ObjectMeta};
use prost::Message;
use tokio::time::timeout;

use crate::serving_example;

/// Longer than an example takes for a change.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs such an example of the package under test: it has to list pods, and to tell a watch that one
/// comes and that it goes, with the time of that.
///
/// # Panics
///
/// When it does not, and as [`serving_example`].
pub fn embedding_example(name: &str) {
    serving_example(name, |socket| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("there is room for a reactor");
        // With the runtime the connection ends, so that the example need not wait for it.
        let told = runtime.block_on(async { timeout(PATIENCE, tells_changes(socket)).await });
        told.expect("a change is told within the time");
    });
}

async fn tells_changes(socket: &Path) {
    let begin = wall_seconds();
    // In this dialect a deletion carries its time, and a new pod is told as a changed one is.
    let dialect = Dialect::Documented;
    let options = ClientOptions {
        dialect,
        ..ClientOptions::default()
    };
    let client = Client::connect(socket, options);
    let client = client.await.expect("the example listens");
    let pods = client.list().await.expect("the example serves");
    assert!(!pods.is_empty(), "the example has no pods");
    let mut watch = client.watch().await.expect("the example serves");
    let mut next = async || {
        let event = watch.next().await.expect("the watch goes on");
        event.expect("the watch goes on")
    };
    // What comes after a first deletion is a change, and no part of what was there at the start.
    while next().await.kind != EventKind::Deleted {}
    let came = next().await;
    assert_eq!(came.kind, EventKind::Modified, "no pod came");
    let went = next().await;
    assert_eq!(went.kind, EventKind::Deleted, "no pod went");
    let (came, went) = (metadata(&came.pod), metadata(&went.pod));
    assert_eq!(came.uid, went.uid, "another pod went than came");
    let deleted = went.deletion_timestamp;
    let at = deleted.and_then(|time| time.seconds);
    let now = begin..=wall_seconds();
    assert!(
        at.is_some_and(|at| now.contains(&at)),
        "{at:?} is not in {now:?}"
    );
}

fn metadata(pod: &[u8]) -> ObjectMeta {
    let pod = Pod::decode(pod).expect("a pod is told");
    pod.metadata.expect("a pod has a name")
}

#[expect(
    clippy::disallowed_methods,
    reason = "wall time is what the example has to know"
)]
fn wall_seconds() -> i64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seconds = now.expect("it is later than 1970").as_secs();
    i64::try_from(seconds).expect("it is not that late")
}
