//! Events of an upstream's watch and its lists, turned into the words of a source.
//!
//! The watch tells changes as they happen, and the list which pods there are. A kubelet's watch
//! says DELETED of a pod that has ended and is listed on, and nothing of one that is listed no
//! more, or not told yet: so a pod goes when a list lacks it, and one that is listed otherwise
//! than it was told is taken from the list once the watch had a moment to say so itself.
//!
//! All of it is pure but for the sink: the caller says what time it is, and asks when
//! [`Relay::poll_list`] says so.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use podsapi_client::{ClientError, Code, Event, EventKind};
use podsapi_core::{EncodedPod, Moment, SourceError, Uid};

use crate::problems::{Problem, Problems};
use crate::sink::Sink;

use super::listed::{Doubts, Gone, Touch, Touched};
use super::names::{Names, RawUid};
use super::resync::{Resync, later};
use super::{Broken, SOURCE, Stop, described};

/// How far an event brought the watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The replay is over, and what the upstream has is what is served.
    Synced,
    /// A word was passed on, or passed over.
    Told,
}

/// Hands on what the upstream says, and remembers enough to stand in for what cannot be read.
#[derive(Debug)]
pub(super) struct Relay {
    sink: Sink,
    /// What to call the upstream.
    upstream: String,
    problems: Problems,
    /// What the upstream has, as of the last whole replay and since.
    told: Told,
    /// The replay under way.
    replay: Option<Told>,
    /// Why there is no watch, or none that came to its marker.
    outage: Option<Problem>,
    /// Whether a replay was ever whole.
    synced: bool,
    /// Whether the sink knows that there is no watch.
    lost: bool,
    resync: Resync,
    /// Whether a deletion that the watch tells is one, so that no list is needed.
    exact: bool,
    /// Empty while no list is under way.
    touched: Touched,
    doubts: Doubts,
    gone: Gone,
    /// Why there is no list.
    unlisted: Option<Problem>,
}

/// Pods as they were handed on, and what is wrong with others.
#[derive(Debug, Default)]
struct Told {
    pods: BTreeMap<Uid, EncodedPod>,
    /// Those of which the watch said that they are deleted.
    ended: BTreeSet<Uid>,
    /// By the UID where it is known.
    faults: BTreeMap<String, Problem>,
}

impl Relay {
    /// Returns one that asks for a list every `period`, at times that `seed` spreads.
    pub(super) fn new(sink: Sink, upstream: String, period: Duration, seed: u64) -> Self {
        Self {
            sink,
            upstream,
            problems: Problems::default(),
            told: Told::default(),
            replay: None,
            outage: None,
            synced: false,
            lost: false,
            resync: Resync::new(period, seed),
            exact: false,
            touched: Touched::default(),
            doubts: Doubts::default(),
            gone: Gone::default(),
            unlisted: None,
        }
    }

    /// Begins with a replay, since a watch was accepted.
    pub(super) fn begin(&mut self) -> Result<(), SourceError> {
        self.stop_lists();
        self.exact = false;
        self.replay = Some(Told::default());
        self.lost = false;
        self.sink.begin()
    }

    /// Passes on an event of the watch.
    pub(super) fn handle_event(&mut self, event: &Event, now: Moment) -> Result<Step, Stop> {
        match event.kind {
            EventKind::Modified if event.pod.is_empty() => {
                let text = "an event of an unknown kind, without a pod, was passed over";
                let remark = Problem::remark(self.upstream.as_str(), text);
                self.fault(UNKNOWN_KIND, remark);
            }
            EventKind::Added | EventKind::Modified if self.replay.is_some() => {
                self.put(&event.pod)?;
            }
            EventKind::Added | EventKind::Modified => self.change(event, now)?,
            EventKind::Deleted => self.delete(&event.pod, now)?,
            EventKind::InitialSyncComplete => {
                if let Some(replay) = self.replay.take() {
                    let lacks = |uid: &&Uid| !replay.pods.contains_key(*uid);
                    let went = self.told.pods.keys().filter(lacks).cloned();
                    went.for_each(|uid| self.gone.insert(uid));
                    for uid in replay.pods.keys() {
                        self.gone.remove(uid.as_str());
                    }
                    self.told = replay;
                    if !self.exact {
                        self.resync.start(now);
                    }
                    self.sink.complete()?;
                    self.synced = true;
                    self.outage = None;
                    self.tell();
                    let pods = self.told.pods.len();
                    tracing::info!(source = SOURCE, pods, "list complete");
                    return Ok(Step::Synced);
                }
            }
        }
        Ok(Step::Told)
    }

    /// Says that there is no watch, once until there is one.
    pub(super) fn lost(&mut self, broken: &Broken) -> Result<(), SourceError> {
        self.replay = None;
        self.stop_lists();
        let state = match self.synced {
            true => "its pods stay as they were last; it is asked again",
            false => "nothing of it is served before it told all its pods; it is asked again",
        };
        let text = format!("{broken} ({state})");
        self.outage = Some(Problem::fault(self.upstream.as_str(), text));
        self.tell();
        if self.lost {
            return Ok(());
        }
        self.lost = true;
        self.sink.lost()
    }

    /// Believes the watch from now on: the upstream is known to tell exactly what it lists.
    pub(super) fn trust_watch(&mut self) -> Result<(), SourceError> {
        self.exact = true;
        self.stop_lists();
        if self.replay.is_none() {
            for uid in std::mem::take(&mut self.told.ended) {
                self.remove(uid)?;
            }
        }
        Ok(())
    }

    /// Has a list asked for soon, whatever the reason.
    pub(super) fn want_list(&mut self, now: Moment) {
        if !self.exact {
            self.resync.want(now);
        }
    }

    /// Returns whether to ask for the list now; [`Relay::handle_list`] takes what comes of it.
    pub(super) fn poll_list(&mut self, now: Moment) -> bool {
        let ask = self.doubts.until().is_none() && self.resync.poll(now);
        if ask {
            self.touched = Touched::default();
        }
        ask
    }

    /// Returns when [`Relay::handle_timeout`] and [`Relay::poll_list`] are to be called again.
    pub(super) fn timeout(&self) -> Option<Moment> {
        self.doubts.until().or_else(|| self.resync.next())
    }

    /// Takes from the last list what the watch has not spoken of since.
    pub(super) fn handle_timeout(&mut self, now: Moment) -> Result<(), SourceError> {
        if self.doubts.until().is_some_and(|until| until <= now) {
            for (_, pod) in self.doubts.take() {
                self.put(&pod)?;
            }
        }
        Ok(())
    }

    /// Takes a list, or that there was none.
    pub(super) fn handle_list(
        &mut self,
        answer: Result<Vec<Bytes>, ClientError>,
        now: Moment,
    ) -> Result<(), SourceError> {
        if !self.resync.is_under_way() {
            return Ok(());
        }
        let touched = std::mem::take(&mut self.touched);
        let listed = match answer {
            Ok(listed) => listed,
            Err(error) => return self.no_list(&error, now),
        };
        self.resync.answered(now);
        self.unlisted = None;
        if touched.is_overflown() {
            self.resync.want(now);
            return Ok(());
        }
        let keys: BTreeSet<_> = listed.iter().flat_map(|pod| keys_of(pod)).collect();
        let lacks = |key: &str| !keys.contains(key);
        let absent = self.told.pods.iter().filter(|(uid, pod)| {
            let raw = RawUid::of(uid.as_str(), pod.bytes());
            lacks(&raw.map_or_else(|| uid.as_str().to_owned(), |raw| raw.key()))
        });
        for uid in absent.map(|(uid, _)| uid.clone()).collect::<Vec<_>>() {
            let touch = touched.get(uid.as_str());
            if touch.is_some() {
                self.resync.want(now);
            }
            if touch != Some(Touch::Appeared) {
                // Of one whose end was told nothing more comes but that it is back.
                if !self.told.ended.contains(&uid) {
                    self.gone.insert(uid.clone());
                }
                self.remove(uid)?;
            }
        }
        let kept =
            |key: &str| !lacks(key) || touched.contains(key) || [UNKNOWN_KIND, MORE].contains(&key);
        self.told.faults.retain(|key, _| kept(key));
        let mut doubts = Vec::new();
        for pod in listed {
            let uid = Names::read(&pod).uid;
            // What the watch said of one that was thought to be gone was passed over.
            if touched.contains(&uid) && !self.gone.contains(&uid) {
                continue;
            }
            if let Some(heard) = self.gone.remove(&uid) {
                self.put(&heard)?;
                if touched.contains(&uid) {
                    continue;
                }
            }
            let held = self.told.pods.get(uid.as_str());
            let same = held.is_some_and(|held| *held.bytes() == pod);
            if !same || self.told.faults.contains_key(&uid) {
                // A copy, so that one pod does not keep the whole list.
                doubts.push((uid, Bytes::copy_from_slice(&pod)));
            }
        }
        self.doubts = Doubts::new(doubts, later(now, SETTLE));
        self.tell();
        Ok(())
    }

    fn no_list(&mut self, error: &ClientError, now: Moment) -> Result<(), SourceError> {
        let subject = self.upstream.as_str();
        let words = described(error);
        if is_final(error) {
            let text = format!(
                "the upstream gives no list: {words} (a pod is gone when its watch says so)"
            );
            let remark = Problem::remark(subject, text);
            self.trust_watch()?;
            self.unlisted = Some(remark);
        } else if self
            .resync
            .refused(error.retry_after().unwrap_or_default(), now)
            >= TOLERATED
        {
            let text = format!(
                "the upstream gives no list: {words} (pods that have ended stay; it is asked again)"
            );
            self.unlisted = Some(Problem::fault(subject, text));
        }
        self.tell();
        Ok(())
    }

    fn stop_lists(&mut self) {
        self.resync.stop();
        self.touched = Touched::default();
        self.doubts = Doubts::default();
        self.unlisted = None;
    }

    /// Passes on a pod that the watch told after its replay.
    fn change(&mut self, event: &Event, now: Moment) -> Result<(), SourceError> {
        let names = Names::read(&event.pod);
        let is_new = !self.told.pods.contains_key(names.uid.as_str());
        let appeared = is_new || event.kind == EventKind::Added;
        let touch = if appeared {
            Touch::Appeared
        } else {
            Touch::Changed
        };
        let is_listed = self.touch(&names.uid, touch);
        let unheard = is_new
            && event.kind == EventKind::Modified
            && !is_listed
            && !self.told.faults.contains_key(&names.uid);
        if !self.exact && (unheard || self.gone.contains(&names.uid)) {
            // Whether there is such a pod, or again, is for the list to say.
            let appeared = event.kind == EventKind::Added;
            self.gone.hear(&names.uid, appeared, &event.pod);
            match appeared {
                true => self.resync.want_at_once(now),
                false => self.resync.want(now),
            }
            return Ok(());
        }
        if is_new && !self.exact && self.has_name(&names) {
            // The one that had the name before is listed no more, of which the watch says nothing.
            self.resync.want(now);
        }
        self.told.ended.remove(names.uid.as_str());
        self.put(&event.pod)
    }

    /// Notes that the watch spoke of a pod; returns whether the last list told it otherwise.
    fn touch(&mut self, uid: &str, touch: Touch) -> bool {
        if self.resync.is_under_way() {
            self.touched.insert(uid, touch);
        }
        self.doubts.settle(uid)
    }

    fn has_name(&self, names: &Names) -> bool {
        let mut held = self.told.pods.values();
        held.any(|held| names.is_name_of(held.namespace(), held.name()))
    }

    fn put(&mut self, received: &[u8]) -> Result<(), SourceError> {
        // A copy, so that a pod that stays does not keep what arrived in one piece with it.
        let bytes = Bytes::copy_from_slice(received);
        match EncodedPod::parse(bytes) {
            Ok(pod) => self.keep(pod),
            Err(error) => self.stand_in(received, &error.to_string()),
        }
    }

    fn keep(&mut self, pod: EncodedPod) -> Result<(), SourceError> {
        let raw = RawUid::of(pod.uid().as_str(), pod.bytes());
        if let Some(raw) = raw.as_ref().filter(|raw| self.is_anothers(pod.uid(), raw)) {
            let subject = format!("{}/{}", pod.namespace(), pod.name());
            let text = format!(
                "the UID {} is another pod's already (not served)",
                pod.uid()
            );
            self.fault(&raw.key(), Problem::fault(subject, text));
            return Ok(());
        }
        match self.sink.put(pod.clone()) {
            Ok(()) => {
                self.no_fault(pod.uid().as_str());
                raw.iter().for_each(|raw| self.no_fault(&raw.key()));
                self.current().pods.insert(pod.uid().clone(), pod);
                Ok(())
            }
            Err(error @ (SourceError::TooManyPods { .. } | SourceError::PodTooLarge { .. })) => {
                let subject = format!("{}/{}", pod.namespace(), pod.name());
                let fault = Problem::fault(subject, format!("{error} (not served)"));
                self.fault(pod.uid().as_str(), fault);
                Ok(())
            }
            Err(
                error @ (SourceError::CompleteBeforeBegin
                | SourceError::PutBeforeBegin
                | SourceError::UnknownSource),
            ) => Err(error),
        }
    }

    /// Keeps what is served of a pod that cannot be read now.
    fn stand_in(&mut self, received: &[u8], error: &str) -> Result<(), SourceError> {
        let names = Names::read(received);
        let last = self.told.pods.get(names.uid.as_str()).cloned();
        let again = match &self.replay {
            Some(replay) => !replay.pods.contains_key(names.uid.as_str()),
            None => false,
        };
        let fault = match last {
            Some(_) => Problem::outdated(names.subject(), error),
            None => Problem::fault(names.subject(), format!("{error} (not served)")),
        };
        if let Some(last) = last.filter(|_| again) {
            self.keep(last)?;
        }
        self.fault(&names.uid, fault);
        Ok(())
    }

    /// Takes a deletion; where the watch says so of pods that have only ended, the list decides.
    fn delete(&mut self, received: &[u8], now: Moment) -> Result<(), Stop> {
        let names = Names::read(received);
        if names.uid.is_empty() {
            return Err(Broken::UnknownDeletion.into());
        }
        let uid = Uid::new(&names.uid);
        self.want_list(now);
        if let Some(raw) = RawUid::of(&names.uid, received) {
            self.no_fault(&raw.key());
            if self.is_anothers(&uid, &raw) {
                return Ok(());
            }
        }
        if self.exact || self.replay.is_some() {
            return Ok(self.remove(uid)?);
        }
        self.touch(&names.uid, Touch::Changed);
        self.gone.remove(&names.uid);
        if self.told.pods.contains_key(&uid) {
            self.told.ended.insert(uid);
        }
        Ok(())
    }

    fn remove(&mut self, uid: Uid) -> Result<(), SourceError> {
        let current = self.current();
        current.pods.remove(&uid);
        current.ended.remove(&uid);
        self.no_fault(uid.as_str());
        self.sink.remove(uid)
    }

    /// Whether the pod held under this UID has other bytes for it, which only read alike.
    fn is_anothers(&mut self, uid: &Uid, raw: &RawUid) -> bool {
        let held = self.current().pods.get(uid);
        held.and_then(|held| RawUid::of(uid.as_str(), held.bytes()))
            .is_some_and(|held| held != *raw)
    }

    fn current(&mut self) -> &mut Told {
        self.replay.as_mut().unwrap_or(&mut self.told)
    }

    fn fault(&mut self, uid: &str, fault: Problem) {
        let faults = &mut self.current().faults;
        let (uid, fault) = if faults.len() < FAULTS_LIMIT || faults.contains_key(uid) {
            (uid, fault)
        } else {
            let text = format!("more than {FAULTS_LIMIT} pods cannot be served");
            (MORE, Problem::fault(MORE, text))
        };
        if faults.insert(uid.to_owned(), fault.clone()) != Some(fault) {
            self.tell_live();
        }
    }

    fn no_fault(&mut self, uid: &str) {
        if self.current().faults.remove(uid).is_some() {
            self.tell_live();
        }
    }

    /// Tells what is wrong, unless a replay is under way: its marker ends the old problems.
    fn tell_live(&mut self) {
        if self.replay.is_none() {
            self.tell();
        }
    }

    fn tell(&mut self) {
        let faults = self.told.faults.values().cloned();
        let others = [self.outage.clone(), self.unlisted.clone()];
        let now: BTreeSet<_> = faults.chain(others.into_iter().flatten()).collect();
        self.problems.replace(now, SOURCE, &self.sink);
    }
}

/// Returns all that a listed pod, or its fault, goes by.
fn keys_of(pod: &[u8]) -> impl Iterator<Item = String> {
    let uid = Names::read(pod).uid;
    let raw = RawUid::of(&uid, pod).map(|raw| raw.key());
    [Some(uid), raw].into_iter().flatten()
}

/// Whether there will never be a list.
fn is_final(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(status) if matches!(
        status.code(),
        Code::PermissionDenied | Code::Unauthenticated | Code::Unimplemented
    ))
}

/// How long the watch may take to tell what its upstream lists already: some milliseconds, and
/// many times that on a busy machine.
const SETTLE: Duration = Duration::from_millis(300);

/// Refusals in a row that are not worth a word: the rate is shared with everybody who asks there.
const TOLERATED: u32 = 4;

/// Pods that are told as faulty one by one, so that an upstream cannot fill the memory with them.
const FAULTS_LIMIT: usize = 100;

/// In place of a UID, which has no spaces: the events of kinds that nobody knows.
const UNKNOWN_KIND: &str = "unknown kind";

/// In place of a UID: what the limit keeps out.
const MORE: &str = "and others";
