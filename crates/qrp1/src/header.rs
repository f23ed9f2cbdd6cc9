//! The first line of a payload: what it is, where it comes from, how it is laid out.

use crate::column::Column;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, is_blank, must_escape, push_quoted, read_quoted};
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout, Profile, Separator};
use crate::meta::{Cap, Cover, Meta, TimeRange};
use crate::receipt::{Outcome, Status};
use crate::row::same;
use crate::time;

/// What every header begins with, and no other line.
pub(crate) const MAGIC: &str = "QRP1|";

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
    /// Whether the lines of a text use escapes.
    pub escaped: bool,
}

/// The header keys, in the order in which they stand. What each means is in SPEC.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Name,
    Profile,
    Status,
    Code,
    Reason,
    Source,
    Range,
    Snapshot,
    Digest,
    Task,
    Result,
    Cover,
    Rows,
    Lines,
    From,
    Total,
    Cap,
    Next,
    Hint,
    Extension,
    Escape,
    Separator,
    Start,
    End,
    Columns,
}

impl Key {
    const ALL: [(Self, &'static str); 24] = [
        (Self::Name, "name"),
        (Self::Profile, "profile"),
        (Self::Status, "status"),
        (Self::Code, "code"),
        (Self::Reason, "reason"),
        (Self::Source, "source"),
        (Self::Range, "range"),
        (Self::Snapshot, "snapshot"),
        (Self::Digest, "digest"),
        (Self::Task, "task"),
        (Self::Result, "result"),
        (Self::Cover, "cover"),
        (Self::Rows, "rows"),
        (Self::Lines, "lines"),
        (Self::From, "from"),
        (Self::Total, "total"),
        (Self::Cap, "cap"),
        (Self::Next, "next"),
        (Self::Hint, "hint"),
        (Self::Escape, "esc"),
        (Self::Separator, "sep"),
        (Self::Start, "t0"),
        (Self::End, "end"),
        (Self::Columns, "columns"),
    ];

    fn parse(text: &str) -> Option<Self> {
        if extension_name(text).is_some() {
            return Some(Self::Extension);
        }
        Self::ALL
            .into_iter()
            .find(|(_, word)| *word == text)
            .map(|(key, _)| key)
    }

    fn word(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(key, _)| *key == self)
            .map_or("x-", |(_, word)| word)
    }

    fn fits(self, kind: Kind) -> bool {
        use Kind::{Receipt, Record, Series, Table, Text};
        match self {
            Self::Status | Self::Code | Self::Reason => kind == Receipt,
            Self::Rows | Self::Columns | Self::Separator => matches!(kind, Table | Series),
            Self::Lines => matches!(kind, Record | Text),
            Self::From | Self::Cap => matches!(kind, Table | Series | Text),
            Self::Profile | Self::Start => kind == Series,
            Self::Escape => kind == Text,
            Self::End => kind != Receipt,
            _ => true,
        }
    }
}

/// Keys that later versions will use.
const RESERVED_KEYS: &[&str] = &[
    "crc", "part", "parts", "glue", "step", "unit", "const", "except", "children", "ticks",
    "affix", "items",
];

/// The longest name of an extension key, without its `x-`.
const MAX_EXTENSION: usize = 64;

fn extension_name(key: &str) -> Option<&str> {
    let name = key.strip_prefix("x-")?;
    let fits = (1..=MAX_EXTENSION).contains(&name.len())
        && name
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    fits.then_some(name)
}

impl Header {
    pub(crate) fn new(kind: Kind, meta: Meta) -> Self {
        Self {
            kind,
            meta,
            outcome: None,
            layout: None,
            count: None,
            escaped: false,
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

    /// Appends the canonical line, without a line feed.
    pub(crate) fn push_line(&self, out: &mut String) -> Result<(), Error> {
        self.check()?;
        let meta = &self.meta;
        out.push_str(MAGIC);
        out.push_str(self.kind.word());
        let mut line = Line(out);
        line.text(Key::Name, meta.name.as_deref());
        let layout = self.layout.as_ref();
        if layout.is_some_and(|layout| layout.profile() == Profile::Seed) {
            line.text(Key::Profile, Some("seed"));
        }
        if let Some(outcome) = &self.outcome {
            line.text(Key::Status, Some(outcome.status.word()));
            line.text(Key::Code, outcome.code.as_deref());
            line.text(Key::Reason, outcome.reason.as_deref());
        }
        line.text(Key::Source, meta.source.as_deref());
        if let Some(range) = meta.range {
            line.key(Key::Range);
            time::push_time(line.0, range.start_ms);
            line.0.push('/');
            time::push_time(line.0, range.end_ms);
        }
        line.text(Key::Snapshot, meta.snapshot.as_deref());
        line.text(Key::Digest, meta.digest.as_deref());
        line.text(Key::Task, meta.task.as_deref());
        line.number(Key::Result, meta.result);
        line.text(
            Key::Cover,
            meta.cover.map(|cover| word_of(&Cover::ALL, cover)),
        );
        let count = if layout.is_some() {
            Key::Rows
        } else {
            Key::Lines
        };
        line.number(count, self.count);
        line.number(Key::From, meta.from);
        line.number(Key::Total, meta.total);
        line.text(Key::Cap, meta.cap.map(|cap| word_of(&Cap::ALL, cap)));
        line.text(Key::Next, meta.next.as_deref());
        line.text(Key::Hint, meta.hint.as_deref());
        for (name, value) in &meta.extensions {
            line.0.push_str("|x-");
            line.0.push_str(name);
            line.0.push('=');
            push_text(line.0, value);
        }
        if self.escaped {
            line.text(Key::Escape, Some("t"));
        }
        if let Some(layout) = layout {
            if layout.separator() != Layout::usual_separator(layout.is_series()) {
                line.text(Key::Separator, Some(layout.separator().word()));
            }
            if let Some(t0_ms) = layout.t0_ms() {
                line.key(Key::Start);
                time::push_time(line.0, t0_ms);
            }
        }
        if self.kind != Kind::Receipt && self.count.is_none() {
            line.text(Key::End, Some("t"));
        }
        if let Some(layout) = layout {
            line.key(Key::Columns);
            for (index, column) in layout.columns().iter().enumerate() {
                if index > 0 {
                    line.0.push(',');
                }
                column.push(line.0, layout.profile());
            }
        }
        Ok(())
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
        let (Some(total), true) = (self.meta.total, self.layout.is_some()) else {
            return Ok(());
        };
        let from = self.meta.from.unwrap_or(0);
        let end = from.checked_add(count);
        let all = self.meta.cover == Some(Cover::All);
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
        parse(line).map_err(|error| error.at(1, 1).on_line(1))
    }
}

/// Appends keys and values to a header line.
struct Line<'o>(&'o mut String);

impl Line<'_> {
    fn key(&mut self, key: Key) {
        self.0.push('|');
        self.0.push_str(key.word());
        self.0.push('=');
    }

    fn text(&mut self, key: Key, value: Option<&str>) {
        if let Some(value) = value {
            self.key(key);
            push_text(self.0, value);
        }
    }

    fn number(&mut self, key: Key, value: Option<u64>) {
        if let Some(value) = value {
            self.key(key);
            self.0.push_str(itoa::Buffer::new().format(value));
        }
    }
}

/// Appends the value of a text key, quoted where it has to be.
fn push_text(out: &mut String, value: &str) {
    let bare = !value.is_empty()
        && !value.starts_with('"')
        && !value.starts_with(is_blank)
        && !value.ends_with(is_blank)
        && !value.contains('|')
        && !value.contains(must_escape);
    if bare {
        out.push_str(value)
    } else {
        push_quoted(out, value, Some('|'))
    }
}

fn word_of<T: Copy + PartialEq>(all: &[(T, &'static str)], value: T) -> &'static str {
    all.iter()
        .find(|(each, _)| *each == value)
        .map_or("", |(_, word)| word)
}

fn parse_word<T: Copy>(all: &[(T, &'static str)], text: &str) -> Result<T, Error> {
    all.iter()
        .find(|(_, word)| *word == text)
        .map(|(value, _)| *value)
        .ok_or_else(|| {
            let words: Vec<_> = all.iter().map(|(_, word)| *word).collect();
            Error::new(
                ErrorCode::HeaderValue,
                format!("one of {}", words.join(", ")),
                excerpt(text),
            )
        })
}

/// What a header line says, key by key.
#[derive(Default)]
struct Parts {
    meta: Meta,
    profile: Profile,
    status: Option<Status>,
    code: Option<String>,
    reason: Option<String>,
    count: Option<u64>,
    escaped: bool,
    separator: Option<Separator>,
    t0_ms: Option<i64>,
    end: bool,
    columns: Option<Vec<Column>>,
}

/// Says why a line that should be a header is none.
fn not_a_header(line: &str) -> Error {
    let version = line
        .strip_prefix("QRP")
        .and_then(|rest| rest.split_once('|'));
    if let Some((version, _)) = version
        && !version.is_empty()
        && version.bytes().all(|b| b.is_ascii_digit())
    {
        return Error::new(
            ErrorCode::HeaderVersion,
            "version 1 (QRP1)",
            excerpt(version),
        )
        .at(0, 4);
    }
    Error::new(
        ErrorCode::HeaderMagic,
        "a header that begins with QRP1|",
        excerpt(line),
    )
    .at(0, 1)
}

fn parse(line: &str) -> Result<Header, Error> {
    let rest = line.strip_prefix(MAGIC).ok_or_else(|| not_a_header(line))?;
    if let Some((at, c)) = line.char_indices().find(|(_, c)| must_escape(*c)) {
        return Err(escape::raw(c).at(0, escape::column(line, at)));
    }
    let mut fields = rest.split('|');
    let word = fields.next().unwrap_or_default();
    let mut at = MAGIC.len();
    let kind = Kind::parse(word).ok_or_else(|| {
        Error::new(
            ErrorCode::HeaderKind,
            "one of record, table, series, text, receipt",
            excerpt(word),
        )
        .at(0, escape::column(line, at))
    })?;
    at += word.len() + 1;
    let mut parts = Parts::default();
    let mut before: Option<Key> = None;
    for field in fields {
        let place =
            |error: Error, offset: usize| error.shifted(escape::column(line, at + offset) - 1);
        let (word, value) = field.split_once('=').ok_or_else(|| {
            place(
                Error::new(ErrorCode::HeaderKey, "key=value", excerpt(field)),
                0,
            )
        })?;
        let key = read_key(word, kind, before).map_err(|error| place(error, 0))?;
        parts
            .set(key, word, value, kind)
            .map_err(|error| place(error, word.len() + 1))?;
        before = Some(key);
        at += field.len() + 1;
    }
    let header = parts.into_header(kind)?;
    same(line, &header.to_line()?)?;
    Ok(header)
}

fn read_key(word: &str, kind: Kind, before: Option<Key>) -> Result<Key, Error> {
    let fault = |expected: String, found: String| Error::new(ErrorCode::HeaderKey, expected, found);
    let Some(key) = Key::parse(word) else {
        if RESERVED_KEYS.contains(&word) {
            return Err(Error::new(
                ErrorCode::Reserved,
                "a key of this version",
                format!("the reserved key {word}"),
            ));
        }
        return Err(fault(
            "a known key, or one that begins with x-".to_owned(),
            excerpt(word),
        ));
    };
    if !key.fits(kind) {
        return Err(fault(
            format!("a key of a {}", kind.word()),
            word.to_owned(),
        ));
    }
    match before {
        // Extension keys follow each other; the canonical line has them sorted.
        Some(before) if before > key || (before == key && key != Key::Extension) => Err(fault(
            format!("a key that comes after {}", before.word()),
            word.to_owned(),
        )),
        _ => Ok(key),
    }
}

impl Parts {
    fn set(&mut self, key: Key, word: &str, value: &str, kind: Kind) -> Result<(), Error> {
        let meta = &mut self.meta;
        match key {
            Key::Name => meta.name = Some(text(value)?),
            Key::Profile => self.profile = parse_word(&[(Profile::Seed, "seed")], value)?,
            Key::Status => self.status = Some(parse_word(&Status::ALL, value)?),
            Key::Code => self.code = Some(text(value)?),
            Key::Reason => self.reason = Some(text(value)?),
            Key::Source => meta.source = Some(text(value)?),
            Key::Range => meta.range = Some(range(value)?),
            Key::Snapshot => meta.snapshot = Some(text(value)?),
            Key::Digest => meta.digest = Some(text(value)?),
            Key::Task => meta.task = Some(text(value)?),
            Key::Result => meta.result = Some(number(value)?),
            Key::Cover => meta.cover = Some(parse_word(&Cover::ALL, value)?),
            Key::Rows | Key::Lines => self.count = Some(number(value)?),
            Key::From => meta.from = Some(number(value)?),
            Key::Total => meta.total = Some(number(value)?),
            Key::Cap => meta.cap = Some(parse_word(&Cap::ALL, value)?),
            Key::Next => meta.next = Some(text(value)?),
            Key::Hint => meta.hint = Some(text(value)?),
            Key::Extension => {
                let name = extension_name(word).unwrap_or_default().to_owned();
                if meta.extensions.insert(name, text(value)?).is_some() {
                    return Err(Error::new(ErrorCode::HeaderKey, "each key once", word));
                }
            }
            Key::Escape => self.escaped = parse_word(&[(true, "t")], value)?,
            Key::Separator => {
                let words = [Separator::Comma, Separator::Tab].map(|each| (each, each.word()));
                self.separator = Some(parse_word(&words, value)?);
            }
            Key::Start => self.t0_ms = Some(instant(value)?),
            Key::End => self.end = parse_word(&[(true, "t")], value)?,
            Key::Columns => {
                // A column may be called dt_ms in any series; only the profile, which
                // stands before, gives the name a meaning.
                let profile = if kind == Kind::Series {
                    self.profile
                } else {
                    Profile::Plain
                };
                self.columns = Some(columns(value, profile)?);
            }
        }
        Ok(())
    }

    fn into_header(self, kind: Kind) -> Result<Header, Error> {
        let missing =
            |key: &str| Error::new(ErrorCode::HeaderMissing, format!("the key {key}"), "none");
        let counts = if self.end {
            CountPlace::End
        } else {
            CountPlace::Header
        };
        let count_key = if matches!(kind, Kind::Table | Kind::Series) {
            "rows"
        } else {
            "lines"
        };
        match (kind, self.count, self.end) {
            (Kind::Receipt, ..) | (_, Some(_), false) | (_, None, true) => {}
            (_, None, false) => return Err(missing(&format!("{count_key}, or end=t"))),
            (_, Some(_), true) => {
                return Err(Error::new(
                    ErrorCode::HeaderKey,
                    format!("either {count_key} or end=t"),
                    "both",
                ));
            }
        }
        let layout = match (kind, self.columns) {
            (Kind::Table | Kind::Series, None) => return Err(missing("columns")),
            (Kind::Table | Kind::Series, Some(columns)) => Some(Layout::from_parts(
                kind == Kind::Series,
                self.profile,
                self.separator,
                counts,
                self.t0_ms,
                columns,
            )?),
            _ => None,
        };
        let outcome = match (kind, self.status) {
            (Kind::Receipt, None) => return Err(missing("status")),
            (_, status) => status.map(|status| Outcome {
                status,
                code: self.code,
                reason: self.reason,
            }),
        };
        Ok(Header {
            kind,
            meta: self.meta,
            outcome,
            layout,
            count: self.count,
            escaped: self.escaped,
        })
    }
}

fn text(value: &str) -> Result<String, Error> {
    if !value.starts_with('"') {
        let fault = || Error::new(ErrorCode::HeaderValue, "a value", "nothing");
        return if value.is_empty() {
            Err(fault())
        } else {
            Ok(value.to_owned())
        };
    }
    let (text, used) = read_quoted(value)?;
    if used < value.len() {
        return Err(Error::new(
            ErrorCode::Escape,
            "the end of the value after the closing quote",
            excerpt(&value[used..]),
        )
        .at(0, escape::column(value, used)));
    }
    Ok(text)
}

pub(crate) fn number(value: &str) -> Result<u64, Error> {
    let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
    value.parse().ok().filter(|_| digits).ok_or_else(|| {
        Error::new(
            ErrorCode::HeaderValue,
            "a number from 0 to 2^64 - 1",
            excerpt(value),
        )
    })
}

fn instant(value: &str) -> Result<i64, Error> {
    time::parse_time(value).ok_or_else(|| {
        Error::new(
            ErrorCode::HeaderValue,
            "a time in UTC such as 2026-09-08",
            excerpt(value),
        )
    })
}

fn range(value: &str) -> Result<TimeRange, Error> {
    let (start, end) = value.split_once('/').ok_or_else(|| {
        Error::new(
            ErrorCode::HeaderValue,
            "a range such as 2026-09-08/2026-09-09",
            excerpt(value),
        )
    })?;
    Ok(TimeRange {
        start_ms: instant(start)?,
        end_ms: instant(end)?,
    })
}

fn columns(value: &str, profile: Profile) -> Result<Vec<Column>, Error> {
    let mut columns = Vec::new();
    let mut at = 0;
    loop {
        let (column, used) = Column::parse(&value[at..], profile)
            .map_err(|error| error.shifted(escape::column(value, at) - 1))?;
        columns.push(column);
        match value[at + used..].chars().next() {
            None => return Ok(columns),
            Some(',') => at += used + 1,
            Some('=') => {
                return Err(Error::new(
                    ErrorCode::Reserved,
                    "a column without a constant",
                    "=, which is reserved for constant columns and sequences",
                )
                .at(0, escape::column(value, at + used)));
            }
            Some(c) => {
                return Err(
                    Error::new(ErrorCode::Column, "a comma or the end", format!("{c:?}"))
                        .at(0, escape::column(value, at + used)),
                );
            }
        }
    }
}
