//! One node of a plan.

use serde_json::value::RawValue;

use super::fields::{self, Fields};
use super::{fault, nearest};
use crate::period::{self, PERIOD_RANGE};
use crate::{Cross, Ema, Error, Kernel, PlanFault, Seed, Sma};

/// A node as it is written: its references are names.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) place: String,
    pub(super) id: String,
    pub(super) work: Work,
    /// The fields that refer to something, with what they refer to.
    pub(super) sides: Vec<(&'static str, Side)>,
}

/// What a node does, without where it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Sma { period: u32 },
    Ema { period: u32, seed: Seed },
    Cross,
}

/// What a field refers to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Side {
    Name(String),
    Level(f64),
}

/// A node with its references resolved.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) work: Work,
    /// One for an average, fast and slow for a cross.
    pub(crate) sources: Vec<Source>,
    /// The bars before the first that can have a result, and before the first that
    /// this node's kernel takes.
    pub(crate) warm_up: u64,
    pub(crate) input_warm_up: u64,
}

/// Where a node reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// A place in the inputs.
    Input(usize),
    /// A place in the steps.
    Node(usize),
    /// A constant.
    Level(f64),
}

const KERNELS: [&str; 3] = [Sma::NAME, Ema::NAME, Cross::NAME];

impl Work {
    pub(crate) const fn kernel(self) -> &'static str {
        match self {
            Self::Sma { .. } => Sma::NAME,
            Self::Ema { .. } => Ema::NAME,
            Self::Cross => Cross::NAME,
        }
    }

    /// Whether the results are numbers, and not events.
    pub(crate) const fn gives_numbers(self) -> bool {
        !matches!(self, Self::Cross)
    }

    /// The kernel's own warm-up, in bars.
    pub(super) const fn warm_up(self) -> u64 {
        match self {
            Self::Sma { period }
            | Self::Ema {
                period,
                seed: Seed::Sma,
            } => period as u64 - 1,
            Self::Ema { .. } | Self::Cross => 0,
        }
    }
}

/// Reads the list of nodes.
pub(super) fn read_all(raw: &RawValue) -> Result<Vec<Node>, Error> {
    let mut nodes: Vec<Node> = Vec::new();
    for (at, entry) in fields::list(raw, "nodes")?.into_iter().enumerate() {
        let node = read(entry, at)?;
        if let Some(before) = nodes.iter().find(|before| before.id == node.id) {
            return Err(fault(
                PlanFault::DuplicateName,
                node.place,
                format!("the id is taken by {}", before.place),
                "write another id",
            ));
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn read(raw: &RawValue, at: usize) -> Result<Node, Error> {
    let place = format!("nodes[{at}]");
    let mut node = Fields::read(raw, &place, r#"{"id": ..., "kernel": ..., ...}"#)?;
    // The id first, for the sake of every error about the rest.
    if let Some(id) = node
        .get("id")
        .and_then(|raw| fields::name(raw, &place).ok())
    {
        node.set_place(format!("{place} (`{id}`)"));
    }
    let kernel = node
        .get("kernel")
        .and_then(|raw| fields::string(raw, &place).ok());
    node.check_known(match kernel.as_deref() {
        Some(Sma::NAME) => &["id", "kernel", "input", "period"],
        Some(Ema::NAME) => &["id", "kernel", "input", "period", "seed"],
        Some(Cross::NAME) => &["id", "kernel", "fast", "slow"],
        _ => &["id", "kernel", "input", "period", "seed", "fast", "slow"],
    })?;
    let id = fields::name(
        node.required("id", r#""id": "sma20""#)?,
        &node.place_of("id"),
    )?;
    let kernel = node.required("kernel", r#""kernel": "sma""#)?;
    let kernel = fields::string(kernel, &node.place_of("kernel"))?;
    let (work, sides) = match kernel.as_str() {
        Sma::NAME => {
            let input = name_side(&node, "input")?;
            (
                Work::Sma {
                    period: read_period(&node)?,
                },
                vec![input],
            )
        }
        Ema::NAME => {
            let input = name_side(&node, "input")?;
            let period = read_period(&node)?;
            (
                Work::Ema {
                    period,
                    seed: read_seed(&node)?,
                },
                vec![input],
            )
        }
        Cross::NAME => {
            let sides = vec![any_side(&node, "fast")?, any_side(&node, "slow")?];
            check_cross(&node, &sides)?;
            (Work::Cross, sides)
        }
        other => {
            return Err(fault(
                PlanFault::UnknownKernel,
                node.place_of("kernel"),
                format!("{} is not a kernel", fields::quoted(other)),
                nearest::write_instead(other, KERNELS.into_iter()),
            ));
        }
    };
    Ok(Node {
        place: node.place().to_owned(),
        id,
        work,
        sides,
    })
}

/// A field that names an input or a node.
fn name_side(node: &Fields<'_>, field: &'static str) -> Result<(&'static str, Side), Error> {
    let raw = node.required(field, &format!("\"{field}\": \"close\""))?;
    let place = node.place_of(field);
    if !raw.get().starts_with('"') {
        return Err(fields::wrong_type(
            &place,
            raw,
            "write the name of an input or a node",
        ));
    }
    Ok((field, Side::Name(fields::name(raw, &place)?)))
}

/// A field that names an input or a node, or is a number.
fn any_side(node: &Fields<'_>, field: &'static str) -> Result<(&'static str, Side), Error> {
    let raw = node.required(field, &format!("\"{field}\": \"close\" or \"{field}\": 30"))?;
    let place = node.place_of(field);
    if fields::is_number(raw) {
        // Not by serde_json, which by default does not round every number right.
        let level: f64 = raw.get().parse().unwrap_or(f64::NAN);
        if !level.is_finite() {
            return Err(fault(
                PlanFault::BadValue,
                place,
                "the number is too large",
                "write a level that fits a 64-bit float",
            ));
        }
        // -0 and 0 are one level, so they must print alike.
        return Ok((field, Side::Level(if level == 0.0 { 0.0 } else { level })));
    }
    if !raw.get().starts_with('"') {
        return Err(fields::wrong_type(
            &place,
            raw,
            "write the name of an input or a node, or a number",
        ));
    }
    Ok((field, Side::Name(fields::name(raw, &place)?)))
}

fn check_cross(node: &Fields<'_>, sides: &[(&str, Side)]) -> Result<(), Error> {
    let [(_, fast), (_, slow)] = sides else {
        return Ok(());
    };
    let found = match (fast, slow) {
        (Side::Level(_), Side::Level(_)) => "both sides are numbers, which never cross",
        (fast, slow) if fast == slow => "both sides are the same line, which never crosses itself",
        _ => return Ok(()),
    };
    Err(fault(
        PlanFault::BadValue,
        node.place(),
        found,
        "write two different names, or a name and a number",
    ))
}

fn read_period(node: &Fields<'_>) -> Result<u32, Error> {
    let raw = node.required("period", r#""period": 20"#)?;
    let place = node.place_of("period");
    let text = raw.get();
    if !fields::is_number(raw) {
        let instead = match text.trim_matches('"').parse::<u32>() {
            Ok(number) => format!("write {number} without quotes"),
            Err(_) => format!("write {PERIOD_RANGE}"),
        };
        return Err(fields::wrong_type(&place, raw, &instead));
    }
    text.parse()
        .ok()
        .and_then(|period| period::check(period).ok())
        .ok_or_else(|| {
            fault(
                PlanFault::BadValue,
                place,
                format!("{} is not a period", fields::quoted(text)),
                format!("write {PERIOD_RANGE}, as digits only"),
            )
        })
}

fn read_seed(node: &Fields<'_>) -> Result<Seed, Error> {
    let form = r#""seed": "sma" (starts from the mean of the first values, as charting tools do), "first" or "adjusted""#;
    let raw = node.required("seed", form)?;
    let place = node.place_of("seed");
    let name = fields::string(raw, &place)?;
    Seed::from_name(&name).ok_or_else(|| {
        fault(
            PlanFault::BadValue,
            place,
            format!("{} is not a seed", fields::quoted(&name)),
            nearest::write_instead(&name, Seed::ALL.iter().map(|seed| seed.name())),
        )
    })
}
