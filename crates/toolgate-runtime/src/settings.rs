//! What a runtime does when it is not told otherwise.

use std::time::Duration;

use crate::page::PageCaps;

/// The most rows a segment can have: as many as leave room in a stored segment (4 MiB) for
/// the result of a plan with 256 outputs.
///
/// ```
/// # use std::sync::Arc;
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_store::MemoryStore;
/// # use toolgate_tokens::Estimate;
/// use toolgate_runtime::{MAX_SEGMENT_ROWS, Runtime, Settings};
///
/// # let (store, keys) = (Arc::new(MemoryStore::new()), KeyRing::new(1, &[7; 32])?);
/// let settings = Settings { segment_rows: MAX_SEGMENT_ROWS + 1, ..Settings::default() };
/// let runtime = Runtime::builder(store, keys, Arc::new(Estimate)).settings(settings).build();
/// assert_eq!(runtime.settings().segment_rows, MAX_SEGMENT_ROWS);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
pub const MAX_SEGMENT_ROWS: u32 = 2_000;

/// The most events a first answer can list: as many as fit a stored summary (256 KiB)
/// beside the lines of 256 outputs, and a checkpoint beside the state of the plan.
///
/// ```
/// # use std::sync::Arc;
/// # use toolgate_cursor::KeyRing;
/// # use toolgate_store::MemoryStore;
/// # use toolgate_tokens::Estimate;
/// use toolgate_runtime::{MAX_EVENTS, Runtime, Settings};
///
/// # let (store, keys) = (Arc::new(MemoryStore::new()), KeyRing::new(1, &[7; 32])?);
/// let settings = Settings { max_events: MAX_EVENTS + 1, ..Settings::default() };
/// let runtime = Runtime::builder(store, keys, Arc::new(Estimate)).settings(settings).build();
/// assert_eq!(runtime.settings().max_events, MAX_EVENTS);
/// # Ok::<(), toolgate_runtime::Error>(())
/// ```
pub const MAX_EVENTS: usize = 500;

/// Sizes and lives. Every field has the default that its line names.
///
/// ```
/// use toolgate_runtime::Settings;
///
/// let settings = Settings { segment_rows: 1_000, ..Settings::default() };
/// assert_eq!(settings.caps.max_tokens, Some(4_000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most rows in a segment of a snapshot, and so between two checkpoints: 500. A
    /// segment ends before that many where it would pass 1 MiB. The runtime takes 1 to
    /// [`MAX_SEGMENT_ROWS`]; what is outside is taken as the nearer end.
    pub segment_rows: u32,
    /// How long a snapshot lives: 24 hours.
    pub snapshot_ttl: Duration,
    /// How long a task and its result live: 24 hours.
    pub task_ttl: Duration,
    /// How long the cursors of a view work, at most as long as its snapshot: 1 hour.
    pub view_ttl: Duration,
    /// How large a page may be: 16,384 bytes and 4,000 tokens.
    pub caps: PageCaps,
    /// How many events (crosses) a first answer lists; all are counted: 100. The runtime
    /// takes at most [`MAX_EVENTS`], so that summary and checkpoint always fit the store.
    pub max_events: usize,
}

impl Settings {
    /// The same with every size within its bounds.
    pub(crate) fn within_bounds(self) -> Self {
        Self {
            segment_rows: self.segment_rows.clamp(1, MAX_SEGMENT_ROWS),
            max_events: self.max_events.min(MAX_EVENTS),
            ..self
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        let day = Duration::from_secs(24 * 60 * 60);
        Self {
            segment_rows: 500,
            snapshot_ttl: day,
            task_ttl: day,
            view_ttl: Duration::from_secs(60 * 60),
            caps: PageCaps::default(),
            max_events: 100,
        }
    }
}
