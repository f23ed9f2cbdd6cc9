//! A claimed task at work: one segment a step, each committed with its checkpoint.

use toolgate_kernels::{Columns, Output, Plan, Run};
use toolgate_store::{
    Claimed, Failure, Fence, Outcome, Progress, Segment, SnapshotId, Step, StoreError, TaskId,
};

use crate::batch::{Batch, Column, Values};
use crate::checkpoint::{ListedEvent, decode_checkpoint, encode_checkpoint};
use crate::error::Error;
use crate::runtime::Runtime;
use crate::segment::encode_segment;
use crate::snapshot::Snapshot;
use crate::summary::{self, Facts};

/// What one step of a job did.
#[derive(Clone, Debug, PartialEq)]
pub enum Stepped {
    /// A segment was computed and committed with its checkpoint.
    Committed(Committed),
    /// All segments were committed before; the summary is stored and the task has ended.
    Finished,
    /// The task has ended with this error, which its reader will get.
    Failed(Error),
}

/// A segment that was committed.
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
        })
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> TaskId {
        self.claimed.lease.task
    }

    /// The fence of this claim: each claim of the task has a higher one, and only the
    /// holder of the highest can write.
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
    /// in one operation; after the last segment, ends the task with its summary.
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
    /// runtime.submit(&owner, &request).await?;
    /// let worker = Worker::new(&runtime, Duration::from_secs(30))?;
    /// let mut job = worker.claim().await?.expect("a task waits");
    /// let Stepped::Committed(done) = job.step().await? else { panic!("one segment") };
    /// assert_eq!((done.segment, done.rows_done, done.rows_total), (0, 3, 3));
    /// assert_eq!(job.step().await?, Stepped::Finished);
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn step(&mut self) -> Result<Stepped, Error> {
        let result = if self.next < self.snapshot.segments {
            self.commit_next().await.map(Stepped::Committed)
        } else {
            self.finish().await.map(|()| Stepped::Finished)
        };
        match result {
            Err(error) if !is_passing(&error) => {
                self.runtime.fail(&self.claimed, &error).await?;
                Ok(Stepped::Failed(error))
            }
            other => other,
        }
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
        self.runtime
            .store()
            .commit_step(&self.claimed.lease, &step)
            .await?;
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
        let out = run.push(&Columns {
            time_ms: &rows.time_ms()[..confirmed],
            columns: &columns,
        })?;
        let mut result = Vec::new();
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
                    let room = self
                        .runtime
                        .settings()
                        .max_events
                        .saturating_sub(events.len());
                    events.extend(found.iter().take(room).map(|event| ListedEvent {
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
            Some(_) => Err(Error::Request {
                reason: "a bar that is not closed stands before the last bar; read the data again"
                    .to_owned(),
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
        Ok(self
            .runtime
            .store()
            .finish(&self.claimed.lease, &outcome)
            .await?)
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
        let reason: String = error
            .to_string()
            .chars()
            .filter(|c| !c.is_control())
            .take(500)
            .collect();
        let outcome = Outcome::Failed(Failure::new(error.code(), &reason)?);
        Ok(self.store().finish(&claimed.lease, &outcome).await?)
    }
}
