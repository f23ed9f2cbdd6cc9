use core::{fmt, hash, ops};

/// The longest cursor this crate mints, in characters: a stateless one at a
/// seven-byte position. Cursors of view mode have at most 44.
pub(crate) const MAX_CHARS: usize = 50;

/// The text of a minted cursor: base64url without padding, held in place
/// without an allocation.
///
/// It is opaque and not secret: whoever holds it still has to be the owner.
/// At most 44 characters in view mode and 50 in stateless mode. The first
/// character is always `E` (view mode) or `G` (stateless mode), so a cursor
/// is never empty and never looks like a number or a command-line option.
///
/// ```
/// use toolgate_cursor::{Binding, KeyRing, Stateless};
///
/// let keys = KeyRing::new(1, &[7; 32])?;
/// let pages = Stateless::new(&keys, Binding::of("alice"));
/// let start = pages.start(1_800_000_000)?;
/// let cursor = pages.next(&start, 100, 250)?.expect("150 rows are left");
///
/// assert!(cursor.as_str().starts_with('G'));
/// assert_eq!(cursor.to_string(), cursor.as_str());
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Cursor {
    chars: [u8; MAX_CHARS],
    len: u8,
}

impl Cursor {
    /// Only `Frame` makes cursors; it writes ASCII.
    pub(crate) const fn from_ascii(chars: [u8; MAX_CHARS], len: u8) -> Self {
        Self { chars, len }
    }

    /// The text.
    ///
    /// ```
    /// # use toolgate_cursor::{Binding, KeyRing, Stateless};
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let pages = Stateless::new(&keys, Binding::of("alice"));
    /// # let start = pages.start(1_800_000_000)?;
    /// let cursor = pages.next(&start, 100, 250)?.expect("150 rows are left");
    /// assert_eq!(cursor.as_str().len(), 42);
    /// # Ok::<(), toolgate_cursor::Error>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Always ASCII, so the fallback is never taken.
        core::str::from_utf8(&self.chars[..usize::from(self.len)]).unwrap_or_default()
    }
}

impl ops::Deref for Cursor {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Cursor {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cursor").field(&self.as_str()).finish()
    }
}

impl PartialEq for Cursor {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Cursor {}

impl PartialEq<str> for Cursor {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Cursor {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl hash::Hash for Cursor {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.as_str().to_owned()
    }
}
