//! The bits of an EMA are those of the stated operations, its seeds are those stated,
//! and constants stay constant.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "series/synthetic.rs"]
mod synthetic;

use proptest::prelude::*;
use synthetic::bits;
use toolgate_kernels::{Ema, Kernel, Numbers, Seed};

fn ema(n: u32, seed: Seed, xs: &[f64]) -> Vec<Option<f64>> {
    let mut out = Numbers::default();
    Ema::new(n, seed).unwrap().push_slice(xs, &mut out).unwrap();
    out.iter().collect()
}

#[test]
fn known_values() {
    let xs = [22.0, 24.0, 23.0, 25.0, 29.0];
    // a = 1/2: all of these are exact in binary.
    let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
    assert_eq!(
        ema(3, Seed::Sma, &xs),
        [None, None, Some(23.0), Some(24.0), Some(26.5)]
    );
    assert_eq!(
        ema(3, Seed::First, &xs),
        some(&[22.0, 23.0, 23.0, 24.0, 26.5])
    );
    // Weights 1, 1/2, 1/4 from the newest: (24 + 11) / 1.5 and (23 + 12 + 5.5) / 1.75.
    let adjusted = ema(3, Seed::Adjusted, &xs[..3]);
    let expected = [22.0, 35.0 / 1.5, 40.5 / 1.75];
    for (found, expected) in adjusted.iter().zip(expected) {
        assert!(
            (found.unwrap() - expected).abs() < 1e-14,
            "{found:?} {expected}"
        );
    }
    for seed in Seed::ALL {
        assert_eq!(
            bits(ema(1, seed, &[3.5, 1e300, -0.1])),
            bits(some(&[3.5, 1e300, -0.1]))
        );
    }
}

#[test]
fn the_operations_are_these() {
    for (name, xs) in synthetic::all(2_000) {
        if ["any_finite", "near_overflow"].contains(&name) {
            continue; // Their plain sums overflow.
        }
        for n in [2_u32, 12, 26, 200] {
            let a = 2.0 / (f64::from(n) + 1.0);
            let size = n as usize;
            let mut sum = 0.0;
            for x in &xs[..size] {
                sum += x;
            }
            let mut y = sum / f64::from(n);
            let mut expected = vec![None; size - 1];
            expected.push(Some(y));
            for x in &xs[size..] {
                let step = a * (x - y);
                y += step;
                expected.push(Some(y));
            }
            assert_eq!(bits(ema(n, Seed::Sma, &xs)), bits(expected), "{name} {n}");

            let mut y = xs[0];
            let mut expected = vec![Some(y)];
            for x in &xs[1..] {
                y += a * (x - y);
                expected.push(Some(y));
            }
            assert_eq!(bits(ema(n, Seed::First, &xs)), bits(expected), "{name} {n}");
        }
    }
}

/// The adjusted form against the weighted mean by its definition.
#[test]
fn adjusted_is_the_weighted_mean() {
    let xs = synthetic::walk(300);
    let n = 20;
    let a = 2.0 / (f64::from(n) + 1.0);
    for (bar, found) in ema(n, Seed::Adjusted, &xs).into_iter().enumerate() {
        let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
        for x in xs[..=bar].iter().rev() {
            sum += weight * x;
            weights += weight;
            weight *= 1.0 - a;
        }
        assert!(
            (found.unwrap() / (sum / weights) - 1.0).abs() < 1e-13,
            "bar {bar}"
        );
    }
}

/// The sum for the seed overflows, and is taken at a smaller scale.
#[test]
fn the_mean_of_the_largest_values_is_finite_and_near_them() {
    for n in 1..1_500_u32 {
        for x in [f64::MAX, -f64::MAX] {
            let mean = ema(n, Seed::Sma, &vec![x; n as usize])
                .pop()
                .flatten()
                .unwrap();
            assert!(
                mean.is_finite() && (mean / x - 1.0).abs() < 1e-12,
                "{n}: {mean}"
            );
        }
    }
    // Half the values overflow the sum before the others bring it back.
    let xs = [f64::MAX, f64::MAX, 0.5 * -f64::MAX, 0.5 * -f64::MAX];
    let mean = ema(4, Seed::Sma, &xs)[3].unwrap();
    assert!((mean / (f64::MAX / 4.0) - 1.0).abs() < 1e-15, "{mean}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_constant_stays(x in any::<f64>().prop_filter("finite", |x| x.is_finite()), n in 1_u32..300) {
        for seed in [Seed::First, Seed::Adjusted] {
            for y in ema(n, seed, &[x; 400]) {
                prop_assert_eq!(y, Some(x));
            }
        }
        // The seed is a plain sum, but from there on nothing moves away.
        let from_sum = ema(n, Seed::Sma, &[x; 400]);
        let seed = from_sum.iter().flatten().next().copied().unwrap();
        prop_assert!((seed - x).abs() <= x.abs() * 1e-13);
        for y in from_sum.into_iter().flatten() {
            prop_assert!((y - x).abs() <= (seed - x).abs());
        }
    }

    #[test]
    fn finite_values_give_finite_averages(
        xs in prop::collection::vec(
            prop_oneof![
                Just(f64::MAX), Just(-f64::MAX), Just(f64::MAX.next_down()),
                any::<f64>().prop_filter("finite", |x| x.is_finite()),
            ],
            1..60,
        ),
        n in 1_u32..30,
    ) {
        for seed in Seed::ALL {
            for y in ema(n, seed, &xs).into_iter().flatten() {
                prop_assert!(y.is_finite());
            }
        }
    }
}
