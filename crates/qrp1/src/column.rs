//! A column: its name, its type, and what an empty cell means in it.

use crate::decimal::MAX_SCALE;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, is_blank, must_escape, push_quoted, read_quoted};
use crate::hoist::Hoist;
use crate::layout::Profile;
use crate::miss::{Empty, Miss};
use crate::sink::Sink;
use crate::time::Anchor;
use crate::value::Value;

/// The type of every value in a column. It stands in the header, so a cell's look never
/// decides what it is: `007` in a string column is a string, in an i64 column an error.
///
/// ```
/// use qrp1::{Column, ColumnType};
///
/// let price = Column::new("price", ColumnType::Decimal { scale: 2 });
/// assert_eq!(price.to_string(), "price:d2");
/// assert_eq!(price.column_type(), ColumnType::Decimal { scale: 2 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ColumnType {
    /// `b`: `t` or `f`.
    Bool,
    /// `i`: a 64-bit signed integer.
    I64,
    /// `u`: a 64-bit unsigned integer.
    U64,
    /// `f`: a binary64 number, in its shortest text.
    F64,
    /// `dN`: an exact decimal with at most N (0 to 38) digits after the point.
    Decimal {
        /// Digits after the point.
        scale: u8,
    },
    /// `s`: a string. The type that is meant when a column names none.
    Str,
    /// `t`: an instant in UTC, to the millisecond.
    Time,
    /// `o`: an instant, written as milliseconds from the layout's fixed `t0`.
    Offset,
    /// `tc`: an instant, written as the time of day (`01:30`) under an anchor line that
    /// states the day (`@2026-09-08`).
    Clock,
    /// `th`: a whole hour, written as the hour of the day (`01`) under an anchor line that
    /// states the day.
    Hour,
    /// `tm`: a whole minute, written as the minute of the hour (`30`) under an anchor line
    /// that states the hour (`@2026-09-08T01Z`).
    Minute,
    /// `td`: a midnight, written as the day of the month (`08`) under an anchor line that
    /// states the month (`@2026-09`).
    Day,
}

impl ColumnType {
    fn push_name<S: Sink>(self, out: &mut S, profile: Profile) {
        let (short, long) = match self {
            Self::Bool => ("b", "bool"),
            Self::I64 => ("i", "i64"),
            Self::U64 => ("u", "u64"),
            Self::F64 => ("f", "f64"),
            Self::Decimal { .. } => ("d", "decimal"),
            Self::Str => ("s", "str"),
            Self::Time => ("t", "time"),
            // In the seed's form the offset is an i64 whose column is called dt_ms.
            Self::Offset => ("o", "i64"),
            // Anchored times are not in the seed's form, which a layout makes sure of.
            Self::Clock => ("tc", "tc"),
            Self::Hour => ("th", "th"),
            Self::Minute => ("tm", "tm"),
            Self::Day => ("td", "td"),
        };
        out.push_str(if profile == Profile::Seed {
            long
        } else {
            short
        });
        if let Self::Decimal { scale } = self {
            out.push_str(itoa::Buffer::new().format(scale));
        }
    }

    fn parse(text: &str, name: &str, profile: Profile) -> Option<Self> {
        let seed = profile == Profile::Seed;
        let pick = |short: &str, long: &str| text == if seed { long } else { short };
        let all = [
            ("b", "bool", Self::Bool),
            (
                "i",
                "i64",
                if seed && name == SEED_OFFSET {
                    Self::Offset
                } else {
                    Self::I64
                },
            ),
            ("u", "u64", Self::U64),
            ("f", "f64", Self::F64),
            ("s", "str", Self::Str),
            ("t", "time", Self::Time),
        ];
        if let Some((_, _, found)) = all.into_iter().find(|(short, long, _)| pick(short, long)) {
            return Some(found);
        }
        if !seed {
            match text {
                "o" => return Some(Self::Offset),
                "tc" => return Some(Self::Clock),
                "th" => return Some(Self::Hour),
                "tm" => return Some(Self::Minute),
                "td" => return Some(Self::Day),
                _ => {}
            }
        }
        let scale = text.strip_prefix(if seed { "decimal" } else { "d" })?;
        let scale = scale
            .parse::<u8>()
            .ok()
            .filter(|scale| *scale <= MAX_SCALE)?;
        Some(Self::Decimal { scale })
    }

    /// What a cell of this type is, in words for a message.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::I64 => "an i64",
            Self::U64 => "a u64",
            Self::F64 => "an f64",
            Self::Decimal { .. } => "a decimal of the column's scale",
            Self::Str => "a string",
            Self::Time => "a time in UTC such as 2026-09-08 or 2026-09-08T01:30Z",
            Self::Offset => "a time as milliseconds from t0",
            Self::Clock => "a time of day such as 01:30 under its @day",
            Self::Hour => "a whole hour such as 01 under its @day (tc or t hold other times)",
            Self::Minute => "a whole minute such as 30 under its @hour (tc or t hold other times)",
            Self::Day => "a midnight such as 08 under its @month (tc or t hold other times)",
        }
    }
}

/// The name that marks the offset column in the seed's form.
pub(crate) const SEED_OFFSET: &str = "dt_ms";

/// Types and marks that later versions will use, so that no one else does.
const RESERVED_TYPES: &[&str] = &["n", "x", "j"];

/// One column of a table or series.
///
/// ```
/// use qrp1::{Column, ColumnType, Miss};
///
/// let column = Column::new("note", ColumnType::Str).with_miss(Miss::null());
/// assert_eq!(column.to_string(), "note:s!");
/// assert_eq!(Column::new("symbol", ColumnType::Str).to_string(), "symbol");
/// assert_eq!(Column::new("a,b", ColumnType::F64).to_string(), "\"a,b\":f");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    name: String,
    kind: ColumnType,
    miss: Miss,
    hoist: Option<Hoist>,
}

impl Column {
    /// A column that allows no miss.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: ColumnType) -> Self {
        Self {
            name: name.into(),
            kind,
            miss: Miss::none(),
            hoist: None,
        }
    }

    /// The same column with a miss rule.
    #[must_use]
    pub fn with_miss(self, miss: Miss) -> Self {
        Self { miss, ..self }
    }

    /// The same column with a value that the header states once; see [`Hoist::Constant`].
    ///
    /// ```
    /// use qrp1::{Column, ColumnType, Miss, Value};
    ///
    /// let closed = Column::new("closed", ColumnType::Bool).with_constant(true);
    /// assert_eq!(closed.to_string(), "closed:b=t");
    /// let note = Column::new("note", ColumnType::Str).with_miss(Miss::null()).with_constant(Value::Null);
    /// assert_eq!(note.to_string(), "note:s!=");
    /// ```
    #[must_use]
    pub fn with_constant(self, value: impl Into<Value>) -> Self {
        let hoist = Some(Hoist::Constant(value.into()));
        Self { hoist, ..self }
    }

    /// The same column with values that the header states as a start and a step; see
    /// [`Hoist::Sequence`].
    ///
    /// ```
    /// use qrp1::{Column, ColumnType, Value};
    ///
    /// let id = Column::new("id", ColumnType::U64).with_sequence(100u64, -1);
    /// assert_eq!(id.to_string(), "id:u=100-1");
    /// let day = Column::new("day", ColumnType::Time).with_sequence(Value::Time(0), 86_400_000);
    /// assert_eq!(day.to_string(), "day:t=1970-01-01+1d");
    /// ```
    #[must_use]
    pub fn with_sequence(self, start: impl Into<Value>, step: i64) -> Self {
        let hoist = Some(Hoist::Sequence {
            start: start.into(),
            step,
        });
        Self { hoist, ..self }
    }

    /// The same time column of a series without cells: anchor lines state times, and rows are
    /// `step_ms` apart; see [`Hoist::Step`].
    ///
    /// ```
    /// use qrp1::{Column, ColumnType};
    ///
    /// let time = Column::new("time", ColumnType::Time).with_step_ms(3_600_000);
    /// assert_eq!(time.to_string(), "time:t=+1h");
    /// ```
    #[must_use]
    pub fn with_step_ms(self, step_ms: i64) -> Self {
        let hoist = Some(Hoist::Step { step_ms });
        Self { hoist, ..self }
    }

    /// What the header says of the values so that rows need not, if it does.
    #[must_use]
    pub fn hoist(&self) -> Option<&Hoist> {
        self.hoist.as_ref()
    }

    /// The same column with its sequence counted from a row `rows` later.
    pub(crate) fn moved(&self, rows: i128) -> Result<Self, Error> {
        let hoist = self.hoist.as_ref().map(|hoist| hoist.moved(rows));
        Ok(Self {
            hoist: hoist.transpose()?,
            ..self.clone()
        })
    }

    /// The name, which is any text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the values.
    #[must_use]
    pub fn column_type(&self) -> ColumnType {
        self.kind
    }

    /// Which misses are allowed.
    #[must_use]
    pub fn miss(&self) -> Miss {
        self.miss
    }

    pub(crate) fn is_time(&self) -> bool {
        matches!(self.kind, ColumnType::Time | ColumnType::Offset) || self.anchor().is_some()
    }

    /// What anchor lines state for this column, if it needs them.
    pub(crate) fn anchor(&self) -> Option<Anchor> {
        match self.kind {
            ColumnType::Clock => Some(Anchor::Day),
            ColumnType::Hour => Some(Anchor::DayOfHours),
            ColumnType::Minute => Some(Anchor::Hour),
            ColumnType::Day => Some(Anchor::Month),
            _ => None,
        }
    }

    /// Checks what no text could say: a scale out of range, `~` on another type than str.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |expected: &str, found: String| {
            Error::new(
                ErrorCode::Layout,
                expected,
                format!("{found} in column {}", excerpt(&self.name)),
            )
        };
        match self.kind {
            ColumnType::Decimal { scale } if scale > MAX_SCALE => {
                Err(fault("a scale from 0 to 38", format!("the scale {scale}")))
            }
            _ if self.kind != ColumnType::Str && self.miss.empty() == Some(Empty::Text) => {
                Err(fault(
                    "empty strings in a string column only",
                    self.kind.noun().to_owned(),
                ))
            }
            _ => self
                .hoist
                .as_ref()
                .map_or(Ok(()), |hoist| hoist.check(self)),
        }
    }

    /// Appends the declaration: name, type, miss marks, and what stands for cells.
    pub(crate) fn push<S: Sink>(&self, out: &mut S, profile: Profile) {
        self.push_declared(out, profile);
        if let Some(hoist) = &self.hoist {
            out.push_char('=');
            hoist.push(out, self);
        }
    }

    fn push_declared<S: Sink>(&self, out: &mut S, profile: Profile) {
        push_name(out, &self.name);
        if self.kind == ColumnType::Str && self.miss == Miss::none() && profile != Profile::Seed {
            return;
        }
        out.push_char(':');
        self.kind.push_name(out, profile);
        out.push_str(self.miss.marks());
    }

    /// Reads a declaration with what stands for cells, up to a comma or the end. Gives the
    /// column and how many bytes it took.
    ///
    /// # Errors
    /// As [`Column::parse`].
    pub(crate) fn parse_hoisted(text: &str, profile: Profile) -> Result<(Self, usize), Error> {
        let (column, used) = Self::parse(text, profile)?;
        let Some(rest) = text[used..].strip_prefix('=') else {
            return Ok((column, used));
        };
        let shift = |error: Error| error.at(0, 1).shifted(escape::column(text, used + 1) - 1);
        let (hoist, read) = Hoist::parse(rest, &column).map_err(shift)?;
        let column = Self {
            hoist: Some(hoist),
            ..column
        };
        Ok((column, used + 1 + read))
    }

    /// Reads a declaration at the start of `text`, up to `,`, `=` or the end. Gives the
    /// column and how many bytes it took.
    ///
    /// # Errors
    /// [`ErrorCode::Column`], [`ErrorCode::Escape`] or [`ErrorCode::Reserved`], with the
    /// column inside `text`.
    pub(crate) fn parse(text: &str, profile: Profile) -> Result<(Self, usize), Error> {
        let (name, mut at) = parse_name(text)?;
        let (mut kind, mut miss) = (ColumnType::Str, Miss::none());
        if text[at..].starts_with(':') {
            at += 1;
            let end = text[at..]
                .find([',', '='])
                .map_or(text.len(), |end| at + end);
            let declared = &text[at..end];
            let marks = declared.find(['!', '?', '~']).unwrap_or(declared.len());
            let (type_name, marks) = declared.split_at(marks);
            let here = |error: Error| error.at(0, escape::column(text, at));
            if RESERVED_TYPES.contains(&type_name) || type_name.starts_with('[') {
                return Err(here(Error::new(
                    ErrorCode::Reserved,
                    "one of the types b, i, u, f, dN, s, t, o, tc, th, tm, td",
                    format!("the reserved type {}", excerpt(type_name)),
                )));
            }
            kind = ColumnType::parse(type_name, &name, profile).ok_or_else(|| {
                let expected = match profile {
                    Profile::Seed => "one of the types bool, i64, u64, f64, decimalN, str, time",
                    Profile::Plain => "one of the types b, i, u, f, dN, s, t, o, tc, th, tm, td",
                };
                here(Error::new(ErrorCode::Column, expected, excerpt(type_name)))
            })?;
            miss = Miss::parse(marks).ok_or_else(|| {
                here(Error::new(
                    ErrorCode::Column,
                    "the miss marks !, ?, !?, ?!, ~, ~!, ~? or ~!?",
                    excerpt(marks),
                ))
            })?;
            at = end;
        }
        let column = Self {
            name,
            kind,
            miss,
            hoist: None,
        };
        column.check().map_err(|error| {
            Error::new(ErrorCode::Column, error.expected(), error.found()).at(0, 1)
        })?;
        Ok((column, at))
    }
}

impl core::fmt::Display for Column {
    /// The declaration as it stands in a plain header.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut out = String::new();
        self.push(&mut out, Profile::Plain);
        f.write_str(&out)
    }
}

/// Characters that make a name need quotes: those the header gives a meaning to, and
/// those that later versions will.
const SYNTAX: &[char] = &[
    '|', ',', ':', '=', '"', '.', '[', ']', '{', '}', '(', ')', '<', '>', ';', '*', '\\',
];

fn needs_quotes(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(['@', '/'])
        || name.starts_with(is_blank)
        || name.ends_with(is_blank)
        || name.contains(SYNTAX)
        || name.contains(must_escape)
}

/// Appends a name, quoted where it has to be.
pub(crate) fn push_name<S: Sink>(out: &mut S, name: &str) {
    if needs_quotes(name) {
        push_quoted(out, name, Some('|'));
    } else {
        out.push_str(name);
    }
}

/// Reads a name at the start of `text`. Gives it and how many bytes it took.
pub(crate) fn parse_name(text: &str) -> Result<(String, usize), Error> {
    if text.starts_with('"') {
        return read_quoted(text).map(|(name, used)| (name.into_owned(), used));
    }
    let end = text.find(SYNTAX).unwrap_or(text.len());
    let name = &text[..end];
    let next = text[end..].chars().next();
    let here = |code, expected: &str, found: String| {
        Err(Error::new(code, expected, found).at(0, escape::column(text, end)))
    };
    match next {
        None | Some(',' | ':' | '=') => {}
        Some('[') => {
            return here(
                ErrorCode::Reserved,
                "a name without brackets, or quoted",
                "[, which is reserved for lists".to_owned(),
            );
        }
        Some('.') => {
            return here(
                ErrorCode::Reserved,
                "a name without dots, or quoted",
                "a dotted path, which is reserved for nested data".to_owned(),
            );
        }
        Some(c) => {
            return here(
                ErrorCode::Column,
                "a quoted name",
                format!("the raw character {c:?}"),
            );
        }
    }
    if needs_quotes(name) {
        let found = if name.is_empty() {
            "nothing".to_owned()
        } else {
            excerpt(name)
        };
        return Err(Error::new(ErrorCode::Column, "a column name", found).at(0, 1));
    }
    Ok((name.to_owned(), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_read_back() {
        for text in [
            "a",
            "a:i",
            "a:d0",
            "a:d38?",
            "a:s~!?",
            "\"a.b\":t!",
            "\"\":f",
            "close price:f",
            "中:b?!",
            "\"@x\":o",
            "\"x\\u007cy\"",
        ] {
            let (column, used) = Column::parse(text, Profile::Plain).unwrap();
            assert_eq!(used, text.len());
            assert_eq!(column.to_string(), text);
        }
    }

    #[test]
    fn broken_declarations_say_where() {
        for (text, code, at) in [
            ("", ErrorCode::Column, 1),
            (":i", ErrorCode::Column, 1),
            ("a:", ErrorCode::Column, 3),
            ("a:int", ErrorCode::Column, 3),
            ("a:d39", ErrorCode::Column, 3),
            ("a:i!!", ErrorCode::Column, 3),
            ("a:i~", ErrorCode::Column, 1),
            ("a.b:i", ErrorCode::Reserved, 2),
            ("a:[i]", ErrorCode::Reserved, 3),
            ("a:j", ErrorCode::Reserved, 3),
            ("a[]", ErrorCode::Reserved, 2),
            ("\"a", ErrorCode::Escape, 3),
        ] {
            let error = Column::parse(text, Profile::Plain).unwrap_err();
            assert_eq!(
                (error.code(), error.column()),
                (code, Some(at)),
                "{text}: {error}"
            );
        }
    }
}
