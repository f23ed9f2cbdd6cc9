//! Where a line that is too long for a part is best cut.

use crate::escape::{is_blank, must_escape};

/// No blank is looked for farther away, in bytes.
const REACH: usize = 128;

/// The last place between characters that is not after the byte `at` of the body.
pub(crate) fn floor(body: &str, at: usize) -> usize {
    let mut at = at.min(body.len());
    while !body.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The best place to cut a line in the last quarter of what stands between `start` and `end`, and
/// at most [`REACH`] bytes before `end`: before a blank, or else where a character ends for
/// the eye. It is not `start`, unless that is `end`. More of the line stands behind `end`.
pub(crate) fn before_blank(body: &str, start: usize, end: usize) -> usize {
    let reach = ((end - start) / 4).min(REACH);
    let low = match floor(body, end - reach) {
        low if low > start => low,
        _ => end,
    };
    let cuts: Vec<(usize, char)> = body[low..]
        .char_indices()
        .map(|(at, c)| (low + at, c))
        .take_while(|(at, _)| *at <= end)
        .collect();
    let blank = cuts.iter().rev().find(|(_, c)| is_blank(*c) || *c == '\t');
    let whole = |&&(at, c): &&(usize, char)| !is_joined(c) && !body[..at].ends_with('\u{200d}');
    blank
        .or_else(|| cuts.iter().rev().find(whole))
        .map_or(end, |(at, _)| *at)
}

/// Whether a character is shown in one with the character before it: marks, joiners, variation
/// selectors, skin tones, tags, and the carriage return of a line end. The list is not that
/// of Unicode; a cut elsewhere than it would have it reads back all the same.
fn is_joined(c: char) -> bool {
    c == '\r'
        || matches!(
            c,
            '\u{0300}'..='\u{036f}'
                | '\u{0591}'..='\u{05bd}'
                | '\u{064b}'..='\u{065f}'
                | '\u{093a}'..='\u{094f}'
                | '\u{0e31}'..='\u{0e3a}'
                | '\u{0e47}'..='\u{0e4e}'
                | '\u{1ab0}'..='\u{1aff}'
                | '\u{1dc0}'..='\u{1dff}'
                | '\u{200c}'..='\u{200d}'
                | '\u{20d0}'..='\u{20ff}'
                | '\u{3099}'..='\u{309a}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{fe20}'..='\u{fe2f}'
                | '\u{1f3fb}'..='\u{1f3ff}'
        )
        || (c >= '\u{e0000}' && must_escape(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_before_a_near_blank_or_what_is_shown_in_one() {
        for (line, end, cut) in [
            ("a word, a word, another", 20, 15),
            ("a blank beyond_the_last_quarter", 20, 20),
            ("xxxxxxxx\r\n", 8, 7),
            ("xxxxxxxxe\u{301}", 9, 8),
            ("xxxxxxxxxxxxxxxxxxxx\u{1f468}\u{200d}\u{1f469}", 27, 20),
            // No place in reach is better than the end.
            ("\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}", 10, 10),
            (" x", 1, 1),
        ] {
            assert_eq!(before_blank(line, 0, end), cut, "{line:?}");
        }
    }
}
