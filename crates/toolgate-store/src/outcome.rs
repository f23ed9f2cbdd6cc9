//! How a task ends.

use std::fmt;

use bytes::Bytes;

use crate::error::StoreError;
use crate::limit::{MAX_REASON_BYTES, MAX_SUMMARY_BYTES, check_len};
use crate::name::FailureCode;
use crate::redact::Length;
use crate::task::TaskState;

/// Why a task did not succeed: a stable code, and words that are safe to show
/// to the owner and to a model.
///
/// ```
/// use toolgate_store::Failure;
///
/// let failure = Failure::new("source_unreachable", "the quote server did not answer in 30 s")?;
/// assert_eq!(failure.code().as_str(), "source_unreachable");
/// assert!(Failure::new("source_unreachable", "two\nlines").is_err());
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    code: FailureCode,
    reason: String,
}

impl Failure {
    /// The code of a task whose attempts ran out.
    pub const ATTEMPTS_EXHAUSTED: &'static str = "attempts_exhausted";
    /// The code of a task cancelled before a worker ended it.
    pub const CANCELLED: &'static str = "cancelled";

    /// A failure. The caller vouches that `reason` holds no secret and no rows.
    ///
    /// # Errors
    /// `invalid` when the code is no [`FailureCode`], or the reason is longer
    /// than [`MAX_REASON_BYTES`] or has control characters.
    pub fn new(code: &str, reason: &str) -> Result<Self, StoreError> {
        let code = FailureCode::new(code)?;
        check_len("failure reason", reason.len(), MAX_REASON_BYTES)?;
        if let Some((at, _)) = reason.char_indices().find(|(_, c)| c.is_control()) {
            return Err(StoreError::invalid(
                "failure reason",
                "one line without control characters",
                format!("a control character at byte {at}"),
            ));
        }
        Ok(Self {
            code,
            reason: reason.to_owned(),
        })
    }

    /// What a store records when the last attempt ended without an outcome;
    /// names the code of the last failure when a worker gave one.
    ///
    /// ```
    /// use toolgate_store::Failure;
    ///
    /// let failure = Failure::attempts_exhausted(3, None);
    /// assert_eq!(failure.code().as_str(), Failure::ATTEMPTS_EXHAUSTED);
    /// assert_eq!(failure.reason(), "all 3 attempts ended without an outcome");
    /// ```
    #[must_use]
    pub fn attempts_exhausted(attempts: u32, last: Option<&Self>) -> Self {
        let last = last.map_or_else(String::new, |last| {
            format!("; the last failed with {}", last.code)
        });
        Self {
            code: FailureCode::own(Self::ATTEMPTS_EXHAUSTED),
            reason: format!("all {attempts} attempts ended without an outcome{last}"),
        }
    }

    /// What a store records when it cancels a task that no worker holds.
    ///
    /// ```
    /// use toolgate_store::Failure;
    ///
    /// assert_eq!(Failure::cancelled().code().as_str(), Failure::CANCELLED);
    /// ```
    #[must_use]
    pub fn cancelled() -> Self {
        Self {
            code: FailureCode::own(Self::CANCELLED),
            reason: "cancelled on request while no worker held the task".to_owned(),
        }
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &FailureCode {
        &self.code
    }

    /// The safe words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.reason)
    }
}

/// How a task ended. Each is final: no later call changes it.
///
/// ```
/// use toolgate_store::{Outcome, TaskState};
///
/// let outcome = Outcome::succeeded("rows=3500")?;
/// assert_eq!(outcome.state(), TaskState::Succeeded);
/// assert_eq!(format!("{outcome:?}"), "Succeeded { summary: <9 bytes> }");
/// # Ok::<(), toolgate_store::StoreError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The result is complete.
    Succeeded {
        /// The caller's summary of the result.
        summary: Bytes,
    },
    /// It cannot succeed.
    Failed(Failure),
    /// An effect outside the store may or may not have happened. Kept as it is
    /// and never tried again: a person decides.
    OutcomeUnknown(Failure),
    /// Ended early on request.
    Cancelled(Failure),
}

impl Outcome {
    /// Success with this summary.
    ///
    /// # Errors
    /// `invalid` when the summary is longer than [`MAX_SUMMARY_BYTES`].
    pub fn succeeded(summary: impl Into<Bytes>) -> Result<Self, StoreError> {
        let summary = summary.into();
        check_len("summary", summary.len(), MAX_SUMMARY_BYTES)?;
        Ok(Self::Succeeded { summary })
    }

    /// The state a task with this outcome is in.
    #[must_use]
    pub const fn state(&self) -> TaskState {
        match self {
            Self::Succeeded { .. } => TaskState::Succeeded,
            Self::Failed(_) => TaskState::Failed,
            Self::OutcomeUnknown(_) => TaskState::OutcomeUnknown,
            Self::Cancelled(_) => TaskState::Cancelled,
        }
    }

    /// Why it did not succeed; none for a success.
    ///
    /// ```
    /// use toolgate_store::{Failure, Outcome};
    ///
    /// let failure = Failure::new("bad_plan", "node 3 has no input")?;
    /// assert_eq!(Outcome::Failed(failure.clone()).failure(), Some(&failure));
    /// # Ok::<(), toolgate_store::StoreError>(())
    /// ```
    #[must_use]
    pub const fn failure(&self) -> Option<&Failure> {
        match self {
            Self::Succeeded { .. } => None,
            Self::Failed(failure) | Self::OutcomeUnknown(failure) | Self::Cancelled(failure) => {
                Some(failure)
            }
        }
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Succeeded { summary } => f
                .debug_struct("Succeeded")
                .field("summary", &Length(summary.len()))
                .finish(),
            Self::Failed(failure) => f.debug_tuple("Failed").field(failure).finish(),
            Self::OutcomeUnknown(failure) => {
                f.debug_tuple("OutcomeUnknown").field(failure).finish()
            }
            Self::Cancelled(failure) => f.debug_tuple("Cancelled").field(failure).finish(),
        }
    }
}
