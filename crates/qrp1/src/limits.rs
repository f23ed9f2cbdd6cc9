//! How much a reader takes from its input before it refuses.

use crate::error::{Error, ErrorCode};

/// Limits of a reader. A line is measured before it is kept; columns and fields are counted
/// when their line is read, so the memory is in proportion to the longest line allowed.
///
/// A writer has no limits: what it writes past these a reader must be given larger ones for.
///
/// ```
/// let limits = qrp1::Limits { max_line_bytes: 64, ..qrp1::Limits::default() };
/// let long = format!("QRP1|text|lines=1\n{}\n", "x".repeat(100));
/// let error = qrp1::Document::parse_with(long.as_bytes(), limits).unwrap_err();
/// assert_eq!(error.code().as_str(), "limit");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes a line may have, its line feed apart. Default: 1,048,576.
    pub max_line_bytes: usize,
    /// The most bytes a header may have, its line feed apart; a line's limit holds too.
    /// Default: 262,144.
    pub max_header_bytes: usize,
    /// The most bytes a cell of a row may have, as it is written. Default: 1,048,576.
    pub max_cell_bytes: usize,
    /// The most memory that the values which a header states for its rows may take, in bytes,
    /// over 256 times what of the payload was read: a short row may stand for many of them.
    /// Default: 16,777,216.
    pub max_hoisted_bytes: u64,
    /// The most columns a layout, or fields a record, may have. Default: 4,096.
    pub max_columns: usize,
}

impl Limits {
    pub(crate) fn line_too_long(&self) -> Error {
        Error::new(
            ErrorCode::Limit,
            format!(
                "a line of at most {} bytes (max_line_bytes)",
                self.max_line_bytes
            ),
            "a longer one",
        )
    }

    pub(crate) fn too_much_hoisted(&self) -> Error {
        Error::new(
            ErrorCode::Limit,
            format!(
                "values stated by the header of at most {} bytes over 256 times the rows' own \
                 (max_hoisted_bytes)",
                self.max_hoisted_bytes
            ),
            "more",
        )
    }

    pub(crate) fn too_many(&self, what: &str) -> Error {
        Error::new(
            ErrorCode::Limit,
            format!("at most {} {what} (max_columns)", self.max_columns),
            "more",
        )
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_line_bytes: 1 << 20,
            max_header_bytes: 1 << 18,
            max_cell_bytes: 1 << 20,
            max_hoisted_bytes: 1 << 24,
            max_columns: 1 << 12,
        }
    }
}
