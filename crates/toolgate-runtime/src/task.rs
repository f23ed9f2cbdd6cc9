//! Tasks: starting one, and reading what it has computed.

use toolgate_kernels::Plan;
use toolgate_store::{IdempotencyKey, NewTask, Owner, ResultVersion, StoreError, TaskId, TaskKind};

use crate::batch::{Batch, TIME_COLUMN};
use crate::checkpoint::ROOM_FOR_STATE;
use crate::error::{Error, SchemaFault};
use crate::request::ComputeRequest;
use crate::resend::settled;
use crate::runtime::Runtime;
use crate::segment::decode_segment;
use crate::snapshot::{ID_TRIES, Snapshot};

/// The kind of task that computes a plan over a snapshot.
pub(crate) const COMPUTE: &str = "compute";

/// A task that was started.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, MemorySource, Runtime, Submitted, Values};
/// # use toolgate_store::{IdempotencyKey, MemoryStore, Owner};
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
/// # let key = IdempotencyKey::new("call_8Zq")?;
/// let Submitted { task, snapshot } = runtime.submit(&owner, &request, &key).await?;
/// assert_eq!(snapshot.rows, 3);
/// assert!(task.to_string().starts_with('t')); // what a model is told
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Submitted {
    /// The task, by which its answer and its pages are read.
    pub task: TaskId,
    /// The snapshot it computes over.
    pub snapshot: Snapshot,
}

impl Runtime {
    /// Pins what the request's locator names and starts a task that computes its plan.
    ///
    /// The key names the call, such as the id of the tool call. Sent again with the same key
    /// it is the same snapshot and the same task; once the rows are pinned the source is not
    /// read again. A write whose reply is lost is sent again, up to 3 times.
    ///
    /// # Errors
    /// As [`Runtime::pin`] and [`Runtime::start`], before anything is written where the plan
    /// and the columns do not fit; [`Error::Store`] with `conflict` when the key stands for
    /// another request, with `expired` when what it stands for has expired, with
    /// `reply_lost` when it is not known whether the task was made: send it again.
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
    /// let key = IdempotencyKey::new("call_8Zq")?;
    /// let submitted = runtime.submit(&owner, &request, &key).await?;
    /// assert_eq!(submitted.snapshot.rows, 3);
    /// assert_eq!(runtime.submit(&owner, &request, &key).await?, submitted);
    /// assert_eq!(runtime.answer(&owner, submitted.task).await.unwrap_err().code(), "task_pending");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn submit(
        &self,
        owner: &Owner,
        request: &ComputeRequest,
        key: &IdempotencyKey,
    ) -> Result<Submitted, Error> {
        let (locator, plan) = (&request.locator, &request.plan);
        self.check_plan(plan)?;
        let snapshot = self.pin_for_call(owner, locator, plan, key).await?;
        let task = self.start(owner, &snapshot, plan, key.clone()).await?;
        Ok(Submitted { task, snapshot })
    }

    /// Refuses what no snapshot would make right.
    fn check_plan(&self, plan: &Plan) -> Result<(), Error> {
        if plan.outputs().any(|output| output == TIME_COLUMN) {
            return Err(SchemaFault::Reserved.into());
        }
        let (bytes, limit) = (plan.max_state_bytes(), ROOM_FOR_STATE);
        if bytes > limit {
            return Err(Error::StateTooLarge { bytes, limit });
        }
        Ok(())
    }

    /// Starts a task that computes a plan over a pinned snapshot. With the same key, plan
    /// and snapshot again it is the same task.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when the plan has an input that the snapshot has not,
    /// [`Error::Schema`] when an output is called as the time, [`Error::StateTooLarge`] when
    /// its state may not fit a checkpoint, and what the store refuses.
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
    /// let snapshot = runtime.pin(&owner, &request.locator).await?;
    /// let key = IdempotencyKey::new("call_8Zq")?;
    /// let task = runtime.start(&owner, &snapshot, &request.plan, key.clone()).await?;
    /// // A reply that was lost costs nothing: sent again, it is the same task.
    /// assert_eq!(runtime.start(&owner, &snapshot, &request.plan, key).await?, task);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn start(
        &self,
        owner: &Owner,
        snapshot: &Snapshot,
        plan: &Plan,
        key: IdempotencyKey,
    ) -> Result<TaskId, Error> {
        self.check_plan(plan)?;
        snapshot.check_inputs(plan)?;
        let store = self.store();
        for _ in 0..ID_TRIES {
            let id = TaskId::from_random(self.draw()?);
            let new = NewTask::new(
                owner.clone(),
                id,
                key.clone(),
                TaskKind::new(COMPUTE)?,
                plan.to_json().to_owned(),
                self.settings().task_ttl,
            )?
            .snapshot(snapshot.id);
            match settled(|| store.create_task(&new)).await {
                Ok(created) => return Ok(created.task.id),
                Err(StoreError::IdTaken { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::NoRandomness)
    }
}

impl Runtime {
    /// The result rows of one segment of a task, also while the task still runs.
    ///
    /// # Errors
    /// [`Error::Store`] with `not_found` (also for another owner's), `other_version` or
    /// `out_of_range`; [`Error::SegmentCorrupt`].
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
    /// let key = IdempotencyKey::new("call_8Zq")?;
    /// let submitted = runtime.submit(&owner, &request, &key).await?;
    /// Worker::new(&runtime, Duration::from_secs(30))?.run().await?;
    /// let rows = runtime.result_segment(&owner, submitted.task, ResultVersion::FIRST, 0).await?;
    /// assert_eq!(rows.numbers("a")?, [None, Some(2.0), Some(4.0)]);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn result_segment(
        &self,
        owner: &Owner,
        task: TaskId,
        version: ResultVersion,
        ordinal: u32,
    ) -> Result<Batch, Error> {
        let stored = self
            .store()
            .result_segment(owner, task, version, ordinal)
            .await?;
        decode_segment(stored.segment.bytes())
    }
}
