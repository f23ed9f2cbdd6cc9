//! Regular times: a series whose rows are a fixed step apart and have no time cells.

use crate::sink::Sink;
use crate::time::{self, DAY_MS};

/// The units of a step's text, the largest first.
const UNITS: [(&str, i64); 5] = [
    ("d", DAY_MS),
    ("h", time::HOUR_MS),
    ("m", time::MINUTE_MS),
    ("s", 1_000),
    ("ms", 1),
];

/// Appends a duration above zero as a count of the largest unit that divides it: `1h`, `90m`.
pub(crate) fn push_duration<S: Sink>(out: &mut S, duration_ms: i64) {
    let unit = UNITS.iter().find(|(_, unit_ms)| duration_ms % unit_ms == 0);
    let (word, unit_ms) = unit.copied().unwrap_or(("ms", 1));
    out.push_str(itoa::Buffer::new().format(duration_ms / unit_ms));
    out.push_str(word);
}

/// Reads a duration above zero in any of its units; `None` for other text. Whether the unit
/// is the largest is asked of the whole line.
pub(crate) fn parse_duration(text: &str) -> Option<i64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, word) = text.split_at(digits);
    let (_, unit_ms) = UNITS.iter().find(|(unit, _)| *unit == word)?;
    let count = digits.parse::<i64>().ok().filter(|count| *count > 0)?;
    count.checked_mul(*unit_ms)
}

/// Whether a row needs an anchor line that states its time, given the time of the row above:
/// at the start of a payload, where it is not one step later, and where a day begins, or a
/// month for steps of a day and more, or a year for steps of a week and more.
pub(crate) fn needs_anchor(step_ms: i64, last_ms: Option<i64>, time_ms: i64) -> bool {
    let Some(last_ms) = last_ms else { return true };
    if last_ms.checked_add(step_ms) != Some(time_ms) {
        return true;
    }
    if step_ms < DAY_MS {
        last_ms.div_euclid(DAY_MS) != time_ms.div_euclid(DAY_MS)
    } else if step_ms < 7 * DAY_MS {
        time::month_start(last_ms) != time::month_start(time_ms)
    } else {
        time::year(last_ms) != time::year(time_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_back() {
        for (duration_ms, text) in [
            (1, "1ms"),
            (1_500, "1500ms"),
            (60_000, "1m"),
            (5_400_000, "90m"),
            (3_600_000, "1h"),
            (7 * DAY_MS, "7d"),
        ] {
            let mut out = String::new();
            push_duration(&mut out, duration_ms);
            assert_eq!(out, text);
            assert_eq!(parse_duration(text), Some(duration_ms));
        }
        for text in [
            "",
            "h",
            "0h",
            "-1h",
            "1w",
            "1",
            "1.5h",
            "9223372036854775807d",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn anchors_stand_at_starts_gaps_and_new_days() {
        let hour = time::HOUR_MS;
        assert!(needs_anchor(hour, None, 0));
        assert!(!needs_anchor(hour, Some(0), hour));
        assert!(needs_anchor(hour, Some(0), 2 * hour));
        assert!(needs_anchor(hour, Some(23 * hour), 24 * hour));
        assert!(!needs_anchor(DAY_MS, Some(0), DAY_MS));
        assert!(needs_anchor(DAY_MS, Some(30 * DAY_MS), 31 * DAY_MS));
        assert!(!needs_anchor(7 * DAY_MS, Some(28 * DAY_MS), 35 * DAY_MS));
        assert!(needs_anchor(7 * DAY_MS, Some(364 * DAY_MS), 371 * DAY_MS));
    }
}
