//! What rounds cost, summed up.

/// The median of some rounds, with the least and the most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figure {
    /// As many rounds were below it as above.
    pub median: f64,
    /// The cheapest round.
    pub least: f64,
    /// The dearest round.
    pub most: f64,
}

impl Figure {
    /// Sums up rounds; zero when there were none.
    pub fn of(rounds: impl IntoIterator<Item = f64>) -> Self {
        let mut rounds: Vec<_> = rounds.into_iter().collect();
        rounds.sort_by(f64::total_cmp);
        let at = |index: usize| rounds.get(index).copied().unwrap_or_default();
        Self {
            median: (at(rounds.len() / 2) + at(rounds.len().saturating_sub(1) / 2)) / 2.0,
            least: at(0),
            most: at(rounds.len().saturating_sub(1)),
        }
    }
}

/// Returns the value that so many of a thousand are not above; zero when there are none.
pub fn quantile(values: &mut [f64], thousandths: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * thousandths).div_ceil(1_000).max(1);
    values.get(rank - 1).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        let figure = Figure::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!((figure.median, figure.least, figure.most), (2.5, 1.0, 4.0));
        assert_eq!(Figure::of([3.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(Figure::of([]), Figure::default());
    }

    #[test]
    fn a_quantile_is_one_of_the_values() {
        let mut values: Vec<_> = (1..=200_u8).rev().map(f64::from).collect();
        assert_eq!(quantile(&mut values, 990), 198.0);
        assert_eq!(quantile(&mut values, 1_000), 200.0);
        assert_eq!(quantile(&mut values, 0), 1.0);
        assert_eq!(quantile(&mut [], 500), 0.0);
    }
}
