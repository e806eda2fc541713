//! The known word that an unknown one was probably meant to be.

/// Returns the word nearest to `word`, when it is near enough to be a slip.
pub(super) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // `max_connections` for `max-connections` is the likeliest slip of all.
    let word = word.to_lowercase().replace('_', "-");
    let near = known.map(|candidate| (distance(&word, candidate), candidate));
    let (changes, found) = near.min_by_key(|(changes, _)| *changes)?;
    (changes <= 1 + found.len() / 4).then_some(found)
}

/// Counts the letters to insert, delete or replace to make one word of the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (position, letter) in from.chars().enumerate() {
        let mut next = vec![position + 1];
        for (column, other) in to.iter().enumerate() {
            let replaced =
                row.get(column).copied().unwrap_or_default() + usize::from(letter != *other);
            let deleted = row.get(column + 1).copied().unwrap_or_default() + 1;
            let inserted = next.last().copied().unwrap_or_default() + 1;
            next.push(replaced.min(deleted).min(inserted));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let known = || ["socket", "socket-mode", "max-connections", "qps"].into_iter();
        assert_eq!(nearest("sockets", known()), Some("socket"));
        assert_eq!(nearest("max_connections", known()), Some("max-connections"));
        assert_eq!(nearest("qbs", known()), Some("qps"));
        assert_eq!(nearest("colour", known()), None);
    }

    #[test]
    fn distances_count_single_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
