//! Clients that open watches and do not read them, and what the server may keep of these.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use podsapi_core::{Dialect, Method};
use podsapi_h2::Runtime;

use super::Site;
use super::client::{Client, Manner, Mask, Question, patiently};
use super::node::Node;
use super::world::lock;

/// The watches that are held now without being read, by the number of their connection.
#[derive(Debug, Default)]
pub(super) struct Held(Mutex<BTreeMap<u64, Holding>>);

#[derive(Debug)]
struct Holding {
    node: Arc<Node>,
    window: u32,
    masks: Vec<Mask>,
}

impl Held {
    /// Returns how many of these watches a server may still have, where each was open for longer
    /// than the server waits for a reader.
    ///
    /// A watch may stay if all that there was to send fits into its window; where the server's
    /// patience is longer than a run, any may.
    pub(super) fn count(&self, node: &Arc<Node>, patient: bool) -> usize {
        let held = lock(&self.0);
        let here = held.values().filter(|held| Arc::ptr_eq(&held.node, node));
        let watches = here.flat_map(|held| held.masks.iter().map(|mask| (mask, held.window)));
        watches
            .filter(|(mask, window)| {
                let due = node.listing(&mask.selects);
                let due: usize = due.values().map(|pod| pod.len()).sum();
                patient || due <= *window as usize
            })
            .count()
    }
}

/// Opens watches and reads nothing of them, again and again; the last ones until the run is over.
pub(super) async fn stay_stuck(site: Site) {
    let world = site.world.clone();
    let mut pause = Duration::from_secs(3);
    while !site.is_over() {
        world.sleep(world.some_time(pause)).await;
        pause = Duration::from_secs(1);
        let manner = match world.one_in(2) {
            true => Manner::Freezes(world.some_time(Duration::from_secs(3))),
            false => Manner::Ignores,
        };
        let window = world.draw(|random| random.u32(..10_000));
        let node = site.node();
        if let Some(client) = Client::connect(&node, window, manner).await {
            hold(&site, &client, window).await;
        }
    }
}

async fn hold(site: &Site, client: &Client, window: u32) {
    let world = &site.world;
    let mut answers = Vec::new();
    for _ in 0..world.draw(|random| random.usize(1..=MOST_WATCHES)) {
        let mask = Mask::draw(world);
        lock(&site.held.0)
            .entry(client.number())
            .or_insert_with(|| Holding {
                node: Arc::clone(&client.node),
                masks: Vec::new(),
                window,
            })
            .masks
            .push(mask.clone());
        let question = Question {
            dialect: Dialect::V1alpha1,
            method: Method::WatchPods,
            uid: String::new(),
            mask,
            timeout: None,
            asked: world.now(),
        };
        let asking = client.ask(question);
        let asked = patiently(world, Duration::from_secs(1), asking).await;
        answers.extend(asked.and_then(Result::ok));
    }
    let patience = world.some_time(Duration::from_secs(12));
    let until = world.after(patience);
    // Nobody leaves in the calm, so that what is held at its end was held all the time.
    while !site.is_over() && (world.is_calm() || world.now() < until) && !client.may_be_lost() {
        world.sleep(Duration::from_secs(1)).await;
    }
    if client.may_be_lost() || !world.is_calm() {
        lock(&site.held.0).remove(&client.number());
    }
    drop(answers);
}

/// The watches that a stuck client opens at one time.
const MOST_WATCHES: usize = 3;
