//! Bytes into the QRP1 reader: no panic, one text for each meaning, and the same events
//! however the input is cut.

use qrp1::{CountPlace, Document, Error, Event, Limits, Payload, Reader, Receipt, Step};
use qrp1::{Record, Table, Text};

mod slice;

/// Limits that keep a fuzzing run quick.
const LIMITS: Limits = Limits {
    max_line_bytes: 1 << 14,
    max_header_bytes: 1 << 14,
    max_cell_bytes: 1 << 13,
    max_hoisted_bytes: 1 << 24,
    max_columns: 64,
};

/// Reads `data` whole, by both readers, and in pieces.
///
/// # Panics
/// When the readers differ, when what is accepted does not print back to the same bytes, when two ways to cut the
/// input give different events, or when the events are not the document.
pub fn check(data: &[u8]) {
    let parsed = Document::parse_with(data, LIMITS);
    if let Ok(document) = &parsed {
        let text = document.to_text().expect("what was read can be written");
        assert_eq!(text.as_bytes(), data, "only the canonical text is accepted");
    }
    if let Ok(text) = std::str::from_utf8(data) {
        slice::check(text, LIMITS, &parsed);
    }
    let (whole, error) = events([data]);
    match &error {
        Some(error) => assert_eq!(parsed.as_ref(), Err(error), "the error of the document"),
        None => assert_eq!(parsed, Ok(document(&whole)), "the document of the events"),
    }
    let whole = (whole, error);
    assert_eq!(events(data.chunks(1)), whole, "single bytes");
    // Each line feed in a piece of its own, where the state turns.
    let lines = data.split_inclusive(|byte| *byte == b'\n');
    let ends = lines.flat_map(|line| [&line[..line.len() - 1], &line[line.len() - 1..]]);
    assert_eq!(events(ends), whole, "line ends apart");
    // Any change of the data changes the cuts, so that a run tries many.
    let mut state = u64::from(crc32fast::hash(data));
    for longest in [3, 16, 200] {
        let mut rest = data;
        let pieces = std::iter::from_fn(|| {
            if rest.is_empty() {
                return None;
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Pieces may be empty.
            let length = (state >> 33) % (longest + 1);
            let (piece, after) = rest.split_at((length as usize).min(rest.len()));
            rest = after;
            Some(piece)
        });
        assert_eq!(events(pieces), whole, "pieces of at most {longest}");
    }
}

/// The events of input in pieces, and how it ended. The reader goes on as a copy of itself
/// after each piece.
fn events<'d>(pieces: impl IntoIterator<Item = &'d [u8]>) -> (Vec<Event>, Option<Error>) {
    let mut reader = Reader::with_limits(LIMITS);
    let mut events = Vec::new();
    for piece in pieces {
        let mut input = piece;
        loop {
            match reader.read(input) {
                Ok((Step::Event(event), used)) => {
                    events.push(event);
                    input = &input[used..];
                }
                Ok((Step::NeedInput, used)) => {
                    assert_eq!(used, input.len(), "all input is taken");
                    break;
                }
                Err(error) => {
                    assert_eq!(reader.read(b"x"), Err(error.clone()), "an error stays");
                    assert_eq!(reader.finish(), Err(error.clone()), "an error stays");
                    return (events, Some(error));
                }
            }
        }
        if piece.len() > 1 {
            reader = reader.clone();
        }
    }
    (events, reader.finish().err())
}

/// The document that events are, put together without the crate's help.
fn document(events: &[Event]) -> Document {
    let mut payloads: Vec<Payload> = Vec::new();
    let mut first_line = false;
    for event in events {
        if let Event::Header(header) = event {
            let meta = header.meta.clone();
            let counts = match header.count {
                Some(_) => CountPlace::Header,
                None => CountPlace::End,
            };
            payloads.push(match (header.kind, &header.layout, &header.outcome) {
                (qrp1::Kind::Text, ..) => {
                    let mut text = Text::new(meta, "");
                    (text.escaped, text.counts, text.part) = (header.escaped, counts, header.part);
                    text.into()
                }
                (_, Some(layout), _) => Table {
                    meta,
                    layout: layout.clone(),
                    rows: Vec::new(),
                }
                .into(),
                (_, _, Some(outcome)) => Receipt {
                    outcome: outcome.clone(),
                    meta,
                }
                .into(),
                _ => {
                    let mut record = Record::new(meta);
                    record.counts = counts;
                    record.into()
                }
            });
            first_line = true;
            continue;
        }
        match (payloads.last_mut().expect("a header comes first"), event) {
            (Payload::Table(table), Event::Row(row)) => table.rows.push(row.clone()),
            (Payload::Record(record), Event::Field(field)) => record.fields.push(field.clone()),
            (Payload::Text(text), Event::Line(line)) => {
                // The first line has no line feed before it.
                if !std::mem::take(&mut first_line) {
                    text.body.push('\n');
                }
                text.body.push_str(line);
            }
            (payload, Event::End(end)) => {
                let (meta, count) = match payload {
                    Payload::Table(table) => (&mut table.meta, table.rows.len()),
                    Payload::Record(record) => (&mut record.meta, record.fields.len()),
                    Payload::Receipt(receipt) => (&mut receipt.meta, 0),
                    Payload::Text(text) => {
                        let lines = text.body.split('\n').count();
                        let some = !text.body.is_empty() || text.part.is_some();
                        (&mut text.meta, if some { lines } else { 0 })
                    }
                };
                assert_eq!(end.count, count as u64, "the count of what came");
                meta.crc |= end.crc.is_some();
            }
            (payload, event) => panic!("{event:?} in {payload:?}"),
        }
    }
    Document::new(payloads)
}
