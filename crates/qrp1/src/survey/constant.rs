//! Values that may be in most rows, found in one pass with a few counters.

use crate::value::{Cell, Value};

/// How many values a column keeps count of. Every value in more than one of `SLOTS` + 1 rows
/// is among them at the end.
const SLOTS: usize = 4;

/// The longest string that is kept, in bytes; longer ones are never constants.
const MAX_BYTES: usize = 64;

/// The heavy hitters of a column, by the algorithm of Misra and Gries ("Finding repeated
/// elements", 1982), whose votes decide which values stay. Beside its votes a value has a
/// count of the rows since it was taken in, which is never more than its rows are.
#[derive(Clone, Debug, Default)]
pub(super) struct Constants {
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
struct Slot {
    value: Value,
    votes: u64,
    rows: u64,
}

impl Constants {
    /// Takes the value of one row.
    pub(super) fn take(&mut self, cell: Cell<'_>) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| is(&slot.value, cell)) {
            slot.votes += 1;
            slot.rows += 1;
            return;
        }
        if matches!(cell, Cell::Str(text) if text.len() > MAX_BYTES) {
            return;
        }
        if self.slots.len() < SLOTS {
            self.slots.push(Slot {
                value: cell.to_value(),
                votes: 1,
                rows: 1,
            });
        } else if let Some(slot) = self.slots.iter_mut().find(|slot| slot.votes == 0) {
            put(&mut slot.value, cell);
            (slot.votes, slot.rows) = (1, 1);
        } else {
            self.slots.iter_mut().for_each(|slot| slot.votes -= 1);
        }
    }

    /// The values that may be common, each with rows that surely have it.
    pub(super) fn candidates(&self) -> impl Iterator<Item = (&Value, u64)> {
        self.slots.iter().map(|slot| (&slot.value, slot.rows))
    }
}

#[inline]
fn is(value: &Value, cell: Cell<'_>) -> bool {
    value.as_cell() == cell
}

/// Puts a value in another one's place, in its memory where both are strings.
fn put(value: &mut Value, cell: Cell<'_>) {
    match (value, cell) {
        (Value::Str(held), Cell::Str(text)) => {
            held.clear();
            held.push_str(text);
        }
        (value, cell) => *value = cell.to_value(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_are_lower_bounds_and_heavy_values_are_kept(
            values in prop::collection::vec(prop_oneof![3 => 0i64..3, 2 => 0i64..40], 0..400),
        ) {
            let mut constants = Constants::default();
            let mut rows: HashMap<i64, u64> = HashMap::new();
            for value in &values {
                constants.take(Cell::I64(*value));
                *rows.entry(*value).or_default() += 1;
            }
            let kept: HashMap<i64, u64> = constants
                .candidates()
                .map(|(value, rows)| match value {
                    Value::I64(value) => (*value, rows),
                    _ => unreachable!(),
                })
                .collect();
            for (value, count) in &kept {
                prop_assert!(*count <= rows[value]);
            }
            for (value, count) in &rows {
                let heavy = *count * (SLOTS as u64 + 1) > values.len() as u64;
                prop_assert!(!heavy || kept.contains_key(value));
            }
        }
    }

    #[test]
    fn long_strings_are_not_kept() {
        let mut constants = Constants::default();
        let long = "x".repeat(MAX_BYTES + 1);
        (0..9).for_each(|_| constants.take(Cell::Str(&long)));
        constants.take(Cell::Str("x"));
        let kept: Vec<_> = constants.candidates().collect();
        assert_eq!(kept, [(&Value::from("x"), 1)]);
    }
}
