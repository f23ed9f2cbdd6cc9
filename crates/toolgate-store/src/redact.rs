//! `Debug` of stored bytes: the length, never the content.

use std::fmt;

/// Prints as `<12 bytes>`.
pub(crate) struct Length(pub(crate) usize);

impl fmt::Debug for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0)
    }
}
