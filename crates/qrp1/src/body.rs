//! The lines under a header: rows, anchors, fields, text, and the end line.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::cell::same;
use crate::error::{Error, ErrorCode, excerpt};
use crate::header::{self, CRC, END, Header, LINES, MAGIC};
use crate::kind::Kind;
use crate::layout::Layout;
use crate::limits::Limits;
use crate::reader::End;
use crate::record::Field;
use crate::row::{Position, RowCells, RowEnd};
use crate::step;
use crate::text;
use crate::time::{self, Anchor};

/// What is known of a payload while its lines are read.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) header: Header,
    limits: Limits,
    /// What the values that the header states take for one row, in bytes.
    hoisted_row: u64,
    /// The same for all rows so far, less what the lines read warrant.
    hoisted: u64,
    seen: u64,
    position: Position,
    /// The names of a record's fields so far.
    names: HashSet<String>,
    /// Whether a text's only line so far is empty.
    only_blank: bool,
    /// Whether no row has come under the anchor above yet.
    bare_anchor: bool,
    /// The CRC of the payload so far, where it has one or may still have one.
    crc: Option<crc32fast::Hasher>,
}

/// What one line is.
pub(crate) enum BodyLine<'t> {
    Anchor,
    /// A row: [`Body::cells`] reads it, and [`Body::end_row`] takes its end.
    Row,
    Field(Field),
    Text(Cow<'t, str>),
    End(End),
}

impl Body {
    /// The body under the header on `line`.
    pub(crate) fn new(header: Header, line: &str, limits: Limits) -> Self {
        // Where the count comes in an end line, a CRC may come there too.
        let crc = (header.crc.is_some() || header.count.is_none()).then(|| header.start_crc(line));
        Self {
            position: Position::starting_at(header.meta.from.unwrap_or(0)),
            hoisted_row: header.layout.as_ref().map_or(0, Layout::hoisted_bytes),
            hoisted: 0,
            header,
            limits,
            seen: 0,
            names: HashSet::new(),
            only_blank: false,
            bare_anchor: false,
            crc,
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.header.kind == Kind::Receipt || self.header.count == Some(self.seen)
    }

    /// How many rows, fields or lines there were so far.
    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn noun(&self) -> &'static str {
        if self.header.layout.is_some() {
            "rows"
        } else {
            "lines"
        }
    }

    /// What has to come before the payload is complete, in words.
    pub(crate) fn expected(&self) -> String {
        match self.header.count {
            Some(count) => format!("{count} {}", self.noun()),
            None => format!("the end line {END}{}=N", self.noun()),
        }
    }

    /// Reads one line, without its line feed.
    ///
    /// # Errors
    /// Any fault of a line, with the column.
    #[inline]
    pub(crate) fn read<'t>(&mut self, line: &'t str) -> Result<BodyLine<'t>, Error> {
        match line.as_bytes().first() {
            Some(b'@') => return self.control(line),
            Some(b'Q') if line.starts_with(MAGIC) => {
                return Err(Error::new(
                    ErrorCode::RowsMissing,
                    self.expected(),
                    format!("the next header after {}", self.seen),
                ));
            }
            Some(b' ') if self.header.kind != Kind::Text => {
                return Err(Error::new(
                    ErrorCode::Reserved,
                    "a row or a field",
                    "a line that begins with a space, which is reserved for children",
                ));
            }
            _ => {}
        }
        self.digest("", line);
        match self.header.layout {
            None => self.unlaid(line),
            Some(ref layout) => {
                if self.hoisted_row > 0 {
                    let warranted = (line.len() as u64 + 1).saturating_mul(256);
                    let hoisted = self.hoisted.saturating_add(self.hoisted_row);
                    self.hoisted = hoisted.saturating_sub(warranted);
                    if self.hoisted > self.limits.max_hoisted_bytes {
                        return Err(self.limits.too_much_hoisted());
                    }
                }
                if layout.anchor().is_some() && self.position.anchor_ms.is_none() {
                    let expected = "an anchor before the first row";
                    return Err(Error::new(ErrorCode::Anchor, expected, "a row"));
                }
                Ok(BodyLine::Row)
            }
        }
    }

    /// Reads a line of a record or a text.
    fn unlaid<'t>(&mut self, line: &'t str) -> Result<BodyLine<'t>, Error> {
        let read = if self.header.kind == Kind::Record {
            BodyLine::Field(self.field(line)?)
        } else {
            BodyLine::Text(text::parse_line(line, self.header.escaped)?)
        };
        self.only_blank = self.seen == 0 && line.is_empty();
        if self.only_blank && self.header.part.is_some_and(|part| part.glued) {
            return Err(Error::new(
                ErrorCode::NotCanonical,
                "the rest of a line that was cut between two characters",
                "an empty line",
            ));
        }
        self.seen += 1;
        if self.header.kind == Kind::Text && self.is_complete() {
            self.check_blank()?;
        }
        Ok(read)
    }

    /// The cells of a line that is a row; `None` where there are no rows. `ahead` is the line
    /// and what is at hand of what follows it; `constants` as [`RowCells::new`] takes them.
    #[inline]
    pub(crate) fn cells<'t, 'b>(
        &'b self,
        line: &'t str,
        ahead: &'t [u8],
        constants: &'b [Option<&'t str>],
    ) -> Option<RowCells<'t, 'b>> {
        let layout = self.header.layout.as_ref()?;
        Some(RowCells::new(
            line,
            ahead,
            layout,
            constants,
            &self.position,
            &self.limits,
        ))
    }

    /// Takes the end of a row.
    #[inline]
    pub(crate) fn end_row(&mut self, end: RowEnd) {
        self.position.pass(end);
        self.bare_anchor = false;
        self.seen += 1;
    }

    fn field(&mut self, line: &str) -> Result<Field, Error> {
        if self.names.len() == self.limits.max_columns {
            return Err(self.limits.too_many("fields"));
        }
        let field = Field::parse(line)?;
        if !self.names.insert(field.name().to_owned()) {
            return Err(Error::new(
                ErrorCode::Column,
                "fields of different names",
                format!("{} twice", excerpt(field.name())),
            ));
        }
        Ok(field)
    }

    fn digest(&mut self, before: &str, line: &str) {
        if let Some(crc) = &mut self.crc {
            crc.update(before.as_bytes());
            crc.update(line.as_bytes());
            crc.update(b"\n");
        }
    }

    /// Reads a line that begins with `@`.
    fn control<'t>(&mut self, line: &'t str) -> Result<BodyLine<'t>, Error> {
        if let Some(rest) = line.strip_prefix(END) {
            return self.end(rest).map(BodyLine::End);
        }
        let text = &line[1..];
        let layout = self.header.layout.as_ref();
        if let Some(anchor) = layout.and_then(Layout::anchor) {
            self.anchor(anchor, text)?;
        } else if layout.is_some_and(Layout::has_anchors) {
            self.stated_time(text)?;
        } else {
            return Err(Error::new(
                ErrorCode::Reserved,
                "a row or the end line",
                "a line that begins with @, which is reserved for control lines",
            ));
        }
        self.bare_anchor = true;
        self.position.lines += 1;
        self.digest("@", text);
        Ok(BodyLine::Anchor)
    }

    /// Reads what follows the `@` of an anchor that states a span.
    fn anchor(&mut self, anchor: Anchor, text: &str) -> Result<(), Error> {
        let Some(start_ms) = anchor.parse(text) else {
            return Err(Error::new(
                ErrorCode::Anchor,
                anchor.example(),
                excerpt(text),
            ));
        };
        self.check_bare_anchor("another anchor")?;
        if self.position.anchor_ms == Some(start_ms) {
            return Err(Error::new(
                ErrorCode::Anchor,
                "an anchor only where it changes",
                "the one above again",
            ));
        }
        self.position.anchor_ms = Some(start_ms);
        Ok(())
    }

    /// Reads what follows the `@` of an anchor that states the time of the next row.
    fn stated_time(&mut self, text: &str) -> Result<(), Error> {
        let time_ms = time::parse_time(text).filter(|time_ms| time::in_range(*time_ms));
        let Some(time_ms) = time_ms else {
            let expected = "an anchor such as @2026-09-08 or @2026-09-08T01:30Z";
            return Err(Error::new(ErrorCode::Anchor, expected, excerpt(text)));
        };
        self.check_bare_anchor("another anchor")?;
        let mut canonical = String::new();
        time::push_time(&mut canonical, time_ms);
        same(text, &canonical).map_err(|error| error.shifted(1))?;
        let step_ms = self.header.layout.as_ref().and_then(Layout::step_ms);
        if let (Some(step_ms), Some(last_ms)) = (step_ms, self.position.last_ms)
            && !step::needs_anchor(step_ms, Some(last_ms), time_ms)
        {
            return Err(Error::new(
                ErrorCode::Anchor,
                "an anchor only where it is needed",
                "the time that the next row has without it",
            ));
        }
        self.position.stated_ms = Some(time_ms);
        Ok(())
    }

    fn check_bare_anchor(&self, found: &str) -> Result<(), Error> {
        if self.bare_anchor {
            let expected = "a row under the anchor above";
            return Err(Error::new(ErrorCode::Anchor, expected, found));
        }
        Ok(())
    }

    /// Checks the count of lines where anchors are among them.
    fn check_lines(&self, lines: Option<u64>) -> Result<(), Error> {
        let found = self.position.lines;
        let code = match lines {
            Some(lines) if lines > found => ErrorCode::RowsMissing,
            Some(lines) if lines < found => ErrorCode::RowExtra,
            _ => return Ok(()),
        };
        let expected = format!("{} lines", lines.unwrap_or(0));
        Err(Error::new(code, expected, found.to_string()))
    }

    /// The end of a payload whose count stood in its header.
    ///
    /// # Errors
    /// Counts or a CRC that do not fit what was read.
    pub(crate) fn complete(&self) -> Result<End, Error> {
        self.check_lines(self.header.lines)?;
        if let (Some(expected), Some(crc)) = (self.header.crc, &self.crc) {
            check_crc(expected, crc.clone())?;
        }
        Ok(End {
            count: self.seen,
            crc: self.header.crc,
        })
    }

    /// Reads what follows `@end|`.
    fn end(&mut self, rest: &str) -> Result<End, Error> {
        if let Some(count) = self.header.count {
            return Err(Error::new(
                ErrorCode::EndLine,
                format!("{count} {} and no end line", self.noun()),
                format!("an end line after {}", self.seen),
            ));
        }
        let noun = self.noun();
        let fault = |_| Error::new(ErrorCode::EndLine, format!("{END}{noun}=N"), excerpt(rest));
        let (covered, crc) = match rest.split_once(CRC) {
            Some((covered, crc)) => (covered, Some(crc)),
            None => (rest, None),
        };
        let layout = self.header.layout.as_ref();
        let anchored = layout.is_some_and(Layout::has_anchors);
        let (rows, lines) = match covered.split_once(LINES) {
            Some((rows, lines)) if anchored => {
                (rows, Some(header::number(lines).map_err(|_| fault(()))?))
            }
            None if !anchored => (covered, None),
            _ => return Err(fault(())),
        };
        let value = rows
            .strip_prefix(noun)
            .and_then(|rest| rest.strip_prefix('='));
        let value = value.ok_or(()).map_err(fault)?;
        let count = header::number(value).map_err(|_| fault(()))?;
        let crc = crc.map(header::crc).transpose().map_err(|_| fault(()))?;
        if count != self.seen {
            let code = if count > self.seen {
                ErrorCode::RowsMissing
            } else {
                ErrorCode::RowExtra
            };
            return Err(Error::new(
                code,
                format!("{count} {noun}"),
                self.seen.to_string(),
            ));
        }
        self.check_bare_anchor("the end line")?;
        self.check_lines(lines)?;
        let mut canonical = format!("{noun}={count}");
        for (key, number) in [(LINES, lines), (CRC, crc.map(u64::from))] {
            if let Some(number) = number {
                canonical.push_str(key);
                canonical.push_str(itoa::Buffer::new().format(number));
            }
        }
        same(rest, &canonical).map_err(|error| error.shifted(END.len() as u64))?;
        if let (Some(expected), Some(mut crc)) = (crc, self.crc.take()) {
            crc.update(END.as_bytes());
            crc.update(covered.as_bytes());
            check_crc(expected, crc)?;
        }
        self.header.check_count(count)?;
        self.check_blank()?;
        Ok(End { count, crc })
    }

    /// Refuses a text of one empty line, whose one form has no lines; a part may have it.
    fn check_blank(&self) -> Result<(), Error> {
        if self.only_blank && self.seen == 1 && self.header.part.is_none() {
            return Err(Error::new(
                ErrorCode::NotCanonical,
                "lines=0 for an empty text",
                "one empty line",
            ));
        }
        if self.seen == 0 && self.header.part.is_some() {
            return Err(Error::new(
                ErrorCode::NotCanonical,
                "a part of at least one line",
                "none",
            ));
        }
        Ok(())
    }
}

fn check_crc(expected: u32, crc: crc32fast::Hasher) -> Result<(), Error> {
    let found = crc.finalize();
    if found == expected {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::Crc,
        format!("a text of CRC {expected}"),
        format!("one of CRC {found}: it was changed on the way"),
    ))
}
