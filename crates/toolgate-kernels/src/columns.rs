//! A chunk of input.

use crate::kernel::check_finite;
use crate::{Error, Plan};

/// A chunk of bars as columns, borrowed from the caller.
///
/// Columns that the plan does not declare are left alone, so one set of columns can
/// serve many plans. A chunk may have no rows.
///
/// ```
/// let chunk = toolgate_kernels::Columns {
///     time_ms: &[0, 60_000],
///     columns: &[("close", &[1.5, 1.25]), ("volume", &[10.0, 0.0])],
/// };
/// assert_eq!(chunk.columns.len(), 2);
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Columns<'a> {
    /// The time of each bar, in milliseconds of any one epoch, strictly rising.
    pub time_ms: &'a [i64],
    /// The columns by name, each as long as `time_ms`.
    pub columns: &'a [(&'a str, &'a [f64])],
}

impl<'a> Columns<'a> {
    /// The plan's inputs in its order, all checked: once this is through, nothing that
    /// follows can fail.
    pub(crate) fn check(
        &self,
        plan: &Plan,
        last_time_ms: Option<i64>,
    ) -> Result<Vec<&'a [f64]>, Error> {
        let mut inputs = Vec::with_capacity(plan.inputs().len());
        for name in plan.inputs() {
            let mut named = self.columns.iter().filter(|(column, _)| column == name);
            let Some((_, values)) = named.next() else {
                let given: Vec<_> = self
                    .columns
                    .iter()
                    .take(12)
                    .map(|(name, _)| *name)
                    .collect();
                let found = if given.is_empty() {
                    "none".to_owned()
                } else {
                    given.join(", ")
                };
                return Err(Error::MissingColumn {
                    column: name.clone(),
                    found,
                });
            };
            if named.next().is_some() {
                return Err(Error::DuplicateColumn {
                    column: name.clone(),
                });
            }
            if values.len() != self.time_ms.len() {
                return Err(Error::LengthMismatch {
                    column: name.clone(),
                    found: values.len(),
                    expected: self.time_ms.len(),
                });
            }
            inputs.push(*values);
        }
        check_times(self.time_ms, last_time_ms)?;
        for (name, values) in plan.inputs().iter().zip(&inputs) {
            check_finite(name, values)?;
        }
        Ok(inputs)
    }
}

/// Refuses the first time that is not after the one before it.
fn check_times(time_ms: &[i64], last_time_ms: Option<i64>) -> Result<(), Error> {
    let rising = time_ms
        .windows(2)
        .fold(true, |all, pair| all & (pair[0] < pair[1]));
    let follows = match (last_time_ms, time_ms.first()) {
        (Some(last), Some(first)) => last < *first,
        _ => true,
    };
    if rising && follows {
        return Ok(());
    }
    let mut before = last_time_ms;
    for (row, &time) in time_ms.iter().enumerate() {
        match before {
            Some(before) if time == before => {
                return Err(Error::DuplicateTime { row, time_ms: time });
            }
            Some(before) if time < before => {
                return Err(Error::OutOfOrder {
                    row,
                    time_ms: time,
                    after_ms: before,
                });
            }
            _ => before = Some(time),
        }
    }
    Ok(())
}
