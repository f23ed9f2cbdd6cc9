//! The simple moving average.

mod exact_sum;
mod grid_sum;
mod ratio;
mod window_sum;

use crate::kernel::check_finite;
use crate::state::{self, Head, KernelTag, corrupt};
use crate::{Error, Kernel, Numbers, period};
use window_sum::WindowSum;

/// The simple moving average: the mean of the last n values, correctly rounded.
///
/// | | |
/// |---|---|
/// | formula | `(x[t-n+1] + ... + x[t]) / n` |
/// | warm-up | n - 1 bars without a result |
/// | exactness | the exact mean, rounded once to the nearest f64, ties to even |
/// | depends on | the last n values, and on nothing before them |
///
/// So a constant series has exactly that mean, a spike leaves no trace once it is out
/// of the window, and values that are equal in exact arithmetic tie. The mean of
/// finite values is finite, also near the largest f64. An exact zero is +0.0.
///
/// A push takes constant time on average, whatever the values and the period. The
/// state holds the last n values: `28 + 8 n` bytes.
///
/// ```
/// use toolgate_kernels::{Kernel, Numbers, Sma};
///
/// let mut sma = Sma::new(3)?;
/// let mut out = Numbers::default();
/// sma.push_slice(&[0.1, 0.1, 0.1, 1e300, 0.1, 0.1, 0.1], &mut out)?;
/// assert_eq!(out.get(1), None);
/// assert_eq!(out.get(2), Some(0.1)); // not 0.10000000000000002
/// assert_eq!(out.get(6), Some(0.1)); // nothing left of the spike
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sma {
    period: u32,
    bars: u64,
    window: WindowSum,
}

impl Sma {
    pub(crate) const TAG: KernelTag = KernelTag {
        id: 1,
        name: Self::NAME,
        revision: Self::REVISION,
    };

    /// A moving average of `period` bars.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if `period` is 0 or over
    /// [`MAX_PERIOD`](crate::MAX_PERIOD).
    ///
    /// ```
    /// use toolgate_kernels::{Kernel, Sma};
    ///
    /// assert_eq!(Sma::new(20)?.warm_up(), 19);
    /// assert_eq!(Sma::new(0).unwrap_err().code(), "invalid_parameter");
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn new(period: u32) -> Result<Self, Error> {
        Ok(Self::of_checked(period::check(period)?))
    }

    pub(crate) fn of_checked(period: u32) -> Self {
        Self {
            period,
            bars: 0,
            window: WindowSum::new(period),
        }
    }

    /// The period, in bars.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Sma::new(20)?.period(), 20);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn period(&self) -> u32 {
        self.period
    }

    /// The result at the last bar taken.
    pub(crate) fn last(&self) -> Option<f64> {
        self.window.mean()
    }

    /// The most bytes that a state of this period has.
    pub(crate) const fn state_bytes(period: u32) -> u64 {
        state::kernel_state_bytes(period as u64)
    }

    /// Takes finite values and appends the means of full windows.
    pub(crate) fn extend(&mut self, xs: &[f64], means: &mut Vec<f64>) {
        self.window.extend(xs, means);
        self.bars += xs.len() as u64;
    }
}

impl Kernel for Sma {
    const NAME: &'static str = "sma";
    const REVISION: u16 = 1;

    type Input = f64;
    type Slice<'a> = &'a [f64];
    type Output = f64;
    type Column = Numbers;

    fn push(&mut self, input: f64) -> Result<Option<f64>, Error> {
        check_finite("input", &[input])?;
        self.bars += 1;
        Ok(self.window.take(input))
    }

    fn push_slice(&mut self, inputs: &[f64], out: &mut Numbers) -> Result<(), Error> {
        check_finite("input", inputs)?;
        let warming = self.warm_up().saturating_sub(self.bars);
        out.extend_warming(
            usize::try_from(warming)
                .unwrap_or(usize::MAX)
                .min(inputs.len()),
        );
        out.extend_with(|means| self.extend(inputs, means));
        Ok(())
    }

    fn peek(&self, input: f64) -> Result<Option<f64>, Error> {
        check_finite("input", &[input])?;
        Ok(self.window.mean_with(input))
    }

    fn bars(&self) -> u64 {
        self.bars
    }

    fn warm_up(&self) -> u64 {
        u64::from(self.period) - 1
    }

    fn snapshot_into(&self, out: &mut Vec<u8>) {
        let head = Head {
            option: 0,
            flags: 0,
            period: self.period,
            bars: self.bars,
        };
        state::write_kernel(out, Self::TAG, head, self.window.values());
    }

    fn restore(bytes: &[u8]) -> Result<Self, Error> {
        let (head, mut reader) = state::read_kernel(bytes, Self::TAG)?;
        if head.option != 0 || head.flags != 0 {
            return Err(corrupt(10, "an option or a flag", "0, for an sma has none"));
        }
        if period::check(head.period).is_err() {
            return Err(corrupt(12, "a period out of range", period::PERIOD_RANGE));
        }
        let held = head.bars.min(u64::from(head.period));
        if reader.left() as u64 != held * 8 {
            return Err(corrupt(
                reader.at(),
                "another number of values",
                "the last values, as many as bars were taken, up to the period",
            ));
        }
        let window = WindowSum::with_values(head.period, reader.numbers()?);
        Ok(Self {
            period: head.period,
            bars: head.bars,
            window,
        })
    }
}
