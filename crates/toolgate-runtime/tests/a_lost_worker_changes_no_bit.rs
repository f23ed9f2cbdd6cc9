//! Workers that stop anywhere lose nothing, and the result has the bits of one pass.
#![allow(clippy::unwrap_used)]

mod world;

use std::time::Duration;

use proptest::prelude::*;
use toolgate_kernels::Columns;
use toolgate_runtime::{Stepped, Submitted, Worker, encode_segment};
use toolgate_store::{ResultVersion, TaskState, TaskStore};
use world::{LEASE, World, bars};

/// The bytes of all result segments, and the answer without its ids.
async fn result(world: &World, submitted: &Submitted) -> (Vec<Vec<u8>>, String) {
    let mut segments = Vec::new();
    for ordinal in 0..submitted.snapshot.segments {
        let rows = world
            .runtime
            .result_segment(&world.owner, submitted.task, ResultVersion::FIRST, ordinal)
            .await
            .unwrap();
        segments.push(encode_segment(&rows).unwrap());
    }
    let answer = world
        .runtime
        .answer(&world.owner, submitted.task)
        .await
        .unwrap();
    let answer = answer
        .replace(&submitted.task.to_string(), "TASK")
        .replace(&submitted.snapshot.id.to_string(), "SNAPSHOT");
    (segments, answer)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn stops_leave_no_trace(
        rows in 1usize..200,
        segment_rows in 1u32..60,
        stops in prop::collection::vec(0u32..4, 0..4),
    ) {
        pollster::block_on(async {
            let world = World::new(rows, segment_rows);
            let calm = world.finished("bars").await;
            let stormy = world.submit("bars").await;
            let mut lost = Vec::new();
            for steps in stops {
                let worker = Worker::new(&world.runtime, LEASE).unwrap();
                let Some(mut job) = worker.claim().await.unwrap() else { break };
                let mut finished = false;
                for _ in 0..steps {
                    finished = job.step().await.unwrap() == Stepped::Finished;
                    if finished {
                        break;
                    }
                }
                if !finished {
                    lost.push(job);
                }
                world.clock.advance(LEASE + Duration::from_secs(1));
            }
            let worker = Worker::new(&world.runtime, LEASE).unwrap();
            // `None` when a worker before had already finished the task.
            worker.run().await.unwrap();
            // The lost workers wake up one after another, and none can write.
            for mut job in lost {
                assert!(job.step().await.is_err());
            }
            assert_eq!(result(&world, &stormy).await, result(&world, &calm).await);
        });
    }
}

#[test]
fn the_result_has_the_bits_of_one_pass() {
    pollster::block_on(async {
        let world = World::new(137, 10);
        let submitted = world.finished("bars").await;
        let all = bars(137, 1);
        let close: Vec<f64> = all
            .numbers("close")
            .unwrap()
            .iter()
            .map(|v| v.unwrap())
            .collect();
        let mut run = World::request("bars").plan.start();
        let out = run
            .push(&Columns {
                time_ms: all.time_ms(),
                columns: &[("close", &close)],
            })
            .unwrap();
        let mut row = 0;
        for ordinal in 0..submitted.snapshot.segments {
            let part = world
                .runtime
                .result_segment(&world.owner, submitted.task, ResultVersion::FIRST, ordinal)
                .await
                .unwrap();
            for id in ["sma3", "ema7"] {
                for (at, value) in part.numbers(id).unwrap().iter().enumerate() {
                    let whole = out.number(id).unwrap().get(row + at);
                    assert_eq!(
                        value.map(f64::to_bits),
                        whole.map(f64::to_bits),
                        "{id} at {}",
                        row + at
                    );
                }
            }
            row += part.rows();
        }
        assert_eq!(row, 137);
    });
}

#[test]
fn a_bar_that_is_not_closed_is_left_out_and_said_so() {
    use toolgate_runtime::{Batch, Column, MemorySource, Settings, Values};
    pollster::block_on(async {
        let with_open = |open_at: usize| {
            let all = bars(20, 1);
            let mut columns = all.columns().to_vec();
            let closed = (0..20).map(|row| Some(row != open_at)).collect();
            columns.push(Column {
                name: "closed".to_owned(),
                values: Values::Flags(closed),
            });
            Batch::new(all.time_ms().to_vec(), columns).unwrap()
        };
        let source = MemorySource::new()
            .with("bars", with_open(19))
            .with("others", with_open(7))
            .with("plain", bars(19, 1));
        let world = World::of(
            Settings {
                segment_rows: 6,
                ..Settings::default()
            },
            source,
        );
        let open = world.finished("bars").await;
        let answer = world.runtime.answer(&world.owner, open.task).await.unwrap();
        assert!(
            answer.contains("\nunconfirmed_rows_left_out:u=1\n"),
            "{answer}"
        );
        // Nothing was computed from the open bar.
        let last = world
            .runtime
            .result_segment(
                &world.owner,
                open.task,
                ResultVersion::FIRST,
                open.snapshot.segments - 1,
            )
            .await
            .unwrap();
        assert_eq!(last.numbers("sma3").unwrap().last(), Some(&None));
        let plain = world.finished("plain").await;
        let (mut a, mut b) = (
            answer,
            world
                .runtime
                .answer(&world.owner, plain.task)
                .await
                .unwrap(),
        );
        for text in [&mut a, &mut b] {
            *text = text
                .lines()
                .filter(|line| line.starts_with("sma3\t") || line.contains(",x,"))
                .collect();
        }
        assert_eq!(a, b, "the summary is that of the closed bars");
        // In the middle it is a fault of the data.
        let broken = world.finished("others").await;
        let error = world
            .runtime
            .answer(&world.owner, broken.task)
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "the task failed: row 7 of the snapshot (the first is row 0) is a bar that is not \
             closed, and rows follow it; expected every bar but the last to be closed; correct \
             the data or ask for another range, and start a new task"
        );
        assert_eq!(error.code(), "open_bar");
        let info = world.store.task(&world.owner, broken.task).await.unwrap();
        assert_eq!(info.state, TaskState::Failed);
    });
}
