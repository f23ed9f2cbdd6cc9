//! What a worker asks for, and what it gets.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::StoreError;
use crate::id::SnapshotId;
use crate::lease::Lease;
use crate::limit::{MAX_CLAIM, MAX_CLAIM_KINDS, MAX_LEASE, span_ms};
use crate::name::{TaskKind, WorkerId};
use crate::redact::Length;
use crate::step::{Progress, ResultVersion};
use crate::task::TaskMachine;

/// What a worker asks for.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{ClaimRequest, TaskKind, WorkerId};
///
/// let kinds = [TaskKind::new("plan.run")?];
/// let ask = ClaimRequest::new(WorkerId::new("w1")?, kinds, Duration::from_secs(90))?.at_most(10)?;
/// assert_eq!((ask.lease_ms, ask.max), (90_000, 10));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// Who asks, for people.
    pub worker: WorkerId,
    /// The kinds it can run.
    pub kinds: Vec<TaskKind>,
    /// The lease in ms; also what each heartbeat and commit renews it by.
    pub lease_ms: i64,
    /// The most tasks to give; 1 unless set.
    pub max: u32,
}

impl ClaimRequest {
    /// Asks for one task of these kinds. A good lease is at least three times the
    /// interval of the worker's heartbeats.
    ///
    /// # Errors
    /// `invalid` when there is no kind or more than [`MAX_CLAIM_KINDS`], or the
    /// lease is zero or above [`MAX_LEASE`].
    pub fn new(
        worker: WorkerId,
        kinds: impl IntoIterator<Item = TaskKind>,
        lease: Duration,
    ) -> Result<Self, StoreError> {
        let kinds: Vec<_> = kinds.into_iter().take(MAX_CLAIM_KINDS + 1).collect();
        if kinds.is_empty() || kinds.len() > MAX_CLAIM_KINDS {
            return Err(StoreError::invalid(
                "kinds",
                format!("1 to {MAX_CLAIM_KINDS} kinds"),
                if kinds.is_empty() { "none" } else { "more" },
            ));
        }
        Ok(Self {
            worker,
            kinds,
            lease_ms: span_ms("lease", lease, MAX_LEASE)?,
            max: 1,
        })
    }

    /// Asks for up to `max` tasks.
    ///
    /// # Errors
    /// `invalid` when `max` is 0 or above [`MAX_CLAIM`].
    pub fn at_most(mut self, max: u32) -> Result<Self, StoreError> {
        if max == 0 || max > MAX_CLAIM {
            return Err(StoreError::invalid(
                "max",
                format!("1 to {MAX_CLAIM}"),
                max.to_string(),
            ));
        }
        self.max = max;
        Ok(self)
    }
}

/// A task in a worker's hands.
///
/// Back ends outside this crate make one with [`new`](Self::new).
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claimed {
    /// What every write must carry.
    pub lease: Lease,
    /// What it does.
    pub kind: TaskKind,
    /// What to do.
    pub request: Bytes,
    /// The snapshot to work on, when one was named.
    pub snapshot: Option<SnapshotId>,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The result version to write.
    pub result_version: ResultVersion,
    /// The ordinal of the step to commit next.
    pub next_step: u32,
    /// The checkpoint of the step before; none when there is no step yet.
    pub checkpoint: Option<Bytes>,
    /// How far the task is.
    pub progress: Progress,
    /// When the lease runs out, by the store's clock: to show, not to compare.
    pub until_ms: i64,
}

impl Claimed {
    /// A claimed task whose machine stands so; snapshot, checkpoint and progress
    /// start empty and are assigned after.
    ///
    /// ```
    /// use toolgate_store::{ClaimDuty, Claimed, Fence, Lease, Owner, TaskId, TaskKind, TaskMachine};
    ///
    /// let ClaimDuty::Run(machine) = TaskMachine::new(0, 1_000, 3)?.claim(0, 200) else { panic!() };
    /// let lease = Lease { owner: Owner::new("alice")?, task: TaskId::from_u64(1)?, fence: machine.fence };
    /// let claimed = Claimed::new(lease, TaskKind::new("plan.run")?, "a plan", &machine);
    /// assert_eq!((claimed.attempt, claimed.until_ms), (1, 200));
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn new(
        lease: Lease,
        kind: TaskKind,
        request: impl Into<Bytes>,
        machine: &TaskMachine,
    ) -> Self {
        Self {
            lease,
            kind,
            request: request.into(),
            snapshot: None,
            attempt: machine.attempts,
            result_version: machine.result_version,
            next_step: machine.next_step,
            checkpoint: None,
            progress: Progress::default(),
            until_ms: machine.ready_at_ms,
        }
    }
}

impl fmt::Debug for Claimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claimed")
            .field("lease", &self.lease)
            .field("kind", &self.kind)
            .field("request", &Length(self.request.len()))
            .field("snapshot", &self.snapshot)
            .field("attempt", &self.attempt)
            .field("result_version", &self.result_version)
            .field("next_step", &self.next_step)
            .field(
                "checkpoint",
                &self.checkpoint.as_ref().map(|bytes| Length(bytes.len())),
            )
            .field("progress", &self.progress)
            .field("until_ms", &self.until_ms)
            .finish()
    }
}
