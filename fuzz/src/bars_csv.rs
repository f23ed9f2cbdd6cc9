//! Bytes as a CSV file of bars: rows or a fault, the same however the input is cut.

use toolgate_runtime::{BarsParser, Batch, Error};

/// Parses `data` whole and in pieces.
///
/// # Panics
/// When two ways to cut the input give different rows or faults, or a fault has no place.
pub fn check(data: &[u8]) {
    let whole = parse(data, data.len().max(1));
    let size = usize::from(data.first().copied().unwrap_or(0) % 7) + 1;
    assert_eq!(parse(data, size), whole, "pieces of {size}");
    if let Some(Error::Input { line, .. }) = whole.1 {
        let ends = |byte: &&u8| matches!(byte, b'\n' | b'\r');
        let lines = data.iter().filter(ends).count() as u64 + 1;
        assert!((1..=lines).contains(&line), "line {line} of {lines}");
    }
}

fn parse(data: &[u8], size: usize) -> (Option<Batch>, Option<Error>) {
    let mut parser = BarsParser::new();
    for piece in data.chunks(size) {
        if let Err(error) = parser.push(piece) {
            return (parser.take(usize::MAX), Some(error));
        }
    }
    let error = parser.finish().err();
    (parser.take(usize::MAX), error)
}
