//! The last value on each side of an edge: limits, caps, ranges, and the list of characters.
#![allow(clippy::unwrap_used)]

use qrp1::{
    Caps, Cell, Column, ColumnSlice, ColumnType, Document, ErrorCode, Layout, Limits, Meta, Miss,
    PageWriter, Push, SliceReader, from_str,
};

#[test]
fn the_characters_that_never_stand_raw_are_those_of_the_list() {
    let spec = include_str!("../SPEC.md");
    let section = spec.split("### 6.2").nth(1).unwrap();
    let list = section.split("U+").skip(1).map(|item| {
        let ends = item.split(|c: char| !c.is_ascii_hexdigit() && c != '-');
        let mut ends = ends.map(|end| end.split('-').map(|hex| u32::from_str_radix(hex, 16)));
        let mut ends = ends.next().unwrap().flatten();
        let first = ends.next().unwrap();
        first..=ends.next().unwrap_or(first)
    });
    // The list of blanks follows it in the section.
    let raw: Vec<_> = list.take_while(|range| *range.start() != 0x20).collect();
    assert_eq!(raw.len(), 12);
    for c in '\0'..=char::MAX {
        let listed = raw.iter().any(|range| range.contains(&u32::from(c)));
        assert_eq!(qrp1::must_escape(c), listed, "U+{:04X}", u32::from(c));
    }
}

/// The error of both readers, which is the same.
fn refused(text: &str, limits: Limits) -> Option<(ErrorCode, Option<u64>, Option<u64>)> {
    let document = Document::parse_with(text.as_bytes(), limits).err();
    let mut reader = SliceReader::with_limits(text, limits);
    let slice = loop {
        match reader.next_payload() {
            Ok(Some(_)) => {}
            Ok(None) => break None,
            Err(error) => break Some(error),
        }
    };
    assert_eq!(document, slice, "{text}");
    slice.map(|error| (error.code(), error.line(), error.column()))
}

#[test]
fn cells_and_lines_may_be_as_long_as_the_limit() {
    for cells in ["1234567", "12345.7", "abcdefg", "-12.345"] {
        for kind in ["a:f", "a:i", "a"] {
            let text = format!("QRP1|table|rows=1|columns={kind},b:b,c:s=\n{cells}\tt\n")
                .replace("c:s=", "c=\"\"");
            let limit = |max_cell_bytes| Limits {
                max_cell_bytes,
                ..Limits::default()
            };
            if refused(&text, Limits::default()).is_some() {
                continue;
            }
            assert_eq!(refused(&text, limit(7)), None, "{text}");
            let over = refused(&text, limit(6));
            assert_eq!(over, Some((ErrorCode::Limit, Some(2), Some(1))), "{text}");
        }
    }
    let text = "QRP1|table|rows=1|columns=a:b,c=x\nt\tc=yyyyyyyy\n";
    let limit = |max_cell_bytes| Limits {
        max_cell_bytes,
        ..Limits::default()
    };
    assert_eq!(refused(text, limit(10)), None);
    assert_eq!(
        refused(text, limit(9)),
        Some((ErrorCode::Limit, Some(2), Some(3)))
    );
    let text = "QRP1|text|lines=1\n12345678901234567890\n";
    let line = |max_line_bytes| Limits {
        max_line_bytes,
        ..Limits::default()
    };
    assert_eq!(refused(text, line(20)), None);
    assert_eq!(
        refused(text, line(19)),
        Some((ErrorCode::Limit, Some(2), Some(1)))
    );
}

#[test]
fn offsets_end_with_the_years() {
    let text = |offset: &str| {
        format!("QRP1|series|rows=1|t0=9999-12-31|columns=dt_ms:o,n:i\n{offset},1\n")
    };
    assert_eq!(refused(&text("86399999"), Limits::default()), None);
    assert_eq!(
        refused(&text("86400000"), Limits::default()),
        Some((ErrorCode::CellType, Some(2), Some(1)))
    );
}

#[test]
fn values_that_a_type_leaves_are_checked_too() {
    #[derive(Debug, serde::Deserialize)]
    struct First {
        #[expect(dead_code)]
        a: i64,
    }
    for row in ["1\tx\n", "1\t01\n", "1\n", "1\t2\t3\n"] {
        let text = format!("QRP1|table|rows=1|columns=a:i,b:i\n{row}");
        let expected = Document::parse(&text).unwrap_err();
        assert_eq!(from_str::<First>(&text).unwrap_err(), expected, "{text}");
    }
}

#[test]
fn numbers_are_written_alike_on_both_sides_of_each_way() {
    let numbers: [(f64, &str); 15] = [
        (0.01, "0.01"),
        (0.009, "0.009"),
        (9999.99, "9999.99"),
        (10_000.0, "10000"),
        (10_000.01, "10000.01"),
        (99_999_999_999.99, "99999999999.99"),
        (9_999_999_999_999.99, "9999999999999.99"),
        (999_999_999_999_999.0, "999999999999999"),
        (1e15, "1000000000000000"),
        (1_000_000_000_000_000.1, "1000000000000000.1"),
        (0.000_001, "0.000001"),
        (0.000_000_1, "1e-7"),
        (-0.0, "-0"),
        (-0.5, "-0.5"),
        (-9999.99, "-9999.99"),
    ];
    let layout = Layout::table([Column::new("f", ColumnType::F64)]).unwrap();
    for (number, expected) in numbers {
        let mut page = PageWriter::new(&layout, Caps::default(), None).unwrap();
        page.push_row(&(number,)).unwrap();
        let text = page
            .finish(|_| Ok::<_, qrp1::Error>(Meta::new()))
            .unwrap()
            .text;
        assert_eq!(text.lines().nth(1), Some(expected));
        let read = from_str::<(f64,)>(&text).unwrap()[0].0;
        assert_eq!(read.to_bits(), number.to_bits());
    }
    for text in ["-0.0", "0.0000001", "00", "01.5", "1.50", "1.", ".5"] {
        let text = format!("QRP1|table|rows=1|columns=f:f\n{text}\n");
        assert!(from_str::<(f64,)>(&text).is_err(), "{text}");
    }
    let layout = Layout::table([Column::new("i", ColumnType::I64)]).unwrap();
    for integer in [
        99_999_999,
        100_000_000,
        9_999_999_999_999_999,
        10_000_000_000_000_000,
        i64::MAX,
        i64::MIN,
        -1,
        0,
    ] {
        let mut page = PageWriter::new(&layout, Caps::default(), None).unwrap();
        page.push_row(&(integer,)).unwrap();
        let text = page
            .finish(|_| Ok::<_, qrp1::Error>(Meta::new()))
            .unwrap()
            .text;
        assert_eq!(text.lines().nth(1), Some(&*integer.to_string()));
        assert_eq!(from_str::<(i64,)>(&text).unwrap(), [(integer,)]);
    }
}

#[test]
fn a_page_may_be_as_large_as_its_cap() {
    let layout = Layout::table([Column::new("n", ColumnType::I64)]).unwrap();
    let page = |max_bytes| {
        let caps = Caps {
            max_bytes: Some(max_bytes),
            ..Caps::default()
        };
        let mut page = PageWriter::new(&layout, caps, None).unwrap();
        page.push(&[Cell::I64(1)]).unwrap();
        page.push(&[Cell::I64(2)]).unwrap();
        page.finish(|_| Ok::<_, qrp1::Error>(Meta::new())).unwrap()
    };
    let whole = page(1_000).text.len();
    assert_eq!((page(whole).cut.rows, page(whole - 1).cut.rows), (2, 1));
}

#[test]
fn a_full_page_says_so_and_a_refused_row_leaves_it_as_it_was() {
    let counter = |text: &str| text.len();
    let layout = Layout::table([Column::new("s", ColumnType::Str)]).unwrap();
    let caps = Caps {
        max_tokens: Some(100),
        ..Caps::default()
    };
    let mut page = PageWriter::new(&layout, caps, Some(&counter)).unwrap();
    let long = "x".repeat(200);
    let error = page.push(&[Cell::Str(&long)]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::RowTooLarge);
    // Ten bytes a row: the rows alone fill the page with the tenth.
    let taken = (0..1_000)
        .take_while(|_| page.push(&[Cell::Str("123456789")]).unwrap() == Push::Taken)
        .count();
    assert_eq!(taken, 10);
    let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new())).unwrap();
    assert!(page.text.len() <= 100 && page.cut.rows > 0, "{}", page.text);
}

#[test]
fn validity_covers_all_values() {
    let both = Miss::absent().and_null();
    let layout = Layout::table([Column::new("n", ColumnType::I64).with_miss(both)]).unwrap();
    let push = |column: ColumnSlice<'_>| {
        let mut page = PageWriter::new(&layout, Caps::default(), None).unwrap();
        page.push_columns(&[column], 0)?;
        Ok(page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?.text)
    };
    let values = ColumnSlice::i64s(&[1, 2]);
    // Where both may stand, what is not valid is null.
    let text = push(values.with_validity(&[true, false])).unwrap();
    assert!(text.ends_with("\n1\nnull\n"), "{text}");
    assert!(push(values.with_validity_bits(&[0b1100_0000], 6)).is_ok());
    for short in [
        values.with_validity(&[true]),
        values.with_validity_bits(&[0b1000_0000], 7),
        values.with_validity_bits(&[], 0),
    ] {
        let error: qrp1::Error = push(short).unwrap_err();
        assert_eq!(error.code(), ErrorCode::RowWidth);
    }
}
