//! What a chunk gave.

use crate::{Bitmap, Direction, Numbers};

/// A cross that happened.
///
/// ```
/// use toolgate_kernels::{Columns, Direction, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["x"],
///     "nodes": [{"id": "x", "kernel": "cross", "fast": "close", "slow": 10}]}"#)?;
/// let out = plan.start().push(&Columns { time_ms: &[5, 6], columns: &[("close", &[9.0, 11.0])] })?;
/// let event = out.events("x").unwrap_or_default()[0];
/// assert_eq!((event.bar, event.time_ms, event.direction), (1, 6, Direction::Up));
/// assert_eq!((event.fast, event.slow), (11.0, 10.0));
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The bar, counted from 0 at the start of the run.
    pub bar: u64,
    /// The time of the bar, in milliseconds.
    pub time_ms: i64,
    /// Which way the fast line went.
    pub direction: Direction,
    /// The fast line at this bar.
    pub fast: f64,
    /// The slow line, or the level, at this bar.
    pub slow: f64,
}

/// The results of one output of a plan over one chunk, one slot a row.
///
/// ```
/// use toolgate_kernels::{Columns, Output, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 1}]}"#)?;
/// let out = plan.start().push(&Columns { time_ms: &[0], columns: &[("close", &[9.5])] })?;
/// let Some((id, Output::Numbers(column))) = out.iter().next() else { panic!() };
/// assert_eq!((id, column.get(0)), ("a", Some(9.5)));
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// The results of an average.
    Numbers(Numbers),
    /// The results of a cross.
    Events {
        /// What happened at each row, if anything did.
        cells: Vec<Option<Direction>>,
        /// The rows at which both lines had a value; no event can be at another.
        validity: Bitmap,
        /// What happened, in order.
        events: Vec<Event>,
    },
}

/// The results of one chunk: each output of the plan, in the plan's order.
///
/// It can be used again, so that a long run allocates once: see
/// [`Run::push_into`](crate::Run::push_into).
///
/// ```
/// use toolgate_kernels::{Columns, Outputs, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
/// let mut run = plan.start();
/// let mut out = Outputs::default();
/// run.push_into(&Columns { time_ms: &[0], columns: &[("close", &[1.0])] }, &mut out)?;
/// run.push_into(&Columns { time_ms: &[1], columns: &[("close", &[2.0])] }, &mut out)?;
/// assert_eq!((out.first_bar(), out.rows()), (1, 1));
/// assert_eq!(out.number("a").and_then(|column| column.get(0)), Some(1.5));
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    pub(crate) first_bar: u64,
    pub(crate) rows: usize,
    pub(crate) outputs: Vec<(String, Output)>,
}

impl Outputs {
    /// The bar of the first row, counted from 0 at the start of the run.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().first_bar(), 0);
    /// ```
    #[must_use]
    pub fn first_bar(&self) -> u64 {
        self.first_bar
    }

    /// The rows of the chunk.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().rows(), 0);
    /// ```
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The outputs by id, in the plan's order.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().iter().count(), 0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Output)> {
        self.outputs
            .iter()
            .map(|(id, output)| (id.as_str(), output))
    }

    /// The output `id`.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().get("a"), None);
    /// ```
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Output> {
        self.outputs
            .iter()
            .find(|(name, _)| name == id)
            .map(|(_, output)| output)
    }

    /// The numbers of the output `id`; `None` if there is no such output or it is a cross.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().number("a"), None);
    /// ```
    #[must_use]
    pub fn number(&self, id: &str) -> Option<&Numbers> {
        match self.get(id)? {
            Output::Numbers(numbers) => Some(numbers),
            Output::Events { .. } => None,
        }
    }

    /// The events of the output `id`; `None` if there is no such output or it is not a
    /// cross.
    ///
    /// ```
    /// assert_eq!(toolgate_kernels::Outputs::default().events("x"), None);
    /// ```
    #[must_use]
    pub fn events(&self, id: &str) -> Option<&[Event]> {
        match self.get(id)? {
            Output::Events { events, .. } => Some(events),
            Output::Numbers(_) => None,
        }
    }

    /// Empties all columns, and makes them those of `ids` if they are not.
    pub(crate) fn reset<'a>(&mut self, ids: impl Iterator<Item = (&'a str, bool)> + Clone) {
        self.first_bar = 0;
        self.rows = 0;
        let mut kept = self.outputs.iter();
        let same = ids.clone().all(|(id, numbers)| {
            kept.next().is_some_and(|(name, output)| {
                name == id && matches!(output, Output::Numbers(_)) == numbers
            })
        });
        if !same || kept.next().is_some() {
            self.outputs = ids
                .map(|(id, numbers)| {
                    let output = if numbers {
                        Output::Numbers(Numbers::default())
                    } else {
                        Output::Events {
                            cells: Vec::new(),
                            validity: Bitmap::new(),
                            events: Vec::new(),
                        }
                    };
                    (id.to_owned(), output)
                })
                .collect();
        }
        for (_, output) in &mut self.outputs {
            match output {
                Output::Numbers(numbers) => numbers.clear(),
                Output::Events {
                    cells,
                    validity,
                    events,
                } => {
                    cells.clear();
                    validity.clear();
                    events.clear();
                }
            }
        }
    }
}
