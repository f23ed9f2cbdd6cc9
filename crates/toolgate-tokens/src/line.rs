//! Counting a text that grows line by line.

use crate::TokenCounter;
use crate::seam::last_cut;

/// How a push met the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seam {
    /// The counts of the two sides add up; only the new text was counted.
    Additive,
    /// A token may span the seam; the new text was counted together with the end of the old.
    Joined,
}

/// The exact token count of a text that grows, in one pass.
///
/// Push a line with its line feed and read the [`total`](Self::total): it always equals
/// `counter.count` of everything pushed so far. Lines of tables and prose are counted once each.
/// That is possible because in o200k_base and cl100k_base the counts of lines add up, unless
///
/// * the next line is blank: white space up to a line break or to the end, or
/// * the next line starts with `/` and the one before ends in a symbol, or
/// * the text before does not end with a line break (some other places are safe too; see
///   [`TokenCounter::splits_between`]).
///
/// Then the joint part alone is counted anew, and [`push`](Self::push) says so. A counter that
/// keeps the default `splits_between` is counted from the start on every push.
///
/// # Cost
///
/// An additive push counts the pushed text. A joined push also counts the unbroken end of the
/// text before it, most often one line; a run of `n` blank lines is one unbroken end, so pushing
/// it line by line takes time with the square of `n`. Memory: the unbroken end only.
///
/// ```
/// # #[cfg(feature = "tiktoken")] {
/// use toolgate_tokens::{LineCounter, Seam, Tiktoken, TokenCounter};
///
/// let counter = Tiktoken::o200k();
/// let mut page = LineCounter::new(counter);
/// assert_eq!(page.push("0,42283.58,42554.57,t\n"), Seam::Additive);
/// assert_eq!(page.push("60000,42554.57,42554.5,t\n"), Seam::Additive);
/// assert_eq!(page.push("\n"), Seam::Joined);
/// assert_eq!(
///     page.total(),
///     counter.count("0,42283.58,42554.57,t\n60000,42554.57,42554.5,t\n\n"),
/// );
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LineCounter<C> {
    counter: C,
    /// Tokens of the text before `open`, which nothing pushed later can change.
    closed_tokens: usize,
    /// The text since the last safe cut.
    open: String,
    open_tokens: usize,
    joined: usize,
}

impl<C: TokenCounter> LineCounter<C> {
    /// An empty text, counted by `counter`.
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter};
    /// assert_eq!(LineCounter::new(Estimate).total(), 0);
    /// ```
    pub fn new(counter: C) -> Self {
        Self {
            counter,
            closed_tokens: 0,
            open: String::new(),
            open_tokens: 0,
            joined: 0,
        }
    }

    /// The exact number of tokens of all text pushed so far.
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter, TokenCounter};
    /// let mut lines = LineCounter::new(Estimate);
    /// lines.push("1,2\n");
    /// lines.push("3,4\n");
    /// assert_eq!(lines.total(), Estimate.count("1,2\n3,4\n"));
    /// ```
    #[must_use]
    pub fn total(&self) -> usize {
        self.closed_tokens + self.open_tokens
    }

    /// How many pushes were [`Seam::Joined`].
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter};
    /// let mut lines = LineCounter::new(Estimate);
    /// lines.push("a\n");
    /// lines.push("\n");
    /// assert_eq!(lines.joined(), 1);
    /// ```
    #[must_use]
    pub fn joined(&self) -> usize {
        self.joined
    }

    /// Appends `text`: a line with its line feed, or any other part of a text.
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter, Seam};
    /// let mut lines = LineCounter::new(Estimate);
    /// assert_eq!(lines.push("total,"), Seam::Additive);
    /// assert_eq!(lines.push(",\n"), Seam::Joined);
    /// ```
    pub fn push(&mut self, text: &str) -> Seam {
        if text.is_empty() {
            return Seam::Additive;
        }
        if self.counter.splits_between(&self.open, text) {
            let tokens = self.counter.count(text);
            self.replace_open(text, tokens);
            return Seam::Additive;
        }
        let (cut, head_tokens) = self.joint();
        self.open.drain(..cut);
        self.closed_tokens += head_tokens;
        self.open.push_str(text);
        self.open_tokens = self.counter.count(&self.open);
        self.joined += 1;
        Seam::Joined
    }

    /// Appends `text` only if the total then is at most `limit`, and returns that total; else
    /// returns `None` and leaves everything as it was.
    ///
    /// This is how a page is cut at the last whole line that fits. A line far over the limit
    /// costs no more time than one at the limit, if the counter's
    /// [`count_up_to`](TokenCounter::count_up_to) stops early.
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter};
    /// let mut page = LineCounter::new(Estimate);
    /// assert_eq!(page.push_within("1,2\n", 8), Some(4));
    /// assert_eq!(page.push_within("3,4\n", 8), Some(8));
    /// assert_eq!(page.push_within("5,6\n", 8), None);
    /// assert_eq!(page.total(), 8);
    /// ```
    pub fn push_within(&mut self, text: &str, limit: usize) -> Option<usize> {
        if text.is_empty() {
            return Some(self.total()).filter(|&total| total <= limit);
        }
        if self.counter.splits_between(&self.open, text) {
            let room = limit.checked_sub(self.total())?;
            let tokens = self.counter.count_up_to(text, room)?;
            self.replace_open(text, tokens);
            return Some(self.total());
        }
        let (cut, head_tokens) = self.joint();
        let room = limit.checked_sub(self.closed_tokens + head_tokens)?;
        let old_len = self.open.len();
        self.open.push_str(text);
        let joint = self.open.get(cut..).unwrap_or_default();
        let Some(tokens) = self.counter.count_up_to(joint, room) else {
            self.open.truncate(old_len);
            return None;
        };
        self.open.drain(..cut);
        self.closed_tokens += head_tokens;
        self.open_tokens = tokens;
        self.joined += 1;
        Some(self.total())
    }

    /// Starts an empty text with the same counter.
    ///
    /// ```
    /// use toolgate_tokens::{Estimate, LineCounter};
    /// let mut page = LineCounter::new(Estimate);
    /// page.push("1,2\n");
    /// page.clear();
    /// assert_eq!(page.total(), 0);
    /// ```
    pub fn clear(&mut self) {
        self.closed_tokens = 0;
        self.open.clear();
        self.open_tokens = 0;
        self.joined = 0;
    }

    fn replace_open(&mut self, text: &str, tokens: usize) {
        self.closed_tokens += self.open_tokens;
        self.open.clear();
        self.open.push_str(text);
        self.open_tokens = tokens;
    }

    /// Where the part of `open` starts that must be counted with what follows, and the tokens
    /// before it.
    fn joint(&self) -> (usize, usize) {
        let cut = last_cut(&self.open, |before, after| {
            self.counter.splits_between(before, after)
        });
        let head = self.open.get(..cut).unwrap_or_default();
        (
            cut,
            if cut == 0 {
                0
            } else {
                self.counter.count(head)
            },
        )
    }
}
