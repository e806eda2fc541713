//! Where a source puts its pods: one value to call, which knows neither lock nor service.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use podsapi_core::{EncodedPod, SourceError, SourceEvent, Uid};
use podsapi_proto::json::printable;

use crate::not_utf8::NotUtf8;
use crate::problems::{Problem, summary};
use crate::reload::{Reload, Reloads};

/// Takes what one source says: its pods, and in words what is wrong with it.
///
/// Cheap to clone; all clones lead to the same place.
#[derive(Clone)]
pub struct Sink {
    outlets: Arc<Outlets>,
    stale: Option<Arc<dyn Fn(bool) + Send + Sync>>,
    wall_nanos: Option<fn() -> i64>,
    reload: Option<Reload>,
    troubles: Option<Arc<dyn Fn(Troubles) + Send + Sync>>,
    /// What logs call the source.
    name: Arc<str>,
}

/// What is wrong with a source now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// All of it in words; `None` when nothing is.
    pub text: Option<String>,
    /// How many problems of it were not there when this was told last.
    pub new: u64,
    /// How many pods are served as they were, since what they are now cannot be.
    pub outdated: u64,
}

/// The three closures that every sink has.
struct Outlets {
    event: Box<dyn Fn(SourceEvent) -> Result<(), SourceError> + Send + Sync>,
    problem: Box<dyn Fn(Option<String>) + Send + Sync>,
    wall_seconds: Box<dyn Fn() -> i64 + Send + Sync>,
    known: Mutex<Known>,
}

/// What was told of what is wrong.
#[derive(Debug, Default)]
struct Known {
    /// What the source itself says.
    own: Troubles,
    /// What its pods say.
    not_utf8: NotUtf8,
    told: Option<String>,
}

impl Sink {
    /// Returns a sink that hands events to `event`, and to `problem` the text of what is wrong, or
    /// `None` when nothing is; `wall_seconds` tells the wall time in seconds since 1970.
    pub fn new(
        event: impl Fn(SourceEvent) -> Result<(), SourceError> + Send + Sync + 'static,
        problem: impl Fn(Option<String>) + Send + Sync + 'static,
        wall_seconds: impl Fn() -> i64 + Send + Sync + 'static,
    ) -> Self {
        Self {
            outlets: Arc::new(Outlets {
                event: Box::new(event),
                problem: Box::new(problem),
                wall_seconds: Box::new(wall_seconds),
                known: Mutex::default(),
            }),
            stale: None,
            wall_nanos: None,
            reload: None,
            troubles: None,
            name: "unnamed".into(),
        }
    }

    /// Returns the sink of a source that logs call `name`.
    #[must_use]
    pub fn with_name(self, name: &str) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// Returns the sink with another outlet for what is wrong, which is told numbers too.
    #[must_use]
    pub fn with_troubles(self, troubles: impl Fn(Troubles) + Send + Sync + 'static) -> Self {
        Self {
            troubles: Some(Arc::new(troubles)),
            ..self
        }
    }

    /// Returns the sink with one more outlet: `stale` hears whether the pods are those of an earlier
    /// run, which only a source that keeps them from run to run ever tells.
    #[must_use]
    pub fn with_stale(self, stale: impl Fn(bool) + Send + Sync + 'static) -> Self {
        Self {
            stale: Some(Arc::new(stale)),
            ..self
        }
    }

    /// Returns the sink with a finer clock, which tells the wall time in nanoseconds since 1970.
    #[must_use]
    pub fn with_wall_nanos(self, wall_nanos: fn() -> i64) -> Self {
        Self {
            wall_nanos: Some(wall_nanos),
            ..self
        }
    }

    /// Returns the sink with an inlet: at a wish of `reload` the source reads anew what it has read,
    /// its credentials too, and does not wait for the time at which it would do so by itself.
    #[must_use]
    pub fn with_reload(self, reload: &Reload) -> Self {
        Self {
            reload: Some(reload.clone()),
            ..self
        }
    }

    /// Returns where the source hears that it is to read anew; a wish before this is not heard.
    pub(crate) fn reloads(&self) -> Reloads {
        self.reload
            .as_ref()
            .map_or_else(Reloads::none, Reload::listen)
    }

    /// Begins a complete list of the source's pods.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn begin(&self) -> Result<(), SourceError> {
        (self.outlets.event)(SourceEvent::Begin)?;
        self.known(|known| known.not_utf8.begin());
        Ok(())
    }

    /// Hands over one pod as it is now.
    ///
    /// # Errors
    ///
    /// What the receiver refuses: a pod before the first [`Sink::begin`], one too large, or one too
    /// many.
    pub fn put(&self, pod: EncodedPod) -> Result<(), SourceError> {
        tracing::trace!(source = &*self.name, uid = ?pod.uid().as_str(), "a pod as it is now");
        let at = self.now();
        (self.outlets.event)(SourceEvent::Put {
            pod: pod.clone(),
            at,
        })?;
        if self.known(|known| known.not_utf8.put(&pod, &self.name)) {
            self.tell();
        }
        Ok(())
    }

    /// Says that the source no longer has a pod.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn remove(&self, uid: Uid) -> Result<(), SourceError> {
        tracing::trace!(source = &*self.name, uid = ?uid.as_str(), "a pod is gone");
        let at = self.now();
        (self.outlets.event)(SourceEvent::Remove {
            uid: uid.clone(),
            at,
        })?;
        if self.known(|known| known.not_utf8.remove(&uid, &self.name)) {
            self.tell();
        }
        Ok(())
    }

    /// Ends a complete list: what was not put since [`Sink::begin`] is gone.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn complete(&self) -> Result<(), SourceError> {
        tracing::trace!(source = &*self.name, "a list is complete");
        let at = self.now();
        (self.outlets.event)(SourceEvent::Complete { at })?;
        if self.known(|known| known.not_utf8.complete(&self.name)) {
            self.tell();
        }
        Ok(())
    }

    /// Says that the source lost its pods from sight; the last known ones stay.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn lost(&self) -> Result<(), SourceError> {
        self.known(|known| known.not_utf8.lost());
        (self.outlets.event)(SourceEvent::Lost)
    }

    /// Puts a complete list; returns what of it was refused.
    ///
    /// # Errors
    ///
    /// When the list as such is refused.
    pub(crate) fn replace(&self, pods: &[EncodedPod]) -> Result<BTreeSet<Problem>, SourceError> {
        let mut refused = BTreeSet::new();
        self.begin()?;
        for pod in pods {
            match self.put(pod.clone()) {
                Ok(()) => {}
                Err(
                    error @ (SourceError::TooManyPods { .. } | SourceError::PodTooLarge { .. }),
                ) => {
                    let subject = format!("{}/{}", pod.namespace(), pod.name());
                    refused.insert(Problem::fault(subject, format!("{error} (not served)")));
                }
                Err(
                    error @ (SourceError::CompleteBeforeBegin
                    | SourceError::PutBeforeBegin
                    | SourceError::UnknownSource),
                ) => return Err(error),
            }
        }
        self.complete()?;
        Ok(refused)
    }

    /// Tells what is wrong with the source, or with `None` that nothing is any more; control
    /// characters are told as escapes.
    pub fn problem(&self, text: Option<String>) {
        let new = u64::from(text.is_some());
        self.troubles(Troubles {
            text,
            new,
            outdated: 0,
        });
    }

    /// Tells what is wrong with the source, with numbers; control characters are told as escapes.
    pub fn troubles(&self, troubles: Troubles) {
        self.known(|known| {
            let new = known.own.new + troubles.new;
            known.own = Troubles { new, ..troubles };
        });
        self.tell();
    }

    /// Tells all that is known of what is wrong.
    fn tell(&self) {
        let (troubles, is_news) = self.known(|known| {
            let texts = [known.own.text.clone(), summary(known.not_utf8.problems())];
            let texts: Vec<_> = texts.into_iter().flatten().collect();
            let text = (!texts.is_empty()).then(|| printable(&texts.join("; ")).into_owned());
            let troubles = Troubles {
                new: std::mem::take(&mut known.own.new) + known.not_utf8.take_appeared(),
                outdated: known.own.outdated,
                text: text.clone(),
            };
            let is_news = text != known.told;
            known.told = text;
            (troubles, is_news)
        });
        match &self.troubles {
            Some(outlet) => outlet(troubles),
            None if is_news => (self.outlets.problem)(troubles.text),
            None => {}
        }
    }

    fn known<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        let known = self.outlets.known.lock();
        act(&mut known.unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells whether the pods are those of an earlier run, which the source itself has not told yet.
    pub fn stale(&self, stale: bool) {
        if let Some(outlet) = &self.stale {
            outlet(stale);
        }
    }

    /// The wall time in seconds since 1970.
    pub fn now(&self) -> i64 {
        (self.outlets.wall_seconds)()
    }

    /// The wall time in nanoseconds since 1970, as fine as the clock is.
    pub(crate) fn now_nanos(&self) -> i64 {
        let seconds = || self.now().saturating_mul(1_000_000_000);
        self.wall_nanos.map_or_else(seconds, |nanos| nanos())
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}
