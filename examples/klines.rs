//! The main job, step by step: a model asks for an indicator over thousands of bars and
//! never sees the bars.
//!
//! ```text
//! cargo run --example klines
//! cargo run --example klines -- --symbol-file path/to/bars.csv
//! ```

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use serde_json::{Map, Value as Json, json};
use toolgate::cursor::{Cleared, Digest, Duty, Kind, Unverified, View, ViewRow};
use toolgate::kernels::{Columns, Direction, Numbers, Output};
use toolgate::prelude::*;
use toolgate::qrp1::{Document, Payload, Value, time_text};
use toolgate::runtime::Values;
use toolgate::store::ResultVersion;

/// Runs indicators over a series of bars the toolgate way, and shows each step.
#[derive(Parser)]
struct Args {
    /// CSV file with the header `time,open,high,low,close,volume` (and perhaps `closed`)
    #[arg(long, value_name = "PATH", default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/aapl_1d.csv"))]
    symbol_file: PathBuf,
}

/// How long a worker's claim lasts without a commit. Short, so that the demonstration of a
/// lost worker does not take long; 30 seconds would be usual.
const LEASE: Duration = Duration::from_millis(300);

/// Small caps, so that the pages fit a terminal.
const CAPS: PageCaps = PageCaps {
    max_bytes: Some(1_600),
    max_tokens: Some(800),
};

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The name of a file is not ours, so it is printed escaped.
            eprintln!("error: {:?}: {}: {error}", args.symbol_file, error.code());
            ExitCode::FAILURE
        }
    }
}

/// The name of the file as a symbol: what a terminal would not print as it is, escaped.
fn symbol_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut symbol = String::new();
    for c in stem.chars().take(64) {
        match c {
            '\'' | '"' => symbol.push(c),
            _ => symbol.extend(c.escape_debug()),
        }
    }
    symbol
}

async fn run(args: &Args) -> Result<(), Error> {
    let symbol = symbol_of(&args.symbol_file);
    let counter = Arc::new(Tiktoken::o200k());
    let tokens = |text: &str| counter.count(text);

    // What a server sets up once: a store, keys, a token counter, sources by name.
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|_| Error::NoRandomness)?;
    let store = Arc::new(MemoryStore::new());
    let runtime = Runtime::builder(store, KeyRing::new(1, &secret)?, counter.clone())
        .source(
            "csv",
            CsvSource::new().with_file(&symbol, &args.symbol_file),
        )
        .build();
    let owner = Owner::new("demo-user")?;

    step(1, "The model sends a locator and a plan, and not one bar");
    let request = json!({
        "locator": {"source": "csv", "symbol": symbol},
        "plan": {
            "inputs": ["close"],
            "nodes": [
                {"id": "sma20", "kernel": "sma", "input": "close", "period": 20},
                {"id": "sma50", "kernel": "sma", "input": "close", "period": 50},
                {"id": "ema12", "kernel": "ema", "input": "close", "period": 12, "seed": "sma"},
                {"id": "x", "kernel": "cross", "fast": "sma20", "slow": "sma50"}
            ],
            "outputs": ["sma20", "sma50", "ema12", "x"]
        }
    })
    .to_string();
    println!("{request}");
    println!(
        "= {} bytes, {} tokens (o200k_base)",
        request.len(),
        tokens(&request)
    );
    let request = ComputeRequest::from_json(&request)?;

    step(
        2,
        "The backend reads the source once and pins an immutable snapshot",
    );
    // The key names the tool call: sent again, it is the same snapshot and task.
    let key = IdempotencyKey::new("call_1")?;
    let submitted = runtime.submit(&owner, &request, &key).await?;
    let (snapshot, task) = (&submitted.snapshot, submitted.task);
    println!("snapshot {}", snapshot.id);
    println!("  rows     {}", snapshot.rows);
    println!(
        "  segments {} of up to {} rows, {} bytes",
        snapshot.segments,
        runtime.settings().segment_rows,
        snapshot.bytes
    );
    println!("  hash     sha256:{}", snapshot.digest);
    println!("task {task} is queued; the queue carries its id and nothing else");

    step(
        3,
        "Workers compute segment by segment, with a checkpoint after each",
    );
    compute(&runtime, snapshot, task).await?;
    compare_with_one_pass(&runtime, &owner, &request, snapshot, task).await?;

    step(4, "The model first gets the summary and the crosses");
    let answer = runtime.answer(&owner, task).await?;
    print!("{answer}");
    println!("= {} bytes, {} tokens", answer.len(), tokens(&answer));

    step(
        5,
        "If it needs rows, it reads a page, under a cap in bytes and tokens",
    );
    println!(
        "(an @ line states the month or the day of the rows below it; an empty cell is a line that"
    );
    println!(" still warms up, or a bar at which nothing crossed)");
    let rows = Rows::Result(task);
    let first = runtime.first_page(&owner, rows, Some(CAPS)).await?;
    show(&first);

    let Some(cursor) = &first.next else {
        println!("(all rows were on the first page, so there is no cursor to show)");
        return table(6, &runtime, &owner, snapshot, task, &tokens).await;
    };
    step(
        6,
        "The cursor of that page leads to the second, bound to the same snapshot",
    );
    println!(
        "cursor {cursor} = {} characters, {} tokens",
        cursor.len(),
        tokens(cursor)
    );
    let second = runtime.next_page(&owner, rows, cursor).await?;
    show(&second);
    let again = runtime.next_page(&owner, rows, cursor).await?;
    println!(
        "read once more: {}",
        if again == second {
            "the same bytes"
        } else {
            "OTHER BYTES"
        }
    );

    step(7, "A cursor opens its own rows and nothing else");
    let flipped = flip_last(cursor);
    refuse(
        "one character changed",
        runtime.next_page(&owner, rows, &flipped).await,
    );
    let forged = forge(cursor, &owner, snapshot)?;
    refuse(
        "made with another key",
        runtime.next_page(&owner, rows, &forged).await,
    );
    let other = runtime.pin(&owner, &request.locator).await?;
    let of_first = runtime
        .first_page(&owner, Rows::Snapshot(snapshot.id), Some(CAPS))
        .await?;
    if let Some(of_first) = &of_first.next {
        println!("(a second snapshot of the same file: {})", other.id);
        let read = runtime
            .next_page(&owner, Rows::Snapshot(other.id), of_first)
            .await;
        refuse("a cursor for another snapshot", read);
    }
    let stranger = Owner::new("another-user")?;
    refuse(
        "another user",
        runtime.next_page(&stranger, rows, cursor).await,
    );

    table(8, &runtime, &owner, snapshot, task, &tokens).await
}

fn step(number: u32, title: &str) {
    println!("\n== {number}. {title} ==");
}

/// Runs the task with two workers, the first of which is lost on the way.
async fn compute(runtime: &Runtime, snapshot: &Snapshot, task: TaskId) -> Result<(), Error> {
    let (a, b) = (Worker::new(runtime, LEASE)?, Worker::new(runtime, LEASE)?);
    let stop_after = 3.min(snapshot.segments.saturating_sub(1));
    let Some(mut job) = a.claim().await? else {
        println!("no task was waiting");
        return Ok(());
    };
    println!("worker A claims {} (fence {})", job.task(), job.fence());
    for _ in 0..stop_after {
        report(&job.step().await?);
    }
    let stop = match stop_after {
        0 => "before it commits the first segment".to_owned(),
        after => format!("after segment {after}"),
    };
    println!(
        "-- stop: worker A hangs {stop}; its claim runs out after {} ms",
        LEASE.as_millis()
    );
    tokio::time::sleep(LEASE + Duration::from_millis(50)).await;

    let Some(mut resumed) = b.claim().await? else {
        println!("no task was waiting");
        return Ok(());
    };
    println!(
        "-- resume: worker B claims {task} (fence {}) and restores the saved state: {} segments, {} bars",
        resumed.fence(),
        resumed.segments_done(),
        resumed.bars(),
    );
    // The lost worker wakes up. Its fence is old, so it can no longer write.
    if let Err(late) = job.step().await {
        println!("-- worker A wakes up and tries to commit: {}", late.code());
    }
    loop {
        let stepped = resumed.step().await?;
        report(&stepped);
        match stepped {
            Stepped::Committed(_) => {}
            Stepped::Finished | Stepped::Cancelled => return Ok(()),
            Stepped::Failed(error) => return Err(error),
        }
    }
}

fn report(stepped: &Stepped) {
    match stepped {
        Stepped::Committed(done) => println!(
            "  segment {} committed: {} of {} rows, checkpoint {} bytes",
            done.segment + 1,
            done.rows_done,
            done.rows_total,
            done.checkpoint_bytes,
        ),
        Stepped::Finished => println!("  finished: the summary is stored"),
        Stepped::Cancelled => println!("  cancelled on request"),
        Stepped::Failed(error) => println!("  failed: {error}"),
    }
}

/// Computes the plan once more over all rows at once and compares every number, bit by bit.
async fn compare_with_one_pass(
    runtime: &Runtime,
    owner: &Owner,
    request: &ComputeRequest,
    snapshot: &Snapshot,
    task: TaskId,
) -> Result<(), Error> {
    let (mut time_ms, mut close) = (Vec::new(), Vec::new());
    for ordinal in 0..snapshot.segments {
        let rows = runtime
            .snapshot_segment(owner, snapshot.id, ordinal)
            .await?;
        let values = rows.numbers("close")?;
        let closed = rows
            .columns()
            .iter()
            .find_map(|column| match &column.values {
                Values::Flags(flags) if column.name == "closed" => Some(flags),
                _ => None,
            });
        for (row, value) in values.iter().enumerate() {
            // Nothing is computed from a bar that is still open.
            if closed.is_none_or(|closed| closed[row] != Some(false)) {
                time_ms.push(rows.time_ms()[row]);
                close.push(value.unwrap_or(f64::NAN));
            }
        }
    }
    let mut run = request.plan.start();
    let out = run.push(&Columns {
        time_ms: &time_ms,
        columns: &[("close", &close)],
    })?;
    let (mut values, mut differ) = (0u64, 0u64);
    let mut start = 0;
    for ordinal in 0..snapshot.segments {
        let rows = runtime
            .result_segment(owner, task, ResultVersion::FIRST, ordinal)
            .await?;
        for (column, (_, output)) in rows.columns().iter().zip(out.iter()) {
            for row in 0..rows.rows() {
                values += 1;
                differ += u64::from(!same(&column.values, row, output, start + row));
            }
        }
        start += rows.rows();
    }
    println!("compared with one pass over all rows: {differ} of {values} values differ in any bit");
    if differ > 0 {
        return Err(Error::Request {
            reason: "the result is not that of one pass".to_owned(),
        });
    }
    Ok(())
}

/// Whether a stored result value has the bits of the one pass; past its end there is none.
fn same(stored: &Values, row: usize, whole: &Output, at: usize) -> bool {
    match (stored, whole) {
        (Values::Numbers(stored), Output::Numbers(whole)) => {
            stored[row].map(f64::to_bits) == Numbers::get(whole, at).map(f64::to_bits)
        }
        (Values::Texts(stored), Output::Events { cells, .. }) => {
            stored[row].as_deref() == cells.get(at).copied().flatten().map(Direction::name)
        }
        _ => false,
    }
}

fn show(page: &Page) {
    print!("{}", page.text);
    println!(
        "= rows {} to {} of {}; {} bytes (cap {}), {} tokens (cap {})",
        page.rows.start,
        page.rows.end.saturating_sub(1),
        page.total,
        page.text.len(),
        CAPS.max_bytes.unwrap_or(0),
        page.tokens,
        CAPS.max_tokens.unwrap_or(0),
    );
}

fn refuse(what: &str, read: Result<Page, Error>) {
    println!("{what}:");
    match read {
        Ok(_) => println!("  OPENED"),
        Err(error) => print!("  {}", error.to_receipt()),
    }
}

/// A cursor with another last character.
fn flip_last(cursor: &str) -> String {
    let mut text = cursor.to_owned();
    let last = text.pop();
    text.push(if last == Some('A') { 'E' } else { 'A' });
    text
}

/// A well-formed cursor to another place, which somebody made with a key of their own. The
/// handle of the view can be read from any cursor; the key cannot.
fn forge(cursor: &str, owner: &Owner, snapshot: &Snapshot) -> Result<String, Error> {
    let keys = KeyRing::new(1, &[0; 32])?;
    let token = Unverified::parse(cursor, Cleared::alone())?;
    let Duty::LookUpView(handle) = token.duty(&keys)?;
    let view = View::new(ViewRow {
        handle,
        kind: Kind::Page,
        owner: owner.as_str().to_owned(),
        snapshot: snapshot.id.to_string(),
        query: Digest::query("all rows"),
        order: Digest::order("time"),
        result_version: 1,
        max_bytes: u64::MAX,
        max_tokens: u64::MAX,
        rows: snapshot.rows,
        expires_unix_s: snapshot.expires_at_ms / 1_000,
        key_id: 1,
    })?;
    Ok(view
        .at(&keys, 0)?
        .map_or_else(String::new, |cursor| cursor.to_string()))
}

/// Bytes and tokens of all pages, as QRP1 and as compact JSON with the same facts.
async fn table(
    number: u32,
    runtime: &Runtime,
    owner: &Owner,
    snapshot: &Snapshot,
    task: TaskId,
    tokens: &impl Fn(&str) -> usize,
) -> Result<(), Error> {
    step(number, "What the same rows cost as JSON and as QRP1");
    println!("Both with source, snapshot, paging and cursor; JSON compact; tokens o200k_base.");
    println!(
        "{:<28}{:>7}{:>11}{:>11}{:>8}{:>10}{:>10}{:>8}",
        "rows", "count", "JSON B", "QRP1 B", "QRP1 %", "JSON tok", "QRP1 tok", "QRP1 %"
    );
    for (name, rows) in [
        ("bars", Rows::Snapshot(snapshot.id)),
        ("result", Rows::Result(task)),
    ] {
        let mut page = runtime.first_page(owner, rows, None).await?;
        let mut sum = Sizes::default();
        let mut pages = 0;
        loop {
            let one = Sizes::of(&page, tokens)?;
            if pages == 0 {
                one.print(&format!("{name}, first page"));
            }
            sum.add(one);
            pages += 1;
            match &page.next {
                Some(cursor) => page = runtime.next_page(owner, rows, cursor).await?,
                None => break,
            }
        }
        sum.print(&format!("{name}, all {pages} pages"));
    }
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Sizes {
    rows: usize,
    json_bytes: usize,
    qrp1_bytes: usize,
    json_tokens: usize,
    qrp1_tokens: usize,
}

impl Sizes {
    fn of(page: &Page, tokens: &impl Fn(&str) -> usize) -> Result<Self, Error> {
        let json = json_twin(&page.text)?;
        Ok(Self {
            rows: usize::try_from(page.rows.end - page.rows.start).unwrap_or(0),
            json_bytes: json.len(),
            qrp1_bytes: page.text.len(),
            json_tokens: tokens(&json),
            qrp1_tokens: tokens(&page.text),
        })
    }

    fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.json_bytes += other.json_bytes;
        self.qrp1_bytes += other.qrp1_bytes;
        self.json_tokens += other.json_tokens;
        self.qrp1_tokens += other.qrp1_tokens;
    }

    fn print(&self, name: &str) {
        let percent =
            |part: usize, whole: usize| format!("{:.1}", 100.0 * part as f64 / whole as f64);
        println!(
            "{name:<28}{:>7}{:>11}{:>11}{:>8}{:>10}{:>10}{:>8}",
            self.rows,
            self.json_bytes,
            self.qrp1_bytes,
            percent(self.qrp1_bytes, self.json_bytes),
            self.json_tokens,
            self.qrp1_tokens,
            percent(self.qrp1_tokens, self.json_tokens),
        );
    }
}

/// A page as the compact JSON that a tool would return: the same facts, an object a row.
fn json_twin(text: &str) -> Result<String, Error> {
    let document = Document::parse(text)?;
    let Some(Payload::Table(table)) = document.payloads().first() else {
        return Ok(String::new());
    };
    let mut rows = Vec::new();
    for row in &table.rows {
        let mut object = Map::new();
        for (column, value) in table.layout.columns().iter().zip(row) {
            let (name, json) = match value {
                Value::Absent => continue,
                Value::Time(time_ms) => ("time", json!(iso(*time_ms))),
                // Whole numbers as JSON writes integers, without a point.
                Value::F64(number) if number.fract() == 0.0 => (
                    column.name(),
                    number
                        .to_string()
                        .parse::<i64>()
                        .map_or(json!(number), Json::from),
                ),
                Value::F64(number) => (column.name(), json!(number)),
                Value::Bool(flag) => (column.name(), json!(flag)),
                Value::Str(text) => (column.name(), json!(text)),
                _ => (column.name(), Json::Null),
            };
            object.insert(name.to_owned(), json);
        }
        rows.push(Json::Object(object));
    }
    let meta = &table.meta;
    let page =
        json!({"from": meta.from, "rows": rows.len(), "total": meta.total, "next": meta.next});
    let json = json!({
        "source": meta.source,
        "snapshot": meta.snapshot,
        "task": meta.task,
        "result": meta.result,
        "page": page,
        "rows": rows,
    });
    Ok(json.to_string())
}

/// A time as JSON APIs write it, to the second.
fn iso(time_ms: i64) -> String {
    let text = time_text(time_ms).unwrap_or_default();
    match text.len() {
        10 => format!("{text}T00:00:00Z"),
        17 => text.replace('Z', ":00Z"),
        _ => text,
    }
}
