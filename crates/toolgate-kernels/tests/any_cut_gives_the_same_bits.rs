//! Any chunking, with the state saved and restored at every cut, gives the bits of one
//! pass: kernels and random plans, results, events, summaries and final states.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "series/synthetic.rs"]
mod synthetic;

use std::collections::BTreeMap;

use proptest::prelude::*;
use synthetic::{Uniform, bits};
use toolgate_kernels::{
    Columns, Cross, Direction, Ema, Error, Event, Kernel, Lines, Numbers, Output, Plan, Seed, Sma,
};

/// A row of values of one kind, by a seed: like prices, with ties, wide, or extreme.
fn series(kind: usize, seed: u64, rows: usize) -> Vec<f64> {
    let mut u = Uniform(seed);
    match kind {
        0 => (0..rows).map(|_| 100.0 + u.next()).collect(),
        1 => (0..rows).map(|_| (u.next() * 4.0).floor()).collect(),
        2 => (0..rows)
            .map(|_| (u.next() - 0.5) * 10.0_f64.powi(i32::try_from(u.below(60)).unwrap() - 30))
            .collect(),
        3 => synthetic::any_finite(rows, seed),
        _ => (0..rows)
            .map(|_| if u.below(2) == 0 { f64::MAX } else { -f64::MAX } * (1.0 - u.next() * 1e-9))
            .collect(),
    }
}

/// Lengths that add up to `rows`, some of them 0.
fn cuts(seed: u64, rows: usize, most: usize) -> Vec<usize> {
    let mut u = Uniform(seed);
    let mut left = rows;
    let mut cuts = Vec::new();
    while left > 0 {
        let cut = u.below(most + 1).min(left);
        cuts.push(cut);
        left -= cut;
    }
    cuts
}

fn numbers_of<K>(kernel: K, xs: &[f64], cuts: &[usize]) -> (Vec<Option<u64>>, Vec<u8>)
where
    K: for<'a> Kernel<Slice<'a> = &'a [f64], Column = Numbers>,
{
    let mut kernel = kernel;
    let mut out = Numbers::default();
    let mut rest = xs;
    for cut in cuts {
        let (now, after) = rest.split_at(*cut);
        kernel.push_slice(now, &mut out).unwrap();
        kernel = K::restore(&kernel.snapshot()).unwrap();
        rest = after;
    }
    assert!(rest.is_empty());
    (bits(out.iter()), kernel.snapshot())
}

/// The same by single pushes, with peeks on the way, which must tell what comes.
fn numbers_one_by_one<K>(kernel: K, xs: &[f64]) -> (Vec<Option<u64>>, Vec<u8>)
where
    K: for<'a> Kernel<Input = f64, Output = f64>,
{
    let mut kernel = kernel;
    let mut out = Vec::new();
    for x in xs {
        let before = kernel.snapshot();
        let peeked = kernel.peek(*x).unwrap();
        assert_eq!(kernel.snapshot(), before);
        out.push(kernel.push(*x).unwrap());
        assert_eq!(bits([peeked]), bits(out.last().copied()));
    }
    (bits(out), kernel.snapshot())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: 200, ..ProptestConfig::default()
    })]

    #[test]
    fn of_an_average(
        kind in 0_usize..5, seed: u64, rows in 0_usize..250, period in 1_u32..60, most in 1_usize..40,
    ) {
        let xs = series(kind, seed, rows);
        let cuts = cuts(seed ^ 1, rows, most);
        let sma = Sma::new(period).unwrap();
        let whole = numbers_of(sma.clone(), &xs, &[rows]);
        prop_assert_eq!(&whole, &numbers_of(sma.clone(), &xs, &cuts));
        prop_assert_eq!(&whole, &numbers_one_by_one(sma, &xs));
        for seed in Seed::ALL {
            let ema = Ema::new(period, seed).unwrap();
            let whole = numbers_of(ema, &xs, &[rows]);
            prop_assert_eq!(&whole, &numbers_of(ema, &xs, &cuts));
            prop_assert_eq!(&whole, &numbers_one_by_one(ema, &xs));
        }
    }

    #[test]
    fn of_a_cross(kind in 0_usize..5, seed: u64, rows in 0_usize..200, most in 1_usize..20) {
        let fast = series(kind, seed, rows);
        let slow = series(kind, seed ^ 2, rows);
        let mut whole = Vec::new();
        let mut one = Cross::new();
        one.push_slice(Lines::Both { fast: &fast, slow: &slow }, &mut whole).unwrap();
        let mut by_cut = Vec::new();
        let mut kernel = Cross::new();
        let mut at = 0;
        for cut in cuts(seed ^ 1, rows, most) {
            let lines = Lines::Both { fast: &fast[at..at + cut], slow: &slow[at..at + cut] };
            kernel.push_slice(lines, &mut by_cut).unwrap();
            kernel = Cross::restore(&kernel.snapshot()).unwrap();
            at += cut;
        }
        prop_assert_eq!(&whole, &by_cut);
        prop_assert_eq!(one.snapshot(), kernel.snapshot());
    }
}

/// A node of a random plan, in an order in which it reads only inputs and nodes before it.
#[derive(Debug, Clone)]
enum Node {
    Sma(Side, u32),
    Ema(Side, u32, Seed),
    Cross(Side, Side),
}

#[derive(Debug, Clone, PartialEq)]
enum Side {
    Line(String),
    Level(f64),
}

#[derive(Debug, Clone)]
struct Drawn {
    inputs: Vec<String>,
    nodes: Vec<(String, Node)>,
    outputs: Vec<String>,
}

impl Drawn {
    fn draw(seed: u64) -> Self {
        let mut u = Uniform(seed);
        let inputs: Vec<String> = ["close", "open", "volume"][..=u.below(3)]
            .iter()
            .map(|s| (*s).to_owned())
            .collect();
        let mut lines = inputs.clone();
        let mut nodes = Vec::new();
        for at in 0..=u.below(8) {
            // Ids whose sorted order is not the order in which they can be computed.
            let id = format!("n{}", (at * 37 + 11) % 64);
            let line = |u: &mut Uniform| lines[u.below(lines.len())].clone();
            let period = u32::try_from(1 + u.below(30)).unwrap();
            let node = match u.below(4) {
                0 => Node::Sma(Side::Line(line(&mut u)), period),
                1 => Node::Ema(Side::Line(line(&mut u)), period, Seed::ALL[u.below(3)]),
                _ => {
                    let fast = Side::Line(line(&mut u));
                    let slow = Side::Line(line(&mut u));
                    match u.below(4) {
                        0 => Node::Cross(fast, Side::Level(100.3)),
                        1 => Node::Cross(Side::Level(1.5), slow),
                        _ if fast != slow => Node::Cross(fast, slow),
                        _ => Node::Cross(fast, Side::Level(0.0)),
                    }
                }
            };
            if !matches!(node, Node::Cross(..)) {
                lines.push(id.clone());
            }
            nodes.push((id, node));
        }
        let mut outputs: Vec<String> = nodes.iter().map(|(id, _)| id.clone()).collect();
        outputs.retain(|_| u.below(3) > 0);
        if outputs.is_empty() {
            outputs.push(nodes[0].0.clone());
        }
        if u.below(2) == 0 {
            outputs.reverse();
        }
        Self {
            inputs,
            nodes,
            outputs,
        }
    }

    fn json(&self, reversed: bool) -> String {
        let side = |side: &Side| match side {
            Side::Line(name) => format!("{name:?}"),
            Side::Level(level) => format!("{level}"),
        };
        let mut nodes: Vec<String> = self
            .nodes
            .iter()
            .map(|(id, node)| match node {
                Node::Sma(input, period) => format!(
                    r#"{{"id":"{id}","kernel":"sma","input":{},"period":{period}}}"#,
                    side(input)
                ),
                Node::Ema(input, period, seed) => format!(
                    r#"{{"id":"{id}","kernel":"ema","input":{},"period":{period},"seed":"{}"}}"#,
                    side(input),
                    seed.name()
                ),
                Node::Cross(fast, slow) => format!(
                    r#"{{"id":"{id}","kernel":"cross","fast":{},"slow":{}}}"#,
                    side(fast),
                    side(slow)
                ),
            })
            .collect();
        if reversed {
            nodes.reverse();
        }
        format!(
            r#"{{"inputs":{:?},"nodes":[{}],"outputs":{:?}}}"#,
            self.inputs,
            nodes.join(","),
            self.outputs
        )
    }

    /// Each output bar by bar, by kernels on their own: numbers, or cells and events.
    fn by_hand(&self, columns: &BTreeMap<String, Vec<f64>>, times: &[i64]) -> Vec<Hand> {
        let mut lines: BTreeMap<String, Vec<Option<f64>>> = columns
            .iter()
            .map(|(name, xs)| (name.clone(), xs.iter().copied().map(Some).collect()))
            .collect();
        let mut hands = BTreeMap::new();
        for (id, node) in &self.nodes {
            let values = |side: &Side| match side {
                Side::Line(name) => lines[name].clone(),
                Side::Level(level) => vec![Some(*level); times.len()],
            };
            match node {
                Node::Sma(input, period) => {
                    let mut sma = Sma::new(*period).unwrap();
                    let out: Vec<_> = values(input)
                        .into_iter()
                        .map(|x| x.and_then(|x| sma.push(x).unwrap()))
                        .collect();
                    hands.insert(id.clone(), Hand::Numbers(bits(out.clone())));
                    lines.insert(id.clone(), out);
                }
                Node::Ema(input, period, seed) => {
                    let mut ema = Ema::new(*period, *seed).unwrap();
                    let out: Vec<_> = values(input)
                        .into_iter()
                        .map(|x| x.and_then(|x| ema.push(x).unwrap()))
                        .collect();
                    hands.insert(id.clone(), Hand::Numbers(bits(out.clone())));
                    lines.insert(id.clone(), out);
                }
                Node::Cross(fast, slow) => {
                    let mut cross = Cross::new();
                    let mut cells = Vec::new();
                    let mut events = Vec::new();
                    for (bar, pair) in values(fast).into_iter().zip(values(slow)).enumerate() {
                        let (Some(fast), Some(slow)) = pair else {
                            cells.push((false, None));
                            continue;
                        };
                        let cell = cross.push((fast, slow)).unwrap();
                        cells.push((true, cell));
                        if let Some(way) = cell {
                            events.push((
                                bar as u64,
                                times[bar],
                                way,
                                fast.to_bits(),
                                slow.to_bits(),
                            ));
                        }
                    }
                    hands.insert(id.clone(), Hand::Events(cells, events));
                }
            }
        }
        self.outputs.iter().map(|id| hands[id].clone()).collect()
    }
}

type EventBits = (u64, i64, Direction, u64, u64);

#[derive(Debug, Clone, PartialEq)]
enum Hand {
    Numbers(Vec<Option<u64>>),
    Events(Vec<(bool, Option<Direction>)>, Vec<EventBits>),
}

fn event_bits(event: &Event) -> EventBits {
    (
        event.bar,
        event.time_ms,
        event.direction,
        event.fast.to_bits(),
        event.slow.to_bits(),
    )
}

/// All results of a run over the pieces, saved and restored at every cut.
fn by_cuts(
    plan: &Plan,
    columns: &BTreeMap<String, Vec<f64>>,
    times: &[i64],
    cuts: &[usize],
) -> Result<(Vec<Hand>, String, Vec<u8>), Error> {
    let mut run = plan.start();
    let mut hands: Vec<Option<Hand>> = vec![None; plan.outputs().count()];
    let mut at = 0;
    for cut in cuts {
        let piece: Vec<(&str, &[f64])> = columns
            .iter()
            .map(|(name, xs)| (name.as_str(), &xs[at..at + cut]))
            .collect();
        let out = run.push(&Columns {
            time_ms: &times[at..at + cut],
            columns: &piece,
        })?;
        assert_eq!((out.first_bar(), out.rows()), (at as u64, *cut));
        assert!(out.iter().map(|(id, _)| id).eq(plan.outputs()));
        for ((_, output), hand) in out.iter().zip(&mut hands) {
            match (output, hand) {
                (Output::Numbers(numbers), Some(Hand::Numbers(all))) => {
                    all.extend(bits(numbers.iter()));
                }
                (Output::Numbers(numbers), hand) => {
                    *hand = Some(Hand::Numbers(bits(numbers.iter())));
                }
                (
                    Output::Events {
                        cells,
                        validity,
                        events,
                    },
                    hand,
                ) => {
                    let Some(Hand::Events(all_cells, all_events)) =
                        Some(hand.get_or_insert(Hand::Events(Vec::new(), Vec::new())))
                    else {
                        panic!("an output keeps its kind");
                    };
                    all_cells.extend(validity.iter().zip(cells.iter().copied()));
                    all_events.extend(events.iter().map(event_bits));
                }
                _ => panic!("no other kind"),
            }
        }
        let state = run.save();
        assert!(state.len() as u64 <= plan.max_state_bytes());
        let restored = plan.restore(&state)?;
        assert_eq!(restored.save(), state);
        assert_eq!(restored.summary(), run.summary());
        run = restored;
        at += cut;
    }
    // The text of the summary tells -0 from 0 and has every bit of a float.
    let summary = format!("{:?}", run.summary());
    Ok((hands.into_iter().flatten().collect(), summary, run.save()))
}

fn check_plan(seed: u64, rows: usize, kind: usize, most: usize) {
    let drawn = Drawn::draw(seed);
    let plan = Plan::from_json(&drawn.json(false)).unwrap();
    assert_eq!(
        plan,
        Plan::from_json(&drawn.json(true)).unwrap(),
        "order of nodes is free"
    );
    assert_eq!(plan, Plan::from_json(plan.to_json()).unwrap());
    let columns: BTreeMap<String, Vec<f64>> = drawn
        .inputs
        .iter()
        .zip(0..)
        .map(|(name, at)| (name.clone(), series(kind, seed ^ at, rows)))
        .collect();
    let mut u = Uniform(seed ^ 99);
    let mut time = -1_000_000_000_000;
    let times: Vec<i64> = (0..rows)
        .map(|_| {
            time += 1 + i64::try_from(u.below(100_000)).unwrap();
            time
        })
        .collect();
    let whole = by_cuts(&plan, &columns, &times, &[rows]).unwrap();
    assert_eq!(whole.0, drawn.by_hand(&columns, &times));
    let cut = by_cuts(&plan, &columns, &times, &cuts(seed ^ 5, rows, most)).unwrap();
    assert_eq!(whole, cut);
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None, cases: 250, ..ProptestConfig::default()
    })]

    #[test]
    fn of_a_plan(seed: u64, rows in 1_usize..300, kind in 0_usize..5, most in 1_usize..50) {
        check_plan(seed, rows, kind, most);
    }
}

#[test]
fn of_plans_over_many_rows_cut_bar_by_bar_and_in_blocks() {
    for seed in 0..6 {
        check_plan(seed, 5_000, 1, 2_500);
        check_plan(seed, 1_500, 0, 1);
    }
}
