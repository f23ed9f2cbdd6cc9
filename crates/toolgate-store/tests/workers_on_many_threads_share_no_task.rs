//! Workers on real threads, some of them dying, end every task once, and every
//! step a reader sees was committed once.

#![allow(clippy::unwrap_used)]

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use pollster::block_on;
use toolgate_store::{
    ClaimRequest, Clock, Fence, IdempotencyKey, ManualClock, MemoryStore, NewTask, Outcome, Owner,
    Progress, ResultVersion, Segment, Step, StoreError, TaskId, TaskKind, TaskState, TaskStore,
    WorkerId,
};

const WORKERS: u64 = 8;
const TASKS: u64 = 2_000;
const STEPS: u32 = 3;

#[test]
fn every_task_ends_once_though_workers_die() {
    let clock = Arc::new(ManualClock::new(0));
    let store = MemoryStore::builder().clock(clock.clone()).build();
    let owner = Owner::new("alice").unwrap();
    let kind = TaskKind::new("work").unwrap();
    for number in 0..TASKS {
        let id = TaskId::from_u64(number).unwrap();
        let key = IdempotencyKey::new(&format!("k{number}")).unwrap();
        let life = Duration::from_secs(86_400);
        let new = NewTask::new(owner.clone(), id, key, kind.clone(), "x", life).unwrap();
        block_on(store.create_task(&new.max_attempts(1_000).unwrap())).unwrap();
    }

    let ended = AtomicU64::new(0);
    let finished: Mutex<HashMap<TaskId, u32>> = Mutex::default();
    let rescued: Mutex<HashSet<TaskId>> = Mutex::default();
    let lease = Duration::from_millis(200);
    thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (store, clock, kind) = (&store, &clock, &kind);
            let (ended, finished, rescued) = (&ended, &finished, &rescued);
            scope.spawn(move || {
                let name = WorkerId::from_random(worker.to_le_bytes());
                let ask = ClaimRequest::new(name, [kind.clone()], lease).unwrap();
                let mut turn = worker;
                while ended.load(Ordering::SeqCst) < TASKS {
                    // Time passes while others work, so that leases run out under them.
                    clock.advance(Duration::from_millis(7));
                    let Some(claimed) = block_on(store.claim(&ask)).unwrap().pop() else {
                        continue;
                    };
                    if claimed.lease.fence > Fence(1) {
                        rescued.lock().unwrap().insert(claimed.lease.task);
                    }
                    let mut alive = true;
                    for ordinal in claimed.next_step..STEPS {
                        turn += 1;
                        // Every fifth time the worker dies before a step.
                        if turn % 5 == 0 {
                            alive = false;
                            break;
                        }
                        let result = Segment::new(ordinal, 1, format!("{ordinal}")).unwrap();
                        let step = Step::new(result, "s", Progress::default()).unwrap();
                        match block_on(store.commit_step(&claimed.lease, &step)) {
                            Ok(_) => {}
                            Err(StoreError::StaleFence { .. }) => {
                                alive = false;
                                break;
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                    let outcome = Outcome::succeeded("done").unwrap();
                    if alive && block_on(store.finish(&claimed.lease, &outcome)).is_ok() {
                        *finished
                            .lock()
                            .unwrap()
                            .entry(claimed.lease.task)
                            .or_default() += 1;
                        ended.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });

    let finished = finished.into_inner().unwrap();
    assert_eq!(finished.len() as u64, TASKS);
    assert!(finished.values().all(|times| *times == 1));
    assert!(clock.now_ms() > 0);
    let rescued = rescued.into_inner().unwrap().len() as u64;
    for number in 0..TASKS {
        let id = TaskId::from_u64(number).unwrap();
        let info = block_on(store.task(&owner, id)).unwrap();
        assert_eq!((info.state, info.steps), (TaskState::Succeeded, STEPS));
        assert_eq!(info.result_rows, u64::from(STEPS));
        for ordinal in 0..STEPS {
            let read = block_on(store.result_segment(&owner, id, ResultVersion::FIRST, ordinal));
            assert_eq!(read.unwrap().segment.bytes(), &format!("{ordinal}"));
        }
    }
    assert!(
        rescued > TASKS / 10,
        "only {rescued} tasks were rescued: the test is too kind"
    );
}
