//! The texts of numbers of few digits, made as one word.

use crate::sink::{SHORT, push_fixed};

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
