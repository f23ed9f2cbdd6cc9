//! The five kinds of payload.

/// What a payload is; the second word of its header.
///
/// ```
/// assert_eq!(qrp1::Kind::Series.word(), "series");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One object: a line for each field.
    Record,
    /// Rows that share columns.
    Table,
    /// Rows that share columns, in time order.
    Series,
    /// A long body of text.
    Text,
    /// A short reply about an execution; the header says it all.
    Receipt,
}

impl Kind {
    /// Every kind.
    ///
    /// ```
    /// assert_eq!(qrp1::Kind::ALL.map(qrp1::Kind::word)[0], "record");
    /// ```
    pub const ALL: [Self; 5] = [
        Self::Record,
        Self::Table,
        Self::Series,
        Self::Text,
        Self::Receipt,
    ];

    /// The word in the header.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Table => "table",
            Self::Series => "series",
            Self::Text => "text",
            Self::Receipt => "receipt",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}
