//! Columns of a Rust type that serde can read.

mod trace;

use serde_core::de::Deserialize;

use self::trace::{Field, Row, Shape};
use crate::column::{Column, ColumnType};
use crate::error::{Error, ErrorCode, excerpt};
use crate::miss::Miss;

/// The columns of a Rust struct that serde can read: names, types and `Option`s come from the
/// type alone, without a value of it.
///
/// | a field of the type | its column |
/// |---|---|
/// | `bool` | `b` |
/// | `i8` to `i64` | `i` |
/// | `u8` to `u64` | `u` |
/// | `f32`, `f64` | `f` |
/// | `String`, `&str`, `Cow<str>`, `char` | `s` |
/// | an enum whose variants hold nothing | `s`, the name of the variant |
/// | a type that is read from one of these, such as a date from a string | as what it is read from |
/// | `i64` with [`time_ms`](crate::time_ms), [`TimeMs`](crate::TimeMs) | `t`, or another time by [`with_type`](Self::with_type) |
/// | [`Decimal`](crate::Decimal) | `dN`, by [`with_type`](Self::with_type) |
/// | `Option` of one of these | the same, with [`Miss::null`] |
/// | `Box` and newtype structs of one of these | the same |
///
/// What a column cannot hold, a sequence or a struct say, is an error that names the field.
///
/// ```
/// use qrp1::{ColumnType, Decimal, Layout, TypeColumns};
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "camelCase")]
/// struct Trade {
///     #[serde(with = "qrp1::time_ms")]
///     trade_time: i64,
///     price: Decimal,
///     side: Side,
///     note: Option<String>,
/// }
///
/// #[derive(serde::Deserialize)]
/// enum Side {
///     Buy,
///     Sell,
/// }
///
/// let columns = TypeColumns::of::<Trade>()
///     .with_type("tradeTime", ColumnType::Hour)
///     .with_type("price", ColumnType::Decimal { scale: 2 })
///     .build()?;
/// let layout = Layout::series(None, columns)?;
/// assert_eq!(layout.to_line(), "series|columns=tradeTime:th,price:d2,side,note:s!");
/// # Ok::<(), qrp1::Error>(())
/// ```
///
/// # What a type does not tell
///
/// serde knows a type by how it is read, and so does this:
///
/// - A field that is written but not read (`skip_deserializing`), or written by another name
///   than it is read by (`rename(serialize = ...)`), has no column by that name.
/// - Which values a type accepts beyond its form is not known, nor that a field may be left
///   out (`default`, `skip_serializing_if`): say [`with_miss`](Self::with_miss).
/// - `#[serde(flatten)]` hides all names of a struct, `#[serde(untagged)]` and types such as
///   `serde_json::Value` hide the type of a value.
/// - A name among several (`alias`) that the field is written by is found out where the field
///   accepts a common value, such as 0 or an empty text; else an error asks for it.
#[derive(Clone, Debug)]
pub struct TypeColumns {
    row: Row,
    type_name: &'static str,
    types: Vec<(String, ColumnType)>,
    misses: Vec<(String, Miss)>,
}

impl TypeColumns {
    /// The columns of a type, in the order of its fields.
    ///
    /// `T` is deserialized once for each name of a field, and each variant of an enum in it,
    /// from rows without values, so that the check of a type on its values does not matter.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Named<'a> {
    ///     name: &'a str,
    ///     count: NonZeroU32,
    /// }
    ///
    /// let columns = qrp1::TypeColumns::of::<Named<'_>>().build()?;
    /// assert_eq!(columns[0].to_string(), "name");
    /// assert_eq!(columns[1].to_string(), "count:u");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn of<'de, T: Deserialize<'de>>() -> Self {
        Self {
            row: trace::trace::<T>(),
            type_name: core::any::type_name::<T>(),
            types: Vec::new(),
            misses: Vec::new(),
        }
    }

    /// The same columns with the type of one declared, whatever the Rust type says. Of two
    /// types for one column the later counts.
    ///
    /// It is for times under anchors, for the scale of decimals, and for fields that the trace
    /// cannot tell. Whether a row then fits its columns is seen when it is written.
    ///
    /// ```
    /// use qrp1::{ColumnType, TypeColumns};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Setting {
    ///     key: String,
    ///     value: Option<serde_json::Value>,
    /// }
    ///
    /// let columns = TypeColumns::of::<Setting>();
    /// let error = columns.clone().build().unwrap_err();
    /// assert!(error.found().starts_with("a value of no one type in field \"value\""));
    ///
    /// let columns = columns.with_type("value", ColumnType::Str).build()?;
    /// assert_eq!(columns[1].to_string(), "value:s!");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn with_type(mut self, name: impl Into<String>, kind: ColumnType) -> Self {
        self.types.push((name.into(), kind));
        self
    }

    /// The same columns with the misses of one declared, in place of [`Miss::null`] for an
    /// `Option` and [`Miss::none`] for other fields. Of two for one column the later counts.
    ///
    /// ```
    /// use qrp1::{Miss, TypeColumns};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Trade {
    ///     price: f64,
    ///     note: Option<String>,
    /// }
    ///
    /// let columns = TypeColumns::of::<Trade>()
    ///     .with_miss("note", Miss::empty_text().and_null())
    ///     .build()?;
    /// assert_eq!(columns[1].to_string(), "note:s~!");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn with_miss(mut self, name: impl Into<String>, miss: Miss) -> Self {
        self.misses.push((name.into(), miss));
        self
    }

    /// The columns, for [`Layout::table`](crate::Layout::table) or
    /// [`Layout::series`](crate::Layout::series).
    ///
    /// # Errors
    /// [`ErrorCode::Layout`], which names the field and what to do, when the type is no struct
    /// with fields, a field has no column type (a sequence, a map, a struct, an enum with data,
    /// a 128-bit integer, bytes, a unit), a decimal has no scale, or a name that was given here
    /// is no field's.
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct Trade {
    ///     price: f64,
    ///     tags: Vec<String>,
    /// }
    ///
    /// let error = qrp1::TypeColumns::of::<Trade>().build().unwrap_err();
    /// assert_eq!(error.code().as_str(), "layout");
    /// assert_eq!(error.found(), "a sequence in field \"tags\" of Trade");
    /// ```
    pub fn build(self) -> Result<Vec<Column>, Error> {
        let fault = |expected: &str, found: String| Error::new(ErrorCode::Layout, expected, found);
        let (row_name, fields) = match &self.row {
            Row::Struct { name, fields } if !fields.is_empty() => (*name, fields),
            row => {
                let noun = match row {
                    Row::Struct { .. } => "a struct without fields",
                    Row::Other(noun) => *noun,
                };
                return Err(fault(
                    "a struct whose fields are the columns (or declare the columns by hand)",
                    format!("{noun} ({})", self.type_name),
                ));
            }
        };
        let mut columns = Vec::with_capacity(fields.len());
        for field in fields {
            let name = self.name(field).ok_or_else(|| {
                fault(
                    "with_type for the name, of several, by which the field is written",
                    format!("the names {} in {row_name}", list(&field.names)),
                )
            })?;
            let place = || format!("in field {} of {row_name}", excerpt(name));
            let kind = match (last(&self.types, name), field.shape) {
                (Some(kind), _) | (None, Shape::Scalar(kind)) => kind,
                (None, Shape::Decimal) => {
                    return Err(fault(
                        "with_type and a scale, ColumnType::Decimal { scale }, for every decimal",
                        format!("none {}", place()),
                    ));
                }
                (None, Shape::Other(noun)) => {
                    return Err(fault(
                        "one value in every field (lift what is inside into fields of the row, \
                         make it one text and say with_type, or declare the columns by hand)",
                        format!("{noun} {}", place()),
                    ));
                }
            };
            let miss = last(&self.misses, name).unwrap_or(if field.optional {
                Miss::null()
            } else {
                Miss::none()
            });
            columns.push(Column::new(name, kind).with_miss(miss));
        }
        let given = self
            .given()
            .find(|given| columns.iter().all(|column| column.name() != *given));
        match given {
            None => Ok(columns),
            Some(given) => Err(fault(
                &format!(
                    "a column of {row_name}: {}",
                    list(columns.iter().map(Column::name))
                ),
                excerpt(given),
            )),
        }
    }

    /// The name of a field's column: the one it is written by, or if that is not known the one
    /// that was given here.
    fn name(&self, field: &Field) -> Option<&'static str> {
        let given = |name: &&&'static str| field.named || self.given().any(|given| given == **name);
        field.names.iter().find(given).copied()
    }

    /// All names that were given here.
    fn given(&self) -> impl Iterator<Item = &str> {
        let types = self.types.iter().map(|(name, _)| name);
        let misses = self.misses.iter().map(|(name, _)| name);
        types.chain(misses).map(String::as_str)
    }
}

fn last<T: Copy>(given: &[(String, T)], name: &str) -> Option<T> {
    let (_, value) = given.iter().rev().find(|(other, _)| other == name)?;
    Some(*value)
}

/// How many names a message lists.
const MAX_LISTED: usize = 20;

fn list(names: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut names = names.into_iter();
    let listed: Vec<String> = names
        .by_ref()
        .take(MAX_LISTED)
        .map(|name| excerpt(name.as_ref()))
        .collect();
    let more = if names.next().is_some() { ", ..." } else { "" };
    listed.join(", ") + more
}
