//! Where data is: what a model says instead of the data.

use serde::{Deserialize, Serialize};

use crate::error::Error;

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
    /// The name of the source, as the runtime knows it.
    pub source: String,
    /// What to read from it, in the source's own words.
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
    /// [`Error::Request`] when it is not JSON of this shape, has a field too many, or a
    /// time is not RFC 3339.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        let locator: Self = serde_json::from_str(json).map_err(|error| Error::Request {
            reason: format!("locator: {error}"),
        })?;
        locator.check()?;
        Ok(locator)
    }

    /// Checks the times.
    pub(crate) fn check(&self) -> Result<(), Error> {
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
    pub fn end_ms(&self) -> Result<Option<i64>, Error> {
        self.end
            .as_deref()
            .map(|text| instant("end", text))
            .transpose()
    }
}

fn instant(field: &str, text: &str) -> Result<i64, Error> {
    let time = text.parse::<jiff::Timestamp>().map_err(|_| Error::Request {
        reason: format!(
            "locator, field {field}: expected a time such as 2001-01-01T00:00:00Z, found another text"
        ),
    })?;
    Ok(time.as_millisecond())
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
