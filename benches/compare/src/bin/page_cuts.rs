//! Milliseconds to write a page of about 500 rows under a cap in bytes, and in exact tokens.
//!
//! `cargo run -p toolgate-compare --release --features fast --bin page_cuts`

use std::hint::black_box;

use qrp1::{Caps, TokenCounter};
use toolgate_compare::Error;
use toolgate_compare::page_cut::{Counted, PageCut};
use toolgate_compare::round_robin::RoundRobin;
#[cfg(feature = "fast")]
use toolgate_tokens::FastTiktoken;
use toolgate_tokens::Tiktoken;

const ROUNDS: usize = 31;

fn main() -> Result<(), Error> {
    let cut = PageCut::new()?;
    let bytes = |max| Caps {
        max_bytes: Some(max),
        ..Caps::default()
    };
    let tokens = |max| Caps {
        max_tokens: Some(max),
        ..Caps::default()
    };
    let tiktoken = Counted(Tiktoken::o200k().preload());
    #[cfg(feature = "fast")]
    let fast = Counted(FastTiktoken::o200k().preload());
    type Entry<'c> = (&'static str, Caps, Option<&'c dyn TokenCounter>);
    let entries: Vec<Entry<'_>> = vec![
        ("bytes (19,000)", bytes(19_000), None),
        (
            "exact tokens (11,200), tiktoken",
            tokens(11_200),
            Some(&tiktoken),
        ),
        #[cfg(feature = "fast")]
        ("exact tokens (11,200), fast", tokens(11_200), Some(&fast)),
        (
            "tokens far above (40,000)",
            Caps {
                max_rows: Some(500),
                ..tokens(40_000)
            },
            Some(&tiktoken),
        ),
    ];
    let mut race = RoundRobin::default();
    let mut rows = Vec::new();
    for (_, caps, counter) in &entries {
        rows.push(cut.page(*caps, *counter)?.1);
        race.add(|| {
            black_box(cut.page(black_box(*caps), *counter)?);
            Ok(())
        })?;
    }
    println!("{ROUNDS} rounds in turns; o200k_base; milliseconds a page\n");
    println!("| page cut by | rows | median | best |");
    println!("|---|---:|---:|---:|");
    for ((entry, rows), timing) in entries.iter().zip(rows).zip(race.run(ROUNDS)?) {
        println!(
            "| {} | {rows} | {:.3} | {:.3} |",
            entry.0,
            timing.median_ns / 1e6,
            timing.best_ns / 1e6
        );
    }
    if cfg!(not(feature = "fast")) {
        println!("\nThe faster engine is left out; `--features fast` brings it.");
    }
    Ok(())
}
