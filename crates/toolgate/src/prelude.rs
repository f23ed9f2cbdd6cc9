//! What most programs need, to be imported whole.
//!
//! ```
//! use toolgate::prelude::*;
//!
//! let locator = Locator::new("csv", "aapl_1d");
//! assert_eq!(locator.to_string(), "csv:aapl_1d");
//! ```

pub use toolgate_cursor::KeyRing;
pub use toolgate_kernels::Plan;
pub use toolgate_runtime::{
    ComputeRequest, CsvSource, Error, Job, Locator, MemorySource, Page, PageCaps, Rows, Runtime,
    Settings, Snapshot, Source, Stepped, Worker,
};
pub use toolgate_store::{IdempotencyKey, MemoryStore, Owner, SnapshotId, TaskId};
#[cfg(feature = "fast")]
pub use toolgate_tokens::FastTiktoken;
#[cfg(feature = "tiktoken")]
pub use toolgate_tokens::Tiktoken;
pub use toolgate_tokens::{Estimate, TokenCounter};
