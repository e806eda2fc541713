//! The rules of projection on drawn pods and masks.

use podsapi_tests::mask::{self, Choices};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn what_a_mask_leaves_follows_every_rule(decisions in prop::collection::vec(any::<u8>(), 0..600)) {
        mask::project(&mut Choices::of_bytes(&decisions));
    }

    #[test]
    fn a_difference_is_seen_as_if_both_pods_were_projected(
        decisions in prop::collection::vec(any::<u8>(), 0..900),
    ) {
        mask::differs(&mut Choices::of_bytes(&decisions));
    }
}

#[test]
fn the_rules_hold_for_the_first_seeds() {
    for seed in 0..2_000 {
        mask::project(&mut Choices::of_seed(seed));
        mask::differs(&mut Choices::of_seed(seed));
    }
}
