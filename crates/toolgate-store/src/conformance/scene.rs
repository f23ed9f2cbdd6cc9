//! The people and things the promises play with.

use std::sync::Arc;
use std::time::Duration;

use super::harness::Harness;
use super::verdict::{Broken, Verdict, ensure};
use crate::claim::{ClaimRequest, Claimed};
use crate::id::{SnapshotId, TaskId};
use crate::name::{IdempotencyKey, Owner, TaskKind, WorkerId};
use crate::new_task::NewTask;
use crate::segment::Segment;
use crate::snapshot::{NewSnapshot, Seal};
use crate::step::{Progress, Step};
use crate::store::Store;
use crate::task::TaskState;
use crate::task_info::TaskInfo;

/// The life of records, long against every other time.
pub(super) const HOUR: u64 = 3_600;
/// The lease of claims. Promises stay well clear of it on both sides, since the
/// clock of a real back end also moves by itself.
pub(super) const LEASE: u64 = 60;

pub(super) struct Scene<'a> {
    pub(super) store: Arc<dyn Store>,
    pub(super) harness: &'a dyn Harness,
    pub(super) alice: Owner,
    pub(super) mallory: Owner,
    pub(super) kind: TaskKind,
}

impl<'a> Scene<'a> {
    pub(super) fn new(harness: &'a dyn Harness) -> Result<Self, Broken> {
        Ok(Self {
            store: harness.store(),
            harness,
            alice: Owner::new("alice")?,
            mallory: Owner::new("mallory")?,
            kind: TaskKind::new("plan.run")?,
        })
    }

    pub(super) async fn pass(&self, seconds: u64) {
        self.harness.advance(Duration::from_secs(seconds)).await;
    }

    pub(super) fn new_snapshot(&self, number: u64) -> Result<NewSnapshot, Broken> {
        let id = SnapshotId::from_u64(number)?;
        let new = NewSnapshot::new(self.alice.clone(), id, Duration::from_secs(HOUR))?;
        Ok(new.meta(format!("meta {number}"))?)
    }

    /// A snapshot of alice with a segment for each row count, not sealed.
    pub(super) async fn written(
        &self,
        number: u64,
        counts: &[u32],
    ) -> Result<(SnapshotId, Vec<Segment>), Broken> {
        let new = self.new_snapshot(number)?;
        self.store.create_snapshot(&new).await?;
        let mut segments = Vec::new();
        for (ordinal, &rows) in (0..).zip(counts) {
            let segment = Segment::new(ordinal, rows, format!("rows {ordinal} of {number}"))?;
            self.store
                .append_segment(&self.alice, new.id, &segment)
                .await?;
            segments.push(segment);
        }
        Ok((new.id, segments))
    }

    /// The same, sealed.
    pub(super) async fn sealed(
        &self,
        number: u64,
        counts: &[u32],
    ) -> Result<(SnapshotId, Vec<Segment>), Broken> {
        let (id, segments) = self.written(number, counts).await?;
        self.store
            .seal_snapshot(&self.alice, id, &Seal::of(&segments))
            .await?;
        Ok((id, segments))
    }

    pub(super) fn new_task(&self, number: u64) -> Result<NewTask, Broken> {
        Ok(NewTask::new(
            self.alice.clone(),
            TaskId::from_u64(number)?,
            IdempotencyKey::new(&format!("call-{number}"))?,
            self.kind.clone(),
            format!("request {number}"),
            Duration::from_secs(HOUR),
        )?)
    }

    pub(super) async fn created(&self, number: u64) -> Result<TaskId, Broken> {
        Ok(self
            .store
            .create_task(&self.new_task(number)?)
            .await?
            .task
            .id)
    }

    pub(super) fn ask(&self, worker: &str) -> Result<ClaimRequest, Broken> {
        let worker = WorkerId::new(worker)?;
        Ok(ClaimRequest::new(
            worker,
            [self.kind.clone()],
            Duration::from_secs(LEASE),
        )?)
    }

    /// Claims, and there is exactly one task to have.
    pub(super) async fn claim(&self, worker: &str) -> Result<Claimed, Broken> {
        let mut claimed = self.store.claim(&self.ask(worker)?.at_most(10)?).await?;
        match (claimed.pop(), claimed.len()) {
            (Some(one), 0) => Ok(one),
            (None, _) => Err(Broken::new("a task is ready but was not given")),
            (Some(_), more) => Err(Broken::new(format!("{more} tasks too many were given"))),
        }
    }

    /// Claims, and there is nothing to have.
    pub(super) async fn claim_nothing(&self) -> Verdict {
        let claimed = self.store.claim(&self.ask("idle")?.at_most(10)?).await?;
        ensure(claimed.is_empty(), "a task was given that must not be")
    }

    /// A task of alice in the hands of a worker.
    pub(super) async fn held(&self, number: u64) -> Result<Claimed, Broken> {
        self.created(number).await?;
        self.claim("first").await
    }

    pub(super) async fn info(&self, task: TaskId) -> Result<TaskInfo, Broken> {
        Ok(self.store.task(&self.alice, task).await?)
    }

    pub(super) async fn state(&self, task: TaskId) -> Result<TaskState, Broken> {
        Ok(self.info(task).await?.state)
    }
}

/// A step with three result rows, as it is made by everyone who makes it.
pub(super) fn step(ordinal: u32) -> Result<Step, Broken> {
    let result = Segment::new(ordinal, 3, format!("result {ordinal}"))?;
    let progress = Progress::new(500 * (u64::from(ordinal) + 1), Some(3_500));
    Ok(Step::new(result, checkpoint(ordinal), progress)?)
}

pub(super) fn checkpoint(ordinal: u32) -> String {
    format!("state after step {ordinal}")
}
