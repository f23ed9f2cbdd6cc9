//! Quoting: how a string that cannot stand bare is written, and read back.
//!
//! A quoted string is a JSON string in the serialisation of RFC 8785 with more
//! characters escaped: everything that ends a line, steers a terminal, reorders text or
//! is a tag. So a reader may hand a quoted string to any JSON parser, and no value can
//! end a line. Characters that are merely narrow or blank in some fonts (joiners, fillers,
//! variation selectors) stand raw: scripts and emoji need them.

use std::borrow::Cow;

use crate::error::{Error, ErrorCode};
use crate::sink::Sink;

/// Whether `c` never stands raw in QRP1 text: C0 and C1 controls, DEL, line and
/// paragraph separators, bidirectional controls, invisible formatting characters and
/// tag characters. The list is closed and does not follow later Unicode versions.
///
/// ```
/// assert!(qrp1::must_escape('\n'));
/// assert!(qrp1::must_escape('\u{202e}')); // right-to-left override
/// assert!(!qrp1::must_escape('\u{200d}')); // the joiner of emoji sequences stays
/// assert!(!qrp1::must_escape('中'));
/// ```
#[must_use]
pub fn must_escape(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(
        c,
        '\u{0080}'..='\u{009f}'
            | '\u{00ad}'
            | '\u{061c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Whether `c` is a blank: a space of any width that may stand raw, though not at the edge
/// of a bare string, where it could be trimmed on the way or make a line look empty.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\u{00a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Appends `text` quoted. `also` names one more character to escape, which keeps a
/// header splittable at every `|`.
pub(crate) fn push_quoted<S: Sink>(out: &mut S, text: &str, also: Option<char>) {
    out.push_char('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            _ if must_escape(c) || also == Some(c) => push_escape(out, c),
            _ => out.push_char(c),
        }
    }
    out.push_char('"');
}

/// Appends the escape of `c`: the short one where JSON has one, else `\uXXXX` in
/// lower-case hexadecimal, as a surrogate pair above U+FFFF.
pub(crate) fn push_escape<S: Sink>(out: &mut S, c: char) {
    match c {
        '\u{0008}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{000c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        _ => {
            let mut units = [0u16; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    let digit = (*unit >> shift) & 0xf;
                    out.push_char(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
                }
            }
        }
    }
}

/// Reads the escape that follows a backslash. `rest` begins after the backslash; gives
/// the character and how many bytes of `rest` it took. `None` when it is malformed.
pub(crate) fn read_escape(rest: &str) -> Option<(char, usize)> {
    let simple = |c| Some((c, 1));
    match rest.as_bytes().first()? {
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'b' => simple('\u{0008}'),
        b't' => simple('\t'),
        b'n' => simple('\n'),
        b'f' => simple('\u{000c}'),
        b'r' => simple('\r'),
        b'u' => {
            let high = hex4(rest.get(1..5)?)?;
            if !(0xd800..0xe000).contains(&high) {
                return Some((char::from_u32(high)?, 5));
            }
            if rest.get(5..7)? != "\\u" {
                return None;
            }
            let low = hex4(rest.get(7..11)?)?;
            if high >= 0xdc00 || !(0xdc00..0xe000).contains(&low) {
                return None;
            }
            let c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            Some((char::from_u32(c)?, 11))
        }
        _ => None,
    }
}

fn hex4(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

/// Reads one quoted string at the start of `text`. Gives its value, which is lent where no
/// escape stands in it, and the bytes it took.
///
/// # Errors
/// [`ErrorCode::Escape`], with the column inside `text`.
pub(crate) fn read_quoted(text: &str) -> Result<(Cow<'_, str>, usize), Error> {
    debug_assert!(text.starts_with('"'));
    let mut value = Cow::Borrowed("");
    let mut at = 1;
    loop {
        let rest = &text[at..];
        let Some(plain) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) else {
            check_raw(text, at, text.len())?;
            return Err(
                fault("a closing quote", "the end of the cell").at(0, column(text, text.len()))
            );
        };
        check_raw(text, at, at + plain)?;
        if value.is_empty() {
            value = Cow::Borrowed(&rest[..plain]);
        } else {
            value.to_mut().push_str(&rest[..plain]);
        }
        at += plain;
        if text.as_bytes()[at] == b'"' {
            return Ok((value, at + 1));
        }
        let Some((c, used)) = read_escape(&text[at + 1..]) else {
            return Err(fault("a JSON escape such as \\n or \\u001b", "another one")
                .at(0, column(text, at)));
        };
        value.to_mut().push(c);
        at += 1 + used;
    }
}

/// Refuses a character of a quoted string that may not stand raw.
fn check_raw(text: &str, start: usize, end: usize) -> Result<(), Error> {
    let part = &text[start..end];
    if part.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Ok(());
    }
    match part.char_indices().find(|(_, c)| must_escape(*c)) {
        Some((at, c)) => Err(raw(c).at(0, column(text, start + at))),
        None => Ok(()),
    }
}

/// The error for `c` standing raw.
pub(crate) fn raw(c: char) -> Error {
    fault(
        match c {
            '\n' => "one line, without a line feed",
            '\r' => "lines that end with a line feed alone, or an escape in a quoted string",
            _ => "an escape in a quoted string",
        },
        format!("the raw character U+{:04X}", u32::from(c)),
    )
}

fn fault(expected: &str, found: impl Into<String>) -> Error {
    Error::new(ErrorCode::Escape, expected, found)
}

/// The column, from 1, of the byte `at` in `text`.
pub(crate) fn column(text: &str, at: usize) -> u64 {
    text.get(..at)
        .map_or(0, |before| before.chars().count() as u64)
        + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_strings_read_back() {
        for text in [
            "",
            "\"",
            "\\",
            "a\nb\u{7f}\u{2028}\u{e0041}",
            "|",
            "\u{1f600}",
            "\\u0041",
        ] {
            for also in [None, Some('|')] {
                let mut out = String::new();
                push_quoted(&mut out, text, also);
                assert_eq!(
                    read_quoted(&out).unwrap(),
                    (Cow::Borrowed(text), out.len()),
                    "{out}"
                );
                assert!(!out.chars().any(must_escape));
                assert!(also.is_none_or(|c| !out.contains(c)));
            }
        }
    }

    #[test]
    fn a_tag_character_is_a_surrogate_pair() {
        let mut out = String::new();
        push_quoted(&mut out, "\u{e0041}", None);
        assert_eq!(out, "\"\\udb40\\udc41\"");
    }

    #[test]
    fn every_white_space_is_a_blank_or_escaped() {
        let all = (0..=u32::from(char::MAX)).filter_map(char::from_u32);
        for c in all.filter(|c| c.is_whitespace()) {
            assert_ne!(is_blank(c), must_escape(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn malformed_quotes_are_refused() {
        for text in [
            "\"",
            "\"a",
            "\"\\",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\udc00\\ud800\"",
            "\"\t\"",
            "\"\\u+123\"",
        ] {
            assert_eq!(
                read_quoted(text).unwrap_err().code(),
                ErrorCode::Escape,
                "{text}"
            );
        }
    }
}
