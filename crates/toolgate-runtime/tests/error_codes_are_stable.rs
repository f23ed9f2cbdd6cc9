//! The table of the front page lists each code of this crate once, and no other.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use toolgate_runtime::{Error, InputFault, SchemaFault};

#[test]
fn the_table_lists_each_code_once() {
    let text = || "x".to_owned();
    let input = |fault| Error::Input {
        fault,
        line: 1,
        column: None,
        expected: text(),
        found: text(),
    };
    let own = [
        Error::Request { reason: text() },
        Error::UnknownSource {
            name: text(),
            known: vec![],
        },
        Error::UnknownSymbol { symbol: text() },
        Error::UnknownColumn {
            name: text(),
            known: vec![],
        },
        Error::NoRows,
        input(InputFault::Header),
        input(InputFault::Width),
        input(InputFault::Number),
        input(InputFault::Time),
        input(InputFault::Flag),
        input(InputFault::Order),
        input(InputFault::Utf8),
        input(InputFault::Limit),
        input(InputFault::Quote),
        Error::SourceUnavailable { reason: text() },
        Error::SourceMissing { reason: text() },
        Error::Schema(SchemaFault::Reserved),
        Error::StateTooLarge { bytes: 2, limit: 1 },
        Error::NonFinite {
            row: 0,
            column: text(),
        },
        Error::OpenBar { row: 0 },
        Error::SegmentCorrupt { reason: "x" },
        Error::CheckpointCorrupt { reason: "x" },
        Error::TaskPending {
            done: 0,
            total: Some(1),
        },
        Error::Cancelled { reason: text() },
        Error::NoRandomness,
    ];
    let readme = include_str!("../README.md");
    let table = readme.split_once("| code | meaning |").unwrap().1;
    let listed: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"))
        .flat_map(|(codes, _)| codes.split(", "))
        .map(|code| code.trim_matches('`'))
        .collect();
    let unique: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(unique.len(), listed.len(), "a code is listed twice");
    let codes: BTreeSet<&str> = own.iter().map(Error::code).collect();
    assert_eq!(codes.len(), own.len(), "two errors have one code");
    assert_eq!(codes, unique);
    for error in &own {
        let receipt = error.to_receipt();
        let code = format!("|code={}|", error.code());
        assert!(receipt.contains(&code), "{receipt}");
    }
}

#[test]
fn facts_that_do_not_fit_cost_no_receipt() {
    let about = qrp1::Meta::new()
        .with_cover(qrp1::Cover::All)
        .with_next("c2");
    assert_eq!(
        Error::NoRows.to_receipt_about(about),
        "QRP1|receipt|status=failed|code=no_rows|reason=there are no rows in the range that was \
         asked for|hint=widen it\n",
    );
}

#[test]
fn a_task_that_has_not_begun_is_told_so() {
    let error = Error::TaskPending {
        done: 0,
        total: None,
    };
    assert!(
        error
            .to_string()
            .starts_with("the task is not finished (it has not begun); ")
    );
}
