//! Compact JSON: an object a page, an object a row.

use serde::{Serialize, Serializer};

use crate::Error;
use crate::candles::Candle;
use crate::format::Format;
use crate::page::{Page, Place, Range, Snapshot, Source, iso, pages};

/// Compact JSON, what a tool returns unless somebody thought about it.
pub const JSON: Format = Format {
    name: "compact JSON",
    print,
};

/// A page as serde sees it, for JSON and for every format that has JSON's data model.
#[derive(Debug, Serialize)]
pub(crate) struct Body {
    source: Source,
    range: Range,
    snapshot: Snapshot,
    page: Place,
    candles: Vec<Line>,
}

impl Body {
    pub(crate) fn new(page: Page<'_>) -> Result<Self, Error> {
        Ok(Self {
            candles: page
                .candles
                .iter()
                .map(Line::new)
                .collect::<Result<_, _>>()?,
            source: page.source,
            range: page.range,
            snapshot: page.snapshot,
            page: page.place,
        })
    }
}

/// A candle as text formats write it.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    time: String,
    open: Number,
    high: Number,
    low: Number,
    close: Number,
    volume: Number,
    closed: bool,
}

impl Line {
    pub(crate) fn new(candle: &Candle) -> Result<Self, Error> {
        Ok(Self {
            time: iso(candle.time_ms)?,
            open: Number(candle.open),
            high: Number(candle.high),
            low: Number(candle.low),
            close: Number(candle.close),
            volume: Number(candle.volume),
            closed: candle.closed,
        })
    }
}

/// A number without a bare `.0`, which serde_json and csv would write: JavaScript and Python's
/// integers have none, and it would cost the rivals two tokens.
#[derive(Debug)]
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Exact: the walk stays far below 2^31.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "compared with the original"
        )]
        let whole = self.0 as i32;
        if f64::from(whole) == self.0 {
            serializer.serialize_i32(whole)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

fn print(candles: &[Candle]) -> Result<Vec<String>, Error> {
    pages(candles)?
        .into_iter()
        .map(|page| Ok(serde_json::to_string(&Body::new(page)?)?))
        .collect()
}
