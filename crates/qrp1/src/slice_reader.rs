//! Reading a whole text: payload by payload, rows straight to Rust types, strings lent.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde_core::de::{Deserialize, IgnoredAny};

use crate::body::{Body, BodyLine};
use crate::column::Column;
use crate::de::{RecordFields, Row, RowPlan};
use crate::error::{Error, ErrorCode};
use crate::escape;
use crate::header::Header;
use crate::hoist::Hoist;
use crate::kind::Kind;
use crate::limits::Limits;
use crate::reader::{self, End};
use crate::record::Field;
use crate::value::Value;

/// Reads the rows of the one table or series that `text` is.
///
/// Rows go to structs and maps by the names of the columns, to tuples by position. Strings
/// are lent where no escape forces a copy: a field may be a `&str` or a `Cow<str>`. A time is
/// an `i64` field with `#[serde(with = "qrp1::time_ms")]`, or its text in a string. A null is
/// `None`; an absent value is a field that does not come.
///
/// Every rule of the format is checked as [`Reader`](crate::Reader) checks it, so the time
/// and memory are those of the text and of the rows.
///
/// # Errors
/// Any reading error of [`ErrorCode`], with line and column; [`ErrorCode::TypeMismatch`] for a
/// row that the type does not take; [`ErrorCode::HeaderKind`] for a payload of another kind.
///
/// ```
/// #[derive(serde::Deserialize, PartialEq, Debug)]
/// struct Event<'a> {
///     level: &'a str,
///     count: u32,
///     note: Option<String>,
/// }
///
/// let text = "QRP1|table|rows=2|columns=level,count:i,note:s!\nerror\t12\t\ninfo\t3\t\"a\\tb\"\n";
/// let events: Vec<Event<'_>> = qrp1::from_str(text)?;
/// assert_eq!(events[0], Event { level: "error", count: 12, note: None });
/// assert_eq!(events[1].note.as_deref(), Some("a\tb"));
/// # Ok::<(), qrp1::Error>(())
/// ```
pub fn from_str<'de, T: Deserialize<'de>>(text: &'de str) -> Result<Vec<T>, Error> {
    let mut reader = SliceReader::new(text);
    reader.next_payload()?;
    reader.check_rows()?;
    let (mut rows, mut plan) = (Vec::new(), RowPlan::default());
    while let Some(line) = reader.row_line()? {
        match reader.read_row(line, &mut plan) {
            Ok(row) => rows.push(row),
            Err(error) => return Err(error),
        }
    }
    if reader.next_payload()?.is_some() {
        return Err(Error::new(
            ErrorCode::RowExtra,
            "one payload (SliceReader reads several)",
            "another one",
        )
        .at(reader.lines, 1));
    }
    Ok(rows)
}

/// A reader of a whole text, which lends what it reads.
///
/// Ask for the next payload, then for its rows, its record or its text. What is not asked
/// for is read all the same, and checked, before the payload after it.
///
/// ```
/// use qrp1::{Kind, SliceReader};
///
/// #[derive(serde::Deserialize)]
/// struct Totals {
///     rows: u64,
/// }
///
/// let text = "QRP1|record|lines=1\nrows:u=2\nQRP1|table|rows=2|columns=a,n:i\nx\t1\ny\t2\n";
/// let mut reader = SliceReader::new(text);
/// assert_eq!(reader.next_payload()?.map(|header| header.kind), Some(Kind::Record));
/// let totals: Totals = reader.record()?;
/// assert_eq!(reader.next_payload()?.map(|header| header.kind), Some(Kind::Table));
/// let rows: Vec<(&str, i64)> = reader.rows().collect::<Result<_, _>>()?;
/// assert_eq!((rows, totals.rows), (vec![("x", 1), ("y", 2)], 2));
/// assert!(reader.next_payload()?.is_none());
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SliceReader<'de> {
    /// What is not read yet.
    rest: &'de str,
    limits: Limits,
    lines: u64,
    /// The payload that is being read.
    body: Option<Box<Body>>,
    /// The texts of the layout's constants, where the header lends them.
    constants: Vec<Option<&'de str>>,
    /// The count of the payload before, if any.
    after: Option<u64>,
    last: Option<Box<Header>>,
    failed: Option<Error>,
}

impl<'de> SliceReader<'de> {
    /// A reader with the default limits.
    #[must_use]
    pub fn new(text: &'de str) -> Self {
        Self::with_limits(text, Limits::default())
    }

    /// A reader with other limits.
    ///
    /// ```
    /// let limits = qrp1::Limits { max_cell_bytes: 2, ..qrp1::Limits::default() };
    /// let text = "QRP1|table|rows=1|columns=a\nabc\n";
    /// let mut reader = qrp1::SliceReader::with_limits(text, limits);
    /// reader.next_payload()?;
    /// let row = reader.rows::<(String,)>().next();
    /// assert_eq!(row.and_then(Result::err).map(|e| e.code()), Some(qrp1::ErrorCode::Limit));
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn with_limits(text: &'de str, limits: Limits) -> Self {
        Self {
            rest: text,
            limits,
            lines: 0,
            body: None,
            constants: Vec::new(),
            after: None,
            last: None,
            failed: None,
        }
    }

    /// A reader of bytes.
    ///
    /// # Errors
    /// [`ErrorCode::Utf8`], with the place, when they are not UTF-8.
    ///
    /// ```
    /// assert!(qrp1::SliceReader::from_utf8(b"QRP1|receipt|status=ok\n").is_ok());
    /// let error = qrp1::SliceReader::from_utf8(b"QRP1|text|lines=1\na\xff\n").unwrap_err();
    /// assert_eq!((error.line(), error.column()), (Some(2), Some(2)));
    /// ```
    pub fn from_utf8(bytes: &'de [u8]) -> Result<Self, Error> {
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(text)),
            Err(error) => {
                let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let line = valid.rsplit('\n').next().unwrap_or_default();
                let lines = memchr::memchr_iter(b'\n', valid.as_bytes()).count();
                Err(Error::new(ErrorCode::Utf8, "UTF-8", "another byte")
                    .at(lines as u64 + 1, line.chars().count() as u64 + 1))
            }
        }
    }

    /// Goes to the next payload and gives its header; `None` behind the last. What is left of
    /// the payload before is read and checked.
    ///
    /// # Errors
    /// Any reading error of [`ErrorCode`]; [`ErrorCode::Truncated`] for an empty text. After
    /// an error every call gives that error again.
    pub fn next_payload(&mut self) -> Result<Option<&Header>, Error> {
        while let Some(piece) = self.piece()? {
            drop(piece);
        }
        if self.rest.is_empty() && self.after.is_some() {
            return Ok(None);
        }
        let opened = self.open();
        let body = self.keep(opened)?;
        let header = self.last.insert(Box::new(body.header.clone()));
        self.body = Some(Box::new(body));
        Ok(Some(header))
    }

    /// The rows of the current payload, or those that are left of them.
    ///
    /// The iterator gives one error at most, and ends with it. It has checked the whole
    /// payload, counts and CRC included, when it ends without one.
    pub fn rows<T: Deserialize<'de>>(&mut self) -> Rows<'_, 'de, T> {
        Rows {
            reader: self,
            plan: RowPlan::default(),
            done: false,
            row: PhantomData,
        }
    }

    /// The current payload, a record, as a struct or a map by the names of its fields. Strings
    /// are copies: a field is a `String`, not a `&str`.
    ///
    /// # Errors
    /// As [`from_str`].
    pub fn record<T: Deserialize<'de>>(&mut self) -> Result<T, Error> {
        self.check_kind(Kind::Record)?;
        let mut fields: Vec<Field> = Vec::new();
        while let Some(piece) = self.piece()? {
            if let Piece::Field(field) = piece {
                fields.push(field);
            }
        }
        let line = self.lines;
        T::deserialize(RecordFields {
            fields: fields.iter(),
            value: None,
        })
        .map_err(|error| error.at(line, 1))
    }

    /// The body of the current payload, a text; lent if it is one line without escapes, and
    /// otherwise its lines put together.
    ///
    /// # Errors
    /// As [`from_str`].
    ///
    /// ```
    /// let mut reader = qrp1::SliceReader::new("QRP1|text|lines=2\n# Notes\n\\@home\n");
    /// reader.next_payload()?;
    /// assert_eq!(reader.text()?, "# Notes\n@home");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn text(&mut self) -> Result<Cow<'de, str>, Error> {
        self.check_kind(Kind::Text)?;
        let mut body = Cow::Borrowed("");
        let mut first = true;
        while let Some(piece) = self.piece()? {
            let Piece::Line(line) = piece else { continue };
            if first {
                body = line;
            } else {
                body.to_mut().push('\n');
                body.to_mut().push_str(&line);
            }
            first = false;
        }
        Ok(body)
    }

    /// Checks that the current payload has rows.
    #[inline]
    fn check_rows(&self) -> Result<(), Error> {
        let header = self.last.as_ref();
        if header.is_some_and(|header| header.layout.is_some()) {
            return Ok(());
        }
        let found = header.map_or("no payload yet: ask for the next one", |header| {
            header.kind.word()
        });
        Err(
            Error::new(ErrorCode::HeaderKind, "a table or a series", found)
                .at(self.lines.max(1), 1),
        )
    }

    fn check_kind(&self, kind: Kind) -> Result<(), Error> {
        let found = self.last.as_ref().map(|header| header.kind);
        if found == Some(kind) {
            return Ok(());
        }
        let found = found.map_or("no payload yet: ask for the next one", Kind::word);
        Err(Error::new(ErrorCode::HeaderKind, kind.word(), found).at(self.lines.max(1), 1))
    }

    /// Remembers an error.
    fn keep<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    /// Reads the header line of a payload.
    fn open(&mut self) -> Result<Body, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.rest.is_empty() {
            return Err(reader::empty_input().at(1, 1));
        }
        let line = self.line()?;
        let at = self.lines;
        let body = reader::open(line, self.after, &self.limits)
            .map_err(|error| error.at(0, 1).on_line(at))?;
        self.constants = lent_constants(line, &body.header);
        Ok(body)
    }

    /// Takes the next line.
    #[inline]
    fn line(&mut self) -> Result<&'de str, Error> {
        let end = memchr::memchr(b'\n', self.rest.as_bytes());
        if end.unwrap_or(self.rest.len()) > self.limits.max_line_bytes {
            return Err(self.limits.line_too_long().at(self.lines + 1, 1));
        }
        match end {
            Some(end) => {
                let line = &self.rest[..end];
                self.rest = &self.rest[end + 1..];
                self.lines += 1;
                Ok(line)
            }
            None if self.rest.is_empty() => {
                let (expected, seen) = match &self.body {
                    Some(body) => (body.expected(), body.seen()),
                    None => ("a header".to_owned(), 0),
                };
                let found = format!("the end of the input after {seen}");
                Err(Error::new(ErrorCode::Truncated, expected, found).at(self.lines + 1, 1))
            }
            None => {
                let column = self.rest.chars().count() as u64 + 1;
                Err(
                    Error::new(ErrorCode::Truncated, "a line feed", "the end of the input")
                        .at(self.lines + 1, column),
                )
            }
        }
    }

    /// Reads the next piece of the payload; `None` behind its end.
    fn piece(&mut self) -> Result<Option<Piece<'de>>, Error> {
        let result = self.read_piece();
        let piece = self.keep(result)?;
        if let Some(Piece::Row(line)) = &piece {
            let skipped = self.read_row::<IgnoredAny>(*line, &mut RowPlan::default());
            self.keep(skipped)?;
        }
        Ok(piece)
    }

    /// Takes the line of the next row; `None` behind the end of the payload, and for what is
    /// no row.
    #[inline]
    fn row_line(&mut self) -> Result<Option<RowLine<'de>>, Error> {
        match self.read_piece() {
            Ok(Some(Piece::Row(line))) => Ok(Some(line)),
            Ok(_) => Ok(None),
            Err(error) => self.keep(Err(error)),
        }
    }

    /// Takes the next line that is more than an anchor.
    #[inline]
    fn read_piece(&mut self) -> Result<Option<Piece<'de>>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        loop {
            match &self.body {
                None => return Ok(None),
                Some(body) if body.is_complete() => {
                    let end = body.complete().map_err(|error| error.at(self.lines, 1))?;
                    self.end(end);
                    return Ok(None);
                }
                Some(_) => {}
            }
            let ahead = self.rest.as_bytes();
            let line = self.line()?;
            let at = self.lines;
            let Some(body) = &mut self.body else {
                return Ok(None);
            };
            match body
                .read(line)
                .map_err(|error| error.at(0, 1).on_line(at))?
            {
                BodyLine::Anchor => {}
                BodyLine::Row => return Ok(Some(Piece::Row(RowLine { text: line, ahead }))),
                BodyLine::Field(field) => return Ok(Some(Piece::Field(field))),
                BodyLine::Text(text) => return Ok(Some(Piece::Line(text))),
                BodyLine::End(end) => {
                    self.end(end);
                    return Ok(None);
                }
            }
        }
    }

    /// Reads the row that `line` is.
    #[inline]
    fn read_row<T: Deserialize<'de>>(
        &mut self,
        line: RowLine<'de>,
        plan: &mut RowPlan,
    ) -> Result<T, Error> {
        let at = self.lines;
        let place = |error: Error| error.at(0, 1).on_line(at);
        let cells = self
            .body
            .as_ref()
            .and_then(|body| body.cells(line.text, line.ahead, &self.constants));
        let Some(mut cells) = cells else {
            return Err(reader::empty_input().at(at, 1));
        };
        let new = plan.is_new();
        let cells = &mut cells;
        let mut read = T::deserialize(Row { cells, plan });
        if let Err(error) = &read
            && new
            && error.code() == ErrorCode::TypeMismatch
            && plan.give_up_positions()
            && let Some(again) = self
                .body
                .as_ref()
                .and_then(|body| body.cells(line.text, line.ahead, &self.constants))
        {
            // A type may know maps only, which its first row tells.
            *cells = again;
            read = T::deserialize(Row { cells, plan });
        }
        if let Err(error) = read {
            // What is wrong with the row itself comes first.
            return Err(place(cells.failed().unwrap_or(error)));
        }
        // A type may take fewer values than there are; all are checked.
        while cells.next_column().is_some() {
            cells.next_cell().map_err(place)?;
        }
        let end = cells.finish().map_err(place)?;
        if let Some(body) = &mut self.body {
            body.end_row(end);
        }
        read
    }

    fn end(&mut self, end: End) {
        self.body = None;
        self.after = Some(end.count);
    }
}

/// The texts of the string constants in a header that was read, column by column; those that
/// escapes force a copy of are not lent.
fn lent_constants<'de>(line: &'de str, header: &Header) -> Vec<Option<&'de str>> {
    let Some(layout) = &header.layout else {
        return Vec::new();
    };
    let constant = |column: &Column| match column.hoist() {
        Some(Hoist::Constant(value)) => matches!(value, Value::Str(_)),
        _ => false,
    };
    // The columns are the last key, and no value has a bar.
    let columns = line.rsplit_once("|columns=").map(|(_, columns)| columns);
    let (Some(mut rest), true) = (columns, layout.columns().iter().any(constant)) else {
        return Vec::new();
    };
    let mut texts = Vec::with_capacity(layout.columns().len());
    for column in layout.columns() {
        let Ok((_, used)) = Column::parse_hoisted(rest, layout.profile()) else {
            return Vec::new();
        };
        let text = Column::parse(rest, layout.profile())
            .ok()
            .and_then(|(_, declared)| {
                let value = rest.get(declared + 1..used).filter(|_| constant(column))?;
                match value.starts_with('"') {
                    true => match escape::read_quoted(value).ok()?.0 {
                        Cow::Borrowed(text) => Some(text),
                        Cow::Owned(_) => None,
                    },
                    false => Some(value),
                }
            });
        texts.push(text);
        rest = rest.get(used + 1..).unwrap_or_default();
    }
    texts
}

/// A line that is a row, and the text from its start on.
#[derive(Clone, Copy)]
struct RowLine<'de> {
    text: &'de str,
    ahead: &'de [u8],
}

/// A piece of a payload.
enum Piece<'de> {
    Row(RowLine<'de>),
    Field(Field),
    Line(Cow<'de, str>),
}

/// The rows of a payload, each as a `T`. See [`SliceReader::rows`].
#[derive(Debug)]
pub struct Rows<'r, 'de, T> {
    reader: &'r mut SliceReader<'de>,
    plan: RowPlan,
    done: bool,
    row: PhantomData<fn() -> T>,
}

impl<'de, T: Deserialize<'de>> Iterator for Rows<'_, 'de, T> {
    type Item = Result<T, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        if let Err(error) = self.reader.check_rows() {
            self.done = true;
            return Some(Err(error));
        }
        let row = match self.reader.row_line() {
            Ok(Some(line)) => self.reader.read_row(line, &mut self.plan),
            Ok(None) => {
                self.done = true;
                return None;
            }
            Err(error) => Err(error),
        };
        match row {
            Ok(row) => Some(Ok(row)),
            Err(error) => {
                self.done = true;
                Some(self.reader.keep(Err(error)))
            }
        }
    }
}
