//! The UIDs that a kubelet gave static pods, as a runtime or the kubelet itself shows them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use podsapi_core::{EncodedPod, Uid};
use tokio::sync::watch;

use super::uid::KubeletRelease;
use crate::join::annotation;
use crate::status::{CONFIG_SOURCE, is_from_file};
use crate::view::RuntimeView;

/// What was shown last; clones share it.
///
/// Whoever looks at a runtime or a kubelet tells it, and the source of manifests finds out by it of
/// which release the kubelet is.
#[derive(Clone, Debug)]
pub struct ShownUids {
    sender: Arc<watch::Sender<Shown>>,
    manifests: Arc<Mutex<Manifests>>,
}

/// The manifests that there are.
#[derive(Debug, Default)]
struct Manifests {
    documents: Vec<Document>,
    /// Whether somebody said of which release the kubelet is.
    is_given: bool,
}

/// All that is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    by_runtime: Vec<ShownPod>,
    by_kubelet: BTreeMap<(String, String), ShownPod>,
}

/// A static pod under the UID that its kubelet gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownPod {
    namespace: String,
    name: String,
    uid: Uid,
    /// When it was created, in nanoseconds since 1970; zero when that is not known.
    created_at: i64,
    /// Whether it is there to stay, as far as anybody can tell.
    current: bool,
}

/// A static pod of a manifest, as [`Shown::judge`] compares it.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) namespace: String,
    pub(super) name: String,
    /// When its manifest was changed, in nanoseconds since 1970.
    pub(super) changed_at: i64,
    /// The UID that it has in a kubelet of each release.
    pub(super) uids: Vec<(KubeletRelease, Uid)>,
}

/// What the UIDs that are shown say of the kubelet.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// They are those of a kubelet of this release.
    Of(KubeletRelease),
    /// That of this pod is of no release.
    OfNone(String),
    /// Nothing.
    Silent,
}

impl Default for ShownUids {
    fn default() -> Self {
        Self {
            sender: Arc::new(watch::Sender::new(Shown::default())),
            manifests: Arc::default(),
        }
    }
}

impl ShownUids {
    /// Takes all that a runtime shows now.
    pub fn learn(&self, view: &RuntimeView) {
        let sandboxes = view.sandboxes.iter().filter(|sandbox| {
            is_from_file(&sandbox.annotations)
                && !sandbox.pod_uid.is_empty()
                && !sandbox.contradicts_itself()
        });
        let shown = sandboxes.map(|sandbox| ShownPod {
            namespace: sandbox.namespace.clone(),
            name: sandbox.name.clone(),
            uid: Uid::new(&sandbox.pod_uid),
            created_at: sandbox.created_at.max(0),
            current: sandbox.ready,
        });
        let by_runtime: Vec<ShownPod> = shown.collect();
        self.sender.send_if_modified(|known| {
            let changed = known.by_runtime != by_runtime;
            known.by_runtime = by_runtime;
            changed
        });
    }

    /// Takes a pod that a kubelet shows.
    pub fn learn_pod(&self, pod: &EncodedPod) {
        if annotation(pod, CONFIG_SOURCE).as_deref() != Some("file") {
            return;
        }
        let shown = ShownPod {
            namespace: pod.namespace().to_owned(),
            name: pod.name().to_owned(),
            uid: pod.uid().clone(),
            created_at: 0,
            current: false,
        };
        let name = (shown.namespace.clone(), shown.name.clone());
        self.sender.send_if_modified(|known| {
            let room = known.by_kubelet.len() < NAMES_LIMIT || known.by_kubelet.contains_key(&name);
            room && known.by_kubelet.insert(name, shown.clone()).as_ref() != Some(&shown)
        });
    }

    /// Returns the namespaces and names of pods of which the runtime shows sandboxes of other content
    /// than the manifest has now, with when that was changed, in nanoseconds since 1970: what was
    /// created by then is of a manifest before, and its UID not that of this one.
    ///
    /// Nothing is said where it is not known that UIDs are computed here as the kubelet does.
    #[must_use]
    pub fn outdated(&self) -> Vec<(String, String, i64)> {
        let manifests = self.manifests();
        let shown = self.sender.borrow();
        let exact = match shown.judge(&manifests.documents, KubeletRelease::NEWEST) {
            Verdict::Of(_) => true,
            Verdict::Silent => manifests.is_given,
            Verdict::OfNone(_) => false,
        };
        let documents = manifests
            .documents
            .iter()
            .filter(|document| exact && document.changed_at < i64::MAX && shown.is_older(document));
        let documents =
            documents.map(|one| (one.namespace.clone(), one.name.clone(), one.changed_at));
        documents.collect()
    }

    /// Takes the manifests that there are; `given` says of which release the kubelet is.
    pub(super) fn know(&self, documents: Vec<Document>, given: Option<KubeletRelease>) {
        *self.manifests() = Manifests {
            documents,
            is_given: given.is_some(),
        };
    }

    fn manifests(&self) -> MutexGuard<'_, Manifests> {
        // Whoever panicked left the manifests of before or after.
        let manifests = self.manifests.lock();
        manifests.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<Shown> {
        self.sender.subscribe()
    }
}

impl Document {
    fn is_named(&self, shown: &ShownPod) -> bool {
        self.namespace == shown.namespace && self.name == shown.name
    }
}

impl Shown {
    /// Tells whether a sandbox of another content is there that was made before this manifest.
    fn is_older(&self, document: &Document) -> bool {
        self.by_runtime.iter().any(|shown| {
            document.is_named(shown)
                && shown.created_at <= document.changed_at
                && document.uids.iter().all(|(_, uid)| *uid != shown.uid)
        })
    }

    /// Says of which release the kubelet is, whose pods these are; `now` is the one that is taken for
    /// it.
    ///
    /// The pod that was created last counts: a kubelet that was replaced by one of another release
    /// leaves pods of its own behind for a while. A UID that fits no release says something only where
    /// its pod is newer than the manifest, since until then it may be that of another content.
    pub(super) fn judge(&self, documents: &[Document], now: KubeletRelease) -> Verdict {
        let mut found: Option<(i64, KubeletRelease)> = None;
        let mut stranger: Option<(i64, &ShownPod)> = None;
        for shown in self.by_runtime.iter().chain(self.by_kubelet.values()) {
            let document = documents.iter().find(|document| document.is_named(shown));
            let Some(document) = document else { continue };
            let fitting = document.uids.iter().filter(|(_, uid)| *uid == shown.uid);
            // Releases that print a pod alike give it one UID.
            let release = fitting.map(|(release, _)| *release);
            let release = release.max_by_key(|release| (*release == now, *release));
            let at = shown.created_at;
            match release {
                Some(release) if found.is_none_or(|(last, _)| last <= at) => {
                    found = Some((at, release));
                }
                None if shown.current
                    && at > document.changed_at
                    && stranger.is_none_or(|(last, _)| last <= at) =>
                {
                    stranger = Some((at, shown));
                }
                Some(_) | None => {}
            }
        }
        match (found, stranger) {
            (Some((_, release)), _) => Verdict::Of(release),
            (None, Some((_, pod))) => Verdict::OfNone(format!("{}/{}", pod.namespace, pod.name)),
            (None, None) => Verdict::Silent,
        }
    }
}

impl Shown {
    /// Returns the node whose static pods are shown, if it is none of this name: all that run are of the
    /// one name, and at least one would be that of a manifest here.
    pub(super) fn other_node(&self, documents: &[Document], own: &str) -> Option<String> {
        let by_runtime = self.by_runtime.iter().filter(|shown| shown.current);
        let shown: Vec<_> = by_runtime.chain(self.by_kubelet.values()).collect();
        let is_of = |shown: &ShownPod, node: &str| {
            let base = shown.name.strip_suffix(node);
            base.is_some_and(|base| base.len() > 1 && base.ends_with('-'))
        };
        let pairs = documents.iter().flat_map(|document| {
            let base = document.name.strip_suffix(own).unwrap_or_default();
            let alike = shown
                .iter()
                .filter(move |shown| !base.is_empty() && shown.namespace == document.namespace);
            alike.filter_map(move |shown| shown.name.strip_prefix(base))
        });
        // Of web-2-a the node may be a or, with a manifest web, 2-a.
        let nodes = pairs.filter(|node| shown.iter().all(|shown| is_of(shown, node)));
        let nodes = nodes.filter(|node| !node.is_empty());
        let found = nodes.min_by_key(|node| (node.len(), *node))?;
        let is_own = found == own || shown.iter().any(|shown| is_of(shown, own));
        (!is_own).then(|| found.to_owned())
    }
}

impl Verdict {
    /// Says what the UIDs that the kubelet gave mean for those that are computed here, if they mean
    /// anything: `now` is the release whose UIDs these are.
    pub(super) fn remark(
        &self,
        given: Option<KubeletRelease>,
        now: KubeletRelease,
    ) -> Option<String> {
        let found = match self {
            Self::Of(release) => *release,
            Self::OfNone(pod) => {
                let [first, .., last] = KubeletRelease::ALL;
                return Some(format!(
                    "the UID that {pod} has in the runtime is that of no kubelet from {first} to \
                     {last} on this node and folder: see --node-name and --kubelet-manifests-path"
                ));
            }
            Self::Silent => now,
        };
        let text = format!("the UIDs of static pods are those of a kubelet {found}");
        match given {
            Some(given) if found != given => Some(format!(
                "{text}, not {given}: set --kubelet-version {found}"
            )),
            None if found != KubeletRelease::NEWEST => Some(format!(
                "{text}, and so they are here now: set --kubelet-version {found} to have them so from \
                 the start"
            )),
            Some(_) | None => None,
        }
    }
}

/// The names that are remembered of what a kubelet showed: many times what a node has.
const NAMES_LIMIT: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: KubeletRelease = KubeletRelease::ALL[0];
    const NEW: KubeletRelease = KubeletRelease::NEWEST;

    fn document() -> Document {
        Document {
            namespace: "ns".to_owned(),
            name: "web-n".to_owned(),
            changed_at: 100,
            uids: vec![(OLD, Uid::new("old")), (NEW, Uid::new("new"))],
        }
    }

    fn shown(pods: &[(&str, i64)]) -> Shown {
        let pods = pods.iter().map(|(uid, created_at)| ShownPod {
            namespace: "ns".to_owned(),
            name: "web-n".to_owned(),
            uid: Uid::new(uid),
            created_at: *created_at,
            current: true,
        });
        Shown {
            by_runtime: pods.collect(),
            ..Shown::default()
        }
    }

    #[test]
    fn the_pod_that_was_created_last_says_the_release() {
        let judge = |pods: &[_]| shown(pods).judge(&[document()], NEW);
        assert_eq!(judge(&[]), Verdict::Silent);
        assert_eq!(judge(&[("old", 5)]), Verdict::Of(OLD));
        assert_eq!(judge(&[("new", 7), ("old", 5)]), Verdict::Of(NEW));
        assert_eq!(judge(&[("new", 5), ("old", 7)]), Verdict::Of(OLD));
        assert_eq!(judge(&[("old", 7), ("else", 200)]), Verdict::Of(OLD));
    }

    #[test]
    fn a_uid_of_no_release_says_something_only_of_a_pod_that_is_newer_than_its_manifest() {
        let judge = |pods: &[_]| shown(pods).judge(&[document()], NEW);
        assert_eq!(judge(&[("else", 99)]), Verdict::Silent);
        let found = Verdict::OfNone("ns/web-n".to_owned());
        assert_eq!(judge(&[("else", 101)]), found);
        let elsewhere = Document {
            name: "b-n".to_owned(),
            ..document()
        };
        assert_eq!(
            shown(&[("else", 101)]).judge(&[elsewhere], NEW),
            Verdict::Silent
        );
    }

    #[test]
    fn static_pods_of_another_node_name_it_where_all_that_run_are_its() {
        let named = |names: &[&str]| {
            let pods = names.iter().map(|name| ShownPod {
                name: (*name).to_owned(),
                ..shown(&[("else", 5)]).by_runtime.remove(0)
            });
            Shown {
                by_runtime: pods.collect(),
                ..Shown::default()
            }
        };
        let more = Document {
            name: "web-2-n".to_owned(),
            ..document()
        };
        let other = |names: &[&str]| named(names).other_node(&[document(), more.clone()], "n");
        assert_eq!(other(&["web-x"]).as_deref(), Some("x"));
        assert_eq!(other(&["web-x", "web-2-x", "db-x"]).as_deref(), Some("x"));
        assert_eq!(other(&["web-2-a"]).as_deref(), Some("a"));
        for right in [
            &["web-n"][..],
            &["web-x", "db-n"],
            &["web-x", "db-y"],
            &["db-x"],
            &["web-"],
            &[],
        ] {
            assert_eq!(other(right), None, "{right:?}");
        }
        // One that has ended may be of a name that the node had before.
        let mut ended = named(&["web-x"]);
        ended.by_runtime[0].current = false;
        assert_eq!(ended.other_node(&[document()], "n"), None);
    }

    #[test]
    fn releases_that_give_one_uid_are_not_told_apart() {
        let mut document = document();
        document.uids = KubeletRelease::ALL
            .map(|release| (release, Uid::new("u")))
            .to_vec();
        let shown = shown(&[("u", 1)]);
        for now in KubeletRelease::ALL {
            assert_eq!(
                shown.judge(std::slice::from_ref(&document), now),
                Verdict::Of(now)
            );
        }
    }

    #[test]
    fn a_sandbox_of_another_content_is_older_where_it_is_known_how_uids_are_made() {
        let other = Document {
            name: "b-n".to_owned(),
            ..document()
        };
        let outdated = |pods: &[(&str, i64)], given: Option<KubeletRelease>, proof: bool| {
            let uids = ShownUids::default();
            uids.know(vec![document(), other.clone()], given);
            let mut now = shown(pods);
            now.by_runtime.extend(proof.then(|| ShownPod {
                name: "b-n".to_owned(),
                ..shown(&[("new", 7)]).by_runtime.remove(0)
            }));
            uids.sender.send_replace(now);
            uids.outdated()
        };
        let found = vec![("ns".to_owned(), "web-n".to_owned(), 100)];
        assert_eq!(outdated(&[("else", 99)], None, true), found);
        assert_eq!(outdated(&[("else", 100)], Some(OLD), false), found);
        assert_eq!(outdated(&[("else", 99)], None, false), []);
        assert_eq!(outdated(&[("else", 101)], None, true), []);
        assert_eq!(outdated(&[("old", 99)], None, true), []);
        // One that is newer than its manifest shows that UIDs are made otherwise.
        let strange = [("else", 99), ("strange", 101)];
        assert_eq!(outdated(&strange, Some(NEW), false), []);
    }
}
