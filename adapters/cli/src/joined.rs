//! Sources behind a join: what owns pods, and maybe the runtime that shows what became of them.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use podsapi_core::{SourceConfig, SourceError, SourceEvent, SourceId, SourceKind};
use podsapi_h2::Server;
use podsapi_sources::cri::Word;
use podsapi_sources::join::{Join, SourceRef};
use podsapi_sources::manifests::ShownUids;
use podsapi_sources::view::NodeFacts;
use podsapi_sources::{self as sources, Sink};
use podsapi_tokio::TokioRuntime;
use tokio::sync::watch;

/// A server behind a join; clones share it.
#[derive(Clone)]
pub(crate) struct Joined {
    shared: Arc<Shared>,
}

/// What the sources share.
struct Shared {
    server: Server<TokioRuntime>,
    owners: Vec<SourceId>,
    /// Nothing where nobody looks at a runtime: statuses are the owners' own.
    runtime: Option<SourceId>,
    /// What kind of source each owner is.
    kinds: Vec<SourceKind>,
    /// Where it is told which UIDs a kubelet gave static pods.
    shown: ShownUids,
    /// Locked before the server, so that its words arrive in their order.
    state: Mutex<State>,
    /// When something follows from the time alone.
    due: watch::Sender<Option<i64>>,
}

/// What a word of any source changes.
struct State {
    join: Join,
    owners: Vec<Troubles>,
    runtime: Troubles,
}

/// What is wrong with a source.
#[derive(Debug, Default)]
struct Troubles {
    /// What the source itself says.
    own: Option<String>,
    /// Which of its pods have no status, of the runtime alone.
    without_status: Option<String>,
    /// What of it claims the identity of another pod.
    foreign: BTreeSet<String>,
    /// What of it the server refused, of its last list or since.
    refused: Option<String>,
    /// Problems that the source itself reported and the server was not told of yet.
    new: u64,
    /// Pods that are served in an older state.
    outdated: u64,
    /// What was told of all this.
    told: Told,
}

/// What a server was told of the troubles of a source.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    text: Option<String>,
    /// What is not the source's own word.
    of_others: [Option<String>; 2],
    outdated: u64,
}

impl Joined {
    /// Returns the join of `owners`, in that order, and maybe a runtime; all are sources of `server`.
    ///
    /// `None` when the server does not know one of them.
    pub(crate) fn new(
        server: &Server<TokioRuntime>,
        owners: &[SourceConfig],
        runtime: Option<&SourceConfig>,
        node: NodeFacts,
        shown: ShownUids,
    ) -> Option<Self> {
        let id = |source: &SourceConfig| server.with_pods(|pods| pods.source(&source.name));
        let state = State {
            join: Join::new(owners.iter().map(|owner| owner.kind), node),
            owners: owners.iter().map(|_| Troubles::default()).collect(),
            runtime: Troubles::default(),
        };
        let shared = Shared {
            server: server.clone(),
            owners: owners.iter().map(id).collect::<Option<_>>()?,
            runtime: match runtime {
                Some(runtime) => Some(id(runtime)?),
                None => None,
            },
            kinds: owners.iter().map(|owner| owner.kind).collect(),
            shown,
            state: Mutex::new(state),
            due: watch::Sender::new(None),
        };
        Some(Self {
            shared: Arc::new(shared),
        })
    }

    /// Returns where the owner in this place puts its pods; `listed` is called after each list.
    pub(crate) fn sink(
        &self,
        owner: usize,
        name: &str,
        listed: impl Fn() + Send + Sync + 'static,
    ) -> Sink {
        let (events, problems, earlier) = (self.clone(), self.clone(), self.clone());
        let troubles = self.clone();
        let sink = Sink::new(
            move |event| {
                let complete = matches!(event, SourceEvent::Complete { .. });
                events.take_owner(owner, event)?;
                if complete {
                    listed();
                }
                Ok(())
            },
            move |problem| problems.set_own(SourceRef::Owner(owner), of_text(problem)),
            TokioRuntime::wall_seconds,
        );
        let sink = sink
            .with_name(name)
            .with_wall_nanos(TokioRuntime::wall_nanos)
            .with_troubles(move |now| troubles.set_own(SourceRef::Owner(owner), now));
        sink.with_stale(move |stale| {
            if let Some(id) = earlier.shared.id(SourceRef::Owner(owner)) {
                earlier.shared.server.source_stale(id, stale);
            }
        })
    }

    /// Tells the join the time whenever something follows from that alone, for ever.
    pub(crate) async fn keep_time(self) -> Infallible {
        let mut changes = self.shared.due.subscribe();
        loop {
            let due = *changes.borrow_and_update();
            let wait = match due {
                Some(due) => due.saturating_sub(TokioRuntime::wall_seconds()).max(0),
                None => i64::MAX,
            };
            // The wall clock may be set; so it is asked again in a while.
            let wait = Duration::from_secs(wait.unsigned_abs()).min(CLOCK_CHECK);
            tokio::select! {
                _ = changes.changed() => {}
                () = tokio::time::sleep(wait) => drop(self.take(Join::handle_time)),
            }
        }
    }

    /// Takes the runtime's next word.
    pub(crate) fn hear(&self, word: Word) {
        match word {
            Word::Lost => drop(self.take(Join::handle_runtime_lost)),
            Word::Problem(problem) => self.set_own(SourceRef::Runtime, of_text(problem)),
            Word::Runtime { name, .. } => {
                drop(self.take(|join, _at| join.handle_runtime_name(&name)));
            }
            Word::Untold(pods) => {
                drop(self.take(|join, at| join.handle_runtime_untold(pods, at)));
            }
            Word::Unchanged => drop(self.take(Join::handle_runtime_unchanged)),
            Word::View(view) => {
                self.shared.shown.learn(&view);
                let outdated = self.shared.shown.outdated();
                drop(self.take(|join, at| {
                    join.handle_outdated(outdated);
                    join.handle_runtime(view, at);
                }));
            }
        }
    }

    /// Returns the owner's own mistakes, for it to end; what is too large or too many is a trouble
    /// of that pod alone.
    fn take_owner(&self, owner: usize, event: SourceEvent) -> Result<(), SourceError> {
        let kind = self.shared.kinds.get(owner);
        let mut outdated = Vec::new();
        match (kind, &event) {
            (Some(SourceKind::Kubelet), SourceEvent::Put { pod, .. }) => {
                self.shared.shown.learn_pod(pod);
            }
            (Some(SourceKind::Manifests), SourceEvent::Complete { .. }) => {
                outdated = self.shared.shown.outdated();
            }
            _ => {}
        }
        let refused = self.take(|join, at| {
            join.handle_outdated(outdated);
            join.handle_owner(owner, event, at)
        });
        for (source, error) in refused {
            match error {
                SourceError::PodTooLarge { .. } | SourceError::TooManyPods { .. } => {}
                SourceError::CompleteBeforeBegin
                | SourceError::PutBeforeBegin
                | SourceError::UnknownSource => {
                    if source == SourceRef::Owner(owner) {
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets the join take a word, and the server all that follows from it in one step; returns what
    /// the server refused.
    fn take(&self, act: impl FnOnce(&mut Join, i64)) -> Vec<(SourceRef, SourceError)> {
        let shared = &*self.shared;
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut state.join, TokioRuntime::wall_seconds());
        let events: Vec<_> = std::iter::from_fn(|| state.join.poll()).collect();
        let mut listed = Vec::new();
        let words = events.into_iter().filter_map(|(source, event)| {
            if matches!(event, SourceEvent::Complete { .. }) {
                listed.push(source);
            }
            Some((shared.id(source)?, event))
        });
        let refused = shared.server.handle_sources(words);
        let refused: Vec<_> = refused
            .into_iter()
            .filter_map(|(id, error)| Some((shared.source(id)?, error)))
            .collect();
        for source in listed {
            if let Some(troubles) = state.troubles(source) {
                troubles.refused = None;
            }
        }
        for (source, error) in &refused {
            if let Some(troubles) = state.troubles(*source) {
                troubles.refused = Some(format!("{error} (not served)"));
            }
        }
        let mut problems = state.join.problems();
        let problem = problems.next();
        let problem = problem.map(|(uid, error)| format!("{}: {error}", uid.as_str()));
        let more = problems.count();
        state.runtime.without_status = match (problem, more) {
            (Some(text), 1..) => Some(format!("{text}; and {more} more")),
            (problem, _) => problem,
        };
        state.note_foreign();
        shared.tell(&mut state);
        let due = state.join.due();
        shared.due.send_if_modified(|known| {
            let changed = *known != due;
            *known = due;
            changed
        });
        refused
    }

    fn set_own(&self, source: SourceRef, now: sources::Troubles) {
        let shared = &*self.shared;
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(troubles) = state.troubles(source) {
            troubles.own = now.text;
            troubles.new += now.new;
            troubles.outdated = now.outdated;
        }
        shared.tell(&mut state);
    }
}

impl Shared {
    fn id(&self, source: SourceRef) -> Option<SourceId> {
        match source {
            SourceRef::Owner(place) => self.owners.get(place).copied(),
            SourceRef::Runtime => self.runtime,
        }
    }

    fn source(&self, id: SourceId) -> Option<SourceRef> {
        if Some(id) == self.runtime {
            return Some(SourceRef::Runtime);
        }
        let place = self.owners.iter().position(|owner| *owner == id);
        place.map(SourceRef::Owner)
    }

    /// Tells the server which troubles changed.
    fn tell(&self, state: &mut State) {
        let owners = self.owners.iter().zip(&mut state.owners);
        let runtime = self.runtime.iter().zip([&mut state.runtime]);
        for (id, troubles) in owners.chain(runtime) {
            let told = Told {
                text: troubles.text(),
                of_others: [troubles.refused.clone(), troubles.without_status.clone()],
                outdated: troubles.outdated,
            };
            let others = told.of_others.iter().zip(&troubles.told.of_others);
            let news = others.filter(|(now, before)| now.is_some() && now != before);
            let new = std::mem::take(&mut troubles.new) + news.count() as u64;
            if new > 0 || told != troubles.told {
                let text = told.text.clone();
                self.server.source_troubles(*id, text, new, told.outdated);
                troubles.told = told;
            }
        }
    }
}

impl State {
    /// Takes note of what claims to be another pod, and logs what is new and what is over.
    fn note_foreign(&mut self) {
        let Self {
            join,
            owners,
            runtime,
        } = self;
        let places = owners.iter_mut().enumerate();
        let owners = places.map(|(place, troubles)| (SourceRef::Owner(place), troubles));
        for (source, troubles) in owners.chain([(SourceRef::Runtime, runtime)]) {
            let all = join.foreign().iter().filter(|it| it.source == source);
            let now: BTreeSet<String> = all.map(|foreign| foreign.text.clone()).collect();
            for text in now.difference(&troubles.foreign) {
                troubles.new += 1;
                tracing::warn!("{text}");
            }
            for text in troubles.foreign.difference(&now) {
                tracing::info!("no longer: {text}");
            }
            troubles.foreign = now;
        }
    }

    fn troubles(&mut self, source: SourceRef) -> Option<&mut Troubles> {
        match source {
            SourceRef::Owner(place) => self.owners.get_mut(place),
            SourceRef::Runtime => Some(&mut self.runtime),
        }
    }
}

impl Troubles {
    fn text(&self) -> Option<String> {
        let mut foreign = self.foreign.iter().cloned();
        let first: Vec<String> = foreign.by_ref().take(FOREIGN_LIMIT).collect();
        let mut first = (!first.is_empty()).then(|| first.join("; "));
        if let (Some(text), more @ 1..) = (&mut first, foreign.count()) {
            text.push_str(&format!("; and {more} more"));
        }
        let all = [&self.own, &first, &self.refused, &self.without_status];
        let texts: Vec<&str> = all.into_iter().flatten().map(String::as_str).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }
}

/// What claims to be another pod is spelled out so often in one text; the log has all of it.
const FOREIGN_LIMIT: usize = 5;

/// How long the wall clock is taken to go on as it did.
const CLOCK_CHECK: Duration = Duration::from_secs(10);

/// Returns a text as what is wrong with a source that counts nothing.
fn of_text(text: Option<String>) -> sources::Troubles {
    sources::Troubles {
        new: u64::from(text.is_some()),
        text,
        outdated: 0,
    }
}

#[cfg(test)]
mod tests;
