//! Whether a promise holds.

use std::fmt;
use std::panic::Location;

use crate::error::StoreError;

/// The answer of a promise: `Ok` when it holds.
///
/// ```
/// use toolgate_store::conformance::{Broken, Verdict};
///
/// fn one_holder(holders: u32) -> Verdict {
///     if holders > 1 { Err(Broken::new("two workers hold one task")) } else { Ok(()) }
/// }
/// assert!(one_holder(1).is_ok());
/// assert!(one_holder(2).is_err());
/// ```
pub type Verdict = Result<(), Broken>;

/// How a promise does not hold, and where in the suite that was seen.
///
/// ```
/// use toolgate_store::conformance::Broken;
///
/// let broken = Broken::new("two workers hold one task");
/// assert!(broken.to_string().starts_with("two workers hold one task (at "));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Broken {
    what: String,
    at: &'static Location<'static>,
}

impl Broken {
    /// A finding, seen at the place of the call.
    #[must_use]
    #[track_caller]
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            at: Location::caller(),
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} (at {}:{})",
            self.what,
            self.at.file(),
            self.at.line()
        )
    }
}

/// As `Display`, so that a failed test prints words.
impl fmt::Debug for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Broken {}

impl From<StoreError> for Broken {
    #[track_caller]
    fn from(error: StoreError) -> Self {
        Self::new(format!("unexpected error {}: {error}", error.code()))
    }
}

/// The operation must have been refused with this code.
#[track_caller]
pub(super) fn refused<T: fmt::Debug>(result: Result<T, StoreError>, code: &str) -> Verdict {
    match result {
        Err(error) if error.code() == code => Ok(()),
        Err(error) => Err(Broken::new(format!(
            "expected {code}, found {}: {error}",
            error.code()
        ))),
        Ok(value) => Err(Broken::new(format!(
            "expected {code}, found success: {value:?}"
        ))),
    }
}

/// The two must be equal.
#[track_caller]
pub(super) fn same<T: fmt::Debug + PartialEq>(found: T, expected: T) -> Verdict {
    if found == expected {
        return Ok(());
    }
    Err(Broken::new(format!(
        "expected {expected:?}, found {found:?}"
    )))
}

/// The condition must hold.
#[track_caller]
pub(super) fn ensure(holds: bool, what: &str) -> Verdict {
    if holds {
        Ok(())
    } else {
        Err(Broken::new(what))
    }
}
