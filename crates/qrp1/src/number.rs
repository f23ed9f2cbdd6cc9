//! The one text of an f64, and numbers read from text.
//!
//! A finite f64 is written as ECMAScript's `Number::toString` (and so RFC 8785) writes
//! it: the shortest digits that read back to the same bits, no `.0`, an exponent only
//! below 1e-6 and from 1e21 on. Two rules are added: negative zero is `-0`, and the
//! non-finite numbers are `NaN`, `Infinity` and `-Infinity`.

use crate::sink::{SHORT, Sink};

/// The largest exponent of ten that is still written in full.
const FULL_DIGITS: i32 = 21;

/// Appends the canonical text of `number`.
pub(crate) fn push_f64<S: Sink>(out: &mut S, number: f64) {
    let mut short = [0; SHORT];
    if let Some(len) = write_short(&mut short, number) {
        out.push_ascii(&short, len);
    } else {
        push_any(out, number);
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

/// Writes a number of few digits, as prices and counts are, and gives the length of its
/// text, which is less than [`SHORT`]; `None` when it is not one.
///
/// If an integer below 10^15 over a power of ten up to 10^8 is `number` exactly, that
/// decimal reads back to `number`, as a division of exact operands is correctly rounded.
/// No other decimal of up to 15 digits does, so without its trailing zeros it is the
/// shortest.
#[inline]
pub(crate) fn write_short(text: &mut [u8; SHORT], number: f64) -> Option<usize> {
    const LIMIT: f64 = 1e15;
    let size = number.abs();
    // Above the limit nothing fits; below 1e-6 the notation has an exponent; and -0 is
    // an integer only by half.
    if !(1e-6..LIMIT).contains(&size) {
        text[0] = b'0';
        return (number.to_bits() == 0).then_some(1);
    }
    for (power, places) in [(1e2, 2usize), (1e5, 5), (1e8, 8)] {
        let scaled = size * power + 0.5;
        if scaled >= LIMIT {
            break;
        }
        // Rounding need not be careful: what is found is divided again and compared.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a number from 0 to 10^15, whole after the first cast"
        )]
        let (digits, whole) = (scaled as u64, scaled as u64 as f64);
        if whole / power == size {
            return Some(write_decimal(text, number < 0.0, digits, places));
        }
    }
    None
}

/// Writes `digits` x 10^-`places`, where `digits` is below 10^15 and `places` at most 8,
/// without trailing zeros after the point.
#[inline]
fn write_decimal(text: &mut [u8; SHORT], negative: bool, digits: u64, places: usize) -> usize {
    let mut at = 0;
    if negative {
        text[0] = b'-';
        at = 1;
    }
    let power = match places {
        2 => 100,
        5 => 100_000,
        _ => 100_000_000,
    };
    at = write_digits(text, at, digits / power);
    let mut fraction = digits % power;
    if fraction == 0 {
        return at;
    }
    text[at] = b'.';
    at += 1;
    // All places, the last first; zeros at the end are then left out.
    let mut end = at + places;
    for place in text[at..end].iter_mut().rev() {
        *place = digit(fraction % 10);
        fraction /= 10;
    }
    while text[end - 1] == b'0' {
        end -= 1;
    }
    end
}

/// Writes an integer below 10^15 from `at` on; gives where it ends.
#[inline]
fn write_digits(text: &mut [u8; SHORT], at: usize, mut number: u64) -> usize {
    let end = at + number.checked_ilog10().map_or(1, |log| log as usize + 1);
    for place in text[at..end].iter_mut().rev() {
        *place = digit(number % 10);
        number /= 10;
    }
    end
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a digit")]
fn digit(number: u64) -> u8 {
    b'0' + number as u8
}

/// Writes an integer of at most 15 digits and gives the length of its text; `None` for
/// others.
#[inline]
pub(crate) fn write_integer(text: &mut [u8; SHORT], number: i64) -> Option<usize> {
    const LIMIT: u64 = 1_000_000_000_000_000;
    let size = number.unsigned_abs();
    if size >= LIMIT {
        return None;
    }
    let mut at = 0;
    if number < 0 {
        text[0] = b'-';
        at = 1;
    }
    Some(write_digits(text, at, size))
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

/// The most digits that [`scan_short`] and [`scan_integer`] read.
const MAX_DIGITS: usize = 15;

/// Reads the number of few digits that `text` begins with, up to the first byte that is no
/// part of one, and gives it and its length; `None` where that is not the canonical text of
/// such a number.
///
/// Up to 15 digits over a power of ten are two exact operands of one correctly rounded
/// division. Texts of so few digits differ only where their numbers do, so if it is in
/// the form of a canonical text, it is the one of its number.
#[inline]
pub(crate) fn scan_short(text: &[u8]) -> Option<(f64, usize)> {
    /// Powers of ten that are exact.
    const POWERS: [f64; MAX_DIGITS + 1] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut mantissa, mut end) = scan_digits(text, start, 0);
    let whole = end - start;
    let mut places = 0;
    if text.get(end) == Some(&b'.') {
        let first = end + 1;
        (mantissa, end) = scan_digits(text, first, mantissa);
        places = end - first;
        if places == 0 || text[end - 1] == b'0' {
            return None;
        }
    }
    if whole == 0 || whole + places > MAX_DIGITS || (whole > 1 && text[start] == b'0') {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 15 digits")]
    let mut size = mantissa as f64;
    if places > 0 {
        size /= POWERS[places];
    }
    // Smaller ones have an exponent, and zero has no sign here.
    if size < 1e-6 && (mantissa != 0 || negative) {
        return None;
    }
    Some((if negative { -size } else { size }, end))
}

/// Reads digits from `at` on behind those of `number`; gives the number, which is right as
/// long as it has at most 19 digits, and where they end.
#[inline]
fn scan_digits(text: &[u8], mut at: usize, mut number: u64) -> (u64, usize) {
    while let Some(byte) = text.get(at) {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// Reads the integer of at most 15 digits that `text` begins with and gives it and its
/// length; `None` where that is not the canonical text of such an integer.
#[inline]
pub(crate) fn scan_integer(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let (number, end) = scan_digits(text, start, 0);
    let digits = end - start;
    let leads_well = text.get(start) != Some(&b'0') || (digits == 1 && !negative);
    if digits == 0 || digits > MAX_DIGITS || !leads_well {
        return None;
    }
    let number = number.cast_signed();
    Some((if negative { -number } else { number }, end))
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

        /// What is read as the canonical text of few digits is written as it was read.
        #[test]
        fn short_texts_are_canonical(text in "-?[0-9]{0,17}\\.?[0-9]{0,17}") {
            if let Some(number) = parse_short(&text) {
                prop_assert_eq!(text_of(number), text.clone());
                prop_assert_eq!(parse_f64(&text).map(f64::to_bits), Some(number.to_bits()));
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
            let mut short = [0; SHORT];
            if let Some(len) = write_short(&mut short, number) {
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
