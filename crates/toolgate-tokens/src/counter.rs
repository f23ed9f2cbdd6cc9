//! The trait that a caller who needs token counts depends on.

use std::ops::RangeInclusive;
use std::sync::Arc;

/// Counts the tokens of a text in one vocabulary.
///
/// Object-safe: hold one as `Arc<dyn TokenCounter>`. Only [`vocabulary`](Self::vocabulary) and
/// [`count`](Self::count) must be written; the other methods have right, if slow, defaults.
///
/// # Contract
///
/// * `count` is a pure function of the text, and `count("")` is 0.
/// * A token covers at least one byte, so `count(text) <= text.len()`.
/// * `count` returns for any text; it neither panics nor fails.
///
/// ```
/// use toolgate_tokens::TokenCounter;
///
/// /// A counter for tests: every byte is a token.
/// struct Bytes;
///
/// impl TokenCounter for Bytes {
///     fn vocabulary(&self) -> &str {
///         "bytes"
///     }
///     fn count(&self, text: &str) -> usize {
///         text.len()
///     }
/// }
///
/// let counter: std::sync::Arc<dyn TokenCounter> = std::sync::Arc::new(Bytes);
/// assert_eq!(counter.count("abc"), 3);
/// assert_eq!(counter.count_up_to("abc", 3), Some(3));
/// assert_eq!(counter.count_up_to("abc", 2), None);
/// assert!(counter.fits("abc", 3));
/// ```
pub trait TokenCounter: Send + Sync {
    /// The stable id of the vocabulary, for example `o200k_base`. Two counters with one id give
    /// the same count for every text, so the id may be stored beside a count.
    fn vocabulary(&self) -> &str;

    /// The exact number of tokens of `text`.
    ///
    /// The time is that of the whole text; use [`count_up_to`](Self::count_up_to) or
    /// [`fits`](Self::fits) for a text whose size somebody else decides.
    fn count(&self, text: &str) -> usize;

    /// The exact number of tokens if it is at most `limit`, otherwise `None`.
    ///
    /// An implementation should stop soon after the limit is passed. The default asks
    /// [`bounds`](Self::bounds) first and else counts the whole text.
    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        if *self.bounds(text).start() > limit {
            return None;
        }
        Some(self.count(text)).filter(|&n| n <= limit)
    }

    /// Whether `text` has at most `limit` tokens.
    ///
    /// Counts only when [`bounds`](Self::bounds) do not settle it.
    fn fits(&self, text: &str, limit: usize) -> bool {
        let bounds = self.bounds(text);
        if *bounds.end() <= limit {
            return true;
        }
        *bounds.start() <= limit && self.count_up_to(text, limit).is_some()
    }

    /// Numbers that `count(text)` is certain to lie between, both included, much cheaper to get
    /// than the count. The default is what the contract gives: between 0 and the bytes.
    fn bounds(&self, text: &str) -> RangeInclusive<usize> {
        0..=text.len()
    }

    /// Whether a text can be counted in two parts here: `true` only if for every text `more`
    ///
    /// ```text
    /// count(before + after + more) = count(before) + count(after + more)
    /// ```
    ///
    /// `false` is always a right answer, and the default; it costs [`LineCounter`] a recount.
    ///
    /// [`LineCounter`]: crate::LineCounter
    fn splits_between(&self, before: &str, after: &str) -> bool {
        let _ = (before, after);
        false
    }
}

macro_rules! forward {
    ($($pointer:ty),*) => {$(
        impl<T: TokenCounter + ?Sized> TokenCounter for $pointer {
            fn vocabulary(&self) -> &str {
                (**self).vocabulary()
            }
            fn count(&self, text: &str) -> usize {
                (**self).count(text)
            }
            fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
                (**self).count_up_to(text, limit)
            }
            fn fits(&self, text: &str, limit: usize) -> bool {
                (**self).fits(text, limit)
            }
            fn bounds(&self, text: &str) -> RangeInclusive<usize> {
                (**self).bounds(text)
            }
            fn splits_between(&self, before: &str, after: &str) -> bool {
                (**self).splits_between(before, after)
            }
        }
    )*};
}

forward!(&T, Box<T>, Arc<T>);
