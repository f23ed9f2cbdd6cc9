//! The exact sum of values of like size, in two plain f64.
//!
//! Each value `x` is split on a grid of 2^g: `high` is the nearest multiple of 2^g,
//! `low = x - high` is at most 2^(g-1) and must be a multiple of 2^b, where
//! `b = g + m - 54` and the window has at most 2^m values. Then
//!
//! * `|high| <= 2^(g+52-m)`, so the sum of the highs is a multiple of 2^g of at most
//!   2^(g+52): every addition and subtraction is exact;
//! * `|low| <= 2^(g-1)`, so the sum of the lows is a multiple of 2^b of at most
//!   2^(g-1+m) = 2^(b+53): exact too.
//!
//! A value that fits no such grid is refused by [`Grid::split`], and the window sum
//! turns to the wide exact sum. The idea of summing on fixed grids is that of Demmel
//! and Nguyen, "Fast Reproducible Floating-Point Summation" (2013).

use super::ratio;

/// A grid, with the constants that its arithmetic needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// 1.5 * 2^(g+52): adding and taking it away rounds to a multiple of 2^g.
    coarse: f64,
    /// 1.5 * 2^(b+52), likewise for 2^b.
    fine: f64,
    /// 2^(g+52-m); values must be smaller.
    limit: f64,
    /// b
    least_place: i32,
    n: u32,
    n_f64: f64,
    inverse_n: f64,
}

/// The sums of the highs and of the lows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parts {
    pub(super) high: f64,
    pub(super) low: f64,
}

/// How many values [`Grid::slide_block`] takes.
pub(super) const BLOCK: usize = 32;

/// Within these, no step of [`Grid::mean`] underflows or overflows.
const LEAST_GRID: i32 = -800;
const MOST_GRID: i32 = 900;

impl Grid {
    /// The grid for windows of `n` whose values have their first bit at most at
    /// 2^`top` and their last bit at least at 2^`last`; it need not take them all.
    pub(super) fn new(n: u32, top: i32, last: i32) -> Self {
        // The lows must lie within reach of `fine`, which takes m >= 2.
        let m = (u32::BITS - (n - 1).leading_zeros()).max(2).cast_signed();
        // As much room above the largest value as below the smallest place.
        let g = ((top + last + 3) / 2).clamp(LEAST_GRID, MOST_GRID);
        let least_place = g + m - 54;
        Self {
            coarse: 1.5 * power_of_two(g + 52),
            fine: 1.5 * power_of_two(least_place + 52),
            limit: power_of_two(g + 52 - m),
            least_place,
            n,
            n_f64: f64::from(n),
            inverse_n: 1.0 / f64::from(n),
        }
    }

    /// The two parts of a value that this grid takes.
    #[inline]
    pub(super) fn split(&self, x: f64) -> Option<Parts> {
        let parts = self.split_taken(x);
        self.takes(x, parts).then_some(parts)
    }

    #[inline(always)]
    fn takes(&self, x: f64, parts: Parts) -> bool {
        let on_grid = (parts.low + self.fine) - self.fine;
        (x.abs() < self.limit) & (on_grid == parts.low)
    }

    /// The two parts of a value that [`split`](Self::split) took before.
    #[inline]
    pub(super) fn split_taken(&self, x: f64) -> Parts {
        let high = (x + self.coarse) - self.coarse;
        Parts {
            high,
            low: x - high,
        }
    }

    /// `(high + low) / n`, rounded once, ties to even.
    ///
    /// `q` is near the mean and `rest = sum - q * n` exactly but for the last
    /// addition, so `c = rest / n` has a relative error under 2^-51. If `q + c` rounds
    /// to one f64 for both ends of that error, it is the rounded mean, since rounding
    /// is monotonic. If not, integers decide.
    #[inline]
    pub(super) fn mean(&self, sum: Parts) -> f64 {
        let (down, up) = self.mean_ends(sum);
        if up == down {
            up
        } else {
            self.mean_by_integers(sum)
        }
    }

    /// The mean rounded for both ends of its error.
    #[inline(always)]
    fn mean_ends(&self, sum: Parts) -> (f64, f64) {
        // Exact: head + tail = high + low (Knuth's two-sum).
        let head = sum.high + sum.low;
        let back = head - sum.high;
        let tail = (sum.high - (head - back)) + (sum.low - back);

        let q = head * self.inverse_n;
        // q's first 27 bits and the rest: both products with n < 2^20 are exact. So is
        // each difference: the first by Sterbenz, the second since head - q * n is a
        // multiple of the last place of q and a few n of them at most.
        let q_first = f64::from_bits(q.to_bits() & (u64::MAX << 26));
        let rest = ((head - q_first * self.n_f64) - (q - q_first) * self.n_f64) + tail;
        let c = rest * self.inverse_n;
        let slack = c.abs() * RELATIVE_SLACK;
        (q + (c - slack), q + (c + slack))
    }

    /// Moves the window by the values at the front of `news`, which take the places of
    /// `olds`, and writes a mean for each. Stops at a value that the grid does not
    /// take; gives how many it took.
    pub(super) fn slide(
        &self,
        sum: &mut Parts,
        olds: &[f64],
        news: &[f64],
        means: &mut [f64],
    ) -> usize {
        let mut taken = 0;
        for ((old, new), mean) in olds.iter().zip(news).zip(means) {
            let Some(new) = self.split(*new) else {
                break;
            };
            *sum = sum.replace(self.split_taken(*old), new);
            *mean = self.mean(*sum);
            taken += 1;
        }
        taken
    }

    /// As [`slide`](Self::slide) for a whole block: `None` if there are fewer values,
    /// `false` if one does not fit, and then nothing is taken.
    ///
    /// Step by step over fixed arrays, so that all but the sums themselves compile to
    /// vector instructions; the operations on each value are the same.
    pub(super) fn slide_block(
        &self,
        sum: &mut Parts,
        olds: &[f64],
        news: &[f64],
        means: &mut [f64],
    ) -> Option<bool> {
        let olds = olds.first_chunk::<BLOCK>()?;
        let news = news.first_chunk::<BLOCK>()?;
        let means = means.first_chunk_mut::<BLOCK>()?;
        let mut highs = [0.0; BLOCK];
        let mut lows = [0.0; BLOCK];
        let mut fits = true;
        for i in 0..BLOCK {
            let new = self.split_taken(news[i]);
            let old = self.split_taken(olds[i]);
            fits &= self.takes(news[i], new);
            highs[i] = new.high - old.high;
            lows[i] = new.low - old.low;
        }
        if !fits {
            return Some(false);
        }
        let mut running = *sum;
        for (highs, lows) in highs
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .zip(lows.as_chunks_mut::<4>().0)
        {
            running_sums(&mut running.high, highs);
            running_sums(&mut running.low, lows);
        }
        *sum = running;
        let mut downs = [0.0; BLOCK];
        let mut sure = true;
        for i in 0..BLOCK {
            (downs[i], means[i]) = self.mean_ends(Parts {
                high: highs[i],
                low: lows[i],
            });
            sure &= downs[i] == means[i];
        }
        if !sure {
            for i in 0..BLOCK {
                if downs[i] != means[i] {
                    means[i] = self.mean_by_integers(Parts {
                        high: highs[i],
                        low: lows[i],
                    });
                }
            }
        }
        Some(true)
    }

    #[cold]
    fn mean_by_integers(&self, sum: Parts) -> f64 {
        // Multiples of 2^b, at most 2^104 of them.
        let scale = power_of_two(-self.least_place);
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^104")]
        let total = (sum.high * scale) as i128 + (sum.low * scale) as i128;
        ratio::round(
            total < 0,
            total.unsigned_abs(),
            false,
            self.least_place,
            self.n,
        )
    }
}

/// 2^-50, over twice the relative error of `c`.
const RELATIVE_SLACK: f64 = 4.0 * f64::EPSILON;

/// 2^exponent for the exponent of a normal f64.
const fn power_of_two(exponent: i32) -> f64 {
    debug_assert!(-1022 <= exponent && exponent <= 1023);
    f64::from_bits(((exponent + 1023).cast_unsigned() as u64) << 52)
}

/// Turns four changes into the sums after each. The sums of the changes among
/// themselves are exact too (each is the difference of two window sums), so they wait
/// for nothing but each other, and `sum` for one addition in four.
#[inline(always)]
fn running_sums(sum: &mut f64, changes: &mut [f64; 4]) {
    let [a, b, c, d] = *changes;
    let (ab, cd) = (a + b, c + d);
    *changes = [*sum + a, *sum + ab, *sum + (ab + c), *sum + (ab + cd)];
    *sum = changes[3];
}

impl Parts {
    /// The sums after `new` came.
    #[inline]
    pub(super) fn plus(self, new: Self) -> Self {
        Self {
            high: self.high + new.high,
            low: self.low + new.low,
        }
    }

    /// The sums after `new` took the place of `old`.
    #[inline]
    pub(super) fn replace(self, old: Self, new: Self) -> Self {
        Self {
            high: self.high + (new.high - old.high),
            low: self.low + (new.low - old.low),
        }
    }
}
