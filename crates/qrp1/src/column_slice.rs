//! Columns as slices: how rows are given that are stored column by column.

use crate::cell;
use crate::column::Column;
use crate::decimal::Decimal;
use crate::error::{Error, ErrorCode};
use crate::layout::Layout;
use crate::value::Cell;

/// The values of one column, with which of them are there.
///
/// A value that is not valid is a null where the column allows nulls, and otherwise absent.
///
/// ```
/// use qrp1::ColumnSlice;
///
/// let closes = ColumnSlice::f64s(&[100.5, 0.0]).with_validity(&[true, false]);
/// assert_eq!(closes.len(), 2);
/// // The same as the bits of a bitmap, the least significant first, as Arrow has them.
/// let bitmap = ColumnSlice::f64s(&[100.5, 0.0]).with_validity_bits(&[0b01], 0);
/// assert_eq!(bitmap.len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ColumnSlice<'a> {
    values: Values<'a>,
    validity: Validity<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Values<'a> {
    Bool(&'a [bool]),
    I64(&'a [i64]),
    U64(&'a [u64]),
    F64(&'a [f64]),
    Decimal(&'a [i128], u8),
    Str(&'a [&'a str]),
    String(&'a [String]),
    Time(&'a [i64]),
}

#[derive(Clone, Copy, Debug)]
enum Validity<'a> {
    All,
    Bools(&'a [bool]),
    Bits(&'a [u8], usize),
}

impl<'a> ColumnSlice<'a> {
    fn new(values: Values<'a>) -> Self {
        Self {
            values,
            validity: Validity::All,
        }
    }

    /// Truth values.
    #[must_use]
    pub fn bools(values: &'a [bool]) -> Self {
        Self::new(Values::Bool(values))
    }

    /// Signed integers.
    #[must_use]
    pub fn i64s(values: &'a [i64]) -> Self {
        Self::new(Values::I64(values))
    }

    /// Unsigned integers.
    #[must_use]
    pub fn u64s(values: &'a [u64]) -> Self {
        Self::new(Values::U64(values))
    }

    /// Floating-point numbers.
    #[must_use]
    pub fn f64s(values: &'a [f64]) -> Self {
        Self::new(Values::F64(values))
    }

    /// Decimals of one scale, as their integers without the point.
    #[must_use]
    pub fn decimals(mantissas: &'a [i128], scale: u8) -> Self {
        Self::new(Values::Decimal(mantissas, scale))
    }

    /// Borrowed strings.
    #[must_use]
    pub fn strs(values: &'a [&'a str]) -> Self {
        Self::new(Values::Str(values))
    }

    /// Owned strings.
    #[must_use]
    pub fn strings(values: &'a [String]) -> Self {
        Self::new(Values::String(values))
    }

    /// Instants, in milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn times_ms(values: &'a [i64]) -> Self {
        Self::new(Values::Time(values))
    }

    /// The same values, of which those are there where `valid` is true.
    #[must_use]
    pub fn with_validity(self, valid: &'a [bool]) -> Self {
        Self {
            validity: Validity::Bools(valid),
            ..self
        }
    }

    /// The same values, of which those are there whose bit is set, the least significant bit
    /// of a byte first; the bit of the first value is bit `offset`.
    #[must_use]
    pub fn with_validity_bits(self, bits: &'a [u8], offset: usize) -> Self {
        Self {
            validity: Validity::Bits(bits, offset),
            ..self
        }
    }

    /// How many values it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.values {
            Values::Bool(values) => values.len(),
            Values::I64(values) | Values::Time(values) => values.len(),
            Values::U64(values) => values.len(),
            Values::F64(values) => values.len(),
            Values::Decimal(values, _) => values.len(),
            Values::Str(values) => values.len(),
            Values::String(values) => values.len(),
        }
    }

    /// Whether it has no values.
    ///
    /// ```
    /// assert!(qrp1::ColumnSlice::i64s(&[]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For how many values it is known whether they are there.
    fn validities(&self) -> usize {
        match self.validity {
            Validity::All => usize::MAX,
            Validity::Bools(valid) => valid.len(),
            Validity::Bits(bits, offset) => bits.len().saturating_mul(8).saturating_sub(offset),
        }
    }

    /// The value of a row. Beyond the end, which [`rows`] rules out, nothing is there.
    #[inline]
    pub(crate) fn cell(&self, row: usize, column: &Column) -> Cell<'a> {
        let valid = match self.validity {
            Validity::All => true,
            Validity::Bools(valid) => valid.get(row).copied().unwrap_or(false),
            Validity::Bits(bits, offset) => bits
                .get((row + offset) / 8)
                .is_some_and(|byte| byte >> ((row + offset) % 8) & 1 == 1),
        };
        let cell = match self.values {
            _ if !valid => None,
            Values::Bool(values) => values.get(row).map(|value| Cell::Bool(*value)),
            Values::I64(values) => values.get(row).map(|value| Cell::I64(*value)),
            Values::U64(values) => values.get(row).map(|value| Cell::U64(*value)),
            Values::F64(values) => values.get(row).map(|value| Cell::F64(*value)),
            Values::Decimal(values, scale) => values
                .get(row)
                .map(|value| Cell::Decimal(Decimal::new(*value, scale))),
            Values::Str(values) => values.get(row).map(|value| Cell::Str(value)),
            Values::String(values) => values.get(row).map(|value| Cell::Str(value)),
            Values::Time(values) => values.get(row).map(|value| Cell::Time(*value)),
        };
        cell.unwrap_or_else(|| {
            if column.miss().allows_absent() && !column.miss().allows_null() {
                Cell::Absent
            } else {
                Cell::Null
            }
        })
    }
}

/// How many rows the slices of a layout's columns have.
///
/// # Errors
/// [`ErrorCode::RowWidth`] when they are not as many as the columns or not of one length.
pub(crate) fn rows(slices: &[ColumnSlice<'_>], layout: &Layout) -> Result<usize, Error> {
    let columns = layout.columns();
    if slices.len() != columns.len() {
        return Err(Error::new(
            ErrorCode::RowWidth,
            format!("a slice for each of {} columns", columns.len()),
            slices.len().to_string(),
        ));
    }
    let rows = slices.first().map_or(0, ColumnSlice::len);
    for (slice, column) in slices.iter().zip(columns) {
        let found = slice.len();
        let known = slice.validities();
        if found != rows || known < rows {
            let what = if found == rows {
                "validities"
            } else {
                "values"
            };
            return Err(Error::new(
                ErrorCode::RowWidth,
                format!("{rows} {what} in column {}", cell::name(column)),
                if found == rows { known } else { found }.to_string(),
            ));
        }
    }
    Ok(rows)
}
