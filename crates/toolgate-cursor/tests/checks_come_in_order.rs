//! Every refusal has its code, and where several apply the first in the order of
//! the README is given.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use toolgate_cursor::{
    Asked, Binding, Cleared, Digest, Error, KeyRing, Kind, Stateless, Unverified, View, ViewRow,
};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{EXPIRES, NOW, decode, keys, row, text_with_good_check, view};

/// What can be wrong at once with one call in view mode, in the order of checks.
const VIEW_ORDER: [&str; 14] = [
    "task_gone",
    "task_failed",
    "cursor_malformed",
    "cursor_version",
    "cursor_miscopied",
    "cursor_key_unknown",
    "cursor_gone",
    "cursor_forged",
    "cursor_expired",
    "cursor_kind",
    "cursor_query",
    "cursor_order",
    "cursor_snapshot",
    "cursor_result",
];

/// The code that a call with exactly `wrong` answers.
fn code_in_view_mode(wrong: &[&str]) -> String {
    let has = |code: &str| wrong.contains(&code);
    let (keys, view) = (keys(), view());
    let mut text = String::from(view.at(&keys, 100).unwrap().unwrap());
    if has("cursor_forged") {
        let mut bytes = decode(&text);
        bytes[20] ^= 1;
        text = text_with_good_check(&bytes);
    }
    if has("cursor_miscopied") {
        let last = if text.ends_with('g') { "w" } else { "g" };
        text.replace_range(20..21, if &text[20..21] == last { "A" } else { last });
    }
    if has("cursor_version") {
        text.replace_range(..1, "U");
    }
    if has("cursor_malformed") {
        text.push('=');
    }
    let keys = if has("cursor_key_unknown") {
        KeyRing::new(9, &[7; 32]).unwrap()
    } else {
        keys
    };
    let found = (!has("cursor_gone")).then_some(&view);
    let now = if has("cursor_expired") { EXPIRES } else { NOW };
    let mut asked = Asked::by("alice");
    if has("cursor_kind") {
        asked = asked.kind(Kind::Result);
    }
    if has("cursor_query") {
        asked = asked.query(Digest::query("level=warn"));
    }
    if has("cursor_order") {
        asked = asked.order(Digest::order("size"));
    }
    if has("cursor_snapshot") {
        asked = asked.snapshot("s-43");
    }
    if has("cursor_result") {
        asked = asked.result_version(2);
    }

    let cleared = Cleared::beside(
        || {
            if has("task_gone") {
                Err("task_gone")
            } else {
                Ok(())
            }
        },
        || {
            if has("task_failed") {
                Err("task_failed")
            } else {
                Ok(())
            }
        },
    );
    let cleared = match cleared {
        Ok(cleared) => cleared,
        Err(code) => return code.into(),
    };
    let opened =
        Unverified::parse(&text, cleared).and_then(|token| token.open(&keys, found, &asked, now));
    match opened {
        Ok(position) => {
            assert_eq!(position, 100);
            "none".into()
        }
        Err(error) => error.code().into(),
    }
}

#[test]
fn view_mode_has_each_code_alone_and_the_first_of_any_two() {
    assert_eq!(code_in_view_mode(&[]), "none");
    for (place, first) in VIEW_ORDER.iter().enumerate() {
        assert_eq!(code_in_view_mode(&[first]), *first);
        for second in &VIEW_ORDER[place + 1..] {
            assert_eq!(
                code_in_view_mode(&[second, first]),
                *first,
                "before {second}"
            );
        }
    }
    for from in 0..VIEW_ORDER.len() {
        assert_eq!(code_in_view_mode(&VIEW_ORDER[from..]), VIEW_ORDER[from]);
    }
}

const STATELESS_ORDER: [&str; 12] = [
    "cursor_malformed",
    "cursor_version",
    "cursor_miscopied",
    "cursor_mode",
    "cursor_key_unknown",
    "cursor_expired",
    "cursor_kind",
    "cursor_query",
    "cursor_order",
    "cursor_snapshot",
    "cursor_result",
    "cursor_range",
];

fn code_in_stateless_mode(wrong: &[&str]) -> &'static str {
    let has = |code: &str| wrong.contains(&code);
    let keys = keys();
    let asked = |right: bool| {
        let part = |code: &str| {
            if right || !has(code) {
                "right"
            } else {
                "other"
            }
        };
        Binding::of("alice")
            .kind(if right || !has("cursor_kind") {
                Kind::Page
            } else {
                Kind::Segment
            })
            .query(part("cursor_query"))
            .order(part("cursor_order"))
            .snapshot(part("cursor_snapshot"))
            .result_version(if right || !has("cursor_result") { 4 } else { 5 })
    };
    let minted = Stateless::new(&keys, asked(true));
    let start = minted.start(EXPIRES).unwrap();
    let mut text = String::from(minted.next(&start, 100, 1_000).unwrap().unwrap());
    if has("cursor_mode") {
        text = view().at(&keys, 100).unwrap().unwrap().into();
    }
    if has("cursor_miscopied") {
        let other = if &text[20..21] == "A" { "B" } else { "A" };
        text.replace_range(20..21, other);
    }
    if has("cursor_version") {
        text.replace_range(..1, "U");
    }
    if has("cursor_malformed") {
        text.insert(0, ' ');
    }
    let keys = if has("cursor_key_unknown") {
        KeyRing::new(9, &[7; 32]).unwrap()
    } else {
        keys
    };
    let now = if has("cursor_expired") { EXPIRES } else { NOW };
    let rows = if has("cursor_range") { 100 } else { 1_000 };
    match Stateless::new(&keys, asked(false)).open(&text, rows, now) {
        Ok(place) => {
            assert_eq!(place.position(), 100);
            "none"
        }
        Err(error) => error.code(),
    }
}

#[test]
fn stateless_mode_has_each_code_alone_and_the_first_of_any_two() {
    assert_eq!(code_in_stateless_mode(&[]), "none");
    for (place, first) in STATELESS_ORDER.iter().enumerate() {
        assert_eq!(code_in_stateless_mode(&[first]), *first);
        for second in &STATELESS_ORDER[place + 1..] {
            assert_eq!(
                code_in_stateless_mode(&[second, first]),
                *first,
                "before {second}"
            );
        }
    }
}

#[test]
fn a_forged_tag_comes_before_expiry_in_stateless_mode() {
    let keys = keys();
    let pages = Stateless::new(&keys, Binding::of("alice"));
    let start = pages.start(EXPIRES).unwrap();
    let mut bytes = decode(&pages.next(&start, 100, 1_000).unwrap().unwrap());
    bytes[20] ^= 1;
    let text = text_with_good_check(&bytes);
    assert_eq!(pages.open(&text, 1, EXPIRES), Err(Error::Forged));
}

#[test]
fn what_a_call_does_not_state_is_taken_from_the_view() {
    let (keys, view) = (keys(), view());
    let text = view.at(&keys, 7).unwrap().unwrap();
    let opened = paging::open(&text, &keys, &view, &Asked::by("alice"), NOW);
    assert_eq!(opened, Ok(7));
}

#[test]
fn a_view_changed_in_the_store_opens_nothing() {
    let keys = keys();
    let text = view().at(&keys, 100).unwrap().unwrap();
    let changes: [fn(&mut ViewRow); 9] = [
        |row| row.snapshot = "s-43".into(),
        |row| row.query = Digest::query("other"),
        |row| row.order = Digest::order("other"),
        |row| row.result_version = 2,
        |row| row.max_bytes = 1,
        |row| row.max_tokens = 1,
        |row| row.rows -= 1,
        |row| row.expires_unix_s += 600,
        |row| row.kind = Kind::Result,
    ];
    for change in changes {
        let mut row = row();
        change(&mut row);
        let changed = View::new(row).unwrap();
        let asked = Asked::by("alice").kind(changed.row().kind);
        assert_eq!(
            paging::open(&text, &keys, &changed, &asked, NOW),
            Err(Error::Forged)
        );
    }
}

#[test]
fn views_of_the_same_content_differ_by_handle() {
    let keys = keys();
    let (one, mut row) = (view(), row());
    row.handle = toolgate_cursor::ViewHandle::from_bytes([1; 8]);
    let other = View::new(row).unwrap();
    let text = one.at(&keys, 100).unwrap().unwrap();
    assert_ne!(Some(text), other.at(&keys, 100).unwrap());

    // A store that answers with the wrong row is told nothing either.
    let token = Unverified::parse(&text, Cleared::alone()).unwrap();
    let asked = Asked::by("alice");
    assert_eq!(
        token.open(&keys, Some(&other), &asked, NOW),
        Err(Error::Gone)
    );
}

#[test]
fn any_clock_is_taken() {
    let (keys, view, binding) = (keys(), view(), paging::binding());
    let text = view.at(&keys, 100).unwrap().unwrap();
    let pages = Stateless::new(&keys, binding);
    let stateless = pages
        .next(&pages.start(EXPIRES - 59).unwrap(), 100, 1_000)
        .unwrap()
        .unwrap();
    for now in [i64::MIN, -1, 0, EXPIRES - 1] {
        assert_eq!(
            paging::open(&text, &keys, &view, &Asked::by("alice"), now),
            Ok(100)
        );
        assert!(
            pages.open(&stateless, 1_000, now).is_ok(),
            "never early: {now}"
        );
    }
    for now in [EXPIRES, EXPIRES + 1, i64::MAX] {
        let opened = paging::open(&text, &keys, &view, &Asked::by("alice"), now);
        assert_eq!(opened, Err(Error::Expired));
        assert_eq!(pages.open(&stateless, 1_000, now), Err(Error::Expired));
    }
    for expires_unix_s in [i64::MIN, -1, 0, 1_735_689_599, 2_742_322_501, i64::MAX] {
        assert_eq!(
            pages.start(expires_unix_s).unwrap_err().code(),
            "cursor_field"
        );
        let refused = View::new(ViewRow {
            expires_unix_s,
            ..row()
        });
        assert_eq!(refused.unwrap_err().code(), "cursor_field");
    }
}
