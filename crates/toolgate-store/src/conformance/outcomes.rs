//! Promises about the end of a task.

use super::harness::Harness;
use super::scene::{LEASE, Scene, step};
use super::verdict::{Broken, Verdict, refused, same};
use crate::outcome::{Failure, Outcome};
use crate::release::Release;
use crate::step::ResultVersion;
use crate::task::TaskState;

/// One outcome of each state.
fn outcomes() -> Result<[Outcome; 4], Broken> {
    Ok([
        Outcome::succeeded("3 rows")?,
        Outcome::Failed(Failure::new("bad_plan", "node 3 has no input")?),
        Outcome::OutcomeUnknown(Failure::new("order_sent", "the exchange did not answer")?),
        Outcome::Cancelled(Failure::new("cancelled", "stopped after 1 of 7 steps")?),
    ])
}

pub(super) async fn every_outcome_is_told_as_given(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for (number, outcome) in (1..).zip(outcomes()?) {
        let held = scene.held(number).await?;
        scene.store.commit_step(&held.lease, &step(0)?).await?;
        scene.store.finish(&held.lease, &outcome).await?;
        let info = scene.info(held.lease.task).await?;
        same((info.state, info.outcome), (outcome.state(), Some(outcome)))?;
        same((info.steps, info.progress), (1, step(0)?.progress))?;
        let version = ResultVersion::FIRST;
        let read = scene
            .store
            .result_segment(&scene.alice, held.lease.task, version, 0)
            .await?;
        same(read.segment, step(0)?.result)?;
    }
    Ok(())
}

pub(super) async fn an_end_is_final(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for (number, outcome) in (1..).zip(outcomes()?) {
        let held = scene.held(number).await?;
        let (store, lease) = (&scene.store, &held.lease);
        store.commit_step(lease, &step(0)?).await?;
        store.finish(lease, &outcome).await?;
        let ended = scene.info(lease.task).await?;
        refused(store.heartbeat(lease).await, "finished")?;
        refused(store.commit_step(lease, &step(1)?).await, "finished")?;
        refused(store.restart(lease, ResultVersion::FIRST).await, "finished")?;
        same(
            store.release(lease, &Release::stop()).await?,
            outcome.state(),
        )?;
        same(
            store.cancel(&scene.alice, lease.task).await?,
            outcome.state(),
        )?;
        scene.pass(2 * LEASE).await;
        scene.claim_nothing().await?;
        same(scene.info(lease.task).await?, ended)?;
    }
    Ok(())
}

pub(super) async fn finishing_twice_is_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for (number, outcome) in (1..).zip(outcomes()?) {
        let held = scene.held(number).await?;
        scene.store.finish(&held.lease, &outcome).await?;
        let ended = scene.info(held.lease.task).await?;
        scene.pass(2 * LEASE).await;
        scene.store.finish(&held.lease, &outcome).await?;
        same(scene.info(held.lease.task).await?, ended)?;
    }
    Ok(())
}

pub(super) async fn another_outcome_is_refused(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let [succeeded, failed, unknown, cancelled] = outcomes()?;
    scene.store.finish(&held.lease, &succeeded).await?;
    for other in [failed, unknown, cancelled] {
        refused(scene.store.finish(&held.lease, &other).await, "finished")?;
    }
    let other = Outcome::succeeded("4 rows")?;
    refused(scene.store.finish(&held.lease, &other).await, "conflict")?;
    same(scene.info(held.lease.task).await?.outcome, Some(succeeded))
}

pub(super) async fn an_unknown_outcome_is_never_tried_again(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let [_, _, unknown, _] = outcomes()?;
    scene.store.finish(&held.lease, &unknown).await?;
    for _ in 0..3 {
        scene.pass(2 * LEASE).await;
        scene.claim_nothing().await?;
    }
    let again = scene.store.create_task(&scene.new_task(1)?).await?;
    same(
        (again.is_new, again.task.state),
        (false, TaskState::OutcomeUnknown),
    )?;
    scene.claim_nothing().await
}
