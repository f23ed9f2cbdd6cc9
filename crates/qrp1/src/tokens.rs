//! How a caller counts tokens.

/// Counts the tokens of a text. Any `Fn(&str) -> usize` is one.
///
/// A page is counted in pieces of whole lines. For o200k_base and cl100k_base the sum is
/// exactly the count of the whole text, since no line of a page is blank and none begins
/// with `/`; for other vocabularies it is an upper bound.
///
/// ```
/// use qrp1::{Caps, Cell, Column, ColumnType, Layout, Meta, PageWriter};
///
/// // Any function will do; this one takes three bytes for a token.
/// let counter = |text: &str| text.len().div_ceil(3);
/// let layout = Layout::table([Column::new("n", ColumnType::I64)])?;
/// let caps = Caps { max_tokens: Some(12), ..Caps::default() };
/// let mut page = PageWriter::new(&layout, caps, Some(&counter))?;
/// page.push(&[Cell::I64(7)])?;
/// let page = page.finish(|_| Ok::<_, qrp1::Error>(Meta::new()))?;
/// assert_eq!(page.tokens, Some(11));
/// # Ok::<(), qrp1::Error>(())
/// ```
pub trait TokenCounter {
    /// The exact number of tokens.
    fn count(&self, text: &str) -> usize;

    /// The exact number of tokens if it is at most `limit`, otherwise `None`. It should stop
    /// soon after the limit is passed; the default counts the whole text.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|tokens| *tokens <= limit)
    }

    /// A number that [`count`](Self::count) is certain not to pass, much cheaper to get. As
    /// long as the sum of these is under a cap, nothing is counted. The default is the number
    /// of bytes.
    fn at_most(&self, text: &str) -> usize {
        text.len()
    }
}

impl<F: Fn(&str) -> usize + ?Sized> TokenCounter for F {
    fn count(&self, text: &str) -> usize {
        self(text)
    }
}
