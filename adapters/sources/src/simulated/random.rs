//! A random number generator of our own, so that a seed means the same history in every release.

/// `SplitMix64`: a counter that steps by a constant, hashed.
///
/// A library's generator may change between releases, and with it what a seed stands for; this one
/// cannot. Good enough to choose which pod restarts, and for nothing that must not be guessed.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// Begins the sequence that `seed` names.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number below `limit`, or zero when `limit` is zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let wide = u128::from(self.bits()) * limit as u128;
        // The upper half of a product of 64 bits and `limit` is below `limit`.
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// Returns true in `percent` of a hundred cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns one of `choices`, or `None` when there is none.
    pub(crate) fn choose<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let index = self.below(choices.len());
        choices.get(index)
    }

    /// Returns `digits` lower-case hexadecimal digits.
    pub(crate) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::with_capacity(digits + 16);
        while text.len() < digits {
            text.push_str(&format!("{:016x}", self.bits()));
        }
        text.truncate(digits);
        text
    }

    /// Returns `length` characters as Kubernetes makes names unique with: no vowels, so that no
    /// word can appear.
    pub(crate) fn suffix(&mut self, length: usize) -> String {
        const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
        (0..length)
            .filter_map(|_| self.choose(ALPHABET).map(|byte| char::from(*byte)))
            .collect()
    }

    /// Returns a UID in the form of a random UUID (version 4).
    pub(crate) fn uuid(&mut self) -> String {
        let hex = self.hex(30);
        let variant = char::from(*self.choose(b"89ab").unwrap_or(&b'8'));
        let (a, rest) = hex.split_at(8);
        let (b, rest) = rest.split_at(4);
        let (c, rest) = rest.split_at(3);
        let (d, e) = rest.split_at(3);
        format!("{a}-{b}-4{c}-{variant}{d}-{e}")
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn a_seed_stands_for_the_published_sequence() {
        // The first numbers of SplitMix64 from the seed 1234567, as its reference prints them.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.bits(), 6_457_827_717_110_365_317);
        assert_eq!(random.bits(), 3_203_168_211_198_807_973);
        assert_eq!(random.bits(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn numbers_below_a_limit_reach_all_of_them_and_no_other() {
        let mut random = Random::new(1);
        let mut seen = [0_u32; 7];
        for _ in 0..7_000 {
            seen[random.below(7)] += 1;
        }
        assert!(seen.iter().all(|count| (800..1_200).contains(count)));
        assert_eq!(random.below(0), 0);
        assert_eq!(random.choose::<u8>(&[]), None);
    }

    #[test]
    fn uids_have_the_form_of_a_uuid() {
        let uuid = Random::new(9).uuid();
        let lengths: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(b"89ab".contains(&uuid.as_bytes()[19]));
    }
}
