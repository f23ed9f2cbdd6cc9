//! Pages: rows in, text out, under caps in bytes, tokens and rows, cut at a whole row.

use crate::column_slice::{self, ColumnSlice};
use crate::error::{Error, ErrorCode};
use crate::header::Header;
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout};
use crate::meta::{Cap, Meta};
use crate::row::{Position, RowEnd, RowWriter};
use crate::ser::{self, RowKeys};
use crate::tokens::TokenCounter;
use crate::value::Cell;

/// How large a page may be, header and all. There is no cap by default.
///
/// ```
/// let caps = qrp1::Caps { max_tokens: Some(2_000), ..qrp1::Caps::default() };
/// assert_eq!(caps.max_bytes, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Caps {
    /// The most bytes of UTF-8.
    pub max_bytes: Option<usize>,
    /// The most tokens, by the counter that is passed in.
    pub max_tokens: Option<usize>,
    /// The most rows.
    pub max_rows: Option<usize>,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Push {
    /// It is taken. It may still be left out at the end, when the header needs its place.
    Taken,
    /// The page is full by this cap and the row is not taken: finish the page.
    Full(Cap),
}

/// Where a page ends; what the facts of its header depend on.
///
/// ```
/// use qrp1::{Cap, Caps, Cell, Column, ColumnType, Cut, Layout, Meta, PageWriter};
///
/// let layout = Layout::table([Column::new("n", ColumnType::I64)])?;
/// let caps = Caps { max_rows: Some(1), ..Caps::default() };
/// let mut page = PageWriter::new(&layout, caps, None)?;
/// page.push(&[Cell::I64(7)])?;
/// page.push(&[Cell::I64(8)])?;
/// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
/// assert_eq!(page.cut, Cut { rows: 1, cap: Some(Cap::Rows) });
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The rows on the page.
    pub rows: usize,
    /// The cap that ended it; `None` when every row that was pushed is on it.
    pub cap: Option<Cap>,
}

/// A finished page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The canonical text of one payload.
    pub text: String,
    /// Where it ends.
    pub cut: Cut,
    /// The exact tokens of the text, where they had to be counted: `None` without a cap in
    /// tokens, and where [`TokenCounter::at_most`] was enough to know that the page fits.
    pub tokens: Option<usize>,
}

/// The size of the first rows of a page.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: usize,
    /// Rows and anchors.
    lines: u64,
}

/// The tokens of a body that grows, counted no sooner than they have to be.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// How many bytes are counted, and their tokens.
    counted_bytes: usize,
    counted: usize,
    /// What the tokens of the bytes behind are certain not to pass.
    loose: usize,
}

/// Writes one page of a table or series.
///
/// ```
/// use qrp1::{Caps, Cell, Column, ColumnType, Cover, Layout, Meta, PageWriter, Push};
///
/// let layout = Layout::table([Column::new("n", ColumnType::I64)])?;
/// let caps = Caps { max_bytes: Some(80), ..Caps::default() };
/// let mut page = PageWriter::new(&layout, caps, None)?;
/// for n in 1000..2000 {
///     if page.push(&[Cell::I64(n)])? != Push::Taken {
///         break;
///     }
/// }
/// let page = page.finish(|cut| {
///     Ok::<_, qrp1::Error>(Meta::new().with_cover(Cover::Page).with_total(1000).with_next("c2"))
/// })?;
/// assert!(page.text.len() <= 80);
/// assert_eq!(page.cut.rows, 3);
/// assert_eq!(
///     page.text,
///     "QRP1|table|cover=page|rows=3|total=1000|next=c2|columns=n:i\n1000\n1001\n1002\n",
/// );
/// # Ok::<(), qrp1::Error>(())
/// ```
#[expect(missing_debug_implementations, reason = "holds the caller's counter")]
pub struct PageWriter<'l> {
    layout: &'l Layout,
    caps: Caps,
    counter: Option<&'l dyn TokenCounter>,
    body: Vec<u8>,
    rows: usize,
    /// The bytes of the body that are rows.
    written: usize,
    /// After each row, the size of the body; kept where a cap could drop rows again.
    ends: Vec<Size>,
    tally: Tally,
    from: u64,
    position: Position,
    full: Option<Cap>,
    keys: RowKeys,
}

impl<'l> PageWriter<'l> {
    /// A page without rows.
    ///
    /// # Errors
    /// [`ErrorCode::Caps`] for a cap in tokens without a counter, for a cap of no rows, and
    /// for a layout whose counts stand in an end line: a page knows its count.
    pub fn new(
        layout: &'l Layout,
        caps: Caps,
        counter: Option<&'l dyn TokenCounter>,
    ) -> Result<Self, Error> {
        let fault = |expected: &str, found: &str| Err(Error::new(ErrorCode::Caps, expected, found));
        if caps.max_tokens.is_some() && counter.is_none() {
            return fault("a token counter for max_tokens", "none");
        }
        if caps.max_rows == Some(0) {
            return fault("a page of at least one row", "max_rows 0");
        }
        if layout.counts() == CountPlace::End {
            return fault(
                "a layout with its counts in the header",
                "counts in the end line",
            );
        }
        Ok(Self {
            layout,
            caps,
            counter,
            body: Vec::new(),
            rows: 0,
            written: 0,
            ends: Vec::new(),
            tally: Tally::default(),
            from: 0,
            full: None,
            position: Position::default(),
            keys: RowKeys::default(),
        })
    }

    /// The same page, before its first row, of rows that begin at an ordinal of the whole
    /// result. A layout with sequences needs it on every page but the first; the header's
    /// [`Meta::from`] has to say the same.
    ///
    /// # Errors
    /// [`ErrorCode::Caps`] when the page has rows already.
    ///
    /// ```
    /// use qrp1::{Caps, Cell, Column, ColumnType, Layout, Meta, PageWriter};
    ///
    /// let columns = [
    ///     Column::new("id", ColumnType::I64).with_sequence(1i64, 1),
    ///     Column::new("level", ColumnType::Str),
    /// ];
    /// let layout = Layout::table(columns)?;
    /// let mut page = PageWriter::new(&layout, Caps::default(), None)?.starting_at(500)?;
    /// page.push(&[Cell::I64(501), Cell::Str("info")])?;
    /// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new().with_from(500)))?;
    /// assert_eq!(page.text, "QRP1|table|rows=1|from=500|columns=id:i=501+1,level\ninfo\n");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn starting_at(self, from: u64) -> Result<Self, Error> {
        if self.rows > 0 {
            return Err(Error::new(
                ErrorCode::Caps,
                "the place of the first row before it is pushed",
                format!("a page of {} rows", self.rows),
            ));
        }
        Ok(Self {
            from,
            position: Position::starting_at(from),
            ..self
        })
    }

    /// Adds a row, or says that the page is full.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`], [`ErrorCode::CellType`], [`ErrorCode::CellMiss`] or
    /// [`ErrorCode::TimeOrder`] for a row that does not fit the layout;
    /// [`ErrorCode::RowTooLarge`], with its size, for one that no page can hold. The page
    /// is then as it was.
    pub fn push(&mut self, row: &[Cell<'_>]) -> Result<Push, Error> {
        self.push_with(|writer, body| row.iter().try_for_each(|cell| writer.cell(body, *cell)))
    }

    /// Adds the row that a struct, a map or a tuple is, or says that the page is full. Its
    /// fields go straight to the text of their cells. Structs and maps go by the names of
    /// the columns, in any order, fastest in that of the layout; tuples go by position.
    ///
    /// A field that is not there, or is skipped, is absent; `None` is null. A time is an
    /// `i64` field with `#[serde(with = "qrp1::time_ms")]`. Integers may stand in columns of
    /// another number type that holds them exactly.
    ///
    /// # Errors
    /// As [`PageWriter::push`]; [`ErrorCode::Column`] for a field without a column, and
    /// [`ErrorCode::TypeMismatch`] for what no cell holds.
    ///
    /// ```
    /// use qrp1::{Caps, Column, ColumnType, Layout, Meta, PageWriter};
    ///
    /// #[derive(serde::Serialize)]
    /// struct Event<'a> {
    ///     level: &'a str,
    ///     count: u32,
    /// }
    ///
    /// let layout = Layout::table([
    ///     Column::new("level", ColumnType::Str),
    ///     Column::new("count", ColumnType::U64),
    /// ])?;
    /// let mut page = PageWriter::new(&layout, Caps::default(), None)?;
    /// page.push_row(&Event { level: "error", count: 12 })?;
    /// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
    /// assert_eq!(page.text, "QRP1|table|rows=1|columns=level,count:u\nerror\t12\n");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn push_row<T: serde_core::Serialize + ?Sized>(&mut self, row: &T) -> Result<Push, Error> {
        if let Some(cap) = self.is_full() {
            return Ok(Push::Full(cap));
        }
        // What a push that panicked left behind is no row.
        self.body.truncate(self.written);
        let start = self.written;
        let mut writer = RowWriter::begin(&self.body, self.layout, &self.position);
        let written = match ser::write_row(row, &mut writer, &mut self.body, &mut self.keys) {
            Ok(()) => writer.finish(&mut self.body),
            Err(error) => Err(error),
        };
        self.end_row(start, written)
    }

    /// Adds rows from columns, one slice for each column of the layout, from row `start` of
    /// the slices on. Gives how many rows it took; fewer than there are if the page is full.
    ///
    /// # Errors
    /// As [`PageWriter::push`]; [`ErrorCode::RowWidth`] when the slices are not as many as
    /// the columns or not of one length. The page then holds the rows before.
    ///
    /// ```
    /// use qrp1::{Caps, Column, ColumnSlice, ColumnType, Layout, Meta, Miss, PageWriter};
    ///
    /// let layout = Layout::table([
    ///     Column::new("id", ColumnType::I64),
    ///     Column::new("price", ColumnType::F64).with_miss(Miss::null()),
    /// ])?;
    /// let columns = [
    ///     ColumnSlice::i64s(&[1, 2, 3]),
    ///     ColumnSlice::f64s(&[9.5, 0.0, 7.25]).with_validity(&[true, false, true]),
    /// ];
    /// let mut page = PageWriter::new(&layout, Caps::default(), None)?;
    /// assert_eq!(page.push_columns(&columns, 0)?, 3);
    /// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
    /// assert_eq!(page.text, "QRP1|table|rows=3|columns=id:i,price:f!\n1\t9.5\n2\t\n3\t7.25\n");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn push_columns(
        &mut self,
        columns: &[ColumnSlice<'_>],
        start: usize,
    ) -> Result<usize, Error> {
        let rows = column_slice::rows(columns, self.layout)?;
        let layout = self.layout;
        for row in start..rows {
            let pushed = self.push_with(|writer, body| {
                let mut pairs = columns.iter().zip(layout.columns());
                pairs.try_for_each(|(slice, column)| writer.cell(body, slice.cell(row, column)))
            })?;
            if pushed != Push::Taken {
                return Ok(row - start);
            }
        }
        Ok(rows.saturating_sub(start))
    }

    #[inline]
    fn push_with(
        &mut self,
        write: impl FnOnce(&mut RowWriter<'_>, &mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<Push, Error> {
        if let Some(cap) = self.is_full() {
            return Ok(Push::Full(cap));
        }
        // What a push that panicked left behind is no row.
        self.body.truncate(self.written);
        let start = self.written;
        let mut writer = RowWriter::begin(&self.body, self.layout, &self.position);
        let written = match write(&mut writer, &mut self.body) {
            Ok(()) => writer.finish(&mut self.body),
            Err(error) => Err(error),
        };
        self.end_row(start, written)
    }

    /// The cap that leaves no room for a row, if one does.
    #[inline]
    fn is_full(&mut self) -> Option<Cap> {
        if self.full.is_none() && self.caps.max_rows.is_some_and(|max| self.rows >= max) {
            self.full = Some(Cap::Rows);
        }
        self.full
    }

    /// Keeps a row that begins at `start` of the body, if it was written and there is room.
    #[inline]
    fn end_row(&mut self, start: usize, written: Result<RowEnd, Error>) -> Result<Push, Error> {
        let end = match written {
            Ok(written) => written,
            Err(error) => {
                self.body.truncate(start);
                return Err(error);
            }
        };
        if (self.caps.max_bytes.is_some() || self.caps.max_tokens.is_some())
            && let Some(pushed) = self.check_caps(start, self.position.lines + 1 + end.anchors)?
        {
            return Ok(pushed);
        }
        self.position.pass(end);
        self.rows += 1;
        self.written = self.body.len();
        Ok(Push::Taken)
    }

    /// Keeps the row that begins at `start` of the body if the caps allow it, and drops it
    /// otherwise.
    fn check_caps(&mut self, start: usize, lines: u64) -> Result<Option<Push>, Error> {
        let over_bytes = over(self.caps.max_bytes, self.body.len());
        let tally = match (over_bytes, self.caps.max_tokens, self.counter) {
            (true, ..) => None,
            (false, Some(max), Some(counter)) => self.tally_row(start, max, counter),
            _ => Some(self.tally),
        };
        if let Some(tally) = tally {
            self.tally = tally;
            self.ends.push(Size {
                bytes: self.body.len(),
                lines,
            });
            return Ok(None);
        }
        if self.rows == 0 {
            let error = self.too_large(&self.body[start..]);
            self.body.truncate(start);
            return Err(error);
        }
        self.body.truncate(start);
        let cap = if over_bytes { Cap::Bytes } else { Cap::Tokens };
        self.full = Some(cap);
        Ok(Some(Push::Full(cap)))
    }

    /// The tally with the row that begins at `start`; `None` when it passes the cap.
    fn tally_row(&mut self, start: usize, max: usize, counter: &dyn TokenCounter) -> Option<Tally> {
        let row = text(&self.body[start..]);
        let most = counter.at_most(row);
        let mut tally = self.tally;
        let fits = |tally: &Tally, row: usize| {
            tally
                .counted
                .saturating_add(tally.loose)
                .saturating_add(row)
                <= max
        };
        if !fits(&tally, most) && tally.counted_bytes < start {
            // Near the cap: the rows before are counted, all at once.
            let before = counter.count(text(&self.body[tally.counted_bytes..start]));
            tally = Tally {
                counted_bytes: start,
                counted: tally.counted.saturating_add(before),
                loose: 0,
            };
            self.tally = tally;
        }
        if fits(&tally, most) {
            tally.loose = tally.loose.saturating_add(most);
            return Some(tally);
        }
        let counted = counter.count_up_to(row, max.saturating_sub(tally.counted))?;
        tally.counted = tally.counted.saturating_add(counted);
        tally.counted_bytes = self.body.len();
        Some(tally)
    }

    fn count(&self, part: &[u8]) -> usize {
        self.counter.map_or(0, |counter| counter.count(text(part)))
    }

    /// Writes the page with as many of its rows as fit under the caps with the header.
    ///
    /// `meta` gives the facts of the header for a cut; it is called again with fewer rows
    /// as long as the page is too large. It should be a pure function of the cut.
    ///
    /// # Errors
    /// What `meta` gives; [`ErrorCode::RowTooLarge`] when not even one row fits with the
    /// header, or the header alone does not fit; any `header_*` code for facts that do not
    /// fit together.
    pub fn finish<E: From<Error>>(
        mut self,
        mut meta: impl FnMut(Cut) -> Result<Meta, E>,
    ) -> Result<Page, E> {
        self.body.truncate(self.written);
        let kind = if self.layout.is_series() {
            Kind::Series
        } else {
            Kind::Table
        };
        let mut header = Header::new(kind, Meta::new());
        header.layout = Some(self.layout.clone());
        let mut cut = Cut {
            rows: self.rows,
            cap: self.full,
        };
        let mut size = Size {
            bytes: self.body.len(),
            lines: self.position.lines,
        };
        loop {
            header.meta = meta(cut)?;
            if self.layout.has_sequences() && header.meta.from.unwrap_or(0) != self.from {
                return Err(Error::new(
                    ErrorCode::HeaderValue,
                    format!("from {}, where the page's sequences start", self.from),
                    format!("from {}", header.meta.from.unwrap_or(0)),
                )
                .into());
            }
            header.count = Some(cut.rows as u64);
            header.lines = self.layout.has_anchors().then_some(size.lines);
            header.crc = None;
            let mut line = header.to_line()?;
            if header.meta.crc {
                let mut crc = header.start_crc(&line);
                crc.update(&self.body[..size.bytes]);
                header.crc = Some(crc.finalize());
                line = header.to_line()?;
            }
            line.push('\n');
            let (cap, tokens) = self.cap_of(&line, size.bytes);
            let Some(cap) = cap else {
                self.body.truncate(size.bytes);
                return Ok(Page {
                    text: with_header(&line, self.body),
                    cut,
                    tokens,
                });
            };
            // The largest number of rows that this header would leave room for. It is
            // smaller than before, so that the loop ends.
            let rows = self.rows_beside(&line, cut.rows);
            if rows == 0 {
                let first = self.ends.first().copied().unwrap_or_default();
                let page = [line.as_bytes(), &self.body[..first.bytes]].concat();
                return Err(self.too_large(&page).into());
            }
            size = self.ends[rows - 1];
            cut = Cut {
                rows,
                cap: Some(cap),
            };
        }
    }

    /// The cap that a page of a header and `bytes` of the body passes, and its tokens where
    /// they had to be counted.
    fn cap_of(&mut self, line: &str, bytes: usize) -> (Option<Cap>, Option<usize>) {
        if over(self.caps.max_bytes, line.len().saturating_add(bytes)) {
            return (Some(Cap::Bytes), None);
        }
        let (Some(max), Some(counter)) = (self.caps.max_tokens, self.counter) else {
            return (None, None);
        };
        let body_most = if bytes < self.body.len() {
            counter.at_most(text(&self.body[..bytes]))
        } else {
            self.tally.counted.saturating_add(self.tally.loose)
        };
        let most = counter.at_most(line).saturating_add(body_most);
        if most <= max {
            return (None, None);
        }
        let tokens = counter.count(line).saturating_add(self.count_rows(bytes));
        if tokens > max {
            (Some(Cap::Tokens), None)
        } else {
            (None, Some(tokens))
        }
    }

    /// The tokens of the first `bytes` of the body, which end at a row.
    fn count_rows(&mut self, bytes: usize) -> usize {
        let mut counted = self.tally.counted;
        if self.tally.counted_bytes < bytes {
            counted =
                counted.saturating_add(self.count(&self.body[self.tally.counted_bytes..bytes]));
            self.tally = Tally {
                counted_bytes: bytes,
                counted,
                loose: self.tally.loose,
            };
        } else if bytes < self.tally.counted_bytes {
            // Rows were dropped again; what is left is less than what was counted.
            counted =
                counted.saturating_sub(self.count(&self.body[bytes..self.tally.counted_bytes]));
        }
        counted
    }

    /// How many rows, less than `rows`, fit a page beside a header.
    fn rows_beside(&mut self, line: &str, rows: usize) -> usize {
        let header = self.count(line.as_bytes());
        let by_bytes = |end: &Size| !over(self.caps.max_bytes, line.len() + end.bytes);
        let mut rows = self.ends[..rows - usize::from(rows > 0)].partition_point(by_bytes);
        let Some(max) = self.caps.max_tokens else {
            return rows;
        };
        let mut tokens = match rows {
            0 => return 0,
            rows => self.count_rows(self.ends[rows - 1].bytes),
        };
        // Row by row from the end: a header is as long as few rows are.
        while header.saturating_add(tokens) > max {
            rows -= 1;
            let Some(before) = rows.checked_sub(1).map(|last| self.ends[last].bytes) else {
                return 0;
            };
            let row = self.count(&self.body[before..self.ends[rows].bytes]);
            tokens = tokens.saturating_sub(row);
        }
        rows
    }

    fn too_large(&self, part: &[u8]) -> Error {
        let mut caps = Vec::new();
        let mut sizes = vec![format!("{} bytes", part.len())];
        if let Some(max) = self.caps.max_bytes {
            caps.push(format!("{max} bytes"));
        }
        if let Some(max) = self.caps.max_tokens {
            caps.push(format!("{max} tokens"));
            // What is far over is not worth an exact count.
            let limit = max.saturating_mul(16);
            let counted = self
                .counter
                .map(|counter| counter.count_up_to(text(part), limit));
            sizes.push(match counted.flatten() {
                Some(tokens) => format!("{tokens} tokens"),
                None => format!("more than {limit} tokens"),
            });
        }
        Error::new(
            ErrorCode::RowTooLarge,
            format!("a page of one row within {}", caps.join(" and ")),
            sizes.join(" and "),
        )
    }
}

/// A header line and a body. The body moves up in its own memory, which it mostly has room
/// for, instead of being copied to new memory.
fn with_header(line: &str, body: Vec<u8>) -> String {
    let mut text = String::from_utf8(body).unwrap_or_default();
    text.insert_str(0, line);
    text
}

/// The text of a part of a body, cut at the ends of rows.
fn text(part: &[u8]) -> &str {
    core::str::from_utf8(part).unwrap_or_default()
}

fn over(cap: Option<usize>, size: usize) -> bool {
    cap.is_some_and(|cap| size > cap)
}
