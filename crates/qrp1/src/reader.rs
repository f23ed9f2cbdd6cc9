//! Reading: bytes in any pieces, events out.

use std::collections::HashSet;

use crate::error::{Error, ErrorCode, excerpt};
use crate::header::{self, CRC, END, Header, LINES, MAGIC};
use crate::kind::Kind;
use crate::layout::Layout;
use crate::limits::Limits;
use crate::record::Field;
use crate::row::{parse_row, same};
use crate::text;
use crate::time::Anchor;
use crate::value::Value;

/// One thing that a reader found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A payload begins.
    Header(Box<Header>),
    /// A row of a table or series, one value a column.
    Row(Vec<Value>),
    /// A field of a record.
    Field(Field),
    /// A line of a text, without its line feed.
    Line(String),
    /// The payload is complete. Until this event it may still turn out to be cut short or,
    /// where it has a CRC, to be changed.
    End(End),
}

/// What is known at the end of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// How many rows, fields or lines it has.
    pub count: u64,
    /// Its CRC-32, where it has one; it was checked.
    pub crc: Option<u32>,
}

/// What the caller has to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Take this event, and call again with the input that is left.
    Event(Event),
    /// All input is taken: call again with more, or [`Reader::finish`] if there is none.
    NeedInput,
}

/// A resumable pull reader. It takes its input in any pieces, cut anywhere, and gives
/// the same events for every way to cut it. It holds at most one line.
///
/// Reading is strict: of all texts that could mean the same, only the canonical one is
/// accepted. After an error every call gives that error again.
///
/// ```
/// use qrp1::{Event, Reader, Step};
///
/// let mut reader = Reader::new();
/// let mut rows = 0;
/// for piece in ["QRP1|table|rows=2|col", "umns=n:i\n1\n", "2", "\n"] {
///     let mut input = piece.as_bytes();
///     loop {
///         let (step, used) = reader.read(input)?;
///         input = &input[used..];
///         match step {
///             Step::Event(Event::Row(_)) => rows += 1,
///             Step::Event(_) => {}
///             Step::NeedInput => break,
///         }
///     }
/// }
/// reader.finish()?;
/// assert_eq!(rows, 2);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    limits: Limits,
    /// Lines taken so far.
    lines: u64,
    /// The beginning of a line whose line feed has not come yet.
    partial: Vec<u8>,
    state: State,
    scratch: String,
    failed: Option<Error>,
}

#[derive(Clone, Debug)]
enum State {
    /// A header comes next. `after` is the count of the payload before, if any.
    Between {
        after: Option<u64>,
    },
    Body(Box<Body>),
}

#[derive(Clone, Debug)]
struct Body {
    header: Header,
    seen: u64,
    /// The time of the last row of a series.
    last_ms: Option<i64>,
    /// The names of a record's fields so far.
    names: HashSet<String>,
    /// Whether a text's only line so far is empty.
    only_blank: bool,
    /// Lines so far, anchors among them.
    lines: u64,
    /// The start of the anchor above, and whether no row has come under it yet.
    anchor_ms: Option<i64>,
    bare_anchor: bool,
    /// The CRC of the payload so far, where it has one or may still have one.
    crc: Option<crc32fast::Hasher>,
}

impl Default for Reader {
    fn default() -> Self {
        Self::new()
    }
}

impl Reader {
    /// A reader with the default limits.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    /// A reader with other limits.
    ///
    /// ```
    /// let limits = qrp1::Limits { max_line_bytes: 10, ..qrp1::Limits::default() };
    /// let mut reader = qrp1::Reader::with_limits(limits);
    /// assert_eq!(reader.read(b"QRP1|receipt").unwrap_err().code(), qrp1::ErrorCode::Limit);
    /// ```
    #[must_use]
    pub fn with_limits(limits: Limits) -> Self {
        Self {
            limits,
            lines: 0,
            partial: Vec::new(),
            state: State::Between { after: None },
            scratch: String::new(),
            failed: None,
        }
    }

    /// Takes input up to the next event. Gives what to do next and how many bytes of
    /// `input` were taken; the rest has to be given again.
    ///
    /// # Errors
    /// Any reading error of [`ErrorCode`], with line and column.
    pub fn read(&mut self, input: &[u8]) -> Result<(Step, usize), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let result = self.step(input);
        if let Err(error) = &result {
            self.failed = Some(error.clone());
        }
        result
    }

    /// Says that there is no more input.
    ///
    /// # Errors
    /// [`ErrorCode::Truncated`] when the input ended inside a payload, inside a line, or
    /// before any payload; or the error that reading ended with.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let line = self.lines + 1;
        let truncated = |expected: String, found: &str, line: u64| {
            Err(Error::new(ErrorCode::Truncated, expected, found).at(line, 1))
        };
        if !self.partial.is_empty() {
            let text = String::from_utf8_lossy(&self.partial);
            let column = text.chars().count() as u64 + 1;
            return Err(
                Error::new(ErrorCode::Truncated, "a line feed", "the end of the input")
                    .at(line, column),
            );
        }
        match &self.state {
            State::Between { after: Some(_) } => Ok(()),
            State::Between { after: None } => truncated(
                "a header that begins with QRP1|".to_owned(),
                "an empty input",
                line,
            ),
            State::Body(body) if body.is_complete() => body
                .complete()
                .map(|_| ())
                .map_err(|error| error.at(self.lines, 1)),
            State::Body(body) => truncated(
                match body.header.count {
                    Some(count) => format!("{count} {}", body.noun()),
                    None => format!("the end line {END}{}=N", body.noun()),
                },
                &format!("the end of the input after {}", body.seen),
                line,
            ),
        }
    }

    fn step(&mut self, input: &[u8]) -> Result<(Step, usize), Error> {
        let mut used = 0;
        loop {
            let (step, taken) = self.take(&input[used..])?;
            used += taken;
            if let Some(step) = step {
                return Ok((step, used));
            }
        }
    }

    /// Takes at most one line; gives no step for an anchor.
    fn take(&mut self, input: &[u8]) -> Result<(Option<Step>, usize), Error> {
        if let State::Body(body) = &self.state
            && body.is_complete()
        {
            let end = body.complete().map_err(|error| error.at(self.lines, 1))?;
            self.state = State::Between {
                after: Some(end.count),
            };
            return Ok((Some(Step::Event(Event::End(end))), 0));
        }
        let end = memchr::memchr(b'\n', input);
        let taken = end.unwrap_or(input.len());
        if self.partial.len() + taken > self.limits.max_line_bytes {
            return Err(Error::new(
                ErrorCode::Limit,
                format!(
                    "a line of at most {} bytes (max_line_bytes)",
                    self.limits.max_line_bytes
                ),
                "a longer one",
            )
            .at(self.lines + 1, 1));
        }
        let Some(end) = end else {
            self.partial.extend_from_slice(input);
            return Ok((Some(Step::NeedInput), input.len()));
        };
        let mut whole = core::mem::take(&mut self.partial);
        let bytes = if whole.is_empty() {
            &input[..end]
        } else {
            whole.extend_from_slice(&input[..end]);
            &whole[..]
        };
        self.lines += 1;
        let event = self
            .line(bytes)
            .map_err(|error| error.at(0, 1).on_line(self.lines))?;
        // The buffer is kept for the next line that comes in pieces.
        whole.clear();
        self.partial = whole;
        Ok((event.map(Step::Event), end + 1))
    }

    /// Reads one line; an anchor is no event.
    fn line(&mut self, bytes: &[u8]) -> Result<Option<Event>, Error> {
        let line = core::str::from_utf8(bytes).map_err(|error| {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            Error::new(ErrorCode::Utf8, "UTF-8", "another byte")
                .at(0, valid.chars().count() as u64 + 1)
        })?;
        match &mut self.state {
            State::Between { after } => {
                if let (Some(count), true) = (&after, line.starts_with(END)) {
                    return Err(Error::new(
                        ErrorCode::EndLine,
                        format!("no end line after all {count} rows or lines"),
                        excerpt(line),
                    ));
                }
                if let Some(count) = after
                    && !header::is_header(line)
                {
                    return Err(Error::new(
                        ErrorCode::RowExtra,
                        format!("the next payload's header after {count} rows or lines"),
                        excerpt(line),
                    ));
                }
                let header = Header::parse(line)?;
                // Where the count comes in an end line, a CRC may come there too.
                let crc = (header.crc.is_some() || header.count.is_none())
                    .then(|| header.start_crc(line));
                let columns = header
                    .layout
                    .as_ref()
                    .map_or(0, |layout| layout.columns().len());
                if columns > self.limits.max_columns {
                    return Err(self.too_many("columns"));
                }
                self.state = State::Body(Box::new(Body {
                    header: header.clone(),
                    seen: 0,
                    last_ms: None,
                    names: HashSet::new(),
                    only_blank: false,
                    lines: 0,
                    anchor_ms: None,
                    bare_anchor: false,
                    crc,
                }));
                Ok(Some(Event::Header(Box::new(header))))
            }
            State::Body(body) => {
                if line.starts_with(MAGIC) {
                    return Err(body.missing("the next header"));
                }
                if let Some(rest) = line.strip_prefix(END) {
                    let end = body.end(rest)?;
                    self.state = State::Between {
                        after: Some(end.count),
                    };
                    return Ok(Some(Event::End(end)));
                }
                let anchor = body.header.layout.as_ref().and_then(Layout::anchor);
                if let (Some(anchor), Some(text)) = (anchor, line.strip_prefix('@')) {
                    body.anchor(anchor, text)?;
                    return Ok(None);
                }
                if line.starts_with('@') {
                    return Err(Error::new(
                        ErrorCode::Reserved,
                        "a row or the end line",
                        "a line that begins with @, which is reserved for control lines",
                    ));
                }
                if body.header.kind == Kind::Record && body.names.len() == self.limits.max_columns {
                    return Err(self.too_many("fields"));
                }
                body.line(line, &mut self.scratch).map(Some)
            }
        }
    }

    fn too_many(&self, what: &str) -> Error {
        Error::new(
            ErrorCode::Limit,
            format!("at most {} {what} (max_columns)", self.limits.max_columns),
            "more",
        )
    }
}

impl Body {
    fn is_complete(&self) -> bool {
        self.header.kind == Kind::Receipt || self.header.count == Some(self.seen)
    }

    fn noun(&self) -> &'static str {
        if self.header.layout.is_some() {
            "rows"
        } else {
            "lines"
        }
    }

    fn missing(&self, found: &str) -> Error {
        let expected = match self.header.count {
            Some(count) => format!("{count} {}", self.noun()),
            None => format!("the end line {END}{}=N", self.noun()),
        };
        Error::new(
            ErrorCode::RowsMissing,
            expected,
            format!("{found} after {}", self.seen),
        )
    }

    /// Reads what follows the `@` of an anchor.
    fn anchor(&mut self, anchor: Anchor, text: &str) -> Result<(), Error> {
        let fault =
            |expected: &str, found: String| Err(Error::new(ErrorCode::Anchor, expected, found));
        let Some(start_ms) = anchor.parse(text) else {
            let expected = match anchor {
                Anchor::Day => "an anchor such as @2026-09-08",
                Anchor::Month => "an anchor such as @2026-09",
            };
            return fault(expected, excerpt(text));
        };
        if self.bare_anchor {
            return fault("a row under the anchor above", "another anchor".to_owned());
        }
        if self.anchor_ms == Some(start_ms) {
            return fault(
                "an anchor only where it changes",
                "the one above again".to_owned(),
            );
        }
        (self.anchor_ms, self.bare_anchor) = (Some(start_ms), true);
        self.lines += 1;
        if let Some(crc) = &mut self.crc {
            crc.update(b"@");
            crc.update(text.as_bytes());
            crc.update(b"\n");
        }
        Ok(())
    }

    /// Checks the count of lines where anchors are among them.
    fn check_lines(&self, lines: Option<u64>) -> Result<(), Error> {
        let code = match lines {
            Some(lines) if lines > self.lines => ErrorCode::RowsMissing,
            Some(lines) if lines < self.lines => ErrorCode::RowExtra,
            _ => return Ok(()),
        };
        let expected = format!("{} lines", lines.unwrap_or(0));
        Err(Error::new(code, expected, self.lines.to_string()))
    }

    /// The end of a payload whose count stood in its header.
    fn complete(&self) -> Result<End, Error> {
        self.check_lines(self.header.lines)?;
        if let (Some(expected), Some(crc)) = (self.header.crc, &self.crc) {
            check_crc(expected, crc.clone())?;
        }
        Ok(End {
            count: self.seen,
            crc: self.header.crc,
        })
    }

    /// Reads what follows `@end|`.
    fn end(&mut self, rest: &str) -> Result<End, Error> {
        if let Some(count) = self.header.count {
            return Err(Error::new(
                ErrorCode::EndLine,
                format!("{count} {} and no end line", self.noun()),
                format!("an end line after {}", self.seen),
            ));
        }
        let noun = self.noun();
        let fault = |_| Error::new(ErrorCode::EndLine, format!("{END}{noun}=N"), excerpt(rest));
        let (covered, crc) = match rest.split_once(CRC) {
            Some((covered, crc)) => (covered, Some(crc)),
            None => (rest, None),
        };
        let anchored = self
            .header
            .layout
            .as_ref()
            .and_then(Layout::anchor)
            .is_some();
        let (rows, lines) = match covered.split_once(LINES) {
            Some((rows, lines)) if anchored => {
                (rows, Some(header::number(lines).map_err(|_| fault(()))?))
            }
            None if !anchored => (covered, None),
            _ => return Err(fault(())),
        };
        let value = rows
            .strip_prefix(noun)
            .and_then(|rest| rest.strip_prefix('='));
        let value = value.ok_or(()).map_err(fault)?;
        let count = header::number(value).map_err(|_| fault(()))?;
        let crc = crc.map(header::crc).transpose().map_err(|_| fault(()))?;
        if count != self.seen {
            let code = if count > self.seen {
                ErrorCode::RowsMissing
            } else {
                ErrorCode::RowExtra
            };
            return Err(Error::new(
                code,
                format!("{count} {noun}"),
                self.seen.to_string(),
            ));
        }
        if self.bare_anchor {
            let expected = "a row under the anchor above";
            return Err(Error::new(ErrorCode::Anchor, expected, "the end line"));
        }
        self.check_lines(lines)?;
        let mut canonical = format!("{noun}={count}");
        for (key, number) in [(LINES, lines), (CRC, crc.map(u64::from))] {
            if let Some(number) = number {
                canonical.push_str(key);
                canonical.push_str(itoa::Buffer::new().format(number));
            }
        }
        same(rest, &canonical).map_err(|error| error.shifted(END.len() as u64))?;
        if let (Some(expected), Some(mut crc)) = (crc, self.crc.take()) {
            crc.update(END.as_bytes());
            crc.update(covered.as_bytes());
            check_crc(expected, crc)?;
        }
        self.header.check_count(count)?;
        self.check_blank()?;
        Ok(End { count, crc })
    }

    /// Refuses a text of one empty line, whose one form has no lines.
    fn check_blank(&self) -> Result<(), Error> {
        if self.only_blank && self.seen == 1 {
            return Err(Error::new(
                ErrorCode::NotCanonical,
                "lines=0 for an empty text",
                "one empty line",
            ));
        }
        Ok(())
    }

    fn line(&mut self, line: &str, scratch: &mut String) -> Result<Event, Error> {
        if let Some(crc) = &mut self.crc {
            crc.update(line.as_bytes());
            crc.update(b"\n");
        }
        if line.starts_with(' ') && self.header.kind != Kind::Text {
            return Err(Error::new(
                ErrorCode::Reserved,
                "a row or a field",
                "a line that begins with a space, which is reserved for children",
            ));
        }
        let event = match (&self.header.layout, self.header.kind) {
            (Some(layout), _) => {
                let mut base_ms = layout.t0_ms();
                if layout.anchor().is_some() {
                    base_ms = self.anchor_ms;
                    if base_ms.is_none() {
                        let expected = "an anchor before the first row";
                        return Err(Error::new(ErrorCode::Anchor, expected, "a row"));
                    }
                }
                let row = parse_row(line, layout, base_ms, scratch)?;
                check_order(layout, &row, &mut self.last_ms)?;
                Event::Row(row)
            }
            (None, Kind::Record) => {
                let field = Field::parse(line, scratch)?;
                if !self.names.insert(field.name().to_owned()) {
                    return Err(Error::new(
                        ErrorCode::Column,
                        "fields of different names",
                        format!("{} twice", excerpt(field.name())),
                    ));
                }
                Event::Field(field)
            }
            (None, _) => Event::Line(text::parse_line(line, self.header.escaped, scratch)?),
        };
        self.bare_anchor = false;
        self.lines += 1;
        self.only_blank = self.seen == 0 && line.is_empty();
        self.seen += 1;
        if self.header.kind == Kind::Text && self.is_complete() {
            self.check_blank()?;
        }
        Ok(event)
    }
}

fn check_crc(expected: u32, crc: crc32fast::Hasher) -> Result<(), Error> {
    let found = crc.finalize();
    if found == expected {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::Crc,
        format!("a text of CRC {expected}"),
        format!("one of CRC {found}: it was changed on the way"),
    ))
}

/// Refuses a series row that is earlier than the one before.
pub(crate) fn check_order(
    layout: &Layout,
    row: &[Value],
    last_ms: &mut Option<i64>,
) -> Result<(), Error> {
    let (true, Some(Value::Time(time_ms))) = (layout.is_series(), row.first()) else {
        return Ok(());
    };
    check_time(*time_ms, last_ms)
}

/// As [`check_order`], for the time alone.
pub(crate) fn check_time(time_ms: i64, last_ms: &mut Option<i64>) -> Result<(), Error> {
    if last_ms.is_some_and(|last_ms| time_ms < last_ms) {
        return Err(Error::new(
            ErrorCode::TimeOrder,
            "a time not before that of the row above",
            "an earlier one",
        ));
    }
    *last_ms = Some(time_ms);
    Ok(())
}
