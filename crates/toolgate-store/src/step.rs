//! Steps: a result segment and the checkpoint behind it, committed together.

use std::fmt;

use bytes::Bytes;

use crate::error::StoreError;
use crate::hash::{ContentHash, FieldHash};
use crate::limit::{MAX_CHECKPOINT_BYTES, check_len};
use crate::redact::Length;
use crate::segment::Segment;

/// Which of a task's results: 1 at first, one more each time the task starts
/// over. Rows of one version never change.
///
/// ```
/// use toolgate_store::ResultVersion;
///
/// assert_eq!(ResultVersion::FIRST.next(), ResultVersion(2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultVersion(pub u32);

impl ResultVersion {
    /// The version every task begins with.
    pub const FIRST: Self = Self(1);

    /// The version after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for ResultVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Input rows done, out of how many when that is known.
///
/// ```
/// use toolgate_store::Progress;
///
/// assert_eq!(Progress::new(1_500, Some(3_500)).to_string(), "1500 of 3500 rows");
/// assert_eq!(Progress::new(1_500, None).to_string(), "1500 rows");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows done.
    pub done: u64,
    /// Rows in all, when known.
    pub total: Option<u64>,
}

impl Progress {
    /// So many rows done, of so many.
    #[must_use]
    pub const fn new(done: u64, total: Option<u64>) -> Self {
        Self { done, total }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            Some(total) => write!(f, "{} of {total} rows", self.done),
            None => write!(f, "{} rows", self.done),
        }
    }
}

/// One step of a task: what [`commit_step`](crate::TaskStore::commit_step) writes
/// whole or not at all. The step's ordinal is that of its result segment.
///
/// ```
/// use toolgate_store::{Progress, Segment, Step};
///
/// let step = Step::new(Segment::new(0, 3, "result rows")?, "state", Progress::new(500, Some(3_500)))?;
/// assert_eq!(step.ordinal(), 0);
/// assert!(!format!("{step:?}").contains("state\""));
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The rows this step gave; no rows is a segment of 0 rows.
    pub result: Segment,
    /// The state to go on from after this step; only the latest is kept.
    pub checkpoint: Bytes,
    /// How far the task is after this step.
    pub progress: Progress,
}

impl Step {
    /// A step.
    ///
    /// # Errors
    /// `invalid` when the checkpoint is longer than [`MAX_CHECKPOINT_BYTES`].
    pub fn new(
        result: Segment,
        checkpoint: impl Into<Bytes>,
        progress: Progress,
    ) -> Result<Self, StoreError> {
        let checkpoint = checkpoint.into();
        check_len("checkpoint", checkpoint.len(), MAX_CHECKPOINT_BYTES)?;
        Ok(Self {
            result,
            checkpoint,
            progress,
        })
    }

    /// Which step of the task, from 0.
    #[must_use]
    pub const fn ordinal(&self) -> u32 {
        self.result.ordinal()
    }

    /// The identity a store keeps beside the step: two steps of one ordinal are
    /// the same step when their digests are equal. Covers the result's rows and
    /// hash, the checkpoint and the progress. O(checkpoint length).
    ///
    /// ```
    /// use toolgate_store::{Progress, Segment, Step};
    ///
    /// let result = Segment::new(0, 1, "row")?;
    /// let one = Step::new(result.clone(), "a", Progress::default())?;
    /// let other = Step::new(result, "b", Progress::default())?;
    /// assert_ne!(one.digest(), other.digest());
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub fn digest(&self) -> ContentHash {
        let total = self.progress.total.map(u64::to_le_bytes);
        FieldHash::new("toolgate-step-1")
            .field(&self.result.rows().to_le_bytes())
            .field(self.result.hash().as_bytes())
            .field(&self.checkpoint)
            .field(&self.progress.done.to_le_bytes())
            .field(total.as_ref().map_or(&[][..], |total| &total[..]))
            .finish()
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("result", &self.result)
            .field("checkpoint", &Length(self.checkpoint.len()))
            .field("progress", &self.progress)
            .finish()
    }
}

/// The answer to a committed step.
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
/// let step = Step::new(Segment::new(0, 1, "a row")?, "state", Progress::new(1, Some(1)))?;
/// let receipt: StepReceipt = store.commit_step(&claimed.lease, &step).await?;
/// assert_eq!((receipt.next_step, receipt.until_ms, receipt.cancel_requested), (1, 90_000, false));
/// # Ok::<(), StoreError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepReceipt {
    /// The ordinal of the step to commit next.
    pub next_step: u32,
    /// When the lease runs out, by the store's clock: a commit renews it.
    pub until_ms: i64,
    /// Someone asked for the task to be cancelled.
    pub cancel_requested: bool,
}
