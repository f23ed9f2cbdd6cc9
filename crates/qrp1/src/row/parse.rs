//! The line of a row to its cells, one after the other.

use core::slice::Iter;

use super::{Position, RowEnd, width};
use crate::cell::{self, Lent, Place, parse_value, push_value, same, split_cell};
use crate::column::{Column, ColumnType, parse_name, push_name};
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape;
use crate::hoist::Hoist;
use crate::layout::{Layout, Profile};
use crate::limits::Limits;
use crate::number;
use crate::step;
use crate::time;
use crate::value::{Cell, Value};

/// Reads one row from its line, a value for every column of the layout in their order. Every
/// cell is checked to be the one text of its value.
#[derive(Clone)]
pub(crate) struct RowCells<'t, 'l> {
    line: &'t str,
    layout: &'l Layout,
    /// The line and what follows it, as far as it is at hand: so much can be looked at.
    ahead: &'t [u8],
    /// The columns that have not given their value.
    left: Iter<'l, Column>,
    separator: u8,
    /// The texts of constants as the header lends them, column by column, where it does.
    constants: &'l [Option<&'t str>],
    position: &'l Position,
    time_ms: Option<i64>,
    max_cell_bytes: usize,
    /// Where the next cell begins; behind the end of the line when all are taken.
    at: usize,
    /// The values behind the cells, once they are looked for, the next one last.
    exceptions: Option<Vec<(usize, Lent<'t>)>>,
    /// The first cell that is not the one text of its value. What is wrong with the
    /// meaning of a later cell is said first.
    fault: Option<Error>,
    /// The error that reading the row ended with, whatever its caller made of it.
    failed: Option<Error>,
}

/// A value of a row: from its line, or from the layout, which says it once for all.
pub(crate) enum Given<'t, 'l> {
    Line(Lent<'t>),
    Layout(Cell<'l>),
}

impl Given<'_, '_> {
    #[inline]
    pub(crate) fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Line(lent) => lent.as_cell(),
            Self::Layout(cell) => *cell,
        }
    }

    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Line(lent) => lent.into_value(),
            Self::Layout(cell) => cell.to_value(),
        }
    }
}

impl<'t, 'l> RowCells<'t, 'l> {
    #[inline]
    pub(crate) fn new(
        line: &'t str,
        ahead: &'t [u8],
        layout: &'l Layout,
        constants: &'l [Option<&'t str>],
        position: &'l Position,
        limits: &Limits,
    ) -> Self {
        Self {
            line,
            layout,
            // A short cell is then never over the limit.
            ahead: if limits.max_cell_bytes < 8 {
                &[]
            } else {
                ahead
            },
            left: layout.columns().iter(),
            separator: layout.separator().byte(),
            constants,
            position,
            time_ms: None,
            max_cell_bytes: limits.max_cell_bytes,
            at: 0,
            exceptions: None,
            fault: None,
            failed: None,
        }
    }

    pub(crate) fn layout(&self) -> &'l Layout {
        self.layout
    }

    /// How many columns the row has, those without cells among them.
    pub(crate) fn columns(&self) -> usize {
        self.layout.columns().len()
    }

    /// The column whose value comes next.
    #[inline]
    pub(crate) fn next_column(&self) -> Option<&'l Column> {
        self.left.as_slice().first()
    }

    /// Reads the value of the next column; `None` behind the last.
    ///
    /// # Errors
    /// Any fault of a row, with the column in the line.
    #[inline]
    pub(crate) fn next_cell(&mut self) -> Result<Option<Given<'t, 'l>>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        match self.read_cell() {
            Err(error) => {
                self.failed = Some(error.clone());
                // Nothing more comes, or a type that drops errors would ask for ever.
                self.left = [].iter();
                Err(error)
            }
            read => read,
        }
    }

    #[inline]
    fn read_cell(&mut self) -> Result<Option<Given<'t, 'l>>, Error> {
        let index = self.columns() - self.left.len();
        let Some(column) = self.left.next() else {
            return Ok(None);
        };
        let given = match column.hoist() {
            None => Given::Line(self.take(column)?),
            Some(Hoist::Step { step_ms }) => {
                Given::Line(Lent::Cell(Cell::Time(self.step(*step_ms)?)))
            }
            Some(hoist) => self.hoisted(index, column, hoist)?,
        };
        if index == 0
            && self.layout.is_series()
            && let Given::Line(Lent::Cell(Cell::Time(time_ms))) = &given
        {
            self.position.check_time(*time_ms)?;
            self.time_ms = Some(*time_ms);
        }
        Ok(Some(given))
    }

    /// The error that reading the row ended with, if it did.
    pub(crate) fn failed(&self) -> Option<Error> {
        self.failed.clone()
    }

    /// How many cells are taken.
    fn taken(&self) -> usize {
        let columns = self.layout.columns();
        let given = &columns[..columns.len() - self.left.len()];
        let taken = given.iter().filter(|column| column.hoist().is_none());
        taken.count()
    }

    /// Whether the next column has cells of a type, and there is a cell.
    #[inline]
    fn has_cell_of(&self, kind: ColumnType) -> bool {
        self.next_column()
            .is_some_and(|column| column.column_type() == kind && column.hoist().is_none())
            && self.at <= self.line.len()
    }

    /// Reads the value of the next column if it is a number of few digits, and otherwise
    /// leaves all to [`RowCells::next_cell`].
    #[inline]
    pub(crate) fn next_f64(&mut self) -> Option<f64> {
        if !self.has_cell_of(ColumnType::F64) {
            return None;
        }
        if let Some(eight) = number::eight_bytes(self.ahead, self.at) {
            // The line may end before a separator does, somewhere behind it.
            let len = number::position_in(eight, self.separator).min(self.line.len() - self.at);
            if let Some(value) = number::tiny_f64(eight, len) {
                self.at += len + 1;
                self.left.next();
                return Some(value);
            }
        }
        let (number, used) = number::scan_short(self.line.as_bytes().get(self.at..)?)?;
        self.ends_at(used).then(|| {
            self.end_cell(used);
            self.left.next();
            number
        })
    }

    /// As [`RowCells::next_f64`], for integers of type `i`.
    #[inline]
    pub(crate) fn next_i64(&mut self) -> Option<i64> {
        if !self.has_cell_of(ColumnType::I64) {
            return None;
        }
        let (number, used) = number::scan_integer(self.line.as_bytes().get(self.at..)?)?;
        self.ends_at(used).then(|| {
            self.end_cell(used);
            self.left.next();
            number
        })
    }

    /// As [`RowCells::next_f64`], for truth values.
    #[inline]
    pub(crate) fn next_bool(&mut self) -> Option<bool> {
        if !self.has_cell_of(ColumnType::Bool) || self.layout.profile() != Profile::Plain {
            return None;
        }
        let value = match self.line.as_bytes().get(self.at)? {
            b't' => true,
            b'f' => false,
            _ => return None,
        };
        self.ends_at(1).then(|| {
            self.end_cell(1);
            self.left.next();
            value
        })
    }

    /// Whether the next cell has `used` bytes.
    #[inline]
    fn ends_at(&self, used: usize) -> bool {
        let next = self.line.as_bytes().get(self.at + used);
        next.is_none_or(|byte| *byte == self.separator) && used <= self.max_cell_bytes
    }

    #[inline]
    fn end_cell(&mut self, used: usize) {
        self.at += used + 1;
    }

    /// The value of a column without cells.
    fn hoisted(
        &mut self,
        index: usize,
        column: &Column,
        hoist: &'l Hoist,
    ) -> Result<Given<'t, 'l>, Error> {
        if self.exceptions.is_none() {
            self.exceptions = Some(self.read_exceptions()?);
        }
        if let Some(exceptions) = &mut self.exceptions
            && let Some((_, value)) = exceptions.pop_if(|(column, _)| *column == index)
        {
            return Ok(Given::Line(value));
        }
        if let Some(Some(text)) = self.constants.get(index) {
            return Ok(Given::Line(Lent::Cell(Cell::Str(text))));
        }
        hoist
            .cell_at(self.position.ordinal)
            .map(Given::Layout)
            .ok_or_else(|| {
                cell::mismatch(column, "a sequence that leaves its type's range").at(0, 1)
            })
    }

    /// The time of a row that has no cell for it.
    fn step(&mut self, step_ms: i64) -> Result<i64, Error> {
        let fault = |expected: &str, found: &str| {
            Err(Error::new(ErrorCode::Anchor, expected, found).at(0, 1))
        };
        let (last_ms, stated_ms) = (self.position.last_ms, self.position.stated_ms);
        let time_ms = match (stated_ms, last_ms) {
            (Some(stated_ms), _) => stated_ms,
            (None, None) => return fault("an anchor before the first row", "a row"),
            (None, Some(last_ms)) => match last_ms.checked_add(step_ms) {
                Some(time_ms) if time::in_range(time_ms) => time_ms,
                _ => return fault("a time in the years 0000 to 9999", "one outside them"),
            },
        };
        let needed = step::needs_anchor(step_ms, last_ms, time_ms);
        // An anchor that is not needed was refused where it stands.
        if needed && stated_ms.is_none() {
            return fault("an anchor where a day, a month or a year begins", "a row");
        }
        Ok(time_ms)
    }

    /// Takes the next cell of the line.
    #[inline]
    fn take(&mut self, column: &Column) -> Result<Lent<'t>, Error> {
        let at = self.at;
        let Some(bytes) = self.line.as_bytes().get(at..) else {
            let all = self.layout.cells();
            return Err(
                width(all, self.taken() - 1).at(0, escape::column(self.line, self.line.len()))
            );
        };
        let found = match column.column_type() {
            ColumnType::F64 => {
                number::scan_short(bytes).map(|(number, used)| (Cell::F64(number), used))
            }
            ColumnType::I64 => {
                number::scan_integer(bytes).map(|(number, used)| (Cell::I64(number), used))
            }
            ColumnType::Bool if self.layout.profile() == Profile::Plain => match bytes.first() {
                Some(b't') => Some((Cell::Bool(true), 1)),
                Some(b'f') => Some((Cell::Bool(false), 1)),
                _ => None,
            },
            ColumnType::Hour => self.position.anchor_ms.and_then(|start_ms| {
                let hour = two_digits(bytes).filter(|hour| *hour < 24)?;
                Some((Cell::Time(start_ms + hour * time::HOUR_MS), 2))
            }),
            ColumnType::Offset => number::scan_integer(bytes).and_then(|(offset, used)| {
                let time_ms = self.layout.t0_ms()?.checked_add(offset)?;
                time::in_range(time_ms).then_some((Cell::Time(time_ms), used))
            }),
            _ => None,
        };
        if let Some((cell, used)) = found
            && self.ends_at(used)
        {
            self.end_cell(used);
            return Ok(Lent::Cell(cell));
        }
        self.take_any(column, at)
    }

    /// Takes a cell of any form.
    fn take_any(&mut self, column: &Column, at: usize) -> Result<Lent<'t>, Error> {
        let place = self.place(column.column_type(), at == 0);
        let separator = self.layout.separator().char();
        let (raw, next) = split_cell(self.line, at, separator)?;
        let end = next.map_or(self.line.len(), |next| next - 1);
        self.check_size(at, end)?;
        let shift = |error: Error| error.shifted(escape::column(self.line, at) - 1);
        let (value, known) = parse_value(raw, column, place).map_err(shift)?;
        if !known && self.fault.is_none() {
            let mut canonical = Vec::new();
            push_value(&mut canonical, column, value.as_cell(), place).map_err(shift)?;
            let text = &self.line[at..end];
            // The long form of an empty first cell is right where all cells are empty.
            let blank = place.first
                && canonical.is_empty()
                && text == cell::word(value.as_cell())
                && self.is_blank_from(end);
            if !blank && text.as_bytes() != canonical {
                let canonical = String::from_utf8_lossy(&canonical);
                self.fault = same(text, &canonical).err().map(shift);
            }
        }
        self.at = next.unwrap_or(self.line.len() + 1);
        Ok(value)
    }

    fn place(&self, kind: ColumnType, first: bool) -> Place {
        Place {
            separator: Some(self.layout.separator().char()),
            first,
            header: false,
            profile: self.layout.profile(),
            base_ms: match kind {
                ColumnType::Offset => self.layout.t0_ms(),
                _ => self.position.anchor_ms,
            },
        }
    }

    /// Whether nothing but the separators of empty cells follows.
    fn is_blank_from(&self, at: usize) -> bool {
        let separator = self.layout.separator().byte();
        let rest = &self.line.as_bytes()[at..];
        rest.len() + 1 == self.layout.cells() && rest.iter().all(|byte| *byte == separator)
    }

    fn check_size(&self, at: usize, end: usize) -> Result<(), Error> {
        if end - at <= self.max_cell_bytes {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::Limit,
            format!(
                "a cell of at most {} bytes (max_cell_bytes)",
                self.max_cell_bytes
            ),
            "a longer one",
        )
        .at(0, escape::column(self.line, at)))
    }

    /// Reads what stands behind the cells.
    fn read_exceptions(&mut self) -> Result<Vec<(usize, Lent<'t>)>, Error> {
        let separator = self.layout.separator().char();
        let mut at = self.next_at();
        for _ in self.taken()..self.layout.cells() {
            let Some(start) = at else { break };
            (_, at) = split_cell(self.line, start, separator)?;
        }
        let mut found: Vec<(usize, Lent<'t>)> = Vec::new();
        while let Some(start) = at {
            let shift = |error: Error| error.shifted(escape::column(self.line, start) - 1);
            let rest = &self.line[start..];
            let named = parse_name(rest).ok();
            let Some((name, used)) = named.filter(|(_, used)| rest[*used..].starts_with('='))
            else {
                return Err(self.too_wide(start));
            };
            // In the order of the columns, so that all of a row are found in one pass.
            let first = found.last().map_or(0, |(before, _)| before + 1);
            let columns = self.layout.columns();
            let named = |column: &Column| column.name() == name;
            let index = columns[first..].iter().position(named).map(|at| first + at);
            let index = index.or_else(|| columns.iter().position(named));
            let column = index.and_then(|index| Some((index, self.layout.columns().get(index)?)));
            let Some((index, column)) = column
                .filter(|(_, column)| !matches!(column.hoist(), None | Some(Hoist::Step { .. })))
            else {
                return Err(shift(
                    Error::new(
                        ErrorCode::Column,
                        "the name of a column that the header gives a value",
                        excerpt(&name),
                    )
                    .at(0, 1),
                ));
            };
            let value_at = start + used + 1;
            let (raw, next) = split_cell(self.line, value_at, separator)?;
            let end = next.map_or(self.line.len(), |next| next - 1);
            self.check_size(start, end)?;
            let (value, _) = parse_value(raw, column, self.place(column.column_type(), false))
                .map_err(|error| error.shifted(escape::column(self.line, value_at) - 1))?;
            let fault = |expected: &str, found: String| {
                Err(shift(
                    Error::new(ErrorCode::NotCanonical, expected, found).at(0, 1),
                ))
            };
            if found.last().is_some_and(|(before, _)| *before >= index) {
                return fault(
                    "exceptions in the order of their columns, each once",
                    excerpt(&name),
                );
            }
            if column
                .hoist()
                .is_some_and(|hoist| hoist.says(self.position.ordinal, &value.as_cell()))
            {
                return fault(
                    "an exception only for another value than the header's",
                    excerpt(&name),
                );
            }
            let mut canonical = Vec::new();
            push_name(&mut canonical, &name);
            canonical.push(b'=');
            push_value(
                &mut canonical,
                column,
                value.as_cell(),
                self.place(column.column_type(), false),
            )?;
            same(&self.line[start..end], &String::from_utf8_lossy(&canonical)).map_err(shift)?;
            found.push((index, value));
            at = next;
        }
        // The cells are still to be taken; what follows them is not.
        found.reverse();
        Ok(found)
    }

    /// Where the next cell begins, if there is one.
    fn next_at(&self) -> Option<usize> {
        Some(self.at).filter(|at| *at <= self.line.len())
    }

    /// Ends the row.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`] for cells too many, or [`ErrorCode::NotCanonical`].
    #[inline]
    pub(crate) fn finish(&mut self) -> Result<RowEnd, Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.at <= self.line.len() && self.exceptions.is_none() {
            return Err(self.too_wide(self.at));
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // A line of separators alone has its first cell in the long form.
        if self.line.len() < self.layout.cells() {
            let expected = "the first of empty cells in words (null, absent or \"\")";
            return Err(Error::new(ErrorCode::NotCanonical, expected, excerpt(self.line)).at(0, 1));
        }
        Ok(RowEnd {
            time_ms: self.time_ms,
            ..RowEnd::default()
        })
    }

    #[cold]
    fn too_wide(&self, at: usize) -> Error {
        let separator = self.layout.separator().char();
        let (mut cells, mut next) = (self.taken(), self.next_at());
        while let Some(at) = next {
            match split_cell(self.line, at, separator) {
                Ok((_, after)) => next = after,
                Err(error) => return error,
            }
            cells += 1;
        }
        width(self.layout.cells(), cells).at(0, escape::column(self.line, at))
    }
}

#[inline]
fn two_digits(bytes: &[u8]) -> Option<i64> {
    let [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] = bytes else {
        return None;
    };
    Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
}
