//! What a runtime does when it is not told otherwise.

use std::time::Duration;

use crate::page::PageCaps;

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
    /// Rows in a segment of a snapshot, and so between two checkpoints: 500.
    pub segment_rows: u32,
    /// How long a snapshot lives: 24 hours.
    pub snapshot_ttl: Duration,
    /// How long a task and its result live: 24 hours.
    pub task_ttl: Duration,
    /// How long the cursors of a view work, at most as long as its snapshot: 1 hour.
    pub view_ttl: Duration,
    /// How large a page may be: 16,384 bytes and 4,000 tokens.
    pub caps: PageCaps,
    /// How many events (crosses) a first answer lists; all are counted: 100.
    pub max_events: usize,
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
