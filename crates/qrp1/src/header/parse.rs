//! A line to its header.

use super::key::{Key, RESERVED_KEYS, extension_name};
use super::{Header, MAGIC};
use crate::cell::same;
use crate::column::Column;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, must_escape, read_quoted};
use crate::kind::Kind;
use crate::layout::{CountPlace, Layout, Profile, Separator};
use crate::meta::{Cap, Cover, Meta, TimeRange};
use crate::receipt::{Outcome, Status};
use crate::text::Part;
use crate::time;

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
    lines: Option<u64>,
    escaped: bool,
    separator: Option<Separator>,
    t0_ms: Option<i64>,
    end: bool,
    columns: Option<Vec<Column>>,
    crc: Option<u32>,
    part: Option<u64>,
    parts: Option<u64>,
    glued: bool,
}

/// The version that a header of another version names.
pub(super) fn other_version(line: &str) -> Option<&str> {
    let (version, _) = line.strip_prefix("QRP")?.split_once('|')?;
    let digits = !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit());
    (digits && version != "1").then_some(version)
}

/// Says why a line that should be a header is none.
fn not_a_header(line: &str) -> Error {
    if let Some(version) = other_version(line) {
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

pub(super) fn parse(line: &str) -> Result<Header, Error> {
    let rest = line.strip_prefix(MAGIC).ok_or_else(|| not_a_header(line))?;
    let (kind, parts) = read_parts(line, rest, None)?;
    let header = parts.into_header(kind)?;
    same(line, &header.to_line()?)?;
    Ok(header)
}

/// Reads a layout that was saved apart from its rows.
///
/// # Errors
/// As those of a header, with line 1 and the column.
pub(crate) fn parse_layout(line: &str) -> Result<Layout, Error> {
    let read = || {
        let allowed = [
            Key::Profile,
            Key::Separator,
            Key::Start,
            Key::End,
            Key::Columns,
        ];
        let (kind, mut parts) = read_parts(line, line, Some(&allowed))?;
        if !matches!(kind, Kind::Table | Kind::Series) {
            return Err(Error::new(
                ErrorCode::HeaderKind,
                "table or series",
                kind.word(),
            ));
        }
        let counts = if parts.end {
            CountPlace::End
        } else {
            CountPlace::Header
        };
        let layout = parts.take_layout(kind, counts)?;
        same(line, &layout.to_line())?;
        Ok(layout)
    };
    read().map_err(|error: Error| error.at(1, 1).on_line(1))
}

/// Reads the kind and the keys in `rest`, the part of `line` behind the magic.
fn read_parts(line: &str, rest: &str, allowed: Option<&[Key]>) -> Result<(Kind, Parts), Error> {
    if let Some((at, c)) = line.char_indices().find(|(_, c)| must_escape(*c)) {
        return Err(escape::raw(c).at(0, escape::column(line, at)));
    }
    let mut fields = rest.split('|');
    let word = fields.next().unwrap_or_default();
    let mut at = line.len() - rest.len();
    let kind = Kind::parse(word).ok_or_else(|| {
        Error::new(
            ErrorCode::HeaderKind,
            match allowed {
                Some(_) => "table or series",
                None => "one of record, table, series, text, receipt",
            },
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
        if allowed.is_some_and(|allowed| !allowed.contains(&key)) {
            let fault = Error::new(ErrorCode::HeaderKey, "a key of a layout", word);
            return Err(place(fault, 0));
        }
        parts
            .set(key, word, value, kind)
            .map_err(|error| place(error, word.len() + 1))?;
        before = Some(key);
        at += field.len() + 1;
    }
    Ok((kind, parts))
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

fn missing(key: &str) -> Error {
    Error::new(ErrorCode::HeaderMissing, format!("the key {key}"), "none")
}

impl Parts {
    fn set(&mut self, key: Key, word: &str, value: &str, kind: Kind) -> Result<(), Error> {
        let meta = &mut self.meta;
        match key {
            Key::Name => meta.name = Some(text(value)?),
            Key::Profile if value == "tight" => {
                return Err(Error::new(
                    ErrorCode::Reserved,
                    "profile seed, or none",
                    "the reserved profile tight",
                ));
            }
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
            Key::Lines if kind == Kind::Series => self.lines = Some(number(value)?),
            Key::Rows | Key::Lines => self.count = Some(number(value)?),
            Key::From => meta.from = Some(number(value)?),
            Key::Total => meta.total = Some(number(value)?),
            Key::Part => self.part = Some(ordinal(value)?),
            Key::Parts => self.parts = Some(ordinal(value)?),
            Key::Glue => self.glued = parse_word(&[(true, "t")], value)?,
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
            Key::Crc => {
                self.crc = Some(crc(value)?);
                meta.crc = true;
            }
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

    /// The layout that the keys describe.
    fn take_layout(&mut self, kind: Kind, counts: CountPlace) -> Result<Layout, Error> {
        let columns = self.columns.take().ok_or_else(|| missing("columns"))?;
        Layout::from_parts(
            kind == Kind::Series,
            self.profile,
            self.separator,
            counts,
            self.t0_ms,
            columns,
        )
    }

    fn into_header(mut self, kind: Kind) -> Result<Header, Error> {
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
        let from = self.meta.from.unwrap_or(0);
        let layout = match kind {
            // A page's sequences are counted from its first row.
            Kind::Table | Kind::Series => {
                let layout = self.take_layout(kind, counts)?;
                Some(layout.moved(-i128::from(from))?)
            }
            _ => None,
        };
        let part = match (self.part, self.parts, self.glued) {
            (None, None, false) => None,
            (None, ..) => return Err(missing("part")),
            (Some(number), of, glued) => Some(Part { number, of, glued }),
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
            lines: self.lines,
            crc: self.crc,
            part,
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
    Ok(text.into_owned())
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

/// A count from 1.
fn ordinal(value: &str) -> Result<u64, Error> {
    number(value).and_then(|ordinal| match ordinal {
        0 => Err(Error::new(
            ErrorCode::HeaderValue,
            "a number from 1",
            excerpt(value),
        )),
        _ => Ok(ordinal),
    })
}

pub(crate) fn crc(value: &str) -> Result<u32, Error> {
    let fault = |_| {
        Error::new(
            ErrorCode::HeaderValue,
            "a CRC from 0 to 2^32 - 1",
            excerpt(value),
        )
    };
    number(value).and_then(|crc| u32::try_from(crc).map_err(|_| fault(())))
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
        let shift = |error: Error| error.shifted(escape::column(value, at) - 1);
        let (column, used) = Column::parse_hoisted(&value[at..], profile).map_err(shift)?;
        columns.push(column);
        at += used;
        match value[at..].chars().next() {
            None => return Ok(columns),
            Some(',') => at += 1,
            Some(_) => {
                return Err(Error::new(
                    ErrorCode::Column,
                    "a comma or the end of the columns",
                    excerpt(&value[at..]),
                )
                .at(0, escape::column(value, at)));
            }
        }
    }
}
