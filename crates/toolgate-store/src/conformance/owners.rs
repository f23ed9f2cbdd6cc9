//! Promises about who may see what.

use std::time::Duration;

use super::harness::Harness;
use super::scene::{HOUR, Scene, step};
use super::verdict::{Verdict, refused, same};
use crate::error::{Record, StoreError};
use crate::id::{SnapshotId, TaskId};
use crate::lease::Lease;
use crate::outcome::Outcome;
use crate::release::Release;
use crate::segment::Segment;
use crate::snapshot::{NewSnapshot, Seal};
use crate::step::ResultVersion;
use crate::view::{NewView, ViewHandle};

pub(super) async fn another_owners_snapshot_looks_absent(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (sealed, segments) = scene.sealed(1, &[2]).await?;
    let (open, _) = scene.written(2, &[2]).await?;
    let absent = SnapshotId::from_u64(3)?;
    let seal = Seal::of(&segments);
    let (store, mallory) = (&scene.store, &scene.mallory);
    for id in [sealed, open, absent] {
        // Equal errors, not only equal codes: nothing tells the three apart.
        let not_found = StoreError::NotFound {
            what: Record::Snapshot,
        };
        same(
            store.snapshot(mallory, id).await.err(),
            Some(not_found.clone()),
        )?;
        same(
            store.segment(mallory, id, 0).await.err(),
            Some(not_found.clone()),
        )?;
        same(
            store.segment(mallory, id, 9).await.err(),
            Some(not_found.clone()),
        )?;
        same(
            store.segment_at(mallory, id, 0).await.err(),
            Some(not_found.clone()),
        )?;
        let append = store
            .append_segment(mallory, id, &Segment::new(1, 1, "x")?)
            .await;
        same(append.err(), Some(not_found.clone()))?;
        same(
            store.seal_snapshot(mallory, id, &seal).await.err(),
            Some(not_found),
        )?;
    }
    refused(store.snapshot(&scene.alice, open).await, "not_sealed")
}

pub(super) async fn another_owners_task_looks_absent(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let claimed = scene.held(1).await?;
    scene.store.commit_step(&claimed.lease, &step(0)?).await?;
    let before = scene.info(claimed.lease.task).await?;
    let (store, mallory) = (&scene.store, &scene.mallory);
    for task in [claimed.lease.task, TaskId::from_u64(2)?] {
        let not_found = Some(StoreError::NotFound { what: Record::Task });
        let version = ResultVersion::FIRST;
        same(store.task(mallory, task).await.err(), not_found.clone())?;
        same(store.cancel(mallory, task).await.err(), not_found.clone())?;
        let read = store.result_segment(mallory, task, version, 0).await;
        same(read.err(), not_found.clone())?;
        let read = store
            .result_segment(mallory, task, ResultVersion(9), 9)
            .await;
        same(read.err(), not_found.clone())?;
        let read = store.result_segment_at(mallory, task, version, 0).await;
        same(read.err(), not_found.clone())?;
        let forged = Lease {
            owner: mallory.clone(),
            task,
            fence: claimed.lease.fence,
        };
        same(store.heartbeat(&forged).await.err(), not_found.clone())?;
        same(
            store.commit_step(&forged, &step(1)?).await.err(),
            not_found.clone(),
        )?;
        same(
            store.release(&forged, &Release::stop()).await.err(),
            not_found.clone(),
        )?;
        same(
            store.restart(&forged, version).await.err(),
            not_found.clone(),
        )?;
        same(
            store.finish(&forged, &Outcome::succeeded("x")?).await.err(),
            not_found,
        )?;
    }
    same(scene.info(claimed.lease.task).await?, before)
}

pub(super) async fn another_owners_view_looks_absent(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (mine, absent) = (ViewHandle([1; 8]), ViewHandle([2; 8]));
    let new = NewView::new(scene.alice.clone(), mine, Duration::from_secs(HOUR), "mine")?;
    scene.store.put_view(&new).await?;
    for handle in [mine, absent] {
        let not_found = Some(StoreError::NotFound { what: Record::View });
        same(
            scene.store.view(&scene.mallory, handle).await.err(),
            not_found,
        )?;
    }
    Ok(())
}

pub(super) async fn owners_may_use_the_same_ids(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let hour = Duration::from_secs(HOUR);
    let store = &scene.store;

    let (id, _) = scene.sealed(1, &[2]).await?;
    let theirs = NewSnapshot::new(scene.mallory.clone(), id, hour)?.meta("theirs")?;
    store.create_snapshot(&theirs).await?;
    store
        .seal_snapshot(&scene.mallory, id, &Seal::of([]))
        .await?;
    same(store.snapshot(&scene.mallory, id).await?.rows, 0)?;
    same(store.snapshot(&scene.alice, id).await?.rows, 2)?;

    let mine = scene.new_task(1)?;
    let mut theirs = mine.clone();
    theirs.owner = scene.mallory.clone();
    theirs.request = "theirs".into();
    same(store.create_task(&mine).await?.is_new, true)?;
    same(store.create_task(&theirs).await?.is_new, true)?;
    store.cancel(&scene.mallory, theirs.id).await?;
    same(
        scene.claim("w").await?.request.as_ref(),
        b"request 1".as_slice(),
    )?;

    let handle = ViewHandle([1; 8]);
    store
        .put_view(&NewView::new(scene.alice.clone(), handle, hour, "mine")?)
        .await?;
    store
        .put_view(&NewView::new(
            scene.mallory.clone(),
            handle,
            hour,
            "theirs",
        )?)
        .await?;
    same(
        store.view(&scene.alice, handle).await?.bytes.as_ref(),
        b"mine".as_slice(),
    )?;
    same(
        store.view(&scene.mallory, handle).await?.bytes.as_ref(),
        b"theirs".as_slice(),
    )
}

pub(super) async fn expiry_is_told_to_the_owner_only(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (snapshot, _) = scene.sealed(1, &[2]).await?;
    let task = scene.created(1).await?;
    let handle = ViewHandle([1; 8]);
    let view = NewView::new(
        scene.alice.clone(),
        handle,
        Duration::from_secs(HOUR),
        "mine",
    )?;
    scene.store.put_view(&view).await?;
    scene.pass(HOUR + 60).await;
    for (owner, code) in [(&scene.alice, "expired"), (&scene.mallory, "not_found")] {
        refused(scene.store.snapshot(owner, snapshot).await, code)?;
        refused(scene.store.task(owner, task).await, code)?;
        refused(scene.store.view(owner, handle).await, code)?;
    }
    Ok(())
}
