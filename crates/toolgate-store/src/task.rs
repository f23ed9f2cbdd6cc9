//! The state machine of a task: values and functions, no store, no clock.
//!
//! Every function takes the time and returns the next state, or the caller's
//! next duty, or why not. A back end runs them inside its transaction or mirrors
//! them in SQL as an update guarded by (id, state, fence).

use std::fmt;

use crate::error::{Record, StoreError};
use crate::lease::{Fence, LeaseStatus};
use crate::limit::{MAX_ATTEMPTS, MAX_SEGMENTS};
use crate::release::Release;
use crate::step::{ResultVersion, StepReceipt};

/// Where a task stands.
///
/// ```
/// use toolgate_store::TaskState;
///
/// assert!(!TaskState::Running.is_terminal());
/// assert_eq!(TaskState::OutcomeUnknown.as_str(), "outcome_unknown");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TaskState {
    /// Waits for a worker.
    Queued,
    /// A worker has the lease, or had it last.
    Running,
    /// Ended with a result.
    Succeeded,
    /// Ended without one.
    Failed,
    /// Ended; whether its outside effect happened is not known.
    OutcomeUnknown,
    /// Ended early on request.
    Cancelled,
}

impl TaskState {
    /// Whether the task has ended for good.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// The stable name, as a back end stores it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The part of a task that rules read and write: a few numbers.
///
/// A back end keeps one a task, for example as columns; it makes one with
/// [`new`](Self::new) and assigns what it has stored.
///
/// ```
/// use toolgate_store::{ClaimDuty, CommitDuty, Fence, FinishDuty, TaskMachine, TaskState};
///
/// let task = TaskMachine::new(0, 60_000, 3)?;
/// let ClaimDuty::Run(task) = task.claim(10, 200) else { panic!("it is ready") };
/// assert_eq!((task.fence, task.attempts, task.ready_at_ms), (Fence(1), 1, 210));
///
/// let CommitDuty::Write(task) = task.commit(50, Fence(1), 0)? else { panic!("it is new") };
/// assert_eq!((task.next_step, task.ready_at_ms), (1, 250));
///
/// // The lease ran out: the next claim raises the fence, the late worker is refused.
/// let ClaimDuty::Run(task) = task.claim(250, 200) else { panic!("it ran out") };
/// assert_eq!(task.commit(260, Fence(1), 1).unwrap_err().code(), "stale_fence");
///
/// let FinishDuty::Write(task) = task.finish(300, Fence(2), TaskState::Succeeded)? else { panic!() };
/// assert_eq!(task.claim(10_000, 200), ClaimDuty::Drop);
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskMachine {
    /// Where it stands.
    pub state: TaskState,
    /// The current fence; 0 before the first claim.
    pub fence: Fence,
    /// Claims since the last committed step that were not given back; the claim
    /// that committed it counts as the first.
    pub attempts: u32,
    /// How many there may be without a step between them.
    pub max_attempts: u32,
    /// When it may be claimed, in ms: while queued, not before this; while
    /// running, the end of the lease.
    pub ready_at_ms: i64,
    /// The length of the current or last lease in ms, by which heartbeats and
    /// commits renew it.
    pub lease_ms: i64,
    /// The ordinal of the step to commit next.
    pub next_step: u32,
    /// The current result version.
    pub result_version: ResultVersion,
    /// Whether someone asked for it to be cancelled.
    pub cancel_requested: bool,
    /// When the last transition was, in ms.
    pub updated_at_ms: i64,
    /// When it expires, in ms.
    pub expires_at_ms: i64,
}

/// What a claim finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimDuty {
    /// Not before this time, in ms.
    Wait(i64),
    /// Store this and give the task to the worker.
    Run(TaskMachine),
    /// Attempts are used up: store this with
    /// [`Failure::attempts_exhausted`](crate::Failure::attempts_exhausted).
    Exhaust(TaskMachine),
    /// A cancel was asked for: store this with
    /// [`Failure::cancelled`](crate::Failure::cancelled).
    Cancel(TaskMachine),
    /// It has ended or expired: take it out of the queue.
    Drop,
}

/// What a commit has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitDuty {
    /// Store this with the step, its checkpoint and progress, in one transaction.
    Write(TaskMachine),
    /// The ordinal is stored already: answer as before when the digests are
    /// equal, else `conflict`.
    Compare,
}

/// What a finish has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishDuty {
    /// Store this with the outcome.
    Write(TaskMachine),
    /// It ended as this state under this fence already: `Ok` when the outcomes
    /// are equal, else `conflict`.
    Compare,
}

/// What a release has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseDuty {
    /// Store this; the task is queued again.
    Requeue(TaskMachine),
    /// Attempts are used up: store this with
    /// [`Failure::attempts_exhausted`](crate::Failure::attempts_exhausted).
    Exhaust(TaskMachine),
    /// A cancel was asked for: store this with
    /// [`Failure::cancelled`](crate::Failure::cancelled).
    Cancel(TaskMachine),
    /// This release was stored before, or the holder ended the task; change nothing.
    Done,
}

/// What a restart has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestartDuty {
    /// Store this and drop all steps and the checkpoint, in one transaction.
    Clear(TaskMachine),
    /// This restart was stored before; change nothing.
    Done,
}

/// What a request to cancel has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelDuty {
    /// No worker holds it: store this with
    /// [`Failure::cancelled`](crate::Failure::cancelled).
    Cancel(TaskMachine),
    /// A worker holds it: store this; the worker learns of it.
    Flag(TaskMachine),
    /// It has ended, or was asked before; change nothing.
    Done,
}

impl TaskMachine {
    /// A queued task created at `now_ms` that lives `ttl_ms`.
    ///
    /// # Errors
    /// `invalid` when `max_attempts` is 0 or above [`MAX_ATTEMPTS`].
    pub fn new(now_ms: i64, ttl_ms: i64, max_attempts: u32) -> Result<Self, StoreError> {
        if max_attempts == 0 || max_attempts > MAX_ATTEMPTS {
            return Err(StoreError::invalid(
                "max_attempts",
                format!("1 to {MAX_ATTEMPTS}"),
                max_attempts.to_string(),
            ));
        }
        Ok(Self {
            state: TaskState::Queued,
            fence: Fence(0),
            attempts: 0,
            max_attempts,
            ready_at_ms: now_ms,
            lease_ms: 0,
            next_step: 0,
            result_version: ResultVersion::FIRST,
            cancel_requested: false,
            updated_at_ms: now_ms,
            expires_at_ms: now_ms.saturating_add(ttl_ms),
        })
    }

    /// Whether the life of the task is over; then every transition is refused.
    ///
    /// ```
    /// let task = toolgate_store::TaskMachine::new(0, 1_000, 3)?;
    /// assert!(!task.is_expired(999) && task.is_expired(1_000));
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub const fn is_expired(&self, now_ms: i64) -> bool {
        now_ms >= self.expires_at_ms
    }

    /// A worker asks for the task. A lease that ran out counts as free: rescue
    /// is no more than this, and uses an attempt up like any claim.
    #[must_use]
    pub const fn claim(self, now_ms: i64, lease_ms: i64) -> ClaimDuty {
        if self.state.is_terminal() || self.is_expired(now_ms) {
            return ClaimDuty::Drop;
        }
        if now_ms < self.ready_at_ms {
            return ClaimDuty::Wait(self.ready_at_ms);
        }
        if self.cancel_requested {
            return ClaimDuty::Cancel(self.end(now_ms, TaskState::Cancelled, self.fence.next()));
        }
        if self.attempts >= self.max_attempts {
            return ClaimDuty::Exhaust(self.end(now_ms, TaskState::Failed, self.fence.next()));
        }
        ClaimDuty::Run(Self {
            state: TaskState::Running,
            fence: self.fence.next(),
            attempts: self.attempts + 1,
            lease_ms,
            ready_at_ms: now_ms.saturating_add(lease_ms),
            updated_at_ms: now_ms,
            ..self
        })
    }

    /// The holder says it is alive; renews the lease by its length. A lease that
    /// ran out but was not taken over is renewed too.
    ///
    /// # Errors
    /// `stale_fence`, `finished`, `expired`.
    ///
    /// ```
    /// use toolgate_store::{ClaimDuty, Fence, TaskMachine};
    ///
    /// let ClaimDuty::Run(task) = TaskMachine::new(0, 60_000, 3)?.claim(0, 200) else { panic!() };
    /// assert_eq!(task.heartbeat(150, Fence(1))?.ready_at_ms, 350);
    /// assert_eq!(task.heartbeat(150, Fence(0)).unwrap_err().code(), "stale_fence");
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn heartbeat(self, now_ms: i64, fence: Fence) -> Result<Self, StoreError> {
        self.held(now_ms, fence)?;
        Ok(self.renewed(now_ms))
    }

    /// The holder commits the step of this ordinal; renews the lease. A new step
    /// is progress, so of the attempts only the current claim still counts: what
    /// ends a task is one step that no attempt gets past, not a long life with
    /// many interruptions.
    ///
    /// # Errors
    /// `stale_fence`, `finished`, `expired`; `invalid` when the ordinal leaves a
    /// gap or passes [`MAX_SEGMENTS`].
    pub fn commit(self, now_ms: i64, fence: Fence, ordinal: u32) -> Result<CommitDuty, StoreError> {
        self.current(now_ms, fence)?;
        if ordinal < self.next_step {
            return Ok(CommitDuty::Compare);
        }
        self.unfinished()?;
        if ordinal > self.next_step || ordinal >= MAX_SEGMENTS {
            return Err(StoreError::invalid(
                "step ordinal",
                format!("{}, below {MAX_SEGMENTS}", self.next_step),
                ordinal.to_string(),
            ));
        }
        let renewed = self.renewed(now_ms);
        Ok(CommitDuty::Write(Self {
            next_step: self.next_step + 1,
            attempts: 1,
            ..renewed
        }))
    }

    /// The holder ends the task as `state`.
    ///
    /// # Errors
    /// `stale_fence`, `expired`; `finished` when it ended as another state;
    /// `invalid` when `state` is not terminal.
    pub fn finish(
        self,
        now_ms: i64,
        fence: Fence,
        state: TaskState,
    ) -> Result<FinishDuty, StoreError> {
        if !state.is_terminal() {
            return Err(StoreError::invalid(
                "outcome",
                "a terminal state",
                state.as_str(),
            ));
        }
        self.current(now_ms, fence)?;
        if self.state == state {
            return Ok(FinishDuty::Compare);
        }
        self.unfinished()?;
        Ok(FinishDuty::Write(self.end(now_ms, state, self.fence)))
    }

    /// The holder gives the task back with its checkpoint. Queueing it raises the
    /// fence, so that nothing more can be written under the old lease.
    ///
    /// # Errors
    /// `stale_fence`, `expired`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use toolgate_store::{ClaimDuty, Fence, Release, ReleaseDuty, TaskMachine, TaskState};
    ///
    /// let ClaimDuty::Run(task) = TaskMachine::new(0, 60_000, 3)?.claim(0, 200) else { panic!() };
    /// let ReleaseDuty::Requeue(task) = task.release(50, Fence(1), &Release::stop())? else { panic!() };
    /// assert_eq!((task.state, task.attempts, task.ready_at_ms), (TaskState::Queued, 0, 50));
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn release(
        self,
        now_ms: i64,
        fence: Fence,
        release: &Release,
    ) -> Result<ReleaseDuty, StoreError> {
        self.unexpired(now_ms)?;
        // Only a release queues a task again, and it raises the fence by one: so
        // this is the very release, sent twice.
        if self.state == TaskState::Queued && self.fence == fence.next() {
            return Ok(ReleaseDuty::Done);
        }
        self.current(now_ms, fence)?;
        if self.state.is_terminal() {
            return Ok(ReleaseDuty::Done);
        }
        if self.cancel_requested {
            return Ok(ReleaseDuty::Cancel(self.end(
                now_ms,
                TaskState::Cancelled,
                fence,
            )));
        }
        if release.failure.is_some() && self.attempts >= self.max_attempts {
            return Ok(ReleaseDuty::Exhaust(self.end(
                now_ms,
                TaskState::Failed,
                fence,
            )));
        }
        let spent = u32::from(release.failure.is_none());
        Ok(ReleaseDuty::Requeue(Self {
            state: TaskState::Queued,
            fence: fence.next(),
            attempts: self.attempts.saturating_sub(spent),
            ready_at_ms: now_ms.saturating_add(release.delay_ms),
            updated_at_ms: now_ms,
            ..self
        }))
    }

    /// The holder throws all steps of result version `from` away and starts the
    /// next version at step 0, for example because it cannot read the checkpoint.
    ///
    /// # Errors
    /// `stale_fence`, `finished`, `expired`; `other_version` when `from` is
    /// neither the current version nor the one this restart replaced.
    ///
    /// ```
    /// use toolgate_store::{ClaimDuty, Fence, RestartDuty, ResultVersion, TaskMachine};
    ///
    /// let ClaimDuty::Run(task) = TaskMachine::new(0, 60_000, 3)?.claim(0, 200) else { panic!() };
    /// let RestartDuty::Clear(task) = task.restart(9, Fence(1), ResultVersion(1))? else { panic!() };
    /// assert_eq!(task.result_version, ResultVersion(2));
    /// assert_eq!(task.restart(9, Fence(1), ResultVersion(1))?, RestartDuty::Done);
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn restart(
        self,
        now_ms: i64,
        fence: Fence,
        from: ResultVersion,
    ) -> Result<RestartDuty, StoreError> {
        self.held(now_ms, fence)?;
        if self.result_version == from {
            let renewed = self.renewed(now_ms);
            return Ok(RestartDuty::Clear(Self {
                result_version: from.next(),
                next_step: 0,
                ..renewed
            }));
        }
        if self.result_version == from.next() && self.next_step == 0 {
            return Ok(RestartDuty::Done);
        }
        Err(StoreError::OtherVersion {
            asked: from,
            current: self.result_version,
        })
    }

    /// The owner asks for the task to end early.
    ///
    /// # Errors
    /// `expired`.
    ///
    /// ```
    /// use toolgate_store::{CancelDuty, ClaimDuty, TaskMachine, TaskState};
    ///
    /// let task = TaskMachine::new(0, 60_000, 3)?;
    /// let CancelDuty::Cancel(ended) = task.cancel(5)? else { panic!("no one holds it") };
    /// assert_eq!(ended.state, TaskState::Cancelled);
    ///
    /// let ClaimDuty::Run(task) = task.claim(5, 200) else { panic!() };
    /// let CancelDuty::Flag(task) = task.cancel(6)? else { panic!("a worker holds it") };
    /// assert!(task.cancel_requested);
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    pub fn cancel(self, now_ms: i64) -> Result<CancelDuty, StoreError> {
        self.unexpired(now_ms)?;
        if self.state.is_terminal() {
            return Ok(CancelDuty::Done);
        }
        let unheld = self.state == TaskState::Queued || now_ms >= self.ready_at_ms;
        if unheld {
            let ended = self.end(now_ms, TaskState::Cancelled, self.fence.next());
            return Ok(CancelDuty::Cancel(Self {
                cancel_requested: true,
                ..ended
            }));
        }
        if self.cancel_requested {
            return Ok(CancelDuty::Done);
        }
        Ok(CancelDuty::Flag(Self {
            cancel_requested: true,
            updated_at_ms: now_ms,
            ..self
        }))
    }

    /// The answer to a heartbeat, from the state after it.
    #[must_use]
    pub const fn lease_status(&self) -> LeaseStatus {
        LeaseStatus {
            until_ms: self.ready_at_ms,
            cancel_requested: self.cancel_requested,
        }
    }

    /// The answer to a commit, from the state after it.
    #[must_use]
    pub const fn step_receipt(&self) -> StepReceipt {
        StepReceipt {
            next_step: self.next_step,
            until_ms: self.ready_at_ms,
            cancel_requested: self.cancel_requested,
        }
    }

    /// The same task, ended. It leaves the queue, so `ready_at_ms` is its end.
    const fn end(self, now_ms: i64, state: TaskState, fence: Fence) -> Self {
        Self {
            state,
            fence,
            ready_at_ms: now_ms,
            updated_at_ms: now_ms,
            ..self
        }
    }

    const fn renewed(self, now_ms: i64) -> Self {
        Self {
            ready_at_ms: now_ms.saturating_add(self.lease_ms),
            updated_at_ms: now_ms,
            ..self
        }
    }

    fn unexpired(&self, now_ms: i64) -> Result<(), StoreError> {
        if self.is_expired(now_ms) {
            return Err(StoreError::Expired { what: Record::Task });
        }
        Ok(())
    }

    fn current(&self, now_ms: i64, fence: Fence) -> Result<(), StoreError> {
        self.unexpired(now_ms)?;
        // While a task is queued no lease is held, whatever the fence says.
        if fence != self.fence || self.state == TaskState::Queued {
            return Err(StoreError::StaleFence {
                held: fence,
                current: self.fence,
            });
        }
        Ok(())
    }

    fn unfinished(&self) -> Result<(), StoreError> {
        if self.state.is_terminal() {
            return Err(StoreError::Finished { state: self.state });
        }
        Ok(())
    }

    fn held(&self, now_ms: i64, fence: Fence) -> Result<(), StoreError> {
        self.current(now_ms, fence)?;
        self.unfinished()
    }
}
