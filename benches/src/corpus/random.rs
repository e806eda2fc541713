//! The random numbers of the corpus: a generator of our own, so that the corpus stays the same.

/// `SplitMix64`, which a library may not change under us.
#[derive(Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// Begins the sequence that `seed` names.
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `limit`, or zero when `limit` is zero.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.bits().checked_rem(limit).unwrap_or(0)
    }

    /// Returns one of `choices`, or the empty text when there is none.
    pub(super) fn choose<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        let index = self.below(choices.len() as u64);
        usize::try_from(index)
            .ok()
            .and_then(|index| choices.get(index).copied())
            .unwrap_or_default()
    }

    /// Returns so many lower-case hexadecimal digits.
    pub(super) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.bits()));
        }
        text.truncate(digits);
        text
    }

    /// Returns a random UUID.
    pub(super) fn uuid(&mut self) -> String {
        let digits = self.hex(32);
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        format!(
            "{}-{}-4{}-a{}-{}",
            part(0, 8),
            part(8, 12),
            part(13, 16),
            part(17, 20),
            part(20, 32)
        )
    }
}
