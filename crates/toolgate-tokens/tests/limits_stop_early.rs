//! Counting up to a limit agrees with the whole count, and takes no longer than the limit allows.
#![cfg(any(feature = "tiktoken", feature = "fast"))]

use proptest::prelude::*;
#[cfg(feature = "fast")]
use toolgate_tokens::FastTiktoken;
#[cfg(feature = "tiktoken")]
use toolgate_tokens::Tiktoken;
use toolgate_tokens::TokenCounter;

/// Every exact counter that is built.
fn counters() -> Vec<Box<dyn TokenCounter>> {
    vec![
        #[cfg(feature = "tiktoken")]
        Box::new(Tiktoken::o200k()),
        #[cfg(feature = "tiktoken")]
        Box::new(Tiktoken::cl100k()),
        #[cfg(feature = "fast")]
        Box::new(FastTiktoken::o200k()),
        #[cfg(feature = "fast")]
        Box::new(FastTiktoken::cl100k()),
    ]
}

/// Runs that are one piece for the engine, or that its pattern dislikes.
const RUNS: [&str; 18] = [
    "a",
    "A",
    "7",
    "=",
    "\0",
    "\r\n",
    " ",
    "\t",
    "\n",
    " \n",
    "\u{A0}",
    "\u{3000}",
    "-",
    "/",
    "'",
    "\u{4E2D}",
    "\u{1F600}",
    "e\u{301}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_count(
        parts in prop::collection::vec(("\\PC{0,8}", prop::sample::select(&RUNS[..]), 0usize..400), 0..8),
        off in 0usize..6,
    ) {
        let text: String = parts.iter().map(|(head, run, n)| head.clone() + &run.repeat(*n)).collect();
        for counter in counters() {
            let n = counter.count(&text);
            let limit = (n + off).saturating_sub(3);
            prop_assert_eq!(counter.count_up_to(&text, limit), (n <= limit).then_some(n));
            prop_assert_eq!(counter.fits(&text, limit), n <= limit);
            let bounds = counter.bounds(&text);
            prop_assert!(bounds.contains(&n), "{n} is not in {bounds:?}");
        }
    }
}

#[test]
fn agrees_with_count_over_many_strides() {
    let rows: String = (0..2_500)
        .map(|i| format!("{i},{}.25,word {i}\n", i * 7919))
        .collect();
    let words = "lorem ipsum, dolor sit amet ".repeat(1_200);
    let ideographs = "\u{6570}\u{636E}\u{FF0C}\u{4E2D}".repeat(4_000);
    for counter in counters() {
        for text in [&rows, &words, &ideographs] {
            let n = counter.count(text);
            assert_eq!(counter.count_up_to(text, n), Some(n));
            assert_eq!(counter.count_up_to(text, usize::MAX), Some(n));
            assert_eq!(counter.count_up_to(text, n - 1), None);
        }
    }
}

#[test]
fn ten_megabytes_of_one_run_are_refused() {
    for run in RUNS {
        let text = run.repeat((10 << 20) / run.len());
        for counter in counters() {
            assert_eq!(counter.count_up_to(&text, 4_000), None, "{run:?}");
            assert!(!counter.fits(&text, 4_000), "{run:?}");
        }
    }
}

#[test]
fn a_run_of_blanks_beyond_the_reach_of_a_backtracking_pattern_is_counted() {
    // 128 blanks are one token, and the last one belongs to the letter.
    let text = format!("a\n{}b", " ".repeat((1 << 20) + 1));
    for counter in counters() {
        assert_eq!(counter.count(&text), 2 + (1 << 13) + 1);
    }
}
