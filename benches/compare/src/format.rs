//! A way to print a result, and what it costs.

use toolgate_tokens::TokenCounter;

use crate::Error;
use crate::candles::Candle;

/// A way to print a result as pages for a model.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// What the table calls it.
    pub name: &'static str,
    /// Prints a result, one text a page.
    pub print: fn(&[Candle]) -> Result<Vec<String>, Error>,
}

/// What a printed result costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pages.
    pub pages: usize,
    /// Bytes of all pages.
    pub bytes: usize,
    /// Tokens of all pages, each counted alone, as it is sent.
    pub tokens: usize,
}

impl Format {
    /// Prints a result and measures it.
    ///
    /// ```
    /// use toolgate_compare::{candles::candles, json_pages::JSON};
    /// use toolgate_tokens::Tiktoken;
    ///
    /// let size = JSON.size(&candles(1), &Tiktoken::o200k())?;
    /// assert_eq!((size.pages, size.bytes), (1, 657));
    /// # Ok::<(), toolgate_compare::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the format's own library says.
    pub fn size(&self, candles: &[Candle], counter: &dyn TokenCounter) -> Result<Size, Error> {
        let pages = (self.print)(candles)?;
        Ok(Size {
            pages: pages.len(),
            bytes: pages.iter().map(String::len).sum(),
            tokens: pages.iter().map(|page| counter.count(page)).sum(),
        })
    }
}

/// Every format of the table, compact JSON first: the others are given in per cent of it.
#[must_use]
pub fn formats() -> Vec<Format> {
    vec![
        crate::json_pages::JSON,
        crate::csv_pages::CSV,
        #[cfg(feature = "toon")]
        crate::toon_pages::TOON,
        crate::qrp1_pages::PLAIN,
        crate::qrp1_pages::ANCHORS,
        crate::qrp1_pages::PLAIN_LONG,
        crate::qrp1_pages::ANCHORS_LONG,
        crate::qrp1_pages::SEED,
    ]
}
