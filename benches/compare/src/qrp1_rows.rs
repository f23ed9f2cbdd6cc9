//! QRP1, typed: a table whose layout is given.

use qrp1::{Caps, Column, ColumnType, CountPlace, Layout, Meta, PageWriter};

use crate::Error;
use crate::candles::Row;
use crate::codec::Codec;

/// qrp1 with derived `Serialize` and `Deserialize`.
#[derive(Debug)]
pub struct Qrp1Rows {
    layout: Layout,
}

impl Qrp1Rows {
    /// The columns in the order of the fields, every one with its cells.
    ///
    /// # Errors
    ///
    /// None that is expected: the columns fit together.
    pub fn new() -> Result<Self, Error> {
        let column = |name: &str, kind| Column::new(name, kind);
        let layout = Layout::table([
            column("dt_ms", ColumnType::I64),
            column("o", ColumnType::F64),
            column("h", ColumnType::F64),
            column("l", ColumnType::F64),
            column("c", ColumnType::F64),
            column("v", ColumnType::F64),
            column("closed", ColumnType::Bool),
        ])?;
        debug_assert_eq!(layout.counts(), CountPlace::Header);
        Ok(Self { layout })
    }
}

impl Codec for Qrp1Rows {
    fn name(&self) -> &'static str {
        "qrp1"
    }

    fn encode(&self, rows: &[Row]) -> Result<Vec<u8>, Error> {
        let mut page = PageWriter::new(&self.layout, Caps::default(), None)?;
        for row in rows {
            page.push_row(row)?;
        }
        let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
        Ok(page.text.into_bytes())
    }

    fn decode(&self, text: &str) -> Result<Vec<Row>, Error> {
        Ok(qrp1::from_str(text)?)
    }
}
