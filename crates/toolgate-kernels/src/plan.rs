//! A plan: kernels that feed each other, written as JSON.

mod fields;
mod graph;
mod nearest;
mod node;

use std::sync::Arc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{Error, PlanFault, Run};
use fields::Fields;
pub(crate) use node::{Source, Step, Work};

/// The most bytes that the JSON of a plan may have.
///
/// ```
/// use toolgate_kernels::{MAX_PLAN_BYTES, Plan};
///
/// let text = " ".repeat(MAX_PLAN_BYTES + 1);
/// assert_eq!(Plan::from_json(&text).unwrap_err().code(), "plan_too_large");
/// ```
pub const MAX_PLAN_BYTES: usize = 64 * 1024;
/// The most inputs, nodes, or outputs of a plan.
///
/// ```
/// assert_eq!(toolgate_kernels::MAX_PLAN_NODES, 256);
/// ```
pub const MAX_PLAN_NODES: usize = 256;
/// The most bytes that the name of an input or a node may have.
///
/// ```
/// assert_eq!(toolgate_kernels::MAX_NAME_BYTES, 64);
/// ```
pub const MAX_NAME_BYTES: usize = 64;
/// The most bytes that the state of a plan may grow to.
///
/// ```
/// assert_eq!(toolgate_kernels::MAX_STATE_BYTES, 64 * 1024 * 1024);
/// ```
pub const MAX_STATE_BYTES: u64 = 64 * 1024 * 1024;

/// A validated plan: inputs, kernels that read inputs or each other, and outputs.
///
/// The JSON of a plan has three fields:
///
/// * `inputs`: the columns that the caller gives, by name, such as `open`, `high`,
///   `low`, `close`, `volume`;
/// * `nodes`: in any order, each with an `id`, a `kernel`, and the kernel's fields;
/// * `outputs`: the ids of the nodes whose results are wanted, in the order wanted.
///
/// | `kernel` | fields |
/// |---|---|
/// | `sma` | `input`, `period` |
/// | `ema` | `input`, `period`, `seed`: `sma`, `first` or `adjusted` |
/// | `cross` | `fast`, `slow`: a name, or a number on one side |
///
/// `input`, `fast` and `slow` name an input or a node of numbers. Everything that is
/// declared is done: each input must be given with every chunk, each node is computed
/// once. Parsing is strict; an error names the node, the fault, what was expected, and
/// what to write instead.
///
/// A plan is cheap to clone.
///
/// ```
/// use toolgate_kernels::{Columns, Plan};
///
/// let plan = Plan::from_json(r#"{
///     "inputs": ["close"],
///     "nodes": [
///         {"id": "fast", "kernel": "sma", "input": "close", "period": 2},
///         {"id": "x", "kernel": "cross", "fast": "fast", "slow": 10}
///     ],
///     "outputs": ["fast", "x"]
/// }"#)?;
/// let mut run = plan.start();
/// let out = run.push(&Columns {
///     time_ms: &[0, 60_000, 120_000],
///     columns: &[("close", &[9.0, 10.0, 12.0])],
/// })?;
/// assert_eq!(out.number("fast").and_then(|column| column.get(2)), Some(11.0));
/// assert_eq!(out.events("x").map(|events| events.len()), Some(1));
///
/// let error = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"], "nodes": [
///     {"id": "a", "kernel": "smaa", "input": "close", "period": 2}]}"#).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "plan: nodes[0] (`a`), field `kernel`: `smaa` is not a kernel; write `sma` (there are: sma, ema, cross)",
/// );
/// # Ok::<(), toolgate_kernels::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Plan {
    body: Arc<Body>,
}

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) inputs: Vec<String>,
    /// In an order in which each node comes after those it reads.
    pub(crate) steps: Vec<Step>,
    /// Places in `steps`.
    pub(crate) outputs: Vec<usize>,
    json: String,
    pub(crate) hash: [u8; 32],
}

impl Plan {
    /// Reads and checks a plan.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] with the first fault found.
    ///
    /// ```
    /// use toolgate_kernels::{Error, Plan, PlanFault};
    ///
    /// let error = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"], "nodes": [
    ///     {"id": "a", "kernel": "ema", "input": "clsoe", "period": 2, "seed": "first"}]}"#)
    ///     .unwrap_err();
    /// assert_eq!(error, Error::Plan {
    ///     fault: PlanFault::UnknownName,
    ///     place: "nodes[0] (`a`), field `input`".to_owned(),
    ///     found: "`clsoe` is neither an input nor a node".to_owned(),
    ///     instead: "write `close` (there are: close, a)".to_owned(),
    /// });
    /// ```
    pub fn from_json(json: &str) -> Result<Self, Error> {
        if json.len() > MAX_PLAN_BYTES {
            return Err(fault(
                PlanFault::TooLarge,
                "the text",
                format!("it has {} bytes", json.len()),
                format!("write at most {MAX_PLAN_BYTES}: fewer nodes, shorter names"),
            ));
        }
        let top = Fields::read_text(json)?;
        top.check_known(&["inputs", "nodes", "outputs"])?;
        let inputs = fields::names(top.required("inputs", r#""inputs": ["close"]"#)?, "inputs")?;
        let nodes = top.required(
            "nodes",
            r#""nodes": [{"id": "sma20", "kernel": "sma", "input": "close", "period": 20}]"#,
        )?;
        let outputs = top.required("outputs", r#""outputs": ["sma20"]"#)?;

        let nodes = node::read_all(nodes)?;
        let outputs = fields::names(outputs, "outputs")?;
        let (steps, places) = graph::order(&inputs, &nodes)?;
        let ids = || nodes.iter().map(|node| node.id.as_str());
        let outputs = outputs
            .iter()
            .enumerate()
            .map(|(at, name)| match ids().position(|id| id == name) {
                Some(node) => Ok(places[node]),
                None => Err(fault(
                    PlanFault::UnknownName,
                    format!("outputs[{at}]"),
                    format!("{} is not a node", fields::quoted(name)),
                    nearest::write_instead(name, ids()),
                )),
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::of_parts(inputs, steps, outputs)
    }

    fn of_parts(
        mut inputs: Vec<String>,
        mut steps: Vec<Step>,
        outputs: Vec<usize>,
    ) -> Result<Self, Error> {
        // The order of the inputs says nothing, so it must not show in the hash.
        let given = inputs.clone();
        inputs.sort();
        for source in steps.iter_mut().flat_map(|step| step.sources.iter_mut()) {
            if let Source::Input(input) = source {
                *input = inputs
                    .iter()
                    .position(|name| *name == given[*input])
                    .unwrap_or(*input);
            }
        }
        let json = to_json(&inputs, &steps, &outputs);
        let mut hasher = Sha256::new();
        hasher.update(b"toolgate-kernels plan\n");
        hasher.update(json.as_bytes());
        let hash = hasher.finalize().into();
        let plan = Self {
            body: Arc::new(Body {
                inputs,
                steps,
                outputs,
                json,
                hash,
            }),
        };
        let bytes = plan.max_state_bytes();
        if bytes > MAX_STATE_BYTES {
            return Err(fault(
                PlanFault::StateTooLarge,
                "nodes",
                format!("their states could grow to {bytes} bytes"),
                format!(
                    "write shorter periods or fewer nodes: an sma keeps 8 bytes a bar, all \
                     together at most {MAX_STATE_BYTES}"
                ),
            ));
        }
        Ok(plan)
    }

    /// The canonical JSON: the fields in a fixed order, inputs and nodes sorted by name,
    /// no blanks. Plans that compute the same under the same names print alike.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"outputs": ["x"], "inputs": ["rsi"], "nodes":
    ///     [{"kernel": "cross", "id": "x", "slow": 3e1, "fast": "rsi"}]}"#)?;
    /// assert_eq!(
    ///     plan.to_json(),
    ///     r#"{"inputs":["rsi"],"nodes":[{"id":"x","kernel":"cross","fast":"rsi","slow":30.0}],"outputs":["x"]}"#,
    /// );
    /// assert_eq!(Plan::from_json(plan.to_json())?, plan);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> &str {
        &self.body.json
    }

    /// The SHA-256 of a label and the canonical JSON: the plan's name in saved states.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = |period| Plan::from_json(&format!(r#"{{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{{"id": "a", "kernel": "sma", "input": "close", "period": {period}}}]}}"#));
    /// assert_eq!(plan(20)?.hash(), plan(20)?.hash());
    /// assert_ne!(plan(20)?.hash(), plan(21)?.hash());
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        self.body.hash
    }

    /// The columns that every chunk must bring, in the canonical order.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["high", "close"], "outputs": ["x"],
    ///     "nodes": [{"id": "x", "kernel": "cross", "fast": "high", "slow": "close"}]}"#)?;
    /// assert_eq!(plan.inputs(), ["close", "high"]);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn inputs(&self) -> &[String] {
        &self.body.inputs
    }

    /// The ids of the outputs, in the order of the plan.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 20}]}"#)?;
    /// assert_eq!(plan.outputs().collect::<Vec<_>>(), ["a"]);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.body
            .outputs
            .iter()
            .map(|at| self.body.steps[*at].id.as_str())
    }

    /// How many bars it takes before all outputs can have a result: the longest way
    /// through the graph, not the longest period.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["b"], "nodes": [
    ///     {"id": "a", "kernel": "sma", "input": "close", "period": 20},
    ///     {"id": "b", "kernel": "sma", "input": "a", "period": 5}]}"#)?;
    /// assert_eq!(plan.warm_up(), 19 + 4);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn warm_up(&self) -> u64 {
        let warm_ups = self
            .body
            .outputs
            .iter()
            .map(|at| self.body.steps[*at].warm_up);
        warm_ups.max().unwrap_or(0)
    }

    /// The warm-up of one node, in bars; `None` if there is no such node.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["b"], "nodes": [
    ///     {"id": "a", "kernel": "sma", "input": "close", "period": 20},
    ///     {"id": "b", "kernel": "cross", "fast": "close", "slow": "a"}]}"#)?;
    /// assert_eq!((plan.warm_up_of("b"), plan.warm_up_of("c")), (Some(19), None));
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn warm_up_of(&self, id: &str) -> Option<u64> {
        self.body
            .steps
            .iter()
            .find(|step| step.id == id)
            .map(|step| step.warm_up)
    }

    /// The most bytes that [`Run::save`] gives for this plan.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 1000}]}"#)?;
    /// assert!((8_000..8_400).contains(&plan.max_state_bytes()));
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn max_state_bytes(&self) -> u64 {
        crate::run::max_state_bytes(&self.body)
    }

    /// A run of this plan from the start of the data.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = Plan::from_json(r#"{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{"id": "a", "kernel": "sma", "input": "close", "period": 20}]}"#)?;
    /// assert_eq!(plan.start().bars(), 0);
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    #[must_use]
    pub fn start(&self) -> Run {
        Run::start(self.clone())
    }

    /// The run that [`Run::save`] wrote, ready to go on. Allocates at most in proportion
    /// to `state`.
    ///
    /// # Errors
    ///
    /// [`Error::StatePlan`] if another plan saved it; [`Error::StateMagic`],
    /// [`Error::StateVersion`], [`Error::StateKernel`] and [`Error::StateCorrupt`] if
    /// the bytes are of no use.
    ///
    /// ```
    /// use toolgate_kernels::Plan;
    ///
    /// let plan = |period| Plan::from_json(&format!(r#"{{"inputs": ["close"], "outputs": ["a"],
    ///     "nodes": [{{"id": "a", "kernel": "sma", "input": "close", "period": {period}}}]}}"#));
    /// let state = plan(20)?.start().save();
    /// assert_eq!(plan(20)?.restore(&state)?.save(), state);
    /// assert_eq!(plan(21)?.restore(&state).unwrap_err().code(), "state_plan");
    /// # Ok::<(), toolgate_kernels::Error>(())
    /// ```
    pub fn restore(&self, state: &[u8]) -> Result<Run, Error> {
        Run::restore(self.clone(), state)
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        self.body.json == other.body.json
    }
}

impl Eq for Plan {}

/// Shorthand for [`Error::Plan`].
fn fault(
    fault: PlanFault,
    place: impl Into<String>,
    found: impl Into<String>,
    instead: impl Into<String>,
) -> Error {
    Error::Plan {
        fault,
        place: place.into(),
        found: found.into(),
        instead: instead.into(),
    }
}

/// The canonical JSON of a plan.
fn to_json(inputs: &[String], steps: &[Step], outputs: &[usize]) -> String {
    #[derive(Serialize)]
    struct PlanOut<'a> {
        inputs: &'a [String],
        nodes: Vec<NodeOut<'a>>,
        outputs: Vec<&'a str>,
    }
    #[derive(Serialize)]
    struct NodeOut<'a> {
        id: &'a str,
        kernel: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<SideOut<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        seed: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        fast: Option<SideOut<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        slow: Option<SideOut<'a>>,
    }
    #[derive(Serialize)]
    #[serde(untagged)]
    enum SideOut<'a> {
        Name(&'a str),
        Level(f64),
    }
    let side = |source: &Source| match source {
        Source::Input(at) => SideOut::Name(&inputs[*at]),
        Source::Node(at) => SideOut::Name(&steps[*at].id),
        Source::Level(level) => SideOut::Level(*level),
    };
    let mut nodes: Vec<_> = steps
        .iter()
        .map(|step| {
            let mut node = NodeOut {
                id: &step.id,
                kernel: step.work.kernel(),
                input: None,
                period: None,
                seed: None,
                fast: None,
                slow: None,
            };
            let mut sides = step.sources.iter().map(side);
            match step.work {
                Work::Sma { period } => {
                    (node.input, node.period) = (sides.next(), Some(period));
                }
                Work::Ema { period, seed } => {
                    (node.input, node.period) = (sides.next(), Some(period));
                    node.seed = Some(seed.name());
                }
                Work::Cross => (node.fast, node.slow) = (sides.next(), sides.next()),
            }
            node
        })
        .collect();
    nodes.sort_by_key(|node| node.id);
    let outputs = outputs.iter().map(|at| steps[*at].id.as_str()).collect();
    // Strings and finite numbers always serialize.
    serde_json::to_string(&PlanOut {
        inputs,
        nodes,
        outputs,
    })
    .unwrap_or_default()
}
