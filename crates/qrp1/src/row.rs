//! Rows of a table or series: where one stands among the others.

mod parse;
mod write;

use crate::error::{Error, ErrorCode};

pub(crate) use parse::{Given, RowCells};
pub(crate) use write::RowWriter;

/// Where a writer or a reader is among the rows of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// The ordinal of the next row in the whole result.
    pub(crate) ordinal: u64,
    /// The time of the row above, in a series.
    pub(crate) last_ms: Option<i64>,
    /// The start of the anchor above, where anchors state a span.
    pub(crate) anchor_ms: Option<i64>,
    /// Where anchors state the times of rows: the time stated for the next one.
    pub(crate) stated_ms: Option<i64>,
    /// Rows and anchors so far.
    pub(crate) lines: u64,
}

impl Position {
    /// The place before the first row of a payload.
    pub(crate) fn starting_at(ordinal: u64) -> Self {
        Self {
            ordinal,
            ..Self::default()
        }
    }

    /// Checks the time of the next row of a series.
    ///
    /// # Errors
    /// [`ErrorCode::TimeOrder`] when it is earlier than the row above.
    fn check_time(&self, time_ms: i64) -> Result<(), Error> {
        if self.last_ms.is_some_and(|last_ms| time_ms < last_ms) {
            return Err(Error::new(
                ErrorCode::TimeOrder,
                "a time not before that of the row above",
                "an earlier one",
            ));
        }
        Ok(())
    }

    /// Goes on behind a row.
    #[inline]
    pub(crate) fn pass(&mut self, end: RowEnd) {
        self.ordinal = self.ordinal.saturating_add(1);
        self.lines += 1 + end.anchors;
        if end.time_ms.is_some() {
            self.last_ms = end.time_ms;
            self.stated_ms = None;
        }
        if end.anchor_ms.is_some() {
            self.anchor_ms = end.anchor_ms;
        }
    }
}

/// What a row brought.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowEnd {
    /// The time of a series row.
    pub(crate) time_ms: Option<i64>,
    /// The start of a new anchor that the row was written under.
    pub(crate) anchor_ms: Option<i64>,
    /// How many anchor lines were written for it.
    pub(crate) anchors: u64,
}

fn width(expected: usize, found: usize) -> Error {
    let cells = |n| {
        if n == 1 {
            "1 cell".to_owned()
        } else {
            format!("{n} cells")
        }
    };
    Error::new(ErrorCode::RowWidth, cells(expected), found.to_string())
}
