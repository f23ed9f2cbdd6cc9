//! Exact decimal numbers: an integer and how many of its digits stand after the point.

use core::fmt;

use serde_core::de::{self, Deserialize, Deserializer, Unexpected, Visitor};
use serde_core::ser::{Serialize, Serializer};

use crate::sink::Sink;

/// The largest scale a decimal column may have.
///
/// ```
/// let most = qrp1::ColumnType::Decimal { scale: qrp1::MAX_SCALE };
/// assert!(qrp1::Layout::table([qrp1::Column::new("a", most)]).is_ok());
/// ```
pub const MAX_SCALE: u8 = 38;

/// An exact decimal: `mantissa` x 10^-`scale`.
///
/// Two decimals are equal when mantissa and scale are; a column has one scale, so its
/// cells compare as numbers do.
///
/// ```
/// use qrp1::Decimal;
///
/// let price = Decimal::new(10250, 2);
/// assert_eq!(price.to_string(), "102.5"); // trailing zeros say nothing at a fixed scale
/// assert_eq!(Decimal::parse("102.5", 2), Some(price));
/// assert_eq!(Decimal::parse("102.505", 2), None); // does not fit the scale
/// ```
///
/// For serde it is a text with all digits of its scale, so that formats without decimals keep
/// it exactly:
///
/// ```
/// let price = qrp1::Decimal::new(10250, 2);
/// assert_eq!(serde_json::to_string(&price)?, r#""102.50""#);
/// assert_eq!(serde_json::from_str::<qrp1::Decimal>(r#""102.50""#)?, price);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    mantissa: i128,
    scale: u8,
}

impl Decimal {
    /// `mantissa` x 10^-`scale`.
    #[must_use]
    pub fn new(mantissa: i128, scale: u8) -> Self {
        Self { mantissa, scale }
    }

    /// The integer without its point.
    ///
    /// ```
    /// let price = qrp1::Decimal::new(10250, 2);
    /// assert_eq!((price.mantissa(), price.scale()), (10250, 2));
    /// ```
    #[must_use]
    pub fn mantissa(self) -> i128 {
        self.mantissa
    }

    /// How many digits stand after the point.
    #[must_use]
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// Reads plain decimal text (`-12.5`, no exponent) at a scale; `None` when it is
    /// not such text, has more digits after the point than `scale`, or is out of range.
    #[must_use]
    pub fn parse(text: &str, scale: u8) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() || (digits.contains('.') && fraction.is_empty()) {
            return None;
        }
        let missing = usize::from(scale).checked_sub(fraction.len())?;
        let mut mantissa = 0i128;
        for byte in whole
            .bytes()
            .chain(fraction.bytes())
            .chain(core::iter::repeat_n(b'0', missing))
        {
            if !byte.is_ascii_digit() {
                return None;
            }
            let digit = i128::from(byte - b'0');
            mantissa = mantissa.checked_mul(10)?;
            mantissa = if negative {
                mantissa.checked_sub(digit)?
            } else {
                mantissa.checked_add(digit)?
            };
        }
        // There is no negative zero among the decimals.
        if negative && mantissa == 0 {
            None
        } else {
            Some(Self { mantissa, scale })
        }
    }
}

impl Decimal {
    /// Appends the shortest plain text.
    pub(crate) fn push<S: Sink>(self, out: &mut S) {
        self.push_digits(out, |fraction| fraction.trim_end_matches('0'));
    }

    /// Appends the text with every digit of the scale, from which mantissa and scale read back.
    pub(crate) fn push_padded<S: Sink>(self, out: &mut S) {
        self.push_digits(out, |fraction| fraction);
    }

    /// Appends the text with that part of the digits after the point that `keep` gives back.
    fn push_digits<S: Sink>(self, out: &mut S, keep: impl Fn(&str) -> &str) {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(self.mantissa.unsigned_abs());
        let scale = usize::from(self.scale);
        if self.mantissa < 0 {
            out.push_char('-');
        }
        let (whole, zeros, fraction) = match digits.len().checked_sub(scale) {
            Some(point) if point > 0 => (&digits[..point], 0, &digits[point..]),
            _ => ("0", scale - digits.len(), digits),
        };
        out.push_str(whole);
        let fraction = keep(fraction);
        if !fraction.is_empty() {
            out.push_char('.');
            (0..zeros).for_each(|_| out.push_char('0'));
            out.push_str(fraction);
        }
    }
}

impl fmt::Display for Decimal {
    /// The shortest plain text: no trailing zeros after the point, no exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}

/// The name of the newtype struct that marks a text as a decimal.
pub(crate) const DECIMAL_NAME: &str = "$qrp1::Decimal";

impl Serialize for Decimal {
    /// As text with all digits of the scale, `"102.50"`, so that other formats keep mantissa
    /// and scale too.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = String::new();
        self.push_padded(&mut text);
        serializer.serialize_newtype_struct(DECIMAL_NAME, &text)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    /// From plain text; its digits after the point are the scale.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(DECIMAL_NAME, DecimalVisitor)
    }
}

struct DecimalVisitor;

impl<'de> Visitor<'de> for DecimalVisitor {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal as plain text such as \"102.50\"")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<Decimal, D::Error> {
        inner.deserialize_str(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        u8::try_from(fraction.len())
            .ok()
            .and_then(|scale| Decimal::parse(text, scale))
            // The text itself may be anything of any length, so that no message holds it.
            .ok_or_else(|| E::invalid_value(Unexpected::Other("other text"), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for (mantissa, scale, text) in [
            (0, 0, "0"),
            (0, 5, "0"),
            (5, 2, "0.05"),
            (-5, 1, "-0.5"),
            (100, 2, "1"),
            (123_456, 3, "123.456"),
            (i128::MAX, 38, "1.70141183460469231731687303715884105727"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
        ] {
            let decimal = Decimal::new(mantissa, scale);
            assert_eq!(decimal.to_string(), text);
            assert_eq!(Decimal::parse(text, scale), Some(decimal));
        }
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "", "-", ".", "1.", ".5", "+1", "1e3", "-0", "-0.0", "1.234", " 1", "1_0",
        ] {
            assert_eq!(Decimal::parse(text, 2), None, "{text}");
        }
        assert_eq!(Decimal::parse(&"9".repeat(40), 0), None);
    }
}
