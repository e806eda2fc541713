//! Maps whose order nobody sees, with a hash that only who knows its key can flood.

use core::hash::BuildHasher;

use siphasher::sip::SipHasher13;

/// A map without an order. What is told to anybody in an order has it from elsewhere.
pub(crate) type Map<K, V> = hashbrown::HashMap<K, V, Seed>;

/// The key of all hashes of one service.
/// It has no default but in tests: a map that is made without it would be one that anybody can flood.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(Default))]
pub(crate) struct Seed([u64; 2]);

impl Seed {
    pub(crate) const fn new(seed: [u64; 2]) -> Self {
        Self(seed)
    }

    /// Returns an empty map.
    pub(crate) fn map<K, V>(self) -> Map<K, V> {
        Map::with_hasher(self)
    }
}

impl BuildHasher for Seed {
    type Hasher = SipHasher13;

    fn build_hasher(&self) -> SipHasher13 {
        let [one, two] = self.0;
        SipHasher13::new_with_keys(one, two)
    }
}
