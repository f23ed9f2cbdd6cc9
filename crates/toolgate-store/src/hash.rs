//! SHA-256 content hashes, and the digest that binds a snapshot together.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::error::StoreError;

/// The SHA-256 of some bytes.
///
/// `Display` prints all 64 hex digits; [`short`](Self::short) the first 12,
/// which is what errors carry.
///
/// ```
/// use toolgate_store::ContentHash;
///
/// let hash = ContentHash::of(b"abc");
/// assert_eq!(hash.short(), "ba7816bf8f01");
/// assert_eq!(hash.to_string().parse::<ContentHash>(), Ok(hash));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `bytes`; O(length).
    ///
    /// ```
    /// use toolgate_store::ContentHash;
    ///
    /// assert_ne!(ContentHash::of(b"a"), ContentHash::of(b"b"));
    /// ```
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A hash that was computed elsewhere.
    ///
    /// ```
    /// use toolgate_store::ContentHash;
    ///
    /// assert_eq!(ContentHash::from_bytes([7; 32]).as_bytes(), &[7; 32]);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, as a back end stores them.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hex digits: enough for a person to tell two hashes apart,
    /// not enough to trust.
    ///
    /// ```
    /// assert_eq!(toolgate_store::ContentHash::of(b"").short(), "e3b0c44298fc");
    /// ```
    #[must_use]
    pub fn short(&self) -> String {
        hex(&self.0[..6])
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]))
        .collect()
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({})", self.short())
    }
}

/// Strict: exactly 64 lower-case hex digits.
impl FromStr for ContentHash {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        let wrong =
            |found: String| StoreError::invalid("content hash", "64 lower-case hex digits", found);
        if text.len() != 64 {
            return Err(wrong(format!("{} bytes", text.len())));
        }
        let mut bytes = [0_u8; 32];
        for (at, digit) in text.bytes().enumerate() {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return Err(wrong(format!("another character at byte {at}"))),
            };
            bytes[at / 2] = bytes[at / 2] << 4 | value;
        }
        Ok(Self(bytes))
    }
}

/// The digest of a snapshot: SHA-256 over the row count and hash of each
/// segment in order.
///
/// The bytes hashed are the label `toolgate-snapshot-1` and a zero byte, then
/// for each segment its row count as 8 little-endian bytes and its 32 hash
/// bytes. A writer pushes as it appends and hands the result to
/// [`seal_snapshot`](crate::SnapshotStore::seal_snapshot).
///
/// ```
/// use toolgate_store::{ContentHash, SnapshotDigest};
///
/// let mut digest = SnapshotDigest::new();
/// digest.push(500, ContentHash::of(b"first"));
/// let one = digest.finish();
/// digest.push(500, ContentHash::of(b"second"));
/// assert_ne!(one, digest.finish());
/// ```
#[derive(Clone)]
pub struct SnapshotDigest(Sha256);

impl SnapshotDigest {
    /// The digest of no segments.
    #[must_use]
    pub fn new() -> Self {
        Self(Sha256::new_with_prefix(b"toolgate-snapshot-1\0"))
    }

    /// Adds the next segment.
    pub fn push(&mut self, rows: u64, hash: ContentHash) {
        self.0.update(rows.to_le_bytes());
        self.0.update(hash.as_bytes());
    }

    /// The digest of the segments pushed so far; more may be pushed after it.
    #[must_use]
    pub fn finish(&self) -> ContentHash {
        ContentHash(self.0.clone().finalize().into())
    }
}

impl Default for SnapshotDigest {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SnapshotDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SnapshotDigest({})", self.finish().short())
    }
}

/// A hash over fields, each with its length in front, so that no two different
/// lists of fields give the same bytes.
pub(crate) struct FieldHash(Sha256);

impl FieldHash {
    pub(crate) fn new(label: &str) -> Self {
        Self(Sha256::new()).field(label.as_bytes())
    }

    pub(crate) fn field(mut self, bytes: &[u8]) -> Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().into())
    }
}
