//! Promises that answer faults reported by users of other task queues.

use super::harness::Harness;
use super::scene::{LEASE, Scene, checkpoint, step};
use super::verdict::{Verdict, ensure, refused, same};
use crate::id::TaskId;
use crate::outcome::{Failure, Outcome};
use crate::release::Release;
use crate::segment::Segment;
use crate::snapshot::Seal;
use crate::step::ResultVersion;
use crate::task::TaskState;
use crate::view::{NewView, ViewHandle};

/// F1: a rescuer overwrote a job that had completed after its scan.
pub(super) async fn f01_a_rescue_never_overwrites_an_ended_task(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.pass(2 * LEASE).await;
    // The lease has run out, the worker ends the task before anyone rescues it.
    let outcome = Outcome::succeeded("done")?;
    scene.store.finish(&held.lease, &outcome).await?;
    for _ in 0..3 {
        scene.claim_nothing().await?;
        scene.pass(2 * LEASE).await;
    }
    let info = scene.info(held.lease.task).await?;
    same(
        (info.state, info.attempts, info.outcome),
        (TaskState::Succeeded, 1, Some(outcome)),
    )
}

/// F2: rescue by elapsed time alone ran a live job twice.
pub(super) async fn f02_a_live_worker_is_never_doubled(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    // Ten leases long, with a heartbeat every third of a lease.
    for _ in 0..30 {
        scene.pass(LEASE / 3).await;
        scene.claim_nothing().await?;
        scene.store.heartbeat(&held.lease).await?;
    }
    same(scene.info(held.lease.task).await?.attempts, 1)
}

/// F2: the worker that was replaced comes back.
pub(super) async fn f02_a_replaced_worker_can_write_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let old = scene.held(1).await?;
    for ordinal in 0..3 {
        scene.store.commit_step(&old.lease, &step(ordinal)?).await?;
    }
    scene.pass(2 * LEASE).await;
    let new = scene.claim("second").await?;
    ensure(new.lease.fence > old.lease.fence, "the fence did not grow")?;
    let before = scene.info(old.lease.task).await?;
    let store = &scene.store;
    refused(store.heartbeat(&old.lease).await, "stale_fence")?;
    refused(
        store.commit_step(&old.lease, &step(3)?).await,
        "stale_fence",
    )?;
    // Also what it had stored before: it must learn that it is out.
    refused(
        store.commit_step(&old.lease, &step(2)?).await,
        "stale_fence",
    )?;
    refused(
        store.release(&old.lease, &Release::stop()).await,
        "stale_fence",
    )?;
    refused(
        store.restart(&old.lease, ResultVersion::FIRST).await,
        "stale_fence",
    )?;
    let failed = Outcome::Failed(Failure::new("late", "the late worker gave up")?);
    refused(store.finish(&old.lease, &failed).await, "stale_fence")?;
    same(scene.info(old.lease.task).await?, before)?;
    store.commit_step(&new.lease, &step(3)?).await?;
    refused(
        store.commit_step(&old.lease, &step(4)?).await,
        "stale_fence",
    )?;
    let done = Outcome::succeeded("done")?;
    store.finish(&new.lease, &done).await?;
    refused(store.finish(&old.lease, &failed).await, "stale_fence")?;
    refused(store.finish(&old.lease, &done).await, "stale_fence")?;
    same(scene.info(old.lease.task).await?.outcome, Some(done))
}

/// F3: jobs stayed "running" for months because a node name came back.
pub(super) async fn f03_a_task_is_rescued_whoever_held_it(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    scene.created(1).await?;
    let first = scene.claim("node-1").await?;
    scene.pass(2 * LEASE).await;
    // The same name, another process: it gets the task, under a fence of its own.
    let second = scene.claim("node-1").await?;
    ensure(
        second.lease.fence > first.lease.fence,
        "the fence did not grow",
    )?;
    refused(scene.store.heartbeat(&first.lease).await, "stale_fence")?;
    scene.pass(2 * LEASE).await;
    // And a name never seen before gets it too.
    let third = scene.claim("node-2").await?;
    ensure(
        third.lease.fence > second.lease.fence,
        "the fence did not grow",
    )?;
    same((third.lease.task, third.attempt), (first.lease.task, 3))
}

/// F4: a poison task killed each worker in turn.
pub(super) async fn f04_a_poison_task_ends_after_its_attempts(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let new = scene.new_task(1)?.max_attempts(3)?;
    scene.store.create_task(&new).await?;
    let mut last = scene.claim("victim").await?;
    for attempt in 2..=3 {
        scene.pass(2 * LEASE).await;
        last = scene.claim("victim").await?;
        same(last.attempt, attempt)?;
    }
    scene.pass(2 * LEASE).await;
    scene.claim_nothing().await?;
    let info = scene.info(new.id).await?;
    same((info.state, info.attempts), (TaskState::Failed, 3))?;
    let code = info
        .failure()
        .map(|failure| failure.code().as_str().to_owned());
    same(code.as_deref(), Some(Failure::ATTEMPTS_EXHAUSTED))?;
    // The last victim was only slow: it must learn that it is out.
    refused(
        scene.store.commit_step(&last.lease, &step(0)?).await,
        "stale_fence",
    )?;
    let outcome = Outcome::succeeded("late")?;
    refused(
        scene.store.finish(&last.lease, &outcome).await,
        "stale_fence",
    )?;
    same(scene.state(new.id).await?, TaskState::Failed)
}

/// F5: work was stranded when a start-up recovery pass failed.
pub(super) async fn f05_rescue_needs_no_start_up_pass(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    // Left alone at every stage a worker can die in.
    scene.held(1).await?;
    let committed = scene.held(2).await?;
    scene.store.commit_step(&committed.lease, &step(0)?).await?;
    let beaten = scene.held(3).await?;
    scene.store.heartbeat(&beaten.lease).await?;
    let restarted = scene.held(4).await?;
    scene.store.commit_step(&restarted.lease, &step(0)?).await?;
    scene
        .store
        .restart(&restarted.lease, ResultVersion::FIRST)
        .await?;
    let released = scene.held(5).await?;
    scene
        .store
        .release(&released.lease, &Release::stop())
        .await?;
    scene.pass(2 * LEASE).await;
    // A worker that just keeps claiming finds them all.
    let mut found = Vec::new();
    for _ in 0..10 {
        for claimed in scene.store.claim(&scene.ask("new")?).await? {
            let expected = (claimed.lease.task == committed.lease.task).then(|| checkpoint(0));
            same(claimed.checkpoint, expected.map(Into::into))?;
            found.push(claimed.lease.task.as_u64());
        }
    }
    found.sort_unstable();
    same(found, vec![1, 2, 3, 4, 5])
}

/// F6: worker and database clocks differed, and leases were judged expired early.
pub(super) async fn f06_only_the_clock_of_the_store_decides(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    // However long the worker thinks it took, no time has passed in the store.
    scene.claim_nothing().await?;
    let status = scene.store.heartbeat(&held.lease).await?;
    let info = scene.info(held.lease.task).await?;
    // The lease ends one lease after the store's own last change.
    same(status.until_ms - info.updated_at_ms, 60_000)?;
    // And only when the store's clock is past that, the task is free.
    scene.pass(LEASE - 10).await;
    scene.claim_nothing().await?;
    scene.pass(20).await;
    scene.claim("second").await.map(|_| ())
}

/// F11: a poller that read "id greater than the last" lost rows.
pub(super) async fn f11_tasks_are_found_by_state_not_by_id(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for number in [900, 100, 500] {
        scene.created(number).await?;
        let claimed = scene.claim("w").await?;
        same(claimed.lease.task, TaskId::from_u64(number)?)?;
        scene
            .store
            .finish(&claimed.lease, &Outcome::succeeded("done")?)
            .await?;
    }
    Ok(())
}

/// F12: the acknowledgement of a commit was lost, and the retry did it twice.
pub(super) async fn f12_every_write_can_be_sent_twice(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (store, alice) = (&scene.store, &scene.alice);
    let new = scene.new_snapshot(1)?;
    let segment = Segment::new(0, 2, "two rows")?;
    let seal = Seal::of([&segment]);
    same(
        store.create_snapshot(&new).await?,
        store.create_snapshot(&new).await?,
    )?;
    let first = store.append_segment(alice, new.id, &segment).await?;
    same(store.append_segment(alice, new.id, &segment).await?, first)?;
    let first = store.seal_snapshot(alice, new.id, &seal).await?;
    same(store.seal_snapshot(alice, new.id, &seal).await?, first)?;

    let task = scene.new_task(1)?;
    let first = store.create_task(&task).await?;
    let again = store.create_task(&task).await?;
    same(
        (first.task, first.is_new, again.is_new),
        (again.task, true, false),
    )?;
    let lease = scene.claim("w").await?.lease;
    for _ in 0..2 {
        same(store.commit_step(&lease, &step(0)?).await?.next_step, 1)?;
    }
    for _ in 0..2 {
        same(
            store.restart(&lease, ResultVersion(1)).await?,
            ResultVersion(2),
        )?;
    }
    for _ in 0..2 {
        same(
            store.release(&lease, &Release::stop()).await?,
            TaskState::Queued,
        )?;
    }
    let lease = scene.claim("w").await?.lease;
    for _ in 0..2 {
        store.finish(&lease, &Outcome::succeeded("done")?).await?;
    }
    let info = scene.info(task.id).await?;
    same(
        (info.state, info.attempts, info.steps),
        (TaskState::Succeeded, 1, 0),
    )?;

    let hour = std::time::Duration::from_secs(3_600);
    let view = NewView::new(alice.clone(), ViewHandle([1; 8]), hour, "query")?;
    same(store.put_view(&view).await?, store.put_view(&view).await?)
}
