//! Writing and reading 10,000 synthetic candles: QRP1 beside serde_json on the same rows.
//!
//! `cargo bench -p toolgate-benches --bench codec`. Compare the two of a group in one run;
//! absolute times say little on a shared machine.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use qrp1::{Caps, Cell, Column, ColumnType, Document, Layout, Meta, PageWriter};
use serde::{Deserialize, Serialize};

const ROWS: usize = 10_000;
const START_MS: i64 = 1_788_825_600_000;
const HOUR_MS: i64 = 3_600_000;

#[derive(Serialize, Deserialize)]
struct Candle {
    dt_ms: i64,
    o: f64,
    h: f64,
    l: f64,
    c: f64,
    v: f64,
    closed: bool,
}

/// A synthetic walk in hundredths, by SplitMix64 from seed 1.
fn candles() -> Vec<Candle> {
    let mut state = 1u64;
    let mut draw = |most: u64| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        i64::try_from((z ^ (z >> 31)) % most).unwrap_or(0)
    };
    let mut price = 50_000i64;
    let mut dt_ms = 0;
    let number = |ticks: i64| ticks as f64 / 100.0;
    (0..ROWS)
        .map(|_| {
            let (o, c) = (price, price + draw(401) - 200);
            let (h, l) = (o.max(c) + draw(150), o.min(c) - draw(150));
            let v = 10_000 + draw(105_000);
            price = (c + draw(41) - 20).clamp(11_000, 98_999);
            dt_ms += HOUR_MS;
            Candle {
                dt_ms: dt_ms - HOUR_MS,
                o: number(o),
                h: number(h),
                l: number(l),
                c: number(c),
                v: number(v),
                closed: true,
            }
        })
        .collect()
}

fn layout() -> Result<Layout, qrp1::Error> {
    let number = |name| Column::new(name, ColumnType::F64);
    Layout::series(
        Some(START_MS),
        [
            Column::new("dt_ms", ColumnType::Offset),
            number("o"),
            number("h"),
            number("l"),
            number("c"),
            number("v"),
            Column::new("closed", ColumnType::Bool),
        ],
    )
}

fn write(layout: &Layout, candles: &[Candle]) -> Result<String, qrp1::Error> {
    let mut page = PageWriter::new(layout, Caps::default(), None)?;
    for candle in candles {
        page.push(&[
            Cell::Time(START_MS + candle.dt_ms),
            Cell::F64(candle.o),
            Cell::F64(candle.h),
            Cell::F64(candle.l),
            Cell::F64(candle.c),
            Cell::F64(candle.v),
            Cell::Bool(candle.closed),
        ])?;
    }
    Ok(page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?.text)
}

fn codec(criterion: &mut Criterion) {
    let candles = candles();
    let (Ok(layout), Ok(json)) = (layout(), serde_json::to_string(&candles)) else {
        return;
    };
    let Ok(text) = write(&layout, &candles) else {
        return;
    };

    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("qrp1", |b| {
        b.iter(|| write(black_box(&layout), black_box(&candles)))
    });
    group.bench_function("serde_json", |b| {
        b.iter(|| serde_json::to_string(black_box(&candles)))
    });
    group.finish();

    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.bench_function("qrp1", |b| b.iter(|| Document::parse(black_box(&text))));
    group.bench_function("serde_json", |b| {
        b.iter(|| serde_json::from_str::<Vec<Candle>>(black_box(&json)));
    });
    group.finish();
}

criterion_group!(benches, codec);
criterion_main!(benches);
