//! Clients that list and get, in bursts, with deadlines, and without waiting for the end.

use std::time::Duration;

use bytes::Bytes;
use podsapi_core::{Code, Dialect, Method};
use podsapi_h2::Runtime;
use podsapi_proto::{documented, v1alpha1};
use prost::Message;
use tokio::io::AsyncWriteExt;

use super::Site;
use super::client::{Client, Ended, Manner, Mask, Question, patiently};
use super::heads;
use super::history::Listing;
use super::node::OWNERS;
use super::pipe::{Faults, connection};
use super::reach::Reach;
use super::verdict;
use super::world::World;

/// Calls until the run is over.
pub(super) async fn call(site: Site) {
    let world = site.world.clone();
    world.sleep(world.some_time(Duration::from_secs(1))).await;
    while !site.is_over() {
        let window = world.draw(|random| 1 << random.u32(6..23));
        if let Some(client) = Client::connect(&site.node(), window, Manner::Reads).await {
            for _ in 0..world.draw(|random| random.u32(1..30)) {
                if client.may_be_lost() || site.is_over() {
                    break;
                }
                for _ in 0..world.draw(|random| random.choice([1, 1, 1, 1, 8]).unwrap_or(1)) {
                    let one = client.clone();
                    world.spawn(async move { once(&one).await });
                }
                world.sleep(world.some_time(pause(&world) / 2)).await;
            }
        }
        world.sleep(world.some_time(pause(&world))).await;
    }
}

/// Returns the longest time between two calls: nothing new is learned in the calm.
fn pause(world: &World) -> Duration {
    Duration::from_millis(if world.is_calm() { 8_000 } else { 800 })
}

/// Calls once.
async fn once(client: &Client) {
    let world = &client.node.world;
    let question = draw(world);
    let version = client.node.version();
    let calling = async {
        let answer = client.ask(question.clone()).await;
        let answer = answer.map_err(|end| (None, end))?;
        let (since, headed) = (answer.since, Some(answer.headed));
        let message = answer.single().await.map_err(|end| (headed, end))?;
        Ok((since, headed, message))
    };
    let patience = match !world.is_calm() && world.one_in(4) {
        true => world.some_time(Duration::from_millis(4)),
        false => Duration::from_secs(10_000),
    };
    match patiently(world, patience, calling).await {
        None => {
            world.tell(format_args!("connection {}: gives up", client.number()));
            world.reached(Reach::UnaryCallsCancelled, 1);
        }
        Some(Err((headed, end))) => verdict::check(client, &question, version, headed, end),
        Some(Ok((since, headed, message))) => {
            let end = Ended::Status(Code::Ok);
            verdict::check(client, &question, since, headed, end);
            let ready = client.node.version().is_some();
            assert!(ready, "a call succeeds before the server is ready");
            let since = since.unwrap_or_default();
            let mask = &question.mask.selects;
            let pods = read(&question, message);
            let right = match question.method {
                Method::GetPod => {
                    let uid = &question.uid;
                    client.node.pod_was_ever(since, mask, uid, pods.get(uid))
                }
                Method::ListPods | Method::WatchPods => client.node.was_ever(since, mask, &pods),
            };
            assert!(right, "{:?}: the answer was never true", question.method);
        }
    }
}

fn draw(world: &World) -> Question {
    let owner = OWNERS[world.draw(|random| random.usize(..OWNERS.len()))].0;
    let number = world.draw(|random| random.u32(..12));
    Question {
        dialect: match world.one_in(3) {
            true => Dialect::Documented,
            false => Dialect::V1alpha1,
        },
        method: match world.one_in(2) {
            true => Method::GetPod,
            false => Method::ListPods,
        },
        uid: format!("{owner}-{number}"),
        mask: Mask::draw(world),
        timeout: world
            .one_in(4)
            .then(|| world.draw(|random| random.u64(..20))),
        asked: world.now(),
    }
}

/// Returns the pods of an answer.
fn read(question: &Question, message: Bytes) -> Listing {
    let pods = match (question.method, question.dialect) {
        (Method::GetPod, Dialect::V1alpha1) => {
            v1alpha1::GetPodResponse::decode(message).map(|answer| vec![answer.pod])
        }
        (Method::GetPod, Dialect::Documented) => {
            documented::PodGetResponse::decode(message).map(|answer| vec![answer.pod])
        }
        (_, Dialect::V1alpha1) => {
            v1alpha1::ListPodsResponse::decode(message).map(|answer| answer.pods)
        }
        (_, Dialect::Documented) => {
            documented::PodListResponse::decode(message).map(|answer| answer.pods)
        }
    };
    let pods = pods.expect("an answer decodes");
    let mut listing = Listing::new();
    for pod in pods {
        let (uid, _gone) = heads::read(&pod);
        let last = listing.keys().next_back();
        assert!(last.is_none_or(|last| *last < uid), "a list out of order");
        listing.insert(uid, pod);
    }
    listing
}

/// Sends what is no call, or no HTTP/2 at all, and leaves or stays.
pub(super) async fn be_rude(site: Site) {
    let world = site.world.clone();
    world.sleep(world.some_time(Duration::from_secs(8))).await;
    let node = site.node();
    let number = world.next_connection();
    let (mut near, far, _pipe) = connection(&world, number, Faults::draw(&world));
    world.tell(format_args!("connection {number} is rude"));
    node.serve(far, number, None);
    let mut bytes = match world.one_in(2) {
        true => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
        false => Vec::new(),
    };
    for _ in 0..world.draw(|random| random.usize(..100)) {
        bytes.push(world.draw(|random| random.u8(..)));
    }
    let writing = near.write_all(&bytes);
    // It may be refused in the middle.
    let _written = patiently(&world, Duration::from_secs(1), writing).await;
    if world.one_in(2) {
        while !site.is_over() {
            world.sleep(Duration::from_secs(1)).await;
        }
    }
}
