//! A way to write typed rows as text and to read them again, as it is timed.

use std::fmt::Debug;

use crate::Error;
use crate::candles::Row;

/// Writes typed rows and reads them, as a user of a library would: what can be made up front (a
/// layout, options) is made when the value is made; every call makes a fresh output.
pub trait Codec: Debug {
    /// What the table calls it.
    fn name(&self) -> &'static str;

    /// Writes all rows.
    ///
    /// # Errors
    ///
    /// What the library says.
    fn encode(&self, rows: &[Row]) -> Result<Vec<u8>, Error>;

    /// Reads all rows. UTF-8 was checked by the type of `text`, for all contenders alike.
    ///
    /// # Errors
    ///
    /// What the library says.
    fn decode(&self, text: &str) -> Result<Vec<Row>, Error>;
}

/// Every contender. The ratios are those of the others to the first.
///
/// ```
/// let codecs = toolgate_compare::codec::codecs()?;
/// let names: Vec<_> = codecs
///     .iter()
///     .map(|codec| codec.name())
///     .collect();
/// assert!(names.starts_with(&["qrp1", "serde_json", "csv"]));
/// # Ok::<(), toolgate_compare::Error>(())
/// ```
///
/// # Errors
///
/// What making a codec says.
pub fn codecs() -> Result<Vec<Box<dyn Codec>>, Error> {
    Ok(vec![
        Box::new(crate::qrp1_rows::Qrp1Rows::new()?),
        Box::new(crate::json_rows::JsonRows),
        Box::new(crate::csv_rows::CsvRows),
        #[cfg(feature = "toon")]
        Box::new(crate::toon_rows::ToonRows),
    ])
}

/// Writes the rows and checks that they are read again as they were. To be called before timing.
///
/// ```
/// use toolgate_compare::{candles::rows, codec::text, json_rows::JsonRows};
/// assert!(text(&JsonRows, &rows(1))?.starts_with(r#"[{"dt_ms":0,"o":500.0,"#));
/// # Ok::<(), toolgate_compare::Error>(())
/// ```
///
/// # Errors
///
/// What the library says, or that the rows came back changed.
pub fn text(codec: &dyn Codec, rows: &[Row]) -> Result<String, Error> {
    let text = String::from_utf8(codec.encode(rows)?)?;
    if codec.decode(&text)? != rows {
        return Err(format!("{} does not read what it wrote", codec.name()).into());
    }
    Ok(text)
}
