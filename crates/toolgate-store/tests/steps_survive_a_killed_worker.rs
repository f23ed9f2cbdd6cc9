//! A worker dropped in the middle of a task loses nothing, and nothing a reader
//! can see is repeated: the run every user of the store makes.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::time::Duration;

use pollster::block_on;
use toolgate_store::{
    ClaimRequest, Claimed, Fence, IdempotencyKey, ManualClock, MemoryStore, NewSnapshot, NewTask,
    NewView, Outcome, Owner, Progress, Seal, Segment, SnapshotId, Step, Store, StoreError, TaskId,
    TaskKind, TaskState, ViewHandle, WorkerId,
};

const HOUR: Duration = Duration::from_secs(3_600);
const LEASE: Duration = Duration::from_millis(200);

/// 500 numbers a segment, as text.
fn rows(ordinal: u64) -> String {
    (ordinal * 500..(ordinal + 1) * 500)
        .map(|row| format!("{row}\n"))
        .collect()
}

/// A running sum: the state is the sum so far, the result one sum a row.
async fn run_steps(store: &dyn Store, claimed: &Claimed, until: u32) -> Result<u64, StoreError> {
    let snapshot = claimed.snapshot.unwrap();
    let state = claimed
        .checkpoint
        .as_deref()
        .map_or("0", |state| str::from_utf8(state).unwrap());
    let mut sum: u64 = state.parse().unwrap();
    for ordinal in claimed.next_step..until {
        let input = store
            .segment(&claimed.lease.owner, snapshot, ordinal)
            .await?;
        let mut out = String::new();
        for row in str::from_utf8(input.segment.bytes()).unwrap().lines() {
            sum += row.parse::<u64>().unwrap();
            out += &format!("{sum}\n");
        }
        let result = Segment::new(ordinal, input.segment.rows(), out)?;
        let done = Progress::new(500 * (u64::from(ordinal) + 1), Some(3_500));
        store
            .commit_step(&claimed.lease, &Step::new(result, sum.to_string(), done)?)
            .await?;
    }
    Ok(sum)
}

#[test]
fn a_second_worker_takes_over_and_the_result_is_that_of_one_pass() {
    let clock = Arc::new(ManualClock::new(0));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::builder().clock(clock.clone()).build());
    let alice = Owner::new("alice").unwrap();
    let run = async {
        let snapshot = SnapshotId::from_random([1; 8]);
        store
            .create_snapshot(&NewSnapshot::new(alice.clone(), snapshot, HOUR)?)
            .await?;
        let segments = (0..7).map(|at| Segment::new(at, 500, rows(u64::from(at))));
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        for segment in &segments {
            store.append_segment(&alice, snapshot, segment).await?;
        }
        store
            .seal_snapshot(&alice, snapshot, &Seal::of(&segments))
            .await?;

        let (id, key) = (TaskId::from_random([2; 8]), IdempotencyKey::new("call_1")?);
        let kind = TaskKind::new("running.sum")?;
        let new = NewTask::new(alice.clone(), id, key, kind.clone(), "sum", HOUR)?;
        store.create_task(&new.snapshot(snapshot)).await?;

        let ask = |worker| ClaimRequest::new(WorkerId::new(worker)?, [kind.clone()], LEASE);
        let first = store.claim(&ask("a")?).await?.pop().unwrap();
        assert_eq!(first.lease.fence, Fence(1));
        run_steps(&*store, &first, 3).await?;
        // Worker a is gone, but for a packet still on its way.
        clock.advance(LEASE);
        let second = store.claim(&ask("b")?).await?.pop().unwrap();
        assert_eq!(
            (second.lease.fence, second.attempt, second.next_step),
            (Fence(2), 2, 3)
        );
        assert_eq!(second.progress, Progress::new(1_500, Some(3_500)));

        let late = Step::new(Segment::new(3, 1, "late")?, "late", Progress::default())?;
        let refused = store.commit_step(&first.lease, &late).await;
        let stale = StoreError::StaleFence {
            held: Fence(1),
            current: Fence(2),
        };
        assert_eq!(refused, Err(stale));

        let sum = run_steps(&*store, &second, 7).await?;
        assert_eq!(sum, 3_499 * 3_500 / 2);
        store
            .finish(&second.lease, &Outcome::succeeded(format!("sum={sum}"))?)
            .await?;

        let info = store.task(&alice, id).await?;
        assert_eq!(
            (info.state, info.steps, info.result_rows),
            (TaskState::Succeeded, 7, 3_500)
        );
        let mut sums = String::new();
        for ordinal in 0..info.steps {
            let read = store
                .result_segment(&alice, id, info.result_version, ordinal)
                .await?;
            sums += str::from_utf8(read.segment.bytes()).unwrap();
        }
        let mut sum = 0;
        let one_pass = (0_u64..3_500).map(|row| {
            sum += row;
            format!("{sum}\n")
        });
        assert_eq!(sums, one_pass.collect::<String>());

        let page = store
            .result_segment_at(&alice, id, info.result_version, 1_234)
            .await?;
        assert_eq!((page.segment.ordinal(), page.first_row), (2, 1_000));
        let view = NewView::new(alice.clone(), ViewHandle([3; 8]), HOUR, "rows 1000 to 1499")?;
        store.put_view(&view).await?;
        assert_eq!(store.view(&alice, view.handle).await?.bytes, view.bytes);
        Ok::<_, StoreError>(())
    };
    block_on(run).unwrap();
}
