//! What all kernels share.

use std::fmt;

use crate::Error;

/// An incremental computation over bars, whose results do not depend on how the bars
/// were handed over.
///
/// The contract of every kernel: [`push`](Self::push) bar by bar,
/// [`push_slice`](Self::push_slice) in any pieces, and
/// [`snapshot`](Self::snapshot) then [`restore`](Self::restore) between any two bars
/// give the same bits, on every machine with IEEE 754 arithmetic. A call that fails
/// takes nothing.
///
/// Each kernel is built by its own `new`, which checks the parameters.
///
/// ```
/// use toolgate_kernels::{Error, Kernel, Sma};
///
/// fn resume<K: Kernel>(kernel: &K) -> Result<K, Error> {
///     K::restore(&kernel.snapshot())
/// }
///
/// let mut sma = Sma::new(2)?;
/// assert_eq!(sma.push(1.0)?, None); // still warming up
/// let mut sma = resume(&sma)?;
/// assert_eq!(sma.peek(2.0)?, Some(1.5)); // takes nothing
/// assert_eq!(sma.push(4.0)?, Some(2.5));
/// assert_eq!(sma.bars(), 2);
/// # Ok::<(), Error>(())
/// ```
pub trait Kernel: Clone + fmt::Debug + Sized {
    /// The kernel's name in a plan and in errors.
    const NAME: &'static str;
    /// The revision of the kernel's arithmetic. It rises when any result could change
    /// in any bit; a state of another revision is refused.
    const REVISION: u16;

    /// One bar of input.
    type Input: Copy;
    /// Many bars of input.
    type Slice<'a>: Copy;
    /// One result.
    type Output: Copy;
    /// Many results, one slot a bar.
    type Column: Default;

    /// Takes one bar. `None` says that there is no result at this bar: the kernel is
    /// warming up, or a cross did not happen.
    ///
    /// # Errors
    ///
    /// [`Error::NonFinite`] with row 0; nothing is taken.
    fn push(&mut self, input: Self::Input) -> Result<Option<Self::Output>, Error>;

    /// Takes many bars and appends one slot a bar to `out`: the same bits as pushing
    /// them one by one.
    ///
    /// # Errors
    ///
    /// [`Error::NonFinite`] with the row in the slice, [`Error::LengthMismatch`] if a
    /// kernel of two inputs gets slices of two lengths. Nothing is taken or appended.
    fn push_slice(&mut self, inputs: Self::Slice<'_>, out: &mut Self::Column) -> Result<(), Error>;

    /// What [`push`](Self::push) would give, without taking the bar. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    fn peek(&self, input: Self::Input) -> Result<Option<Self::Output>, Error>;

    /// How many bars were taken.
    fn bars(&self) -> u64;

    /// How many bars are taken before the first that can have a result.
    fn warm_up(&self) -> u64;

    /// Appends the state to `out`. Kernels that will go on alike have equal states.
    ///
    /// ```
    /// use toolgate_kernels::{Error, Kernel, Sma};
    ///
    /// let mut sma = Sma::new(2)?;
    /// sma.push(1.0)?;
    /// let mut out = b"head".to_vec();
    /// sma.snapshot_into(&mut out);
    /// assert_eq!(out[4..], sma.snapshot());
    /// assert_eq!(Sma::restore(&out[4..])?.push(4.0)?, Some(2.5));
    /// # Ok::<(), Error>(())
    /// ```
    fn snapshot_into(&self, out: &mut Vec<u8>);

    /// The state as bytes: with magic, format version, kernel, revision, parameters,
    /// policies, bar count, numbers as little-endian bits, and a checksum. A kernel
    /// with a window of n bars writes at most `8 n + 128` bytes.
    #[must_use]
    fn snapshot(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.snapshot_into(&mut out);
        out
    }

    /// The kernel that wrote `bytes`, ready to go on. Allocates at most in proportion
    /// to `bytes`.
    ///
    /// # Errors
    ///
    /// [`Error::StateMagic`], [`Error::StateVersion`], [`Error::StateKernel`] and
    /// [`Error::StateCorrupt`].
    fn restore(bytes: &[u8]) -> Result<Self, Error>;
}

/// Refuses the first value that is not finite.
pub(crate) fn check_finite(column: &str, xs: &[f64]) -> Result<(), Error> {
    // One flag for a run of values, so that the usual case has no branch a value.
    for (run, values) in xs.chunks(256).enumerate() {
        if values.iter().fold(true, |all, x| all & x.is_finite()) {
            continue;
        }
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            return Err(non_finite(column, run * 256 + at, values[at]));
        }
    }
    Ok(())
}

fn non_finite(column: &str, row: usize, x: f64) -> Error {
    let found = if x.is_nan() {
        "NaN"
    } else if x > 0.0 {
        "infinity"
    } else {
        "-infinity"
    };
    Error::NonFinite {
        row,
        column: column.to_owned(),
        found,
    }
}
