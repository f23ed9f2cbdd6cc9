//! Every document reads back as it was, and only its one text reads as it.
#![allow(clippy::unwrap_used)]

mod documents;

use std::collections::BTreeSet;

use documents::draw::Draw;
use proptest::prelude::*;
use qrp1::{
    ColumnType, CountPlace, Document, Hoist, Layout, Payload, Separator, Table, Value, must_escape,
};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn a_document_reads_back(document in documents::document()) {
        let text = document.to_text().unwrap();
        let back = Document::parse(&text);
        prop_assert_eq!(back.as_ref(), Ok(&document), "{}", text);
        prop_assert_eq!(back.unwrap().to_text().unwrap(), text);
    }

    /// A layout kept beside its rows is the same layout again.
    #[test]
    fn a_layout_reads_back(payload in documents::payload()) {
        if let Payload::Table(table) = payload {
            let line = table.layout.to_line();
            let back = Layout::from_line(&line);
            prop_assert_eq!(back.as_ref(), Ok(&table.layout), "{}", line);
        }
    }

    /// Whatever is accepted is the canonical text of what was read: a changed text is
    /// refused, or is the canonical text of something else.
    #[test]
    fn what_is_accepted_is_canonical(
        document in documents::document(),
        at in any::<prop::sample::Index>(),
        with in prop_oneof![Just(None), prop::sample::select(vec!["\n", "0", " ", "\"", ",", "\t", "|", "@", "=", "\\", "f", "!", "QRP1|"]).prop_map(Some)],
        cut in 0usize..3,
    ) {
        let mut text = document.to_text().unwrap();
        let chars: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let index = at.index(chars.len());
        let end = chars.get(index + cut).copied().unwrap_or(text.len());
        text.replace_range(chars[index]..end, with.unwrap_or(""));
        if let Ok(read) = Document::parse(&text) {
            prop_assert_eq!(read.to_text().unwrap(), text);
        }
    }

    /// No line ends early, no hidden character gets through, no line is blank outside of
    /// texts or begins with a slash, so that token counts of lines add up.
    #[test]
    fn the_text_is_clean(payload in documents::payload()) {
        let text = payload.to_text().unwrap();
        prop_assert!(text.ends_with('\n'));
        let body_of_text = matches!(payload, Payload::Text(_));
        for line in text.lines() {
            prop_assert!(!line.contains(|c| c != '\t' && must_escape(c)), "{:?}", line);
            if !body_of_text {
                prop_assert!(!line.trim().is_empty(), "{:?}", line);
                prop_assert!(!line.starts_with('/'), "{:?}", line);
            }
        }
    }
}

/// What one document shows of the format.
fn shown(document: &Document, seen: &mut BTreeSet<String>) {
    let text = document.to_text().unwrap();
    for line in text.lines().filter(|line| line.starts_with("QRP1|")) {
        let mut parts = line.split('|').skip(1);
        let kind = parts.next().unwrap();
        seen.insert(kind.to_owned());
        for part in parts {
            let (key, value) = part.split_once('=').unwrap();
            seen.insert(format!(
                "{kind} {}",
                if key.starts_with("x-") { "x-" } else { key }
            ));
            if ["status", "cover", "cap", "sep"].contains(&key) {
                seen.insert(format!("{key}={value}"));
            }
        }
    }
    for payload in document.payloads() {
        match payload {
            Payload::Table(table) => shown_of_rows(table, seen),
            Payload::Record(record) => {
                for field in &record.fields {
                    let kind = kind_word(field.column_type());
                    let null = if field.value() == &Value::Null {
                        " null"
                    } else {
                        ""
                    };
                    seen.insert(format!("field {kind}{null}"));
                }
                if record.counts == CountPlace::End && record.meta.crc {
                    seen.insert("record crc at the end".to_owned());
                }
            }
            Payload::Text(text) => {
                let what = match (text.body.is_empty(), text.part.is_some()) {
                    (true, true) => "empty part",
                    (true, false) => "empty text",
                    _ if text.body.ends_with('\n') => "text with an empty last line",
                    _ => "text",
                };
                seen.insert(what.to_owned());
            }
            Payload::Receipt(_) => {}
        }
    }
}

fn kind_word(kind: ColumnType) -> &'static str {
    match kind {
        ColumnType::Bool => "b",
        ColumnType::I64 => "i",
        ColumnType::U64 => "u",
        ColumnType::F64 => "f",
        ColumnType::Decimal { .. } => "d",
        ColumnType::Str => "s",
        ColumnType::Time => "t",
        ColumnType::Offset => "o",
        ColumnType::Clock => "tc",
        ColumnType::Hour => "th",
        ColumnType::Minute => "tm",
        ColumnType::Day => "td",
        _ => "another",
    }
}

fn shown_of_rows(table: &Table, seen: &mut BTreeSet<String>) {
    let layout = &table.layout;
    let series = layout.is_series();
    let from = table.meta.from.unwrap_or(0);
    for (at, column) in layout.columns().iter().enumerate() {
        let kind = kind_word(column.column_type());
        let first = if series && at == 0 { "first " } else { "" };
        seen.insert(format!("{first}column {kind}"));
        seen.insert(format!("marks {}", column.miss()));
        let cells = table.rows.iter().map(|row| &row[at]);
        match column.hoist() {
            None => cells.for_each(|cell| {
                let cell = match cell {
                    Value::Null => "null",
                    Value::Absent => "absent",
                    Value::Str(text) if text.is_empty() => "empty",
                    _ => "value",
                };
                seen.insert(format!("cell {cell}"));
            }),
            Some(Hoist::Constant(value)) => {
                let what = match value {
                    Value::Null => "null",
                    Value::Absent => "absent",
                    _ => kind,
                };
                seen.insert(format!("constant {what}"));
                if cells.clone().any(|cell| cell != value) {
                    seen.insert(format!("exception to a constant {kind}"));
                }
            }
            Some(Hoist::Sequence { start, step }) => {
                let way = if *step > 0 { "up" } else { "down" };
                seen.insert(format!("sequence {kind} {way}"));
                if from > 0 {
                    seen.insert(format!("sequence {kind} on a later page"));
                }
                // The first row of the whole result has the start of the layout.
                let excepted = from == 0 && table.rows.first().is_some_and(|row| &row[at] != start);
                if excepted {
                    seen.insert(format!("exception to a sequence {kind}"));
                }
            }
            Some(Hoist::Step { step_ms }) => {
                let time = |cell: &Value| match cell {
                    Value::Time(time_ms) => Some(*time_ms),
                    _ => None,
                };
                let times: Vec<i64> = cells.filter_map(time).collect();
                let steps = |pair: &[i64]| pair[0].checked_add(*step_ms) == Some(pair[1]);
                for pair in times.windows(2) {
                    seen.insert(if steps(pair) { "a step" } else { "a gap" }.to_owned());
                }
                let size = match step_ms {
                    ..86_400_000 => "under a day",
                    ..604_800_000 => "of days",
                    _ => "of weeks",
                };
                seen.insert(format!("steps {size}"));
            }
            Some(other) => {
                seen.insert(format!("{other:?}"));
            }
        }
    }
    let separator = match layout.separator() {
        Separator::Comma => "comma",
        Separator::Tab => "tab",
    };
    seen.insert(format!(
        "{} by {separator}",
        if series { "series" } else { "table" }
    ));
    if layout.counts() == CountPlace::End && table.meta.crc {
        seen.insert("rows crc at the end".to_owned());
    }
}

/// The generator that these tests trust gives all that the format can say.
#[test]
fn everything_is_drawn() {
    let mut seen = BTreeSet::new();
    let mut state = 0u64;
    for _ in 0..4_000 {
        let mut bytes = Vec::new();
        for _ in 0..200 {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bytes.extend((z ^ (z >> 31)).to_le_bytes());
        }
        shown(&Draw::new(&bytes).document(), &mut seen);
    }
    let all = [
        "record",
        "table",
        "series",
        "text",
        "receipt",
        "text with an empty last line",
        "empty text",
        "empty part",
        "record crc at the end",
        "rows crc at the end",
        "table by tab",
        "table by comma",
        "series by comma",
        "series by tab",
        "sep=comma",
        "sep=tab",
        "a step",
        "a gap",
        "steps under a day",
        "steps of days",
        "steps of weeks",
        "cell null",
        "cell absent",
        "cell empty",
        "cell value",
        "constant null",
        "constant absent",
    ];
    let mut expected: BTreeSet<String> = all.iter().map(|each| (*each).to_owned()).collect();
    let mut add = |before: &str, words: &str, after: &str| {
        expected.extend(
            words
                .split(' ')
                .map(|word| format!("{before}{word}{after}")),
        );
    };
    for kind in ["record", "table", "series", "text", "receipt"] {
        let every = "crc name source range snapshot digest task result cover total next hint x-";
        add(&format!("{kind} "), every, "");
    }
    add("table ", "rows from cap sep end columns", "");
    add(
        "series ",
        "profile rows lines from cap sep t0 end columns",
        "",
    );
    add("record ", "lines end", "");
    add("text ", "lines from part parts glue cap esc end", "");
    add("receipt ", "status code reason", "");
    add("status=", "ok failed pending partial outcome_unknown", "");
    add("cover=", "all page sample summary partial", "");
    add("cap=", "bytes tokens rows", "");
    add("marks ", " ! ? !? ?! ~ ~! ~? ~!?", "");
    add("column ", "b i u f d s t o", "");
    add("first column ", "t o tc th tm td", "");
    add("field ", "b i u f d s t", "");
    add("field ", "b i u f d s t", " null");
    add("constant ", "b i u f d s t", "");
    add("exception to a constant ", "b i u f d s t", "");
    for what in [" up", " down", " on a later page"] {
        add("sequence ", "i u d t", what);
    }
    add("exception to a sequence ", "i u d t", "");
    let missing: Vec<_> = expected.difference(&seen).collect();
    assert!(missing.is_empty(), "never drawn: {missing:?}");
}
