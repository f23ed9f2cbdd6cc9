//! Golden vectors: fixed keys and fields, and the texts they give. They were
//! computed from the tables of the README by an independent program (Python's hmac,
//! hashlib and base64), so a change here is a change of the format: a new version.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use toolgate_cursor::{
    Asked, Binding, Digest, KeyRing, Kind, MAX_ROWS, Stateless, View, ViewHandle, ViewRow,
};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::open;

fn first_keys() -> KeyRing {
    KeyRing::new(1, &[7; 32]).unwrap()
}

fn second_keys() -> KeyRing {
    let secret: Vec<u8> = (0..48).collect();
    KeyRing::new(255, &secret).unwrap()
}

fn first_view() -> View {
    View::new(ViewRow {
        handle: ViewHandle::from_bytes([0, 1, 2, 3, 4, 5, 6, 255]),
        kind: Kind::Page,
        owner: "alice".into(),
        snapshot: "s-42".into(),
        query: Digest::query("level=error"),
        order: Digest::order("time"),
        result_version: 1,
        max_bytes: 16_384,
        max_tokens: 4_096,
        rows: MAX_ROWS,
        expires_unix_s: 1_800_000_000,
        key_id: 1,
    })
    .unwrap()
}

fn second_view() -> View {
    View::new(ViewRow {
        handle: ViewHandle::from_bytes([255, 254, 253, 252, 251, 250, 249, 248]),
        kind: Kind::Segment,
        owner: "\u{e9}l\u{e8}ve".into(),
        snapshot: "2026-11-30/bars".into(),
        query: Digest::query(""),
        order: Digest::order(""),
        result_version: u64::MAX,
        max_bytes: 0,
        max_tokens: u64::MAX,
        rows: MAX_ROWS,
        expires_unix_s: 2_742_322_500,
        key_id: 255,
    })
    .unwrap()
}

#[test]
fn cursors_of_view_mode() {
    for (view, keys, position, text) in [
        (
            first_view(),
            first_keys(),
            0,
            "EAEQWuAAAQIDBAUG_wCN0n87YR5k2xcU4ZTH",
        ),
        (
            first_view(),
            first_keys(),
            127,
            "EAEQWuAAAQIDBAUG_3_5dtlXnwO8WKYSQtS6",
        ),
        (
            first_view(),
            first_keys(),
            128,
            "EAEQWuAAAQIDBAUG_4ABhlXfl_EKio9e5g07UA",
        ),
        (
            first_view(),
            first_keys(),
            16_384,
            "EAEQWuAAAQIDBAUG_4CAATj-pSa-tXdeBQNJnkM",
        ),
        (
            first_view(),
            first_keys(),
            MAX_ROWS - 1,
            "EAEQWuAAAQIDBAUG_________3_-vO_ks_gB5JLmRIRq",
        ),
        (
            second_view(),
            second_keys(),
            0,
            "Ev_______v38-_r5-ADb-9d0ycA3WAtEnvMU",
        ),
        (
            second_view(),
            second_keys(),
            5_000,
            "Ev_______v38-_r5-Ign2u3CkhGnL6utns9DhA",
        ),
        (
            second_view(),
            second_keys(),
            MAX_ROWS - 1,
            "Ev_______v38-_r5-P_______3_nhsv5FbumOmkc4sme",
        ),
    ] {
        assert_eq!(view.at(&keys, position).unwrap().unwrap(), text);
        let asked = Asked::by(&view.row().owner).kind(view.row().kind);
        assert_eq!(open(text, &keys, &view, &asked, paging::NOW), Ok(position));
    }
}

#[test]
fn cursors_of_stateless_mode() {
    let first = Binding::of("alice")
        .query("level=error")
        .order("time")
        .snapshot("v7");
    let second = Binding::of("bob").kind(Kind::Result).result_version(65_537);
    let (one, two) = (first_keys(), second_keys());
    for (pages, expires, position, text) in [
        (
            Stateless::new(&one, first.clone()),
            1_800_000_000,
            1,
            "GAEQWuARk6FCn3gAAAEvErBLW3szb8hEdPMTJ6wriA",
        ),
        (
            Stateless::new(&one, first.clone()),
            1_800_000_000,
            300,
            "GAEQWuARk6FCn3gAAKwCWS2847789a3kb0XBXkYWxac",
        ),
        (
            Stateless::new(&one, first),
            1_800_000_000,
            MAX_ROWS - 1,
            "GAEQWuARk6FCn3gAAP_______3_gbkPtNZ_aJCrImbl_L9VyRw",
        ),
        (
            Stateless::new(&two, second.clone()),
            1_735_689_601,
            1,
            "Gf8AAAEjnI8g3WsAAQF2AYPYIPaFCtPWmiOuvKlyrQ",
        ),
        (
            Stateless::new(&two, second),
            1_735_689_601,
            70_000,
            "Gf8AAAEjnI8g3WsAAfCiBJS2tA7kz5mvFbAkIQgSnMjc",
        ),
    ] {
        let start = pages.start(expires).unwrap();
        assert_eq!(
            pages.next(&start, position, MAX_ROWS).unwrap().unwrap(),
            text
        );
        assert_eq!(
            pages.open(text, MAX_ROWS, expires - 1).unwrap().position(),
            position
        );
    }
}

#[test]
fn stored_rows() {
    for (view, hex) in [
        (
            first_view(),
            "54475601000100010203040506ff1193452d8f14c46d180686ba01bbb881\
             a142de3ccd0d775b23d63b63cdcab0970000000000000001000000000000\
             400000000000000010000002000000000000000000006b49d20005616c69\
             636504732d3432491e838a",
        ),
        (
            second_view(),
            "5447560102fffffefdfcfbfaf9f8239ca9ba22cdafe6c73899745279a123\
             8f2084647f27800f48632e17a0a2afc7ffffffffffffffff000000000000\
             0000ffffffffffffffff000200000000000000000000a374854407c3a96c\
             c3a876650f323032362d31312d33302f62617273e219c427",
        ),
    ] {
        let found: String = view
            .to_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(found, hex);
    }
}
