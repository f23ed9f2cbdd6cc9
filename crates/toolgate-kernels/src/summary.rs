//! What a run has seen so far, in a few numbers.

use crate::state::{Reader, corrupt};
use crate::{Direction, Error};

/// A value with its place.
///
/// ```
/// let mark = toolgate_kernels::Mark { bar: 3, time_ms: 180_000, value: 1.5 };
/// assert_eq!(mark.bar, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mark {
    /// The bar, counted from 0 at the start of the run.
    pub bar: u64,
    /// The time of the bar, in milliseconds.
    pub time_ms: i64,
    /// The value at this bar.
    pub value: f64,
}

/// The whole of one output since the start of the run.
///
/// ```
/// use toolgate_kernels::{Columns, OutputSummary, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["x"],
///     "nodes": [{"id": "x", "kernel": "cross", "fast": "close", "slow": 10}]}"#)?;
/// let mut run = plan.start();
/// run.push(&Columns { time_ms: &[5, 6], columns: &[("close", &[9.0, 11.0])] })?;
/// assert_eq!(run.summary().outputs, [OutputSummary::Events { id: "x".to_owned(), up: 1, down: 0 }]);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum OutputSummary {
    /// An average.
    Numbers {
        /// The output.
        id: String,
        /// How many bars had a value.
        count: u64,
        /// The range, if any bar had a value.
        range: Option<Range>,
    },
    /// A cross.
    Events {
        /// The output.
        id: String,
        /// How many times the fast line went up through the slow one.
        up: u64,
        /// How many times it went down.
        down: u64,
    },
}

/// The first, last, least and largest value of an output. Of equal values the earliest
/// is the least or largest.
///
/// ```
/// use toolgate_kernels::{Columns, OutputSummary, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 1}]}"#)?;
/// let mut run = plan.start();
/// run.push(&Columns { time_ms: &[5, 6, 7], columns: &[("close", &[2.0, 9.0, 4.0])] })?;
/// let OutputSummary::Numbers { count, range: Some(range), .. } = &run.summary().outputs[0] else {
///     panic!()
/// };
/// assert_eq!((*count, range.first.value, range.last.value), (3, 2.0, 4.0));
/// assert_eq!((range.min.bar, range.max.time_ms), (0, 6));
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The first value.
    pub first: Mark,
    /// The last value.
    pub last: Mark,
    /// The least value.
    pub min: Mark,
    /// The largest value.
    pub max: Mark,
}

/// What a run has seen so far: what a reader needs before any rows.
///
/// It is part of the run's state, so that it is the same bits however the run was cut.
///
/// ```
/// let plan = toolgate_kernels::Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
/// let summary = plan.start().summary();
/// assert_eq!((summary.bars, summary.first_time_ms, summary.last_time_ms), (0, None, None));
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How many bars were taken.
    pub bars: u64,
    /// The time of the first bar, in milliseconds.
    pub first_time_ms: Option<i64>,
    /// The time of the last bar, in milliseconds.
    pub last_time_ms: Option<i64>,
    /// The outputs, in the plan's order.
    pub outputs: Vec<OutputSummary>,
}

/// The summary of one output, as it grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Tally {
    Numbers { count: u64, range: Option<Range> },
    Events { up: u64, down: u64 },
}

impl Tally {
    pub(crate) const fn new(numbers: bool) -> Self {
        if numbers {
            Self::Numbers {
                count: 0,
                range: None,
            }
        } else {
            Self::Events { up: 0, down: 0 }
        }
    }

    /// The bytes of a tally in a state.
    pub(crate) const fn bytes(&self) -> u64 {
        match self {
            Self::Numbers { .. } => 8 + 4 * 24,
            Self::Events { .. } => 16,
        }
    }

    /// Takes the values of the bars from `bar` on; `time_ms` has their times.
    pub(crate) fn take_numbers(&mut self, bar: u64, time_ms: &[i64], values: &[f64]) {
        let Self::Numbers { count, range } = self else {
            return;
        };
        let (Some(first), Some(last)) = (values.first(), values.last()) else {
            return;
        };
        let mark = |row: usize, value: f64| Mark {
            bar: bar + row as u64,
            time_ms: time_ms.get(row).copied().unwrap_or(0),
            value,
        };
        let range = range.get_or_insert_with(|| {
            let first = mark(0, *first);
            Range {
                first,
                last: first,
                min: first,
                max: first,
            }
        });
        *count += values.len() as u64;
        range.last = mark(values.len() - 1, *last);
        // The extremes first, which is quick, and their places only when they are new.
        let (low, high) = extremes(values);
        if low < range.min.value
            && let Some(row) = values.iter().position(|value| *value == low)
        {
            range.min = mark(row, values[row]);
        }
        if high > range.max.value
            && let Some(row) = values.iter().position(|value| *value == high)
        {
            range.max = mark(row, values[row]);
        }
    }

    /// Takes one event.
    pub(crate) fn take_event(&mut self, direction: Direction) {
        if let Self::Events { up, down } = self {
            match direction {
                Direction::Up => *up += 1,
                Direction::Down => *down += 1,
            }
        }
    }

    pub(crate) fn summary(&self, id: &str) -> OutputSummary {
        let id = id.to_owned();
        match *self {
            Self::Numbers { count, range } => OutputSummary::Numbers { id, count, range },
            Self::Events { up, down } => OutputSummary::Events { id, up, down },
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Numbers { count, range } => {
                out.extend_from_slice(&count.to_le_bytes());
                let Some(range) = range else {
                    return;
                };
                for mark in [range.first, range.last, range.min, range.max] {
                    out.extend_from_slice(&mark.bar.to_le_bytes());
                    out.extend_from_slice(&mark.time_ms.to_le_bytes());
                    out.extend_from_slice(&mark.value.to_bits().to_le_bytes());
                }
            }
            Self::Events { up, down } => {
                out.extend_from_slice(&up.to_le_bytes());
                out.extend_from_slice(&down.to_le_bytes());
            }
        }
    }

    /// Reads the tally of an output that has had `count` bars, the last of a run.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        numbers: bool,
        span: &Span,
        last_value: Option<f64>,
    ) -> Result<Self, Error> {
        let at = reader.at();
        if !numbers {
            let (up, down) = (reader.u64()?, reader.u64()?);
            // Directions alternate, and the first bar has no event.
            if up.abs_diff(down) > 1 || up.saturating_add(down) > span.count.saturating_sub(1) {
                return Err(corrupt(
                    at,
                    "impossible numbers of events",
                    "directions in turn",
                ));
            }
            return Ok(Self::Events { up, down });
        }
        let count = reader.u64()?;
        if count != span.count {
            return Err(corrupt(at, "another count", "the bars past the warm-up"));
        }
        if count == 0 {
            return Ok(Self::Numbers { count, range: None });
        }
        let mut marks = [Mark {
            bar: 0,
            time_ms: 0,
            value: 0.0,
        }; 4];
        for mark in &mut marks {
            *mark = Mark {
                bar: reader.u64()?,
                time_ms: reader.i64()?,
                value: reader.number()?,
            };
        }
        let [first, last, min, max] = marks;
        let range = Range {
            first,
            last,
            min,
            max,
        };
        let last_bits = last_value.map(f64::to_bits);
        if span.allows(&range) && last_bits == Some(last.value.to_bits()) {
            Ok(Self::Numbers {
                count,
                range: Some(range),
            })
        } else {
            Err(corrupt(
                at + 8,
                "an impossible range",
                "marks of bars that were, in order",
            ))
        }
    }
}

/// The bars at which an output had a value: the last `count` of a run.
#[derive(Debug)]
pub(crate) struct Span {
    pub(crate) count: u64,
    pub(crate) bars: u64,
    pub(crate) first_time_ms: i64,
    pub(crate) last_time_ms: i64,
}

impl Span {
    /// Whether a run could have made these marks.
    fn allows(&self, range: &Range) -> bool {
        let Range {
            first,
            last,
            min,
            max,
        } = range;
        let from = self.bars - self.count;
        let to = self.bars - 1;
        let starts = first.bar == from && (from > 0 || first.time_ms == self.first_time_ms);
        let ends = last.bar == to && last.time_ms == self.last_time_ms;
        let held = [first, last, min, max].into_iter().all(|mark| {
            // Times rise by at least one a bar.
            let after_first = i128::from(mark.time_ms) - i128::from(self.first_time_ms);
            let before_last = i128::from(self.last_time_ms) - i128::from(mark.time_ms);
            (from..=to).contains(&mark.bar)
                && after_first >= i128::from(mark.bar)
                && before_last >= i128::from(to - mark.bar)
                && min.value <= mark.value
                && mark.value <= max.value
        });
        // Marks of one bar are the same mark, and of two bars in the order of time;
        // the earliest of equal values is the extreme.
        let pairs = [
            (first, min),
            (first, max),
            (min, last),
            (max, last),
            (min, max),
            (first, last),
        ];
        let agree = pairs.into_iter().all(|(a, b)| {
            if a.bar == b.bar {
                a.time_ms == b.time_ms && a.value.to_bits() == b.value.to_bits()
            } else {
                (a.bar < b.bar) == (a.time_ms < b.time_ms) && a.time_ms != b.time_ms
            }
        });
        let earliest = (min.bar == first.bar || min.value < first.value)
            && (max.bar == first.bar || max.value > first.value)
            && (min.value < max.value || min.bar == max.bar);
        starts && ends && held && agree && earliest
    }
}

/// The least and the largest of finite values, by four at a time.
fn extremes(values: &[f64]) -> (f64, f64) {
    let mut low = [f64::INFINITY; 4];
    let mut high = [f64::NEG_INFINITY; 4];
    let (fours, rest) = values.as_chunks::<4>();
    for four in fours {
        for lane in 0..4 {
            low[lane] = if four[lane] < low[lane] {
                four[lane]
            } else {
                low[lane]
            };
            high[lane] = if four[lane] > high[lane] {
                four[lane]
            } else {
                high[lane]
            };
        }
    }
    let all = |lanes: [f64; 4]| lanes.into_iter().chain(rest.iter().copied());
    (
        all(low).fold(f64::INFINITY, f64::min),
        all(high).fold(f64::NEG_INFINITY, f64::max),
    )
}
