//! Numbers of few digits, read eight bytes at a time.

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
