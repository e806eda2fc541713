//! The answers of a container runtime, as any bytes.

use std::collections::BTreeSet;
use std::time::Duration;

use podsapi_proto::cri as runtime;
use podsapi_sources::cri::Answers;
use podsapi_sources::view::{ContainerState, RuntimeView};
use prost::Message;

use node::Node;

mod node;

/// Whatever a runtime answers, round after round, with losses between: a view has each thing once
/// and in order, has all that is listed, and statuses follow from it that every client can decode,
/// that say nothing which the runtime did not, and that do not depend on its order.
///
/// The input is rounds: a byte that says what happens, a byte that says more of it, and the answers
/// for a view, each of two bytes of length and a body: the sandboxes, the containers, then one
/// status after the other.
///
/// # Panics
///
/// When one of these promises is broken.
pub fn cri(mut data: &[u8]) {
    let (mut answers, mut node) = (Answers::new(), Node::new());
    let (mut rounds, mut is_first) = (0, true);
    while let [what, more, rest @ ..] = data
        && rounds < MAX_ROUNDS
    {
        rounds += 1;
        data = rest;
        let passed = what >> 3 & 15;
        answers.pass(Duration::from_secs(passed.into()));
        node.at += i64::from(passed);
        match what & 7 {
            0..=2 => {
                let sandboxes = piece(&mut data);
                let containers = piece(&mut data);
                let statuses: Vec<&[u8]> = (0..*more).map_while(|_| next(&mut data)).collect();
                if let Some(view) = view(&mut answers, sandboxes, containers, &statuses) {
                    if std::mem::take(&mut is_first) {
                        as_told(&view, sandboxes, containers, &statuses);
                    }
                    node.view(&view);
                    if what & 128 != 0 {
                        node.view_again(&view);
                    }
                }
            }
            3 => {
                answers.reconnect();
                node.lose();
            }
            4 => node.unchanged(),
            5 => node.put(*more),
            6 => node.remove(*more),
            _ => node.owner(*more),
        }
    }
    node.all_is_served();
}

/// Reads one round and compares it with what is listed.
fn view(
    answers: &mut Answers,
    sandboxes: &[u8],
    containers: &[u8],
    statuses: &[&[u8]],
) -> Option<RuntimeView> {
    let listed = runtime::ListPodSandboxResponse::decode(sandboxes)
        .ok()
        .zip(runtime::ListContainersResponse::decode(containers).ok());
    let view = answers.read(sandboxes, containers, statuses).ok();
    assert_eq!(view.is_some(), listed.is_some(), "both lists can be read");
    let (view, (sandboxes, containers)) = view.zip(listed)?;
    let ids = view.sandboxes.iter().map(|sandbox| sandbox.id.as_str());
    let listed = sandboxes.items.iter().map(|one| one.id.as_str());
    assert!(ids.eq(BTreeSet::from_iter(listed)), "{view:?}");
    let ids = view.containers.iter().map(|one| one.id.as_str());
    let listed = containers.containers.iter().map(|one| one.id.as_str());
    assert!(ids.eq(BTreeSet::from_iter(listed)), "{view:?}");
    Some(view)
}

/// In the first view each container is as its status says, or else as the list says; there it has
/// not ended, since nobody says how.
fn as_told(view: &RuntimeView, sandboxes: &[u8], containers: &[u8], statuses: &[&[u8]]) {
    let listed = runtime::ListContainersResponse::decode(containers).unwrap_or_default();
    let before = runtime::ListPodSandboxResponse::decode(sandboxes).unwrap_or_default();
    let before: BTreeSet<String> = before.items.into_iter().map(|one| one.id).collect();
    for (place, container) in view.containers.iter().enumerate() {
        let mut listed = listed.containers.iter().rev();
        let listed = listed.find(|one| one.id == container.id);
        let listed = listed.expect("all that is seen is listed");
        let status = statuses.get(before.len() + place).copied();
        let status = runtime::ContainerStatusResponse::decode(status.unwrap_or_default());
        let status = status.ok().and_then(|response| response.status);
        let status = status.filter(|status| status.id == container.id);
        let state = match status.as_ref().map_or(listed.state, |status| status.state) {
            0 => ContainerState::Created,
            1 => ContainerState::Running,
            2 if status.is_some() => ContainerState::Exited,
            _ => ContainerState::Unknown,
        };
        assert_eq!(container.state, state, "{container:?}");
        assert_eq!(container.sandbox_id, listed.pod_sandbox_id, "{container:?}");
        let exit_code = status.as_ref().map_or(0, |status| status.exit_code);
        assert_eq!(container.exit_code, exit_code, "{container:?}");
        let created_at = status.map_or(listed.created_at, |status| status.created_at);
        assert_eq!(container.created_at, created_at, "{container:?}");
    }
}

fn piece<'a>(data: &mut &'a [u8]) -> &'a [u8] {
    next(data).unwrap_or_default()
}

/// Takes off a length and as many bytes, or as many as there are.
fn next<'a>(data: &mut &'a [u8]) -> Option<&'a [u8]> {
    let [high, low, behind @ ..] = *data else {
        return None;
    };
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    let (piece, rest) = behind.split_at(length.min(behind.len()));
    *data = rest;
    Some(piece)
}

/// More add nothing but time.
const MAX_ROUNDS: usize = 24;
