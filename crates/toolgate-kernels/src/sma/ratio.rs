//! An exact integer over a small one, rounded once.

/// `(a + f) * 2^exponent / n` rounded to the nearest f64, ties to even, where
/// `0 < f < 1` if `more` and `f = 0` otherwise.
///
/// The result is finite whenever the quotient rounds to a finite f64, which the
/// mean of finite numbers does. An exact zero gives +0.0; a quotient that rounds to
/// zero keeps its sign. With `more` set, `a` must have its top bit set.
pub(super) fn round(negative: bool, a: u128, more: bool, exponent: i32, n: u32) -> f64 {
    if a == 0 {
        return 0.0;
    }
    // With the top bit set the quotient has at least 128 - 32 bits, far over 53.
    let lead = a.leading_zeros();
    let a = a << lead;
    let exponent = exponent - lead.cast_signed();
    let n = u128::from(n);
    let (quotient, rest) = (a / n, a % n);
    let more = more || rest != 0;

    let bits = 128 - quotient.leading_zeros();
    let top = exponent + bits.cast_signed() - 1;
    // The last place of the result: 52 below its first bit, or the least denormal.
    let last = (top - 52).max(-1074);
    let drop = (last - exponent).cast_unsigned();
    let (kept, lost) = match drop {
        0..=127 => (quotient >> drop, quotient & ((1_u128 << drop) - 1)),
        128 => (0, quotient),
        _ => (0, 0),
    };
    let half = 1_u128.checked_shl(drop.wrapping_sub(1)).unwrap_or(0);
    let up = half != 0 && (lost > half || (lost == half && (more || kept & 1 == 1)));
    #[expect(clippy::cast_possible_truncation, reason = "kept has at most 53 bits")]
    let kept = (kept + u128::from(up)) as u64;

    // Adding the fraction onto the exponent field carries a rounded-up 2^53 right.
    let magnitude = if kept < 1 << 52 {
        kept
    } else {
        ((u64::from((last + 1075).cast_unsigned())) << 52) + (kept - (1 << 52))
    };
    f64::from_bits(u64::from(negative) << 63 | magnitude)
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn rounds_half_to_even_in_every_range() {
        // (2^53 + 1) / 1 is a tie with an even lower neighbour, (2^53 + 3) with an upper one.
        assert_eq!(
            round(false, (1 << 53) + 1, false, 0, 1),
            9_007_199_254_740_992.0
        );
        assert_eq!(
            round(true, (1 << 53) + 3, false, 0, 1),
            -9_007_199_254_740_996.0
        );
        assert_eq!(round(false, 1, false, 0, 3), 1.0 / 3.0);
        // Half the least denormal is a tie with zero; anything more is not.
        assert_eq!(
            round(true, 1, false, -1074, 2).to_bits(),
            (-0.0_f64).to_bits()
        );
        assert_eq!(round(false, 3, false, -1074, 2).to_bits(), 2);
        assert_eq!(round(false, 1 << 127, true, -1202, 1).to_bits(), 1);
        assert_eq!(round(false, 1 << 127, false, -1300, 1).to_bits(), 0);
        assert_eq!(round(false, (1 << 53) - 1, false, 971, 1), f64::MAX);
        assert_eq!(
            round(false, (1 << 53) - 1, false, -1074, 1).to_bits(),
            (2 << 52) - 1
        );
    }
}
