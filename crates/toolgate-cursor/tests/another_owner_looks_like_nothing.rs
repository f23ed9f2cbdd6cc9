//! Whose a cursor is shows in nothing that another caller is answered.

use toolgate_cursor::{Asked, Binding, Cleared, Digest, Error, Stateless, Unverified};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{EXPIRES, NOW, binding, decode, keys, text_with_good_check, view};

#[test]
fn the_answer_is_that_of_a_view_that_is_gone() {
    let (keys, view) = (keys(), view());
    let good = String::from(view.at(&keys, 100).unwrap().unwrap());
    let mut bytes = decode(&good);
    bytes[20] ^= 1;
    let forged = text_with_good_check(&bytes);

    for text in [&good, &forged] {
        let token = Unverified::parse(text, Cleared::alone()).unwrap();
        for now in [NOW, EXPIRES] {
            for asked in [
                Asked::by("bob"),
                Asked::by("bob").query(Digest::query("other")),
            ] {
                let gone = token.open(&keys, None, &asked, now).unwrap_err();
                let others = token.open(&keys, Some(&view), &asked, now).unwrap_err();
                assert_eq!(others, gone);
                assert_eq!(others, Error::Gone);
                assert_eq!(others.to_string().as_bytes(), gone.to_string().as_bytes());
                assert_eq!(format!("{others:?}"), format!("{gone:?}"));
            }
        }
    }
}

#[test]
fn the_owners_name_must_match_whole() {
    let (keys, view) = (keys(), view());
    let text = view.at(&keys, 100).unwrap().unwrap();
    for owner in [
        "",
        "a",
        "Alice",
        "alice ",
        " alice",
        "alice\0",
        "alic\u{e9}",
    ] {
        let opened = paging::open(&text, &keys, &view, &Asked::by(owner), NOW);
        assert_eq!(opened, Err(Error::Gone), "{owner:?}");
    }
}

#[test]
fn without_a_store_the_answer_is_that_of_a_forgery() {
    let keys = keys();
    let pages = Stateless::new(&keys, binding());
    let good = pages
        .next(&pages.start(EXPIRES).unwrap(), 100, 1_000)
        .unwrap()
        .unwrap();
    let mut bytes = decode(&good);
    bytes[20] ^= 1;
    let forged = text_with_good_check(&bytes);
    for owner in ["", "a", "Alice", "alice ", "bob"] {
        let asked = Binding::of(owner)
            .query("level=error")
            .order("time")
            .snapshot("s-42")
            .result_version(1);
        let pages = Stateless::new(&keys, asked);
        for now in [NOW, EXPIRES] {
            assert_eq!(pages.open(&good, 1_000, now), Err(Error::Forged));
            assert_eq!(
                pages.open(&good, 1_000, now),
                pages.open(&forged, 1_000, now)
            );
        }
    }
}

#[test]
fn a_stateless_cursor_says_nothing_of_its_owner() {
    let keys = keys();
    let body = |owner: &str| {
        let pages = Stateless::new(&keys, Binding::of(owner).query("q"));
        let start = pages.start(EXPIRES).unwrap();
        decode(&pages.next(&start, 100, 1_000).unwrap().unwrap())[..14].to_vec()
    };
    assert_eq!(body("alice"), body("bob"));
}
