//! The size that the README promises, in characters and in tokens of o200k_base,
//! over 10,000 random cursors. `cargo test -p toolgate-cursor --test
//! cursors_stay_short -- --nocapture` prints the figures.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use std::fmt::Write as _;

use tiktoken_rs::{CoreBPE, o200k_base_singleton};
use toolgate_cursor::{Binding, KeyRing, Kind, MAX_ROWS, Stateless, View, ViewHandle, ViewRow};

#[path = "fixtures/paging.rs"]
mod paging;
use paging::row;

const CURSORS: u32 = 10_000;

/// SplitMix64: every field of the cursors is drawn from it.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Its number of bits is uniform up to `bits`, as sizes of results are.
    fn position(&mut self, bits: u64) -> u64 {
        let bits = 1 + self.below(bits);
        self.below(1 << bits).max(1)
    }

    fn expires_unix_s(&mut self) -> i64 {
        1_735_689_600 + i64::try_from(self.below(2_742_322_500 - 1_735_689_600)).unwrap()
    }
}

#[derive(Default)]
struct Sizes {
    count: u32,
    chars: usize,
    max_chars: usize,
    tokens: usize,
    max_tokens: usize,
}

impl Sizes {
    fn add(&mut self, tokens: &CoreBPE, cursor: &str) {
        let found = tokens.encode_ordinary(cursor).len();
        self.count += 1;
        self.chars += cursor.len();
        self.max_chars = self.max_chars.max(cursor.len());
        self.tokens += found;
        self.max_tokens = self.max_tokens.max(found);
    }

    fn mean_tokens(&self) -> f64 {
        self.mean(self.tokens)
    }

    fn mean(&self, sum: usize) -> f64 {
        f64::from(u32::try_from(sum).unwrap()) / f64::from(self.count)
    }

    fn report(&self, name: &str) {
        let mut line = String::new();
        write!(line, "{name}: {} cursors, ", self.count).unwrap();
        write!(
            line,
            "characters mean {:.1} max {}, ",
            self.mean(self.chars),
            self.max_chars
        )
        .unwrap();
        write!(
            line,
            "tokens mean {:.2} max {}",
            self.mean_tokens(),
            self.max_tokens
        )
        .unwrap();
        println!("{line}");
    }
}

/// Random handles, keys, kinds and expiries, at the positions drawn.
fn view_cursors(position: impl Fn(&mut Draw) -> u64) -> Sizes {
    let tokens = o200k_base_singleton();
    let mut draw = Draw(1);
    let mut sizes = Sizes::default();
    for _ in 0..CURSORS {
        let [key_id, fill, ..] = draw.next().to_le_bytes();
        let keys = KeyRing::new(key_id, &[fill; 32]).unwrap();
        let view = View::new(ViewRow {
            handle: ViewHandle::from_bytes(draw.next().to_le_bytes()),
            kind: [Kind::Page, Kind::Result, Kind::Segment][usize::from(fill % 3)],
            expires_unix_s: draw.expires_unix_s(),
            key_id,
            ..row()
        })
        .unwrap();
        let cursor = view.at(&keys, position(&mut draw)).unwrap().unwrap();
        sizes.add(tokens, &cursor);
    }
    sizes
}

#[test]
fn view_cursors_of_results_up_to_a_million_rows() {
    let sizes = view_cursors(|draw| draw.position(20));
    sizes.report("view, up to 2^20 rows");
    assert!(sizes.max_chars <= 39, "{}", sizes.max_chars);
    assert!(sizes.mean_tokens() <= 27.0, "{}", sizes.mean_tokens());
    assert!(sizes.max_tokens <= 36, "{}", sizes.max_tokens);
}

#[test]
fn view_cursors_of_any_result() {
    let sizes = view_cursors(|draw| draw.position(49));
    sizes.report("view, up to 2^49 rows");
    assert!(sizes.max_chars <= 44, "{}", sizes.max_chars);
    assert!(sizes.mean_tokens() <= 31.0, "{}", sizes.mean_tokens());
    assert!(sizes.max_tokens <= 40, "{}", sizes.max_tokens);
}

/// The longest there are: a position of seven bytes in each.
#[test]
fn view_cursors_of_44_characters() {
    let sizes = view_cursors(|draw| (1 << 42) + draw.below(MAX_ROWS - (1 << 42)));
    sizes.report("view, 2^42 to 2^49 rows");
    assert_eq!(sizes.max_chars, 44);
    assert!(sizes.mean_tokens() <= 31.0, "{}", sizes.mean_tokens());
    assert!(sizes.max_tokens <= 40, "{}", sizes.max_tokens);
}

#[test]
fn the_longest_view_cursor_has_44_characters() {
    let keys = paging::keys();
    assert_eq!(
        paging::view_at(&keys, &paging::view(), MAX_ROWS - 1).len(),
        44
    );
    assert_eq!(paging::view_at(&keys, &paging::view(), 0).len(), 36);
}

#[test]
fn stateless_cursors_of_any_result() {
    let tokens = o200k_base_singleton();
    let mut draw = Draw(3);
    let mut sizes = Sizes::default();
    for _ in 0..CURSORS {
        let [key_id, fill, ..] = draw.next().to_le_bytes();
        let keys = KeyRing::new(key_id, &[fill; 32]).unwrap();
        let text = |n: u64| n.to_string();
        let binding = Binding::of("alice")
            .query(&text(draw.next()))
            .order(&text(draw.next()))
            .snapshot(&text(draw.next()))
            .result_version(draw.next());
        let pages = Stateless::new(&keys, binding);
        let start = pages.start(draw.expires_unix_s()).unwrap();
        let cursor = pages
            .next(&start, draw.position(49), MAX_ROWS)
            .unwrap()
            .unwrap();
        sizes.add(tokens, &cursor);
    }
    sizes.report("stateless, up to 2^49 rows");
    assert!(sizes.max_chars <= 50, "{}", sizes.max_chars);
    assert!(sizes.mean_tokens() <= 36.0, "{}", sizes.mean_tokens());
    assert!(sizes.max_tokens <= 44, "{}", sizes.max_tokens);
}

#[test]
fn aliases_take_two_to_four_tokens() {
    let tokens = o200k_base_singleton();
    for number in 1..10_000 {
        let found = tokens.encode_ordinary(&format!("c{number}")).len();
        assert!((2..=4).contains(&found), "c{number}: {found}");
    }
}
