//! The golden vectors: what each text says, both ways, and what is refused where.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashSet;
use std::path::Path;

use qrp1::{
    Cap, Column, ColumnType, CountPlace, Cover, Decimal, Document, Field, Layout, Limits, Meta,
    Miss, Outcome, Part, Payload, Profile, Receipt, Record, Separator, Status, Table, Text,
    TimeRange, Value,
};
use serde_json::Value as Json;

fn vectors() -> Vec<Json> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut vectors = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.ends_with(".json") && !name.ends_with(".schema.json") {
            let text = std::fs::read_to_string(&path).unwrap();
            let file: Vec<Json> = serde_json::from_str(&text).expect(&name);
            assert!(!file.is_empty(), "{name}");
            vectors.extend(file);
        }
    }
    vectors
}

fn text<'j>(json: &'j Json, key: &str) -> Option<&'j str> {
    json.get(key).map(|value| value.as_str().expect(key))
}

fn number<T: core::str::FromStr>(json: &Json, key: &str) -> Option<T> {
    text(json, key).map(|digits| digits.parse().ok().expect(key))
}

fn column_type(word: &str) -> ColumnType {
    match word {
        "b" => ColumnType::Bool,
        "i" => ColumnType::I64,
        "u" => ColumnType::U64,
        "f" => ColumnType::F64,
        "s" => ColumnType::Str,
        "t" => ColumnType::Time,
        "o" => ColumnType::Offset,
        "tc" => ColumnType::Clock,
        "th" => ColumnType::Hour,
        "tm" => ColumnType::Minute,
        "td" => ColumnType::Day,
        _ => ColumnType::Decimal {
            scale: word.strip_prefix('d').unwrap().parse().unwrap(),
        },
    }
}

fn miss(marks: &str) -> Miss {
    let (none, null, absent, empty) = (
        Miss::none(),
        Miss::null(),
        Miss::absent(),
        Miss::empty_text(),
    );
    match marks {
        "" => none,
        "!" => null,
        "!?" => null.and_absent(),
        "?" => absent,
        "?!" => absent.and_null(),
        "~" => empty,
        "~!" => empty.and_null(),
        "~?" => empty.and_absent(),
        "~!?" => empty.and_null().and_absent(),
        _ => panic!("{marks}"),
    }
}

fn value(json: &Json, kind: ColumnType) -> Value {
    let digits = match json {
        Json::Null => return Value::Null,
        Json::Object(_) => return Value::Absent,
        Json::Bool(flag) => return Value::Bool(*flag),
        Json::String(text) => text,
        _ => panic!("{json}"),
    };
    match kind {
        ColumnType::I64 => Value::I64(digits.parse().unwrap()),
        ColumnType::U64 => Value::U64(digits.parse().unwrap()),
        ColumnType::F64 => Value::F64(f64::from_bits(u64::from_str_radix(digits, 16).unwrap())),
        ColumnType::Decimal { scale } => {
            Value::Decimal(Decimal::new(digits.parse().unwrap(), scale))
        }
        ColumnType::Time
        | ColumnType::Offset
        | ColumnType::Clock
        | ColumnType::Hour
        | ColumnType::Minute
        | ColumnType::Day => Value::Time(digits.parse().unwrap()),
        _ => Value::Str(digits.clone()),
    }
}

fn meta(json: &Json) -> Meta {
    let mut meta = Meta::new();
    let Some(json) = json.get("meta") else {
        return meta;
    };
    let owned = |key| text(json, key).map(str::to_owned);
    meta.name = owned("name");
    meta.source = owned("source");
    meta.snapshot = owned("snapshot");
    meta.digest = owned("digest");
    meta.task = owned("task");
    meta.next = owned("next");
    meta.hint = owned("hint");
    meta.crc = json.get("crc").is_some();
    meta.result = number(json, "result");
    meta.from = number(json, "from");
    meta.total = number(json, "total");
    meta.range = json.get("range").map(|range| {
        let end = |at: usize| range[at].as_str().unwrap().parse().unwrap();
        TimeRange {
            start_ms: end(0),
            end_ms: end(1),
        }
    });
    meta.cover = text(json, "cover").map(|word| match word {
        "all" => Cover::All,
        "page" => Cover::Page,
        "sample" => Cover::Sample,
        "summary" => Cover::Summary,
        "partial" => Cover::Partial,
        _ => panic!("{word}"),
    });
    meta.cap = text(json, "cap").map(|word| match word {
        "bytes" => Cap::Bytes,
        "tokens" => Cap::Tokens,
        "rows" => Cap::Rows,
        _ => panic!("{word}"),
    });
    for (key, value) in json
        .get("extensions")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
    {
        meta.extensions
            .insert(key.clone(), value.as_str().unwrap().to_owned());
    }
    meta
}

fn count_place(json: &Json) -> CountPlace {
    match text(json, "counts") {
        Some("end") => CountPlace::End,
        _ => CountPlace::Header,
    }
}

fn layout(json: &Json) -> Layout {
    let columns: Vec<Column> = json["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| {
            let kind = column_type(text(column, "type").unwrap());
            let plain = Column::new(text(column, "name").unwrap(), kind)
                .with_miss(miss(text(column, "miss").unwrap()));
            match (column.get("constant"), column.get("start")) {
                (Some(constant), _) => plain.with_constant(value(constant, kind)),
                (None, Some(start)) => {
                    plain.with_sequence(value(start, kind), number(column, "step").unwrap())
                }
                (None, None) => match number(column, "step_ms") {
                    Some(step_ms) => plain.with_step_ms(step_ms),
                    None => plain,
                },
            }
        })
        .collect();
    let mut layout = match text(json, "kind") {
        Some("series") => Layout::series(number(json, "t0_ms"), columns).unwrap(),
        _ => Layout::table(columns).unwrap(),
    };
    layout = layout.with_counts(count_place(json));
    layout = match text(json, "separator") {
        Some("comma") => layout.with_separator(Separator::Comma).unwrap(),
        Some(_) => layout.with_separator(Separator::Tab).unwrap(),
        None => layout,
    };
    if text(json, "profile") == Some("seed") {
        layout = layout.with_profile(Profile::Seed).unwrap();
    }
    layout
}

fn payload(json: &Json) -> Payload {
    let meta = meta(json);
    let counts = count_place(json);
    match text(json, "kind").unwrap() {
        "text" => Payload::Text(Text {
            meta,
            body: text(json, "body").unwrap().to_owned(),
            escaped: json["escaped"].as_bool().unwrap(),
            counts,
            part: json.get("part").map(|part| Part {
                number: number(part, "number").unwrap(),
                of: number(part, "of"),
                glued: part.get("glued").is_some(),
            }),
        }),
        "receipt" => {
            let status = match text(json, "status").unwrap() {
                "ok" => Status::Ok,
                "failed" => Status::Failed,
                "pending" => Status::Pending,
                "partial" => Status::Partial,
                "outcome_unknown" => Status::OutcomeUnknown,
                word => panic!("{word}"),
            };
            let owned = |key| text(json, key).map(str::to_owned);
            let outcome = Outcome {
                status,
                code: owned("code"),
                reason: owned("reason"),
            };
            Payload::Receipt(Receipt { outcome, meta })
        }
        "record" => {
            let fields = json["fields"].as_array().unwrap().iter().map(|field| {
                let name = text(field, "name").unwrap();
                let kind = column_type(text(field, "type").unwrap());
                match value(&field["value"], kind) {
                    Value::Null => Field::null(name, kind),
                    value => Field::new(name, value),
                }
            });
            Payload::Record(Record {
                meta,
                fields: fields.collect(),
                counts,
            })
        }
        _ => {
            let layout = layout(json);
            let rows = json["rows"].as_array().unwrap().iter().map(|row| {
                let cells = row.as_array().unwrap().iter();
                cells
                    .zip(layout.columns())
                    .map(|(cell, column)| value(cell, column.column_type()))
                    .collect()
            });
            let rows = rows.collect();
            Payload::Table(Table { meta, layout, rows })
        }
    }
}

/// What a vector's text, bytes or layout line was read as.
#[derive(Debug, PartialEq)]
enum Read {
    Document(Document),
    Layout(Layout),
}

fn bytes(hex: &str) -> Vec<u8> {
    let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[test]
fn every_vector_holds() {
    let mut wrong = Vec::new();
    for vector in vectors() {
        let name = text(&vector, "name").unwrap();
        let written = match vector.get("hex") {
            Some(_) => bytes(text(&vector, "hex").unwrap()),
            None => ["text", "layout"]
                .iter()
                .find_map(|form| text(&vector, form))
                .expect(name)
                .as_bytes()
                .to_vec(),
        };
        let shown = written.escape_ascii();
        let read = match text(&vector, "layout") {
            Some(line) => Layout::from_line(line).map(Read::Layout),
            None => Document::parse_with(&written, Limits::default()).map(Read::Document),
        };
        if let Some(error) = vector.get("error") {
            let expected = (
                text(error, "code").unwrap().to_owned(),
                error["line"].as_u64(),
                error["column"].as_u64(),
            );
            let found = read
                .as_ref()
                .err()
                .map(|error| (error.code().to_string(), error.line(), error.column()));
            if found.as_ref() != Some(&expected) {
                wrong.push(format!(
                    "{name}: expected {expected:?}, found {found:?} in {shown}"
                ));
            }
            continue;
        }
        let (said, again) = match vector.get("shape") {
            Some(shape) => {
                let layout = layout(shape);
                let line = layout.to_line();
                (Read::Layout(layout), Ok(line))
            }
            None => {
                let payloads = vector["document"].as_array().unwrap();
                let document = Document::new(payloads.iter().map(payload));
                let text = document.to_text();
                (Read::Document(document), text)
            }
        };
        if read.as_ref() != Ok(&said) {
            wrong.push(format!("{name}: {shown} read as {read:?}"));
        }
        match again {
            Ok(text) if text.as_bytes() == written => {}
            other => wrong.push(format!("{name}: expected {shown}, written {other:?}")),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_vectors_are_many_and_named() {
    let vectors = vectors();
    assert!(vectors.len() >= 800, "{} vectors", vectors.len());
    let names: HashSet<&str> = vectors.iter().filter_map(|v| text(v, "name")).collect();
    assert_eq!(names.len(), vectors.len(), "names are unique");
}
