//! Error codes are unique, listed in the README's one table, and every error
//! tells what to do next.

use std::collections::BTreeSet;

use toolgate_store::{Fence, Record, ResultVersion, StoreError, TaskState};

fn one_of_each() -> Vec<StoreError> {
    vec![
        StoreError::NotFound {
            what: Record::Snapshot,
        },
        StoreError::Expired { what: Record::View },
        StoreError::NotSealed,
        StoreError::Conflict {
            what: Record::Step,
            expected: "ab".into(),
            found: "cd".into(),
        },
        StoreError::IdTaken { what: Record::Task },
        StoreError::StaleFence {
            held: Fence(1),
            current: Fence(2),
        },
        StoreError::Finished {
            state: TaskState::Succeeded,
        },
        StoreError::OtherVersion {
            asked: ResultVersion(1),
            current: ResultVersion(2),
        },
        StoreError::OutOfRange {
            what: Record::Segment,
            asked: 7,
            len: 7,
        },
        StoreError::invalid("ordinal", "3", "5"),
        StoreError::Quota {
            needed: 9,
            used: 95,
            limit: 100,
        },
        StoreError::Corrupt {
            what: Record::Segment,
            expected: "ab".into(),
            found: "cd".into(),
        },
        StoreError::Unavailable {
            reason: "connection refused".into(),
        },
        StoreError::ReplyLost,
    ]
}

#[test]
fn codes_are_unique_and_complete() {
    let codes: Vec<_> = one_of_each().iter().map(StoreError::code).collect();
    assert_eq!(codes, StoreError::CODES);
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    let snake = |code: &&str| code.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    assert!(codes.iter().all(snake));
}

#[test]
fn the_readme_lists_every_code_in_order() {
    let readme = include_str!("../README.md");
    let table = readme
        .split("## Errors")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let rows = table
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.strip_prefix("| `"));
    let listed: Vec<_> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(listed, StoreError::CODES);
}

#[test]
fn every_error_says_what_happened_and_what_to_do_next() {
    let texts: Vec<_> = one_of_each().iter().map(ToString::to_string).collect();
    for (error, text) in one_of_each().iter().zip(&texts) {
        let (happened, next) = text.split_once("; ").unwrap_or_default();
        assert!(!happened.is_empty() && !next.is_empty(), "{text}");
        assert!(text.ends_with(error.next_step()), "{text}");
    }
    assert_eq!(
        texts[5],
        "stale fence: the task is at fence 2, this lease holds 1; stop working on this task and \
         discard the work: the lease was lost or given back"
    );
    assert_eq!(
        texts[9],
        "invalid ordinal: expected 3, found 5; correct the argument and send the operation again"
    );
}

#[test]
fn only_two_errors_are_worth_sending_the_same_again() {
    let again = one_of_each().into_iter().filter(StoreError::is_retryable);
    assert_eq!(
        again.map(|error| error.code()).collect::<Vec<_>>(),
        ["unavailable", "reply_lost"]
    );
}
