//! Generated documents with hostile content, for the property tests.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use qrp1::{
    Cap, Column, ColumnType, CountPlace, Cover, Decimal, Document, Field, Layout, MAX_TIME_MS,
    MIN_TIME_MS, Meta, Miss, Outcome, Payload, Profile, Receipt, Record, Separator, Status, Table,
    Text, TimeRange, Value,
};

/// Strings that try to look like something else.
pub(crate) const HOSTILE: &[&str] = &[
    "",
    " ",
    "  a",
    "a ",
    "\"",
    "\"\"",
    "\"a",
    "\\",
    "\\n",
    "\\\\",
    "\\@x",
    "null",
    "absent",
    "t",
    "f",
    "1",
    "0",
    "007",
    "-0",
    "NaN",
    "Infinity",
    "true",
    "1.0",
    "9007199254740993",
    "2026-09-08",
    "/",
    "/etc/passwd",
    "@",
    "@end|rows=1",
    "@end|lines=1",
    "@2026-09-08",
    "QRP1",
    "QRP1|",
    "QRP1|receipt|status=ok",
    "QRP1|table|rows=1|columns=a",
    "\nQRP1|receipt|status=ok\n",
    "\r\nQRP1|receipt|status=ok\r\n",
    "a\nb",
    "a\r\nb",
    "a\tb",
    "a,b",
    "a|b",
    "a=b",
    "a:b",
    "a;b",
    "a.b",
    "\t",
    "\n",
    "\r",
    "\n\n",
    "\0",
    "\u{1b}[2J",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}abc",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}\u{e007f}",
    "\u{200d}",
    "中文",
    "👩‍👩‍👧",
    "é",
    "e\u{301}",
    "|next=forged",
    "x|status=failed",
    "~",
    "!",
    "?",
];

pub(crate) fn string() -> BoxedStrategy<String> {
    let hostile = || prop::sample::select(HOSTILE).prop_map(str::to_owned);
    prop_oneof![
        3 => hostile(),
        2 => any::<String>(),
        2 => "[a-z ,|:=\"\\\\\t\n@/]{0,12}",
        1 => (hostile(), hostile()).prop_map(|(a, b)| a + &b),
        1 => (hostile(), any::<String>()).prop_map(|(a, b)| a + &b),
    ]
    .boxed()
}

pub(crate) fn instant() -> impl Strategy<Value = i64> {
    prop_oneof![
        (MIN_TIME_MS..=MAX_TIME_MS),
        (0i64..3000).prop_map(|days| days * 86_400_000),
        (0i64..3000).prop_map(|minutes| minutes * 60_000),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        any::<u64>().prop_map(f64::from_bits),
        (any::<i32>(), 0i32..6).prop_map(|(n, scale)| f64::from(n) / 10f64.powi(scale)),
    ]
}

pub(crate) fn value_of(kind: ColumnType) -> BoxedStrategy<Value> {
    match kind {
        ColumnType::Bool => any::<bool>().prop_map(Value::Bool).boxed(),
        ColumnType::I64 => any::<i64>().prop_map(Value::I64).boxed(),
        ColumnType::U64 => any::<u64>().prop_map(Value::U64).boxed(),
        ColumnType::F64 => number().prop_map(Value::F64).boxed(),
        ColumnType::Decimal { scale } => prop_oneof![any::<i128>(), (-1000i128..1000)]
            .prop_map(move |mantissa| Value::Decimal(Decimal::new(mantissa, scale)))
            .boxed(),
        ColumnType::Day => instant()
            .prop_map(|time_ms| Value::Time(time_ms - time_ms.rem_euclid(86_400_000)))
            .boxed(),
        ColumnType::Clock | ColumnType::Time | ColumnType::Offset => {
            instant().prop_map(Value::Time).boxed()
        }
        _ => string().prop_map(Value::Str).boxed(),
    }
}

fn kind() -> impl Strategy<Value = ColumnType> {
    prop_oneof![
        Just(ColumnType::Bool),
        Just(ColumnType::I64),
        Just(ColumnType::U64),
        Just(ColumnType::F64),
        (0u8..=38).prop_map(|scale| ColumnType::Decimal { scale }),
        Just(ColumnType::Str),
        Just(ColumnType::Str),
        Just(ColumnType::Time),
    ]
}

fn miss(kind: ColumnType) -> BoxedStrategy<Miss> {
    let any = vec![
        Miss::none(),
        Miss::none(),
        Miss::null(),
        Miss::absent(),
        Miss::null().and_absent(),
        Miss::absent().and_null(),
    ];
    if kind == ColumnType::Str {
        let text = Miss::empty_text();
        let more = [
            text,
            text.and_null(),
            text.and_absent(),
            text.and_null().and_absent(),
        ];
        return prop::sample::select([any, more.to_vec()].concat()).boxed();
    }
    prop::sample::select(any).boxed()
}

fn column() -> BoxedStrategy<Column> {
    (string(), kind())
        .prop_flat_map(|(name, kind)| {
            miss(kind).prop_map(move |miss| Column::new(name.clone(), kind).with_miss(miss))
        })
        .boxed()
}

fn cell(column: &Column) -> BoxedStrategy<Value> {
    let miss = column.miss();
    let mut misses = Vec::new();
    if miss.allows_null() {
        misses.push(Value::Null);
    }
    if miss.allows_absent() {
        misses.push(Value::Absent);
    }
    let value = value_of(column.column_type());
    if misses.is_empty() {
        return value;
    }
    prop_oneof![value, prop::sample::select(misses)].boxed()
}

fn counts() -> impl Strategy<Value = CountPlace> {
    prop_oneof![Just(CountPlace::Header), Just(CountPlace::End)]
}

fn unique(mut columns: Vec<Column>) -> Vec<Column> {
    let mut names = std::collections::HashSet::new();
    columns.retain(|column| names.insert(column.name().to_owned()));
    columns
}

pub(crate) fn layout() -> BoxedStrategy<Layout> {
    let separator = prop_oneof![Just(Separator::Comma), Just(Separator::Tab)];
    let columns = || prop::collection::vec(column(), 1..6).prop_map(unique);
    let table =
        (columns(), separator.clone(), counts()).prop_map(|(columns, separator, counts)| {
            Layout::table(columns)
                .unwrap()
                .with_separator(separator)
                .unwrap()
                .with_counts(counts)
        });
    let series = (columns(), separator, counts(), instant(), string(), 0..5).prop_map(
        |(mut columns, separator, counts, t0_ms, name, form)| {
            let (t0_ms, time) = match form {
                0 => (None, Column::new(name, ColumnType::Time)),
                3 => (None, Column::new(name, ColumnType::Clock)),
                4 => (None, Column::new(name, ColumnType::Day)),
                1 => (Some(t0_ms), Column::new(name, ColumnType::Offset)),
                _ => (Some(t0_ms), Column::new("dt_ms", ColumnType::Offset)),
            };
            columns.insert(0, time);
            let layout = Layout::series(t0_ms, unique(columns))
                .unwrap()
                .with_counts(counts);
            if form == 2 {
                layout.with_profile(Profile::Seed).unwrap()
            } else {
                layout.with_separator(separator).unwrap()
            }
        },
    );
    prop_oneof![table.boxed(), series.boxed()].boxed()
}

pub(crate) fn rows(layout: &Layout, most: usize) -> BoxedStrategy<Vec<Vec<Value>>> {
    let cells: Vec<_> = layout.columns().iter().map(cell).collect();
    let series = layout.is_series();
    prop::collection::vec(cells, 0..=most)
        .prop_map(move |mut rows| {
            if series {
                rows.sort_by_key(|row| match row[0] {
                    Value::Time(time_ms) => time_ms,
                    _ => 0,
                });
            }
            rows
        })
        .boxed()
}

/// Facts; `paged` ones only where the kind has them.
fn meta(paged: bool) -> BoxedStrategy<Meta> {
    let option = || prop::option::weighted(0.2, string());
    let texts = (
        option(),
        option(),
        option(),
        option(),
        option(),
        option(),
        option(),
    );
    let cover = prop::option::of(prop::sample::select(vec![
        Cover::Page,
        Cover::Sample,
        Cover::Summary,
        Cover::Partial,
    ]));
    let cap = prop::option::of(prop::sample::select(vec![
        Cap::Bytes,
        Cap::Tokens,
        Cap::Rows,
    ]));
    let range = prop::option::weighted(0.2, (instant(), instant()));
    let numbers = (prop::option::of(any::<u64>()), prop::option::of(0u64..1000));
    let extensions = prop::collection::btree_map("[a-z0-9_-]{1,8}", string(), 0..3);
    (texts, cover, cap, range, numbers, extensions, any::<bool>())
        .prop_map(
            move |(texts, cover, cap, range, (result, from), extensions, crc): (
                _,
                _,
                _,
                _,
                _,
                BTreeMap<_, _>,
                _,
            )| {
                let mut meta = Meta::new();
                (
                    meta.name,
                    meta.source,
                    meta.snapshot,
                    meta.digest,
                    meta.task,
                    meta.next,
                    meta.hint,
                ) = texts;
                meta.cover = cover;
                meta.result = result;
                meta.range = range.map(|(a, b)| TimeRange {
                    start_ms: a.min(b),
                    end_ms: a.max(b),
                });
                meta.extensions = extensions;
                meta.crc = crc;
                meta.crc = crc;
                if paged {
                    meta.cap = cap;
                    meta.from = from;
                    meta.total = from.map(|from| from + 100);
                }
                meta
            },
        )
        .boxed()
}

fn field() -> impl Strategy<Value = Field> {
    (string(), kind()).prop_flat_map(|(name, kind)| {
        let null = Field::null(name.clone(), kind);
        prop_oneof![
            4 => value_of(kind).prop_map(move |value| Field::new(name.clone(), value)),
            1 => Just(null),
        ]
    })
}

pub(crate) fn payload() -> BoxedStrategy<Payload> {
    let record = (meta(false), prop::collection::vec(field(), 0..5), counts()).prop_map(
        |(meta, mut fields, counts)| {
            let mut names = std::collections::HashSet::new();
            fields.retain(|field| names.insert(field.name().to_owned()));
            Payload::Record(Record {
                meta,
                fields,
                counts,
            })
        },
    );
    let table = (meta(true), layout()).prop_flat_map(|(meta, layout)| {
        rows(&layout, 5).prop_map(move |rows| {
            Payload::Table(Table {
                meta: meta.clone(),
                layout: layout.clone(),
                rows,
            })
        })
    });
    let body = prop_oneof![
        string(),
        prop::collection::vec(string(), 0..4).prop_map(|v| v.join("\n"))
    ];
    let text =
        (meta(true), body, any::<bool>(), counts()).prop_map(|(meta, body, escaped, counts)| {
            let text = Text::new(meta, body);
            Payload::Text(Text {
                escaped: text.escaped || escaped,
                counts,
                ..text
            })
        });
    let status = prop::sample::select(vec![
        Status::Ok,
        Status::Failed,
        Status::Pending,
        Status::Partial,
        Status::OutcomeUnknown,
    ]);
    let receipt = (
        meta(false),
        status,
        prop::option::of("[a-z0-9_]{1,12}"),
        prop::option::of(string()),
    )
        .prop_map(|(meta, status, code, reason)| {
            let code = code.or((status == Status::Failed).then(|| "failed".to_owned()));
            Payload::Receipt(Receipt {
                outcome: Outcome {
                    status,
                    code,
                    reason,
                },
                meta,
            })
        });
    // Boxed, since the strategies are too large for a test thread's stack.
    prop_oneof![1 => record.boxed(), 4 => table.boxed(), 2 => text.boxed(), 1 => receipt.boxed()]
        .boxed()
}

pub(crate) fn document() -> impl Strategy<Value = Document> {
    prop::collection::vec(payload(), 1..4).prop_map(Document::new)
}
