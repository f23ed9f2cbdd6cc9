//! Bytes and tokens of the synthetic candles, format by format.
//!
//! `cargo run -p toolgate-compare --release --features toon --bin candles`

use toolgate_compare::Error;
use toolgate_compare::candles::candles;
use toolgate_compare::format::formats;
use toolgate_compare::seed_form::SEED;
use toolgate_tokens::{Tiktoken, TokenCounter};

fn main() -> Result<(), Error> {
    let counter = Tiktoken::o200k();
    println!("tokens: {}; pages of 500 rows\n", counter.vocabulary());
    println!("| rows | format | bytes | tokens | % of JSON bytes | % of JSON tokens |");
    println!("|---:|---|---:|---:|---:|---:|");
    for seed in SEED {
        let candles = candles(seed.rows);
        let mut json = None;
        for format in formats() {
            let size = format.size(&candles, &counter)?;
            let json = *json.get_or_insert((size.bytes, size.tokens));
            line(seed.rows, format.name, (size.bytes, size.tokens), json);
        }
        line(seed.rows, "(article) compact JSON", seed.json, seed.json);
        line(seed.rows, "(article) QRP1", seed.qrp1, seed.json);
    }
    if cfg!(not(feature = "toon")) {
        println!("\nTOON is left out; `--features toon` brings it.");
    }
    Ok(())
}

fn line(rows: usize, name: &str, size: (usize, usize), json: (usize, usize)) {
    let share = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    println!(
        "| {rows} | {name} | {} | {} | {:.1} | {:.1} |",
        size.0,
        size.1,
        share(size.0, json.0),
        share(size.1, json.1)
    );
}
