//! Finds the authority in an encoded header block and replaces what the parser would refuse.

use super::huffman;

/// The static table's entry for the authority with an empty value (RFC 7541 appendix A).
const AUTHORITY_INDEX: usize = 1;
/// The name, for a client that spells it out.
const AUTHORITY: &[u8] = b":authority";
/// The same in Huffman code. A string has exactly one well-formed encoding.
const AUTHORITY_HUFFMAN: &[u8] = &[0xb8, 0x3b, 0x53, 0x39, 0xec, 0x32, 0x7d, 0x7f];

/// Bytes of the longest integer that h2 takes; a longer one ends the connection there.
const MAX_INTEGER_BYTES: usize = 5;

/// How a field stands in a block.
pub(super) enum Representation {
    /// Name and value by number.
    Indexed,
    /// Name by number or spelled out, value spelled out; enters the dynamic table when `kept`.
    Literal { prefix_bits: u32, kept: bool },
    /// A new size of the dynamic table.
    SizeUpdate,
}

/// A string as it stands in the block.
pub(super) struct Text<'a> {
    huffman: bool,
    bytes: &'a [u8],
}

/// What to do about one field.
enum Verdict {
    Keep,
    Drop,
    Replace(Vec<u8>),
}

/// Returns `block` with an authority that h2 accepts, or `None` when there is nothing to change:
/// the authority is good, absent, out of reach, or the block malformed, which h2 judges better.
///
/// The result is never longer than `block`, and each field that enters the dynamic table keeps its
/// decoded length, so that the client's table and h2's evict the same entries.
pub(super) fn rewrite(block: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(block);
    let mut rewritten: Option<Vec<u8>> = None;
    let (mut copied, mut fields) = (0, 0_usize);
    while let Some(first) = reader.peek() {
        let start = reader.at;
        let (verdict, value_at) = match representation(first) {
            Representation::Indexed => {
                let index = reader.integer(7)?;
                let empty = index == AUTHORITY_INDEX;
                (if empty { Verdict::Drop } else { Verdict::Keep }, start)
            }
            Representation::Literal { prefix_bits, kept } => {
                let index = reader.integer(prefix_bits)?;
                let named = if index == 0 {
                    reader.text()?.is_authority()
                } else {
                    index == AUTHORITY_INDEX
                };
                let value_at = reader.at;
                let value = reader.text()?;
                (
                    if named {
                        judge(&value, kept)?
                    } else {
                        Verdict::Keep
                    },
                    value_at,
                )
            }
            // A size update after a field is an error, which dropping that field would hide.
            Representation::SizeUpdate if fields > 0 => return None,
            Representation::SizeUpdate => {
                reader.integer(5)?;
                continue;
            }
        };
        fields += 1;
        let (until, value) = match verdict {
            Verdict::Keep => continue,
            Verdict::Drop => (start, Vec::new()),
            Verdict::Replace(value) => (value_at, value),
        };
        let output = rewritten.get_or_insert_with(|| Vec::with_capacity(block.len()));
        output.extend_from_slice(block.get(copied..until)?);
        output.extend_from_slice(&value);
        copied = reader.at;
    }
    if let Some(output) = &mut rewritten {
        output.extend_from_slice(block.get(copied..)?);
    }
    rewritten
}

/// Returns whether `byte` stays as it is when a value is replaced: the unreserved characters of
/// RFC 3986, which are good anywhere in an authority.
pub(super) fn is_kept(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'-')
}

/// Decides about one authority; `None` when its string is malformed.
///
/// An empty value that enters the dynamic table has to stay: no other field has its length there.
fn judge(value: &Text<'_>, kept: bool) -> Option<Verdict> {
    if value.bytes.is_empty() {
        return Some(if kept { Verdict::Keep } else { Verdict::Drop });
    }
    let mut text = Vec::new();
    if value.huffman {
        huffman::decode(value.bytes, &mut text)?;
    } else {
        text.extend_from_slice(value.bytes);
    }
    if text.iter().copied().all(is_kept) || http::uri::Authority::try_from(text.as_slice()).is_ok()
    {
        return Some(Verdict::Keep);
    }
    for byte in text.iter_mut().filter(|byte| !is_kept(**byte)) {
        *byte = b'-';
    }
    let mut string = Vec::with_capacity(MAX_INTEGER_BYTES + text.len());
    if value.huffman {
        let mut encoded = Vec::with_capacity(value.bytes.len());
        huffman::encode(&text, &mut encoded);
        write_length(0x80, encoded.len(), &mut string);
        string.extend_from_slice(&encoded);
    } else {
        write_length(0, text.len(), &mut string);
        string.extend_from_slice(&text);
    }
    Some(Verdict::Replace(string))
}

/// Appends the length of a string: 7 bits beside the Huffman `flag`, then groups of 7.
pub(super) fn write_length(flag: u8, length: usize, output: &mut Vec<u8>) {
    match u8::try_from(length) {
        Ok(short) if short < 0x7f => output.push(flag | short),
        Ok(_) | Err(_) => {
            output.push(flag | 0x7f);
            let mut rest = length.saturating_sub(0x7f);
            loop {
                let [low, ..] = rest.to_le_bytes();
                rest >>= 7;
                if rest == 0 {
                    output.push(low & 0x7f);
                    break;
                }
                output.push(low | 0x80);
            }
        }
    }
}

/// Returns how the field that begins with this byte stands there.
pub(super) fn representation(first: u8) -> Representation {
    match first {
        0x80.. => Representation::Indexed,
        0x40..0x80 => Representation::Literal {
            prefix_bits: 6,
            kept: true,
        },
        0x20..0x40 => Representation::SizeUpdate,
        ..0x20 => Representation::Literal {
            prefix_bits: 4,
            kept: false,
        },
    }
}

impl Text<'_> {
    /// Returns the length of what the string stands for; `None` when it is malformed.
    pub(super) fn decoded_len(&self) -> Option<usize> {
        if self.huffman {
            huffman::decoded_len(self.bytes)
        } else {
            Some(self.bytes.len())
        }
    }

    fn is_authority(&self) -> bool {
        self.bytes
            == if self.huffman {
                AUTHORITY_HUFFMAN
            } else {
                AUTHORITY
            }
    }
}

/// Walks a block; each step is `None` where the block ends early or is malformed.
pub(super) struct Reader<'a> {
    block: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Returns a reader at the beginning of a block.
    pub(super) const fn new(block: &'a [u8]) -> Self {
        Self { block, at: 0 }
    }

    /// Returns the next byte, and stays before it.
    pub(super) fn peek(&self) -> Option<u8> {
        self.block.get(self.at).copied()
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    /// Reads an integer that starts in the low `prefix_bits` of the next byte.
    pub(super) fn integer(&mut self, prefix_bits: u32) -> Option<usize> {
        let mask = (1_u8 << prefix_bits) - 1;
        let mut value = usize::from(self.byte()? & mask);
        if value < usize::from(mask) {
            return Some(value);
        }
        for group in 0..MAX_INTEGER_BYTES - 1 {
            let byte = self.byte()?;
            value += usize::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// Reads a string.
    pub(super) fn text(&mut self) -> Option<Text<'a>> {
        let huffman = self.peek()? & 0x80 != 0;
        let length = self.integer(7)?;
        let bytes = self.block.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(Text { huffman, bytes })
    }
}
