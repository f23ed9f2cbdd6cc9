//! Every SMA is the exact mean of its window, rounded once: checked with whole numbers
//! of any size, which share nothing with the kernel's arithmetic.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "series/synthetic.rs"]
mod synthetic;

use num_bigint::BigInt;
use proptest::prelude::*;
use toolgate_kernels::{Kernel, Numbers, Sma};

/// `x * 2^1075`, at which scale the middle of two neighbours is whole too.
fn whole(x: f64) -> BigInt {
    let bits = x.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let field = (bits >> 52) & 0x7ff;
    let magnitude = if field == 0 {
        BigInt::from(fraction) << 1
    } else {
        BigInt::from(fraction | 1 << 52) << field
    };
    if x.is_sign_negative() {
        -magnitude
    } else {
        magnitude
    }
}

/// The middle of `x` and its neighbour above; past the largest f64 that is the next power.
fn middle_above(x: f64) -> BigInt {
    let above = if x == f64::MAX {
        BigInt::from(1) << (1024 + 1075)
    } else {
        whole(x.next_up())
    };
    (whole(x) + above) >> 1
}

/// Whether `mean` is `sum / n` rounded to the nearest f64, ties to even.
fn is_rounded(mean: f64, sum: &BigInt, n: u32) -> bool {
    let low = -middle_above(-mean) * n;
    let high = middle_above(mean) * n;
    let even = mean.to_bits() & 1 == 0;
    mean.is_finite()
        && if even {
            low <= *sum && *sum <= high
        } else {
            low < *sum && *sum < high
        }
}

/// Checks the means of all windows of `xs`.
fn check(name: &str, xs: &[f64], n: u32) {
    let mut sma = Sma::new(n).unwrap();
    let mut out = Numbers::default();
    sma.push_slice(xs, &mut out).unwrap();
    assert_eq!(out.len(), xs.len());
    let size = n as usize;
    let mut sum = BigInt::from(0);
    for (i, x) in xs.iter().enumerate() {
        sum += whole(*x);
        if i >= size {
            sum -= whole(xs[i - size]);
        }
        match out.get(i) {
            None => assert!(i + 1 < size, "{name} {n}: no mean at bar {i}"),
            Some(mean) => {
                assert!(
                    i + 1 >= size,
                    "{name} {n}: a mean in the warm-up, at bar {i}"
                );
                assert!(is_rounded(mean, &sum, n), "{name} {n}: bar {i} is {mean:e}");
            }
        }
    }
}

#[test]
fn the_check_itself_tells_neighbours_apart() {
    for x in [1.0, -0.1, 5e-324, f64::MAX, 1e300] {
        assert!(is_rounded(x, &(whole(x) * 3), 3));
        assert!(!is_rounded(x.next_down(), &(whole(x) * 3), 3));
        if x < f64::MAX {
            assert!(!is_rounded(x.next_up(), &(whole(x) * 3), 3));
        }
    }
    // A tie goes to the even neighbour only.
    let sum = whole(1.0) + whole(1.0_f64.next_up());
    assert!(is_rounded(1.0, &sum, 2) && !is_rounded(1.0_f64.next_up(), &sum, 2));
}

#[test]
fn on_every_synthetic_series() {
    for (name, xs) in synthetic::all(3_000) {
        for n in [1, 2, 3, 5, 20, 50, 64, 200] {
            check(name, &xs, n);
        }
    }
}

#[test]
fn on_long_windows() {
    for (name, xs) in synthetic::all(5_000) {
        check(name, &xs, 4_096);
    }
}

#[test]
fn on_windows_of_a_hundred_thousand() {
    for (name, xs) in [
        ("walk", synthetic::walk(100_500)),
        ("any_finite", synthetic::any_finite(100_500, 13)),
        ("jumps", synthetic::jumps(100_500)),
    ] {
        check(name, &xs, 100_003);
    }
}

/// Means that lie half way between two f64, and the least bit beside that. Here the
/// reciprocal of n, rounded, would tip the scales for some n, such as 49.
#[test]
fn at_half_ways_and_next_to_them() {
    let power = |exponent| 2.0_f64.powi(exponent);
    for n in 3..110 {
        let exact = f64::from(n);
        for odd in [1.0, 3.0, -1.0] {
            // From the same grid down to the last limb of the wide sum.
            for beside in [
                0.0,
                power(-92),
                -power(-92),
                power(-150),
                power(-200),
                5e-324,
            ] {
                let mut xs = vec![0.0; n as usize];
                xs[0] = exact;
                xs[1] = odd * exact * power(-53);
                xs[2] = beside;
                check("half way", &xs, n);
                let mut next_door = xs.clone();
                next_door.extend(xs);
                check("half ways in a block", &next_door, n);
            }
        }
    }
}

#[test]
fn where_magnitudes_come_and_go() {
    let mut xs = Vec::new();
    for (_, part) in synthetic::all(150) {
        xs.extend(part);
    }
    xs.extend([0.0; 100]);
    xs.extend([-0.0; 100]);
    xs.extend([5e-324; 60]);
    xs.extend([-f64::MAX; 60]);
    for n in [1, 2, 7, 50, 128] {
        check("mixed", &xs, n);
    }
}

#[test]
fn a_constant_is_its_own_mean() {
    for x in [
        0.1,
        1.0 / 3.0,
        -1234.56,
        5e-324,
        1e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
    ] {
        for n in [1, 2, 3, 10, 49, 1_000] {
            let mut out = Numbers::default();
            Sma::new(n)
                .unwrap()
                .push_slice(&vec![x; 2_500], &mut out)
                .unwrap();
            assert!(
                out.iter()
                    .flatten()
                    .all(|mean| mean.to_bits() == x.to_bits()),
                "{x} {n}"
            );
        }
    }
}

#[test]
fn a_zero_mean_is_positive_zero() {
    let mut out = Numbers::default();
    Sma::new(2)
        .unwrap()
        .push_slice(&[-0.0, -0.0, 1.5, -1.5], &mut out)
        .unwrap();
    assert_eq!(synthetic::bits(out.iter())[1], Some(0));
    assert_eq!(synthetic::bits(out.iter())[3], Some(0));
}

/// A number with a last place and a first place near a chosen one.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>()
            .prop_map(f64::from_bits)
            .prop_filter("finite", |x| x.is_finite()),
        (-60_i32..60, -4_i32..4).prop_map(|(e, k)| f64::from(k) * 2.0_f64.powi(e)),
        (-1000.0..1000.0_f64),
        Just(f64::MAX),
        Just(0.0),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn on_any_values(xs in prop::collection::vec(number(), 0..120), n in 1_u32..40) {
        check("any", &xs, n);
    }

    #[test]
    fn peek_equals_push(xs in prop::collection::vec(number(), 1..80), n in 1_u32..20) {
        let mut sma = Sma::new(n).unwrap();
        for x in xs {
            let peeked = sma.peek(x).unwrap().map(f64::to_bits);
            prop_assert_eq!(peeked, sma.push(x).unwrap().map(f64::to_bits));
        }
    }
}
