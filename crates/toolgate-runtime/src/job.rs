//! A claimed task at work: one segment a step, each committed with its checkpoint.

use toolgate_kernels::{Columns, Output, Plan, Run};
use toolgate_store::limit::MAX_REASON_BYTES;
use toolgate_store::{
    Claimed, Failure, Fence, Outcome, Progress, Release, Segment, SnapshotId, Step, StoreError,
    TaskId,
};

use crate::batch::{Batch, Column, Values};
use crate::checkpoint::{ListedEvent, decode_checkpoint, encode_checkpoint};
use crate::error::Error;
use crate::resend::settled;
use crate::runtime::Runtime;
use crate::segment::encode_segment;
use crate::snapshot::Snapshot;
use crate::summary::{self, Facts};

/// What one step of a job did.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, MemorySource, Runtime, Stepped, Values, Worker};
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
/// # runtime.submit(&owner, &request, &key).await?;
/// # let worker = Worker::new(&runtime, Duration::from_secs(30))?;
/// # let mut job = worker.claim().await?.expect("a task waits");
/// let mut segments = 0;
/// let end = loop {
///     match job.step().await? {
///         Stepped::Committed(_) => segments += 1,
///         end => break end,
///     }
/// };
/// assert_eq!((segments, end), (1, Stepped::Finished));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Stepped {
    /// A segment was computed and committed with its checkpoint.
    Committed(Committed),
    /// All segments were committed before; the summary is stored and the task has ended.
    Finished,
    /// The task has ended with this error, which its reader will get.
    Failed(Error),
    /// Someone had asked for the task to be cancelled; it has ended so.
    Cancelled,
}

/// A segment that was committed.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_runtime::{Batch, Column, Committed, ComputeRequest, Error, MemorySource, Runtime, Stepped, Values, Worker};
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
/// # runtime.submit(&owner, &request, &key).await?;
/// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
/// let mut job = worker.claim().await?.expect("a task waits");
/// let Stepped::Committed(done) = job.step().await? else { panic!("one segment") };
/// let Committed { segment, rows_done, rows_total, checkpoint_bytes } = done;
/// assert_eq!((segment, rows_done, rows_total), (0, 3, 3));
/// assert!(checkpoint_bytes < 256); // a state of two bars
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The segment, from 0.
    pub segment: u32,
    /// Rows computed so far.
    pub rows_done: u64,
    /// Rows in all.
    pub rows_total: u64,
    /// Bytes of the checkpoint that was stored with the segment.
    pub checkpoint_bytes: usize,
}

/// A claimed task at work. Dropping it at any moment is safe.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, Job, MemorySource, Runtime, Values, Worker};
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
/// let submitted = runtime.submit(&owner, &request, &key).await?;
/// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
/// let mut job: Job = worker.claim().await?.expect("a task waits");
/// assert_eq!((job.task(), job.segments_done()), (submitted.task, 0));
/// job.step().await?;
/// assert_eq!((job.segments_done(), job.bars()), (1, 3));
/// # Ok::<(), Error>(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct Job {
    runtime: Runtime,
    claimed: Claimed,
    snapshot: Snapshot,
    run: Run,
    events: Vec<ListedEvent>,
    /// The next segment to compute.
    next: u32,
    /// Whether the last row of the snapshot is not confirmed and was left out.
    unconfirmed: u64,
    /// Whether a cancel was asked for, as far as is known; `None` before the first step.
    cancel_requested: Option<bool>,
}

impl Job {
    pub(crate) async fn open(runtime: &Runtime, claimed: &Claimed) -> Result<Self, Error> {
        let plan = core::str::from_utf8(&claimed.request).map_err(|_| Error::Request {
            reason: "the stored plan is not text".to_owned(),
        })?;
        let plan = Plan::from_json(plan)?;
        let snapshot: SnapshotId = claimed.snapshot.ok_or_else(|| Error::Request {
            reason: "the task has no snapshot".to_owned(),
        })?;
        let snapshot = runtime.snapshot(&claimed.lease.owner, snapshot).await?;
        let (run, events) = match &claimed.checkpoint {
            None => (plan.start(), Vec::new()),
            Some(bytes) => {
                let (state, events) = decode_checkpoint(bytes)?;
                (plan.restore(state)?, events)
            }
        };
        Ok(Self {
            runtime: runtime.clone(),
            next: claimed.next_step,
            claimed: claimed.clone(),
            snapshot,
            run,
            events,
            unconfirmed: 0,
            cancel_requested: None,
        })
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> TaskId {
        self.claimed.lease.task
    }

    /// The fence of this claim: each claim of the task has a higher one, and only the
    /// holder of the highest can write.
    ///
    /// ```
    /// # use std::{sync::Arc, time::Duration};
    /// # use toolgate_cursor::KeyRing;
    /// # use toolgate_runtime::{Batch, Column, ComputeRequest, Error, MemorySource, Runtime, Values, Worker};
    /// # use toolgate_store::{IdempotencyKey, ManualClock, MemoryStore, Owner};
    /// # use toolgate_tokens::Estimate;
    /// # pollster::block_on(async {
    /// # let close = Values::Numbers(vec![Some(1.0), Some(3.0), Some(5.0)]);
    /// # let bars = Batch::new(vec![0, 60_000, 120_000], vec![Column { name: "close".to_owned(), values: close }])?;
    /// # let keys = KeyRing::new(1, &[7; 32])?;
    /// let clock = Arc::new(ManualClock::new(0));
    /// let store = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
    /// # let runtime = Runtime::builder(store, keys, Arc::new(Estimate))
    /// #     .source("memory", MemorySource::new().with("bars", bars)).build();
    /// # let owner = Owner::new("alice")?;
    /// # let request = ComputeRequest::from_json(r#"{"locator": {"source": "memory", "symbol": "bars"}, "plan":
    /// #     {"inputs": ["close"], "outputs": ["a"], "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}}"#)?;
    /// # let key = IdempotencyKey::new("call_8Zq")?;
    /// # runtime.submit(&owner, &request, &key).await?;
    /// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
    /// let mut late = worker.claim().await?.expect("a task waits");
    /// clock.advance(Duration::from_secs(30)); // the lease has run out
    /// let job = worker.claim().await?.expect("it can be claimed again");
    /// assert!(job.fence() > late.fence());
    /// assert_eq!(late.step().await.unwrap_err().code(), "stale_fence");
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn fence(&self) -> Fence {
        self.claimed.lease.fence
    }

    /// How many segments are committed.
    #[must_use]
    pub fn segments_done(&self) -> u32 {
        self.next
    }

    /// How many bars the restored state has seen.
    #[must_use]
    pub fn bars(&self) -> u64 {
        self.run.bars()
    }

    /// Computes the next segment and commits its result, the checkpoint and the progress
    /// in one operation; after the last segment, ends the task with its summary. A task
    /// that is to be cancelled ends so instead: before the first step of a claim, or after
    /// the commit that brings the wish.
    ///
    /// A step that failed in passing can be taken again.
    ///
    /// # Errors
    /// What the store refuses; `stale_fence` says that another worker has the task. Nothing
    /// was written then, and the job must be dropped.
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
    /// let mut job = worker.claim().await?.expect("a task waits");
    /// let Stepped::Committed(done) = job.step().await? else { panic!("one segment") };
    /// assert_eq!((done.segment, done.rows_done, done.rows_total), (0, 3, 3));
    /// assert_eq!(job.step().await?, Stepped::Finished);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn step(&mut self) -> Result<Stepped, Error> {
        match self.advance().await {
            Err(error) if !is_passing(&error) => {
                self.runtime.fail(&self.claimed, &error).await?;
                Ok(Stepped::Failed(error))
            }
            other => other,
        }
    }

    async fn advance(&mut self) -> Result<Stepped, Error> {
        if self.cancel_requested.is_none() {
            let status = self.runtime.store().heartbeat(&self.claimed.lease).await?;
            self.cancel_requested = Some(status.cancel_requested);
        }
        if self.cancel_requested == Some(true) {
            return self.cancel().await;
        }
        if self.next >= self.snapshot.segments {
            self.finish().await?;
            return Ok(Stepped::Finished);
        }
        let committed = self.commit_next().await?;
        if self.cancel_requested == Some(true) {
            return self.cancel().await;
        }
        Ok(Stepped::Committed(committed))
    }

    async fn cancel(&self) -> Result<Stepped, Error> {
        let (done, total) = (self.run.bars() + self.unconfirmed, self.snapshot.rows);
        let reason = format!("cancelled on request after {done} of {total} rows");
        let outcome = Outcome::Cancelled(Failure::new(Failure::CANCELLED, &reason)?);
        let store = self.runtime.store();
        settled(|| store.finish(&self.claimed.lease, &outcome)).await?;
        Ok(Stepped::Cancelled)
    }

    /// Gives the task back after an error in passing.
    pub(crate) async fn give_back(&self, error: &Error) {
        self.runtime.give_back(&self.claimed, error).await;
    }

    async fn commit_next(&mut self) -> Result<Committed, Error> {
        let owner = &self.claimed.lease.owner;
        let rows = self
            .runtime
            .snapshot_segment(owner, self.snapshot.id, self.next)
            .await?;
        // The run moves on only when the segment is committed, so a step that fails can
        // be taken again.
        let mut run = self.run.clone();
        let mut events = self.events.clone();
        let (result, unconfirmed) = self.compute(&mut run, &mut events, &rows)?;
        let checkpoint = encode_checkpoint(&run.save(), &events)?;
        let checkpoint_bytes = checkpoint.len();
        let count = u32::try_from(result.rows()).unwrap_or(u32::MAX);
        let segment = Segment::new(self.next, count, encode_segment(&result)?)?;
        let rows_done = run.bars() + unconfirmed;
        let progress = Progress::new(rows_done, Some(self.snapshot.rows));
        let step = Step::new(segment, checkpoint, progress)?;
        let store = self.runtime.store();
        let receipt = settled(|| store.commit_step(&self.claimed.lease, &step)).await?;
        self.cancel_requested = Some(receipt.cancel_requested);
        let segment = self.next;
        (self.run, self.events, self.unconfirmed) = (run, events, unconfirmed);
        self.next += 1;
        Ok(Committed {
            segment,
            rows_done,
            rows_total: self.snapshot.rows,
            checkpoint_bytes,
        })
    }

    /// Runs the plan over the rows of a segment. Gives the result rows, and how many
    /// unconfirmed rows at the end were left out of the computation.
    fn compute(
        &self,
        run: &mut Run,
        events: &mut Vec<ListedEvent>,
        rows: &Batch,
    ) -> Result<(Batch, u64), Error> {
        let confirmed = self.confirmed_rows(rows)?;
        let inputs = run.plan().inputs().to_vec();
        let values = inputs
            .iter()
            .map(|name| {
                let column = rows.numbers(name)?;
                // A missing value is not a number, and the plan refuses it by row and name.
                Ok(column[..confirmed]
                    .iter()
                    .map(|v| v.unwrap_or(f64::NAN))
                    .collect())
            })
            .collect::<Result<Vec<Vec<f64>>, Error>>()?;
        let columns: Vec<(&str, &[f64])> = inputs
            .iter()
            .map(String::as_str)
            .zip(values.iter().map(Vec::as_slice))
            .collect();
        let first_row = run.bars();
        let out = run
            .push(&Columns {
                time_ms: &rows.time_ms()[..confirmed],
                columns: &columns,
            })
            .map_err(|error| match error {
                // The plan counts rows in the segment, a reader in the snapshot.
                toolgate_kernels::Error::NonFinite { row, column, .. } => Error::NonFinite {
                    row: first_row + row as u64,
                    column,
                },
                error => error.into(),
            })?;
        let mut result = Vec::new();
        let mut fresh = Vec::new();
        for (at, (id, output)) in out.iter().enumerate() {
            let values = match output {
                Output::Numbers(numbers) => {
                    let mut values: Vec<Option<f64>> = numbers.iter().collect();
                    values.resize(rows.rows(), None);
                    Values::Numbers(values)
                }
                Output::Events {
                    cells,
                    events: found,
                    ..
                } => {
                    fresh.extend(found.iter().map(|event| ListedEvent {
                        output: u16::try_from(at).unwrap_or(u16::MAX),
                        bar: event.bar,
                        time_ms: event.time_ms,
                        direction: event.direction,
                        fast: event.fast,
                        slow: event.slow,
                    }));
                    let word = |cell: &Option<toolgate_kernels::Direction>| {
                        cell.map(|direction| direction.name().to_owned())
                    };
                    let mut values: Vec<Option<String>> = cells.iter().map(word).collect();
                    values.resize(rows.rows(), None);
                    Values::Texts(values)
                }
                _ => {
                    return Err(Error::Request {
                        reason: format!("the output {id} is of a kind that has no column yet"),
                    });
                }
            };
            result.push(Column {
                name: id.to_owned(),
                values,
            });
        }
        // The events that are listed are the first in time, whichever output they are of.
        fresh.sort_by_key(|event: &ListedEvent| (event.bar, event.output));
        let most = self.runtime.settings().max_events;
        events.extend(fresh.into_iter().take(most.saturating_sub(events.len())));
        let left_out = (rows.rows() - confirmed) as u64;
        Ok((Batch::new(rows.time_ms().to_vec(), result)?, left_out))
    }

    /// How many rows of a segment are confirmed. Only the last row of the snapshot may be
    /// unconfirmed: it is still changing, so nothing is computed from it.
    fn confirmed_rows(&self, rows: &Batch) -> Result<usize, Error> {
        let closed = rows
            .columns()
            .iter()
            .find_map(|column| match &column.values {
                Values::Flags(values) if column.name == "closed" => Some(values),
                _ => None,
            });
        let open = closed.and_then(|values| values.iter().position(|v| *v == Some(false)));
        match open {
            None => Ok(rows.rows()),
            Some(at) if at + 1 == rows.rows() && self.next + 1 == self.snapshot.segments => Ok(at),
            Some(at) => Err(Error::OpenBar {
                row: self.run.bars() + at as u64,
            }),
        }
    }

    async fn finish(&mut self) -> Result<(), Error> {
        if self.unconfirmed == 0 {
            // After a restart the last segment is not at hand; its rows tell.
            self.unconfirmed = self.snapshot.rows - self.run.bars();
        }
        let facts = Facts {
            snapshot: &self.snapshot,
            task: self.claimed.lease.task,
            result_version: self.claimed.result_version,
            unconfirmed: self.unconfirmed,
        };
        let text = summary::document(&facts, &self.run, &self.events)?;
        let outcome = Outcome::succeeded(text)?;
        let store = self.runtime.store();
        Ok(settled(|| store.finish(&self.claimed.lease, &outcome)).await?)
    }
}

/// Whether an error says nothing about the task itself, so that it is left to be claimed
/// again.
pub(crate) fn is_passing(error: &Error) -> bool {
    match error {
        Error::Store(error) => {
            error.is_retryable()
                || matches!(
                    error,
                    StoreError::StaleFence { .. } | StoreError::Finished { .. }
                )
        }
        _ => false,
    }
}

impl Runtime {
    /// Ends a task that cannot go on, with the error's code and reason.
    pub(crate) async fn fail(&self, claimed: &Claimed, error: &Error) -> Result<(), Error> {
        let mut message = error.to_string();
        if let Some(next) = error.next_step()
            && let Some(before) = message.strip_suffix(next)
        {
            // Its reader is told what to do by the code.
            message = before.trim_end_matches([' ', ';', '.']).to_owned();
        }
        let mut reason = String::new();
        for c in message.chars().filter(|c| !c.is_control()) {
            if reason.len() + c.len_utf8() > MAX_REASON_BYTES {
                break;
            }
            reason.push(c);
        }
        let outcome = Outcome::Failed(Failure::new(error.code(), &reason)?);
        let store = self.store();
        Ok(settled(|| store.finish(&claimed.lease, &outcome)).await?)
    }

    /// Gives a task back after an error in passing, with its attempt. If that fails too, the
    /// lease runs out and the attempt counts until the next commit.
    pub(crate) async fn give_back(&self, claimed: &Claimed, error: &Error) {
        if matches!(error, Error::Store(error) if error.is_retryable()) {
            let (store, stop) = (self.store(), Release::stop());
            let _ = settled(|| store.release(&claimed.lease, &stop)).await;
        }
    }
}
