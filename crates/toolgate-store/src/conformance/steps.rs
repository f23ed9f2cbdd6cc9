//! Promises about steps, checkpoints and results.

use super::harness::Harness;
use super::scene::{LEASE, Scene, checkpoint, step};
use super::verdict::{Verdict, ensure, refused, same};
use crate::hash::ContentHash;
use crate::segment::Segment;
use crate::step::{Progress, ResultVersion, Step};

pub(super) async fn a_step_is_written_whole(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let (store, task) = (&scene.store, held.lease.task);
    for ordinal in 0..3 {
        let receipt = store.commit_step(&held.lease, &step(ordinal)?).await?;
        same(receipt.next_step, ordinal + 1)?;
        let info = scene.info(task).await?;
        same(
            (info.steps, info.progress),
            (ordinal + 1, step(ordinal)?.progress),
        )?;
        same(info.result_rows, 3 * (u64::from(ordinal) + 1))?;
        same(info.result_bytes, 8 * (u64::from(ordinal) + 1))?;
        let stored = store
            .result_segment(&scene.alice, task, info.result_version, ordinal)
            .await?;
        same(stored.segment, step(ordinal)?.result)?;
        same(stored.first_row, 3 * u64::from(ordinal))?;
    }
    let past = store
        .result_segment(&scene.alice, task, ResultVersion::FIRST, 3)
        .await;
    refused(past, "out_of_range")
}

pub(super) async fn a_refused_step_changes_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    let before = scene.info(held.lease.task).await?;
    let damaged = Segment::with_hash(1, 3, ContentHash::of(b"as sent"), "as arrived")?;
    let damaged = Step::new(damaged, checkpoint(1), Progress::new(1, None))?;
    refused(
        scene.store.commit_step(&held.lease, &damaged).await,
        "corrupt",
    )?;
    refused(
        scene.store.commit_step(&held.lease, &step(2)?).await,
        "invalid",
    )?;
    same(scene.info(held.lease.task).await?, before)?;
    scene.pass(2 * LEASE).await;
    let second = scene.claim("second").await?;
    same(second.checkpoint, Some(checkpoint(0).into()))?;
    same((second.next_step, second.progress), (1, step(0)?.progress))
}

pub(super) async fn steps_are_contiguous_from_zero(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    refused(
        scene.store.commit_step(&held.lease, &step(1)?).await,
        "invalid",
    )?;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    refused(
        scene.store.commit_step(&held.lease, &step(2)?).await,
        "invalid",
    )?;
    same(
        scene
            .store
            .commit_step(&held.lease, &step(1)?)
            .await?
            .next_step,
        2,
    )
}

pub(super) async fn a_step_sent_again_changes_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    for ordinal in 0..3 {
        scene
            .store
            .commit_step(&held.lease, &step(ordinal)?)
            .await?;
    }
    let before = scene.info(held.lease.task).await?;
    for ordinal in [2, 0, 1] {
        let receipt = scene
            .store
            .commit_step(&held.lease, &step(ordinal)?)
            .await?;
        same(receipt.next_step, 3)?;
    }
    let after = scene.info(held.lease.task).await?;
    same(
        (after.steps, after.progress),
        (before.steps, before.progress),
    )?;
    same(
        (after.result_rows, after.result_bytes),
        (before.result_rows, before.result_bytes),
    )?;
    scene.pass(2 * LEASE).await;
    same(
        scene.claim("second").await?.checkpoint,
        Some(checkpoint(2).into()),
    )
}

pub(super) async fn another_step_at_an_ordinal_conflicts(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let stored = step(0)?;
    scene.store.commit_step(&held.lease, &stored).await?;
    let other_result = Segment::new(0, 3, "other rows")?;
    let other_rows = Segment::new(0, 2, stored.result.bytes().clone())?;
    for other in [
        Step::new(other_result, stored.checkpoint.clone(), stored.progress)?,
        Step::new(other_rows, stored.checkpoint.clone(), stored.progress)?,
        Step::new(stored.result.clone(), "other state", stored.progress)?,
        Step::new(
            stored.result.clone(),
            stored.checkpoint.clone(),
            Progress::new(1, None),
        )?,
    ] {
        refused(
            scene.store.commit_step(&held.lease, &other).await,
            "conflict",
        )?;
    }
    let task = held.lease.task;
    let read = scene
        .store
        .result_segment(&scene.alice, task, ResultVersion::FIRST, 0)
        .await?;
    same(read.segment, stored.result)?;
    same(scene.info(task).await?.steps, 1)
}

pub(super) async fn the_next_worker_goes_on_from_the_last_checkpoint(
    harness: &dyn Harness,
) -> Verdict {
    let scene = Scene::new(harness)?;
    let mut held = scene.held(1).await?;
    for ordinal in 0..4 {
        same(held.next_step, ordinal)?;
        let expected = ordinal.checked_sub(1).map(|last| checkpoint(last).into());
        same(held.checkpoint, expected)?;
        scene
            .store
            .commit_step(&held.lease, &step(ordinal)?)
            .await?;
        scene.pass(2 * LEASE).await;
        let next = scene.claim("next").await?;
        ensure(
            next.lease.fence > held.lease.fence,
            "the fence did not grow",
        )?;
        same((next.attempt, next.progress), (2, step(ordinal)?.progress))?;
        held = next;
    }
    same(scene.info(held.lease.task).await?.result_rows, 12)
}

pub(super) async fn every_result_row_is_found_by_its_position(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let task = held.lease.task;
    for (ordinal, rows) in (0..).zip([2, 0, 0, 3, 0]) {
        let result = Segment::new(ordinal, rows, format!("{ordinal}"))?;
        let step = Step::new(result, "", Progress::default())?;
        scene.store.commit_step(&held.lease, &step).await?;
    }
    let version = ResultVersion::FIRST;
    for (row, ordinal) in (0..).zip([0, 0, 3, 3, 3]) {
        let stored = scene
            .store
            .result_segment_at(&scene.alice, task, version, row)
            .await?;
        ensure(stored.holds(row), "the segment found does not hold the row")?;
        same(stored.segment.ordinal(), ordinal)?;
    }
    refused(
        scene
            .store
            .result_segment_at(&scene.alice, task, version, 5)
            .await,
        "out_of_range",
    )
}

pub(super) async fn results_can_be_read_while_the_task_runs(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let first = scene.held(1).await?;
    scene.store.commit_step(&first.lease, &step(0)?).await?;
    let read = async || {
        let (task, version) = (first.lease.task, ResultVersion::FIRST);
        scene
            .store
            .result_segment(&scene.alice, task, version, 0)
            .await
    };
    let before = read().await?;
    scene.pass(2 * LEASE).await;
    let second = scene.claim("second").await?;
    scene.store.commit_step(&second.lease, &step(1)?).await?;
    same(read().await?, before)
}

pub(super) async fn a_restart_begins_a_new_result_version(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let (store, alice, task) = (&scene.store, &scene.alice, held.lease.task);
    store.commit_step(&held.lease, &step(0)?).await?;
    refused(
        store.restart(&held.lease, ResultVersion(2)).await,
        "other_version",
    )?;
    let second = store.restart(&held.lease, ResultVersion::FIRST).await?;
    same(second, ResultVersion(2))?;
    let info = scene.info(task).await?;
    same(
        (info.result_version, info.steps, info.result_rows),
        (second, 0, 0),
    )?;
    same(info.progress, Progress::default())?;
    let old = store
        .result_segment(alice, task, ResultVersion::FIRST, 0)
        .await;
    refused(old, "other_version")?;
    let old = store
        .result_segment_at(alice, task, ResultVersion::FIRST, 0)
        .await;
    refused(old, "other_version")?;
    refused(
        store.result_segment(alice, task, second, 0).await,
        "out_of_range",
    )?;
    // The new version starts over, with other content where it likes.
    let other = Step::new(
        Segment::new(0, 1, "other")?,
        "other state",
        Progress::new(9, None),
    )?;
    store.commit_step(&held.lease, &other).await?;
    same(
        store.result_segment(alice, task, second, 0).await?.segment,
        other.result,
    )?;
    scene.pass(2 * LEASE).await;
    let next = scene.claim("next").await?;
    same((next.result_version, next.next_step), (second, 1))?;
    same(next.checkpoint, Some(other.checkpoint))
}

pub(super) async fn a_restart_sent_again_is_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    scene.store.commit_step(&held.lease, &step(0)?).await?;
    for _ in 0..2 {
        let version = scene
            .store
            .restart(&held.lease, ResultVersion::FIRST)
            .await?;
        same(version, ResultVersion(2))?;
    }
    scene.pass(2 * LEASE).await;
    let next = scene.claim("next").await?;
    same(
        (next.result_version, next.next_step, next.checkpoint),
        (ResultVersion(2), 0, None),
    )
}
