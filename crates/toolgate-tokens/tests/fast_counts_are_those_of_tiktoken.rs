//! The faster engine gives the same count as tiktoken-rs for every text.
#![cfg(feature = "fast")]

use proptest::prelude::*;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};
use toolgate_tokens::{FastTiktoken, TokenCounter};

fn both() -> [(FastTiktoken, &'static CoreBPE); 2] {
    [
        (FastTiktoken::o200k(), o200k_base_singleton()),
        (FastTiktoken::cl100k(), cl100k_base_singleton()),
    ]
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    for (fast, tiktoken) in both() {
        let count = tiktoken.count_ordinary(text);
        prop_assert_eq!(fast.count(text), count, "{:?}", fast);
        // The crate's own counter claims the same vocabulary, so it must agree as well.
        #[cfg(feature = "tiktoken")]
        prop_assert_eq!(
            toolgate_tokens::Tiktoken::named(fast.vocabulary()).map(|slow| slow.count(text)),
            Ok(count)
        );
    }
    Ok(())
}

/// What the patterns of the vocabularies treat in different ways, and some look-alikes.
fn part() -> impl Strategy<Value = String> {
    const FIXED: &[&str] = &[
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "\u{B}",
        "\u{C}",
        "\u{85}",
        "\u{A0}",
        "\u{1680}",
        "\u{2028}",
        "\u{3000}",
        "\u{180E}",
        "\u{200B}",
        "\u{FEFF}",
        "/",
        "//",
        ",",
        ".",
        "-",
        "=",
        "_",
        "\"",
        "\\",
        "{\"",
        "\":",
        "},",
        "[]",
        "'",
        "'s",
        "'S",
        "'\u{17F}",
        "'ll",
        "'LL",
        "'vE",
        "'t",
        "don",
        "a",
        "Z",
        "the",
        " the",
        "Total",
        "camelCase",
        "HTTPServer",
        "1",
        "12",
        "123",
        "1704067200000",
        "42283.58",
        "\u{BD}",
        "\u{FF11}",
        "\u{661}",
        "\u{2160}",
        "\u{4E2D}\u{6587}",
        "\u{65E5}\u{672C}\u{3002}",
        "\u{AC00}",
        "\u{1100}\u{1161}",
        "\u{FF0C}",
        "e\u{301}",
        "\u{E9}",
        "\u{301}",
        "\u{1C5}",
        "\u{2B0}",
        "\u{24B6}",
        "\u{2122}",
        "\u{DF}",
        "\u{130}",
        "\u{E01}\u{E31}",
        "\u{645}\u{64E}",
        "\u{1F600}",
        "\u{1F468}\u{200D}\u{1F469}",
        "\u{1F1E9}",
        "\u{FE0F}",
        "\u{0}",
        "\u{1}",
        "\u{7F}",
        "\u{9F}",
        "\u{FFFD}",
        "\u{E000}",
        "\u{10FFFF}",
        "<|endoftext|>",
        "<|endofprompt|>",
        "<|fim_prefix|>",
        "<|",
        "|>",
        "<|im_start|>",
    ];
    prop_oneof![
        8 => prop::sample::select(FIXED).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "\\s{1,6}",
        1 => "\\p{L}{1,8}",
        1 => "[\\p{M}\\p{N}\\p{S}\\p{P}]{1,6}",
    ]
}

/// One or two signs over and over: what byte pairs merge into the longest tokens.
fn run() -> impl Strategy<Value = String> {
    (part(), prop_oneof![3 => 2usize..40, 1 => 40usize..600]).prop_map(|(part, n)| part.repeat(n))
}

/// Rows of numbers as tables and series have them.
fn row() -> impl Strategy<Value = String> {
    (
        any::<u64>(),
        any::<i32>(),
        any::<f64>(),
        any::<bool>(),
        ",| ;\t",
    )
        .prop_map(|(at, ticks, x, closed, sign)| {
            format!(
                "{at}{sign}{:.2}{sign}{x}{sign}{x:e}{sign}{closed}\n",
                f64::from(ticks) / 100.0
            )
        })
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<f32>().prop_map(|x| x.to_string()),
        "\\PC{0,12}".prop_map(|text| format!("{text:?}")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|list| format!("[{}]", list.join(","))),
            prop::collection::vec(("[a-z_A-Z]{1,10}", inner), 0..4).prop_map(|fields| {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| format!("  \"{name}\": {value}"))
                    .collect();
                format!("{{\n{}\n}}", fields.join(",\n"))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn on_any_characters(text in prop::collection::vec(any::<char>(), 0..60)) {
        agrees(&text.iter().collect::<String>())?;
    }

    #[test]
    fn on_signs_that_the_patterns_tell_apart(parts in prop::collection::vec(part(), 0..30)) {
        agrees(&parts.concat())?;
    }

    #[test]
    fn on_runs(parts in prop::collection::vec(prop_oneof![2 => run(), 1 => part()], 1..6)) {
        agrees(&parts.concat())?;
    }

    #[test]
    fn on_rows_of_numbers(rows in prop::collection::vec(row(), 0..20)) {
        agrees(&rows.concat())?;
    }

    #[test]
    fn on_json(json in json(), end in "[ \n\t]{0,3}") {
        agrees(&(json + &end))?;
    }

    #[test]
    fn on_a_mixture(
        parts in prop::collection::vec(prop_oneof![part(), run(), row(), json(), "\\PC{0,20}"], 0..8),
    ) {
        agrees(&parts.concat())?;
    }

    #[test]
    fn on_ends_of_white_space(words in part(), end in "[ \n\r\t\u{A0}\u{3000}]{1,12}") {
        agrees(&(words + &end))?;
    }
}

#[test]
fn on_every_character_in_four_places() {
    for c in char::MIN..=char::MAX {
        // The other scripts have many; a plane of private use is of one kind.
        if u32::from(c) > 0x2_0000 && u32::from(c) % 251 != 0 {
            continue;
        }
        let text = format!("{c}{c} {c}a{c}1{c}\n{c}'{c}s{c}{c}{c}\n {c}");
        for (fast, tiktoken) in both() {
            assert_eq!(
                fast.count(&text),
                tiktoken.count_ordinary(&text),
                "{fast:?} {c:?}"
            );
        }
    }
}

#[test]
fn on_long_unbroken_runs() {
    for run in [
        "a",
        "A",
        "ab",
        "7",
        "=",
        "-",
        "/",
        " ",
        "\t",
        "\n",
        "\n ",
        "\u{4E2D}",
        "\u{1F600}",
        "e\u{301}",
        "\0",
    ] {
        for len in [127, 128, 129, 1_000, 20_000] {
            let text = run.repeat(len);
            for (fast, tiktoken) in both() {
                assert_eq!(
                    fast.count(&text),
                    tiktoken.count_ordinary(&text),
                    "{fast:?} {run:?} {len}"
                );
            }
        }
    }
}
