//! A record: one object, a line for each field.

use crate::cell::{Place, Raw, parse_value, push_value, same};
use crate::column::{Column, ColumnType};
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape;
use crate::layout::Profile;
use crate::meta::Meta;
use crate::miss::Miss;
use crate::value::{Cell, Value};

/// One field of a record.
///
/// ```
/// use qrp1::{ColumnType, Field, Value};
///
/// let field = Field::new("rows", 3270u64);
/// assert_eq!(field.column_type(), ColumnType::U64);
/// assert_eq!(Field::null("note", ColumnType::Str).value(), &Value::Null);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    column: Column,
    value: Value,
}

impl Field {
    /// A field whose type is that of its value. A [`Value::Null`] becomes a null string,
    /// and so does a [`Value::Absent`]: a field that is absent is simply not listed.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Self {
        let value = value.into();
        let kind = match &value {
            Value::Bool(_) => ColumnType::Bool,
            Value::I64(_) => ColumnType::I64,
            Value::U64(_) => ColumnType::U64,
            Value::F64(_) => ColumnType::F64,
            Value::Decimal(decimal) => ColumnType::Decimal {
                scale: decimal.scale(),
            },
            Value::Time(_) => ColumnType::Time,
            Value::Str(_) => ColumnType::Str,
            Value::Null | Value::Absent => return Self::null(name, ColumnType::Str),
        };
        Self {
            column: Column::new(name, kind),
            value,
        }
    }

    /// A field that is there and holds nothing.
    #[must_use]
    pub fn null(name: impl Into<String>, kind: ColumnType) -> Self {
        Self {
            column: Column::new(name, kind).with_miss(Miss::null()),
            value: Value::Null,
        }
    }

    /// The name, which is any text.
    #[must_use]
    pub fn name(&self) -> &str {
        self.column.name()
    }

    pub(crate) fn column(&self) -> &Column {
        &self.column
    }

    /// The type of the value.
    #[must_use]
    pub fn column_type(&self) -> ColumnType {
        self.column.column_type()
    }

    /// The value; never [`Value::Absent`].
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Appends the field as a line, `name:type=value`.
    pub(crate) fn push_line(&self, out: &mut String) -> Result<(), Error> {
        if self.column.is_time() && self.column_type() != ColumnType::Time {
            return Err(Error::new(
                ErrorCode::CellType,
                "a time as type t in a record",
                "a type for series",
            ));
        }
        self.column.check()?;
        self.column.push(out, Profile::Plain);
        out.push('=');
        push_value(out, &self.column, self.value.as_cell(), PLACE)?;
        out.push('\n');
        Ok(())
    }

    /// Reads a line, without its line feed.
    pub(crate) fn parse(line: &str) -> Result<Self, Error> {
        let (column, used) = Column::parse(line, Profile::Plain)?;
        if column.is_time() && column.column_type() != ColumnType::Time {
            let at = line[..used].rfind(':').map_or(0, |at| at + 1);
            return Err(Error::new(
                ErrorCode::Column,
                "a time as type t in a record",
                excerpt(&line[at..used]),
            )
            .at(0, escape::column(line, at)));
        }
        let after = |text: &str| escape::column(line, used + text.len());
        let Some(text) = line[used..].strip_prefix('=') else {
            return Err(
                Error::new(ErrorCode::Column, "name:type=value", excerpt(&line[used..]))
                    .at(0, after("")),
            );
        };
        let raw = if text.starts_with('"') {
            let (value, read) = escape::read_quoted(text)
                .map_err(|error| error.shifted(escape::column(line, used + 1) - 1))?;
            if read < text.len() {
                return Err(Error::new(
                    ErrorCode::Escape,
                    "the end of the line after the closing quote",
                    excerpt(&text[read..]),
                )
                .at(0, escape::column(line, used + 1 + read)));
            }
            Raw::Quoted(value)
        } else {
            Raw::Bare(text)
        };
        let (value, _) =
            parse_value(raw, &column, PLACE).map_err(|error| error.shifted(after("=") - 1))?;
        let value = value.into_value();
        if value == Value::Absent {
            return Err(Error::new(
                ErrorCode::CellMiss,
                "a value (the line of an absent field is left out)",
                "an absent value",
            )
            .at(0, after("=")));
        }
        // The one form of a null field declares the null; no other field declares a miss.
        let miss = if value == Value::Null {
            Miss::null()
        } else {
            Miss::none()
        };
        let field = Self {
            column: column.with_miss(miss),
            value,
        };
        let mut canonical = String::new();
        field.push_line(&mut canonical)?;
        same(line, canonical.strip_suffix('\n').unwrap_or(&canonical))?;
        Ok(field)
    }
}

const PLACE: Place = Place::FIELD;

/// One object with its facts.
///
/// ```
/// use qrp1::{Document, Field, Meta, Payload, Record};
///
/// let record = Record::new(Meta::new().with_name("totals"))
///     .with_field(Field::new("symbol", "AAPL"))
///     .with_field(Field::new("rows", 3270u64));
/// let text = Payload::from(record.clone()).to_text()?;
/// assert_eq!(text, "QRP1|record|name=totals|lines=2\nsymbol=AAPL\nrows:u=3270\n");
/// assert_eq!(Document::parse(&text)?.payloads(), [Payload::Record(record)]);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where the record comes from.
    pub meta: Meta,
    /// The fields, in their order; names must differ.
    pub fields: Vec<Field>,
    /// Whether the count of fields stands in an end line.
    pub counts: crate::CountPlace,
}

impl Record {
    /// A record without fields.
    #[must_use]
    pub fn new(meta: Meta) -> Self {
        Self {
            meta,
            fields: Vec::new(),
            counts: crate::CountPlace::Header,
        }
    }

    /// Adds a field at the end.
    #[must_use]
    pub fn with_field(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// The value of the field of this name.
    ///
    /// ```
    /// use qrp1::{Cell, Field, Meta, Record};
    ///
    /// let record = Record::new(Meta::new()).with_field(Field::new("rows", 7u64));
    /// assert_eq!(record.get("rows"), Some(Cell::U64(7)));
    /// assert_eq!(record.get("lines"), None);
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cell<'_>> {
        self.fields
            .iter()
            .find(|field| field.name() == name)
            .map(|field| field.value.as_cell())
    }
}
