//! The clock of a store: the only one that judges leases and expiry.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Gives the time in milliseconds since 1970-01-01 UTC. Must never go backwards.
///
/// ```
/// use toolgate_store::{Clock, SystemClock};
///
/// let clock = SystemClock::new();
/// let earlier = clock.now_ms();
/// assert!(clock.now_ms() >= earlier);
/// ```
pub trait Clock: Send + Sync + fmt::Debug {
    /// Now, in ms since 1970-01-01 UTC.
    fn now_ms(&self) -> i64;
}

/// The machine's clock, read once and carried on by the monotonic clock, so that
/// a wall clock set back or forth moves no lease.
///
/// ```
/// use toolgate_store::{Clock, SystemClock};
///
/// assert!(SystemClock::new().now_ms() > 1_700_000_000_000);
/// ```
#[derive(Debug, Clone)]
pub struct SystemClock {
    start_ms: i64,
    started: Instant,
}

impl SystemClock {
    /// A clock that starts at the machine's time.
    #[must_use]
    pub fn new() -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Self {
            start_ms: whole_ms(since_epoch),
            started: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        self.start_ms
            .saturating_add(whole_ms(self.started.elapsed()))
    }
}

fn whole_ms(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

/// A clock that moves only when told to, for tests.
///
/// ```
/// use std::time::Duration;
/// use toolgate_store::{Clock, ManualClock};
///
/// let clock = ManualClock::new(1_000);
/// clock.advance(Duration::from_millis(250));
/// assert_eq!(clock.now_ms(), 1_250);
/// ```
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that stands at `now_ms`.
    #[must_use]
    pub const fn new(now_ms: i64) -> Self {
        Self(AtomicI64::new(now_ms))
    }

    /// Moves the clock on by whole milliseconds of `by`; saturates at the end of time.
    pub fn advance(&self, by: Duration) {
        let by_ms = whole_ms(by);
        let moved = |now: i64| Some(now.saturating_add(by_ms));
        // The closure always gives a value, so the update cannot fail.
        let _ = self
            .0
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, moved);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}
