//! A page of about 500 rows, cut by a cap, as a server writes one for each request.

use qrp1::{Caps, Meta, PageWriter, TokenCounter};
use toolgate_tokens::TokenCounter as Vocabulary;

use crate::Error;
use crate::candles::candles;
use crate::qrp1_pages::{self, Columns};

/// Rows that a page has, near enough.
pub const ROWS: usize = 500;

/// What the page's writer asks a vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct Counted<V>(pub V);

impl<V: Vocabulary> TokenCounter for Counted<V> {
    fn count(&self, text: &str) -> usize {
        self.0.count(text)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        self.0.count_up_to(text, limit)
    }

    fn at_most(&self, text: &str) -> usize {
        *self.0.bounds(text).end()
    }
}

/// More rows than fit the page, column by column, and the layout of the default profile.
#[derive(Debug)]
pub struct PageCut {
    layout: qrp1::Layout,
    columns: Columns,
}

impl PageCut {
    /// Three times as many candles as a page has rows.
    ///
    /// # Errors
    ///
    /// None that is expected: the columns fit together.
    pub fn new() -> Result<Self, Error> {
        Ok(Self {
            layout: qrp1_pages::hours()?,
            columns: Columns::new(&candles(3 * ROWS)),
        })
    }

    /// Writes a page under caps, and gives its text and its rows.
    ///
    /// ```
    /// use toolgate_compare::page_cut::PageCut;
    ///
    /// let caps = qrp1::Caps { max_bytes: Some(19_000), ..qrp1::Caps::default() };
    /// let (text, rows) = PageCut::new()?.page(caps, None)?;
    /// assert!(text.len() <= 19_000 && (490..510).contains(&rows));
    /// # Ok::<(), toolgate_compare::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When not one row fits.
    pub fn page(
        &self,
        caps: Caps,
        counter: Option<&dyn TokenCounter>,
    ) -> Result<(String, usize), Error> {
        let mut page = PageWriter::new(&self.layout, caps, counter)?;
        page.push_columns(&self.columns.slices(), 0)?;
        let page = page.finish(|_| Ok::<_, Error>(Meta::new().with_next("c2")))?;
        Ok((page.text, page.cut.rows))
    }
}
