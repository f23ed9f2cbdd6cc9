//! A chunk that fails names the row and leaves the run as it was.
#![allow(clippy::unwrap_used, reason = "a test")]

use toolgate_kernels::{
    Columns, Cross, Ema, Error, Kernel, Lines, Numbers, Outputs, Plan, Run, Seed, Sma,
};

const PLAN: &str = r#"{"inputs":["high","low"],"nodes":[
    {"id":"a","kernel":"sma","input":"high","period":2},
    {"id":"b","kernel":"ema","input":"low","period":3,"seed":"first"},
    {"id":"x","kernel":"cross","fast":"a","slow":"b"}],"outputs":["a","b","x"]}"#;

fn started() -> Run {
    let mut run = Plan::from_json(PLAN).unwrap().start();
    let chunk = Columns {
        time_ms: &[10, 20, 30],
        columns: &[("low", &[1.0, 2.0, 1.5]), ("high", &[2.0, 1.0, 2.0])],
    };
    run.push(&chunk).unwrap();
    run
}

#[track_caller]
fn check(time_ms: &[i64], columns: &[(&str, &[f64])], expected: Error) {
    let mut run = started();
    let before = run.save();
    let mut out = Outputs::default();
    let error = run
        .push_into(&Columns { time_ms, columns }, &mut out)
        .unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(run.save(), before);
    assert_eq!(out.rows(), 0);
    assert!(out.number("a").unwrap().is_empty());
    // The run still goes on as one that saw no fault.
    let next = Columns {
        time_ms: &[40],
        columns: &[("low", &[1.0]), ("high", &[3.0])],
    };
    let mut other = started();
    assert_eq!(run.push(&next).unwrap(), other.push(&next).unwrap());
    assert_eq!(run.save(), other.save());
}

#[test]
fn values() {
    let nan = f64::NAN;
    let non_finite = |row, column: &str, found| Error::NonFinite {
        row,
        column: column.into(),
        found,
    };
    check(
        &[40, 50],
        &[("low", &[1.0, nan]), ("high", &[1.0, 1.0])],
        non_finite(1, "low", "NaN"),
    );
    check(
        &[40, 50],
        &[("low", &[1.0, 1.0]), ("high", &[f64::INFINITY, 1.0])],
        non_finite(0, "high", "infinity"),
    );
    check(
        &[40],
        &[("low", &[f64::NEG_INFINITY]), ("high", &[1.0])],
        non_finite(0, "low", "-infinity"),
    );
    // Past the first run of values that is checked at once.
    let times: Vec<i64> = (40..640).collect();
    let mut low = vec![1.0; 600];
    low[555] = nan;
    check(
        &times,
        &[("low", &low), ("high", &[1.0; 600])],
        non_finite(555, "low", "NaN"),
    );
}

#[test]
fn times() {
    let columns: &[(&str, &[f64])] = &[("low", &[1.0, 1.0]), ("high", &[1.0, 1.0])];
    check(
        &[30, 40],
        columns,
        Error::DuplicateTime {
            row: 0,
            time_ms: 30,
        },
    );
    check(
        &[40, 40],
        columns,
        Error::DuplicateTime {
            row: 1,
            time_ms: 40,
        },
    );
    check(
        &[29, 40],
        columns,
        Error::OutOfOrder {
            row: 0,
            time_ms: 29,
            after_ms: 30,
        },
    );
    check(
        &[50, 40],
        columns,
        Error::OutOfOrder {
            row: 1,
            time_ms: 40,
            after_ms: 50,
        },
    );
    check(
        &[40, i64::MIN],
        columns,
        Error::OutOfOrder {
            row: 1,
            time_ms: i64::MIN,
            after_ms: 40,
        },
    );
}

#[test]
fn columns() {
    check(
        &[40],
        &[("High", &[1.0]), ("low", &[1.0])],
        Error::MissingColumn {
            column: "high".into(),
            found: "High, low".into(),
        },
    );
    check(
        &[],
        &[],
        Error::MissingColumn {
            column: "high".into(),
            found: "none".into(),
        },
    );
    check(
        &[40],
        &[("low", &[1.0]), ("high", &[1.0]), ("low", &[1.0])],
        Error::DuplicateColumn {
            column: "low".into(),
        },
    );
    check(
        &[40, 50],
        &[("low", &[1.0]), ("high", &[1.0, 1.0])],
        Error::LengthMismatch {
            column: "low".into(),
            found: 1,
            expected: 2,
        },
    );
}

#[test]
fn an_empty_chunk_changes_nothing_and_other_columns_do_not_matter() {
    let mut run = started();
    let before = run.save();
    let out = run
        .push(&Columns {
            time_ms: &[],
            columns: &[("low", &[]), ("high", &[])],
        })
        .unwrap();
    assert_eq!((out.first_bar(), out.rows()), (3, 0));
    assert_eq!(run.save(), before);
    let chunk = Columns {
        time_ms: &[40],
        columns: &[
            ("low", &[1.0]),
            ("high", &[1.0]),
            ("note", &[f64::NAN, 1.0]),
        ],
    };
    run.push(&chunk).unwrap();
    assert_eq!(run.bars(), 4);
}

#[test]
fn of_a_kernel() {
    let mut out = Numbers::default();
    let mut sma = Sma::new(2).unwrap();
    let mut ema = Ema::new(2, Seed::Sma).unwrap();
    let error = Error::NonFinite {
        row: 2,
        column: "input".into(),
        found: "NaN",
    };
    assert_eq!(
        sma.push_slice(&[1.0, 2.0, f64::NAN], &mut out),
        Err(error.clone())
    );
    assert_eq!(ema.push_slice(&[1.0, 2.0, f64::NAN], &mut out), Err(error));
    let error = Error::NonFinite {
        row: 0,
        column: "input".into(),
        found: "infinity",
    };
    assert_eq!(sma.push(f64::INFINITY), Err(error.clone()));
    assert_eq!(sma.peek(f64::INFINITY), Err(error.clone()));
    assert_eq!(ema.peek(f64::INFINITY), Err(error));
    assert!(out.is_empty() && sma.bars() == 0 && ema.bars() == 0);

    let mut cross = Cross::new();
    let mut cells = Vec::new();
    let lines = Lines::Both {
        fast: &[1.0, 2.0],
        slow: &[1.0],
    };
    let error = Error::LengthMismatch {
        column: "slow".into(),
        found: 1,
        expected: 2,
    };
    assert_eq!(cross.push_slice(lines, &mut cells), Err(error));
    let lines = Lines::SlowLevel {
        fast: &[1.0],
        slow: f64::NAN,
    };
    let error = Error::NonFinite {
        row: 0,
        column: "slow".into(),
        found: "NaN",
    };
    assert_eq!(cross.push_slice(lines, &mut cells), Err(error));
    assert!(cells.is_empty() && cross.bars() == 0);
}
