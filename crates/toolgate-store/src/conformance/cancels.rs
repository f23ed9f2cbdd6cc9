//! Promises about cancelling.

use super::harness::Harness;
use super::scene::{LEASE, Scene, step};
use super::verdict::{Verdict, ensure, refused, same};
use crate::outcome::{Failure, Outcome};
use crate::release::Release;
use crate::task::TaskState;

pub(super) async fn a_waiting_task_is_cancelled_at_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let task = scene.created(1).await?;
    for _ in 0..2 {
        same(
            scene.store.cancel(&scene.alice, task).await?,
            TaskState::Cancelled,
        )?;
    }
    scene.claim_nothing().await?;
    let info = scene.info(task).await?;
    let code = info
        .failure()
        .map(|failure| failure.code().as_str().to_owned());
    same(code.as_deref(), Some(Failure::CANCELLED))
}

pub(super) async fn a_running_task_learns_of_the_cancel(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let receipt = scene.store.commit_step(&held.lease, &step(0)?).await?;
    ensure(!receipt.cancel_requested, "no one asked for a cancel yet")?;
    for _ in 0..2 {
        let state = scene.store.cancel(&scene.alice, held.lease.task).await?;
        same(state, TaskState::Running)?;
    }
    ensure(
        scene.info(held.lease.task).await?.cancel_requested,
        "the info must tell",
    )?;
    let status = scene.store.heartbeat(&held.lease).await?;
    ensure(status.cancel_requested, "the heartbeat must tell")?;
    let receipt = scene.store.commit_step(&held.lease, &step(1)?).await?;
    ensure(receipt.cancel_requested, "the commit must tell")?;
    // A wish, not an order: the worker was faster.
    scene
        .store
        .finish(&held.lease, &Outcome::succeeded("done")?)
        .await?;
    same(scene.state(held.lease.task).await?, TaskState::Succeeded)
}

pub(super) async fn a_cancelled_task_is_not_rescued(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let crashed = scene.held(1).await?;
    scene.store.cancel(&scene.alice, crashed.lease.task).await?;
    scene.pass(2 * LEASE).await;
    scene.claim_nothing().await?;
    same(scene.state(crashed.lease.task).await?, TaskState::Cancelled)?;
    refused(
        scene.store.commit_step(&crashed.lease, &step(0)?).await,
        "stale_fence",
    )?;

    let stopped = scene.held(2).await?;
    scene.store.cancel(&scene.alice, stopped.lease.task).await?;
    let state = scene
        .store
        .release(&stopped.lease, &Release::stop())
        .await?;
    same(state, TaskState::Cancelled)?;

    let lapsed = scene.held(3).await?;
    scene.pass(2 * LEASE).await;
    let state = scene.store.cancel(&scene.alice, lapsed.lease.task).await?;
    same(state, TaskState::Cancelled)?;
    refused(scene.store.heartbeat(&lapsed.lease).await, "stale_fence")?;
    scene.claim_nothing().await
}
