//! One text an id: printing and parsing are inverse, and nothing else parses.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use toolgate_store::{
    ContentHash, FailureCode, IdempotencyKey, Owner, SnapshotId, TaskId, TaskKind, WorkerId,
};

#[test]
fn what_only_looks_like_an_id_is_refused() {
    for text in [
        "",
        "s",
        "42",
        "s42",
        "t000000000042",
        "S000000000042",
        "s0000000000042",
        "s00000000042",
        "s00000000004x",
        "s+00000000042",
        "s-00000000042",
        " s000000000042",
        "s000000000042 ",
        "s000000000042\n",
        "s00000000004\u{0662}",
        "\u{017f}00000000042",
        "s000_00000042",
    ] {
        let error = text.parse::<SnapshotId>().unwrap_err();
        assert_eq!(error.code(), "invalid", "{text:?}");
    }
}

#[test]
fn numbers_and_digits_stop_at_their_bounds() {
    assert!(SnapshotId::from_u64(999_999_999_999).is_ok());
    assert!(SnapshotId::from_u64(1_000_000_000_000).is_err());
    for digit in ["g", "F", "`", "/", ":"] {
        assert!(digit.repeat(64).parse::<ContentHash>().is_err(), "{digit}");
    }
    assert!("f".repeat(63).parse::<ContentHash>().is_err());
    assert!("f".repeat(64).parse::<ContentHash>().is_ok());
}

#[test]
fn names_keep_to_their_letters() {
    assert!(Owner::new("\u{5f20}\u{4e09}/tenant 7").is_ok());
    assert!(Owner::new("line\nbreak").is_err());
    assert!(Owner::new(&"x".repeat(128)).is_ok());
    assert!(Owner::new(&"x".repeat(129)).is_err());
    assert!(WorkerId::new("host:1/2").is_ok());
    assert!(WorkerId::new("h\u{f6}st").is_err());
    assert!(TaskKind::new("plan.run-2_b").is_ok());
    assert!(TaskKind::new("plan/run").is_err());
    assert!(IdempotencyKey::new("toolu_01A").is_ok());
    assert!(IdempotencyKey::new("").is_err());
    assert!(FailureCode::new("bad_plan").is_ok());
    assert!(FailureCode::new("bad.plan").is_err());
}

#[test]
fn a_refused_name_is_not_repeated_in_the_error() {
    let secret = "hunter2 and more";
    let text = WorkerId::new(secret).unwrap_err().to_string();
    assert!(text.contains("another character at byte 7"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn ids_read_back_from_their_text(random: [u8; 8]) {
        let (snapshot, task) = (SnapshotId::from_random(random), TaskId::from_random(random));
        prop_assert_eq!(snapshot.to_string().len(), 13);
        prop_assert_eq!(snapshot.to_string().parse(), Ok(snapshot));
        prop_assert_eq!(task.to_string().parse(), Ok(task));
        prop_assert_eq!(SnapshotId::from_u64(snapshot.as_u64()), Ok(snapshot));
        // No text is both.
        prop_assert!(snapshot.to_string().parse::<TaskId>().is_err());
    }

    #[test]
    fn whatever_parses_prints_as_it_was(text in "[st]?[0-9]{11,14}|\\PC{0,70}|[0-9a-fA-F]{64}") {
        if let Ok(id) = text.parse::<SnapshotId>() {
            prop_assert_eq!(id.to_string(), &text[..]);
        }
        if let Ok(hash) = text.parse::<ContentHash>() {
            prop_assert_eq!(hash.to_string(), &text[..]);
        }
        if let Ok(owner) = text.parse::<Owner>() {
            prop_assert_eq!(owner.as_str(), &text[..]);
        }
    }

    #[test]
    fn hashes_read_back_from_their_text(bytes: [u8; 32]) {
        let hash = ContentHash::from_bytes(bytes);
        prop_assert_eq!(hash.to_string().parse(), Ok(hash));
        prop_assert!(hash.to_string().starts_with(&hash.short()));
    }
}
