//! A receipt: a short reply about an execution.

use crate::error::{Error, ErrorCode, excerpt};
use crate::meta::Meta;

/// How an execution stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Done.
    Ok,
    /// Not done; the code says why.
    Failed,
    /// Not finished; the application will bring the result.
    Pending,
    /// Done in part.
    Partial,
    /// It cannot be known whether the side effects happened; do not repeat it blindly.
    OutcomeUnknown,
}

impl Status {
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Ok, "ok"),
        (Self::Failed, "failed"),
        (Self::Pending, "pending"),
        (Self::Partial, "partial"),
        (Self::OutcomeUnknown, "outcome_unknown"),
    ];

    /// The word in the header.
    ///
    /// ```
    /// assert_eq!(qrp1::Status::OutcomeUnknown.word(), "outcome_unknown");
    /// ```
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL
            .into_iter()
            .find(|(each, _)| *each == self)
            .map_or("", |(_, word)| word)
    }
}

/// What happened: a status, a stable code, a safe reason.
///
/// ```
/// let header = qrp1::Header::parse("QRP1|receipt|status=failed|code=no_rows")?;
/// let outcome = header.outcome.ok_or("a receipt has an outcome")?;
/// assert_eq!((outcome.status, outcome.code.as_deref()), (qrp1::Status::Failed, Some("no_rows")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How the execution stands.
    pub status: Status,
    /// A stable code of lower-case letters, digits and `_`; a failure must have one.
    pub code: Option<String>,
    /// The reason, in words that are safe to show.
    pub reason: Option<String>,
}

impl Outcome {
    pub(crate) fn check(&self) -> Result<(), Error> {
        match &self.code {
            None if self.status == Status::Failed => Err(Error::new(
                ErrorCode::HeaderMissing,
                "the key code with status failed",
                "none",
            )),
            Some(code) if !is_code(code) => Err(Error::new(
                ErrorCode::HeaderValue,
                "a code of 1 to 64 lower-case letters, digits and _",
                excerpt(code),
            )),
            _ => Ok(()),
        }
    }
}

fn is_code(code: &str) -> bool {
    (1..=64).contains(&code.len())
        && code
            .bytes()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_'))
}

/// A receipt: one header line, no body.
///
/// ```
/// use qrp1::{Meta, Payload, Receipt, Status};
///
/// let receipt = Receipt::new(Status::Failed)
///     .with_code("cursor_expired")
///     .with_reason("the cursor is older than 30 min")
///     .with_meta(Meta::new().with_hint("read the first page again"));
/// assert_eq!(
///     Payload::from(receipt).to_text()?,
///     "QRP1|receipt|status=failed|code=cursor_expired|reason=the cursor is older than 30 min\
///      |hint=read the first page again\n",
/// );
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// What happened.
    pub outcome: Outcome,
    /// What it was about: task, result, snapshot, and what to do next (`hint`).
    pub meta: Meta,
}

impl Receipt {
    /// A receipt that says no more than a status.
    #[must_use]
    pub fn new(status: Status) -> Self {
        Self {
            outcome: Outcome {
                status,
                code: None,
                reason: None,
            },
            meta: Meta::new(),
        }
    }

    /// Sets the stable code.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.outcome.code = Some(code.into());
        self
    }

    /// Sets the safe reason.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.outcome.reason = Some(reason.into());
        self
    }

    /// Sets what the receipt is about.
    #[must_use]
    pub fn with_meta(self, meta: Meta) -> Self {
        Self { meta, ..self }
    }
}
