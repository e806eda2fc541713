//! The name that a client most likely meant.

use podsapi_proto::schema::Message;

/// The most bytes of a name that is compared; the longest field name has 47.
const ROW: usize = 48;

/// Returns the name in `message`, its own or promoted, that is nearest to `wrong`.
///
/// At most a third of the letters may differ, and always one may. Upper and lower case are alike.
pub(super) fn name(message: Message, wrong: &str) -> Option<&'static str> {
    let limit = (wrong.len() / 3).max(1);
    names(message)
        .filter_map(|name| Some((distance(wrong.as_bytes(), name.as_bytes())?, name)))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// Returns the names that a path may have below `message`: those in its JSON form.
pub(super) fn names(message: Message) -> impl Iterator<Item = &'static str> {
    let promoted = message
        .fields()
        .filter(|field| field.is_hop())
        .filter_map(|hop| hop.message())
        .flat_map(Message::fields);
    message
        .fields()
        .filter(|field| !field.is_hop())
        .chain(promoted)
        .filter(|field| !field.is_tombstone())
        .map(|field| field.name())
}

/// Returns how many letters must be changed, added, removed or swapped with their neighbour to
/// make one name of the other; `None` when a name is too long to be one.
fn distance(one: &[u8], two: &[u8]) -> Option<usize> {
    if one.len() >= ROW || two.len() >= ROW {
        return None;
    }
    let mut before = [0_usize; ROW];
    let mut above = [0_usize; ROW];
    for (column, cell) in above.iter_mut().enumerate() {
        *cell = column;
    }
    let mut previous = None;
    for (row, a) in one.iter().map(u8::to_ascii_lowercase).enumerate() {
        let mut current = [0_usize; ROW];
        *current.first_mut()? = row + 1;
        let mut left = None;
        for (column, b) in two.iter().map(u8::to_ascii_lowercase).enumerate() {
            let changed = above.get(column)? + usize::from(a != b);
            let mut best = changed
                .min(above.get(column + 1)? + 1)
                .min(current.get(column)? + 1);
            if column > 0 && previous == Some(b) && left == Some(a) {
                best = best.min(before.get(column - 1)? + 1);
            }
            *current.get_mut(column + 1)? = best;
            left = Some(b);
        }
        before = above;
        above = current;
        previous = Some(a);
    }
    above.get(two.len()).copied()
}
