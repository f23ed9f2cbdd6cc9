//! The one error of the crate.

use std::fmt;

/// What went wrong, where, what was expected, and what to do next.
///
/// The text of an error is meant for a person or a model: it names rows, columns,
/// nodes and limits, never a value out of a column (only whether it was a NaN or
/// an infinity). [`code`](Self::code) is stable; the texts may get better.
///
/// ```
/// use toolgate_kernels::{Error, Sma};
///
/// let error = Sma::new(0).unwrap_err();
/// assert_eq!(error.code(), "invalid_parameter");
/// assert_eq!(
///     error.to_string(),
///     "parameter `period` is 0, expected a whole number from 1 to 1000000; pass one in that range",
/// );
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A kernel was built with a parameter out of range.
    #[error("parameter `{name}` is {found}, expected {expected}; pass one in that range")]
    InvalidParameter {
        /// The parameter's name.
        name: &'static str,
        /// What was passed.
        found: String,
        /// The range.
        expected: &'static str,
    },
    /// A value was NaN or infinite; nothing of the call was taken.
    #[error(
        "row {row} of column `{column}` is {found}, expected a finite number; nothing of this \
         chunk was taken, so fill or drop that row and push the chunk again"
    )]
    NonFinite {
        /// The row in the slice or chunk, from 0.
        row: usize,
        /// The column: a plan's input, or `input`, `fast` or `slow` of a kernel.
        column: String,
        /// `NaN`, `infinity` or `-infinity`.
        found: &'static str,
    },
    /// Two columns of one call differ in length; nothing of the call was taken.
    #[error(
        "column `{column}` has {found} rows, expected {expected}; nothing of this chunk was \
         taken, so push columns of one length"
    )]
    LengthMismatch {
        /// The column.
        column: String,
        /// Its rows.
        found: usize,
        /// The rows of the first column (`time_ms`, or `fast` of a cross).
        expected: usize,
    },
    /// A chunk lacks an input of the plan.
    #[error(
        "column `{column}` is missing: the chunk has {found}; push every input that the plan declares"
    )]
    MissingColumn {
        /// The input of the plan.
        column: String,
        /// The columns that were given.
        found: String,
    },
    /// A chunk names an input of the plan twice.
    #[error("column `{column}` is given twice; push each column once")]
    DuplicateColumn {
        /// The column.
        column: String,
    },
    /// A bar has the time of the bar before it; nothing of the chunk was taken.
    #[error(
        "row {row} has time_ms {time_ms}, the same as the bar before it; bars must have strictly \
         rising times, so drop the repeated bar and push the chunk again"
    )]
    DuplicateTime {
        /// The row in the chunk, from 0.
        row: usize,
        /// Its time, in milliseconds.
        time_ms: i64,
    },
    /// A bar is older than the bar before it; nothing of the chunk was taken.
    #[error(
        "row {row} has time_ms {time_ms}, older than {after_ms} of the bar before it; bars must \
         have strictly rising times, so sort the chunk or start again from the older bar"
    )]
    OutOfOrder {
        /// The row in the chunk, from 0.
        row: usize,
        /// Its time, in milliseconds.
        time_ms: i64,
        /// The time of the bar before it, in milliseconds.
        after_ms: i64,
    },
    /// The bytes are not a state of this crate.
    #[error("the bytes do not start as {expected}; pass bytes that this crate saved")]
    StateMagic {
        /// What was asked for.
        expected: &'static str,
    },
    /// The state was saved in another format, or by another revision of the kernel.
    #[error(
        "the state has {what} {found}, expected {expected}; compute again from the start of the \
         data with this version"
    )]
    StateVersion {
        /// `format` or the kernel's name and the word revision.
        what: &'static str,
        /// What the bytes say.
        found: u16,
        /// What this version writes.
        expected: u16,
    },
    /// The state belongs to another kernel.
    #[error("the state is of kernel {found}, expected `{expected}`; restore it as that kernel")]
    StateKernel {
        /// The kernel in the bytes.
        found: String,
        /// The kernel that was asked for.
        expected: &'static str,
    },
    /// The state belongs to another plan.
    #[error(
        "the state was saved by plan {found}, expected plan {expected}; restore it with the plan \
         that saved it, or start this plan from the start of the data"
    )]
    StatePlan {
        /// The hash in the bytes, the first 16 hexadecimal digits.
        found: String,
        /// The hash of this plan, likewise.
        expected: String,
    },
    /// The bytes are cut, lengthened, changed or forged.
    #[error(
        "the state is damaged at byte {at}: found {found}, expected {expected}; use the \
         checkpoint before it, or compute again from the start of the data"
    )]
    StateCorrupt {
        /// The byte offset, from 0.
        at: usize,
        /// What is wrong there.
        found: &'static str,
        /// What a state holds there.
        expected: &'static str,
    },
    /// A plan is not valid.
    #[error("plan: {place}: {found}; {instead}")]
    Plan {
        /// The kind of fault.
        fault: PlanFault,
        /// Where: a field, or a node by place and id.
        place: String,
        /// What was found there.
        found: String,
        /// What is expected, and what to write instead.
        instead: String,
    },
}

macro_rules! plan_faults {
    ($($(#[$doc:meta])* $name:ident => $code:literal,)*) => {
        /// The kinds of fault of a plan, one code each.
        ///
        /// ```
        /// use toolgate_kernels::PlanFault;
        ///
        /// assert_eq!(PlanFault::Cycle.code(), "plan_cycle");
        /// assert_eq!(PlanFault::Cycle.to_string(), "plan_cycle");
        /// ```
        #[non_exhaustive]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum PlanFault {
            $($(#[$doc])* $name,)*
        }

        impl PlanFault {
            /// The stable code, as [`Error::code`] gives it.
            ///
            /// ```
            /// use toolgate_kernels::PlanFault;
            ///
            /// assert_eq!(PlanFault::UnknownField.code(), "plan_unknown_field");
            /// ```
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$name => $code,)*
                }
            }
        }

        const PLAN_CODES: &[&str] = &[$($code,)*];
    };
}

plan_faults! {
    /// The text is not JSON.
    NotJson => "plan_not_json",
    /// The text, or the number of inputs, nodes or outputs, is over a limit.
    TooLarge => "plan_too_large",
    /// The states of all nodes together could grow over the limit.
    StateTooLarge => "plan_state_too_large",
    /// A value has another JSON type than expected.
    WrongType => "plan_wrong_type",
    /// A field is not there.
    MissingField => "plan_missing_field",
    /// A field is not known here.
    UnknownField => "plan_unknown_field",
    /// A field is written twice.
    DuplicateField => "plan_duplicate_field",
    /// A list that needs an entry has none.
    Empty => "plan_empty",
    /// A name is empty, too long, or has a character that names may not have.
    BadName => "plan_bad_name",
    /// Two inputs, nodes or outputs have one name.
    DuplicateName => "plan_duplicate_name",
    /// No kernel has this name.
    UnknownKernel => "plan_unknown_kernel",
    /// A reference names neither an input nor a node, or an output names no node.
    UnknownName => "plan_unknown_name",
    /// A value is out of its range or not one of its choices.
    BadValue => "plan_bad_value",
    /// A kernel that reads numbers was given a node of events.
    NotNumbers => "plan_not_numbers",
    /// Nodes feed each other in a circle.
    Cycle => "plan_cycle",
}

impl fmt::Display for PlanFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

const OTHER_CODES: &[&str] = &[
    "invalid_parameter",
    "non_finite",
    "length_mismatch",
    "missing_column",
    "duplicate_column",
    "duplicate_time",
    "out_of_order",
    "state_magic",
    "state_version",
    "state_kernel",
    "state_plan",
    "state_corrupt",
];

impl Error {
    /// The stable code of the error, in snake case; the crate documentation lists them all.
    ///
    /// ```
    /// use toolgate_kernels::{Error, Plan};
    ///
    /// assert_eq!(Plan::from_json("{").unwrap_err().code(), "plan_not_json");
    /// ```
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidParameter { .. } => "invalid_parameter",
            Self::NonFinite { .. } => "non_finite",
            Self::LengthMismatch { .. } => "length_mismatch",
            Self::MissingColumn { .. } => "missing_column",
            Self::DuplicateColumn { .. } => "duplicate_column",
            Self::DuplicateTime { .. } => "duplicate_time",
            Self::OutOfOrder { .. } => "out_of_order",
            Self::StateMagic { .. } => "state_magic",
            Self::StateVersion { .. } => "state_version",
            Self::StateKernel { .. } => "state_kernel",
            Self::StatePlan { .. } => "state_plan",
            Self::StateCorrupt { .. } => "state_corrupt",
            Self::Plan { fault, .. } => fault.code(),
        }
    }

    /// All codes that [`code`](Self::code) can give.
    ///
    /// ```
    /// assert!(toolgate_kernels::Error::codes().any(|code| code == "state_plan"));
    /// ```
    pub fn codes() -> impl Iterator<Item = &'static str> {
        OTHER_CODES.iter().chain(PLAN_CODES).copied()
    }
}
