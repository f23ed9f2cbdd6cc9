//! Tasks: created once, claimed under leases, committed step by step, ended once.

use crate::claim::{ClaimRequest, Claimed};
use crate::error::StoreError;
use crate::future::BoxFuture;
use crate::id::TaskId;
use crate::lease::{Lease, LeaseStatus};
use crate::name::Owner;
use crate::new_task::{Created, NewTask};
use crate::outcome::Outcome;
use crate::release::Release;
use crate::segment::StoredSegment;
use crate::step::{ResultVersion, Step, StepReceipt};
use crate::task::TaskState;
use crate::task_info::TaskInfo;

/// Tasks, their leases, steps and results. The general promises are those of
/// [`SnapshotStore`](crate::SnapshotStore); besides:
///
/// - A task is in the hands of one lease at a time. Each claim raises the fence,
///   and every write under an older fence is `stale_fence` and changes nothing.
/// - Only the store's clock says when a lease runs out. There is no rescue pass:
///   a claim takes what is free, and a lease that ran out is free.
/// - A terminal state is final.
/// - Attempts count since the last committed step: a new step leaves only the
///   current claim counted, so a task ends as `attempts_exhausted` when one step
///   used all of them up, however long it ran before.
/// - Checks run in this order: hash (`corrupt`), owner (`not_found`), life (`expired`), fence
///   (`stale_fence`), repetition (`Ok` or `conflict`), end (`finished`), order
///   of steps (`invalid`), room (`quota`).
///
/// The crate's front page shows a whole run.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::*;
///
/// # pollster::block_on(async {
/// let store = MemoryStore::new();
/// let (alice, kind) = (Owner::new("alice")?, TaskKind::new("plan.run")?);
/// let (id, key) = (TaskId::from_random([7; 8]), IdempotencyKey::new("call_1")?);
/// let hour = Duration::from_secs(3_600);
/// let new = NewTask::new(alice.clone(), id, key, kind.clone(), "a plan", hour)?;
/// assert!(store.create_task(&new).await?.is_new);
/// assert!(!store.create_task(&new).await?.is_new);
///
/// let ask = ClaimRequest::new(WorkerId::new("w1")?, [kind], Duration::from_secs(90))?;
/// let claimed = store.claim(&ask).await?.pop().expect("one task is ready");
/// let step = Step::new(Segment::new(0, 1, "a row")?, "state", Progress::new(1, Some(1)))?;
/// store.commit_step(&claimed.lease, &step).await?;
/// store.finish(&claimed.lease, &Outcome::succeeded("one row")?).await?;
///
/// let info = store.task(&alice, id).await?;
/// assert_eq!((info.state, info.result_rows), (TaskState::Succeeded, 1));
/// let result = store.result_segment(&alice, id, info.result_version, 0).await?;
/// assert_eq!(result.segment.bytes(), "a row");
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
pub trait TaskStore: Send + Sync {
    /// Creates a task, or finds the one made with the same key before. When this
    /// returns, the task can be read and claimed.
    ///
    /// # Errors
    /// `conflict` when the key stands for another request
    /// ([`digest`](NewTask::digest)); `id_taken` when the key is new and the id
    /// is not; `expired` when the key's task has expired; `quota`.
    fn create_task<'a>(&'a self, new: &'a NewTask) -> BoxFuture<'a, Result<Created, StoreError>>;

    /// Gives up to `max` tasks of these kinds to the worker, those ready longest
    /// first; none is an empty list. Takes tasks of any owner. Tasks it meets
    /// whose attempts are used up end as failed (`attempts_exhausted`), those
    /// with a cancel asked for as cancelled. Never gives a task twice: when the
    /// reply is lost, the leases run out and the tasks come back.
    ///
    /// # Errors
    /// None of its own.
    fn claim<'a>(
        &'a self,
        ask: &'a ClaimRequest,
    ) -> BoxFuture<'a, Result<Vec<Claimed>, StoreError>>;

    /// Renews the lease by its length from now.
    ///
    /// # Errors
    /// `stale_fence`, `finished`, `not_found`, `expired`.
    fn heartbeat<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<LeaseStatus, StoreError>>;

    /// Writes result segment, checkpoint and progress of the next step together,
    /// renews the lease, and leaves only this claim counted among the attempts.
    /// A step stored before is compared by
    /// [`digest`](Step::digest) and changes nothing.
    ///
    /// The result segment can be read from now on and does not change.
    ///
    /// # Errors
    /// `corrupt` when the segment and its hash differ; `conflict` when another
    /// step stands at the ordinal; `invalid` when the ordinal leaves a gap;
    /// `stale_fence`, `finished`, `not_found`, `expired`, `quota`.
    fn commit_step<'a>(
        &'a self,
        lease: &'a Lease,
        step: &'a Step,
    ) -> BoxFuture<'a, Result<StepReceipt, StoreError>>;

    /// Gives the task back, with its steps and checkpoint kept; returns the state
    /// it is in now: queued, or ended when this was the last attempt, a cancel was
    /// asked for, or this worker had ended it before.
    ///
    /// # Errors
    /// `stale_fence`, `not_found`, `expired`.
    fn release<'a>(
        &'a self,
        lease: &'a Lease,
        release: &'a Release,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>>;

    /// Drops all steps of result version `from` and begins the next version at
    /// step 0; returns that version. Readers of the old version get
    /// `other_version`.
    ///
    /// # Errors
    /// `other_version` when `from` is not the current version; `stale_fence`,
    /// `finished`, `not_found`, `expired`.
    fn restart<'a>(
        &'a self,
        lease: &'a Lease,
        from: ResultVersion,
    ) -> BoxFuture<'a, Result<ResultVersion, StoreError>>;

    /// Ends the task. The same outcome again is `Ok`.
    ///
    /// # Errors
    /// `conflict` when it ended with another outcome of the same state,
    /// `finished` when as another state; `stale_fence`, `not_found`, `expired`,
    /// `quota`.
    fn finish<'a>(
        &'a self,
        lease: &'a Lease,
        outcome: &'a Outcome,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Asks for the task to end early; returns its state now. Without a worker it
    /// ends at once. A worker that holds it learns of the wish by its next
    /// heartbeat or commit and may still succeed.
    ///
    /// # Errors
    /// `not_found`, `expired`.
    fn cancel<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskState, StoreError>>;

    /// Reads about a task.
    ///
    /// # Errors
    /// `not_found`, `expired`.
    fn task<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
    ) -> BoxFuture<'a, Result<TaskInfo, StoreError>>;

    /// Reads one result segment by its ordinal, in any state of the task: a
    /// reader that must not see rows of a failed task reads the task first.
    ///
    /// # Errors
    /// `other_version`; `out_of_range` (counted in segments); `not_found`,
    /// `expired`; `corrupt` when the back end checks on reading.
    fn result_segment<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
        version: ResultVersion,
        ordinal: u32,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>>;

    /// Reads the result segment that holds the row at this position, from 0, in
    /// O(log segments).
    ///
    /// # Errors
    /// `other_version`; `out_of_range` (counted in rows); `not_found`,
    /// `expired`; `corrupt` when the back end checks on reading.
    fn result_segment_at<'a>(
        &'a self,
        owner: &'a Owner,
        task: TaskId,
        version: ResultVersion,
        row: u64,
    ) -> BoxFuture<'a, Result<StoredSegment, StoreError>>;
}
