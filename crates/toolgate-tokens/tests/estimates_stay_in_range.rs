//! The estimate's ratio to the exact counts is what its documentation states.
#![cfg(any(feature = "tiktoken", feature = "fast"))]

use std::fmt::Write;
use std::ops::RangeInclusive;

#[cfg(feature = "fast")]
use toolgate_tokens::FastTiktoken as Exact;
#[cfg(not(feature = "fast"))]
use toolgate_tokens::Tiktoken as Exact;
use toolgate_tokens::{Estimate, TokenCounter};

fn assert_ratio(kind: &str, text: &str, range: RangeInclusive<f64>) {
    for counter in [Exact::o200k(), Exact::cl100k()] {
        let ratio = Estimate.count(text) as f64 / counter.count(text) as f64;
        println!("{kind}, {}: {ratio:.3}", counter.vocabulary());
        assert!(
            range.contains(&ratio),
            "{kind}, {}: {ratio:.3}",
            counter.vocabulary()
        );
    }
}

/// A fixed sequence of numbers that look random.
fn numbers() -> impl FnMut(u64) -> u64 {
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    move |below| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn rows() {
    let mut next = numbers();
    let (mut klines, mut mixed) = (String::new(), String::new());
    for i in 0..500u64 {
        let price = 42_000 + next(900);
        let _ = writeln!(
            klines,
            "{},{price}.{:02},{}.{:02},{}.{},{}.{:05},{}",
            1_704_067_200_000 + i * 60_000,
            next(100),
            price + 3,
            next(100),
            price - 9,
            next(10),
            next(50),
            next(100_000),
            i % 2 == 0,
        );
        let _ = writeln!(
            mixed,
            "{i},-0.{},,{},2026-11-30T12:{:02}:00Z,{}",
            next(1_000_000),
            ["BTCUSDT", "open", "-", ""][usize::try_from(next(4)).unwrap()],
            i % 60,
            ["t", "f"][usize::try_from(i % 2).unwrap()],
        );
    }
    assert_ratio("rows of klines", &klines, 1.0..=1.1);
    assert_ratio("rows of a mixed table", &mixed, 1.0..=1.1);
}

#[test]
fn json_of_records() {
    let mut next = numbers();
    let records: Vec<String> = (0..300)
        .map(|i| {
            format!(
                r#"{{"id":{i},"user":{{"name":"{}","mail":"u{i}@example.com"}},"price":{}.{:02},"active":{},"tags":["red","blue"],"note":null}}"#,
                ["ann", "bob smith", "carla"][i % 3],
                next(1_000),
                next(100),
                i % 2 == 0,
            )
        })
        .collect();
    assert_ratio("JSON", &format!("[{}]", records.join(",")), 1.0..=1.4);
}

#[test]
fn log_lines() {
    let mut next = numbers();
    let mut log = String::new();
    for i in 0..300 {
        let _ = writeln!(
            log,
            "2026-11-30T12:{:02}:{:02}.{:03}Z {} [worker-{}] request {:08x}{:08x} took {} ms, status={} path=/api/v1/orders/{i}",
            i % 60,
            next(60),
            next(1_000),
            ["INFO", "WARN", "ERROR"][i % 3],
            i % 8,
            next(1 << 32),
            next(1 << 32),
            next(997),
            [200, 404, 500][i % 3],
        );
    }
    assert_ratio("log lines", &log, 1.0..=1.4);
}

const ENGLISH: &str = "\
An agent's context is used as a transfer station. A tool returns thousands of rows; the model \
copies them into the next tool's arguments; intermediate results stay in the history for good; \
the model asks \"done yet?\" in a loop; and every request carries the full schema of every tool. \
Each call succeeds and the flow is still mostly waste.

The harbour master, who had seen forty winters on this coast, folded the telegram twice before he \
answered. \"If they sail tonight they will be in the ice by Thursday,\" he said, \"and no amount of \
insurance is going to bring them out again.\" Nobody in the room contradicted him. Outside, the \
rain had turned to sleet, and the lamps along the quay were going out one after another.

Photosynthesis converts carbon dioxide and water into carbohydrates and oxygen. In most plants the \
reaction takes place in chloroplasts, whose membranes hold the pigments that absorb light. The \
efficiency of the process depends on temperature, irradiance and the concentration of dissolved \
minerals; under natural conditions it rarely exceeds two percent.
";

/// Four paragraphs of plain Chinese, written for this test.
const CHINESE: &str = include_str!("chinese_prose.txt");

#[test]
fn prose() {
    assert_ratio("English prose", ENGLISH, 1.0..=1.4);
    assert_ratio("Chinese prose", CHINESE, 1.0..=2.1);
}

#[test]
fn random_hexadecimal_is_low() {
    let mut next = numbers();
    let hex: String = (0..400).map(|_| format!("{:08x}", next(1 << 32))).collect();
    assert_ratio("hexadecimal", &hex, 0.8..=1.1);
}
