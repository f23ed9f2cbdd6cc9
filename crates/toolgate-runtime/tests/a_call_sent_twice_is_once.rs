//! A submit sent again with its key is the same snapshot and task, whatever was lost.
#![allow(clippy::unwrap_used)]

mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_runtime::{
    Batch, BatchStream, Error, Locator, MemorySource, Settings, Source, Submitted, Worker,
};
use toolgate_store::{BoxFuture, IdempotencyKey, Owner, SnapshotStore};
use world::faulty::Fate;
use world::{LEASE, World, bars};

/// A source whose rows are others each time it is read.
struct Live {
    opened: Arc<AtomicUsize>,
}

impl Source for Live {
    fn open<'a>(&'a self, _: &'a Locator) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>> {
        Box::pin(async move {
            let opened = self.opened.fetch_add(1, Ordering::Relaxed);
            let rows = bars(100, 1 + opened as u64);
            Ok(Box::new(Once(Some(rows))) as Box<dyn BatchStream>)
        })
    }
}

struct Once(Option<Batch>);

impl BatchStream for Once {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>> {
        Box::pin(async move { Ok(self.0.take()) })
    }
}

fn live() -> (World, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let settings = Settings {
        segment_rows: 20,
        ..Settings::default()
    };
    let source = Live {
        opened: opened.clone(),
    };
    (World::of(settings, source), opened)
}

async fn submit(world: &World, key: &str) -> Result<Submitted, Error> {
    let key = IdempotencyKey::new(key).unwrap();
    let request = World::request("bars");
    world.runtime.submit(&world.owner, &request, &key).await
}

#[test]
fn the_same_key_is_the_same_task_and_reads_the_source_once() {
    pollster::block_on(async {
        let (world, opened) = live();
        let first = submit(&world, "call_1").await.unwrap();
        assert_eq!(submit(&world, "call_1").await.unwrap(), first);
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        assert_eq!(worker.run().await, Ok(Some(first.task)));
        assert_eq!(submit(&world, "call_1").await.unwrap(), first);
        assert_eq!(worker.run().await, Ok(None));
        assert_eq!(opened.load(Ordering::Relaxed), 1);
        // Another key, or another owner with the key, is another call.
        let other = submit(&world, "call_2").await.unwrap();
        assert_ne!(
            (other.task, other.snapshot.id),
            (first.task, first.snapshot.id)
        );
        let bob = Owner::new("bob").unwrap();
        let key = IdempotencyKey::new("call_1").unwrap();
        let bobs = world
            .runtime
            .submit(&bob, &World::request("bars"), &key)
            .await
            .unwrap();
        assert_ne!(bobs.snapshot.id, first.snapshot.id);
        assert_eq!(opened.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn the_same_key_with_another_request_conflicts() {
    pollster::block_on(async {
        let world = World::new(50, 20);
        let first = submit(&world, "call_1").await.unwrap();
        let key = IdempotencyKey::new("call_1").unwrap();
        let mut other_plan = World::request("bars");
        other_plan.plan = toolgate_kernels::Plan::from_json(
            r#"{"inputs":["close"],"nodes":[{"id":"a","kernel":"sma","input":"close","period":9}],"outputs":["a"]}"#,
        )
        .unwrap();
        for other in [World::request("others"), other_plan] {
            let error = world
                .runtime
                .submit(&world.owner, &other, &key)
                .await
                .unwrap_err();
            assert_eq!(error.code(), "conflict");
        }
        assert_eq!(submit(&world, "call_1").await.unwrap(), first);
    });
}

#[test]
fn lost_replies_are_settled_by_sending_again() {
    pollster::block_on(async {
        for operation in [
            "create_snapshot",
            "append_segments",
            "seal_snapshot",
            "create_task",
        ] {
            let (world, opened) = live();
            // Three are made good without a word.
            world.faulty.fail(operation, Fate::ReplyLost, 3);
            let first = submit(&world, "call_1").await.unwrap();
            assert_eq!(opened.load(Ordering::Relaxed), 1, "{operation}");
            assert_eq!(submit(&world, "call_1").await.unwrap(), first);

            // After four the caller is told, and can send the call again.
            world.faulty.fail(operation, Fate::ReplyLost, 4);
            let error = submit(&world, "call_2").await.unwrap_err();
            assert_eq!(error.code(), "reply_lost", "{operation}");
            let receipt = error.to_receipt();
            assert!(
                receipt.starts_with("QRP1|receipt|status=outcome_unknown|code=reply_lost|"),
                "{receipt}"
            );
            let second = submit(&world, "call_2").await.unwrap();
            assert_eq!(submit(&world, "call_2").await.unwrap(), second);

            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            assert_eq!(worker.run().await, Ok(Some(first.task)), "{operation}");
            assert_eq!(worker.run().await, Ok(Some(second.task)), "{operation}");
            assert_eq!(worker.run().await, Ok(None), "{operation}: a task too many");
        }
    });
}

#[test]
fn a_pin_survives_lost_replies() {
    pollster::block_on(async {
        for operation in ["create_snapshot", "append_segments", "seal_snapshot"] {
            let world = World::new(50, 20);
            world.faulty.fail(operation, Fate::ReplyLost, 3);
            let pinned = world
                .runtime
                .pin(&world.owner, &Locator::new("memory", "bars"))
                .await
                .unwrap();
            assert_eq!((pinned.rows, pinned.segments), (50, 3), "{operation}");
        }
    });
}

#[test]
fn a_try_that_stopped_half_way_is_in_nobodys_way() {
    pollster::block_on(async {
        let (world, opened) = live();
        // The third segment fails, and the source has other rows by the next try.
        let mut appended = 0;
        world.faulty.rule(move |name| {
            appended += usize::from(name == "append_segments");
            if appended == 3 {
                Fate::Unavailable
            } else {
                Fate::Done
            }
        });
        assert_eq!(
            submit(&world, "call_1").await.unwrap_err().code(),
            "unavailable"
        );
        world.faulty.heal();
        let second = submit(&world, "call_1").await.unwrap();
        assert_eq!(submit(&world, "call_1").await.unwrap(), second);
        let reads = opened.load(Ordering::Relaxed);
        assert_eq!(submit(&world, "call_1").await.unwrap(), second);
        assert_eq!(opened.load(Ordering::Relaxed), reads);

        // With the same rows the next try goes on where the first stopped.
        let world = World::of(
            Settings {
                segment_rows: 20,
                ..Settings::default()
            },
            MemorySource::new().with("bars", bars(100, 1)),
        );
        let mut appended = 0;
        world.faulty.rule(move |name| {
            appended += usize::from(name == "append_segments");
            if appended == 3 {
                Fate::Unavailable
            } else {
                Fate::Done
            }
        });
        assert!(submit(&world, "call_1").await.is_err());
        world.faulty.heal();
        world.faulty.calls();
        let submitted = submit(&world, "call_1").await.unwrap();
        let calls = world.faulty.calls();
        let creations = calls.iter().filter(|name| **name == "create_snapshot");
        assert_eq!(creations.count(), 1, "it was pinned anew: {calls:?}");
        assert_eq!(submitted.snapshot.segments, 5);
        assert!(
            world
                .store
                .snapshot(&world.owner, submitted.snapshot.id)
                .await
                .is_ok()
        );
    });
}
