//! A task to be created, and the answer.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::StoreError;
use crate::hash::{ContentHash, FieldHash};
use crate::id::{SnapshotId, TaskId};
use crate::limit::{MAX_REQUEST_BYTES, MAX_TTL, check_len, span_ms};
use crate::name::{IdempotencyKey, Owner, TaskKind};
use crate::redact::Length;
use crate::task::TaskMachine;
use crate::task_info::TaskInfo;

/// A task to be created.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{IdempotencyKey, NewTask, Owner, TaskId, TaskKind};
///
/// let new = NewTask::new(
///     Owner::new("alice")?,
///     TaskId::from_random([7; 8]),
///     IdempotencyKey::new("call_8Zq")?,
///     TaskKind::new("plan.run")?,
///     "a plan",
///     Duration::from_secs(3_600),
/// )?
/// .max_attempts(3)?;
/// assert_eq!(new.max_attempts, 3);
/// assert!(!format!("{new:?}").contains("a plan"));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewTask {
    /// Whose it is.
    pub owner: Owner,
    /// Its id, from the caller's randomness.
    pub id: TaskId,
    /// The client's name for this command.
    pub key: IdempotencyKey,
    /// What a worker must be able to run.
    pub kind: TaskKind,
    /// What to do, opaque to the store.
    pub request: Bytes,
    /// The snapshot it works on, when that is known already. Not looked up here:
    /// the worker's reads are checked against the task's owner.
    pub snapshot: Option<SnapshotId>,
    /// Its life from creation, in ms, results included.
    pub ttl_ms: i64,
    /// How many claims it may use up; 5 unless set.
    pub max_attempts: u32,
}

impl NewTask {
    /// A task with no snapshot and 5 attempts.
    ///
    /// # Errors
    /// `invalid` when `ttl` is zero or above [`MAX_TTL`], or the request longer
    /// than [`MAX_REQUEST_BYTES`].
    pub fn new(
        owner: Owner,
        id: TaskId,
        key: IdempotencyKey,
        kind: TaskKind,
        request: impl Into<Bytes>,
        ttl: Duration,
    ) -> Result<Self, StoreError> {
        let request = request.into();
        check_len("request", request.len(), MAX_REQUEST_BYTES)?;
        let ttl_ms = span_ms("ttl", ttl, MAX_TTL)?;
        Ok(Self {
            owner,
            id,
            key,
            kind,
            request,
            snapshot: None,
            ttl_ms,
            max_attempts: 5,
        })
    }

    /// Sets the snapshot.
    #[must_use]
    pub const fn snapshot(mut self, snapshot: SnapshotId) -> Self {
        self.snapshot = Some(snapshot);
        self
    }

    /// Sets how many claims it may use up.
    ///
    /// # Errors
    /// `invalid` when it is 0 or above [`MAX_ATTEMPTS`](crate::limit::MAX_ATTEMPTS).
    pub fn max_attempts(mut self, max_attempts: u32) -> Result<Self, StoreError> {
        // The rule of the machine, told early.
        TaskMachine::new(0, 1, max_attempts)?;
        self.max_attempts = max_attempts;
        Ok(self)
    }

    /// What the idempotency key stands for: kind, snapshot and request. The id,
    /// ttl and attempts may differ between two sends of the same command.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use toolgate_store::*;
    /// # let new = |id: u64, request: &'static str| NewTask::new(
    /// #     Owner::new("alice")?, TaskId::from_u64(id)?, IdempotencyKey::new("k")?,
    /// #     TaskKind::new("plan.run")?, request, Duration::from_secs(1));
    /// assert_eq!(new(1, "plan")?.digest(), new(2, "plan")?.digest());
    /// assert_ne!(new(1, "plan")?.digest(), new(1, "other")?.digest());
    /// # Ok::<(), StoreError>(())
    /// ```
    #[must_use]
    pub fn digest(&self) -> ContentHash {
        let snapshot = self.snapshot.map(|id| id.as_u64().to_le_bytes());
        FieldHash::new("toolgate-task-1")
            .field(self.kind.as_str().as_bytes())
            .field(snapshot.as_ref().map_or(&[][..], |id| &id[..]))
            .field(&self.request)
            .finish()
    }
}

impl fmt::Debug for NewTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewTask")
            .field("owner", &self.owner)
            .field("id", &self.id)
            .field("key", &self.key)
            .field("kind", &self.kind)
            .field("request", &Length(self.request.len()))
            .field("snapshot", &self.snapshot)
            .field("ttl_ms", &self.ttl_ms)
            .field("max_attempts", &self.max_attempts)
            .finish()
    }
}

/// The answer to a creation.
///
/// ```
/// # use std::{sync::Arc, time::Duration};
/// # use toolgate_store::*;
/// # pollster::block_on(async {
/// # let store = MemoryStore::builder().clock(Arc::new(ManualClock::new(0))).build();
/// # let (alice, kind) = (Owner::new("alice")?, TaskKind::new("plan.run")?);
/// # let (id, key) = (TaskId::from_random([7; 8]), IdempotencyKey::new("call_1")?);
/// # let new = NewTask::new(alice.clone(), id, key.clone(), kind.clone(), "a plan", Duration::from_secs(3_600))?;
/// let Created { task, is_new } = store.create_task(&new).await?;
/// assert!(is_new);
/// // The reply was lost; the command is sent again, with another id.
/// let mut again = new;
/// again.id = TaskId::from_random([8; 8]);
/// assert_eq!(store.create_task(&again).await?, Created { task, is_new: false });
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// The task: the new one, or the one the key made before, whose id may
    /// differ from the one sent.
    pub task: TaskInfo,
    /// Whether this call made it.
    pub is_new: bool,
}
