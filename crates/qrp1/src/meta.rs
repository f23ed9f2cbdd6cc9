//! What a header says about a result beside its rows: where it comes from, how much of
//! it this is, and how to go on.

use std::collections::BTreeMap;

/// How much of the whole a payload shows. Never left to be guessed: sampled and
/// summarised data is marked.
///
/// ```
/// let header = qrp1::Header::parse("QRP1|table|cover=sample|rows=0|columns=a")?;
/// assert_eq!(header.meta.cover, Some(qrp1::Cover::Sample));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cover {
    /// All rows of the result.
    All,
    /// One page of the result; `next` leads on unless it is the last.
    Page,
    /// Some rows, chosen to stand for the others.
    Sample,
    /// Figures computed from all rows.
    Summary,
    /// What there is of a result that is not complete.
    Partial,
}

impl Cover {
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::All, "all"),
        (Self::Page, "page"),
        (Self::Sample, "sample"),
        (Self::Summary, "summary"),
        (Self::Partial, "partial"),
    ];
}

/// Which cap ended a page.
///
/// ```
/// let header = qrp1::Header::parse("QRP1|table|rows=0|cap=tokens|columns=a")?;
/// assert_eq!(header.meta.cap, Some(qrp1::Cap::Tokens));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cap {
    /// The most bytes a page may have.
    Bytes,
    /// The most tokens a page may have.
    Tokens,
    /// The most rows a page may have.
    Rows,
}

impl Cap {
    pub(crate) const ALL: [(Self, &'static str); 3] = [
        (Self::Bytes, "bytes"),
        (Self::Tokens, "tokens"),
        (Self::Rows, "rows"),
    ];
}

/// A span of time, both ends included, in milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// let header = qrp1::Header::parse("QRP1|table|range=1970-01-01/1970-01-02|rows=0|columns=a")?;
/// assert_eq!(header.meta.range, Some(qrp1::TimeRange { start_ms: 0, end_ms: 86_400_000 }));
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeRange {
    /// The first instant.
    pub start_ms: i64,
    /// The last instant; not before the first.
    pub end_ms: i64,
}

/// The facts of a header that do not depend on how the rows are written. All are
/// optional; none is there by default.
///
/// ```
/// use qrp1::{Cover, Meta};
///
/// let meta = Meta::new()
///     .with_source("csv:aapl_1d")
///     .with_snapshot("s402117")
///     .with_cover(Cover::Page)
///     .with_from(500)
///     .with_total(3270)
///     .with_next("c2");
/// assert_eq!(meta.total, Some(3270));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Meta {
    /// `name`: what this payload is called, where a document has several.
    pub name: Option<String>,
    /// `source`: where the data was read from, in words.
    pub source: Option<String>,
    /// `range`: the time the whole result covers.
    pub range: Option<TimeRange>,
    /// `snapshot`: the immutable data this was computed from.
    pub snapshot: Option<String>,
    /// `digest`: a hash of that data.
    pub digest: Option<String>,
    /// `task`: the task that made the result.
    pub task: Option<String>,
    /// `result`: the version of the result.
    pub result: Option<u64>,
    /// `cover`: how much of the result this payload shows.
    pub cover: Option<Cover>,
    /// `from`: the ordinal, from 0, of the first row in the whole result.
    pub from: Option<u64>,
    /// `total`: how many rows the whole result has.
    pub total: Option<u64>,
    /// `cap`: which cap ended this page.
    pub cap: Option<Cap>,
    /// `next`: the cursor of the next page; absent on the last.
    pub next: Option<String>,
    /// `hint`: what can be done next, in words.
    pub hint: Option<String>,
    /// `crc`: whether the payload carries a CRC-32 of its text, by which any changed byte
    /// is seen. It costs about 6 tokens.
    pub crc: bool,
    /// Keys beginning with `x-`, which this format leaves to applications (given here
    /// without the `x-`: lower-case letters, digits, `-` and `_`).
    pub extensions: BTreeMap<String, String>,
}

macro_rules! setters {
    ($($(#[$doc:meta])* $method:ident: $field:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(mut self, $field: $type) -> Self {
            self.$field = Some($field.into());
            self
        }
    )*};
}

impl Meta {
    /// No facts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets [`Meta::crc`].
    ///
    /// ```
    /// use qrp1::{Meta, Payload, Receipt, Status};
    ///
    /// let receipt = Receipt::new(Status::Ok).with_meta(Meta::new().with_crc(true));
    /// assert_eq!(Payload::from(receipt).to_text()?, "QRP1|receipt|crc=265103081|status=ok\n");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn with_crc(self, crc: bool) -> Self {
        Self { crc, ..self }
    }

    setters! {
        /// Sets [`Meta::name`].
        with_name: name: impl Into<String>;
        /// Sets [`Meta::source`].
        with_source: source: impl Into<String>;
        /// Sets [`Meta::range`].
        with_range: range: TimeRange;
        /// Sets [`Meta::snapshot`].
        with_snapshot: snapshot: impl Into<String>;
        /// Sets [`Meta::digest`].
        with_digest: digest: impl Into<String>;
        /// Sets [`Meta::task`].
        with_task: task: impl Into<String>;
        /// Sets [`Meta::result`].
        with_result: result: u64;
        /// Sets [`Meta::cover`].
        with_cover: cover: Cover;
        /// Sets [`Meta::from`].
        with_from: from: u64;
        /// Sets [`Meta::total`].
        with_total: total: u64;
        /// Sets [`Meta::cap`].
        with_cap: cap: Cap;
        /// Sets [`Meta::next`].
        with_next: next: impl Into<String>;
        /// Sets [`Meta::hint`].
        with_hint: hint: impl Into<String>;
    }
}
