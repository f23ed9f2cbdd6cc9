//! What the header says once, so that no row need: constants, sequences and steps.

use crate::cell::{Lent, Place, Raw, parse_value, push_value};
use crate::column::{Column, ColumnType};
use crate::decimal::Decimal;
use crate::error::{Error, ErrorCode, excerpt};
use crate::escape;
use crate::sink::Sink;
use crate::step::{parse_duration, push_duration};
use crate::time;
use crate::value::{Cell, Value};

/// Why a column has no cells: its values are known from the header.
///
/// A row whose value is another one says so behind its cells, as `name=value`.
///
/// ```
/// use qrp1::{Cell, Column, ColumnType, Document, Hoist, Layout, Meta, Payload, Table, Value};
///
/// let layout = Layout::table([
///     Column::new("id", ColumnType::I64).with_sequence(1i64, 1),
///     Column::new("level", ColumnType::Str),
///     Column::new("closed", ColumnType::Bool).with_constant(true),
/// ])?;
/// assert_eq!(layout.columns()[2].hoist(), Some(&Hoist::Constant(Value::Bool(true))));
/// let row = |id: i64, level: &str, closed: bool| vec![id.into(), level.into(), closed.into()];
/// let rows = vec![row(1, "error", true), row(2, "info", true), row(3, "info", false)];
/// let text = Payload::from(Table { meta: Meta::new(), layout, rows }).to_text()?;
/// assert_eq!(
///     text,
///     "QRP1|table|rows=3|columns=id:i=1+1,level,closed:b=t\nerror\ninfo\ninfo\tclosed=f\n",
/// );
/// assert_eq!(Document::parse(&text)?.to_text()?, text);
/// # Ok::<(), qrp1::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hoist {
    /// `=value`: every row has this value.
    Constant(Value),
    /// `=start+step`: a row has `start` and as many steps as rows of the whole result are
    /// before it. For integers, decimals and times.
    Sequence {
        /// The value of the first row of the whole result.
        start: Value,
        /// What a row has more than the row above, which may be less than zero: in integers,
        /// in the last place of decimals, in milliseconds for times; not 0 and not -2^63.
        step: i64,
    },
    /// `=+step`, for the time of a series: a row is one step later than the row above, unless
    /// an anchor line above it states its time.
    Step {
        /// The step in milliseconds, above zero.
        step_ms: i64,
    },
}

impl Hoist {
    /// The value of the row at an ordinal of the whole result; `None` when it is outside the
    /// range of the type, and for steps.
    pub(crate) fn cell_at(&self, ordinal: u64) -> Option<Cell<'_>> {
        match self {
            Self::Constant(value) => Some(value.as_cell()),
            Self::Sequence { start, step } => advance(start, *step, ordinal.into()),
            Self::Step { .. } => None,
        }
    }

    /// Whether the column's values need not be written at an ordinal.
    #[inline]
    pub(crate) fn says(&self, ordinal: u64, cell: &Cell<'_>) -> bool {
        match (self, cell) {
            (Self::Constant(Value::Bool(value)), Cell::Bool(cell)) => value == cell,
            _ => self.cell_at(ordinal).as_ref() == Some(cell),
        }
    }

    /// Checks that it can stand on a column.
    pub(crate) fn check(&self, column: &Column) -> Result<(), Error> {
        let fault = |expected: &str, found: &str| {
            Err(Error::new(
                ErrorCode::Layout,
                expected,
                format!("{found} in column {}", excerpt(column.name())),
            ))
        };
        match self {
            Self::Constant(_) if column.is_time() && column.column_type() != ColumnType::Time => {
                fault("a constant on a column of type t", "one on a short time")
            }
            Self::Constant(value) => push_value(&mut String::new(), column, value.as_cell(), PLACE)
                .map_err(|error| Error::new(ErrorCode::Layout, error.expected(), error.found())),
            Self::Sequence { step: 0, .. } => fault("a step other than 0", "a sequence of step 0"),
            Self::Sequence { step: i64::MIN, .. } => {
                fault("a step of at most 2^63 - 1 either way", "one of -2^63")
            }
            Self::Sequence { start, .. } => {
                let fits = match (column.column_type(), start) {
                    (ColumnType::I64, Value::I64(_)) | (ColumnType::U64, Value::U64(_)) => true,
                    (ColumnType::Decimal { scale }, Value::Decimal(start)) => {
                        start.scale() == scale
                    }
                    (ColumnType::Time, Value::Time(start_ms)) => time::in_range(*start_ms),
                    _ => false,
                };
                if fits {
                    Ok(())
                } else {
                    fault(
                        "a sequence of integers, decimals or times that starts in the column's type",
                        "another one",
                    )
                }
            }
            Self::Step { step_ms } if *step_ms <= 0 => fault("a step above zero", "a smaller one"),
            Self::Step { .. } if column.column_type() != ColumnType::Time => {
                fault("a step on a column of type t", "one on another type")
            }
            Self::Step { .. } => Ok(()),
        }
    }

    /// The same, counted from another row: what a page that begins `rows` later prints, or
    /// with a negative count the layout of a page that was read.
    ///
    /// # Errors
    /// [`ErrorCode::HeaderValue`] when a sequence does not reach so far.
    pub(crate) fn moved(&self, rows: i128) -> Result<Self, Error> {
        let Self::Sequence { start, step } = self else {
            return Ok(self.clone());
        };
        let start = advance(start, *step, rows).map(Cell::to_value);
        start.map_or_else(
            || {
                Err(Error::new(
                    ErrorCode::HeaderValue,
                    "a sequence that stays in its type's range from the first row to this page",
                    "one that leaves it",
                ))
            },
            |start| Ok(Self::Sequence { start, step: *step }),
        )
    }

    /// Appends what stands behind the `=`.
    pub(crate) fn push<S: Sink>(&self, out: &mut S, column: &Column) {
        // The layout was checked, so that what is written here fits its column.
        match self {
            Self::Constant(value) => {
                let _ = push_value(out, column, value.as_cell(), PLACE);
            }
            Self::Sequence { start, step } => {
                let _ = push_value(out, column, start.as_cell(), PLACE);
                out.push_char(if *step < 0 { '-' } else { '+' });
                let size = step.unsigned_abs();
                match column.column_type() {
                    ColumnType::Time => push_duration(out, size.cast_signed()),
                    ColumnType::Decimal { scale } => {
                        out.push_str(&Decimal::new(size.into(), scale).to_string());
                    }
                    _ => out.push_str(itoa::Buffer::new().format(size)),
                }
            }
            Self::Step { step_ms } => {
                out.push_char('+');
                push_duration(out, *step_ms);
            }
        }
    }

    /// Reads what stands behind the `=` of a declaration, up to a comma or the end. Gives it
    /// and how many bytes it took.
    ///
    /// # Errors
    /// [`ErrorCode::Column`] or [`ErrorCode::Escape`], with the column inside `text`.
    pub(crate) fn parse(text: &str, column: &Column) -> Result<(Self, usize), Error> {
        if text.starts_with('"') {
            let (value, used) = escape::read_quoted(text)?;
            let (value, _) = parse_value(Raw::Quoted(value), column, PLACE).map_err(as_column)?;
            return Ok((Self::Constant(value.into_value()), used));
        }
        let end = text.find(',').unwrap_or(text.len());
        let bare = &text[..end];
        if let (ColumnType::Time, Some(step)) = (column.column_type(), bare.strip_prefix('+')) {
            let step_ms = parse_duration(step).ok_or_else(|| not_a_step(step))?;
            return Ok((Self::Step { step_ms }, end));
        }
        if let Some(at) = sign_of_step(column.column_type(), bare) {
            let (start, step) = (&bare[..at], &bare[at + 1..]);
            let (start, _) = parse_value(Raw::Bare(start), column, PLACE).map_err(as_column)?;
            let size = match column.column_type() {
                ColumnType::Time => parse_duration(step),
                ColumnType::Decimal { scale } => Decimal::parse(step, scale)
                    .and_then(|decimal| i64::try_from(decimal.mantissa()).ok()),
                _ => step.parse().ok(),
            };
            let size = size
                .filter(|size| *size > 0)
                .ok_or_else(|| not_a_step(step).at(0, escape::column(text, at + 1)))?;
            if matches!(start.as_cell(), Cell::Null | Cell::Absent) {
                return Err(Error::new(
                    ErrorCode::Column,
                    "a value that a sequence starts with",
                    start.as_cell().noun(),
                )
                .at(0, 1));
            }
            let negative = bare.as_bytes()[at] == b'-';
            let start = start.into_value();
            let step = if negative { -size } else { size };
            return Ok((Self::Sequence { start, step }, end));
        }
        let (value, _) = parse_value(Raw::Bare(bare), column, PLACE).map_err(as_column)?;
        Ok((Self::Constant(Lent::into_value(value)), end))
    }
}

/// A constant stands among declarations.
const PLACE: Place = Place::HEADER;

fn as_column(error: Error) -> Error {
    let column = error.column().unwrap_or(1);
    Error::new(ErrorCode::Column, error.expected(), error.found()).at(0, column)
}

fn not_a_step(step: &str) -> Error {
    Error::new(
        ErrorCode::Column,
        "a step above zero, such as 1, 0.5 or, for times, 1h",
        excerpt(step),
    )
}

/// Where the sign of the step stands in `start+step` or `start-step`.
fn sign_of_step(kind: ColumnType, text: &str) -> Option<usize> {
    let start = match kind {
        ColumnType::I64 | ColumnType::U64 | ColumnType::Decimal { .. } => 1,
        // A date has dashes of its own; what follows is a clock, which ends with Z.
        ColumnType::Time => match text.as_bytes().get(10) {
            Some(b'T') => text.find('Z')? + 1,
            _ => 10,
        },
        _ => return None,
    };
    let found = text.get(start..)?.find(['+', '-'])?;
    Some(start + found)
}

/// `start` and `rows` steps; `None` outside the range of its type.
fn advance(start: &Value, step: i64, rows: i128) -> Option<Cell<'static>> {
    let far = i128::from(step).checked_mul(rows)?;
    let from = |start: i128| start.checked_add(far);
    Some(match start {
        Value::I64(start) => Cell::I64(from((*start).into())?.try_into().ok()?),
        Value::U64(start) => Cell::U64(from((*start).into())?.try_into().ok()?),
        Value::Decimal(start) => {
            Cell::Decimal(Decimal::new(from(start.mantissa())?, start.scale()))
        }
        Value::Time(start_ms) => {
            let time_ms = i64::try_from(from((*start_ms).into())?).ok()?;
            Cell::Time(Some(time_ms).filter(|time_ms| time::in_range(*time_ms))?)
        }
        _ => return None,
    })
}
