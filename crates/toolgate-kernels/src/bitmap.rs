//! Which rows of a column hold a value.

/// A growable row of bits, one a row: set = the row holds a value.
///
/// Bits are packed low bit first into 64-bit words; the bits past the end of the
/// last word are zero, so two equal bitmaps have equal words.
///
/// ```
/// use toolgate_kernels::Bitmap;
///
/// let mut rows = Bitmap::new();
/// rows.extend(3, false);
/// rows.push(true);
/// assert_eq!(rows.len(), 4);
/// assert_eq!(rows.get(3), Some(true));
/// assert_eq!(rows.count_set(), 1);
/// assert_eq!(rows.words(), &[0b1000]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
    len: usize,
}

impl Bitmap {
    /// An empty bitmap.
    ///
    /// ```
    /// assert!(toolgate_kernels::Bitmap::new().is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of rows.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Bitmap::new().len(), 0);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    ///
    /// ```
    /// assert!(toolgate_kernels::Bitmap::new().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit of `row`, or `None` past the end.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.push(false);
    /// assert_eq!((rows.get(0), rows.get(1)), (Some(false), None));
    /// ```
    #[must_use]
    pub fn get(&self, row: usize) -> Option<bool> {
        if row >= self.len {
            return None;
        }
        self.words
            .get(row / 64)
            .map(|word| word >> (row % 64) & 1 == 1)
    }

    /// How many rows are set. Takes time in proportion to `len() / 64`.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.extend(100, true);
    /// assert_eq!(rows.count_set(), 100);
    /// ```
    #[must_use]
    pub fn count_set(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// The packed words, low bit first.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.extend(65, true);
    /// assert_eq!(rows.words(), &[u64::MAX, 1]);
    /// ```
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bits in row order.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.push(true);
    /// rows.push(false);
    /// assert_eq!(rows.iter().collect::<Vec<_>>(), [true, false]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|row| self.words[row / 64] >> (row % 64) & 1 == 1)
    }

    /// Appends one row.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.push(true);
    /// assert_eq!(rows.get(0), Some(true));
    /// ```
    pub fn push(&mut self, set: bool) {
        self.extend(1, set);
    }

    /// Appends `rows` equal rows. Takes time in proportion to `rows / 64`.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.extend(2, false);
    /// rows.extend(2, true);
    /// assert_eq!(rows.words(), &[0b1100]);
    /// ```
    pub fn extend(&mut self, rows: usize, set: bool) {
        let end = self.len + rows;
        let old_words = self.words.len();
        self.words
            .resize(end.div_ceil(64), if set { u64::MAX } else { 0 });
        if set {
            // Raise the rows from the old end on in the word that was the last.
            if !self.len.is_multiple_of(64)
                && let Some(word) = self.words.get_mut(old_words - 1)
            {
                *word |= u64::MAX << (self.len % 64);
            }
            if !end.is_multiple_of(64)
                && let Some(word) = self.words.last_mut()
            {
                *word &= u64::MAX >> (64 - end % 64);
            }
        }
        self.len = end;
    }

    /// Removes all rows and keeps the memory.
    ///
    /// ```
    /// let mut rows = toolgate_kernels::Bitmap::new();
    /// rows.push(true);
    /// rows.clear();
    /// assert!(rows.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_equal_single_pushes(runs in prop::collection::vec((0_usize..200, any::<bool>()), 0..12)) {
            let mut by_run = Bitmap::new();
            let mut by_row = Vec::new();
            for (rows, set) in runs {
                by_run.extend(rows, set);
                by_row.extend(std::iter::repeat_n(set, rows));
            }
            prop_assert_eq!(by_run.iter().collect::<Vec<_>>(), by_row.clone());
            prop_assert_eq!(by_run.count_set(), by_row.iter().filter(|set| **set).count());
            let mut again = Bitmap::new();
            by_row.iter().for_each(|set| again.push(*set));
            prop_assert_eq!(by_run, again);
        }
    }
}
