//! Times as text: RFC 3339 in exactly one shape.

/// What a time must look like, in words for messages.
pub(crate) const SHAPE: &str = "a time such as 2000-03-01T00:00:00Z";

/// Reads `YYYY-MM-DDTHH:MM:SS`, perhaps a fraction `.f`, then `Z`, `+HH:MM` or `-HH:MM`;
/// seconds go to 59. Nothing else that date libraries accept is a time here, so that a
/// text means the same to every reader.
pub(crate) fn parse(text: &str) -> Option<jiff::Timestamp> {
    let (date_time, rest) = text.split_at_checked("YYYY-MM-DDTHH:MM:SS".len())?;
    let seconds = date_time.get(17..)?;
    if !fits(date_time, "dddd-dd-ddTdd:dd:dd") || seconds > "59" {
        return None;
    }
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            if zone.len() == fraction.len() {
                return None;
            }
            zone
        }
        None => rest,
    };
    let offset = || {
        let (hours, minutes) = (zone.get(1..3), zone.get(4..6));
        (fits(zone, "+dd:dd") || fits(zone, "-dd:dd"))
            && hours <= Some("23")
            && minutes <= Some("59")
    };
    if zone != "Z" && !offset() {
        return None;
    }
    text.parse().ok()
}

/// Whether a text has a digit wherever the shape has `d`, and else the same bytes.
fn fits(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text
            .bytes()
            .zip(shape.bytes())
            .all(|(byte, expected)| match expected {
                b'd' => byte.is_ascii_digit(),
                _ => byte == expected,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shape_and_no_other() {
        for good in [
            "2000-03-01T00:00:00Z",
            "2000-03-01T23:59:59.25+05:30",
            "0000-01-01T00:00:00.000000000Z",
            "2000-02-29T00:00:00-00:00",
        ] {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "2000-03-01",
            "2000-03-01T00:00Z",
            "2000-03-01 00:00:00Z",
            "2000-03-01t00:00:00z",
            "2000-03-01T00:00:00",
            "2000-03-01T00:00:60Z",
            "2000-03-01T24:00:00Z",
            "2000-02-30T00:00:00Z",
            "20000301T000000Z",
            "+002000-03-01T00:00:00Z",
            "2000-03-01T00:00:00,5Z",
            "2000-03-01T00:00:00.Z",
            "2000-03-01T00:00:00+01",
            "2000-03-01T00:00:00+0100",
            "2000-03-01T00:00:00+01:00:00",
            "2000-03-01T00:00:00+24:00",
            "2000-03-01T00:00:00+01:60",
            "2000-03-01T00:00:00Z[UTC]",
            "2000-03-01T00:00:00+01:00[Europe/Paris]",
            " 2000-03-01T00:00:00Z",
            "2000-03-01T00:00:0\u{663}Z",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
