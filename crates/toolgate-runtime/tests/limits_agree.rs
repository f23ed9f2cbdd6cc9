//! What is accepted fits the store to the end: state, events, results of any plan, wide rows.
#![allow(clippy::unwrap_used)]

mod world;

use std::fmt::Write as _;

use proptest::prelude::*;
use toolgate_kernels::Plan;
use toolgate_runtime::{
    Batch, BatchStream, Column, Error, Locator, MAX_EVENTS, MAX_SEGMENT_ROWS, MemorySource, Rows,
    Settings, Snapshot, Source, Values, Worker,
};
use toolgate_store::{BoxFuture, limit};
use world::{LEASE, World, bars};

/// Gives these batches one after another.
struct Batches(Vec<Batch>);

struct Stream(std::vec::IntoIter<Batch>);

impl Source for Batches {
    fn open<'a>(&'a self, _: &'a Locator) -> BoxFuture<'a, Result<Box<dyn BatchStream>, Error>> {
        let stream = Stream(self.0.clone().into_iter());
        Box::pin(async move { Ok(Box::new(stream) as Box<dyn BatchStream>) })
    }
}

impl BatchStream for Stream {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Batch>, Error>> {
        Box::pin(async move { Ok(self.0.next()) })
    }
}

fn texts(values: Vec<String>) -> Batch {
    let time_ms = (0..).take(values.len()).collect();
    let values = Values::Texts(values.into_iter().map(Some).collect());
    let column = Column {
        name: "text".to_owned(),
        values,
    };
    Batch::new(time_ms, vec![column]).unwrap()
}

fn settings(segment_rows: u32) -> Settings {
    Settings {
        segment_rows,
        ..Settings::default()
    }
}

async fn pin(world: &World) -> Result<Snapshot, Error> {
    let locator = Locator::new("memory", "bars");
    world.runtime.pin(&world.owner, &locator).await
}

#[test]
fn a_state_too_large_for_a_checkpoint_is_refused_at_once() {
    pollster::block_on(async {
        let world = World::new(10, 20);
        let mut request = World::request("bars");
        let plan = |period: u32| {
            Plan::from_json(&format!(
                r#"{{"inputs":["close"],"nodes":[{{"id":"a","kernel":"sma","input":"close","period":{period}}}],"outputs":["a"]}}"#
            ))
            .unwrap()
        };
        request.plan = plan(1_000_000);
        let error = world
            .runtime
            .submit(&world.owner, &request, &world.key())
            .await
            .unwrap_err();
        assert_eq!(error.code(), "plan_state_too_large");
        let text = error.to_string();
        let sizes = format!(
            "could grow to {} bytes, expected at most 4176787 ",
            request.plan.max_state_bytes()
        );
        assert!(text.contains(&sizes), "{text}");
        assert!(text.contains("write shorter sma periods"), "{text}");
        assert_eq!(world.store.used_bytes(), 0);
        let pinned = pin(&world).await.unwrap();
        let started = world
            .runtime
            .start(&world.owner, &pinned, &request.plan, world.key())
            .await;
        assert_eq!(started.unwrap_err(), error);
        // And what is just small enough is not.
        let room = (limit::MAX_CHECKPOINT_BYTES - 17 - MAX_EVENTS * 35) as u64 / 8;
        let mut period = u32::try_from(room).unwrap();
        while plan(period).max_state_bytes() > room * 8 {
            period -= 1;
        }
        request.plan = plan(period);
        let submitted = world
            .runtime
            .submit(&world.owner, &request, &world.key())
            .await;
        assert!(submitted.is_ok(), "{submitted:?}");
    });
}

/// A plan with the most outputs there can be, all crosses but a few, of long names.
fn largest_plan() -> Plan {
    let name = |at: usize| format!("{at:03}{}", "x".repeat(61));
    let mut nodes = String::new();
    let mut outputs = String::new();
    for at in 0..256 {
        let comma = if at == 0 { "" } else { "," };
        let node = if at < 2 {
            format!(r#""kernel":"sma","input":"c","period":{}"#, at + 1)
        } else if at % 2 == 0 {
            format!(r#""kernel":"cross","fast":"{}","slow":"c""#, name(1))
        } else {
            format!(r#""kernel":"ema","input":"c","period":{at},"seed":"first""#)
        };
        write!(nodes, r#"{comma}{{"id":"{}",{node}}}"#, name(at)).unwrap();
        write!(outputs, r#"{comma}"{}""#, name(at)).unwrap();
    }
    Plan::from_json(&format!(
        r#"{{"inputs":["c"],"nodes":[{nodes}],"outputs":[{outputs}]}}"#
    ))
    .unwrap()
}

#[test]
fn the_largest_plan_finishes_with_the_largest_settings() {
    pollster::block_on(async {
        let rows = usize::try_from(MAX_SEGMENT_ROWS).unwrap() + 7;
        // Numbers that need all their digits, and a cross at almost every row.
        let numbers = (0..rows).map(|row| {
            let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
            Some(sign * (row as f64 + 1.0) / 3.0 * 1e-290)
        });
        let column = Column {
            name: "c".to_owned(),
            values: Values::Numbers(numbers.collect()),
        };
        let time_ms = (0..).take(rows).map(|row: i64| row * 60_000 + 1).collect();
        let batch = Batch::new(time_ms, vec![column]).unwrap();
        let long = "\u{202e}".repeat(85);
        let settings = Settings {
            segment_rows: u32::MAX,
            max_events: usize::MAX,
            ..Settings::default()
        };
        let world = World::of(settings, MemorySource::new().with(long.clone(), batch));
        assert_eq!(world.runtime.settings().segment_rows, MAX_SEGMENT_ROWS);
        assert_eq!(world.runtime.settings().max_events, MAX_EVENTS);
        let mut request = World::request(&long);
        request.plan = largest_plan();
        let submitted = world
            .runtime
            .submit(&world.owner, &request, &world.key())
            .await
            .unwrap();
        assert_eq!(submitted.snapshot.segments, 2);
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        worker.run().await.unwrap();
        let answer = world
            .runtime
            .answer(&world.owner, submitted.task)
            .await
            .unwrap();
        assert!(answer.contains(&format!("|rows={MAX_EVENTS}|")), "{answer}");
        assert!(answer.len() < limit::MAX_SUMMARY_BYTES);
    });
}

#[test]
fn wide_rows_are_cut_by_bytes() {
    pollster::block_on(async {
        // 500 rows of 20 KB are 10 MB: far more than a segment holds.
        let row = |at: usize| format!("{at:05}").repeat(4_000);
        let world = World::of(
            settings(500),
            MemorySource::new().with("bars", texts((0..500).map(row).collect())),
        );
        let pinned = pin(&world).await.unwrap();
        assert_eq!(pinned.rows, 500);
        let mut next = 0;
        for ordinal in 0..pinned.segments {
            let rows = world
                .runtime
                .snapshot_segment(&world.owner, pinned.id, ordinal)
                .await
                .unwrap();
            let bytes = toolgate_runtime::encode_segment(&rows).unwrap().len();
            assert!(bytes <= 1 << 20, "{bytes}");
            assert!(ordinal + 1 == pinned.segments || bytes > 1_000_000);
            for time in rows.time_ms() {
                assert_eq!(*time, next);
                next += 1;
            }
        }
        assert_eq!(next, 500);
    });
}

#[test]
fn a_row_that_no_segment_can_hold_is_named_with_its_size() {
    pollster::block_on(async {
        let largest = limit::MAX_SEGMENT_BYTES - 15 - (2 + 4) - 8 - 5;
        let rows = |last: usize| texts(vec!["a".to_owned(), "b".repeat(3 << 20), "c".repeat(last)]);
        let world = World::of(
            settings(500),
            MemorySource::new().with("bars", rows(largest)),
        );
        assert_eq!(pin(&world).await.unwrap().segments, 3);
        let world = World::of(
            settings(500),
            MemorySource::new().with("bars", rows(largest + 1)),
        );
        let error = pin(&world).await.unwrap_err();
        assert_eq!(error.code(), "schema");
        assert_eq!(
            error.to_string(),
            "the columns do not fit together: row 2 takes 4194305 bytes as a segment, expected \
             at most 4194304; shorten its texts"
        );
    });
}

#[test]
fn names_too_long_together_are_refused_before_anything_is_written() {
    pollster::block_on(async {
        let columns = (0..1_000).map(|at| Column {
            name: format!("{at:0200}"),
            values: Values::Numbers(vec![Some(1.0)]),
        });
        let batch = Batch::new(vec![0], columns.collect()).unwrap();
        let world = World::of(settings(500), MemorySource::new().with("bars", batch));
        let error = pin(&world).await.unwrap_err();
        assert_eq!(error.code(), "schema");
        assert!(
            error
                .to_string()
                .contains("expected at most 65536; give fewer columns"),
            "{error}"
        );
        assert_eq!(world.store.used_bytes(), 0);
    });
}

#[test]
fn an_empty_batch_may_have_any_columns() {
    pollster::block_on(async {
        let empty = || Batch::new(vec![], vec![]).unwrap();
        let all = bars(50, 1);
        let batches = vec![empty(), all.slice(0..30), empty(), all.slice(30..50)];
        let world = World::of(settings(20), Batches(batches));
        assert_eq!(pin(&world).await.unwrap().rows, 50);
        let world = World::of(settings(20), Batches(vec![empty()]));
        assert_eq!(pin(&world).await.unwrap_err().code(), "no_rows");
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// However a source cuts its batches, the segments are the same.
    #[test]
    fn batches_leave_no_trace(
        lengths in prop::collection::vec(prop_oneof![4 => 0usize..50, 1 => 100_000usize..700_000], 1..40),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        segment_rows in 1u32..12,
    ) {
        let all = texts(lengths.iter().map(|length| "x".repeat(*length)).collect());
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(all.rows() + 1)).collect();
        ends.push(all.rows());
        ends.sort_unstable();
        let mut start = 0;
        let parts = ends.into_iter().map(|end| { let part = all.slice(start..end); start = end; part });
        let parts = World::of(settings(segment_rows), Batches(parts.collect()));
        let whole = World::of(settings(segment_rows), Batches(vec![all]));
        let (parts, whole) = pollster::block_on(async { (pin(&parts).await.unwrap(), pin(&whole).await.unwrap()) });
        prop_assert_eq!(parts.digest, whole.digest);
    }
}

/// A time that is no midnight, after batches of midnights that are written already, has its
/// rows pinned in the form that can write it, also where a call has its own row of ids.
#[test]
fn a_later_time_of_day_changes_how_all_times_are_written() {
    const DAY_MS: i64 = 86_400_000;
    pollster::block_on(async {
        let batch = |time_ms: Vec<i64>| {
            let values = Values::Numbers(vec![Some(1.0); time_ms.len()]);
            let name = "close".to_owned();
            Batch::new(time_ms, vec![Column { name, values }]).unwrap()
        };
        let days = batch((0..10).map(|day| day * DAY_MS).collect());
        let late = batch(vec![20 * DAY_MS + 60_000]);
        let world = World::of(settings(3), Batches(vec![days, late]));
        let pinned = pin(&world).await.unwrap();
        let submitted = world.submit("bars").await;
        assert_eq!((pinned.rows, submitted.snapshot.rows), (11, 11));
        for id in [pinned.id, submitted.snapshot.id] {
            let rows = Rows::Snapshot(id);
            let page = world
                .runtime
                .first_page(&world.owner, rows, None)
                .await
                .unwrap();
            assert!(page.text.contains("columns=time:tc,"), "{}", page.text);
            assert!(
                page.text.ends_with("@1970-01-21\n00:01,1\n"),
                "{}",
                page.text
            );
        }
    });
}
