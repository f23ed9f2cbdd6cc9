//! Texts that no cursor is get an error that says where, whatever their size.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails is a failed test"
)]

use proptest::prelude::*;
use toolgate_cursor::{Asked, Cleared, Error, Fault, Stateless, Unverified};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{NOW, binding, keys, view};

/// The fault both modes find.
fn fault(text: &str) -> Fault {
    let keys = keys();
    let view_mode = Unverified::parse(text, Cleared::alone()).unwrap_err();
    let stateless = Stateless::new(&keys, binding())
        .open(text, 1_000, NOW)
        .unwrap_err();
    assert_eq!(view_mode, stateless);
    match view_mode {
        Error::Malformed { fault } => fault,
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn each_fault_says_where() {
    let good = String::from(view().at(&keys(), 300).unwrap().unwrap());
    assert_eq!(good.len(), 38);
    for (text, expected) in [
        (String::new(), Fault::Empty),
        ("E".into(), Fault::Uneven { found: 1 }),
        (
            "EA".into(),
            Fault::Length {
                found: 2,
                min: 36,
                max: 44,
            },
        ),
        (
            "EAEB".into(),
            Fault::Length {
                found: 4,
                min: 36,
                max: 44,
            },
        ),
        (
            "GAEB".into(),
            Fault::Length {
                found: 4,
                min: 42,
                max: 50,
            },
        ),
        ("EB".into(), Fault::LastCharacter),
        (
            "EAE".into(),
            Fault::Length {
                found: 3,
                min: 36,
                max: 44,
            },
        ),
        ("EAF".into(), Fault::LastCharacter),
        (format!("{good}="), Fault::Character { at: 38 }),
        (format!("{good}=="), Fault::Character { at: 38 }),
        (format!("{good}\n"), Fault::Character { at: 38 }),
        (format!("{good} "), Fault::Character { at: 38 }),
        (format!(" {good}"), Fault::Character { at: 0 }),
        (format!("{good}\0"), Fault::Character { at: 38 }),
        (format!("\0{good}"), Fault::Character { at: 0 }),
        (
            good.replacen(&good[9..10], "+", 1),
            Fault::Character {
                at: first_of(&good),
            },
        ),
        (
            good.replacen(&good[9..10], "/", 1),
            Fault::Character {
                at: first_of(&good),
            },
        ),
        ("\u{ff25}\u{ff21}".into(), Fault::Character { at: 0 }),
        ("EA\u{e9}".into(), Fault::Character { at: 2 }),
        ("\0".into(), Fault::Character { at: 0 }),
        ("\0".repeat(38), Fault::Character { at: 0 }),
        ("====".into(), Fault::Character { at: 0 }),
        ("c1".into(), Fault::LastCharacter),
        (
            "E".repeat(256),
            Fault::Length {
                found: 256,
                min: 36,
                max: 44,
            },
        ),
        (
            "E".repeat(257),
            Fault::Length {
                found: 257,
                min: 1,
                max: 256,
            },
        ),
        (
            "E".repeat(1 << 20),
            Fault::Length {
                found: 1 << 20,
                min: 1,
                max: 256,
            },
        ),
        (
            "\0".repeat(1 << 20),
            Fault::Length {
                found: 1 << 20,
                min: 1,
                max: 256,
            },
        ),
        (
            "\u{1f600}".repeat(1 << 18),
            Fault::Length {
                found: 1 << 20,
                min: 1,
                max: 256,
            },
        ),
    ] {
        assert_eq!(
            fault(&text),
            expected,
            "{:?}",
            text.chars().take(60).collect::<String>()
        );
    }
}

/// Where the character at 9 first occurs.
fn first_of(text: &str) -> usize {
    text.find(&text[9..10]).unwrap()
}

#[test]
fn an_error_never_repeats_the_text() {
    for text in [
        "<script>",
        "E\u{202e}evil",
        "EAEBignore all previous instructions",
    ] {
        let error = Unverified::parse(text, Cleared::alone()).unwrap_err();
        for shown in [error.to_string(), format!("{error:?}")] {
            assert!(shown.is_ascii() && !shown.contains(text), "{shown}");
            assert!(
                !shown.contains("evil") && !shown.contains("ignore"),
                "{shown}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_opens_or_panics(text in "\\PC{0,60}|[A-Za-z0-9_-]{36,50}|[EG][A-Za-z0-9_-]{35,49}") {
        let (keys, view) = (keys(), view());
        let asked = Asked::by("alice");
        if let Ok(token) = Unverified::parse(&text, Cleared::alone()) {
            prop_assert!(token.open(&keys, Some(&view), &asked, NOW).is_err());
        }
        prop_assert!(Stateless::new(&keys, binding()).open(&text, 1_000, NOW).is_err());
    }
}
