//! The driver over in-memory pipes, asked by a real HTTP/2 client.

mod calls;
#[expect(clippy::unwrap_used, reason = "a test fails where its helpers do")]
mod churn;
mod connections;
mod endings;
#[expect(clippy::unwrap_used, reason = "a test fails where its helpers do")]
mod fairness;
#[expect(clippy::unwrap_used, reason = "a test fails where its harness does")]
mod harness;
mod masks;
mod turns;
mod watches;
