//! What went wrong: a stable code, the place, what was expected, what was found.

use core::fmt;

use serde_core::de::Unexpected;

/// The stable, machine-readable name of a fault.
///
/// [`ErrorCode::as_str`] gives the snake-case word that appears in messages, in
/// golden vectors and in `error` lines of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The input is not UTF-8.
    Utf8,
    /// The input ends inside a payload, or its last line has no line feed.
    Truncated,
    /// A payload does not begin with `QRP1|`.
    HeaderMagic,
    /// The header names a version this reader does not know.
    HeaderVersion,
    /// The header names an unknown kind.
    HeaderKind,
    /// A header key is unknown, repeated, reserved, or not for this kind.
    HeaderKey,
    /// The value of a header key is not of the key's form.
    HeaderValue,
    /// A header key that this kind needs is absent.
    HeaderMissing,
    /// A column declaration is malformed or not allowed.
    Column,
    /// A row has another number of cells than the layout.
    RowWidth,
    /// A cell is not of its column's type.
    CellType,
    /// A miss (null or absent) stands where the column allows none.
    CellMiss,
    /// A quoted string is malformed, or a character stands raw that must be escaped.
    Escape,
    /// The text has the right meaning but is not the one canonical text for it.
    NotCanonical,
    /// There are more rows or lines than the header says.
    RowExtra,
    /// There are fewer rows or lines than the header or end line says.
    RowsMissing,
    /// A series row is earlier than the row before it.
    TimeOrder,
    /// A line or a declaration uses syntax that this version reserves.
    Reserved,
    /// The end line is malformed, or stands where none was announced.
    EndLine,
    /// An anchor line is malformed, missing, or stands where none is needed.
    Anchor,
    /// The payload's CRC is not that of its text.
    Crc,
    /// The input passes a limit of the reader.
    Limit,
    /// A layout cannot be built from what was given.
    Layout,
    /// One row alone is larger than the page may be.
    RowTooLarge,
    /// A page cannot be written under the caps given.
    Caps,
    /// A Rust type has no place for a value, or a value of it no place in a cell.
    TypeMismatch,
}

impl ErrorCode {
    /// Every code, in the order of the table in the crate documentation.
    ///
    /// ```
    /// assert!(qrp1::ErrorCode::ALL.iter().any(|code| code.as_str() == "row_width"));
    /// ```
    pub const ALL: &[Self] = &[
        Self::Utf8,
        Self::Truncated,
        Self::HeaderMagic,
        Self::HeaderVersion,
        Self::HeaderKind,
        Self::HeaderKey,
        Self::HeaderValue,
        Self::HeaderMissing,
        Self::Column,
        Self::RowWidth,
        Self::CellType,
        Self::CellMiss,
        Self::Escape,
        Self::NotCanonical,
        Self::RowExtra,
        Self::RowsMissing,
        Self::TimeOrder,
        Self::Reserved,
        Self::EndLine,
        Self::Anchor,
        Self::Crc,
        Self::Limit,
        Self::Layout,
        Self::RowTooLarge,
        Self::Caps,
        Self::TypeMismatch,
    ];

    /// The stable word of this code.
    ///
    /// ```
    /// assert_eq!(qrp1::ErrorCode::RowWidth.as_str(), "row_width");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf8 => "utf8",
            Self::Truncated => "truncated",
            Self::HeaderMagic => "header_magic",
            Self::HeaderVersion => "header_version",
            Self::HeaderKind => "header_kind",
            Self::HeaderKey => "header_key",
            Self::HeaderValue => "header_value",
            Self::HeaderMissing => "header_missing",
            Self::Column => "column",
            Self::RowWidth => "row_width",
            Self::CellType => "cell_type",
            Self::CellMiss => "cell_miss",
            Self::Escape => "escape",
            Self::NotCanonical => "not_canonical",
            Self::RowExtra => "row_extra",
            Self::RowsMissing => "rows_missing",
            Self::TimeOrder => "time_order",
            Self::Reserved => "reserved",
            Self::EndLine => "end_line",
            Self::Anchor => "anchor",
            Self::Crc => "crc",
            Self::Limit => "limit",
            Self::Layout => "layout",
            Self::RowTooLarge => "row_too_large",
            Self::Caps => "caps",
            Self::TypeMismatch => "type_mismatch",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error of reading or writing QRP1, one word wide.
///
/// Reading errors carry a position: the line in the document (the first header is
/// line 1) and the column in that line (in Unicode scalar values, from 1). Errors of
/// writing have none, since there is no text yet.
///
/// ```
/// let error = qrp1::Document::parse("QRP1|table|rows=1|columns=n:i\nten\n").unwrap_err();
/// assert_eq!(error.code().as_str(), "cell_type");
/// assert_eq!((error.line(), error.column()), (Some(2), Some(1)));
/// assert_eq!(
///     error.to_string(),
///     "cell_type at line 2, column 1: expected an i64 in column n, found \"ten\"",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    code: ErrorCode,
    place: Option<(u64, u64)>,
    expected: String,
    found: String,
}

/// How much of the input a message quotes, in characters.
const EXCERPT_CHARS: usize = 32;

impl Error {
    pub(crate) fn new(
        code: ErrorCode,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            code,
            place: None,
            expected: expected.into(),
            found: found.into(),
        }))
    }

    /// The same error at a place. A place already set is kept, so that the innermost,
    /// most exact one wins.
    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        if self.0.place.is_none() {
            self.0.place = Some((line, column));
        }
        self
    }

    /// The same error with its column moved right by `columns`, for a part of a line that
    /// was read on its own.
    pub(crate) fn shifted(mut self, columns: u64) -> Self {
        let (line, column) = self.0.place.unwrap_or((0, 1));
        self.0.place = Some((line, column + columns));
        self
    }

    /// Sets the line of an error whose place so far is known within its line only.
    pub(crate) fn on_line(mut self, line: u64) -> Self {
        let column = self.0.place.map_or(1, |(_, column)| column);
        self.0.place = Some((line, column));
        self
    }

    /// Names the column of a value that a Rust type does not take.
    #[cold]
    pub(crate) fn in_column(mut self, column: &crate::Column) -> Self {
        if self.0.code == ErrorCode::TypeMismatch && !self.0.expected.contains(" in column ") {
            self.0.expected.push_str(" in column ");
            self.0.expected.push_str(&crate::cell::name(column));
        }
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The line in the document, from 1; `None` for an error of writing.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.0.place.map(|(line, _)| line)
    }

    /// The column in the line, in Unicode scalar values from 1; `None` for an error of writing.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.0.place.map(|(_, column)| column)
    }

    /// What should have stood there, in words.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.0.expected
    }

    /// What stood there: words, or a quoted, escaped excerpt of at most 32 characters.
    #[must_use]
    pub fn found(&self) -> &str {
        &self.0.found
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.code)?;
        if let Some((line, column)) = self.0.place {
            write!(f, " at line {line}, column {column}")?;
        }
        write!(f, ": expected {}, found {}", self.0.expected, self.0.found)
    }
}

impl core::error::Error for Error {}

impl serde_core::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let found = words(&message.to_string());
        Self::new(ErrorCode::TypeMismatch, "a value that serialises", found)
    }
}

impl serde_core::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let found = words(&message.to_string());
        Self::new(ErrorCode::TypeMismatch, "a row that the type takes", found)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let expected = format!("one of the variants {}", expected.join(", "));
        Self::new(ErrorCode::TypeMismatch, words(&expected), excerpt(variant))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let expected = format!("one of the fields {}", expected.join(", "));
        Self::new(ErrorCode::TypeMismatch, words(&expected), excerpt(field))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn serde_core::de::Expected) -> Self {
        let expected = words(&expected.to_string());
        let found = match found {
            // Only a type that has to be lent its text refuses text as such.
            Unexpected::Str(_) if expected == "a borrowed string" => {
                "one that escapes force a copy of: read it as a String or a Cow".to_owned()
            }
            found => unexpected(found),
        };
        Self::new(ErrorCode::TypeMismatch, expected, found)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn serde_core::de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }
}

/// A message of a type, which may quote anything: cut, with escapes for what must not stand
/// raw.
fn words(message: &str) -> String {
    const MOST_CHARS: usize = 160;
    let mut safe = String::new();
    for c in message.chars().take(MOST_CHARS) {
        if crate::escape::must_escape(c) {
            crate::escape::push_escape(&mut safe, c);
        } else {
            safe.push(c);
        }
    }
    if message.chars().nth(MOST_CHARS).is_some() {
        safe.push_str("...");
    }
    safe
}

/// What was found, without its text, which may be anything.
fn unexpected(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Str(_) => "a string".to_owned(),
        Unexpected::Char(_) => "a character".to_owned(),
        Unexpected::Bytes(_) => "bytes".to_owned(),
        Unexpected::Option => "a null".to_owned(),
        Unexpected::Unit => "a null".to_owned(),
        Unexpected::Seq => "a row".to_owned(),
        Unexpected::Map => "a row by names".to_owned(),
        other => words(&other.to_string()),
    }
}

/// Quotes the beginning of `text` for a message, with everything escaped that could
/// confuse a terminal or a reader of the message.
pub(crate) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(EXCERPT_CHARS).collect();
    let cut = short.len() < text.len();
    let mut quoted = String::new();
    crate::escape::push_quoted(&mut quoted, &short, None);
    short.clear();
    if cut {
        quoted.push_str("...");
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_snake_case() {
        let mut words: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert!(words.iter().all(|w| {
            w.bytes()
                .all(|b| b.is_ascii_lowercase() || b == b'_' || b == b'8')
        }));
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn an_excerpt_is_short_and_escaped() {
        assert_eq!(excerpt("a\u{1b}[31mb"), r#""a\u001b[31mb""#);
        let long = excerpt(&"x".repeat(1000));
        assert_eq!(long.len(), EXCERPT_CHARS + 2 + 3);
    }
}
