use std::collections::VecDeque;

use crate::Error;

/// Short names for the cursors of one conversation: `c1`, `c2`, and so on.
///
/// An alias is 2 to 4 tokens and leaves nothing to miscopy. The application keeps
/// one table for each conversation, gives the model aliases in place of cursors,
/// and turns them back on the next call. A cursor behind an alias is checked like
/// any other: an alias is a name, never a permission.
///
/// The same cursor keeps its alias while it is in the table, so a page read again
/// is the same text. A full table drops its oldest entry; numbers are never used
/// again.
///
/// ```
/// use toolgate_cursor::Aliases;
///
/// let mut aliases = Aliases::new(2);
/// assert_eq!(aliases.alias("EAEB-first"), "c1");
/// assert_eq!(aliases.alias("EAEB-second"), "c2");
/// assert_eq!(aliases.alias("EAEB-first"), "c1");
///
/// assert_eq!(aliases.resolve("c2")?, "EAEB-second");
/// assert_eq!(aliases.resolve("EAEB-other")?, "EAEB-other"); // a cursor stays itself
///
/// assert_eq!(aliases.alias("EAEB-third"), "c3"); // and c1 is dropped
/// assert_eq!(aliases.resolve("c1").unwrap_err().code(), "cursor_alias_unknown");
/// # Ok::<(), toolgate_cursor::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aliases {
    capacity: usize,
    /// The number of the front entry; the entries behind it count on.
    first: u64,
    cursors: VecDeque<String>,
}

impl Aliases {
    /// An empty table that holds at most `capacity` cursors; at least one.
    ///
    /// ```
    /// # use toolgate_cursor::Aliases;
    /// assert_eq!(Aliases::new(0).alias("EAEB"), "c1");
    /// ```
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self::resume(capacity, 1, [])
    }

    /// A table as it was: `cursors` in the order of their numbers, the first of them
    /// numbered `first`, which is held to 1 to 2^53. Where there are more than
    /// `capacity`, the oldest are dropped.
    ///
    /// ```
    /// use toolgate_cursor::Aliases;
    ///
    /// let mut before = Aliases::new(2);
    /// for cursor in ["EAEB-1", "EAEB-2", "EAEB-3"] {
    ///     before.alias(cursor);
    /// }
    /// let kept = before.iter().map(|(_, cursor)| cursor.to_owned());
    /// assert_eq!(Aliases::resume(2, before.first(), kept), before);
    /// ```
    #[must_use]
    pub fn resume(capacity: usize, first: u64, cursors: impl IntoIterator<Item = String>) -> Self {
        // The bound leaves more numbers than can be counted up in any life.
        let first = first.clamp(1, 1 << 53);
        let mut aliases = Self {
            capacity: capacity.max(1),
            first,
            cursors: VecDeque::new(),
        };
        for cursor in cursors {
            aliases.push(cursor);
        }
        aliases
    }

    /// The alias of `cursor`, new or as it was. Takes O(entries).
    ///
    /// ```
    /// # use toolgate_cursor::Aliases;
    /// let mut aliases = Aliases::new(100);
    /// assert_eq!(aliases.alias("EAEB"), aliases.alias("EAEB"));
    /// ```
    pub fn alias(&mut self, cursor: &str) -> String {
        let place = self
            .cursors
            .iter()
            .position(|kept| kept == cursor)
            .unwrap_or_else(|| {
                self.push(cursor.to_owned());
                self.cursors.len() - 1
            });
        format!("c{}", self.number(place))
    }

    /// The cursor behind an alias; a text that is no alias comes back as it is, so
    /// that a call may give either. Takes O(1).
    ///
    /// # Errors
    ///
    /// [`Error::AliasUnknown`] when the alias was dropped, or never given out.
    ///
    /// ```
    /// # use toolgate_cursor::{Aliases, Error};
    /// let aliases = Aliases::new(100);
    /// assert_eq!(aliases.resolve("c7"), Err(Error::AliasUnknown { number: 7 }));
    /// assert_eq!(aliases.resolve("c07"), Ok("c07")); // not an alias
    /// ```
    pub fn resolve<'a>(&'a self, text: &'a str) -> Result<&'a str, Error> {
        let Some(number) = number_of(text) else {
            return Ok(text);
        };
        number
            .checked_sub(self.first)
            .and_then(|place| self.cursors.get(usize::try_from(place).ok()?))
            .map(String::as_str)
            .ok_or(Error::AliasUnknown { number })
    }

    /// The number of the oldest entry, or of the next one when there is none; see
    /// [`resume`](Self::resume).
    ///
    /// ```
    /// # use toolgate_cursor::Aliases;
    /// assert_eq!(Aliases::new(100).first(), 1);
    /// ```
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// The entries, oldest first, each with its number.
    ///
    /// ```
    /// # use toolgate_cursor::Aliases;
    /// let mut aliases = Aliases::new(100);
    /// aliases.alias("EAEB");
    /// assert_eq!(aliases.iter().collect::<Vec<_>>(), [(1, "EAEB")]);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.cursors
            .iter()
            .enumerate()
            .map(|(place, cursor)| (self.number(place), cursor.as_str()))
    }

    fn push(&mut self, cursor: String) {
        if self.cursors.len() == self.capacity {
            self.cursors.pop_front();
            self.first = self.first.saturating_add(1);
        }
        self.cursors.push_back(cursor);
    }

    fn number(&self, place: usize) -> u64 {
        self.first
            .saturating_add(u64::try_from(place).unwrap_or(u64::MAX))
    }
}

/// `c` and a number from 1 in its shortest decimal form. No cursor looks like it.
fn number_of(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('c')?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    canonical.then(|| digits.parse().ok()).flatten()
}
