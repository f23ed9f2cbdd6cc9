//! Instants: milliseconds since 1970-01-01T00:00:00Z, and their one text.
//!
//! The text is the shortest of four ISO 8601 forms in UTC that is exact:
//! `2026-09-08`, `2026-09-08T01:30Z`, `2026-09-08T01:30:05Z`, `2026-09-08T01:30:05.250Z`.

use jiff::civil::DateTime;

use crate::sink::Sink;

/// 0000-01-01T00:00:00Z, the earliest instant the format can write, in milliseconds.
///
/// ```
/// assert_eq!(qrp1::time_text(qrp1::MIN_TIME_MS).as_deref(), Some("0000-01-01"));
/// ```
pub const MIN_TIME_MS: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z, the latest instant the format can write, in milliseconds.
///
/// ```
/// assert_eq!(qrp1::time_text(qrp1::MAX_TIME_MS).as_deref(), Some("9999-12-31T23:59:59.999Z"));
/// ```
pub const MAX_TIME_MS: i64 = 253_402_300_799_999;

pub(crate) const DAY_MS: i64 = 86_400_000;
pub(crate) const HOUR_MS: i64 = 3_600_000;
pub(crate) const MINUTE_MS: i64 = 60_000;
/// The civil time at 0 ms.
const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// Whether the format can write this instant (years 0000 to 9999).
pub(crate) fn in_range(time_ms: i64) -> bool {
    (MIN_TIME_MS..=MAX_TIME_MS).contains(&time_ms)
}

/// The canonical text of an instant in UTC; `None` outside the years 0000 to 9999.
///
/// ```
/// assert_eq!(qrp1::time_text(1_788_825_600_000).as_deref(), Some("2026-09-08"));
/// assert_eq!(qrp1::time_text(1_788_831_005_250).as_deref(), Some("2026-09-08T01:30:05.250Z"));
/// assert_eq!(qrp1::time_text(i64::MAX), None);
/// ```
#[must_use]
pub fn time_text(time_ms: i64) -> Option<String> {
    let mut out = String::new();
    push_time(&mut out, time_ms).then_some(out)
}

/// Appends the text of an instant; `false`, with nothing appended, when out of range.
pub(crate) fn push_time<S: Sink>(out: &mut S, time_ms: i64) -> bool {
    if !in_range(time_ms) {
        return false;
    }
    let Some(civil) = civil(time_ms) else {
        return false;
    };
    push_digits(out, "", civil.year().into(), 4);
    push_digits(out, "-", civil.month().into(), 2);
    push_digits(out, "-", civil.day().into(), 2);
    let of_day_ms = time_ms.rem_euclid(DAY_MS);
    if of_day_ms != 0 {
        out.push_char('T');
        push_clock(out, of_day_ms);
        out.push_char('Z');
    }
    true
}

/// Appends the text of an instant to the second at least, as the seed's form has its `t0`.
pub(crate) fn push_full_time(out: &mut String, time_ms: i64) {
    let start = out.len();
    push_time(out, time_ms);
    match out.len() - start {
        10 => out.push_str("T00:00:00Z"),
        17 => out.insert_str(start + 16, ":00"),
        _ => {}
    }
}

/// What an anchor line states, so that the cells below it need not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The month, `@2026-09`; cells hold the day of the month, `08`.
    Month,
    /// The day, `@2026-09-08`; cells hold the time of day, `01:30`.
    Day,
    /// The day too; cells hold the hour, `01`.
    DayOfHours,
    /// The hour, `@2026-09-08T01Z`; cells hold the minute, `30`.
    Hour,
}

impl Anchor {
    /// The start of the anchor's span that holds an instant, itself as an instant.
    pub(crate) fn start_of(self, time_ms: i64) -> Option<i64> {
        match self {
            Self::Day | Self::DayOfHours => Some(time_ms - time_ms.rem_euclid(DAY_MS)),
            Self::Hour => Some(time_ms - time_ms.rem_euclid(HOUR_MS)),
            Self::Month => month_start(time_ms),
        }
    }

    /// Appends the line of an anchor that begins at an instant, without its line feed.
    pub(crate) fn push_line<S: Sink>(self, out: &mut S, start_ms: i64) {
        out.push_char('@');
        let start = out.len();
        // The start of a span in range is in range itself.
        push_time(out, start_ms - start_ms.rem_euclid(DAY_MS));
        match self {
            Self::Month => out.truncate(start + "2026-09".len()),
            Self::Day | Self::DayOfHours => {}
            Self::Hour => {
                push_digits(out, "T", start_ms.rem_euclid(DAY_MS) / HOUR_MS, 2);
                out.push_char('Z');
            }
        }
    }

    /// What an anchor looks like, for a message.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Self::Month => "an anchor such as @2026-09",
            Self::Day | Self::DayOfHours => "an anchor such as @2026-09-08",
            Self::Hour => "an anchor such as @2026-09-08T01Z",
        }
    }

    /// Reads what follows the `@` of an anchor line; the instant at which it begins.
    pub(crate) fn parse(self, text: &str) -> Option<i64> {
        match self {
            Self::Day | Self::DayOfHours => parse_time(fixed(text, "dddd-dd-dd")?),
            Self::Month => {
                let month = fixed(text, "dddd-dd")?;
                parse_time(&[month, "-01"].concat())
            }
            Self::Hour => {
                let hour = fixed(text, "dddd-dd-ddTddZ")?;
                parse_time(&[hour.get(..13)?, ":00Z"].concat())
            }
        }
    }

    /// Appends the cell of an instant under the anchor that begins at `start_ms`; `false`,
    /// with nothing appended, when it does not hold the instant or the cell cannot say it.
    pub(crate) fn push_cell<S: Sink>(self, out: &mut S, start_ms: i64, time_ms: i64) -> bool {
        if self.start_of(time_ms) != Some(start_ms) || !in_range(time_ms) {
            return false;
        }
        let unit_ms = match self {
            Self::Day => {
                push_clock(out, time_ms - start_ms);
                return true;
            }
            Self::Month => DAY_MS,
            Self::DayOfHours => HOUR_MS,
            Self::Hour => MINUTE_MS,
        };
        if time_ms.rem_euclid(unit_ms) != 0 {
            return false;
        }
        push_digits(
            out,
            "",
            (time_ms - start_ms) / unit_ms + self.first_unit(),
            2,
        );
        true
    }

    /// The cell of the span's start: the first day is 1, the first hour is 0.
    fn first_unit(self) -> i64 {
        i64::from(self == Self::Month)
    }

    /// Reads a cell under the anchor that begins at `start_ms`, in any of its forms.
    pub(crate) fn parse_cell(self, start_ms: i64, text: &str) -> Option<i64> {
        let unit_ms = match self {
            Self::Day => return start_ms.checked_add(parse_clock(text)?),
            Self::Month => DAY_MS,
            Self::DayOfHours => HOUR_MS,
            Self::Hour => MINUTE_MS,
        };
        let [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] = text.as_bytes() else {
            return None;
        };
        let units = i64::from(tens - b'0') * 10 + i64::from(ones - b'0') - self.first_unit();
        let time_ms = start_ms.checked_add(units.checked_mul(unit_ms)?)?;
        let holds = match self {
            Self::Month => self.start_of(time_ms) == Some(start_ms),
            Self::DayOfHours => units < 24,
            Self::Day | Self::Hour => units < 60,
        };
        (units >= 0 && holds).then_some(time_ms)
    }
}

/// The start of the month that holds an instant.
pub(crate) fn month_start(time_ms: i64) -> Option<i64> {
    let day_ms = time_ms - time_ms.rem_euclid(DAY_MS);
    let civil = civil(day_ms)?;
    Some(day_ms - (i64::from(civil.day()) - 1) * DAY_MS)
}

/// The year that holds an instant.
pub(crate) fn year(time_ms: i64) -> Option<i16> {
    Some(civil(time_ms)?.year())
}

fn civil(time_ms: i64) -> Option<DateTime> {
    EPOCH
        .checked_add(jiff::SignedDuration::from_millis(time_ms))
        .ok()
}

fn push_digits<S: Sink>(out: &mut S, prefix: &str, value: i64, width: usize) {
    let mut buffer = itoa::Buffer::new();
    let text = buffer.format(value);
    out.push_str(prefix);
    (text.len()..width).for_each(|_| out.push_char('0'));
    out.push_str(text);
}

/// Appends a time of day in its shortest form: `01:30`, `01:30:05` or `01:30:05.250`.
fn push_clock<S: Sink>(out: &mut S, of_day_ms: i64) {
    push_digits(out, "", of_day_ms / 3_600_000, 2);
    push_digits(out, ":", of_day_ms / 60_000 % 60, 2);
    if of_day_ms % 60_000 != 0 {
        push_digits(out, ":", of_day_ms / 1_000 % 60, 2);
        if of_day_ms % 1_000 != 0 {
            push_digits(out, ".", of_day_ms % 1_000, 3);
        }
    }
}

/// Reads any of the four forms; `None` for other text. Whether the form is the shortest
/// exact one is asked of the whole line.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let date: jiff::civil::Date = fixed(text.get(..10)?, "dddd-dd-dd")?.parse().ok()?;
    let days = date.since(EPOCH.date()).ok()?.get_days();
    let day_ms = i64::from(days) * DAY_MS;
    if text.len() == 10 {
        return Some(day_ms);
    }
    let clock = text[10..].strip_prefix('T')?.strip_suffix('Z')?;
    Some(day_ms + parse_clock(clock)?)
}

/// Reads a time of day in any of its forms, in milliseconds.
fn parse_clock(text: &str) -> Option<i64> {
    let form = match text.len() {
        5 => "dd:dd",
        8 => "dd:dd:dd",
        12 => "dd:dd:dd.ddd",
        _ => return None,
    };
    let clock = fixed(text, form)?;
    let part = |range: core::ops::Range<usize>, limit: i64| {
        let value = clock
            .get(range)
            .map_or(Some(0), |digits| digits.parse::<i64>().ok())?;
        (value < limit).then_some(value)
    };
    let hour = part(0..2, 24)?;
    let minute = part(3..5, 60)?;
    let second = part(6..8, 60)?;
    let milli = part(9..12, 1000)?;
    Some(((hour * 60 + minute) * 60 + second) * 1000 + milli)
}

/// `text` when it has the shape `form`, in which `d` stands for a digit.
fn fixed<'t>(text: &'t str, form: &str) -> Option<&'t str> {
    let fits = text.len() == form.len()
        && text
            .bytes()
            .zip(form.bytes())
            .all(|(byte, shape)| match shape {
                b'd' => byte.is_ascii_digit(),
                _ => byte == shape,
            });
    fits.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_edges_are_written_and_read() {
        for (time_ms, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (60_000, "1970-01-01T00:01Z"),
            (1_000, "1970-01-01T00:00:01Z"),
            (951_868_800_000, "2000-03-01"),
            (MIN_TIME_MS, "0000-01-01"),
            (MAX_TIME_MS, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(time_text(time_ms).as_deref(), Some(text));
            assert_eq!(parse_time(text), Some(time_ms));
        }
        assert_eq!(time_text(MIN_TIME_MS - 1), None);
        assert_eq!(time_text(MAX_TIME_MS + 1), None);
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-30",
            "2026-09-08T24:00Z",
            "2026-09-08T00:60Z",
            "2026-09-08T00:00",
            "2026-09-08T00:00+00:00",
            "2026-09-08t00:00Z",
            "2026-09-08T00:00:00.25Z",
            "2026-09-08T00:00:60Z",
            "+2026-09-08",
            "2026-09-0८",
            "2026-09-08Z",
        ] {
            assert_eq!(parse_time(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_instant_reads_back_under_its_anchor(time_ms in MIN_TIME_MS..=MAX_TIME_MS, coarse in 0usize..4) {
            let step = [1, 1_000, 60_000, DAY_MS][coarse];
            let time_ms = time_ms - time_ms.rem_euclid(step);
            for anchor in [Anchor::Day, Anchor::Month, Anchor::DayOfHours, Anchor::Hour] {
                let start_ms = anchor.start_of(time_ms).unwrap();
                let mut line = String::new();
                anchor.push_line(&mut line, start_ms);
                prop_assert_eq!(anchor.parse(&line[1..]), Some(start_ms));
                let mut cell = String::new();
                if anchor.push_cell(&mut cell, start_ms, time_ms) {
                    prop_assert_eq!(anchor.parse_cell(start_ms, &cell), Some(time_ms));
                } else {
                    prop_assert!(anchor != Anchor::Day && time_ms.rem_euclid(DAY_MS) != 0);
                }
            }
        }

        #[test]
        fn every_instant_reads_back(time_ms in MIN_TIME_MS..=MAX_TIME_MS, coarse in 0usize..4) {
            let time_ms = time_ms - time_ms.rem_euclid([1, 1_000, 60_000, DAY_MS][coarse]);
            prop_assert_eq!(parse_time(&time_text(time_ms).unwrap()), Some(time_ms));
        }
    }
}
