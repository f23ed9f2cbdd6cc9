//! Parts: a long text in payloads that each keep caps in bytes, tokens and lines.

use crate::document::Payload;
use crate::error::{Error, ErrorCode};
use crate::layout::CountPlace;
use crate::line_break::{before_blank, floor};
use crate::meta::{Cap, Meta};
use crate::page::Caps;
use crate::text::{self, Part, Text};
use crate::text_cut::{TextCut, TextPage, TextPlace};
use crate::tokens::TokenCounter;

/// The first piece of a part is measured in at most this many bytes of the body; each further
/// piece of its first line in twice as many, up to [`MAX_PIECE`].
const MIN_PIECE: usize = 16;

/// No more than this many bytes of a line are measured at once, so that what a part costs
/// follows from its caps and not from how long the line goes on.
const MAX_PIECE: usize = 128;

/// How often a part is made smaller by what it is over; from then on it is halved.
const TRIES: u32 = 4;

/// Cuts a text into parts that each keep the caps, header and all.
///
/// A part ends after a whole line. Only a line that does not fit a part of its own is cut, between
/// two characters: before a blank if one is near, since tokens begin with their blank, and
/// otherwise not before a combining mark, a joiner or a carriage return, where that can be
/// helped. Escapes and guards count as they are written. [`Caps::max_rows`] counts lines.
///
/// A part is filled by the tokens of its lines (of a long line, of its pieces), and then counted
/// as a whole: it is never over the cap, and where tokens span lines it may be a little under it.
///
/// The time is linear in what is written, whatever the length of a line. [`TextParts::new`] and
/// [`TextParts::at`] pass over the body once.
///
/// ```
/// use qrp1::{Caps, Document, Error, Payload, Text, TextParts};
///
/// let body = "# Notes\n".to_owned() + &"a long line ".repeat(9);
/// let caps = Caps { max_bytes: Some(125), ..Caps::default() };
/// let mut parts = TextParts::new(&body, caps, None)?;
/// let mut texts = Vec::new();
/// while let Some(page) = parts.next_part(|cut| {
///     let mut meta = cut.meta();
///     meta.next = cut.next.map(|place| format!("c{}-{}", place.part, place.byte));
///     Ok::<_, Error>(meta)
/// })? {
///     assert!(page.text.len() <= 125);
///     texts.push(page.text);
/// }
/// assert_eq!(texts.len(), 3);
/// assert_eq!(
///     texts[1],
///     "QRP1|text|cover=page|lines=1|from=1|total=2|part=2|cap=bytes|next=c3-57\n\
///      a long line a long line a long line a long line a\n",
/// );
/// assert!(texts[2].ends_with("|part=3|glue=t\n long line a long line a long line a long line a long line \n"));
///
/// let document = Document::parse(&texts.concat())?;
/// let texts = document.payloads().iter().filter_map(|payload| match payload {
///     Payload::Text(text) => Some(text),
///     _ => None,
/// });
/// assert_eq!(Text::join(texts)?, body);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "holds the caller's counter")]
pub struct TextParts<'b, 'c> {
    body: &'b str,
    caps: Caps,
    counter: Option<&'c dyn TokenCounter>,
    escaped: bool,
    /// The lines of the body.
    total: u64,
    /// Where the next part begins; `None` when there is none.
    place: Option<TextPlace>,
    /// The line at the place.
    line: u64,
    /// The number of parts that headers tell.
    of: Option<u64>,
    /// Bytes and tokens to leave free.
    reserve: (usize, usize),
}

/// Where a part may end.
#[derive(Clone, Copy)]
struct End {
    /// The end in the body, before the line feed.
    at: usize,
    /// Whether a line ends there.
    whole: bool,
    lines: u64,
    /// The bytes of the lines as they are written.
    bytes: usize,
    /// The tokens of the lines, summed by pieces.
    tokens: usize,
}

/// The most bytes and tokens that lines may have.
#[derive(Clone, Copy)]
struct Room {
    bytes: usize,
    tokens: usize,
}

impl Room {
    fn less(self, bytes: usize, tokens: usize) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(bytes),
            tokens: self.tokens.saturating_sub(tokens),
        }
    }

    /// The cap that an end is over.
    fn broken(self, end: &End) -> Option<Cap> {
        if end.bytes > self.bytes {
            Some(Cap::Bytes)
        } else if end.tokens > self.tokens {
            Some(Cap::Tokens)
        } else {
            None
        }
    }
}

/// A part before it is written for good.
struct Draft {
    payload: Payload,
    page: TextPage,
}

impl Draft {
    fn header(&self) -> &str {
        let text = &self.page.text;
        let end = memchr::memchr(b'\n', text.as_bytes()).map_or(text.len(), |at| at + 1);
        &text[..end]
    }
}

impl<'b, 'c> TextParts<'b, 'c> {
    /// Begins at the start of a body. It is decided here whether all parts are written with
    /// escapes.
    ///
    /// # Errors
    /// [`ErrorCode::Caps`] for a cap in tokens without a counter and for a cap of no lines.
    pub fn new(
        body: &'b str,
        caps: Caps,
        counter: Option<&'c dyn TokenCounter>,
    ) -> Result<Self, Error> {
        let fault = |expected: &str, found: &str| Error::new(ErrorCode::Caps, expected, found);
        if caps.max_tokens.is_some() && counter.is_none() {
            return Err(fault("a token counter for max_tokens", "none"));
        }
        if caps.max_rows == Some(0) {
            return Err(fault("a part of at least one line", "max_rows 0"));
        }
        Ok(Self {
            body,
            caps,
            counter,
            escaped: text::needs_escapes(body),
            total: u64::from(!body.is_empty()) + line_feeds(body),
            place: Some(TextPlace { byte: 0, part: 1 }),
            line: 0,
            of: None,
            reserve: (0, 0),
        })
    }

    /// Goes on from a place in the same body.
    ///
    /// ```
    /// use qrp1::{Caps, ErrorCode, TextParts, TextPlace};
    ///
    /// let parts = || TextParts::new("h\u{e9}llo\nworld", Caps::default(), None);
    /// let page = parts()?
    ///     .at(TextPlace { byte: 3, part: 2 })?
    ///     .next_part(|_| Ok::<_, qrp1::Error>(qrp1::Meta::new()))?;
    /// assert_eq!(
    ///     page.map(|page| page.text).as_deref(),
    ///     Some("QRP1|text|lines=2|part=2|glue=t\nllo\nworld\n"),
    /// );
    /// // The middle of a character is no place, nor is the end of a line.
    /// for byte in [2, 6, 12, u64::MAX] {
    ///     let error = parts()?.at(TextPlace { byte, part: 2 }).map(|_| ()).unwrap_err();
    ///     assert_eq!(error.code(), ErrorCode::HeaderValue);
    /// }
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorCode::HeaderValue`] for a byte that is behind the body, inside a character or at
    /// the end of a line, and for a number that no part there can have.
    pub fn at(mut self, place: TextPlace) -> Result<Self, Error> {
        let fault = |expected: String, found: String| {
            Err(Error::new(ErrorCode::HeaderValue, expected, found))
        };
        let split = usize::try_from(place.byte)
            .ok()
            .and_then(|byte| self.body.split_at_checked(byte));
        let Some((before, after)) = split else {
            return fault(
                format!("a character of {} bytes to begin at", self.body.len()),
                format!("byte {}", place.byte),
            );
        };
        let glued = !before.is_empty() && !before.ends_with('\n');
        if glued && (after.is_empty() || after.starts_with('\n')) {
            return fault(
                "a line to begin in".to_owned(),
                format!("its end at byte {}", place.byte),
            );
        }
        // Every part before this one has taken a byte at least.
        if place.part == 0 || (place.part == 1) != before.is_empty() || place.part - 1 > place.byte
        {
            return fault(
                if before.is_empty() {
                    "part 1 at byte 0".to_owned()
                } else {
                    format!("part 2 or a later one at byte {}", place.byte)
                },
                format!("part {}", place.part),
            );
        }
        self.line = line_feeds(before);
        self.place = Some(place);
        Ok(self)
    }

    /// Where the next part begins; `None` after the last one.
    #[must_use]
    pub fn place(&self) -> Option<TextPlace> {
        self.place
    }

    /// How many lines the whole body has, for `total`.
    ///
    /// ```
    /// let parts = qrp1::TextParts::new("one\ntwo\n", qrp1::Caps::default(), None)?;
    /// assert_eq!(parts.total(), 3);
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Writes the next part; `None` after the last one. A body that fits is written whole, and
    /// is no part.
    ///
    /// `meta` gives the facts of the header for a cut; it is called again with a smaller cut as
    /// long as the part is too large. It should be a pure function of the cut.
    ///
    /// # Errors
    /// What `meta` gives; [`ErrorCode::RowTooLarge`], with the size, when not even one
    /// character fits with the header; any `header_*` code for facts that do not fit
    /// together. The place is then as it was.
    pub fn next_part<E: From<Error>>(
        &mut self,
        mut meta: impl FnMut(&TextCut) -> Result<Meta, E>,
    ) -> Result<Option<TextPage>, E> {
        Ok(self.next_draft(&mut meta)?.map(|draft| draft.page))
    }

    /// Writes all parts of the body, from its start, each of which says how many there are.
    ///
    /// ```
    /// use qrp1::{Caps, TextParts};
    ///
    /// let caps = Caps { max_rows: Some(1), ..Caps::default() };
    /// let pages = TextParts::new("one\ntwo", caps, None)?
    ///     .all(|_| Ok::<_, qrp1::Error>(qrp1::Meta::new()))?;
    /// assert_eq!(pages[0].text, "QRP1|text|lines=1|part=1|parts=2\none\n");
    /// assert_eq!(pages[1].text, "QRP1|text|lines=1|part=2|parts=2\ntwo\n");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`TextParts::next_part`].
    pub fn all<E: From<Error>>(
        mut self,
        mut meta: impl FnMut(&TextCut) -> Result<Meta, E>,
    ) -> Result<Vec<TextPage>, E> {
        // Parts are cut with a number of nines in place of their count, which is put in at the
        // end. Where there are more, it is begun anew with one digit more.
        let mut of = 9;
        'cut: loop {
            self.place = Some(TextPlace { byte: 0, part: 1 });
            self.line = 0;
            self.of = Some(of);
            let mut drafts = Vec::new();
            while let Some(draft) = self.next_draft(&mut meta)? {
                drafts.push(draft);
                if drafts.len() as u64 == of && self.place.is_some() {
                    of = of.saturating_mul(10).saturating_add(9);
                    continue 'cut;
                }
            }
            let count = drafts.len() as u64;
            let mut over = (0, 0);
            let mut pages = Vec::with_capacity(drafts.len());
            for Draft {
                mut payload,
                mut page,
            } in drafts
            {
                if let Payload::Text(Text {
                    part: Some(part), ..
                }) = &mut payload
                {
                    part.of = Some(count);
                    page.text = payload.to_text()?;
                    page.tokens = self.counter.map(|_| self.count(&page.text));
                    let excess = |size: usize, cap: Option<usize>| {
                        cap.map_or(0, |cap| size.saturating_sub(cap))
                    };
                    over.0 = excess(page.text.len(), self.caps.max_bytes).max(over.0);
                    over.1 = excess(page.tokens.unwrap_or(0), self.caps.max_tokens).max(over.1);
                }
                pages.push(page);
            }
            if over == (0, 0) {
                return Ok(pages);
            }
            // The digits of the count, or of a CRC over them, took more than the nines did. What
            // is left free at least doubles, so this ends, if need be with `row_too_large`.
            let more = |free: usize, over: usize| match over {
                0 => free,
                _ => over.max(free.saturating_mul(2)),
            };
            self.reserve = (more(self.reserve.0, over.0), more(self.reserve.1, over.1));
        }
    }

    fn next_draft<E: From<Error>>(
        &mut self,
        meta: &mut impl FnMut(&TextCut) -> Result<Meta, E>,
    ) -> Result<Option<Draft>, E> {
        let Some(place) = self.place else {
            return Ok(None);
        };
        let start = index(place);
        let max = Room {
            bytes: room(self.caps.max_bytes, self.reserve.0),
            tokens: room(self.caps.max_tokens, self.reserve.1),
        };
        let least = self.least(start);
        let (ends, mut cap) = self.measure(start, max);
        let mut room = max;
        let rough = ends.iter().rev().find(|end| max.broken(end).is_none());
        let rough = *rough.unwrap_or(&least);
        if !rough.whole {
            // A line will be cut. Where, is worth finding once the size of a header is known.
            let draft = self.draft(place, rough, cap, meta(&self.cut(place, rough, cap))?)?;
            room = max.less(draft.header().len(), self.count_capped(draft.header()));
        }
        let mut before = usize::MAX;
        let mut tries = 0;
        loop {
            let end = self.choose(start, &ends, room, before).unwrap_or(least);
            let cut = self.cut(place, end, cap);
            let mut draft = self.draft(place, end, cap, meta(&cut)?)?;
            let written = &draft.page.text;
            let header_tokens = self.count_capped(draft.header());
            let left = max.less(draft.header().len(), header_tokens);
            let smallest = end.at == least.at;
            // The last part may have fewer tokens than its lines, and then needs no other.
            let exact = smallest || cut.next.is_none();
            if written.len() > max.bytes {
                cap = Some(Cap::Bytes);
                room.bytes = room.bytes.min(left.bytes);
                room.tokens = room.tokens.min(left.tokens);
            } else if end.tokens > left.tokens && !exact {
                cap = Some(Cap::Tokens);
                room.tokens = room.tokens.min(left.tokens);
            } else {
                draft.page.tokens = self.counter.map(|_| self.count(written));
                let over = draft.page.tokens.unwrap_or(0).saturating_sub(max.tokens);
                if over == 0 {
                    self.place = cut.next;
                    self.line = cut.from + cut.lines - u64::from(!end.whole);
                    return Ok(Some(draft));
                }
                cap = Some(Cap::Tokens);
                // Where the whole has more tokens than its pieces, less by as many, and by
                // half at most.
                let less = end.tokens.saturating_sub(over).max(end.tokens / 2);
                room.tokens = room.tokens.min(less);
            }
            if smallest {
                return Err(self.too_large(written).into());
            }
            // The next one is smaller in any case, so that the loop ends.
            tries += 1;
            before = match tries {
                ..TRIES => end.at,
                _ => floor(self.body, start + (end.at - start) / 2),
            };
        }
    }

    /// Writes the part from `place` to `end`, its tokens not yet counted.
    fn draft(
        &self,
        place: TextPlace,
        end: End,
        cap: Option<Cap>,
        meta: Meta,
    ) -> Result<Draft, Error> {
        let cut = self.cut(place, end, cap);
        let text = Text {
            meta,
            body: self.body[index(place)..end.at].to_owned(),
            escaped: self.escaped,
            counts: CountPlace::Header,
            part: (!cut.is_whole()).then_some(Part {
                number: cut.part,
                of: self.of,
                glued: cut.glued,
            }),
        };
        let payload = Payload::Text(text);
        let text = payload.to_text()?;
        let page = TextPage {
            text,
            cut,
            tokens: None,
        };
        Ok(Draft { payload, page })
    }

    /// What there is to say of the part from `place` to `end`.
    fn cut(&self, place: TextPlace, end: End, cap: Option<Cap>) -> TextCut {
        let next = match end.whole {
            true if end.at == self.body.len() => None,
            true => Some(end.at + 1),
            false => Some(end.at),
        };
        let next = next.map(|byte| TextPlace {
            byte: byte as u64,
            part: place.part + 1,
        });
        let before = &self.body.as_bytes()[..index(place)];
        TextCut {
            part: place.part,
            glued: before.last().is_some_and(|byte| *byte != b'\n'),
            from: self.line,
            lines: end.lines,
            total: self.total,
            cap: cap.filter(|_| next.is_some()),
            next,
        }
    }

    /// The ends that a part from `start` may have, up to the first that is over the caps, and
    /// the cap that ended the search. Ends in a line are those of the first line alone.
    fn measure(&self, start: usize, max: Room) -> (Vec<End>, Option<Cap>) {
        let mut ends = Vec::new();
        if self.body.is_empty() {
            return (ends, None);
        }
        let max_lines = self.caps.max_rows.map_or(u64::MAX, |rows| rows as u64);
        let mut sum = (0usize, 0usize);
        let mut lines = 0;
        let mut at = start;
        while lines < max_lines {
            let line_start = at;
            let mut size = if lines == 0 { MIN_PIECE } else { MAX_PIECE };
            lines += 1;
            loop {
                let (end, whole) = self.piece(at, size);
                let (bytes, tokens) = self.size(at, end, at == line_start, whole);
                sum.0 += bytes;
                sum.1 = sum.1.saturating_add(tokens);
                at = end;
                size = (size * 2).min(MAX_PIECE);
                // A line that is cut has a line feed too.
                let feed = usize::from(!whole);
                let end = End {
                    at,
                    whole,
                    lines,
                    bytes: sum.0 + feed,
                    tokens: sum.1.saturating_add(feed),
                };
                if whole || lines == 1 {
                    ends.push(end);
                }
                if let Some(cap) = max.broken(&end) {
                    return (ends, Some(cap));
                }
                if whole {
                    break;
                }
            }
            if at == self.body.len() {
                return (ends, None);
            }
            at += 1;
        }
        (ends, Some(Cap::Rows))
    }

    /// The end of a piece of at most `size` bytes (of one character at least), and whether
    /// its line ends there.
    fn piece(&self, at: usize, size: usize) -> (usize, bool) {
        let rest = &self.body.as_bytes()[at..];
        let near = &rest[..rest.len().min(size + 1)];
        if let Some(length) = memchr::memchr(b'\n', near) {
            return (at + length, true);
        }
        if rest.len() <= size {
            return (self.body.len(), true);
        }
        // The size is more than a character has, so that this stays behind `at`.
        let end = floor(self.body, at + size);
        (before_blank(self.body, at, end), false)
    }

    /// The bytes and tokens of a piece as it is written.
    fn size(&self, start: usize, end: usize, first: bool, whole: bool) -> (usize, usize) {
        let mut written = String::with_capacity(end - start + 2);
        text::push_piece(&mut written, &self.body[start..end], self.escaped, first);
        if whole {
            written.push('\n');
        }
        (written.len(), self.count_capped(&written))
    }

    /// The smallest part from `start` on: an empty line, or one character.
    fn least(&self, start: usize) -> End {
        let mut chars = self.body[start..].chars().peekable();
        let at = match chars.next_if(|c| *c != '\n') {
            Some(c) => start + c.len_utf8(),
            None => start,
        };
        End {
            at,
            whole: matches!(self.body.as_bytes().get(at), None | Some(b'\n')),
            lines: u64::from(!self.body.is_empty()),
            bytes: 0,
            tokens: 0,
        }
    }

    /// The last end in the room and before the byte `before`.
    fn choose(&self, start: usize, ends: &[End], room: Room, before: usize) -> Option<End> {
        let fits = ends.partition_point(|end| end.at < before && room.broken(end).is_none());
        let known = fits.checked_sub(1).map(|last| ends[last]);
        if known.is_some_and(|end| end.whole) {
            return known;
        }
        // In the first line, between two ends of pieces.
        let base = known.unwrap_or(End {
            at: start,
            whole: false,
            lines: 1,
            bytes: 1,
            tokens: 1,
        });
        let stop = ends.get(fits).map_or(base.at, |end| end.at.min(before));
        let ends: Vec<End> = self.body[base.at..stop]
            .char_indices()
            .skip(1)
            .map(|(length, _)| End {
                at: base.at + length,
                ..base
            })
            .collect();
        let fits = ends.partition_point(|end| {
            let (bytes, tokens) = self.size(base.at, end.at, base.at == start, false);
            let sized = End {
                bytes: base.bytes + bytes,
                tokens: base.tokens.saturating_add(tokens),
                ..*end
            };
            room.broken(&sized).is_none()
        });
        let end = fits.checked_sub(1).map_or(base.at, |last| ends[last].at);
        let end = before_blank(self.body, start, end);
        if end == start {
            return None;
        }
        let (bytes, tokens) = match end > base.at {
            true => self.size(base.at, end, base.at == start, false),
            false => (0, 0),
        };
        Some(End {
            at: end,
            bytes: base.bytes + bytes,
            tokens: base.tokens.saturating_add(tokens),
            ..base
        })
    }

    /// The tokens of a text, where there is a cap on them.
    fn count_capped(&self, text: &str) -> usize {
        self.caps.max_tokens.map_or(0, |_| self.count(text))
    }

    fn count(&self, text: &str) -> usize {
        self.counter.map_or(0, |counter| counter.count(text))
    }

    fn too_large(&self, written: &str) -> Error {
        let mut caps = Vec::new();
        let mut sizes = vec![format!("{} bytes", written.len())];
        if let Some(max) = self.caps.max_bytes {
            caps.push(format!("{max} bytes"));
        }
        if let Some(max) = self.caps.max_tokens {
            caps.push(format!("{max} tokens"));
            sizes.push(format!("{} tokens", self.count(written)));
        }
        Error::new(
            ErrorCode::RowTooLarge,
            format!(
                "a part of one character with its header within {}",
                caps.join(" and ")
            ),
            sizes.join(" and "),
        )
    }
}

/// The index of a place into the body; [`TextParts`] holds none that is not one.
fn index(place: TextPlace) -> usize {
    usize::try_from(place.byte).unwrap_or(usize::MAX)
}

/// A cap less what is to be left free.
fn room(cap: Option<usize>, free: usize) -> usize {
    cap.map_or(usize::MAX, |cap| cap.saturating_sub(free))
}

fn line_feeds(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}
