//! Where a text is cut into parts.

use crate::meta::{Cap, Cover, Meta};

/// Where a part of a text begins: enough to go on from, given the same body.
///
/// It is plain data, to be kept in a cursor. [`TextParts::at`](crate::TextParts::at) checks it against the body.
///
/// ```
/// use qrp1::{Caps, TextParts, TextPlace};
///
/// let parts = TextParts::new("one\ntwo", Caps::default(), None)?;
/// assert_eq!(parts.place(), Some(TextPlace { byte: 0, part: 1 }));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextPlace {
    /// The byte of the body at which the part begins, from 0: the start of a line, or between
    /// two characters of one.
    pub byte: u64,
    /// The number of the part, from 1.
    pub part: u64,
}

/// What a part holds; what the facts of its header depend on.
///
/// ```
/// use qrp1::{Cap, Caps, TextParts, TextPlace};
///
/// let caps = Caps { max_rows: Some(2), ..Caps::default() };
/// let mut parts = TextParts::new("one\ntwo\nthree", caps, None)?;
/// let page = parts.next_part(|cut| Ok::<_, qrp1::Error>(cut.meta()))?.ok_or("no part").unwrap();
/// assert_eq!((page.cut.from, page.cut.lines, page.cut.total), (0, 2, 3));
/// assert_eq!(page.cut.cap, Some(Cap::Rows));
/// assert_eq!(page.cut.next, Some(TextPlace { byte: 8, part: 2 }));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCut {
    /// The number of the part, from 1.
    pub part: u64,
    /// Whether it continues the last line of the part before.
    pub glued: bool,
    /// The ordinal, from 0, of its first line in the whole body.
    pub from: u64,
    /// How many lines it has.
    pub lines: u64,
    /// How many lines the whole body has.
    pub total: u64,
    /// The cap that ended it; `None` for the last part.
    pub cap: Option<Cap>,
    /// Where the next part begins; `None` for the last part.
    pub next: Option<TextPlace>,
}

impl TextCut {
    /// Whether it is the whole body, and so not a part.
    ///
    /// ```
    /// let mut parts = qrp1::TextParts::new("short", qrp1::Caps::default(), None)?;
    /// let page = parts.next_part(|cut| Ok::<_, qrp1::Error>(cut.meta()))?;
    /// assert!(page.is_some_and(|page| page.cut.is_whole()));
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.part == 1 && self.next.is_none()
    }

    /// The facts that follow from the cut, to which the source, the next cursor and others can
    /// be added: `cover=all` for the whole body; `cover=page`, `from`, `total` and `cap` for
    /// a part.
    ///
    /// ```
    /// use qrp1::{Caps, TextParts};
    ///
    /// let caps = Caps { max_rows: Some(1), ..Caps::default() };
    /// let mut parts = TextParts::new("one\ntwo", caps, None)?;
    /// let page = parts.next_part(|cut| Ok::<_, qrp1::Error>(cut.meta().with_next("c2")))?;
    /// assert_eq!(
    ///     page.map(|page| page.text).as_deref(),
    ///     Some("QRP1|text|cover=page|lines=1|from=0|total=2|part=1|cap=rows|next=c2\none\n"),
    /// );
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn meta(&self) -> Meta {
        if self.is_whole() {
            return Meta::new().with_cover(Cover::All);
        }
        let mut meta = Meta::new()
            .with_cover(Cover::Page)
            .with_from(self.from)
            .with_total(self.total);
        meta.cap = self.cap;
        meta
    }
}

/// One part of a text, written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextPage {
    /// The canonical text of one payload.
    pub text: String,
    /// What it holds.
    pub cut: TextCut,
    /// The tokens of the text, counted as a whole; `None` without a counter.
    pub tokens: Option<usize>,
}
