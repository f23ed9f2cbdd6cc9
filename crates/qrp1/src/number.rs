//! The one text of an f64, and numbers read from text.
//!
//! A finite f64 is written as ECMAScript's `Number::toString` (and so RFC 8785) writes
//! it: the shortest digits that read back to the same bits, no `.0`, an exponent only
//! below 1e-6 and from 1e21 on. Two rules are added: negative zero is `-0`, and the
//! non-finite numbers are `NaN`, `Infinity` and `-Infinity`.

mod scan;
mod short_text;

use crate::sink::Sink;

pub(crate) use scan::{eight_bytes, position_in, scan_integer, scan_short, tiny_f64};
pub(crate) use short_text::{ShortText, TinyText, push_few_digits};

/// The largest exponent of ten that is still written in full.
const FULL_DIGITS: i32 = 21;

/// Appends the canonical text of `number`.
pub(crate) fn push_f64<S: Sink>(out: &mut S, number: f64) {
    match ShortText::of_f64(number) {
        Some(text) => out.push_short(text),
        None => push_any(out, number),
    }
}

/// Appends the text of a number that has none of few digits.
fn push_any<S: Sink>(out: &mut S, number: f64) {
    if number.is_nan() {
        out.push_str("NaN");
        return;
    }
    if number.is_infinite() {
        out.push_str(if number < 0.0 {
            "-Infinity"
        } else {
            "Infinity"
        });
        return;
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    match text.find('e') {
        None if number.abs() >= 1e-6 || number == 0.0 => {
            out.push_str(text.strip_suffix(".0").unwrap_or(text));
        }
        mark => push_rearranged(out, text, mark),
    }
}

/// Appends `text` (shortest digits, in whichever notation) in the canonical notation.
fn push_rearranged<S: Sink>(out: &mut S, text: &str, mark: Option<usize>) {
    let (mantissa, exponent) = match mark {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().unwrap_or(0)),
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: String = [whole, fraction].concat();
    let leading = all.len() - all.trim_start_matches('0').len();
    let digits = all[leading..].trim_end_matches('0');
    // The value is 0.DIGITS x 10^point.
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    let point = length(whole) - length(&all[..leading]) + exponent;
    let count = length(digits);
    let zeros = |out: &mut S, n: i32| (0..n).for_each(|_| out.push_char('0'));
    out.push_str(sign);
    if count <= point && point <= FULL_DIGITS {
        out.push_str(digits);
        zeros(out, point - count);
    } else if 0 < point && point <= FULL_DIGITS {
        let split = usize::try_from(point).unwrap_or(0);
        out.push_str(&digits[..split]);
        out.push_char('.');
        out.push_str(&digits[split..]);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        zeros(out, -point);
        out.push_str(digits);
    } else {
        out.push_str(&digits[..1]);
        if count > 1 {
            out.push_char('.');
            out.push_str(&digits[1..]);
        }
        out.push_char('e');
        out.push_str(if point > 0 { "+" } else { "-" });
        out.push_str(itoa::Buffer::new().format((point - 1).unsigned_abs()));
    }
}

/// Whether text that reads as an integer is the one text of it.
pub(crate) fn is_integer_text(text: &str) -> bool {
    match text.as_bytes() {
        [b'0'] => true,
        [b'-', first, ..] | [first, ..] => (b'1'..=b'9').contains(first),
        [] => false,
    }
}

/// Reads a number of few digits from its canonical text; `None` for any other text, also
/// for the canonical text of other numbers.
pub(crate) fn parse_short(text: &str) -> Option<f64> {
    let (number, end) = scan_short(text.as_bytes())?;
    (end == text.len()).then_some(number)
}

/// Reads the text of an f64; `None` when it is no number of this format. Texts that
/// only differ in notation (`1.0`, `1e2`) are read too: whether a text is the canonical
/// one is asked of the whole line.
pub(crate) fn parse_f64(text: &str) -> Option<f64> {
    match text {
        "NaN" => return Some(f64::NAN),
        "Infinity" => return Some(f64::INFINITY),
        "-Infinity" => return Some(f64::NEG_INFINITY),
        _ => {}
    }
    let plain = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e'));
    if !plain {
        return None;
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(number: f64) -> String {
        let mut out = String::new();
        push_f64(&mut out, number);
        out
    }

    // The expected texts are those of the ECMAScript rule (RFC 8785, appendix B).
    #[test]
    fn the_notation_is_that_of_ecmascript() {
        for (number, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (100.0, "100"),
            (102.25, "102.25"),
            (5e-324, "5e-324"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (295_147_905_179_352_830_000.0, "295147905179352830000"),
            (1e21, "1e+21"),
            (9.999_999_999_999_997e22, "9.999999999999997e+22"),
            (1e23, "1e+23"),
            (999_999_999_999_999_700_000.0, "999999999999999700000"),
            (333_333_333.333_333_3, "333333333.3333333"),
            (0.000_001, "0.000001"),
            (0.000_002_5, "0.0000025"),
            (1e-7, "1e-7"),
            (9.5e-7, "9.5e-7"),
            (1.234e-300, "1.234e-300"),
            (1e16, "10000000000000000"),
            (1.25e17, "125000000000000000"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(text_of(number), expected);
        }
    }

    proptest! {
        #[test]
        fn every_number_reads_back_to_its_bits(bits: u64) {
            let number = f64::from_bits(bits);
            let back = parse_f64(&text_of(number)).unwrap();
            let short = parse_short(&text_of(number));
            prop_assert!(short.is_none_or(|short| short.to_bits() == bits));
            prop_assert!(back.to_bits() == bits || (number.is_nan() && back.is_nan()));
        }

        #[test]
        fn prices_read_back_too(ticks in -10_000_000_000i64..10_000_000_000, scale in 0i32..12) {
            let number = ticks as f64 / 10f64.powi(scale);
            prop_assert_eq!(parse_f64(&text_of(number)).unwrap().to_bits(), number.to_bits());
        }

        #[test]
        fn integers_are_written(number in prop_oneof![any::<i64>(), -(10i64.pow(16))..10i64.pow(16), -20_000i64..20_000]) {
            let mut few = Vec::new();
            if push_few_digits(&mut few, number) {
                prop_assert_eq!(String::from_utf8(few).unwrap(), number.to_string());
            } else {
                prop_assert!(number < 0 || number >= 10i64.pow(16));
            }
            if let Some(short) = ShortText::of_i64(number) {
                let (short, len) = short.bytes();
                prop_assert_eq!(core::str::from_utf8(&short[..len]).unwrap(), number.to_string());
            } else {
                prop_assert!(number.unsigned_abs() >= 100_000_000_000_000);
            }
        }

        /// What is read as the canonical text of few digits is written as it was read.
        #[test]
        fn short_texts_are_canonical(text in "-?[0-9]{0,17}\\.?[0-9]{0,17}") {
            if let Some(number) = parse_short(&text) {
                prop_assert_eq!(text_of(number), text.clone());
                prop_assert_eq!(parse_f64(&text).map(f64::to_bits), Some(number.to_bits()));
            }
        }

        /// The way for eight bytes gives what the general way gives, where it gives anything.
        #[test]
        fn eight_bytes_are_read_alike(text in "-?[0-9]{0,4}[.,x]{0,2}[0-9]{0,4}[,\u{e9}]{0,3}[0-9]{8}") {
            let eight = eight_bytes(text.as_bytes(), 0).unwrap();
            let end = text.find(',').unwrap_or(8).min(8);
            prop_assert_eq!(position_in(eight, b','), end);
            for len in 0..=8 {
                let general = text.get(..len).and_then(parse_short);
                match tiny_f64(eight, len) {
                    Some(number) => prop_assert_eq!(general, Some(number), "{} {}", text, len),
                    None => prop_assert!(
                        len > 7 || text.starts_with('-') || general.is_none(),
                        "{} {}", text, len,
                    ),
                }
            }
        }

        /// The way for few digits gives what the general way gives, where it gives anything.
        #[test]
        fn both_ways_agree(
            number in prop_oneof![
                any::<f64>(),
                -1e16f64..1e16,
                -1e-5f64..1e-5,
                (-10i64.pow(16)..10i64.pow(16), 0i32..20).prop_map(|(n, scale)| n as f64 / 10f64.powi(scale)),
                (-100_000i64..100_000, 0i32..12).prop_map(|(n, scale)| n as f64 / 10f64.powi(scale)),
            ],
        ) {
            if let Some(short) = ShortText::of_f64(number) {
                let (short, len) = short.bytes();
                let short = core::str::from_utf8(&short[..len]).unwrap();
                let mut general = String::new();
                let mut buffer = zmij::Buffer::new();
                let shortest = buffer.format_finite(number);
                push_rearranged(&mut general, shortest, shortest.find('e'));
                if number == 0.0 {
                    general = "0".to_owned();
                }
                prop_assert_eq!(short, general);
            }
        }
    }
}
