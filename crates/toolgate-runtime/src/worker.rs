//! Workers: claim a task, compute it segment by segment, and lose nothing when they stop.

use std::time::Duration;

use toolgate_store::{ClaimRequest, TaskId, TaskKind, WorkerId};

use crate::error::Error;
use crate::job::{Job, Stepped, is_passing};
use crate::runtime::Runtime;
use crate::task::COMPUTE;

/// Claims compute tasks and works on them.
///
/// Any number of workers may share a store. One that stops at any moment, also between
/// computing and committing, loses at most the segment it was at: the next one goes on
/// from the last commit, and the result has the same bits as if nothing had happened.
#[derive(Clone, Debug)]
pub struct Worker {
    runtime: Runtime,
    id: WorkerId,
    lease: Duration,
}

impl Worker {
    /// A worker with a random id. `lease` is how long a task stays its own after each
    /// commit; it should be a multiple of what a segment takes.
    ///
    /// # Errors
    /// [`Error::NoRandomness`].
    pub fn new(runtime: &Runtime, lease: Duration) -> Result<Self, Error> {
        let id = WorkerId::from_random(runtime.draw()?);
        Ok(Self {
            runtime: runtime.clone(),
            id,
            lease,
        })
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &WorkerId {
        &self.id
    }

    /// Claims the next task that waits, with the state of its last checkpoint; `None` when
    /// none does. A task whose data or state cannot be read is failed on the spot, and the
    /// next is tried. When the store fails in passing, the task is given back as well as
    /// that is possible then, so that the attempt does not count.
    ///
    /// # Errors
    /// What the store refuses.
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
    /// runtime.submit(&owner, &request, &IdempotencyKey::new("call_8Zq")?).await?;
    /// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
    /// let job = worker.claim().await?.expect("a task waits");
    /// assert_eq!((job.segments_done(), job.bars()), (0, 0));
    /// assert!(worker.claim().await?.is_none()); // it is claimed
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn claim(&self) -> Result<Option<Job>, Error> {
        let ask = ClaimRequest::new(self.id.clone(), [TaskKind::new(COMPUTE)?], self.lease)?;
        loop {
            let Some(claimed) = self.runtime.store().claim(&ask).await?.into_iter().next() else {
                return Ok(None);
            };
            let failed = match Job::open(&self.runtime, &claimed).await {
                Ok(job) => return Ok(Some(job)),
                Err(error) if is_passing(&error) => Err(error),
                Err(error) => self.runtime.fail(&claimed, &error).await,
            };
            if let Err(error) = failed {
                self.runtime.give_back(&claimed, &error).await;
                return Err(error);
            }
        }
    }

    /// Claims a task and works until it has ended; `None` when none waits. When the store
    /// fails in passing, the task is given back with its checkpoint as well as that is
    /// possible then, so that the attempt does not count; the next `run` may go on with it.
    ///
    /// # Errors
    /// What the store refuses, among them `stale_fence` when the lease was lost.
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
    /// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
    /// assert_eq!(worker.run().await?, Some(submitted.task));
    /// assert_eq!(worker.run().await?, None);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn run(&self) -> Result<Option<TaskId>, Error> {
        let Some(mut job) = self.claim().await? else {
            return Ok(None);
        };
        loop {
            match job.step().await {
                Ok(Stepped::Committed(_)) => {}
                Ok(Stepped::Finished | Stepped::Failed(_) | Stepped::Cancelled) => {
                    return Ok(Some(job.task()));
                }
                Err(error) => {
                    job.give_back(&error).await;
                    return Err(error);
                }
            }
        }
    }
}
