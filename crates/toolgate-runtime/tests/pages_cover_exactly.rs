//! Pages through cursors hold every row once, in order, under their caps, the same on every reading.
#![allow(clippy::unwrap_used)]

mod world;

use proptest::prelude::*;
use qrp1::{Document, Payload, Value};
use toolgate_runtime::{Page, PageCaps, Rows};
use toolgate_tokens::{Estimate, TokenCounter};
use world::World;

async fn all_pages(world: &World, rows: Rows, caps: PageCaps) -> Vec<Page> {
    let mut pages = vec![
        world
            .runtime
            .first_page(&world.owner, rows, Some(caps))
            .await
            .unwrap(),
    ];
    while let Some(cursor) = pages.last().and_then(|page| page.next.clone()) {
        let page = world
            .runtime
            .next_page(&world.owner, rows, &cursor)
            .await
            .unwrap();
        let again = world
            .runtime
            .next_page(&world.owner, rows, &cursor)
            .await
            .unwrap();
        assert_eq!(page, again);
        pages.push(page);
        assert!(pages.len() < 1_000, "a cursor always advances");
    }
    pages
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn every_row_once(
        rows in 1usize..150,
        segment_rows in 1u32..50,
        max_bytes in prop::option::of(450usize..4_000),
        max_tokens in prop::option::of(400usize..3_000),
    ) {
        pollster::block_on(async {
            let world = World::new(rows, segment_rows);
            let submitted = world.finished("bars").await;
            let caps = PageCaps { max_bytes, max_tokens };
            for target in [Rows::Result(submitted.task), Rows::Snapshot(submitted.snapshot.id)] {
                let mut next_row = 0;
                for page in all_pages(&world, target, caps).await {
                    assert_eq!(page.rows.start, next_row);
                    assert_eq!(page.total, rows as u64);
                    assert!(max_bytes.is_none_or(|max| page.text.len() <= max));
                    assert!(max_tokens.is_none_or(|max| page.tokens <= max));
                    assert!(Estimate.count(&page.text) <= page.tokens);
                    let document = Document::parse(&page.text).unwrap();
                    let [Payload::Table(table)] = document.payloads() else { panic!("one series") };
                    assert_eq!(table.meta.next, page.next);
                    assert_eq!(table.meta.from, Some(page.rows.start));
                    for row in &table.rows {
                        // A row has the same time on whichever page it stands.
                        let expected = 1_700_000_000_000 + i64::try_from(next_row).unwrap() * 60_000;
                        assert_eq!(row[0], Value::Time(expected));
                        next_row += 1;
                    }
                }
                assert_eq!(next_row, rows as u64);
            }
        });
    }
}

#[test]
fn one_page_that_holds_all_says_so() {
    pollster::block_on(async {
        let world = World::new(3, 500);
        let submitted = world.finished("bars").await;
        let page = world
            .runtime
            .first_page(&world.owner, Rows::Result(submitted.task), None)
            .await
            .unwrap();
        assert_eq!(page.next, None);
        assert!(
            page.text
                .contains("|cover=all|rows=3|lines=4|from=0|total=3|"),
            "{}",
            page.text
        );
    });
}

#[test]
fn a_row_that_no_page_can_hold_is_reported_with_its_size() {
    pollster::block_on(async {
        let world = World::new(3, 500);
        let submitted = world.finished("bars").await;
        let caps = PageCaps {
            max_bytes: Some(100),
            max_tokens: None,
        };
        let error = world
            .runtime
            .first_page(&world.owner, Rows::Result(submitted.task), Some(caps))
            .await
            .unwrap_err();
        assert_eq!(error.code(), "row_too_large");
        assert!(
            error.to_string().contains("within 100 bytes, found "),
            "{error}"
        );
    });
}

/// Midnights are written as days and other times as times of day, whatever comes first.
#[test]
fn times_are_written_short_and_read_back() {
    use toolgate_runtime::{Batch, Column, Locator, MemorySource, Settings, Values};
    const DAY: i64 = 86_400_000;
    pollster::block_on(async {
        let batch = |time_ms: Vec<i64>| {
            let values = Values::Numbers(vec![Some(1.5); time_ms.len()]);
            let columns = vec![Column {
                name: "close".to_owned(),
                values,
            }];
            Batch::new(time_ms, columns).unwrap()
        };
        let days: Vec<i64> = (0..40).map(|day| day * DAY).collect();
        // A thousand midnights, and in a later segment a time that is none.
        let mixed: Vec<i64> = (0..1_000)
            .map(|day| day * DAY)
            .chain([1_000 * DAY + 1])
            .collect();
        let source = MemorySource::new()
            .with("days", batch(days.clone()))
            .with(
                "minutes",
                batch((0..40).map(|minute| minute * 60_000).collect()),
            )
            .with("mixed", batch(mixed.clone()));
        let world = World::of(
            Settings {
                segment_rows: 50,
                ..Settings::default()
            },
            source,
        );
        for (symbol, head, times) in [
            (
                "days",
                "|columns=time:td,close:f?\n@1970-01\n01,1.5\n02,1.5\n",
                days,
            ),
            (
                "minutes",
                "|columns=time:tc,close:f?\n@1970-01-01\n00:00,1.5\n",
                vec![],
            ),
            (
                "mixed",
                "|columns=time:tc,close:f?\n@1970-01-01\n00:00,1.5\n@1970-01-02\n",
                mixed,
            ),
        ] {
            let locator = Locator::new("memory", symbol);
            let snapshot = world.runtime.pin(&world.owner, &locator).await.unwrap();
            let rows = Rows::Snapshot(snapshot.id);
            let caps = PageCaps {
                max_bytes: Some(2_000),
                max_tokens: None,
            };
            let mut read = Vec::new();
            for page in all_pages(&world, rows, caps).await {
                assert!(
                    !read.is_empty() || page.text.contains(head),
                    "{}",
                    page.text
                );
                let document = Document::parse(&page.text).unwrap();
                let [Payload::Table(table)] = document.payloads() else {
                    panic!("one series")
                };
                read.extend(table.rows.iter().map(|row| match row[0] {
                    Value::Time(time_ms) => time_ms,
                    _ => panic!("a time"),
                }));
            }
            assert!(times.is_empty() || read == times);
        }
    });
}
