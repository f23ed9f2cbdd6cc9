//! How a worker gives a task back.

use std::time::Duration;

use crate::error::StoreError;
use crate::limit::{MAX_LEASE, delay_ms};
use crate::outcome::Failure;

/// How a worker gives a task back.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{Failure, Release};
///
/// assert_eq!(Release::stop().delay_ms, 0);
/// let failure = Failure::new("source_unreachable", "no answer in 30 s")?;
/// let retry = Release::retry(Duration::from_secs(10), failure)?;
/// assert_eq!(retry.delay_ms, 10_000);
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Release {
    /// Not to be claimed again before this many ms.
    pub delay_ms: i64,
    /// Why the attempt failed. With one the attempt stays used up; without one
    /// it is given back.
    pub failure: Option<Failure>,
}

impl Release {
    /// The worker stops, through no fault of the task: claimable at once, and
    /// the attempt is given back.
    #[must_use]
    pub const fn stop() -> Self {
        Self {
            delay_ms: 0,
            failure: None,
        }
    }

    /// The attempt failed and another may succeed after `delay`. When it was the
    /// last attempt, the task fails with `attempts_exhausted`.
    ///
    /// # Errors
    /// `invalid` when `delay` is above [`MAX_LEASE`].
    pub fn retry(delay: Duration, failure: Failure) -> Result<Self, StoreError> {
        Ok(Self {
            delay_ms: delay_ms("delay", delay, MAX_LEASE)?,
            failure: Some(failure),
        })
    }
}
