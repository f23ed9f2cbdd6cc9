//! The answer about a task: its summary when it has ended, its state otherwise.

use qrp1::{Meta, Payload, Receipt, Status};
use toolgate_store::{Outcome, Owner, TaskId, TaskInfo, TaskState};

use crate::error::Error;
use crate::runtime::Runtime;

impl Runtime {
    /// The first answer a model gets about a task that has succeeded: a document with the
    /// totals, a summary of each output, the events, and a receipt that says how to read
    /// the rows.
    ///
    /// # Errors
    /// [`Error::TaskPending`] while it runs, [`Error::Cancelled`], [`Error::TaskFailed`] or
    /// [`Error::OutcomeUnknown`] with the task's own code, [`Error::Store`] with
    /// `not_found` also for another owner's.
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
    /// let answer = runtime.answer(&owner, submitted.task).await?;
    /// assert!(answer.contains("\na\t2\t2\t4\t2\t1970-01-01T00:01Z\t4\t1970-01-01T00:02Z\n"));
    /// # Ok::<(), Error>(()) }).unwrap();
    /// ```
    pub async fn answer(&self, owner: &Owner, task: TaskId) -> Result<String, Error> {
        let info = self.store().task(owner, task).await?;
        let Some(Outcome::Succeeded { summary }) = &info.outcome else {
            check_ended(&info)?;
            return Err(pending(&info));
        };
        let mut text =
            String::from_utf8(summary.to_vec()).map_err(|_| Error::CheckpointCorrupt {
                reason: "the summary is not text",
            })?;
        let receipt = Receipt::new(Status::Ok).with_meta(
            Meta::new()
                .with_task(task.to_string())
                .with_result(u64::from(info.result_version.0))
                .with_total(info.result_rows)
                .with_hint("read pages of this task only if rows are needed"),
        );
        Payload::from(receipt).push(&mut text)?;
        Ok(text)
    }
}

/// Refuses a task that has ended without a result. This comes before any look at a cursor.
pub(crate) fn check_ended(info: &TaskInfo) -> Result<(), Error> {
    let Some(failure) = info.failure() else {
        return Ok(());
    };
    let (code, reason) = (failure.code().to_string(), failure.reason().to_owned());
    Err(match info.state {
        TaskState::OutcomeUnknown => Error::OutcomeUnknown { code, reason },
        TaskState::Cancelled => Error::Cancelled { reason },
        _ => Error::TaskFailed { code, reason },
    })
}

/// The error for a task that has not ended.
pub(crate) fn pending(info: &TaskInfo) -> Error {
    Error::TaskPending {
        done: info.progress.done,
        total: info.progress.total,
    }
}
