//! The whole contract as one object.

use crate::snapshot::SnapshotStore;
use crate::task_store::TaskStore;
use crate::view::ViewStore;

/// Everything a back end implements; automatic for a type that implements each part.
///
/// ```
/// use std::sync::Arc;
/// use toolgate_store::{MemoryStore, SnapshotStore, Store};
///
/// let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
/// let snapshots: Arc<dyn SnapshotStore> = store;
/// assert_eq!(Arc::strong_count(&snapshots), 1);
/// ```
pub trait Store: SnapshotStore + TaskStore + ViewStore {}

impl<T: SnapshotStore + TaskStore + ViewStore + ?Sized> Store for T {}
