//! Pages under any caps hold every row once, in order, and none is over a cap.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{
    Cap, Caps, Cell, Column, ColumnType, Cover, Document, Error, ErrorCode, Hoist, Layout, Meta,
    Page, PageWriter, Payload, Push, TokenCounter, Value,
};

/// Words, numbers' groups of three digits, and each other character: coarse, but additive
/// over lines, as the real vocabularies are.
fn tokens(text: &str) -> usize {
    let mut count = 0;
    let mut run = 0;
    for c in text.chars() {
        if c.is_alphanumeric() && run > 0 && run < 3 {
            run += 1;
        } else {
            count += 1;
            run = usize::from(c.is_alphanumeric());
        }
    }
    count
}

fn page(layout: &Layout, rows: &[Vec<Value>], from: usize, caps: Caps) -> Result<Page, Error> {
    let mut writer = PageWriter::new(layout, caps, Some(&tokens))?.starting_at(from as u64)?;
    for row in &rows[from..] {
        let cells: Vec<Cell<'_>> = row.iter().map(Value::as_cell).collect();
        if writer.push(&cells)? != Push::Taken {
            break;
        }
    }
    writer.finish(|cut| {
        let mut meta = Meta::new()
            .with_cover(Cover::Page)
            .with_from(from as u64)
            .with_total(rows.len() as u64);
        if let Some(cap) = cut.cap {
            meta = meta.with_cap(cap);
        }
        if from + cut.rows < rows.len() {
            meta = meta.with_next(format!("c{}", from + cut.rows));
        }
        Ok(meta)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_row_once_and_no_page_over_a_cap(
        (layout, rows) in documents::layout().prop_flat_map(|layout| {
            let layout = layout.with_counts(qrp1::CountPlace::Header);
            (Just(layout.clone()), documents::rows(&layout, 40))
        }),
        max_bytes in prop::option::of(60usize..3000),
        max_tokens in prop::option::of(60usize..1500),
        max_rows in prop::option::of(1usize..20),
    ) {
        let caps = Caps { max_bytes, max_tokens, max_rows };
        let mut from = 0;
        while from < rows.len() || from == 0 {
            let page = match page(&layout, &rows, from, caps) {
                Ok(page) => page,
                Err(error) => {
                    // A page cannot begin behind the end of a sequence's range.
                    let sequence = |c: &Column| matches!(c.hoist(), Some(Hoist::Sequence { .. }));
                    if error.code() == ErrorCode::HeaderValue && from > 0 {
                        prop_assert!(layout.columns().iter().any(sequence));
                        return Ok(());
                    }
                    // Only because one row and the header do not fit; the size is told.
                    prop_assert_eq!(error.code(), ErrorCode::RowTooLarge);
                    prop_assert!(max_bytes.is_some() || max_tokens.is_some());
                    return Ok(());
                }
            };
            prop_assert!(max_bytes.is_none_or(|max| page.text.len() <= max));
            prop_assert!(max_tokens.is_none_or(|max| tokens(&page.text) <= max));
            prop_assert!(max_rows.is_none_or(|max| page.cut.rows <= max));
            // What was counted is exact; without a cap in tokens nothing is counted.
            prop_assert!(page.tokens.is_none_or(|counted| counted == tokens(&page.text)));
            prop_assert!(max_tokens.is_some() || page.tokens.is_none());
            let read = Document::parse(&page.text).unwrap();
            let [Payload::Table(table)] = read.payloads() else { panic!("a table") };
            prop_assert_eq!(&table.rows[..], &rows[from..from + page.cut.rows]);
            prop_assert_eq!(table.meta.next.is_some(), page.cut.cap.is_some());
            from += page.cut.rows;
            if page.cut.rows == 0 {
                break;
            }
        }
        prop_assert_eq!(from, rows.len());
    }
}

/// A counter whose guesses are loose, so that pages are counted in pieces.
struct Loose {
    factor: usize,
}

impl TokenCounter for Loose {
    fn count(&self, text: &str) -> usize {
        tokens(text)
    }

    fn at_most(&self, text: &str) -> usize {
        tokens(text) * self.factor / 4
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// A page holds as many rows as there is room for, however loose the guesses are.
    #[test]
    fn no_row_is_left_out_that_fits(
        (layout, rows) in documents::layout().prop_flat_map(|layout| {
            let layout = layout.with_counts(qrp1::CountPlace::Header);
            (Just(layout.clone()), documents::rows(&layout, 40))
        }),
        max_tokens in 60usize..1500,
        factor in 4usize..20,
    ) {
        let counter = Loose { factor };
        let page = |caps: Caps| {
            let mut writer = PageWriter::new(&layout, caps, Some(&counter))?;
            for row in &rows {
                let cells: Vec<Cell<'_>> = row.iter().map(Value::as_cell).collect();
                if writer.push(&cells)? != Push::Taken {
                    break;
                }
            }
            writer.finish(|_| Ok::<_, Error>(Meta::new()))
        };
        let most = (1..=rows.len()).rev().find(|rows| {
            let page = page(Caps { max_rows: Some(*rows), ..Caps::default() }).unwrap();
            tokens(&page.text) <= max_tokens
        });
        let capped = page(Caps { max_tokens: Some(max_tokens), ..Caps::default() });
        match (most, capped) {
            (Some(most), Ok(page)) => prop_assert_eq!(page.cut.rows, most),
            (None, Ok(page)) => prop_assert_eq!(page.cut.rows, 0),
            (None, Err(error)) => prop_assert_eq!(error.code(), ErrorCode::RowTooLarge),
            (Some(most), Err(error)) => prop_assert!(false, "{} rows fit: {}", most, error),
        }
    }
}

#[test]
fn a_page_without_rows_is_a_page() {
    let layout = Layout::table([Column::new("n", ColumnType::I64)]).unwrap();
    let page = page(
        &layout,
        &[],
        0,
        Caps {
            max_bytes: Some(100),
            ..Caps::default()
        },
    )
    .unwrap();
    assert_eq!(
        page.text,
        "QRP1|table|cover=page|rows=0|from=0|total=0|columns=n:i\n"
    );
    assert_eq!(page.cut.cap, None);
}

#[test]
fn the_cap_that_ended_the_page_is_named() {
    let layout = Layout::table([Column::new("n", ColumnType::I64)]).unwrap();
    let rows: Vec<_> = (0..100).map(|n| vec![Value::I64(n)]).collect();
    let cap = |caps| page(&layout, &rows, 0, caps).unwrap().cut.cap;
    assert_eq!(
        cap(Caps {
            max_rows: Some(5),
            ..Caps::default()
        }),
        Some(Cap::Rows)
    );
    assert_eq!(
        cap(Caps {
            max_bytes: Some(120),
            ..Caps::default()
        }),
        Some(Cap::Bytes)
    );
    assert_eq!(
        cap(Caps {
            max_tokens: Some(80),
            ..Caps::default()
        }),
        Some(Cap::Tokens)
    );
    assert_eq!(
        cap(Caps {
            max_tokens: Some(100_000),
            ..Caps::default()
        }),
        None
    );
}

#[test]
fn a_row_over_the_cap_is_reported_with_its_size() {
    let layout = Layout::table([Column::new("text", ColumnType::Str)]).unwrap();
    let rows = vec![vec![Value::from("x".repeat(500))]];
    let error = page(
        &layout,
        &rows,
        0,
        Caps {
            max_bytes: Some(400),
            ..Caps::default()
        },
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "row_too_large: expected a page of one row within 400 bytes, found 501 bytes"
    );
    // It fits alone, and not with the header.
    let error = page(
        &layout,
        &rows,
        0,
        Caps {
            max_bytes: Some(510),
            ..Caps::default()
        },
    )
    .unwrap_err();
    assert_eq!(error.code(), ErrorCode::RowTooLarge);
}
