//! TOON: the pages of [`JSON`](crate::json_pages::JSON), whose rows it prints as a table.

use crate::Error;
use crate::candles::Candle;
use crate::format::Format;
use crate::json_pages::Body;
use crate::page::pages;

/// TOON with its defaults: commas, two blanks a level.
pub const TOON: Format = Format {
    name: "TOON",
    print,
};

fn print(candles: &[Candle]) -> Result<Vec<String>, Error> {
    pages(candles)?
        .into_iter()
        .map(|page| Ok(toon_format::encode_default(&Body::new(page)?)?))
        .collect()
}
