//! What comes from outside is repeated short and escaped, and refused where it is too long.
#![allow(clippy::unwrap_used)]

mod world;

use toolgate_runtime::{
    Batch, Column, ComputeRequest, CsvSource, Error, Locator, MAX_REQUEST_JSON_BYTES, MemorySource,
    Settings, Values,
};
use world::{World, bars};

const HOSTILE: &str = "a\u{202e}b\u{1b}[31m\nc";

fn is_short(error: &Error) {
    for text in [error.to_string(), error.to_receipt()] {
        assert!(text.len() < 1_500, "{}: {text}", text.len());
        let bad = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202e}' | '\u{200b}');
        assert!(!text.trim_end().contains(bad), "{text:?}");
    }
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn names_are_cut_and_escaped_wherever_they_come_from() {
    pollster::block_on(async {
        let world = World::new(10, 20);
        let long = format!("{HOSTILE}{}", "x".repeat(200));
        let pin = async |source: &str, symbol: &str| {
            let locator = Locator::new(source, symbol);
            world.runtime.pin(&world.owner, &locator).await.unwrap_err()
        };
        is_short(&pin(&long, "bars").await);
        is_short(&pin("memory", &long).await);
        let column = |name: &str, values| Column {
            name: name.to_owned(),
            values: Values::Numbers(values),
        };
        let batch = |columns| Batch::new(vec![0], columns).unwrap_err();
        is_short(&batch(vec![column(&long, vec![])]));
        is_short(&batch(vec![
            column(&long, vec![None]),
            column(&long, vec![None]),
        ]));
        let many = (0..100).map(|at| column(&format!("{at:03}{long}"), vec![Some(1.0)]));
        let many = Batch::new(vec![0], many.collect()).unwrap();
        let error = many.numbers(&long).unwrap_err();
        assert!(error.to_string().len() < 2_500, "{error}");
        assert!(error.to_string().ends_with(" and 80 more"), "{error}");
    });
}

#[test]
fn requests_have_limits_that_are_named() {
    let field = "f".repeat(100_000);
    for error in [
        Locator::from_json(&format!(r#"{{"source":"a","symbol":"b","{field}":1}}"#)),
        Locator::from_json(r#"{"source":"a","symbol":"b","\u001b\u202e":1}"#),
    ] {
        let error = error.unwrap_err();
        is_short(&error);
        assert_eq!(error.code(), "request");
    }
    is_short(&ComputeRequest::from_json(&format!(r#"{{"{field}":1}}"#)).unwrap_err());

    let too_long = format!(r#"{{"a":"{}"}}"#, "x".repeat(MAX_REQUEST_JSON_BYTES));
    for error in [
        Locator::from_json(&too_long).unwrap_err(),
        ComputeRequest::from_json(&too_long).unwrap_err(),
    ] {
        assert!(
            error
                .to_string()
                .contains("expected at most 131072 bytes of JSON, found 131080"),
            "{error}"
        );
    }
    let long = "x".repeat(256);
    let json = format!(r#"{{"source":"a","symbol":"{long}"}}"#);
    for error in [
        Locator::from_json(&json).map(|_| ()),
        pollster::block_on(async {
            let world = World::new(1, 1);
            let locator = Locator::new("memory", long.clone());
            world.runtime.pin(&world.owner, &locator).await.map(|_| ())
        }),
    ] {
        assert_eq!(
            error.unwrap_err().to_string(),
            "the request is not valid: locator, field symbol: expected at most 255 bytes, found \
             256; correct it and send it again"
        );
    }
}

#[test]
fn a_locator_has_times_of_one_shape() {
    for time in [
        "2000-03-01",
        "2000-03-01T00:00:60Z",
        "2000-03-01 00:00:00Z",
        "2000-03-01T00:00:00+01:00[Europe/Paris]",
    ] {
        for field in ["start", "end"] {
            let json = format!(r#"{{"source":"a","symbol":"b","{field}":"{time}"}}"#);
            let error = Locator::from_json(&json).unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
    }
}

#[test]
fn a_time_no_page_can_write_is_no_time() {
    for time_ms in [
        i64::MIN,
        qrp1::MIN_TIME_MS - 1,
        qrp1::MAX_TIME_MS + 1,
        i64::MAX,
    ] {
        let error = Batch::new(vec![time_ms], vec![]).unwrap_err();
        assert_eq!(error.code(), "schema");
        assert!(error.to_string().contains("0000 to 9999"), "{error}");
    }
    assert!(Batch::new(vec![qrp1::MIN_TIME_MS, qrp1::MAX_TIME_MS], vec![]).is_ok());
}

#[test]
fn a_file_that_is_not_there_is_not_asked_for_again() {
    pollster::block_on(async {
        let folder = env!("CARGO_MANIFEST_DIR");
        let source = CsvSource::new()
            .with_file("folder", folder)
            .with_file("nothing", format!("{folder}/no/such.csv"));
        let world = World::of(Settings::default(), source);
        for symbol in ["folder", "nothing"] {
            let locator = Locator::new("memory", symbol);
            let error = world.runtime.pin(&world.owner, &locator).await.unwrap_err();
            assert_eq!(error.code(), "source_missing");
            assert!(
                error
                    .to_receipt()
                    .ends_with("|hint=correct the path or ask for another symbol\n"),
                "{error}"
            );
        }
    });
}

#[test]
fn a_missing_value_is_named_by_its_row_in_the_snapshot() {
    pollster::block_on(async {
        let mut values: Vec<Option<f64>> = vec![Some(1.0); 50];
        values[33] = None;
        let close = Column {
            name: "close".to_owned(),
            values: Values::Numbers(values),
        };
        let batch = Batch::new(bars(50, 1).time_ms().to_vec(), vec![close]).unwrap();
        let settings = Settings {
            segment_rows: 20,
            ..Settings::default()
        };
        let world = World::of(settings, MemorySource::new().with("bars", batch));
        let failed = world.finished("bars").await;
        let error = world
            .runtime
            .answer(&world.owner, failed.task)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "non_finite");
        assert_eq!(
            error.to_string(),
            "the task failed: row 33 of the snapshot (the first is row 0), column close: the \
             value is missing or not finite, expected a number in every row that a plan reads; \
             correct the data or ask for another range, and start a new task"
        );
    });
}
