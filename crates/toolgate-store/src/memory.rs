//! The contract in memory: bounded, for tests, tools and servers on one machine
//! that may forget on restart.

mod budget;
mod queue;
mod rows;
mod shelf;
mod snapshots;
mod tasks;
mod views;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::error::StoreError;
use budget::Budget;
use snapshots::Snapshots;
use tasks::Tasks;
use views::Views;

/// The contract in memory.
///
/// Reads clone reference-counted bytes, never the bytes; hashing happens outside
/// the locks; no lock is held across an await. Snapshots, tasks and views have a
/// lock each. A claim costs O(kinds x log tasks), a read O(log segments).
///
/// Bytes stored plus a fixed cost a record are held below a limit: at the limit
/// expired records are dropped first, then writes are refused with `quota`.
/// Dropped records still answer `expired` for a grace time.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use toolgate_store::{ManualClock, MemoryStore, NewView, Owner, ViewHandle, ViewStore};
///
/// # pollster::block_on(async {
/// let clock = Arc::new(ManualClock::new(0));
/// let store = MemoryStore::builder().clock(clock.clone()).max_bytes(1 << 20).build();
///
/// let (alice, handle) = (Owner::new("alice")?, ViewHandle([1; 8]));
/// store.put_view(&NewView::new(alice.clone(), handle, Duration::from_secs(60), "q")?).await?;
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(store.view(&alice, handle).await.unwrap_err().code(), "expired");
/// # Ok::<(), toolgate_store::StoreError>(())
/// # }).unwrap();
/// ```
pub struct MemoryStore {
    clock: Arc<dyn Clock>,
    budget: Budget,
    snapshots: RwLock<Snapshots>,
    tasks: RwLock<Tasks>,
    views: RwLock<Views>,
}

/// Settings of a [`MemoryStore`].
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::MemoryStore;
///
/// let store = MemoryStore::builder().max_bytes(1 << 20).grace(Duration::from_secs(60)).build();
/// assert_eq!(store.max_bytes(), 1 << 20);
/// ```
#[derive(Debug, Clone)]
pub struct MemoryStoreBuilder {
    clock: Arc<dyn Clock>,
    max_bytes: u64,
    grace: Duration,
}

impl MemoryStoreBuilder {
    /// The clock that judges leases and expiry; [`SystemClock`] unless set.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// The most bytes to hold; 256 MiB unless set.
    #[must_use]
    pub const fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// How long after its expiry a record answers `expired` before it is
    /// `not_found`; 24 hours unless set.
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The store.
    #[must_use]
    pub fn build(self) -> MemoryStore {
        let grace_ms = i64::try_from(self.grace.as_millis()).unwrap_or(i64::MAX);
        MemoryStore {
            clock: self.clock,
            budget: Budget::new(self.max_bytes),
            snapshots: RwLock::new(Snapshots::new(grace_ms)),
            tasks: RwLock::new(Tasks::new(grace_ms)),
            views: RwLock::new(Views::new(grace_ms)),
        }
    }
}

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Expired records whose content was dropped.
    pub emptied: u64,
    /// Records forgotten after the grace time.
    pub forgotten: u64,
    /// Bytes freed.
    pub bytes: u64,
}

impl MemoryStore {
    /// A store of 256 MiB by the system clock.
    ///
    /// ```
    /// assert_eq!(toolgate_store::MemoryStore::new().used_bytes(), 0);
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Settings to start from.
    #[must_use]
    pub fn builder() -> MemoryStoreBuilder {
        MemoryStoreBuilder {
            clock: Arc::new(SystemClock::new()),
            max_bytes: 256 << 20,
            grace: Duration::from_secs(86_400),
        }
    }

    /// Bytes held now, the fixed cost of records included.
    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.budget.used()
    }

    /// The most bytes it holds.
    #[must_use]
    pub const fn max_bytes(&self) -> u64 {
        self.budget.limit()
    }

    /// Drops the content of expired records, and forgets those whose grace time
    /// is over. Runs by itself when room is needed; calling it is never required.
    /// O(k log n) for k such records.
    ///
    /// ```
    /// use toolgate_store::{MemoryStore, Swept};
    ///
    /// assert_eq!(MemoryStore::new().sweep(), Swept::default());
    /// ```
    pub fn sweep(&self) -> Swept {
        let now_ms = self.clock.now_ms();
        let mut swept = Swept::default();
        self.write_snapshots()
            .sweep(&self.budget, now_ms, &mut swept);
        self.write_tasks().sweep(&self.budget, now_ms, &mut swept);
        self.write_views().sweep(&self.budget, now_ms, &mut swept);
        swept
    }

    /// Runs a write; when it does not fit, sweeps and runs it once more. `write`
    /// takes its locks itself and changes nothing when it fails.
    fn with_room<T>(&self, write: impl Fn(i64) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match write(self.clock.now_ms()) {
            Err(StoreError::Quota { .. }) if self.sweep().bytes > 0 => write(self.clock.now_ms()),
            other => other,
        }
    }

    // No code that holds a lock panics, and every change is made after its last
    // check: so the data behind a poisoned lock would be whole, too.

    fn read_snapshots(&self) -> RwLockReadGuard<'_, Snapshots> {
        self.snapshots
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write_snapshots(&self) -> RwLockWriteGuard<'_, Snapshots> {
        self.snapshots
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn read_tasks(&self) -> RwLockReadGuard<'_, Tasks> {
        self.tasks.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_tasks(&self) -> RwLockWriteGuard<'_, Tasks> {
        self.tasks.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_views(&self) -> RwLockReadGuard<'_, Views> {
        self.views.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_views(&self) -> RwLockWriteGuard<'_, Views> {
        self.views.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("used_bytes", &self.used_bytes())
            .field("max_bytes", &self.max_bytes())
            .finish_non_exhaustive()
    }
}
