//! The generator and the compact JSON are pinned: the other formats are given in per cent of it.
#![allow(clippy::unwrap_used)]

use toolgate_compare::candles::candles;
use toolgate_compare::format::Size;
use toolgate_compare::json_pages::JSON;
use toolgate_compare::seed_form::SEED;
use toolgate_tokens::Tiktoken;

#[test]
fn compact_json_lands_on_the_published_sizes() {
    let expected = [
        (1, 1, 657, 250),
        (500, 1, 61_293, 26_228),
        (5_000, 10, 616_623, 264_617),
        (10_000, 20, 1_233_566, 529_472),
    ];
    for (rows, pages, bytes, tokens) in expected {
        let size = JSON.size(&candles(rows), &Tiktoken::o200k()).unwrap();
        let expected = Size {
            pages,
            bytes,
            tokens,
        };
        assert_eq!(size, expected, "{rows} rows");
    }
}

#[test]
fn the_article_is_as_near_as_is_said() {
    for seed in SEED {
        let size = JSON.size(&candles(seed.rows), &Tiktoken::o200k()).unwrap();
        let off = |ours: usize, theirs: usize| 100.0 * (ours as f64 / theirs as f64 - 1.0).abs();
        let (bytes, tokens) = if seed.rows == 1 {
            (1.3, 1.3)
        } else {
            (0.2, 0.4)
        };
        assert!(off(size.bytes, seed.json.0) < bytes, "{} rows", seed.rows);
        assert!(off(size.tokens, seed.json.1) < tokens, "{} rows", seed.rows);
    }
}
