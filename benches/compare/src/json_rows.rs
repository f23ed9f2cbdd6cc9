//! serde_json, typed: an array of objects.

use crate::Error;
use crate::candles::Row;
use crate::codec::Codec;

/// serde_json with derived `Serialize` and `Deserialize`.
#[derive(Debug)]
pub struct JsonRows;

impl Codec for JsonRows {
    fn name(&self) -> &'static str {
        "serde_json"
    }

    fn encode(&self, rows: &[Row]) -> Result<Vec<u8>, Error> {
        Ok(serde_json::to_vec(rows)?)
    }

    fn decode(&self, text: &str) -> Result<Vec<Row>, Error> {
        Ok(serde_json::from_str(text)?)
    }
}
