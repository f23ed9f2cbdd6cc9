//! What a back end supplies to be checked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::ManualClock;
use crate::future::BoxFuture;
use crate::memory::MemoryStore;
use crate::store::Store;

/// A fresh store and its time.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::conformance::{Harness, MemoryHarness, block_on};
///
/// let harness = MemoryHarness::new();
/// let store = harness.store();
/// block_on(harness.advance(Duration::from_secs(60)));
/// # drop(store);
/// # assert_eq!(format!("{harness:?}"), "MemoryHarness { .. }");
/// ```
pub trait Harness: Send + Sync {
    /// The store under test: empty at first, the same one at each call.
    fn store(&self) -> Arc<dyn Store>;

    /// Lets time pass: afterwards every deadline in the store is nearer by `by`.
    /// A database moves the times it has stored, since its clock cannot be moved.
    fn advance(&self, by: Duration) -> BoxFuture<'_, ()>;

    /// Runs jobs at the same time, as truly as the back end allows, and returns
    /// when all have ended. By default each runs on a thread of its own.
    ///
    /// ```
    /// # use std::sync::{Arc, Barrier, atomic::{AtomicU32, Ordering}};
    /// # use toolgate_store::BoxFuture;
    /// use toolgate_store::conformance::{Harness, MemoryHarness, block_on};
    ///
    /// let (meet, met) = (Arc::new(Barrier::new(2)), Arc::new(AtomicU32::new(0)));
    /// let job = || -> BoxFuture<'static, ()> {
    ///     let (meet, met) = (meet.clone(), met.clone());
    ///     Box::pin(async move {
    ///         meet.wait(); // no job gets past this alone
    ///         met.fetch_add(1, Ordering::Relaxed);
    ///     })
    /// };
    /// block_on(MemoryHarness::new().run_together(vec![job(), job()]));
    /// assert_eq!(met.load(Ordering::Relaxed), 2);
    /// ```
    fn run_together(&self, jobs: Vec<BoxFuture<'static, ()>>) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            std::thread::scope(|scope| {
                for job in jobs {
                    scope.spawn(move || pollster::block_on(job));
                }
            });
        })
    }
}

/// The harness of [`MemoryStore`], with a clock moved by hand.
pub struct MemoryHarness {
    store: Arc<MemoryStore>,
    clock: Arc<ManualClock>,
}

impl MemoryHarness {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let store = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
        Self { store, clock }
    }
}

impl Default for MemoryHarness {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryHarness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHarness").finish_non_exhaustive()
    }
}

impl Harness for MemoryHarness {
    fn store(&self) -> Arc<dyn Store> {
        self.store.clone()
    }

    fn advance(&self, by: Duration) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.clock.advance(by) })
    }
}
