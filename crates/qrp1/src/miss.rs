//! What may be missing in a column, and what its empty cell stands for.

/// Which misses a column allows, and which one its empty cell stands for.
///
/// Null, absent and the empty string are three things. The empty cell is the cheapest
/// text there is, so a column gives it to the commonest of the three; the others are
/// written `null`, `absent` and `""`.
///
/// ```
/// use qrp1::Miss;
///
/// assert_eq!(Miss::none().to_string(), "");
/// assert_eq!(Miss::null().to_string(), "!"); // the empty cell is null
/// assert_eq!(Miss::absent().and_null().to_string(), "?!"); // absent is empty, null is `null`
/// assert_eq!(Miss::empty_text().and_null().to_string(), "~!"); // "" is empty, null is `null`
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Miss {
    empty: Option<Empty>,
    null: bool,
    absent: bool,
}

/// What the empty cell of a column stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Empty {
    Null,
    Absent,
    Text,
}

impl Miss {
    /// No miss: every row has a value, and an empty cell is an error. The default.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Nulls, as empty cells (`!`).
    #[must_use]
    pub fn null() -> Self {
        Self {
            empty: Some(Empty::Null),
            null: true,
            absent: false,
        }
    }

    /// Absent values, as empty cells (`?`).
    #[must_use]
    pub fn absent() -> Self {
        Self {
            empty: Some(Empty::Absent),
            null: false,
            absent: true,
        }
    }

    /// Empty strings, as empty cells (`~`); only for string columns.
    #[must_use]
    pub fn empty_text() -> Self {
        Self {
            empty: Some(Empty::Text),
            null: false,
            absent: false,
        }
    }

    /// Allows nulls too, written `null` where the empty cell is taken.
    #[must_use]
    pub fn and_null(self) -> Self {
        Self {
            empty: self.empty.or(Some(Empty::Null)),
            null: true,
            ..self
        }
    }

    /// Allows absent values too, written `absent` where the empty cell is taken.
    ///
    /// ```
    /// let miss = qrp1::Miss::null().and_absent();
    /// assert!(miss.allows_null() && miss.allows_absent());
    /// assert_eq!(miss.to_string(), "!?");
    /// ```
    #[must_use]
    pub fn and_absent(self) -> Self {
        Self {
            empty: self.empty.or(Some(Empty::Absent)),
            absent: true,
            ..self
        }
    }

    /// Whether a null may stand in the column.
    #[must_use]
    pub fn allows_null(self) -> bool {
        self.null
    }

    /// Whether an absent value may stand in the column.
    #[must_use]
    pub fn allows_absent(self) -> bool {
        self.absent
    }

    pub(crate) fn empty(self) -> Option<Empty> {
        self.empty
    }

    pub(crate) fn marks(self) -> &'static str {
        match (self.empty, self.null, self.absent) {
            (None, ..) => "",
            (Some(Empty::Null), _, false) => "!",
            (Some(Empty::Null), _, true) => "!?",
            (Some(Empty::Absent), false, _) => "?",
            (Some(Empty::Absent), true, _) => "?!",
            (Some(Empty::Text), false, false) => "~",
            (Some(Empty::Text), true, false) => "~!",
            (Some(Empty::Text), false, true) => "~?",
            (Some(Empty::Text), true, true) => "~!?",
        }
    }

    pub(crate) fn parse(marks: &str) -> Option<Self> {
        Some(match marks {
            "" => Self::none(),
            "!" => Self::null(),
            "!?" => Self::null().and_absent(),
            "?" => Self::absent(),
            "?!" => Self::absent().and_null(),
            "~" => Self::empty_text(),
            "~!" => Self::empty_text().and_null(),
            "~?" => Self::empty_text().and_absent(),
            "~!?" => Self::empty_text().and_null().and_absent(),
            _ => return None,
        })
    }
}

impl core::fmt::Display for Miss {
    /// The marks behind the type in a column declaration.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.marks())
    }
}
