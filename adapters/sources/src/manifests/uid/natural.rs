//! Whole numbers of any length in words of 64 bits, as Go's `math/big` holds them.

/// A whole number that is not negative: its words, the lowest first, without zeros on top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Natural(Vec<u64>);

impl Natural {
    /// Takes ASCII digits, the highest first; other bytes are left out.
    pub(super) fn from_digits(digits: &str) -> Self {
        let mut number = Self::default();
        for digit in digits.bytes().filter(u8::is_ascii_digit) {
            number.multiply_and_add(10, u64::from(digit - b'0'));
        }
        number
    }

    pub(super) fn from_u64(number: u64) -> Self {
        Self(Vec::from_iter((number != 0).then_some(number)))
    }

    pub(super) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn multiply_and_add(&mut self, factor: u64, summand: u64) {
        let mut carry = u128::from(summand);
        for word in &mut self.0 {
            carry += u128::from(*word) * u128::from(factor);
            *word = low(carry);
            carry >>= 64;
        }
        if carry > 0 {
            self.0.push(low(carry));
        }
        self.trim();
    }

    /// Divides by ten; tells whether there is a rest.
    pub(super) fn divide_by_ten(&mut self) -> bool {
        let mut rest = 0_u128;
        for word in self.0.iter_mut().rev() {
            rest = (rest << 64) | u128::from(*word);
            *word = low(rest / 10);
            rest %= 10;
        }
        self.trim();
        rest != 0
    }

    pub(super) fn add(&mut self, other: &Self) {
        let mut carry = 0_u128;
        let length = self.0.len().max(other.0.len());
        self.0.resize(length, 0);
        let others = other.0.iter().copied().chain(std::iter::repeat(0));
        for (word, other) in self.0.iter_mut().zip(others) {
            carry += u128::from(*word) + u128::from(other);
            *word = low(carry);
            carry >>= 64;
        }
        if carry > 0 {
            self.0.push(low(carry));
        }
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

fn low(number: u128) -> u64 {
    u64::try_from(number & u128::from(u64::MAX)).expect("64 bits are left of it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_more_than_a_word_are_multiplied_divided_and_added() {
        let mut number = Natural::from_digits("36893488147419103232");
        assert_eq!(number.words(), [0, 2]);
        number.multiply_and_add(10, 7);
        assert_eq!(number, Natural::from_digits("368934881474191032327"));
        assert!(number.divide_by_ten());
        assert!(!Natural::from_digits("20").divide_by_ten());
        number.add(&Natural::from_u64(u64::MAX));
        assert_eq!(number.words(), [u64::MAX, 2]);
        number.add(&Natural::from_u64(1));
        assert_eq!(number.words(), [0, 3]);
        assert!(number > Natural::from_u64(u64::MAX));
        assert!(Natural::from_digits("000").is_zero());
    }
}
