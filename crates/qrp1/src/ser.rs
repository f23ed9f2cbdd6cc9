//! Rows of Rust types: fields to cells, with nothing in between.

use serde_core::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    SerializeTupleStruct, Serializer,
};

use crate::cell::{mismatch, name};
use crate::column::{Column, ColumnType};
use crate::decimal::{DECIMAL_NAME, Decimal};
use crate::error::{Error, ErrorCode, excerpt};
use crate::row::RowWriter;
use crate::time_ms::TIME_NAME;
use crate::value::{Cell, Value};

/// Writes the cells of one row. The caller begins and ends it.
///
/// # Errors
/// As [`RowWriter::cell`]; [`ErrorCode::Column`] for a field without a column, and
/// [`ErrorCode::TypeMismatch`] for what no cell holds.
#[inline]
pub(crate) fn write_row<T: Serialize + ?Sized>(
    row: &T,
    writer: &mut RowWriter<'_>,
    out: &mut Vec<u8>,
    keys: &mut RowKeys,
) -> Result<(), Error> {
    row.serialize(Row {
        writer,
        out,
        keys,
        held: Vec::new(),
    })
}

/// The names that the fields of earlier rows had, column by column. The same name comes from
/// the same place every time, which is told faster than its letters.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowKeys(Vec<&'static str>);

impl RowKeys {
    /// Whether a field is that of a column.
    #[inline]
    fn is(&mut self, index: usize, column: &Column, key: &'static str) -> bool {
        match self.0.get(index) {
            Some(seen) if core::ptr::eq(*seen, key) => true,
            Some(_) => column.name() == key,
            None => {
                let same = column.name() == key;
                if same && self.0.len() == index {
                    self.0.push(key);
                }
                same
            }
        }
    }
}

/// A row in the making.
struct Row<'r, 'l> {
    writer: &'r mut RowWriter<'l>,
    out: &'r mut Vec<u8>,
    keys: &'r mut RowKeys,
    /// Fields that came before those of the columns in front of theirs.
    held: Vec<(usize, Value)>,
}

impl<'l> Row<'_, 'l> {
    /// Writes the value of the next column.
    #[inline]
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let Some(column) = self.writer.next_column() else {
            // The row is too wide, which writing says.
            return self.writer.cell(self.out, Cell::Null);
        };
        let written = value.serialize(Scalar {
            column,
            time: false,
            to: &mut *self,
        });
        // A type may go on behind an error; its row is lost all the same.
        if let Err(error) = &written {
            self.writer.fail(error.clone());
        }
        written
    }

    #[inline]
    fn named<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        match self.writer.next_column() {
            Some(column) if self.keys.is(self.writer.columns(), column, key) => {
                self.next(value)?;
                if !self.held.is_empty() {
                    self.release()?;
                }
                Ok(())
            }
            _ => self.hold(key, value),
        }
    }

    /// Keeps a field whose column is not the next one.
    fn hold<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), Error> {
        let columns = self.writer.layout().columns();
        let fault = |expected: &str| Err(Error::new(ErrorCode::Column, expected, excerpt(key)));
        let found = columns.iter().enumerate().find(|(_, c)| c.name() == key);
        let Some((index, column)) = found else {
            return fault("a field that has a column in the layout");
        };
        if index < self.writer.columns() || self.held.iter().any(|(held, _)| *held == index) {
            return fault("each field once");
        }
        let mut kept = None;
        value.serialize(Scalar {
            column,
            time: false,
            to: &mut kept,
        })?;
        self.held.push((index, kept.unwrap_or(Value::Null)));
        Ok(())
    }

    /// Writes kept fields whose columns are now next.
    fn release(&mut self) -> Result<(), Error> {
        while let Some(at) = self
            .held
            .iter()
            .position(|(index, _)| *index == self.writer.columns())
        {
            let (_, value) = self.held.swap_remove(at);
            self.writer.cell(self.out, value.as_cell())?;
        }
        Ok(())
    }

    /// Ends a row of named fields: those that did not come are absent.
    #[inline]
    fn fill(mut self) -> Result<(), Error> {
        while self.writer.next_column().is_some() {
            let before = self.writer.columns();
            self.release()?;
            if self.writer.columns() == before {
                self.writer.cell(self.out, Cell::Absent)?;
            }
        }
        Ok(())
    }
}

/// What takes the cell that a value is.
trait Take: Sized {
    fn take(self, cell: Cell<'_>) -> Result<(), Error>;

    #[inline]
    fn take_f64(self, value: f64) -> Result<(), Error> {
        self.take(Cell::F64(value))
    }

    #[inline]
    fn take_i64(self, value: i64) -> Result<(), Error> {
        self.take(Cell::I64(value))
    }

    #[inline]
    fn take_bool(self, value: bool) -> Result<(), Error> {
        self.take(Cell::Bool(value))
    }
}

impl Take for &mut Row<'_, '_> {
    #[inline]
    fn take(self, cell: Cell<'_>) -> Result<(), Error> {
        self.writer.cell(self.out, cell)
    }

    #[inline]
    fn take_f64(self, value: f64) -> Result<(), Error> {
        self.writer.f64(self.out, value)
    }

    #[inline]
    fn take_i64(self, value: i64) -> Result<(), Error> {
        self.writer.i64(self.out, value)
    }

    #[inline]
    fn take_bool(self, value: bool) -> Result<(), Error> {
        self.writer.bool(self.out, value)
    }
}

impl Take for &mut Option<Value> {
    fn take(self, cell: Cell<'_>) -> Result<(), Error> {
        *self = Some(cell.to_value());
        Ok(())
    }
}

fn no_row(found: &str) -> Error {
    Error::new(
        ErrorCode::TypeMismatch,
        "a struct, a map or a tuple as a row",
        found,
    )
}

macro_rules! no_rows {
    ($($method:ident: $type:ty = $found:literal,)*) => {$(
        fn $method(self, _: $type) -> Result<(), Error> {
            Err(no_row($found))
        }
    )*};
}

impl Serializer for Row<'_, '_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Fields<Self>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), Error>;

    no_rows! {
        serialize_bool: bool = "a bool",
        serialize_i8: i8 = "an integer",
        serialize_i16: i16 = "an integer",
        serialize_i32: i32 = "an integer",
        serialize_i64: i64 = "an integer",
        serialize_u8: u8 = "an integer",
        serialize_u16: u16 = "an integer",
        serialize_u32: u32 = "an integer",
        serialize_u64: u64 = "an integer",
        serialize_f32: f32 = "a number",
        serialize_f64: f64 = "a number",
        serialize_char: char = "a character",
        serialize_str: &str = "a string",
        serialize_bytes: &[u8] = "bytes",
        serialize_unit_struct: &'static str = "a unit struct",
    }

    fn serialize_none(self) -> Result<(), Error> {
        Err(no_row("none"))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        Err(no_row("a unit"))
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Error> {
        Err(no_row("an enum"))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(no_row("an enum"))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(no_row("an enum"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields<Self>, Error> {
        Ok(Fields {
            row: self,
            key: None,
        })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Impossible<(), Error>, Error> {
        Err(no_row("an enum"))
    }
}

impl SerializeStruct for Row<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.named(key, value)
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.fill()
    }
}

macro_rules! by_position {
    ($($trait:ident::$method:ident,)*) => {$(
        impl $trait for Row<'_, '_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.next(value)
            }

            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )*};
}

by_position! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
}

/// A map, whose keys come apart from their values.
struct Fields<R> {
    row: R,
    key: Option<String>,
}

impl SerializeMap for Fields<Row<'_, '_>> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        let mut name = None;
        let column = Column::new("", ColumnType::Str);
        key.serialize(Scalar {
            column: &column,
            time: false,
            to: &mut name,
        })
        .map_err(|_| no_row("a map whose keys are no strings"))?;
        self.key = match name {
            Some(Value::Str(name)) => Some(name),
            _ => return Err(no_row("a map whose keys are no strings")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = self.key.take().unwrap_or_default();
        self.row.hold(&key, value)?;
        self.row.release()
    }

    fn end(self) -> Result<(), Error> {
        self.row.fill()
    }
}

/// One value on its way to the cell of a column.
struct Scalar<'l, C> {
    column: &'l Column,
    /// Whether an integer is a time in milliseconds.
    time: bool,
    to: C,
}

impl<C: Take> Scalar<'_, C> {
    fn integer(self, value: i128) -> Result<(), Error> {
        let cell = match self.column.column_type() {
            _ if self.time => i64::try_from(value).ok().map(Cell::Time),
            ColumnType::I64 => i64::try_from(value).ok().map(Cell::I64),
            ColumnType::U64 => u64::try_from(value).ok().map(Cell::U64),
            ColumnType::F64 => exact_f64(value).map(Cell::F64),
            ColumnType::Decimal { scale } => 10i128
                .checked_pow(scale.into())
                .and_then(|power| value.checked_mul(power))
                .map(|mantissa| Cell::Decimal(Decimal::new(mantissa, scale))),
            _ => None,
        };
        match cell {
            Some(cell) => self.to.take(cell),
            None if self.column.is_time() && !self.time => Err(Error::new(
                ErrorCode::TypeMismatch,
                format!(
                    "a time in column {}: #[serde(with = \"qrp1::time_ms\")] makes one of milliseconds",
                    name(self.column)
                ),
                "an integer",
            )),
            None => Err(mismatch(self.column, "an integer")),
        }
    }

    fn nested(self, found: &str) -> Error {
        Error::new(
            ErrorCode::TypeMismatch,
            format!("one value in column {}", name(self.column)),
            found,
        )
    }
}

/// An integer as a number of the same value.
fn exact_f64(value: i128) -> Option<f64> {
    const LIMIT: i128 = 1 << 53;
    #[expect(clippy::cast_precision_loss, reason = "at most 2^53")]
    (-LIMIT..=LIMIT).contains(&value).then_some(value as f64)
}

macro_rules! integers {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method(self, value: $type) -> Result<(), Error> {
            self.integer(value.into())
        }
    )*};
}

impl<C: Take> Serializer for Scalar<'_, C> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    integers! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_i128: i128,
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.to.take_bool(value)
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        match self.column.column_type() {
            _ if self.time => self.to.take(Cell::Time(value)),
            ColumnType::I64 => self.to.take_i64(value),
            _ => self.integer(value.into()),
        }
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        match self.column.column_type() {
            ColumnType::U64 if !self.time => self.to.take(Cell::U64(value)),
            _ => self.integer(value.into()),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        match i128::try_from(value) {
            Ok(value) => self.integer(value),
            Err(_) => Err(mismatch(self.column, "a larger integer")),
        }
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.to.take(Cell::F64(value.into()))
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.to.take_f64(value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.to.take(Cell::Str(value.encode_utf8(&mut [0; 4])))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.to.take(Cell::Str(value))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        Err(self.nested("bytes"))
    }

    /// None is a null, and absent where the column knows only that.
    fn serialize_none(self) -> Result<(), Error> {
        let miss = self.column.miss();
        if miss.allows_absent() && !miss.allows_null() {
            self.to.take(Cell::Absent)
        } else {
            self.to.take(Cell::Null)
        }
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.to.take(Cell::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        Err(self.nested("a unit struct"))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        self.to.take(Cell::Str(variant))
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        match name {
            TIME_NAME => value.serialize(Self { time: true, ..self }),
            DECIMAL_NAME => {
                let column = Column::new("", ColumnType::Str);
                let mut text = None;
                value.serialize(Scalar {
                    column: &column,
                    time: false,
                    to: &mut text,
                })?;
                let decimal = match (self.column.column_type(), text) {
                    (ColumnType::Decimal { scale }, Some(Value::Str(text))) => {
                        Decimal::parse(&text, scale)
                    }
                    _ => None,
                };
                match decimal {
                    Some(decimal) => self.to.take(Cell::Decimal(decimal)),
                    None => Err(mismatch(self.column, "a decimal")),
                }
            }
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(self.nested("an enum with data"))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        Err(self.nested("a list"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        Err(self.nested("a tuple"))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        Err(self.nested("a tuple"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(self.nested("an enum with data"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        Err(self.nested("a map"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        Err(self.nested("a struct"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(self.nested("an enum with data"))
    }
}
