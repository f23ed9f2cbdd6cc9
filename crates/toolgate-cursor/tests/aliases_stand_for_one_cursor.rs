//! An alias means one cursor for as long as it means anything.

use std::collections::HashMap;

use proptest::prelude::*;
use toolgate_cursor::{Aliases, Error};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_asked(
        capacity in 0_usize..6,
        steps in prop::collection::vec(0_u8..12, 0..60),
    ) {
        let mut aliases = Aliases::new(capacity);
        let mut given: HashMap<String, String> = HashMap::new();
        for step in steps {
            let cursor = format!("E{step}");
            let alias = aliases.alias(&cursor);
            prop_assert_eq!(aliases.resolve(&alias), Ok(cursor.as_str()));
            let before = given.entry(alias).or_insert_with(|| cursor.clone());
            prop_assert_eq!(&*before, &cursor, "an alias was used again");
            prop_assert!(aliases.iter().count() <= capacity.max(1));
            for (alias, cursor) in &given {
                let resolved = aliases.resolve(alias).map_err(|error| error.code());
                prop_assert!(resolved == Ok(cursor) || resolved == Err("cursor_alias_unknown"));
            }
            let kept: Vec<_> = aliases.iter().map(|(_, cursor)| cursor.to_owned()).collect();
            prop_assert_eq!(&Aliases::resume(capacity, aliases.first(), kept), &aliases);
        }
    }
}

#[test]
fn only_the_shortest_form_is_an_alias() {
    let mut aliases = Aliases::new(9);
    aliases.alias("EAEB");
    assert_eq!(aliases.resolve("c1"), Ok("EAEB"));
    for text in [
        "", "c", "C1", "c01", "c0", "c+1", " c1", "c1 ", "c-1", "c1e0", "EAEB",
    ] {
        assert_eq!(aliases.resolve(text), Ok(text));
    }
    let beyond = "c18446744073709551616";
    assert_eq!(aliases.resolve(beyond), Ok(beyond));
    let last = Err(Error::AliasUnknown { number: u64::MAX });
    assert_eq!(aliases.resolve("c18446744073709551615"), last);
}

#[test]
fn a_hostile_restore_counts_on_without_overflow() {
    let kept = ["EA", "EB", "EC"].map(String::from);
    let mut aliases = Aliases::resume(2, u64::MAX, kept.clone());
    let (one, two) = (aliases.alias("EC"), aliases.alias("ED"));
    assert_ne!(one, two);
    assert_eq!(aliases.resolve(&two), Ok("ED"));
    assert_eq!(Aliases::resume(usize::MAX, 0, kept).alias("EA"), "c1");
}
