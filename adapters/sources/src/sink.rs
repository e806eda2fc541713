//! Where a source puts its pods: one value to call, which knows neither lock nor service.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use podsapi_core::{EncodedPod, SourceError, SourceEvent, Uid};
use podsapi_proto::json::printable;

use crate::problems::Problem;
use crate::reload::{Reload, Reloads};

/// Takes what one source says: its pods, and in words what is wrong with it.
///
/// Cheap to clone; all clones lead to the same place.
#[derive(Clone)]
pub struct Sink {
    outlets: Arc<Outlets>,
    stale: Option<Arc<dyn Fn(bool) + Send + Sync>>,
    reload: Option<Reload>,
}

/// The three closures that every sink has.
struct Outlets {
    event: Box<dyn Fn(SourceEvent) -> Result<(), SourceError> + Send + Sync>,
    problem: Box<dyn Fn(Option<String>) + Send + Sync>,
    wall_seconds: Box<dyn Fn() -> i64 + Send + Sync>,
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
            }),
            stale: None,
            reload: None,
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
        (self.outlets.event)(SourceEvent::Begin)
    }

    /// Hands over one pod as it is now.
    ///
    /// # Errors
    ///
    /// What the receiver refuses: a pod before the first [`Sink::begin`], one too large, or one too
    /// many.
    pub fn put(&self, pod: EncodedPod) -> Result<(), SourceError> {
        let at = self.now();
        (self.outlets.event)(SourceEvent::Put { pod, at })
    }

    /// Says that the source no longer has a pod.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn remove(&self, uid: Uid) -> Result<(), SourceError> {
        let at = self.now();
        (self.outlets.event)(SourceEvent::Remove { uid, at })
    }

    /// Ends a complete list: what was not put since [`Sink::begin`] is gone.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn complete(&self) -> Result<(), SourceError> {
        let at = self.now();
        (self.outlets.event)(SourceEvent::Complete { at })
    }

    /// Says that the source lost its pods from sight; the last known ones stay.
    ///
    /// # Errors
    ///
    /// What the receiver refuses.
    pub fn lost(&self) -> Result<(), SourceError> {
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
        (self.outlets.problem)(text.map(|text| printable(&text).into_owned()));
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
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").finish_non_exhaustive()
    }
}
