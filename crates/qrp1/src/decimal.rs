//! Exact decimal numbers: an integer and how many of its digits stand after the point.

use core::fmt;

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
        let fraction = fraction.trim_end_matches('0');
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
