//! Streams: rows in, text out at once, their count in an end line.

use crate::column_slice::{self, ColumnSlice};
use crate::error::{Error, ErrorCode};
use crate::header::{CRC, END, Header, LINES};
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout};
use crate::meta::Meta;
use crate::row::{Position, RowWriter};
use crate::ser::{self, RowKeys};
use crate::value::Cell;

/// Writes a table or series of rows that nobody has counted yet.
///
/// Text goes to a buffer of the caller, who may empty it after any call: the stream itself
/// keeps no row, so that its memory does not grow. What is appended is always UTF-8. A text
/// whose end line is missing is refused by every reader, so one that breaks off cannot be
/// taken for whole.
///
/// ```
/// use qrp1::{Cell, Column, ColumnType, CountPlace, Document, Layout, Meta, TableStream};
///
/// let columns = [Column::new("level", ColumnType::Str), Column::new("n", ColumnType::I64)];
/// let layout = Layout::table(columns)?.with_counts(CountPlace::End);
/// let (mut sent, mut out) = (Vec::new(), Vec::new());
/// let mut stream = TableStream::begin(&layout, Meta::new().with_crc(true), &mut out)?;
/// for n in 0..2 {
///     stream.push(&[Cell::Str("info"), Cell::I64(n)], &mut out)?;
///     sent.append(&mut out);
/// }
/// stream.end(&mut out)?;
/// sent.append(&mut out);
/// let text = String::from_utf8(sent)?;
/// assert!(text.starts_with("QRP1|table|end=t|columns=level,n:i\ninfo\t0\ninfo\t1\n@end|rows=2|crc="));
/// assert_eq!(Document::parse(&text)?.to_text()?, text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableStream<'l> {
    layout: &'l Layout,
    header: Header,
    position: Position,
    rows: u64,
    crc: Option<crc32fast::Hasher>,
    keys: RowKeys,
}

impl<'l> TableStream<'l> {
    /// Appends the header of a stream.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] for a layout whose counts stand in the header, which is written
    /// here; any `header_*` code for facts that do not fit together. Nothing is appended then.
    pub fn begin(layout: &'l Layout, meta: Meta, out: &mut Vec<u8>) -> Result<Self, Error> {
        if layout.counts() != CountPlace::End {
            return Err(Error::new(
                ErrorCode::Layout,
                "a layout with its counts in the end line (with_counts)",
                "counts in the header",
            ));
        }
        let kind = if layout.is_series() {
            Kind::Series
        } else {
            Kind::Table
        };
        let position = Position::starting_at(meta.from.unwrap_or(0));
        let mut header = Header::new(kind, meta);
        header.layout = Some(layout.clone());
        // No number of rows would make this fit.
        if header
            .meta
            .total
            .is_some_and(|total| header.meta.from.unwrap_or(0) > total)
        {
            return Err(Error::new(
                ErrorCode::HeaderValue,
                "from of at most total",
                "a later row",
            ));
        }
        let line = header.to_line()?;
        let crc = header.meta.crc.then(|| header.start_crc(&line));
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
        Ok(Self {
            layout,
            header,
            position,
            rows: 0,
            crc,
            keys: RowKeys::default(),
        })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`], [`ErrorCode::CellType`], [`ErrorCode::CellMiss`] or
    /// [`ErrorCode::TimeOrder`] for a row that does not fit the layout. Nothing is appended
    /// then, and the stream can go on.
    pub fn push(&mut self, row: &[Cell<'_>], out: &mut Vec<u8>) -> Result<(), Error> {
        self.push_with(out, |writer, out| {
            row.iter().try_for_each(|cell| writer.cell(out, *cell))
        })
    }

    /// Appends the row that a struct, a map or a tuple is, as
    /// [`PageWriter::push_row`](crate::PageWriter::push_row) does.
    ///
    /// # Errors
    /// As there.
    pub fn push_row<T: serde_core::Serialize + ?Sized>(
        &mut self,
        row: &T,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let mut keys = core::mem::take(&mut self.keys);
        let pushed = self.push_with(out, |writer, out| {
            ser::write_row(row, writer, out, &mut keys)
        });
        self.keys = keys;
        pushed
    }

    /// Appends all rows of columns, as
    /// [`PageWriter::push_columns`](crate::PageWriter::push_columns) does.
    ///
    /// # Errors
    /// As there. The rows before the one at fault are appended.
    pub fn push_columns(
        &mut self,
        columns: &[ColumnSlice<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let layout = self.layout;
        for row in 0..column_slice::rows(columns, layout)? {
            self.push_with(out, |writer, out| {
                let mut pairs = columns.iter().zip(layout.columns());
                pairs.try_for_each(|(slice, column)| writer.cell(out, slice.cell(row, column)))
            })?;
        }
        Ok(())
    }

    fn push_with(
        &mut self,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut RowWriter<'_>, &mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = out.len();
        let mut writer = RowWriter::begin(out, self.layout, &self.position);
        let written = match write(&mut writer, out) {
            Ok(()) => writer.finish(out),
            Err(error) => Err(error),
        };
        match written {
            Ok(end) => {
                self.position.pass(end);
                self.rows += 1;
                if let Some(crc) = &mut self.crc {
                    crc.update(&out[start..]);
                }
                Ok(())
            }
            Err(error) => {
                out.truncate(start);
                Err(error)
            }
        }
    }

    /// How many rows there were.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends the end line.
    ///
    /// # Errors
    /// [`ErrorCode::HeaderValue`] when the rows are not as many as the header's facts say:
    /// with them the text would be refused. Nothing is appended then.
    pub fn end(self, out: &mut Vec<u8>) -> Result<(), Error> {
        self.header.check_count(self.rows)?;
        let mut line = format!("{END}rows={}", self.rows);
        if self.layout.has_anchors() {
            line.push_str(LINES);
            line.push_str(itoa::Buffer::new().format(self.position.lines));
        }
        if let Some(mut crc) = self.crc {
            crc.update(line.as_bytes());
            line.push_str(CRC);
            line.push_str(itoa::Buffer::new().format(crc.finalize()));
        }
        line.push('\n');
        out.extend_from_slice(line.as_bytes());
        Ok(())
    }
}
