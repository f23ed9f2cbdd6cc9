//! The tokens of a page, summed line by line, are the tokens of its text: for o200k_base and
//! cl100k_base, whatever the cells hold.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use qrp1::{Caps, Cell, Column, ColumnType, Layout, Meta, Miss, PageWriter, Push, Separator};
use toolgate_tokens::{Tiktoken, TokenCounter};

/// Cells that come close to what joins tokens over a line end.
fn text() -> impl Strategy<Value = String> {
    let near = vec![
        "", " ", "/", "//", "/usr/lib", "a/", ")", "):", "}", "---", "\"", "'s", "'", "don't",
        "\t", "\n", "\r\n", "\n\n", "\u{a0}", "\u{3000}", "\u{2028}", "中文", "。", "…", "👍🏽",
        "e\u{301}", "123", "1", "x", "X", "\\", "|", "=", "@",
    ];
    prop_oneof![
        prop::sample::select(near.clone()).prop_map(str::to_owned),
        prop::collection::vec(prop::sample::select(near), 1..4).prop_map(|parts| parts.concat()),
        any::<String>(),
        "[ -~]{0,10}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn sums_of_lines_are_whole_counts(
        rows in prop::collection::vec((text(), text(), prop::option::of(any::<i32>())), 0..12),
        name in text(),
        tab: bool,
        empty_text: bool,
        first_is_number: bool,
    ) {
        let miss = if empty_text { Miss::empty_text() } else { Miss::null() };
        let mut columns = vec![
            Column::new(format!("{name}a"), ColumnType::Str).with_miss(miss),
            Column::new(format!("{name}b"), ColumnType::Str).with_miss(miss),
            Column::new(format!("{name}c"), ColumnType::F64).with_miss(Miss::absent()),
        ];
        if first_is_number {
            columns.rotate_right(1);
        }
        let separator = if tab { Separator::Tab } else { Separator::Comma };
        let layout = Layout::table(columns).unwrap().with_separator(separator).unwrap();
        for counter in [Tiktoken::o200k(), Tiktoken::cl100k()] {
            let count = |text: &str| counter.count(text);
            let page = |max_tokens| {
                let caps = Caps { max_tokens, ..Caps::default() };
                let mut page = PageWriter::new(&layout, caps, Some(&count)).unwrap();
                for (a, b, number) in &rows {
                    let number = number.map_or(Cell::Absent, |n| Cell::F64(f64::from(n) / 100.0));
                    let mut cells = vec![Cell::Str(a), Cell::Str(b), number];
                    if first_is_number {
                        cells.rotate_right(1);
                    }
                    if page.push(&cells).unwrap() != Push::Taken {
                        break;
                    }
                }
                page.finish(|_| Ok::<_, qrp1::Error>(Meta::new().with_source(&name)))
            };
            let whole = page(None).unwrap();
            let tokens = counter.count(&whole.text);
            let exact = page(Some(tokens)).unwrap();
            prop_assert_eq!(exact.cut.rows, rows.len());
            prop_assert_eq!(exact.tokens, Some(tokens), "{}", exact.text);
            // One token less leaves a row out, or the page is too large.
            if let Ok(less) = page(Some(tokens - 1)) {
                prop_assert!(less.cut.rows < rows.len());
                prop_assert!(counter.count(&less.text) < tokens);
            }
        }
    }
}

/// Lines of blanks that are no spaces or tabs are blank lines all the same.
#[test]
fn no_line_is_blank_in_any_script() {
    let layout = Layout::table([Column::new("a", ColumnType::Str)]).unwrap();
    let counter = Tiktoken::o200k();
    let count = |text: &str| counter.count(text);
    for blank in [
        "\u{a0}",
        "\u{1680}",
        "\u{2003}",
        "\u{202f}",
        "\u{205f}",
        "\u{3000}",
        "\u{3000}\u{a0}",
    ] {
        // A cap that is nearly reached makes every line be counted apart.
        let page = |max_tokens| {
            let caps = Caps {
                max_tokens,
                ..Caps::default()
            };
            let mut page = PageWriter::new(&layout, caps, Some(&count)).unwrap();
            for cell in ["x)", blank, blank, "y"] {
                let _ = page.push(&[Cell::Str(cell)]);
            }
            page.finish(|_| Ok::<_, qrp1::Error>(Meta::new())).unwrap()
        };
        let page = page(Some(counter.count(&page(None).text)));
        assert_eq!(page.cut.rows, 4);
        assert_eq!(
            page.tokens,
            Some(counter.count(&page.text)),
            "{:?}",
            page.text
        );
    }
}
