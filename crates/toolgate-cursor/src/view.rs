use core::{fmt, ops::Range};

use crate::{Cursor, Digest, Error, KeyRing, Kind, Mode, expiry::Expiry, frame::Fields};

/// The most rows a view may have: 2^49, so that every position fits the seven
/// bytes a cursor of 44 characters has for it.
///
/// ```
/// assert_eq!(toolgate_cursor::MAX_ROWS, 562_949_953_421_312);
/// ```
pub const MAX_ROWS: u64 = 1 << 49;

/// Owner and snapshot ids are at most this long.
pub(crate) const MAX_ID_BYTES: usize = 255;

/// First part of what the tag of view mode covers.
const LABEL: &[u8; 16] = b"toolgate view 1\0";

/// The name of a view: eight random bytes, which the caller draws.
///
/// It stands in clear in every cursor of the view, so it is a name and no
/// permission: look it up together with the owner. Draw it from a good random
/// source and store it under a unique key; two views of the same content have
/// different handles, and so different cursors.
///
/// ```
/// use toolgate_cursor::ViewHandle;
///
/// let handle = ViewHandle::from_bytes([0, 1, 2, 3, 4, 5, 6, 0xFF]);
/// assert_eq!(handle.to_string(), "00010203040506ff");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewHandle([u8; 8]);

impl ViewHandle {
    /// A handle of random bytes, or of bytes read back from a store.
    ///
    /// ```
    /// # use toolgate_cursor::ViewHandle;
    /// assert_eq!(ViewHandle::from_bytes([1; 8]), ViewHandle::from_bytes([1; 8]));
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 8]) -> Self {
        Self(bytes)
    }

    /// The eight bytes.
    ///
    /// ```
    /// # use toolgate_cursor::ViewHandle;
    /// assert_eq!(ViewHandle::from_bytes([1; 8]).as_bytes(), &[1; 8]);
    /// ```
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 8] {
        &self.0
    }
}

/// Sixteen lower-case hexadecimal digits: an id for a store.
impl fmt::Display for ViewHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ViewHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewHandle({self})")
    }
}

/// The columns of a view; [`View::new`] checks and freezes them.
///
/// ```
/// use toolgate_cursor::{Digest, Kind, View, ViewHandle, ViewRow};
///
/// let row = ViewRow {
///     handle: ViewHandle::from_bytes([0xA7; 8]),
///     kind: Kind::Page,
///     owner: "alice".into(),
///     snapshot: "s-42".into(),
///     query: Digest::query("level=error"),
///     order: Digest::order("time"),
///     result_version: 1,
///     max_bytes: 16_384,
///     max_tokens: 4_096,
///     rows: 1_000,
///     expires_unix_s: 1_800_000_000,
///     key_id: 1,
/// };
/// assert_eq!(View::new(row.clone())?.row(), &row);
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ViewRow {
    /// The random name.
    pub handle: ViewHandle,
    /// What the positions of this view count.
    pub kind: Kind,
    /// Whose view it is; 1 to 255 bytes.
    pub owner: String,
    /// The frozen data it reads; 1 to 255 bytes.
    pub snapshot: String,
    /// Which rows it has.
    pub query: Digest,
    /// In which order.
    pub order: Digest,
    /// Which version of the computed result.
    pub result_version: u64,
    /// The cap of a page in bytes. Kept and sealed for the caller, not used here.
    pub max_bytes: u64,
    /// The cap of a page in tokens. Kept and sealed for the caller, not used here.
    pub max_tokens: u64,
    /// How many positions there are, 0 to [`MAX_ROWS`]: they run from 0 to
    /// `rows - 1`. Count lines where pages are cut between lines.
    pub rows: u64,
    /// When its cursors expire, in Unix seconds, from 1735689600 (2025-01-01) to
    /// 2742322500 (2056-11-24). Cursors live to the next whole minute.
    pub expires_unix_s: i64,
    /// The key that seals its cursors: [`KeyRing::newest`] when the view is made.
    /// It stays, so that a page read again carries the same cursor after a rotation.
    pub key_id: u8,
}

/// An immutable row that says what a series of cursors is bound to.
///
/// The caller stores it under its handle (as [bytes](Self::to_bytes)) and never
/// changes it. A cursor names the handle, and its tag covers a digest of the
/// whole row: were the row changed, no cursor minted from it would open. One
/// snapshot serves any number of views.
///
/// Minting is a pure function of key ring, view and position: a page that is read
/// again carries the same `next`, byte for byte.
///
/// ```
/// use toolgate_cursor::{
///     Asked, Cleared, Digest, Duty, KeyRing, Kind, Unverified, View, ViewHandle, ViewRow,
/// };
///
/// let keys = KeyRing::new(1, &[7; 32])?;
/// let view = View::new(ViewRow {
///     handle: ViewHandle::from_bytes([0xA7; 8]), // random in earnest
///     kind: Kind::Page,
///     owner: "alice".into(),
///     snapshot: "s-42".into(),
///     query: Digest::query("level=error"),
///     order: Digest::order("time"),
///     result_version: 1,
///     max_bytes: 16_384,
///     max_tokens: 4_096,
///     rows: 1_000,
///     expires_unix_s: 1_800_000_000,
///     key_id: keys.newest(),
/// })?;
///
/// let next = view.next(&keys, 0..400)?.expect("600 rows are left");
/// assert_eq!(next, "EAEQWuCnp6enp6enp5ADgODqJVAkWVh2dO_bag");
///
/// // The next call brings it back.
/// let token = Unverified::parse(&next, Cleared::alone())?;
/// let Duty::LookUpView(handle) = token.duty(&keys)?;
/// assert_eq!(handle, view.row().handle); // and the store finds the row
/// let asked = Asked::by("alice").query(Digest::query("level=error"));
/// assert_eq!(token.open(&keys, Some(&view), &asked, 1_790_000_000)?, 400);
///
/// assert_eq!(view.next(&keys, 400..1_000)?, None); // the last page has none
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct View {
    row: ViewRow,
    expiry: Expiry,
    /// Label and row digest, the part of the tag's text that all cursors share.
    bound: [u8; 32],
}

impl View {
    /// Checks the columns and freezes them. Takes O(length of the ids).
    ///
    /// # Errors
    ///
    /// [`Error::Field`] when the owner or the snapshot is empty or longer than 255
    /// bytes, `rows` is above [`MAX_ROWS`], or the expiry is outside its range.
    ///
    /// ```
    /// # use toolgate_cursor::{Digest, Kind, View, ViewHandle, ViewRow};
    /// # let row = ViewRow {
    /// #     handle: ViewHandle::from_bytes([0xA7; 8]), kind: Kind::Page,
    /// #     owner: "alice".into(), snapshot: "s-42".into(),
    /// #     query: Digest::query(""), order: Digest::order(""), result_version: 1,
    /// #     max_bytes: 1, max_tokens: 1, rows: 1, expires_unix_s: 1_800_000_000, key_id: 1,
    /// # };
    /// let error = View::new(ViewRow { owner: String::new(), ..row }).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "owner is outside its limits: expected 1 to 255 bytes. Give a value within the limits.",
    /// );
    /// ```
    pub fn new(row: ViewRow) -> Result<Self, Error> {
        for (field, id) in [("owner", &row.owner), ("snapshot", &row.snapshot)] {
            if id.is_empty() || id.len() > MAX_ID_BYTES {
                return Err(Error::Field {
                    field,
                    expected: "1 to 255 bytes",
                });
            }
        }
        if row.rows > MAX_ROWS {
            return Err(Error::Field {
                field: "rows",
                expected: "at most 2^49",
            });
        }
        let expiry = Expiry::at_or_after(row.expires_unix_s)?;
        let mut bound = [0; 32];
        bound[..16].copy_from_slice(LABEL);
        bound[16..].copy_from_slice(row.digest().as_bytes());
        Ok(Self { row, expiry, bound })
    }

    /// The columns.
    ///
    /// ```
    /// # use toolgate_cursor::{Digest, Kind, View, ViewHandle, ViewRow};
    /// # let row = ViewRow {
    /// #     handle: ViewHandle::from_bytes([0xA7; 8]), kind: Kind::Page,
    /// #     owner: "alice".into(), snapshot: "s-42".into(),
    /// #     query: Digest::query(""), order: Digest::order(""), result_version: 1,
    /// #     max_bytes: 1, max_tokens: 1, rows: 9, expires_unix_s: 1_800_000_000, key_id: 1,
    /// # };
    /// assert_eq!(View::new(row)?.row().rows, 9);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub const fn row(&self) -> &ViewRow {
        &self.row
    }

    /// The cursor after a page that holds the rows `page`, or `None` when the page
    /// reaches the end. It always stands after the start of the page.
    ///
    /// # Errors
    ///
    /// [`Error::Stalled`] when the page is empty though rows are left, or ends before
    /// it starts; [`Error::Range`] when it ends past the last row;
    /// [`Error::KeyUnknown`] when the view's key was retired.
    ///
    /// ```
    /// # use toolgate_cursor::{Digest, KeyRing, Kind, View, ViewHandle, ViewRow};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let view = View::new(ViewRow {
    /// #     handle: ViewHandle::from_bytes([0xA7; 8]), kind: Kind::Page,
    /// #     owner: "alice".into(), snapshot: "s-42".into(),
    /// #     query: Digest::query(""), order: Digest::order(""), result_version: 1,
    /// #     max_bytes: 1, max_tokens: 1, rows: 1_000, expires_unix_s: 1_800_000_000, key_id: 1,
    /// # })?;
    /// assert!(view.next(&keys, 0..400)?.is_some());
    /// assert!(view.next(&keys, 400..1_000)?.is_none());
    /// assert_eq!(view.next(&keys, 400..400).unwrap_err().code(), "cursor_stalled");
    /// assert_eq!(view.next(&keys, 400..1_001).unwrap_err().code(), "cursor_range");
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn next(&self, keys: &KeyRing, page: Range<u64>) -> Result<Option<Cursor>, Error> {
        let empty_before_the_end = page.end == page.start && page.end < self.row.rows;
        if page.end < page.start || empty_before_the_end {
            return Err(Error::Stalled {
                position: page.start,
            });
        }
        self.at(keys, page.end)
    }

    /// The cursor at `position`, or `None` at the end: for a reply that carries a
    /// summary and no rows yet (`position` 0), and to mint a known place again.
    /// After a page use [`next`](Self::next), which cannot stand still.
    ///
    /// # Errors
    ///
    /// [`Error::Range`] when `position` is past the end; [`Error::KeyUnknown`] when
    /// the view's key was retired.
    ///
    /// ```
    /// # use toolgate_cursor::{Digest, KeyRing, Kind, View, ViewHandle, ViewRow};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let view = View::new(ViewRow {
    /// #     handle: ViewHandle::from_bytes([0xA7; 8]), kind: Kind::Page,
    /// #     owner: "alice".into(), snapshot: "s-42".into(),
    /// #     query: Digest::query(""), order: Digest::order(""), result_version: 1,
    /// #     max_bytes: 1, max_tokens: 1, rows: 1_000, expires_unix_s: 1_800_000_000, key_id: 1,
    /// # })?;
    /// assert_eq!(view.at(&keys, 400)?, view.next(&keys, 0..400)?);
    /// assert!(view.at(&keys, 0)?.is_some());
    /// assert_eq!(view.at(&keys, 1_000)?, None);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    pub fn at(&self, keys: &KeyRing, position: u64) -> Result<Option<Cursor>, Error> {
        if position > self.row.rows {
            return Err(Error::Range { position });
        }
        if position == self.row.rows {
            return Ok(None);
        }
        let key = keys.view(self.row.key_id)?;
        Ok(Some(self.fields_at(position).seal(key, &self.bound)))
    }

    /// The fields of the cursor at `position`, which is below [`MAX_ROWS`].
    pub(crate) fn fields_at(&self, position: u64) -> Fields {
        Fields {
            mode: Mode::View,
            kind: self.row.kind,
            key_id: self.row.key_id,
            expiry: self.expiry,
            binding: *self.row.handle.as_bytes(),
            position,
        }
    }

    pub(crate) const fn bound(&self) -> &[u8; 32] {
        &self.bound
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("View").field(&self.row).finish()
    }
}
