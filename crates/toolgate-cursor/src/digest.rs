use core::fmt;

use sha2::{Digest as _, Sha256};

/// A 128-bit digest of a query or an order, so that a view row stays small and
/// holds none of the text.
///
/// SHA-256 of a label and the text, truncated to 16 bytes. The label differs for
/// each use, so a query and an order of the same text have different digests.
/// Give it one canonical text for one meaning: two spellings of a query are two
/// queries.
///
/// ```
/// use toolgate_cursor::Digest;
///
/// let query = Digest::query("level=error since=1h");
/// assert_eq!(query, Digest::query("level=error since=1h"));
/// assert_ne!(query, Digest::query("level=error since=2h"));
/// assert_ne!(query, Digest::order("level=error since=1h"));
/// assert_eq!(Digest::from_bytes(*query.as_bytes()), query);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of a query (filters, projection, parameters: whatever decides
    /// which rows there are). Takes O(length).
    ///
    /// ```
    /// # use toolgate_cursor::Digest;
    /// assert_ne!(Digest::query(""), Digest::query(" "));
    /// ```
    #[must_use]
    pub fn query(text: impl AsRef<[u8]>) -> Self {
        Self::labelled(b"toolgate-cursor query 1\0", text.as_ref())
    }

    /// The digest of an order (sort keys and directions). Takes O(length).
    ///
    /// ```
    /// # use toolgate_cursor::Digest;
    /// assert_ne!(Digest::order("time asc"), Digest::order("time desc"));
    /// ```
    #[must_use]
    pub fn order(text: impl AsRef<[u8]>) -> Self {
        Self::labelled(b"toolgate-cursor order 1\0", text.as_ref())
    }

    /// A digest made elsewhere, for example read back from a store.
    ///
    /// ```
    /// # use toolgate_cursor::Digest;
    /// assert_eq!(Digest::from_bytes([3; 16]).as_bytes(), &[3; 16]);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The 16 bytes.
    ///
    /// ```
    /// # use toolgate_cursor::Digest;
    /// assert_eq!(Digest::query("").as_bytes().len(), 16);
    /// ```
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    pub(crate) fn owner(text: &str) -> Self {
        Self::labelled(b"toolgate-cursor owner 1\0", text.as_bytes())
    }

    pub(crate) fn snapshot(text: &str) -> Self {
        Self::labelled(b"toolgate-cursor snapshot 1\0", text.as_bytes())
    }

    /// `label` ends with the only NUL in it, so no label and text can be read as
    /// another label and text.
    pub(crate) fn labelled(label: &[u8], text: &[u8]) -> Self {
        let mut hash = Sha256::new();
        hash.update(label);
        hash.update(text);
        let full = hash.finalize();
        let mut short = [0; 16];
        short.copy_from_slice(&full[..16]);
        Self(short)
    }
}

/// Lower-case hexadecimal.
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({:032x})", u128::from_be_bytes(self.0))
    }
}
