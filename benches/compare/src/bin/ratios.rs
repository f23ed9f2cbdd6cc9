//! Nanoseconds a row to write and to read 10,000 typed candles, and the ratios, in one run.
//!
//! `cargo run -p toolgate-compare --release --bin ratios`

use std::hint::black_box;

use toolgate_compare::Error;
use toolgate_compare::candles::rows;
use toolgate_compare::codec::{Codec, codecs, text};
use toolgate_compare::round_robin::{RoundRobin, Timing};

const ROWS: usize = 10_000;
const ROUNDS: usize = 31;

fn main() -> Result<(), Error> {
    let rows = rows(ROWS);
    let codecs = codecs()?;
    let texts = codecs
        .iter()
        .map(|codec| text(codec.as_ref(), &rows))
        .collect::<Result<Vec<_>, _>>()?;

    let mut encode = RoundRobin::default();
    for codec in &codecs {
        encode.add(|| {
            black_box(codec.encode(black_box(&rows))?);
            Ok(())
        })?;
    }
    let encode = encode.run(ROUNDS)?;

    let mut decode = RoundRobin::default();
    for (codec, text) in codecs.iter().zip(&texts) {
        decode.add(|| {
            black_box(codec.decode(black_box(text))?);
            Ok(())
        })?;
    }
    let decode = decode.run(ROUNDS)?;

    let first = codecs.first().map_or("", |codec| codec.name());
    println!("{ROWS} typed rows, {ROUNDS} rounds in turns; ns/row; times is the median of the");
    println!("rounds' ratios to {first}");
    print("encode", &codecs, &texts, &encode);
    print("decode", &codecs, &texts, &decode);
    if cfg!(feature = "toon") {
        println!("\nserde_json is built with preserve_order and float_roundtrip, by toon-format;");
        println!("for its own speed run without `--features toon`.");
    } else {
        println!("\nTOON is left out; `--features toon` brings it.");
    }
    Ok(())
}

fn print(what: &str, codecs: &[Box<dyn Codec>], texts: &[String], timings: &[Timing]) {
    println!("\n| {what} | bytes | median | best | times |");
    println!("|---|---:|---:|---:|---:|");
    for ((codec, text), timing) in codecs.iter().zip(texts).zip(timings) {
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.2} |",
            codec.name(),
            text.len(),
            timing.median_ns / ROWS as f64,
            timing.best_ns / ROWS as f64,
            timing.ratio
        );
    }
}
