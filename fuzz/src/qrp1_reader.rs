//! Bytes into the QRP1 reader: no panic, one text for each meaning, and the same events
//! however the input is cut.

use qrp1::{Document, Error, Event, Limits, Reader, Step};

/// Limits that keep a fuzzing run quick.
const LIMITS: Limits = Limits {
    max_line_bytes: 1 << 14,
    max_header_bytes: 1 << 14,
    max_cell_bytes: 1 << 13,
    max_columns: 64,
};

/// Reads `data` whole and in pieces.
///
/// # Panics
/// When what is accepted does not print back to the same bytes, or two ways to cut the
/// input give different events.
pub fn check(data: &[u8]) {
    if let Ok(document) = Document::parse_with(data, LIMITS) {
        let text = document.to_text().expect("what was read can be written");
        assert_eq!(text.as_bytes(), data, "only the canonical text is accepted");
    }
    let whole = events(data.len().max(1), data);
    let size = usize::from(data.first().copied().unwrap_or(0) % 7) + 1;
    assert_eq!(events(size, data), whole, "pieces of {size}");
}

fn events(size: usize, data: &[u8]) -> (Vec<Event>, Option<Error>) {
    let mut reader = Reader::with_limits(LIMITS);
    let mut events = Vec::new();
    for piece in data.chunks(size) {
        let mut input = piece;
        loop {
            match reader.read(input) {
                Ok((Step::Event(event), used)) => {
                    events.push(event);
                    input = &input[used..];
                }
                Ok((Step::NeedInput, _)) => break,
                Err(error) => return (events, Some(error)),
            }
        }
    }
    (events, reader.finish().err())
}
