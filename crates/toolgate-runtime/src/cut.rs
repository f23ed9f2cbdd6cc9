//! Where rows are cut into segments: by count, and by bytes where rows are wide.

use toolgate_store::limit::MAX_SEGMENT_BYTES;

use crate::batch::{Batch, Values};
use crate::error::{Error, SchemaFault};

/// The size that a segment ends before, unless one row alone is larger: 1 MiB.
const AIM_BYTES: usize = 1 << 20;

/// Finds the ends of segments in rows that arrive bit by bit. Every row is measured once.
pub(crate) struct Cutter {
    max_rows: usize,
    /// Rows measured since the last cut, and their bytes.
    rows: usize,
    bytes: usize,
    /// Rows before the last cut.
    done: u64,
}

impl Cutter {
    pub(crate) fn new(max_rows: u32) -> Self {
        Self {
            max_rows: usize::try_from(max_rows.max(1)).unwrap_or(usize::MAX),
            rows: 0,
            bytes: 0,
            done: 0,
        }
    }

    /// The end of the segment that begins at `from`, if it lies within these rows. Rows that
    /// were measured before must stand there still.
    ///
    /// # Errors
    /// [`SchemaFault::RowBytes`] for a row that no segment can hold.
    pub(crate) fn next(&mut self, rows: &Batch, from: usize) -> Result<Option<usize>, Error> {
        let head = head_bytes(rows);
        while from + self.rows < rows.rows() {
            if self.rows == self.max_rows {
                return Ok(Some(self.cut(from)));
            }
            let bytes = row_bytes(rows, from + self.rows);
            if head + bytes > MAX_SEGMENT_BYTES {
                return Err(SchemaFault::RowBytes {
                    row: self.done + self.rows as u64,
                    found: head + bytes,
                }
                .into());
            }
            if self.rows > 0 && head + self.bytes + bytes > AIM_BYTES {
                return Ok(Some(self.cut(from)));
            }
            self.rows += 1;
            self.bytes += bytes;
        }
        Ok(None)
    }

    fn cut(&mut self, from: usize) -> usize {
        let end = from + self.rows;
        self.done += self.rows as u64;
        (self.rows, self.bytes) = (0, 0);
        end
    }
}

/// The bytes of a segment that do not depend on its rows.
fn head_bytes(rows: &Batch) -> usize {
    let names = rows.columns().iter().map(|column| 2 + column.name.len());
    15 + names.sum::<usize>()
}

/// The most bytes that a row adds to a segment; exact for a segment of this row alone.
fn row_bytes(rows: &Batch, row: usize) -> usize {
    let cell = |values: &Values| match values {
        Values::Numbers(_) => 1 + 8,
        Values::Flags(_) => 1 + 1,
        Values::Texts(texts) => 1 + 4 + texts[row].as_ref().map_or(0, String::len),
    };
    let cells = rows.columns().iter().map(|column| cell(&column.values));
    8 + cells.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Column;
    use crate::segment::encode_segment;

    #[test]
    fn one_row_is_measured_to_the_byte() {
        let column = |name: &str, values| Column {
            name: name.to_owned(),
            values,
        };
        let rows = Batch::new(
            vec![1],
            vec![
                column("n", Values::Numbers(vec![Some(1.5)])),
                column("flag", Values::Flags(vec![Some(true)])),
                column("t", Values::Texts(vec![Some("some text".to_owned())])),
            ],
        );
        let rows = rows.expect("the columns fit together");
        let encoded = encode_segment(&rows).expect("it is short");
        assert_eq!(head_bytes(&rows) + row_bytes(&rows, 0), encoded.len());
    }
}
