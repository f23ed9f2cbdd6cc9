//! A segment: some rows as opaque bytes, with their hash.

use std::fmt;

use bytes::Bytes;

use crate::error::{Record, StoreError};
use crate::hash::ContentHash;
use crate::limit::{MAX_APPEND_BYTES, MAX_SEGMENT_BYTES, MAX_SEGMENTS, check_len};
use crate::redact::Length;

/// One segment of a snapshot or of a task's result: the store keeps its bytes
/// and never looks into them.
///
/// `Debug` shows the length of the bytes, never the bytes.
///
/// ```
/// use toolgate_store::Segment;
///
/// let segment = Segment::new(0, 2, "row 1\nrow 2\n")?;
/// assert_eq!((segment.ordinal(), segment.rows()), (0, 2));
/// assert!(segment.verify().is_ok());
/// assert!(format!("{segment:?}").contains("<12 bytes>"));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone)]
pub struct Segment {
    ordinal: u32,
    rows: u32,
    hash: ContentHash,
    bytes: Bytes,
    /// The hash was computed from these very bytes, which cannot change.
    verified: bool,
}

impl Segment {
    /// A segment with the hash of its bytes: `ordinal` counts from 0 within the
    /// snapshot or result, `rows` may be 0. O(length).
    ///
    /// # Errors
    /// `invalid` when the bytes or the ordinal pass [`limit`](crate::limit).
    pub fn new(ordinal: u32, rows: u32, bytes: impl Into<Bytes>) -> Result<Self, StoreError> {
        let bytes = bytes.into();
        check_len("segment bytes", bytes.len(), MAX_SEGMENT_BYTES)?;
        let hash = ContentHash::of(&bytes);
        Self::checked(ordinal, rows, hash, bytes, true)
    }

    /// A segment with a hash that came with it, not checked yet: a store checks
    /// it before it writes, a reader may after it reads. O(1).
    ///
    /// # Errors
    /// `invalid` when the bytes or the ordinal pass [`limit`](crate::limit).
    ///
    /// ```
    /// use toolgate_store::{ContentHash, Segment};
    ///
    /// let damaged = Segment::with_hash(0, 1, ContentHash::of(b"as sent"), "as arrived")?;
    /// assert_eq!(damaged.verify().unwrap_err().code(), "corrupt");
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn with_hash(
        ordinal: u32,
        rows: u32,
        hash: ContentHash,
        bytes: impl Into<Bytes>,
    ) -> Result<Self, StoreError> {
        let bytes = bytes.into();
        check_len("segment bytes", bytes.len(), MAX_SEGMENT_BYTES)?;
        Self::checked(ordinal, rows, hash, bytes, false)
    }

    fn checked(
        ordinal: u32,
        rows: u32,
        hash: ContentHash,
        bytes: Bytes,
        verified: bool,
    ) -> Result<Self, StoreError> {
        if ordinal >= MAX_SEGMENTS {
            return Err(StoreError::invalid(
                "ordinal",
                format!("below {MAX_SEGMENTS}"),
                ordinal.to_string(),
            ));
        }
        Ok(Self {
            ordinal,
            rows,
            hash,
            bytes,
            verified,
        })
    }

    /// Position among its siblings, from 0.
    #[must_use]
    pub const fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// How many rows the bytes hold, as their writer says.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// The stated hash of the bytes.
    #[must_use]
    pub const fn hash(&self) -> ContentHash {
        self.hash
    }

    /// The bytes; cloning them is cheap.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Checks that the bytes have the stated hash. O(length), or O(1) when the
    /// hash was computed from them by [`new`](Self::new).
    ///
    /// # Errors
    /// `corrupt` when they differ.
    pub fn verify(&self) -> Result<(), StoreError> {
        if self.verified {
            return Ok(());
        }
        let found = ContentHash::of(&self.bytes);
        if found == self.hash {
            return Ok(());
        }
        Err(StoreError::Corrupt {
            what: Record::Segment,
            expected: self.hash.short(),
            found: found.short(),
        })
    }
}

impl Segment {
    /// Checks a batch to be appended together, as every back end does before it
    /// writes: ordinals without a gap, [`MAX_APPEND_BYTES`] in all, each hash
    /// right. O(bytes).
    ///
    /// # Errors
    /// `invalid`, `corrupt`.
    ///
    /// ```
    /// use toolgate_store::Segment;
    ///
    /// let batch = [Segment::new(4, 1, "a")?, Segment::new(5, 1, "b")?];
    /// assert!(Segment::check_batch(&batch).is_ok());
    /// let gap = [Segment::new(4, 1, "a")?, Segment::new(6, 1, "b")?];
    /// assert_eq!(Segment::check_batch(&gap).unwrap_err().code(), "invalid");
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn check_batch(batch: &[Self]) -> Result<(), StoreError> {
        for pair in batch.windows(2) {
            let (expected, found) = (pair[0].ordinal + 1, pair[1].ordinal);
            if expected != found {
                return Err(StoreError::invalid(
                    "ordinal",
                    expected.to_string(),
                    found.to_string(),
                ));
            }
        }
        let bytes = batch.iter().map(|segment| segment.bytes.len()).sum();
        check_len("append bytes", bytes, MAX_APPEND_BYTES)?;
        batch.iter().try_for_each(Self::verify)
    }
}

/// Two segments are equal when ordinal, rows, hash and bytes are.
impl PartialEq for Segment {
    fn eq(&self, other: &Self) -> bool {
        (self.ordinal, self.rows, self.hash) == (other.ordinal, other.rows, other.hash)
            && self.bytes == other.bytes
    }
}

impl Eq for Segment {}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment")
            .field("ordinal", &self.ordinal)
            .field("rows", &self.rows)
            .field("hash", &self.hash)
            .field("bytes", &Length(self.bytes.len()))
            .finish()
    }
}

/// A segment as a store gives it back: with the position of its first row.
///
/// ```
/// use toolgate_store::{Segment, StoredSegment};
///
/// let stored = StoredSegment { first_row: 500, segment: Segment::new(1, 500, "...")? };
/// assert!(stored.holds(999) && !stored.holds(1_000));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSegment {
    /// How many rows stand in the segments before it.
    pub first_row: u64,
    /// The segment.
    pub segment: Segment,
}

impl StoredSegment {
    /// Whether the row at this position, from 0, stands in this segment.
    #[must_use]
    pub fn holds(&self, row: u64) -> bool {
        row.checked_sub(self.first_row)
            .is_some_and(|at| at < u64::from(self.segment.rows()))
    }
}
