//! Rows to Rust types: cells to fields, with nothing in between.

use serde_core::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde_core::de::{
    DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde_core::forward_to_deserialize_any;

use crate::cell::Lent;
use crate::column::Column;
use crate::decimal::{DECIMAL_NAME, Decimal};
use crate::error::Error;
use crate::layout::Layout;
use crate::row::{Given, RowCells};
use crate::time;
use crate::time_ms::TIME_NAME;
use crate::value::{Cell, Value};

/// How the rows of a layout go to one type.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowPlan {
    /// The fields that a struct asked for, and whether they are the columns in their order:
    /// then its values can come by position, which spares comparing names.
    fields: Option<(&'static [&'static str], bool)>,
    /// Whether values have to come by name.
    by_name: bool,
}

impl RowPlan {
    /// Whether no row has gone to the type yet.
    pub(crate) fn is_new(&self) -> bool {
        self.fields.is_none() && !self.by_name
    }

    /// Gives up positions; `false` when it had none to give up.
    pub(crate) fn give_up_positions(&mut self) -> bool {
        let by_position = matches!(self.fields, Some((_, true))) && !self.by_name;
        self.by_name = true;
        by_position
    }

    #[inline]
    fn is_by_position(&mut self, asked: &'static [&'static str], layout: &Layout) -> bool {
        if self.by_name {
            return false;
        }
        match self.fields {
            Some((fields, same)) if core::ptr::eq(fields, asked) => same,
            _ => {
                let columns = layout.columns();
                // An absent value has no place in a sequence, but may have a default in a map.
                let same = columns.len() == asked.len()
                    && columns.iter().zip(asked).all(|(column, field)| {
                        column.name() == *field && !column.miss().allows_absent()
                    });
                self.fields = Some((asked, same));
                same
            }
        }
    }
}

/// One row.
pub(crate) struct Row<'r, 'de, 'l> {
    pub(crate) cells: &'r mut RowCells<'de, 'l>,
    pub(crate) plan: &'r mut RowPlan,
}

impl<'de> Deserializer<'de> for Row<'_, 'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Fields {
            cells: self.cells,
            column: None,
            given: None,
        })
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.plan.is_by_position(fields, self.cells.layout()) {
            visitor.visit_seq(Cells(self.cells))
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Cells(self.cells))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct map enum identifier ignored_any
    }
}

/// A row by position.
struct Cells<'r, 'de, 'l>(&'r mut RowCells<'de, 'l>);

impl<'de> SeqAccess<'de> for Cells<'_, 'de, '_> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if self.0.next_column().is_none() {
            return Ok(None);
        }
        seed.deserialize(Next(self.0)).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.columns())
    }
}

/// The next value of a row, which is read as it is asked for.
struct Next<'r, 'de, 'l>(&'r mut RowCells<'de, 'l>);

impl<'de, 'l> Next<'_, 'de, 'l> {
    #[inline]
    fn scalar(self) -> Result<Scalar<'de, 'l>, Error> {
        let column = self.0.next_column();
        match (self.0.next_cell()?, column) {
            (Some(given), Some(column)) => Ok(Scalar { given, column }),
            _ => Err(Error::custom("a value behind the last column")),
        }
    }
}

macro_rules! next {
    ($($method:ident($($argument:ident: $type:ty),*),)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(
            self,
            $($argument: $type,)*
            visitor: V,
        ) -> Result<V::Value, Error> {
            self.scalar()?.$method($($argument,)* visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Next<'_, 'de, '_> {
    type Error = Error;

    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.next_f64() {
            Some(value) => visitor.visit_f64(value),
            None => self.scalar()?.deserialize_f64(visitor),
        }
    }

    #[inline]
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.next_i64() {
            Some(value) => visitor.visit_i64(value),
            None => self.scalar()?.deserialize_i64(visitor),
        }
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.next_bool() {
            Some(value) => visitor.visit_bool(value),
            None => self.scalar()?.deserialize_bool(visitor),
        }
    }

    next! {
        deserialize_any(), deserialize_i8(), deserialize_i16(),
        deserialize_i32(), deserialize_i128(), deserialize_u8(),
        deserialize_u16(), deserialize_u32(), deserialize_u64(), deserialize_u128(),
        deserialize_f32(), deserialize_char(), deserialize_str(), deserialize_string(),
        deserialize_bytes(), deserialize_byte_buf(), deserialize_option(), deserialize_unit(),
        deserialize_seq(), deserialize_map(), deserialize_identifier(),
        deserialize_ignored_any(),
        deserialize_unit_struct(name: &'static str),
        deserialize_newtype_struct(name: &'static str),
        deserialize_tuple(len: usize),
        deserialize_tuple_struct(name: &'static str, len: usize),
        deserialize_struct(name: &'static str, fields: &'static [&'static str]),
        deserialize_enum(name: &'static str, variants: &'static [&'static str]),
    }
}

/// A row by name. A field that is absent does not come.
struct Fields<'r, 'de, 'l> {
    cells: &'r mut RowCells<'de, 'l>,
    column: Option<&'l Column>,
    given: Option<Given<'de, 'l>>,
}

impl<'de> MapAccess<'de> for Fields<'_, 'de, '_> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        loop {
            self.column = self.cells.next_column();
            self.given = self.cells.next_cell()?;
            let (Some(column), Some(given)) = (self.column, &self.given) else {
                return Ok(None);
            };
            if given.as_cell() != Cell::Absent {
                return seed
                    .deserialize(StrDeserializer::new(column.name()))
                    .map(Some);
            }
        }
    }

    #[inline]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        match (self.given.take(), self.column) {
            (Some(given), Some(column)) => seed.deserialize(Scalar { given, column }),
            _ => Err(Error::custom("a value before its key")),
        }
    }
}

/// One value of a row.
struct Scalar<'de, 'l> {
    given: Given<'de, 'l>,
    column: &'l Column,
}

impl<'de> Scalar<'de, '_> {
    /// The value as the type of its column has it.
    #[inline]
    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let result = match self.given {
            Given::Line(Lent::Cell(Cell::Str(text))) => visitor.visit_borrowed_str(text),
            Given::Line(Lent::Text(text)) => visitor.visit_string(text),
            Given::Line(Lent::Cell(cell)) | Given::Layout(cell) => match cell {
                Cell::F64(value) => visitor.visit_f64(value),
                Cell::I64(value) | Cell::Time(value) => visitor.visit_i64(value),
                Cell::U64(value) => visitor.visit_u64(value),
                Cell::Bool(value) => visitor.visit_bool(value),
                Cell::Str(text) => visitor.visit_str(text),
                Cell::Null | Cell::Absent => visitor.visit_unit(),
                Cell::Decimal(value) => visitor.visit_string(padded(value)),
            },
        };
        result.map_err(|error: Error| error.in_column(self.column))
    }

    /// A time or a decimal as text, where the type asks for text.
    fn text(&self) -> Option<String> {
        match self.given.as_cell() {
            Cell::Time(time_ms) => time::time_text(time_ms),
            Cell::Decimal(value) => Some(value.to_string()),
            _ => None,
        }
    }
}

/// A decimal with all digits of its scale, so that the text tells the scale.
fn padded(value: Decimal) -> String {
    let mut text = String::new();
    value.push_padded(&mut text);
    text
}

macro_rules! as_it_is {
    ($($method:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.visit(visitor)
        }
    )*};
}

impl<'de> Scalar<'de, '_> {
    /// The value where an integer is asked for: a decimal or a number that is whole is one.
    #[inline]
    fn visit_integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        const LIMIT: f64 = 9_007_199_254_740_992.0; // 2^53
        let whole = match self.given.as_cell() {
            Cell::Decimal(value) => 10i128
                .checked_pow(value.scale().into())
                .filter(|power| value.mantissa() % power == 0)
                .map(|power| value.mantissa() / power),
            #[expect(clippy::cast_possible_truncation, reason = "whole and at most 2^53")]
            Cell::F64(value) if value.trunc() == value && value.abs() <= LIMIT => {
                Some(value as i128)
            }
            _ => None,
        };
        let Some(whole) = whole else {
            return self.visit(visitor);
        };
        let result = match (i64::try_from(whole), u64::try_from(whole)) {
            (Ok(whole), _) => visitor.visit_i64(whole),
            (_, Ok(whole)) => visitor.visit_u64(whole),
            _ => visitor.visit_i128(whole),
        };
        result.map_err(|error: Error| error.in_column(self.column))
    }
}

macro_rules! as_integers {
    ($($method:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.visit_integer(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Scalar<'de, '_> {
    type Error = Error;

    as_integers! {
        deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128,
        deserialize_u8, deserialize_u16, deserialize_u32, deserialize_u64, deserialize_u128,
    }

    as_it_is! {
        deserialize_any, deserialize_bool, deserialize_char, deserialize_bytes,
        deserialize_byte_buf, deserialize_unit, deserialize_seq, deserialize_map,
        deserialize_identifier, deserialize_ignored_any,
    }

    /// A decimal is rounded to the nearest number, and an integer must be one.
    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        const LIMIT: u64 = 1 << 53;
        let found = match self.given.as_cell() {
            Cell::F64(value) => return visitor.visit_f64(value),
            Cell::Decimal(value) => match value.to_string().parse() {
                Ok(value) => return visitor.visit_f64(value),
                Err(_) => return self.visit(visitor),
            },
            Cell::I64(value) if value.unsigned_abs() > LIMIT => Unexpected::Signed(value),
            Cell::U64(value) if value > LIMIT => Unexpected::Unsigned(value),
            _ => return self.visit(visitor),
        };
        Err(
            Error::invalid_type(found, &"an integer that a number holds exactly")
                .in_column(self.column),
        )
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text() {
            Some(text) => visitor.visit_string(text),
            None => self.visit(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.given.as_cell() {
            Cell::Null | Cell::Absent => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let fits = match name {
            TIME_NAME => matches!(self.given.as_cell(), Cell::Time(_)),
            DECIMAL_NAME => matches!(self.given.as_cell(), Cell::Decimal(_)),
            _ => return visitor.visit_newtype_struct(self),
        };
        if fits {
            return self.visit(visitor);
        }
        let found = Unexpected::Other(self.given.as_cell().noun());
        Err(Error::invalid_type(found, &visitor).in_column(self.column))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.visit(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.visit(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.given {
            Given::Line(Lent::Cell(Cell::Str(text))) => {
                visitor.visit_enum(BorrowedStrDeserializer::new(text))
            }
            Given::Line(Lent::Text(text)) => visitor.visit_enum(text.into_deserializer()),
            Given::Layout(Cell::Str(text)) => visitor.visit_enum(text.into_deserializer()),
            _ => self.visit(visitor),
        }
    }
}

/// The fields of a record, by name.
pub(crate) struct RecordFields<'r> {
    pub(crate) fields: core::slice::Iter<'r, crate::record::Field>,
    pub(crate) value: Option<&'r crate::record::Field>,
}

impl<'de> MapAccess<'de> for RecordFields<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.value = self.fields.next();
        match self.value {
            Some(field) => seed
                .deserialize(StrDeserializer::new(field.name()))
                .map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let Some(field) = self.value.take() else {
            return Err(Error::custom("a value before its key"));
        };
        let given = match field.value() {
            Value::Str(text) => Given::Line(Lent::Text(text.clone())),
            other => Given::Layout(other.as_cell()),
        };
        seed.deserialize(Scalar {
            given,
            column: field.column(),
        })
    }
}

impl<'de> Deserializer<'de> for RecordFields<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        option unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}
