//! What is known of one column: its type, its misses, what its cells cost, and which values
//! a header could say once.

use super::Preference;
use super::constant::Constants;
use super::cost::Cost;
use super::sequence::{Line, Sequences};
use crate::cell::{Place, is_empty_cell, needs_quotes, push_value, word};
use crate::column::{Column, ColumnType, push_name};
use crate::decimal::{Decimal, MAX_SCALE};
use crate::error::{Error, ErrorCode, excerpt};
use crate::header::MAGIC;
use crate::hoist::Hoist;
use crate::layout::{Profile, Separator};
use crate::miss::{Empty, Miss};
use crate::time;
use crate::value::{Cell, Value};

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    name: String,
    kind: Option<ColumnType>,
    declared: bool,
    /// Misses that may come though no row here has them.
    allowed: Miss,
    nulls: u64,
    absents: u64,
    empties: u64,
    /// The strings `null` and `absent`, which need quotes beside misses of these names.
    null_words: u64,
    absent_words: u64,
    /// The cells of all values, without what follows.
    values: Cost,
    /// What quotes cost for strings that need them for a comma alone, for standing first in
    /// their line alone, or for either.
    comma: Cost,
    first: Cost,
    either: Cost,
    constants: Constants,
    sequences: Sequences,
}

/// A column with its price, for all rows.
#[derive(Clone, Debug)]
pub(super) struct Priced {
    pub(super) plain: Column,
    /// Of its cells.
    pub(super) cells: Cost,
    /// What they cost more as the first cells of their lines.
    pub(super) first: Cost,
    /// How many of them are empty.
    pub(super) empty: u64,
    /// What the long form of an empty cell has more.
    pub(super) word: Cost,
    /// The column without cells, and what its exceptions and its header cost.
    pub(super) hoisted: Option<(Column, Cost)>,
}

impl Tally {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// # Errors
    /// [`ErrorCode::Layout`] for a form of times, and for another type than rows have had.
    pub(super) fn declare(&mut self, kind: ColumnType) -> Result<(), Error> {
        let fault = |expected: String, found: &str| {
            let found = format!("{found} for column {}", excerpt(&self.name));
            Err(Error::new(ErrorCode::Layout, expected, found))
        };
        match kind {
            ColumnType::Offset
            | ColumnType::Clock
            | ColumnType::Hour
            | ColumnType::Minute
            | ColumnType::Day => {
                return fault(
                    "a type of values; declare times as Time, a survey finds their form".to_owned(),
                    "a form of times",
                );
            }
            ColumnType::Decimal { scale } if scale > MAX_SCALE => {
                return fault("a scale from 0 to 38".to_owned(), &noun(kind));
            }
            _ => {}
        }
        if let Some(seen) = self.kind.filter(|seen| *seen != kind) {
            return fault(format!("{}, as so far", noun(seen)), &noun(kind));
        }
        (self.kind, self.declared) = (Some(kind), true);
        Ok(())
    }

    pub(super) fn allow(&mut self, miss: Miss) {
        self.allowed = miss;
    }

    /// Whether every row has a time so far, and later ones must.
    pub(super) fn is_time_of_series(&self) -> bool {
        self.kind == Some(ColumnType::Time)
            && self.nulls + self.absents == 0
            && self.allowed == Miss::none()
    }

    /// Checks that a value can stand in the column with those before it.
    ///
    /// # Errors
    /// [`ErrorCode::CellType`].
    pub(super) fn check(&self, ordinal: u64, cell: Cell<'_>) -> Result<(), Error> {
        let Some(found) = type_of(cell) else {
            return Ok(());
        };
        let possible = match cell {
            Cell::Time(time_ms) if !time::in_range(time_ms) => Err((
                "a time in the years 0000 to 9999".to_owned(),
                "one outside them".to_owned(),
            )),
            Cell::Decimal(value) if value.scale() > MAX_SCALE => {
                Err(("a scale from 0 to 38".to_owned(), noun(found)))
            }
            _ => match self.kind {
                Some(kind) if kind != found => Err((
                    format!(
                        "{}, as {} (make all its values one type, or two columns of it)",
                        noun(kind),
                        if self.declared {
                            "declared"
                        } else {
                            "in the rows before"
                        },
                    ),
                    noun(found),
                )),
                _ => Ok(()),
            },
        };
        possible.map_err(|(expected, found)| {
            let found = format!(
                "{found} in column {} of row {ordinal} (from 0)",
                excerpt(&self.name)
            );
            Error::new(ErrorCode::CellType, expected, found)
        })
    }

    /// Takes a value that was checked. Gives what its cell costs.
    pub(super) fn take(&mut self, ordinal: u64, cell: Cell<'_>) -> Cost {
        match cell {
            Cell::Null => {
                self.nulls += 1;
                return Cost::EMPTY;
            }
            Cell::Absent => {
                self.absents += 1;
                return Cost::EMPTY;
            }
            _ => {}
        }
        self.kind = type_of(cell);
        if let Cell::Str(text) = cell {
            return self.text(text);
        }
        let cost = Cost::of_value(cell);
        self.values.add(cost);
        self.constants.take(cell);
        let number = match cell {
            Cell::I64(value) | Cell::Time(value) => Some(value.into()),
            Cell::U64(value) => Some(value.into()),
            Cell::Decimal(value) => Some(value.mantissa()),
            _ => None,
        };
        if let Some(number) = number {
            self.sequences.take(ordinal, number, cost);
        }
        cost
    }

    fn text(&mut self, text: &str) -> Cost {
        match text {
            "" => {
                self.empties += 1;
                return Cost::EMPTY;
            }
            "null" => self.null_words += 1,
            "absent" => self.absent_words += 1,
            _ => {}
        }
        self.constants.take(Cell::Str(text));
        if needs_quotes(text, Miss::none(), Place::FIELD) {
            let cost = Cost::of_quoted(text);
            self.values.add(cost);
            return cost;
        }
        let cost = Cost::of_value(Cell::Str(text));
        self.values.add(cost);
        let comma = memchr::memchr(b',', text.as_bytes()).is_some();
        let first = text.starts_with(['@', '/']) || text.starts_with(MAGIC);
        let quotes = match (comma, first) {
            (false, false) => return cost,
            (true, false) => &mut self.comma,
            (false, true) => &mut self.first,
            (true, true) => &mut self.either,
        };
        quotes.add(Cost::of_quoted(text).without(cost));
        cost
    }

    /// The misses that came or may come. The commonest has the empty cell, of equals the one
    /// first named here: null, absent, the empty string.
    fn miss(&self) -> Miss {
        let counts = [
            (self.nulls, Miss::null()),
            (self.absents, Miss::absent()),
            (self.empties, Miss::empty_text()),
        ];
        let mut miss = (0, self.allowed);
        for (count, of) in counts {
            if count > miss.0 {
                miss = (count, of);
            }
        }
        let mut miss = miss.1;
        if self.nulls > 0 || self.allowed.allows_null() {
            miss = miss.and_null();
        }
        if self.absents > 0 || self.allowed.allows_absent() {
            miss = miss.and_absent();
        }
        miss
    }

    /// The column and its price in `rows` rows that are read in `pages` pages.
    pub(super) fn priced(
        &self,
        separator: Separator,
        rows: u64,
        pages: u64,
        preference: &Preference,
    ) -> Priced {
        let miss = self.miss();
        let kind = self.kind.unwrap_or(ColumnType::Str);
        let plain = Column::new(self.name.clone(), kind).with_miss(miss);
        let cell = |cell: Cell<'_>| cell_cost(&plain, separator, cell);
        let mut cells = self.values;
        cells.add(cell(Cell::Null).times(self.nulls));
        cells.add(cell(Cell::Absent).times(self.absents));
        cells.add(cell(Cell::Str("")).times(self.empties));
        let quotes = |word: &str| Cost::of_quoted(word).without(Cost::of(word));
        if miss.allows_null() {
            cells.add(quotes("null").times(self.null_words));
        }
        if miss.allows_absent() {
            cells.add(quotes("absent").times(self.absent_words));
        }
        let mut first = self.first;
        match separator {
            Separator::Comma => cells.add(self.comma.and(self.either)),
            Separator::Tab => first.add(self.either),
        }
        let (empty, long) = match miss.empty() {
            None => (0, Cell::Null),
            Some(Empty::Null) => (self.nulls, Cell::Null),
            Some(Empty::Absent) => (self.absents, Cell::Absent),
            Some(Empty::Text) => (self.empties, Cell::Str("")),
        };
        let mut priced = Priced {
            cells,
            first,
            empty,
            word: Cost::of(word(long)),
            hoisted: None,
            plain,
        };
        if preference.hoists {
            priced.hoisted = self.hoist(&priced, separator, rows, pages, preference);
        }
        priced
    }

    /// The cheapest hoist, if it is worth its exceptions.
    fn hoist(
        &self,
        priced: &Priced,
        separator: Separator,
        rows: u64,
        pages: u64,
        preference: &Preference,
    ) -> Option<(Column, Cost)> {
        let plain = &priced.plain;
        let mut exception = String::new();
        push_name(&mut exception, &self.name);
        exception.push('=');
        let exception = Cost::of(&exception).without(Cost::LETTER);
        // The counts are of rows that surely have a value, so the price is never too low.
        let price = |hoist: &Hoist, said: u64, spared: Cost| {
            let mut header = String::from("=");
            hoist.push(&mut header, plain);
            priced
                .cells
                .without(spared)
                .and(exception.times(rows - said))
                .and(Cost::of(&header).times(pages))
        };
        let misses = [
            (Value::Null, self.nulls),
            (Value::Absent, self.absents),
            (Value::from(""), self.empties),
        ];
        let misses = misses.iter().map(|(value, rows)| (value, *rows));
        let constants = self.constants.candidates().chain(misses);
        let constants = constants
            .filter(|(_, said)| *said > 0)
            .map(|(value, said)| {
                let spared = cell_cost(plain, separator, value.as_cell()).times(said);
                let hoist = Hoist::Constant(value.clone());
                let cost = price(&hoist, said, spared);
                (plain.clone().with_constant(value.clone()), cost)
            });
        let lines: &[Line] = if preference.sequences {
            self.sequences.candidates()
        } else {
            &[]
        };
        // Through any two values there is a line; three are the first that say something.
        let sequences = lines
            .iter()
            .filter(|line| line.rows > 2)
            .filter_map(|line| {
                let start = value_of(plain.column_type(), line.start)?;
                let hoist = Hoist::Sequence {
                    start: start.clone(),
                    step: line.step,
                };
                // Every page must be able to say where it starts, the one behind the last row too.
                hoist.check(plain).ok()?;
                hoist.moved(rows.into()).ok()?;
                let cost = price(&hoist, line.rows, line.cells);
                Some((plain.clone().with_sequence(start, line.step), cost))
            });
        let cheapest = constants
            .chain(sequences)
            .min_by_key(|(_, cost)| (cost.quarters, cost.bytes))?;
        // Exceptions are harder to read than cells, so a hoist has to save a quarter.
        let enough = priced.cells.quarters / 4 * 3;
        let worth = cheapest.1.quarters <= enough && cheapest.1.bytes <= priced.cells.bytes;
        worth.then_some(cheapest)
    }
}

/// What a value costs in a cell that is not the first of its line.
fn cell_cost(column: &Column, separator: Separator, cell: Cell<'_>) -> Cost {
    if is_empty_cell(column.miss(), cell) {
        return Cost::EMPTY;
    }
    if let Cell::Bool(_) = cell {
        return Cost::of_value(cell);
    }
    let mut text = String::new();
    let place = Place {
        separator: Some(separator.char()),
        first: false,
        header: false,
        profile: Profile::Plain,
        base_ms: None,
    };
    // Only asked of values that the column has, or of those that no row has.
    let _ = push_value(&mut text, column, cell, place);
    Cost::of(&text)
}

fn type_of(cell: Cell<'_>) -> Option<ColumnType> {
    Some(match cell {
        Cell::Absent | Cell::Null => return None,
        Cell::Bool(_) => ColumnType::Bool,
        Cell::I64(_) => ColumnType::I64,
        Cell::U64(_) => ColumnType::U64,
        Cell::F64(_) => ColumnType::F64,
        Cell::Decimal(value) => ColumnType::Decimal {
            scale: value.scale(),
        },
        Cell::Str(_) => ColumnType::Str,
        Cell::Time(_) => ColumnType::Time,
    })
}

/// The value of a number in a column of a type; `None` when the type has it not.
fn value_of(kind: ColumnType, number: i128) -> Option<Value> {
    match kind {
        ColumnType::I64 => Some(Value::I64(number.try_into().ok()?)),
        ColumnType::U64 => Some(Value::U64(number.try_into().ok()?)),
        ColumnType::Decimal { scale } => Some(Value::Decimal(Decimal::new(number, scale))),
        ColumnType::Time => Some(Value::Time(number.try_into().ok()?)),
        _ => None,
    }
}

/// A type in words for a message, with the scale of decimals.
fn noun(kind: ColumnType) -> String {
    match kind {
        ColumnType::Decimal { scale } => format!("a decimal of scale {scale}"),
        ColumnType::Time => "a time".to_owned(),
        _ => kind.noun().to_owned(),
    }
}
