//! A text: a long body, as it is.

use crate::error::{Error, ErrorCode};
use crate::escape::{self, must_escape, push_escape};
use crate::header::MAGIC;
use crate::layout::CountPlace;
use crate::meta::Meta;
use crate::row::same;

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
        }
    }

    /// The lines of the body, without their line feeds. An empty body has none; a body
    /// that ends with a line feed has an empty last line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        let some = !self.body.is_empty();
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

/// Reads a body line, without its line feed.
pub(crate) fn parse_line(line: &str, escaped: bool, scratch: &mut String) -> Result<String, Error> {
    if let Some((at, c)) = line.char_indices().find(|(_, c)| is_hidden(*c)) {
        return Err(escape::raw(c).at(0, escape::column(line, at)));
    }
    let mut text = String::with_capacity(line.len());
    if !escaped {
        text.push_str(line.strip_prefix('\\').unwrap_or(line));
    } else {
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
    }
    scratch.clear();
    push_line(scratch, &text, escaped)?;
    same(line, scratch.strip_suffix('\n').unwrap_or(scratch))?;
    Ok(text)
}
