//! The wish that sources read anew what they have read: certificates, tokens, kubeconfigs, files.

use tokio::sync::watch;

/// Whoever may have the wish; clones share it.
#[derive(Clone, Debug)]
pub struct Reload(watch::Sender<()>);

/// Where one source hears of the wish.
#[derive(Debug)]
pub(crate) struct Reloads(Option<watch::Receiver<()>>);

impl Reload {
    /// Returns one that nobody has wished for yet.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Has all sources that listen read anew, soon; several wishes may become one.
    pub fn wish(&self) {
        self.0.send_replace(());
    }

    pub(crate) fn listen(&self) -> Reloads {
        Reloads(Some(self.0.subscribe()))
    }
}

impl Default for Reload {
    fn default() -> Self {
        Self::new()
    }
}

impl Reloads {
    /// Never hears of any.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Completes at the next wish, or at one that came since the last; may be given up at any time.
    pub(crate) async fn next(&mut self) {
        if let Some(wishes) = &mut self.0
            && wishes.changed().await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_wish_is_heard_once_by_each_and_by_nobody_who_comes_later() {
        let reload = Reload::new();
        let [mut first, mut second] = [reload.listen(), reload.listen()];
        assert_eq!(first.next().now_or_never(), None);
        reload.clone().wish();
        reload.wish();
        assert_eq!(reload.listen().next().now_or_never(), None);
        for source in [&mut first, &mut second] {
            assert_eq!(source.next().now_or_never(), Some(()));
            assert_eq!(source.next().now_or_never(), None);
        }
        drop(reload);
        assert_eq!(first.next().now_or_never(), None);
        assert_eq!(Reloads::none().next().now_or_never(), None);
    }
}
