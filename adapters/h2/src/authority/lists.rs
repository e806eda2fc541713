//! How large the header lists are that a client's blocks stand for.
//!
//! A block of a few bytes can stand for kilobytes of fields that an earlier block brought, so the
//! dynamic table of the connection is followed here: not its texts, only their lengths.

use super::alloc::collections::VecDeque;

use super::hpack::{Reader, Representation, representation};

/// What a field takes beside its name and value (RFC 7541 section 4.1).
const OVERHEAD_BYTES: usize = 32;
/// Bytes of the dynamic table at first (RFC 9113 section 6.5.2), which this server does not raise.
const MAX_TABLE_BYTES: usize = 4_096;

/// The lengths of what stands in the dynamic table of a connection.
#[derive(Debug)]
pub(super) struct Lists {
    /// Lengths of name and value of each entry, the newest first.
    entries: VecDeque<(u16, u16)>,
    bytes: usize,
    max_bytes: usize,
}

impl Lists {
    /// Returns the table of a connection on which nothing was sent.
    pub(super) const fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            max_bytes: MAX_TABLE_BYTES,
        }
    }

    /// Returns the size of the header list of the next block, and follows what it does to the table.
    ///
    /// What is malformed, or names what is not there, is the end of the connection inside h2; so
    /// what was read before it is all that counts.
    pub(super) fn measure(&mut self, block: &[u8]) -> usize {
        let mut size = 0;
        let mut reader = Reader::new(block);
        while let Some(field) = self.next(&mut reader) {
            size += field;
        }
        size
    }

    /// Reads the next field, and returns its size; none at the end.
    fn next(&mut self, reader: &mut Reader<'_>) -> Option<usize> {
        loop {
            let (name, value, kept) = match representation(reader.peek()?) {
                Representation::Indexed => {
                    let (name, value) = self.get(reader.integer(7)?)?;
                    (name, value, false)
                }
                Representation::Literal { prefix_bits, kept } => {
                    let name = match reader.integer(prefix_bits)? {
                        0 => reader.text()?.decoded_len()?,
                        index => self.get(index)?.0,
                    };
                    (name, reader.text()?.decoded_len()?, kept)
                }
                Representation::SizeUpdate => {
                    // A size beyond what was allowed ends the connection inside h2.
                    self.max_bytes = reader.integer(5)?.min(MAX_TABLE_BYTES);
                    self.evict(0);
                    continue;
                }
            };
            let size = name + value + OVERHEAD_BYTES;
            if kept {
                self.evict(size);
                if size <= self.max_bytes
                    && let (Ok(name), Ok(value)) = (name.try_into(), value.try_into())
                {
                    self.entries.push_front((name, value));
                    self.bytes += size;
                }
            }
            return Some(size);
        }
    }

    /// Makes room for an entry; one that is larger than the table leaves it empty.
    fn evict(&mut self, size: usize) {
        while self.bytes + size > self.max_bytes
            && let Some((name, value)) = self.entries.pop_back()
        {
            self.bytes -= usize::from(name) + usize::from(value) + OVERHEAD_BYTES;
        }
    }

    /// Returns the lengths of the entry of this number.
    fn get(&self, index: usize) -> Option<(usize, usize)> {
        let at = index.checked_sub(1)?;
        let (name, value) = match at.checked_sub(STATIC.len()) {
            Some(at) => *self.entries.get(at)?,
            None => STATIC
                .get(at)
                .map(|&(name, value)| (name.into(), value.into()))?,
        };
        Some((name.into(), value.into()))
    }
}

/// The lengths of name and value of each entry of the static table (RFC 7541 appendix A).
static STATIC: [(u8, u8); 61] = [
    (10, 0),
    (7, 3),
    (7, 4),
    (5, 1),
    (5, 11),
    (7, 4),
    (7, 5),
    (7, 3),
    (7, 3),
    (7, 3),
    (7, 3), //
    (7, 3),
    (7, 3),
    (7, 3),
    (14, 0),
    (15, 13),
    (15, 0),
    (13, 0),
    (6, 0),
    (27, 0),
    (3, 0), //
    (5, 0),
    (13, 0),
    (13, 0),
    (19, 0),
    (16, 0),
    (16, 0),
    (14, 0),
    (16, 0),
    (13, 0),
    (12, 0), //
    (6, 0),
    (4, 0),
    (4, 0),
    (6, 0),
    (7, 0),
    (4, 0),
    (4, 0),
    (8, 0),
    (17, 0),
    (13, 0),
    (8, 0), //
    (19, 0),
    (13, 0),
    (4, 0),
    (8, 0),
    (12, 0),
    (18, 0),
    (19, 0),
    (5, 0),
    (7, 0),
    (7, 0), //
    (11, 0),
    (6, 0),
    (10, 0),
    (25, 0),
    (17, 0),
    (10, 0),
    (4, 0),
    (3, 0),
    (16, 0),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::client_bytes::{literal, string};
    use super::*;

    /// One step of a block.
    #[derive(Clone, Debug)]
    enum Field {
        /// How it stands there, which name, and two texts with how they are spelled.
        Literal(u8, u8, (Vec<u8>, bool), (Vec<u8>, bool)),
        Indexed(u8),
        Resize(u16),
    }

    fn text() -> impl Strategy<Value = (Vec<u8>, bool)> {
        let short = prop::collection::vec(any::<u8>(), 0..40);
        let long = (any::<u8>(), 0..5_000_usize).prop_map(|(byte, length)| vec![byte; length]);
        (prop_oneof![4 => short, 1 => long], any::<bool>())
    }

    fn field() -> impl Strategy<Value = Field> {
        let kinds = prop::sample::select(vec![0x40_u8, 0x00, 0x10]);
        prop_oneof![
            4 => (kinds, 0..70_u8, text(), text())
                .prop_map(|(kind, index, name, value)| Field::Literal(kind, index, name, value)),
            4 => (1..80_u8).prop_map(Field::Indexed),
            1 => (0..=4_096_u16).prop_map(Field::Resize),
        ]
    }

    /// Appends an integer of the low bits of a byte.
    fn put(first: u8, bits: u32, mut value: usize, block: &mut Vec<u8>) {
        let most = (1 << bits) - 1;
        if value < most {
            return block.push(first | value as u8);
        }
        block.push(first | most as u8);
        value -= most;
        while value >= 0x80 {
            block.push(value as u8 | 0x80);
            value >>= 7;
        }
        block.push(value as u8);
    }

    /// Returns the block of those fields that are good at their place: of a table with so many
    /// entries, and with sizes at the beginning only.
    fn block(fields: &[Field], entries: usize) -> Vec<u8> {
        let mut block = Vec::new();
        for (place, field) in fields.iter().enumerate() {
            match field {
                Field::Resize(size) if place == 0 => {
                    put(0x20, 5, usize::from(*size), &mut block);
                    // What the table has now is seen by the next block.
                    block.push(0x82);
                    return block;
                }
                Field::Indexed(index) if usize::from(*index) <= STATIC.len() + entries => {
                    put(0x80, 7, usize::from(*index), &mut block);
                }
                Field::Literal(kind, index, name, value) => {
                    let bits = if *kind == 0x40 { 6 } else { 4 };
                    if usize::from(*index) > STATIC.len() + entries {
                        continue;
                    }
                    put(*kind, bits, usize::from(*index), &mut block);
                    if *index == 0 {
                        block.extend(string(&name.0, name.1));
                    }
                    block.extend(string(&value.0, value.1));
                    if *kind == 0x40 {
                        // It may have dropped any of the others.
                        return block;
                    }
                }
                Field::Resize(_) | Field::Indexed(_) => {}
            }
        }
        block
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sizes_are_those_that_another_decoder_finds(
            blocks in prop::collection::vec(prop::collection::vec(field(), 1..8), 1..20),
        ) {
            let mut lists = Lists::new();
            let mut decoder = fluke_hpack::Decoder::new();
            for fields in blocks {
                let block = block(&fields, lists.entries.len());
                let expected: usize = decoder
                    .decode(&block)
                    .unwrap()
                    .iter()
                    .map(|(name, value)| name.len() + value.len() + OVERHEAD_BYTES)
                    .sum();
                prop_assert_eq!(lists.measure(&block), expected, "{:02x?}", block);
                prop_assert!(lists.bytes <= lists.max_bytes);
            }
        }
    }

    #[test]
    fn what_is_malformed_counts_as_far_as_it_goes() {
        let mut lists = Lists::new();
        let field = literal(0x44, b"/x", false);
        for tail in [
            &[0xbf][..],
            &[0x80],
            &[0x00, 0x05, b'a'],
            &[0x44, 0x81, 0x00],
        ] {
            let block = [&field[..], tail, &field].concat();
            assert_eq!(lists.measure(&block), 5 + 2 + 32, "{tail:02x?}");
        }
    }
}
