//! A text: a long body, as it is.

use std::borrow::Cow;

use crate::cell::same;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape::{self, must_escape, push_escape};
use crate::header::MAGIC;
use crate::layout::CountPlace;
use crate::meta::Meta;

/// Which part of a longer text a payload holds.
///
/// ```
/// let header = qrp1::Header::parse("QRP1|text|lines=2|part=2|parts=5|glue=t")?;
/// assert_eq!(header.part, Some(qrp1::Part { number: 2, of: Some(5), glued: true }));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// Which part, from 1.
    pub number: u64,
    /// How many parts the text has, where that is known.
    pub of: Option<u64>,
    /// Whether its first line continues the last line of the part before.
    pub glued: bool,
}

impl Part {
    pub(crate) fn check(&self) -> Result<(), Error> {
        let fault = |expected: &str, found: String| {
            Err(Error::new(ErrorCode::HeaderValue, expected, found))
        };
        if self.number == 0 || self.of.is_some_and(|of| self.number > of) {
            let of = self.of.map_or(String::new(), |of| format!(" of {of}"));
            return fault(
                "a part from 1 to the number of parts",
                format!("part {}{of}", self.number),
            );
        }
        if self.glued && self.number == 1 {
            return fault("glue from part 2 on", "glue in part 1".to_owned());
        }
        Ok(())
    }
}

/// A body of text with its facts.
///
/// The lines of the body stand as they are. Only a line that begins like a header, a
/// control line (`@`) or a backslash gets one backslash before it, and a body with
/// characters that never stand raw (see [`must_escape`]; a tab may) is written
/// with escapes throughout and says so in its header.
///
/// ```
/// use qrp1::{Document, Meta, Payload, Text};
///
/// let text = Text::new(Meta::new(), "fn main() {}\n@end|lines=0\n");
/// let written = Payload::from(text.clone()).to_text()?;
/// assert_eq!(written, "QRP1|text|lines=3\nfn main() {}\n\\@end|lines=0\n\n");
/// assert_eq!(Document::parse(&written)?.payloads(), [Payload::Text(text)]);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where the text comes from.
    pub meta: Meta,
    /// The text. Its lines end with line feeds; a last line need not.
    pub body: String,
    /// Whether the lines are written with escapes. [`Text::new`] asks for them where the
    /// body needs them; pages of one text all have them or all not.
    pub escaped: bool,
    /// Whether the count of lines stands in an end line.
    pub counts: CountPlace,
    /// Which part of a longer text this is, if it is one.
    pub part: Option<Part>,
}

impl Text {
    /// A text, with escapes if the body needs them.
    #[must_use]
    pub fn new(meta: Meta, body: impl Into<String>) -> Self {
        let body = body.into();
        let escaped = body.contains(|c| c != '\n' && is_hidden(c));
        Self {
            meta,
            body,
            escaped,
            counts: CountPlace::Header,
            part: None,
        }
    }

    /// The lines of the body, without their line feeds. An empty body has none, unless it is a
    /// part, which has at least one; a body that ends with a line feed has an empty last line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let some = !self.body.is_empty() || self.part.is_some();
        self.body.split('\n').filter(move |_| some)
    }
}

/// Characters that stand in a text only as escapes.
fn is_hidden(c: char) -> bool {
    c != '\t' && must_escape(c)
}

/// Whether a body line would be read as something else and gets a backslash.
fn is_guarded(line: &str) -> bool {
    line.starts_with(['\\', '@']) || line.starts_with(MAGIC)
}

/// Appends a body line.
pub(crate) fn push_line(out: &mut String, line: &str, escaped: bool) -> Result<(), Error> {
    if !escaped {
        if let Some(c) = line.chars().find(|c| is_hidden(*c)) {
            return Err(escape::raw(c));
        }
        if is_guarded(line) {
            out.push('\\');
        }
        out.push_str(line);
    } else {
        // A first backslash is doubled like any other, so it needs no guard of its own.
        if is_guarded(line) && !line.starts_with('\\') {
            out.push('\\');
        }
        for c in line.chars() {
            if c == '\\' || is_hidden(c) {
                push_escape(out, c)
            } else {
                out.push(c)
            }
        }
    }
    out.push('\n');
    Ok(())
}

/// Reads a body line, without its line feed; it is lent where it stands as it is.
pub(crate) fn parse_line(line: &str, escaped: bool) -> Result<Cow<'_, str>, Error> {
    let plain = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
    if !line.bytes().all(plain)
        && let Some((at, c)) = line.char_indices().find(|(_, c)| is_hidden(*c))
    {
        return Err(escape::raw(c).at(0, escape::column(line, at)));
    }
    if memchr::memchr(b'\\', line.as_bytes()).is_none() {
        // Lines that would need a guard are never body lines without one.
        return Ok(Cow::Borrowed(line));
    }
    if !escaped {
        let Some(rest) = line.strip_prefix('\\') else {
            return Ok(Cow::Borrowed(line));
        };
        if !is_guarded(rest) {
            return Err(Error::new(
                ErrorCode::NotCanonical,
                "a backslash at the start only before another one, @ or QRP1|",
                excerpt(line),
            )
            .at(0, 1));
        }
        return Ok(Cow::Borrowed(rest));
    }
    let mut text = String::with_capacity(line.len());
    let guarded = line
        .strip_prefix('\\')
        .filter(|rest| is_guarded(rest) && !rest.starts_with('\\'));
    let mut rest = guarded.unwrap_or(line);
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let (c, used) = escape::read_escape(&rest[at + 1..]).ok_or_else(|| {
            Error::new(
                ErrorCode::Escape,
                "an escape such as \\\\ or \\u001b",
                "another one",
            )
            .at(0, escape::column(line, line.len() - rest.len() + at))
        })?;
        text.push(c);
        rest = &rest[at + 1 + used..];
    }
    text.push_str(rest);
    if text.contains('\n') {
        return Err(Error::new(
            ErrorCode::NotCanonical,
            "a line for each line",
            "an escaped line feed",
        )
        .at(0, 1));
    }
    let mut canonical = String::new();
    push_line(&mut canonical, &text, escaped)?;
    same(line, canonical.strip_suffix('\n').unwrap_or(&canonical))?;
    Ok(Cow::Owned(text))
}
