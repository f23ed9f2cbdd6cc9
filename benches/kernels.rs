//! The kernels against loops written by hand, a plan by the bar, and what it costs to
//! save and resume.
//!
//! `cargo bench --bench kernels` first prints a table of ratios: the ways are measured
//! in turn within one loop, so that a busy machine slows all of them alike, and the
//! quickest turn of each counts. The measurements of criterion follow.

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use toolgate_kernels::{Columns, Ema, Kernel, Numbers, Outputs, Plan, Seed, Sma};

const BARS: usize = 100_000;
/// A year of hourly bars, and the rows of a chunk.
const YEAR: usize = 8_760;
const CHUNK: usize = 500;

const FOUR_NODES: &str = r#"{"inputs":["close"],"nodes":[
    {"id":"sma20","kernel":"sma","input":"close","period":20},
    {"id":"sma50","kernel":"sma","input":"close","period":50},
    {"id":"ema12","kernel":"ema","input":"close","period":12,"seed":"sma"},
    {"id":"x","kernel":"cross","fast":"sma20","slow":"sma50"}],
    "outputs":["sma20","sma50","ema12","x"]}"#;

const SIX_NODES: &str = r#"{"inputs":["close"],"nodes":[
    {"id":"sma20","kernel":"sma","input":"close","period":20},
    {"id":"sma50","kernel":"sma","input":"close","period":50},
    {"id":"ema12","kernel":"ema","input":"close","period":12,"seed":"sma"},
    {"id":"ema26","kernel":"ema","input":"close","period":26,"seed":"sma"},
    {"id":"x","kernel":"cross","fast":"sma20","slow":"sma50"},
    {"id":"y","kernel":"cross","fast":"ema12","slow":"ema26"}],
    "outputs":["sma20","sma50","ema12","ema26","x","y"]}"#;

/// A random walk from 1000 in steps of at most 1/2 (SplitMix64 from 42), reflected at 10.
fn walk(bars: usize) -> Vec<f64> {
    let mut state = 42_u64;
    let mut price = 1000.0;
    (0..bars)
        .map(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^= z >> 31;
            let unit = f64::from(u32::try_from(z >> 32).unwrap_or(0)) / 4_294_967_296.0;
            price = f64::max(price + unit - 0.5, 10.0);
            price
        })
        .collect()
}

/// The moving average that most libraries have: a ring and a running sum, which drifts.
fn running_sum(xs: &[f64], n: usize, out: &mut Vec<f64>) {
    out.resize(xs.len(), 0.0);
    let divisor = f64::from(u32::try_from(n).unwrap_or(1));
    let mut ring = vec![0.0; n];
    let mut at = 0;
    let mut sum = 0.0;
    for (x, mean) in xs.iter().zip(out) {
        sum -= ring[at];
        sum += *x;
        ring[at] = *x;
        at += 1;
        if at == n {
            at = 0;
        }
        *mean = sum / divisor;
    }
}

fn hand_ema(xs: &[f64], n: u32, out: &mut Vec<f64>) {
    out.resize(xs.len(), 0.0);
    let a = 2.0 / (f64::from(n) + 1.0);
    let mut y = xs.first().copied().unwrap_or(0.0);
    for (x, average) in xs.iter().zip(out) {
        y += a * (x - y);
        *average = y;
    }
}

struct Data {
    times: Vec<i64>,
    close: Vec<f64>,
    four: Plan,
    six: Plan,
}

impl Data {
    fn new() -> Result<Self, toolgate_kernels::Error> {
        Ok(Self {
            times: (0..).take(BARS).map(|bar| bar * 60_000).collect(),
            close: walk(BARS),
            four: Plan::from_json(FOUR_NODES)?,
            six: Plan::from_json(SIX_NODES)?,
        })
    }

    /// One pass in chunks, with the state saved and restored after each if `resume`.
    fn chunks(&self, bars: usize, rows: usize, resume: bool, out: &mut Outputs) {
        let mut run = self.four.start();
        for (times, close) in self.times[..bars]
            .chunks(rows)
            .zip(self.close[..bars].chunks(rows))
        {
            let taken = run.push_into(
                &Columns {
                    time_ms: times,
                    columns: &[("close", close)],
                },
                out,
            );
            assert!(taken.is_ok());
            black_box(&*out);
            if resume {
                let state = black_box(run.save());
                if let Ok(restored) = self.four.restore(&state) {
                    run = restored;
                }
            }
        }
        assert_eq!(run.bars(), bars as u64);
    }

    fn pass(&self, plan: &Plan, out: &mut Outputs) {
        let columns = [("close", self.close.as_slice())];
        let taken = plan.start().push_into(
            &Columns {
                time_ms: &self.times,
                columns: &columns,
            },
            out,
        );
        assert!(taken.is_ok());
        black_box(&*out);
    }
}

/// One way to do the work, by name, and the bars it goes over.
struct Way<'a> {
    name: &'static str,
    bars: usize,
    work: Box<dyn FnMut() + 'a>,
}

fn ways<'a>(data: &'a Data, warm: &'a Sma) -> Vec<Way<'a>> {
    let close = data.close.as_slice();
    let mut ways: Vec<Way<'a>> = Vec::new();
    let mut way = |name, bars, work: Box<dyn FnMut() + 'a>| ways.push(Way { name, bars, work });
    let mut out = Vec::new();
    way(
        "SMA(50), running sum by hand",
        BARS,
        Box::new(move || {
            running_sum(black_box(close), 50, &mut out);
            black_box(&out);
        }),
    );
    let mut out = Numbers::default();
    way(
        "SMA(50), correctly rounded",
        BARS,
        Box::new(move || {
            out.clear();
            let taken = Sma::new(50).and_then(|mut sma| sma.push_slice(black_box(close), &mut out));
            assert!(taken.is_ok());
            black_box(&out);
        }),
    );
    let mut out = Vec::new();
    way(
        "EMA(26), loop by hand",
        BARS,
        Box::new(move || {
            hand_ema(black_box(close), 26, &mut out);
            black_box(&out);
        }),
    );
    let mut out = Numbers::default();
    way(
        "EMA(26)",
        BARS,
        Box::new(move || {
            out.clear();
            let taken = Ema::new(26, Seed::First)
                .and_then(|mut ema| ema.push_slice(black_box(close), &mut out));
            assert!(taken.is_ok());
            black_box(&out);
        }),
    );
    let mut out = Outputs::default();
    way(
        "plan of four nodes",
        BARS,
        Box::new(move || data.pass(&data.four, &mut out)),
    );
    let mut out = Outputs::default();
    way(
        "plan of six nodes",
        BARS,
        Box::new(move || data.pass(&data.six, &mut out)),
    );
    let mut out = Outputs::default();
    way(
        "a year of hours in one pass",
        YEAR,
        Box::new(move || {
            data.chunks(YEAR, YEAR, false, &mut out);
        }),
    );
    let mut out = Outputs::default();
    way(
        "a year in chunks of 500",
        YEAR,
        Box::new(move || {
            data.chunks(YEAR, CHUNK, false, &mut out);
        }),
    );
    let mut out = Outputs::default();
    way(
        "a year in chunks of 500, saved and restored",
        YEAR,
        Box::new(move || {
            data.chunks(YEAR, CHUNK, true, &mut out);
        }),
    );
    let mut state = Vec::new();
    way(
        "save and restore of SMA(50), a time",
        1_000,
        Box::new(move || {
            for _ in 0..1_000 {
                state.clear();
                black_box(warm).snapshot_into(&mut state);
                assert!(black_box(Sma::restore(black_box(&state))).is_ok());
            }
        }),
    );
    ways
}

/// Prints nanoseconds a bar and ratios, all ways in turn.
fn table(data: &Data, warm: &Sma) {
    let mut ways = ways(data, warm);
    let mut best = vec![f64::INFINITY; ways.len()];
    for _ in 0..60 {
        for (way, best) in ways.iter_mut().zip(&mut best) {
            let start = Instant::now();
            (way.work)();
            let bars = f64::from(u32::try_from(way.bars).unwrap_or(u32::MAX));
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / bars);
        }
    }
    println!("| way | ns a bar | ratio |\n|---|---|---|");
    for (at, way) in ways.iter().enumerate() {
        // The kernels to the loops above them, the chunks to the one pass.
        let base = match at {
            1 | 3 => Some(at - 1),
            7 | 8 => Some(6),
            _ => None,
        };
        let ratio = base.map_or_else(String::new, |base| format!("{:.2}", best[at] / best[base]));
        println!("| {} | {:.2} | {ratio} |", way.name, best[at]);
    }
}

fn main() -> Result<(), toolgate_kernels::Error> {
    let data = Data::new()?;
    let mut warm = Sma::new(50)?;
    warm.push_slice(&data.close[..777], &mut Numbers::default())?;
    // `cargo test --benches` only asks whether it runs.
    if !std::env::args().any(|arg| arg == "--test") {
        table(&data, &warm);
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("kernels");
    for mut way in ways(&data, &warm) {
        group.throughput(Throughput::Elements(way.bars as u64));
        group.bench_function(way.name, |bencher| bencher.iter(|| (way.work)()));
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}
