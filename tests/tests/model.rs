//! The service does what the reference model says, whatever happens in whatever order.

use podsapi_tests::op::{Op, asks, ops, setups};
use podsapi_tests::run::Run;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_service_does_what_the_model_says(setup in setups(), ops in ops(60)) {
        let mut run = Run::new(setup);
        ops.iter().for_each(|op| run.step(op));
        run.finish();
    }

    #[test]
    fn a_ready_service_does_what_the_model_says(setup in setups(), ops in ops(120)) {
        let mut run = Run::new(setup);
        (0..3).for_each(|source| run.step(&Op::Replace(source, Vec::new())));
        ops.iter().filter(|op| !matches!(op, Op::Shutdown)).for_each(|op| run.step(op));
        run.finish();
        run.step(&Op::Shutdown);
        run.finish();
    }
    #[test]
    fn masked_watches_tell_the_masked_differences(
        setup in setups(),
        asks in asks(3),
        ops in ops(150),
    ) {
        let mut run = Run::new(setup);
        (0..3).for_each(|source| run.step(&Op::Replace(source, Vec::new())));
        asks.iter().for_each(|ask| run.step(&Op::Watch(*ask)));
        let other = |op: &&Op| matches!(op, Op::Watch(_) | Op::Cancel(_) | Op::Shutdown);
        ops.iter().filter(|op| !other(op)).for_each(|op| run.step(op));
        run.finish();
    }
}
