//! Counting up to a limit, in a time that the limit bounds and not the text.

use crate::seam;

/// The bytes that are counted between two looks at the limit.
const STRIDE: usize = 8 * 1024;

/// The tokens of `text` by `count`, or `None` if there are more than `limit`. `count` must be
/// exact in one of the two vocabularies.
///
/// It is not asked to count more than 128 bytes a token of the limit, nor, above the limit, to go
/// on for longer than a stride and the unbroken run at its end.
pub(crate) fn count_up_to(
    text: &str,
    limit: usize,
    count: impl Fn(&str) -> usize,
) -> Option<usize> {
    let mut rest = text;
    let mut weight = seam::weight_up_to(chunks(text), limit)?;
    let mut tokens = 0;
    loop {
        if tokens + seam::least_of_weight(weight) > limit {
            return None;
        }
        let (part, tail) = rest.split_at(next_cut(rest));
        tokens += count(part);
        if tokens > limit {
            return None;
        }
        if tail.is_empty() {
            return Some(tokens);
        }
        weight -= seam::weight(part);
        rest = tail;
    }
}

/// Whether `text` has at most `limit` tokens by `count`; counts only if the bytes do not tell.
pub(crate) fn fits(text: &str, limit: usize, count: impl Fn(&str) -> usize) -> bool {
    text.len() <= limit
        || seam::weight_up_to(chunks(text), limit).is_some()
            && (seam::most(text) <= limit || count_up_to(text, limit, count).is_some())
}

fn chunks(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().chunks(STRIDE)
}

/// The first safe cut behind [`STRIDE`] bytes, or the end of the text.
fn next_cut(text: &str) -> usize {
    let start = (STRIDE..text.len()).find(|&at| text.is_char_boundary(at));
    let Some((start, tail)) = start.and_then(|at| Some((at, text.get(at..)?))) else {
        return text.len();
    };
    tail.char_indices()
        .map(|(at, _)| start + at)
        .find(|&at| {
            let (before, after) = text.split_at(at);
            seam::splits_between(before, after)
        })
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    /// How many bytes are counted of `text` by a counter that gives as few tokens as either
    /// vocabulary could, so that the limit is passed as late as it can be.
    fn counted(text: &str, limit: usize) -> usize {
        let counted = Cell::new(0);
        count_up_to(text, limit, |part| {
            counted.set(counted.get() + part.len());
            seam::least(part)
        });
        counted.get()
    }

    #[test]
    fn ten_megabytes_far_over_the_limit_are_not_counted_at_all() {
        for run in [
            "a",
            "Z",
            "7",
            " ",
            "\t",
            "\n",
            "\r\n",
            "=",
            "-",
            "/",
            "'",
            "\0",
            "\u{E9}",
            "\u{301}",
            "\u{3000}",
            "\u{4E2D}",
            "\u{1F600}",
            "a\n/",
            "\n ",
            "\n\t/",
        ] {
            let text = run.repeat((10 << 20) / run.len());
            assert_eq!(counted(&text, 4_000), 0, "{run:?}");
            assert!(!fits(&text, 4_000, |_| unreachable!()), "{run:?}");
        }
    }

    #[test]
    fn weighing_stops_at_the_limit() {
        let weighed = Cell::new(0);
        let endless = std::iter::repeat_with(|| {
            weighed.set(weighed.get() + 1);
            assert!(weighed.get() <= 1_000, "the text is still weighed");
            &b"="[..]
        });
        assert_eq!(seam::weight_up_to(endless, 2), None);
        assert_eq!(weighed.get(), 2 * 128 + 1);
    }

    #[test]
    fn the_limit_is_looked_at_after_every_stride() {
        // By its bytes alone the text may be within the limit, but each byte turns out a token.
        let text = "word and word\n".repeat(100_000);
        let counted = Cell::new(0);
        let tokens = count_up_to(&text, 50_000, |part| {
            counted.set(counted.get() + part.len());
            part.len()
        });
        assert_eq!(tokens, None);
        assert!((1..=60_000).contains(&counted.get()));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_text_makes_it_count_more_than_the_limit_allows(
            parts in prop::collection::vec((any::<char>(), "[ -~\n\t\u{4E2D}]{0,3}", 0usize..3_000), 1..20),
            limit in 0usize..400,
        ) {
            let text: String = parts
                .iter()
                .map(|(c, more, n)| format!("{c}{more}").repeat(*n))
                .collect();
            prop_assert!(counted(&text, limit) <= 128 * limit);
        }
    }
}
