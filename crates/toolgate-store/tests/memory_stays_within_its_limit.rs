//! The in-memory store never holds more bytes than its limit, says `quota`
//! without having changed anything, and makes room from what has expired.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use pollster::block_on;
use proptest::prelude::*;
use toolgate_store::{
    ClaimRequest, Failure, IdempotencyKey, ManualClock, MemoryStore, NewSnapshot, NewTask, NewView,
    Outcome, Owner, Progress, Release, ResultVersion, Segment, SnapshotId, SnapshotStore, Step,
    StoreError, TaskId, TaskKind, TaskState, TaskStore, ViewHandle, ViewStore, WorkerId,
};

const HOUR: Duration = Duration::from_secs(3_600);

fn store(max_bytes: u64) -> (MemoryStore, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(0));
    let store = MemoryStore::builder()
        .clock(clock.clone())
        .max_bytes(max_bytes)
        .grace(HOUR);
    (store.build(), clock)
}

fn alice() -> Owner {
    Owner::new("alice").unwrap()
}

fn snapshot(number: u64, ttl: Duration) -> NewSnapshot {
    NewSnapshot::new(alice(), SnapshotId::from_u64(number).unwrap(), ttl).unwrap()
}

fn view(number: u64, length: usize, ttl: Duration) -> NewView {
    NewView::new(
        alice(),
        ViewHandle(number.to_le_bytes()),
        ttl,
        vec![1; length],
    )
    .unwrap()
}

fn task(number: u64, ttl: Duration) -> NewTask {
    let (id, kind) = (
        TaskId::from_u64(number).unwrap(),
        TaskKind::new("work").unwrap(),
    );
    let key = IdempotencyKey::new(&format!("k{number}")).unwrap();
    NewTask::new(alice(), id, key, kind, "request", ttl).unwrap()
}

fn ask(lease: Duration) -> ClaimRequest {
    let kind = TaskKind::new("work").unwrap();
    ClaimRequest::new(WorkerId::new("w").unwrap(), [kind], lease).unwrap()
}

fn step(ordinal: u32, length: usize) -> Step {
    let result = Segment::new(ordinal, 1, vec![2; length]).unwrap();
    Step::new(result, vec![3; length], Progress::default()).unwrap()
}

/// Fills what is left, to the last bytes, with views.
fn fill(store: &MemoryStore) {
    for number in 1_000.. {
        let left = store.max_bytes() - store.used_bytes();
        if left <= 512 {
            return;
        }
        let length = usize::try_from(left - 512).unwrap().min(60_000);
        block_on(store.put_view(&view(number, length, 10 * HOUR))).unwrap();
    }
}

#[test]
fn a_write_that_does_not_fit_changes_nothing() {
    let (store, _) = store(4_000);
    let new = snapshot(1, HOUR);
    block_on(store.create_snapshot(&new)).unwrap();
    let used = store.used_bytes();
    let large = Segment::new(0, 1, vec![0; 4_000]).unwrap();
    let refused = block_on(store.append_segment(&alice(), new.id, &large));
    let expected = StoreError::Quota {
        needed: 4_128,
        used,
        limit: 4_000,
    };
    assert_eq!(refused, Err(expected));
    assert_eq!(store.used_bytes(), used);
    let small = Segment::new(0, 1, vec![0; 400]).unwrap();
    assert_eq!(
        block_on(store.append_segment(&alice(), new.id, &small))
            .unwrap()
            .segments,
        1
    );
    assert_eq!(
        block_on(store.put_view(&view(1, 4_000, HOUR)))
            .unwrap_err()
            .code(),
        "quota"
    );
    assert_eq!(
        block_on(store.view(&alice(), view(1, 0, HOUR).handle))
            .unwrap_err()
            .code(),
        "not_found"
    );
}

#[test]
fn what_has_expired_makes_room_and_still_answers_expired() {
    let (store, clock) = store(100_000);
    block_on(store.put_view(&view(1, 60_000, HOUR))).unwrap();
    assert_eq!(
        block_on(store.put_view(&view(2, 60_000, HOUR)))
            .unwrap_err()
            .code(),
        "quota"
    );
    clock.advance(HOUR);
    // A snapshot is another kind of record, and makes room all the same.
    block_on(store.create_snapshot(&snapshot(1, HOUR))).unwrap();
    let segment = Segment::new(0, 1, vec![0; 60_000]).unwrap();
    block_on(store.append_segment(&alice(), snapshot(1, HOUR).id, &segment)).unwrap();
    let handle = view(1, 0, HOUR).handle;
    assert_eq!(
        block_on(store.view(&alice(), handle)).unwrap_err().code(),
        "expired"
    );
    clock.advance(HOUR);
    assert_eq!(
        block_on(store.view(&alice(), handle)).unwrap_err().code(),
        "not_found"
    );
    block_on(store.put_view(&view(1, 60_000, HOUR))).unwrap();
}

#[test]
fn a_full_store_still_lets_tasks_end_without_a_result() {
    let (store, clock) = store(200_000);
    for number in 0..4 {
        block_on(store.create_task(&task(number, 10 * HOUR).max_attempts(1).unwrap())).unwrap();
    }
    let lease = Duration::from_secs(60);
    let claimed = block_on(store.claim(&ask(lease).at_most(3).unwrap())).unwrap();
    block_on(store.commit_step(&claimed[0].lease, &step(0, 100))).unwrap();
    fill(&store);
    assert_eq!(
        block_on(store.commit_step(&claimed[0].lease, &step(1, 1_000)))
            .unwrap_err()
            .code(),
        "quota"
    );
    block_on(store.heartbeat(&claimed[0].lease)).unwrap();
    let long = Outcome::succeeded(vec![b'x'; 1_000]).unwrap();
    assert_eq!(
        block_on(store.finish(&claimed[0].lease, &long))
            .unwrap_err()
            .code(),
        "quota"
    );
    let failure = Failure::new("no_room", &"x".repeat(512)).unwrap();
    block_on(store.finish(&claimed[0].lease, &Outcome::Failed(failure.clone()))).unwrap();
    let retry = Release::retry(Duration::ZERO, failure).unwrap();
    assert_eq!(
        block_on(store.release(&claimed[1].lease, &retry)).unwrap(),
        TaskState::Failed
    );
    clock.advance(lease);
    let again = block_on(store.claim(&ask(lease).at_most(2).unwrap())).unwrap();
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].lease.task.as_u64(), 3);
    let exhausted = block_on(store.task(&alice(), claimed[2].lease.task)).unwrap();
    assert_eq!(
        exhausted.failure().unwrap().code().as_str(),
        Failure::ATTEMPTS_EXHAUSTED
    );
    assert!(store.used_bytes() <= store.max_bytes());
}

#[test]
fn racing_writers_never_pass_the_limit() {
    let (store, _) = store(300_000);
    let (accepted, refused) = (AtomicU64::new(0), AtomicU64::new(0));
    thread::scope(|scope| {
        for writer in 0..8_u64 {
            let (store, accepted, refused) = (&store, &accepted, &refused);
            scope.spawn(move || {
                for number in 0..100 {
                    let result = if number % 2 == 0 {
                        let new = view(writer * 1_000 + number, 1_000, HOUR);
                        block_on(store.put_view(&new)).map(|_| ())
                    } else {
                        let new = snapshot(writer * 1_000 + number, HOUR).meta(vec![0; 1_000]);
                        block_on(store.create_snapshot(&new.unwrap())).map(|_| ())
                    };
                    assert!(store.used_bytes() <= store.max_bytes());
                    match result {
                        Ok(()) => accepted.fetch_add(1, Ordering::SeqCst),
                        Err(StoreError::Quota { .. }) => refused.fetch_add(1, Ordering::SeqCst),
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
    });
    // Each record costs 1,512 bytes, and not one that fits was refused.
    assert_eq!(accepted.into_inner(), 300_000 / 1_512);
    assert!(refused.into_inner() > 0);
}

#[derive(Debug, Clone)]
enum Op {
    Pass(u64),
    Snapshot(u64),
    Append(u64, usize),
    View(u64, usize),
    Task(u64),
    Claim,
    Commit(usize),
    Restart,
    Retry,
    Finish(usize),
    Cancel(u64),
    Sweep,
}

fn op() -> impl Strategy<Value = Op> {
    let length = || 0..3_000_usize;
    prop_oneof![
        2 => (1..3_000_u64).prop_map(Op::Pass),
        2 => (0..4_u64).prop_map(Op::Snapshot),
        4 => (0..4_u64, length()).prop_map(|(number, length)| Op::Append(number, length)),
        2 => (0..4_u64, length()).prop_map(|(number, length)| Op::View(number, length)),
        3 => (0..6_u64).prop_map(Op::Task),
        4 => Just(Op::Claim),
        6 => length().prop_map(Op::Commit),
        1 => Just(Op::Restart),
        1 => Just(Op::Retry),
        1 => length().prop_map(Op::Finish),
        1 => (0..6_u64).prop_map(Op::Cancel),
        1 => Just(Op::Sweep),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 300, ..Default::default() })]

    /// Whatever was stored, once all is expired and swept not one byte is held.
    #[test]
    fn every_byte_taken_is_given_back(ops in prop::collection::vec(op(), 1..120)) {
        let (store, clock) = store(20_000);
        let mut lease = None;
        for op in ops {
            match op {
                Op::Pass(seconds) => clock.advance(Duration::from_secs(seconds)),
                Op::Snapshot(number) => {
                    drop(block_on(store.create_snapshot(&snapshot(number, HOUR))));
                }
                Op::Append(number, length) => {
                    let id = SnapshotId::from_u64(number).unwrap();
                    let new = snapshot(number, HOUR);
                    if let Ok(progress) = block_on(store.create_snapshot(&new)) {
                        let segment = Segment::new(progress.segments, 1, vec![0; length]).unwrap();
                        drop(block_on(store.append_segment(&alice(), id, &segment)));
                    }
                }
                Op::View(number, length) => {
                    drop(block_on(store.put_view(&view(number, length, HOUR))));
                }
                Op::Task(number) => drop(block_on(store.create_task(&task(number, HOUR)))),
                Op::Claim => {
                    let claimed = block_on(store.claim(&ask(Duration::from_secs(900)))).unwrap();
                    lease = claimed.into_iter().next().map(|claimed| claimed.lease).or(lease);
                }
                Op::Commit(length) => {
                    let Some(lease) = &lease else { continue };
                    if let Ok(info) = block_on(store.task(&alice(), lease.task)) {
                        drop(block_on(store.commit_step(lease, &step(info.steps, length))));
                    }
                }
                Op::Restart => {
                    let Some(lease) = &lease else { continue };
                    drop(block_on(store.restart(lease, ResultVersion::FIRST)));
                }
                Op::Retry => {
                    let Some(lease) = &lease else { continue };
                    let failure = Failure::new("again", "again").unwrap();
                    let retry = Release::retry(Duration::ZERO, failure).unwrap();
                    drop(block_on(store.release(lease, &retry)));
                }
                Op::Finish(length) => {
                    let Some(lease) = &lease else { continue };
                    let outcome = Outcome::succeeded(vec![0; length]).unwrap();
                    drop(block_on(store.finish(lease, &outcome)));
                }
                Op::Cancel(number) => {
                    let id = TaskId::from_u64(number).unwrap();
                    drop(block_on(store.cancel(&alice(), id)));
                }
                Op::Sweep => {
                    let used = store.used_bytes();
                    let swept = store.sweep();
                    prop_assert_eq!(store.used_bytes(), used - swept.bytes);
                }
            }
            prop_assert!(store.used_bytes() <= store.max_bytes());
        }
        clock.advance(HOUR);
        store.sweep();
        clock.advance(HOUR);
        store.sweep();
        prop_assert_eq!(store.used_bytes(), 0);
        // And it is as good as new.
        prop_assert!(block_on(store.create_task(&task(0, HOUR))).unwrap().is_new);
        prop_assert_eq!(block_on(store.claim(&ask(HOUR))).unwrap().len(), 1);
    }
}
