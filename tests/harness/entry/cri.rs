//! The answers of a container runtime, as any bytes.

use std::time::Duration;

use podsapi_proto::cri as runtime;
use podsapi_proto::text::decode;
use podsapi_sources::cri::Answers;
use podsapi_sources::view::RuntimeView;

use node::Node;
use told::Told;

mod node;
mod told;

/// Whatever a runtime answers, round after round, with losses between: a view has each thing once
/// and in order, as a status told it, and statuses follow from it that every client can decode,
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
    let (mut rounds, mut told) = (0, Told::default());
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
                    told.check(&view, &statuses);
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
    let listed = decode::<runtime::ListPodSandboxResponse>(sandboxes)
        .ok()
        .zip(decode::<runtime::ListContainersResponse>(containers).ok());
    let view = answers.read(sandboxes, containers, statuses).ok();
    assert!(view.is_some() || listed.is_none(), "both lists can be read");
    let view = view?;
    let ids = view.sandboxes.iter().map(|sandbox| &sandbox.id);
    assert!(ids.is_sorted_by(|one, next| one < next), "{view:?}");
    let ids = view.containers.iter().map(|one| &one.id);
    assert!(ids.is_sorted_by(|one, next| one < next), "{view:?}");
    Some(view)
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
