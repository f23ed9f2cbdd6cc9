//! One value: what a cell of a table or a field of a record holds.

use crate::decimal::Decimal;

/// A borrowed value, as it is given to a writer.
///
/// [`Cell::Null`], [`Cell::Absent`] and the empty string are three things: a null is a
/// value that is known to be nothing, an absent value was not there at all.
///
/// Equality is that of the text: all NaN are one value, and `0` and `-0` are two.
///
/// ```
/// use qrp1::Cell;
///
/// assert_eq!(Cell::from(7i64), Cell::I64(7));
/// assert_eq!(Cell::from("a"), Cell::Str("a"));
/// assert_ne!(Cell::Null, Cell::Absent);
/// assert_eq!(Cell::F64(f64::NAN), Cell::F64(f64::NAN));
/// assert_ne!(Cell::F64(0.0), Cell::F64(-0.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Cell<'a> {
    /// Not there at all.
    Absent,
    /// There, and nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed integer, exact.
    I64(i64),
    /// An unsigned integer, exact.
    U64(u64),
    /// A binary floating-point number, exact to the bit (NaN payloads apart).
    F64(f64),
    /// An exact decimal.
    Decimal(Decimal),
    /// A text.
    Str(&'a str),
    /// An instant, in milliseconds since 1970-01-01T00:00:00Z.
    Time(i64),
}

/// An owned value, as a reader gives it. See [`Cell`].
///
/// ```
/// use qrp1::{Cell, Value};
///
/// let value = Value::Str("close".to_owned());
/// assert_eq!(value.as_cell(), Cell::Str("close"));
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    /// Not there at all.
    Absent,
    /// There, and nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A signed integer, exact.
    I64(i64),
    /// An unsigned integer, exact.
    U64(u64),
    /// A binary floating-point number.
    F64(f64),
    /// An exact decimal.
    Decimal(Decimal),
    /// A text.
    Str(String),
    /// An instant, in milliseconds since 1970-01-01T00:00:00Z.
    Time(i64),
}

impl Value {
    /// The same value, borrowed.
    #[must_use]
    pub fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Absent => Cell::Absent,
            Self::Null => Cell::Null,
            Self::Bool(value) => Cell::Bool(*value),
            Self::I64(value) => Cell::I64(*value),
            Self::U64(value) => Cell::U64(*value),
            Self::F64(value) => Cell::F64(*value),
            Self::Decimal(value) => Cell::Decimal(*value),
            Self::Str(value) => Cell::Str(value),
            Self::Time(value) => Cell::Time(*value),
        }
    }
}

impl Cell<'_> {
    /// The same value, owned.
    ///
    /// ```
    /// assert_eq!(qrp1::Cell::Bool(true).to_value(), qrp1::Value::Bool(true));
    /// ```
    #[must_use]
    pub fn to_value(self) -> Value {
        match self {
            Self::Absent => Value::Absent,
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::I64(value) => Value::I64(value),
            Self::U64(value) => Value::U64(value),
            Self::F64(value) => Value::F64(value),
            Self::Decimal(value) => Value::Decimal(value),
            Self::Str(value) => Value::Str(value.to_owned()),
            Self::Time(value) => Value::Time(value),
        }
    }

    /// What this is, in words for a message.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Absent => "an absent value",
            Self::Null => "a null",
            Self::Bool(_) => "a bool",
            Self::I64(_) => "an i64",
            Self::U64(_) => "a u64",
            Self::F64(_) => "an f64",
            Self::Decimal(_) => "a decimal",
            Self::Str(_) => "a string",
            Self::Time(_) => "a time",
        }
    }
}

impl PartialEq for Cell<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Absent, Self::Absent) | (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::I64(a), Self::I64(b)) | (Self::Time(a), Self::Time(b)) => a == b,
            (Self::U64(a), Self::U64(b)) => a == b,
            (Self::F64(a), Self::F64(b)) => {
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
            }
            (Self::Decimal(a), Self::Decimal(b)) => a == b,
            (Self::Str(a), Self::Str(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Cell<'_> {}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.as_cell() == other.as_cell()
    }
}

impl Eq for Value {}

impl core::hash::Hash for Value {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        core::mem::discriminant(self).hash(state);
        match self {
            Self::Absent | Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::I64(value) | Self::Time(value) => value.hash(state),
            Self::U64(value) => value.hash(state),
            // All NaN are one value.
            Self::F64(value) if value.is_nan() => f64::NAN.to_bits().hash(state),
            Self::F64(value) => value.to_bits().hash(state),
            Self::Decimal(value) => value.hash(state),
            Self::Str(value) => value.hash(state),
        }
    }
}

impl<'a> From<&'a Value> for Cell<'a> {
    fn from(value: &'a Value) -> Self {
        value.as_cell()
    }
}

impl From<Cell<'_>> for Value {
    fn from(cell: Cell<'_>) -> Self {
        cell.to_value()
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),*) => {$(
        impl From<$type> for Cell<'_> {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

from!(bool => Bool, i64 => I64, u64 => U64, f64 => F64, Decimal => Decimal);

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Self::Str(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Str(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Str(value)
    }
}
