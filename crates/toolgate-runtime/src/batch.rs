//! Typed columns of rows in time order: what sources give and segments hold.

use core::ops::Range;

use crate::error::{Error, SchemaFault};

/// The most columns a batch may have beside the time.
///
/// ```
/// use toolgate_runtime::{Batch, Column, MAX_COLUMNS, Values};
///
/// let column = |at| Column { name: format!("c{at}"), values: Values::Numbers(vec![]) };
/// assert!(Batch::new(vec![], (0..MAX_COLUMNS).map(column).collect()).is_ok());
/// let error = Batch::new(vec![], (0..=MAX_COLUMNS).map(column).collect()).unwrap_err();
/// assert_eq!(error.code(), "schema");
/// ```
pub const MAX_COLUMNS: usize = 1_024;

/// The most bytes of a column's name.
///
/// ```
/// use toolgate_runtime::{Batch, Column, MAX_NAME_BYTES, Values};
///
/// let column = |bytes| Column { name: "c".repeat(bytes), values: Values::Numbers(vec![]) };
/// assert!(Batch::new(vec![], vec![column(MAX_NAME_BYTES)]).is_ok());
/// let error = Batch::new(vec![], vec![column(MAX_NAME_BYTES + 1)]).unwrap_err();
/// assert_eq!(error.code(), "schema");
/// ```
pub const MAX_NAME_BYTES: usize = 255;

/// What pages call the time of a row. No other column can have this name.
pub(crate) const TIME_COLUMN: &str = "time";

/// The values of one column, one a row.
///
/// ```
/// use toolgate_runtime::Values;
///
/// let close = Values::Numbers(vec![Some(130.31), None]);
/// assert_eq!(close.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers; `None` where there is no value.
    Numbers(Vec<Option<f64>>),
    /// Truth values; `None` where there is no value.
    Flags(Vec<Option<bool>>),
    /// Texts; `None` where there is no value.
    Texts(Vec<Option<String>>),
}

impl Values {
    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Flags(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    /// Whether there is no row.
    ///
    /// ```
    /// use toolgate_runtime::Values;
    ///
    /// assert!(Values::Texts(vec![]).is_empty());
    /// assert!(!Values::Texts(vec![None]).is_empty()); // one row without a value
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the values.
    ///
    /// ```
    /// use toolgate_runtime::{ValueKind, Values};
    ///
    /// assert_eq!(Values::Numbers(vec![Some(130.31)]).kind(), ValueKind::Numbers);
    /// ```
    #[must_use]
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Numbers(_) => ValueKind::Numbers,
            Self::Flags(_) => ValueKind::Flags,
            Self::Texts(_) => ValueKind::Texts,
        }
    }

    /// The values of these rows, which must be there.
    fn slice(&self, rows: Range<usize>) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(values[rows].to_vec()),
            Self::Flags(values) => Self::Flags(values[rows].to_vec()),
            Self::Texts(values) => Self::Texts(values[rows].to_vec()),
        }
    }

    fn append(&mut self, other: &mut Self) {
        match (self, other) {
            (Self::Numbers(values), Self::Numbers(other)) => values.append(other),
            (Self::Flags(values), Self::Flags(other)) => values.append(other),
            (Self::Texts(values), Self::Texts(other)) => values.append(other),
            // `Batch::append` has compared the schemas.
            _ => {}
        }
    }
}

/// The type of a column.
///
/// ```
/// use toolgate_runtime::{Batch, Column, ValueKind, Values};
///
/// let closed = Values::Flags(vec![Some(true)]);
/// let batch = Batch::new(vec![0], vec![Column { name: "closed".to_owned(), values: closed }])?;
/// assert_eq!(batch.columns()[0].values.kind(), ValueKind::Flags);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// f64.
    Numbers,
    /// bool.
    Flags,
    /// UTF-8 text.
    Texts,
}

/// One named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name, 1 to 255 bytes.
    pub name: String,
    /// The values, one a row.
    pub values: Values,
}

/// Rows in time order: a time for each row, and columns of equal length.
///
/// ```
/// use toolgate_runtime::{Batch, Column, Values};
///
/// let batch = Batch::new(
///     vec![951_868_800_000, 951_955_200_000],
///     vec![Column { name: "close".to_owned(), values: Values::Numbers(vec![Some(130.31), Some(122.0)]) }],
/// )?;
/// assert_eq!(batch.rows(), 2);
/// assert_eq!(batch.numbers("close")?.len(), 2);
/// assert_eq!(batch.numbers("open").unwrap_err().code(), "unknown_column");
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    time_ms: Vec<i64>,
    columns: Vec<Column>,
}

impl Batch {
    /// Checks the columns. `time_ms` are milliseconds since 1970-01-01T00:00:00Z in the
    /// years 0000 to 9999, each after the one before.
    ///
    /// # Errors
    /// [`Error::Schema`] for columns of another length, more than [`MAX_COLUMNS`], empty,
    /// long or equal names, or times that do not increase or are outside those years.
    pub fn new(time_ms: Vec<i64>, columns: Vec<Column>) -> Result<Self, Error> {
        if columns.len() > MAX_COLUMNS {
            return Err(SchemaFault::TooManyColumns {
                found: columns.len(),
            }
            .into());
        }
        for (index, column) in columns.iter().enumerate() {
            if column.values.len() != time_ms.len() {
                return Err(SchemaFault::Length {
                    column: column.name.clone(),
                    expected: time_ms.len(),
                    found: column.values.len(),
                }
                .into());
            }
            if !(1..=MAX_NAME_BYTES).contains(&column.name.len()) {
                return Err(SchemaFault::NameLength {
                    found: column.name.len(),
                }
                .into());
            }
            if column.name == TIME_COLUMN {
                return Err(SchemaFault::Reserved.into());
            }
            if columns[..index]
                .iter()
                .any(|before| before.name == column.name)
            {
                return Err(SchemaFault::Duplicate {
                    column: column.name.clone(),
                }
                .into());
            }
        }
        if let Some(row) = time_ms.windows(2).position(|pair| pair[1] <= pair[0]) {
            return Err(SchemaFault::TimeOrder { row: row + 1 }.into());
        }
        // Pages could not write such a time.
        let writable = qrp1::MIN_TIME_MS..=qrp1::MAX_TIME_MS;
        if let Some(row) = time_ms.iter().position(|time| !writable.contains(time)) {
            return Err(SchemaFault::TimeRange { row }.into());
        }
        Ok(Self { time_ms, columns })
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.time_ms.len()
    }

    /// The time of each row, in milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub fn time_ms(&self) -> &[i64] {
        &self.time_ms
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The values of a number column.
    ///
    /// # Errors
    /// [`Error::UnknownColumn`] when there is no number column of this name.
    pub fn numbers(&self, name: &str) -> Result<&[Option<f64>], Error> {
        let values = self.columns.iter().find_map(|column| match &column.values {
            Values::Numbers(values) if column.name == name => Some(&values[..]),
            _ => None,
        });
        values.ok_or_else(|| Error::UnknownColumn {
            name: name.to_owned(),
            known: self
                .columns
                .iter()
                .filter(|column| column.values.kind() == ValueKind::Numbers)
                .map(|column| column.name.clone())
                .collect(),
        })
    }

    /// Whether another batch has the same columns: names, types, order.
    ///
    /// ```
    /// use toolgate_runtime::{Batch, Column, Values};
    ///
    /// let column = |name: &str| Column { name: name.to_owned(), values: Values::Numbers(vec![None]) };
    /// let close = Batch::new(vec![0], vec![column("close")])?;
    /// assert!(close.has_schema_of(&Batch::new(vec![60_000], vec![column("close")])?));
    /// assert!(!close.has_schema_of(&Batch::new(vec![0], vec![column("open")])?));
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn has_schema_of(&self, other: &Self) -> bool {
        let schema = |batch: &Self| -> Vec<(String, ValueKind)> {
            batch
                .columns
                .iter()
                .map(|c| (c.name.clone(), c.values.kind()))
                .collect()
        };
        schema(self) == schema(other)
    }

    /// Adds the rows of another batch at the end.
    ///
    /// # Errors
    /// [`Error::Schema`] when its columns differ or it does not begin after this one ends.
    ///
    /// ```
    /// use toolgate_runtime::Batch;
    ///
    /// let mut batch = Batch::new(vec![1, 2], vec![])?;
    /// batch.append(Batch::new(vec![3], vec![])?)?;
    /// assert_eq!(batch.time_ms(), [1, 2, 3]);
    /// let earlier = Batch::new(vec![3, 4], vec![])?;
    /// assert_eq!(batch.append(earlier).unwrap_err().code(), "schema");
    /// assert_eq!(batch.rows(), 3); // nothing was added
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    pub fn append(&mut self, mut other: Self) -> Result<(), Error> {
        if !self.has_schema_of(&other) {
            return Err(SchemaFault::OtherColumns.into());
        }
        if let (Some(last), Some(first)) = (self.time_ms.last(), other.time_ms.first())
            && first <= last
        {
            return Err(SchemaFault::TimeOrder { row: self.rows() }.into());
        }
        self.time_ms.append(&mut other.time_ms);
        for (column, more) in self.columns.iter_mut().zip(&mut other.columns) {
            column.values.append(&mut more.values);
        }
        Ok(())
    }

    /// A copy of the rows of a range; what lies past the end is left out. O(rows of the
    /// range x columns).
    ///
    /// ```
    /// let batch = toolgate_runtime::Batch::new(vec![1, 2, 3], vec![])?;
    /// assert_eq!(batch.slice(1..9).time_ms(), [2, 3]);
    /// # Ok::<(), toolgate_runtime::Error>(())
    /// ```
    #[must_use]
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let end = rows.end.min(self.rows());
        let rows = rows.start.min(end)..end;
        let column = |column: &Column| Column {
            name: column.name.clone(),
            values: column.values.slice(rows.clone()),
        };
        Self {
            columns: self.columns.iter().map(column).collect(),
            time_ms: self.time_ms[rows.clone()].to_vec(),
        }
    }
}
