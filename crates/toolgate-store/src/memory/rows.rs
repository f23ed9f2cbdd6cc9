//! Segments in order, found by ordinal or by row.

use super::budget::{SEGMENT_COST, bytes_of};
use crate::error::{Record, StoreError};
use crate::segment::{Segment, StoredSegment};

/// Contiguous segments from ordinal 0, each with the position of its first row.
#[derive(Debug, Default)]
pub(super) struct Rows {
    segments: Vec<StoredSegment>,
    rows: u64,
    bytes: u64,
}

impl Rows {
    /// How many segments; also the next ordinal. Ordinals are bounded far below `u32`.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.segments.len()).unwrap_or(u32::MAX)
    }

    pub(super) const fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of the segments alone.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What the segments cost the budget.
    pub(super) fn cost(&self) -> u64 {
        self.bytes + SEGMENT_COST * bytes_of(self.segments.len())
    }

    pub(super) fn cost_of(segment: &Segment) -> u64 {
        bytes_of(segment.bytes().len()) + SEGMENT_COST
    }

    /// The caller has checked that the ordinal is the next one.
    pub(super) fn push(&mut self, segment: Segment) {
        let first_row = self.rows;
        self.rows += u64::from(segment.rows());
        self.bytes += bytes_of(segment.bytes().len());
        self.segments.push(StoredSegment { first_row, segment });
    }

    pub(super) fn stored(&self, ordinal: u32) -> Option<&Segment> {
        self.segments
            .get(usize::try_from(ordinal).ok()?)
            .map(|stored| &stored.segment)
    }

    pub(super) fn get(&self, ordinal: u32) -> Result<StoredSegment, StoreError> {
        usize::try_from(ordinal)
            .ok()
            .and_then(|at| self.segments.get(at))
            .cloned()
            .ok_or(StoreError::OutOfRange {
                what: Record::Segment,
                asked: u64::from(ordinal),
                len: u64::from(self.len()),
            })
    }

    /// The last segment that starts at or before the row: segments without rows
    /// start where the next one does and stand before it.
    pub(super) fn at_row(&self, row: u64) -> Result<StoredSegment, StoreError> {
        let after = self
            .segments
            .partition_point(|stored| stored.first_row <= row);
        self.segments[..after]
            .last()
            .filter(|stored| stored.holds(row))
            .cloned()
            .ok_or(StoreError::OutOfRange {
                what: Record::Result,
                asked: row,
                len: self.rows,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_past_empty_segments() {
        let mut rows = Rows::default();
        for (ordinal, count) in [(0, 0), (1, 5), (2, 0), (3, 0), (4, 3), (5, 0)] {
            rows.push(Segment::new(ordinal, count, "").unwrap());
        }
        let found: Vec<_> = (0..8)
            .map(|row| rows.at_row(row).unwrap().segment.ordinal())
            .collect();
        assert_eq!(found, [1, 1, 1, 1, 1, 4, 4, 4]);
        assert_eq!(rows.at_row(8).unwrap_err().code(), "out_of_range");
        assert_eq!(
            Rows::default().at_row(0).unwrap_err().code(),
            "out_of_range"
        );
    }
}
