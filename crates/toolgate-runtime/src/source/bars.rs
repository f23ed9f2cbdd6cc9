//! OHLCV bars as CSV: bytes in any pieces, rows out. No I/O.

use crate::batch::{Batch, Column, Values};
use crate::echo;
use crate::error::{Error, InputFault};
use crate::instant;

/// The most bytes one row of a file may have.
///
/// ```
/// use toolgate_runtime::{BarsParser, MAX_RECORD_BYTES};
///
/// let mut parser = BarsParser::new();
/// parser.push(b"time,open,high,low,close,volume\n")?;
/// let error = parser.push(&[b'1'; MAX_RECORD_BYTES + 1]).unwrap_err();
/// assert_eq!(error.code(), "input_limit");
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
pub const MAX_RECORD_BYTES: usize = 1 << 16;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number columns that a header must have.
const NUMBERS: [&str; 5] = ["open", "high", "low", "close", "volume"];
const TIME: &str = "time";
const CLOSED: &str = "closed";

/// Reads CSV with the header `time,open,high,low,close,volume` and, if there, `closed`, in
/// any order of columns.
///
/// Times are RFC 3339 in the shape `YYYY-MM-DDTHH:MM:SS[.f](Z|+HH:MM|-HH:MM)`, to the
/// millisecond, and each after the one before. A cell may stand in double quotes, whole;
/// a quote anywhere else is a fault. Lines end with LF, CR LF or CR. Numbers are finite decimals, integers
/// or of any scale, read as the nearest f64. `closed` is `true`, `false`, `1` or `0`. A
/// fault says the line (the header is line 1), the column, what was expected and found.
///
/// Memory is O(rows not yet taken + one record).
///
/// ```
/// use toolgate_runtime::BarsParser;
///
/// let mut parser = BarsParser::new();
/// parser.push(b"time,open,high,low,close,volume\n2000-03-01T00:00:00Z,118.56,132.06,")?;
/// parser.push(b"118.5,130.31,9616100\n2000-03-02T00:00:00Z,127,127.94,120.69,oops,1\n")
///     .map_or_else(
///         |error| assert_eq!(
///             error.to_string(),
///             "line 3, column close: expected a finite decimal number, found \"oops\"; correct the file",
///         ),
///         |()| unreachable!(),
///     );
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
pub struct BarsParser {
    csv: csv_core::Reader,
    place: Place,
    /// The first bytes of the file, as long as they may be a byte order mark.
    start: Option<Vec<u8>>,
    /// Whether the CSV machine was fed.
    begun: bool,
    /// The line being read, from 1.
    line: u64,
    /// Whether the byte before was a CR, whose LF ends no further line.
    after_cr: bool,
    /// The line on which the record being read began.
    record_line: Option<u64>,
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
    header: Option<Header>,
    last: Option<(i64, String)>,
    rows: Rows,
}

/// Where in a cell the next byte stands, as far as quotes are concerned. The CSV machine
/// takes a quote anywhere; a file that has one where none belongs is broken.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// At the begin of a cell.
    Start,
    /// In a cell without quotes.
    Plain,
    /// In a cell in quotes.
    Quoted,
    /// After a quote in such a cell: its end, or the first of two that stand for one.
    Ended,
}

impl Place {
    /// The place after a byte; `None` when a quote does not belong.
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::Start | Self::Ended, b'"') => Some(Self::Quoted),
            (Self::Quoted, b'"') => Some(Self::Ended),
            (Self::Quoted, _) => Some(Self::Quoted),
            (_, b',' | b'\r' | b'\n') => Some(Self::Start),
            (Self::Plain, b'"') | (Self::Ended, _) => None,
            (Self::Start | Self::Plain, _) => Some(Self::Plain),
        }
    }
}

/// Where each column stands in a record.
#[derive(Debug)]
struct Header {
    names: Vec<String>,
    time: usize,
    numbers: [usize; 5],
    closed: Option<usize>,
}

#[derive(Default)]
struct Rows {
    time_ms: Vec<i64>,
    numbers: [Vec<Option<f64>>; 5],
    closed: Vec<Option<bool>>,
}

impl core::fmt::Debug for BarsParser {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BarsParser")
            .field("line", &self.line)
            .field("rows", &self.rows.time_ms.len())
            .finish_non_exhaustive()
    }
}

impl Default for BarsParser {
    fn default() -> Self {
        Self::new()
    }
}

impl BarsParser {
    /// A parser at the beginning of a file.
    #[must_use]
    pub fn new() -> Self {
        Self {
            csv: csv_core::Reader::new(),
            place: Place::Start,
            start: Some(Vec::new()),
            begun: false,
            line: 1,
            after_cr: false,
            record_line: None,
            text: vec![0; MAX_RECORD_BYTES],
            text_len: 0,
            // A record has at most as many ends as it has columns, and one more is enough
            // to see that it has too many.
            ends: vec![0; NUMBERS.len() + 3],
            ends_len: 0,
            header: None,
            last: None,
            rows: Rows::default(),
        }
    }

    /// How many rows were read and not taken yet.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.time_ms.len()
    }

    /// Reads a piece of the file, cut anywhere.
    ///
    /// # Errors
    /// [`Error::Input`]; the rows before the fault can still be taken.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        if let Some(start) = &mut self.start {
            let (head, rest) = bytes.split_at(bytes.len().min(BYTE_ORDER_MARK.len() - start.len()));
            start.extend_from_slice(head);
            bytes = rest;
            if start.len() < BYTE_ORDER_MARK.len() {
                return Ok(());
            }
            self.begin()?;
        }
        self.feed(bytes)
    }

    /// Reads the first bytes of the file, without the byte order mark if they are one.
    fn begin(&mut self) -> Result<(), Error> {
        match self.start.take() {
            Some(start) if start != BYTE_ORDER_MARK => self.feed(&start),
            _ => Ok(()),
        }
    }

    fn feed(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        // The CSV machine is fed line by line, so that each record's line is known.
        while !bytes.is_empty() {
            let mut end = bytes
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'))
                .map_or(bytes.len(), |at| at + 1);
            if !core::mem::replace(&mut self.begun, true) {
                // It drops a byte order mark of its own only if it sees it whole at once.
                // That would depend on how the input is cut, so it never does.
                end = 1;
            }
            let (piece, rest) = bytes.split_at(end);
            self.piece(piece)?;
            bytes = rest;
        }
        Ok(())
    }

    /// Says that the file has ended.
    ///
    /// # Errors
    /// [`Error::Input`] for a fault in a last line without line feed, or a file without header.
    ///
    /// ```
    /// use toolgate_runtime::BarsParser;
    ///
    /// let mut parser = BarsParser::new();
    /// parser.push(b"time,open,high,low,close,volume\n2000-03-01T00:00:00Z,1,3,1,2,10")?;
    /// assert_eq!(parser.rows(), 0); // the line may go on
    /// parser.finish()?;
    /// assert_eq!(parser.rows(), 1);
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    pub fn finish(&mut self) -> Result<(), Error> {
        self.begin()?;
        if self.place == Place::Quoted {
            return Err(self.quote_fault("the end of the file after an open quote"));
        }
        // An empty input tells the CSV machine that no more comes.
        loop {
            let (result, _, text, ends) = self.csv.read_record(
                &[],
                &mut self.text[self.text_len..],
                &mut self.ends[self.ends_len..],
            );
            self.text_len += text;
            self.ends_len += ends;
            if !self.record(result)? {
                break;
            }
        }
        if self.header.is_none() {
            return Err(self.fault(
                InputFault::Header,
                None,
                &expected_header(),
                "an empty file",
            ));
        }
        Ok(())
    }

    /// Takes up to `max_rows` rows; `None` when there is none.
    #[must_use]
    pub fn take(&mut self, max_rows: usize) -> Option<Batch> {
        let count = max_rows.min(self.rows());
        if count == 0 {
            return None;
        }
        fn front<T>(values: &mut Vec<T>, count: usize) -> Vec<T> {
            let rest = values.split_off(count);
            core::mem::replace(values, rest)
        }
        let time_ms = front(&mut self.rows.time_ms, count);
        let mut columns: Vec<Column> = NUMBERS
            .iter()
            .zip(&mut self.rows.numbers)
            .map(|(name, values)| Column {
                name: (*name).to_owned(),
                values: Values::Numbers(front(values, count)),
            })
            .collect();
        if self
            .header
            .as_ref()
            .is_some_and(|header| header.closed.is_some())
        {
            columns.push(Column {
                name: CLOSED.to_owned(),
                values: Values::Flags(front(&mut self.rows.closed, count)),
            });
        }
        // Times increase and lengths agree, as each row was checked.
        Batch::new(time_ms, columns).ok()
    }

    /// Reads a piece with at most one line end, at its end.
    fn piece(&mut self, piece: &[u8]) -> Result<(), Error> {
        let mut right = piece;
        for (at, byte) in piece.iter().enumerate() {
            match self.place.after(*byte) {
                Some(place) => self.place = place,
                None => {
                    right = &piece[..at];
                    break;
                }
            }
        }
        // What stands before comes first, with its own faults.
        self.records(right)?;
        if right.len() < piece.len() {
            if self.record_line.is_none() {
                self.record_line = Some(self.line);
            }
            return Err(self.quote_fault(match self.place {
                Place::Ended => "more after the closing quote",
                _ => "a quote inside the cell",
            }));
        }
        match piece.last() {
            Some(b'\n') if core::mem::replace(&mut self.after_cr, false) && piece.len() == 1 => {}
            Some(b'\n') => self.line += 1,
            Some(b'\r') => {
                self.line += 1;
                self.after_cr = true;
            }
            _ => self.after_cr = false,
        }
        Ok(())
    }

    fn quote_fault(&self, found: &str) -> Error {
        let names = self.header.as_ref().map(|header| &header.names);
        let column = names.and_then(|names| names.get(self.ends_len));
        let expected = "quotes around a whole cell or none";
        self.fault(
            InputFault::Quote,
            column.map(String::as_str),
            expected,
            found,
        )
    }

    /// Gives bytes to the CSV machine and takes the records that they complete.
    fn records(&mut self, mut input: &[u8]) -> Result<(), Error> {
        while !input.is_empty() {
            // A record begins where its first byte is; blank lines belong to none.
            if self.record_line.is_none() && input.iter().any(|b| !matches!(b, b'\r' | b'\n')) {
                self.record_line = Some(self.line);
            }
            let (result, used, text, ends) = self.csv.read_record(
                input,
                &mut self.text[self.text_len..],
                &mut self.ends[self.ends_len..],
            );
            input = &input[used..];
            self.text_len += text;
            self.ends_len += ends;
            self.record(result)?;
        }
        Ok(())
    }

    /// Takes a record if one is complete; gives whether more may follow without input.
    fn record(&mut self, result: csv_core::ReadRecordResult) -> Result<bool, Error> {
        use csv_core::ReadRecordResult::{End, InputEmpty, OutputEndsFull, OutputFull, Record};
        match result {
            InputEmpty | End => Ok(false),
            OutputFull => {
                let expected = format!("a row of at most {MAX_RECORD_BYTES} bytes");
                Err(self.fault(
                    InputFault::Limit,
                    None,
                    &expected,
                    "a longer one (an open quote?)",
                ))
            }
            OutputEndsFull => {
                let width = self
                    .header
                    .as_ref()
                    .map_or(NUMBERS.len() + 2, |header| header.names.len());
                let fault = if self.header.is_some() {
                    InputFault::Width
                } else {
                    InputFault::Header
                };
                let expected = match fault {
                    InputFault::Header => expected_header(),
                    _ => format!("{width} cells"),
                };
                Err(self.fault(fault, None, &expected, "more"))
            }
            Record => {
                let result = self.take_record();
                (self.text_len, self.ends_len) = (0, 0);
                self.record_line = None;
                result.map(|()| true)
            }
        }
    }

    fn take_record(&mut self) -> Result<(), Error> {
        let mut start = 0;
        let mut cells = Vec::with_capacity(self.ends_len);
        for &end in &self.ends[..self.ends_len] {
            let cell = core::str::from_utf8(&self.text[start..end])
                .map_err(|_| self.fault(InputFault::Utf8, None, "UTF-8 text", "another byte"))?;
            cells.push(cell);
            start = end;
        }
        let Some(header) = &self.header else {
            self.header = Some(self.read_header(&cells)?);
            return Ok(());
        };
        let width = header.names.len();
        if cells.len() != width {
            let expected = format!("{width} cells");
            let found = cells.len().to_string();
            return Err(self.fault(InputFault::Width, None, &expected, &found));
        }
        let time = cells[header.time];
        let time_ms = parse_time(time).ok_or_else(|| {
            let (expected, found) = (instant::SHAPE, quote(time));
            self.fault(InputFault::Time, Some(TIME), expected, &found)
        })?;
        if let Some((last_ms, last)) = &self.last
            && time_ms <= *last_ms
        {
            // The shape of a time has nothing to escape.
            let last: String = last.chars().take(QUOTED_CHARS).collect();
            let expected = format!("a time after {last}, that of the row before");
            let found = if time_ms == *last_ms {
                "the same time again"
            } else {
                "an earlier time"
            };
            let found = format!("{found}, {}", quote(time));
            return Err(self.fault(InputFault::Order, Some(TIME), &expected, &found));
        }
        let mut numbers = [0.0; 5];
        for ((number, name), at) in numbers.iter_mut().zip(NUMBERS).zip(header.numbers) {
            *number = parse_number(cells[at]).ok_or_else(|| {
                let found = if cells[at].is_empty() {
                    "an empty cell".to_owned()
                } else {
                    quote(cells[at])
                };
                self.fault(
                    InputFault::Number,
                    Some(name),
                    "a finite decimal number",
                    &found,
                )
            })?;
        }
        let closed = header.closed.map(|at| match cells[at] {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => Err(self.fault(
                InputFault::Flag,
                Some(CLOSED),
                "true, false, 1 or 0",
                &quote(other),
            )),
        });
        let closed = closed.transpose()?;
        self.last = Some((time_ms, time.to_owned()));
        self.rows.time_ms.push(time_ms);
        for (column, number) in self.rows.numbers.iter_mut().zip(numbers) {
            column.push(Some(number));
        }
        if let Some(closed) = closed {
            self.rows.closed.push(Some(closed));
        }
        Ok(())
    }

    fn read_header(&self, cells: &[&str]) -> Result<Header, Error> {
        let find = |name: &str| cells.iter().position(|cell| *cell == name);
        let missing = |name: &str| {
            self.fault(
                InputFault::Header,
                Some(name),
                &expected_header(),
                "no such column",
            )
        };
        for (at, name) in cells.iter().enumerate() {
            if cells[..at].contains(name) {
                let found = format!("the column {} twice", quote(name));
                return Err(self.fault(InputFault::Header, Some(name), &expected_header(), &found));
            }
        }
        let time = find(TIME).ok_or_else(|| missing(TIME))?;
        let mut numbers = [0; 5];
        for (at, name) in numbers.iter_mut().zip(NUMBERS) {
            *at = find(name).ok_or_else(|| missing(name))?;
        }
        let closed = find(CLOSED);
        let known = |cell: &str| cell == TIME || cell == CLOSED || NUMBERS.contains(&cell);
        if let Some(other) = cells.iter().find(|cell| !known(cell)) {
            let found = format!("another column, {}", quote(other));
            return Err(self.fault(InputFault::Header, None, &expected_header(), &found));
        }
        Ok(Header {
            names: cells.iter().map(|&name| name.to_owned()).collect(),
            time,
            numbers,
            closed,
        })
    }

    fn fault(&self, fault: InputFault, column: Option<&str>, expected: &str, found: &str) -> Error {
        Error::Input {
            fault,
            line: self.record_line.unwrap_or(self.line),
            column: column.map(|name| name.chars().take(QUOTED_CHARS).collect()),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }
}

fn expected_header() -> String {
    format!(
        "the columns {TIME},{} and perhaps {CLOSED}",
        NUMBERS.join(",")
    )
}

/// How much of a cell a message quotes, in characters.
const QUOTED_CHARS: usize = 32;

fn quote(cell: &str) -> String {
    echo::quote(cell, QUOTED_CHARS)
}

fn parse_time(text: &str) -> Option<i64> {
    let time = instant::parse(text)?;
    let time_ms = time.as_millisecond();
    let exact = time.as_nanosecond() == i128::from(time_ms) * 1_000_000;
    let writable = (qrp1::MIN_TIME_MS..=qrp1::MAX_TIME_MS).contains(&time_ms);
    (exact && writable).then_some(time_ms)
}

fn parse_number(text: &str) -> Option<f64> {
    let decimal = text
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|number| decimal && number.is_finite())?;
    Some(number)
}
