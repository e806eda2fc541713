//! The service: gate, bucket, store and watches joined; the one file that sees all.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::call::{Call, Reply, WatchId, WatchOutput};
use crate::compiled::Compiled;
use crate::config::Config;
use crate::counters::Counters;
use crate::gate::Gate;
use crate::hash::Seed;
use crate::lists::Lists;
use crate::log::Log;
use crate::projections::Projections;
use crate::rate::RateLimit;
use crate::source::{Feed, FeedLimits, SourceError, SourceEvent, SourceId};
use crate::store::{PodStore, Rank};
use crate::time::Moment;
use crate::watch::{Read, Sight, WatchLimits, WatchSet};

pub use views::Conflict;
pub use work::{Begun, Work};

use refusal::Refusal;
use taking::Taking;

mod answer;
#[cfg(test)]
mod masked_tests;
mod refusal;
mod taking;
#[cfg(test)]
mod taking_tests;
#[cfg(test)]
mod tests;
mod views;
mod work;

/// The Kubelet Pods API as a state machine: call a `handle_*`, then drain `poll_ready`.
#[derive(Debug)]
pub struct Pods {
    /// The sources with their places in the order of precedence, by [`SourceId`].
    feeds: Vec<(Feed, Rank)>,
    feed_limits: FeedLimits,
    gate: Gate,
    rate: RateLimit,
    store: PodStore,
    log: Log,
    /// The revision at which the log is looked through for what nobody needs.
    trim_at: u64,
    /// A whole list of which not all is taken yet.
    taking: Option<Taking>,
    projections: Projections,
    compiled: Compiled,
    lists: Lists,
    watches: WatchSet,
    limits: WatchLimits,
    /// The watches that one peer may have; none where peers are not told apart.
    max_watches_per_peer: Option<u32>,
    counters: Counters,
    shutting_down: bool,
}

/// One peer may have one of so many parts of all watches, where peers are told apart: three others
/// can still watch when one does its worst.
const SHARES_OF_WATCHES: u32 = 4;

/// Changes between two looks for what of the log nobody needs: a look passes over all watches, so it comes
/// no more often than there are watches, either.
const TRIM_INTERVAL: u64 = 256;

impl Pods {
    /// Returns a service that waits for the configured sources.
    ///
    /// # Examples
    ///
    /// ```
    /// use podsapi_core::{Config, Moment, Pods};
    ///
    /// let pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// assert!(pods.readiness().is_ready(), "there is no source to wait for");
    /// ```
    pub fn new(config: Config, now: Moment) -> Self {
        let seed = Seed::new(config.seed);
        let mut sources = config.sources;
        let mut names = BTreeSet::new();
        sources.retain(|source| names.insert(source.name.clone()));
        sources.truncate(usize::from(u16::MAX));
        let mut order: Vec<_> = sources.iter().map(|s| (s.kind, s.name.clone())).collect();
        order.sort_unstable();
        let local_expected = sources
            .iter()
            .any(|source| source.kind.reports_local_status());
        let mut feeds = Vec::with_capacity(sources.len());
        for source in sources {
            let place = order.iter().position(|(_, name)| *name == source.name);
            let rank = Rank(
                place
                    .and_then(|place| u16::try_from(place).ok())
                    .unwrap_or(u16::MAX),
            );
            feeds.push((Feed::new(source), rank));
        }
        let limits = WatchLimits {
            buffer: config.watch_buffer.get(),
            watches: config.max_watches.get(),
            masks: config.max_watched_masks.get(),
            masks_per_peer: config.max_watched_masks_per_peer.get(),
            slow_watch: config.slow_watch,
        };
        let ids = (0_u16..).map(SourceId);
        let named = ids.zip(feeds.iter().map(|(feed, _)| String::from(feed.name())));
        Self {
            gate: Gate::new(named),
            store: PodStore::new(feeds.len(), local_expected, seed),
            feeds,
            feed_limits: FeedLimits {
                pods: config.max_pods_per_source.get(),
                pod_bytes: config.max_pod_bytes.get(),
            },
            rate: RateLimit::new(config.qps, config.burst, config.fair_peers, now),
            projections: Projections::new(
                config.max_projection_masks.get(),
                config.max_projection_bytes,
                seed,
            ),
            compiled: Compiled::new(seed),
            lists: Lists::new(config.max_projection_masks.get(), seed),
            log: Log::new(
                config.log_entries.max(config.watch_buffer).get() as usize,
                config.log_bytes as usize,
            ),
            trim_at: 0,
            taking: None,
            watches: WatchSet::new(limits, seed),
            limits,
            max_watches_per_peer: config
                .fair_peers
                .map(|_| config.max_watches.get().div_ceil(SHARES_OF_WATCHES)),
            counters: Counters::default(),
            shutting_down: false,
        }
    }

    /// Takes what a source says; drain [`Pods::poll_ready`] afterwards.
    ///
    /// # Errors
    ///
    /// Returns what the adapter did wrong; nothing has changed then.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Config, Moment, Pods, SourceConfig, SourceEvent, SourceKind};
    /// # let sources = vec![SourceConfig::new("files", SourceKind::Manifests)];
    /// # let mut pods = Pods::new(Config { sources, ..Config::default() }, Moment::ORIGIN);
    /// let files = pods.source("files").ok_or("not configured")?;
    /// pods.handle_source(files, SourceEvent::Begin, Moment::ORIGIN)?;
    /// pods.handle_source(files, SourceEvent::Complete { at: 1_700_000_000 }, Moment::ORIGIN)?;
    /// assert!(pods.readiness().is_ready());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn handle_source(
        &mut self,
        source: SourceId,
        event: SourceEvent,
        now: Moment,
    ) -> Result<(), SourceError> {
        if self.begin_source(source, event, now)? {
            while self.resume_source() {}
        }
        Ok(())
    }

    /// Begins to take what a source says, for who has a lock around this service and others waiting for
    /// it: `true` where there is more to do, which [`Pods::resume_source`] does, a part at a time. A whole
    /// list is seen by nobody before all of it is taken, and then by all at once. Where nobody waits,
    /// [`Pods::handle_source`] does it all.
    ///
    /// # Errors
    ///
    /// As [`Pods::handle_source`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Config, Moment, Pods, SourceConfig, SourceEvent, SourceKind};
    /// # let sources = vec![SourceConfig::new("files", SourceKind::Manifests)];
    /// # let mut pods = Pods::new(Config { sources, ..Config::default() }, Moment::ORIGIN);
    /// let files = pods.source("files").ok_or("not configured")?;
    /// pods.handle_source(files, SourceEvent::Begin, Moment::ORIGIN)?;
    /// let complete = SourceEvent::Complete { at: 1_700_000_000 };
    /// let mut more = pods.begin_source(files, complete, Moment::ORIGIN)?;
    /// while more {
    ///     // Others may call here.
    ///     more = pods.resume_source();
    /// }
    /// assert!(pods.readiness().is_ready());
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    pub fn begin_source(
        &mut self,
        source: SourceId,
        event: SourceEvent,
        now: Moment,
    ) -> Result<bool, SourceError> {
        self.begin(source, event, now)
    }

    /// Does a part of what is left to do for what a source said, and tells whether there is more; drain
    /// [`Pods::poll_ready`] afterwards.
    pub fn resume_source(&mut self) -> bool {
        self.resume_taking()
    }

    /// Answers a call; drain [`Pods::poll_ready`] afterwards.
    ///
    /// The order of checks is fixed: shutdown (for watches), readiness, rate (not for watches), mask,
    /// request.
    /// The method was checked before, since a [`Method`](crate::Method) exists.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Code, Config, Dialect, Method, Moment, Pods, Reply};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call::new(Dialect::V1alpha1, Method::GetPod, (&b"\x0a\x01u"[..]).into());
    /// match pods.handle_call(call, Moment::ORIGIN) {
    ///     Reply::Refuse(status) => assert_eq!(status.message(), "pod with UID u not found"),
    ///     Reply::Answer(_) | Reply::Watch(_) => panic!("there is no pod"),
    /// }
    /// ```
    pub fn handle_call(&mut self, call: Call, now: Moment) -> Reply {
        let mut begun = self.begin_call(call, now);
        loop {
            match begun {
                Begun::Done(reply) => return reply,
                Begun::Work(mut work) => {
                    work.run();
                    begun = self.resume_call(*work);
                }
            }
        }
    }

    /// Begins to answer a call, for who has a lock around this service and others waiting for it: what
    /// takes long and needs none of it is given back as [`Work`], to be run without the lock and brought
    /// to [`Pods::resume_call`]. Where nobody waits, [`Pods::handle_call`] does it all.
    ///
    /// The call sees the pods of this moment, or of a later one.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Begun, Call, Config, Dialect, Method, Moment, Pods, Reply};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call::new(Dialect::V1alpha1, Method::ListPods, Default::default());
    /// let mut begun = pods.begin_call(call, Moment::ORIGIN);
    /// let reply = loop {
    ///     match begun {
    ///         Begun::Done(reply) => break reply,
    ///         Begun::Work(mut work) => {
    ///             work.run();
    ///             begun = pods.resume_call(*work);
    ///         }
    ///     }
    /// };
    /// assert!(matches!(reply, Reply::Answer(list) if list.is_empty()));
    /// ```
    pub fn begin_call(&mut self, call: Call, now: Moment) -> Begun {
        match self.admit(&call, now) {
            Ok(()) => self.answer(call),
            Err(refusal) => Begun::Done(self.refuse(call.dialect, call.method, refusal)),
        }
    }

    /// Goes on with a call for which work was done; drain [`Pods::poll_ready`] afterwards.
    pub fn resume_call(&mut self, work: Work) -> Begun {
        self.resume(work)
    }

    /// Ends a watch whose reader went away; ids of former watches change nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Config, Dialect, Method, Moment, Pods, Reply};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call::new(Dialect::V1alpha1, Method::WatchPods, Default::default());
    /// let Reply::Watch(watch) = pods.handle_call(call, Moment::ORIGIN) else { panic!("refused") };
    /// pods.handle_cancel(watch);
    /// pods.handle_cancel(watch);
    /// assert_eq!(pods.watch_count(), 0);
    /// ```
    pub fn handle_cancel(&mut self, watch: WatchId) {
        let mut sight = Sight::new(&self.store, &mut self.projections);
        self.watches
            .cancel(watch, &mut self.log, &mut sight, &mut self.counters);
    }

    /// Ends every watch and refuses new ones; drain [`Pods::poll_ready`] afterwards.
    ///
    /// Calls that end by themselves are answered as before: they are those that were sent before
    /// their client could hear of the end, and who has none left closes its connections.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Code, Config, Dialect, Method, Moment, Pods, Reply};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// pods.handle_shutdown();
    /// let call = |method| Call::new(Dialect::V1alpha1, method, Default::default());
    /// let watch = pods.handle_call(call(Method::WatchPods), Moment::ORIGIN);
    /// assert!(matches!(watch, Reply::Refuse(status) if status.code() == Code::Unavailable));
    /// let list = pods.handle_call(call(Method::ListPods), Moment::ORIGIN);
    /// assert!(matches!(list, Reply::Answer(_)));
    /// ```
    pub fn handle_shutdown(&mut self) {
        while self.resume_source() {}
        self.shutting_down = true;
        let mut sight = Sight::new(&self.store, &mut self.projections);
        self.watches
            .shutdown(&mut self.log, &mut sight, &mut self.counters);
    }

    /// Returns a watch that became readable; call until `None` after every `handle_*`.
    ///
    /// A watch is named when it has something to read and had nothing before, and when it ends. One
    /// that was named is not named again before its reader has taken all that was there, so a reader
    /// that stops for want of room reads on by itself once there is some.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Config, Moment, Pods};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// while let Some(watch) = pods.poll_ready() {
    ///     println!("wake the reader of {watch:?}");
    /// }
    /// ```
    pub fn poll_ready(&mut self) -> Option<WatchId> {
        self.watches.poll_ready()
    }

    /// Reads one message of a watch; read until `Idle` or `End`, or as far as there is room.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Config, Dialect, Method, Moment, Pods, Reply, WatchOutput};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call::new(Dialect::V1alpha1, Method::WatchPods, Default::default());
    /// let Reply::Watch(watch) = pods.handle_call(call, Moment::ORIGIN) else { panic!("refused") };
    /// let WatchOutput::Event(marker) = pods.poll_watch(watch) else { panic!("no marker") };
    /// assert_eq!(marker.to_vec(), b"\x08\x04");
    /// assert!(matches!(pods.poll_watch(watch), WatchOutput::Idle));
    /// ```
    pub fn poll_watch(&mut self, watch: WatchId) -> WatchOutput {
        let mut sight = Sight::new(&self.store, &mut self.projections);
        let read = self
            .watches
            .poll(watch, &mut self.log, &mut sight, &mut self.counters);
        match read {
            Read::Event(event) => WatchOutput::Event(event),
            Read::Idle => WatchOutput::Idle,
            Read::End(ending) => {
                let refusal = Refusal::WatchEnded {
                    ending,
                    buffer: self.limits.buffer,
                };
                WatchOutput::End(refusal.into())
            }
        }
    }
}
