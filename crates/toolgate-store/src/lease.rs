//! Leases: who works on a task, until when, under which fence.

use std::fmt;

use crate::id::TaskId;
use crate::name::Owner;

/// The fencing token of a task: grows each time a lease begins, is given back
/// or is taken away, and never falls. A write under an older fence is refused.
///
/// ```
/// use toolgate_store::Fence;
///
/// assert!(Fence(2) > Fence(1));
/// assert_eq!(Fence(1).next(), Fence(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fence(pub u64);

impl Fence {
    /// The fence after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The right to write to a task: every write of a worker carries it.
///
/// ```
/// use toolgate_store::{Fence, Lease, Owner, TaskId};
///
/// let lease = Lease { owner: Owner::new("alice")?, task: TaskId::from_u64(7)?, fence: Fence(1) };
/// assert_eq!(lease.task.to_string(), "t000000000007");
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Lease {
    /// The owner of the task.
    pub owner: Owner,
    /// The task.
    pub task: TaskId,
    /// The fence this lease was given.
    pub fence: Fence,
}

/// How a lease stands after a heartbeat.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_store::*;
/// # pollster::block_on(async {
/// # let store = MemoryStore::builder().clock(Arc::new(ManualClock::new(0))).build();
/// # let (alice, kind) = (Owner::new("alice")?, TaskKind::new("plan.run")?);
/// # let (id, key) = (TaskId::from_random([7; 8]), IdempotencyKey::new("call_1")?);
/// # let new = NewTask::new(alice.clone(), id, key.clone(), kind.clone(), "a plan", Duration::from_secs(3_600))?;
/// # store.create_task(&new).await?;
/// let ask = ClaimRequest::new(WorkerId::new("w1")?, [kind], Duration::from_secs(90))?;
/// let claimed = store.claim(&ask).await?.pop().expect("one task is ready");
/// let status: LeaseStatus = store.heartbeat(&claimed.lease).await?;
/// assert_eq!(status, LeaseStatus { until_ms: 90_000, cancel_requested: false });
/// store.cancel(&alice, id).await?;
/// assert!(store.heartbeat(&claimed.lease).await?.cancel_requested);
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseStatus {
    /// When the lease runs out, in ms since 1970 UTC by the *store's* clock: to
    /// show, not to compare with the worker's clock. A worker counts the lease
    /// time from before it sent the call.
    pub until_ms: i64,
    /// Someone asked for the task to be cancelled: finish soon, as
    /// [`Outcome::Cancelled`](crate::Outcome::Cancelled) or as it comes out.
    pub cancel_requested: bool,
}
