//! A layout: everything about a table or series that all its pages share.

use crate::column::{Column, ColumnType, SEED_OFFSET};
use crate::error::{Error, ErrorCode, excerpt};
use crate::header;
use crate::hoist::Hoist;
use crate::time;
use crate::time::Anchor;
use crate::value::Value;

/// How cells and type names are spelled.
///
/// ```
/// let columns = [qrp1::Column::new("dt_ms", qrp1::ColumnType::Offset)];
/// let layout = qrp1::Layout::series(Some(0), columns)?.with_profile(qrp1::Profile::Seed)?;
/// assert_eq!(layout.profile(), qrp1::Profile::Seed);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Profile {
    /// Short type names, `t` and `f`; every cell can be read on its own. The default.
    #[default]
    Plain,
    /// The form the format began with: long type names, `1` and `0`, the first column
    /// `dt_ms:i64` in milliseconds from `t0`. Only for series.
    Seed,
}

/// What stands between the cells of a row.
///
/// ```
/// let layout = qrp1::Layout::table([qrp1::Column::new("a", qrp1::ColumnType::Str)])?;
/// assert_eq!(layout.separator(), qrp1::Separator::Tab);
/// let layout = layout.with_separator(qrp1::Separator::Comma)?;
/// assert_eq!(layout.separator(), qrp1::Separator::Comma);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// A comma; what a series has unless told otherwise.
    Comma,
    /// A tab; what a table has unless told otherwise.
    Tab,
}

impl Separator {
    pub(crate) fn char(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Tab => '\t',
        }
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Tab => b'\t',
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Tab => "tab",
        }
    }
}

/// Where a payload says how many rows it has.
///
/// ```
/// use qrp1::{Column, ColumnType, CountPlace, Layout, Meta, Payload, Table};
///
/// let layout = Layout::table([Column::new("n", ColumnType::I64)])?.with_counts(CountPlace::End);
/// let table = Table { meta: Meta::new(), layout, rows: vec![vec![7i64.into()]] };
/// assert_eq!(Payload::from(table).to_text()?, "QRP1|table|end=t|columns=n:i\n7\n@end|rows=1\n");
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum CountPlace {
    /// In the header: the reader knows at once. The default.
    #[default]
    Header,
    /// In an end line, for streams that do not know the count when they begin.
    End,
}

/// The columns of a table or a series and how its rows are written.
///
/// A layout is chosen once for a result; every page of the result is printed with it,
/// so the same rows always give the same bytes.
///
/// ```
/// use qrp1::{Column, ColumnType, Layout, Separator};
///
/// let layout = Layout::series(
///     Some(1_788_825_600_000),
///     [Column::new("dt_ms", ColumnType::Offset), Column::new("close", ColumnType::F64)],
/// )?;
/// assert_eq!(layout.separator(), Separator::Comma);
/// assert_eq!(layout.columns().len(), 2);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    series: bool,
    profile: Profile,
    separator: Separator,
    counts: CountPlace,
    t0_ms: Option<i64>,
    columns: Vec<Column>,
    /// How many columns have cells.
    cells: usize,
}

impl Layout {
    /// A layout of a table: rows that share columns, in any order.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] when there is no column, two have one name, a column is not
    /// possible (a scale over 38, `~` on another type than str), or one is a
    /// [`ColumnType::Offset`]: only a series has the `t0` it counts from.
    pub fn table(columns: impl IntoIterator<Item = Column>) -> Result<Self, Error> {
        Self {
            series: false,
            profile: Profile::Plain,
            separator: Separator::Tab,
            counts: CountPlace::Header,
            t0_ms: None,
            columns: columns.into_iter().collect(),
            cells: 0,
        }
        .checked()
    }

    /// A layout of a series: rows in time order. The first column is the time, a
    /// [`ColumnType::Time`], [`ColumnType::Offset`] from `t0_ms`, [`ColumnType::Clock`],
    /// [`ColumnType::Hour`], [`ColumnType::Minute`] or [`ColumnType::Day`], and has no misses.
    /// With [`Column::with_step_ms`] it has no cells either.
    ///
    /// # Errors
    /// As [`Layout::table`]; also when the first column is no time or allows a miss, and
    /// when `t0_ms` is given without an offset column or the other way round, or lies
    /// outside the years 0000 to 9999.
    pub fn series(
        t0_ms: Option<i64>,
        columns: impl IntoIterator<Item = Column>,
    ) -> Result<Self, Error> {
        Self {
            series: true,
            profile: Profile::Plain,
            separator: Separator::Comma,
            counts: CountPlace::Header,
            t0_ms,
            columns: columns.into_iter().collect(),
            cells: 0,
        }
        .checked()
    }

    /// The same layout in another profile.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] when the seed's form cannot hold it: it is a series of
    /// comma-separated cells whose first column is `dt_ms`, an [`ColumnType::Offset`].
    pub fn with_profile(self, profile: Profile) -> Result<Self, Error> {
        Self { profile, ..self }.checked()
    }

    /// The same layout with another separator.
    ///
    /// # Errors
    /// [`ErrorCode::Layout`] in profile [`Profile::Seed`], which knows commas only.
    pub fn with_separator(self, separator: Separator) -> Result<Self, Error> {
        Self { separator, ..self }.checked()
    }

    /// The same layout with the counts in another place.
    #[must_use]
    pub fn with_counts(self, counts: CountPlace) -> Self {
        Self { counts, ..self }
    }

    pub(crate) fn from_parts(
        series: bool,
        profile: Profile,
        separator: Option<Separator>,
        counts: CountPlace,
        t0_ms: Option<i64>,
        columns: Vec<Column>,
    ) -> Result<Self, Error> {
        let separator = separator.unwrap_or(Self::usual_separator(series));
        Self {
            series,
            profile,
            separator,
            counts,
            t0_ms,
            columns,
            cells: 0,
        }
        .checked()
    }

    pub(crate) fn usual_separator(series: bool) -> Separator {
        if series {
            Separator::Comma
        } else {
            Separator::Tab
        }
    }

    fn checked(mut self) -> Result<Self, Error> {
        let fault =
            |expected: &str, found: &str| Err(Error::new(ErrorCode::Layout, expected, found));
        let Some(first) = self.columns.first() else {
            return fault("at least one column", "none");
        };
        let mut names: Vec<&str> = self.columns.iter().map(Column::name).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return fault(
                "columns of different names",
                &format!("{} twice", excerpt(pair[0])),
            );
        }
        for column in &self.columns {
            column.check()?;
        }
        let offsets = self
            .columns
            .iter()
            .any(|c| c.column_type() == ColumnType::Offset);
        if offsets && !self.series {
            return fault("offset columns in a series only", "one in a table");
        }
        match self.t0_ms {
            None if offsets => return fault("a t0 for the offset column", "none"),
            Some(_) if !offsets => return fault("an offset column for the t0", "none"),
            Some(t0_ms) if !time::in_range(t0_ms) => {
                return fault("a t0 in the years 0000 to 9999", "one outside them");
            }
            _ => {}
        }
        if self.series && (!first.is_time() || first.miss() != crate::Miss::none()) {
            return fault(
                "a time or an offset, without misses, as the first column of a series",
                &format!(
                    "{} in column {}",
                    first.column_type().noun(),
                    excerpt(first.name())
                ),
            );
        }
        let anchored = |column: &Column| column.anchor().is_some();
        if self.columns[1..].iter().any(anchored) || (anchored(first) && !self.series) {
            return fault(
                "times under anchors as the first column of a series only",
                "one elsewhere",
            );
        }
        let stepped = |column: &Column| matches!(column.hoist(), Some(Hoist::Step { .. }));
        if self.columns[1..].iter().any(stepped) || (stepped(first) && !self.series) {
            return fault("a step on the time of a series only", "one elsewhere");
        }
        if self.series && first.hoist().is_some() && !stepped(first) {
            return fault(
                "cells or a step for the time of a series",
                "a constant or a sequence",
            );
        }
        let hoisted = self.columns.iter().filter(|c| c.hoist().is_some()).count();
        self.cells = self.columns.len() - hoisted;
        if self.cells == 0 {
            return fault("at least one column with cells", "none");
        }
        if self.profile == Profile::Seed {
            if hoisted > 0 {
                return fault(
                    "a cell for every column in profile seed",
                    "a value in the header",
                );
            }
            if !self.series || self.separator != Separator::Comma {
                return fault(
                    "a series with commas in profile seed",
                    "another kind or separator",
                );
            }
            let misplaced = self.columns.iter().any(|column| {
                (column.column_type() == ColumnType::Offset) != (column.name() == SEED_OFFSET)
            });
            if misplaced || first.name() != SEED_OFFSET {
                return fault(
                    "the offset dt_ms as the first column in profile seed",
                    "another one",
                );
            }
        }
        Ok(self)
    }

    /// What anchor lines state, if the first column needs them.
    pub(crate) fn anchor(&self) -> Option<Anchor> {
        self.columns.first().and_then(Column::anchor)
    }

    /// The step between rows, where anchors state the times of rows.
    pub(crate) fn step_ms(&self) -> Option<i64> {
        match self.columns.first()?.hoist()? {
            Hoist::Step { step_ms } => Some(*step_ms),
            _ => None,
        }
    }

    /// Whether anchor lines stand among the rows.
    pub(crate) fn has_anchors(&self) -> bool {
        self.anchor().is_some() || self.step_ms().is_some()
    }

    /// What the values of columns without cells take for one row, in bytes.
    pub(crate) fn hoisted_bytes(&self) -> u64 {
        let text = |hoist: &Hoist| match hoist {
            Hoist::Constant(Value::Str(text)) => text.len(),
            _ => 0,
        };
        let hoists = self.columns.iter().filter_map(Column::hoist);
        let bytes = hoists.map(|hoist| size_of::<Value>() + text(hoist));
        bytes.sum::<usize>() as u64
    }

    /// How many columns have cells.
    pub(crate) fn cells(&self) -> usize {
        self.cells
    }

    /// Whether a column's values depend on the place of their row in the whole result.
    pub(crate) fn has_sequences(&self) -> bool {
        let sequence = |column: &Column| matches!(column.hoist(), Some(Hoist::Sequence { .. }));
        self.columns.iter().any(sequence)
    }

    /// The same layout with its sequences counted from a row `rows` later.
    pub(crate) fn moved(self, rows: i128) -> Result<Self, Error> {
        if rows == 0 || !self.has_sequences() {
            return Ok(self);
        }
        let columns: Result<_, Error> = self.columns.iter().map(|c| c.moved(rows)).collect();
        Self {
            columns: columns?,
            ..self
        }
        .checked()
    }

    /// The layout as one line of text, to be kept beside the stored rows, so that every page
    /// of them is printed alike, whichever process prints it. [`Layout::from_line`] reads it.
    ///
    /// ```
    /// use qrp1::{Column, ColumnType, Layout};
    ///
    /// let layout = Layout::series(None, [
    ///     Column::new("time", ColumnType::Hour),
    ///     Column::new("close", ColumnType::F64),
    /// ])?;
    /// assert_eq!(layout.to_line(), "series|columns=time:th,close:f");
    /// assert_eq!(Layout::from_line(&layout.to_line())?, layout);
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::from(if self.series { "series" } else { "table" });
        header::push_layout(&mut line, self);
        line
    }

    /// Reads what [`Layout::to_line`] wrote, and nothing else.
    ///
    /// # Errors
    /// Any code of a header: [`ErrorCode::HeaderKey`] for a key that is no part of a layout.
    ///
    /// ```
    /// let error = qrp1::Layout::from_line("table|rows=1|columns=a").unwrap_err();
    /// assert_eq!(error.code().as_str(), "header_key");
    /// ```
    pub fn from_line(line: &str) -> Result<Self, Error> {
        header::parse_layout(line)
    }

    /// Whether the rows are in time order.
    ///
    /// ```
    /// let layout = qrp1::Layout::series(None, [qrp1::Column::new("time", qrp1::ColumnType::Time)])?;
    /// assert!(layout.is_series());
    /// assert_eq!((layout.t0_ms(), layout.counts()), (None, qrp1::CountPlace::Header));
    /// # Ok::<(), qrp1::Error>(())
    /// ```
    #[must_use]
    pub fn is_series(&self) -> bool {
        self.series
    }

    /// How cells and types are spelled.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// What stands between cells.
    #[must_use]
    pub fn separator(&self) -> Separator {
        self.separator
    }

    /// Where the count of rows stands.
    #[must_use]
    pub fn counts(&self) -> CountPlace {
        self.counts
    }

    /// The fixed start of offsets, in milliseconds since 1970-01-01T00:00:00Z. It is the
    /// same on every page.
    #[must_use]
    pub fn t0_ms(&self) -> Option<i64> {
        self.t0_ms
    }

    /// The columns, in the order of the cells.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
}
