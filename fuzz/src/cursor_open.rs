//! Texts and bytes of any content under both modes of cursor and as stored view rows.
//!
//! The promise: nothing panics; a text that opens is the text that its position mints;
//! a row that is read is written as the same bytes; and what is minted opens.

use sha2::{Digest as _, Sha256};
use toolgate_cursor::{
    Asked, Binding, Cleared, Digest, Duty, KeyRing, Kind, MAX_ROWS, Stateless, Unverified, View,
    ViewHandle, ViewRow,
};

/// When the cursors of the target expire, in Unix seconds.
const EXPIRES: i64 = 1_800_000_000;

/// Checks one input.
///
/// # Panics
///
/// When a promise is broken.
pub fn check(data: &[u8]) {
    let keys = KeyRing::new(1, &[7; 32]).unwrap();
    let text = String::from_utf8_lossy(data);
    view_mode(&keys, &text);
    stateless_mode(&keys, &text);
    stored_row(data);
    let mut summed = data.to_vec();
    summed.extend(&Sha256::digest([b"toolgate-cursor view row 1\0", data].concat())[12..16]);
    stored_row(&summed);
    minted(&keys, data);
}

/// The view of the golden vectors, under another handle where the text names one.
fn view(handle: ViewHandle) -> View {
    View::new(ViewRow {
        handle,
        kind: Kind::Page,
        owner: "alice".into(),
        snapshot: "s-42".into(),
        query: Digest::query("level=error"),
        order: Digest::order("time"),
        result_version: 1,
        max_bytes: 16_384,
        max_tokens: 4_096,
        rows: MAX_ROWS,
        expires_unix_s: EXPIRES,
        key_id: 1,
    })
    .unwrap()
}

fn view_mode(keys: &KeyRing, text: &str) {
    let Ok(token) = Unverified::parse(text, Cleared::alone()) else {
        return;
    };
    let Ok(Duty::LookUpView(handle)) = token.duty(keys) else {
        return;
    };
    let view = view(handle);
    let opened = token.open(keys, Some(&view), &Asked::by("alice"), EXPIRES - 1);
    if let Ok(position) = opened {
        assert_eq!(view.at(keys, position).unwrap().unwrap(), text);
        assert!(
            token
                .open(keys, Some(&view), &Asked::by("bob"), EXPIRES - 1)
                .is_err()
        );
        assert!(
            token
                .open(keys, Some(&view), &Asked::by("alice"), EXPIRES)
                .is_err()
        );
    }
    assert!(
        token
            .open(keys, None, &Asked::by("alice"), EXPIRES - 1)
            .is_err()
    );
}

fn stateless_mode(keys: &KeyRing, text: &str) {
    let binding = Binding::of("alice")
        .query("level=error")
        .order("time")
        .snapshot("v7");
    let pages = Stateless::new(keys, binding);
    if let Ok(place) = pages.open(text, MAX_ROWS, i64::MIN) {
        let start = pages.start(place.expires_unix_s()).unwrap();
        let minted = pages
            .next(&start, place.position(), MAX_ROWS)
            .unwrap()
            .unwrap();
        assert_eq!(minted, text);
        assert!(pages.open(text, place.position(), i64::MIN).is_err());
    }
}

fn stored_row(bytes: &[u8]) {
    if let Ok(view) = View::from_bytes(bytes) {
        assert_eq!(view.to_bytes(), bytes);
        let keys = KeyRing::new(view.row().key_id, &[7; 32]).unwrap();
        if let Some(last) = view.row().rows.checked_sub(1) {
            assert!(view.at(&keys, last).unwrap().is_some());
        }
    }
}

/// Reads the input as the numbers of a cursor and follows it round.
fn minted(keys: &KeyRing, data: &[u8]) {
    let Some((numbers, rest)) = data.split_first_chunk::<16>() else {
        return;
    };
    let [a, b] = [0, 8].map(|at| {
        let mut number = [0; 8];
        number.copy_from_slice(&numbers[at..at + 8]);
        u64::from_le_bytes(number)
    });
    let position = a % MAX_ROWS;
    let view = view(ViewHandle::from_bytes(b.to_le_bytes()));
    let text = view.at(keys, position).unwrap().unwrap();
    assert!(text.len() <= 44);
    let token = Unverified::parse(&text, Cleared::alone()).unwrap();
    let opened = token.open(keys, Some(&view), &Asked::by("alice"), EXPIRES - 1);
    assert_eq!(opened, Ok(position));

    // The same text with one byte replaced opens nothing.
    if let [at, byte, ..] = *rest {
        let mut changed = text.as_bytes().to_vec();
        let at = usize::from(at) % changed.len();
        changed[at] = byte;
        let changed = String::from_utf8_lossy(&changed);
        if text != *changed
            && let Ok(token) = Unverified::parse(&changed, Cleared::alone())
        {
            let opened = token.open(keys, Some(&view), &Asked::by("alice"), EXPIRES - 1);
            assert!(opened.is_err(), "{changed}");
        }
    }
}
