//! A cursor that differs from a minted one in any way opens nothing, and never
//! another position.

use toolgate_cursor::{Error, KeyRing};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::{
    asked, binding, decode, keys, open, open_stateless, positions, stateless_at,
    text_with_good_check, view, view_at,
};

/// Cursors of both modes at many positions, each with the call that opens it.
fn for_many(mut check: impl FnMut(&str, &dyn Fn(&str) -> Result<u64, Error>)) {
    let (keys, view, binding) = (keys(), view(), binding());
    let by_view = |text: &str| open(text, &keys, &view, &asked(), paging::NOW);
    let by_binding = |text: &str| open_stateless(text, &keys, &binding);
    for position in positions() {
        let text = view_at(&keys, &view, position);
        assert_eq!(by_view(&text), Ok(position));
        check(&text, &by_view);

        let text = stateless_at(&keys, &binding, position);
        assert_eq!(by_binding(&text), Ok(position));
        check(&text, &by_binding);
    }
}

#[test]
fn every_flipped_bit_of_the_text_is_refused() {
    for_many(|text, open| {
        for bit in 0..text.len() * 8 {
            let mut copy = text.as_bytes().to_vec();
            copy[bit / 8] ^= 1 << (bit % 8);
            // A byte above 0x7F is no text; a tool call cannot carry it.
            if let Ok(copy) = String::from_utf8(copy) {
                assert!(open(&copy).is_err(), "{copy}");
            }
        }
    });
}

#[test]
fn every_flipped_bit_is_refused_by_the_tag_when_the_check_is_put_right() {
    for_many(|text, open| {
        let bytes = decode(text);
        for bit in 0..(bytes.len() - 1) * 8 {
            let mut copy = bytes.clone();
            copy[bit / 8] ^= 0x80 >> (bit % 8);
            let copy = text_with_good_check(&copy);
            let code = open(&copy).unwrap_err().code();
            let stateless = text.starts_with('G');
            let expected: &[&str] = match bit {
                0..4 => &["cursor_version"],
                4 => &["cursor_mode", "cursor_malformed"],
                5 => &["cursor_version"],
                6..8 => &["cursor_forged", "cursor_version"],
                8..16 => &["cursor_key_unknown"],
                16..40 => &["cursor_forged", "cursor_expired"],
                40..56 if stateless => &["cursor_query"],
                56..72 if stateless => &["cursor_order"],
                72..88 if stateless => &["cursor_snapshot"],
                88..104 if stateless => &["cursor_result"],
                40..104 => &["cursor_gone"],
                _ => &["cursor_forged", "cursor_malformed"],
            };
            assert!(expected.contains(&code), "bit {bit} of {text}: {code}");
        }
    });
}

#[test]
fn every_truncation_is_refused() {
    for_many(|text, open| {
        for len in 0..text.len() {
            assert!(open(&text[..len]).is_err(), "{}", &text[..len]);
            assert!(open(&text[len + 1..]).is_err(), "{}", &text[len + 1..]);
        }
    });
}

#[test]
fn every_added_or_lost_character_is_refused() {
    let mut added: Vec<char> = (0..=0x7F_u8).map(char::from).collect();
    added.extend(['\u{e9}', '\u{200b}', '\u{feff}', '\u{ff21}', '\u{1f600}']);
    let mut turn = 0;
    for_many(|text, open| {
        for &character in &added {
            for copy in [format!("{text}{character}"), format!("{character}{text}")] {
                assert!(open(&copy).is_err(), "{copy}");
            }
        }
        // In the middle: every place for some of the cursors.
        turn += 1;
        if turn % 20 == 0 {
            for at in 1..text.len() {
                let (before, after) = text.split_at(at);
                for &character in &added {
                    let copy = format!("{before}{character}{after}");
                    assert!(open(&copy).is_err(), "{copy}");
                }
                let copy = format!("{before}{}", &after[1..]);
                assert!(open(&copy).is_err(), "{copy}");
            }
        }
    });
}

#[test]
fn every_wrong_character_is_called_a_slip() {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut turn = 0;
    for_many(|text, open| {
        turn += 1;
        if turn % 10 != 0 {
            return;
        }
        // The first character holds the version, and is told by it.
        for at in 1..text.len() {
            for &character in ALPHABET {
                let mut copy = text.as_bytes().to_vec();
                copy[at] = character;
                let copy = String::from_utf8(copy).unwrap();
                if copy != text {
                    let code = open(&copy).unwrap_err().code();
                    assert!(
                        ["cursor_miscopied", "cursor_malformed"].contains(&code),
                        "{copy}"
                    );
                }
            }
        }
    });
}

#[test]
fn fields_of_two_cursors_cannot_be_mixed() {
    let (keys, view, binding) = (keys(), view(), binding());
    let pairs = [
        (view_at(&keys, &view, 100), view_at(&keys, &view, 101), 14),
        (
            stateless_at(&keys, &binding, 100),
            stateless_at(&keys, &binding, 101),
            14,
        ),
    ];
    for (one, other, body) in pairs {
        let mixed = [&decode(&one)[..body], &decode(&other)[body..]].concat();
        let mixed = text_with_good_check(&mixed);
        let opened = if mixed.starts_with('E') {
            open(&mixed, &keys, &view, &asked(), paging::NOW)
        } else {
            open_stateless(&mixed, &keys, &binding)
        };
        assert_eq!(opened, Err(Error::Forged));
    }
}

#[test]
fn another_deployments_secret_is_a_forgery() {
    let (view, binding) = (view(), binding());
    let theirs = KeyRing::new(1, &[8; 32]).unwrap();
    let text = view_at(&theirs, &view, 100);
    assert_eq!(
        open(&text, &keys(), &view, &asked(), paging::NOW),
        Err(Error::Forged)
    );
    let text = stateless_at(&theirs, &binding, 100);
    assert_eq!(open_stateless(&text, &keys(), &binding), Err(Error::Forged));
}

#[test]
fn a_cursor_of_one_mode_is_refused_by_the_other() {
    let (keys, view, binding) = (keys(), view(), binding());
    let text = stateless_at(&keys, &binding, 100);
    let error = open(&text, &keys, &view, &asked(), paging::NOW).unwrap_err();
    assert_eq!(error.code(), "cursor_mode");
    let text = view_at(&keys, &view, 100);
    assert_eq!(
        open_stateless(&text, &keys, &binding).unwrap_err().code(),
        "cursor_mode"
    );
}
