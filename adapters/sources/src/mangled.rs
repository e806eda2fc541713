//! Texts with faults made at random, for tests of what reads them.

use crate::simulated::random::Random;

/// Returns variants of `seeds` with up to three faults each: cut, added, lost and changed bytes.
pub(crate) fn variants(seeds: &[&str], count: usize) -> impl Iterator<Item = Vec<u8>> {
    let mut random = Random::new(4);
    (0..count).map(move |round| {
        let mut text = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..random.below(4) {
            if text.is_empty() {
                break;
            }
            let place = random.below(text.len());
            match random.below(4) {
                0 => text.truncate(place),
                1 => text.insert(place, *random.choose(MARKS).unwrap()),
                2 => {
                    text.remove(place);
                }
                _ => text[place] = u8::try_from(random.below(256)).unwrap(),
            }
        }
        text
    })
}

/// What means something to JSON or YAML.
const MARKS: &[u8] = b"{}[]:,-\"'&*!|>#%@ \n\t0~";
