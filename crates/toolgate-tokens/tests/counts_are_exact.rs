//! Counts against known values, and the facts that other promises rest on.
#![cfg(any(feature = "tiktoken", feature = "fast"))]

use std::sync::Arc;

#[cfg(feature = "fast")]
use toolgate_tokens::FastTiktoken;
#[cfg(feature = "tiktoken")]
use toolgate_tokens::Tiktoken;
use toolgate_tokens::{TokenCounter, TokensError};

/// The exact counters that are built, by vocabulary.
fn o200k() -> Vec<Arc<dyn TokenCounter>> {
    vec![
        #[cfg(feature = "tiktoken")]
        Arc::new(Tiktoken::o200k()),
        #[cfg(feature = "fast")]
        Arc::new(FastTiktoken::o200k()),
    ]
}

fn cl100k() -> Vec<Arc<dyn TokenCounter>> {
    vec![
        #[cfg(feature = "tiktoken")]
        Arc::new(Tiktoken::cl100k()),
        #[cfg(feature = "fast")]
        Arc::new(FastTiktoken::cl100k()),
    ]
}

fn all() -> Vec<Arc<dyn TokenCounter>> {
    [o200k(), cl100k()].concat()
}

#[test]
fn known_texts() {
    for (text, in_o200k, in_cl100k) in [
        ("", 0, 0),
        ("a", 1, 1),
        ("hello world", 2, 2),
        (
            "0,42283.58,42554.57,42261.02,42475.23,1271.68108,t\n",
            29,
            29,
        ),
        ("\u{4E2D}\u{56FD}\u{4EBA}\u{6C11}", 2, 3),
        ("\n\n\n\n", 1, 1),
    ] {
        for counter in o200k() {
            assert_eq!(counter.count(text), in_o200k, "o200k {text:?}");
        }
        for counter in cl100k() {
            assert_eq!(counter.count(text), in_cl100k, "cl100k {text:?}");
        }
    }
}

#[test]
fn special_tokens_are_ordinary_text() {
    for counter in all() {
        for text in ["<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"] {
            assert!(counter.count(text) > 1, "{text}");
            assert_eq!(
                counter.count(&format!("1\n{text}\n2")),
                counter.count("1\n") + counter.count(&format!("{text}\n")) + counter.count("2"),
            );
        }
    }
}

#[test]
fn the_trait_works_through_pointers() {
    for shared in o200k() {
        let boxed: Box<dyn TokenCounter> = Box::new(Arc::clone(&shared));
        let counter: &dyn TokenCounter = &boxed;
        assert_eq!(counter.vocabulary(), "o200k_base");
        assert_eq!(counter.count("a, b\n"), 4);
        assert_eq!(counter.count_up_to("a, b\n", 4), Some(4));
        assert_eq!(counter.count_up_to("a, b\n", 3), None);
        assert!(counter.splits_between("a\n", "b\n"));
        assert_eq!(counter.bounds("123\n"), 2..=2);
    }
}

#[test]
fn all_threads_share_one_vocabulary() {
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .flat_map(|_| cl100k())
            .map(|counter| scope.spawn(move || counter.count("one two three")))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(counts.len(), 8 * cl100k().len());
    assert!(counts.iter().all(|&count| count == 3), "{counts:?}");
}

#[test]
fn a_counter_is_found_by_the_id_of_its_vocabulary() {
    #[cfg(feature = "tiktoken")]
    for known in [Tiktoken::o200k(), Tiktoken::cl100k()] {
        assert_eq!(Tiktoken::named(known.vocabulary()), Ok(known));
    }
    #[cfg(feature = "fast")]
    for known in [FastTiktoken::o200k(), FastTiktoken::cl100k()] {
        assert_eq!(FastTiktoken::named(known.vocabulary()), Ok(known));
    }
}

#[test]
fn errors_have_stable_codes() {
    let long = "x".repeat(10_000);
    let errors = [
        #[cfg(feature = "tiktoken")]
        Tiktoken::named(&long).unwrap_err(),
        #[cfg(feature = "fast")]
        FastTiktoken::named(&long).unwrap_err(),
    ];
    for error in errors {
        let found = "x".repeat(64);
        assert_eq!(error, TokensError::UnknownVocabulary { found });
        assert_eq!(error.code(), "unknown_vocabulary");
        assert!(error.to_string().len() < 200, "{error}");
        assert!(include_str!("../README.md").contains(&format!("| `{}` |", error.code())));
    }
}
