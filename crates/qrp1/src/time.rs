//! Instants: milliseconds since 1970-01-01T00:00:00Z, and their one text.
//!
//! The text is the shortest of four ISO 8601 forms in UTC that is exact:
//! `2026-09-08`, `2026-09-08T01:30Z`, `2026-09-08T01:30:05Z`, `2026-09-08T01:30:05.250Z`.

use jiff::civil::DateTime;

/// 0000-01-01T00:00:00Z, the earliest instant the format can write, in milliseconds.
pub const MIN_TIME_MS: i64 = -62_167_219_200_000;
/// 9999-12-31T23:59:59.999Z, the latest instant the format can write, in milliseconds.
pub const MAX_TIME_MS: i64 = 253_402_300_799_999;

const DAY_MS: i64 = 86_400_000;
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
pub(crate) fn push_time(out: &mut String, time_ms: i64) -> bool {
    if !in_range(time_ms) {
        return false;
    }
    let Ok(civil) = EPOCH.checked_add(jiff::SignedDuration::from_millis(time_ms)) else {
        return false;
    };
    let mut digits = |prefix: &str, value: i32, width: usize| {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value);
        out.push_str(prefix);
        (text.len()..width).for_each(|_| out.push('0'));
        out.push_str(text);
    };
    digits("", civil.year().into(), 4);
    digits("-", civil.month().into(), 2);
    digits("-", civil.day().into(), 2);
    if time_ms.rem_euclid(DAY_MS) == 0 {
        return true;
    }
    digits("T", civil.hour().into(), 2);
    digits(":", civil.minute().into(), 2);
    if time_ms.rem_euclid(60_000) != 0 {
        digits(":", civil.second().into(), 2);
        if time_ms.rem_euclid(1_000) != 0 {
            digits(".", civil.millisecond().into(), 3);
        }
    }
    out.push('Z');
    true
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
    let form = match clock.len() {
        5 => "dd:dd",
        8 => "dd:dd:dd",
        12 => "dd:dd:dd.ddd",
        _ => return None,
    };
    let clock = fixed(clock, form)?;
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
    Some(day_ms + ((hour * 60 + minute) * 60 + second) * 1000 + milli)
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
        fn every_instant_reads_back(time_ms in MIN_TIME_MS..=MAX_TIME_MS, coarse in 0usize..4) {
            let time_ms = time_ms - time_ms.rem_euclid([1, 1_000, 60_000, DAY_MS][coarse]);
            prop_assert_eq!(parse_time(&time_text(time_ms).unwrap()), Some(time_ms));
        }
    }
}
