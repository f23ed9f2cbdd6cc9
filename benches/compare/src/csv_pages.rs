//! CSV: a comment line with the facts, the names, the rows.

use std::fmt::Write as _;

use crate::Error;
use crate::candles::Candle;
use crate::format::Format;
use crate::json_pages::Line;
use crate::page::{Page, pages};

/// CSV with full times. What JSON says beside the rows is said in one line before them.
pub const CSV: Format = Format { name: "CSV", print };

fn print(candles: &[Candle]) -> Result<Vec<String>, Error> {
    pages(candles)?.iter().map(print_page).collect()
}

fn print_page(page: &Page<'_>) -> Result<String, Error> {
    let mut text = String::from("#");
    let mut fact = |name: &str, value: &str| {
        let comma = if name == "provider" { "" } else { "," };
        write!(text, "{comma}{name}={value}")
    };
    let Page {
        source,
        range,
        snapshot,
        place,
        ..
    } = page;
    fact("provider", source.provider)?;
    fact("exchange", source.exchange)?;
    fact("market", source.market)?;
    fact("symbol", source.symbol)?;
    fact("interval", source.interval)?;
    fact("timezone", source.timezone)?;
    fact("adjustment", source.adjustment)?;
    fact("schema", source.schema)?;
    fact("start", &range.start)?;
    fact("end", &range.end)?;
    fact("complete", if range.complete { "true" } else { "false" })?;
    fact("snapshot", &snapshot.id)?;
    fact("digest", &snapshot.digest)?;
    fact("as_of", &snapshot.as_of)?;
    fact("size", &place.size.to_string())?;
    fact("rows", &place.rows.to_string())?;
    fact("total", &place.total.to_string())?;
    fact("order", place.order)?;
    fact("has_more", if place.has_more { "true" } else { "false" })?;
    fact(
        "next_cursor",
        place.next_cursor.as_deref().unwrap_or("null"),
    )?;
    text.push('\n');

    let mut rows = csv::Writer::from_writer(text.into_bytes());
    for candle in page.candles {
        rows.serialize(Line::new(candle)?)?;
    }
    Ok(String::from_utf8(rows.into_inner()?)?)
}
