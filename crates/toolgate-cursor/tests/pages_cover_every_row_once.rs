//! Following `next` reads each row once and comes to an end, and a page read again
//! carries the same `next`, also while keys rotate.

use proptest::prelude::*;
use toolgate_cursor::{Asked, Error, KeyRing, Stateless, View, ViewRow};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{EXPIRES, NOW, binding, keys, open, row, view_at};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_view_mode(rows in 0_u64..3_000, sizes in prop::collection::vec(1_u64..500, 1..8)) {
        let keys = keys();
        let view = View::new(ViewRow { rows, ..row() }).unwrap();
        let mut sizes = sizes.into_iter().cycle();
        let mut from = 0;
        let mut pages = 0;
        loop {
            let to = rows.min(from + sizes.next().unwrap());
            let next = view.next(&keys, from..to).unwrap();
            prop_assert_eq!(view.next(&keys, from..to).unwrap(), next);
            let Some(cursor) = next else {
                prop_assert_eq!(to, rows);
                break;
            };
            let opened = open(&cursor, &keys, &view, &Asked::by("alice"), NOW).unwrap();
            prop_assert_eq!(opened, to);
            prop_assert!(opened > from);
            from = opened;
            pages += 1;
            prop_assert!(pages <= rows);
        }
    }

    #[test]
    fn in_stateless_mode(rows in 0_u64..3_000, sizes in prop::collection::vec(1_u64..500, 1..8)) {
        let keys = keys();
        let pages = Stateless::new(&keys, binding());
        let mut sizes = sizes.into_iter().cycle();
        let mut place = pages.start(EXPIRES - 7).unwrap();
        loop {
            let read = sizes.next().unwrap().min(rows - place.position());
            let next = pages.next(&place, read, rows).unwrap();
            prop_assert_eq!(pages.next(&place, read, rows).unwrap(), next);
            let Some(cursor) = next else {
                prop_assert_eq!(place.position() + read, rows);
                break;
            };
            let opened = pages.open(&cursor, rows, NOW).unwrap();
            prop_assert_eq!(opened.position(), place.position() + read);
            prop_assert_eq!(opened.expires_unix_s(), EXPIRES);
            place = opened;
        }
    }

    #[test]
    fn whatever_is_minted_opens_there_and_only_there(
        position in 0..toolgate_cursor::MAX_ROWS,
        key_id: u8,
        handle: [u8; 8],
        secret in prop::collection::vec(any::<u8>(), 32..100),
        expires_unix_s in 1_735_689_600_i64..=2_742_322_500,
    ) {
        let keys = KeyRing::new(key_id, &secret).unwrap();
        let handle = toolgate_cursor::ViewHandle::from_bytes(handle);
        let view = View::new(ViewRow { handle, key_id, expires_unix_s, ..row() }).unwrap();
        let text = view_at(&keys, &view, position);
        prop_assert!((36..=44).contains(&text.len()));
        let asked = Asked::by("alice");
        let opened = open(&text, &keys, &view, &asked, expires_unix_s - 1);
        prop_assert_eq!(opened.as_ref(), Ok(&position));
        prop_assert_eq!(view_at(&keys, &view, opened.unwrap()), text.clone());
        let late = open(&text, &keys, &view, &asked, expires_unix_s + 60);
        prop_assert_eq!(late, Err(Error::Expired));
    }
}

#[test]
fn an_empty_result_has_no_cursor() {
    let keys = keys();
    let view = View::new(ViewRow { rows: 0, ..row() }).unwrap();
    assert_eq!(view.at(&keys, 0), Ok(None));
    assert_eq!(view.next(&keys, 0..0), Ok(None));
    let pages = Stateless::new(&keys, binding());
    assert_eq!(pages.next(&pages.start(EXPIRES).unwrap(), 0, 0), Ok(None));
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "a caller's mistake")]
fn a_cursor_always_advances() {
    let keys = keys();
    let view = View::new(ViewRow { rows: 10, ..row() }).unwrap();
    assert_eq!(view.next(&keys, 0..0), Err(Error::Stalled { position: 0 }));
    assert_eq!(view.next(&keys, 9..9), Err(Error::Stalled { position: 9 }));
    assert_eq!(view.next(&keys, 9..3), Err(Error::Stalled { position: 9 }));
    assert_eq!(
        view.next(&keys, 12..3),
        Err(Error::Stalled { position: 12 })
    );
    assert_eq!(view.next(&keys, 10..10), Ok(None));
    assert_eq!(
        view.next(&keys, 12..10),
        Err(Error::Stalled { position: 12 })
    );
    assert_eq!(view.next(&keys, 5..11), Err(Error::Range { position: 11 }));
    assert_eq!(
        view.next(&keys, 11..u64::MAX),
        Err(Error::Range { position: u64::MAX })
    );

    let pages = Stateless::new(&keys, binding());
    let start = pages.start(EXPIRES).unwrap();
    assert_eq!(
        pages.next(&start, 0, 10),
        Err(Error::Stalled { position: 0 })
    );
    assert_eq!(
        pages.next(&start, u64::MAX, 10),
        Err(Error::Range { position: u64::MAX })
    );
    assert_eq!(
        pages.next(&start, 1, u64::MAX).unwrap_err().code(),
        "cursor_field"
    );
    let cursor = pages.next(&start, 5, 10).unwrap().unwrap();
    let fifth = pages.open(&cursor, 10, NOW).unwrap();
    assert_eq!(
        pages.next(&fifth, u64::MAX, 10),
        Err(Error::Range { position: u64::MAX })
    );
    // The data shrank although its snapshot is said to be the same.
    assert_eq!(
        pages.open(&cursor, 5, NOW),
        Err(Error::Range { position: 5 })
    );
    assert_eq!(
        pages.open(&cursor, 0, NOW),
        Err(Error::Range { position: 5 })
    );
}

#[test]
fn keys_rotate_in_the_middle_of_the_pages() {
    let mut keys = keys();
    let asked = Asked::by("alice");
    let view = View::new(ViewRow {
        rows: 1_000,
        ..row()
    })
    .unwrap();
    let before = view.next(&keys, 0..400).unwrap().unwrap();
    let (place, stateless_before) = {
        let pages = Stateless::new(&keys, binding());
        let start = pages.start(EXPIRES).unwrap();
        (start, pages.next(&start, 400, 1_000).unwrap().unwrap())
    };

    keys.add(2, &[8; 32]).unwrap();

    // The first page read again is the same text, the series goes on, and a new
    // view is sealed with the new key.
    assert_eq!(view.next(&keys, 0..400), Ok(Some(before)));
    assert_eq!(open(&before, &keys, &view, &asked, NOW), Ok(400));
    let after = view.next(&keys, 400..800).unwrap().unwrap();
    assert_eq!(open(&after, &keys, &view, &asked, NOW), Ok(800));
    let newer = View::new(ViewRow {
        key_id: keys.newest(),
        ..row()
    })
    .unwrap();
    let newest = newer.next(&keys, 0..400).unwrap().unwrap();
    assert_eq!(paging::decode(&newest)[1], 2);
    {
        let pages = Stateless::new(&keys, binding());
        assert_eq!(pages.next(&place, 400, 1_000), Ok(Some(stateless_before)));
        let opened = pages.open(&stateless_before, 1_000, NOW).unwrap();
        let next = pages.next(&opened, 400, 1_000).unwrap().unwrap();
        assert_eq!(pages.open(&next, 1_000, NOW).unwrap().position(), 800);
        let fresh = pages
            .next(&pages.start(EXPIRES).unwrap(), 400, 1_000)
            .unwrap()
            .unwrap();
        assert_ne!(fresh, stateless_before);
    }

    keys.retire(1).unwrap();

    let unknown = Error::KeyUnknown { key_id: 1 };
    assert_eq!(
        open(&before, &keys, &view, &asked, NOW),
        Err(unknown.clone())
    );
    assert_eq!(view.next(&keys, 0..400), Err(unknown.clone()));
    assert_eq!(open(&newest, &keys, &newer, &asked, NOW), Ok(400));
    let pages = Stateless::new(&keys, binding());
    assert_eq!(
        pages.open(&stateless_before, 1_000, NOW),
        Err(unknown.clone())
    );
    assert_eq!(pages.next(&place, 400, 1_000), Err(unknown));

    // The id comes back with another secret: the old cursors stay shut.
    keys.add(1, &[9; 32]).unwrap();
    assert_eq!(open(&before, &keys, &view, &asked, NOW), Err(Error::Forged));
}

#[test]
fn a_refused_key_leaves_the_ring_as_it_was() {
    let mut keys = keys();
    let text = view_at(&keys, &paging::view(), 5);
    let short = Error::KeyShort {
        key_id: 2,
        found_bytes: 31,
        min_bytes: 32,
    };
    assert_eq!(keys.add(2, &[8; 31]), Err(short));
    assert_eq!(keys.add(1, &[8; 32]), Err(Error::KeyTaken { key_id: 1 }));
    assert_eq!(keys.retire(1), Err(Error::KeyInUse { key_id: 1 }));
    assert_eq!(keys.retire(3), Err(Error::KeyUnknown { key_id: 3 }));
    assert_eq!((keys.newest(), keys.accepts(2)), (1, false));
    assert_eq!(
        open(&text, &keys, &paging::view(), &Asked::by("alice"), NOW),
        Ok(5)
    );
}
