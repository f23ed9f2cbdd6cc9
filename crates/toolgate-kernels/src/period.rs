//! How many bars a kernel looks back.

use crate::Error;

/// The longest period of a kernel, in bars.
///
/// ```
/// use toolgate_kernels::{MAX_PERIOD, Sma};
///
/// assert!(Sma::new(MAX_PERIOD).is_ok());
/// assert!(Sma::new(MAX_PERIOD + 1).is_err());
/// ```
pub const MAX_PERIOD: u32 = 1_000_000;

pub(crate) const PERIOD_RANGE: &str = "a whole number from 1 to 1000000";

pub(crate) fn check(period: u32) -> Result<u32, Error> {
    if (1..=MAX_PERIOD).contains(&period) {
        Ok(period)
    } else {
        Err(Error::InvalidParameter {
            name: "period",
            found: period.to_string(),
            expected: PERIOD_RANGE,
        })
    }
}
