//! No value, name, label or reason makes a line that reads as anything but what it is.
#![allow(clippy::unwrap_used)]

mod documents;

use proptest::prelude::*;
use qrp1::{
    Column, ColumnType, Document, Event, Field, Kind, Layout, Meta, Miss, Payload, Receipt, Record,
    Status, Step, Table, Text, Value,
};

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

fn attack(evil: &str) {
    let meta = || {
        let mut meta = Meta::new()
            .with_name(evil)
            .with_source(evil)
            .with_snapshot(evil);
        meta = meta
            .with_digest(evil)
            .with_task(evil)
            .with_next(evil)
            .with_hint(evil);
        meta.extensions.insert("note".to_owned(), evil.to_owned());
        meta
    };
    let other = format!("{evil} 2");
    let table = Table {
        meta: meta(),
        layout: Layout::table([
            Column::new(evil, ColumnType::Str)
                .with_miss(Miss::empty_text().and_null().and_absent()),
            Column::new(other.clone(), ColumnType::Str),
        ])
        .unwrap(),
        rows: vec![vec![Value::from(evil), Value::from(evil)]; 2],
    };
    let record = Record::new(meta())
        .with_field(Field::new(evil, evil))
        .with_field(Field::new(other, evil));
    let text = Text::new(meta(), format!("{evil}\n{evil}"));
    let lines = text.body.split('\n').count() as u64;
    let receipt = Receipt::new(Status::Failed)
        .with_code("evil")
        .with_reason(evil)
        .with_meta(meta());
    let document = Document::new([
        Payload::from(table),
        Payload::from(record),
        Payload::from(text),
        Payload::from(receipt),
    ]);
    let written = document.to_text().unwrap();
    assert_eq!(
        shape(&written),
        [
            (Kind::Table, 2),
            (Kind::Record, 2),
            (Kind::Text, lines),
            (Kind::Receipt, 0)
        ],
        "{written}"
    );
    assert_eq!(Document::parse(&written).unwrap(), document);
    let headers = written
        .lines()
        .filter(|line| line.starts_with("QRP1|"))
        .count();
    assert_eq!(headers, 4, "{written}");
    assert!(
        !written.lines().any(|line| line.starts_with('@')),
        "{written}"
    );
}

#[test]
fn the_known_attacks_fail() {
    for evil in documents::HOSTILE {
        attack(evil);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_attack_fails(evil in documents::string()) {
        attack(&evil);
    }
}
