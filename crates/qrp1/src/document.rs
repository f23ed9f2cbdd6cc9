//! Documents: one or more payloads in a row, whole in memory.

use crate::error::{Error, ErrorCode, excerpt};
use crate::header::{CRC, END, Header, LINES, MAGIC};
use crate::kind::Kind;
use crate::layout::CountPlace;
use crate::limits::Limits;
use crate::reader::{End, Event, Reader, Step};
use crate::receipt::Receipt;
use crate::record::Record;
use crate::row::{Position, RowWriter};
use crate::table::Table;
use crate::text::{self, Text};

/// One payload: a header and what follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// One object.
    Record(Record),
    /// Rows, in time order when the layout is that of a series.
    Table(Table),
    /// A body of text.
    Text(Text),
    /// A short reply.
    Receipt(Receipt),
}

impl From<Record> for Payload {
    fn from(record: Record) -> Self {
        Self::Record(record)
    }
}

impl From<Table> for Payload {
    fn from(table: Table) -> Self {
        Self::Table(table)
    }
}

impl From<Text> for Payload {
    fn from(text: Text) -> Self {
        Self::Text(text)
    }
}

impl From<Receipt> for Payload {
    fn from(receipt: Receipt) -> Self {
        Self::Receipt(receipt)
    }
}

impl Payload {
    /// The canonical text.
    ///
    /// # Errors
    /// Any writing error of [`ErrorCode`]: a row that does not fit its layout, rows of a
    /// series out of order, two fields of one name, facts that do not fit together.
    pub fn to_text(&self) -> Result<String, Error> {
        let mut out = String::new();
        self.push(&mut out)?;
        Ok(out)
    }

    /// Appends the canonical text; on an error `out` is as it was.
    ///
    /// # Errors
    /// As [`Payload::to_text`].
    pub fn push(&self, out: &mut String) -> Result<(), Error> {
        let start = out.len();
        let result = self.write(out);
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    fn write(&self, out: &mut String) -> Result<(), Error> {
        match self {
            Self::Record(record) => {
                let mut names: Vec<&str> = record.fields.iter().map(|f| f.name()).collect();
                names.sort_unstable();
                if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                    return Err(Error::new(
                        ErrorCode::Column,
                        "fields of different names",
                        format!("{} twice", excerpt(pair[0])),
                    ));
                }
                let header = Header::new(Kind::Record, record.meta.clone());
                let mut body = String::new();
                for field in &record.fields {
                    field.push_line(&mut body)?;
                }
                let count = record.fields.len() as u64;
                framed(out, header, Counts::of_lines(record.counts, count), &body)
            }
            Self::Table(table) => {
                let kind = if table.layout.is_series() {
                    Kind::Series
                } else {
                    Kind::Table
                };
                let mut header = Header::new(kind, table.meta.clone());
                header.layout = Some(table.layout.clone());
                let mut position = Position::starting_at(table.meta.from.unwrap_or(0));
                let mut body = Vec::new();
                for row in &table.rows {
                    let mut writer = RowWriter::begin(&body, &table.layout, &position);
                    for value in row {
                        writer.cell(&mut body, value.as_cell())?;
                    }
                    let end = writer.finish(&mut body)?;
                    position.pass(end);
                }
                let anchored = table.layout.has_anchors();
                let counts = Counts {
                    place: table.layout.counts(),
                    count: table.rows.len() as u64,
                    noun: "rows",
                    lines: anchored.then_some(position.lines),
                };
                framed(out, header, counts, &String::from_utf8_lossy(&body))
            }
            Self::Text(text) => {
                let mut header = Header::new(Kind::Text, text.meta.clone());
                header.escaped = text.escaped;
                header.part = text.part;
                if text.part.is_some_and(|part| part.glued)
                    && (text.body.is_empty() || text.body.starts_with('\n'))
                {
                    return Err(Error::new(
                        ErrorCode::HeaderValue,
                        "a part with glue that begins with the rest of a line",
                        "an empty line",
                    ));
                }
                let mut body = String::new();
                let mut count = 0;
                for line in text.lines() {
                    text::push_line(&mut body, line, text.escaped)?;
                    count += 1;
                }
                framed(out, header, Counts::of_lines(text.counts, count), &body)
            }
            Self::Receipt(receipt) => {
                let mut header = Header::new(Kind::Receipt, receipt.meta.clone());
                header.outcome = Some(receipt.outcome.clone());
                if receipt.meta.crc {
                    header.crc = Some(header.start_crc(&header.to_line()?).finalize());
                }
                header.push_line(out)?;
                out.push('\n');
                Ok(())
            }
        }
    }
}

/// How many lines a body has, and where its payload says so.
struct Counts {
    place: CountPlace,
    count: u64,
    noun: &'static str,
    /// Rows and anchors, where there are anchors.
    lines: Option<u64>,
}

impl Counts {
    fn of_lines(place: CountPlace, count: u64) -> Self {
        Self {
            place,
            count,
            noun: "lines",
            lines: None,
        }
    }
}

/// Writes a header, a body, and an end line where the counts stand there.
fn framed(out: &mut String, mut header: Header, counts: Counts, body: &str) -> Result<(), Error> {
    let Counts {
        place,
        count,
        noun,
        lines,
    } = counts;
    // The facts are checked against the count wherever it will stand.
    header.check_count(count)?;
    let in_header = place == CountPlace::Header;
    header.count = in_header.then_some(count);
    header.lines = lines.filter(|_| in_header);
    let start = out.len();
    header.push_line(out)?;
    // Where the CRC goes: first in the header, or beside the count in the end line.
    let crc = header.meta.crc.then(|| header.start_crc(&out[start..]));
    let mut crc_at = start + MAGIC.len() + header.kind.word().len();
    out.push('\n');
    let body_start = out.len();
    out.push_str(body);
    if place == CountPlace::End {
        out.push_str(END);
        out.push_str(noun);
        out.push('=');
        out.push_str(itoa::Buffer::new().format(count));
        if let Some(lines) = lines {
            out.push_str(LINES);
            out.push_str(itoa::Buffer::new().format(lines));
        }
        crc_at = out.len();
    }
    if let Some(mut crc) = crc {
        crc.update(&out.as_bytes()[body_start..]);
        out.insert_str(crc_at, itoa::Buffer::new().format(crc.finalize()));
        out.insert_str(crc_at, CRC);
    }
    if place == CountPlace::End {
        out.push('\n');
    }
    Ok(())
}

/// One or more payloads in a row, such as totals as a record, then rows as a table.
///
/// ```
/// use qrp1::{Document, Payload, Receipt, Status, Text, Meta};
///
/// let document = Document::new([
///     Payload::from(Text::new(Meta::new(), "two bars crossed")),
///     Payload::from(Receipt::new(Status::Ok)),
/// ]);
/// let text = document.to_text()?;
/// assert_eq!(text, "QRP1|text|lines=1\ntwo bars crossed\nQRP1|receipt|status=ok\n");
/// assert_eq!(Document::parse(&text)?, document);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    payloads: Vec<Payload>,
}

impl Document {
    /// A document of these payloads. It needs at least one to be written.
    #[must_use]
    pub fn new(payloads: impl IntoIterator<Item = Payload>) -> Self {
        Self {
            payloads: payloads.into_iter().collect(),
        }
    }

    /// The payloads, in order.
    #[must_use]
    pub fn payloads(&self) -> &[Payload] {
        &self.payloads
    }

    /// The canonical text.
    ///
    /// # Errors
    /// As [`Payload::to_text`]; [`ErrorCode::HeaderMissing`] for no payload at all.
    pub fn to_text(&self) -> Result<String, Error> {
        if self.payloads.is_empty() {
            return Err(Error::new(
                ErrorCode::HeaderMissing,
                "at least one payload",
                "none",
            ));
        }
        let mut out = String::new();
        for payload in &self.payloads {
            payload.push(&mut out)?;
        }
        Ok(out)
    }

    /// Reads a whole document. Only the canonical text is accepted, so
    /// `Document::parse(text)?.to_text()? == text`.
    ///
    /// # Errors
    /// Any reading error of [`ErrorCode`], with line and column.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text.as_bytes(), Limits::default())
    }

    /// Reads a whole document from bytes under limits.
    ///
    /// # Errors
    /// Any reading error of [`ErrorCode`], with line and column.
    pub fn parse_with(bytes: &[u8], limits: Limits) -> Result<Self, Error> {
        let mut reader = Reader::with_limits(limits);
        let mut payloads = Vec::new();
        let mut open = None;
        let mut input = bytes;
        loop {
            let (step, used) = reader.read(input)?;
            input = &input[used..];
            match step {
                Step::Event(Event::Header(header)) => open = Some(begin(*header)),
                Step::Event(Event::End(last)) => {
                    payloads.extend(open.take().map(|payload| end(payload, last)));
                }
                Step::Event(event) => {
                    if let Some(payload) = &mut open {
                        add(payload, event);
                    }
                }
                Step::NeedInput => break,
            }
        }
        reader.finish()?;
        Ok(Self { payloads })
    }
}

/// The payload that a header begins.
fn begin(header: Header) -> Payload {
    let Header {
        kind,
        meta,
        outcome,
        layout,
        count,
        escaped,
        lines: _,
        crc: _,
        part,
    } = header;
    let counts = if count.is_some() {
        CountPlace::Header
    } else {
        CountPlace::End
    };
    match (layout, outcome) {
        (Some(layout), _) => Payload::Table(Table {
            meta,
            layout,
            rows: Vec::new(),
        }),
        (None, Some(outcome)) => Payload::Receipt(Receipt { outcome, meta }),
        (None, None) if kind == Kind::Text => Payload::Text(Text {
            meta,
            body: String::new(),
            escaped,
            counts,
            part,
        }),
        (None, None) => Payload::Record(Record {
            meta,
            fields: Vec::new(),
            counts,
        }),
    }
}

/// The payload as it stands at its end: the last line of a text has no line feed of its
/// own, and an end line may bring a CRC.
fn end(mut payload: Payload, last: End) -> Payload {
    let meta = match &mut payload {
        Payload::Record(record) => &mut record.meta,
        Payload::Table(table) => &mut table.meta,
        Payload::Receipt(receipt) => &mut receipt.meta,
        Payload::Text(text) => {
            text.body.pop();
            &mut text.meta
        }
    };
    meta.crc |= last.crc.is_some();
    payload
}

/// Adds what an event brings. The reader gives only events of the payload's kind.
fn add(payload: &mut Payload, event: Event) {
    match (payload, event) {
        (Payload::Table(table), Event::Row(row)) => table.rows.push(row),
        (Payload::Record(record), Event::Field(field)) => record.fields.push(field),
        (Payload::Text(text), Event::Line(line)) => {
            text.body.push_str(&line);
            text.body.push('\n');
        }
        _ => {}
    }
}
