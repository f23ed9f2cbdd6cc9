//! The two engines that count tokens, side by side, and counting up to a limit on ten megabytes
//! without a break.
//!
//! `cargo bench -p toolgate-benches --bench tokens` first prints a table: the engines are measured
//! in turn within one loop, so that a busy machine slows both alike, and the quickest turn of each
//! counts. The measurements of criterion follow. The texts are synthetic and the same every time.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use toolgate_tokens::{FastTiktoken, Tiktoken, TokenCounter};

const LIMIT: usize = 4_000;

struct Text {
    name: &'static str,
    text: String,
}

/// SplitMix64 from seed 1.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % below as u64).unwrap_or(0)
    }
}

/// 10,000 candles as lines of numbers, and 2,000 as JSON objects.
fn candles() -> [Text; 2] {
    let mut next = numbers();
    let (mut rows, mut json) = (String::new(), String::from("["));
    for i in 0..10_000 {
        let mut price = || format!("{}.{:02}", 42_000 + next(900), next(100));
        let (open, high, low, close) = (price(), price(), price(), price());
        let at = i * 60_000;
        let _ = writeln!(
            rows,
            "{at},{open},{high},{low},{close},{}.{:05},t",
            next(2_000),
            next(100_000)
        );
        if i < 2_000 {
            let _ = write!(
                json,
                "{}{{\"dt_ms\":{at},\"open\":{open},\"high\":{high},\"low\":{low},\"close\":{close},\"closed\":true}}",
                if i == 0 { "" } else { "," },
            );
        }
    }
    json.push(']');
    [
        Text {
            name: "rows of numbers",
            text: rows,
        },
        Text {
            name: "JSON of records",
            text: json,
        },
    ]
}

/// Sentences of words drawn at random, 250 KB of each language.
fn prose() -> [Text; 2] {
    const ENGLISH: &str = "the of and to in is that for it as was with be by on not he his but at \
        are this have from or had an they which one you were all her she there would their we him \
        been has when who will no more if out so what time up go about than into could state only \
        new year some take come these know see use get like then first any work now may such give \
        over think most even find day also after way many must look before great back through long \
        where much should well people down own just because good each those feel seem how high too \
        place little world very still nation hand old life tell write become here show house both \
        between need mean call develop under last right move thing general school never same another";
    const CHINESE: &str = "\u{7684}\u{4E00}\u{662F}\u{4E86}\u{6211}\u{4E0D}\u{4EBA}\u{5728}\u{4ED6}\
        \u{6709}\u{8FD9}\u{4E2A}\u{4E0A}\u{4EEC}\u{6765}\u{5230}\u{65F6}\u{5927}\u{5730}\u{4E3A}\
        \u{5B50}\u{4E2D}\u{4F60}\u{8BF4}\u{751F}\u{56FD}\u{5E74}\u{7740}\u{5C31}\u{90A3}";
    let mut next = numbers();
    let english: Vec<&str> = ENGLISH.split_whitespace().collect();
    let chinese: Vec<char> = CHINESE.chars().collect();
    let (mut words, mut ideographs) = (String::new(), String::new());
    while words.len() < 250_000 {
        let sentence = 6 + next(14);
        for i in 0..sentence {
            let word = english[next(english.len())];
            words.push_str(word);
            words.push_str(match next(12) {
                _ if i + 1 == sentence => ".\n",
                0 => ", ",
                _ => " ",
            });
        }
    }
    while ideographs.len() < 250_000 {
        ideographs.extend((0..4 + next(12)).map(|_| chinese[next(chinese.len())]));
        ideographs.push(if next(3) == 0 { '\u{3002}' } else { '\u{FF0C}' });
    }
    [
        Text {
            name: "English words",
            text: words,
        },
        Text {
            name: "Chinese",
            text: ideographs,
        },
    ]
}

/// Texts that are one piece to both engines, or nothing but the smallest pieces.
fn runs(bytes: usize) -> [Text; 8] {
    let run = |name, run: &str| Text {
        name,
        text: run.repeat(bytes / run.len()),
    };
    [
        run("run of letters", "a"),
        run("run of digits", "7"),
        run("run of spaces", " "),
        run("run of line breaks", "\n"),
        run("run of ideographs", "\u{4E2D}"),
        run("run of emoji", "\u{1F600}"),
        run("run of =", "="),
        run("run of -", "-"),
    ]
}

/// The quickest of `turns` for each way, taken in turn.
fn quickest<const N: usize>(turns: usize, mut ways: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut best = [Duration::MAX; N];
    for _ in 0..turns {
        for (way, best) in ways.iter_mut().zip(&mut best) {
            let start = Instant::now();
            way();
            *best = start.elapsed().min(*best);
        }
    }
    best
}

fn megabytes_a_second(text: &str, time: Duration) -> f64 {
    text.len() as f64 / 1e6 / time.as_secs_f64()
}

fn table(texts: &[Text], floods: &[Text]) {
    let engines = [
        (Tiktoken::o200k(), FastTiktoken::o200k()),
        (Tiktoken::cl100k(), FastTiktoken::cl100k()),
    ];
    println!("| first use of | tiktoken | fast |\n|---|---|---|");
    for (slow, fast) in engines {
        // Once only: the tables stay for the rest of the process.
        let [a, b] = quickest(
            1,
            [
                &mut || {
                    black_box(slow.preload());
                },
                &mut || {
                    black_box(fast.preload());
                },
            ],
        );
        println!("| {} | {a:.0?} | {b:.0?} |", slow.vocabulary());
    }
    println!(
        "\n| text | vocabulary | tokens | tiktoken MB/s | fast MB/s | ratio |\n|---|---|---|---|---|---|"
    );
    for Text { name, text } in texts {
        for (slow, fast) in engines {
            let tokens = slow.count(text);
            assert_eq!(fast.count(text), tokens, "{name}");
            let [a, b] = quickest(
                7,
                [
                    &mut || {
                        black_box(slow.count(black_box(text)));
                    },
                    &mut || {
                        black_box(fast.count(black_box(text)));
                    },
                ],
            );
            println!(
                "| {name} | {} | {tokens} | {:.1} | {:.1} | {:.2} |",
                slow.vocabulary(),
                megabytes_a_second(text, a),
                megabytes_a_second(text, b),
                a.as_secs_f64() / b.as_secs_f64(),
            );
        }
    }
    println!(
        "\n| 10 MB, up to {LIMIT} tokens | refused by tiktoken in | by fast in |\n|---|---|---|"
    );
    for Text { name, text } in floods {
        let (slow, fast) = engines[0];
        let [a, b] = quickest(
            7,
            [
                &mut || assert_eq!(black_box(slow.count_up_to(black_box(text), LIMIT)), None),
                &mut || assert_eq!(black_box(fast.count_up_to(black_box(text), LIMIT)), None),
            ],
        );
        println!("| {name} | {a:.1?} | {b:.1?} |");
    }
    println!(
        "\n| the longest run that has to be counted for {LIMIT} tokens | bytes | tiktoken | fast |\n|---|---|---|---|"
    );
    for Text { name, text } in floods {
        let (slow, fast) = engines[0];
        let longest = longest_within(text);
        let [a, b] = quickest(
            3,
            [
                &mut || {
                    black_box(slow.count_up_to(black_box(longest), LIMIT));
                },
                &mut || {
                    black_box(fast.count_up_to(black_box(longest), LIMIT));
                },
            ],
        );
        println!("| {name} | {} | {a:.1?} | {b:.1?} |", longest.len());
    }
}

/// The longest start of a run of one character that its bytes alone do not show to be over the
/// limit.
fn longest_within(run: &str) -> &str {
    let width = run.chars().next().map_or(1, char::len_utf8);
    let (mut within, mut over) = (0, run.len() / width);
    while over - within > 1 {
        let middle = within.midpoint(over);
        if *Tiktoken::o200k().bounds(&run[..middle * width]).start() > LIMIT {
            over = middle;
        } else {
            within = middle;
        }
    }
    &run[..within * width]
}

fn main() {
    let texts: Vec<Text> = candles()
        .into_iter()
        .chain(prose())
        .chain(runs(200_000))
        .collect();
    let floods = runs(10_000_000);
    // `cargo test --benches` only asks whether it runs.
    if !std::env::args().any(|arg| arg == "--test") {
        table(&texts, &floods);
    }
    let mut criterion = Criterion::default().configure_from_args();
    let (slow, fast) = (Tiktoken::o200k().preload(), FastTiktoken::o200k().preload());
    let engines: [(&str, &dyn TokenCounter); 2] = [("tiktoken", &slow), ("fast", &fast)];
    let mut group = criterion.benchmark_group("count, o200k_base");
    group.sample_size(10);
    for Text { name, text } in &texts {
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (engine, counter) in engines {
            group.bench_with_input(BenchmarkId::new(*name, engine), text, |bencher, text| {
                bencher.iter(|| counter.count(text));
            });
        }
    }
    group.finish();
    let mut group = criterion.benchmark_group("10 MB up to 4000 tokens, o200k_base");
    group.sample_size(10);
    for Text { name, text } in &floods {
        for (engine, counter) in engines {
            group.bench_with_input(BenchmarkId::new(*name, engine), text, |bencher, text| {
                bencher.iter(|| counter.count_up_to(text, LIMIT));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
