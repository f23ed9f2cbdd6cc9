//! Trips of random QRP1 documents from value to text and back, by the million, on all cores:
//! `cargo xtask trips --count N --seed N`.
//!
//! Every trip has a seed of its own, the first one's and as many as it comes later; so the
//! seed of a trip that fails, with a count of 1, is that trip again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolgate_fuzz::qrp1_round_trip::{Checks, text, trip};

/// How many trips a thread takes at once.
const BLOCK: u64 = 1_000;

/// After so many failures the run stops.
const MOST_FAILURES: usize = 5;

/// The most bytes of a failing text that are shown.
const MOST_SHOWN: usize = 4_000;

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)) {
        Ok((count, seed)) => run(count, seed),
        Err(error) => {
            eprintln!("qrp1_trips: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The count of trips and the first seed.
fn arguments(mut words: impl Iterator<Item = String>) -> Result<(u64, u64), String> {
    let mut count = 1_000_000;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let mut seed = mix(now.map_or(0, |since| since.as_nanos() as u64));
    while let Some(word) = words.next() {
        let number = words.next().and_then(|number| number.parse().ok());
        match (&*word, number) {
            ("--count", Some(number)) => count = number,
            ("--seed", Some(number)) => seed = number,
            _ => return Err(format!("--count N or --seed N, not {word}")),
        }
    }
    Ok((count, seed))
}

fn run(count: u64, seed: u64) -> ExitCode {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    println!("qrp1_trips: {count} documents from seed {seed} on {threads} threads");
    // A panic is a failure that is told below, with its seed.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let next = AtomicU64::new(0);
    let (done, bytes, deep) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let stop = AtomicBool::new(false);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let (ended, end) = mpsc::channel::<()>();
        for _ in 0..threads {
            let ended = ended.clone();
            let (next, done, bytes, deep) = (&next, &done, &bytes, &deep);
            let (stop, failures) = (&stop, &failures);
            scope.spawn(move || {
                let _ended = ended;
                let mut data = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if first >= count {
                        break;
                    }
                    for index in first..count.min(first + BLOCK) {
                        let seed = seed.wrapping_add(index);
                        fill(&mut data, seed);
                        let checks = checks(seed);
                        match catch_unwind(AssertUnwindSafe(|| trip(&data, checks))) {
                            Ok(length) => {
                                bytes.fetch_add(length as u64, Ordering::Relaxed);
                            }
                            Err(panic) => {
                                let mut failures = failures.lock().expect("no panic holds it");
                                failures.push((seed, message(&*panic)));
                                stop.fetch_or(failures.len() >= MOST_FAILURES, Ordering::Relaxed);
                            }
                        }
                        deep.fetch_add(u64::from(checks.lines), Ordering::Relaxed);
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        drop(ended);
        // Nothing is ever sent: the channel ends with the threads.
        while end.recv_timeout(Duration::from_secs(10)) == Err(mpsc::RecvTimeoutError::Timeout) {
            let done = done.load(Ordering::Relaxed);
            let rate = done as f64 / start.elapsed().as_secs_f64();
            let failed = failures.lock().expect("no panic holds it").len();
            println!(
                "{done} of {count}, {failed} failures, {rate:.0} a second, {:.0} s to go",
                (count - done) as f64 / rate
            );
        }
    });
    let _ = std::panic::take_hook();
    let failures = failures.into_inner().expect("no panic held it");
    for (seed, message) in &failures {
        let mut data = Vec::new();
        fill(&mut data, *seed);
        println!("FAILED: seed {seed}: {}", shown(message));
        println!("the document of seed {seed}:\n{}", shown(&text(&data)));
        println!("again: cargo xtask trips --count 1 --seed {seed}");
    }
    let done = done.into_inner();
    println!(
        "qrp1_trips: {done} documents, {} bytes, {} of them with every prefix and line; {} failures; seed {seed}; {:.1} s",
        bytes.into_inner(),
        deep.into_inner(),
        failures.len(),
        start.elapsed().as_secs_f64(),
    );
    if failures.is_empty() && done == count {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What is checked beside the round trip; the dear checks come seldom.
fn checks(seed: u64) -> Checks {
    let choice = mix(!seed);
    Checks {
        lines: choice.is_multiple_of(100),
        damage: (choice / 100).is_multiple_of(10),
        tokens: (choice / 1_000).is_multiple_of(100),
    }
}

/// The random bytes of one seed.
fn fill(data: &mut Vec<u8>, seed: u64) {
    let mut state = mix(seed);
    data.clear();
    for _ in 0..256 {
        state = state.wrapping_add(GOLDEN);
        data.extend(mix(state).to_le_bytes());
    }
}

/// What SplitMix64 adds to its state.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64 (Steele, Lea and Flood 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without words").to_owned()
}

fn shown(text: &str) -> &str {
    let mut end = text.len().min(MOST_SHOWN);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
