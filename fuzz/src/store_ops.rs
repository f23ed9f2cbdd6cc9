//! Bytes as a history of operations on the in-memory store, and as texts of ids.
//!
//! The promise: whatever is done in whatever order, nothing a reader has seen ever
//! changes (rows of a sealed snapshot, result rows of a version, an ended task, a
//! view), no lease that was replaced writes again, and the store stays within its
//! limit. What parses as an id prints as it was.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pollster::block_on;
use toolgate_store::{
    ClaimRequest, ContentHash, Failure, IdempotencyKey, Lease, ManualClock, MemoryStore,
    NewSnapshot, NewTask, NewView, Outcome, Owner, Progress, Release, ResultVersion, Seal, Segment,
    SnapshotId, SnapshotInfo, SnapshotStore, Step, StoreError, StoredSegment, TaskId, TaskInfo,
    TaskKind, TaskStore, View, ViewHandle, ViewStore, WorkerId,
};

const TTL: Duration = Duration::from_millis(2_000);
const LEASE: Duration = Duration::from_millis(100);
const IDS: u8 = 3;

/// What readers have seen of the records that can still be read.
#[derive(Default)]
struct Seen {
    snapshots: HashMap<(usize, u8), (SnapshotInfo, Vec<StoredSegment>)>,
    tasks: HashMap<(usize, u8), TaskInfo>,
    results: HashMap<(usize, u8, ResultVersion, u32), StoredSegment>,
    views: HashMap<(usize, u8), View>,
}

struct World {
    store: MemoryStore,
    clock: Arc<ManualClock>,
    owners: [Owner; 2],
    kind: TaskKind,
    leases: Vec<Lease>,
    seen: Seen,
}

/// Checks one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn check(data: &[u8]) {
    ids(data);
    let clock = Arc::new(ManualClock::new(0));
    let store = MemoryStore::builder()
        .clock(clock.clone())
        .max_bytes(24_000)
        .grace(TTL)
        .build();
    let mut world = World {
        store,
        clock,
        owners: ["alice", "bob"].map(|name| Owner::new(name).unwrap()),
        kind: TaskKind::new("work").unwrap(),
        leases: Vec::new(),
        seen: Seen::default(),
    };
    for pair in data.chunks_exact(2).take(300) {
        block_on(world.apply(pair[0], pair[1]));
        assert!(world.store.used_bytes() <= world.store.max_bytes());
        block_on(world.observe());
    }
    for _ in 0..2 {
        world.clock.advance(TTL);
        world.store.sweep();
    }
    assert_eq!(world.store.used_bytes(), 0, "bytes are held for nothing");
}

fn ids(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else {
        return;
    };
    if let Ok(id) = text.parse::<SnapshotId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(id) = text.parse::<TaskId>() {
        assert_eq!(id.to_string(), text);
    }
    if let Ok(hash) = text.parse::<ContentHash>() {
        assert_eq!(hash.to_string(), text);
    }
}

fn snapshot_id(number: u8) -> SnapshotId {
    SnapshotId::from_u64(u64::from(number)).unwrap()
}

fn task_id(number: u8) -> TaskId {
    TaskId::from_u64(u64::from(number)).unwrap()
}

fn segment(ordinal: u32, arg: u8) -> Segment {
    Segment::new(ordinal, u32::from(arg % 4), vec![arg; usize::from(arg) * 8]).unwrap()
}

impl World {
    /// One operation; most arguments come out of `arg`, some make no sense.
    async fn apply(&mut self, op: u8, arg: u8) {
        let owner = self.owners[usize::from(arg % 2)].clone();
        let number = arg / 2 % IDS;
        let (store, extra) = (&self.store, op / 16);
        match op % 16 {
            0 => self
                .clock
                .advance(Duration::from_millis(u64::from(arg) * 2)),
            1 => {
                let new = NewSnapshot::new(owner, snapshot_id(number), TTL).unwrap();
                let new = new.meta(vec![extra; 2]).unwrap();
                drop(store.create_snapshot(&new).await);
            }
            2 => {
                let batch: Vec<_> = (0..=extra % 3)
                    .map(|at| segment(u32::from(extra + at), arg))
                    .collect();
                drop(
                    store
                        .append_segments(&owner, snapshot_id(number), &batch)
                        .await,
                );
            }
            3 => {
                // The writer learns what is stored, and sends its own idea of the rest.
                let batch: Vec<_> = (0..extra).map(|at| segment(u32::from(at), arg)).collect();
                drop(
                    store
                        .append_segments(&owner, snapshot_id(number), &batch)
                        .await,
                );
                drop(
                    store
                        .seal_snapshot(&owner, snapshot_id(number), &Seal::of(&batch))
                        .await,
                );
            }
            4 | 5 => {
                let key = IdempotencyKey::new(&format!("k{number}")).unwrap();
                let (kind, request) = (self.kind.clone(), vec![extra % 2; 9]);
                let id = task_id((number + extra / 4) % IDS);
                let new = NewTask::new(owner, id, key, kind, request, TTL).unwrap();
                drop(store.create_task(&new.max_attempts(3).unwrap()).await);
            }
            6 | 7 => {
                let worker = WorkerId::new("w").unwrap();
                let ask = ClaimRequest::new(worker, [self.kind.clone()], LEASE).unwrap();
                let ask = ask.at_most(u32::from(arg % 3) + 1).unwrap();
                for claimed in store.claim(&ask).await.unwrap() {
                    let lease = claimed.lease;
                    for old in self
                        .leases
                        .iter()
                        .filter(|old| (&old.owner, old.task) == (&lease.owner, lease.task))
                    {
                        assert!(old.fence < lease.fence, "a fence was given twice");
                        let refused = store.heartbeat(old).await;
                        assert!(matches!(refused, Err(StoreError::StaleFence { .. })));
                    }
                    self.leases.push(lease);
                }
            }
            8..=13 => {
                let Some(lease) = self.leases.iter().rev().nth(usize::from(arg % 4)) else {
                    return;
                };
                match op % 16 {
                    8 => drop(store.heartbeat(lease).await),
                    9 | 10 => {
                        let steps = store
                            .task(&lease.owner, lease.task)
                            .await
                            .map(|info| info.steps);
                        let ordinal = (steps.unwrap_or(0) + u32::from(extra > 13))
                            .saturating_sub(u32::from(extra < 3));
                        let step = Step::new(segment(ordinal, arg), vec![arg], Progress::default());
                        drop(store.commit_step(lease, &step.unwrap()).await);
                    }
                    11 => {
                        let failure = Failure::new("again", "again").unwrap();
                        let delay = Duration::from_millis(u64::from(arg));
                        let release = match extra % 2 {
                            0 => Release::stop(),
                            _ => Release::retry(delay, failure).unwrap(),
                        };
                        drop(store.release(lease, &release).await);
                    }
                    12 => drop(
                        store
                            .restart(lease, ResultVersion(u32::from(extra % 3)))
                            .await,
                    ),
                    _ => {
                        let failure = Failure::new("failed", "failed").unwrap();
                        let outcome = match extra % 4 {
                            0 => Outcome::Failed(failure),
                            1 => Outcome::OutcomeUnknown(failure),
                            2 => Outcome::Cancelled(failure),
                            _ => Outcome::succeeded(vec![arg; 100]).unwrap(),
                        };
                        drop(store.finish(lease, &outcome).await);
                    }
                }
            }
            14 if extra < 8 => {
                let handle = ViewHandle([number; 8]);
                let new = NewView::new(owner, handle, TTL, vec![extra; 50]).unwrap();
                drop(store.put_view(&new).await);
            }
            14 => drop(store.cancel(&owner, task_id(number)).await),
            _ => drop(store.sweep()),
        }
    }

    /// Reads everything and compares it with what was read before.
    async fn observe(&mut self) {
        for (at, owner) in self.owners.iter().enumerate() {
            for number in 0..IDS {
                let key = (at, number);
                match self.store.snapshot(owner, snapshot_id(number)).await {
                    Ok(info) => {
                        let mut segments = Vec::new();
                        for ordinal in 0..info.segments {
                            let read = self.store.segment(owner, info.id, ordinal).await;
                            segments.push(read.unwrap());
                        }
                        let seal = Seal::of(segments.iter().map(|stored| &stored.segment));
                        assert_eq!((seal.rows, seal.digest), (info.rows, info.digest));
                        let found = (info, segments);
                        let seen = self
                            .seen
                            .snapshots
                            .entry(key)
                            .or_insert_with(|| found.clone());
                        assert_eq!(*seen, found, "a sealed snapshot changed");
                    }
                    Err(error) => {
                        // A sealed snapshot goes by expiring, and only so.
                        let seen = self.seen.snapshots.remove(&key);
                        let allowed = matches!(error.code(), "expired" | "not_found");
                        assert!(seen.is_none() || allowed, "a sealed snapshot gave {error}");
                    }
                }
                match self.store.view(owner, ViewHandle([number; 8])).await {
                    Ok(view) => {
                        let seen = self.seen.views.entry(key).or_insert_with(|| view.clone());
                        assert_eq!(*seen, view, "a view changed");
                    }
                    Err(_) => drop(self.seen.views.remove(&key)),
                }
            }
        }
        for (at, owner) in self.owners.iter().enumerate() {
            for number in 0..IDS {
                let key = (at, number);
                let Ok(info) = self.store.task(owner, task_id(number)).await else {
                    self.seen.tasks.remove(&key);
                    self.seen.results.retain(|seen, _| (seen.0, seen.1) != key);
                    self.leases
                        .retain(|old| (&old.owner, old.task) != (owner, task_id(number)));
                    continue;
                };
                assert_eq!(
                    info.outcome
                        .as_ref()
                        .map(Outcome::state)
                        .unwrap_or(info.state),
                    info.state
                );
                assert_eq!(info.outcome.is_some(), info.state.is_terminal());
                assert!(info.attempts <= info.max_attempts);
                if let Some(seen) = self.seen.tasks.get(&key) {
                    assert!(
                        !seen.state.is_terminal() || *seen == info,
                        "an ended task changed"
                    );
                    assert!(seen.result_version <= info.result_version);
                    let same_version = seen.result_version == info.result_version;
                    assert!(!same_version || seen.steps <= info.steps, "a step was lost");
                }
                let version = info.result_version;
                let mut rows = 0;
                for ordinal in 0..info.steps {
                    let read = self
                        .store
                        .result_segment(owner, info.id, version, ordinal)
                        .await;
                    let read = read.unwrap();
                    assert_eq!(read.first_row, rows);
                    rows += u64::from(read.segment.rows());
                    let place = (at, number, version, ordinal);
                    let seen = self
                        .seen
                        .results
                        .entry(place)
                        .or_insert_with(|| read.clone());
                    assert_eq!(*seen, read, "a result changed");
                }
                assert_eq!(rows, info.result_rows);
                self.seen.tasks.insert(key, info);
            }
        }
    }
}
