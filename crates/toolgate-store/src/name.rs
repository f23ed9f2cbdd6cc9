//! Bounded texts that name things: owners, workers, kinds of task, keys, codes.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::error::StoreError;

fn check(
    name: &'static str,
    text: &str,
    max: usize,
    allowed: fn(char) -> bool,
    rule: &'static str,
) -> Result<(), StoreError> {
    let wrong =
        |found: String| StoreError::invalid(name, format!("1 to {max} bytes of {rule}"), found);
    if text.is_empty() || text.len() > max {
        return Err(wrong(format!("{} bytes", text.len())));
    }
    match text.char_indices().find(|&(_, c)| !allowed(c)) {
        Some((at, _)) => Err(wrong(format!("another character at byte {at}"))),
        None => Ok(()),
    }
}

macro_rules! bounded_name {
    ($(#[$doc:meta])* $name:ident, $label:literal, $max:literal, $rule:literal, $allowed:expr, $good:literal, $bad:literal) => {
        $(#[$doc])*
        ///
        #[doc = concat!("1 to ", stringify!($max), " bytes of ", $rule, ". Cloning is cheap.")]
        ///
        /// ```
        #[doc = concat!("use toolgate_store::", stringify!($name), ";")]
        ///
        #[doc = concat!("let name = ", stringify!($name), "::new(\"", $good, "\")?;")]
        #[doc = concat!("assert_eq!(name.as_str(), \"", $good, "\");")]
        #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"", $bad, "\").unwrap_err().code(), \"invalid\");")]
        /// # Ok::<(), toolgate_store::StoreError>(())
        /// ```
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Checks and wraps the text.
            ///
            /// # Errors
            /// `invalid` when the text is empty, too long or has another character.
            pub fn new(text: &str) -> Result<Self, StoreError> {
                check($label, text, $max, $allowed, $rule)?;
                Ok(Self(Arc::from(text)))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = StoreError;

            fn from_str(text: &str) -> Result<Self, StoreError> {
                Self::new(text)
            }
        }
    };
}

bounded_name! {
    /// The principal a record belongs to, as the application names it. Every
    /// read and write names one; records of two owners never meet.
    Owner, "owner", 128, "text without control characters", |c| !c.is_control(),
    "tenant-7/alice", ""
}

bounded_name! {
    /// A worker process, for people who read logs. No rule of the store rests on
    /// it: a name used twice, or never again, strands nothing.
    WorkerId, "worker id", 64, "printable ASCII without spaces", |c| c.is_ascii_graphic(),
    "worker-81", "worker 81"
}

bounded_name! {
    /// What a task does, so that a worker claims only what it can run.
    TaskKind, "task kind", 64, "lower-case letters, digits, `_`, `.` or `-`",
    |c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.' | '-'),
    "plan.run", "Plan"
}

bounded_name! {
    /// The client's own name for one command, such as a tool call id: the same
    /// key and request make the same task, however often they are sent.
    IdempotencyKey, "idempotency key", 128, "printable ASCII without spaces", |c| c.is_ascii_graphic(),
    "call_8Zq", "call 8Zq"
}

bounded_name! {
    /// The stable machine code of a task's failure.
    FailureCode, "failure code", 64, "lower-case letters, digits or `_`",
    |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_',
    "source_unreachable", "Source unreachable"
}

impl FailureCode {
    /// A code of this crate's own.
    pub(crate) fn own(code: &'static str) -> Self {
        Self(Arc::from(code))
    }
}

impl WorkerId {
    /// A worker id from 8 random bytes: draw one a process, so that a host name
    /// used again never reads as the same worker.
    ///
    /// ```
    /// use toolgate_store::WorkerId;
    ///
    /// assert_eq!(WorkerId::from_random([42, 0, 0, 0, 0, 0, 0, 0]).as_str(), "w000000000042");
    /// ```
    #[must_use]
    pub fn from_random(bytes: [u8; 8]) -> Self {
        let number = u64::from_le_bytes(bytes) % 1_000_000_000_000;
        Self(Arc::from(format!("w{number:012}")))
    }
}
