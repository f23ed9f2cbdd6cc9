//! The total of a line counter is the count of the whole text, for any text and any cuts.
#![cfg(any(feature = "tiktoken", feature = "fast"))]

use proptest::prelude::*;
#[cfg(feature = "fast")]
use toolgate_tokens::FastTiktoken as Exact;
#[cfg(not(feature = "fast"))]
use toolgate_tokens::Tiktoken as Exact;
use toolgate_tokens::{Estimate, LineCounter, Seam, TokenCounter};

/// Of the two engines the faster one that is built: the rules under test are the vocabularies',
/// and another test shows that the engines agree.
fn counters() -> [&'static dyn TokenCounter; 3] {
    const O200K: Exact = Exact::o200k();
    const CL100K: Exact = Exact::cl100k();
    [&O200K, &CL100K, &Estimate]
}

/// Parts that meet in every way that the patterns of the vocabularies care about.
fn part() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        " ",
        "  ",
        "\t",
        "/",
        "//",
        ",",
        ",,",
        "|",
        ".",
        "-",
        "\"",
        "'",
        "'s",
        "'LL",
        "a",
        "don",
        "'t",
        "Z",
        "the",
        "Total",
        "camelCase",
        "HTTP",
        "1",
        "12",
        "1704067200000",
        "42283.58",
        "t",
        "f",
        "\u{4E2D}\u{6587}",
        "\u{FF0C}",
        "\u{3002}",
        "\u{300C}",
        "\u{3000}",
        "\u{A0}",
        "\u{85}",
        "\u{2028}",
        "\u{B}",
        "\u{C}",
        "\u{1F600}",
        "\u{1F468}\u{200D}\u{1F469}",
        "e\u{301}",
        "\u{301}",
        "\u{BD}",
        "\u{FF11}",
        "\u{24B6}",
        "\u{E01}\u{E31}",
        "\u{17F}",
        "<|endoftext|>",
        "\u{0}",
        "\u{7F}",
    ]);
    let row = (0u64..9_000_000, -99999i64..99999, any::<bool>()).prop_map(|(at, price, closed)| {
        format!(
            "{at},{}.{:02},,{}\n",
            price / 100,
            price.unsigned_abs() % 100,
            closed
        )
    });
    prop_oneof![
        6 => fixed.prop_map(str::to_owned),
        2 => row,
        1 => any::<char>().prop_map(String::from),
        1 => "[a-zA-Z0-9,/ ]{0,12}\n",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(part(), 0..40).prop_map(|parts| parts.concat())
}

/// `text` cut at the character boundaries nearest to `cuts`.
fn pieces<'a>(text: &'a str, cuts: &[prop::sample::Index]) -> Vec<&'a str> {
    let mut at: Vec<usize> = cuts
        .iter()
        .map(|cut| {
            (0..=cut.index(text.len() + 1))
                .rev()
                .find(|&i| text.is_char_boundary(i))
        })
        .map(Option::unwrap_or_default)
        .collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn line_by_line_equals_whole(text in text()) {
        for counter in counters() {
            let mut lines = LineCounter::new(counter);
            let mut end = 0;
            for line in text.split_inclusive('\n') {
                lines.push(line);
                end += line.len();
                prop_assert_eq!(lines.total(), counter.count(&text[..end]), "{}", counter.vocabulary());
            }
        }
    }

    #[test]
    fn any_cuts_equal_whole(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12)) {
        for counter in counters() {
            let mut lines = LineCounter::new(counter);
            for piece in pieces(&text, &cuts) {
                lines.push(piece);
            }
            prop_assert_eq!(lines.total(), counter.count(&text), "{}", counter.vocabulary());
        }
    }

    #[test]
    fn a_page_is_the_longest_run_of_lines_within_the_limit(text in text(), limit in 0usize..120) {
        for counter in counters() {
            let mut page = LineCounter::new(counter);
            let mut kept = String::new();
            for line in text.split_inclusive('\n') {
                let whole = counter.count(&(kept.clone() + line));
                let before = page.clone();
                match page.push_within(line, limit) {
                    Some(total) => {
                        prop_assert_eq!(total, whole);
                        prop_assert_eq!(page.total(), whole);
                        prop_assert!(whole <= limit);
                        kept.push_str(line);
                    }
                    None => {
                        prop_assert!(whole > limit);
                        prop_assert_eq!(page.total(), before.total());
                        prop_assert_eq!(page.joined(), before.joined());
                    }
                }
            }
            prop_assert_eq!(page.total(), counter.count(&kept));
        }
    }

    #[test]
    fn a_split_holds_whatever_follows(before in text(), after in text(), more in text()) {
        for counter in counters() {
            if counter.splits_between(&before, &after) {
                prop_assert_eq!(
                    counter.count(&[&*before, &*after, &*more].concat()),
                    counter.count(&before) + counter.count(&(after.clone() + &more)),
                    "{}", counter.vocabulary(),
                );
            }
        }
    }

    #[test]
    fn a_counter_that_knows_no_splits_is_exact_too(text in text()) {
        struct Plain;
        impl TokenCounter for Plain {
            fn vocabulary(&self) -> &str {
                "plain"
            }
            fn count(&self, text: &str) -> usize {
                Exact::o200k().count(text)
            }
        }
        let mut lines = LineCounter::new(Plain);
        for line in text.split_inclusive('\n') {
            lines.push(line);
        }
        prop_assert_eq!(lines.total(), Plain.count(&text));
    }
}

#[test]
fn rows_of_a_table_are_counted_once_each() {
    for counter in counters() {
        let mut lines = LineCounter::new(counter);
        let mut text = String::new();
        for i in 0u32..2_000 {
            let line = match i % 4 {
                0 => format!("{},{}.5,,t\n", i * 60_000, 42_000 + i),
                1 => format!("@time=2026-11-30T{:02}:00:00Z\n", i % 24),
                2 => format!(" child,\u{4E2D}\u{6587} {i},\"x y\"|\r\n"),
                _ => format!("-{i},,\u{1F600},\n"),
            };
            assert_eq!(lines.push(&line), Seam::Additive, "{line:?}");
            text.push_str(&line);
        }
        assert_eq!(lines.total(), counter.count(&text));
        assert_eq!(lines.joined(), 0);
    }
}

#[test]
fn the_stated_exceptions_are_joined() {
    for counter in counters() {
        for (first, second) in [
            ("a,\n", "\n"),
            ("a,\n", "  \n"),
            ("a,\n", "\u{3000}\n"),
            ("a,\n", "\r\n"),
            ("a\n", "  "),
            ("a,\n", "/b\n"),
            ("\u{1F600}\n", "/b\n"),
            ("/\n", "/b\n"),
            ("ab", "cd\n"),
            ("12", "3\n"),
            ("don", "'t\n"),
        ] {
            let mut lines = LineCounter::new(counter);
            assert_eq!(lines.push(first), Seam::Additive);
            assert_eq!(lines.push(second), Seam::Joined, "{first:?} {second:?}");
            assert_eq!(lines.total(), counter.count(&[first, second].concat()));
        }
        // Nothing but the exceptions: a path behind a word, a number or a blank adds up.
        for (first, second) in [
            ("a\n", "/b\n"),
            ("1\n", "/b\n"),
            ("a, \n", "/b\n"),
            ("a,\n", " /b\n"),
        ] {
            let mut lines = LineCounter::new(counter);
            lines.push(first);
            assert_eq!(lines.push(second), Seam::Additive, "{first:?} {second:?}");
        }
    }
}

#[test]
fn the_exceptions_are_real() {
    // Were these to add up, the rules could be dropped.
    let o200k = Exact::o200k();
    let cl100k = Exact::cl100k();
    assert_ne!(o200k.count("a\n\n"), o200k.count("a\n") + o200k.count("\n"));
    assert_ne!(o200k.count("don't"), o200k.count("don") + o200k.count("'t"));
    assert_ne!(
        o200k.count("a(!\n//"),
        o200k.count("a(!\n") + o200k.count("//")
    );
    assert_ne!(
        cl100k.count("a\n\n"),
        cl100k.count("a\n") + cl100k.count("\n")
    );
}

#[test]
fn a_joined_push_recounts_only_the_unbroken_end() {
    /// Counts the bytes it is asked to count.
    struct Metered(std::sync::atomic::AtomicUsize);
    impl TokenCounter for Metered {
        fn vocabulary(&self) -> &str {
            "o200k_base"
        }
        fn count(&self, text: &str) -> usize {
            self.0
                .fetch_add(text.len(), std::sync::atomic::Ordering::Relaxed);
            Exact::o200k().count(text)
        }
        fn splits_between(&self, before: &str, after: &str) -> bool {
            Exact::o200k().splits_between(before, after)
        }
    }
    let metered = Metered(std::sync::atomic::AtomicUsize::new(0));
    let mut lines = LineCounter::new(&metered);
    let mut pushed = 0;
    for i in 0..500 {
        for line in [
            format!("row {i}, {}\n", "word ".repeat(40)),
            "\n".to_owned(),
        ] {
            pushed += line.len();
            lines.push(&line);
        }
    }
    assert_eq!(lines.joined(), 500);
    let counted = metered.0.load(std::sync::atomic::Ordering::Relaxed);
    assert!(counted < 3 * pushed, "counted {counted} bytes for {pushed}");
}
