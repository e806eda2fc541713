//! What can happen between a node and its API server, in any order.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;

/// One thing that happens; each can happen at any time.
#[derive(Clone, Debug)]
pub(super) enum Op {
    /// A pod is made in this place, or changes.
    Put {
        place: u8,
        form: Form,
    },
    /// The pod in this place goes.
    Delete {
        place: u8,
    },
    /// The server forgets its history.
    Compact,
    /// The server's memory is so far behind its store.
    Lag(u64),
    /// The server speaks so from now on.
    Speak {
        json: bool,
        strict: bool,
    },
    /// Pages have so many pods.
    Page(usize),
    /// So many bytes arrive, in pieces of so many.
    Arrive {
        bytes: usize,
        piece: usize,
    },
    /// All arrives that is under way.
    ArriveAll,
    Bookmark,
    /// The last event is told again, as to a watch of an older version.
    Repeat,
    /// The connection breaks.
    Break,
    /// The connection stays open and carries nothing any more.
    Mute,
    /// The source is given another server, which has none of the pods.
    Replace,
    /// A watch ends in its time.
    End,
    /// A watch ends with an error.
    Error(u16),
    /// The next request is refused.
    Refuse(u16),
    /// The next request finds nobody.
    Away,
    /// Seconds pass.
    Wait(u64),
}

/// How a pod is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Good,
    /// With bytes that are those of no pod.
    Broken,
    /// Larger than is served.
    Large,
    /// On another node.
    Moved,
}

fn op() -> impl Strategy<Value = Op> {
    let form = prop_oneof![
        8 => Just(Form::Good),
        1 => Just(Form::Broken),
        1 => Just(Form::Large),
        1 => Just(Form::Moved),
    ];
    prop_oneof![
        6 => (0..6_u8, form).prop_map(|(place, form)| Op::Put { place, form }),
        4 => (0..6_u8).prop_map(|place| Op::Delete { place }),
        2 => Just(Op::Compact),
        1 => (0..5_u64).prop_map(Op::Lag),
        1 => (any::<bool>(), any::<bool>()).prop_map(|(json, strict)| Op::Speak { json, strict }),
        1 => (1..4_usize).prop_map(Op::Page),
        4 => (1..400_usize, 1..40_usize).prop_map(|(bytes, piece)| Op::Arrive { bytes, piece }),
        8 => Just(Op::ArriveAll),
        2 => Just(Op::Bookmark),
        2 => Just(Op::Repeat),
        2 => Just(Op::Break),
        2 => Just(Op::Mute),
        1 => Just(Op::Replace),
        2 => Just(Op::End),
        1 => select(vec![410, 429, 500, 504]).prop_map(Op::Error),
        1 => select(vec![302, 400, 401, 403, 404, 410, 429, 500, 503, 504]).prop_map(Op::Refuse),
        1 => Just(Op::Away),
        3 => (0..700_u64).prop_map(Op::Wait),
    ]
}

/// A history of a node.
pub(super) fn history() -> impl Strategy<Value = Vec<Op>> {
    vec(op(), 0..60)
}
