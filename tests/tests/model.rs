//! The service does what the reference model says, whatever happens in whatever order.

use podsapi_tests::op::{Op, ops, setups};
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
}
