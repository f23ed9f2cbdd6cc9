//! Promises about the life of tasks.

use super::harness::Harness;
use super::scene::{HOUR, Scene, step};
use super::verdict::{Verdict, ensure, refused, same};
use crate::id::{SnapshotId, TaskId};
use crate::name::TaskKind;
use crate::outcome::Outcome;
use crate::release::Release;
use crate::step::{Progress, ResultVersion};
use crate::task::TaskState;

pub(super) async fn a_created_task_can_be_read_and_claimed_at_once(
    harness: &dyn Harness,
) -> Verdict {
    let scene = Scene::new(harness)?;
    let new = scene
        .new_task(1)?
        .snapshot(SnapshotId::from_u64(7)?)
        .max_attempts(3)?;
    let created = scene.store.create_task(&new).await?;
    ensure(created.is_new, "the first creation must say it is new")?;
    let info = scene.info(new.id).await?;
    same(&info, &created.task)?;
    same(
        (info.id, &info.kind, info.snapshot),
        (new.id, &scene.kind, new.snapshot),
    )?;
    same(
        (info.state, info.attempts, info.max_attempts),
        (TaskState::Queued, 0, 3),
    )?;
    same((info.progress, info.steps), (Progress::default(), 0))?;
    same((info.result_rows, info.result_bytes), (0, 0))?;
    same(
        (info.result_version, info.outcome),
        (ResultVersion::FIRST, None),
    )?;
    same((info.last_failure, info.cancel_requested), (None, false))?;
    same(info.expires_at_ms - info.created_at_ms, 3_600_000)?;
    same(scene.claim("w").await?.lease.task, new.id)?;
    same(scene.state(new.id).await?, TaskState::Running)
}

pub(super) async fn the_same_key_and_request_make_one_task(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let id = scene.created(1).await?;
    // The client forgot its first id and drew another.
    let mut again = scene.new_task(1)?;
    again.id = TaskId::from_u64(99)?;
    let found = scene.store.create_task(&again).await?;
    same((found.task.id, found.is_new), (id, false))?;
    refused(scene.store.task(&scene.alice, again.id).await, "not_found")?;
    let claimed = scene.claim("w").await?;
    scene
        .store
        .finish(&claimed.lease, &Outcome::succeeded("done")?)
        .await?;
    let found = scene.store.create_task(&again).await?;
    same(
        (found.task.state, found.is_new),
        (TaskState::Succeeded, false),
    )?;
    scene.claim_nothing().await
}

pub(super) async fn the_same_key_with_another_request_conflicts(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let id = scene.created(1).await?;
    let mut other = scene.new_task(1)?;
    other.id = TaskId::from_u64(99)?;
    other.request = "another request".into();
    refused(scene.store.create_task(&other).await, "conflict")?;
    let mut other = scene.new_task(1)?;
    other.kind = TaskKind::new("another.kind")?;
    refused(scene.store.create_task(&other).await, "conflict")?;
    let other = scene.new_task(1)?.snapshot(SnapshotId::from_u64(7)?);
    refused(scene.store.create_task(&other).await, "conflict")?;
    let claimed = scene.claim("w").await?;
    same(claimed.lease.task, id)?;
    same(claimed.request.as_ref(), b"request 1".as_slice())
}

pub(super) async fn a_task_id_in_use_is_refused(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.created(1).await?;
    let mut other = scene.new_task(2)?;
    other.id = TaskId::from_u64(1)?;
    refused(scene.store.create_task(&other).await, "id_taken")?;
    // The refused creation left no trace of its key.
    other.id = TaskId::from_u64(2)?;
    same(scene.store.create_task(&other).await?.is_new, true)
}

pub(super) async fn a_task_expires_for_readers_and_workers(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    scene.created(2).await?;
    scene.pass(HOUR + 60).await;
    scene.claim_nothing().await?;
    let (store, alice, task) = (&scene.store, &scene.alice, held.lease.task);
    refused(store.task(alice, task).await, "expired")?;
    refused(store.cancel(alice, task).await, "expired")?;
    refused(
        store
            .result_segment(alice, task, ResultVersion::FIRST, 0)
            .await,
        "expired",
    )?;
    refused(
        store
            .result_segment_at(alice, task, ResultVersion::FIRST, 0)
            .await,
        "expired",
    )?;
    refused(store.heartbeat(&held.lease).await, "expired")?;
    refused(store.commit_step(&held.lease, &step(1)?).await, "expired")?;
    refused(
        store.release(&held.lease, &Release::stop()).await,
        "expired",
    )?;
    refused(
        store.restart(&held.lease, ResultVersion::FIRST).await,
        "expired",
    )?;
    refused(
        store
            .finish(&held.lease, &Outcome::succeeded("late")?)
            .await,
        "expired",
    )?;
    refused(store.create_task(&scene.new_task(1)?).await, "expired")
}
