//! Pages: rows in, text out, under caps in bytes, tokens and rows, cut at a whole row.

use crate::error::{Error, ErrorCode};
use crate::header::Header;
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout};
use crate::meta::{Cap, Meta};
use crate::row::{Position, RowWriter};
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
    /// The tokens of the text, summed line by line; `None` without a counter.
    pub tokens: Option<usize>,
}

/// The size of a part of a page.
#[derive(Clone, Copy, Default)]
struct Size {
    bytes: usize,
    tokens: usize,
    /// Rows and anchors.
    lines: u64,
}

/// Counts the tokens of a text.
///
/// A page is counted line by line, each with its line feed. For o200k_base and
/// cl100k_base the sum is exactly the count of the whole text, since no line of a page
/// is blank and none begins with `/`; for other vocabularies it is an upper bound.
///
/// ```
/// use qrp1::{Caps, Cell, Column, ColumnType, Layout, Meta, PageWriter, TokenCounter};
///
/// // Any function will do; this one takes three bytes for a token.
/// let counter: TokenCounter<'_> = &|text| text.len().div_ceil(3);
/// let layout = Layout::table([Column::new("n", ColumnType::I64)])?;
/// let caps = Caps { max_tokens: Some(100), ..Caps::default() };
/// let mut page = PageWriter::new(&layout, caps, Some(counter))?;
/// page.push(&[Cell::I64(7)])?;
/// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
/// assert_eq!(page.tokens, Some(11));
/// # Ok::<(), qrp1::Error>(())
/// ```
pub type TokenCounter<'c> = &'c dyn Fn(&str) -> usize;

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
    counter: Option<TokenCounter<'l>>,
    body: Vec<u8>,
    /// After each row, the size of the body.
    ends: Vec<Size>,
    position: Position,
    full: Option<Cap>,
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
        counter: Option<TokenCounter<'l>>,
    ) -> Result<Self, Error> {
        if caps.max_tokens.is_some() && counter.is_none() {
            return Err(Error::new(
                ErrorCode::Caps,
                "a token counter for max_tokens",
                "none",
            ));
        }
        if caps.max_rows == Some(0) {
            return Err(Error::new(
                ErrorCode::Caps,
                "a page of at least one row",
                "max_rows 0",
            ));
        }
        if layout.counts() == CountPlace::End {
            return Err(Error::new(
                ErrorCode::Caps,
                "a layout with its counts in the header",
                "counts in the end line",
            ));
        }
        Ok(Self {
            layout,
            caps,
            counter,
            body: Vec::new(),
            ends: Vec::new(),
            full: None,
            position: Position::default(),
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
        if let Some(cap) = self.full {
            return Ok(Push::Full(cap));
        }
        if self
            .caps
            .max_rows
            .is_some_and(|max_rows| self.ends.len() >= max_rows)
        {
            self.full = Some(Cap::Rows);
            return Ok(Push::Full(Cap::Rows));
        }
        let start = self.body.len();
        let (position, line) = match self.write(row) {
            Ok(written) => written,
            Err(error) => {
                self.body.truncate(start);
                return Err(error);
            }
        };
        let before = self.ends.last().copied().unwrap_or_default();
        // A new anchor is a line of its own, before the row's.
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        let (anchor, line) = (text(&self.body[start..line]), text(&self.body[line..]));
        let count = |text: &str| match self.counter {
            Some(count) if !text.is_empty() => count(text),
            _ => 0,
        };
        let tokens = count(&anchor).saturating_add(count(&line));
        let total = before.tokens.saturating_add(tokens);
        let cap = if over(self.caps.max_bytes, self.body.len()) {
            Some(Cap::Bytes)
        } else if over(self.caps.max_tokens, total) {
            Some(Cap::Tokens)
        } else {
            None
        };
        if let Some(cap) = cap {
            let bytes = self.body.len() - start;
            self.body.truncate(start);
            if self.ends.is_empty() {
                return Err(self.too_large(bytes, tokens));
            }
            self.full = Some(cap);
            return Ok(Push::Full(cap));
        }
        self.position = position;
        self.ends.push(Size {
            bytes: self.body.len(),
            tokens: total,
            lines: position.lines,
        });
        Ok(Push::Taken)
    }

    fn write(&mut self, row: &[Cell<'_>]) -> Result<(Position, usize), Error> {
        let mut writer = RowWriter::begin(&self.body, self.layout, self.position);
        for cell in row {
            writer.cell(&mut self.body, *cell)?;
        }
        writer.finish(&mut self.body)
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
        self,
        mut meta: impl FnMut(Cut) -> Result<Meta, E>,
    ) -> Result<Page, E> {
        let kind = if self.layout.is_series() {
            Kind::Series
        } else {
            Kind::Table
        };
        let mut header = Header::new(kind, Meta::new());
        header.layout = Some(self.layout.clone());
        let mut cut = Cut {
            rows: self.ends.len(),
            cap: self.full,
        };
        loop {
            header.meta = meta(cut)?;
            header.count = Some(cut.rows as u64);
            let body = match cut.rows {
                0 => Size::default(),
                rows => self.ends[rows - 1],
            };
            header.lines = self.layout.has_anchors().then_some(body.lines);
            header.crc = None;
            let mut text = header.to_line()?;
            if header.meta.crc {
                let mut crc = header.start_crc(&text);
                crc.update(&self.body[..body.bytes]);
                header.crc = Some(crc.finalize());
                text = header.to_line()?;
            }
            text.push('\n');
            let header_bytes = text.len();
            let header_tokens = self.counter.map_or(0, |count| count(&text));
            let cap = if over(self.caps.max_bytes, header_bytes + body.bytes) {
                Cap::Bytes
            } else if over(
                self.caps.max_tokens,
                header_tokens.saturating_add(body.tokens),
            ) {
                Cap::Tokens
            } else {
                text.push_str(&String::from_utf8_lossy(&self.body[..body.bytes]));
                let tokens = self
                    .counter
                    .map(|_| header_tokens.saturating_add(body.tokens));
                return Ok(Page { text, cut, tokens });
            };
            // The largest number of rows that this header would leave room for. It is
            // smaller than before, so that the loop ends.
            let fits = |end: &Size| {
                !over(self.caps.max_bytes, header_bytes + end.bytes)
                    && !over(
                        self.caps.max_tokens,
                        header_tokens.saturating_add(end.tokens),
                    )
            };
            let rows = self.ends.partition_point(fits);
            if rows == 0 {
                let first = self.ends.first().copied().unwrap_or_default();
                let bytes = header_bytes + first.bytes;
                return Err(self
                    .too_large(bytes, header_tokens.saturating_add(first.tokens))
                    .into());
            }
            cut = Cut {
                rows: rows.min(cut.rows - 1),
                cap: Some(cap),
            };
        }
    }

    fn too_large(&self, bytes: usize, tokens: usize) -> Error {
        let mut caps = Vec::new();
        let mut sizes = vec![format!("{bytes} bytes")];
        if let Some(max) = self.caps.max_bytes {
            caps.push(format!("{max} bytes"));
        }
        if let Some(max) = self.caps.max_tokens {
            caps.push(format!("{max} tokens"));
            sizes.push(format!("{tokens} tokens"));
        }
        Error::new(
            ErrorCode::RowTooLarge,
            format!("a page of one row within {}", caps.join(" and ")),
            sizes.join(" and "),
        )
    }
}

fn over(cap: Option<usize>, size: usize) -> bool {
    cap.is_some_and(|cap| size > cap)
}
