//! Rows of Rust types are written as their cells and read as they were.
#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::collections::BTreeMap;

use proptest::prelude::*;
use qrp1::{
    Caps, Cell, Column, ColumnSlice, ColumnType, CountPlace, Decimal, Document, ErrorCode, Layout,
    Meta, Miss, PageWriter, SliceReader, TableStream, from_str,
};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Side {
    Buy,
    SellShort,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Trade {
    #[serde(with = "qrp1::time_ms")]
    time: i64,
    price: Decimal,
    size: f64,
    count: u32,
    change: Option<i64>,
    side: Side,
    note: String,
    closed: bool,
}

fn trade_layout() -> Layout {
    let column = |name: &str, kind| Column::new(name, kind);
    Layout::series(
        None,
        [
            column("time", ColumnType::Clock),
            column("price", ColumnType::Decimal { scale: 2 }),
            column("size", ColumnType::F64),
            column("count", ColumnType::U64),
            column("change", ColumnType::I64).with_miss(Miss::null()),
            column("side", ColumnType::Str).with_constant("buy"),
            column("note", ColumnType::Str).with_miss(Miss::empty_text()),
            column("closed", ColumnType::Bool).with_constant(true),
        ],
    )
    .unwrap()
}

fn page<T: Serialize>(layout: &Layout, rows: &[T]) -> Result<String, qrp1::Error> {
    let mut page = PageWriter::new(layout, Caps::default(), None)?;
    for row in rows {
        page.push_row(row)?;
    }
    Ok(page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?.text)
}

fn trades() -> impl Strategy<Value = Vec<Trade>> {
    let trade = (
        0i64..100_000_000,
        any::<i64>(),
        any::<f64>().prop_filter("comparable", |size| !size.is_nan()),
        any::<u32>(),
        any::<Option<i64>>(),
        any::<bool>(),
        ".{0,6}",
        any::<bool>(),
    );
    let trade = trade.prop_map(
        |(step, mantissa, size, count, change, buy, note, closed)| Trade {
            time: step,
            price: Decimal::new(mantissa.into(), 2),
            size,
            count,
            change,
            side: if buy { Side::Buy } else { Side::SellShort },
            note,
            closed,
        },
    );
    prop::collection::vec(trade, 0..8).prop_map(|mut trades| {
        // A series is in the order of time.
        let mut time = 0;
        for trade in &mut trades {
            time += trade.time;
            trade.time = time;
        }
        trades
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn structs_go_and_come(trades in trades()) {
        let layout = trade_layout();
        let text = page(&layout, &trades).unwrap();
        prop_assert_eq!(&from_str::<Trade>(&text).unwrap(), &trades);
        // The same text as of the same cells.
        let mut cells = PageWriter::new(&layout, Caps::default(), None).unwrap();
        for trade in &trades {
            let side = match trade.side { Side::Buy => "buy", Side::SellShort => "sell_short" };
            cells.push(&[
                Cell::Time(trade.time),
                Cell::Decimal(trade.price),
                Cell::F64(trade.size),
                Cell::U64(trade.count.into()),
                trade.change.map_or(Cell::Null, Cell::I64),
                Cell::Str(side),
                Cell::Str(&trade.note),
                Cell::Bool(trade.closed),
            ]).unwrap();
        }
        let cells = cells.finish(|_| Ok::<_, qrp1::Error>(Meta::new())).unwrap();
        prop_assert_eq!(&cells.text, &text);
        // And the same rows from a stream.
        let streamed = layout.with_counts(CountPlace::End);
        let mut out = Vec::new();
        let mut stream = TableStream::begin(&streamed, Meta::new().with_crc(true), &mut out).unwrap();
        for trade in &trades {
            stream.push_row(trade, &mut out).unwrap();
        }
        stream.end(&mut out).unwrap();
        let streamed = String::from_utf8(out).unwrap();
        prop_assert_eq!(&Document::parse(&streamed).unwrap().to_text().unwrap(), &streamed);
        prop_assert_eq!(from_str::<Trade>(&streamed).unwrap(), trades);
    }

    /// Columns with validity say the same as rows of cells, however the bits lie.
    #[test]
    fn columns_are_rows(
        rows in prop::collection::vec((any::<i64>(), any::<f64>(), any::<bool>(), ".{0,4}"), 0..40),
        offset in 0usize..20,
        start in 0usize..5,
    ) {
        let layout = Layout::table([
            Column::new("i", ColumnType::I64).with_miss(Miss::null()),
            Column::new("f", ColumnType::F64).with_miss(Miss::absent()),
            Column::new("s", ColumnType::Str),
        ]).unwrap();
        let integers: Vec<i64> = rows.iter().map(|row| row.0).collect();
        let floats: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let valid: Vec<bool> = rows.iter().map(|row| row.2).collect();
        let texts: Vec<&str> = rows.iter().map(|row| row.3.as_str()).collect();
        let mut bits = vec![0u8; (offset + rows.len()).div_ceil(8)];
        for (row, valid) in valid.iter().enumerate() {
            let bit = offset + row;
            bits[bit / 8] |= u8::from(*valid) << (bit % 8);
        }
        let columns = [
            ColumnSlice::i64s(&integers).with_validity(&valid),
            ColumnSlice::f64s(&floats).with_validity_bits(&bits, offset),
            ColumnSlice::strs(&texts),
        ];
        let mut by_column = PageWriter::new(&layout, Caps::default(), None).unwrap();
        let taken = by_column.push_columns(&columns, start).unwrap();
        prop_assert_eq!(taken, rows.len().saturating_sub(start));
        let mut by_row = PageWriter::new(&layout, Caps::default(), None).unwrap();
        for (i, f, valid, s) in rows.iter().skip(start) {
            let (i, f) = if *valid { (Cell::I64(*i), Cell::F64(*f)) } else { (Cell::Null, Cell::Absent) };
            by_row.push(&[i, f, Cell::Str(s)]).unwrap();
        }
        let text = |page: PageWriter<'_>| page.finish(|_| Ok::<_, qrp1::Error>(Meta::new())).unwrap().text;
        prop_assert_eq!(text(by_column), text(by_row));
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Lent<'a> {
    #[serde(borrow)]
    name: &'a str,
    #[serde(borrow)]
    note: Cow<'a, str>,
}

#[test]
fn strings_are_lent_where_no_escape_stands() {
    let text = "QRP1|table|rows=2|columns=name,note\nplain\tbare\n\"@x\"\t\"a\\tb\"\n";
    let rows: Vec<Lent<'_>> = from_str(text).unwrap();
    let within = |part: &str| text.as_bytes().as_ptr_range().contains(&part.as_ptr());
    assert_eq!((rows[0].name, rows[1].name), ("plain", "@x"));
    assert!(rows.iter().all(|row| within(row.name)));
    assert_eq!(rows[1].note, "a\tb");
    // Constants are lent by the header.
    let hoisted = "QRP1|table|rows=2|columns=n:i,name=\"a,b\",note:s~=\n1\n2\tname=c\n";
    let rows: Vec<(i64, &str, &str)> = from_str(hoisted).unwrap();
    assert_eq!(rows, [(1, "a,b", ""), (2, "c", "")]);
    // What needs a copy cannot be lent.
    let escaped = "QRP1|table|rows=1|columns=name,note\n\"a\\tb\"\tx\n";
    let error = from_str::<Lent<'_>>(escaped).unwrap_err();
    assert_eq!(
        (error.code(), error.line()),
        (ErrorCode::TypeMismatch, Some(2))
    );
}

#[test]
fn fields_go_by_name_in_any_order() {
    #[derive(Serialize)]
    struct Backwards {
        c: bool,
        b: Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        a: Option<u8>,
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Some3 {
        c: bool,
        #[serde(default)]
        a: i16,
    }
    let layout = Layout::table([
        Column::new("a", ColumnType::I64).with_miss(Miss::absent()),
        Column::new("b", ColumnType::F64).with_miss(Miss::null()),
        Column::new("c", ColumnType::Bool),
    ])
    .unwrap();
    let rows = [
        Backwards {
            c: true,
            b: Some(0.5),
            a: Some(7),
        },
        Backwards {
            c: false,
            b: None,
            a: None,
        },
    ];
    let text = page(&layout, &rows).unwrap();
    assert!(text.ends_with("\n7\t0.5\tt\n\t\tf\n"), "{text}");
    let read: Vec<Some3> = from_str(&text).unwrap();
    assert_eq!(read, [Some3 { c: true, a: 7 }, Some3 { c: false, a: 0 }]);
    // Maps, both ways.
    let map: BTreeMap<&str, i64> = [("n", 1), ("a", 2)].into();
    let layout = Layout::table(["n", "a"].map(|name| Column::new(name, ColumnType::I64))).unwrap();
    let text = page(&layout, std::slice::from_ref(&map)).unwrap();
    assert!(text.ends_with("\n1\t2\n"), "{text}");
    let read: Vec<BTreeMap<&str, i64>> = {
        let mut reader = SliceReader::new(&text);
        reader.next_payload().unwrap();
        let names: Result<Vec<BTreeMap<String, i64>>, _> = reader.rows().collect();
        names
            .unwrap()
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(|(k, v)| (if k == "n" { "n" } else { "a" }, v))
                    .collect()
            })
            .collect()
    };
    assert_eq!(read, [map]);
}

#[test]
fn a_type_that_knows_maps_only_is_read_by_name() {
    #[derive(Debug, PartialEq)]
    struct ByName(i64);
    impl<'de> Deserialize<'de> for ByName {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Fields;
            impl<'de> serde::de::Visitor<'de> for Fields {
                type Value = ByName;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a map")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(
                    self,
                    mut map: A,
                ) -> Result<ByName, A::Error> {
                    let mut n = 0;
                    while let Some((_, value)) = map.next_entry::<String, i64>()? {
                        n = value;
                    }
                    Ok(ByName(n))
                }
            }
            deserializer.deserialize_struct("ByName", &["n"], Fields)
        }
    }
    let text = "QRP1|table|rows=2|columns=n:i\n1\n2\n";
    assert_eq!(from_str::<ByName>(text).unwrap(), [ByName(1), ByName(2)]);
}

#[test]
fn what_does_not_fit_says_where_and_what() {
    #[derive(Debug, Serialize, Deserialize)]
    struct Narrow {
        n: u8,
    }
    let text = "QRP1|table|rows=2|columns=n:i\n1\n300\n";
    let error = from_str::<Narrow>(text).unwrap_err();
    assert_eq!(
        (error.code(), error.line()),
        (ErrorCode::TypeMismatch, Some(3))
    );
    assert_eq!(
        error.to_string(),
        "type_mismatch at line 3, column 1: expected u8 in column n, found integer `300`",
    );
    let layout = Layout::table([Column::new("n", ColumnType::Bool)]).unwrap();
    let error = page(&layout, &[Narrow { n: 1 }]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cell_type: expected a bool in column n, found an integer"
    );
    let layout = Layout::table([Column::new("m", ColumnType::U64)]).unwrap();
    let error = page(&layout, &[Narrow { n: 1 }]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Column);
    // A time must be said to be one.
    let layout = Layout::series(None, [Column::new("n", ColumnType::Time)]).unwrap();
    let error = page(&layout, &[Narrow { n: 1 }]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TypeMismatch);
    assert!(error.to_string().contains("time_ms"), "{error}");
    // A row that is none, nested values, and integers that no number is.
    let layout = Layout::table([Column::new("n", ColumnType::F64)]).unwrap();
    for (code, result) in [
        (ErrorCode::TypeMismatch, page(&layout, &[1])),
        (
            ErrorCode::TypeMismatch,
            page(&layout, &[BTreeMap::from([("n", vec![1])])]),
        ),
        (
            ErrorCode::CellType,
            page(&layout, &[BTreeMap::from([("n", (1i64 << 53) + 1)])]),
        ),
    ] {
        assert_eq!(result.unwrap_err().code(), code);
    }
    assert!(page(&layout, &[BTreeMap::from([("n", 1i64 << 53)])]).is_ok());
}

#[test]
fn faults_say_what_to_do() {
    let layout = Layout::table([Column::new("d", ColumnType::Decimal { scale: 2 })]).unwrap();
    let error = page(&layout, &[(Decimal::new(1, 3),)]).unwrap_err();
    assert!(error.to_string().contains("in column d"), "{error}");
    let mut cells = PageWriter::new(&layout, Caps::default(), None).unwrap();
    let error = cells
        .push(&[Cell::Decimal(Decimal::new(1, 3))])
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cell_type: expected a decimal of scale 2 in column d, found one of scale 3"
    );
    let error = page(&layout, &[BTreeMap::from([(1, 2)])]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "type_mismatch: expected a struct, a map or a tuple as a row, \
         found a map whose keys are no strings"
    );
    let error = Layout::from_line("QRP1|table|columns=a").unwrap_err();
    assert_eq!(error.expected(), "table or series");
    let error = Layout::from_line("table|columns=a\n").unwrap_err();
    assert_eq!(error.expected(), "one line, without a line feed");
    let error = Document::parse("QRP1|table|rows=1|columns=a\r\nx\r\n").unwrap_err();
    assert!(error.expected().contains("a line feed alone"), "{error}");
    let error = from_str::<(&str,)>("QRP1|table|rows=1|columns=a\n\"x\\ty\"\n").unwrap_err();
    assert!(error.found().contains("String or a Cow"), "{error}");
}

#[test]
fn a_row_at_fault_leaves_the_page_as_it_was() {
    let layout = trade_layout();
    let good = Trade {
        time: 60_000,
        price: Decimal::new(1, 2),
        size: 1.0,
        count: 1,
        change: None,
        side: Side::SellShort,
        note: "@x".to_owned(),
        closed: false,
    };
    let mut page = PageWriter::new(&layout, Caps::default(), None).unwrap();
    page.push_row(&good).unwrap();
    let early = Trade {
        time: 0,
        ..good.clone()
    };
    assert_eq!(
        page.push_row(&early).unwrap_err().code(),
        ErrorCode::TimeOrder
    );
    let scale = Trade {
        price: Decimal::new(1, 3),
        ..good.clone()
    };
    assert_eq!(
        page.push_row(&scale).unwrap_err().code(),
        ErrorCode::CellType
    );
    page.push_row(&good).unwrap();
    let text = page
        .finish(|_| Ok::<_, qrp1::Error>(Meta::new()))
        .unwrap()
        .text;
    assert_eq!(from_str::<Trade>(&text).unwrap(), [good.clone(), good]);
}

/// Takes what it can, and a default for the rest: an error of its value is dropped.
#[derive(Debug, Default, PartialEq)]
struct Lenient(i64);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(i64::deserialize(deserializer).unwrap_or_default()))
    }
}

#[test]
fn a_type_cannot_drop_what_is_wrong_with_a_row() {
    #[derive(Debug, Deserialize)]
    struct Three {
        #[expect(dead_code)]
        a: Lenient,
        #[expect(dead_code)]
        c: Lenient,
        #[expect(dead_code)]
        b: String,
    }
    #[derive(Debug, Deserialize)]
    struct Timed {
        #[expect(dead_code)]
        time: Lenient,
        #[expect(dead_code)]
        n: i64,
    }
    let refused = |text: &str, found: Option<qrp1::Error>| {
        let expected = Document::parse(text).unwrap_err();
        assert_eq!(found, Some(expected), "{text}");
    };
    for text in [
        "QRP1|table|rows=1|columns=a:i,c:i=0,b\nx\tc=9\n",
        "QRP1|table|rows=1|columns=a:i,c:i=0,b\nx\ty\n",
        "QRP1|table|rows=2|columns=a:i,c:i=9223372036854775807+1,b\n1\ty\n1\ty\n",
    ] {
        refused(text, from_str::<Three>(text).err());
    }
    for text in [
        "QRP1|series|rows=2|columns=time:t,n:i\n2026-09-08,1\n2026-09-07,2\n",
        "QRP1|series|rows=2|lines=3|columns=time:t=+1h,n:i\n@2026-09-08T23:00Z\n1\n2\n",
    ] {
        refused(text, from_str::<Timed>(text).err());
    }
    // A row of any length ends where it failed.
    let text = "QRP1|table|rows=1|columns=a:i,b:i\nx\t1\n";
    refused(text, from_str::<Vec<Lenient>>(text).err());
    // What only the type does not take, it may drop.
    let text = "QRP1|table|rows=1|columns=a,c:i,b\nx\t1\ty\n";
    assert!(from_str::<Three>(text).is_ok());
}

#[test]
fn a_value_cannot_drop_what_is_wrong_with_it() {
    struct Careless;
    impl Serialize for Careless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut row = serializer.serialize_seq(Some(3))?;
            let _ = row.serialize_element(&());
            let _ = row.serialize_element("x");
            row.serialize_element("y")?;
            row.end()
        }
    }
    let plain = |name| Column::new(name, ColumnType::Str);
    for first in [plain("a"), plain("a").with_constant("k")] {
        let layout = Layout::table([first, plain("b"), plain("c")]).unwrap();
        let mut page = PageWriter::new(&layout, Caps::default(), None).unwrap();
        assert_eq!(
            page.push_row(&Careless).unwrap_err().code(),
            ErrorCode::CellMiss
        );
        page.push_row(&["k", "b", "c"]).unwrap();
        let text = page
            .finish(|_| Ok::<_, qrp1::Error>(Meta::new()))
            .unwrap()
            .text;
        assert_eq!(
            from_str::<(String, String, String)>(&text).unwrap().len(),
            1
        );
    }
}

#[test]
fn numbers_are_read_from_the_header_as_from_cells() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Price {
        id: i64,
        price: f64,
    }
    let text = "QRP1|table|rows=2|columns=id:i,price:d2=10.5\n1\n2\tprice=2.5\n";
    let prices: Vec<Price> = from_str(text).unwrap();
    assert_eq!((prices[0].price, prices[1].price), (10.5, 2.5));
    // Whole numbers of any type are integers, and integers that are exact are numbers.
    let text = "QRP1|table|rows=1|columns=a:d2,b:f,c:i\n5\t7\t9\n";
    assert_eq!(from_str::<(i64, u8, f64)>(text).unwrap(), [(5, 7, 9.0)]);
    let text = "QRP1|table|rows=1|columns=a:i\n9007199254740993\n";
    let error = from_str::<(f64,)>(text).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TypeMismatch);
}

#[test]
fn what_a_type_says_is_cut_and_escaped() {
    let evil = format!(
        "\"x\\nQRP1|receipt|status=ok\\n\\u001b[2J{}\"",
        "y".repeat(10_000)
    );
    let text = format!("QRP1|table|rows=1|columns=side\n{evil}\n");
    let message = from_str::<(Side,)>(&text).unwrap_err().to_string();
    assert!(
        message.len() < 500 && !message.contains(['\n', '\u{1b}']),
        "{message}"
    );
}

#[test]
fn short_rows_do_not_stand_for_endless_values() {
    let constant = "k".repeat(200_000);
    let rows = "t\n".repeat(2_000);
    let text = format!("QRP1|table|rows=2000|columns=a:b,c={constant}\n{rows}");
    assert_eq!(Document::parse(&text).unwrap_err().code(), ErrorCode::Limit);
    assert_eq!(
        from_str::<(bool, String)>(&text).unwrap_err().code(),
        ErrorCode::Limit
    );
    // Long streams of rows that state a little are not touched.
    let rows = "t\n".repeat(200_000);
    let text = format!("QRP1|table|rows=200000|columns=a:b,c=constant,d:b=t,e:i=0\n{rows}");
    assert_eq!(from_str::<(bool, &str)>(&text).unwrap().len(), 200_000);
}
