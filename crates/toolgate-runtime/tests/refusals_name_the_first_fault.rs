//! What is refused, with which code, and in which order.
#![allow(clippy::unwrap_used)]

mod world;

use std::time::Duration;

use qrp1::{Document, Payload, Status};
use toolgate_runtime::{
    Batch, Column, Error, Locator, MemorySource, PageCaps, Rows, Settings, Values, Worker,
};
use toolgate_store::Owner;
use world::{LEASE, World, bars};

const SMALL: Option<PageCaps> = Some(PageCaps {
    max_bytes: Some(700),
    max_tokens: None,
});

fn code<T: core::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().code().to_owned()
}

#[test]
fn a_cursor_opens_its_own_rows_and_nothing_else() {
    pollster::block_on(async {
        let world = World::new(100, 20);
        let (a, b) = (world.finished("bars").await, world.finished("bars").await);
        let rows = Rows::Result(a.task);
        let cursor = world
            .runtime
            .first_page(&world.owner, rows, SMALL)
            .await
            .unwrap()
            .next
            .unwrap();
        let open = async |owner: &Owner, rows, cursor: &str| {
            world.runtime.next_page(owner, rows, cursor).await
        };
        assert!(open(&world.owner, rows, &cursor).await.is_ok());
        assert_eq!(
            code(open(&world.owner, Rows::Result(b.task), &cursor).await),
            "cursor_query"
        );
        assert_eq!(
            code(open(&world.owner, Rows::Snapshot(a.snapshot.id), &cursor).await),
            "cursor_query"
        );
        let of_snapshot = world
            .runtime
            .first_page(&world.owner, Rows::Snapshot(a.snapshot.id), SMALL)
            .await
            .unwrap()
            .next
            .unwrap();
        let other = Rows::Snapshot(b.snapshot.id);
        assert_eq!(
            code(open(&world.owner, other, &of_snapshot).await),
            "cursor_snapshot"
        );
        // Another owner learns nothing, not even that the task is there.
        let mallory = Owner::new("mallory").unwrap();
        let not_theirs = open(&mallory, rows, &cursor).await.unwrap_err();
        let not_there = open(
            &mallory,
            Rows::Result("t000000000000".parse().unwrap()),
            &cursor,
        )
        .await;
        assert_eq!(not_theirs, not_there.unwrap_err());
        assert_eq!(not_theirs.code(), "not_found");
        // A cursor of another owner, for rows of one's own, looks like one that never was.
        let theirs = world
            .runtime
            .pin(&mallory, &Locator::new("memory", "bars"))
            .await
            .unwrap();
        assert_eq!(
            code(open(&mallory, Rows::Snapshot(theirs.id), &cursor).await),
            "cursor_gone"
        );
        for text in [
            "",
            "c2",
            "not a cursor",
            &"A".repeat(100_000),
            &format!("{cursor}A"),
            &cursor[1..],
        ] {
            let code = code(open(&world.owner, rows, text).await);
            assert!(code.starts_with("cursor_"), "{code}");
        }
    });
}

#[test]
fn an_expired_cursor_is_told_so_and_then_is_gone() {
    pollster::block_on(async {
        let world = World::new(100, 20);
        let submitted = world.finished("bars").await;
        let rows = Rows::Result(submitted.task);
        let cursor = world
            .runtime
            .first_page(&world.owner, rows, SMALL)
            .await
            .unwrap()
            .next
            .unwrap();
        world.clock.advance(Duration::from_secs(59 * 60));
        assert!(
            world
                .runtime
                .next_page(&world.owner, rows, &cursor)
                .await
                .is_ok()
        );
        world.clock.advance(Duration::from_secs(2 * 60));
        assert_eq!(
            code(world.runtime.next_page(&world.owner, rows, &cursor).await),
            "cursor_expired"
        );
        world.clock.advance(Duration::from_secs(60 * 60));
        assert_eq!(
            code(world.runtime.next_page(&world.owner, rows, &cursor).await),
            "cursor_gone"
        );
        // The rows are still there, and in the end they are not, which is said too.
        assert!(
            world
                .runtime
                .first_page(&world.owner, rows, SMALL)
                .await
                .is_ok()
        );
        world.clock.advance(Duration::from_secs(24 * 60 * 60));
        assert_eq!(
            code(world.runtime.first_page(&world.owner, rows, SMALL).await),
            "expired"
        );
    });
}

#[test]
fn a_failed_task_outranks_a_bad_cursor() {
    pollster::block_on(async {
        let mut values: Vec<Option<f64>> = vec![Some(1.0); 50];
        values[33] = None;
        let broken = Batch::new(
            bars(50, 1).time_ms().to_vec(),
            vec![Column {
                name: "close".to_owned(),
                values: Values::Numbers(values),
            }],
        );
        let source = MemorySource::new().with("bars", broken.unwrap());
        let world = World::of(
            Settings {
                segment_rows: 20,
                ..Settings::default()
            },
            source,
        );
        let submitted = world.submit("bars").await;
        let rows = Rows::Result(submitted.task);
        let pending = world
            .runtime
            .first_page(&world.owner, rows, None)
            .await
            .unwrap_err();
        assert_eq!(pending.code(), "task_pending");
        assert!(
            pending
                .to_receipt()
                .starts_with("QRP1|receipt|status=pending|code=task_pending|")
        );
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        worker.run().await.unwrap();
        for result in [
            world
                .runtime
                .next_page(&world.owner, rows, "not a cursor")
                .await
                .map(|page| page.text),
            world
                .runtime
                .first_page(&world.owner, rows, None)
                .await
                .map(|page| page.text),
            world.runtime.answer(&world.owner, submitted.task).await,
        ] {
            let error = result.unwrap_err();
            assert_eq!(error.code(), "non_finite", "{error}");
            assert!(matches!(error, Error::TaskFailed { .. }));
            let receipt = Document::parse(&error.to_receipt()).unwrap();
            let [Payload::Receipt(receipt)] = receipt.payloads() else {
                panic!("a receipt")
            };
            assert_eq!(receipt.outcome.status, Status::Failed);
            assert!(
                receipt.outcome.reason.as_ref().unwrap().contains("close"),
                "{receipt:?}"
            );
        }
    });
}

#[test]
fn a_request_is_refused_before_anything_is_read() {
    pollster::block_on(async {
        let world = World::new(10, 20);
        let pin = async |source: &str, symbol: &str| {
            world
                .runtime
                .pin(&world.owner, &Locator::new(source, symbol))
                .await
        };
        assert_eq!(code(pin("file", "bars").await), "unknown_source");
        assert_eq!(
            code(pin("memory", "../../etc/passwd").await),
            "unknown_symbol"
        );
        let empty = Locator {
            start: Some("2040-01-01T00:00:00Z".to_owned()),
            ..Locator::new("memory", "bars")
        };
        assert_eq!(
            code(world.runtime.pin(&world.owner, &empty).await),
            "no_rows"
        );
        let turned = Locator {
            start: Some("2024-01-02T00:00:00Z".to_owned()),
            end: Some("2024-01-01T00:00:00Z".to_owned()),
            ..Locator::new("memory", "bars")
        };
        assert_eq!(
            code(world.runtime.pin(&world.owner, &turned).await),
            "request"
        );
        let mut request = World::request("bars");
        request.plan = toolgate_kernels::Plan::from_json(
            r#"{"inputs":["high"],"nodes":[{"id":"a","kernel":"sma","input":"high","period":2}],"outputs":["a"]}"#,
        )
        .unwrap();
        let error = world
            .runtime
            .submit(&world.owner, &request, &world.key())
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no number column \"high\"; write one of: close"
        );
        assert!(
            !world.faulty.calls().contains(&"create_snapshot"),
            "nothing may be written for a plan that cannot run"
        );
        request.plan = toolgate_kernels::Plan::from_json(
            r#"{"inputs":["close"],"nodes":[{"id":"time","kernel":"sma","input":"close","period":2}],"outputs":["time"]}"#,
        )
        .unwrap();
        assert_eq!(
            code(
                world
                    .runtime
                    .submit(&world.owner, &request, &world.key())
                    .await
            ),
            "schema"
        );
        assert_eq!(world.store.used_bytes(), 0);
        assert_eq!(world.faulty.calls(), [""; 0]);
    });
}

#[test]
fn the_range_of_a_locator_is_half_open() {
    pollster::block_on(async {
        let world = World::new(10, 4);
        let range = Locator {
            start: Some("2023-11-14T22:14:20Z".to_owned()), // the time of row 1
            end: Some("2023-11-14T22:18:20Z".to_owned()),   // the time of row 5
            ..Locator::new("memory", "bars")
        };
        let snapshot = world.runtime.pin(&world.owner, &range).await.unwrap();
        assert_eq!((snapshot.rows, snapshot.segments), (4, 1));
        let rows = world
            .runtime
            .snapshot_segment(&world.owner, snapshot.id, 0)
            .await
            .unwrap();
        assert_eq!(rows.time_ms(), &bars(10, 1).time_ms()[1..5]);
    });
}

#[test]
fn a_failed_task_outranks_an_expired_snapshot() {
    pollster::block_on(async {
        let mut values: Vec<Option<f64>> = vec![Some(1.0); 10];
        values[3] = None;
        let columns = vec![Column {
            name: "close".to_owned(),
            values: Values::Numbers(values),
        }];
        let broken = Batch::new(bars(10, 1).time_ms().to_vec(), columns).unwrap();
        let settings = Settings {
            snapshot_ttl: Duration::from_secs(60 * 60),
            ..Settings::default()
        };
        let world = World::of(settings, MemorySource::new().with("bars", broken));
        let submitted = world.submit("bars").await;
        let worker = Worker::new(&world.runtime, LEASE).unwrap();
        worker.run().await.unwrap();
        world.clock.advance(Duration::from_secs(2 * 60 * 60));
        let rows = Rows::Result(submitted.task);
        let runtime = &world.runtime;
        assert_eq!(
            code(runtime.first_page(&world.owner, rows, None).await),
            "non_finite"
        );
        assert_eq!(
            code(runtime.next_page(&world.owner, rows, "bad").await),
            "non_finite"
        );
        assert_eq!(
            code(runtime.answer(&world.owner, submitted.task).await),
            "non_finite"
        );
    });
}

#[test]
fn an_unknown_outcome_is_kept_as_one() {
    use toolgate_store::{ClaimRequest, Failure, Outcome, TaskKind, TaskStore, WorkerId};
    pollster::block_on(async {
        let world = World::new(10, 20);
        let submitted = world.submit("bars").await;
        let kinds = [TaskKind::new("compute").unwrap()];
        let ask = ClaimRequest::new(WorkerId::new("w").unwrap(), kinds, LEASE).unwrap();
        let claimed = world.store.claim(&ask).await.unwrap().remove(0);
        let failure = Failure::new("order_sent", "the exchange did not answer").unwrap();
        let outcome = Outcome::OutcomeUnknown(failure);
        world.store.finish(&claimed.lease, &outcome).await.unwrap();
        let error = world
            .runtime
            .answer(&world.owner, submitted.task)
            .await
            .unwrap_err();
        assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error:?}");
        let receipt = error.to_receipt();
        assert!(
            receipt.starts_with("QRP1|receipt|status=outcome_unknown|code=order_sent|"),
            "{receipt}"
        );
        let rows = Rows::Result(submitted.task);
        let page = world
            .runtime
            .next_page(&world.owner, rows, "bad")
            .await
            .unwrap_err();
        assert_eq!(page, error, "it outranks a bad cursor");
        // And nobody takes it up again.
        world.clock.advance(LEASE * 10);
        assert!(world.store.claim(&ask).await.unwrap().is_empty());
    });
}

#[test]
fn a_list_of_events_that_is_cut_says_so() {
    pollster::block_on(async {
        let settings = |max_events| Settings {
            max_events,
            ..Settings::default()
        };
        let all = World::with(settings(100), 200);
        let submitted = all.finished("bars").await;
        let answer = all
            .runtime
            .answer(&all.owner, submitted.task)
            .await
            .unwrap();
        assert!(answer.contains("|name=events|cover=all|"), "{answer}");
        let cut = World::with(settings(1), 200);
        let submitted = cut.finished("bars").await;
        let answer = cut
            .runtime
            .answer(&cut.owner, submitted.task)
            .await
            .unwrap();
        assert!(
            answer.contains("|name=events|cover=partial|rows=1|total="),
            "{answer}"
        );
        assert!(answer.contains("|hint=the first events;"), "{answer}");
    });
}

#[test]
fn the_events_that_are_listed_are_the_first_of_all_outputs() {
    use toolgate_kernels::Plan;
    use toolgate_store::IdempotencyKey;
    pollster::block_on(async {
        // `late` crosses once at the end, `often` again and again before it.
        let plan = r#"{"inputs":["close"],"nodes":[
            {"id":"a","kernel":"sma","input":"close","period":2},
            {"id":"late","kernel":"cross","fast":"a","slow":"close"},
            {"id":"often","kernel":"cross","fast":"close","slow":100}],"outputs":["late","often"]}"#;
        let settings = Settings {
            max_events: 4,
            ..Settings::default()
        };
        let world = World::with(settings, 200);
        let snapshot = world
            .runtime
            .pin(&world.owner, &Locator::new("memory", "bars"))
            .await
            .unwrap();
        let plan = Plan::from_json(plan).unwrap();
        let key = IdempotencyKey::new("k").unwrap();
        let task = world
            .runtime
            .start(&world.owner, &snapshot, &plan, key)
            .await
            .unwrap();
        Worker::new(&world.runtime, LEASE)
            .unwrap()
            .run()
            .await
            .unwrap();
        let answer = world.runtime.answer(&world.owner, task).await.unwrap();
        let document = Document::parse(&answer).unwrap();
        let Some(Payload::Table(events)) = document
            .payloads()
            .iter()
            .find(|p| matches!(p, Payload::Table(t) if t.meta.name.as_deref() == Some("events")))
        else {
            panic!("a table of events")
        };
        // All crosses of both outputs, from their result rows, in time order.
        let rows = world
            .runtime
            .result_segment(&world.owner, task, toolgate_store::ResultVersion::FIRST, 0)
            .await
            .unwrap();
        let mut first = Vec::new();
        for (row, time_ms) in rows.time_ms().iter().enumerate() {
            for column in rows.columns() {
                if let Values::Texts(cells) = &column.values
                    && cells[row].is_some()
                {
                    first.push((
                        qrp1::Value::Time(*time_ms),
                        qrp1::Value::from(column.name.as_str()),
                    ));
                }
            }
        }
        first.truncate(4);
        let listed: Vec<_> = events
            .rows
            .iter()
            .map(|row| (row[0].clone(), row[1].clone()))
            .collect();
        assert_eq!(listed, first);
    });
}
