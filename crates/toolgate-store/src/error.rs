//! Outcomes a caller branches on.

use std::borrow::Cow;
use std::fmt;

use crate::lease::Fence;
use crate::step::ResultVersion;
use crate::task::TaskState;

/// The kind of record an error speaks of.
///
/// ```
/// assert_eq!(toolgate_store::Record::Snapshot.to_string(), "snapshot");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Record {
    /// An immutable set of rows in segments.
    Snapshot,
    /// One segment of a snapshot.
    Segment,
    /// A task.
    Task,
    /// One committed step of a task.
    Step,
    /// The result rows of a task.
    Result,
    /// A view.
    View,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Snapshot => "snapshot",
            Self::Segment => "segment",
            Self::Task => "task",
            Self::Step => "step",
            Self::Result => "result",
            Self::View => "view",
        })
    }
}

/// What to do next, one text a code.
mod next {
    pub(super) const NOT_FOUND: &str = "check the id, or make the record again";
    pub(super) const EXPIRED: &str = "its life is over; run the request again to get a new one";
    pub(super) const NOT_SEALED: &str = "wait until its writer has sealed it";
    pub(super) const CONFLICT: &str =
        "the stored content stands; use a new id or key for other content";
    pub(super) const ID_TAKEN: &str = "draw a new random id and send the operation again";
    pub(super) const STALE_FENCE: &str =
        "stop working on this task and discard the work: the lease was lost or given back";
    pub(super) const FINISHED: &str = "write nothing more; read the task for its outcome";
    pub(super) const OTHER_VERSION: &str =
        "read the task again and start over from its current result version";
    pub(super) const OUT_OF_RANGE: &str = "ask for a position below the stated length";
    pub(super) const INVALID: &str = "correct the argument and send the operation again";
    pub(super) const QUOTA: &str = "let old records expire, store less, or raise the limit";
    pub(super) const CORRUPT: &str =
        "read or compute the bytes again and send them with their own hash";
    pub(super) const UNAVAILABLE: &str =
        "nothing was written; send the same operation again after a pause";
    pub(super) const REPLY_LOST: &str = "it may have been written; send the very same operation again, which is safe, to learn the result";
}

/// Everything that can go wrong in a store, by what the caller does about it.
///
/// Comparable, so that tests assert equality; [`code`](Self::code) is stable.
/// No variant carries stored bytes, requests or rows. "Absent", "another
/// owner's" and "guessed" are one and the same [`NotFound`](Self::NotFound).
///
/// ```
/// use toolgate_store::{Record, StoreError};
///
/// let error = StoreError::NotFound { what: Record::Snapshot };
/// assert_eq!(error.code(), "not_found");
/// assert_eq!(
///     error.to_string(),
///     "no such snapshot; check the id, or make the record again"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such record for this owner.
    #[error("no such {what}; {}", next::NOT_FOUND)]
    NotFound {
        /// The kind of record asked for.
        what: Record,
    },
    /// The owner's record is past its expiry.
    #[error("the {what} has expired; {}", next::EXPIRED)]
    Expired {
        /// The kind of record asked for.
        what: Record,
    },
    /// The owner's snapshot is still being written.
    #[error("the snapshot is not sealed yet; {}", next::NOT_SEALED)]
    NotSealed,
    /// A record with this identity holds other content.
    #[error(
        "the {what} conflicts with what is stored: expected {expected}, found {found}; {}",
        next::CONFLICT
    )]
    Conflict {
        /// The kind of record written.
        what: Record,
        /// What is stored, as a short hash or a state.
        expected: String,
        /// What was sent, likewise.
        found: String,
    },
    /// The id chosen for a new record is in use by the same owner.
    #[error("the {what} id is already in use; {}", next::ID_TAKEN)]
    IdTaken {
        /// The kind of record to be made.
        what: Record,
    },
    /// The lease is no longer held: it ran out and was taken over, or was given back.
    #[error(
        "stale fence: the task is at fence {current}, this lease holds {held}; {}",
        next::STALE_FENCE
    )]
    StaleFence {
        /// The fence of the caller's lease.
        held: Fence,
        /// The fence of the task.
        current: Fence,
    },
    /// The task has ended, so nothing more can be written.
    #[error("the task already ended as {state}; {}", next::FINISHED)]
    Finished {
        /// How it ended.
        state: TaskState,
    },
    /// The result version asked for is not the current one.
    #[error(
        "result version {asked} is not the current version {current}; {}",
        next::OTHER_VERSION
    )]
    OtherVersion {
        /// The version asked for.
        asked: ResultVersion,
        /// The version the task has now.
        current: ResultVersion,
    },
    /// A position (segment ordinal or row) is past the end.
    #[error(
        "{what} position {asked} is out of range, the length is {len}; {}",
        next::OUT_OF_RANGE
    )]
    OutOfRange {
        /// What was counted.
        what: Record,
        /// The position asked for, from 0.
        asked: u64,
        /// How many there are.
        len: u64,
    },
    /// An argument breaks a rule of this crate.
    #[error(
        "invalid {name}: expected {expected}, found {found}; {}",
        next::INVALID
    )]
    Invalid {
        /// Which argument.
        name: &'static str,
        /// The rule.
        expected: Cow<'static, str>,
        /// What was wrong, in sizes and positions, never the text itself.
        found: Cow<'static, str>,
    },
    /// The write would pass a limit.
    #[error(
        "quota: {needed} more bytes do not fit, {used} of {limit} bytes are used; {}",
        next::QUOTA
    )]
    Quota {
        /// Bytes the write needs.
        needed: u64,
        /// Bytes in use.
        used: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Bytes do not match the hash that came with them.
    #[error(
        "the {what} is corrupt: expected hash {expected}, found {found}; {}",
        next::CORRUPT
    )]
    Corrupt {
        /// The kind of record.
        what: Record,
        /// The short form of the stated hash.
        expected: String,
        /// The short form of the hash of the bytes.
        found: String,
    },
    /// The store cannot be reached; certainly nothing was written.
    #[error("the store is unavailable ({reason}); {}", next::UNAVAILABLE)]
    Unavailable {
        /// A safe reason: no connection strings, no queries, no data.
        reason: Cow<'static, str>,
    },
    /// The reply to a write was lost, so it may or may not have happened.
    #[error("the reply of the store was lost; {}", next::REPLY_LOST)]
    ReplyLost,
}

impl StoreError {
    /// Every code, in the order of the table in the crate's README.
    ///
    /// ```
    /// assert!(toolgate_store::StoreError::CODES.contains(&"stale_fence"));
    /// ```
    pub const CODES: &'static [&'static str] = &[
        "not_found",
        "expired",
        "not_sealed",
        "conflict",
        "id_taken",
        "stale_fence",
        "finished",
        "other_version",
        "out_of_range",
        "invalid",
        "quota",
        "corrupt",
        "unavailable",
        "reply_lost",
    ];

    /// The stable machine code.
    ///
    /// ```
    /// assert_eq!(toolgate_store::StoreError::NotSealed.code(), "not_sealed");
    /// ```
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "not_found",
            Self::Expired { .. } => "expired",
            Self::NotSealed => "not_sealed",
            Self::Conflict { .. } => "conflict",
            Self::IdTaken { .. } => "id_taken",
            Self::StaleFence { .. } => "stale_fence",
            Self::Finished { .. } => "finished",
            Self::OtherVersion { .. } => "other_version",
            Self::OutOfRange { .. } => "out_of_range",
            Self::Invalid { .. } => "invalid",
            Self::Quota { .. } => "quota",
            Self::Corrupt { .. } => "corrupt",
            Self::Unavailable { .. } => "unavailable",
            Self::ReplyLost => "reply_lost",
        }
    }

    /// What to do next, in words; also the end of the `Display` text.
    ///
    /// ```
    /// let error = toolgate_store::StoreError::NotSealed;
    /// assert!(error.to_string().ends_with(error.next_step()));
    /// ```
    #[must_use]
    pub const fn next_step(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => next::NOT_FOUND,
            Self::Expired { .. } => next::EXPIRED,
            Self::NotSealed => next::NOT_SEALED,
            Self::Conflict { .. } => next::CONFLICT,
            Self::IdTaken { .. } => next::ID_TAKEN,
            Self::StaleFence { .. } => next::STALE_FENCE,
            Self::Finished { .. } => next::FINISHED,
            Self::OtherVersion { .. } => next::OTHER_VERSION,
            Self::OutOfRange { .. } => next::OUT_OF_RANGE,
            Self::Invalid { .. } => next::INVALID,
            Self::Quota { .. } => next::QUOTA,
            Self::Corrupt { .. } => next::CORRUPT,
            Self::Unavailable { .. } => next::UNAVAILABLE,
            Self::ReplyLost => next::REPLY_LOST,
        }
    }

    /// Whether sending the very same operation again can succeed without any
    /// other change: true for `unavailable` and `reply_lost`.
    ///
    /// ```
    /// use toolgate_store::StoreError;
    ///
    /// assert!(StoreError::ReplyLost.is_retryable());
    /// assert!(!StoreError::NotSealed.is_retryable());
    /// ```
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::ReplyLost)
    }

    /// An `invalid` error: which argument, the rule, what was found. For back
    /// ends that add rules of their own.
    ///
    /// ```
    /// use toolgate_store::StoreError;
    ///
    /// let error = StoreError::invalid("ordinal", "3", "5");
    /// assert!(error.to_string().starts_with("invalid ordinal: expected 3, found 5"));
    /// ```
    #[must_use]
    pub fn invalid(
        name: &'static str,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Invalid {
            name,
            expected: expected.into(),
            found: found.into(),
        }
    }
}
