//! The pages of a result: what every format has to say beside the rows.

use base64::alphabet::URL_SAFE;
use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::candles::{Candle, START_MS, STEP_MS};
use crate::split_mix::SplitMix64;

/// Rows a page.
pub const PAGE_ROWS: usize = 500;

/// Characters of a cursor, as long as those of the experiment that this one rebuilds.
pub const CURSOR_CHARS: usize = 384;

/// One page: the facts in the order in which they are stated, and the rows.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// Where the rows come from.
    pub source: Source,
    /// The time that the whole result covers.
    pub range: Range,
    /// What the result was read from.
    pub snapshot: Snapshot,
    /// Where this page stands in the result.
    pub place: Place,
    /// The rows.
    pub candles: &'a [Candle],
}

/// Where the rows come from.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Source {
    pub provider: &'static str,
    pub exchange: &'static str,
    pub market: &'static str,
    pub symbol: &'static str,
    pub interval: &'static str,
    pub timezone: &'static str,
    pub adjustment: &'static str,
    pub schema: &'static str,
}

/// The time that the whole result covers.
#[derive(Clone, Debug, Serialize)]
pub struct Range {
    /// Start of the first candle.
    pub start: String,
    /// End of the last candle.
    pub end: String,
    /// Whether there are rows for all of it.
    pub complete: bool,
}

/// What the result was read from.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// `snapshot-` and 16 hexadecimal digits.
    pub id: String,
    /// `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// When the source was read.
    pub as_of: String,
}

/// Where a page stands in the result.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// Most rows of a page.
    pub size: usize,
    /// Rows of this page.
    pub rows: usize,
    /// Rows of the result.
    pub total: usize,
    /// Direction of time.
    pub order: &'static str,
    /// Whether a page follows.
    pub has_more: bool,
    /// What to ask for to get it.
    pub next_cursor: Option<String>,
}

/// Cuts a result into pages of [`PAGE_ROWS`].
///
/// The snapshot's id and digest are random, and the same for every result: they stand for texts
/// of their length. Cursors are those of [`cursor`].
///
/// ```
/// use toolgate_compare::{candles::candles, page::pages};
///
/// let walk = candles(501);
/// let pages = pages(&walk)?;
/// assert_eq!(pages.len(), 2);
/// assert_eq!(pages[0].place.next_cursor.as_ref().map(String::len), Some(384));
/// assert_eq!((pages[1].place.rows, &pages[1].place.next_cursor), (1, &None));
/// # Ok::<(), toolgate_compare::Error>(())
/// ```
///
/// # Errors
///
/// If a time is beyond the years that the calendar knows.
pub fn pages(candles: &[Candle]) -> Result<Vec<Page<'_>>, Error> {
    let end_ms = candles
        .last()
        .map_or(START_MS, |last| last.time_ms + STEP_MS);
    let range = Range {
        start: iso(START_MS)?,
        end: iso(end_ms)?,
        complete: true,
    };
    let mut numbers = SplitMix64::new(1);
    let snapshot = Snapshot {
        id: format!("snapshot-{:016x}", numbers.next_u64()),
        digest: (0..4).fold("sha256:".to_owned(), |text, _| {
            format!("{text}{:016x}", numbers.next_u64())
        }),
        as_of: iso(end_ms - STEP_MS / 2)?,
    };
    let count = candles.len().div_ceil(PAGE_ROWS);
    candles
        .chunks(PAGE_ROWS)
        .enumerate()
        .map(|(index, rows)| {
            let has_more = index + 1 < count;
            Ok(Page {
                source: Source {
                    provider: "synthetic",
                    exchange: "deterministic",
                    market: "spot",
                    symbol: "BTC-USDT",
                    interval: "1h",
                    timezone: "UTC",
                    adjustment: "none",
                    schema: "candles.v1",
                },
                range: range.clone(),
                snapshot: snapshot.clone(),
                place: Place {
                    size: PAGE_ROWS,
                    rows: rows.len(),
                    total: candles.len(),
                    order: "ascending",
                    has_more,
                    next_cursor: has_more.then(|| cursor(index + 1, CURSOR_CHARS)),
                },
                candles: rows,
            })
        })
        .collect()
}

/// A time as it is written in every format here, with milliseconds.
///
/// ```
/// use toolgate_compare::{candles::START_MS, page::iso};
/// assert_eq!(iso(START_MS)?, "2026-09-08T00:00:00.000Z");
/// # Ok::<(), toolgate_compare::Error>(())
/// ```
///
/// # Errors
///
/// If the time is beyond the years that the calendar knows.
pub fn iso(time_ms: i64) -> Result<String, Error> {
    let time = Timestamp::from_millisecond(time_ms)?;
    Ok(time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}

/// Random base64url text in place of the cursor that stands on a page, counted from 1. The seed is
/// 1000 + `page`.
///
/// ```
/// use toolgate_compare::page::cursor;
/// assert_eq!(cursor(1, 64).len(), 64);
/// assert_ne!(cursor(1, 64), cursor(2, 64));
/// ```
#[must_use]
pub fn cursor(page: usize, chars: usize) -> String {
    let alphabet = URL_SAFE.as_str();
    let mut numbers = SplitMix64::new(1000 + page as u64);
    std::iter::repeat_with(|| numbers.below(64) as usize)
        .take(chars)
        .filter_map(|at| alphabet.get(at..=at))
        .collect()
}
