//! Writing and reading 10,000 typed candles, format by format.
//!
//! `cargo bench -p toolgate-compare --features toon --bench codec`. For ratios use the program
//! `ratios`, which takes turns: on a shared machine the groups here run at different times.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use toolgate_compare::candles::rows;
use toolgate_compare::codec::{codecs, text};

const ROWS: usize = 10_000;

fn codec(criterion: &mut Criterion) {
    let rows = rows(ROWS);
    let Ok(codecs) = codecs() else { return };

    let mut group = criterion.benchmark_group("encode");
    group.throughput(Throughput::Elements(ROWS as u64));
    for codec in &codecs {
        group.bench_function(codec.name(), |b| b.iter(|| codec.encode(black_box(&rows))));
    }
    group.finish();

    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Elements(ROWS as u64));
    for codec in &codecs {
        match text(codec.as_ref(), &rows) {
            Ok(text) => {
                group.bench_function(codec.name(), |b| b.iter(|| codec.decode(black_box(&text))));
            }
            Err(error) => {
                eprintln!("{}: {error}", codec.name());
                std::process::exit(1);
            }
        }
    }
    group.finish();
}

criterion_group!(benches, codec);
criterion_main!(benches);
