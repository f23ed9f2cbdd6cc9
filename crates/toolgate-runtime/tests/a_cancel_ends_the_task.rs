//! A task that is to be cancelled ends so: before its first step, or after the next commit.
#![allow(clippy::unwrap_used)]

mod world;

use toolgate_runtime::{Rows, Stepped, Worker};
use toolgate_store::{TaskState, TaskStore};
use world::faulty::Fate;
use world::{LEASE, World};

#[test]
fn a_worker_stops_where_it_learns_of_the_cancel() {
    pollster::block_on(async {
        for steps in [0, 1, 2] {
            let world = World::new(50, 20);
            let submitted = world.submit("bars").await;
            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            let mut job = worker.claim().await.unwrap().unwrap();
            for _ in 0..steps {
                assert!(matches!(job.step().await, Ok(Stepped::Committed(_))));
            }
            world
                .store
                .cancel(&world.owner, submitted.task)
                .await
                .unwrap();
            assert_eq!(job.step().await, Ok(Stepped::Cancelled), "after {steps}");
            let info = world
                .store
                .task(&world.owner, submitted.task)
                .await
                .unwrap();
            assert_eq!(info.state, TaskState::Cancelled);
            // A commit brings the wish, before the first there is none.
            assert_eq!(info.steps, if steps == 0 { 0 } else { steps + 1 });
            let rows = [0, 0, 40, 50][usize::try_from(info.steps).unwrap()];
            let rows = if info.steps == 0 { 0 } else { rows };
            let told = format!(
                "the task was cancelled: cancelled on request after {rows} of 50 rows; start the \
                 task again if its result is still wanted"
            );
            for error in [
                world.runtime.answer(&world.owner, submitted.task).await,
                world
                    .runtime
                    .first_page(&world.owner, Rows::Result(submitted.task), None)
                    .await
                    .map(|page| page.text),
                world
                    .runtime
                    .next_page(&world.owner, Rows::Result(submitted.task), "no cursor")
                    .await
                    .map(|page| page.text),
            ] {
                let error = error.unwrap_err();
                assert_eq!(
                    (error.code(), error.to_string()),
                    ("cancelled", told.clone())
                );
            }
            assert_eq!(worker.run().await, Ok(None), "it is not tried again");
        }
    });
}

#[test]
fn a_run_ends_with_the_cancel_and_a_fault_in_between_loses_it_not() {
    pollster::block_on(async {
        let world = World::new(50, 20);
        let submitted = world.submit("bars").await;
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        let mut job = worker.claim().await.unwrap().unwrap();
        world
            .store
            .cancel(&world.owner, submitted.task)
            .await
            .unwrap();
        world.faulty.fail("finish", Fate::Unavailable, 1);
        assert_eq!(job.step().await.unwrap_err().code(), "unavailable");
        assert_eq!(job.step().await, Ok(Stepped::Cancelled));
        assert_eq!(worker.run().await, Ok(None));

        // A task that nobody holds is cancelled by the store, and told alike.
        let waiting = world.submit("bars").await;
        world
            .store
            .cancel(&world.owner, waiting.task)
            .await
            .unwrap();
        let error = world
            .runtime
            .answer(&world.owner, waiting.task)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "cancelled");
    });
}
