//! The known name that a mistyped one is nearest to.

use super::fields::quoted;

/// How many names an error lists.
const LISTED: usize = 12;

/// `write `close` (there are: close, open)`: the nearest name if one is near, and what
/// there is to choose from.
pub(super) fn write_instead<'a>(
    found: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> String {
    let mut list = known.clone().take(LISTED).collect::<Vec<_>>().join(", ");
    let more = known.clone().count().saturating_sub(LISTED);
    if more > 0 {
        list.push_str(&format!(" and {more} more"));
    }
    match nearest(found, known) {
        Some(name) => format!("write {} (there are: {list})", quoted(name)),
        None if list.is_empty() => "there is none to name".to_owned(),
        None => format!("write one of: {list}"),
    }
}

/// The known name within a third of the length in edits, the first of equals.
pub(super) fn nearest<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let found: Vec<char> = found.chars().take(super::MAX_NAME_BYTES + 1).collect();
    let fold = |c: &char| c.to_lowercase().next().unwrap_or(*c);
    let found: Vec<char> = found.iter().map(fold).collect();
    known
        .map(|name| {
            (
                edits(&found, &name.chars().map(|c| fold(&c)).collect::<Vec<_>>()),
                name,
            )
        })
        .filter(|(edits, name)| *edits <= name.chars().count().max(found.len()).div_ceil(3))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// Insertions, deletions, changes and swaps of neighbours from `a` to `b` (the
/// restricted Damerau-Levenshtein distance).
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            let change = above[j] + usize::from(x != y);
            row[j + 1] = change.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = || ["sma", "ema", "cross"].into_iter();
        assert_eq!(nearest("smaa", known()), Some("sma"));
        assert_eq!(nearest("CROSS", known()), Some("cross"));
        assert_eq!(nearest("corss", known()), Some("cross"));
        assert_eq!(nearest("macd", known()), None);
        assert_eq!(nearest("", known()), None);
    }
}
