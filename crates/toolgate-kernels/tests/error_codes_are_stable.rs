//! The codes of errors: unique, in snake case, and listed in the crate's documentation
//! with nothing else.

use std::collections::BTreeSet;
use toolgate_kernels::Error;

#[test]
fn the_table_lists_each_code_once() {
    let codes: Vec<&str> = Error::codes().collect();
    let unique: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(unique.len(), codes.len());
    let snake = |c: char| c.is_ascii_lowercase() || c == '_';
    assert!(
        codes.iter().all(|code| code.chars().all(snake)),
        "{codes:?}"
    );
    let table: Vec<&str> = include_str!("../README.md")
        .lines()
        .skip_while(|line| *line != "| code | when |")
        .skip(2)
        .map_while(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert_eq!(table, codes);
}
