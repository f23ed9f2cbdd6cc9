//! A store that fails in passing, and workers that are lost, use no task up: only a segment
//! that nobody gets past does.
#![allow(clippy::unwrap_used)]

mod world;

use std::time::Duration;

use toolgate_runtime::{Error, Stepped, Submitted, Worker};
use toolgate_store::{StoreError, TaskInfo, TaskState, TaskStore};
use world::faulty::Fate;
use world::{LEASE, World};

/// Far more than a task has attempts.
const FAULTS: usize = 20;

async fn info(world: &World, submitted: &Submitted) -> TaskInfo {
    world
        .store
        .task(&world.owner, submitted.task)
        .await
        .unwrap()
}

#[test]
fn a_store_that_is_away_gives_the_attempt_back() {
    pollster::block_on(async {
        // On the way: reading the description, the rows, committing, ending.
        for operation in ["snapshot", "heartbeat", "segment", "commit_step", "finish"] {
            let world = World::new(50, 20);
            let submitted = world.submit("bars").await;
            for _ in 0..FAULTS {
                world.faulty.fail(operation, Fate::Unavailable, 1);
                let worker = Worker::new(&world.runtime, LEASE).unwrap();
                let error = worker.run().await.unwrap_err();
                assert_eq!(error.code(), "unavailable", "{operation}");
                let info = info(&world, &submitted).await;
                assert_eq!((info.state, info.attempts), (TaskState::Queued, 0));
            }
            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            assert_eq!(worker.run().await, Ok(Some(submitted.task)), "{operation}");
            assert_eq!(info(&world, &submitted).await.state, TaskState::Succeeded);
        }
    });
}

#[test]
fn a_release_that_fails_too_hides_no_error() {
    pollster::block_on(async {
        let world = World::new(50, 20);
        let submitted = world.submit("bars").await;
        world.faulty.rule(|name| match name {
            "segment" | "release" => Fate::Unavailable,
            _ => Fate::Done,
        });
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        assert_eq!(worker.run().await.unwrap_err().code(), "unavailable");
        assert!(world.faulty.calls().contains(&"release"));
        assert_eq!(info(&world, &submitted).await.state, TaskState::Running);
        world.faulty.heal();
        world.clock.advance(LEASE);
        assert_eq!(worker.run().await, Ok(Some(submitted.task)));
    });
}

#[test]
fn a_lost_reply_of_a_worker_is_settled_by_sending_again() {
    pollster::block_on(async {
        for operation in ["commit_step", "finish"] {
            let world = World::new(50, 20);
            let submitted = world.submit("bars").await;
            world.faulty.fail(operation, Fate::ReplyLost, 3);
            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            assert_eq!(worker.run().await, Ok(Some(submitted.task)), "{operation}");
            let info = info(&world, &submitted).await;
            assert_eq!((info.state, info.steps), (TaskState::Succeeded, 3));
        }
    });
}

#[test]
fn a_worker_lost_at_every_segment_ends_no_task() {
    pollster::block_on(async {
        let world = World::new(100, 5);
        let submitted = world.submit("bars").await;
        for segment in 0..20 {
            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            let mut job = worker.claim().await.unwrap().unwrap();
            assert_eq!(job.segments_done(), segment);
            assert!(matches!(job.step().await, Ok(Stepped::Committed(_))));
            world.clock.advance(LEASE + Duration::from_secs(1));
        }
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        assert_eq!(worker.run().await, Ok(Some(submitted.task)));
        assert_eq!(info(&world, &submitted).await.state, TaskState::Succeeded);
    });
}

#[test]
fn a_segment_that_kills_every_worker_ends_the_task() {
    pollster::block_on(async {
        let world = World::new(100, 50);
        let submitted = world.submit("bars").await;
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        let mut job = worker.claim().await.unwrap().unwrap();
        assert!(matches!(job.step().await, Ok(Stepped::Committed(_))));
        world.clock.advance(LEASE);
        let mut claims = 1;
        while let Some(_killed) = worker.claim().await.unwrap() {
            claims += 1;
            world.clock.advance(LEASE);
        }
        assert_eq!(claims, 5);
        let error = world
            .runtime
            .answer(&world.owner, submitted.task)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "attempts_exhausted");
        assert!(
            error.to_receipt().ends_with("|hint=start the task again\n"),
            "{}",
            error.to_receipt()
        );
    });
}

#[test]
fn the_hint_of_a_failed_task_fits_its_code() {
    let hint = |code: &str| {
        let error = Error::TaskFailed {
            code: code.to_owned(),
            reason: "a reason".to_owned(),
        };
        let hint = error.next_step().unwrap().to_owned();
        assert!(error.to_string().ends_with(&hint));
        hint
    };
    for code in [
        "attempts_exhausted",
        "quota",
        "unavailable",
        "expired",
        "not_found",
        "segment_corrupt",
        "checkpoint_corrupt",
        "state_corrupt",
        "a_code_of_later",
    ] {
        assert_eq!(hint(code), "start the task again", "{code}");
    }
    for code in ["plan_unknown_name", "invalid_parameter", "unknown_column"] {
        assert!(hint(code).starts_with("correct the plan or its parameters"));
    }
    for code in ["non_finite", "open_bar", "input_number"] {
        assert!(hint(code).starts_with("correct the data"));
    }
    let lost = Error::from(StoreError::ReplyLost).to_receipt();
    assert!(
        lost.starts_with("QRP1|receipt|status=outcome_unknown|code=reply_lost|"),
        "{lost}"
    );
}

/// A server may move a worker or a call to another thread at any await.
#[test]
fn what_runs_can_be_spawned() {
    fn spawnable<T: Send>(future: T) {
        drop(future);
    }
    let world = World::new(1, 1);
    let worker = Worker::new(&world.runtime, LEASE).unwrap();
    spawnable(worker.run());
    let (request, key) = (World::request("bars"), world.key());
    spawnable(world.runtime.submit(&world.owner, &request, &key));
    spawnable(world.runtime.pin(&world.owner, &request.locator));
}
