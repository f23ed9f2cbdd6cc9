//! One cell: a value to its text in a column, and back.

use std::borrow::Cow;

use crate::column::{Column, ColumnType};
use crate::decimal::Decimal;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, is_blank, must_escape, push_quoted};
use crate::header::MAGIC;
use crate::layout::Profile;
use crate::miss::{Empty, Miss};
use crate::number;
use crate::sink::Sink;
use crate::time;
use crate::value::{Cell, Value};

/// The long forms of misses.
pub(crate) const NULL: &str = "null";
pub(crate) const ABSENT: &str = "absent";

/// The long form of a miss or of the empty string.
pub(crate) fn word(cell: Cell<'_>) -> &'static str {
    match cell {
        Cell::Null => NULL,
        Cell::Absent => ABSENT,
        _ => "\"\"",
    }
}

pub(crate) fn is_empty_cell(miss: Miss, cell: Cell<'_>) -> bool {
    match miss.empty() {
        None => false,
        Some(Empty::Null) => matches!(cell, Cell::Null),
        Some(Empty::Absent) => matches!(cell, Cell::Absent),
        Some(Empty::Text) => matches!(cell, Cell::Str("")),
    }
}

/// Where a value is written: what ends its cell, and how it is spelled there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// What ends the cell; `None` when it runs to the end of the line.
    pub(crate) separator: Option<char>,
    /// Whether it begins a line.
    pub(crate) first: bool,
    /// Whether it stands in a header, which is split at every `|`.
    pub(crate) header: bool,
    pub(crate) profile: Profile,
    /// What a short time counts from: the `t0`, or the start of the anchor above.
    pub(crate) base_ms: Option<i64>,
}

impl Place {
    /// The field of a record: its value runs to the end of its line and never begins it.
    pub(crate) const FIELD: Self = Self {
        separator: None,
        first: false,
        header: false,
        profile: Profile::Plain,
        base_ms: None,
    };

    /// A constant in a header.
    pub(crate) const HEADER: Self = Self {
        separator: Some(','),
        first: false,
        header: true,
        profile: Profile::Plain,
        base_ms: None,
    };
}

/// Appends one value as a column writes it.
///
/// # Errors
/// [`ErrorCode::CellType`] or [`ErrorCode::CellMiss`]; nothing is appended then.
pub(crate) fn push_value<S: Sink>(
    out: &mut S,
    column: &Column,
    cell: Cell<'_>,
    place: Place,
) -> Result<(), Error> {
    let miss = column.miss();
    if is_empty_cell(miss, cell) {
        return Ok(());
    }
    match (column.column_type(), cell) {
        (_, Cell::Null) if miss.allows_null() => out.push_str(NULL),
        (_, Cell::Absent) if miss.allows_absent() => out.push_str(ABSENT),
        (_, Cell::Null | Cell::Absent) => {
            return Err(Error::new(
                ErrorCode::CellMiss,
                format!("a value in column {}", name(column)),
                cell.noun(),
            ));
        }
        (ColumnType::Bool, Cell::Bool(value)) => {
            out.push_char(bool_char(place.profile, value));
        }
        (ColumnType::I64, Cell::I64(value)) => out.push_str(itoa::Buffer::new().format(value)),
        (ColumnType::U64, Cell::U64(value)) => out.push_str(itoa::Buffer::new().format(value)),
        (ColumnType::F64, Cell::F64(value)) => number::push_f64(out, value),
        (ColumnType::Decimal { scale }, Cell::Decimal(value)) if value.scale() == scale => {
            value.push(out);
        }
        (ColumnType::Decimal { scale }, Cell::Decimal(value)) => {
            return Err(Error::new(
                ErrorCode::CellType,
                format!("a decimal of scale {scale} in column {}", name(column)),
                format!("one of scale {}", value.scale()),
            ));
        }
        (ColumnType::Str, Cell::Str(text)) => {
            if needs_quotes(text, miss, place) {
                push_quoted(out, text, place.header.then_some('|'));
            } else {
                out.push_str(text);
            }
        }
        (ColumnType::Time, Cell::Time(time_ms)) => {
            if !time::push_time(out, time_ms) {
                return Err(out_of_range(column));
            }
        }
        (ColumnType::Offset, Cell::Time(time_ms)) => {
            let Some(t0_ms) = place.base_ms.filter(|_| time::in_range(time_ms)) else {
                return Err(out_of_range(column));
            };
            out.push_str(itoa::Buffer::new().format(time_ms - t0_ms));
        }
        (_, Cell::Time(time_ms)) if column.anchor().is_some() => {
            let written = column
                .anchor()
                .zip(place.base_ms)
                .is_some_and(|(anchor, start_ms)| anchor.push_cell(out, start_ms, time_ms));
            if !written {
                return Err(mismatch(column, cell.noun()));
            }
        }
        _ => return Err(mismatch(column, cell.noun())),
    }
    Ok(())
}

pub(crate) fn bool_char(profile: Profile, value: bool) -> char {
    match (profile, value) {
        (Profile::Plain, true) => 't',
        (Profile::Plain, false) => 'f',
        (Profile::Seed, true) => '1',
        (Profile::Seed, false) => '0',
    }
}

fn out_of_range(column: &Column) -> Error {
    Error::new(
        ErrorCode::CellType,
        format!(
            "a time in the years 0000 to 9999 in column {}",
            name(column)
        ),
        "one outside them",
    )
}

/// A column's name for a message.
pub(crate) fn name(column: &Column) -> String {
    let name = column.name();
    let plain = name.len() <= 32 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        name.to_owned()
    } else {
        excerpt(name)
    }
}

/// Whether a string cannot stand bare.
pub(crate) fn needs_quotes(text: &str, miss: Miss, place: Place) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    if *first == b'"'
        || (place.first && (matches!(first, b'@' | b'/') || text.starts_with(MAGIC)))
        || (miss.allows_null() && text == NULL)
        || (miss.allows_absent() && text == ABSENT)
    {
        return true;
    }
    // A separator is ASCII; without one, no byte is it.
    let separator = place.separator.map_or(0, |separator| {
        u8::try_from(u32::from(separator)).unwrap_or_default()
    });
    let bar = if place.header { b'|' } else { separator };
    let plain = |byte: &u8| (b' '..=b'~').contains(byte) && *byte != separator && *byte != bar;
    if bytes.iter().all(plain) {
        return *first == b' ' || *last == b' ';
    }
    text.starts_with(is_blank)
        || text.ends_with(is_blank)
        || (place.header && text.contains('|'))
        || place
            .separator
            .is_some_and(|separator| text.contains(separator))
        || text.contains(must_escape)
}

/// What stands in a cell: bare text, or the value of a quoted string.
pub(crate) enum Raw<'t> {
    Bare(&'t str),
    Quoted(Cow<'t, str>),
}

/// A value that was read: lent by the input, or text that escapes forced a copy of.
#[derive(Clone, Debug)]
pub(crate) enum Lent<'t> {
    Cell(Cell<'t>),
    Text(String),
}

impl Lent<'_> {
    pub(crate) fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Cell(cell) => *cell,
            Self::Text(text) => Cell::Str(text),
        }
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Cell(cell) => cell.to_value(),
            Self::Text(text) => Value::Str(text),
        }
    }
}

/// Takes the cell that begins at `at`; gives it and where the next one begins.
pub(crate) fn split_cell(
    line: &str,
    at: usize,
    separator: char,
) -> Result<(Raw<'_>, Option<usize>), Error> {
    let rest = &line[at..];
    if !rest.starts_with('"') {
        let needle = u8::try_from(u32::from(separator)).unwrap_or_default();
        let end = memchr::memchr(needle, rest.as_bytes());
        let bare = end.map_or(rest, |end| &rest[..end]);
        return Ok((Raw::Bare(bare), end.map(|end| at + end + 1)));
    }
    let (value, used) =
        escape::read_quoted(rest).map_err(|error| error.shifted(escape::column(line, at) - 1))?;
    let after = at + used;
    match line[after..].chars().next() {
        None => Ok((Raw::Quoted(value), None)),
        Some(c) if c == separator => Ok((Raw::Quoted(value), Some(after + 1))),
        Some(c) => Err(Error::new(
            ErrorCode::Escape,
            "the end of the cell after the closing quote",
            format!("{c:?}"),
        )
        .at(0, escape::column(line, after))),
    }
}

/// Reads one value as a column writes it, in any notation. Gives it, and whether the text
/// is known to be the one text of it; where it is not known it may still be so.
///
/// # Errors
/// [`ErrorCode::CellType`], [`ErrorCode::CellMiss`] or [`ErrorCode::Escape`], with its place
/// in the cell or none.
pub(crate) fn parse_value<'t>(
    raw: Raw<'t>,
    column: &Column,
    place: Place,
) -> Result<(Lent<'t>, bool), Error> {
    let (miss, kind) = (column.miss(), column.column_type());
    let text = match raw {
        Raw::Bare(text) => text,
        Raw::Quoted(text) if kind == ColumnType::Str => {
            let lent = match text {
                Cow::Borrowed(text) => Lent::Cell(Cell::Str(text)),
                Cow::Owned(text) => Lent::Text(text),
            };
            return Ok((lent, false));
        }
        Raw::Quoted(text) => {
            return Err(mismatch(column, &format!("the quoted {}", excerpt(&text))));
        }
    };
    let cell = |cell, known| Ok((Lent::Cell(cell), known));
    if text.is_empty() {
        return match miss.empty() {
            Some(Empty::Null) => cell(Cell::Null, true),
            Some(Empty::Absent) => cell(Cell::Absent, true),
            Some(Empty::Text) => cell(Cell::Str(""), true),
            None => Err(empty_cell(column)),
        };
    }
    // The long form of what the empty cell says is right in a line of empty cells only.
    if text == NULL && miss.allows_null() {
        return cell(Cell::Null, miss.empty() != Some(Empty::Null));
    }
    if text == ABSENT && miss.allows_absent() {
        return cell(Cell::Absent, miss.empty() != Some(Empty::Absent));
    }
    let time = |time_ms: Option<i64>| {
        let in_range = time_ms.filter(|time_ms| time::in_range(*time_ms));
        in_range.map(|time_ms| (Cell::Time(time_ms), false))
    };
    let value = match kind {
        ColumnType::Bool => match (place.profile, text) {
            (Profile::Plain, "t") | (Profile::Seed, "1") => Some((Cell::Bool(true), true)),
            (Profile::Plain, "f") | (Profile::Seed, "0") => Some((Cell::Bool(false), true)),
            _ => None,
        },
        ColumnType::I64 => text
            .parse()
            .ok()
            .map(|value| (Cell::I64(value), number::is_integer_text(text))),
        ColumnType::U64 => text
            .parse()
            .ok()
            .map(|value| (Cell::U64(value), number::is_integer_text(text))),
        ColumnType::F64 => match number::parse_short(text) {
            Some(value) => Some((Cell::F64(value), true)),
            None => number::parse_f64(text).map(|value| (Cell::F64(value), false)),
        },
        ColumnType::Decimal { scale } => {
            Decimal::parse(text, scale).map(|value| (Cell::Decimal(value), false))
        }
        ColumnType::Str if !needs_quotes(text, miss, place) => Some((Cell::Str(text), true)),
        ColumnType::Str => {
            if let Some((at, c)) = text.char_indices().find(|(_, c)| must_escape(*c)) {
                return Err(escape::raw(c).at(0, escape::column(text, at)));
            }
            Some((Cell::Str(text), false))
        }
        ColumnType::Time => time(time::parse_time(text)),
        ColumnType::Offset => {
            let offset = text.parse::<i64>().ok();
            let time_ms = offset.and_then(|offset| place.base_ms?.checked_add(offset));
            time(time_ms).map(|(cell, _)| (cell, number::is_integer_text(text)))
        }
        ColumnType::Clock | ColumnType::Day | ColumnType::Hour | ColumnType::Minute => {
            let anchored = column.anchor().zip(place.base_ms);
            time(anchored.and_then(|(anchor, start_ms)| anchor.parse_cell(start_ms, text)))
        }
    };
    match value {
        Some((value, known)) => cell(value, known),
        None => Err(mismatch(column, &excerpt(text))),
    }
}

fn empty_cell(column: &Column) -> Error {
    let hint = match column.column_type() {
        ColumnType::Str => " (\"\" is the empty string)",
        _ => "",
    };
    let expected = format!("a value in column {}{hint}", name(column));
    Error::new(ErrorCode::CellMiss, expected, "an empty cell")
}

pub(crate) fn mismatch(column: &Column, found: &str) -> Error {
    Error::new(
        ErrorCode::CellType,
        format!("{} in column {}", column.column_type().noun(), name(column)),
        found,
    )
}

/// Refuses `line` when it is not `canonical`, naming the first place they differ.
pub(crate) fn same(line: &str, canonical: &str) -> Result<(), Error> {
    if line == canonical {
        return Ok(());
    }
    let differs = line
        .chars()
        .zip(canonical.chars())
        .take_while(|(a, b)| a == b);
    let at: usize = differs.map(|(c, _)| c.len_utf8()).sum();
    let rest = |text: &str| match &text[at..] {
        "" => "the end of the line".to_owned(),
        rest => excerpt(rest),
    };
    Err(
        Error::new(ErrorCode::NotCanonical, rest(canonical), rest(line))
            .at(0, escape::column(line, at)),
    )
}
