#![doc = include_str!("../README.md")]

mod claim;
mod clock;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod future;
mod hash;
mod id;
mod lease;
pub mod limit;
mod memory;
mod name;
mod new_task;
mod outcome;
mod redact;
mod release;
mod segment;
mod snapshot;
mod step;
mod store;
mod task;
mod task_info;
mod task_store;
mod view;

pub use claim::{ClaimRequest, Claimed};
pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Record, StoreError};
pub use future::BoxFuture;
pub use hash::{ContentHash, SnapshotDigest};
pub use id::{SnapshotId, TaskId};
pub use lease::{Fence, Lease, LeaseStatus};
pub use memory::{MemoryStore, MemoryStoreBuilder, Swept};
pub use name::{FailureCode, IdempotencyKey, Owner, TaskKind, WorkerId};
pub use new_task::{Created, NewTask};
pub use outcome::{Failure, Outcome};
pub use release::Release;
pub use segment::{Segment, StoredSegment};
pub use snapshot::{NewSnapshot, Seal, SnapshotInfo, SnapshotProgress, SnapshotStore};
pub use step::{Progress, ResultVersion, Step, StepReceipt};
pub use store::Store;
pub use task::{
    CancelDuty, ClaimDuty, CommitDuty, FinishDuty, ReleaseDuty, RestartDuty, TaskMachine, TaskState,
};
pub use task_info::TaskInfo;
pub use task_store::TaskStore;
pub use view::{NewView, View, ViewHandle, ViewStore};
