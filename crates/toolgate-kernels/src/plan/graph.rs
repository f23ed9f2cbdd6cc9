//! Resolving names, and putting nodes after what they read.

use super::node::{Node, Side, Source, Step};
use super::{fault, fields, nearest};
use crate::{Error, PlanFault};

/// The nodes as steps, each after those it reads, and the step of each node.
pub(super) fn order(inputs: &[String], nodes: &[Node]) -> Result<(Vec<Step>, Vec<usize>), Error> {
    let sources = nodes
        .iter()
        .map(|node| resolve(node, inputs, nodes))
        .collect::<Result<Vec<_>, _>>()?;
    // By id, so that the order in the text does not matter.
    let mut by_id: Vec<usize> = (0..nodes.len()).collect();
    by_id.sort_by_key(|at| &nodes[*at].id);

    let mut steps: Vec<Step> = Vec::with_capacity(nodes.len());
    let mut places: Vec<Option<usize>> = vec![None; nodes.len()];
    while steps.len() < nodes.len() {
        let before = steps.len();
        for &at in &by_id {
            if places[at].is_some() {
                continue;
            }
            let Some(sources) = sources[at]
                .iter()
                .map(|source| match source {
                    Source::Node(node) => places[*node].map(Source::Node),
                    other => Some(*other),
                })
                .collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            let input_warm_up = sources
                .iter()
                .map(|source| match source {
                    Source::Node(step) => steps[*step].warm_up,
                    Source::Input(_) | Source::Level(_) => 0,
                })
                .max()
                .unwrap_or(0);
            let node = &nodes[at];
            places[at] = Some(steps.len());
            steps.push(Step {
                id: node.id.clone(),
                work: node.work,
                sources,
                warm_up: input_warm_up + node.work.warm_up(),
                input_warm_up,
            });
        }
        if steps.len() == before {
            return Err(cycle(nodes, &sources, &places));
        }
    }
    Ok((steps, places.into_iter().flatten().collect()))
}

/// What the fields of a node refer to, by place in the lists as written.
fn resolve(node: &Node, inputs: &[String], nodes: &[Node]) -> Result<Vec<Source>, Error> {
    if inputs.contains(&node.id) {
        return Err(fault(
            PlanFault::DuplicateName,
            &node.place,
            "the id is the name of an input",
            "write another id",
        ));
    }
    node.sides
        .iter()
        .map(|(field, side)| {
            let name = match side {
                Side::Level(level) => return Ok(Source::Level(*level)),
                Side::Name(name) => name,
            };
            if let Some(at) = inputs.iter().position(|input| input == name) {
                return Ok(Source::Input(at));
            }
            let place = || format!("{}, field `{field}`", node.place);
            match nodes.iter().position(|other| other.id == *name) {
                Some(at) if nodes[at].work.gives_numbers() => Ok(Source::Node(at)),
                Some(at) => Err(fault(
                    PlanFault::NotNumbers,
                    place(),
                    format!(
                        "{} is a {}, which gives events",
                        fields::quoted(name),
                        nodes[at].work.kernel()
                    ),
                    "write the name of an input or of a node that gives numbers",
                )),
                None => {
                    let numbers = nodes.iter().filter(|other| other.work.gives_numbers());
                    let known = inputs.iter().chain(numbers.map(|other| &other.id));
                    Err(fault(
                        PlanFault::UnknownName,
                        place(),
                        format!("{} is neither an input nor a node", fields::quoted(name)),
                        nearest::write_instead(name, known.map(String::as_str)),
                    ))
                }
            }
        })
        .collect()
}

/// The fault of nodes none of which can go first.
fn cycle(nodes: &[Node], sources: &[Vec<Source>], places: &[Option<usize>]) -> Error {
    // Each node that is left reads another that is left: going back that way must
    // come to a node seen before.
    let next = |at: usize| {
        sources[at].iter().find_map(|source| match source {
            Source::Node(node) if places[*node].is_none() => Some(*node),
            _ => None,
        })
    };
    let mut way = Vec::new();
    let mut at = places.iter().position(Option::is_none);
    while let Some(node) = at {
        if let Some(start) = way.iter().position(|seen| *seen == node) {
            way.drain(..start);
            break;
        }
        way.push(node);
        at = next(node);
    }
    let circle: Vec<&str> = way
        .iter()
        .chain(way.first())
        .map(|node| nodes[*node].id.as_str())
        .collect();
    fault(
        PlanFault::Cycle,
        way.first()
            .map_or_else(|| "nodes".to_owned(), |node| nodes[*node].place.clone()),
        format!("it reads itself: {}", circle.join(" <- ")),
        "let one of them read an input instead",
    )
}
