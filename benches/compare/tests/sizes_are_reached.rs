//! What QRP1 costs on the candles, in per cent of compact JSON with the same facts.
#![allow(clippy::unwrap_used)]

use toolgate_compare::candles::candles;
use toolgate_compare::format::Format;
use toolgate_compare::json_pages::JSON;
use toolgate_compare::qrp1_pages::{ANCHORS, PLAIN, SEED};
use toolgate_compare::seed_form;
use toolgate_tokens::Tiktoken;

/// Per cent of the JSON's bytes and of its tokens.
fn share(format: Format, rows: usize) -> (f64, f64) {
    let candles = candles(rows);
    let size = |format: Format| format.size(&candles, &Tiktoken::o200k()).unwrap();
    let (ours, json) = (size(format), size(JSON));
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    (
        percent(ours.bytes, json.bytes),
        percent(ours.tokens, json.tokens),
    )
}

#[test]
fn pages_of_candles() {
    let (bytes, tokens) = share(PLAIN, 10_000);
    assert!(bytes <= 32.0 && tokens <= 44.0, "{bytes} {tokens}");
    let (bytes, tokens) = share(ANCHORS, 10_000);
    assert!(bytes <= 30.0 && tokens <= 40.0, "{bytes} {tokens}");
}

#[test]
fn one_candle_with_digest_and_crc() {
    let (bytes, tokens) = share(PLAIN, 1);
    assert!(bytes <= 85.0 && tokens <= 85.0, "{bytes} {tokens}");
}

#[test]
fn the_seed_profile_is_as_long_as_the_article_says() {
    for seed in seed_form::SEED {
        let size = SEED.size(&candles(seed.rows), &Tiktoken::o200k()).unwrap();
        for (ours, theirs) in [(size.bytes, seed.qrp1.0), (size.tokens, seed.qrp1.1)] {
            let off = (ours as f64 / theirs as f64 - 1.0).abs();
            assert!(off <= 0.03, "{} rows: {ours}, {theirs}", seed.rows);
        }
    }
}
