//! Times in the fields of serde types: `i64` milliseconds since 1970-01-01T00:00:00Z.
//!
//! A plain `i64` field is an integer. With this module it is an instant, of which
//! [`TypeColumns`](crate::TypeColumns) makes a time column. In other formats, such as JSON, it
//! stays a plain number. For fields that may be empty there is [`option`]; [`TimeMs`] does the
//! same as a type, wherever an attribute cannot stand.
//!
//! ```
//! use qrp1::TypeColumns;
//!
//! #[derive(serde::Serialize, serde::Deserialize)]
//! struct Trade {
//!     #[serde(with = "qrp1::time_ms")]
//!     time: i64,
//!     #[serde(with = "qrp1::time_ms::option")]
//!     settled: Option<i64>,
//! }
//!
//! let columns = TypeColumns::of::<Trade>().build()?;
//! assert_eq!(columns[0].to_string(), "time:t");
//! assert_eq!(columns[1].to_string(), "settled:t!");
//!
//! let trade = Trade { time: 951_868_800_000, settled: None };
//! assert_eq!(serde_json::to_string(&trade)?, r#"{"time":951868800000,"settled":null}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;

use serde_core::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};
use serde_core::ser::{Serialize, Serializer};

/// The name of the newtype struct that marks an `i64` as an instant.
pub(crate) const TIME_NAME: &str = "$qrp1::Time";

/// Writes an instant: the `with` half for [`Serialize`].
///
/// ```
/// let mut json = Vec::new();
/// qrp1::time_ms::serialize(&-1, &mut serde_json::Serializer::new(&mut json))?;
/// assert_eq!(json, b"-1");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(time_ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(TIME_NAME, time_ms)
}

/// Reads an instant: the `with` half for [`Deserialize`].
///
/// ```
/// let mut json = serde_json::Deserializer::from_str("951868800000");
/// assert_eq!(qrp1::time_ms::deserialize(&mut json)?, 951_868_800_000);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Those of the deserializer, and another value than an integer that fits an `i64`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    deserializer.deserialize_newtype_struct(TIME_NAME, TimeVisitor)
}

/// Times in `Option<i64>` fields, with `#[serde(with = "qrp1::time_ms::option")]`.
///
/// As with every `with` of serde, a field that is not there at all is an error unless the
/// field also says `#[serde(default)]`.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Trade {
///     #[serde(default, with = "qrp1::time_ms::option")]
///     settled: Option<i64>,
/// }
///
/// assert_eq!(serde_json::from_str::<Trade>(r#"{"settled":5}"#)?.settled, Some(5));
/// assert_eq!(serde_json::from_str::<Trade>("{}")?.settled, None);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub mod option {
    use serde_core::de::{Deserialize, Deserializer};
    use serde_core::ser::{Serialize, Serializer};

    use super::TimeMs;

    /// Writes an instant or a null.
    ///
    /// ```
    /// let mut json = Vec::new();
    /// qrp1::time_ms::option::serialize(&None, &mut serde_json::Serializer::new(&mut json))?;
    /// assert_eq!(json, b"null");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(
        time_ms: &Option<i64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time_ms.map(TimeMs).serialize(serializer)
    }

    /// Reads an instant or a null.
    ///
    /// ```
    /// let mut json = serde_json::Deserializer::from_str("null");
    /// assert_eq!(qrp1::time_ms::option::deserialize(&mut json)?, None);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of the deserializer, and a value that is neither null nor an `i64`.
    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<i64>, D::Error> {
        Ok(Option::<TimeMs>::deserialize(deserializer)?.map(i64::from))
    }
}

/// An instant in milliseconds since 1970-01-01T00:00:00Z, for serde types whose times stand
/// where `#[serde(with = "qrp1::time_ms")]` cannot.
///
/// ```
/// use qrp1::{TimeMs, TypeColumns};
///
/// #[derive(serde::Deserialize)]
/// struct Point<T> {
///     time: T,
///     value: f64,
/// }
///
/// let columns = TypeColumns::of::<Point<Option<TimeMs>>>().build()?;
/// assert_eq!(columns[0].to_string(), "time:t!");
/// assert_eq!(i64::from(TimeMs::from(7)), 7);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TimeMs(
    /// The milliseconds.
    pub i64,
);

impl From<i64> for TimeMs {
    fn from(time_ms: i64) -> Self {
        Self(time_ms)
    }
}

impl From<TimeMs> for i64 {
    fn from(time: TimeMs) -> Self {
        time.0
    }
}

impl Serialize for TimeMs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for TimeMs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(Self)
    }
}

struct TimeVisitor;

impl<'de> Visitor<'de> for TimeVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("milliseconds since 1970-01-01T00:00:00Z as an i64")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<i64, D::Error> {
        i64::deserialize(inner)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }
}
