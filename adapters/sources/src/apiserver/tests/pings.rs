//! A server that speaks HTTP/2, and connections that carry nothing any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::credentials::{certificate, folder_with, tls};
use super::*;

/// Serves a list and a watch over each connection, and lets the connection be as it is after that.
async fn serve(listener: TcpListener, acceptor: TlsAcceptor, connections: Arc<AtomicUsize>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, connections) = (acceptor.clone(), Arc::clone(&connections));
        tokio::spawn(async move {
            let stream = acceptor.accept(stream).await.unwrap();
            let mut connection = h2::server::handshake(stream).await.unwrap();
            while let Some(asked) = connection.accept().await {
                let (request, mut respond) = asked.unwrap();
                let is_watch = request.uri().query().unwrap().contains("watch=true");
                let answer = match is_watch {
                    true => watch(),
                    false => list(&["1"], "old"),
                };
                let head = http::Response::builder()
                    .status(answer.status)
                    .header("content-type", answer.kind)
                    .body(())
                    .unwrap();
                let mut body = respond.send_response(head, false).unwrap();
                body.send_data(Bytes::from(answer.body), !is_watch).unwrap();
                if is_watch {
                    // The head of the answer goes out, and then nobody reads or writes.
                    let sent = std::future::poll_fn(|context| connection.poll_closed(context));
                    let _still_open = tokio::time::timeout(Duration::from_millis(50), sent).await;
                    connections.fetch_add(1, Ordering::SeqCst);
                    std::future::pending::<()>().await;
                }
            }
        });
    }
}

#[tokio::test]
async fn a_connection_that_carries_nothing_any_more_is_replaced_within_40_s_and_is_no_loss() {
    let own = certificate("127.0.0.1");
    let mut configuration = tls(&own, None);
    configuration.alpn_protocols = vec![b"h2".to_vec()];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let acceptor = TlsAcceptor::from(Arc::new(configuration));
    let serving = tokio::spawn(serve(listener, acceptor, Arc::clone(&connections)));
    let folder = folder_with(&[("ca.pem", &own.cert.pem())]);
    write(folder.path(), &url, ", certificate-authority: ca.pem", "{}");
    let mut source = Source::start(folder, |_| {});
    source.listed().await;
    let watched = async |wanted: usize| {
        while connections.load(Ordering::SeqCst) < wanted {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    watched(1).await;
    tokio::time::pause();
    let began = tokio::time::Instant::now();
    watched(2).await;
    let took = began.elapsed();
    assert!((39..45).contains(&took.as_secs()), "{took:?}");
    let heard = source.recorder.heard();
    assert_eq!(heard.words, ["begin", "put", "complete"]);
    assert_eq!(heard.problem(), "");
    serving.abort();
}
