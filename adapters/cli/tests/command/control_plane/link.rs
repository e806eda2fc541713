//! A way to a server that the test can cut while the server goes on.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// What becomes of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Closed,
    Open,
    Stalled,
}

/// A port that leads to another one.
pub(super) struct Link {
    pub(super) port: u16,
    opened: Arc<AtomicUsize>,
    way: watch::Sender<Way>,
    connections: Arc<Mutex<JoinSet<()>>>,
    accepting: AbortHandle,
}

impl Drop for Link {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Link {
    pub(super) async fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (way, now) = watch::channel(Way::Open);
        let opened = Arc::new(AtomicUsize::new(0));
        let connections = Arc::new(Mutex::new(JoinSet::new()));
        let (count, relays) = (Arc::clone(&opened), Arc::clone(&connections));
        let accepting = tokio::spawn(async move {
            while let Ok((near, _peer)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let relay = relayed(near, target, now.clone());
                let _handle: AbortHandle = relays.lock().unwrap().spawn(relay);
            }
        });
        Self {
            port,
            opened,
            way,
            connections,
            accepting: accepting.abort_handle(),
        }
    }

    /// Returns how many connections were made so far.
    pub(super) fn opened(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// Breaks all connections; new ones get no further until the link is restored.
    pub(super) fn cut(&self) {
        self.end(Way::Stalled);
    }

    /// Breaks all connections, also new ones until the link is restored.
    pub(super) fn close(&self) {
        self.end(Way::Closed);
    }

    fn end(&self, way: Way) {
        self.way.send_replace(way);
        self.connections.lock().unwrap().abort_all();
    }

    /// Leads to the server again.
    pub(super) fn restore(&self) {
        self.way.send_replace(Way::Open);
    }
}

async fn relayed(mut near: TcpStream, target: u16, mut now: watch::Receiver<Way>) {
    let way = now.wait_for(|way| *way != Way::Stalled).await;
    if way.is_ok_and(|way| *way == Way::Open)
        && let Ok(mut far) = TcpStream::connect(("127.0.0.1", target)).await
    {
        // Either end may break the connection: that is what it is for.
        let _ended = copy_bidirectional(&mut near, &mut far).await;
    }
}
