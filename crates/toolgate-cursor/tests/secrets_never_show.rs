//! Neither a secret nor a stored value is in any text that the crate writes.

use toolgate_cursor::{Asked, Digest, Error, KeyRing, Stateless, View, ViewRow};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{EXPIRES, NOW, binding, open, row};

const SECRET: &[u8; 32] = b"swordfish-swordfish-swordfish-32";

/// The ways in which a byte string gets into a text.
fn shown_in(text: &str, secret: &[u8]) -> bool {
    let hex: String = secret[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let list: String = secret[..4].iter().map(|byte| format!("{byte}, ")).collect();
    let plain = String::from_utf8_lossy(&secret[..9]).into_owned();
    text.to_lowercase().contains(&hex) || text.contains(&list) || text.contains(&plain)
}

#[test]
fn the_search_would_find_them() {
    for text in [
        format!("{SECRET:?}"),
        format!("{:?}", SECRET.escape_ascii().to_string()),
    ] {
        assert!(shown_in(&text, SECRET));
    }
}

#[test]
fn debug_texts_hold_no_secret() {
    let mut keys = KeyRing::new(3, SECRET).unwrap();
    keys.add(4, &[7; 40]).unwrap();
    for text in [
        format!("{keys:?}"),
        format!("{keys:#?}"),
        format!("{:?}", Stateless::new(&keys, binding())),
        format!("{:?}", keys.clone()),
    ] {
        assert!(!shown_in(&text, SECRET), "{text}");
    }
    assert_eq!(
        format!("{keys:?}"),
        "KeyRing { newest: 4, accepted: [3, 4] }"
    );
}

#[test]
fn errors_hold_no_secret_and_no_stored_value() {
    let short = KeyRing::new(1, &SECRET[..20]).unwrap_err();
    let mut keys = KeyRing::new(1, SECRET).unwrap();
    let taken = keys.add(1, SECRET).unwrap_err();
    let view = View::new(ViewRow {
        owner: "stored-owner".into(),
        snapshot: "stored-snapshot".into(),
        query: Digest::query("stored-query"),
        result_version: 987_654_321,
        max_bytes: 123_454_321,
        rows: 135_797_531,
        ..row()
    })
    .unwrap();
    let text = view.at(&keys, 100).unwrap().unwrap();
    let asked = Asked::by("stored-owner");
    let mut errors = vec![short, taken];
    for (asked, now) in [
        (Asked::by("x"), NOW),
        (asked, EXPIRES),
        (asked.kind(toolgate_cursor::Kind::Result), NOW),
        (asked.query(Digest::query("x")), NOW),
        (asked.order(Digest::order("x")), NOW),
        (asked.snapshot("x"), NOW),
        (asked.result_version(0), NOW),
    ] {
        errors.push(open(&text, &keys, &view, &asked, now).unwrap_err());
    }
    errors.push(view.at(&keys, 135_797_532).unwrap_err());
    errors.push(View::from_bytes(&view.to_bytes()[1..]).unwrap_err());
    for error in errors {
        for shown in [error.to_string(), format!("{error:?}")] {
            assert!(!shown_in(&shown, SECRET), "{shown}");
            for stored in [
                "stored-",
                "987654321",
                "123454321",
                "135797531",
                "1800000000",
            ] {
                assert!(!shown.contains(stored), "{shown}");
            }
        }
        assert!(std::error::Error::source(&error).is_none(), "{error:?}");
    }
    assert_eq!(Error::Gone, Error::Gone.clone());
}
