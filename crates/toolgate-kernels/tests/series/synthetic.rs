//! Synthetic series by formula, for the tests: pure functions of the length.
#![allow(dead_code, reason = "each test program uses some of them")]

/// `SplitMix64` as a stream of numbers from 0 to 1.
pub(crate) struct Uniform(pub(crate) u64);

impl Uniform {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    #[allow(clippy::cast_precision_loss, reason = "53 bits")]
    pub(crate) fn next(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2.0_f64.powi(-53)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end as u64).unwrap_or(0)
    }
}

/// A random walk from 1000, reflected at 10.
pub(crate) fn walk(rows: usize) -> Vec<f64> {
    let mut u = Uniform(42);
    let mut p = 1000.0;
    (0..rows)
        .map(|_| {
            let step = u.next() - 0.5;
            p += step;
            if p < 10.0 {
                p = 10.0 + step.abs();
            }
            p
        })
        .collect()
}

/// Small changes on a large offset: cancellation.
pub(crate) fn offset(rows: usize) -> Vec<f64> {
    let mut u = Uniform(42);
    (0..rows).map(|_| 1e12 + u.next()).collect()
}

/// Values near 100 with a spike of 1e15 or -1e15 every 997 rows.
pub(crate) fn spikes(rows: usize) -> Vec<f64> {
    let mut u = Uniform(42);
    (0..rows)
        .map(|i| {
            let value = 100.0 + u.next();
            if i % 997 != 996 {
                value
            } else if i / 997 % 2 == 1 {
                1e15
            } else {
                -1e15
            }
        })
        .collect()
}

/// Five coarse price steps: many ties.
pub(crate) fn flat_tick(rows: usize) -> Vec<f64> {
    let mut u = Uniform(42);
    (0..rows)
        .map(|_| (1000.0 + (5.0 * u.next()).floor()) / 100_000.0)
        .collect()
}

/// A decay from 1e8 over a fifth of the rows, then noise: memory of old magnitudes.
pub(crate) fn decay(rows: usize) -> Vec<f64> {
    let mut u = Uniform(42);
    let mut q = 1e8;
    (0..rows)
        .map(|i| {
            let noise = u.next();
            if i < rows / 5 {
                let x = q;
                q *= 0.9999;
                x
            } else {
                q + noise * 1e-6
            }
        })
        .collect()
}

/// Any finite bits: all magnitudes and signs, denormals too.
pub(crate) fn any_finite(rows: usize, seed: u64) -> Vec<f64> {
    let mut u = Uniform(seed);
    std::iter::repeat_with(move || f64::from_bits(u.bits()))
        .filter(|x| x.is_finite())
        .take(rows)
        .collect()
}

/// Magnitudes over 31 decades, both signs.
pub(crate) fn decades(rows: usize) -> Vec<f64> {
    let mut u = Uniform(7);
    (0..rows)
        .map(|_| {
            let power = i32::try_from(u.below(32)).unwrap_or(0) - 15;
            (u.next() - 0.5) * 10.0_f64.powi(power)
        })
        .collect()
}

/// Denormals and the least normal numbers.
pub(crate) fn denormals(rows: usize) -> Vec<f64> {
    let mut u = Uniform(8);
    (0..rows)
        .map(|_| f64::from_bits(u.bits() & 0x801f_ffff_ffff_ffff))
        .collect()
}

/// Values whose plain sum overflows, and which cancel.
pub(crate) fn near_overflow(rows: usize) -> Vec<f64> {
    let mut u = Uniform(9);
    (0..rows)
        .map(|i| {
            let x = f64::MAX * (1.0 - u.next() * 1e-3);
            if i / 70 % 2 == 0 { x } else { -x }
        })
        .collect()
}

/// 53-bit whole numbers: with an even period many means lie half way between two f64.
#[allow(clippy::cast_precision_loss, reason = "53 bits")]
pub(crate) fn half_ways(rows: usize) -> Vec<f64> {
    let mut u = Uniform(10);
    (0..rows)
        .map(|_| (u.bits() >> 11 | 1 << 52) as f64)
        .collect()
}

/// Full mantissas whose scale jumps by up to 2^40 every 90 rows.
pub(crate) fn jumps(rows: usize) -> Vec<f64> {
    let mut u = Uniform(12);
    let mut scale = 1.0;
    (0..rows)
        .map(|i| {
            if i % 90 == 0 {
                scale = 2.0_f64.powi(i32::try_from(u.below(41)).unwrap_or(0) - 20);
            }
            (1.0 + u.next()) * scale
        })
        .collect()
}

/// All of them by name.
pub(crate) fn all(rows: usize) -> Vec<(&'static str, Vec<f64>)> {
    vec![
        ("walk", walk(rows)),
        ("offset", offset(rows)),
        ("spikes", spikes(rows)),
        ("flat_tick", flat_tick(rows)),
        ("decay", decay(rows)),
        ("any_finite", any_finite(rows, 11)),
        ("decades", decades(rows)),
        ("denormals", denormals(rows)),
        ("near_overflow", near_overflow(rows)),
        ("half_ways", half_ways(rows)),
        ("jumps", jumps(rows)),
    ]
}

/// The bits of a column, for comparisons that no tolerance softens.
pub(crate) fn bits(values: impl IntoIterator<Item = Option<f64>>) -> Vec<Option<u64>> {
    values
        .into_iter()
        .map(|value| value.map(f64::to_bits))
        .collect()
}
