//! What is left of the care for a server once its watch is over.

use podsapi_core::Status;

use super::*;
use crate::error::TransportError;

#[tokio::test]
async fn who_follows_no_more_asks_for_no_sign_of_life() {
    let (held, gone) = tokio::sync::oneshot::channel::<()>();
    let asking = tokio::spawn(async move {
        let _held = held;
        std::future::pending().await
    });
    drop(Vigil(Some((Duration::from_secs(1), asking))));
    let ended = tokio::time::timeout(Duration::from_secs(20), gone).await;
    assert!(ended.expect("it goes on asking").is_err());
}

#[test]
fn only_what_another_attempt_cannot_change_is_final() {
    let is_final = [
        Code::InvalidArgument,
        Code::PermissionDenied,
        Code::Unauthenticated,
        Code::Unimplemented,
    ];
    for code in Code::ALL {
        let error = FollowError::Client(Status::new(code, "no").into());
        assert_eq!(error.is_final(), is_final.contains(&code), "{code:?}");
        assert!(error.to_string().contains("no"));
    }
    let closed = ClientError::Transport(TransportError::Closed);
    assert!(!FollowError::Client(closed).is_final());
    assert!(!FollowError::Ended.is_final());
    let vigilance = Duration::from_secs(7);
    assert!(FollowError::Hung(vigilance).to_string().contains("7s"));
    assert_eq!(FollowError::Ended.to_string(), "the server ended the watch");
}
