//! Cells to the line of a row, one after the other.

use super::{Position, RowEnd, width};
use crate::cell::{Place, bool_char, is_empty_cell, mismatch, push_value, word};
use crate::column::{Column, ColumnType, push_name};
use crate::error::Error;
use crate::hoist::Hoist;
use crate::layout::Layout;
use crate::number::{self, ShortText, TinyText};
use crate::sink::push_fixed;
use crate::step;
use crate::time;
use crate::value::Cell;

/// Writes one row: a cell for every column of the layout in their order, those without cells
/// too. After an error, `out` has to be cut where the row began.
pub(crate) struct RowWriter<'l> {
    layout: &'l Layout,
    position: &'l Position,
    end: RowEnd,
    /// Where the line of the row begins, behind its anchor.
    line: usize,
    /// The columns that have not had their value.
    left: &'l [Column],
    /// The long form of the first cell, if that is empty.
    first_word: Option<&'static str>,
    /// What stands behind the cells: hoisted columns of other values.
    exceptions: Vec<u8>,
    separator: u8,
    /// The error that writing the row ended with, whatever its caller made of it.
    failed: Option<Error>,
}

impl<'l> RowWriter<'l> {
    /// Begins a row at the end of `out`.
    #[inline]
    pub(crate) fn begin(out: &[u8], layout: &'l Layout, position: &'l Position) -> Self {
        Self {
            layout,
            position,
            end: RowEnd::default(),
            line: out.len(),
            left: layout.columns(),
            first_word: None,
            exceptions: Vec::new(),
            separator: layout.separator().byte(),
            failed: None,
        }
    }

    pub(crate) fn layout(&self) -> &'l Layout {
        self.layout
    }

    /// The column whose value comes next.
    #[inline]
    pub(crate) fn next_column(&self) -> Option<&'l Column> {
        self.left.first()
    }

    /// How many columns have had their value.
    #[inline]
    pub(crate) fn columns(&self) -> usize {
        self.layout.columns().len() - self.left.len()
    }

    /// Writes the value of the next column.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`](crate::ErrorCode::RowWidth) behind the last column,
    /// [`ErrorCode::CellType`](crate::ErrorCode::CellType),
    /// [`ErrorCode::CellMiss`](crate::ErrorCode::CellMiss) or
    /// [`ErrorCode::TimeOrder`](crate::ErrorCode::TimeOrder).
    #[inline]
    pub(crate) fn cell(&mut self, out: &mut Vec<u8>, cell: Cell<'_>) -> Result<(), Error> {
        let written = self.write_cell(out, cell);
        if let Err(error) = &written {
            self.fail(error.clone());
        }
        written
    }

    /// Keeps an error that the row cannot be written any more.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    #[inline]
    fn write_cell(&mut self, out: &mut Vec<u8>, cell: Cell<'_>) -> Result<(), Error> {
        let Some((column, left)) = self.left.split_first() else {
            let all = self.layout.columns().len();
            return Err(width(all, all + 1));
        };
        if self.layout.is_series() && self.columns() == 0 {
            self.time(out, column, cell)?;
        }
        self.left = left;
        match column.hoist() {
            None => self.push(out, column, cell),
            Some(Hoist::Step { .. }) => Ok(()),
            Some(hoist) if hoist.says(self.position.ordinal, &cell) => Ok(()),
            Some(_) => self.except(column, cell),
        }
    }

    /// Writes the value of the next column, a number.
    ///
    /// # Errors
    /// As [`RowWriter::cell`].
    #[inline]
    pub(crate) fn f64(&mut self, out: &mut Vec<u8>, value: f64) -> Result<(), Error> {
        if let Some(left) = self.past_cells_of(ColumnType::F64)
            && let Some(text) = TinyText::of_f64(value)
        {
            let (bytes, len) = text.ended_by(self.separator);
            push_fixed(out, bytes, len);
            self.left = left;
            return Ok(());
        }
        self.cell(out, Cell::F64(value))
    }

    /// As [`RowWriter::f64`], for integers of type `i`.
    #[inline]
    pub(crate) fn i64(&mut self, out: &mut Vec<u8>, value: i64) -> Result<(), Error> {
        if let Some(left) = self.past_cells_of(ColumnType::I64)
            && number::push_few_digits(out, value)
        {
            self.left = left;
            out.push(self.separator);
            return Ok(());
        }
        self.cell(out, Cell::I64(value))
    }

    /// As [`RowWriter::f64`], for truth values.
    #[inline]
    pub(crate) fn bool(&mut self, out: &mut Vec<u8>, value: bool) -> Result<(), Error> {
        if let Some(left) = self.past_cells_of(ColumnType::Bool) {
            self.left = left;
            self.push_short(out, ShortText::of_ascii(bool_byte(self.layout, value)));
            return Ok(());
        }
        self.cell(out, Cell::Bool(value))
    }

    /// What is left behind the next column, if that has cells of a type.
    #[inline]
    fn past_cells_of(&self, kind: ColumnType) -> Option<&'l [Column]> {
        let (column, left) = self.left.split_first()?;
        (column.column_type() == kind && column.hoist().is_none()).then_some(left)
    }

    /// Appends a short text and what ends its cell.
    #[inline]
    fn push_short(&self, out: &mut Vec<u8>, text: ShortText) {
        let (bytes, len) = text.ended_by(self.separator);
        push_fixed(out, bytes, len);
    }

    #[inline]
    fn push(&mut self, out: &mut Vec<u8>, column: &Column, cell: Cell<'_>) -> Result<(), Error> {
        let short = match (column.column_type(), cell) {
            (ColumnType::F64, Cell::F64(value)) => ShortText::of_f64(value),
            (ColumnType::I64, Cell::I64(value)) => ShortText::of_i64(value),
            (ColumnType::Bool, Cell::Bool(value)) => {
                Some(ShortText::of_ascii(bool_byte(self.layout, value)))
            }
            (ColumnType::Hour, Cell::Time(time_ms)) => self
                .anchor_ms()
                .and_then(|base_ms| hour_text(time_ms - base_ms)),
            (ColumnType::Offset, Cell::Time(time_ms)) if time::in_range(time_ms) => self
                .layout
                .t0_ms()
                .and_then(|base_ms| ShortText::of_i64(time_ms - base_ms)),
            _ => None,
        };
        if let Some(text) = short {
            self.push_short(out, text);
            return Ok(());
        }
        self.push_any(out, column, cell)
    }

    fn push_any(
        &mut self,
        out: &mut Vec<u8>,
        column: &Column,
        cell: Cell<'_>,
    ) -> Result<(), Error> {
        let first = out.len() == self.line;
        let place = Place {
            separator: Some(char::from(self.separator)),
            first,
            header: false,
            profile: self.layout.profile(),
            base_ms: match column.column_type() {
                ColumnType::Offset => self.layout.t0_ms(),
                _ => self.anchor_ms(),
            },
        };
        push_value(out, column, cell, place)?;
        if first && is_empty_cell(column.miss(), cell) {
            self.first_word = Some(word(cell));
        }
        out.push(self.separator);
        Ok(())
    }

    /// Takes the time of a series row; writes the anchor line that it needs.
    #[inline]
    fn time(&mut self, out: &mut Vec<u8>, column: &Column, cell: Cell<'_>) -> Result<(), Error> {
        let Cell::Time(time_ms) = cell else {
            return Err(mismatch(column, cell.noun()));
        };
        let last_ms = self.position.last_ms;
        self.position.check_time(time_ms)?;
        self.end.time_ms = Some(time_ms);
        if let Some(anchor) = column.anchor() {
            if !time::in_range(time_ms) {
                return Err(mismatch(column, "one outside the years 0000 to 9999"));
            }
            let start_ms = anchor.start_of(time_ms);
            if let Some(start) = start_ms
                && start_ms != self.position.anchor_ms
            {
                anchor.push_line(out, start);
                self.end_anchor(out);
            }
            self.end.anchor_ms = start_ms;
        } else if let Some(Hoist::Step { step_ms }) = column.hoist() {
            if !time::in_range(time_ms) {
                return Err(mismatch(column, "one outside the years 0000 to 9999"));
            }
            if step::needs_anchor(*step_ms, last_ms, time_ms) {
                out.push(b'@');
                time::push_time(out, time_ms);
                self.end_anchor(out);
            }
        }
        Ok(())
    }

    /// The start of the anchor that the row stands under.
    #[inline]
    fn anchor_ms(&self) -> Option<i64> {
        self.end.anchor_ms.or(self.position.anchor_ms)
    }

    fn end_anchor(&mut self, out: &mut Vec<u8>) {
        out.push(b'\n');
        self.line = out.len();
        self.end.anchors += 1;
    }

    /// Keeps a value that is not the one its header says.
    #[cold]
    fn except(&mut self, column: &Column, cell: Cell<'_>) -> Result<(), Error> {
        push_name(&mut self.exceptions, column.name());
        self.exceptions.push(b'=');
        let place = Place {
            separator: Some(char::from(self.separator)),
            first: false,
            header: false,
            profile: self.layout.profile(),
            base_ms: self.layout.t0_ms(),
        };
        push_value(&mut self.exceptions, column, cell, place)?;
        self.exceptions.push(self.separator);
        Ok(())
    }

    /// Ends the line.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`](crate::ErrorCode::RowWidth) before the last column.
    #[inline]
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> Result<RowEnd, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        if !self.left.is_empty() {
            return Err(width(self.layout.columns().len(), self.columns()));
        }
        if !self.exceptions.is_empty() {
            out.extend_from_slice(&self.exceptions);
        } else if out.len() == self.line + self.layout.cells()
            && let Some(word) = self.first_word
        {
            // A line of separators alone (or of nothing) could be lost between line ends, so
            // its first cell is written in words.
            out.splice(self.line..self.line, word.bytes());
        }
        // What ended the last cell now ends the line.
        if let Some(last) = out.last_mut() {
            *last = b'\n';
        }
        Ok(self.end)
    }
}

#[inline]
fn bool_byte(layout: &Layout, value: bool) -> u8 {
    u8::try_from(u32::from(bool_char(layout.profile(), value))).unwrap_or(b'?')
}

/// A whole hour of a day in two digits.
#[inline]
fn hour_text(of_day_ms: i64) -> Option<ShortText> {
    if !(0..time::DAY_MS).contains(&of_day_ms) || of_day_ms % time::HOUR_MS != 0 {
        return None;
    }
    ShortText::of_pair(u8::try_from(of_day_ms / time::HOUR_MS).ok()?)
}
