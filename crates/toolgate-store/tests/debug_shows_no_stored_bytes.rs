//! No `Debug` text and no error shows stored bytes: rows, requests, checkpoints,
//! summaries, views.

#![allow(clippy::unwrap_used)]

use std::fmt::Debug;
use std::time::Duration;

use pollster::block_on;
use toolgate_store::{
    ClaimRequest, ContentHash, IdempotencyKey, MemoryStore, NewSnapshot, NewTask, NewView, Outcome,
    Owner, Progress, Seal, Segment, SnapshotId, SnapshotStore, Step, TaskId, TaskKind, TaskStore,
    ViewHandle, ViewStore, WorkerId,
};

const SECRET: &str = "hunter2";

#[track_caller]
fn hides(value: &dyn Debug) {
    let text = format!("{value:?} {value:#?}");
    let bytes = format!("{:?}", SECRET.as_bytes());
    assert!(!text.contains(SECRET), "{text}");
    assert!(!text.contains(bytes.trim_matches(['[', ']'])), "{text}");
}

#[test]
fn every_record_hides_its_bytes() {
    let store = MemoryStore::new();
    let (alice, hour) = (Owner::new("alice").unwrap(), Duration::from_secs(3_600));
    block_on(async {
        let id = SnapshotId::from_u64(1)?;
        let new = NewSnapshot::new(alice.clone(), id, hour)?.meta(SECRET)?;
        hides(&new);
        hides(&store.create_snapshot(&new).await?);
        let segment = Segment::new(0, 1, SECRET)?;
        hides(&segment);
        hides(&store.append_segment(&alice, id, &segment).await?);
        let other = Segment::new(0, 1, format!("{SECRET}!"))?;
        let refused = store.append_segment(&alice, id, &other).await.unwrap_err();
        hides(&(refused.to_string(), refused));
        let damaged = Segment::with_hash(0, 1, ContentHash::of(b""), SECRET)?;
        let refused = damaged.verify().unwrap_err();
        hides(&(refused.to_string(), refused));
        hides(
            &store
                .seal_snapshot(&alice, id, &Seal::of([&segment]))
                .await?,
        );
        hides(&store.segment(&alice, id, 0).await?);

        let (id, kind) = (TaskId::from_u64(1)?, TaskKind::new("work")?);
        let key = IdempotencyKey::new("k")?;
        let new = NewTask::new(alice.clone(), id, key, kind.clone(), SECRET, hour)?;
        hides(&new);
        hides(&store.create_task(&new).await?);
        let mut other = new.clone();
        other.request = format!("{SECRET}!").into();
        let refused = store.create_task(&other).await.unwrap_err();
        hides(&(refused.to_string(), refused));
        let ask = ClaimRequest::new(WorkerId::new("w")?, [kind], Duration::from_millis(1))?;
        let claimed = store.claim(&ask).await?.pop().unwrap();
        hides(&claimed);
        let step = Step::new(segment, SECRET, Progress::default())?;
        hides(&step);
        hides(&store.commit_step(&claimed.lease, &step).await?);
        std::thread::sleep(Duration::from_millis(5));
        let claimed = store.claim(&ask).await?.pop().unwrap();
        assert_eq!(claimed.checkpoint.as_deref(), Some(SECRET.as_bytes()));
        hides(&claimed);
        let outcome = Outcome::succeeded(SECRET)?;
        hides(&outcome);
        store.finish(&claimed.lease, &outcome).await?;
        hides(&store.task(&alice, id).await?);

        let new = NewView::new(alice.clone(), ViewHandle([1; 8]), hour, SECRET)?;
        hides(&new);
        hides(&store.put_view(&new).await?);
        hides(&store);
        Ok::<_, toolgate_store::StoreError>(())
    })
    .unwrap();
}
