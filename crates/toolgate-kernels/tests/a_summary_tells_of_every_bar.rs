//! The summary of a run equals one made from all of its results.
#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "series/synthetic.rs"]
mod synthetic;

use proptest::prelude::*;
use synthetic::Uniform;
use toolgate_kernels::{Columns, Direction, Mark, OutputSummary, Plan};

const PLAN: &str = r#"{"inputs":["close"],"nodes":[
    {"id":"sma3","kernel":"sma","input":"close","period":3},
    {"id":"x","kernel":"cross","fast":"close","slow":"sma3"}],"outputs":["x","sma3"]}"#;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn however_it_was_cut(seed: u64, rows in 0_usize..60, most in 1_usize..9) {
        let mut u = Uniform(seed);
        let close: Vec<f64> = (0..rows).map(|_| (u.next() * 6.0).floor() - 2.0).collect();
        let times: Vec<i64> = (0..).take(rows).map(|row| row * 60_000 - 300_000).collect();
        let mut run = Plan::from_json(PLAN).unwrap().start();
        let mut marks = Vec::new();
        let mut ways = Vec::new();
        let mut at = 0;
        while at < rows {
            let end = rows.min(at + 1 + u.below(most));
            let chunk =
                Columns { time_ms: &times[at..end], columns: &[("close", &close[at..end])] };
            let out = run.push(&chunk).unwrap();
            ways.extend(out.events("x").unwrap().iter().map(|event| event.direction));
            for (row, value) in out.number("sma3").unwrap().iter().enumerate() {
                let bar = at + row;
                marks.extend(value.map(|value| Mark { bar: bar as u64, time_ms: times[bar], value }));
            }
            at = end;
        }
        let summary = run.summary();
        prop_assert_eq!(summary.bars, rows as u64);
        prop_assert_eq!(summary.first_time_ms, times.first().copied());
        prop_assert_eq!(summary.last_time_ms, times.last().copied());
        let up = ways.iter().filter(|way| **way == Direction::Up).count() as u64;
        let down = ways.len() as u64 - up;
        prop_assert_eq!(&summary.outputs[0], &OutputSummary::Events { id: "x".into(), up, down });
        let OutputSummary::Numbers { count, range, .. } = &summary.outputs[1] else { panic!() };
        prop_assert_eq!(*count, marks.len() as u64);
        if let Some(range) = range {
            let earliest = |better: fn(f64, f64) -> bool| {
                marks.iter().copied().reduce(|a, b| if better(b.value, a.value) { b } else { a })
            };
            prop_assert_eq!(Some(range.first), marks.first().copied());
            prop_assert_eq!(Some(range.last), marks.last().copied());
            prop_assert_eq!(Some(range.min), earliest(|b, a| b < a));
            prop_assert_eq!(Some(range.max), earliest(|b, a| b > a));
        } else {
            prop_assert!(marks.is_empty());
        }
    }
}
