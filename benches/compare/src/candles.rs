//! Synthetic candles: one fixed walk, of any length.

use serde::{Deserialize, Serialize};

use crate::split_mix::SplitMix64;

/// The time of the first candle: 2026-09-08T00:00:00Z, in milliseconds since 1970.
pub const START_MS: i64 = 1_788_825_600_000;

/// The time from a candle to the next, in milliseconds.
pub const STEP_MS: i64 = 3_600_000;

/// One hour of trade.
#[derive(Clone, Debug, PartialEq)]
pub struct Candle {
    /// Start of the hour, in milliseconds since 1970.
    pub time_ms: i64,
    /// First price.
    pub open: f64,
    /// Highest price.
    pub high: f64,
    /// Lowest price.
    pub low: f64,
    /// Last price.
    pub close: f64,
    /// What was traded.
    pub volume: f64,
    /// Whether the hour is over, so that the row is final.
    pub closed: bool,
}

/// The first `rows` candles of the walk; all are closed but the last.
///
/// Prices and volumes are whole hundredths: `open` is the price so far, `close` is up to 2.00
/// away from it, `high` and `low` reach up to 1.49 beyond the two, the price moves on by up to
/// 0.20, and the volume is 100.00 to 1149.99. A close outside of 110.00 to 989.99 turns back by
/// 2.00. The order of the draws is close, high, low, volume, drift.
///
/// ```
/// use toolgate_compare::candles::{START_MS, candles};
///
/// let walk = candles(500);
/// assert_eq!(walk.len(), 500);
/// assert_eq!((walk[0].time_ms, walk[0].open), (START_MS, 500.0));
/// assert_eq!(walk[..499], candles(501)[..499]);
/// assert_eq!(walk.iter().filter(|candle| !candle.closed).count(), 1);
/// ```
#[must_use]
pub fn candles(rows: usize) -> Vec<Candle> {
    let mut numbers = SplitMix64::new(1);
    let mut draw = |most| i32::try_from(numbers.below(most)).unwrap_or(0);
    let number = |ticks: i32| f64::from(ticks) / 100.0;
    let mut price = 50_000;
    let mut time_ms = START_MS;
    (1..=rows)
        .map(|row| {
            let open = price;
            let mut close = open + draw(401) - 200;
            if close < 11_000 {
                close = open + 200;
            } else if close > 98_999 {
                close = open - 200;
            }
            let high = open.max(close) + draw(150);
            let low = open.min(close) - draw(150);
            let volume = 10_000 + draw(105_000);
            price = close + draw(41) - 20;
            let candle = Candle {
                time_ms,
                open: number(open),
                high: number(high),
                low: number(low),
                close: number(close),
                volume: number(volume),
                closed: row != rows,
            };
            time_ms += STEP_MS;
            candle
        })
        .collect()
}

/// A candle as it is timed: seven short names, and the time as an offset from [`START_MS`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Milliseconds since [`START_MS`].
    pub dt_ms: i64,
    /// First price.
    pub o: f64,
    /// Highest price.
    pub h: f64,
    /// Lowest price.
    pub l: f64,
    /// Last price.
    pub c: f64,
    /// What was traded.
    pub v: f64,
    /// Whether the row is final.
    pub closed: bool,
}

/// The first `rows` candles of the walk, as they are timed.
///
/// ```
/// use toolgate_compare::candles::{STEP_MS, rows};
/// assert_eq!(rows(3)[2].dt_ms, 2 * STEP_MS);
/// ```
#[must_use]
pub fn rows(rows: usize) -> Vec<Row> {
    candles(rows)
        .into_iter()
        .map(|candle| Row {
            dt_ms: candle.time_ms - START_MS,
            o: candle.open,
            h: candle.high,
            l: candle.low,
            c: candle.close,
            v: candle.volume,
            closed: candle.closed,
        })
        .collect()
}
