//! The exact sum of the last n values, in constant time a value on average.

use super::exact_sum::ExactSum;
use super::grid_sum::{self, Grid, Parts};

/// The last n values and their exact sum.
///
/// The sum is kept on a [`Grid`] while all values fit one, and in an [`ExactSum`]
/// otherwise. Both are exact, so which of them is in use never shows in a result, and
/// a sum that was rebuilt from the values is the same sum. `credit` bounds the
/// rebuilding: a scan of the window is paid for by the values that came before it.
#[derive(Debug, Clone)]
pub(super) struct WindowSum {
    n: u32,
    /// In order of age from `oldest` on, wrapping; grows up to n values.
    values: Vec<f64>,
    oldest: usize,
    sum: Sum,
    credit: usize,
}

#[derive(Debug, Clone)]
enum Sum {
    Grid(Grid, Parts),
    Exact {
        sum: Box<ExactSum>,
        until_scan: usize,
    },
}

/// Values tried on the grid at once: room for their means is made before it is known how
/// many fit.
const AT_ONCE: usize = 256;

/// Values after which a wide sum is at the earliest tried on a grid again, so that small
/// windows do not change over all the time.
const LEAST_STAY: usize = 64;

/// Scanned values that each new value pays for.
const CREDIT_A_VALUE: usize = 4;

impl WindowSum {
    pub(super) fn new(n: u32) -> Self {
        Self {
            n,
            values: Vec::new(),
            oldest: 0,
            sum: Sum::Grid(Grid::new(n, 0, 0), Parts::default()),
            credit: 0,
        }
    }

    /// The window that holds `values`, at most n, oldest first.
    pub(super) fn with_values(n: u32, values: Vec<f64>) -> Self {
        let mut window = Self {
            values,
            ..Self::new(n)
        };
        window.credit = window.values.len();
        window.rebuild();
        window
    }

    fn size(&self) -> usize {
        self.n as usize
    }

    fn is_full(&self) -> bool {
        self.values.len() == self.size()
    }

    /// The values, oldest first.
    pub(super) fn values(&self) -> impl Iterator<Item = f64> + '_ {
        let (newer, older) = self.values.split_at(self.oldest);
        older.iter().chain(newer).copied()
    }

    /// The mean of a full window.
    pub(super) fn mean(&self) -> Option<f64> {
        self.is_full().then(|| match &self.sum {
            Sum::Grid(grid, parts) => grid.mean(*parts),
            Sum::Exact { sum, .. } => sum.mean(self.n),
        })
    }

    /// The mean as it would be with `x` taken; constant time while `x` fits the grid,
    /// else one pass over the window.
    pub(super) fn mean_with(&self, x: f64) -> Option<f64> {
        if self.values.len() + 1 < self.size() {
            return None;
        }
        let leaving = self.is_full().then(|| self.values[self.oldest]);
        let mut exact = match &self.sum {
            Sum::Grid(grid, parts) => {
                if let Some(new) = grid.split(x) {
                    let parts = match leaving {
                        Some(old) => parts.replace(grid.split_taken(old), new),
                        None => parts.plus(new),
                    };
                    return Some(grid.mean(parts));
                }
                let mut exact = ExactSum::ZERO;
                self.values.iter().for_each(|value| exact.add(*value));
                exact
            }
            Sum::Exact { sum, .. } => **sum,
        };
        if let Some(old) = leaving {
            exact.subtract(old);
        }
        exact.add(x);
        Some(exact.mean(self.n))
    }

    /// Takes `xs` and appends a mean for each from the n-th value on.
    pub(super) fn extend(&mut self, xs: &[f64], means: &mut Vec<f64>) {
        let mut rest = xs;
        while let Some((x, after)) = rest.split_first() {
            let taken = if self.is_full() {
                self.extend_on_grid(&rest[..rest.len().min(AT_ONCE)], means)
            } else {
                0
            };
            if taken > 0 {
                rest = &rest[taken..];
            } else {
                means.extend(self.take(*x));
                rest = after;
            }
        }
    }

    /// Takes the values at the front of `xs` that fit the grid; gives how many. The
    /// window must be full.
    fn extend_on_grid(&mut self, xs: &[f64], means: &mut Vec<f64>) -> usize {
        let size = self.size();
        let Sum::Grid(grid, parts) = &mut self.sum else {
            return 0;
        };
        let start = means.len();
        // Written through a slice of the right length: a push a mean would check the
        // capacity each time.
        means.resize(start + xs.len(), 0.0);
        let mut taken = 0;
        while taken < xs.len() {
            // The ring is written once at the end, so what leaves is still in it for
            // the first n values, and in `xs` after them.
            let olds = if let Some(back) = taken.checked_sub(size) {
                &xs[back..]
            } else {
                let slot = self.oldest + taken;
                if slot < size {
                    &self.values[slot..]
                } else {
                    &self.values[slot - size..self.oldest]
                }
            };
            let news = &xs[taken..];
            let targets = &mut means[start + taken..];
            let run = if let Some(fits) = grid.slide_block(parts, olds, news, targets) {
                if !fits { 0 } else { grid_sum::BLOCK }
            } else {
                grid.slide(parts, olds, news, targets)
            };
            if run == 0 {
                break;
            }
            taken += run;
        }
        means.truncate(start + taken);
        if let Some(back) = taken.checked_sub(size) {
            self.values.copy_from_slice(&xs[back..taken]);
            self.oldest = 0;
        } else {
            let (to_end, wrapped) = xs[..taken].split_at(taken.min(size - self.oldest));
            self.values[self.oldest..][..to_end.len()].copy_from_slice(to_end);
            self.values[..wrapped.len()].copy_from_slice(wrapped);
            self.oldest = (self.oldest + taken) % size;
        }
        self.credit = self
            .credit
            .saturating_add(taken.saturating_mul(CREDIT_A_VALUE));
        taken
    }

    /// Takes one value.
    pub(super) fn take(&mut self, x: f64) -> Option<f64> {
        self.credit = self.credit.saturating_add(CREDIT_A_VALUE);
        let leaving = if self.is_full() {
            let old = std::mem::replace(&mut self.values[self.oldest], x);
            self.oldest += 1;
            if self.oldest == self.size() {
                self.oldest = 0;
            }
            Some(old)
        } else {
            self.values.push(x);
            None
        };
        let in_step = match &mut self.sum {
            Sum::Grid(grid, parts) => grid.split(x).is_some_and(|new| {
                *parts = match leaving {
                    Some(old) => parts.replace(grid.split_taken(old), new),
                    None => parts.plus(new),
                };
                true
            }),
            Sum::Exact { sum, until_scan } => {
                if let Some(old) = leaving {
                    sum.subtract(old);
                }
                sum.add(x);
                *until_scan = until_scan.saturating_sub(1);
                *until_scan > 0
            }
        };
        if !in_step {
            self.rebuild();
        }
        self.mean()
    }

    /// Sums the values anew, on a grid if one fits them and the scan is paid for.
    #[cold]
    fn rebuild(&mut self) {
        let paid = self.credit >= self.values.len();
        self.credit = self.credit.min(self.size() * CREDIT_A_VALUE);
        if paid {
            self.credit = self.credit.saturating_sub(self.values.len());
            if let Some((grid, parts)) = grid_of(self.n, &self.values) {
                self.sum = Sum::Grid(grid, parts);
                return;
            }
        }
        if let Sum::Exact { until_scan, .. } = &mut self.sum {
            *until_scan = self.values.len().max(LEAST_STAY);
            return;
        }
        let mut sum = Box::new(ExactSum::ZERO);
        self.values.iter().for_each(|value| sum.add(*value));
        self.sum = Sum::Exact {
            sum,
            until_scan: self.values.len().max(LEAST_STAY),
        };
    }
}

/// A grid that takes all of the values, and their sums.
///
/// Most values use all of their 53 bits, so first the exponents alone are looked at;
/// only if no grid is wide enough for that do the last bits that are set count.
fn grid_of(n: u32, values: &[f64]) -> Option<(Grid, Parts)> {
    let sums = |grid: Grid| {
        let parts = values.iter().try_fold(Parts::default(), |sum, value| {
            Some(sum.plus(grid.split(*value)?))
        })?;
        Some((grid, parts))
    };
    let (top, least) = values
        .iter()
        .filter(|value| **value != 0.0)
        .map(|value| exponent(*value))
        .fold((i32::MIN, i32::MAX), |(top, least), exponent| {
            (top.max(exponent), least.min(exponent))
        });
    if top < least {
        return sums(Grid::new(n, 0, 0)); // All are zero.
    }
    sums(Grid::new(n, top, least - 52)).or_else(|| {
        let last = values
            .iter()
            .filter(|value| **value != 0.0)
            .map(|value| last_place(*value))
            .min()?;
        sums(Grid::new(n, top, last))
    })
}

/// The exponent of the first bit of a value; of a denormal, one that it is below.
fn exponent(x: f64) -> i32 {
    let field = (x.to_bits() >> 52) as i32 & 0x7ff;
    field - 1023
}

/// The exponent of the last set bit of a value that is not zero.
fn last_place(x: f64) -> i32 {
    let fraction = x.to_bits() & ((1 << 52) - 1);
    let exponent = exponent(x);
    let (mantissa, place) = if exponent == -1023 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, exponent - 52)
    };
    place + mantissa.trailing_zeros().cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_grid(window: &WindowSum) -> bool {
        matches!(window.sum, Sum::Grid(..))
    }

    #[test]
    fn market_like_values_stay_on_a_grid_and_wide_ones_leave_and_return() {
        let mut window = WindowSum::new(50);
        let mut means = Vec::new();
        for i in 0..500 {
            window.extend(&[100.0 + f64::from(i) * 0.01], &mut means);
            assert!(on_grid(&window), "{i}");
        }
        window.extend(&[1e-200], &mut means);
        assert!(!on_grid(&window));
        window.extend(&[7.25; 120], &mut means);
        assert!(on_grid(&window));
        assert_eq!(means.last(), Some(&7.25));
    }

    /// Work stays in proportion to the values, whatever they are.
    #[test]
    fn values_that_fit_no_grid_do_not_cause_a_scan_each() {
        // Each value moves the grid: by a scan of the window, or of the values to come,
        // for each of them this would be over 10^10 steps.
        let xs: Vec<f64> = (0..200_000)
            .map(|i| 2.0_f64.powi((i % 1900) - 950) * f64::from(i % 7 - 3))
            .collect();
        for n in [2, 100_000] {
            let mut window = WindowSum::new(n);
            let mut means = Vec::new();
            window.extend(&xs, &mut means);
            assert_eq!(means.len(), xs.len() + 1 - n as usize);
        }
    }
}
