//! Promises that hold when many callers come at once.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use super::harness::Harness;
use super::scene::{Scene, step};
use super::verdict::{Broken, Verdict, same};
use crate::error::StoreError;
use crate::future::BoxFuture;
use crate::id::TaskId;
use crate::outcome::Outcome;
use crate::segment::Segment;
use crate::snapshot::Seal;
use crate::store::Store;
use crate::task::TaskState;

const RACERS: u64 = 8;
const TASKS: u64 = 100;

/// Runs one job a racer at the same time and gives what each returned.
async fn race<T, F>(
    scene: &Scene<'_>,
    job: impl Fn(u64, Arc<dyn Store>) -> F,
) -> Result<Vec<T>, Broken>
where
    T: Send + 'static,
    F: Future<Output = Result<T, StoreError>> + Send + 'static,
{
    let results = Arc::new(Mutex::new(Vec::new()));
    let jobs = (0..RACERS).map(|racer| {
        let (results, run) = (results.clone(), job(racer, scene.store.clone()));
        let job: BoxFuture<'static, ()> = Box::pin(async move {
            let result = run.await;
            results
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(result);
        });
        job
    });
    scene.harness.run_together(jobs.collect()).await;
    let results = std::mem::take(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
    same(results.len() as u64, RACERS)?;
    Ok(results.into_iter().collect::<Result<_, _>>()?)
}

pub(super) async fn a_call_dropped_before_it_runs_does_nothing(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    drop(scene.store.create_task(&scene.new_task(1)?));
    scene.claim_nothing().await?;
    let task = scene.created(1).await?;
    drop(scene.store.claim(&scene.ask("w")?));
    drop(scene.store.cancel(&scene.alice, task));
    let lease = scene.claim("w").await?.lease;
    drop(scene.store.commit_step(&lease, &step(0)?));
    drop(scene.store.finish(&lease, &Outcome::succeeded("done")?));
    let info = scene.info(task).await?;
    same(
        (info.state, info.attempts, info.steps),
        (TaskState::Running, 1, 0),
    )
}

pub(super) async fn many_workers_claim_each_task_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    for number in 0..TASKS {
        scene.created(number).await?;
    }
    let asks = (0..RACERS).map(|racer| {
        // Some take one at a time, some a few.
        let max = u32::try_from(racer % 3 + 1).unwrap_or(1);
        Ok(scene.ask(&format!("w{racer}"))?.at_most(max)?)
    });
    let asks = asks.collect::<Result<Vec<_>, Broken>>()?;
    let claims = race(&scene, |racer, store| {
        let ask = asks[usize::try_from(racer).unwrap_or(0)].clone();
        async move {
            let mut mine = Vec::new();
            loop {
                let given = store.claim(&ask).await?;
                if given.is_empty() {
                    return Ok(mine);
                }
                for claimed in given {
                    store.commit_step(&claimed.lease, &first_step()?).await?;
                    store
                        .finish(&claimed.lease, &Outcome::succeeded("done")?)
                        .await?;
                    mine.push(claimed.lease.task);
                }
            }
        }
    });
    let mut times: BTreeMap<TaskId, u32> = BTreeMap::new();
    for task in claims.await?.into_iter().flatten() {
        *times.entry(task).or_default() += 1;
    }
    same(times.len() as u64, TASKS)?;
    for (task, times) in times {
        same((task, times), (task, 1))?;
        let info = scene.info(task).await?;
        same(
            (info.state, info.attempts, info.steps),
            (TaskState::Succeeded, 1, 1),
        )?;
    }
    Ok(())
}

fn first_step() -> Result<crate::step::Step, StoreError> {
    let result = Segment::new(0, 3, "result")?;
    crate::step::Step::new(result, "state", crate::step::Progress::default())
}

pub(super) async fn racing_creations_make_one_task(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let template = scene.new_task(1)?;
    let created = race(&scene, |racer, store| {
        let mut new = template.clone();
        async move {
            new.id = TaskId::from_u64(racer)?;
            store.create_task(&new).await
        }
    })
    .await?;
    same(created.iter().filter(|created| created.is_new).count(), 1)?;
    for one in &created {
        same(one.task.id, created[0].task.id)?;
    }
    scene.claim("w").await.map(|_| ())
}

pub(super) async fn racing_appends_store_a_segment_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let (id, _) = scene.written(1, &[]).await?;
    let segments = (0..20).map(|at| Segment::new(at, 5, format!("rows {at}")));
    let segments = segments.collect::<Result<Vec<_>, _>>()?;
    race(&scene, |_, store| {
        let (segments, alice) = (segments.clone(), scene.alice.clone());
        async move {
            for segment in &segments {
                store.append_segment(&alice, id, segment).await?;
            }
            store.seal_snapshot(&alice, id, &Seal::of(&segments)).await
        }
    })
    .await?;
    let info = scene.store.snapshot(&scene.alice, id).await?;
    same((info.segments, info.rows), (20, 100))
}

pub(super) async fn racing_commits_store_a_step_once(harness: &dyn Harness) -> Verdict {
    let scene = Scene::new(harness)?;
    let held = scene.held(1).await?;
    let steps = (0..20).map(step).collect::<Result<Vec<_>, _>>()?;
    race(&scene, |_, store| {
        let (steps, lease) = (steps.clone(), held.lease.clone());
        async move {
            for step in &steps {
                store.commit_step(&lease, step).await?;
            }
            store.finish(&lease, &Outcome::succeeded("done")?).await
        }
    })
    .await?;
    let info = scene.info(held.lease.task).await?;
    same(
        (info.steps, info.result_rows, info.state),
        (20, 60, TaskState::Succeeded),
    )
}
