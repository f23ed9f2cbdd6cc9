//! Counts against known values, and the facts that other promises rest on.
#![cfg(feature = "tiktoken")]

use std::sync::Arc;

use toolgate_tokens::{Tiktoken, TokenCounter};

#[test]
fn known_texts() {
    for (text, o200k, cl100k) in [
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
        assert_eq!(Tiktoken::o200k().count(text), o200k, "o200k {text:?}");
        assert_eq!(Tiktoken::cl100k().count(text), cl100k, "cl100k {text:?}");
    }
}

#[test]
fn special_tokens_are_ordinary_text() {
    for counter in [Tiktoken::o200k(), Tiktoken::cl100k()] {
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
    let counter = Tiktoken::o200k();
    let shared: Arc<dyn TokenCounter> = Arc::new(counter);
    let boxed: Box<dyn TokenCounter> = Box::new(shared.clone());
    for counter in [&counter as &dyn TokenCounter, &shared, &boxed] {
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
            .map(|_| scope.spawn(|| Tiktoken::cl100k().count("one two three")))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert_eq!(counts, [3; 8]);
}

#[test]
fn errors_have_stable_codes() {
    let error = Tiktoken::named(&"x".repeat(10_000)).unwrap_err();
    assert_eq!(error.code(), "unknown_vocabulary");
    assert!(error.to_string().len() < 200, "{error}");
    assert!(include_str!("../README.md").contains(&format!("| `{}` |", error.code())));
    for known in [Tiktoken::o200k(), Tiktoken::cl100k()] {
        assert_eq!(Tiktoken::named(known.vocabulary()), Ok(known));
    }
}
