//! Bytes in use, never above the limit, whichever thread writes.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::StoreError;

/// Charged for each record besides its bytes: names, numbers, index entries.
pub(super) const RECORD_COST: u64 = 512;
/// Charged for each segment besides its bytes.
pub(super) const SEGMENT_COST: u64 = 128;

#[derive(Debug)]
pub(super) struct Budget {
    used: AtomicU64,
    limit: u64,
}

impl Budget {
    pub(super) const fn new(limit: u64) -> Self {
        Self {
            used: AtomicU64::new(0),
            limit,
        }
    }

    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    pub(super) const fn limit(&self) -> u64 {
        self.limit
    }

    /// Takes `bytes`, or nothing when they do not fit.
    pub(super) fn take(&self, bytes: u64) -> Result<(), StoreError> {
        let fits = |used: u64| used.checked_add(bytes).filter(|&total| total <= self.limit);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map(|_| ())
            .map_err(|used| StoreError::Quota {
                needed: bytes,
                used,
                limit: self.limit,
            })
    }

    pub(super) fn give_back(&self, bytes: u64) {
        // Only what was taken is given back, so this cannot pass zero.
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Takes the difference when something of `old` bytes becomes one of `new`.
    pub(super) fn exchange(&self, old: u64, new: u64) -> Result<(), StoreError> {
        if new >= old {
            return self.take(new - old);
        }
        self.give_back(old - new);
        Ok(())
    }
}

pub(super) fn bytes_of(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_stops_at_the_limit_and_changes_nothing_beyond_it() {
        let budget = Budget::new(10);
        assert_eq!(budget.take(10), Ok(()));
        let over = StoreError::Quota {
            needed: 1,
            used: 10,
            limit: 10,
        };
        assert_eq!(budget.take(1), Err(over));
        assert!(budget.take(u64::MAX).is_err());
        budget.give_back(4);
        assert_eq!(budget.exchange(6, 10), Ok(()));
        assert_eq!(budget.exchange(10, 3), Ok(()));
        assert_eq!(budget.used(), 3);
    }
}
