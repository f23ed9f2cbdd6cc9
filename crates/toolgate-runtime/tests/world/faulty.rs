//! A store in memory whose operations can fail, or be done and lose their reply.

use std::sync::{Arc, Mutex};

use toolgate_store::{
    BoxFuture, ClaimRequest, Claimed, Created, Lease, LeaseStatus, MemoryStore, NewSnapshot,
    NewTask, NewView, Outcome, Owner, Release, ResultVersion, Seal, Segment, SnapshotId,
    SnapshotInfo, SnapshotProgress, SnapshotStore, Step, StepReceipt, StoreError, StoredSegment,
    TaskId, TaskInfo, TaskState, TaskStore, View, ViewHandle, ViewStore,
};

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fate {
    /// It is done and answered.
    Done,
    /// It is not done.
    Unavailable,
    /// It is done, and the answer is lost.
    ReplyLost,
}

type Rule = dyn FnMut(&'static str) -> Fate + Send;

pub(crate) struct FaultyStore {
    good: Arc<MemoryStore>,
    rule: Mutex<Box<Rule>>,
    calls: Mutex<Vec<&'static str>>,
}

impl FaultyStore {
    pub(crate) fn new(good: Arc<MemoryStore>) -> Self {
        Self {
            good,
            rule: Mutex::new(Box::new(|_| Fate::Done)),
            calls: Mutex::default(),
        }
    }

    /// From now on calls go by this rule, which is given the name of the operation.
    pub(crate) fn rule(&self, rule: impl FnMut(&'static str) -> Fate + Send + 'static) {
        *self.rule.lock().unwrap() = Box::new(rule);
    }

    /// The next calls of this operation have this fate, so many of them.
    pub(crate) fn fail(&self, operation: &'static str, fate: Fate, mut times: usize) {
        self.rule(move |name| {
            if name == operation && times > 0 {
                times -= 1;
                fate
            } else {
                Fate::Done
            }
        });
    }

    pub(crate) fn heal(&self) {
        self.rule(|_| Fate::Done);
    }

    /// The names of the operations since this was last asked.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    fn fate(&self, name: &'static str) -> Fate {
        self.calls.lock().unwrap().push(name);
        (self.rule.lock().unwrap())(name)
    }
}

macro_rules! operations {
    ($trait:ident: $($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl $trait for FaultyStore {
            $(fn $name<'a>(&'a self, $($arg: $type),*) -> BoxFuture<'a, Result<$answer, StoreError>> {
                Box::pin(async move {
                    match self.fate(stringify!($name)) {
                        Fate::Done => self.good.$name($($arg),*).await,
                        Fate::Unavailable => Err(StoreError::Unavailable { reason: "a test".into() }),
                        Fate::ReplyLost => {
                            let _ = self.good.$name($($arg),*).await;
                            Err(StoreError::ReplyLost)
                        }
                    }
                })
            })*
        }
    };
}

operations! { SnapshotStore:
    create_snapshot(new: &'a NewSnapshot) -> SnapshotProgress;
    append_segments(owner: &'a Owner, id: SnapshotId, segments: &'a [Segment]) -> SnapshotProgress;
    seal_snapshot(owner: &'a Owner, id: SnapshotId, seal: &'a Seal) -> SnapshotInfo;
    snapshot(owner: &'a Owner, id: SnapshotId) -> SnapshotInfo;
    segment(owner: &'a Owner, id: SnapshotId, ordinal: u32) -> StoredSegment;
    segment_at(owner: &'a Owner, id: SnapshotId, row: u64) -> StoredSegment;
}

operations! { TaskStore:
    create_task(new: &'a NewTask) -> Created;
    claim(ask: &'a ClaimRequest) -> Vec<Claimed>;
    heartbeat(lease: &'a Lease) -> LeaseStatus;
    commit_step(lease: &'a Lease, step: &'a Step) -> StepReceipt;
    release(lease: &'a Lease, release: &'a Release) -> TaskState;
    restart(lease: &'a Lease, from: ResultVersion) -> ResultVersion;
    finish(lease: &'a Lease, outcome: &'a Outcome) -> ();
    cancel(owner: &'a Owner, task: TaskId) -> TaskState;
    task(owner: &'a Owner, task: TaskId) -> TaskInfo;
    result_segment(owner: &'a Owner, task: TaskId, version: ResultVersion, ordinal: u32) -> StoredSegment;
    result_segment_at(owner: &'a Owner, task: TaskId, version: ResultVersion, row: u64) -> StoredSegment;
}

operations! { ViewStore:
    put_view(new: &'a NewView) -> View;
    view(owner: &'a Owner, handle: ViewHandle) -> View;
}
