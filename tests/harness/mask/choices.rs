//! A source of decisions: the bytes of a fuzzer or of proptest, or an endless stream from a seed.

/// Where a generator takes its decisions from.
///
/// Bytes that are used up decide 0, which every generator takes for the simplest thing to do; so
/// fewer and smaller bytes draw smaller things, as shrinking needs it.
#[derive(Clone, Debug)]
pub struct Choices<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Bytes(&'a [u8]),
    Seed(u64),
}

impl<'a> Choices<'a> {
    /// Returns the decisions that lie in bytes.
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        Self(Source::Bytes(bytes))
    }

    /// Returns the endless decisions of a seed; the same for the same seed.
    pub fn of_seed(seed: u64) -> Self {
        Self(Source::Seed(seed))
    }

    /// Decides for a number below `count`, or 0 when there is none.
    pub fn below(&mut self, count: usize) -> usize {
        let wide = count > 256;
        let drawn = match &mut self.0 {
            Source::Seed(state) => splitmix(state),
            Source::Bytes(bytes) => {
                let taken = bytes.len().min(1 + usize::from(wide));
                let (first, rest) = bytes.split_at(taken);
                *bytes = rest;
                first
                    .iter()
                    .fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
        };
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let chosen = drawn.checked_rem(count).unwrap_or_default();
        usize::try_from(chosen).unwrap_or_default()
    }

    /// Decides for yes once in `count` times; never when decisions have run out.
    pub fn once_in(&mut self, count: usize) -> bool {
        count > 0 && self.below(count) == count - 1
    }

    /// Decides for one of `items`.
    ///
    /// # Panics
    ///
    /// When there is none.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }

    /// Decides for a byte.
    pub fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap_or_default()
    }
}

/// Vigna's generator: every state gives a number that looks random, and the next state.
fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut number = *state;
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
