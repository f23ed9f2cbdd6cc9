//! Pinning: what a locator names, read once and kept in segments that never change.

use serde::{Deserialize, Serialize};
use toolgate_kernels::Plan;
use toolgate_store::limit::MAX_META_BYTES;
use toolgate_store::{
    ContentHash, IdempotencyKey, NewSnapshot, Owner, Record, Seal, Segment, SnapshotDigest,
    SnapshotId, SnapshotInfo, StoreError,
};

use crate::batch::{Batch, Column, ValueKind};
use crate::cut::Cutter;
use crate::error::{Error, SchemaFault};
use crate::locator::Locator;
use crate::resend::settled;
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
    /// How pages write the time of a row.
    pub(crate) times: TimeForm,
    pub(crate) columns: Vec<(String, ColumnKind)>,
}

/// What is kept with a snapshot beside its rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Meta {
    locator: Locator,
    times: TimeForm,
    columns: Vec<(String, ColumnKind)>,
    /// The hash of the call it was pinned for, of which its id is only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
}

/// How pages write the time of a row. It is chosen once for a snapshot, so that all pages
/// over it are written alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TimeForm {
    /// The day of the month under a line for each month; every time is a midnight.
    Day,
    /// The hour of the day under a line for each day; every time is a whole hour.
    Hour,
    /// The time of day under a line for each day; any times.
    Clock,
}

const DAY_MS: i64 = 86_400_000;
const HOUR_MS: i64 = 3_600_000;

impl TimeForm {
    /// The form that suits times that begin like these.
    fn of(times_ms: &[i64]) -> Self {
        if Self::Day.can_write(times_ms) {
            Self::Day
        } else if Self::Hour.can_write(times_ms) {
            Self::Hour
        } else {
            Self::Clock
        }
    }

    pub(crate) fn column_type(self) -> qrp1::ColumnType {
        match self {
            Self::Day => qrp1::ColumnType::Day,
            Self::Hour => qrp1::ColumnType::Hour,
            Self::Clock => qrp1::ColumnType::Clock,
        }
    }

    fn can_write(self, times_ms: &[i64]) -> bool {
        let unit_ms = match self {
            Self::Day => DAY_MS,
            Self::Hour => HOUR_MS,
            Self::Clock => return true,
        };
        times_ms
            .iter()
            .all(|time_ms| time_ms.rem_euclid(unit_ms) == 0)
    }
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
        Ok(Self::from_meta(info, Meta::of(info)?))
    }

    fn from_meta(info: &SnapshotInfo, meta: Meta) -> Self {
        Self {
            id: info.id,
            locator: meta.locator,
            rows: info.rows,
            segments: info.segments,
            bytes: info.bytes,
            digest: info.digest,
            expires_at_ms: info.expires_at_ms,
            times: meta.times,
            columns: meta.columns,
        }
    }

    /// Refuses a plan with an input that is no number column.
    pub(crate) fn check_inputs(&self, plan: &Plan) -> Result<(), Error> {
        check_inputs(plan, &self.columns)
    }
}

impl Meta {
    fn of(info: &SnapshotInfo) -> Result<Self, Error> {
        serde_json::from_slice(&info.meta).map_err(|_| Error::SegmentCorrupt {
            reason: "its description is not readable",
        })
    }
}

fn schema(columns: &[Column]) -> Vec<(String, ColumnKind)> {
    let columns = columns.iter();
    columns
        .map(|column| (column.name.clone(), column.values.kind().into()))
        .collect()
}

fn check_inputs(plan: &Plan, columns: &[(String, ColumnKind)]) -> Result<(), Error> {
    let numbers = columns
        .iter()
        .filter(|(_, kind)| *kind == ColumnKind::Number)
        .map(|(name, _)| name);
    for input in plan.inputs() {
        if !numbers.clone().any(|name| name == input) {
            return Err(Error::UnknownColumn {
                name: input.clone(),
                known: numbers.cloned().collect(),
            });
        }
    }
    Ok(())
}

/// The hash that stands for the `place`th id that a call may use.
fn call_hash(owner: &Owner, key: &IdempotencyKey, place: usize) -> ContentHash {
    // No owner or key has a line feed, so no two calls give the same text.
    let (owner, key) = (owner.as_str(), key.as_str());
    ContentHash::of(format!("toolgate-submit-1\n{place}\n{key}\n{owner}").as_bytes())
}

fn id_of_call(hash: &ContentHash) -> SnapshotId {
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    SnapshotId::from_random([a, b, c, d, e, f, g, h])
}

impl Runtime {
    /// Reads what a locator names and pins it: an immutable snapshot in segments of up to
    /// [`segment_rows`](crate::Settings::segment_rows), fewer where rows are so wide that a
    /// segment would pass 1 MiB. Memory is O(batch of the source + segment), time is linear
    /// in the rows. A write whose reply is lost is sent again, up to 3 times.
    ///
    /// # Errors
    /// [`Error::UnknownSource`], [`Error::UnknownSymbol`], [`Error::Input`],
    /// [`Error::NoRows`], [`Error::Schema`] for a row that no segment can hold (4 MiB), and
    /// what the store refuses, such as a quota. What was written before an error is never
    /// readable and expires.
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
        self.pin_anew(owner, locator, None).await
    }

    /// Pins under a new id.
    async fn pin_anew(
        &self,
        owner: &Owner,
        locator: &Locator,
        plan: Option<&Plan>,
    ) -> Result<Snapshot, Error> {
        let mut times = None;
        for _ in 0..ID_TRIES {
            let new = Pin {
                owner,
                locator,
                id: SnapshotId::from_random(self.draw()?),
                times,
                call: None,
            };
            match self.pin_as(&new, plan).await {
                Ok(Some(pinned)) => return Ok(pinned),
                Ok(None) => times = Some(TimeForm::Clock),
                // Ids are short, so one may be taken.
                Err(Error::Store(StoreError::IdTaken { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::NoRandomness)
    }

    /// The snapshot of a call, pinned now or when the same call was sent before.
    ///
    /// A call has a row of ids, each told by its hash. One that another call has taken, or
    /// where an earlier try stopped half way and the source has other rows by now, is
    /// passed over; since every try goes the same row, it finds what was sealed before.
    pub(crate) async fn pin_for_call(
        &self,
        owner: &Owner,
        locator: &Locator,
        plan: &Plan,
        key: &IdempotencyKey,
    ) -> Result<Snapshot, Error> {
        let mut times = None;
        for place in 0..ID_TRIES {
            if let Some(pinned) = self.find_call(owner, locator, key).await? {
                return Ok(pinned);
            }
            let hash = call_hash(owner, key, place);
            let new = Pin {
                owner,
                locator,
                id: id_of_call(&hash),
                times,
                call: Some(hash.to_string()),
            };
            match self.pin_as(&new, Some(plan)).await {
                Ok(Some(pinned)) => return Ok(pinned),
                Ok(None) => times = Some(TimeForm::Clock),
                // Or the same call, sent at the same time, is just sealing other rows: then
                // the next look finds them.
                Err(Error::Store(StoreError::IdTaken { .. } | StoreError::Conflict { .. })) => {}
                Err(error) => return Err(error),
            }
        }
        self.pin_anew(owner, locator, Some(plan)).await
    }

    /// The sealed snapshot that was pinned for this call.
    async fn find_call(
        &self,
        owner: &Owner,
        locator: &Locator,
        key: &IdempotencyKey,
    ) -> Result<Option<Snapshot>, Error> {
        for place in 0..ID_TRIES {
            let hash = call_hash(owner, key, place);
            let info = match self.store().snapshot(owner, id_of_call(&hash)).await {
                Ok(info) => info,
                Err(StoreError::NotSealed) => continue,
                Err(StoreError::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            let meta = Meta::of(&info)?;
            if meta.call != Some(hash.to_string()) {
                continue;
            }
            if meta.locator == *locator {
                return Ok(Some(Snapshot::from_meta(&info, meta)));
            }
            let short = |locator: &Locator| {
                let hash = ContentHash::of(locator.to_string().as_bytes());
                format!("locator {}", hash.short())
            };
            return Err(Error::Store(StoreError::Conflict {
                what: Record::Snapshot,
                expected: short(&meta.locator),
                found: short(locator),
            }));
        }
        Ok(None)
    }

    /// Reads what a locator names and pins it under an id. Nothing is written before the
    /// first rows are there and have what the plan reads. `None` when a later time is none
    /// that the form of the first can write: what was written is never readable and
    /// expires, and the rows are to be pinned in the other form.
    async fn pin_as(&self, new: &Pin<'_>, plan: Option<&Plan>) -> Result<Option<Snapshot>, Error> {
        new.locator.check()?;
        let sources = &self.parts.sources;
        let source = sources
            .get(&new.locator.source)
            .ok_or_else(|| Error::UnknownSource {
                name: new.locator.source.clone(),
                known: sources.keys().cloned().collect(),
            })?;
        let mut stream = source.open(new.locator).await?;
        let mut cutter = Cutter::new(self.settings().segment_rows);
        let mut writer = Writer::new();
        let mut waiting: Option<Batch> = None;
        let mut times = new.times;
        while let Some(batch) = stream.next().await? {
            if batch.rows() == 0 {
                continue;
            }
            let form = *times.get_or_insert_with(|| TimeForm::of(batch.time_ms()));
            if !form.can_write(batch.time_ms()) {
                return Ok(None);
            }
            let mut rows = match waiting.take() {
                Some(mut rows) => {
                    rows.append(batch)?;
                    rows
                }
                // These are the first rows.
                None => {
                    if let Some(plan) = plan {
                        check_inputs(plan, &schema(batch.columns()))?;
                    }
                    batch
                }
            };
            let mut from = 0;
            while let Some(end) = cutter.next(&rows, from)? {
                self.write(&mut writer, new, form, &rows.slice(from..end))
                    .await?;
                from = end;
            }
            if from > 0 {
                rows = rows.slice(from..usize::MAX);
            }
            waiting = Some(rows);
        }
        let (rows, form) = waiting.zip(times).ok_or(Error::NoRows)?;
        self.write(&mut writer, new, form, &rows).await?;
        let seal = Seal {
            segments: writer.segments,
            rows: writer.rows,
            digest: writer.digest.finish(),
        };
        let store = self.store();
        let info = settled(|| store.seal_snapshot(new.owner, new.id, &seal)).await?;
        Snapshot::from_info(&info).map(Some)
    }

    /// Appends a segment, and creates the snapshot with the first.
    async fn write(
        &self,
        writer: &mut Writer,
        new: &Pin<'_>,
        form: TimeForm,
        rows: &Batch,
    ) -> Result<(), Error> {
        let count = u32::try_from(rows.rows()).unwrap_or(u32::MAX);
        let segment = Segment::new(writer.segments, count, encode_segment(rows)?)?;
        let store = self.store();
        if writer.segments == 0 {
            let snapshot =
                NewSnapshot::new(new.owner.clone(), new.id, self.settings().snapshot_ttl)?
                    .meta(new.meta(rows, form)?)?;
            settled(|| store.create_snapshot(&snapshot)).await?;
        }
        settled(|| store.append_segment(new.owner, new.id, &segment)).await?;
        writer.segments += 1;
        writer.rows += u64::from(count);
        writer.digest.push(u64::from(count), segment.hash());
        Ok(())
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

/// A snapshot that is to be.
struct Pin<'p> {
    owner: &'p Owner,
    locator: &'p Locator,
    id: SnapshotId,
    /// How times are written; by the look of the first rows if none is said.
    times: Option<TimeForm>,
    call: Option<String>,
}

impl Pin<'_> {
    /// What is kept beside the rows, of which these are the first.
    fn meta(&self, rows: &Batch, times: TimeForm) -> Result<Vec<u8>, Error> {
        let meta = Meta {
            locator: self.locator.clone(),
            times,
            columns: schema(rows.columns()),
            call: self.call.clone(),
        };
        let meta = serde_json::to_vec(&meta).map_err(|error| Error::Request {
            reason: error.to_string(),
        })?;
        if meta.len() > MAX_META_BYTES {
            return Err(SchemaFault::MetaBytes { found: meta.len() }.into());
        }
        Ok(meta)
    }
}

/// How far the writing of a snapshot has come.
struct Writer {
    segments: u32,
    rows: u64,
    digest: SnapshotDigest,
}

impl Writer {
    fn new() -> Self {
        Self {
            segments: 0,
            rows: 0,
            digest: SnapshotDigest::new(),
        }
    }
}
