//! Minting and verifying a cursor beside the least it could cost: HMAC-SHA256 from a
//! cached key state and base64, over the same lengths.
//!
//! First a table of ratios, measured in turns within one run so that the load of the
//! machine falls on both sides alike, then criterion's groups:
//! `cargo bench -p toolgate-benches --bench cursor`.

use std::{hint::black_box, time::Instant};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use criterion::{Criterion, criterion_group};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use toolgate_cursor::{
    Asked, Binding, Cleared, Cursor, Digest, KeyRing, Kind, Stateless, Unverified, View,
    ViewHandle, ViewRow,
};

type Failure = Box<dyn std::error::Error>;

const POSITION: u64 = 4_500;
const ROWS: u64 = 1_000_000;
const EXPIRES: i64 = 1_800_000_000;
const NOW: i64 = 1_790_000_000;

/// HMAC-SHA256 and base64 of as many bytes as a cursor takes.
struct Raw {
    state: Hmac<Sha256>,
    /// What the tag covers.
    message: Vec<u8>,
    /// Bytes before the tag in the text.
    body: usize,
    tag: usize,
    text: String,
}

impl Raw {
    /// `bound` bytes that only the tag covers, then `body`, `tag` and a check byte.
    fn new(bound: usize, body: usize, tag: usize) -> Result<Self, Failure> {
        let state = Hmac::new_from_slice(&[7; 32])?;
        let message = (0_u8..=255).cycle().take(bound + body).collect();
        let mut raw = Self {
            state,
            message,
            body,
            tag,
            text: String::new(),
        };
        let (chars, len) = raw.mint();
        raw.text = String::from_utf8(chars[..len].to_vec())?;
        Ok(raw)
    }

    #[inline(never)]
    fn mint(&self) -> ([u8; 64], usize) {
        let mut bytes = [0; 48];
        bytes[..self.body].copy_from_slice(&self.message[self.message.len() - self.body..]);
        let mut mac = self.state.clone();
        mac.update(&self.message);
        let tag = mac.finalize().into_bytes();
        bytes[self.body..self.body + self.tag].copy_from_slice(&tag[..self.tag]);
        let mut chars = [0; 64];
        let all = &bytes[..=self.body + self.tag];
        let len = BASE64_URL_SAFE_NO_PAD
            .encode_slice(all, &mut chars)
            .unwrap_or_default();
        (chars, len)
    }

    #[inline(never)]
    fn verify(&self, text: &str) -> bool {
        let mut bytes = [0; 48];
        if BASE64_URL_SAFE_NO_PAD
            .decode_slice(text, &mut bytes)
            .is_err()
        {
            return false;
        }
        let mut mac = self.state.clone();
        mac.update(&self.message);
        mac.verify_truncated_left(&bytes[self.body..self.body + self.tag])
            .is_ok()
    }
}

/// A view, a cursor of it, and what they cost at least.
struct ViewMode {
    keys: KeyRing,
    view: View,
    cursor: Cursor,
    raw: Raw,
}

impl ViewMode {
    fn new() -> Result<Self, Failure> {
        let keys = KeyRing::new(1, &[7; 32])?;
        let view = View::new(ViewRow {
            handle: ViewHandle::from_bytes([0xA7, 0x01, 0xFF, 0x00, 0x80, 0x7F, 0x55, 0x12]),
            kind: Kind::Page,
            owner: "tenant-7/alice".into(),
            snapshot: "0198c0de-0000-7000-8000-000000000042".into(),
            query: Digest::query("level=error since=2026-11-30T00:00:00Z"),
            order: Digest::order("time desc"),
            result_version: 1,
            max_bytes: 16_384,
            max_tokens: 4_096,
            rows: ROWS,
            expires_unix_s: EXPIRES,
            key_id: 1,
        })?;
        let cursor = view.at(&keys, POSITION)?.ok_or("no cursor at the end")?;
        // Label and row digest; head, key, expiry, handle and a two-byte position.
        let raw = Raw::new(16 + 16, 1 + 1 + 3 + 8 + 2, 12)?;
        if raw.text.len() != cursor.len() {
            return Err("the raw text has another length".into());
        }
        Ok(Self {
            keys,
            view,
            cursor,
            raw,
        })
    }

    fn mint(&self) -> Option<Cursor> {
        self.view
            .next(&self.keys, black_box(4_000..POSITION))
            .ok()
            .flatten()
    }

    fn verify(&self) -> Option<u64> {
        let asked = Asked::by("tenant-7/alice").query(self.view.row().query);
        let token = Unverified::parse(black_box(&self.cursor), Cleared::alone()).ok()?;
        token
            .open(&self.keys, Some(&self.view), &asked, black_box(NOW))
            .ok()
    }
}

/// The same in stateless mode.
struct StatelessMode {
    keys: KeyRing,
    binding: Binding,
    cursor: Cursor,
    raw: Raw,
}

impl StatelessMode {
    fn new() -> Result<Self, Failure> {
        let keys = KeyRing::new(1, &[7; 32])?;
        let binding = Binding::of("tenant-7/alice")
            .query("level=error")
            .snapshot("v7");
        let pages = Stateless::new(&keys, binding.clone());
        let cursor = pages.next(&pages.start(EXPIRES)?, POSITION, ROWS)?;
        let cursor = cursor.ok_or("no cursor at the end")?;
        let raw = Raw::new(16 + 4 * 16 + 8, 1 + 1 + 3 + 8 + 2, 16)?;
        if raw.text.len() != cursor.len() {
            return Err("the raw text has another length".into());
        }
        Ok(Self {
            keys,
            binding,
            cursor,
            raw,
        })
    }

    fn pages(&self) -> Stateless<'_> {
        Stateless::new(&self.keys, self.binding.clone())
    }
}

/// Median nanoseconds a call of each side, in turns.
fn in_turns<A, B>(one: impl Fn() -> A, other: impl Fn() -> B) -> (f64, f64) {
    const ROUNDS: usize = 401;
    let mut times = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        // Whoever goes first does not do so always.
        if round % 2 == 0 {
            times.0.push(ns_per_call(&one));
            times.1.push(ns_per_call(&other));
        } else {
            times.1.push(ns_per_call(&other));
            times.0.push(ns_per_call(&one));
        }
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    };
    (median(times.0), median(times.1))
}

fn ns_per_call<T>(call: impl Fn() -> T) -> f64 {
    const CALLS: u32 = 1_000;
    let start = Instant::now();
    for _ in 0..CALLS {
        black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

fn ratios() -> Result<(), Failure> {
    let view = ViewMode::new()?;
    let stateless = StatelessMode::new()?;
    let pages = stateless.pages();
    let start = pages.start(EXPIRES)?;
    let report = |name: &str, (ours, raw): (f64, f64)| {
        println!(
            "{name:<18} {ours:7.1} ns, raw {raw:7.1} ns, ratio {:.2}",
            ours / raw
        );
    };

    println!("median of 401 rounds of 1,000 calls, in turns; the goal of view mode is 1.50");
    let times = in_turns(|| view.mint(), || view.raw.mint());
    report("view mint", times);
    let times = in_turns(
        || view.verify(),
        || view.raw.verify(black_box(&view.raw.text)),
    );
    report("view verify", times);
    let times = in_turns(
        || pages.next(black_box(&start), POSITION, ROWS),
        || stateless.raw.mint(),
    );
    report("stateless mint", times);
    let times = in_turns(
        || pages.open(black_box(&stateless.cursor), ROWS, NOW),
        || stateless.raw.verify(black_box(&stateless.raw.text)),
    );
    report("stateless verify", times);
    Ok(())
}

fn groups(criterion: &mut Criterion) {
    let (Ok(view), Ok(stateless)) = (ViewMode::new(), StatelessMode::new()) else {
        return;
    };
    let pages = stateless.pages();

    let mut group = criterion.benchmark_group("cursor/mint");
    group.bench_function("raw", |bench| bench.iter(|| view.raw.mint()));
    group.bench_function("view", |bench| bench.iter(|| view.mint()));
    if let Ok(start) = pages.start(EXPIRES) {
        group.bench_function("stateless", |bench| {
            bench.iter(|| pages.next(black_box(&start), POSITION, ROWS));
        });
    }
    group.finish();

    let mut group = criterion.benchmark_group("cursor/verify");
    group.bench_function("raw", |bench| {
        bench.iter(|| view.raw.verify(black_box(&view.raw.text)))
    });
    group.bench_function("view", |bench| bench.iter(|| view.verify()));
    group.bench_function("stateless", |bench| {
        bench.iter(|| pages.open(black_box(&stateless.cursor), ROWS, NOW));
    });
    group.finish();

    let mut group = criterion.benchmark_group("cursor/view row");
    let bytes = view.view.to_bytes();
    group.bench_function("to bytes", |bench| bench.iter(|| view.view.to_bytes()));
    group.bench_function("from bytes", |bench| {
        bench.iter(|| View::from_bytes(black_box(&bytes)))
    });
    group.finish();
}

criterion_group!(benches, groups);

fn main() -> Result<(), Failure> {
    ratios()?;
    benches();
    Criterion::default().configure_from_args().final_summary();
    Ok(())
}
