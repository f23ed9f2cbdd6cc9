//! What went wrong, with a stable code and a next step, and how a model is told.

use qrp1::{Meta, Payload, Receipt, Status};
use toolgate_store::{StoreError, limit};

use crate::echo;

/// An error of the runtime.
///
/// `Display` is fit for a model to read: where, what was expected, what was found, what
/// to do. It never holds a secret or a row of data (of a broken input file it quotes at
/// most two cells, cut to 32 characters). Names that came from outside are cut to 64
/// characters and escaped; of a list of names at most 20 are shown.
///
/// ```
/// use toolgate_runtime::Error;
///
/// let error = Error::UnknownSource { name: "cvs".to_owned(), known: vec!["csv".to_owned()] };
/// assert_eq!(error.code(), "unknown_source");
/// assert_eq!(error.to_string(), "no source is called \"cvs\"; write one of: csv");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The request is not what a request looks like. Code `request`.
    #[error("the request is not valid: {reason}; {}", next::REQUEST)]
    Request {
        /// What is wrong, and where.
        reason: String,
    },
    /// No source has this name. Code `unknown_source`.
    #[error(
        "no source is called {}; write one of: {}",
        echo::name(name),
        echo::names(known)
    )]
    UnknownSource {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The source has no such symbol. Code `unknown_symbol`.
    #[error("the source has no symbol {}; {}", echo::name(symbol), next::SYMBOL)]
    UnknownSymbol {
        /// The symbol that was asked for.
        symbol: String,
    },
    /// The source has no rows in the range. Code `no_rows`.
    #[error("there are no rows in the range that was asked for; {}", next::RANGE)]
    NoRows,
    /// A plan or a query names a column that is not there. Code `unknown_column`.
    #[error(
        "there is no number column {}; write one of: {}",
        echo::name(name),
        echo::names(known)
    )]
    UnknownColumn {
        /// The name that was asked for.
        name: String,
        /// The number columns there are.
        known: Vec<String>,
    },
    /// The input file is broken. Code as in [`InputFault`].
    #[error(
        "line {line}{}: expected {expected}, found {found}; {}",
        in_column(column),
        next::INPUT
    )]
    Input {
        /// What kind of fault it is.
        fault: InputFault,
        /// The line in the file, from 1 (the header).
        line: u64,
        /// The column, where the fault is in one.
        column: Option<String>,
        /// What should have stood there.
        expected: String,
        /// What stood there.
        found: String,
    },
    /// The source cannot be read. Code `source_unavailable`.
    #[error("the source cannot be read ({reason}); {}", next::LATER)]
    SourceUnavailable {
        /// A safe reason, without paths.
        reason: String,
    },
    /// What the source reads is not there, or is no file. Code `source_missing`.
    #[error("the source of this symbol is not there ({reason}); {}", next::PATH)]
    SourceMissing {
        /// A safe reason, without paths.
        reason: String,
    },
    /// A value that a plan reads is missing or not finite. Code `non_finite`.
    #[error(
        "row {row} of the snapshot (the first is row 0), column {}: the value is missing or \
         not finite, expected a number in every row that a plan reads; {}",
        echo::bare_name(column),
        next::VALUE
    )]
    NonFinite {
        /// The row in the whole snapshot, from 0.
        row: u64,
        /// The column.
        column: String,
    },
    /// A bar that is not closed has rows after it. Code `open_bar`.
    #[error(
        "row {row} of the snapshot (the first is row 0) is a bar that is not closed, and rows \
         follow it; expected every bar but the last to be closed; {}",
        next::OPEN_BAR
    )]
    OpenBar {
        /// The row in the whole snapshot, from 0.
        row: u64,
    },
    /// The state of a plan could grow over what a checkpoint may hold. Code
    /// `plan_state_too_large`.
    #[error(
        "the state of the plan could grow to {bytes} bytes, expected at most {limit} (a number \
         in an sma window is 8 bytes); {}",
        next::STATE
    )]
    StateTooLarge {
        /// The most bytes that the state of the plan can have.
        bytes: u64,
        /// The most bytes that there is room for.
        limit: u64,
    },
    /// Columns do not fit together. Code `schema`.
    #[error("the columns do not fit together: {0}")]
    Schema(SchemaFault),
    /// The bytes of a stored segment are not a segment. Code `segment_corrupt`.
    #[error("a stored segment is corrupt ({reason}); {}", next::AGAIN)]
    SegmentCorrupt {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The bytes of a stored checkpoint are not one. Code `checkpoint_corrupt`.
    #[error("a stored checkpoint is corrupt ({reason}); {}", next::AGAIN)]
    CheckpointCorrupt {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The task has not ended. Code `task_pending`.
    #[error("the task is not finished ({}); {}", progress(*done, *total), next::PENDING)]
    TaskPending {
        /// Rows computed so far.
        done: u64,
        /// Rows in all; `None` before its first step.
        total: Option<u64>,
    },
    /// The task has failed. Code: the task's own.
    #[error("the task failed: {reason}; {}", next::of_failed(code))]
    TaskFailed {
        /// The task's stable code.
        code: String,
        /// Its safe reason.
        reason: String,
    },
    /// The task ended early because someone asked for that. Code `cancelled`.
    #[error("the task was cancelled: {reason}; {}", next::CANCELLED)]
    Cancelled {
        /// Its safe reason.
        reason: String,
    },
    /// It is not known whether the task's effects happened. Code: the task's own.
    #[error(
        "the outcome of the task is unknown: {reason}; {}",
        next::OUTCOME_UNKNOWN
    )]
    OutcomeUnknown {
        /// The task's stable code.
        code: String,
        /// Its safe reason.
        reason: String,
    },
    /// No random bytes could be had. Code `no_randomness`.
    #[error("the system gave no random bytes; {}", next::LATER)]
    NoRandomness,
    /// A cursor was refused. Code as in [`toolgate_cursor::Error`].
    #[error(transparent)]
    Cursor(#[from] toolgate_cursor::Error),
    /// A plan or its state was refused. Code as in [`toolgate_kernels::Error`].
    #[error(transparent)]
    Kernels(#[from] toolgate_kernels::Error),
    /// The store refused. Code as in [`toolgate_store::StoreError`].
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A page could not be written. Code as in [`qrp1::ErrorCode`].
    #[error("the page cannot be written: {0}")]
    Format(#[from] qrp1::Error),
}

fn progress(done: u64, total: Option<u64>) -> String {
    total.map_or_else(
        || "it has not begun".to_owned(),
        |total| format!("{done} of {total} rows"),
    )
}

fn in_column(column: &Option<String>) -> String {
    column.as_ref().map_or_else(String::new, |name| {
        format!(", column {}", echo::bare_name(name))
    })
}

/// Next steps, once as text for `Display` and for receipts.
mod next {
    pub(super) const REQUEST: &str = "correct it and send it again";
    pub(super) const CAPS: &str = "ask for a larger page";
    pub(super) const RANGE: &str = "widen it";
    pub(super) const LATER: &str = "try again later";
    pub(super) const AGAIN: &str = "run the request again to make a new snapshot";
    pub(super) const PENDING: &str = "its result will follow, do not ask again";
    pub(super) const SYMBOL: &str = "correct the symbol";
    pub(super) const INPUT: &str = "correct the file";
    pub(super) const PATH: &str = "correct the path or ask for another symbol";
    pub(super) const VALUE: &str =
        "fill or drop that row, or ask for a range without it, and start a new task";
    pub(super) const OPEN_BAR: &str =
        "have the source close or drop that bar, or end the range before it, and start a new task";
    pub(super) const STATE: &str = "write shorter sma periods (or ema, which keeps one number), or split the plan into several";
    pub(super) const CANCELLED: &str = "start the task again if its result is still wanted";
    const PLAN: &str = "correct the plan or its parameters and start a new task";
    const DATA: &str = "correct the data or ask for another range, and start a new task";
    const RESTART: &str = "start the task again";

    /// What to do about a failed task, by its code. Another worker's codes may be new to
    /// this one; a task is then started once more.
    pub(super) fn of_failed(code: &str) -> &'static str {
        match code {
            // Codes of a plan's saved state tell of the store, not of the plan.
            "request" | "unknown_column" | "invalid_parameter" => PLAN,
            _ if code.starts_with("plan_") => PLAN,
            "non_finite" | "open_bar" | "schema" | "length_mismatch" | "missing_column"
            | "duplicate_column" | "duplicate_time" | "out_of_order" | "no_rows" => DATA,
            _ if code.starts_with("input_") => DATA,
            _ => RESTART,
        }
    }
    pub(super) const OUTCOME_UNKNOWN: &str = "do not repeat it blindly, check its effects first";
}

/// Kinds of faults in an input file.
///
/// ```
/// use toolgate_runtime::{BarsParser, Error, InputFault};
///
/// let error = BarsParser::new().push(b"date,price\n").unwrap_err();
/// assert!(matches!(error, Error::Input { fault: InputFault::Header, line: 1, .. }));
/// assert_eq!(error.code(), "input_header");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InputFault {
    /// There is no header, or not that of this form. Code `input_header`.
    Header,
    /// A row has another number of cells than the header. Code `input_width`.
    Width,
    /// A cell is no number. Code `input_number`.
    Number,
    /// A cell is no time. Code `input_time`.
    Time,
    /// A cell is no truth value. Code `input_flag`.
    Flag,
    /// A row is at the time of the row before, or earlier. Code `input_order`.
    Order,
    /// The file is not UTF-8. Code `input_utf8`.
    Utf8,
    /// A row or a cell is longer than the limit. Code `input_limit`.
    Limit,
    /// A quote stands inside or after a cell, or is never closed. Code `input_quote`.
    Quote,
}

impl InputFault {
    fn code(self) -> &'static str {
        match self {
            Self::Header => "input_header",
            Self::Width => "input_width",
            Self::Number => "input_number",
            Self::Time => "input_time",
            Self::Flag => "input_flag",
            Self::Order => "input_order",
            Self::Utf8 => "input_utf8",
            Self::Limit => "input_limit",
            Self::Quote => "input_quote",
        }
    }
}

/// Why columns do not fit together.
///
/// ```
/// use toolgate_runtime::{Batch, SchemaFault};
///
/// let error = Batch::new(vec![0, 60_000, 60_000], vec![]).unwrap_err();
/// assert_eq!(error, SchemaFault::TimeOrder { row: 2 }.into());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// A column has another length than the times.
    #[error(
        "column {} has {found} values, expected {expected}",
        echo::name(column)
    )]
    Length {
        /// The column.
        column: String,
        /// How many times there are.
        expected: usize,
        /// How many values it has.
        found: usize,
    },
    /// A name is empty or too long.
    #[error(
        "a column name has {found} bytes, expected 1 to {}",
        crate::batch::MAX_NAME_BYTES
    )]
    NameLength {
        /// Its length.
        found: usize,
    },
    /// Two columns have one name.
    #[error("column {} is there twice", echo::name(column))]
    Duplicate {
        /// The name.
        column: String,
    },
    /// A column has the name of the time.
    #[error(
        "a column is called {:?}, which is the time in pages; give it another name",
        crate::batch::TIME_COLUMN
    )]
    Reserved,
    /// There are too many columns.
    #[error(
        "there are {found} columns, expected at most {}",
        crate::batch::MAX_COLUMNS
    )]
    TooManyColumns {
        /// How many there are.
        found: usize,
    },
    /// A time is not after the one before.
    #[error("the time of row {row} is not after that of the row before")]
    TimeOrder {
        /// The row, from 0.
        row: usize,
    },
    /// A time cannot be written with a year of four digits.
    #[error("the time of row {row} is outside the years 0000 to 9999; correct the data")]
    TimeRange {
        /// The row, from 0.
        row: usize,
    },
    /// One row alone is larger than a segment may be.
    #[error(
        "row {row} takes {found} bytes as a segment, expected at most {}; shorten its texts",
        limit::MAX_SEGMENT_BYTES
    )]
    RowBytes {
        /// The row among all rows of the source, from 0.
        row: u64,
        /// How many bytes a segment of it would have.
        found: usize,
    },
    /// The names of the columns are too long together.
    #[error(
        "the locator and the names of the columns take {found} bytes, expected at most {}; \
         give fewer columns or shorter names",
        limit::MAX_META_BYTES
    )]
    MetaBytes {
        /// How many bytes they take.
        found: usize,
    },
    /// Two batches of one source have different columns.
    #[error("a batch has other columns than the one before")]
    OtherColumns,
}

impl From<SchemaFault> for Error {
    fn from(fault: SchemaFault) -> Self {
        Self::Schema(fault)
    }
}

impl Error {
    /// The stable code, in snake case.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Request { .. } => "request",
            Self::UnknownSource { .. } => "unknown_source",
            Self::UnknownSymbol { .. } => "unknown_symbol",
            Self::NoRows => "no_rows",
            Self::UnknownColumn { .. } => "unknown_column",
            Self::Input { fault, .. } => fault.code(),
            Self::SourceUnavailable { .. } => "source_unavailable",
            Self::SourceMissing { .. } => "source_missing",
            Self::NonFinite { .. } => "non_finite",
            Self::OpenBar { .. } => "open_bar",
            Self::StateTooLarge { .. } => "plan_state_too_large",
            Self::Cancelled { .. } => "cancelled",
            Self::Schema(_) => "schema",
            Self::SegmentCorrupt { .. } => "segment_corrupt",
            Self::CheckpointCorrupt { .. } => "checkpoint_corrupt",
            Self::TaskPending { .. } => "task_pending",
            Self::TaskFailed { code, .. } | Self::OutcomeUnknown { code, .. } => code,
            Self::NoRandomness => "no_randomness",
            Self::Cursor(error) => error.code(),
            Self::Kernels(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Format(error) => error.code().as_str(),
        }
    }

    /// What to do next, in words that a model can follow; `None` where the message itself
    /// says it in its own words.
    ///
    /// ```
    /// assert_eq!(toolgate_runtime::Error::NoRows.next_step(), Some("widen it"));
    /// ```
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        Some(match self {
            Self::Request { .. } => next::REQUEST,
            Self::UnknownSymbol { .. } => next::SYMBOL,
            Self::NoRows => next::RANGE,
            Self::Input { .. } => next::INPUT,
            Self::SourceUnavailable { .. } | Self::NoRandomness => next::LATER,
            Self::SegmentCorrupt { .. } | Self::CheckpointCorrupt { .. } => next::AGAIN,
            Self::TaskPending { .. } => next::PENDING,
            Self::SourceMissing { .. } => next::PATH,
            Self::NonFinite { .. } => next::VALUE,
            Self::OpenBar { .. } => next::OPEN_BAR,
            Self::StateTooLarge { .. } => next::STATE,
            Self::Cancelled { .. } => next::CANCELLED,
            Self::TaskFailed { code, .. } => next::of_failed(code),
            Self::OutcomeUnknown { .. } => next::OUTCOME_UNKNOWN,
            Self::Format(error) if error.code() == qrp1::ErrorCode::RowTooLarge => next::CAPS,
            Self::Cursor(error) => error.next_step(),
            Self::Store(error) => error.next_step(),
            Self::UnknownSource { .. }
            | Self::UnknownColumn { .. }
            | Self::Schema(_)
            | Self::Kernels(_)
            | Self::Format(_) => return None,
        })
    }

    /// The receipt that tells a model: status, code, reason, and the next step as its hint.
    ///
    /// ```
    /// let receipt = toolgate_runtime::Error::NoRows.to_receipt();
    /// assert_eq!(
    ///     receipt,
    ///     "QRP1|receipt|status=failed|code=no_rows|reason=there are no rows in the range that was \
    ///      asked for|hint=widen it\n",
    /// );
    /// ```
    #[must_use]
    pub fn to_receipt(&self) -> String {
        self.to_receipt_about(Meta::new())
    }

    /// As [`to_receipt`](Self::to_receipt), and it also says what it is about, such as the
    /// task or the snapshot that was named in the call.
    ///
    /// ```
    /// use qrp1::Meta;
    ///
    /// let receipt = toolgate_runtime::Error::NoRows.to_receipt_about(Meta::new().with_task("t7"));
    /// assert!(receipt.ends_with("|task=t7|hint=widen it\n"));
    /// ```
    #[must_use]
    pub fn to_receipt_about(&self, about: Meta) -> String {
        let status = match self {
            Self::TaskPending { .. } => Status::Pending,
            // A write without an answer may have happened.
            Self::OutcomeUnknown { .. } | Self::Store(StoreError::ReplyLost) => {
                Status::OutcomeUnknown
            }
            _ => Status::Failed,
        };
        let message = self.to_string();
        let mut meta = about;
        let mut reason = message.as_str();
        if let Some(next) = self.next_step()
            && let Some(before) = message.strip_suffix(next)
        {
            // The hint says it, so the reason need not.
            reason = before.trim_end_matches([' ', ';', '.']);
            meta = meta.with_hint(next);
        }
        let receipt = Receipt::new(status)
            .with_code(self.code())
            .with_reason(reason);
        let mut bare = receipt.clone();
        bare.meta.hint.clone_from(&meta.hint);
        // Codes are snake case by construction, so without facts from outside, which may
        // not fit together, a receipt can always be written.
        Payload::from(receipt.with_meta(meta))
            .to_text()
            .or_else(|_| Payload::from(bare).to_text())
            .unwrap_or_default()
    }
}
