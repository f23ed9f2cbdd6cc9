//! csv, typed, by serde.

use crate::Error;
use crate::candles::Row;
use crate::codec::Codec;

/// csv with derived `Serialize` and `Deserialize`, and a line of names.
#[derive(Debug)]
pub struct CsvRows;

impl Codec for CsvRows {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn encode(&self, rows: &[Row]) -> Result<Vec<u8>, Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in rows {
            writer.serialize(row)?;
        }
        Ok(writer.into_inner()?)
    }

    fn decode(&self, text: &str) -> Result<Vec<Row>, Error> {
        let rows = csv::Reader::from_reader(text.as_bytes())
            .deserialize()
            .collect::<Result<_, _>>()?;
        Ok(rows)
    }
}
