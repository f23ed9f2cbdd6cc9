//! A plan at work.

mod saved;

use crate::plan::{Body, Source, Step, Work};
use crate::summary::Tally;
use crate::{
    Columns, Cross, Direction, Ema, Error, Event, Kernel, Lines, Output, Outputs, Plan, Sma,
    Summary,
};

/// A plan at work: takes chunks of bars, and can be saved and restored between any two.
///
/// ```
/// use toolgate_kernels::{Columns, Plan};
///
/// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
/// let mut run = plan.start();
/// run.push(&Columns { time_ms: &[0, 1], columns: &[("close", &[1.0, 2.0])] })?;
///
/// let mut run = plan.restore(&run.save())?; // on another day, on another machine
/// let out = run.push(&Columns { time_ms: &[2], columns: &[("close", &[5.0])] })?;
/// assert_eq!(out.number("a").and_then(|column| column.get(0)), Some(3.5));
/// assert_eq!(run.bars(), 3);
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Run {
    plan: Plan,
    bars: u64,
    /// The times of the first and of the last bar; the same, before there is one.
    times_ms: Option<(i64, i64)>,
    /// One a step of the plan.
    kernels: Vec<StepKernel>,
    /// One an output of the plan.
    tallies: Vec<Tally>,
    scratch: Vec<Block>,
}

/// The kernel of one step.
#[derive(Debug, Clone)]
enum StepKernel {
    Sma(Sma),
    Ema(Ema),
    Cross(Cross),
}

/// The results of one step over the current block of rows: of its last rows, since the
/// first may be warm-up.
#[derive(Debug, Clone, Default)]
struct Block {
    values: Vec<f64>,
    cells: Vec<Option<Direction>>,
}

/// Rows that all steps take before any takes the next, so that what passes between
/// them stays in the nearest cache.
const BLOCK_ROWS: usize = 1024;

impl Run {
    pub(crate) fn start(plan: Plan) -> Self {
        let body = plan.body();
        let kernels = body
            .steps
            .iter()
            .map(|step| StepKernel::new(step.work))
            .collect();
        let tallies = body
            .outputs
            .iter()
            .map(|at| Tally::new(body.steps[*at].work.gives_numbers()))
            .collect();
        let scratch = vec![Block::default(); body.steps.len()];
        Self {
            plan,
            bars: 0,
            times_ms: None,
            kernels,
            tallies,
            scratch,
        }
    }

    /// Takes a chunk and gives its results. All or nothing: if it fails, the run is as
    /// it was.
    ///
    /// # Errors
    ///
    /// [`Error::MissingColumn`], [`Error::DuplicateColumn`], [`Error::LengthMismatch`],
    /// [`Error::DuplicateTime`], [`Error::OutOfOrder`] and [`Error::NonFinite`], with
    /// the row in the chunk.
    ///
    /// ```
    /// use toolgate_kernels::{Columns, Plan};
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// let mut run = plan.start();
    /// let chunk = Columns { time_ms: &[0, 1], columns: &[("close", &[1.0, f64::NAN])] };
    /// let error = run.push(&chunk).unwrap_err();
    /// assert_eq!(error.code(), "non_finite");
    /// assert!(error.to_string().starts_with("row 1 of column `close` is NaN"));
    /// assert_eq!(run.bars(), 0);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn push(&mut self, chunk: &Columns<'_>) -> Result<Outputs, Error> {
        let mut out = Outputs::default();
        self.push_into(chunk, &mut out)?;
        Ok(out)
    }

    /// As [`push`](Self::push), with the results in place of what `out` held; its memory
    /// is used again. If it fails, `out` is empty.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    ///
    /// ```
    /// use toolgate_kernels::{Columns, Outputs, Plan};
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 1}]}"#)?;
    /// let mut out = Outputs::default();
    /// plan.start().push_into(&Columns { time_ms: &[7], columns: &[("close", &[1.0])] }, &mut out)?;
    /// assert_eq!(out.rows(), 1);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn push_into(&mut self, chunk: &Columns<'_>, out: &mut Outputs) -> Result<(), Error> {
        let body = self.plan.body();
        out.reset(body.outputs.iter().map(|at| {
            let step = &body.steps[*at];
            (step.id.as_str(), step.work.gives_numbers())
        }));
        let inputs = chunk.check(&self.plan, self.times_ms.map(|(_, last)| last))?;
        // Nothing fails from here on: averages of finite numbers are finite.
        out.first_bar = self.bars;
        out.rows = chunk.time_ms.len();
        let mut start = 0;
        while start < out.rows {
            let end = out.rows.min(start + BLOCK_ROWS);
            let inputs: Vec<&[f64]> = inputs.iter().map(|input| &input[start..end]).collect();
            self.take_block(&inputs, &chunk.time_ms[start..end], out);
            start = end;
        }
        if let (Some(first), Some(last)) = (chunk.time_ms.first(), chunk.time_ms.last()) {
            let first = self.times_ms.map_or(*first, |(first, _)| first);
            self.times_ms = Some((first, *last));
        }
        Ok(())
    }

    fn take_block(&mut self, inputs: &[&[f64]], time_ms: &[i64], out: &mut Outputs) {
        let Self {
            plan,
            bars,
            kernels,
            tallies,
            scratch,
            ..
        } = self;
        let body = plan.body();
        let rows = time_ms.len();
        for (at, (step, kernel)) in body.steps.iter().zip(kernels).enumerate() {
            // Steps read only steps before them.
            let (before, rest) = scratch.split_at_mut(at);
            if let Some(block) = rest.first_mut() {
                kernel.take(step, inputs, before, block);
            }
        }
        for (tally, (step, (_, output))) in tallies
            .iter_mut()
            .zip(body.outputs.iter().zip(&mut out.outputs))
        {
            let block = &scratch[*step];
            match output {
                Output::Numbers(numbers) => {
                    let warming = rows - block.values.len();
                    numbers.extend_warming(warming);
                    numbers.extend_from_slice(&block.values);
                    tally.take_numbers(*bars + warming as u64, &time_ms[warming..], &block.values);
                }
                Output::Events {
                    cells,
                    validity,
                    events,
                } => {
                    let warming = rows - block.cells.len();
                    cells.resize(cells.len() + warming, None);
                    cells.extend_from_slice(&block.cells);
                    validity.extend(warming, false);
                    validity.extend(block.cells.len(), true);
                    let sources = &body.steps[*step].sources;
                    let side = |source: usize, row: usize| match sources.get(source) {
                        Some(Source::Input(input)) => inputs[*input][row],
                        Some(Source::Node(node)) => {
                            let values = &scratch[*node].values;
                            values[row - (rows - values.len())]
                        }
                        Some(Source::Level(level)) => *level,
                        None => 0.0,
                    };
                    for (cell, direction) in block.cells.iter().enumerate() {
                        let Some(direction) = *direction else {
                            continue;
                        };
                        let row = warming + cell;
                        tally.take_event(direction);
                        events.push(Event {
                            bar: *bars + row as u64,
                            time_ms: time_ms[row],
                            direction,
                            fast: side(0, row),
                            slow: side(1, row),
                        });
                    }
                }
            }
        }
        *bars += rows as u64;
    }

    /// How many bars were taken.
    ///
    /// ```
    /// use toolgate_kernels::{Columns, Plan};
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// let mut run = plan.start();
    /// run.push(&Columns { time_ms: &[0, 9], columns: &[("close", &[1.0, 2.0])] })?;
    /// assert_eq!(run.bars(), 2);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn bars(&self) -> u64 {
        self.bars
    }

    /// The time of the last bar, in milliseconds.
    ///
    /// ```
    /// use toolgate_kernels::{Columns, Plan};
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// let mut run = plan.start();
    /// assert_eq!(run.last_time_ms(), None);
    /// run.push(&Columns { time_ms: &[0, 9], columns: &[("close", &[1.0, 2.0])] })?;
    /// assert_eq!(run.last_time_ms(), Some(9));
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn last_time_ms(&self) -> Option<i64> {
        self.times_ms.map(|(_, last)| last)
    }

    /// The plan.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// assert_eq!(plan.start().plan(), &plan);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What the run has seen so far.
    ///
    /// ```
    /// use toolgate_kernels::{Columns, Plan};
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// let mut run = plan.start();
    /// run.push(&Columns { time_ms: &[0, 9], columns: &[("close", &[1.0, 2.0])] })?;
    /// assert_eq!(run.summary().bars, 2);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            bars: self.bars,
            first_time_ms: self.times_ms.map(|(first, _)| first),
            last_time_ms: self.last_time_ms(),
            outputs: self
                .tallies
                .iter()
                .zip(self.plan.outputs())
                .map(|(tally, id)| tally.summary(id))
                .collect(),
        }
    }

    /// The whole state as bytes: two runs that will go on alike have equal bytes.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 2}]}"#)?;
    /// let state = plan.start().save();
    /// assert!(state.starts_with(b"TGPS"));
    /// assert!(state.len() as u64 <= plan.max_state_bytes());
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        saved::write(self)
    }

    pub(crate) fn restore(plan: Plan, state: &[u8]) -> Result<Self, Error> {
        saved::read(plan, state)
    }
}

/// The most bytes of a state of this plan.
pub(crate) fn max_state_bytes(body: &Body) -> u64 {
    saved::max_bytes(body)
}

impl StepKernel {
    /// A kernel of a plan, whose parameters were checked when it was read.
    fn new(work: Work) -> Self {
        match work {
            Work::Sma { period } => Self::Sma(Sma::of_checked(period)),
            Work::Ema { period, seed } => Self::Ema(Ema::of_checked(period, seed)),
            Work::Cross => Self::Cross(Cross::new()),
        }
    }

    /// Takes one block of rows.
    fn take(&mut self, step: &Step, inputs: &[&[f64]], before: &[Block], block: &mut Block) {
        let line = |source: usize| -> &[f64] {
            match step.sources.get(source) {
                Some(Source::Input(input)) => inputs[*input],
                Some(Source::Node(node)) => &before[*node].values,
                Some(Source::Level(_)) | None => &[],
            }
        };
        block.values.clear();
        block.cells.clear();
        match self {
            Self::Sma(sma) => sma.extend(line(0), &mut block.values),
            Self::Ema(ema) => ema.extend(line(0), &mut block.values),
            Self::Cross(cross) => {
                let lines = match step.sources.as_slice() {
                    [Source::Level(fast), _] => Lines::FastLevel {
                        fast: *fast,
                        slow: line(1),
                    },
                    [_, Source::Level(slow)] => Lines::SlowLevel {
                        fast: line(0),
                        slow: *slow,
                    },
                    // The line that warms up longer is shorter: the last rows have both.
                    _ => {
                        let (fast, slow) = (line(0), line(1));
                        let rows = fast.len().min(slow.len());
                        Lines::Both {
                            fast: &fast[fast.len() - rows..],
                            slow: &slow[slow.len() - rows..],
                        }
                    }
                };
                cross.extend(lines, &mut block.cells);
            }
        }
    }

    fn bars(&self) -> u64 {
        match self {
            Self::Sma(sma) => sma.bars(),
            Self::Ema(ema) => ema.bars(),
            Self::Cross(cross) => cross.bars(),
        }
    }

    /// The number at the last bar.
    fn last(&self) -> Option<f64> {
        match self {
            Self::Sma(sma) => sma.last(),
            Self::Ema(ema) => ema.last(),
            Self::Cross(_) => None,
        }
    }
}
