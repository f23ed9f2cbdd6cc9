//! Pinning: what a locator names, read once and kept in segments that never change.

use serde::{Deserialize, Serialize};
use toolgate_store::{
    ContentHash, NewSnapshot, Owner, Seal, Segment, SnapshotDigest, SnapshotId, SnapshotInfo,
    StoreError,
};

use crate::batch::{Batch, ValueKind};
use crate::error::Error;
use crate::locator::Locator;
use crate::runtime::Runtime;
use crate::segment::{decode_segment, encode_segment};

/// A pinned snapshot.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Its id, which is a name and no permission.
    pub id: SnapshotId,
    /// What was read.
    pub locator: Locator,
    /// Rows in all.
    pub rows: u64,
    /// Segments in all.
    pub segments: u32,
    /// Bytes of all segments.
    pub bytes: u64,
    /// A hash over the rows and hashes of all segments.
    pub digest: ContentHash,
    /// When it expires, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
    /// The time of the first row, from which pages count.
    pub(crate) t0_ms: i64,
    pub(crate) columns: Vec<(String, ColumnKind)>,
}

/// What is kept with a snapshot beside its rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    locator: Locator,
    t0_ms: i64,
    columns: Vec<(String, ColumnKind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColumnKind {
    Number,
    Flag,
    Text,
}

impl From<ValueKind> for ColumnKind {
    fn from(kind: ValueKind) -> Self {
        match kind {
            ValueKind::Numbers => Self::Number,
            ValueKind::Flags => Self::Flag,
            ValueKind::Texts => Self::Text,
        }
    }
}

impl Snapshot {
    fn from_info(info: &SnapshotInfo) -> Result<Self, Error> {
        let meta: Meta = serde_json::from_slice(&info.meta).map_err(|_| Error::SegmentCorrupt {
            reason: "its description is not readable",
        })?;
        Ok(Self {
            id: info.id,
            locator: meta.locator,
            rows: info.rows,
            segments: info.segments,
            bytes: info.bytes,
            digest: info.digest,
            expires_at_ms: info.expires_at_ms,
            t0_ms: meta.t0_ms,
            columns: meta.columns,
        })
    }

    /// Refuses a name that is no number column.
    pub(crate) fn check_number(&self, name: &str) -> Result<(), Error> {
        let numbers = || {
            self.columns
                .iter()
                .filter(|(_, kind)| *kind == ColumnKind::Number)
        };
        if numbers().any(|(known, _)| known == name) {
            return Ok(());
        }
        Err(Error::UnknownColumn {
            name: name.to_owned(),
            known: numbers().map(|(known, _)| known.clone()).collect(),
        })
    }
}

impl Runtime {
    /// Reads what a locator names and pins it: an immutable snapshot in segments of
    /// [`segment_rows`](crate::Settings::segment_rows). Memory is O(segment).
    ///
    /// # Errors
    /// [`Error::UnknownSource`], [`Error::UnknownSymbol`], [`Error::Input`],
    /// [`Error::NoRows`], and what the store refuses, such as a quota. What was written
    /// before an error is never readable and expires.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Locator, MemorySource, Rows, Runtime, Stepped, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner, ResultVersion};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
    /// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// let snapshot = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// assert_eq!((snapshot.rows, snapshot.segments), (3, 1));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn pin(&self, owner: &Owner, locator: &Locator) -> Result<Snapshot, Error> {
        locator.check()?;
        let sources = &self.parts.sources;
        let source = sources
            .get(&locator.source)
            .ok_or_else(|| Error::UnknownSource {
                name: locator.source.clone(),
                known: sources.keys().cloned().collect(),
            })?;
        let mut stream = source.open(locator).await?;
        let mut writer: Option<Writer<'_>> = None;
        let mut waiting: Option<Batch> = None;
        let segment_rows = usize::try_from(self.settings().segment_rows.max(1)).unwrap_or(1);
        while let Some(batch) = stream.next().await? {
            match &mut waiting {
                None => waiting = Some(batch),
                Some(rows) => rows.append(batch)?,
            }
            while let Some(rows) = waiting.as_mut().filter(|rows| rows.rows() > segment_rows) {
                let rest = rows.split_off(segment_rows);
                let segment = core::mem::replace(rows, rest);
                self.write(&mut writer, owner, locator, &segment).await?;
            }
        }
        if let Some(rows) = waiting.filter(|rows| rows.rows() > 0) {
            self.write(&mut writer, owner, locator, &rows).await?;
        }
        let writer = writer.ok_or(Error::NoRows)?;
        let seal = Seal {
            segments: writer.segments,
            rows: writer.rows,
            digest: writer.digest.finish(),
        };
        let info = self.store().seal_snapshot(owner, writer.id, &seal).await?;
        Snapshot::from_info(&info)
    }

    /// Appends a segment, and creates the snapshot with the first.
    async fn write<'o>(
        &self,
        writer: &mut Option<Writer<'o>>,
        owner: &'o Owner,
        locator: &Locator,
        rows: &Batch,
    ) -> Result<(), Error> {
        if writer.is_none() {
            let columns = rows.columns().iter();
            let meta = Meta {
                locator: locator.clone(),
                t0_ms: rows.time_ms().first().copied().unwrap_or(0),
                columns: columns
                    .map(|c| (c.name.clone(), c.values.kind().into()))
                    .collect(),
            };
            let meta = serde_json::to_vec(&meta).map_err(|error| Error::Request {
                reason: error.to_string(),
            })?;
            *writer = Some(Writer::new(owner, self.create(owner, meta).await?));
        }
        if let Some(writer) = writer {
            let count = u32::try_from(rows.rows()).unwrap_or(u32::MAX);
            let segment = Segment::new(writer.segments, count, encode_segment(rows)?)?;
            self.store()
                .append_segment(writer.owner, writer.id, &segment)
                .await?;
            writer.segments += 1;
            writer.rows += u64::from(count);
            writer.digest.push(u64::from(count), segment.hash());
        }
        Ok(())
    }

    /// Creates a snapshot under a new id; ids are short, so one may be taken.
    async fn create(&self, owner: &Owner, meta: Vec<u8>) -> Result<SnapshotId, Error> {
        for _ in 0..ID_TRIES {
            let id = SnapshotId::from_random(self.draw()?);
            let new = NewSnapshot::new(owner.clone(), id, self.settings().snapshot_ttl)?
                .meta(meta.clone())?;
            match self.store().create_snapshot(&new).await {
                Ok(_) => return Ok(id),
                Err(StoreError::IdTaken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::NoRandomness)
    }

    /// A pinned snapshot by its id.
    ///
    /// # Errors
    /// [`Error::Store`] with `not_found` (also for another owner's), `expired` or
    /// `not_sealed`.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Locator, MemorySource, Rows, Runtime, Stepped, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner, ResultVersion};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
    /// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// assert_eq!(runtime.snapshot(&owner, pinned.id).await?, pinned);
    /// let stranger = Owner::new("mallory")?;
    /// assert_eq!(runtime.snapshot(&stranger, pinned.id).await.unwrap_err().code(), "not_found");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn snapshot(&self, owner: &Owner, id: SnapshotId) -> Result<Snapshot, Error> {
        Snapshot::from_info(&self.store().snapshot(owner, id).await?)
    }

    /// The rows of one segment of a snapshot.
    ///
    /// # Errors
    /// [`Error::Store`], or [`Error::SegmentCorrupt`].
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Locator, MemorySource, Rows, Runtime, Stepped, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner, ResultVersion};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
    /// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// # let runtime = Runtime::builder(Arc::new(MemoryStore::new()), keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// let pinned = runtime.pin(&owner, &Locator::new("memory", "bars")).await?;
    /// let rows = runtime.snapshot_segment(&owner, pinned.id, 0).await?;
    /// assert_eq!(rows.numbers("close")?, [Some(1.0), Some(3.0), Some(5.0)]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn snapshot_segment(
        &self,
        owner: &Owner,
        id: SnapshotId,
        ordinal: u32,
    ) -> Result<Batch, Error> {
        let stored = self.store().segment(owner, id, ordinal).await?;
        decode_segment(stored.segment.bytes())
    }
}

/// How often a new id is drawn before it must be the randomness that is broken.
pub(crate) const ID_TRIES: usize = 8;

struct Writer<'o> {
    owner: &'o Owner,
    id: SnapshotId,
    segments: u32,
    rows: u64,
    digest: SnapshotDigest,
}

impl<'o> Writer<'o> {
    fn new(owner: &'o Owner, id: SnapshotId) -> Self {
        Self {
            owner,
            id,
            segments: 0,
            rows: 0,
            digest: SnapshotDigest::new(),
        }
    }
}
