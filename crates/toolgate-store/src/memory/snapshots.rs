//! Snapshots in memory.

use bytes::Bytes;

use super::budget::{Budget, RECORD_COST, bytes_of};
use super::rows::Rows;
use super::shelf::{Shelf, Shelved};
use super::{MemoryStore, Swept};
use crate::error::{Record, StoreError};
use crate::future::BoxFuture;
use crate::hash::SnapshotDigest;
use crate::id::SnapshotId;
use crate::name::Owner;
use crate::segment::{Segment, StoredSegment};
use crate::snapshot::{NewSnapshot, Seal, SnapshotInfo, SnapshotProgress, SnapshotStore};

#[derive(Debug)]
struct Snapshot {
    meta: Bytes,
    ttl_ms: i64,
    created_at_ms: i64,
    expires_at_ms: i64,
    rows: Rows,
    /// The digest of `rows` so far.
    digest: SnapshotDigest,
    seal: Option<Seal>,
}

impl Shelved for Snapshot {
    fn cost(&self) -> u64 {
        bytes_of(self.meta.len()) + self.rows.cost()
    }

    fn empty(&mut self) {
        self.meta = Bytes::new();
        self.rows = Rows::default();
    }
}

impl Snapshot {
    fn progress(&self) -> SnapshotProgress {
        SnapshotProgress {
            segments: self.rows.len(),
            rows: self.rows.rows(),
            bytes: self.rows.bytes(),
            sealed: self.seal.is_some(),
        }
    }

    fn info(&self, id: SnapshotId) -> Result<SnapshotInfo, StoreError> {
        let mut info = SnapshotInfo::new(id, self.seal.ok_or(StoreError::NotSealed)?);
        info.meta = self.meta.clone();
        info.bytes = self.rows.bytes();
        info.created_at_ms = self.created_at_ms;
        info.expires_at_ms = self.expires_at_ms;
        Ok(info)
    }

    fn sealed_rows(&self) -> Result<&Rows, StoreError> {
        self.seal.map(|_| &self.rows).ok_or(StoreError::NotSealed)
    }
}

#[derive(Debug)]
pub(super) struct Snapshots(Shelf<SnapshotId, Snapshot>);

impl Snapshots {
    pub(super) fn new(grace_ms: i64) -> Self {
        Self(Shelf::new(Record::Snapshot, grace_ms))
    }

    pub(super) fn sweep(&mut self, budget: &Budget, now_ms: i64, swept: &mut Swept) {
        self.0.sweep(budget, now_ms, swept, |_, _| (), |_, _| ());
    }

    fn create(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        new: &NewSnapshot,
    ) -> Result<SnapshotProgress, StoreError> {
        self.sweep(budget, now_ms, &mut Swept::default());
        match self.0.get(&new.owner, new.id, now_ms) {
            Ok(found) if found.meta == new.meta && found.ttl_ms == new.ttl_ms => {
                return Ok(found.progress());
            }
            Ok(_) => {
                return Err(StoreError::IdTaken {
                    what: Record::Snapshot,
                });
            }
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        budget.take(RECORD_COST + bytes_of(new.meta.len()))?;
        let expires_at_ms = now_ms.saturating_add(new.ttl_ms);
        let snapshot = Snapshot {
            meta: new.meta.clone(),
            ttl_ms: new.ttl_ms,
            created_at_ms: now_ms,
            expires_at_ms,
            rows: Rows::default(),
            digest: SnapshotDigest::new(),
            seal: None,
        };
        let progress = snapshot.progress();
        self.0.insert(&new.owner, new.id, snapshot, expires_at_ms);
        Ok(progress)
    }

    fn append(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        owner: &Owner,
        id: SnapshotId,
        batch: &[Segment],
    ) -> Result<SnapshotProgress, StoreError> {
        let snapshot = self.0.get_mut(owner, id, now_ms)?;
        // The batch has no gaps, so what is stored comes first.
        let mut fresh = batch;
        while let [segment, rest @ ..] = fresh
            && let Some(stored) = snapshot.rows.stored(segment.ordinal())
        {
            if (stored.hash(), stored.rows()) != (segment.hash(), segment.rows()) {
                return Err(StoreError::Conflict {
                    what: Record::Segment,
                    expected: format!("{} rows of {}", stored.rows(), stored.hash().short()),
                    found: format!("{} rows of {}", segment.rows(), segment.hash().short()),
                });
            }
            fresh = rest;
        }
        let Some(first) = fresh.first() else {
            return Ok(snapshot.progress());
        };
        if snapshot.seal.is_some() {
            return Err(StoreError::Conflict {
                what: Record::Snapshot,
                expected: format!("sealed with {} segments", snapshot.rows.len()),
                found: format!("segment {}", first.ordinal()),
            });
        }
        if first.ordinal() != snapshot.rows.len() {
            return Err(StoreError::invalid(
                "ordinal",
                snapshot.rows.len().to_string(),
                first.ordinal().to_string(),
            ));
        }
        budget.take(fresh.iter().map(Rows::cost_of).sum())?;
        for segment in fresh {
            snapshot
                .digest
                .push(u64::from(segment.rows()), segment.hash());
            snapshot.rows.push(segment.clone());
        }
        Ok(snapshot.progress())
    }

    fn seal(
        &mut self,
        now_ms: i64,
        owner: &Owner,
        id: SnapshotId,
        seal: &Seal,
    ) -> Result<SnapshotInfo, StoreError> {
        let snapshot = self.0.get_mut(owner, id, now_ms)?;
        let stored = Seal {
            segments: snapshot.rows.len(),
            rows: snapshot.rows.rows(),
            digest: snapshot.digest.finish(),
        };
        if stored != *seal {
            let text = |seal: &Seal| {
                format!(
                    "{} rows in {} segments of {}",
                    seal.rows,
                    seal.segments,
                    seal.digest.short()
                )
            };
            return Err(StoreError::Conflict {
                what: Record::Snapshot,
                expected: text(&stored),
                found: text(seal),
            });
        }
        snapshot.seal = Some(stored);
        snapshot.info(id)
    }
}

impl SnapshotStore for MemoryStore {
    fn create_snapshot<'a>(
        &'a self,
        new: &'a NewSnapshot,
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>> {
        Box::pin(async move {
            self.with_room(|now_ms| self.write_snapshots().create(&self.budget, now_ms, new))
        })
    }

    fn append_segments<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        segments: &'a [Segment],
    ) -> BoxFuture<'a, Result<SnapshotProgress, StoreError>> {
        Box::pin(async move {
            // Hashed before the lock is taken.
            Segment::check_batch(segments)?;
            self.with_room(|now_ms| {
                self.write_snapshots()
                    .append(&self.budget, now_ms, owner, id, segments)
            })
        })
    }

    fn seal_snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        seal: &'a Seal,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>> {
        Box::pin(async move {
            self.write_snapshots()
                .seal(self.clock.now_ms(), owner, id, seal)
        })
    }

    fn snapshot<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
    ) -> BoxFuture<'a, Result<SnapshotInfo, StoreError>> {
        Box::pin(async move {
            self.read_snapshots()
                .0
                .get(owner, id, self.clock.now_ms())?
                .info(id)
        })
    }

    fn segment<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        ordinal: u32,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let snapshots = self.read_snapshots();
            snapshots
                .0
                .get(owner, id, self.clock.now_ms())?
                .sealed_rows()?
                .get(ordinal)
        })
    }

    fn segment_at<'a>(
        &'a self,
        owner: &'a Owner,
        id: SnapshotId,
        row: u64,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>> {
        Box::pin(async move {
            let snapshots = self.read_snapshots();
            snapshots
                .0
                .get(owner, id, self.clock.now_ms())?
                .sealed_rows()?
                .at_row(row)
        })
    }
}
