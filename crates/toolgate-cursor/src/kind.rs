use core::fmt;

/// What a cursor walks through, and so what its position counts.
///
/// The kind is part of the sealed text: a cursor of one kind is refused where
/// another is asked for (`cursor_kind`).
///
/// ```
/// use toolgate_cursor::Kind;
///
/// assert_eq!(Kind::default(), Kind::Page);
/// assert_eq!(Kind::Segment.to_string(), "segment");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Kind {
    /// Pages of rows; the position is the ordinal of a row (or of a line, where
    /// one row takes several lines).
    #[default]
    Page,
    /// Parts of one long result; the position is the ordinal of a part.
    Result,
    /// Stored segments of a result; the position is the ordinal of a segment.
    Segment,
}

impl Kind {
    /// The three bits written in a cursor and the byte written in a view.
    pub(crate) const fn to_bits(self) -> u8 {
        match self {
            Self::Page => 0,
            Self::Result => 1,
            Self::Segment => 2,
        }
    }

    pub(crate) const fn from_bits(bits: u8) -> Option<Self> {
        match bits {
            0 => Some(Self::Page),
            1 => Some(Self::Result),
            2 => Some(Self::Segment),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Page => "page",
            Self::Result => "result",
            Self::Segment => "segment",
        })
    }
}

/// Where the binding of a cursor lives.
///
/// ```
/// use toolgate_cursor::Mode;
///
/// assert_eq!(Mode::View.to_string(), "view");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// In a stored [`View`](crate::View), which the cursor names.
    View,
    /// In the tag of the cursor itself; see [`Stateless`](crate::Stateless).
    Stateless,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::View => "view",
            Self::Stateless => "stateless",
        })
    }
}
