//! What o200k_base and cl100k_base share: where a text may be cut without changing its count,
//! and bounds of the count that need no vocabulary.
//!
//! Both vocabularies first split a text into pieces by a pattern, then merge bytes inside each
//! piece. A piece is a run of letters with at most one character before it, one to three digits,
//! a run of symbols with the line breaks after it, or white space; the patterns look behind
//! nowhere, and ahead only past white space. So a place is a safe cut when a piece must end there
//! whatever follows.

/// The characters after which a piece ends if another class follows.
#[derive(PartialEq)]
enum Class {
    Letter,
    Digit,
    /// No letter, mark or digit, and no apostrophe (which may belong to the letters before it).
    Apart,
    /// Not decided here; never a reason to cut.
    Unsure,
}

/// Ideographs that every Unicode version in use calls letters.
const IDEOGRAPHS: std::ops::RangeInclusive<char> = '\u{4E00}'..='\u{9FEF}';

fn class(c: char) -> Class {
    match c {
        '0'..='9' => Class::Digit,
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '\'' => Class::Unsure,
        _ if c.is_ascii() => Class::Apart,
        _ if IDEOGRAPHS.contains(&c) => Class::Letter,
        // East Asian punctuation: comma, stop, title marks, corner and lenticular brackets, then
        // the full-width forms of ! ( ) , : ; ?
        '\u{3001}' | '\u{3002}' | '\u{300A}'..='\u{3011}' => Class::Apart,
        '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' | '\u{FF1A}' | '\u{FF1B}'
        | '\u{FF1F}' => Class::Apart,
        _ => Class::Unsure,
    }
}

/// Whether `count(before + after + more) = count(before) + count(after + more)` for every `more`.
pub(crate) fn splits_between(before: &str, after: &str) -> bool {
    let Some(last) = before.chars().next_back() else {
        return true;
    };
    let Some(first) = after.chars().next() else {
        return false;
    };
    if last == '\n' || last == '\r' {
        return starts_a_line(before, after, first);
    }
    matches!(
        (class(last), class(first)),
        (Class::Letter | Class::Digit, Class::Apart)
            | (Class::Letter, Class::Digit)
            | (Class::Digit, Class::Letter)
    )
}

/// The rule for a cut behind a line break: white space that reaches another line break, or the
/// end of the text, would join the break's piece; so would a slash if that piece has symbols.
fn starts_a_line(before: &str, after: &str, first: char) -> bool {
    if first == '/' {
        return match before.trim_end_matches(['\r', '\n']).chars().next_back() {
            None => true,
            Some(c) => c.is_ascii_alphanumeric() || c == ' ' || c == '\t',
        };
    }
    for c in after.chars() {
        if c == '\r' || c == '\n' {
            return false;
        }
        if !c.is_whitespace() {
            return true;
        }
    }
    false
}

/// The weight of a whole token in [`least`].
pub(crate) const TOKEN_WEIGHT: u64 = 1920;

/// The share of a token that a byte takes at least: no token of either vocabulary has bytes that
/// weigh more than [`TOKEN_WEIGHT`] together. (Three digits, 41 ASCII letters, 60 bytes outside
/// ASCII and 128 blanks are the longest tokens of their kinds.)
pub(crate) const fn byte_weight(byte: u8) -> u64 {
    match byte {
        b'0'..=b'9' => 640,
        b'a'..=b'z' | b'A'..=b'Z' => 45,
        128.. => 30,
        _ => 15,
    }
}

/// The weight of all bytes of `text`.
pub(crate) fn weight(text: &str) -> u64 {
    text.bytes().map(byte_weight).sum()
}

/// A number of tokens that `text` has at least.
pub(crate) fn least(text: &str) -> usize {
    least_of_weight(weight(text))
}

/// A number of tokens that texts of this [`weight`] have at least.
pub(crate) fn least_of_weight(weight: u64) -> usize {
    usize::try_from(weight.div_ceil(TOKEN_WEIGHT)).unwrap_or(usize::MAX)
}

/// The weight of all bytes, or `None`, as soon as it shows, if they are more than `limit` tokens.
#[cfg(any(feature = "tiktoken", feature = "fast"))]
pub(crate) fn weight_up_to<'a>(
    chunks: impl Iterator<Item = &'a [u8]>,
    limit: usize,
) -> Option<u64> {
    let mut weight = 0;
    for chunk in chunks {
        weight += chunk.iter().map(|&byte| byte_weight(byte)).sum::<u64>();
        if least_of_weight(weight) > limit {
            return None;
        }
    }
    Some(weight)
}

/// A number of tokens that `text` has at most: a token covers a byte or more, and every run of
/// one to three ASCII digits is one token.
pub(crate) fn most(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut i, mut tokens) = (0, 0);
    while let Some(byte) = bytes.get(i) {
        if !byte.is_ascii_digit() {
            i += 1;
            tokens += 1;
            continue;
        }
        let start = i;
        while bytes.get(i).is_some_and(u8::is_ascii_digit) {
            i += 1;
        }
        let digits = i - start;
        // A digit of another script beside the run shares its pieces of three, which shifts them:
        // at most two of the run's digits on that side may then be tokens of their own.
        let outside = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at))
                .is_some_and(|byte| !byte.is_ascii())
        };
        let shifted = usize::from(outside(start.checked_sub(1))) + usize::from(outside(Some(i)));
        tokens += digits.min(digits.div_ceil(3) + 2 * shifted);
    }
    tokens
}

/// The last place in `text` that is a safe cut, looked for in its last 256 bytes only, so that
/// the time does not depend on the text; 0 if there is none.
pub(crate) fn last_cut(text: &str, splits: impl Fn(&str, &str) -> bool) -> usize {
    text.char_indices()
        .rev()
        .map(|(at, _)| at)
        .take_while(|&at| at > 0 && text.len() - at <= 256)
        .find(|&at| {
            let (before, after) = text.split_at(at);
            splits(before, after)
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

    use super::*;

    fn vocabularies() -> [(&'static CoreBPE, u32); 2] {
        [
            (o200k_base_singleton(), 199_998),
            (cl100k_base_singleton(), 100_256),
        ]
    }

    #[test]
    fn no_token_weighs_more_than_one() {
        for (engine, tokens) in vocabularies() {
            for rank in 0..tokens {
                let bytes = engine.decode_bytes(&[rank]).unwrap();
                let weight: u64 = bytes.iter().map(|&byte| byte_weight(byte)).sum();
                assert!(
                    weight <= TOKEN_WEIGHT,
                    "token {rank} weighs {weight}: {bytes:?}"
                );
            }
        }
    }

    #[test]
    fn every_run_of_up_to_three_digits_is_a_token() {
        for (engine, tokens) in vocabularies() {
            let digits: HashSet<Vec<u8>> = (0..tokens)
                .map(|rank| engine.decode_bytes(&[rank]).unwrap())
                .filter(|bytes| bytes.iter().all(u8::is_ascii_digit))
                .collect();
            assert_eq!(digits.len(), 10 + 100 + 1000);
        }
    }

    #[test]
    fn bounds_by_hand() {
        assert_eq!((least(""), most("")), (0, 0));
        assert_eq!((least("a"), most("a")), (1, 1));
        assert_eq!((least("1234567"), most("1234567")), (3, 3));
        assert_eq!((least("123,4"), most("123,4")), (2, 3));
        assert_eq!(least(&" ".repeat(1280)), 10);
        // The digit before shifts the pieces of three.
        assert_eq!(most("\u{BD}1234"), 2 + 4);
    }
}
