//! One row of a table or series: cells to a line, and a line to values.

use crate::column::{Column, ColumnType, Empty, Miss};
use crate::decimal::Decimal;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, is_blank, must_escape, push_quoted, read_quoted};
use crate::header::MAGIC;
use crate::layout::{Layout, Profile};
use crate::number;
use crate::time;
use crate::value::{Cell, Value};

/// Appends one row, with an anchor line before it where its time needs another one than
/// `anchor_ms`, the start of the anchor above.
///
/// # Errors
/// As [`push_row`]; `out` and `anchor_ms` are then as they were.
pub(crate) fn push_anchored<'a>(
    out: &mut String,
    layout: &Layout,
    anchor_ms: &mut Option<i64>,
    cells: impl ExactSizeIterator<Item = Cell<'a>> + Clone,
) -> Result<(), Error> {
    let Some(anchor) = layout.anchor() else {
        return push_row(out, layout, layout.t0_ms(), cells);
    };
    let start = out.len();
    let mut start_ms = *anchor_ms;
    // A first cell that is no time in range is refused as the row is written.
    if let Some(Cell::Time(time_ms)) = cells.clone().next()
        && time::in_range(time_ms)
    {
        start_ms = anchor.start_of(time_ms);
        if start_ms != *anchor_ms
            && let Some(start_ms) = start_ms
        {
            anchor.push_line(out, start_ms);
            out.push('\n');
        }
    }
    if let Err(error) = push_row(out, layout, start_ms, cells) {
        out.truncate(start);
        return Err(error);
    }
    *anchor_ms = start_ms;
    Ok(())
}

/// Appends one row as a line. `base_ms` is the `t0` or the start of the anchor above.
///
/// # Errors
/// [`ErrorCode::RowWidth`], [`ErrorCode::CellType`] or [`ErrorCode::CellMiss`]; `out` is
/// then as it was.
pub(crate) fn push_row<'a>(
    out: &mut String,
    layout: &Layout,
    base_ms: Option<i64>,
    cells: impl ExactSizeIterator<Item = Cell<'a>> + Clone,
) -> Result<(), Error> {
    let start = out.len();
    let columns = layout.columns();
    if cells.len() != columns.len() {
        return Err(Error::new(
            ErrorCode::RowWidth,
            format!("{} cells", columns.len()),
            cells.len().to_string(),
        ));
    }
    let separator = layout.separator().char();
    for (index, (column, cell)) in columns.iter().zip(cells.clone()).enumerate() {
        if index > 0 {
            out.push(separator);
        }
        if let Err(error) = push_cell(out, layout, base_ms, column, cell, index == 0) {
            out.truncate(start);
            return Err(error);
        }
    }
    // A line of separators alone (or of nothing) could be lost between line ends, so its
    // first cell is written in words.
    if out.len() == start + columns.len() - 1
        && let (Some(column), Some(cell)) = (columns.first(), cells.clone().next())
        && is_empty_cell(column.miss(), cell)
    {
        out.insert_str(start, word(cell));
    }
    out.push('\n');
    Ok(())
}

/// The long form of a miss or of the empty string.
fn word(cell: Cell<'_>) -> &'static str {
    match cell {
        Cell::Null => NULL,
        Cell::Absent => ABSENT,
        _ => "\"\"",
    }
}

const NULL: &str = "null";
const ABSENT: &str = "absent";

fn is_empty_cell(miss: Miss, cell: Cell<'_>) -> bool {
    match miss.empty() {
        Some(Empty::Null) => cell == Cell::Null,
        Some(Empty::Absent) => cell == Cell::Absent,
        Some(Empty::Text) => cell == Cell::Str(""),
        None => false,
    }
}

fn push_cell(
    out: &mut String,
    layout: &Layout,
    base_ms: Option<i64>,
    column: &Column,
    cell: Cell<'_>,
    first: bool,
) -> Result<(), Error> {
    let separator = Some(layout.separator().char());
    let place = Place {
        separator,
        first,
        profile: layout.profile(),
        base_ms,
    };
    push_value(out, column, cell, place)
}

/// Where a value is written: what ends its cell, and how it is spelled there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    /// What ends the cell; `None` when it runs to the end of the line.
    pub(crate) separator: Option<char>,
    /// Whether it begins a line.
    pub(crate) first: bool,
    pub(crate) profile: Profile,
    /// What a short time counts from: the `t0`, or the start of the anchor above.
    pub(crate) base_ms: Option<i64>,
}

/// Appends one value as a column writes it.
///
/// # Errors
/// [`ErrorCode::CellType`] or [`ErrorCode::CellMiss`].
pub(crate) fn push_value(
    out: &mut String,
    column: &Column,
    cell: Cell<'_>,
    place: Place,
) -> Result<(), Error> {
    let miss = column.miss();
    if is_empty_cell(miss, cell) {
        return Ok(());
    }
    let mismatch = || {
        Error::new(
            ErrorCode::CellType,
            format!("{} in column {}", column.column_type().noun(), name(column)),
            cell.noun(),
        )
    };
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
        (ColumnType::Bool, Cell::Bool(value)) => out.push(match (place.profile, value) {
            (Profile::Plain, true) => 't',
            (Profile::Plain, false) => 'f',
            (Profile::Seed, true) => '1',
            (Profile::Seed, false) => '0',
        }),
        (ColumnType::I64, Cell::I64(value)) => out.push_str(itoa::Buffer::new().format(value)),
        (ColumnType::U64, Cell::U64(value)) => out.push_str(itoa::Buffer::new().format(value)),
        (ColumnType::F64, Cell::F64(value)) => number::push_f64(out, value),
        (ColumnType::Decimal { scale }, Cell::Decimal(value)) if value.scale() == scale => {
            use core::fmt::Write;
            // Writing to a String cannot fail.
            let _ = write!(out, "{value}");
        }
        (ColumnType::Str, Cell::Str(text)) => {
            if needs_quotes(text, miss, place) {
                push_quoted(out, text, None);
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
        (ColumnType::Clock | ColumnType::Day, Cell::Time(time_ms)) => {
            let written = column
                .anchor()
                .zip(place.base_ms)
                .is_some_and(|(anchor, start_ms)| anchor.push_cell(out, start_ms, time_ms));
            if !written {
                return Err(mismatch());
            }
        }
        _ => return Err(mismatch()),
    }
    Ok(())
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
fn name(column: &Column) -> String {
    let name = column.name();
    let plain = name.len() <= 32 && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        name.to_owned()
    } else {
        excerpt(name)
    }
}

fn needs_quotes(text: &str, miss: Miss, place: Place) -> bool {
    text.is_empty()
        || text.starts_with('"')
        || text.starts_with(is_blank)
        || text.ends_with(is_blank)
        || (place.first && (text.starts_with(['@', '/']) || text.starts_with(MAGIC)))
        || (miss.allows_null() && text == NULL)
        || (miss.allows_absent() && text == ABSENT)
        || place
            .separator
            .is_some_and(|separator| text.contains(separator))
        || text.contains(must_escape)
}

/// Reads a row from `line`, which has no line feed. `base_ms` is as in [`push_row`].
///
/// # Errors
/// Any fault of a row, with the column in `line`.
pub(crate) fn parse_row(
    line: &str,
    layout: &Layout,
    base_ms: Option<i64>,
    scratch: &mut String,
) -> Result<Vec<Value>, Error> {
    let separator = layout.separator().char();
    let columns = layout.columns();
    let mut values = Vec::with_capacity(columns.len());
    // Whether every cell is the one text of its value.
    let mut canonical = true;
    let mut at = 0;
    loop {
        let (raw, next) = split_cell(line, at, separator)?;
        let Some(column) = columns.get(values.len()) else {
            return Err(
                width(columns.len(), count_cells(line, separator)?).at(0, escape::column(line, at))
            );
        };
        let place = Place {
            separator: Some(separator),
            first: at == 0,
            profile: layout.profile(),
            base_ms,
        };
        let (value, known) = parse_value(&raw, column, place)
            .map_err(|error| error.shifted(escape::column(line, at) - 1))?;
        if canonical && !known {
            let end = next.map_or(line.len(), |next| next - separator.len_utf8());
            scratch.clear();
            push_value(scratch, column, value.as_cell(), place)?;
            canonical = scratch == &line[at..end];
        }
        values.push(value);
        match next {
            Some(next) => at = next,
            None => break,
        }
    }
    if values.len() < columns.len() {
        return Err(width(columns.len(), values.len()).at(0, escape::column(line, line.len())));
    }
    // A line of separators alone has its first cell in the long form, and so is never
    // the one text of its values.
    if !canonical || line.len() < columns.len() {
        scratch.clear();
        push_row(scratch, layout, base_ms, values.iter().map(Value::as_cell))?;
        same(line, scratch.strip_suffix('\n').unwrap_or(scratch))?;
    }
    Ok(values)
}

fn width(expected: usize, found: usize) -> Error {
    let cells = |n| {
        if n == 1 {
            "1 cell".to_owned()
        } else {
            format!("{n} cells")
        }
    };
    Error::new(ErrorCode::RowWidth, cells(expected), found.to_string())
}

fn count_cells(line: &str, separator: char) -> Result<usize, Error> {
    let (mut count, mut at) = (1, 0);
    while let (_, Some(next)) = split_cell(line, at, separator)? {
        at = next;
        count += 1;
    }
    Ok(count)
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

/// What stands in a cell: bare text, or the value of a quoted string.
pub(crate) enum Raw<'t> {
    Bare(&'t str),
    Quoted(String),
}

/// Takes the cell that begins at `at`; gives it and where the next one begins.
fn split_cell(line: &str, at: usize, separator: char) -> Result<(Raw<'_>, Option<usize>), Error> {
    let rest = &line[at..];
    if !rest.starts_with('"') {
        let mut byte = [0u8; 4];
        let needle = separator.encode_utf8(&mut byte).as_bytes()[0];
        let end = memchr::memchr(needle, rest.as_bytes());
        let bare = end.map_or(rest, |end| &rest[..end]);
        return Ok((Raw::Bare(bare), end.map(|end| at + end + 1)));
    }
    let (value, used) =
        read_quoted(rest).map_err(|error| error.shifted(escape::column(line, at) - 1))?;
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
pub(crate) fn parse_value(
    raw: &Raw<'_>,
    column: &Column,
    place: Place,
) -> Result<(Value, bool), Error> {
    let (miss, kind) = (column.miss(), column.column_type());
    let text = match raw {
        Raw::Bare(text) => *text,
        Raw::Quoted(text) if kind == ColumnType::Str => {
            return Ok((Value::Str(text.clone()), false));
        }
        Raw::Quoted(text) => {
            return Err(mismatch(column, &format!("the quoted {}", excerpt(text))));
        }
    };
    if text.is_empty() {
        let value = match miss.empty() {
            Some(Empty::Null) => Value::Null,
            Some(Empty::Absent) => Value::Absent,
            Some(Empty::Text) => Value::Str(String::new()),
            None => return Err(empty_cell(column)),
        };
        return Ok((value, true));
    }
    // The long form of what the empty cell says is right in a line of empty cells only.
    if text == NULL && miss.allows_null() {
        return Ok((Value::Null, miss.empty() != Some(Empty::Null)));
    }
    if text == ABSENT && miss.allows_absent() {
        return Ok((Value::Absent, miss.empty() != Some(Empty::Absent)));
    }
    let known = |value: Value| Some((value, true));
    let unknown = |value: Value| Some((value, false));
    let value = match kind {
        ColumnType::Bool => match (place.profile, text) {
            (Profile::Plain, "t") | (Profile::Seed, "1") => known(Value::Bool(true)),
            (Profile::Plain, "f") | (Profile::Seed, "0") => known(Value::Bool(false)),
            _ => None,
        },
        ColumnType::I64 => text
            .parse()
            .ok()
            .map(|value| (Value::I64(value), number::is_integer_text(text))),
        ColumnType::U64 => text
            .parse()
            .ok()
            .map(|value| (Value::U64(value), number::is_integer_text(text))),
        ColumnType::F64 => match number::parse_short(text) {
            Some(value) => known(Value::F64(value)),
            None => number::parse_f64(text).map(Value::F64).and_then(unknown),
        },
        ColumnType::Decimal { scale } => Decimal::parse(text, scale)
            .map(Value::Decimal)
            .and_then(unknown),
        ColumnType::Str if !needs_quotes(text, miss, place) => known(Value::Str(text.to_owned())),
        ColumnType::Str => {
            if let Some((at, c)) = text.char_indices().find(|(_, c)| must_escape(*c)) {
                return Err(escape::raw(c).at(0, escape::column(text, at)));
            }
            unknown(Value::Str(text.to_owned()))
        }
        ColumnType::Time => {
            let time_ms = time::parse_time(text).filter(|time_ms| time::in_range(*time_ms));
            time_ms.map(Value::Time).and_then(unknown)
        }
        ColumnType::Offset => {
            let offset = text.parse::<i64>().ok();
            let time_ms = offset.and_then(|offset| place.base_ms?.checked_add(offset));
            let time_ms = time_ms.filter(|time_ms| time::in_range(*time_ms));
            time_ms.map(|time_ms| (Value::Time(time_ms), number::is_integer_text(text)))
        }
        ColumnType::Clock | ColumnType::Day => {
            let anchored = column.anchor().zip(place.base_ms);
            let time_ms = anchored.and_then(|(anchor, start_ms)| anchor.parse_cell(start_ms, text));
            time_ms.map(Value::Time).and_then(unknown)
        }
    };
    value.ok_or_else(|| mismatch(column, &excerpt(text)))
}

fn empty_cell(column: &Column) -> Error {
    let hint = match column.column_type() {
        ColumnType::Str => " (\"\" is the empty string)",
        _ => "",
    };
    let expected = format!("a value in column {}{hint}", name(column));
    Error::new(ErrorCode::CellMiss, expected, "an empty cell")
}

fn mismatch(column: &Column, found: &str) -> Error {
    Error::new(
        ErrorCode::CellType,
        format!("{} in column {}", column.column_type().noun(), name(column)),
        found,
    )
}
