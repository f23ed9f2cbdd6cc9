/// Proof that what came beside a cursor has been checked before the cursor.
///
/// A call may name a task or a result and give a cursor as well. Then ownership
/// of what it names comes first and its terminal failure second, and only then
/// is the cursor looked at: a failed task outranks a bad cursor, and a caller
/// who does not own the task learns nothing by way of its cursor.
/// [`Unverified::parse`](crate::Unverified::parse) takes this value, so the order
/// cannot be turned round by accident.
///
/// ```
/// use toolgate_cursor::{Cleared, Error, Unverified};
///
/// # fn read(owned: bool, failed: bool, cursor: &str) -> Result<(), String> {
/// let cleared = Cleared::beside(
///     || if owned { Ok(()) } else { Err("task_gone".to_string()) },
///     || if failed { Err("task_failed".to_string()) } else { Ok(()) },
/// )?;
/// Unverified::parse(cursor, cleared).map_err(|error| error.code().to_string())?;
/// # Ok(())
/// # }
/// assert_eq!(read(false, true, "not a cursor").unwrap_err(), "task_gone");
/// assert_eq!(read(true, true, "not a cursor").unwrap_err(), "task_failed");
/// assert_eq!(read(true, false, "not a cursor").unwrap_err(), "cursor_malformed");
/// ```
#[derive(Debug)]
#[must_use = "give it to Unverified::parse"]
pub struct Cleared(());

impl Cleared {
    /// The call names nothing but the cursor.
    ///
    /// ```
    /// use toolgate_cursor::{Cleared, Unverified};
    ///
    /// assert_eq!(Unverified::parse("", Cleared::alone()).unwrap_err().code(), "cursor_malformed");
    /// ```
    pub const fn alone() -> Self {
        Self(())
    }

    /// The call names a task or a result: runs `ownership`, and only when that
    /// holds `terminal_failure`.
    ///
    /// # Errors
    ///
    /// The error of the first of the two that fails, as it is.
    ///
    /// ```
    /// use toolgate_cursor::Cleared;
    ///
    /// let refused = Cleared::beside(|| Err("not yours"), || panic!("not reached"));
    /// assert_eq!(refused.unwrap_err(), "not yours");
    /// ```
    pub fn beside<E>(
        ownership: impl FnOnce() -> Result<(), E>,
        terminal_failure: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        ownership()?;
        terminal_failure()?;
        Ok(Self(()))
    }
}
