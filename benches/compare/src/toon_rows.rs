//! toon-format, typed, by serde: a table at the root.

use crate::Error;
use crate::candles::Row;
use crate::codec::Codec;

/// toon-format with derived `Serialize` and `Deserialize`, and its defaults.
#[derive(Debug)]
pub struct ToonRows;

impl Codec for ToonRows {
    fn name(&self) -> &'static str {
        "toon-format"
    }

    fn encode(&self, rows: &[Row]) -> Result<Vec<u8>, Error> {
        Ok(toon_format::encode_default(&rows)?.into_bytes())
    }

    fn decode(&self, text: &str) -> Result<Vec<Row>, Error> {
        Ok(toon_format::decode_default(text)?)
    }
}
