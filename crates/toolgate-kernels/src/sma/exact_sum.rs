//! The exact sum of any finite f64 values.

use super::ratio;

/// Limb 0 starts at 2^-1074, the least place of an f64. An f64 needs 2098 bits from
/// there, a million of them 20 more, the sign one: 34 limbs hold 2176.
const LIMBS: usize = 34;
const LEAST_PLACE: i32 = -1074;

/// A fixed-point number wide enough for the exact sum of 2^50 finite f64 values, in
/// two's complement, the least limb first.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExactSum {
    limbs: [u64; LIMBS],
}

impl ExactSum {
    pub(super) const ZERO: Self = Self { limbs: [0; LIMBS] };

    pub(super) fn add(&mut self, x: f64) {
        self.accumulate(x, false);
    }

    pub(super) fn subtract(&mut self, x: f64) {
        self.accumulate(x, true);
    }

    fn accumulate(&mut self, x: f64, flip: bool) {
        let bits = x.to_bits();
        let fraction = bits & ((1 << 52) - 1);
        let field = (bits >> 52) & 0x7ff;
        debug_assert!(field < 0x7ff, "the callers let only finite values in");
        let (mantissa, shift) = if field == 0 {
            (fraction, 0)
        } else {
            (fraction | 1 << 52, field - 1)
        };
        let wide = u128::from(mantissa) << (shift % 64);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the two halves of the wide word"
        )]
        let words = [wide as u64, (wide >> 64) as u64];
        let down = (bits >> 63 == 1) != flip;
        let mut carry = false;
        // The field is under 2047, so the first limb is under 32.
        for (index, limb) in self
            .limbs
            .iter_mut()
            .skip((shift / 64) as usize)
            .enumerate()
        {
            let word = words.get(index).copied().unwrap_or(0);
            if index >= words.len() && !carry {
                break;
            }
            (*limb, carry) = if down {
                borrowing_sub(*limb, word, carry)
            } else {
                carrying_add(*limb, word, carry)
            };
        }
    }

    /// The sum divided by `n`, rounded once, ties to even.
    pub(super) fn mean(&self, n: u32) -> f64 {
        let negative = self.limbs[LIMBS - 1] >> 63 == 1;
        let mut limbs = self.limbs;
        if negative {
            let mut carry = true;
            for limb in &mut limbs {
                (*limb, carry) = carrying_add(!*limb, 0, carry);
            }
        }
        let Some(top) = limbs.iter().rposition(|limb| *limb != 0) else {
            return 0.0;
        };
        // The 128 bits from the first set one on, and whether any bit is set below them.
        let below = |down: usize| top.checked_sub(down).map_or(0, |index| limbs[index]);
        let lead = limbs[top].leading_zeros();
        let third = u128::from(below(2)) << lead;
        let a = ((u128::from(limbs[top]) << 64 | u128::from(below(1))) << lead) | third >> 64;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the low half of the third limb"
        )]
        let more =
            third as u64 != 0 || limbs[..top.saturating_sub(2)].iter().any(|limb| *limb != 0);
        let top = i32::try_from(top).unwrap_or(i32::MAX);
        let exponent = LEAST_PLACE + (top - 1) * 64 - lead.cast_signed();
        ratio::round(negative, a, more, exponent, n)
    }
}

fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first || second)
}

fn borrowing_sub(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (rest, first) = a.overflowing_sub(b);
    let (rest, second) = rest.overflowing_sub(u64::from(borrow));
    (rest, first || second)
}

#[cfg(test)]
mod tests {
    use super::ExactSum;

    #[test]
    fn extremes_cancel_to_the_last_place() {
        let mut sum = ExactSum::ZERO;
        for x in [f64::MAX, 5e-324, f64::MAX, -f64::MAX, 1.0, -f64::MAX] {
            sum.add(x);
        }
        assert_eq!(sum.mean(1), 1.0);
        sum.subtract(1.0);
        assert_eq!(sum.mean(1).to_bits(), 1);
        sum.subtract(5e-324);
        assert_eq!(sum.mean(7).to_bits(), 0);
        sum.add(-5e-324);
        assert_eq!(sum.mean(1), -5e-324);
        assert_eq!(sum.mean(2).to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn a_million_largest_values_have_a_finite_mean() {
        let mut sum = ExactSum::ZERO;
        for _ in 0..1_000_000 {
            sum.add(-f64::MAX);
        }
        assert_eq!(sum.mean(1_000_000), -f64::MAX);
    }
}
