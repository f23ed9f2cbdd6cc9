use crate::{
    Cursor, Digest, Error, KeyRing, Kind, MAX_ROWS, Mode,
    expiry::Expiry,
    frame::{Fields, Frame},
};

/// First part of what the tag of stateless mode covers.
const LABEL: &[u8; 16] = b"toolgate bound 1";

/// Where the parts stand in the text that the tag covers.
const OWNER: usize = 16;
const QUERY: usize = 32;
const ORDER: usize = 48;
const SNAPSHOT: usize = 64;
const RESULT_VERSION: usize = 80;
const BOUND_BYTES: usize = 88;

/// What a stateless cursor is bound to: all that the server answers from.
///
/// Both sides say it: the call that mints and the call that opens. The owner comes
/// from the authenticated caller, never from the call's arguments. A part that is
/// not given is the empty text, or 0. The snapshot is any text that changes when
/// the data does: a file's hash, a table's version, a date.
///
/// ```
/// use toolgate_cursor::Binding;
///
/// let asked = Binding::of("alice").query("level=error").order("time").snapshot("v7");
/// assert_eq!(asked, Binding::of("alice").snapshot("v7").order("time").query("level=error"));
/// assert_ne!(asked, Binding::of("bob").query("level=error").order("time").snapshot("v7"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Binding {
    kind: Kind,
    bound: [u8; BOUND_BYTES],
}

impl Binding {
    /// A binding to an owner, an empty query, order and snapshot, result version 0
    /// and [`Kind::Page`].
    ///
    /// ```
    /// # use toolgate_cursor::Binding;
    /// assert_eq!(Binding::of("alice"), Binding::of("alice").query("").result_version(0));
    /// ```
    pub fn of(owner: &str) -> Self {
        let mut bound = [0; BOUND_BYTES];
        bound[..OWNER].copy_from_slice(LABEL);
        Self {
            kind: Kind::Page,
            bound,
        }
        .with(OWNER, Digest::owner(owner))
        .query("")
        .order("")
        .snapshot("")
    }

    /// The kind of cursor; [`Kind::Page`] when not given.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, Kind};
    /// assert_ne!(Binding::of("alice").kind(Kind::Result), Binding::of("alice"));
    /// ```
    pub const fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// The query in one canonical spelling.
    ///
    /// ```
    /// # use toolgate_cursor::Binding;
    /// assert_ne!(Binding::of("alice").query("a"), Binding::of("alice").order("a"));
    /// ```
    pub fn query(self, query: &str) -> Self {
        self.with(QUERY, Digest::query(query))
    }

    /// The order in one canonical spelling.
    ///
    /// ```
    /// # use toolgate_cursor::Binding;
    /// assert_ne!(Binding::of("alice").order("a"), Binding::of("alice").order("b"));
    /// ```
    pub fn order(self, order: &str) -> Self {
        self.with(ORDER, Digest::order(order))
    }

    /// What identifies the data as it stands.
    ///
    /// ```
    /// # use toolgate_cursor::Binding;
    /// assert_ne!(Binding::of("alice").snapshot("v7"), Binding::of("alice").snapshot("v8"));
    /// ```
    pub fn snapshot(self, snapshot: &str) -> Self {
        self.with(SNAPSHOT, Digest::snapshot(snapshot))
    }

    /// The version of a computed result.
    ///
    /// ```
    /// # use toolgate_cursor::Binding;
    /// assert_ne!(Binding::of("alice").result_version(2), Binding::of("alice"));
    /// ```
    pub fn result_version(mut self, result_version: u64) -> Self {
        self.bound[RESULT_VERSION..].copy_from_slice(&result_version.to_be_bytes());
        self
    }

    fn with(mut self, at: usize, digest: Digest) -> Self {
        self.bound[at..at + 16].copy_from_slice(digest.as_bytes());
        self
    }

    /// Two bytes each of query, order, snapshot and result version: they tell
    /// which part differs, and guard nothing. None of the owner, so that a cursor
    /// does not say whose it is.
    fn short_digests(&self) -> [u8; 8] {
        let b = &self.bound;
        [
            b[QUERY],
            b[QUERY + 1],
            b[ORDER],
            b[ORDER + 1],
            b[SNAPSHOT],
            b[SNAPSHOT + 1],
            b[BOUND_BYTES - 2],
            b[BOUND_BYTES - 1],
        ]
    }
}

/// Cursors for servers that keep nothing: the binding is in the tag.
///
/// At most 50 characters. The 16-byte tag covers every field and the full binding
/// (owner, query, order, snapshot, result version); two bytes of digest of each
/// part but the owner say what differs when the tag does not fit.
///
/// The checks and codes are those of view mode, in the same order, as far as they
/// apply: there is no view to be gone, so another owner's cursor answers
/// `cursor_forged`, like one that was never minted. One change of query, order,
/// snapshot or result version in 65,536 is answered `cursor_forged` too, since it
/// shares its two bytes with the old one; it is refused all the same.
///
/// ```
/// use toolgate_cursor::{Binding, KeyRing, Stateless};
///
/// let keys = KeyRing::new(1, &[7; 32])?;
/// let asked = Binding::of("alice").query("level=error").snapshot("v7");
/// let pages = Stateless::new(&keys, asked);
///
/// let first = pages.start(1_800_000_000)?;
/// let cursor = pages.next(&first, 100, 250)?.expect("150 rows are left");
/// let second = pages.open(&cursor, 250, 1_799_999_000)?;
/// assert_eq!(second.position(), 100);
/// assert_eq!(pages.next(&second, 150, 250)?, None); // the last page has none
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Stateless<'a> {
    keys: &'a KeyRing,
    binding: Binding,
}

/// Where a series of stateless pages stands: a position, and the key and expiry
/// that the whole series keeps, so that a page read again carries the same `next`.
///
/// ```
/// use toolgate_cursor::{Binding, KeyRing, Stateless};
///
/// let keys = KeyRing::new(1, &[7; 32])?;
/// let place = Stateless::new(&keys, Binding::of("alice")).start(1_800_000_030)?;
/// assert_eq!(place.position(), 0);
/// assert_eq!(place.expires_unix_s(), 1_800_000_060); // rounded up to the minute
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    position: u64,
    expiry: Expiry,
    key_id: u8,
}

impl Place {
    /// The ordinal of the first row to read.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let place = Stateless::new(&keys, Binding::of("alice")).start(1_800_000_000)?;
    /// assert_eq!(place.position(), 0);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// When the cursors of this series expire, in Unix seconds; a whole minute.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let place = Stateless::new(&keys, Binding::of("alice")).start(1_800_000_000)?;
    /// assert_eq!(place.expires_unix_s(), 1_800_000_000);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub fn expires_unix_s(&self) -> i64 {
        self.expiry.unix_s()
    }
}

impl<'a> Stateless<'a> {
    /// The pages of one binding.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let pages = Stateless::new(&keys, Binding::of("alice"));
    /// assert!(pages.start(1_800_000_000).is_ok());
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub const fn new(keys: &'a KeyRing, binding: Binding) -> Self {
        Self { keys, binding }
    }

    /// The first page, for a call without a cursor. Its cursors, and theirs, are
    /// sealed with the newest key and expire at the first whole minute at or after
    /// `expires_unix_s`.
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when the expiry is not between 1735689600 (2025-01-01) and
    /// 2742322500 (2056-11-24), in Unix seconds.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let pages = Stateless::new(&keys, Binding::of("alice"));
    /// assert_eq!(pages.start(-1).unwrap_err().code(), "cursor_field");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn start(&self, expires_unix_s: i64) -> Result<Place, Error> {
        let expiry = Expiry::at_or_after(expires_unix_s)?;
        Ok(Place {
            position: 0,
            expiry,
            key_id: self.keys.newest(),
        })
    }

    /// Opens a cursor, for a call that gives one. `rows` is how many rows there are,
    /// `now_unix_s` the time in Unix seconds, any `i64`.
    ///
    /// # Errors
    ///
    /// The first that applies of [`Error::Malformed`], [`Error::Version`],
    /// [`Error::Miscopied`], [`Error::Mode`], [`Error::KeyUnknown`],
    /// [`Error::Forged`], [`Error::Expired`], [`Error::Kind`], [`Error::Query`],
    /// [`Error::Order`], [`Error::Snapshot`], [`Error::ResultVersion`],
    /// [`Error::Range`].
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, Error, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let pages = Stateless::new(&keys, Binding::of("alice").query("level=error"));
    /// let cursor = pages.next(&pages.start(1_800_000_000)?, 100, 250)?.expect("rows are left");
    ///
    /// assert_eq!(pages.open(&cursor, 250, 1_790_000_000)?.position(), 100);
    /// assert_eq!(pages.open(&cursor, 250, 1_800_000_000), Err(Error::Expired));
    ///
    /// let other = Stateless::new(&keys, Binding::of("alice").query("level=warn"));
    /// assert_eq!(other.open(&cursor, 250, 1_790_000_000), Err(Error::Query));
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn open(&self, cursor: &str, rows: u64, now_unix_s: i64) -> Result<Place, Error> {
        let frame = Frame::parse(cursor, Mode::Stateless)?;
        let Fields {
            kind,
            key_id,
            expiry,
            position,
            binding,
            ..
        } = frame.fields;
        let key = self.keys.stateless(key_id)?;
        let sealed = frame.is_sealed(key, &self.binding.bound);
        // A tag that does not fit and digests that do: forged, or another owner's.
        // Where a digest differs, so must the tag, and the difference is named in
        // its turn.
        let differs = self.first_difference(binding);
        if !sealed && differs.is_none() {
            return Err(Error::Forged);
        }
        if expiry.has_passed(now_unix_s) {
            return Err(Error::Expired);
        }
        if kind != self.binding.kind {
            return Err(Error::Kind {
                expected: self.binding.kind,
                found: kind,
            });
        }
        if let Some(error) = differs {
            return Err(error);
        }
        if position >= rows {
            return Err(Error::Range { position });
        }
        Ok(Place {
            position,
            expiry,
            key_id,
        })
    }

    /// The cursor after a page that began at `place` and holds `page_rows` of
    /// `rows`, or `None` when it reaches the end. It always stands after `place`.
    ///
    /// # Errors
    ///
    /// [`Error::Stalled`] when the page is empty though rows are left;
    /// [`Error::Range`] when it ends past the last row; [`Error::Field`] when `rows`
    /// is above [`MAX_ROWS`]; [`Error::KeyUnknown`] when the key of this series was
    /// retired.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let pages = Stateless::new(&keys, Binding::of("alice"));
    /// let start = pages.start(1_800_000_000)?;
    /// assert!(pages.next(&start, 100, 250)?.is_some());
    /// assert!(pages.next(&start, 250, 250)?.is_none());
    /// assert_eq!(pages.next(&start, 0, 250).unwrap_err().code(), "cursor_stalled");
    /// assert_eq!(pages.next(&start, 251, 250).unwrap_err().code(), "cursor_range");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn next(&self, place: &Place, page_rows: u64, rows: u64) -> Result<Option<Cursor>, Error> {
        if rows > MAX_ROWS {
            return Err(Error::Field {
                field: "rows",
                expected: "at most 2^49",
            });
        }
        let position = place.position.saturating_add(page_rows);
        if position > rows {
            return Err(Error::Range { position });
        }
        if position == rows {
            return Ok(None);
        }
        if page_rows == 0 {
            return Err(Error::Stalled { position });
        }
        let fields = Fields {
            mode: Mode::Stateless,
            kind: self.binding.kind,
            key_id: place.key_id,
            expiry: place.expiry,
            binding: self.binding.short_digests(),
            position,
        };
        let key = self.keys.stateless(place.key_id)?;
        Ok(Some(fields.seal(key, &self.binding.bound)))
    }

    fn first_difference(&self, found: [u8; 8]) -> Option<Error> {
        let asked = self.binding.short_digests();
        [
            Error::Query,
            Error::Order,
            Error::Snapshot,
            Error::ResultVersion,
        ]
        .into_iter()
        .zip(asked.chunks_exact(2).zip(found.chunks_exact(2)))
        .find_map(|(error, (asked, found))| (asked != found).then_some(error))
    }
}
