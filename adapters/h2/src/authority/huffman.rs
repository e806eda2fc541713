//! The Huffman code of HPACK: strings to bits and back.

/// Bits of the code of each byte, and last of the end-of-string mark (RFC 7541 appendix B).
///
/// The code is canonical: codes of one length are consecutive, in the order of the symbols, and
/// follow those of the shorter lengths. So the lengths say everything.
const LENGTHS: [u8; SYMBOLS] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, //
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28, //
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, //
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10, //
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, //
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, //
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, //
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, //
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, //
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, //
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, //
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, //
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, //
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, //
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, //
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, //
    30,
];

/// The 256 bytes and the end-of-string mark.
const SYMBOLS: usize = 257;
/// The longest code, in bits.
const LONGEST: usize = 30;
/// Bits of the padding of a last byte must be fewer than a byte (RFC 7541 section 5.2).
const MOST_PADDING: u32 = 7;

/// Codes of one length: the first of them, how many, and where their symbols stand in `SORTED`.
#[derive(Clone, Copy)]
struct Row {
    first: u32,
    count: u32,
    offset: usize,
}

/// The codes by symbol, the rows by length and the symbols in the order of their codes.
const CODE: ([u32; SYMBOLS], [Row; LONGEST + 1], [u16; SYMBOLS]) = derive();
static CODES: [u32; SYMBOLS] = CODE.0;
static ROWS: [Row; LONGEST + 1] = CODE.1;
static SORTED: [u16; SYMBOLS] = CODE.2;

/// Derives the canonical code from the lengths.
#[expect(
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "runs at compile time only, where an index out of range does not compile; 257 fits u16"
)]
const fn derive() -> ([u32; SYMBOLS], [Row; LONGEST + 1], [u16; SYMBOLS]) {
    let mut codes = [0; SYMBOLS];
    let mut rows = [Row {
        first: 0,
        count: 0,
        offset: 0,
    }; LONGEST + 1];
    let mut sorted = [0; SYMBOLS];
    let (mut code, mut placed, mut length) = (0, 0, 1);
    while length <= LONGEST {
        code <<= 1;
        rows[length] = Row {
            first: code,
            count: 0,
            offset: placed,
        };
        let mut symbol = 0;
        while symbol < SYMBOLS {
            if LENGTHS[symbol] as usize == length {
                codes[symbol] = code;
                sorted[placed] = symbol as u16;
                rows[length].count += 1;
                code += 1;
                placed += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    (codes, rows, sorted)
}

/// Appends the text that `encoded` stands for; `None` when it is not a well-formed string.
pub(super) fn decode(encoded: &[u8], text: &mut Vec<u8>) -> Option<()> {
    each_byte(encoded, |byte| text.push(byte))
}

/// Returns the length of the text that `encoded` stands for; `None` when it is not a well-formed
/// string.
pub(super) fn decoded_len(encoded: &[u8]) -> Option<usize> {
    let mut length = 0;
    each_byte(encoded, |_| length += 1).map(|()| length)
}

/// Hands over the bytes that `encoded` stands for; `None` when it is not a well-formed string.
fn each_byte(encoded: &[u8], mut take: impl FnMut(u8)) -> Option<()> {
    let (mut code, mut bits) = (0_u32, 0_u32);
    for byte in encoded {
        for shift in (0..8).rev() {
            code = (code << 1) | u32::from((byte >> shift) & 1);
            bits += 1;
            let row = ROWS.get(usize::try_from(bits).ok()?)?;
            // A code below the first of its length is a prefix of a longer one only when the
            // shorter rows did not match, which the loop has already seen.
            let Some(at) = code.checked_sub(row.first).filter(|at| *at < row.count) else {
                continue;
            };
            let symbol = SORTED.get(row.offset + usize::try_from(at).ok()?)?;
            // The end-of-string mark inside a string is an error; it alone is not a byte.
            take(u8::try_from(*symbol).ok()?);
            (code, bits) = (0, 0);
        }
    }
    (bits <= MOST_PADDING && code == (1 << bits) - 1).then_some(())
}

/// Appends the code of `text`, padded with ones to a whole byte.
pub(super) fn encode(text: &[u8], encoded: &mut Vec<u8>) {
    let (mut pending, mut bits) = (0_u64, 0_u8);
    for byte in text {
        let symbol = usize::from(*byte);
        let (Some(code), Some(length)) = (CODES.get(symbol), LENGTHS.get(symbol)) else {
            continue;
        };
        pending = (pending << length) | u64::from(*code);
        bits += length;
        while bits >= 8 {
            bits -= 8;
            encoded.push(low_byte(pending >> bits));
        }
    }
    if bits > 0 {
        let padding = 8 - bits;
        encoded.push(low_byte((pending << padding) | ((1 << padding) - 1)));
    }
}

/// Returns the last eight bits.
fn low_byte(bits: u64) -> u8 {
    let [.., last] = bits.to_be_bytes();
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_make_a_complete_code() {
        // The last code has only ones, and is the end-of-string mark.
        assert_eq!(CODES.last(), Some(&0x3fff_ffff));
        // Three codes as the RFC prints them.
        assert_eq!(CODES[usize::from(b'0')], 0);
        assert_eq!(CODES[usize::from(b'-')], 0x16);
        assert_eq!(CODES[255], 0x03ff_ffee);
    }

    #[test]
    fn the_strings_of_the_rfc_are_encoded_as_printed_there() {
        let cases: [(&[u8], &[u8]); 3] = [
            (
                b"www.example.com",
                &[
                    0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
                ],
            ),
            (b"no-cache", &[0xa8, 0xeb, 0x10, 0x64, 0x9c, 0xbf]),
            (
                b"custom-value",
                &[0x25, 0xa8, 0x49, 0xe9, 0x5b, 0xb8, 0xe8, 0xb4, 0xbf],
            ),
        ];
        for (text, expected) in cases {
            let mut encoded = Vec::new();
            encode(text, &mut encoded);
            assert_eq!(encoded, expected);
            let mut decoded = Vec::new();
            assert_eq!(decode(&encoded, &mut decoded), Some(()));
            assert_eq!(decoded, text);
        }
    }

    #[test]
    fn every_byte_comes_back() {
        let text: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
        let (mut encoded, mut decoded) = (Vec::new(), Vec::new());
        encode(&text, &mut encoded);
        assert_eq!(decode(&encoded, &mut decoded), Some(()));
        assert_eq!(decoded, text);
    }

    #[test]
    fn wrong_padding_and_the_end_mark_are_refused() {
        for bad in [
            &[0xff][..],
            &[0x00],
            &[0xff, 0xff, 0xff, 0xff],
            &[0xa8, 0xff, 0xff],
            &[0x07, 0xfe],
        ] {
            assert_eq!(decode(bad, &mut Vec::new()), None, "{bad:02x?}");
        }
    }

    #[test]
    fn no_byte_that_is_replaced_has_a_shorter_code_than_the_hyphen() {
        let hyphen = LENGTHS[usize::from(b'-')];
        for byte in (0..=255_u8).filter(|byte| !super::super::hpack::is_kept(*byte)) {
            assert!(LENGTHS[usize::from(byte)] >= hyphen, "{byte:#x}");
        }
    }
}
