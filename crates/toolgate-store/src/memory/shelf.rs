//! Records by owner and id, with their expiry.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

use super::Swept;
use super::budget::{Budget, RECORD_COST};
use crate::error::{Record, StoreError};
use crate::name::Owner;

/// A record the shelf can empty when its life is over.
pub(super) trait Shelved {
    /// What its content costs the budget, without the record's own cost.
    fn cost(&self) -> u64;
    /// Drops the content; what a tombstone needs stays.
    fn empty(&mut self);
}

/// A record goes through three times: alive, then expired (it may be emptied, the
/// owner is told `expired`), then, after the grace time, gone. What a caller is
/// told depends on the clock alone, never on whether a sweep has run.
#[derive(Debug)]
pub(super) struct Shelf<K, V> {
    what: Record,
    grace_ms: i64,
    owners: HashMap<Owner, HashMap<K, Slot<V>>>,
    /// When each record is due to be emptied, or once emptied, to be forgotten.
    due: BTreeSet<(i64, Owner, K)>,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    expires_at_ms: i64,
    emptied: bool,
}

impl<K: Copy + Ord + Hash, V: Shelved> Shelf<K, V> {
    pub(super) fn new(what: Record, grace_ms: i64) -> Self {
        Self {
            what,
            grace_ms,
            owners: HashMap::new(),
            due: BTreeSet::new(),
        }
    }

    /// The live record.
    pub(super) fn get(&self, owner: &Owner, id: K, now_ms: i64) -> Result<&V, StoreError> {
        let slot = self.owners.get(owner).and_then(|slots| slots.get(&id));
        let slot = slot.ok_or(StoreError::NotFound { what: self.what })?;
        self.judge(slot, now_ms)?;
        Ok(&slot.value)
    }

    /// The live record, to be changed.
    pub(super) fn get_mut(
        &mut self,
        owner: &Owner,
        id: K,
        now_ms: i64,
    ) -> Result<&mut V, StoreError> {
        // Judged first: the borrow checker does not let the error borrow end early.
        self.get(owner, id, now_ms)?;
        let slot = self
            .owners
            .get_mut(owner)
            .and_then(|slots| slots.get_mut(&id));
        slot.map(|slot| &mut slot.value)
            .ok_or(StoreError::NotFound { what: self.what })
    }

    fn judge(&self, slot: &Slot<V>, now_ms: i64) -> Result<(), StoreError> {
        // Another thread may have read the clock later and swept before us.
        if now_ms < slot.expires_at_ms && !slot.emptied {
            return Ok(());
        }
        let forgotten_at_ms = slot.expires_at_ms.saturating_add(self.grace_ms);
        if now_ms < forgotten_at_ms {
            return Err(StoreError::Expired { what: self.what });
        }
        Err(StoreError::NotFound { what: self.what })
    }

    /// Adds a record whose cost has been taken from the budget. The caller has
    /// found no record by [`get`](Self::get), and swept.
    pub(super) fn insert(&mut self, owner: &Owner, id: K, value: V, expires_at_ms: i64) {
        self.due.insert((expires_at_ms, owner.clone(), id));
        let slot = Slot {
            value,
            expires_at_ms,
            emptied: false,
        };
        self.owners
            .entry(owner.clone())
            .or_default()
            .insert(id, slot);
    }

    /// Empties what has expired, after `expire` has seen it, and forgets what is
    /// past its grace time, giving it to `forget`.
    pub(super) fn sweep(
        &mut self,
        budget: &Budget,
        now_ms: i64,
        swept: &mut Swept,
        mut expire: impl FnMut(&Owner, &V),
        mut forget: impl FnMut(&Owner, V),
    ) {
        while self
            .due
            .first()
            .is_some_and(|(due_ms, _, _)| *due_ms <= now_ms)
        {
            let Some((_, owner, id)) = self.due.pop_first() else {
                return;
            };
            let Some(slots) = self.owners.get_mut(&owner) else {
                continue;
            };
            let Entry::Occupied(mut entry) = slots.entry(id) else {
                continue;
            };
            let slot = entry.get_mut();
            if !slot.emptied {
                let before = slot.value.cost();
                expire(&owner, &slot.value);
                slot.value.empty();
                slot.emptied = true;
                let freed = before - slot.value.cost();
                budget.give_back(freed);
                swept.bytes += freed;
                swept.emptied += 1;
                let forget_at_ms = slot.expires_at_ms.saturating_add(self.grace_ms);
                self.due.insert((forget_at_ms, owner, id));
                continue;
            }
            let slot = entry.remove();
            if slots.is_empty() {
                self.owners.remove(&owner);
            }
            let freed = slot.value.cost() + RECORD_COST;
            budget.give_back(freed);
            swept.bytes += freed;
            swept.forgotten += 1;
            forget(&owner, slot.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Text(String);

    impl Shelved for Text {
        fn cost(&self) -> u64 {
            self.0.len() as u64
        }

        fn empty(&mut self) {
            self.0.clear();
        }
    }

    #[test]
    fn sweeping_frees_every_byte_and_never_changes_what_the_owner_is_told() {
        let budget = Budget::new(10_000);
        let owner = Owner::new("alice").unwrap();
        let told = |shelf: &Shelf<u32, Text>, now_ms| {
            shelf
                .get(&owner, 1, now_ms)
                .map(|text| text.0.len())
                .map_err(|error| error.code())
        };
        for sweep in [false, true] {
            let mut shelf = Shelf::new(Record::View, 50);
            budget.take(RECORD_COST + 4).unwrap();
            shelf.insert(&owner, 1, Text("text".to_owned()), 100);
            for (now_ms, expected) in [
                (99, Ok(4)),
                (100, Err("expired")),
                (149, Err("expired")),
                (150, Err("not_found")),
            ] {
                if sweep {
                    shelf.sweep(&budget, now_ms, &mut Swept::default(), |_, _| (), |_, _| ());
                }
                assert_eq!(told(&shelf, now_ms), expected, "at {now_ms}");
            }
            shelf.sweep(&budget, 150, &mut Swept::default(), |_, _| (), |_, _| ());
            assert_eq!(budget.used(), 0);
            assert!(shelf.owners.is_empty() && shelf.due.is_empty());
        }
    }

    #[test]
    fn what_a_faster_clock_has_emptied_is_never_read() {
        let budget = Budget::new(10_000);
        let owner = Owner::new("alice").unwrap();
        let mut shelf = Shelf::new(Record::View, 50);
        budget.take(RECORD_COST + 4).unwrap();
        shelf.insert(&owner, 1, Text("text".to_owned()), 100);
        shelf.sweep(&budget, 100, &mut Swept::default(), |_, _| (), |_, _| ());
        // A reader that read the clock before the sweep, and got the lock after it.
        let read = shelf.get(&owner, 1, 99).map(|text| text.0.len());
        assert_eq!(read, Err(StoreError::Expired { what: Record::View }));
    }
}
