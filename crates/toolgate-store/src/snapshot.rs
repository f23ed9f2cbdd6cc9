//! Snapshots: created, appended to, sealed, then read by many.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::StoreError;
use crate::future::BoxFuture;
use crate::hash::{ContentHash, SnapshotDigest};
use crate::id::SnapshotId;
use crate::limit::{MAX_META_BYTES, MAX_TTL, check_len, span_ms};
use crate::name::Owner;
use crate::redact::Length;
use crate::segment::{Segment, StoredSegment};

/// A snapshot to be created.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{NewSnapshot, Owner, SnapshotId};
///
/// let id = SnapshotId::from_random([7; 8]);
/// let new = NewSnapshot::new(Owner::new("alice")?, id, Duration::from_secs(3_600))?
///     .meta("columns: t,o,h,l,c,v")?;
/// assert_eq!(new.ttl_ms, 3_600_000);
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewSnapshot {
    /// Whose it is.
    pub owner: Owner,
    /// Its id, from the caller's randomness.
    pub id: SnapshotId,
    /// Its life from creation, in ms.
    pub ttl_ms: i64,
    /// Bytes of the caller's own about the whole, such as a schema.
    pub meta: Bytes,
}

impl NewSnapshot {
    /// A snapshot with no meta.
    ///
    /// # Errors
    /// `invalid` when `ttl` is zero or above [`MAX_TTL`].
    pub fn new(owner: Owner, id: SnapshotId, ttl: Duration) -> Result<Self, StoreError> {
        Ok(Self {
            owner,
            id,
            ttl_ms: span_ms("ttl", ttl, MAX_TTL)?,
            meta: Bytes::new(),
        })
    }

    /// Sets the meta bytes.
    ///
    /// # Errors
    /// `invalid` when they are longer than [`MAX_META_BYTES`].
    pub fn meta(mut self, meta: impl Into<Bytes>) -> Result<Self, StoreError> {
        self.meta = meta.into();
        check_len("meta", self.meta.len(), MAX_META_BYTES)?;
        Ok(self)
    }
}

impl fmt::Debug for NewSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewSnapshot")
            .field("owner", &self.owner)
            .field("id", &self.id)
            .field("ttl_ms", &self.ttl_ms)
            .field("meta", &Length(self.meta.len()))
            .finish()
    }
}

/// How far the writing of a snapshot has come: the answer to its writer.
///
/// ```
/// # use std::time::Duration;
/// # use toolgate_store::*;
/// # pollster::block_on(async {
/// # let store = MemoryStore::new();
/// # let (alice, id) = (Owner::new("alice")?, SnapshotId::from_random([9; 8]));
/// # let new = NewSnapshot::new(alice.clone(), id, Duration::from_secs(60))?;
/// store.create_snapshot(&new).await?;
/// let segment = Segment::new(0, 2, "row 1\nrow 2\n")?;
/// let progress: SnapshotProgress = store.append_segment(&alice, id, &segment).await?;
/// assert_eq!((progress.segments, progress.rows, progress.bytes, progress.sealed), (1, 2, 12, false));
/// // A writer that lost its place asks where it was.
/// assert_eq!(store.create_snapshot(&new).await?, progress);
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotProgress {
    /// Segments stored; also the ordinal of the next one.
    pub segments: u32,
    /// Rows stored.
    pub rows: u64,
    /// Bytes stored.
    pub bytes: u64,
    /// Whether it is sealed.
    pub sealed: bool,
}

/// What the writer says the whole snapshot is; the store checks each count.
///
/// ```
/// use toolgate_store::{Seal, Segment};
///
/// let segments = [Segment::new(0, 500, "a")?, Segment::new(1, 20, "b")?];
/// let seal = Seal::of(&segments);
/// assert_eq!((seal.segments, seal.rows), (2, 520));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seal {
    /// Number of segments.
    pub segments: u32,
    /// Number of rows.
    pub rows: u64,
    /// The [`SnapshotDigest`] of the segments.
    pub digest: ContentHash,
}

impl Seal {
    /// The seal of these segments in this order; O(segments).
    #[must_use]
    pub fn of<'a>(segments: impl IntoIterator<Item = &'a Segment>) -> Self {
        let mut seal = Self {
            segments: 0,
            rows: 0,
            digest: ContentHash::from_bytes([0; 32]),
        };
        let mut digest = SnapshotDigest::new();
        for segment in segments {
            seal.segments = seal.segments.saturating_add(1);
            seal.rows = seal.rows.saturating_add(u64::from(segment.rows()));
            digest.push(u64::from(segment.rows()), segment.hash());
        }
        seal.digest = digest.finish();
        seal
    }
}

/// A sealed snapshot without its rows.
///
/// Back ends outside this crate make one with [`new`](Self::new).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotInfo {
    /// Its id.
    pub id: SnapshotId,
    /// The bytes given at creation.
    pub meta: Bytes,
    /// Number of segments.
    pub segments: u32,
    /// Number of rows.
    pub rows: u64,
    /// Bytes in all segments.
    pub bytes: u64,
    /// The [`SnapshotDigest`] of the segments: equal digests, equal rows.
    pub digest: ContentHash,
    /// When it was created, in ms since 1970 UTC by the store's clock.
    pub created_at_ms: i64,
    /// When it expires, likewise.
    pub expires_at_ms: i64,
}

impl SnapshotInfo {
    /// The info of a sealed snapshot; `meta`, `bytes` and the times start empty
    /// or zero and are assigned after.
    ///
    /// ```
    /// use toolgate_store::{Seal, SnapshotId, SnapshotInfo};
    ///
    /// let mut info = SnapshotInfo::new(SnapshotId::from_u64(1)?, Seal::of([]));
    /// info.expires_at_ms = 1_000;
    /// assert_eq!(info.rows, 0);
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub const fn new(id: SnapshotId, seal: Seal) -> Self {
        Self {
            id,
            meta: Bytes::new(),
            segments: seal.segments,
            rows: seal.rows,
            bytes: 0,
            digest: seal.digest,
            created_at_ms: 0,
            expires_at_ms: 0,
        }
    }
}

impl fmt::Debug for SnapshotInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnapshotInfo")
            .field("id", &self.id)
            .field("meta", &Length(self.meta.len()))
            .field("segments", &self.segments)
            .field("rows", &self.rows)
            .field("bytes", &self.bytes)
            .field("digest", &self.digest)
            .field("created_at_ms", &self.created_at_ms)
            .field("expires_at_ms", &self.expires_at_ms)
            .finish()
    }
}

/// Immutable sets of rows.
///
/// What a back end promises, besides what each method says:
///
/// - Each method is one transaction: it happens whole or not at all, and after
///   `Ok` it has happened for every later reader.
/// - Each write sent again, in the same words, has the effect of once and gives
///   the same answer. So a writer whose reply was lost sends it again.
/// - Records of two owners never meet: an id of another owner is `not_found`,
///   as an id that never was, and may be used by this owner for its own record.
/// - From its expiry by the store's clock on, a record is `expired` to its
///   owner in reads and writes, for as long as the back end remembers it, and
///   then `not_found`.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{MemoryStore, NewSnapshot, Owner, Seal, Segment, SnapshotId, SnapshotStore};
///
/// # pollster::block_on(async {
/// let store = MemoryStore::new();
/// let (alice, id) = (Owner::new("alice")?, SnapshotId::from_random([9; 8]));
/// store.create_snapshot(&NewSnapshot::new(alice.clone(), id, Duration::from_secs(60))?).await?;
/// let segment = Segment::new(0, 2, "row 1\nrow 2\n")?;
/// store.append_segment(&alice, id, &segment).await?;
/// assert_eq!(store.snapshot(&alice, id).await.unwrap_err().code(), "not_sealed");
///
/// store.seal_snapshot(&alice, id, &Seal::of([&segment])).await?;
/// assert_eq!(store.snapshot(&alice, id).await?.rows, 2);
/// assert_eq!(store.segment_at(&alice, id, 1).await?.segment, segment);
///
/// let mallory = Owner::new("mallory")?;
/// assert_eq!(store.snapshot(&mallory, id).await.unwrap_err().code(), "not_found");
/// # Ok::<(), toolgate_store::StoreError>(())
/// # }).unwrap();
/// ```
pub trait SnapshotStore: Send + Sync {
    /// Creates an empty, unsealed snapshot, or finds the one created by the same
    /// call before. A writer that lost its place calls this again to learn how
    /// many segments are stored.
    ///
    /// # Errors
    /// `id_taken` when the owner has a snapshot of this id with another meta or
    /// ttl; `expired`, `quota`.
    fn create_snapshot<'a>(
        &'a self,
        new: &'a NewSnapshot,
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>>;

    /// Appends segments, all or none. The first ordinal that is new is the number
    /// of segments stored; a segment stored before, with the same rows and hash,
    /// changes nothing, also after the seal. Checked by
    /// [`check_batch`](Segment::check_batch) before anything is written. Many at
    /// once cost a durable back end little more than one.
    ///
    /// # Errors
    /// `corrupt` when hash and bytes differ; `conflict` when another segment
    /// stands at an ordinal, or the snapshot is sealed; `invalid` when an ordinal
    /// leaves a gap or the batch is too large; `not_found`, `expired`, `quota`.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use toolgate_store::*;
    /// # pollster::block_on(async {
    /// # let store = MemoryStore::new();
    /// # let (alice, id) = (Owner::new("alice")?, SnapshotId::from_random([9; 8]));
    /// # let new = NewSnapshot::new(alice.clone(), id, Duration::from_secs(60))?;
    /// # store.create_snapshot(&new).await?;
    /// let two = [Segment::new(0, 500, "a")?, Segment::new(1, 20, "b")?];
    /// assert_eq!(store.append_segments(&alice, id, &two).await?.rows, 520);
    /// assert_eq!(store.append_segments(&alice, id, &two).await?.rows, 520); // sent again
    /// let gap = [Segment::new(3, 1, "d")?];
    /// assert_eq!(store.append_segments(&alice, id, &gap).await.unwrap_err().code(), "invalid");
    /// # Ok::<(), StoreError>(())
    /// # }).unwrap();
    /// ```
    fn append_segments<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        segments: &'a [Segment],
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>>;

    /// Appends one segment, by [`append_segments`](Self::append_segments).
    ///
    /// # Errors
    /// Those of [`append_segments`](Self::append_segments).
    fn append_segment<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        segment: &'a Segment,
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>> {
        self.append_segments(owner, id, std::slice::from_ref(segment))
    }

    /// Checks counts and digest against what is stored and makes the snapshot
    /// readable. From then on it never changes. The same seal again is `Ok`.
    ///
    /// # Errors
    /// `conflict` when a count or the digest differs: the snapshot stays as it
    /// was; `not_found`, `expired`.
    fn seal_snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        seal: &'a Seal,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>>;

    /// Reads about a sealed snapshot.
    ///
    /// # Errors
    /// `not_sealed`, `not_found`, `expired`.
    fn snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>>;

    /// Reads one segment of a sealed snapshot by its ordinal.
    ///
    /// # Errors
    /// `out_of_range` (counted in segments), `not_sealed`, `not_found`,
    /// `expired`; `corrupt` when the back end checks on reading.
    fn segment<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        ordinal: u32,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>>;

    /// Reads the segment that holds the row at this position, from 0. Costs
    /// O(log segments) and one segment, so that a page read stays O(page).
    ///
    /// # Errors
    /// `out_of_range` (counted in rows), `not_sealed`, `not_found`, `expired`;
    /// `corrupt` when the back end checks on reading.
    fn segment_at<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        row: u64,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>>;
}
