//! Operations on the service, beside the reference model, from any bytes.

use podsapi_core::{Dialect, SlowWatch};

use crate::op::{Ask, MaskChoice, Op, PODS, PodChoice, ScopeChoice, Setup, StatusChoice};
use crate::run::Run;

/// Bytes of one operation. The length is fixed, so that a byte that changes, changes one operation.
const OP_BYTES: usize = 4;
/// More operations add nothing but time.
const MAX_OPS: usize = 256;
/// The choices of a mask from this one on, of 64, are wrong ones.
const WRONG: u8 = 61;

/// The service does what the model says, whatever happens in whatever order.
///
/// # Panics
///
/// When it does something else.
pub fn service(data: &[u8]) {
    let Some((setup, ops)) = data.split_first_chunk::<4>() else {
        return;
    };
    let mut run = Run::new(self::setup(*setup));
    for bytes in ops.chunks_exact(OP_BYTES).take(MAX_OPS) {
        if let [kind, a, b, c] = *bytes {
            run.step(&op(kind, a, b, c));
        }
    }
    run.finish();
}

fn setup([qps, burst, watch_buffer, flags]: [u8; 4]) -> Setup {
    Setup {
        qps: u32::from(qps % 4),
        burst: u32::from(burst % 3) + 1,
        fair_peers: u32::from(burst / 3 % 4),
        watch_buffer: u32::from(watch_buffer % 4) + 1,
        slow_watch: if flags & 1 == 0 {
            SlowWatch::End
        } else {
            SlowWatch::Coalesce
        },
        runtime: flags & 2 != 0,
        projection_masks: u32::from(flags >> 2 & 3) + 1,
        projection_bytes: u32::from(flags >> 4) * 256,
    }
}

fn op(kind: u8, a: u8, b: u8, c: u8) -> Op {
    let dialect = if a & 1 == 0 {
        Dialect::V1alpha1
    } else {
        Dialect::Documented
    };
    let scope = if a & 2 == 0 {
        ScopeChoice::All
    } else {
        ScopeChoice::OneNamespace
    };
    let ask = Ask {
        dialect,
        mask: asked(a >> 2),
        limit: mask(if c & 3 == 0 { c >> 2 } else { 0 }),
        scope,
        peer: a >> 5 & 3,
    };
    match kind % 16 {
        0 => Op::Begin(a),
        1..=3 => Op::Put(a, pod(b, c)),
        4 => Op::Status(a, b % PODS, status(c)),
        5 => Op::Remove(a, b % PODS),
        6 => Op::Complete(a),
        7 => Op::Lost(a),
        8 => Op::Replace(
            a,
            (0..c % 4)
                .map(|number| pod(b.wrapping_add(number), c))
                .collect(),
        ),
        9 => Op::List(ask),
        10 => Op::Get(ask, b % PODS),
        11 => Op::Watch(ask),
        12 => Op::Read(a, b % 8),
        13 => Op::Cancel(a),
        14 => Op::Wait(u16::from_be_bytes([b, c]) % 2_000),
        _ if c == 0xff => Op::Shutdown,
        _ => Op::Garbage(dialect),
    }
}

fn mask(choice: u8) -> MaskChoice {
    let masks = MaskChoice::RIGHT;
    masks[usize::from(choice) % masks.len()]
}

/// What a client asks for may be wrong too.
fn asked(choice: u8) -> MaskChoice {
    match choice {
        WRONG.. => MaskChoice::Wrong,
        right => mask(right),
    }
}

fn pod(choice: u8, version: u8) -> PodChoice {
    let pod = choice % PODS;
    let status = (version & 0x80 != 0).then(|| status(version >> 3));
    PodChoice {
        pod,
        namespace: (pod + choice / 128) % 2,
        version: version % 3,
        status,
    }
}

fn status(bits: u8) -> StatusChoice {
    let ready = (bits & 2 != 0).then_some(bits & 4 != 0);
    StatusChoice {
        running: bits & 1 != 0,
        ready,
    }
}
