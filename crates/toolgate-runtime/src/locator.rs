//! Where data is: what a model says instead of the data.

use serde::{Deserialize, Serialize};

use crate::batch::MAX_NAME_BYTES;
use crate::echo;
use crate::error::Error;
use crate::instant;

/// The most bytes of JSON that a locator or a request is read from.
///
/// ```
/// use toolgate_runtime::{Locator, MAX_REQUEST_JSON_BYTES};
///
/// let mut json = r#"{"source":"csv","symbol":"aapl_1d"}"#.to_owned();
/// json.push_str(&" ".repeat(MAX_REQUEST_JSON_BYTES - json.len()));
/// assert!(Locator::from_json(&json).is_ok());
/// json.push(' ');
/// assert_eq!(Locator::from_json(&json).unwrap_err().code(), "request");
/// ```
pub const MAX_REQUEST_JSON_BYTES: usize = 128 * 1024;

/// Which rows of which source; the parameters of a tool call in place of thousands of rows.
///
/// ```
/// use toolgate_runtime::Locator;
///
/// let locator = Locator::from_json(r#"{"source":"csv","symbol":"aapl_1d","start":"2001-01-01T00:00:00Z"}"#)?;
/// assert_eq!(locator.symbol, "aapl_1d");
/// assert_eq!(locator.start_ms()?, Some(978_307_200_000));
/// assert_eq!(locator.to_string(), "csv:aapl_1d from 2001-01-01T00:00:00Z");
///
/// let error = Locator::from_json(r#"{"source":"csv","ticker":"aapl_1d"}"#).unwrap_err();
/// assert_eq!(error.code(), "request");
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locator {
    /// The name of the source, as the runtime knows it; at most 255 bytes.
    pub source: String,
    /// What to read from it, in the source's own words; at most 255 bytes.
    pub symbol: String,
    /// The first time wanted, included (RFC 3339). Default: from the beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// The first time not wanted any more, excluded (RFC 3339). Default: to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

impl Locator {
    /// A locator of all rows of a symbol.
    ///
    /// ```
    /// let locator = toolgate_runtime::Locator::new("csv", "aapl_1d");
    /// assert_eq!(locator.to_string(), "csv:aapl_1d");
    /// ```
    #[must_use]
    pub fn new(source: impl Into<String>, symbol: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            symbol: symbol.into(),
            start: None,
            end: None,
        }
    }

    /// Reads a locator as a model writes it.
    ///
    /// # Errors
    /// [`Error::Request`] when it is not JSON of this shape, has a field too many, a name of
    /// more than 255 bytes, a time that is not RFC 3339 in the shape
    /// `YYYY-MM-DDTHH:MM:SS[.f](Z|+HH:MM|-HH:MM)`, or is longer than
    /// [`MAX_REQUEST_JSON_BYTES`].
    pub fn from_json(json: &str) -> Result<Self, Error> {
        check_length(json)?;
        let locator: Self = serde_json::from_str(json).map_err(|error| Error::Request {
            reason: format!("locator: {}", echo::reason(&error.to_string())),
        })?;
        locator.check()?;
        Ok(locator)
    }

    /// Checks the names and the times.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (field, name) in [("source", &self.source), ("symbol", &self.symbol)] {
            if name.len() > MAX_NAME_BYTES {
                return Err(Error::Request {
                    reason: format!(
                        "locator, field {field}: expected at most {MAX_NAME_BYTES} bytes, found {}",
                        name.len()
                    ),
                });
            }
        }
        if let (Some(start), Some(end)) = (self.start_ms()?, self.end_ms()?)
            && start >= end
        {
            return Err(Error::Request {
                reason: "locator: expected start before end, found it at or after it".to_owned(),
            });
        }
        Ok(())
    }

    /// The first time wanted, in milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// [`Error::Request`] when it is not RFC 3339.
    pub fn start_ms(&self) -> Result<Option<i64>, Error> {
        self.start
            .as_deref()
            .map(|text| instant("start", text))
            .transpose()
    }

    /// The first time not wanted any more, in milliseconds since 1970-01-01T00:00:00Z.
    ///
    /// # Errors
    /// [`Error::Request`] when it is not RFC 3339.
    ///
    /// ```
    /// use toolgate_runtime::Locator;
    ///
    /// let mut locator = Locator::new("csv", "aapl_1d");
    /// assert_eq!(locator.end_ms()?, None); // to the end
    /// locator.end = Some("2001-01-01T00:00:00Z".to_owned());
    /// assert_eq!(locator.end_ms()?, Some(978_307_200_000));
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    pub fn end_ms(&self) -> Result<Option<i64>, Error> {
        self.end
            .as_deref()
            .map(|text| instant("end", text))
            .transpose()
    }
}

fn instant(field: &str, text: &str) -> Result<i64, Error> {
    let time = instant::parse(text).ok_or_else(|| Error::Request {
        reason: format!(
            "locator, field {field}: expected {}, found another text",
            instant::SHAPE
        ),
    })?;
    Ok(time.as_millisecond())
}

/// Refuses a JSON text that is longer than any request is.
pub(crate) fn check_length(json: &str) -> Result<(), Error> {
    if json.len() <= MAX_REQUEST_JSON_BYTES {
        return Ok(());
    }
    Err(Error::Request {
        reason: format!(
            "expected at most {MAX_REQUEST_JSON_BYTES} bytes of JSON, found {}",
            json.len()
        ),
    })
}

impl core::fmt::Display for Locator {
    /// The label of the data in the header of a page.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}:{}", self.source, self.symbol)?;
        if let Some(start) = &self.start {
            write!(f, " from {start}")?;
        }
        if let Some(end) = &self.end {
            write!(f, " to {end}")?;
        }
        Ok(())
    }
}
