//! No value, name, label or reason makes a line that reads as anything but what it is: not for
//! the reader, and not for one that knows no more than how lines, keys and cells are split.
#![allow(clippy::unwrap_used)]

mod documents;

use documents::draw::HOSTILE;
use proptest::prelude::*;
use qrp1::{
    Column, ColumnType, CountPlace, Document, Event, Field, Kind, Layout, Meta, Miss, Part,
    Payload, Receipt, Record, Separator, Status, Step, Table, Text, Value,
};

/// 2026-09-08T23:00Z.
const EVENING_MS: i64 = 1_788_908_400_000;
const HOUR_MS: i64 = 3_600_000;
const MIDNIGHT_MS: i64 = EVENING_MS + HOUR_MS;

/// The shape of a text as a reader sees it: kinds and counts, nothing of the content.
fn shape(text: &str) -> Vec<(Kind, u64)> {
    let mut reader = qrp1::Reader::new();
    let mut input = text.as_bytes();
    let mut shape = Vec::new();
    let mut kind = None;
    loop {
        let (step, used) = reader.read(input).unwrap();
        input = &input[used..];
        match step {
            Step::Event(Event::Header(header)) => kind = Some(header.kind),
            Step::Event(Event::End(end)) => shape.push((kind.take().unwrap(), end.count)),
            Step::Event(_) => {}
            Step::NeedInput => break,
        }
    }
    reader.finish().unwrap();
    shape
}

/// Takes what stands before the first of `ends`, or the closing quote of what begins with one;
/// gives it in plain words, with what follows.
fn take<'t>(text: &'t str, ends: &[char]) -> (String, &'t str) {
    if let Some(inner) = text.strip_prefix('"') {
        let mut escaped = false;
        let close = inner.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let (quoted, rest) = text.split_at(close.unwrap() + 2);
        assert!(rest.is_empty() || rest.starts_with(ends), "{text}");
        return (serde_json::from_str(quoted).unwrap(), rest);
    }
    let (bare, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
    (bare.to_owned(), rest)
}

/// The cells of a row, as many as there are columns with cells, and its exceptions.
fn cells(row: &str, count: usize, separator: char) -> (Vec<String>, Vec<(String, String)>) {
    let (mut found, mut exceptions) = (Vec::new(), Vec::new());
    let mut rest = Some(row);
    while let Some(text) = rest {
        let after = if found.len() < count {
            let (cell, after) = take(text, &[separator]);
            found.push(cell);
            after
        } else {
            let (name, value) = take(text, &['=']);
            let (value, after) = take(&value[1..], &[separator]);
            exceptions.push((name, value));
            after
        };
        rest = after.strip_prefix(separator);
    }
    (found, exceptions)
}

/// The names of declared columns.
fn declared(columns: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut rest = Some(columns);
    while let Some(text) = rest {
        let (name, mut after) = take(text, &[':', '=', ',']);
        names.push(name);
        if after.starts_with(':') {
            after = &after[after.find(['=', ',']).unwrap_or(after.len())..];
        }
        if let Some(value) = after.strip_prefix('=') {
            (_, after) = take(value, &[',']);
        }
        rest = after.strip_prefix(',');
    }
    names
}

/// The name and the value of a field of type `s`.
fn field(line: &str) -> (String, String) {
    let (name, value) = take(line, &['=']);
    (name, take(&value[1..], &[]).0)
}

/// The keys and values of a header, split at every `|`.
fn header(line: &str) -> Vec<(String, String)> {
    let keys = line.split('|').skip(2);
    keys.map(|key| {
        let (key, value) = key.split_once('=').unwrap();
        let value = if key == "columns" {
            value.to_owned()
        } else {
            take(value, &[]).0
        };
        (key.to_owned(), value)
    })
    .collect()
}

fn meta(evil: &str) -> Meta {
    let mut meta = Meta::new()
        .with_name(evil)
        .with_source(evil)
        .with_snapshot(evil)
        .with_digest(evil)
        .with_task(evil)
        .with_next(evil)
        .with_hint(evil);
    meta.extensions.insert("note".to_owned(), evil.to_owned());
    meta
}

/// Writes payloads and checks that each is read as what it is. Gives the lines of each.
fn written(payloads: Vec<(Payload, Kind, u64)>) -> Vec<Vec<String>> {
    let shapes: Vec<(Kind, u64)> = payloads
        .iter()
        .map(|(_, kind, count)| (*kind, *count))
        .collect();
    let document = Document::new(payloads.into_iter().map(|(payload, ..)| payload));
    let text = document.to_text().unwrap();
    assert_eq!(shape(&text), shapes, "{text}");
    assert_eq!(Document::parse(&text).unwrap(), document, "{text}");
    let mut lines: Vec<Vec<String>> = Vec::new();
    for line in text.strip_suffix('\n').unwrap().split('\n') {
        if line.starts_with("QRP1|") {
            lines.push(Vec::new());
        }
        lines.last_mut().unwrap().push(line.to_owned());
    }
    assert_eq!(
        lines.len(),
        shapes.len(),
        "a header for each payload, and no other:\n{text}"
    );
    lines
}

/// The control lines of a payload, and the others behind its header.
fn apart(lines: &[String]) -> (Vec<&str>, Vec<&str>) {
    lines[1..]
        .iter()
        .map(String::as_str)
        .partition(|line| line.starts_with('@'))
}

/// The keys that stand in each header, whatever stands in their values.
const FACTS: [&str; 8] = [
    "name", "source", "snapshot", "digest", "task", "next", "hint", "x-note",
];

fn facts_are(line: &str, kind: &str, evil: &str, others: &[&str]) {
    assert_eq!(line.split('|').nth(1), Some(kind), "{line}");
    let keys = header(line);
    for (key, value) in &keys {
        if FACTS.contains(&&**key) || key == "reason" {
            assert_eq!(value, evil, "{line}");
        }
    }
    let mut found: Vec<&str> = keys.iter().map(|(key, _)| &**key).collect();
    let mut expected = [&FACTS, others].concat();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{line}");
}

/// Records, texts and receipts of one evil string.
fn attack_lines(evil: &str) {
    let other = format!("{evil} 2");
    let record = Record::new(meta(evil))
        .with_field(Field::new(evil, evil))
        .with_field(Field::new(other.clone(), evil));
    let text = Text::new(meta(evil), format!("{evil}\n{evil}"));
    let count = text.body.split('\n').count() as u64;
    let mut part = Text::new(meta(evil), evil);
    part.part = Some(Part {
        number: 2,
        of: None,
        glued: true,
    });
    // What goes on with a line has some of it.
    if evil.is_empty() || evil.starts_with('\n') {
        part.body.insert(0, '~');
    }
    part.counts = CountPlace::End;
    let part_count = evil.split('\n').count() as u64;
    let mut escaped = text.clone();
    escaped.escaped = true;
    let receipt = Receipt::new(Status::Failed)
        .with_code("evil")
        .with_reason(evil)
        .with_meta(meta(evil));
    let escapes = if text.escaped {
        &["lines", "esc"][..]
    } else {
        &["lines"]
    };
    let part_escapes = [
        &["part", "glue", "end"][..],
        &["esc"][..usize::from(part.escaped)],
    ];
    let part_escapes = part_escapes.concat();
    let lines = written(vec![
        (record.into(), Kind::Record, 2),
        (text.into(), Kind::Text, count),
        (escaped.into(), Kind::Text, count),
        (part.into(), Kind::Text, part_count),
        (receipt.into(), Kind::Receipt, 0),
    ]);
    let lines: [_; 5] = lines.try_into().unwrap();
    let [record, text, escaped, part, receipt] = &lines;
    facts_are(&record[0], "record", evil, &["lines"]);
    let fields: Vec<_> = record[1..].iter().map(|line| field(line)).collect();
    assert_eq!(
        fields,
        [(evil.to_owned(), evil.to_owned()), (other, evil.to_owned())]
    );
    facts_are(&text[0], "text", evil, escapes);
    facts_are(&escaped[0], "text", evil, &["lines", "esc"]);
    facts_are(&part[0], "text", evil, &part_escapes);
    let end = format!("@end|lines={part_count}");
    assert_eq!(
        [apart(text).0, apart(escaped).0, apart(part).0],
        [vec![], vec![], vec![&*end]]
    );
    facts_are(&receipt[0], "receipt", evil, &["status", "code", "reason"]);
}

fn miss() -> Miss {
    Miss::empty_text().and_null().and_absent()
}

/// The rows of one evil string: as name, cell, constant and exception.
fn attack_rows(evil: &str, separator: Separator, counts: CountPlace) {
    let names = ["", " 2", " 3", " 4"].map(|end| format!("{evil}{end}"));
    let [a, b, c, d] = &names;
    let text = |name: &str| Column::new(name, ColumnType::Str);
    let bare = [text(a).with_miss(miss()), text(b)];
    // Between them a value that is said once, and one that rows say otherwise.
    let hoisted = [
        text(c).with_constant(evil),
        text(a).with_miss(miss()),
        text(d).with_miss(Miss::null()).with_constant(Value::Null),
        text(b),
    ];
    let time = |kind| Column::new("time", kind);
    let step = time(ColumnType::Time).with_step_ms(HOUR_MS);
    let layouts = [
        Layout::table(bare.clone()),
        Layout::table(hoisted.clone()),
        Layout::series(
            None,
            [vec![time(ColumnType::Clock)], bare.to_vec()].concat(),
        ),
        Layout::series(
            None,
            [vec![time(ColumnType::Hour)], hoisted.to_vec()].concat(),
        ),
        Layout::series(None, [vec![step.clone()], bare.to_vec()].concat()),
        Layout::series(None, [vec![step], hoisted.to_vec()].concat()),
    ];
    for layout in layouts {
        let layout = layout
            .unwrap()
            .with_separator(separator)
            .unwrap()
            .with_counts(counts);
        let series = layout.is_series();
        let is_hoisted = layout.columns().iter().any(|column| column.name() == c);
        let evil = || Value::from(evil);
        // Row by row: as the header says, then not.
        let values = [
            if is_hoisted {
                vec![evil(), evil(), Value::Null, evil()]
            } else {
                vec![evil(), evil()]
            },
            if is_hoisted {
                vec![Value::from("x"), evil(), evil(), evil()]
            } else {
                vec![evil(), evil()]
            },
        ];
        let rows = values
            .into_iter()
            .zip([EVENING_MS, MIDNIGHT_MS])
            .map(|(mut row, time_ms)| {
                if series {
                    row.insert(0, Value::Time(time_ms));
                }
                row
            });
        let table = Table {
            meta: Meta::new(),
            layout: layout.clone(),
            rows: rows.collect(),
        };
        check_rows(table, &names, is_hoisted);
    }
}

fn check_rows(table: Table, names: &[String; 4], hoisted: bool) {
    let [a, _, c, d] = names;
    let layout = table.layout.clone();
    let (series, in_header) = (layout.is_series(), layout.counts() == CountPlace::Header);
    let first = layout.columns()[0].clone();
    let has_time_cells = series && first.hoist().is_none();
    let kind = if series { Kind::Series } else { Kind::Table };
    let lines = written(vec![(table.into(), kind, 2)]).remove(0);
    let separator = match layout.separator() {
        Separator::Comma => ',',
        Separator::Tab => '\t',
    };
    let keys = header(&lines[0]);
    let keys: Vec<&str> = keys.iter().map(|(key, _)| &**key).collect();
    let usual = series == (separator == ',');
    let expected = [
        (in_header, "rows"),
        (in_header && series, "lines"),
        (!usual, "sep"),
        (!in_header, "end"),
        (true, "columns"),
    ];
    let expected = expected
        .iter()
        .filter(|(there, _)| *there)
        .map(|(_, key)| *key);
    assert_eq!(keys, expected.collect::<Vec<_>>(), "{}", lines[0]);
    let (_, columns) = lines[0].split_once("|columns=").unwrap();
    let own = layout
        .columns()
        .iter()
        .map(Column::name)
        .collect::<Vec<_>>();
    assert_eq!(declared(columns), own, "{columns}");

    let (control, rows) = apart(&lines);
    let anchors = match (series, has_time_cells) {
        (false, _) => vec![],
        (true, true) => vec!["@2026-09-08", "@2026-09-09"],
        (true, false) => vec!["@2026-09-08T23:00Z", "@2026-09-09"],
    };
    let end = match (in_header, series) {
        (true, _) => vec![],
        (false, false) => vec!["@end|rows=2"],
        (false, true) => vec!["@end|rows=2|lines=4"],
    };
    assert_eq!(control, [anchors, end].concat(), "{lines:?}");
    for (n, row) in rows.iter().enumerate() {
        let (mut cells, exceptions) = cells(row, 2 + usize::from(has_time_cells), separator);
        if has_time_cells {
            let time = cells.remove(0);
            assert!(["23", "00", "23:00", "00:00"].contains(&&*time), "{row}");
        }
        assert_eq!(cells, [a.clone(), a.clone()], "{row}");
        let mut said = Vec::new();
        if hoisted && n == 1 {
            if a != "x" {
                said.push((c.clone(), "x".to_owned()));
            }
            said.push((d.clone(), a.clone()));
        }
        assert_eq!(exceptions, said, "{row}");
    }
}

fn attack(evil: &str) {
    attack_lines(evil);
    for separator in [Separator::Tab, Separator::Comma] {
        for counts in [CountPlace::Header, CountPlace::End] {
            attack_rows(evil, separator, counts);
        }
    }
}

#[test]
fn the_known_attacks_fail() {
    for evil in HOSTILE {
        attack(evil);
        // What an exception and a declaration of these very columns would look like.
        for forged in [
            "\t{} 3=x",
            ",{} 3=x",
            "x\t\"{} 4\"=y",
            "{}=",
            "{}=x,z",
            "{}:i",
            "{}\":i=1",
        ] {
            attack(&forged.replace("{}", evil));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_attack_fails(evil in documents::string()) {
        attack(&evil);
    }
}
