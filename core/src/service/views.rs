//! What can be seen of the service without changing it.

use alloc::sync::Arc;

use crate::call::WatchId;
use crate::counters::Counters;
use crate::gate::Readiness;
use crate::pod::Uid;
use crate::source::{SourceCounts, SourceId, SourceView};
use crate::store::Rank;
use crate::watch::WatchView;

use super::Pods;

/// A pod that two sources own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "adapters print every field")]
pub struct Conflict<'a> {
    /// The pod.
    pub uid: &'a Uid,
    /// The source whose pod is served.
    pub served: &'a str,
    /// The source whose pod waits until the other goes away.
    pub shadowed: &'a str,
    /// Whether both call it by one namespace and name.
    pub same_name: bool,
}

impl Pods {
    /// Returns the id of the source that was configured under this name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Config, Moment, Pods};
    /// # let pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// assert_eq!(pods.source("nobody"), None);
    /// ```
    pub fn source(&self, name: &str) -> Option<SourceId> {
        let place = self
            .feeds
            .iter()
            .position(|(feed, _)| feed.name() == name)?;
        u16::try_from(place).ok().map(SourceId)
    }

    /// Returns which sources are still missing; once none is, that stays so.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Config, Moment, Pods, SourceConfig, SourceKind};
    /// let sources = vec![SourceConfig::new("files", SourceKind::Manifests)];
    /// let pods = Pods::new(Config { sources, ..Config::default() }, Moment::ORIGIN);
    /// assert_eq!(pods.readiness().to_string(), "waiting for files");
    /// ```
    pub fn readiness(&self) -> Readiness {
        self.gate.readiness()
    }

    /// Returns a copy of all numbers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Code, Config, Dialect, Method, Moment, Pods};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// pods.handle_call(Call::new(Dialect::V1alpha1, Method::ListPods, Default::default()), Moment::ORIGIN);
    /// assert_eq!(pods.counters().requests(Dialect::V1alpha1, Method::ListPods, Code::Ok), 1);
    /// ```
    pub fn counters(&self) -> Counters {
        let mut counters = self.counters.clone();
        counters.conflicts = self.store.conflicts();
        self.projections.count(&mut counters);
        (counters.rate_peers, counters.rate_crowded) = self.rate.peers();
        counters
    }

    /// Returns the sources in the order of the configuration.
    pub fn sources(&self) -> impl ExactSizeIterator<Item = SourceView<'_>> {
        self.feeds.iter().map(|(feed, rank)| {
            let view = feed.view();
            let counts = SourceCounts {
                shadowed: self.store.shadowed(*rank),
                ..view.counts
            };
            SourceView { counts, ..view }
        })
    }

    /// Returns the pods that several sources own, in the order of their identities.
    pub fn conflicts(&self) -> impl Iterator<Item = Conflict<'_>> {
        let contested = self.store.contested();
        contested.filter_map(|(uid, winner, loser, same_name)| {
            Some(Conflict {
                uid,
                served: self.ranked(winner)?,
                shadowed: self.ranked(loser)?,
                same_name,
            })
        })
    }

    fn ranked(&self, rank: Rank) -> Option<&str> {
        self.feeds
            .iter()
            .find(|(_, other)| *other == rank)
            .map(|(feed, _)| feed.name())
    }

    /// Returns the number of pods that are served.
    pub fn pod_count(&self) -> usize {
        self.seen().len()
    }

    /// Returns the number of watches that are not ended.
    pub fn watch_count(&self) -> usize {
        self.watches.len()
    }

    /// Tells whether nothing but the end is left to be read of a watch, or not even that; lets an
    /// adapter whose reader is stuck learn of the end without taking events it has no room for.
    pub fn is_watch_over(&self, watch: WatchId) -> bool {
        self.watches.is_over(watch)
    }

    /// Tells whether a watch has ended, or will once its reader has taken what it may still have, as one
    /// that was too slow; lets an adapter give such a reader a time for all of it.
    pub fn is_watch_ending(&self, watch: WatchId) -> bool {
        self.watches.is_ending(watch)
    }

    /// Returns what [`Outgoing::applied_mask`](crate::Outgoing::applied_mask) tells of unary calls
    /// for a watch: ask when [`Reply::Watch`](crate::Reply::Watch) comes, and send it with the first
    /// headers. `None` where the watch's caller named no field, and for ids of former watches.
    ///
    /// # Examples
    ///
    /// ```
    /// # use podsapi_core::{Call, Config, Dialect, FieldMask, MaskRequest, Method, Moment, Pods, Reply};
    /// # let mut pods = Pods::new(Config::default(), Moment::ORIGIN);
    /// let call = Call {
    ///     mask: MaskRequest::new(FieldMask::parse("status.phase")?),
    ///     ..Call::new(Dialect::V1alpha1, Method::WatchPods, Default::default())
    /// };
    /// let Reply::Watch(watch) = pods.handle_call(call, Moment::ORIGIN) else { panic!("refused") };
    /// assert_eq!(pods.applied_mask(watch).as_deref(), Some("status.phase"));
    /// # Ok::<(), podsapi_core::MaskError>(())
    /// ```
    pub fn applied_mask(&self, watch: WatchId) -> Option<Arc<str>> {
        self.watches.applied_mask(watch)
    }

    /// Returns the changes that open watches have not read, over all watches: an upper bound of the
    /// events that they will be told, since one may see nothing of a change.
    pub fn queued_events(&self) -> usize {
        let changes: u64 = self.watches().map(|watch| watch.behind).sum();
        usize::try_from(changes).unwrap_or(usize::MAX)
    }

    /// Returns the watches that are not ended, in no order that means anything.
    pub fn watches(&self) -> impl Iterator<Item = WatchView> {
        self.watches.views(self.log.last())
    }
}
