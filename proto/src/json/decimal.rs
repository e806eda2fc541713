//! Whole numbers of any length in decimal digits, for quantities that do not fit 64 bits.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A whole number that is not negative: its digits 0 to 9, the lowest first, without zeros on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal(Vec<u8>);

impl Decimal {
    /// Takes ASCII digits, the highest first; other bytes are left out.
    pub(crate) fn from_digits<'a>(digits: impl DoubleEndedIterator<Item = &'a u8>) -> Self {
        let mut number = Self(
            digits
                .rev()
                .filter(|digit| digit.is_ascii_digit())
                .map(|digit| digit - b'0')
                .collect(),
        );
        number.trim();
        number
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Multiplies by a factor of at most 2^60.
    pub(crate) fn multiply(&mut self, factor: u64) {
        let mut carry = 0_u128;
        for digit in &mut self.0 {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = lowest_digit(carry);
            carry /= 10;
        }
        while carry > 0 {
            self.0.push(lowest_digit(carry));
            carry /= 10;
        }
        self.trim();
    }

    /// Divides by 1024 when that leaves no rest; says whether it did.
    pub(crate) fn divide_by_1024(&mut self) -> bool {
        let mut rest = 0_u16;
        let mut quotient = Vec::with_capacity(self.0.len());
        for digit in self.0.iter().rev() {
            rest = rest * 10 + u16::from(*digit);
            quotient.push(lowest_digit(u128::from(rest / 1_024)));
            rest %= 1_024;
        }
        if rest != 0 || self.is_zero() {
            return false;
        }
        quotient.reverse();
        self.0 = quotient;
        self.trim();
        true
    }

    /// Divides by ten as often as that leaves no rest; returns how often.
    pub(crate) fn drop_trailing_zeros(&mut self) -> i64 {
        let zeros = self.0.iter().take_while(|digit| **digit == 0).count();
        self.0.drain(..zeros);
        i64::try_from(zeros).unwrap_or(i64::MAX)
    }

    /// Multiplies by a power of ten.
    pub(crate) fn append_zeros(&mut self, count: usize) {
        if !self.is_zero() {
            self.0.splice(..0, core::iter::repeat_n(0, count));
        }
    }

    /// Divides by a power of ten; a rest makes the result one larger.
    pub(crate) fn drop_digits_rounding_up(&mut self, count: i64) {
        let count = usize::try_from(count)
            .unwrap_or(usize::MAX)
            .min(self.0.len());
        let rest = self.0.drain(..count).any(|digit| digit != 0);
        if rest {
            self.add_one();
        }
        self.trim();
    }

    pub(crate) fn digit_count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn spell(&self) -> String {
        if self.is_zero() {
            return String::from("0");
        }
        self.0
            .iter()
            .rev()
            .map(|digit| char::from(b'0' + digit))
            .collect()
    }

    fn add_one(&mut self) {
        for digit in &mut self.0 {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.0.push(1);
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

fn lowest_digit(number: u128) -> u8 {
    u8::try_from(number % 10).expect("a rest of a division by ten is below ten")
}
