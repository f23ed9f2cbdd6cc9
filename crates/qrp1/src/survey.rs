//! A layout from the rows it is for: types, misses, hoists, and the form of times.

mod constant;
mod cost;
mod sequence;
mod tally;
mod times;

use crate::column::{Column, ColumnType};
use crate::error::{Error, ErrorCode, excerpt};
use crate::layout::{Layout, Separator};
use crate::miss::Miss;
use crate::value::Cell;
use cost::Cost;
use tally::{Priced, Tally};
use times::Times;

/// How many rows a page is taken to have: what stands in a header is paid for once a page.
const PAGE_ROWS: u64 = 256;

/// What a [`Survey`] may make use of.
///
/// ```
/// use qrp1::{Cell, Preference, Survey};
///
/// let mut survey = Survey::new(["n", "level"]);
/// for n in 1..=9i64 {
///     survey.add(&[n.into(), Cell::Str("info")])?;
/// }
/// let plain = Preference { hoists: false, ..Preference::default() };
/// assert_eq!(survey.layout(&plain)?.to_line(), "table|columns=n:i,level");
/// let constants = Preference { sequences: false, ..Preference::default() };
/// assert_eq!(survey.layout(&constants)?.to_line(), "table|columns=n:i,level=info");
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Preference {
    /// Whether the header may say values once for all rows: constants and sequences.
    /// Default: true.
    pub hoists: bool,
    /// Whether sequences may be among them. Default: true.
    pub sequences: bool,
    /// Whether regular times may be left out of the rows of a series, with anchor lines that
    /// state them at starts, gaps and new days. A reader then counts rows to know a time.
    /// Default: false.
    pub anchors_only: bool,
}

impl Default for Preference {
    fn default() -> Self {
        Self {
            hoists: true,
            sequences: true,
            anchors_only: false,
        }
    }
}

/// Sees every row of a result once, and then chooses its [`Layout`].
///
/// * **Types** are those of the cells. A column without values is one of strings, unless
///   [`Survey::with_type`] says otherwise.
/// * **Misses** that came are allowed, and those of [`Survey::with_miss`]; the commonest has
///   the empty cell.
/// * **Kind**: a series if the first column is a time that never decreases and never misses,
///   otherwise a table.
/// * **Times** of a series stand in full unless a short form that says every one exactly (times
///   of day, hours, minutes, days) costs at most three quarters of that with its anchors; then
///   the cheapest of those. With [`Preference::anchors_only`] they are left out if the
///   anchors that their commonest step needs cost less than cells.
/// * **Hoists**: a constant or a sequence where its header text and its exceptions cost at most
///   three quarters of the cells. One column keeps its cells. A result of one row hoists
///   nothing: in the header its values cost no less than in the row, and are harder to find.
/// * **Separator**: that of the kind, but tabs in a series where commas would have enough
///   strings quoted to cost more than saying so.
///
/// Costs are estimated tokens: one for three digits, six letters, or a run of punctuation, and
/// a quarter for an empty cell; header text is counted once for every 256 rows, as every page
/// repeats it. Bytes are counted exactly, and a layout is only chosen if the rows in one
/// payload have no more bytes with it than with plain columns of the same types, no hoists
/// and times in full. Constants and sequences are found with four counters each, whose counts
/// are never too high, so that a hoist costs what was counted or less; a string of more than
/// 64 bytes is never a constant.
///
/// Memory is in proportion to the number of columns, whatever the number of rows; the time of a
/// row to its text.
///
/// ```
/// use qrp1::{Cell, Preference, Survey};
///
/// let mut survey = Survey::new(["time", "close", "closed"]);
/// let hour_ms = 3_600_000;
/// for hour in 0..100 {
///     let close = 100.0 + hour as f64 / 4.0;
///     survey.add(&[Cell::Time(hour * hour_ms), Cell::F64(close), Cell::Bool(hour < 99)])?;
/// }
/// let layout = survey.layout(&Preference::default())?;
/// assert_eq!(layout.to_line(), "series|columns=time:th,close:f,closed:b=t");
///
/// let sparse = Preference { anchors_only: true, ..Preference::default() };
/// let layout = survey.layout(&sparse)?;
/// assert_eq!(layout.to_line(), "series|columns=time:t=+1h,close:f,closed:b=t");
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Survey {
    columns: Vec<Tally>,
    times: Times,
    rows: u64,
}

impl Survey {
    /// A survey of rows with these columns.
    #[must_use]
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        let columns = names.into_iter().map(|name| Tally::new(name.into()));
        Self {
            columns: columns.collect(),
            times: Times::default(),
            rows: 0,
        }
    }

    /// The same survey with the type of a column, which may have no value in any row.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] when there is no such column, when rows have had another type in
    /// it, and for a form of times: those are found.
    ///
    /// ```
    /// use qrp1::{Cell, ColumnType, Preference, Survey};
    ///
    /// let mut survey = Survey::new(["id", "score"]).with_type("score", ColumnType::F64)?;
    /// survey.add(&[Cell::I64(4), Cell::Null])?;
    /// assert_eq!(survey.layout(&Preference::default())?.to_line(), "table|columns=id:i,score:f!");
    /// assert_eq!(survey.add(&[Cell::I64(5), Cell::I64(1)]).unwrap_err().code().as_str(), "cell_type");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn with_type(mut self, column: &str, kind: ColumnType) -> Result<Self, Error> {
        self.column(column)?.declare(kind)?;
        Ok(self)
    }

    /// The same survey with misses that may come later in a column. Which miss has the empty
    /// cell is still up to the rows; where they have none, it is the one of `miss`.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] when there is no such column.
    ///
    /// ```
    /// use qrp1::{Cell, Miss, Preference, Survey};
    ///
    /// let mut survey = Survey::new(["id", "note"]).with_miss("note", Miss::null().and_absent())?;
    /// survey.add(&[Cell::I64(4), Cell::Str("late")])?;
    /// survey.add(&[Cell::I64(9), Cell::Absent])?;
    /// assert_eq!(survey.layout(&Preference::default())?.to_line(), "table|columns=id:i,note:s?!");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn with_miss(mut self, column: &str, miss: Miss) -> Result<Self, Error> {
        self.column(column)?.allow(miss);
        Ok(self)
    }

    fn column(&mut self, name: &str) -> Result<&mut Tally, Error> {
        let named = |column: &&mut Tally| column.name() == name;
        self.columns.iter_mut().find(named).ok_or_else(|| {
            let found = format!("none that is called {}", excerpt(name));
            Error::new(ErrorCode::Layout, "a column of the survey", found)
        })
    }

    /// Takes the next row. After an error the survey is as it was.
    ///
    /// # Errors
    /// [`ErrorCode::RowWidth`] for another number of cells than columns;
    /// [`ErrorCode::CellType`] for a value of another type than its column has so far (an i64
    /// among f64, or decimals of two scales: nothing is converted), and for one that no column
    /// can have: a time outside the years 0000 to 9999, a scale over 38.
    ///
    /// ```
    /// use qrp1::{Cell, Survey};
    ///
    /// let mut survey = Survey::new(["price"]);
    /// survey.add(&[Cell::I64(100)])?;
    /// assert_eq!(
    ///     survey.add(&[Cell::F64(100.5)]).unwrap_err().to_string(),
    ///     "cell_type: expected an i64, as in the rows before (make all its values one type, or \
    ///      two columns of it), found an f64 in column \"price\" of row 1 (from 0)",
    /// );
    /// assert_eq!(survey.rows(), 1);
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn add(&mut self, row: &[Cell<'_>]) -> Result<(), Error> {
        if row.len() != self.columns.len() {
            return Err(Error::new(
                ErrorCode::RowWidth,
                format!("{} cells, one for each column", self.columns.len()),
                format!("{} in row {} (from 0)", row.len(), self.rows),
            ));
        }
        for (column, cell) in self.columns.iter().zip(row) {
            column.check(self.rows, *cell)?;
        }
        for (at, (column, cell)) in self.columns.iter_mut().zip(row).enumerate() {
            let cost = column.take(self.rows, *cell);
            if let (0, Cell::Time(time_ms)) = (at, *cell) {
                self.times.take(time_ms, cost);
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// How many rows there were so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The layout for the rows so far. Every one of them can be printed with it, on any page.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] when there is no column, two have one name, or empty strings
    /// were allowed in a column that has other values.
    ///
    /// ```
    /// use qrp1::{Cell, Preference, Survey};
    ///
    /// // No row yet: nothing is known, and strings without misses are assumed.
    /// let survey = Survey::new(["a", "b"]);
    /// assert_eq!(survey.layout(&Preference::default())?.to_line(), "table|columns=a,b");
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    pub fn layout(&self, preference: &Preference) -> Result<Layout, Error> {
        let series = self.is_series();
        let usual = Layout::usual_separator(series);
        let mut plan = self.plan(usual, preference, None);
        let mut separator = usual;
        // A string with a tab is quoted whatever the separator, so only commas can be worth
        // the word.
        if usual == Separator::Comma {
            let mut tabs = self.plan(Separator::Tab, preference, Some(plan.cost.bytes));
            tabs.cost.add(Cost::of("sep=tab").times(self.pages()));
            if tabs.cost.quarters < plan.cost.quarters && tabs.cost.bytes <= plan.cost.bytes {
                (plan, separator) = (tabs, Separator::Tab);
            }
        }
        let layout = if series {
            Layout::series(None, plan.columns)
        } else {
            Layout::table(plan.columns)
        };
        layout?.with_separator(separator)
    }

    fn is_series(&self) -> bool {
        let first = self.columns.first();
        first.is_some_and(Tally::is_time_of_series) && self.times.ordered()
    }

    fn pages(&self) -> u64 {
        self.rows.div_ceil(PAGE_ROWS).max(1)
    }

    /// The cheapest columns under a separator, of at most `most_bytes` or what plain ones have.
    fn plan(&self, separator: Separator, preference: &Preference, most_bytes: Option<u64>) -> Plan {
        let pages = self.pages();
        let price = |column: &Tally| column.priced(separator, self.rows, pages, preference);
        let mut priced: Vec<Priced> = self.columns.iter().map(price).collect();
        let plain = priced.iter().map(|column| column.cells.bytes);
        let plain = plain.fold(0, u64::saturating_add);
        let first = priced.first().map_or(0, |column| column.first.bytes);
        let most_bytes = most_bytes.unwrap_or(plain.saturating_add(first));
        if self.is_series()
            && let Some(first) = priced.first_mut()
        {
            let stepped = preference.anchors_only.then(|| self.times.stepped(pages));
            set_times(first, self.times.short(pages), stepped.flatten());
        }
        cheapest(priced, most_bytes)
    }
}

struct Plan {
    columns: Vec<Column>,
    cost: Cost,
}

/// Gives the time of a series its form with cells and, if it is cheaper, the one without.
fn set_times(column: &mut Priced, (kind, short): (ColumnType, Cost), stepped: Option<(i64, Cost)>) {
    let name = column.plain.name().to_owned();
    column.hoisted = stepped.and_then(|(step_ms, cost)| {
        let cheaper = cost.quarters < short.quarters && cost.bytes <= short.bytes;
        let time = Column::new(name.clone(), ColumnType::Time).with_step_ms(step_ms);
        cheaper.then_some((time, cost))
    });
    column.plain = Column::new(name, kind);
    column.cells = short;
}

/// What a choice of the columns that have cells comes to.
#[derive(Clone, Copy)]
struct Choice {
    /// Of all columns, but for what depends on the others.
    cost: Cost,
    hoisted: usize,
    kept: usize,
    /// The first column with cells, if there is one.
    first: usize,
    /// The fewest empty cells of a column with cells.
    empty: u64,
}

impl Choice {
    const NONE: Self = Self {
        cost: Cost::ZERO,
        hoisted: 0,
        kept: 0,
        first: usize::MAX,
        empty: u64::MAX,
    };

    fn hoist(&mut self, cost: Cost) {
        self.cost.add(cost);
        self.hoisted += 1;
    }

    fn keep(&mut self, at: usize, column: &Priced) {
        self.cost.add(column.cells);
        self.kept += 1;
        self.first = self.first.min(at);
        self.empty = self.empty.min(column.empty);
    }

    /// The same with cells for a column that has none.
    fn keeping(mut self, at: usize, column: &Priced, hoisted: Cost) -> Self {
        self.cost = self.cost.without(hoisted);
        self.hoisted -= 1;
        self.keep(at, column);
        self
    }

    /// The cost of everything, or more. A row of empty cells writes its first one in words, and
    /// there are no more such rows than the fewest empty cells of a column; where no column
    /// is hoisted, plain columns have them too.
    fn total(&self, priced: &[Priced]) -> Cost {
        let Some(first) = priced.get(self.first) else {
            return self.cost;
        };
        let blank = if self.hoisted == 0 { 0 } else { self.empty };
        self.cost.and(first.first).and(first.word.times(blank))
    }

    /// What makes it worse than another: no cells, more bytes than allowed, tokens, bytes.
    fn rank(&self, priced: &[Priced], most_bytes: u64) -> (bool, bool, u64, u64) {
        let total = self.total(priced);
        let long = self.hoisted > 0 && total.bytes > most_bytes;
        (self.kept == 0, long, total.quarters, total.bytes)
    }
}

/// Hoists what is worth it column by column, and takes back what is not worth it together:
/// one column must have cells, strings that need quotes may come first in their lines, and
/// rows may be left with empty cells alone.
fn cheapest(priced: Vec<Priced>, most_bytes: u64) -> Plan {
    let mut choice = Choice::NONE;
    for (at, column) in priced.iter().enumerate() {
        match &column.hoisted {
            Some((_, cost)) => choice.hoist(*cost),
            None => choice.keep(at, column),
        }
    }
    let mut taken_back = vec![false; priced.len()];
    loop {
        let better = priced.iter().enumerate().filter(|(at, _)| !taken_back[*at]);
        let better = better.filter_map(|(at, column)| {
            let (_, cost) = column.hoisted.as_ref()?;
            let choice = choice.keeping(at, column, *cost);
            Some((choice.rank(&priced, most_bytes), at, choice))
        });
        let rank = choice.rank(&priced, most_bytes);
        match better
            .min_by_key(|(rank, ..)| *rank)
            .filter(|(better, ..)| *better < rank)
        {
            Some((_, at, better)) => {
                taken_back[at] = true;
                choice = better;
            }
            None if rank.1 => {
                // No single column helps; without hoists it is as short as plain columns.
                taken_back.fill(true);
                choice = Choice::NONE;
                priced
                    .iter()
                    .enumerate()
                    .for_each(|(at, column)| choice.keep(at, column));
            }
            None => break,
        }
    }
    let cost = choice.total(&priced);
    let columns = priced
        .into_iter()
        .zip(taken_back)
        .map(|(column, kept)| match column.hoisted {
            Some((hoisted, _)) if !kept => hoisted,
            _ => column.plain,
        });
    Plan {
        columns: columns.collect(),
        cost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Meta, Payload, Table, Value};
    use proptest::prelude::*;

    /// The bytes of the rows, without their header, and how many of them have only empty cells.
    fn body(layout: &Layout, rows: &[Vec<Value>]) -> (u64, u64) {
        let table = Table {
            meta: Meta::new(),
            layout: layout.clone(),
            rows: rows.to_vec(),
        };
        let text = Payload::from(table).to_text().unwrap();
        assert!(Document::parse(&text).is_ok());
        let header = text.find('\n').unwrap() + 1;
        let blank = |row: &&Vec<Value>| {
            let mut cells = row.iter().zip(layout.columns());
            cells.all(|(value, column)| crate::cell::is_empty_cell(column.miss(), value.as_cell()))
        };
        let blank = rows.iter().filter(blank).count();
        ((text.len() - header) as u64, blank as u64)
    }

    fn text() -> impl Strategy<Value = Value> {
        prop_oneof![
            4 => "[a@/, \"\t|\u{e9}\u{3000}]{0,4}".prop_map(Value::Str),
            1 => prop::sample::select(vec!["null", "absent", "QRP1|a", "/a,b", "@a"]).prop_map(Value::from),
            1 => prop::sample::select(vec![Value::Null, Value::Absent]),
        ]
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            5 => (-300i64..3_000).prop_map(Value::I64),
            1 => Just(Value::I64(i64::MIN)),
            2 => Just(Value::Null),
        ]
    }

    fn rows() -> impl Strategy<Value = Vec<Vec<Value>>> {
        let row = (text(), number(), text(), any::<bool>(), any::<f64>());
        prop::collection::vec(row, 1..30).prop_map(|rows| {
            let row = |(a, b, c, d, e): (_, _, _, bool, f64)| vec![a, b, c, d.into(), e.into()];
            rows.into_iter().map(row).collect()
        })
    }

    fn surveyed(rows: &[Vec<Value>]) -> Survey {
        let mut survey = Survey::new(
            ["first", "n", "text", "flag", "x"][..rows[0].len()]
                .iter()
                .copied(),
        );
        for row in rows {
            let cells: Vec<_> = row.iter().map(Value::as_cell).collect();
            survey.add(&cells).unwrap();
        }
        survey
    }

    fn table(plan: &Plan, separator: Separator) -> Layout {
        let layout = Layout::table(plan.columns.clone()).unwrap();
        layout.with_separator(separator).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

        #[test]
        fn the_bytes_of_plain_columns_are_exact(rows in rows(), width in 1usize..=5, series: bool) {
            let cut = |row: &Vec<Value>| row[..width].to_vec();
            let mut rows: Vec<_> = rows.iter().map(cut).collect();
            if series {
                for (row, day) in rows.iter_mut().zip(0..) {
                    row[0] = Value::Time(day * day * 3_600_000 * 2_000);
                }
            }
            let survey = surveyed(&rows);
            let plain = Preference { hoists: false, ..Preference::default() };
            for separator in [Separator::Comma, Separator::Tab] {
                let plan = survey.plan(separator, &plain, None);
                let layout = if series {
                    let layout = Layout::series(None, plan.columns.clone()).unwrap();
                    layout.with_separator(separator).unwrap()
                } else {
                    table(&plan, separator)
                };
                let (bytes, blank) = body(&layout, &rows);
                let word = match layout.columns()[0].miss().to_string().chars().next() {
                    Some('!') => 4,
                    Some('?') => 6,
                    _ => 2,
                };
                prop_assert_eq!(bytes, plan.cost.bytes + blank * word);
            }
        }

        #[test]
        fn the_bytes_of_anchors_are_exact(
            gaps in prop::collection::vec(prop_oneof![6 => Just(1i64), 1 => 0i64..40], 2..200),
            unit in prop::sample::select(vec![60_000, 3_600_000, 86_400_000, 604_800_000]),
        ) {
            let mut time_ms = 0;
            let row = |gap: i64| {
                time_ms += gap * unit;
                vec![Value::Time(time_ms), Value::Bool(gap == 1)]
            };
            let rows: Vec<_> = gaps.into_iter().map(row).collect();
            let survey = surveyed(&rows);
            for anchors_only in [false, true] {
                let preference = Preference { hoists: false, anchors_only, ..Preference::default() };
                let plan = survey.plan(Separator::Comma, &preference, None);
                let layout = Layout::series(None, plan.columns.clone()).unwrap();
                let (bytes, _) = body(&layout, &rows);
                // The price of a header has its most lines; the rest is exact, but that rows
                // before a step was first seen are taken to have anchors.
                let header = match (layout.has_anchors(), layout.step_ms()) {
                    (false, _) => 0,
                    (true, None) => 13,
                    (true, Some(_)) => 17 + 20 * 40,
                };
                prop_assert!(bytes <= plan.cost.bytes && plan.cost.bytes <= bytes + header);
            }
        }

        #[test]
        fn the_bytes_with_hoists_are_no_more_than_reckoned(rows in rows(), pick in any::<prop::sample::Index>()) {
            // Most rows are like one of them, so that much is hoisted.
            let like = rows[pick.index(rows.len())].clone();
            let mut all = vec![like; rows.len() * 6];
            for (at, row) in rows.into_iter().enumerate() {
                all[at * 5] = row;
            }
            for (row, n) in all.iter_mut().zip(0..) {
                row[1] = if n % 11 == 4 { Value::Null } else { Value::I64(n * 2) };
            }
            let survey = surveyed(&all);
            for separator in [Separator::Comma, Separator::Tab] {
                let plan = survey.plan(separator, &Preference::default(), None);
                let hoisted = plan.columns.iter().filter(|column| column.hoist().is_some());
                prop_assert!(hoisted.count() > 0);
                prop_assert!(body(&table(&plan, separator), &all).0 <= plan.cost.bytes);
            }
        }
    }
}
