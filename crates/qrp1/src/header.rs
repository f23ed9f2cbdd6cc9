//! The first line of a payload: what it is, where it comes from, how it is laid out.

mod key;
mod parse;
mod print;

use crate::error::{Error, ErrorCode, excerpt};
use crate::kind::Kind;
use crate::layout::Layout;
use crate::meta::{Cover, Meta};
use crate::receipt::Outcome;
use crate::text::Part;
use crate::time;
use key::{Key, extension_name};

pub(crate) use parse::{crc, number, parse_layout};
pub(crate) use print::push_layout;

/// What every header begins with, and no other line.
pub(crate) const MAGIC: &str = "QRP1|";

/// What stands before the count of lines in an end line.
pub(crate) const LINES: &str = "|lines=";

/// What stands before the value of the CRC.
pub(crate) const CRC: &str = "|crc=";

/// What the last line of a payload begins with when its count stands at the end.
pub(crate) const END: &str = "@end|";

/// The header of a payload, as a reader gives it.
///
/// ```
/// use qrp1::{Header, Kind};
///
/// let line = "QRP1|table|source=log|rows=2|columns=level,count:i";
/// let header = Header::parse(line)?;
/// assert_eq!(header.kind, Kind::Table);
/// assert_eq!(header.meta.source.as_deref(), Some("log"));
/// assert_eq!(header.count, Some(2));
/// assert_eq!(header.to_line()?, line);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// What the payload is.
    pub kind: Kind,
    /// Where it comes from and how much of it this is.
    pub meta: Meta,
    /// What happened; for receipts only.
    pub outcome: Option<Outcome>,
    /// Columns and how rows are written; for tables and series only.
    pub layout: Option<Layout>,
    /// How many rows (table, series) or lines (record, text) follow; `None` when that
    /// stands in the end line, and for receipts, which have no body.
    pub count: Option<u64>,
    /// How many lines follow, anchors among them; for series whose times stand under
    /// anchors, where the count is in the header.
    pub lines: Option<u64>,
    /// Whether the lines of a text use escapes.
    pub escaped: bool,
    /// The CRC-32 of the payload, where it stands in the header.
    pub crc: Option<u32>,
    /// Which part of a longer text this is, if it is one.
    pub part: Option<Part>,
}

/// Whether a line is a header, of this version or another.
pub(crate) fn is_header(line: &str) -> bool {
    line.starts_with(MAGIC) || parse::other_version(line).is_some()
}

impl Header {
    pub(crate) fn new(kind: Kind, meta: Meta) -> Self {
        Self {
            kind,
            meta,
            outcome: None,
            layout: None,
            count: None,
            lines: None,
            escaped: false,
            crc: None,
            part: None,
        }
    }

    /// The canonical line of this header, without a line feed.
    ///
    /// # Errors
    /// [`ErrorCode::HeaderValue`] or [`ErrorCode::HeaderMissing`] when the parts do not
    /// fit together: a layout for a text, a table without one, more rows than the total,
    /// a next page after all rows, an extension key of other characters.
    pub fn to_line(&self) -> Result<String, Error> {
        let mut out = String::new();
        self.push_line(&mut out)?;
        Ok(out)
    }

    /// The CRC over this header, as `line` writes it, and what follows it. The CRC's own
    /// key is left out. It stands first, where no change of one byte can make it part of
    /// another value.
    pub(crate) fn start_crc(&self, line: &str) -> crc32fast::Hasher {
        let line = line.as_bytes();
        let (before, mut after) = line.split_at(MAGIC.len() + self.kind.word().len());
        if let Some(crc) = self.crc {
            after = &after[CRC.len() + itoa::Buffer::new().format(crc).len()..];
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(before);
        crc.update(after);
        crc.update(b"\n");
        crc
    }

    /// Checks that the parts fit together.
    fn check(&self) -> Result<(), Error> {
        let fault = |code, expected: &str, found: String| Err(Error::new(code, expected, found));
        let has_layout = matches!(self.kind, Kind::Table | Kind::Series);
        match &self.layout {
            None if has_layout => {
                return fault(
                    ErrorCode::HeaderMissing,
                    "the key columns",
                    "none".to_owned(),
                );
            }
            Some(layout) if !has_layout || layout.is_series() != (self.kind == Kind::Series) => {
                return fault(
                    ErrorCode::HeaderValue,
                    "a layout of the payload's kind",
                    format!("another in a {}", self.kind.word()),
                );
            }
            _ => {}
        }
        match &self.outcome {
            None if self.kind == Kind::Receipt => {
                return fault(
                    ErrorCode::HeaderMissing,
                    "the key status",
                    "none".to_owned(),
                );
            }
            Some(outcome) => outcome.check()?,
            None => {}
        }
        let anchored = self.layout.as_ref().is_some_and(Layout::has_anchors);
        if (anchored && self.count.is_some()) != self.lines.is_some() {
            return fault(
                if anchored {
                    ErrorCode::HeaderMissing
                } else {
                    ErrorCode::HeaderKey
                },
                "the key lines beside rows in a series with anchors, and only there",
                if anchored {
                    "none".to_owned()
                } else {
                    "lines".to_owned()
                },
            );
        }
        if self.crc.is_some() && self.count.is_none() && self.kind != Kind::Receipt {
            return fault(
                ErrorCode::HeaderKey,
                "the crc beside the count, in the end line",
                "crc in the header".to_owned(),
            );
        }
        let stray = [
            (
                "status",
                self.outcome.is_some() && self.kind != Kind::Receipt,
            ),
            ("esc", self.escaped && self.kind != Kind::Text),
            ("part", self.part.is_some() && self.kind != Kind::Text),
            (
                "a count",
                self.count.is_some() && self.kind == Kind::Receipt,
            ),
        ];
        if let Some((what, _)) = stray.into_iter().find(|(_, stray)| *stray) {
            return fault(
                ErrorCode::HeaderKey,
                "keys of this kind",
                format!("{what} in a {}", self.kind.word()),
            );
        }
        if let Some(part) = &self.part {
            part.check()?;
            if self.count == Some(0) {
                return fault(
                    ErrorCode::HeaderValue,
                    "a part of at least one line",
                    "lines=0".to_owned(),
                );
            }
        }
        let meta = &self.meta;
        if let Some(range) = meta.range
            && !(time::in_range(range.start_ms)
                && time::in_range(range.end_ms)
                && range.start_ms <= range.end_ms)
        {
            return fault(
                ErrorCode::HeaderValue,
                "a range that ends in the years 0000 to 9999 and not before it starts",
                format!("{} ms to {} ms", range.start_ms, range.end_ms),
            );
        }
        if let Some(name) = meta
            .extensions
            .keys()
            .find(|name| extension_name(&format!("x-{name}")).is_none())
        {
            return fault(
                ErrorCode::HeaderKey,
                "an extension key of 1 to 64 lower-case letters, digits, - or _",
                excerpt(name),
            );
        }
        if meta.cover == Some(Cover::All) && meta.next.is_some() {
            return fault(
                ErrorCode::HeaderValue,
                "no next page where cover is all",
                "the key next".to_owned(),
            );
        }
        for (key, used) in [
            (Key::From, meta.from.is_some()),
            (Key::Cap, meta.cap.is_some()),
        ] {
            if used && !key.fits(self.kind) {
                return fault(
                    ErrorCode::HeaderKey,
                    "keys of this kind",
                    format!("{} in a {}", key.word(), self.kind.word()),
                );
            }
        }
        self.count.map_or(Ok(()), |count| self.check_count(count))
    }

    /// Checks a count, wherever it stood, against the place and the total.
    pub(crate) fn check_count(&self, count: u64) -> Result<(), Error> {
        let all = self.meta.cover == Some(Cover::All);
        if all && self.meta.from.is_some_and(|from| from != 0) {
            return Err(Error::new(
                ErrorCode::HeaderValue,
                "from 0 where cover is all",
                "a later row",
            ));
        }
        let from = self.meta.from.unwrap_or(0);
        if from.checked_add(count).is_none() {
            return Err(Error::new(
                ErrorCode::HeaderValue,
                "from + rows of at most 2^64 - 1",
                format!("from {from}, rows {count}"),
            ));
        }
        let counted = self.layout.is_some() || self.part.is_some();
        let (Some(total), true) = (self.meta.total, counted) else {
            return Ok(());
        };
        let end = from.checked_add(count);
        let fits = end.is_some_and(|end| end <= total) && !(all && (from, count) != (0, total));
        if fits {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::HeaderValue,
            if all {
                "from 0, and as many rows as the total"
            } else {
                "from + rows <= total"
            },
            format!("from {from}, rows {count}, total {total}"),
        ))
    }

    /// Reads a header line, without its line feed. Only the canonical line is accepted.
    ///
    /// # Errors
    /// Any of the `header_*` codes, [`ErrorCode::Column`], [`ErrorCode::Layout`],
    /// [`ErrorCode::Escape`], [`ErrorCode::Reserved`] or [`ErrorCode::NotCanonical`], with
    /// line 1 and the column.
    pub fn parse(line: &str) -> Result<Self, Error> {
        parse::parse(line).map_err(|error| error.at(1, 1).on_line(1))
    }
}
