//! A column of numbers with its validity.

use crate::Bitmap;

/// A column of numbers, one a bar, with a validity bit a bar.
///
/// An invalid bar is one at which the kernel was still warming up; its slot in
/// [`values`](Self::values) is NaN, so that a reader who forgets the bits notices.
/// Two columns are equal if their bits are equal.
///
/// ```
/// use toolgate_kernels::{Kernel, Numbers, Sma};
///
/// let mut out = Numbers::default();
/// Sma::new(2)?.push_slice(&[1.0, 2.0, 4.0], &mut out)?;
/// assert_eq!(out.iter().collect::<Vec<_>>(), [None, Some(1.5), Some(3.0)]);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    values: Vec<f64>,
    validity: Bitmap,
}

impl Numbers {
    /// The number of bars.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Numbers::default().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no bar.
    ///
    /// ```
    /// assert!(toolgate_kernels::Numbers::default().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All slots; read them beside [`validity`](Self::validity).
    ///
    /// ```
    /// use toolgate_kernels::{Kernel, Numbers, Sma};
    ///
    /// let mut out = Numbers::default();
    /// Sma::new(2)?.push_slice(&[1.0, 2.0], &mut out)?;
    /// assert!(out.values()[0].is_nan());
    /// assert_eq!(out.values()[1], 1.5);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Which bars hold a value.
    ///
    /// ```
    /// use toolgate_kernels::{Kernel, Numbers, Sma};
    ///
    /// let mut out = Numbers::default();
    /// Sma::new(2)?.push_slice(&[1.0, 2.0], &mut out)?;
    /// assert_eq!(out.validity().words(), &[0b10]);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn validity(&self) -> &Bitmap {
        &self.validity
    }

    /// The value of `row`; `None` while warming up and past the end.
    ///
    /// ```
    /// use toolgate_kernels::{Kernel, Numbers, Sma};
    ///
    /// let mut out = Numbers::default();
    /// Sma::new(2)?.push_slice(&[1.0, 2.0], &mut out)?;
    /// assert_eq!((out.get(0), out.get(1), out.get(2)), (None, Some(1.5), None));
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, row: usize) -> Option<f64> {
        if self.validity.get(row) == Some(true) {
            self.values.get(row).copied()
        } else {
            None
        }
    }

    /// The bars in order, `None` while warming up.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Numbers::default().iter().count(), 0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.values
            .iter()
            .zip(self.validity.iter())
            .map(|(value, set)| set.then_some(*value))
    }

    /// Removes all bars and keeps the memory.
    ///
    /// ```
    /// let mut out = toolgate_kernels::Numbers::default();
    /// out.clear();
    /// assert!(out.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.values.clear();
        self.validity.clear();
    }

    /// Appends `rows` bars without a value.
    pub(crate) fn extend_warming(&mut self, rows: usize) {
        self.values.resize(self.values.len() + rows, f64::NAN);
        self.validity.extend(rows, false);
    }

    /// Appends bars that all hold a value.
    pub(crate) fn extend_from_slice(&mut self, values: &[f64]) {
        self.values.extend_from_slice(values);
        self.validity.extend(values.len(), true);
    }

    /// Lets `fill` append values, all of which count as valid.
    pub(crate) fn extend_with(&mut self, fill: impl FnOnce(&mut Vec<f64>)) {
        let before = self.values.len();
        fill(&mut self.values);
        self.validity.extend(self.values.len() - before, true);
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.validity == other.validity
            && self.values.len() == other.values.len()
            && self
                .values
                .iter()
                .zip(&other.values)
                .all(|(a, b)| a.to_bits() == b.to_bits())
    }
}

impl Eq for Numbers {}
