//! Promises about claims, leases and giving back.

use std::time::Duration;

use super::harness::Harness;
use super::scene::{LEASE, Scene, checkpoint, step};
use super::verdict::{Verdict, ensure, refused, same};
use crate::id::SnapshotId;
use crate::lease::Fence;
use crate::name::TaskKind;
use crate::outcome::{Failure, Outcome};
use crate::release::Release;
use crate::step::ResultVersion;
use crate::task::TaskState;

pub(super) async fn a_claim_carries_all_a_worker_needs(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let new = scene.new_task(1)?.snapshot(SnapshotId::from_u64(7)?);
    scene.store.create_task(&new).await?;
    let claimed = scene.claim("w").await?;
    same(
        (&claimed.lease.owner, claimed.lease.task),
        (&scene.alice, new.id),
    )?;
    ensure(
        claimed.lease.fence > Fence(0),
        "a lease needs a fence above zero",
    )?;
    same((&claimed.kind, &claimed.request), (&new.kind, &new.request))?;
    same((claimed.snapshot, claimed.attempt), (new.snapshot, 1))?;
    same((claimed.next_step, claimed.checkpoint), (0, None))?;
    same(claimed.result_version, ResultVersion::FIRST)
}

pub(super) async fn a_claim_takes_only_its_kinds(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (other, third) = (TaskKind::new("other")?, TaskKind::new("third")?);
    scene.created(1).await?;
    let mut task = scene.new_task(2)?;
    task.kind = other.clone();
    scene.store.create_task(&task).await?;
    let mut ask = scene.ask("w")?.at_most(10)?;
    ask.kinds = vec![third.clone()];
    ensure(
        scene.store.claim(&ask).await?.is_empty(),
        "another kind was given",
    )?;
    ask.kinds = vec![third, other];
    let given = scene.store.claim(&ask).await?;
    same(
        given.iter().map(|claimed| claimed.lease.task).collect(),
        vec![task.id],
    )?;
    ask.kinds.push(scene.kind.clone());
    same(scene.store.claim(&ask).await?.len(), 1)
}

pub(super) async fn a_claim_takes_the_longest_ready_first(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let mut expected = Vec::new();
    for number in [5, 3, 4, 1, 2] {
        expected.push(scene.created(number).await?);
        scene.pass(1).await;
    }
    let mut given = Vec::new();
    for _ in 0..5 {
        let claimed = scene.store.claim(&scene.ask("w")?).await?;
        given.extend(claimed.into_iter().map(|claimed| claimed.lease.task));
    }
    same(given, expected)
}

pub(super) async fn a_claim_gives_no_more_than_asked(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for number in 0..5 {
        scene.created(number).await?;
    }
    let mut tasks = Vec::new();
    for expected in [2, 2, 1, 0] {
        let given = scene.store.claim(&scene.ask("w")?.at_most(2)?).await?;
        same(given.len(), expected)?;
        tasks.extend(given.into_iter().map(|claimed| claimed.lease.task));
    }
    tasks.sort_unstable();
    tasks.dedup();
    same(tasks.len(), 5)
}

pub(super) async fn a_held_task_is_not_given_again(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.held(1).await?;
    scene.claim_nothing().await?;
    scene.pass(LEASE / 2).await;
    scene.claim_nothing().await?;
    scene.pass(LEASE).await;
    scene.claim("second").await.map(|_| ())
}

pub(super) async fn a_heartbeat_keeps_the_lease(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    for _ in 0..4 {
        scene.pass(LEASE * 2 / 3).await;
        let status = scene.store.heartbeat(&held.lease).await?;
        ensure(status.until_ms > held.until_ms, "the lease did not move")?;
        ensure(!status.cancel_requested, "no one asked for a cancel")?;
        scene.claim_nothing().await?;
    }
    scene.pass(LEASE * 3 / 2).await;
    scene.claim("second").await.map(|_| ())
}

pub(super) async fn a_commit_keeps_the_lease(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    for ordinal in 0..4 {
        scene.pass(LEASE * 2 / 3).await;
        let receipt = scene
            .store
            .commit_step(&held.lease, &step(ordinal)?)
            .await?;
        ensure(receipt.until_ms > held.until_ms, "the lease did not move")?;
        scene.claim_nothing().await?;
    }
    scene.pass(LEASE * 3 / 2).await;
    scene.claim("second").await.map(|_| ())
}

pub(super) async fn a_lease_that_ran_out_but_was_not_taken_still_holds(
    harness: &dyn Harness,
) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.pass(2 * LEASE).await;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    scene.claim_nothing().await?;
    scene.pass(2 * LEASE).await;
    scene.store.heartbeat(&held.lease).await?;
    scene.claim_nothing().await?;
    scene.pass(2 * LEASE).await;
    scene
        .store
        .finish(&held.lease, &Outcome::succeeded("done")?)
        .await?;
    scene.claim_nothing().await
}

pub(super) async fn a_release_keeps_the_steps_and_gives_the_attempt_back(
    harness: &dyn Harness,
) -> Verdict {
    let scene = Scene::new(harness)?;
    // Even the last attempt is given back.
    scene
        .store
        .create_task(&scene.new_task(1)?.max_attempts(1)?)
        .await?;
    let first = scene.claim("first").await?;
    scene.store.commit_step(&first.lease, &step(0)?).await?;
    let state = scene.store.release(&first.lease, &Release::stop()).await?;
    same(state, TaskState::Queued)?;
    let info = scene.info(first.lease.task).await?;
    same(
        (info.state, info.attempts, info.steps),
        (TaskState::Queued, 0, 1),
    )?;
    let second = scene.claim("second").await?;
    same((second.attempt, second.next_step), (1, 1))?;
    same(second.checkpoint, Some(checkpoint(0).into()))?;
    ensure(
        second.lease.fence > first.lease.fence,
        "the fence did not grow",
    )
}

pub(super) async fn nothing_is_written_after_a_release(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    scene.store.release(&held.lease, &Release::stop()).await?;
    // Sent again: still the same answer.
    same(
        scene.store.release(&held.lease, &Release::stop()).await?,
        TaskState::Queued,
    )?;
    let before = scene.info(held.lease.task).await?;
    refused(scene.store.heartbeat(&held.lease).await, "stale_fence")?;
    refused(
        scene.store.commit_step(&held.lease, &step(1)?).await,
        "stale_fence",
    )?;
    refused(
        scene.store.restart(&held.lease, ResultVersion::FIRST).await,
        "stale_fence",
    )?;
    let outcome = Outcome::succeeded("late")?;
    refused(
        scene.store.finish(&held.lease, &outcome).await,
        "stale_fence",
    )?;
    // Nor under the fence that comes next, which no one holds yet.
    let mut guessed = held.lease.clone();
    guessed.fence = held.lease.fence.next();
    refused(scene.store.heartbeat(&guessed).await, "stale_fence")?;
    refused(
        scene.store.commit_step(&guessed, &step(1)?).await,
        "stale_fence",
    )?;
    refused(scene.store.finish(&guessed, &outcome).await, "stale_fence")?;
    same(scene.info(held.lease.task).await?, before)
}

pub(super) async fn a_retry_waits_and_uses_the_attempt_up(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let failure = Failure::new("source_unreachable", "no answer in 30 s")?;
    let retry = Release::retry(Duration::from_secs(100), failure.clone())?;
    same(
        scene.store.release(&held.lease, &retry).await?,
        TaskState::Queued,
    )?;
    let info = scene.info(held.lease.task).await?;
    same(
        (info.attempts, info.last_failure, info.outcome),
        (1, Some(failure), None),
    )?;
    scene.pass(50).await;
    scene.claim_nothing().await?;
    scene.pass(100).await;
    same(scene.claim("second").await?.attempt, 2)
}

pub(super) async fn a_retry_of_the_last_attempt_fails_the_task(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene
        .store
        .create_task(&scene.new_task(1)?.max_attempts(2)?)
        .await?;
    let retry = Release::retry(
        Duration::ZERO,
        Failure::new("source_unreachable", "no answer in 30 s")?,
    )?;
    let first = scene.claim("first").await?;
    same(
        scene.store.release(&first.lease, &retry).await?,
        TaskState::Queued,
    )?;
    let second = scene.claim("second").await?;
    same(
        scene.store.release(&second.lease, &retry).await?,
        TaskState::Failed,
    )?;
    same(
        scene.store.release(&second.lease, &retry).await?,
        TaskState::Failed,
    )?;
    scene.claim_nothing().await?;
    let info = scene.info(first.lease.task).await?;
    let code = info
        .failure()
        .map(|failure| failure.code().as_str().to_owned());
    same(code.as_deref(), Some(Failure::ATTEMPTS_EXHAUSTED))?;
    let told = info
        .failure()
        .is_some_and(|failure| failure.reason().contains("source_unreachable"));
    ensure(told, "the reason must name the code of the last failure")
}

pub(super) async fn a_committed_step_gives_the_attempts_back(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let new = scene.new_task(1)?.max_attempts(2)?;
    scene.store.create_task(&new).await?;
    // Far more workers are lost than there are attempts, each after one more step.
    for ordinal in 0..5 {
        let claimed = scene.claim("victim").await?;
        same(claimed.next_step, ordinal)?;
        let of_step = if ordinal == 0 { 1 } else { 2 };
        same(claimed.attempt, of_step)?;
        let next = step(ordinal)?;
        scene.store.commit_step(&claimed.lease, &next).await?;
        same(scene.info(new.id).await?.attempts, 1)?;
        scene.pass(LEASE / 4).await;
        // Sent again it is no further step.
        scene.store.commit_step(&claimed.lease, &next).await?;
        same(scene.info(new.id).await?.attempts, 1)?;
        scene.pass(2 * LEASE).await;
    }
    // The step that nobody gets past still ends the task.
    same(scene.claim("victim").await?.attempt, 2)?;
    scene.pass(2 * LEASE).await;
    scene.claim_nothing().await?;
    same(scene.state(new.id).await?, TaskState::Failed)
}
