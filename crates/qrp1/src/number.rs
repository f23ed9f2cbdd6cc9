//! The one text of an f64, and numbers read from text.
//!
//! A finite f64 is written as ECMAScript's `Number::toString` (and so RFC 8785) writes
//! it: the shortest digits that read back to the same bits, no `.0`, an exponent only
//! below 1e-6 and from 1e21 on. Two rules are added: negative zero is `-0`, and the
//! non-finite numbers are `NaN`, `Infinity` and `-Infinity`.

use crate::sink::{SHORT, Sink, push_fixed};

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

/// What the integers of short numbers are below.
const LIMIT: f64 = 1e15;

/// The texts of 0 to 99 in two digits, the first in the lower byte. There is more room than
/// that, so that the lower seven bits of a number are an index.
const PAIRS: [u16; 128] = {
    let mut pairs = [0; 128];
    let mut number = 0u8;
    while number < 100 {
        pairs[number as usize] = u16::from_le_bytes([b'0' + number / 10, b'0' + number % 10]);
        number += 1;
    }
    pairs
};

/// A text of at most 15 ASCII characters, the first in the lowest byte. It is made and
/// copied as one number, since writing its bytes apart and reading them together is slow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortText {
    bytes: u128,
    len: usize,
}

impl ShortText {
    /// One character.
    #[inline]
    pub(crate) fn of_ascii(byte: u8) -> Self {
        Self {
            bytes: byte.into(),
            len: 1,
        }
    }

    /// Two digits.
    #[inline]
    pub(crate) fn of_pair(number: u8) -> Option<Self> {
        let pair = PAIRS.get(usize::from(number)).filter(|_| number < 100)?;
        Some(Self {
            bytes: (*pair).into(),
            len: 2,
        })
    }

    /// The text of an integer of at most 14 digits.
    #[inline]
    pub(crate) fn of_i64(number: i64) -> Option<Self> {
        const MOST: u64 = 99_999_999_999_999;
        let size = number.unsigned_abs();
        if size > MOST {
            return None;
        }
        Some(Self::of_digits(size).signed(number < 0))
    }

    /// The text of an integer of at most 15 digits without a sign.
    #[inline]
    fn of_digits(number: u64) -> Self {
        let (high, low) = (number / 100_000_000, number % 100_000_000);
        let all = u128::from(eight_texts(high)) | u128::from(eight_texts(low)) << 64;
        let len = number.checked_ilog10().map_or(1, |log| log as usize + 1);
        Self {
            bytes: all >> (8 * (16 - len)),
            len,
        }
    }

    /// The text of a number of few digits, as prices and counts are; `None` when it is not
    /// one.
    ///
    /// If an integer below 10^15 over a power of ten up to 10^8 is `number` exactly, that
    /// decimal reads back to `number`, as a division of exact operands is correctly rounded.
    /// No other decimal of up to 15 digits does, so without its trailing zeros it is the
    /// shortest.
    #[inline]
    pub(crate) fn of_f64(number: f64) -> Option<Self> {
        let size = number.abs();
        // Above the limit nothing fits; below 1e-6 the notation has an exponent; and -0 is
        // an integer only by half.
        if !(1e-6..LIMIT).contains(&size) {
            return (number.to_bits() == 0).then_some(Self::of_ascii(b'0'));
        }
        let negative = number < 0.0;
        if let Some(hundredths) = whole_at(size, 1e2) {
            return Self::of_hundredths(hundredths).map(|text| text.signed(negative));
        }
        Self::of_long_f64(size).map(|text| text.signed(negative))
    }

    /// The text of an integer over 100, without trailing zeros behind the point.
    #[inline]
    fn of_hundredths(hundredths: u64) -> Option<Self> {
        if let Ok(few) = u32::try_from(hundredths)
            && few < 1_000_000
        {
            let tiny = TinyText::of_hundredths(few);
            return Some(Self {
                bytes: tiny.bytes.into(),
                len: tiny.len,
            });
        }
        let (whole, point) = (hundredths / 100, POINTS[index(hundredths % 100)]);
        let (point, kept) = (point & 0xff_ffff, (point >> 24) as usize);
        let whole = Self::of_digits(whole);
        // With a sign the text still has to fit.
        (whole.len <= 11).then(|| Self {
            bytes: whole.bytes | u128::from(point) << (8 * whole.len),
            len: whole.len + kept,
        })
    }

    /// As [`ShortText::of_f64`], for more than two places.
    fn of_long_f64(size: f64) -> Option<Self> {
        let (digits, power, places) = match whole_at(size, 1e5) {
            Some(digits) => (digits, 100_000, 5),
            None => (whole_at(size, 1e8)?, 100_000_000, 8),
        };
        let (whole, mut fraction) = (Self::of_digits(digits / power), digits % power);
        let mut kept = places;
        while kept > 0 && fraction % 10 == 0 {
            fraction /= 10;
            kept -= 1;
        }
        if whole.len + 1 + kept > 14 {
            return None;
        }
        let all = u128::from(eight_texts(fraction)) >> (8 * (8 - kept));
        let point = u128::from(b'.') | all << 8;
        Some(Self {
            bytes: whole.bytes | point << (8 * whole.len),
            len: whole.len + 1 + kept,
        })
    }

    /// The same behind a minus sign; the text has at most 14 characters.
    #[inline]
    fn signed(self, negative: bool) -> Self {
        if negative {
            Self {
                bytes: self.bytes << 8 | u128::from(b'-'),
                len: self.len + 1,
            }
        } else {
            self
        }
    }

    /// The same with one more character, and its length: the bytes behind mean nothing.
    #[inline]
    pub(crate) fn ended_by(self, byte: u8) -> ([u8; SHORT], usize) {
        let bytes = self.bytes | u128::from(byte) << (8 * self.len);
        (bytes.to_le_bytes(), self.len + 1)
    }

    /// Its bytes, and how many they are.
    #[inline]
    pub(crate) fn bytes(self) -> ([u8; SHORT], usize) {
        (self.bytes.to_le_bytes(), self.len)
    }
}

/// A text of at most seven ASCII characters, the first in the lowest byte: what numbers with
/// four digits before the point and two behind need, which most prices have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TinyText {
    bytes: u64,
    len: usize,
}

impl TinyText {
    /// The text of a number, where so few characters are enough. As
    /// [`ShortText::of_f64`], with rounding by a number so large that its last place is 1.
    #[inline]
    pub(crate) fn of_f64(number: f64) -> Option<Self> {
        const LARGE: f64 = 4_503_599_627_370_496.0; // 2^52
        let rounded = number * 100.0 + LARGE;
        // What is zero, negative, too large or no number is not in this range either.
        let hundredths = rounded.to_bits().wrapping_sub(LARGE.to_bits());
        if hundredths.wrapping_sub(1) >= 999_999 || (rounded - LARGE) / 100.0 != number {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "below 1,000,000")]
        Some(Self::of_hundredths(hundredths as u32))
    }

    /// The text of an integer below 1,000,000 over 100.
    #[inline]
    fn of_hundredths(hundredths: u32) -> Self {
        let (whole, fraction) = (hundredths / 100, hundredths % 100);
        let (high, low) = (PAIRS[index(whole / 100)], PAIRS[index(whole % 100)]);
        let digits = u64::from(high) | u64::from(low) << 16;
        // The bits of the zeros in front of at least one digit. How many has no branch of its
        // own.
        let zeros = ((digits ^ 0x3030_3030) | 0x0100_0000).trailing_zeros() & !7;
        let point = POINTS[index(fraction)];
        let bytes = digits >> zeros | u64::from(point & 0xff_ffff) << (32 - zeros);
        Self {
            bytes,
            len: (4 + (point >> 24) - zeros / 8) as usize,
        }
    }

    /// The same with one more character, and its length.
    #[inline]
    pub(crate) fn ended_by(self, byte: u8) -> ([u8; 8], usize) {
        let bytes = self.bytes | u64::from(byte) << (8 * self.len);
        (bytes.to_le_bytes(), self.len + 1)
    }
}

/// A point and the two digits of a number below 100 without trailing zeros, the point in the
/// lowest byte; in the highest byte, how many characters they are.
const POINTS: [u32; 128] = {
    let mut points = [0; 128];
    let mut number = 1u8;
    while number < 100 {
        let (tens, ones) = (b'0' + number / 10, b'0' + number % 10);
        points[number as usize] = if ones == b'0' {
            u32::from_le_bytes([b'.', tens, 0, 2])
        } else {
            u32::from_le_bytes([b'.', tens, ones, 3])
        };
        number += 1;
    }
    points
};

/// The digits of a number below 10^8 without zeros in front, the first in the lowest byte,
/// and how many they are.
#[inline]
fn few_digits(number: u64) -> ([u8; 8], usize) {
    let all = eight_texts(number);
    let zeros = ((all ^ 0x3030_3030_3030_3030) | 1 << 56).trailing_zeros() & !7;
    ((all >> zeros).to_le_bytes(), (8 - zeros / 8) as usize)
}

/// Appends an integer of at most 16 digits without a sign; `false`, with nothing appended,
/// for others.
#[inline]
pub(crate) fn push_few_digits(out: &mut Vec<u8>, number: i64) -> bool {
    const EIGHT: u64 = 100_000_000;
    let Ok(number) = u64::try_from(number) else {
        return false;
    };
    let (high, low) = (number / EIGHT, number % EIGHT);
    if high >= EIGHT {
        return false;
    }
    if high == 0 {
        let (digits, len) = few_digits(low);
        push_fixed(out, digits, len);
    } else {
        let (digits, len) = few_digits(high);
        push_fixed(out, digits, len);
        push_fixed(out, eight_texts(low).to_le_bytes(), 8);
    }
    true
}

/// The integer below 10^15 that over `power` is `size` exactly, if there is one.
#[inline]
fn whole_at(size: f64, power: f64) -> Option<u64> {
    let scaled = size * power + 0.5;
    // Rounding need not be careful: what is found is divided again and compared.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a number from 0 to 10^15, whole after the first cast"
    )]
    let (digits, whole) = (scaled as i64, scaled as i64 as f64);
    (scaled < LIMIT && whole / power == size).then_some(digits.unsigned_abs())
}

/// The eight digits of a number below 10^8, zeros in front, the first in the lowest byte.
#[inline]
fn eight_texts(number: u64) -> u64 {
    let (high, low) = (number / 10_000, number % 10_000);
    u64::from(PAIRS[index(high / 100)])
        | u64::from(PAIRS[index(high % 100)]) << 16
        | u64::from(PAIRS[index(low / 100)]) << 32
        | u64::from(PAIRS[index(low % 100)]) << 48
}

/// A number below 100 as an index.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "below 100")]
fn index(number: impl Into<u64>) -> usize {
    number.into() as usize & 127
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

/// Powers of ten that are exact.
const POWERS: [f64; MAX_DIGITS + 1] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
];

/// Reads the number of few digits that `text` begins with, up to the first byte that is no
/// part of one, and gives it and its length; `None` where that is not the canonical text of
/// such a number.
///
/// Up to 15 digits over a power of ten are two exact operands of one correctly rounded
/// division. Texts of so few digits differ only where their numbers do, so if it is in
/// the form of a canonical text, it is the one of its number.
#[inline]
pub(crate) fn scan_short(text: &[u8]) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let Digits {
        number: mantissa,
        whole,
        places,
        end,
    } = scan_all(text, start)?;
    if whole == 0
        || whole + places > MAX_DIGITS
        || (whole > 1 && text[start] == b'0')
        || (places > 0 && text[end - 1] == b'0')
    {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 15 digits")]
    let mut size = mantissa.cast_signed() as f64;
    if places > 0 {
        size /= POWERS[places];
    }
    // Smaller ones have an exponent, and zero has no sign here.
    if (mantissa == 0 && negative) || (places > 6 && size < 1e-6 && mantissa != 0) {
        return None;
    }
    Some((if negative { -size } else { size }, end))
}

/// The digits of a decimal number: how many before its point and behind, and where they end.
struct Digits {
    number: u64,
    whole: usize,
    places: usize,
    end: usize,
}

/// The eight bytes at `at`, the first in the lowest byte.
#[inline]
pub(crate) fn eight_bytes(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*text.get(at..)?.first_chunk::<8>()?))
}

/// Where the first of eight bytes that is `byte` stands, from 0; 8 where none is.
#[inline]
pub(crate) fn position_in(eight: u64, byte: u8) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A byte of zero, and the first one only for sure, gets its high bit.
    let differs = eight ^ (ONES * u64::from(byte));
    let zero = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
    (zero.trailing_zeros() / 8) as usize
}

/// The number whose canonical text is the `len` first of eight bytes, at most seven, without
/// a sign; `None` where they are not such a text. All bytes are looked at together.
#[inline]
pub(crate) fn tiny_f64(eight: u64, len: usize) -> Option<f64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let digits = eight ^ ZEROS;
    let point = position_in(eight, b'.');
    if len == 0 || len > 7 || point == 0 {
        return None;
    }
    // Without its point the number is one run of digits.
    let before = u64::MAX >> (63 - 8 * point.min(7)) >> 1;
    let (joined, all, places) = if point < len {
        let joined = (digits & before) | (digits >> 8 & !before);
        (joined, len - 1, len - 1 - point)
    } else {
        (digits, len, 0)
    };
    let whole = all - places;
    // The last digit goes to the highest byte, and what is behind it is gone.
    let run = joined << (64 - 8 * all);
    let above = (((run & LOW) + 0x7676_7676_7676_7676) | run) & !LOW;
    // Something that is no digit, a point without digits, a zero at the end of places, or
    // one in front of other digits.
    if above != 0
        || (point < len && (places == 0 || run >> 56 == 0))
        || (whole > 1 && digits & 0xff == 0)
    {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "at most seven digits")]
    let number = eight_digits(run).cast_signed() as f64;
    // At most five places: not so small that it would have an exponent.
    Some(number / POWERS[places])
}

/// The number that eight bytes, each 0 to 9, are the digits of, the last in the highest byte.
#[inline]
fn eight_digits(run: u64) -> u64 {
    // Pairs, fours and all eight are joined.
    let pairs = (run.wrapping_mul(10).wrapping_add(run >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff
}

/// The digits of a number of any length. The number is right up to 19 digits.
fn scan_all(text: &[u8], start: usize) -> Option<Digits> {
    let (mut number, mut end) = scan_digits(text, start, 0);
    let whole = end - start;
    let mut places = 0;
    if text.get(end) == Some(&b'.') {
        let first = end + 1;
        (number, end) = scan_digits(text, first, number);
        places = end - first;
        if places == 0 {
            return None;
        }
    }
    Some(Digits {
        number,
        whole,
        places,
        end,
    })
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
