//! Crosses are changes of sign with ties carried, for lines and levels alike.
#![allow(clippy::unwrap_used, reason = "a test")]

use proptest::prelude::*;
use toolgate_kernels::Direction::{Down, Up};
use toolgate_kernels::{Columns, Cross, Direction, Kernel, Lines, Plan};

fn against(level: f64, fast: &[f64]) -> Vec<Option<Direction>> {
    let mut cells = Vec::new();
    Cross::new()
        .push_slice(Lines::SlowLevel { fast, slow: level }, &mut cells)
        .unwrap();
    cells
}

#[test]
fn a_touch_that_turns_back_is_none_and_one_that_goes_on_is_one() {
    assert_eq!(
        against(3.0, &[1.0, 3.0, 1.0, 3.0, 5.0]),
        [None, None, None, None, Some(Up)]
    );
    assert_eq!(
        against(3.0, &[5.0, 3.0, 3.0, 1.0, 3.0, 4.0]),
        [None, None, None, Some(Down), None, Some(Up)]
    );
}

#[test]
fn nothing_before_a_first_side() {
    assert_eq!(
        against(3.0, &[3.0, 3.0, 5.0, 2.0]),
        [None, None, None, Some(Down)]
    );
    assert_eq!(against(3.0, &[5.0]), [None]);
    assert_eq!(against(0.0, &[-0.0, 0.0, 1.0]), [None, None, None]);
}

#[test]
fn differences_that_overflow_or_vanish_have_a_sign() {
    let (most, least) = (f64::MAX, 5e-324);
    assert_eq!(against(-most, &[most, -most, most]), [None, None, None]);
    assert_eq!(
        against(0.0, &[-least, least, -most]),
        [None, Some(Up), Some(Down)]
    );
}

/// Two EMAs from their first value tie at bar 0; a rule of pairs would see a cross at bar 1.
#[test]
fn averages_that_start_equal_do_not_cross_at_once() {
    let plan = Plan::from_json(
        r#"{"inputs":["close"],"outputs":["x"],"nodes":[
            {"id":"a","kernel":"ema","input":"close","period":2,"seed":"first"},
            {"id":"b","kernel":"ema","input":"close","period":9,"seed":"first"},
            {"id":"x","kernel":"cross","fast":"a","slow":"b"}]}"#,
    )
    .unwrap();
    let close = [10.0, 11.0, 12.0, 9.0, 5.0];
    let out = plan
        .start()
        .push(&Columns {
            time_ms: &[0, 1, 2, 3, 4],
            columns: &[("close", &close)],
        })
        .unwrap();
    let events = out.events("x").unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].bar, events[0].direction), (3, Down));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Against the rule said another way: drop the ties, then look at neighbours.
    #[test]
    fn equals_the_rule_without_ties(pairs in prop::collection::vec((-2_i8..3, -2_i8..3), 0..80)) {
        let fast: Vec<f64> = pairs.iter().map(|(fast, _)| f64::from(*fast)).collect();
        let slow: Vec<f64> = pairs.iter().map(|(_, slow)| f64::from(*slow)).collect();
        let sides: Vec<(usize, bool)> = pairs
            .iter()
            .enumerate()
            .filter(|(_, (fast, slow))| fast != slow)
            .map(|(bar, (fast, slow))| (bar, fast > slow))
            .collect();
        let mut expected = vec![None; pairs.len()];
        for two in sides.windows(2) {
            if two[0].1 != two[1].1 {
                expected[two[1].0] = Some(if two[1].1 { Up } else { Down });
            }
        }
        let mut cells = Vec::new();
        Cross::new().push_slice(Lines::Both { fast: &fast, slow: &slow }, &mut cells).unwrap();
        prop_assert_eq!(&cells, &expected);
        // The other way round, each event is the opposite one.
        let mut back = Vec::new();
        Cross::new().push_slice(Lines::Both { fast: &slow, slow: &fast }, &mut back).unwrap();
        let opposite = |way: &Option<Direction>| way.map(|way| if way == Up { Down } else { Up });
        prop_assert_eq!(back.iter().map(opposite).collect::<Vec<_>>(), expected);
    }
}
