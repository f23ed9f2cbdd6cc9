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
        let escaped = needs_escapes(&body);
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

impl Text {
    /// The whole body that parts make: joined by a line feed, or by nothing before a part
    /// that is glued. A text that is no part is its own body.
    ///
    /// What the headers say is held against each other: numbers from 1 in order, the number of
    /// parts, `from`, `total` and `next` where they are given, and escapes in all or none.
    /// Where none of `parts`, `total` and `next` is given, a part lost at the end is not seen.
    ///
    /// ```
    /// use qrp1::{Document, Payload, Text};
    ///
    /// let document = Document::parse(
    ///     "QRP1|text|lines=1|part=1|parts=2\na line and its\n\
    ///      QRP1|text|lines=2|part=2|parts=2|glue=t\n second half\nthe end\n",
    /// )?;
    /// let mut texts = document.payloads().iter().filter_map(|payload| match payload {
    ///     Payload::Text(text) => Some(text),
    ///     _ => None,
    /// });
    /// assert_eq!(Text::join(texts.clone())?, "a line and its second half\nthe end");
    ///
    /// let error = Text::join(texts.next()).unwrap_err();
    /// assert_eq!(error.to_string(), "rows_missing: expected part 2 of 2, found the end after part 1");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::RowsMissing`] for no text at all and for a part that is missing;
    /// [`ErrorCode::HeaderValue`] for parts that do not follow each other. Both name the part.
    pub fn join<'t>(parts: impl IntoIterator<Item = &'t Self>) -> Result<String, Error> {
        let mut parts = parts.into_iter();
        let missing = |expected: String, found: String| {
            Err(Error::new(ErrorCode::RowsMissing, expected, found))
        };
        let Some(first) = parts.next() else {
            return missing("part 1".to_owned(), "no text".to_owned());
        };
        let mut body = String::new();
        let (mut last, mut of) = (first, None);
        let mut count = 0;
        // The ordinal of the line behind those so far.
        let mut end = first.meta.from.unwrap_or(0);
        for text in [first].into_iter().chain(parts) {
            let part = match text.part {
                Some(part) => part,
                None if count == 0 => Part {
                    number: 1,
                    of: Some(1),
                    glued: false,
                },
                None => {
                    return Err(Error::new(
                        ErrorCode::HeaderValue,
                        format!("part {}", count + 1),
                        "a text that is no part",
                    ));
                }
            };
            part.check()?;
            count += 1;
            let from = end.saturating_sub(u64::from(part.glued));
            text.follows(last, part, count, of, from)?;
            end = from.saturating_add(text.lines().count() as u64);
            if count > 1 && !part.glued {
                body.push('\n');
            }
            body.push_str(&text.body);
            of = of.or(part.of);
            last = text;
        }
        let more = of.is_some_and(|of| of != count)
            || last.meta.next.is_some()
            || last.meta.total.is_some_and(|total| end < total);
        if more {
            let of = of.map_or(String::new(), |of| format!(" of {of}"));
            return missing(
                format!("part {}{of}", count + 1),
                format!("the end after part {count}"),
            );
        }
        Ok(body)
    }

    /// Checks that this text, whose `part` should be number `count`, goes on after `last`.
    fn follows(
        &self,
        last: &Self,
        part: Part,
        count: u64,
        of: Option<u64>,
        from: u64,
    ) -> Result<(), Error> {
        let fault = |expected: String, found: String| {
            Err(Error::new(ErrorCode::HeaderValue, expected, found))
        };
        if part.number != count {
            return fault(format!("part {count}"), format!("part {}", part.number));
        }
        if let (Some(of), found) = (of, part.of)
            && (count > of || found.is_some_and(|found| found != of))
        {
            let found = found.map_or(String::new(), |found| format!(" of {found}"));
            return fault(format!("{of} parts"), format!("part {count}{found}"));
        }
        if self.escaped != last.escaped {
            let word = |escaped| if escaped { "with" } else { "without" };
            return fault(
                format!("part {count} {} escapes, as part 1", word(last.escaped)),
                format!("one {} them", word(self.escaped)),
            );
        }
        if self.meta.total != last.meta.total {
            let total = |text: &Self| {
                let total = text.meta.total;
                total.map_or("none".to_owned(), |total| total.to_string())
            };
            return fault(
                format!("total {} in part {count}, as in part 1", total(last)),
                total(self),
            );
        }
        if let Some(found) = self.meta.from
            && found != from
        {
            return fault(
                format!("part {count} from line {from}"),
                format!("from {found}"),
            );
        }
        let same = [
            ("snapshot", &self.meta.snapshot, &last.meta.snapshot),
            ("digest", &self.meta.digest, &last.meta.digest),
        ];
        if let Some((key, ..)) = same.into_iter().find(|(_, own, before)| own != before) {
            return fault(
                format!("the {key} of part 1 in part {count}"),
                "another one".to_owned(),
            );
        }
        Ok(())
    }
}

/// Whether a body has to be written with escapes.
pub(crate) fn needs_escapes(body: &str) -> bool {
    body.contains(|c| c != '\n' && is_hidden(c))
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
    if !escaped && let Some(c) = line.chars().find(|c| is_hidden(*c)) {
        return Err(escape::raw(c));
    }
    push_piece(out, line, escaped, true);
    out.push('\n');
    Ok(())
}

/// Appends a piece of a body line, with a guard where it needs one as the first of its line.
/// Without escapes no hidden character may be in it.
pub(crate) fn push_piece(out: &mut String, piece: &str, escaped: bool, first: bool) {
    // With escapes a first backslash is doubled like any other and needs no guard of its own.
    if first && is_guarded(piece) && !(escaped && piece.starts_with('\\')) {
        out.push('\\');
    }
    if !escaped {
        out.push_str(piece);
        return;
    }
    for c in piece.chars() {
        if c == '\\' || is_hidden(c) {
            push_escape(out, c)
        } else {
            out.push(c)
        }
    }
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
