//! Reading: bytes in any pieces, events out.

use crate::body::{Body, BodyLine};
use crate::error::{Error, ErrorCode, excerpt};
use crate::header::{self, END, Header};
use crate::limits::Limits;
use crate::record::Field;
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
            State::Between { after: None } => Err(empty_input().at(line, 1)),
            State::Body(body) if body.is_complete() => body
                .complete()
                .map(|_| ())
                .map_err(|error| error.at(self.lines, 1)),
            State::Body(body) => {
                let found = format!("the end of the input after {}", body.seen());
                Err(Error::new(ErrorCode::Truncated, body.expected(), found).at(line, 1))
            }
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
            return Err(self.limits.line_too_long().at(self.lines + 1, 1));
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
                let body = open(line, *after, &self.limits)?;
                let header = body.header.clone();
                self.state = State::Body(Box::new(body));
                Ok(Some(Event::Header(Box::new(header))))
            }
            State::Body(body) => Ok(Some(match body.read(line)? {
                BodyLine::Anchor => return Ok(None),
                BodyLine::Row => {
                    let Some(mut cells) = body.cells(line, bytes, &[]) else {
                        return Ok(None);
                    };
                    let mut row = Vec::with_capacity(cells.columns());
                    while let Some(given) = cells.next_cell()? {
                        row.push(given.into_value());
                    }
                    let end = cells.finish()?;
                    body.end_row(end);
                    Event::Row(row)
                }
                BodyLine::Field(field) => Event::Field(field),
                BodyLine::Text(text) => Event::Line(text.into_owned()),
                BodyLine::End(end) => {
                    self.state = State::Between {
                        after: Some(end.count),
                    };
                    Event::End(end)
                }
            })),
        }
    }
}

/// Reads the header line of a payload, whose body is then to come. `after` is the count of
/// the payload before, if any.
///
/// # Errors
/// Any fault of a header; [`ErrorCode::RowExtra`] or [`ErrorCode::EndLine`] for a line that
/// would belong to the payload before.
pub(crate) fn open(line: &str, after: Option<u64>, limits: &Limits) -> Result<Body, Error> {
    if let (Some(count), true) = (after, line.starts_with(END)) {
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
    if line.len() > limits.max_header_bytes {
        return Err(Error::new(
            ErrorCode::Limit,
            format!(
                "a header of at most {} bytes (max_header_bytes)",
                limits.max_header_bytes
            ),
            "a longer one",
        ));
    }
    let header = Header::parse(line)?;
    let columns = header.layout.as_ref().map_or(0, |l| l.columns().len());
    if columns > limits.max_columns {
        return Err(limits.too_many("columns"));
    }
    Ok(Body::new(header, line, *limits))
}

/// The error for an input without any payload.
pub(crate) fn empty_input() -> Error {
    Error::new(
        ErrorCode::Truncated,
        "a header that begins with QRP1|",
        "an empty input",
    )
}
