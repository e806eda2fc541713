//! The protobuf wire format, as far as messages of Kubernetes use it.

use alloc::vec::Vec;

/// Groups that a message may open inside each other before they are taken for an attack.
const DEEPEST_GROUPS: usize = 100;

/// The payload of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload<'a> {
    Bytes(&'a [u8]),
    /// A fixed number or a group: nothing in the schema has one.
    Other,
    Varint(u64),
}

/// What is wrong with bytes that are no message.
pub(crate) type Malformed = &'static str;

/// The records of one message, in their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    pub(crate) fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    /// Returns the next record: its field number and its payload.
    pub(crate) fn next(&mut self) -> Result<Option<(u32, Payload<'a>)>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (number, wire_type) = self.tag()?;
        let payload = match wire_type {
            3 => {
                self.skip_group(number)?;
                Payload::Other
            }
            4 => return Err("the end of a group that did not begin"),
            _ => self.payload(wire_type)?,
        };
        Ok(Some((number, payload)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns what was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for (at, byte) in self.rest.iter().enumerate() {
            if at == 9 && *byte > 1 {
                return Err("a number beyond 64 bits");
            }
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte & 0x80 == 0 {
                self.rest = self.rest.get(at + 1..).unwrap_or_default();
                return Ok(value);
            }
        }
        Err("the bytes end inside a number")
    }

    fn tag(&mut self) -> Result<(u32, u64), Malformed> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3)
            .ok()
            .filter(|number| (1..1 << 29).contains(number))
            .ok_or("a field number out of range")?;
        Ok((number, tag & 7))
    }

    fn payload(&mut self, wire_type: u64) -> Result<Payload<'a>, Malformed> {
        match wire_type {
            0 => Ok(Payload::Varint(self.varint()?)),
            1 => self.take(8).map(|_| Payload::Other),
            2 => {
                let length = self.varint()?;
                Ok(Payload::Bytes(self.take(length)?))
            }
            5 => self.take(4).map(|_| Payload::Other),
            _ => Err("a wire type that does not exist"),
        }
    }

    fn take(&mut self, length: u64) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = usize::try_from(length)
            .ok()
            .and_then(|length| self.rest.split_at_checked(length))
            .ok_or("the bytes end inside a field")?;
        self.rest = rest;
        Ok(taken)
    }

    fn skip_group(&mut self, number: u32) -> Result<(), Malformed> {
        let mut open = Vec::from([number]);
        while !open.is_empty() {
            if self.rest.is_empty() {
                return Err("the bytes end inside a group");
            }
            match self.tag()? {
                (number, 3) if open.len() < DEEPEST_GROUPS => open.push(number),
                (_, 3) => return Err("groups nested deeper than 100 levels"),
                (number, 4) if open.last() == Some(&number) => {
                    open.pop();
                }
                (_, 4) => return Err("the end of another group than the one that began"),
                (_, wire_type) => {
                    self.payload(wire_type)?;
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn put_varint_field(out: &mut Vec<u8>, number: u32, value: u64) {
    put_varint(out, u64::from(number) << 3);
    put_varint(out, value);
}

pub(crate) fn put_bytes_field(out: &mut Vec<u8>, number: u32, payload: &[u8]) {
    put_varint(out, u64::from(number) << 3 | 2);
    let length = u64::try_from(payload.len()).expect("a length in memory fits 64 bits");
    put_varint(out, length);
    out.extend_from_slice(payload);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = (value & 0x7f).to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}
