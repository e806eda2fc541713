//! One request in flight: sent, answered, read piece by piece.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, RETRY_AFTER};
use http_body_util::BodyExt;
use kube::client::Body;
use podsapi_core::Moment;
use tokio::sync::Mutex;

use super::access::{Access, Answer, Asked};
use super::identity::Way;
use super::trouble::{self, Trouble};
use crate::listwatch::{ListWatch, Request};

/// A request in flight, if there is one; dropping it gives it up, and over HTTP/1.1 closes its
/// connection.
pub(super) enum Call {
    None,
    Asked(Pin<Box<dyn Future<Output = Result<Asked, Trouble>> + Send>>),
    Read(Box<Body>),
}

/// What came of it next.
#[derive(Debug)]
pub(super) enum News {
    Answered(Answer),
    Bytes(Bytes),
    Broken(String),
    Ended,
    Failed(Trouble),
    /// The files of credentials name another server now, or another user.
    Replaced,
}

impl Call {
    pub(super) fn start(access: Arc<Mutex<Access>>, request: Request) -> Self {
        Self::Asked(Box::pin(async move {
            let mut access = access.lock().await;
            access.ask(&request).await
        }))
    }

    /// Waits for what comes next, for ever where there is nothing; may be given up at any time.
    pub(super) async fn next(&mut self) -> News {
        match self {
            Self::None => std::future::pending().await,
            Self::Asked(answer) => match answer.await {
                Ok(Asked::Answered(answer)) => News::Answered(answer),
                Ok(Asked::Replaced) => News::Replaced,
                Err(trouble) => News::Failed(trouble),
            },
            Self::Read(body) => loop {
                match body.frame().await {
                    None => break News::Ended,
                    Some(Err(error)) => break News::Broken(trouble::broken(&error)),
                    Some(Ok(frame)) => {
                        // Trailers say nothing here.
                        if let Ok(bytes) = frame.into_data() {
                            break News::Bytes(bytes);
                        }
                    }
                }
            },
        }
    }
}

impl News {
    /// Tells the machine, notes the way to the server and the place that a trouble would be of, and
    /// returns what is left of the call.
    pub(super) fn handle(
        self,
        call: Call,
        machine: &mut ListWatch,
        way: &mut Arc<Way>,
        place: &mut String,
        now: Moment,
    ) -> Call {
        match self {
            Self::Answered(Answer { way: led, response }) => {
                place.clone_from(&led.server);
                *way = led;
                let (head, body) = response.into_parts();
                let kind = text(&head.headers, &CONTENT_TYPE);
                let wait = text(&head.headers, &RETRY_AFTER);
                machine.handle_head(head.status.as_u16(), kind, wait, now);
                Call::Read(Box::new(body))
            }
            Self::Bytes(bytes) => {
                machine.handle_body(bytes, now);
                call
            }
            Self::Broken(text) => {
                machine.handle_failure(&text, now);
                Call::None
            }
            Self::Ended => {
                machine.handle_end(now);
                Call::None
            }
            Self::Replaced => {
                replaced(machine, now);
                Call::None
            }
            Self::Failed(trouble) => {
                machine.handle_failure(&trouble.text, now);
                *place = trouble.place;
                Call::None
            }
        }
    }
}

/// Has the machine begin with the server that the files of credentials name now.
pub(super) fn replaced(machine: &mut ListWatch, now: Moment) {
    tracing::info!(
        source = super::SOURCE,
        "another API server is asked, or as another user: its pods are listed in place of all others"
    );
    machine.handle_replaced(now);
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Asked(_) => "Asked",
            Self::Read(_) => "Read",
        })
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
