//! What a reader may know of a task.

use std::fmt;

use crate::id::{SnapshotId, TaskId};
use crate::name::TaskKind;
use crate::outcome::{Failure, Outcome};
use crate::step::{Progress, ResultVersion};
use crate::task::{TaskMachine, TaskState};

/// What a reader may know of a task.
///
/// Back ends outside this crate make one with [`new`](Self::new).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// Its id.
    pub id: TaskId,
    /// What it does.
    pub kind: TaskKind,
    /// The snapshot it works on, when one was named.
    pub snapshot: Option<SnapshotId>,
    /// Where it stands.
    pub state: TaskState,
    /// Claims used up since the last committed step; that step's own claim counts.
    pub attempts: u32,
    /// Claims it may use up without committing a step.
    pub max_attempts: u32,
    /// How far it is, as of the last committed step.
    pub progress: Progress,
    /// Steps committed; also the number of result segments.
    pub steps: u32,
    /// Rows in the result segments.
    pub result_rows: u64,
    /// Bytes in the result segments.
    pub result_bytes: u64,
    /// The version of the result.
    pub result_version: ResultVersion,
    /// How it ended; none before.
    pub outcome: Option<Outcome>,
    /// Why the last attempt that was given up failed, if a worker said so.
    pub last_failure: Option<Failure>,
    /// Whether someone asked for it to be cancelled.
    pub cancel_requested: bool,
    /// When it was created, in ms since 1970 UTC by the store's clock.
    pub created_at_ms: i64,
    /// When it last changed, likewise; after the end, when it ended.
    pub updated_at_ms: i64,
    /// When it expires, likewise.
    pub expires_at_ms: i64,
}

impl TaskInfo {
    /// The info of a task whose machine stands so; the rest starts empty and is
    /// assigned after.
    ///
    /// ```
    /// use toolgate_store::{TaskId, TaskInfo, TaskKind, TaskMachine, TaskState};
    ///
    /// let machine = TaskMachine::new(0, 1_000, 3)?;
    /// let info = TaskInfo::new(TaskId::from_u64(1)?, TaskKind::new("plan.run")?, &machine);
    /// assert_eq!((info.state, info.expires_at_ms), (TaskState::Queued, 1_000));
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub const fn new(id: TaskId, kind: TaskKind, machine: &TaskMachine) -> Self {
        Self {
            id,
            kind,
            snapshot: None,
            state: machine.state,
            attempts: machine.attempts,
            max_attempts: machine.max_attempts,
            progress: Progress::new(0, None),
            steps: machine.next_step,
            result_rows: 0,
            result_bytes: 0,
            result_version: machine.result_version,
            outcome: None,
            last_failure: None,
            cancel_requested: machine.cancel_requested,
            created_at_ms: machine.updated_at_ms,
            updated_at_ms: machine.updated_at_ms,
            expires_at_ms: machine.expires_at_ms,
        }
    }

    /// Why the task ended without success; none before the end and after success.
    ///
    /// ```
    /// # use toolgate_store::*;
    /// # let machine = TaskMachine::new(0, 1_000, 3)?;
    /// # let mut info = TaskInfo::new(TaskId::from_u64(1)?, TaskKind::new("plan.run")?, &machine);
    /// info.outcome = Some(Outcome::Failed(Failure::new("bad_plan", "node 3 has no input")?));
    /// assert_eq!(info.failure().map(|failure| failure.code().as_str()), Some("bad_plan"));
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.outcome.as_ref().and_then(Outcome::failure)
    }
}

impl fmt::Debug for TaskInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskInfo")
            .field("id", &self.id)
            .field("kind", &self.kind)
            .field("snapshot", &self.snapshot)
            .field("state", &self.state)
            .field("attempts", &(self.attempts, self.max_attempts))
            .field("progress", &self.progress)
            .field("steps", &self.steps)
            .field("result_rows", &self.result_rows)
            .field("result_bytes", &self.result_bytes)
            .field("result_version", &self.result_version)
            .field("outcome", &self.outcome)
            .field("last_failure", &self.last_failure)
            .field("cancel_requested", &self.cancel_requested)
            .field("created_at_ms", &self.created_at_ms)
            .field("updated_at_ms", &self.updated_at_ms)
            .field("expires_at_ms", &self.expires_at_ms)
            .finish()
    }
}
