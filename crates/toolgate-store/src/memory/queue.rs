//! Tasks that wait or run, by kind and by when they may be claimed.

use std::collections::{BTreeSet, HashMap};

use crate::id::TaskId;
use crate::name::{Owner, TaskKind};

/// One entry a live task, at its `ready_at_ms`: the start of its wait, or the end
/// of its lease. `seq`, the order of creation, breaks ties.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ticket {
    pub(super) ready_at_ms: i64,
    pub(super) seq: u64,
    pub(super) owner: Owner,
    pub(super) task: TaskId,
}

#[derive(Debug, Default)]
pub(super) struct Queue(HashMap<TaskKind, BTreeSet<Ticket>>);

impl Queue {
    pub(super) fn add(&mut self, kind: &TaskKind, ticket: Ticket) {
        self.0.entry(kind.clone()).or_default().insert(ticket);
    }

    pub(super) fn remove(&mut self, kind: &TaskKind, ticket: &Ticket) {
        let Some(tickets) = self.0.get_mut(kind) else {
            return;
        };
        tickets.remove(ticket);
        if tickets.is_empty() {
            self.0.remove(kind);
        }
    }

    /// The ticket of these kinds that is ready longest; O(kinds x log tasks).
    pub(super) fn first_ready(
        &self,
        kinds: &[TaskKind],
        now_ms: i64,
    ) -> Option<(&TaskKind, &Ticket)> {
        let firsts = kinds
            .iter()
            .filter_map(|kind| Some((kind, self.0.get(kind)?.first()?)));
        let (kind, ticket) = firsts.min_by_key(|&(_, ticket)| ticket)?;
        // The key inside, so that the answer borrows from the queue alone.
        let (kind, _) = self.0.get_key_value(kind)?;
        Some((kind, ticket)).filter(|(_, ticket)| ticket.ready_at_ms <= now_ms)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.values().map(BTreeSet::len).sum()
    }
}
